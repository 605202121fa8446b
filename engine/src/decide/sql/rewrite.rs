//! Makes division in a generated query honest, token by token.
//!
//! SQLite divides integers by cutting (`1/2` is 0) and gives NULL for `1/0` without a word. So
//! `a / b` becomes `a * 1.0 / NULLIF(b, 0)`: `*` and `/` have one precedence and group to the
//! left, so the value is the same but for the cut. `(year / 10) * 10`, the way to round down to
//! a decade, is left alone.

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

/// Rewrites every division so that it neither cuts nor hides a zero.
pub fn honest_division(sql: &str) -> String {
    let tokens = tokens(sql);
    let text = |index: usize| tokens.get(index).map_or("", |t: &Token| &sql[t.start..t.end]);
    let mut inserts: Vec<(usize, &str)> = Vec::new();
    for index in 0..tokens.len() {
        if text(index) != "/" {
            continue;
        }
        let end = operand_end(sql, &tokens, index + 1);
        if end == index + 1 || rounds_down(sql, &tokens, index, end) {
            continue;
        }
        inserts.push((tokens[index].start, "* 1.0 "));
        let zero_free_literal = end == index + 2
            && tokens[index + 1].kind == TokenKind::Number
            && text(index + 1).parse::<f64>().is_ok_and(|n| n != 0.0);
        let already = text(index + 1).eq_ignore_ascii_case("nullif");
        if !zero_free_literal && !already {
            inserts.push((tokens[index + 1].start, "NULLIF("));
            inserts.push((tokens[end - 1].end, ", 0)"));
        }
    }
    inserts.sort_by_key(|(at, _)| *at);
    let mut rewritten = String::with_capacity(sql.len() + inserts.len() * 8);
    let mut from = 0;
    for (at, insert) in inserts {
        rewritten.push_str(&sql[from..at]);
        rewritten.push_str(insert);
        from = at;
    }
    rewritten.push_str(&sql[from..]);
    rewritten
}

/// Functions that return text made from text.
const TEXT_FUNCTIONS: &[&str] = &[
    "coalesce", "concat", "ifnull", "iif", "lower", "ltrim", "replace", "rtrim", "substr", "substring", "trim", "upper",
];

/// Adds `COLLATE collation` to calls of text functions that are compared with something.
///
/// SQLite compares a function's result byte by byte unless the other side is a column.
pub fn collate_text_calls(sql: &str, collation: &str) -> String {
    let tokens = tokens(sql);
    let text = |index: usize| tokens.get(index).map_or("", |t: &Token| &sql[t.start..t.end]);
    let compares = |word: &str| {
        matches!(word, "=" | "==" | "!=" | "<>" | "<" | ">" | "<=" | ">=")
            || ["in", "not", "between"].iter().any(|known| word.eq_ignore_ascii_case(known))
    };
    let mut rewritten = String::with_capacity(sql.len() + 20);
    let mut from = 0;
    let mut inserts: Vec<usize> = Vec::new();
    for index in 0..tokens.len() {
        let called = tokens[index].kind == TokenKind::Word
            && text(index + 1) == "("
            && TEXT_FUNCTIONS.iter().any(|name| name.eq_ignore_ascii_case(text(index)));
        if called {
            let end = bracket_end(sql, &tokens, index + 1);
            if compares(text(end)) || (index > 0 && compares(text(index - 1))) {
                inserts.push(tokens[end - 1].end);
            }
        }
    }
    inserts.sort_unstable();
    for at in inserts {
        rewritten.push_str(&sql[from..at]);
        rewritten.push_str(" COLLATE ");
        rewritten.push_str(collation);
        from = at;
    }
    rewritten.push_str(&sql[from..]);
    rewritten
}

