//! Cuts at sentence marks, semicolons, line breaks and list items.

use std::ops::Range;

use super::cut::{Boundary, opening_of_sentence};
use super::lexicon::*;
use super::tokens::{Token, quoted_ranges};

/// Cuts at sentence marks, semicolons, line breaks and list items; trims blanks and list marks.
pub(super) fn sentences(message: &str, tokens: &[Token]) -> Vec<(Range<usize>, Boundary)> {
    let quoted = quoted_ranges(message);
    let mut found = Vec::new();
    let mut start = (0, Boundary::Start);
    let mut push = |from: usize, to: usize, boundary: Boundary| {
        let from = from + list_mark(&message[from..to], boundary);
        let text = &message[from..to];
        let trimmed = text.trim();
        let lead = text.len() - text.trim_start().len();
        if !trimmed.is_empty() {
            let tail = trimmed.trim_end_matches([';', ',', ' ']).len();
            found.push((from + lead..from + lead + tail, boundary));
        }
    };
    let mut characters = message.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        let next = characters.peek().map(|&(_, c)| c);
        let inside = quoted.iter().any(|q| q.start < at && end < q.end);
        let boundary = match character {
            _ if inside => None,
            '?' | '!' | '？' => (!next.is_some_and(|c| "?!？\"”»)".contains(c))).then_some(Boundary::Mark),
            '"' | '”' | '»' | ')' => message[..at]
                .ends_with(['?', '!'])
                .then_some(Boundary::Mark)
                .filter(|_| next.is_none_or(char::is_whitespace) && capital_follows(message, end)),
            '.' => (next.is_some_and(char::is_whitespace) && ends_sentence(message, at, end))
                .then_some(Boundary::Period),
            ';' => Some(Boundary::Semicolon),
            '\n' => Some(Boundary::Line),
            ' ' if inline_item(message, tokens, end) => Some(Boundary::Line),
            _ => None,
        };
        if let Some(boundary) = boundary {
            push(start.0, end, start.1);
            start = (end, boundary);
        }
    }
    push(start.0, message.len(), start.1);
    found
}

fn capital_follows(message: &str, end: usize) -> bool {
    message[end..].trim_start().chars().next().is_some_and(|c| c.is_uppercase() || c == '¿')
}

const ABBREVIATIONS: &[&str] = &[
    "dr", "dra", "mr", "mrs", "ms", "sr", "sra", "st", "prof", "profa", "jr", "art", "arts", "inc", "ltd",
    "ltda", "co", "corp", "vs", "etc", "no", "nº", "núm", "num", "p", "pp", "pag", "pág", "fig", "cap",
    "vol", "ed", "e.g", "i.e", "p.ex", "ex", "u.s", "u.k", "d.p", "gen", "av", "mt", "ft", "dept", "approx",
    "cia", "exmo", "dept",
];

/// Tells whether the full stop at `at` ends a sentence: not an abbreviation, an initial or a list number.
fn ends_sentence(message: &str, at: usize, end: usize) -> bool {
    let word = message[..at].rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let lower = word.to_lowercase();
    let initial =
        word.chars().filter(|c| c.is_alphabetic()).count() <= 1 && word.chars().all(|c| !c.is_numeric());
    let item = !word.is_empty() && word.len() <= 2 && word.chars().all(|c| c.is_ascii_digit());
    let line_start = message[..at - word.len()].trim_end_matches(' ');
    let numbered = item && (line_start.is_empty() || line_start.ends_with(['\n', '?', ';', ':', '.']));
    let following = message[end..].trim_start();
    let starts = capital_follows(message, end)
        || following.chars().next().is_some_and(|c| c.is_ascii_digit() || c == '"' || c == '“')
        || following.split_whitespace().next().is_some_and(|w| {
            let word = crate::decide::text::fold(w);
            is_in(INSTRUCTIONS, &word)
                || is_in(INTERROGATIVES_EN, &word)
                || is_in(INTERROGATIVES_PT_ES, &word)
        });
    starts && !initial && !numbered && !is_in(ABBREVIATIONS, &lower)
}

/// Length of a list mark (`- `, `2. `, `b) `) at the start of `text`.
fn list_mark(text: &str, boundary: Boundary) -> usize {
    let lead = text.len() - text.trim_start().len();
    let body = &text[lead..];
    if boundary.is_soft() {
        return 0;
    }
    if let Some(rest) = body.strip_prefix(['-', '*', '•', '–', '+']) {
        return if rest.starts_with(char::is_whitespace) { text.len() - rest.len() } else { 0 };
    }
    let digits = body.chars().take_while(char::is_ascii_digit).count();
    let width =
        if digits > 0 { digits } else { body.chars().take(1).filter(char::is_ascii_alphabetic).count() };
    let mark = body[width..].chars().next();
    let blank = body[width..].chars().nth(1).is_some_and(char::is_whitespace);
    let fits = match mark {
        Some(')') => (1..=2).contains(&width),
        Some('.') => (1..=2).contains(&digits),
        _ => false,
    };
    if fits && blank { lead + width + 2 } else { 0 }
}

/// Tells whether a list item (`2) who …`) starts at byte `at` in the middle of a line.
fn inline_item(message: &str, tokens: &[Token], at: usize) -> bool {
    let length = list_mark(&message[at..], Boundary::Line);
    if length == 0 || !message.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric) {
        return false;
    }
    let next = tokens.partition_point(|t| t.range.start < at + length);
    // A number that ends a sentence (`more than 5. List …`) follows no smaller mark.
    let mark = message[at..at + length].trim();
    let follows = mark
        .strip_suffix('.')
        .and_then(|n| n.parse::<u32>().ok())
        .is_none_or(|n| n == 1 || message[..at].contains(&format!("{}. ", n.saturating_sub(1))));
    follows && next < tokens.len() && opening_of_sentence(tokens, next, tokens.len()).is_some()
}
