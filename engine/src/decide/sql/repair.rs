//! The text of the one second try: the query, what the engine said, nearest names, stored values.

use std::fmt::Write as _;

use super::card::SchemaCard;
use super::linking::{Link, distance};
use super::words::identifier;
use crate::decide::text::fold;

/// What went wrong, as the engine or a smell says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A column that is not there, as written.
    NoSuchColumn(String),
    /// A table that is not there.
    NoSuchTable(String),
    /// The text went on and on and was cut.
    Endless,
    /// Anything else, in words.
    Other(String),
}

impl Fault {
    /// The engine's words.
    pub fn words(&self) -> String {
        match self {
            Self::NoSuchColumn(name) => format!("no such column: {name}"),
            Self::NoSuchTable(name) => format!("no such table: {name}"),
            Self::Endless => "the query never ends".into(),
            Self::Other(message) => message.clone(),
        }
    }
}

/// Characters of an endless query shown again: enough to see what began, too few to go on with.
const ENDLESS_SHOWN: usize = 80;

/// The user text of the second try.
pub fn user(question: &str, links: &[Link], sql: &str, fault: &Fault, card: &SchemaCard) -> String {
    let mut text = super::prompt::user(question, links);
    let cut = text.rfind("\nSQL:").unwrap_or(text.len());
    text.truncate(cut);
    let shown = match fault {
        Fault::Endless => format!("{} ...", sql.chars().take(ENDLESS_SHOWN).collect::<String>()),
        _ => sql.to_owned(),
    };
    let _ = write!(text, "\nThis query is wrong: {shown}\nError: {}\n", fault.words());
    if let Some(hint) = hint(fault, card) {
        let _ = writeln!(text, "Hint: {hint}");
    }
    text.push_str("Corrected SQL:");
    text
}

/// Where a missing name really is, or the names nearest to it.
pub fn hint(fault: &Fault, card: &SchemaCard) -> Option<String> {
    match fault {
        Fault::NoSuchColumn(name) => column_hint(name, card),
        Fault::NoSuchTable(name) => {
            let near = nearest(name, card.tables.iter().map(|table| table.name.clone()).collect());
            Some(format!("the tables are {}", near.join(", ")))
        }
        Fault::Endless => {
            Some("write a short query; use only conditions that the question itself states".into())
        }
        Fault::Other(message) if message.starts_with("ambiguous column name") => {
            Some("write the table's name before the column".into())
        }
        Fault::Other(message) if message.starts_with("no such function") => {
            Some("parts of a date: STRFTIME('%Y', column), '%m' for the month, '%d' for the day".into())
        }
        Fault::Other(message) if message.contains("misuse of aggregate") => {
            Some("conditions on COUNT, SUM, AVG, MIN or MAX go into HAVING after GROUP BY".into())
        }
        Fault::Other(_) => None,
    }
}

fn column_hint(name: &str, card: &SchemaCard) -> Option<String> {
    let (qualifier, column) = match name.rsplit_once('.') {
        Some((qualifier, column)) => (Some(qualifier), column),
        None => (None, name),
    };
    let column = column.trim_matches('"');
    let owners: Vec<String> = card
        .tables
        .iter()
        .filter(|table| table.column(column).is_some())
        .map(|table| format!("{}.{}", identifier(&table.name), identifier(column)))
        .collect();
    if !owners.is_empty() {
        let join = qualifier.map_or("", |_| " (its table must be in FROM or joined)");
        return Some(format!("the column is {}{join}", owners.join(" or ")));
    }
    let all: Vec<String> = card
        .tables
        .iter()
        .flat_map(|table| {
            table
                .columns
                .iter()
                .map(|column| format!("{}.{}", identifier(&table.name), identifier(&column.name)))
        })
        .collect();
    Some(format!("nearest columns: {}", nearest(column, all).join(", ")))
}

/// The five names nearest to a wanted one, by edit distance of their last part.
pub fn nearest(wanted: &str, mut names: Vec<String>) -> Vec<String> {
    let wanted = fold(wanted);
    names.sort_by_cached_key(|name| {
        let last = fold(name.rsplit('.').next().unwrap_or(name));
        let contains = last.contains(&wanted) || wanted.contains(&last);
        (!contains, distance(&wanted, &last, 30))
    });
    names.truncate(5);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s14_nearest_names_come_first() {
        let names =
            ["pedidos.id", "pedidos.valor", "pedidos.data", "pedidos.descontos"].map(String::from).to_vec();
        assert_eq!(nearest("desconto", names.clone())[0], "pedidos.descontos");
        assert_eq!(nearest("valro", names)[0], "pedidos.valor");
    }
}
