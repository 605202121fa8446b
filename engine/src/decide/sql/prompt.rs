//! What the model is shown: rules, examples, schema first (the same for every question, so that
//! it stays in the KV cache), then the value links and the question.

use std::fmt::Write as _;

use serde_json::Value;

use super::card::{ColumnCard, SchemaCard, TableCard};
use super::config::SqlConfig;
use super::linking::Link;
use super::words::{identifier, literal};
use crate::decide::table::ColumnKind;

/// Values shown of a column whose values hardly ever repeat.
const UNIQUE_SHOWN: usize = 3;

const RULES: &str = "You write one SQLite query that answers a question (English or Portuguese) from the tables below.
- Select exactly what is asked, in the order it is asked, and nothing else.
- Use only conditions that the question states.
- Join tables only when columns of both are needed, and name them T1, T2.
- \"How many\" over a column that already counts something (quantity, count, units) is SUM of that column; otherwise COUNT(*).
- Highest, lowest, most, least: ORDER BY and LIMIT. Ratio: divide the sums.
- Compare text with the stored value given beside the question, exactly as written there.
";

const EXAMPLE_SCHEMA: &str = "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, country TEXT, birth_year INTEGER);
CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES author(id), pages INTEGER, price REAL);
CREATE TABLE loan (book_id INTEGER REFERENCES book(id), month TEXT, copies INTEGER);
";

/// Worked examples on a schema of their own: what to select, when to join, how to say "most" and "never".
const EXAMPLES: &[(&str, &str)] = &[
    ("How many authors are there?", "SELECT COUNT(*) FROM author"),
    (
        "List the title and price of each book, from the most expensive to the cheapest.",
        "SELECT title, price FROM book ORDER BY price DESC",
    ),
    ("Quantas cópias foram emprestadas em março?", "SELECT SUM(copies) FROM loan WHERE month = 'marco'"),
    (
        "Qual autor escreveu mais livros?",
        "SELECT T1.name FROM author AS T1 JOIN book AS T2 ON T1.id = T2.author_id GROUP BY T1.id ORDER BY COUNT(*) DESC LIMIT 1",
    ),
    (
        "What are the names of authors who never wrote a book?",
        "SELECT name FROM author WHERE id NOT IN (SELECT author_id FROM book)",
    ),
    ("Mostre cada país e o número de autores.", "SELECT country, COUNT(*) FROM author GROUP BY country"),
    (
        "Which countries have at least 3 authors?",
        "SELECT country FROM author GROUP BY country HAVING COUNT(*) >= 3",
    ),
    (
        "Quais títulos têm mais páginas que a média?",
        "SELECT title FROM book WHERE pages > (SELECT AVG(pages) FROM book)",
    ),
    (
        "Which countries have both authors born before 1900 and authors born after 1950?",
        "SELECT country FROM author WHERE birth_year < 1900 INTERSECT SELECT country FROM author WHERE birth_year > 1950",
    ),
    ("What is the name of the oldest author?", "SELECT name FROM author ORDER BY birth_year ASC LIMIT 1"),
];

/// The system text for a card: fixed for one schema version and configuration.
pub fn system(card: &SchemaCard, config: &SqlConfig) -> String {
    let mut text = String::from(RULES);
    if config.examples {
        let _ = write!(text, "\nExamples, for other tables:\n{EXAMPLE_SCHEMA}");
        for (question, sql) in EXAMPLES {
            let _ = writeln!(text, "Question: {question}\nSQL: {sql};");
        }
    }
    text.push_str("\nTables:\n");
    for table in &card.tables {
        text.push_str(&create_table(table, config));
    }
    text
}

/// The user text: links, then the question.
pub fn user(question: &str, links: &[Link]) -> String {
    let mut text = String::new();
    if !links.is_empty() {
        text.push_str("Stored values named in the question:\n");
        for link in links {
            let _ = writeln!(text, "{}", link.words());
        }
    }
    let _ = write!(text, "Question: {}\nSQL:", question.trim());
    text
}

