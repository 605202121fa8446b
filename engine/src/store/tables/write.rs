//! Writing an Arrow table into its physical table.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampSecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use rusqlite::types::Value;
use rusqlite::{Transaction, params};

use super::error::doing;
use super::{TableError, keys, profile, quote, registry};
use crate::decide::sql::card::{ColumnCard, TableCard};
use crate::decide::table::{ColumnInfo, ColumnKind, Table, TableInfo};

/// What became of a table that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenTable {
    /// Id in the registry.
    pub id: i64,
    /// Name in SQL.
    pub name: String,
    /// The name the loader wanted, when another table already had it.
    pub renamed_from: Option<String>,
}

/// Stores a table of a document, profiles it, and guesses its keys, all in the caller's transaction.
///
/// # Errors
/// [`TableError::Columns`] or [`TableError::ArrowType`] when the batches contradict the description.
pub fn write_table(
    tx: &Transaction<'_>,
    document_id: i64,
    table: &Table,
) -> Result<WrittenTable, TableError> {
    let kinds: Vec<&str> = table.info.columns.iter().map(|column| affinity(column.kind)).collect();
    let (id, name) = create(tx, document_id, &table.info, &kinds)?;
    let insert = insert_statement(id, table.info.columns.len());
    let write = doing("writing rows");
    let mut statement = tx.prepare(&insert).map_err(&write)?;
    let mut rollups = table.info.rollup_rows.clone();
    rollups.sort_unstable();
    let mut row_number = 0_u64;
    for batch in &table.batches {
        let cells = columns_of(batch, &table.info)?;
        for row in 0..batch.num_rows() {
            let rollup = i64::from(rollups.binary_search(&row_number).is_ok());
            for (index, (column, array)) in table.info.columns.iter().zip(&cells).enumerate() {
                let value = cell(array, row, &table.info.name, column)?;
                statement.raw_bind_parameter(index + 1, value).map_err(&write)?;
            }
            statement.raw_bind_parameter(cells.len() + 1, rollup).map_err(&write)?;
            statement.raw_execute().map_err(&write)?;
            row_number += 1;
        }
    }
    drop(statement);
    finish(tx, id, document_id, &name, &table.info)?;
    keys::guess(tx, id)?;
    registry::touch(tx)?;
    let renamed_from = (name != table.info.name).then(|| table.info.name.clone());
    Ok(WrittenTable { id, name, renamed_from })
}

/// Reserves a registry row and creates the physical table with the given column affinities.
pub(super) fn create(
    tx: &Transaction<'_>,
    document_id: i64,
    info: &TableInfo,
    affinities: &[&str],
) -> Result<(i64, String), TableError> {
    let write = doing("creating a table");
    let name = registry::free_name(tx, &info.name)?;
    let json =
        serde_json::to_string(info).map_err(|source| TableError::Registry { table: name.clone(), source })?;
    tx.execute(
        "INSERT INTO tables(document_id, name, location, info, card) VALUES (?1, ?2, ?3, ?4, '{}')",
        params![document_id, name, info.location, json],
    )
    .map_err(&write)?;
    let id = tx.last_insert_rowid();
    let columns: String =
        affinities.iter().enumerate().map(|(index, affinity)| format!("c{index} {affinity}, ")).collect();
    let table = quote(&format!("t{id}"));
    tx.execute_batch(&format!("CREATE TABLE main.{table}({columns}rollup INTEGER NOT NULL)"))
        .map_err(&write)?;
    Ok((id, name))
}

