//! The profile of a table at ingestion: counts, ranges, distinct values, samples.

use rusqlite::types::Value as Cell;
use rusqlite::{Transaction, params};
use serde_json::Value;

use super::TableError;
use super::error::doing;
use super::guard::json_value;
use crate::decide::sql::card::ColumnCard;
use crate::decide::sql::collate::{leading_zero, plain_number};
use crate::decide::sql::linking::normalise;
use crate::decide::table::{ColumnInfo, ColumnKind, TableInfo};

/// Distinct values kept in the card of a text column.
const CARD_VALUES: usize = 40;
/// Characters of a distinct value kept in the card or indexed for linking.
const VALUE_CHARACTERS: usize = 80;
/// Distinct values of one column indexed for linking.
const INDEXED_VALUES: usize = 20_000;
/// Rows kept as samples.
const SAMPLE_ROWS: usize = 5;

/// Counts rows and roll-up rows.
pub(super) fn counts(tx: &Transaction<'_>, id: i64) -> Result<(u64, u64), TableError> {
    tx.query_row(&format!("SELECT count(*) - total(rollup), total(rollup) FROM main.t{id}"), [], |row| {
        Ok((row.get::<_, f64>(0)? as u64, row.get::<_, f64>(1)? as u64))
    })
    .map_err(doing("counting rows"))
}

/// Reads the first rows that are not roll-ups.
pub(super) fn sample_rows(
    tx: &Transaction<'_>,
    id: i64,
    columns: usize,
) -> Result<Vec<Vec<Value>>, TableError> {
    let read = doing("reading sample rows");
    let sql = format!("SELECT * FROM main.t{id} WHERE rollup = 0 ORDER BY rowid LIMIT {SAMPLE_ROWS}");
    let mut statement = tx.prepare(&sql).map_err(&read)?;
    let mut rows = statement.query([]).map_err(&read)?;
    let mut samples = Vec::new();
    while let Some(row) = rows.next().map_err(&read)? {
        let cells = (0..columns).map(|index| row.get_ref(index).map(json_value)).collect::<Result<_, _>>();
        samples.push(cells.map_err(&read)?);
    }
    Ok(samples)
}

/// Profiles every column and indexes the distinct values of text columns.
pub(super) fn columns(
    tx: &Transaction<'_>,
    id: i64,
    info: &TableInfo,
) -> Result<Vec<ColumnCard>, TableError> {
    info.columns.iter().enumerate().map(|(index, column)| profile(tx, id, index, column)).collect()
}

fn profile(
    tx: &Transaction<'_>,
    id: i64,
    index: usize,
    column: &ColumnInfo,
) -> Result<ColumnCard, TableError> {
    let read = doing("profiling a column");
    let mut card = ColumnCard {
        name: column.name.clone(),
        header: column.header.clone(),
        kind: column.kind,
        unit: column.unit.clone(),
        nulls: 0,
        distinct: 0,
        values: Vec::new(),
        values_complete: false,
        minimum: None,
        maximum: None,
        numeric_text: false,
    };
    let sql = format!(
        "SELECT total(c{index} IS NULL), count(DISTINCT c{index}), min(c{index}), max(c{index})
         FROM main.t{id} WHERE rollup = 0"
    );
    let range = tx.query_row(&sql, [], |row| {
        card.nulls = row.get::<_, f64>(0)? as u64;
        card.distinct = row.get::<_, i64>(1)? as u64;
        Ok((json_value(row.get_ref(2)?), json_value(row.get_ref(3)?)))
    });
    let (minimum, maximum) = range.map_err(&read)?;
    if column.kind == ColumnKind::Text {
        text_values(tx, id, index, &mut card)?;
    } else if !minimum.is_null() {
        card.minimum = Some(minimum);
        card.maximum = Some(maximum);
    }
    Ok(card)
}

/// Reads distinct texts, most frequent first, into the card and the linking index.
fn text_values(tx: &Transaction<'_>, id: i64, index: usize, card: &mut ColumnCard) -> Result<(), TableError> {
    let read = doing("reading distinct values");
    let sql = format!(
        "SELECT c{index} FROM main.t{id} WHERE rollup = 0 AND c{index} IS NOT NULL
         GROUP BY 1 ORDER BY count(*) DESC, min(rowid)"
    );
    let mut statement = tx.prepare(&sql).map_err(&read)?;
    let mut insert = tx
        .prepare("INSERT INTO table_values(table_id, column_index, folded, value) VALUES (?1, ?2, ?3, ?4)")
        .map_err(&read)?;
    let mut rows = statement.query([]).map_err(&read)?;
    let (mut seen, mut long) = (0_usize, false);
    let mut numeric = card.distinct > 0;
    let mut range: Option<(f64, f64)> = None;
    while let Some(row) = rows.next().map_err(&read)? {
        let text = match row.get::<_, Cell>(0).map_err(&read)? {
            Cell::Text(text) => text,
            Cell::Integer(number) => number.to_string(),
            Cell::Real(number) => number.to_string(),
            Cell::Null | Cell::Blob(_) => continue,
        };
        match plain_number(&text) {
            Some(number) if numeric && !leading_zero(&text) => {
                let (low, high) = range.unwrap_or((number, number));
                range = Some((low.min(number), high.max(number)));
            }
            _ => numeric = false,
        }
        if text.chars().count() > VALUE_CHARACTERS {
            long = true;
            continue;
        }
        if card.values.len() < CARD_VALUES {
            card.values.push(text.clone());
        }
        let folded = normalise(&text);
        if seen < INDEXED_VALUES && !folded.is_empty() {
            insert.execute(params![id, index as i64, folded, text]).map_err(&read)?;
        }
        seen += 1;
        if seen >= INDEXED_VALUES && !numeric {
            break;
        }
    }
    card.values_complete = !long && seen == card.values.len();
    card.numeric_text = numeric;
    if let (true, Some((low, high))) = (numeric, range) {
        card.minimum = Some(Value::from(low));
        card.maximum = Some(Value::from(high));
    }
    Ok(())
}
