//! Words with their places, and which of them stand inside quotes or brackets.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::decide::text::fold;

/// A word of the message.
#[derive(Debug, Clone)]
pub struct Token {
    /// Byte range in the message.
    pub range: Range<usize>,
    /// Folded, without a possessive or contracted `'s`.
    pub folded: String,
    /// Lower case with its accents: tells Spanish `qué` from `que`, Portuguese `está` from `esta`.
    pub lower: String,
    /// Whether it starts with a capital letter.
    pub capital: bool,
    /// Whether a contracted verb was taken off (`what's`).
    pub contracted: bool,
    /// Whether it stands inside quotes or brackets.
    pub quoted: bool,
    /// Whether a comma stands before it.
    pub comma: bool,
}

/// Cuts `message` into words.
pub fn tokens(message: &str) -> Vec<Token> {
    let quoted = quoted_ranges(message);
    message
        .unicode_word_indices()
        .map(|(start, word)| {
            let range = start..start + word.len();
            let lower = word.to_lowercase().replace('’', "'");
            let base = lower.strip_suffix("'s").unwrap_or(&lower);
            Token {
                folded: fold(base),
                contracted: base.len() < lower.len(),
                capital: word.chars().next().is_some_and(char::is_uppercase),
                quoted: quoted.iter().any(|q| q.start < range.start && range.end <= q.end),
                comma: message[..start].trim_end().ends_with(','),
                lower,
                range,
            }
        })
        .collect()
}

/// Returns the byte ranges of balanced double quotes and brackets.
pub fn quoted_ranges(message: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, character) in message.char_indices() {
        match open {
            Some((start, close)) if character == close => {
                ranges.push(start..at + character.len_utf8());
                open = None;
            }
            Some(_) => {}
            None => {
                let close = match character {
                    '"' => '"',
                    '“' => '”',
                    '«' => '»',
                    '(' => ')',
                    '[' => ']',
                    '`' => '`',
                    _ => continue,
                };
                if message[at + character.len_utf8()..].contains(close) {
                    open = Some((at, close));
                }
            }
        }
    }
    ranges
}
