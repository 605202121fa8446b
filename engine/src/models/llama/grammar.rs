//! A first look at a GBNF grammar, before llama.cpp's parser sees it: bounded in size and
//! nesting, every rule defined, with an error that names the place.
//!
//! Format: the GBNF guide of llama.cpp (`grammars/README.md`).

use std::collections::{BTreeMap, BTreeSet};

use crate::models::ModelError;

const MOST_BYTES: usize = 1 << 20;
/// llama.cpp's parser calls itself for each open parenthesis.
const DEEPEST: usize = 64;
const MOST_RULES: usize = 1 << 15;

/// Checks `text`; the error says what is wrong and in which line.
///
/// # Errors
/// [`ModelError::Grammar`].
pub fn check(text: &str) -> Result<(), ModelError> {
    scan(text).map_err(|reason| ModelError::Grammar { reason })
}

fn scan(text: &str) -> Result<(), String> {
    if text.len() > MOST_BYTES {
        return Err(format!("{} bytes, at most {MOST_BYTES} are taken", text.len()));
    }
    let mut defined = BTreeSet::new();
    let mut referred: BTreeMap<&str, usize> = BTreeMap::new();
    let mut scanner = Scanner { text, position: 0, line: 1 };
    let mut depth = 0usize;
    while let Some(character) = scanner.peek() {
        let line = scanner.line;
        match character {
            '"' => scanner.quoted('"')?,
            '[' => scanner.quoted(']')?,
            '#' => scanner.comment(),
            '(' => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(format!("line {line}: more than {DEEPEST} parentheses within each other"));
                }
                scanner.next();
            }
            ')' => {
                depth = depth.checked_sub(1).ok_or_else(|| format!("line {line}: ')' without '('"))?;
                scanner.next();
            }
            '\0' => return Err(format!("line {line}: a zero byte")),
            '{' => scanner.repetition()?,
            '<' | '!' => scanner.token(),
            c if c.is_ascii_alphanumeric() => {
                let name = scanner.name();
                if scanner.defines() {
                    defined.insert(name);
                } else {
                    referred.entry(name).or_insert(line);
                }
            }
            _ => {
                scanner.next();
            }
        }
    }
    if depth > 0 {
        return Err("a '(' is not closed".into());
    }
    if !defined.contains("root") {
        return Err("there is no rule named root".into());
    }
    if defined.len() > MOST_RULES {
        return Err(format!("{} rules, at most {MOST_RULES} are taken", defined.len()));
    }
    match referred.iter().find(|(name, _)| !defined.contains(*name)) {
        Some((name, line)) => Err(format!("line {line}: the rule {name} is not defined")),
        None => Ok(()),
    }
}

struct Scanner<'t> {
    text: &'t str,
    position: usize,
    line: usize,
}

impl<'t> Scanner<'t> {
    fn peek(&self) -> Option<char> {
        self.text[self.position..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.position += character.len_utf8();
        self.line += usize::from(character == '\n');
        Some(character)
    }

    /// Skips a literal or a character class, whose opening character is next.
    fn quoted(&mut self, close: char) -> Result<(), String> {
        let line = self.line;
        self.next();
        while let Some(character) = self.next() {
            if character == '\\' {
                self.next();
            } else if character == close {
                return Ok(());
            }
        }
        Err(format!("line {line}: {close} is missing"))
    }

    fn comment(&mut self) {
        while self.peek().is_some_and(|character| character != '\n') {
            self.next();
        }
    }

    fn repetition(&mut self) -> Result<(), String> {
        let line = self.line;
        while let Some(character) = self.next() {
            if character == '}' {
                return Ok(());
            }
        }
        Err(format!("line {line}: }} is missing"))
    }

    /// Skips a token written as `<name>`; a lone `<` is left to llama.cpp.
    fn token(&mut self) {
        self.next();
        let rest = &self.text[self.position..];
        if let Some(end) = rest.find(['>', '\n', ' '])
            && rest[end..].starts_with('>')
        {
            self.position += end + 1;
        }
    }

    fn name(&mut self) -> &'t str {
        let start = self.position;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '-') {
            self.next();
        }
        &self.text[start..self.position]
    }

    /// Says whether `::=` is next, after blanks.
    fn defines(&self) -> bool {
        self.text[self.position..].trim_start_matches([' ', '\t']).starts_with("::=")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn whole_grammars_pass() {
        for text in [
            r#"root ::= "a""#,
            "root ::= item (\",\" item)* # end (\nitem ::= [a-z\\]\"]+ | \"(\\\"\" | other{1,3}\nother ::= .",
            "# only letters\nroot ::= <think> rest\nrest ::= [^<]*\n",
        ] {
            check(text).unwrap();
        }
    }

    #[test]
    fn errors_name_the_place() {
        for (text, expected) in [
            ("start ::= \"a\"", "no rule named root"),
            ("root ::= \"a\"\n  word", "line 2: the rule word"),
            ("root ::= \"a", "line 1: \" is missing"),
            ("root ::= [a-z", "] is missing"),
            ("root ::= (\"a\"", "not closed"),
            ("root ::= \"a\")", "without"),
            ("root ::= \"a\0\" \0", "zero byte"),
            ("", "root"),
        ] {
            let error = check(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
        let deep = format!("root ::= {}\"a\"{}", "(".repeat(5000), ")".repeat(5000));
        assert!(check(&deep).unwrap_err().to_string().contains("within each other"));
        let long = format!("root ::= \"{}\"", "a".repeat(2 << 20));
        assert!(check(&long).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(text in "\\PC{0,80}|[ab\"\\[\\](){}|<>\\\\:=#\n-]{0,80}") {
            let _ = check(&text);
        }
    }
}
