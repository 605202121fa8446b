//! Comparing and matching text without accents and case, fast where text is plain ASCII.

use std::cmp::Ordering;

use crate::decide::text::fold;

/// Compares two texts as [`fold`] would, without allocating while both are ASCII.
///
/// Folding works character by character, so a common ASCII prefix can be skipped.
pub fn fold_compare(left: &str, right: &str) -> Ordering {
    let (a, b) = (left.as_bytes(), right.as_bytes());
    let mut index = 0;
    loop {
        match (a.get(index), b.get(index)) {
            (None, None) => return Ordering::Equal,
            (Some(x), Some(y)) if x.is_ascii() && y.is_ascii() => {
                let order = x.to_ascii_lowercase().cmp(&y.to_ascii_lowercase());
                if order != Ordering::Equal {
                    // A combining mark may still follow on either side, but it folds to nothing,
                    // so these two letters are what is compared.
                    return order;
                }
                index += 1;
            }
            (None, Some(y)) if y.is_ascii() => return Ordering::Less,
            (Some(x), None) if x.is_ascii() => return Ordering::Greater,
            _ => return fold(&left[index..]).cmp(&fold(&right[index..])),
        }
    }
}

/// Compares numbers written as text by value; a text that is no number follows all numbers.
pub fn number_compare(left: &str, right: &str) -> Ordering {
    match (plain_number(left), plain_number(right)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => fold_compare(left, right),
    }
}

/// Parses `-12`, `3.50`, `007`; not `1e5`, `inf`, `0x1`, or anything with other characters.
pub fn plain_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && digits.bytes().filter(|b| *b == b'.').count() <= 1
        && digits.bytes().any(|b| b.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// Says whether a number is written as a code: `007`, `00`, but not `0` or `0.5`.
pub fn leading_zero(text: &str) -> bool {
    let digits = text.trim().trim_start_matches('-').as_bytes();
    digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit()
}

/// Matches an SQL LIKE pattern without accents and case.
///
/// `%` is any run, `_` any one character, `escape` takes the next one literally. Returns `None`
/// when `keep_on` says to stop: it is asked every few thousand steps, since the worst case is
/// the product of both lengths.
pub fn like(pattern: &str, text: &str, escape: Option<char>, keep_on: &dyn Fn() -> bool) -> Option<bool> {
    let pattern = compile(pattern, escape);
    let text: Vec<char> = if text.is_ascii() {
        text.chars().map(|c| c.to_ascii_lowercase()).collect()
    } else {
        fold(text).chars().collect()
    };
    let (mut p, mut t, mut steps) = (0, 0, 0_u32);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        steps += 1;
        if steps.is_multiple_of(4096) && !keep_on() {
            return None;
        }
        match pattern.get(p) {
            Some(Piece::Any) => {
                star = Some((p, t));
                p += 1;
            }
            Some(piece) if piece.takes(text[t]) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
                None => return Some(false),
            },
        }
    }
    Some(pattern[p..].iter().all(|piece| matches!(piece, Piece::Any)))
}

enum Piece {
    Any,
    One,
    Literal(char),
}

impl Piece {
    fn takes(&self, character: char) -> bool {
        match self {
            Self::Any => false,
            Self::One => true,
            Self::Literal(literal) => *literal == character,
        }
    }
}

fn compile(pattern: &str, escape: Option<char>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        let literal = if Some(character) == escape {
            characters.next()
        } else {
            match character {
                '%' => {
                    if !matches!(pieces.last(), Some(Piece::Any)) {
                        pieces.push(Piece::Any);
                    }
                    continue;
                }
                '_' => {
                    pieces.push(Piece::One);
                    continue;
                }
                other => Some(other),
            }
        };
        if let Some(literal) = literal {
            pieces.extend(fold(literal.encode_utf8(&mut [0; 4])).chars().map(Piece::Literal));
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check_like(pattern: &str, text: &str, expected: bool) {
        assert_eq!(like(pattern, text, None, &|| true), Some(expected), "{text} LIKE {pattern}");
    }

    #[test]
    fn like_folds_and_matches() {
        check_like("%sao jose%", "Rua São José, 12", true);
        check_like("m_ller", "MÜLLER", true);
        check_like("%a%b%", "xxayybzz", true);
        check_like("%a%b", "xxaybz", false);
        check_like("", "", true);
        check_like("%", "", true);
        check_like("a", "", false);
        check_like("strasse", "Straße", true);
        assert_eq!(like("50!%", "50%", Some('!'), &|| true), Some(true));
        assert_eq!(like("50!%", "500", Some('!'), &|| true), Some(false));
    }

    #[test]
    fn like_stops_when_told() {
        let text = "a".repeat(200_000);
        assert_eq!(like(&"%a".repeat(300), &format!("{text}b"), None, &|| false), None);
    }

    #[test]
    fn numbers_as_text_compare_by_value() {
        assert_eq!(number_compare("10", "9"), Ordering::Greater);
        assert_eq!(number_compare("10.0", "10"), Ordering::Equal);
        assert_eq!(number_compare("-2", "1"), Ordering::Less);
        assert_eq!(number_compare("abc", "1"), Ordering::Greater);
        assert!(leading_zero("007") && !leading_zero("0") && !leading_zero("0.5"));
        assert_eq!(plain_number("1e5"), None);
    }

    proptest! {
        #[test]
        fn comparing_equals_comparing_folded(a in "[a-cA-Cãéü\u{301}ß1 ]{0,6}", b in "[a-cA-Cãéü\u{301}ß1 ]{0,6}") {
            prop_assert_eq!(fold_compare(&a, &b), fold(&a).cmp(&fold(&b)));
        }
    }
}
