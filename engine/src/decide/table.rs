//! Tables as values: what a loader found, ready for the relational store.

use arrow_array::RecordBatch;
use serde::{Deserialize, Serialize};

/// The type decided for a whole column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// 64-bit integer (Arrow `Int64`, SQLite `INTEGER`).
    Integer,
    /// Double (Arrow `Float64`, SQLite `REAL`).
    Real,
    /// Text, also codes with leading zeros and ids too long for a number (Arrow `Utf8`, SQLite `TEXT`).
    Text,
    /// Calendar date (Arrow `Date32`, ISO 8601 `TEXT` in SQLite).
    Date,
    /// Date and time (Arrow `Timestamp(Second, None)`, ISO 8601 `TEXT` in SQLite).
    DateTime,
    /// Truth value (Arrow `Boolean`, SQLite `INTEGER` 0 or 1).
    Boolean,
}

/// A column and the decision about it, shown to people as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnInfo {
    /// Unique, stable name used in SQL.
    pub name: String,
    /// Header as written in the file; empty when there was none.
    pub header: String,
    /// The type decided.
    pub kind: ColumnKind,
    /// Unit or currency stripped from the values (`%`, `R$`, `kg`), if one was consistent.
    pub unit: Option<String>,
    /// Why this type, in words: pattern, counts, the row that forced it.
    pub decision: String,
    /// Empty cells.
    pub nulls: usize,
}

/// Something in the source a person should know, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableWarning {
    /// Line in the file (1-based) or row in the sheet, if it has one.
    pub line: Option<u64>,
    /// What it is.
    pub message: String,
}

/// A table without its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableInfo {
    /// Name used in SQL: from the file or sheet name, folded to an identifier.
    pub name: String,
    /// Where it is: `sheet Vendas, rows 3-40`, `lines 1-41`, `table 2`.
    pub location: String,
    /// Caption or title found beside it.
    pub caption: Option<String>,
    /// Columns, in order.
    pub columns: Vec<ColumnInfo>,
    /// Rows, roll-up rows included.
    pub rows: u64,
    /// 0-based indexes of rows that repeat a sum of others: kept, but not counted in sums.
    pub rollup_rows: Vec<u64>,
    /// How the file was read: encoding, delimiter, decimal mark, header row, date order.
    pub dialect: Vec<String>,
    /// What a person should know.
    pub warnings: Vec<TableWarning>,
}

/// A table with its rows, as Arrow record batches of one schema.
#[derive(Debug, Clone)]
pub struct Table {
    /// Everything but the rows.
    pub info: TableInfo,
    /// The rows; every batch has the columns of `info.columns` in order.
    pub batches: Vec<RecordBatch>,
}
