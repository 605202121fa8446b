//! The rows of a query, as JSON cells and as Arrow.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, Field, Schema};
use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decide::sql::card::SchemaCard;

/// What a query returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// Column names.
    pub columns: Vec<String>,
    /// Rows in the query's order, at most `max_rows`.
    pub rows: Vec<Vec<Value>>,
    /// Rows the query has in all.
    pub row_count: u64,
    /// Whether `row_count` is exact: counting stops at the deadline.
    pub row_count_exact: bool,
    /// Whether there are more rows than `rows`.
    pub truncated: bool,
    /// Tables the query read.
    pub tables_read: Vec<String>,
    /// Columns the query read, with their table, as SQLite reported them.
    pub columns_read: Vec<(String, String)>,
    /// What must be said beside the rows.
    pub notes: Vec<Note>,
    /// Milliseconds it took.
    pub ms: f64,
}

/// Something a person must be told about a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Note {
    /// No row at all.
    Empty,
    /// Every cell is empty: a sum or maximum over nothing.
    NoValue,
    /// Divisions by zero, whose results are empty because they are undefined.
    DivisionByZero {
        /// How many.
        count: u64,
    },
    /// Only the first rows are here.
    FirstOf {
        /// Rows here.
        shown: u64,
        /// Rows in all (at least, when the deadline stopped the count).
        total: u64,
        /// Whether `total` is exact.
        exact: bool,
    },
    /// A sum left the range of 64-bit integers and was taken as doubles, exact to 15 digits.
    Overflow,
    /// The limit cut through equal values: more rows tie with the last one shown.
    Tie,
    /// A column read has a unit.
    Unit {
        /// Column.
        column: String,
        /// Unit.
        unit: String,
    },
    /// Roll-up rows of a table read were left out.
    RollupsExcluded {
        /// Table.
        table: String,
        /// Rows left out.
        rows: u64,
    },
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            rows: Vec::new(),
            row_count: 0,
            row_count_exact: true,
            truncated: false,
            tables_read: Vec::new(),
            columns_read: Vec::new(),
            notes: Vec::new(),
            ms: 0.0,
        }
    }
}

impl Note {
    /// Words for a person; `portuguese` chooses the language.
    pub fn words(&self, portuguese: bool) -> String {
        match (self, portuguese) {
            (Self::Empty, true) => "nenhuma linha corresponde".into(),
            (Self::Empty, false) => "no row matches".into(),
            (Self::NoValue, true) => "não há valor: nenhuma linha com dados corresponde".into(),
            (Self::NoValue, false) => "there is no value: no row with data matches".into(),
            (Self::DivisionByZero { count }, true) => {
                format!("divisão por zero em {count} caso(s): resultado indefinido")
            }
            (Self::DivisionByZero { count }, false) => {
                format!("division by zero in {count} case(s): undefined")
            }
            (Self::FirstOf { shown, total, exact }, pt) => {
                let of = if pt { "de" } else { "of" };
                let least = match (exact, pt) {
                    (true, _) => "",
                    (false, true) => "pelo menos ",
                    (false, false) => "at least ",
                };
                let first = if pt { "primeiras" } else { "first" };
                format!("{first} {shown} {of} {least}{total}")
            }
            (Self::Overflow, true) => "a soma não cabe em 64 bits: valor aproximado".into(),
            (Self::Overflow, false) => "the sum does not fit 64 bits: approximate value".into(),
            (Self::Tie, true) => "há empate: outras linhas têm o mesmo valor da última".into(),
            (Self::Tie, false) => "there is a tie: other rows have the same value as the last one".into(),
            (Self::Unit { column, unit }, true) => format!("{column} em {unit}"),
            (Self::Unit { column, unit }, false) => format!("{column} in {unit}"),
            (Self::RollupsExcluded { table, rows }, true) => {
                format!("{rows} linha(s) de total de {table} fora das somas")
            }
            (Self::RollupsExcluded { table, rows }, false) => {
                format!("{rows} total row(s) of {table} left out of sums")
            }
        }
    }
}

impl Rows {
    /// Converts the rows to one Arrow record batch: 64-bit integers, doubles or text by column.
    ///
    /// # Errors
    /// [`ArrowError`] only if the rows are not rectangular.
    pub fn to_arrow(&self) -> Result<RecordBatch, ArrowError> {
        let mut fields = Vec::with_capacity(self.columns.len());
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.columns.len());
        for (index, name) in self.columns.iter().enumerate() {
            let cells = || self.rows.iter().map(move |row| row.get(index).unwrap_or(&Value::Null));
            let some = || cells().filter(|cell| !cell.is_null());
            let array: ArrayRef = if some().next().is_some() && some().all(Value::is_i64) {
                Arc::new(cells().map(Value::as_i64).collect::<Int64Array>())
            } else if some().next().is_some() && some().all(Value::is_number) {
                Arc::new(cells().map(Value::as_f64).collect::<Float64Array>())
            } else {
                Arc::new(cells().map(text).collect::<StringArray>())
            };
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let schema = Arc::new(Schema::new(fields));
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(self.rows.len()));
        RecordBatch::try_new_with_options(schema, arrays, &options)
    }

    /// Finds what must be said beside the rows.
    pub(super) fn take_notes(&mut self, zero_divisions: u64, card: &SchemaCard) {
        if self.row_count == 0 {
            self.notes.push(Note::Empty);
        }
        if zero_divisions > 0 {
            self.notes.push(Note::DivisionByZero { count: zero_divisions });
        } else if self.row_count > 0
            && !self.rows.is_empty()
            && self.rows.iter().flatten().all(Value::is_null)
        {
            self.notes.push(Note::NoValue);
        }
        if self.truncated {
            let shown = self.rows.len() as u64;
            self.notes.push(Note::FirstOf { shown, total: self.row_count, exact: self.row_count_exact });
        }
        for (table, column) in &self.columns_read {
            if let Some(unit) = card.column(table, column).and_then(|column| column.unit.clone()) {
                self.notes.push(Note::Unit { column: column.clone(), unit });
            }
        }
        for table in self.tables_read.iter().filter_map(|name| card.table(name)) {
            if table.rollup_rows > 0 {
                self.notes.push(Note::RollupsExcluded { table: table.name.clone(), rows: table.rollup_rows });
            }
        }
    }
}

fn text(cell: &Value) -> Option<String> {
    match cell {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// A cell as JSON. Integers stay exact; doubles are rounded to 15 significant digits, the most that
/// every double keeps, so that 0.1 + 0.2 shows as 0.3; infinities become text.
pub(in crate::store::tables) fn json_value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::from(number),
        ValueRef::Real(number) if number.is_finite() => {
            Value::from(format!("{number:.14e}").parse::<f64>().unwrap_or(number))
        }
        ValueRef::Real(number) => Value::from(if number > 0.0 { "infinity" } else { "-infinity" }),
        ValueRef::Text(bytes) => Value::from(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => Value::from(format!("{} bytes", bytes.len())),
    }
}
