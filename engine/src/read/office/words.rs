//! Words as office programs mean them: list numbers, raised digits.

/// Writes a number in a list's format.
pub(in super::super) fn ordinal(number: u32, format: &str) -> String {
    match format {
        "lowerLetter" => letters(number),
        "upperLetter" => letters(number).to_uppercase(),
        "lowerRoman" => roman(number).to_lowercase(),
        "upperRoman" => roman(number),
        "decimalZero" => format!("{number:02}"),
        "ordinal" => format!("{number}º"),
        "none" => String::new(),
        _ => number.to_string(),
    }
}

/// `a` to `z`, then `aa`, `bb`, as word processors count.
fn letters(number: u32) -> String {
    let Some(index) = number.checked_sub(1) else { return String::new() };
    let letter = char::from(b'a' + (index % 26) as u8);
    std::iter::repeat_n(letter, (index / 26 + 1).min(20) as usize).collect()
}

fn roman(number: u32) -> String {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if number > 3999 {
        return number.to_string();
    }
    let (mut left, mut written) = (number, String::new());
    for (value, sign) in SIGNS {
        while left >= value {
            written.push_str(sign);
            left -= value;
        }
    }
    written
}

/// Appends words. Raised digits stay apart from the number before them: `10⁶` is not `106`.
pub(super) fn push(text: &mut String, words: &str, raised: bool) {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let after = text.chars().last().is_some_and(char::is_alphanumeric);
    let power = raised
        && after
        && !words.is_empty()
        && words.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '−'));
    if !power {
        text.push_str(words);
        return;
    }
    text.extend(words.chars().map(|character| match character {
        '-' | '−' => '⁻',
        '+' => '⁺',
        digit => digit.to_digit(10).and_then(|digit| RAISED.get(digit as usize)).copied().unwrap_or(digit),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_word_processors_do() {
        for (number, format, expected) in [
            (4, "lowerRoman", "iv"),
            (1999, "upperRoman", "MCMXCIX"),
            (27, "lowerLetter", "aa"),
            (3, "decimalZero", "03"),
            (2, "decimal", "2"),
            (0, "lowerLetter", ""),
        ] {
            assert_eq!(ordinal(number, format), expected);
        }
    }
}
