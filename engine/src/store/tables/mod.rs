//! The relational store: user tables as physical tables of the catalog, their registry, their
//! profile, and the guard that generated SQL runs behind.
//!
//! A table is stored as `t<id>` with columns `c0`, `c1`, … and a `rollup` flag. Generated SQL
//! never sees these: [`guard`] shows it views with the logical names. Everything is written in the
//! caller's transaction, so that a document's arrival is one commit.

mod error;
pub mod functions;
pub mod guard;
mod import;
mod keys;
mod profile;
mod registry;
mod write;

pub use error::{SqlError, TableError};
pub use import::{Import, import_sqlite};
pub use registry::{StoredTable, delete_document, list, match_values, schema, version};
pub use write::{WrittenTable, row_texts, write_table};

/// Tables of the registry. Safe to run at every open.
pub const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS tables(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id INTEGER NOT NULL,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  location TEXT NOT NULL,
  info TEXT NOT NULL,
  card TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS tables_document ON tables(document_id);
CREATE TABLE IF NOT EXISTS table_keys(
  table_id INTEGER NOT NULL,
  columns TEXT NOT NULL,
  referenced_id INTEGER NOT NULL,
  referenced_columns TEXT NOT NULL,
  declared INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS table_values(
  table_id INTEGER NOT NULL,
  column_index INTEGER NOT NULL,
  folded TEXT NOT NULL,
  value TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS table_values_folded ON table_values(folded);
CREATE INDEX IF NOT EXISTS table_values_table ON table_values(table_id);
CREATE TABLE IF NOT EXISTS tables_version(only INTEGER PRIMARY KEY CHECK (only = 1), version INTEGER NOT NULL);
INSERT OR IGNORE INTO tables_version VALUES (1, 0);
";

/// Quotes an identifier for SQL.
pub fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
