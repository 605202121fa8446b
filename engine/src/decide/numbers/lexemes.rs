//! Runs of letters and digits with the separators inside numbers and codes.

use std::ops::Range;

use crate::decide::text::fold;

/// A run of letters and digits with the separators that may stand inside a number or code.
pub(super) struct Lexeme {
    pub range: Range<usize>,
    pub folded: String,
}

pub(super) fn lexemes(text: &str) -> Vec<Lexeme> {
    let mut found = Vec::new();
    let mut start = None;
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    for (i, &(at, character)) in characters.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| characters[j].1);
        let after = characters.get(i + 1).map(|&(_, c)| c);
        let digits = before.is_some_and(|c| c.is_ascii_digit()) && after.is_some_and(|c| c.is_ascii_digit());
        let joins = match character {
            '.' | ',' | '/' => digits,
            // A narrow or plain no-break space groups thousands.
            '\u{a0}' | '\u{202f}' => digits && group_of_three(&characters, i + 1),
            '-' | '_' => {
                before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
            }
            c => c.is_alphanumeric(),
        };
        match (start, joins) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.push(Lexeme { range: from..at, folded: fold(&text[from..at]) });
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        found.push(Lexeme { range: from..text.len(), folded: fold(&text[from..]) });
    }
    found
}

fn group_of_three(characters: &[(usize, char)], from: usize) -> bool {
    let digits = characters[from..].iter().take_while(|(_, c)| c.is_ascii_digit()).count();
    digits == 3
}
