//! Lines to running text: words divided at the line's end are whole again.

use std::collections::HashSet;

/// Portuguese pronouns that follow a verb with a hyphen, which a line's end does not remove.
const CLITICS: &[&str] =
    &["lo", "la", "los", "las", "lhe", "lhes", "me", "te", "se", "nos", "vos", "o", "a", "os", "as"];

/// Words of a document, for deciding whether a hyphen belongs to a word.
pub(super) fn vocabulary<'a>(lines: impl Iterator<Item = &'a String>) -> HashSet<String> {
    let mut words = HashSet::new();
    for line in lines {
        let mut pieces = line.split_whitespace().peekable();
        while let Some(piece) = pieces.next() {
            let divided = pieces.peek().is_none() && ends_divided(piece);
            if !divided {
                words.insert(core(piece).to_lowercase());
            }
        }
    }
    words
}

/// Joins the lines of a paragraph.
pub(super) fn join_lines(lines: &[String], vocabulary: &HashSet<String>) -> String {
    let mut text = String::new();
    for line in lines {
        join(&mut text, line, vocabulary);
    }
    text
}

/// Appends a line to running text, with a space, a kept hyphen, or neither.
pub(super) fn join(text: &mut String, line: &str, vocabulary: &HashSet<String>) {
    let line = line.trim();
    if text.is_empty() || line.is_empty() {
        text.push_str(line);
        return;
    }
    if text.ends_with('\u{ad}') {
        text.pop();
    } else if ends_divided(text) && line.starts_with(char::is_alphanumeric) {
        if !keeps_hyphen(text, line, vocabulary) {
            text.pop();
        }
    } else if !(text.ends_with(is_ideographic) && line.starts_with(is_ideographic)) {
        text.push(' ');
    }
    text.push_str(line);
}

/// Says whether text ends with a hyphen right after a letter.
fn ends_divided(text: &str) -> bool {
    let mut last = text.chars().rev();
    matches!(last.next(), Some('-' | '\u{2010}')) && last.next().is_some_and(char::is_alphabetic)
}

fn keeps_hyphen(text: &str, line: &str, vocabulary: &HashSet<String>) -> bool {
    if !line.starts_with(char::is_lowercase) {
        return true;
    }
    let left = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let left = core(left.trim_end_matches(['-', '\u{2010}'])).to_lowercase();
    let right = core(line.split(char::is_whitespace).next().unwrap_or_default()).to_lowercase();
    if vocabulary.contains(&format!("{left}-{right}")) {
        return true;
    }
    if vocabulary.contains(&format!("{left}{right}")) {
        return false;
    }
    left.contains('-') || CLITICS.contains(&right.as_str())
}

/// A word without the punctuation around it.
fn core(piece: &str) -> &str {
    piece.trim_matches(|character: char| !character.is_alphanumeric())
}

/// Characters of scripts that put no spaces between words.
fn is_ideographic(character: char) -> bool {
    matches!(character, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &str, known: &str, expected: &str) {
        let lines: Vec<String> = lines.split('/').map(str::to_owned).collect();
        let known = [known.to_owned()];
        assert_eq!(join_lines(&lines, &vocabulary(known.iter())), expected, "{lines:?}");
    }

    #[test]
    fn divided_words_are_whole_again() {
        check("a admi-/nistração pública", "", "a administração pública");
        check("the regis-/tration fee", "", "the registration fee");
        check("co\u{ad}/operate", "", "cooperate");
        check("uma linha/outra linha", "", "uma linha outra linha");
        check("東京/都", "", "東京都");
    }

    #[test]
    fn hyphens_of_the_word_stay() {
        check("a well-/known case", "our well-known rule", "a well-known case");
        check("a well-/known case", "wellknown", "a wellknown case");
        check("state-of-the-/art work", "", "state-of-the-art work");
        check("quero comprá-/lo hoje", "", "quero comprá-lo hoje");
        check("the Anglo-/Saxon age", "", "the Anglo-Saxon age");
        check("o caso COVID-/19 segue", "", "o caso COVID-19 segue");
        check("de 10 -/ 20", "", "de 10 - 20");
    }
}
