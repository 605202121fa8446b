//! Makes division in a generated query honest, token by token.
//!
//! SQLite divides integers by cutting (`1/2` is 0) and gives NULL for `1/0` without a word. So
//! `a / b` becomes `a * 1.0 / NULLIF(b, 0)`: `*` and `/` have one precedence and group to the
//! left, so the value is the same but for the cut. `(year / 10) * 10`, the way to round down to
//! a decade, is left alone.

use super::tokens::{Token, TokenKind, bracket_end, tokens};

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
    "coalesce",
    "concat",
    "ifnull",
    "iif",
    "lower",
    "ltrim",
    "replace",
    "rtrim",
    "substr",
    "substring",
    "trim",
    "upper",
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

/// Replaces `SUM` by `TOTAL`, which adds as doubles and so cannot overflow. `None` without a `SUM`.
pub fn sums_as_doubles(sql: &str) -> Option<String> {
    let tokens = tokens(sql);
    let text = |index: usize| tokens.get(index).map_or("", |t: &Token| &sql[t.start..t.end]);
    let mut rewritten = String::with_capacity(sql.len() + 8);
    let mut from = 0;
    for index in 0..tokens.len() {
        if tokens[index].kind == TokenKind::Word
            && text(index).eq_ignore_ascii_case("sum")
            && text(index + 1) == "("
        {
            rewritten.push_str(&sql[from..tokens[index].start]);
            rewritten.push_str("TOTAL");
            from = tokens[index].end;
        }
    }
    rewritten.push_str(&sql[from..]);
    (from > 0).then_some(rewritten)
}

/// For `SELECT … ORDER BY key LIMIT n`: the query of the first `n + 1` keys, and `n`.
///
/// When the last two keys are equal, the limit cut through a tie. `None` for queries of any other form.
pub fn tie_query(sql: &str) -> Option<(String, usize)> {
    let tokens = tokens(sql);
    let text = |index: usize| tokens.get(index).map_or("", |t: &Token| &sql[t.start..t.end]);
    let is = |index: usize, word: &str| text(index).eq_ignore_ascii_case(word);
    let mut depth = 0_usize;
    let (mut from, mut order) = (None, None);
    for index in 0..tokens.len() {
        match text(index) {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ if is(index, "union") || is(index, "intersect") || is(index, "except") => return None,
            _ if is(index, "from") && from.is_none() => from = Some(index),
            _ if is(index, "order") && is(index + 1, "by") => order = Some(index),
            _ => {}
        }
    }
    let (from, order, last) = (from?, order?, tokens.len().checked_sub(1)?);
    if !is(0, "select") || is(1, "distinct") || !is(last - 1, "limit") || order < from {
        return None;
    }
    let limit: usize = text(last).parse().ok().filter(|limit| (1..1000).contains(limit))?;
    let mut end = last - 1;
    if is(end - 1, "asc") || is(end - 1, "desc") {
        end -= 1;
    }
    if end < order + 3 || (order + 2..end).any(|index| text(index) == ",") {
        return None;
    }
    let key = &sql[tokens[order + 2].start..tokens[end - 1].end];
    let rest = &sql[tokens[from].start..tokens[last].start];
    Some((format!("SELECT {key} {rest}{}", limit + 1), limit))
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
            (
                "SELECT LOWER(a), upper FROM t WHERE upper = 1",
                "SELECT LOWER(a), upper FROM t WHERE upper = 1",
            ),
        ] {
            assert_eq!(collate_text_calls(input, "f"), expected);
        }
    }

    #[test]
    fn t07_sums_can_be_taken_as_doubles() {
        assert_eq!(
            sums_as_doubles("SELECT sum(a), 'SUM(' FROM sum").as_deref(),
            Some("SELECT TOTAL(a), 'SUM(' FROM sum")
        );
        assert_eq!(sums_as_doubles("SELECT a FROM t"), None);
    }

    #[test]
    fn ties_are_asked_for_by_key() {
        for (sql, expected) in [
            (
                "SELECT name FROM t WHERE a IN (SELECT b FROM c) ORDER BY age DESC LIMIT 1",
                Some(("SELECT age FROM t WHERE a IN (SELECT b FROM c) ORDER BY age DESC LIMIT 2", 1)),
            ),
            (
                "SELECT uf FROM t GROUP BY uf ORDER BY SUM(v) LIMIT 3",
                Some(("SELECT SUM(v) FROM t GROUP BY uf ORDER BY SUM(v) LIMIT 4", 3)),
            ),
            ("SELECT a FROM t ORDER BY a, b LIMIT 1", None),
            ("SELECT a FROM t LIMIT 1", None),
            ("SELECT a FROM t ORDER BY a", None),
            ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 LIMIT 1", None),
            ("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 1)", None),
        ] {
            assert_eq!(tie_query(sql), expected.map(|(query, limit)| (query.to_owned(), limit)), "{sql}");
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
