//! Text folding and tokens shared by every lexical comparison.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// Folds text for comparison: compatibility decomposition, no combining marks, lower case.
///
/// `São José` and `sao jose` fold to the same string, and so do `MÜLLER` and `muller`. `ß`
/// becomes `ss`. Folding twice changes nothing.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.nfkd().filter(|c| !is_combining_mark(*c)) {
        for lower in character.to_lowercase() {
            match lower {
                'ß' => folded.push_str("ss"),
                'ø' => folded.push('o'),
                'đ' => folded.push('d'),
                'ł' => folded.push('l'),
                'æ' => folded.push_str("ae"),
                'œ' => folded.push_str("oe"),
                c if is_combining_mark(c) => {}
                c => folded.push(c),
            }
        }
    }
    folded
}

/// Returns the words of `text` (Unicode word boundaries, UAX #29), as written.
pub fn words(text: &str) -> Vec<&str> {
    text.unicode_words().collect()
}

/// Returns the words of `text`, folded.
pub fn folded_words(text: &str) -> Vec<String> {
    words(text).into_iter().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_removes_accents_and_case() {
        for (input, expected) in [
            ("São José", "sao jose"),
            ("MÜLLER", "muller"),
            ("Straße", "strasse"),
            ("ﬁm", "fim"),
            ("İstanbul", "istanbul"),
            ("Łódź", "lodz"),
        ] {
            assert_eq!(fold(input), expected);
            assert_eq!(fold(&fold(input)), expected);
        }
    }

    #[test]
    fn words_keep_numbers_and_drop_punctuation() {
        assert_eq!(words("Olá, PC-04 custa 1.234,50!"), ["Olá", "PC", "04", "custa", "1.234,50"]);
    }
}
