//! Month names: the same month may be stored as a word, an abbreviation, a number or inside a date.

use super::{Link, Match, normalise};
use crate::decide::sql::card::{ColumnCard, SchemaCard, TableCard};
use crate::decide::sql::words::identifier;
use crate::decide::table::ColumnKind;

const MONTHS: [[&str; 2]; 12] = [
    ["janeiro", "january"],
    ["fevereiro", "february"],
    ["marco", "march"],
    ["abril", "april"],
    ["maio", "may"],
    ["junho", "june"],
    ["julho", "july"],
    ["agosto", "august"],
    ["setembro", "september"],
    ["outubro", "october"],
    ["novembro", "november"],
    ["dezembro", "december"],
];

/// Number of a month (1 to 12) by name or by an abbreviation of three or four letters.
pub fn month(word: &str) -> Option<usize> {
    let word = normalise(word);
    let abbreviated = word.len() == 3 || word == "sept";
    MONTHS
        .iter()
        .position(|names| {
            names.iter().any(|name| *name == word || (abbreviated && name.starts_with(word.as_str())))
        })
        .map(|index| index + 1)
}

/// Ties a month name to columns of month words, month numbers and dates.
pub(super) fn ties(phrase: &str, card: &SchemaCard) -> Vec<Link> {
    // "May" and "mar" are common words; only whole names and capitals of three letters are taken.
    let folded = normalise(phrase);
    let Some(number) = month(&folded) else { return Vec::new() };
    if folded.len() <= 3 && folded != "may" {
        return Vec::new();
    }
    let mut links = Vec::new();
    for table in &card.tables {
        for column in &table.columns {
            links.extend(tie(phrase, number, table, column));
        }
    }
    links
}

fn tie(phrase: &str, number: usize, table: &TableCard, column: &ColumnCard) -> Option<Link> {
    let name = format!("{}.{}", identifier(&table.name), identifier(&column.name));
    let link = |value: String, condition: Option<String>| Link {
        phrase: phrase.to_owned(),
        table: table.name.clone(),
        column: column.name.clone(),
        value,
        by: Match::Month,
        condition,
    };
    match column.kind {
        ColumnKind::Date | ColumnKind::DateTime => {
            Some(link(format!("{number:02}"), Some(format!("STRFTIME('%m', {name}) = '{number:02}'"))))
        }
        ColumnKind::Text => {
            let value = column.values.iter().find(|value| month(value) == Some(number))?;
            Some(link(value.clone(), None))
        }
        ColumnKind::Integer if is_month_name(&column.name) => {
            Some(link(number.to_string(), Some(format!("{name} = {number}"))))
        }
        _ => None,
    }
}

fn is_month_name(name: &str) -> bool {
    let name = normalise(name);
    name.split(' ').any(|part| matches!(part, "mes" | "month"))
}
