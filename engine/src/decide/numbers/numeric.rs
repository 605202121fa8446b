//! Numbers in digits: separators, units, scales and signs; codes.

use super::lexemes::Lexeme;
use super::{Kind, Quantity};

pub(super) fn canonical_integer(text: &str) -> String {
    let stripped = text.trim_start_matches('0');
    if stripped.is_empty() { "0".to_owned() } else { stripped.to_owned() }
}

pub(super) fn numeric(text: &str, lexemes: &[Lexeme], at: usize) -> Option<(Quantity, usize)> {
    let lexeme = &lexemes[at];
    if !lexeme.folded.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let plain = |w: &str| {
        w.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '\u{a0}' | '\u{202f}'))
    };
    let (digits, suffix) = split_suffix(&lexeme.folded);
    let mut end = lexeme.range.end;
    let mut after = at + 1;
    let Some(mut readings) = plain(digits).then(|| readings(digits)).filter(|r| !r.is_empty()) else {
        return Some((code(lexeme), at + 1));
    };
    let mut scaled = false;
    if !suffix.is_empty() {
        let Some(power) = scale(suffix) else { return Some((code(lexeme), at + 1)) };
        if power == 0 && !matches!(suffix, "th" | "st" | "nd" | "rd" | "o" | "a") {
            // `24h` may be read as 24, but `5s` is first of all a code of its own.
            readings.insert(0, lexeme.folded.clone());
            let range = lexeme.range.clone();
            return Some((Quantity { kind: Kind::Code, readings, range, scaled: false }, at + 1));
        }
        if power > 0 {
            readings = readings.iter().map(|r| shift(r, power)).collect();
            scaled = true;
        }
    } else if let Some(power) = lexemes.get(at + 1).and_then(|l| scale_word(&l.folded)) {
        readings = readings.iter().map(|r| shift(r, power)).collect();
        scaled = true;
        end = lexemes[at + 1].range.end;
        after = at + 2;
    }
    let tail = text[end..].trim_start();
    let percent = tail.starts_with('%')
        || lexemes.get(after).is_some_and(|l| matches!(l.folded.as_str(), "percent" | "porcento"))
        || (tail.starts_with("por cento") || tail.starts_with("per cent") || tail.starts_with("por ciento"));
    let kind = if percent { Kind::Percent } else { Kind::Number };
    let negative = text[..lexeme.range.start].ends_with(['-', '−'])
        && !text[..lexeme.range.start].trim_end_matches(['-', '−']).ends_with(|c: char| c.is_alphanumeric());
    if negative {
        readings = readings.iter().map(|r| format!("-{r}")).collect();
    }
    Some((Quantity { kind, readings, range: lexeme.range.start..end, scaled }, after))
}

fn code(lexeme: &Lexeme) -> Quantity {
    let folded = lexeme.folded.chars().filter(|c| c.is_alphanumeric()).collect();
    Quantity { kind: Kind::Code, readings: vec![folded], range: lexeme.range.clone(), scaled: false }
}

/// Cuts a unit off a number: `80k` to `80` and `k`, `7th` to `7` and `th`.
fn split_suffix(word: &str) -> (&str, &str) {
    let at = word.find(char::is_alphabetic).unwrap_or(word.len());
    (&word[..at], &word[at..])
}

/// Powers of ten of suffixes; ordinals and common units change nothing.
fn scale(suffix: &str) -> Option<i32> {
    match suffix {
        "k" | "mil" => Some(3),
        "m" | "mi" | "mm" => Some(6),
        "bi" | "bn" | "b" => Some(9),
        "th" | "st" | "nd" | "rd" | "o" | "a" | "h" | "kg" | "g" | "km" | "cm" | "ml" | "l" | "min" | "s" => {
            Some(0)
        }
        _ => None,
    }
}

pub(super) fn scale_word(word: &str) -> Option<i32> {
    match word {
        "mil" | "thousand" | "k" => Some(3),
        "milhao" | "milhoes" | "million" | "millions" | "millon" | "millones" | "mi" => Some(6),
        "bilhao" | "bilhoes" | "billion" | "billions" | "bi" => Some(9),
        "trilhao" | "trilhoes" | "trillion" | "trillions" => Some(12),
        _ => None,
    }
}

/// Reads digits with separators, likeliest reading first.
fn readings(written: &str) -> Vec<String> {
    let separators: Vec<char> = written.chars().filter(|c| !c.is_ascii_digit()).collect();
    let grouped = |separator: char| {
        let groups: Vec<&str> = written.split(separator).collect();
        (1..=3).contains(&groups[0].len())
            && !groups[0].starts_with('0')
            && groups[1..].iter().all(|g| g.len() == 3)
    };
    let plain = |text: &str| canonical(text);
    match separators[..] {
        [] => vec![plain(written)],
        [one] => {
            let decimal = plain(&written.replace(one, "."));
            let thousands = plain(&written.replace(one, ""));
            match one {
                '.' | ',' if grouped(one) => vec![thousands, decimal],
                '.' | ',' => vec![decimal],
                _ => vec![thousands],
            }
        }
        [first, .., last] => {
            let same = separators.iter().all(|&c| c == first);
            if same {
                return if grouped(first) { vec![plain(&written.replace(first, ""))] } else { Vec::new() };
            }
            if last == first || separators[..separators.len() - 1].iter().any(|&c| c != first) {
                return Vec::new();
            }
            vec![plain(&written.replace(first, "").replace(last, "."))]
        }
    }
}

fn canonical(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    let whole = canonical_integer(whole);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// Moves the decimal point `power` places to the right.
pub(super) fn shift(number: &str, power: i32) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |n| ("-", n));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut digits = format!("{whole}{fraction}");
    let point = whole.len() as i32 + power;
    if point <= 0 {
        digits.insert_str(0, &"0".repeat((1 - point) as usize));
    }
    let point = point.max(1) as usize;
    while digits.len() < point {
        digits.push('0');
    }
    format!("{sign}{}", canonical(&format!("{}.{}", &digits[..point], &digits[point..])))
}