/// Profiles the rows and writes the card.
pub(super) fn finish(
    tx: &Transaction<'_>,
    id: i64,
    document_id: i64,
    name: &str,
    info: &TableInfo,
) -> Result<TableCard, TableError> {
    let columns: Vec<ColumnCard> = profile::columns(tx, id, info)?;
    let (rows, rollup_rows) = profile::counts(tx, id)?;
    let card = TableCard {
        id,
        document_id,
        name: name.to_owned(),
        location: info.location.clone(),
        caption: info.caption.clone(),
        rows,
        rollup_rows,
        columns,
        sample_rows: profile::sample_rows(tx, id, info.columns.len())?,
        primary_key: Vec::new(),
        foreign_keys: Vec::new(),
    };
    store_card(tx, &card)?;
    Ok(card)
}

/// Writes a card into the registry.
pub(super) fn store_card(tx: &Transaction<'_>, card: &TableCard) -> Result<(), TableError> {
    let json = serde_json::to_string(card)
        .map_err(|source| TableError::Registry { table: card.name.clone(), source })?;
    tx.execute("UPDATE tables SET card = ?2 WHERE id = ?1", params![card.id, json])
        .map_err(doing("storing the schema card"))?;
    Ok(())
}

/// `INSERT` into a physical table with `columns` columns and the roll-up flag.
pub(super) fn insert_statement(id: i64, columns: usize) -> String {
    let marks = vec!["?"; columns + 1].join(", ");
    format!("INSERT INTO main.{} VALUES ({marks})", quote(&format!("t{id}")))
}

fn affinity(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Integer | ColumnKind::Boolean => "INTEGER",
        ColumnKind::Real => "REAL",
        ColumnKind::Text | ColumnKind::Date | ColumnKind::DateTime => "TEXT",
    }
}

fn columns_of(batch: &RecordBatch, info: &TableInfo) -> Result<Vec<ArrayRef>, TableError> {
    if batch.num_columns() == info.columns.len() {
        Ok(batch.columns().to_vec())
    } else {
        let table = info.name.clone();
        Err(TableError::Columns { table, found: batch.num_columns(), expected: info.columns.len() })
    }
}

fn cell(array: &ArrayRef, row: usize, table: &str, column: &ColumnInfo) -> Result<Value, TableError> {
    if array.is_null(row) {
        return Ok(Value::Null);
    }
    Ok(match array.data_type() {
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Real(array.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => Value::Integer(i64::from(array.as_boolean().value(row))),
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(row).to_owned()),
        DataType::LargeUtf8 => Value::Text(array.as_string::<i64>().value(row).to_owned()),
        DataType::Date32 => Value::Text(iso_date(i64::from(array.as_primitive::<Date32Type>().value(row)))),
        DataType::Timestamp(TimeUnit::Second, None) => {
            Value::Text(iso_date_time(array.as_primitive::<TimestampSecondType>().value(row)))
        }
        DataType::Null => Value::Null,
        other => {
            return Err(TableError::ArrowType {
                table: table.to_owned(),
                column: column.name.clone(),
                found: other.to_string(),
            });
        }
    })
}

/// One row as it will be stored, cells as text; empty for NULL.
pub fn row_texts(batch: &RecordBatch, info: &TableInfo, row: usize) -> Vec<String> {
    let text = |(array, column): (&ArrayRef, &ColumnInfo)| match cell(array, row, &info.name, column) {
        Ok(Value::Integer(number)) => number.to_string(),
        Ok(Value::Real(number)) => number.to_string(),
        Ok(Value::Text(text)) => text,
        Ok(Value::Null | Value::Blob(_)) | Err(_) => String::new(),
    };
    batch.columns().iter().zip(&info.columns).map(text).collect()
}

/// Days since 1970-01-01 as `YYYY-MM-DD`, by the civil calendar in 400-year eras.
fn iso_date(days: i64) -> String {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn iso_date_time(seconds: i64) -> String {
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    format!("{} {:02}:{:02}:{:02}", iso_date(day), second / 3_600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_calendar_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (19_782, "2024-02-29"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (20_513, "2026-03-01"),
        ] {
            assert_eq!(iso_date(days), date);
        }
        assert_eq!(iso_date_time(86_399), "1970-01-01 23:59:59");
    }
}
