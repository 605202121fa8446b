//! Which stored columns a query compares with which texts, found from its tokens.

use std::collections::HashMap;

use super::card::{SchemaCard, TableCard};
use super::linking::{distance, normalise};
use super::tokens::{Token, TokenKind, tokens, unquoted};
use crate::decide::table::ColumnKind;

/// `column = 'text'`, `column != 'text'` or one text of `column IN (…)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedText {
    /// Table of the column.
    pub table: String,
    /// A text column.
    pub column: String,
    /// The text, unquoted.
    pub text: String,
    /// Whether rows with it are kept out (`!=`, `NOT IN`).
    pub negated: bool,
}

/// Finds the text comparisons of a query whose column is known.
pub fn compared_texts(sql: &str, card: &SchemaCard) -> Vec<ComparedText> {
    let reader = Reader { sql, tokens: tokens(sql), card };
    let aliases = reader.tables();
    let mut found = Vec::new();
    for index in 0..reader.tokens.len() {
        let (texts, negated) = match reader.text(index + 1).to_ascii_lowercase().as_str() {
            "=" | "==" => (vec![index + 2], false),
            "!=" | "<>" => (vec![index + 2], true),
            "in" if reader.text(index + 2) == "(" => (reader.list(index + 3), false),
            "not" if reader.text(index + 2).eq_ignore_ascii_case("in") && reader.text(index + 3) == "(" => {
                (reader.list(index + 4), true)
            }
            _ => continue,
        };
        let Some((table, column)) = reader.column(index, &aliases) else { continue };
        for at in texts {
            if reader.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Text) {
                let quoted = reader.text(at);
                let text = quoted.trim_matches('\'').replace("''", "'");
                found.push(ComparedText { table: table.clone(), column: column.clone(), text, negated });
            }
        }
    }
    found
}

/// The stored values most like a text: equal in letters first, then by edit distance, then as given.
pub fn most_alike(text: &str, stored: &[String], most: usize) -> Vec<String> {
    let wanted = normalise(text);
    let mut order: Vec<(usize, usize)> = stored
        .iter()
        .enumerate()
        .map(|(index, value)| {
            let value = normalise(value);
            let near = distance(&wanted, &value, 3);
            let part = value.contains(&wanted) || (!value.is_empty() && wanted.contains(&value));
            (
                if near <= 2 && wanted.len() > 4 {
                    near
                } else if part {
                    3
                } else {
                    4
                },
                index,
            )
        })
        .collect();
    order.sort_unstable();
    order.into_iter().take(most).map(|(_, index)| stored[index].clone()).collect()
}

struct Reader<'a> {
    sql: &'a str,
    tokens: Vec<Token>,
    card: &'a SchemaCard,
}

impl Reader<'_> {
    fn text(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &self.sql[token.start..token.end])
    }

    /// A name without its quotes.
    fn name(&self, index: usize) -> String {
        unquoted(self.text(index))
    }

    /// Tables read by the query, by the lower-case name they go by in it.
    fn tables(&self) -> HashMap<String, &TableCard> {
        let mut tables = HashMap::new();
        for index in 0..self.tokens.len() {
            let after = index.checked_sub(1).map_or("", |before| self.text(before)).to_ascii_lowercase();
            if !matches!(after.as_str(), "from" | "join" | ",") {
                continue;
            }
            let Some(table) = self.card.table(&self.name(index)) else { continue };
            tables.insert(table.name.to_lowercase(), table);
            if self.text(index + 1).eq_ignore_ascii_case("as") {
                tables.insert(self.name(index + 2).to_lowercase(), table);
            }
        }
        tables
    }

    /// The text column whose name ends at a token.
    fn column(&self, index: usize, aliases: &HashMap<String, &TableCard>) -> Option<(String, String)> {
        let column = self.name(index);
        let qualified = index >= 2 && self.text(index - 1) == ".";
        let table = if qualified {
            aliases.get(&self.name(index - 2).to_lowercase()).copied()
        } else {
            let mut owners = self.card.tables.iter().filter(|table| {
                table.column(&column).is_some() && aliases.contains_key(&table.name.to_lowercase())
            });
            owners.next().filter(|_| owners.next().is_none())
        }?;
        let column =
            table.column(&column).filter(|column| column.kind == ColumnKind::Text && !column.numeric_text)?;
        Some((table.name.clone(), column.name.clone()))
    }

    /// Tokens of a bracketed list, from its first one.
    fn list(&self, mut at: usize) -> Vec<usize> {
        let mut found = Vec::new();
        while at < self.tokens.len() && self.text(at) != ")" {
            if self.text(at) != "," {
                found.push(at);
            }
            at += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::sql::card::ColumnCard;

    fn column(name: &str) -> ColumnCard {
        ColumnCard {
            name: name.into(),
            header: String::new(),
            kind: ColumnKind::Text,
            unit: None,
            nulls: 0,
            distinct: 0,
            values: Vec::new(),
            values_complete: true,
            minimum: None,
            maximum: None,
            numeric_text: false,
        }
    }

    fn check(sql: &str, expected: &[(&str, &str, bool)]) {
        let table = |name: &str, columns: &[&str]| TableCard {
            name: name.into(),
            columns: columns.iter().map(|name| column(name)).collect(),
            ..TableCard::default()
        };
        let card = SchemaCard {
            version: 1,
            tables: vec![table("a", &["nome", "uf"]), table("b", &["nome", "a b"])],
        };
        let found = compared_texts(sql, &card);
        let found: Vec<(String, &str, bool)> =
            found.iter().map(|c| (format!("{}.{}", c.table, c.column), c.text.as_str(), c.negated)).collect();
        let expected: Vec<(String, &str, bool)> =
            expected.iter().map(|(c, t, n)| ((*c).to_owned(), *t, *n)).collect();
        assert_eq!(found, expected, "{sql}");
    }

    #[test]
    fn comparisons_are_found_with_their_column() {
        check(
            "SELECT nome FROM a WHERE uf = 'SP' AND nome != 'd''x'",
            &[("a.uf", "SP", false), ("a.nome", "d'x", true)],
        );
        check(
            "SELECT 1 FROM a JOIN b AS T2 ON a.nome = T2.nome WHERE T2.\"a b\" IN ('x', 'y')",
            &[("b.a b", "x", false), ("b.a b", "y", false)],
        );
        check("SELECT 1 FROM a, b WHERE nome = 'x' AND uf NOT IN ('z')", &[("a.uf", "z", true)]);
        check("SELECT 1 FROM a WHERE STRFTIME('%Y', uf) = '2020' AND uf LIKE '%x%'", &[]);
    }

    #[test]
    fn alike_values_come_first() {
        let stored = ["USA", "Brasil", "Nordeste", "Sudeste"].map(String::from);
        assert_eq!(most_alike("Nordste", &stored, 2), ["Nordeste", "USA"]);
        assert_eq!(most_alike("EUA", &stored, 1), ["USA"]);
    }
}