/// Index one past the operand that starts at `from`: sign, then a literal, name, call, bracket or CASE.
fn operand_end(sql: &str, tokens: &[Token], from: usize) -> usize {
    let text = |index: usize| tokens.get(index).map_or("", |t: &Token| &sql[t.start..t.end]);
    let mut at = from;
    while matches!(text(at), "-" | "+" | "~") {
        at += 1;
    }
    let Some(token) = tokens.get(at) else { return from };
    match token.kind {
        TokenKind::Number | TokenKind::Text => at + 1,
        TokenKind::Symbol if text(at) == "(" => bracket_end(sql, tokens, at),
        TokenKind::Symbol => from,
        TokenKind::Word if text(at).eq_ignore_ascii_case("case") => {
            let mut depth = 0;
            while let Some(token) = tokens.get(at) {
                let word = &sql[token.start..token.end];
                if token.kind == TokenKind::Word && word.eq_ignore_ascii_case("case") {
                    depth += 1;
                } else if token.kind == TokenKind::Word && word.eq_ignore_ascii_case("end") {
                    depth -= 1;
                    if depth == 0 {
                        return at + 1;
                    }
                }
                at += 1;
            }
            from
        }
        TokenKind::Word | TokenKind::Quoted => {
            at += 1;
            while text(at) == "." {
                at += 2;
            }
            if text(at) == "(" {
                at = bracket_end(sql, tokens, at);
                if text(at).eq_ignore_ascii_case("over") && text(at + 1) == "(" {
                    at = bracket_end(sql, tokens, at + 1);
                }
            }
            at.min(tokens.len())
        }
    }
}

fn bracket_end(sql: &str, tokens: &[Token], open: usize) -> usize {
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

/// `x / 10) * 10` or `x / 10 * 10`.
fn rounds_down(sql: &str, tokens: &[Token], slash: usize, end: usize) -> bool {
    let text = |index: usize| tokens.get(index).map_or("", |t: &Token| &sql[t.start..t.end]);
    let divisor = text(slash + 1);
    let mut at = end;
    while text(at) == ")" {
        at += 1;
    }
    end == slash + 2
        && divisor.bytes().all(|b| b.is_ascii_digit())
        && text(at) == "*"
        && text(at + 1) == divisor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        assert_eq!(honest_division(input), expected);
    }

    #[test]
    fn s18_division_neither_cuts_nor_hides_zero() {
        check("SELECT a / b FROM t", "SELECT a * 1.0 / NULLIF(b, 0) FROM t");
        check("SELECT SUM(a)/SUM(b) FROM t", "SELECT SUM(a)* 1.0 /NULLIF(SUM(b), 0) FROM t");
        check("SELECT a / t.\"x y\" / 2 FROM t", "SELECT a * 1.0 / NULLIF(t.\"x y\", 0) * 1.0 / 2 FROM t");
        check("SELECT a / (b + c) FROM t", "SELECT a * 1.0 / NULLIF((b + c), 0) FROM t");
        check("SELECT a / (b / c) FROM t", "SELECT a * 1.0 / NULLIF((b * 1.0 / NULLIF(c, 0)), 0) FROM t");
        check("SELECT a / NULLIF(b, 0) FROM t", "SELECT a * 1.0 / NULLIF(b, 0) FROM t");
        check(
            "SELECT 1 / CASE WHEN a THEN 1 ELSE 0 END",
            "SELECT 1 * 1.0 / NULLIF(CASE WHEN a THEN 1 ELSE 0 END, 0)",
        );
        check("SELECT a / 0", "SELECT a * 1.0 / NULLIF(0, 0)");
    }

    #[test]
    fn s15_text_calls_are_compared_folded() {
        for (input, expected) in [
            ("SELECT a WHERE LOWER(a) = 'x'", "SELECT a WHERE LOWER(a) COLLATE f = 'x'"),
            ("SELECT a WHERE 'x' = trim(lower(a))", "SELECT a WHERE 'x' = trim(lower(a)) COLLATE f"),
            ("SELECT LOWER(a), upper FROM t WHERE upper = 1", "SELECT LOWER(a), upper FROM t WHERE upper = 1"),
        ] {
            assert_eq!(collate_text_calls(input, "f"), expected);
        }
    }

    #[test]
    fn text_comments_and_decades_are_left_alone() {
        for same in [
            "SELECT 'a/b' FROM \"c/d\" -- e/f",
            "SELECT (year / 10) * 10 FROM t",
            "SELECT year / 100 * 100 FROM t",
            "SELECT a /* / */ FROM t",
            "SELECT 'a / ",
            "SELECT a /",
        ] {
            check(same, same);
        }
    }
}
