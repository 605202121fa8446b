//! Tokens of SQL, enough to rewrite and inspect a query; SQLite alone decides what it means.

use serde::{Deserialize, Serialize};

/// A token of SQL with its bytes in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Kinds of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenKind {
    /// Keyword or bare identifier.
    Word,
    /// `"name"`, `` `name` `` or `[name]`.
    Quoted,
    /// `'text'`.
    Text,
    /// A number.
    Number,
    /// Anything else, one or two characters.
    Symbol,
}

/// Splits SQL into tokens; comments and spaces are dropped. Never fails: an unclosed quote runs
/// to the end, and SQLite then refuses the statement.
pub fn tokens(sql: &str) -> Vec<Token> {
    let bytes = sql.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'-' if bytes.get(at + 1) == Some(&b'-') => {
                at = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = sql[at + 2..].find("*/").map_or(bytes.len(), |n| at + 2 + n + 2);
                continue;
            }
            quote @ (b'\'' | b'"' | b'`') => {
                at = quoted_end(bytes, at, quote);
                if quote == b'\'' { TokenKind::Text } else { TokenKind::Quoted }
            }
            b'[' => {
                at = bytes[at..].iter().position(|b| *b == b']').map_or(bytes.len(), |n| at + n + 1);
                TokenKind::Quoted
            }
            b if b.is_ascii_digit() || (b == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)) => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'.') {
                    at += 1;
                }
                TokenKind::Number
            }
            b if b.is_ascii_alphabetic() || b == b'_' || !b.is_ascii() => {
                while at < bytes.len()
                    && (bytes[at].is_ascii_alphanumeric()
                        || matches!(bytes[at], b'_' | b'$')
                        || !bytes[at].is_ascii())
                {
                    at += 1;
                }
                TokenKind::Word
            }
            _ => {
                let two = bytes.get(at..at + 2).unwrap_or_default();
                at += if [b"<=", b">=", b"<>", b"!=", b"==", b"||", b"<<", b">>", b"->"]
                    .iter()
                    .any(|s| *s == two)
                {
                    2
                } else {
                    1
                };
                TokenKind::Symbol
            }
        };
        found.push(Token { kind, start, end: at });
    }
    found
}

/// Index one past the bracket that closes the one at `open`.
pub fn bracket_end(sql: &str, tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match &sql[token.start..token.end] {
            "(" => depth += 1,
            ")" => {
                depth -= 1;
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

fn quoted_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        if bytes[at] == quote {
            if bytes.get(at + 1) == Some(&quote) {
                at += 2;
                continue;
            }
            return at + 1;
        }
        at += 1;
    }
    bytes.len()
}

/// Names that stand where a table does: after FROM, JOIN, a comma or a qualifier, with no dot after.
pub fn table_names(sql: &str) -> Vec<String> {
    let tokens = tokens(sql);
    let text = |index: usize| tokens.get(index).map_or("", |t: &Token| &sql[t.start..t.end]);
    (1..tokens.len())
        .filter(|index| matches!(tokens[*index].kind, TokenKind::Word | TokenKind::Quoted))
        .filter(|index| {
            let before = text(index - 1).to_ascii_lowercase();
            matches!(before.as_str(), "from" | "join" | "," | "." | "(") && text(index + 1) != "."
        })
        .map(|index| unquoted(text(index)))
        .collect()
}

/// Names declared as common table expressions, lower case: `name AS (`, `name(columns) AS (`.
pub fn common_tables(sql: &str) -> Vec<String> {
    let tokens = tokens(sql);
    let text = |index: usize| tokens.get(index).map_or("", |t: &Token| &sql[t.start..t.end]);
    let mut names = Vec::new();
    for index in 0..tokens.len() {
        if !matches!(tokens[index].kind, TokenKind::Word | TokenKind::Quoted) {
            continue;
        }
        let mut at = index + 1;
        if text(at) == "(" {
            at = bracket_end(sql, &tokens, at);
        }
        if !text(at).eq_ignore_ascii_case("as") {
            continue;
        }
        at += 1;
        if text(at).eq_ignore_ascii_case("not") {
            at += 1;
        }
        if text(at).eq_ignore_ascii_case("materialized") {
            at += 1;
        }
        if text(at) == "(" {
            names.push(unquoted(text(index)).to_lowercase());
        }
    }
    names
}

/// A name without its quotes.
pub fn unquoted(name: &str) -> String {
    let inner = |quote: char| name.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    match (inner('"'), inner('`'), name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))) {
        (Some(text), _, _) => text.replace("\"\"", "\""),
        (_, Some(text), _) => text.replace("``", "`"),
        (_, _, Some(text)) => text.to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tables_and_common_expressions_are_found() {
        let sql = "WITH a AS (SELECT 1), \"b c\"(x) AS MATERIALIZED (SELECT 2) SELECT T1.x FROM a AS T1, [d] JOIN main.e";
        assert_eq!(common_tables(sql), ["a", "b c"]);
        assert_eq!(table_names(sql), ["SELECT", "b c", "x", "SELECT", "x", "a", "d", "e"]);
    }
}
