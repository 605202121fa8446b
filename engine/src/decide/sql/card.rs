//! The schema card: everything about the tables that the model and the person are shown.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decide::table::ColumnKind;

/// All tables at one version of the relational store.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SchemaCard {
    /// Changes with any change of any table.
    pub version: u64,
    /// Tables, oldest first.
    pub tables: Vec<TableCard>,
}

/// One table: columns, keys, samples.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableCard {
    /// Id in the registry.
    pub id: i64,
    /// Document it came from.
    pub document_id: i64,
    /// Name in SQL, unique without case.
    pub name: String,
    /// Where it is in the document.
    pub location: String,
    /// Caption found beside it.
    pub caption: Option<String>,
    /// Rows that count in sums: roll-up rows are excluded.
    pub rows: u64,
    /// Roll-up rows kept apart.
    pub rollup_rows: u64,
    /// Columns, in order.
    pub columns: Vec<ColumnCard>,
    /// First rows, cells in column order.
    pub sample_rows: Vec<Vec<Value>>,
    /// Columns of the declared primary key, if any.
    pub primary_key: Vec<String>,
    /// Keys into other tables.
    pub foreign_keys: Vec<ForeignKey>,
}

/// One column with its profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnCard {
    /// Name in SQL, unique in its table.
    pub name: String,
    /// Header as written in the file.
    pub header: String,
    /// Type decided.
    pub kind: ColumnKind,
    /// Unit stripped from the values.
    pub unit: Option<String>,
    /// Empty cells.
    pub nulls: u64,
    /// Distinct values, empty cells not counted.
    pub distinct: u64,
    /// Distinct values of a text column, most frequent first, bounded.
    pub values: Vec<String>,
    /// Whether `values` holds all of them.
    pub values_complete: bool,
    /// Smallest value of a number or date column.
    pub minimum: Option<Value>,
    /// Largest value of a number or date column.
    pub maximum: Option<Value>,
    /// A text column whose every value is a plain number (no leading-zero code): compared as numbers.
    pub numeric_text: bool,
}

/// A key from some columns to those of another table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKey {
    /// Columns here.
    pub columns: Vec<String>,
    /// Table referenced.
    pub table: String,
    /// Columns there.
    pub references: Vec<String>,
    /// Declared by the source; otherwise guessed because every value occurs there.
    pub declared: bool,
}

impl SchemaCard {
    /// Finds a table by name, without case.
    pub fn table(&self, name: &str) -> Option<&TableCard> {
        self.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// Finds a column of a table, without case.
    pub fn column(&self, table: &str, column: &str) -> Option<&ColumnCard> {
        self.table(table)?.column(column)
    }
}

impl TableCard {
    /// Finds a column by name, without case.
    pub fn column(&self, name: &str) -> Option<&ColumnCard> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }
}