/// One table as `CREATE TABLE` with what is known about each column.
pub fn create_table(table: &TableCard, config: &SqlConfig) -> String {
    let mut text = format!("CREATE TABLE {} ( -- {} rows", identifier(&table.name), table.rows);
    if let Some(caption) = &table.caption {
        let _ = write!(text, ", {}", one_line(caption, 80));
    }
    text.push('\n');
    for column in table.columns.iter().take(config.max_columns) {
        let key = if table.primary_key.len() == 1 && table.primary_key[0] == column.name {
            " PRIMARY KEY"
        } else {
            ""
        };
        let _ = write!(text, "  {} {}{key},", identifier(&column.name), sql_type(column));
        let about = about(table, column, config);
        if !about.is_empty() {
            let _ = write!(text, " -- {about}");
        }
        text.push('\n');
    }
    for key in &table.foreign_keys {
        let names =
            |names: &[String]| names.iter().map(|name| identifier(name)).collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            text,
            "  FOREIGN KEY ({}) REFERENCES {}({}),",
            names(&key.columns),
            identifier(&key.table),
            names(&key.references)
        );
    }
    text.push_str(");\n");
    let rows: Vec<String> =
        table.sample_rows.iter().take(config.sample_rows).map(|row| sample(row)).collect();
    if !rows.is_empty() {
        let _ = writeln!(text, "-- rows: {}", rows.join("; "));
    }
    text
}

fn sql_type(column: &ColumnCard) -> &'static str {
    match column.kind {
        ColumnKind::Integer => "INTEGER",
        ColumnKind::Real => "REAL",
        ColumnKind::Text => "TEXT",
        ColumnKind::Date => "DATE",
        ColumnKind::DateTime => "DATETIME",
        ColumnKind::Boolean => "BOOLEAN",
    }
}

fn about(table: &TableCard, column: &ColumnCard, config: &SqlConfig) -> String {
    let mut parts = Vec::new();
    let header = one_line(&column.header, 60);
    if !header.is_empty() && !header.eq_ignore_ascii_case(&column.name) {
        parts.push(header);
    }
    if let Some(unit) = &column.unit {
        parts.push(format!("in {unit}"));
    }
    match column.kind {
        ColumnKind::Text if is_key(table, column) && column.numeric_text => {}
        ColumnKind::Text if !column.values.is_empty() && !column.numeric_text => {
            // A column of names shows what they look like; one of categories shows them.
            let unique = table.rows > UNIQUE_SHOWN as u64 && column.distinct * 10 >= table.rows * 9;
            let most = if unique { config.shown_values.min(UNIQUE_SHOWN) } else { config.shown_values };
            let shown: Vec<String> =
                column.values.iter().take(most).map(|value| literal(&one_line(value, 30))).collect();
            let all = column.values_complete && column.values.len() <= most;
            parts.push(format!("{}{}", shown.join(", "), if all { "" } else { ", …" }));
        }
        ColumnKind::Date | ColumnKind::DateTime => {
            if let (Some(low), Some(high)) = (&column.minimum, &column.maximum) {
                parts.push(format!("{} to {}", plain(low), plain(high)));
            }
        }
        ColumnKind::Boolean => parts.push("1 or 0".into()),
        ColumnKind::Integer | ColumnKind::Real | ColumnKind::Text if !is_key(table, column) => {
            if let (Some(low), Some(high)) = (&column.minimum, &column.maximum) {
                parts.push(format!("{} to {}", plain(low), plain(high)));
            }
        }
        _ => {}
    }
    parts.join("; ")
}

/// Whether a column only identifies rows, so that its range says nothing.
fn is_key(table: &TableCard, column: &ColumnCard) -> bool {
    table.primary_key.contains(&column.name)
        || table.foreign_keys.iter().any(|key| key.columns.contains(&column.name))
}

fn sample(row: &[Value]) -> String {
    let cells: Vec<String> = row
        .iter()
        .map(|cell| match cell {
            Value::String(text) => literal(&one_line(text, 24)),
            other => plain(other),
        })
        .collect();
    format!("({})", cells.join(", "))
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// One line of at most `most` characters.
fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most { line } else { line.chars().take(most - 1).chain(['…']).collect() }
}
