//! What can go wrong in the relational store.

use std::path::PathBuf;

/// A table could not be stored or read back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// SQLite failed.
    #[error("relational store, {doing}: {source}")]
    Sqlite {
        /// What was being done.
        doing: &'static str,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The database file to be added could not be read.
    #[error("{path}: {reason}", path = path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A batch does not have the columns its description says.
    #[error("table {table}: {found} columns in the data, {expected} described")]
    Columns {
        /// Table.
        table: String,
        /// Columns found.
        found: usize,
        /// Columns expected.
        expected: usize,
    },
    /// A batch holds an Arrow type that tables don't have.
    #[error("table {table}, column {column}: unexpected Arrow type {found}")]
    ArrowType {
        /// Table.
        table: String,
        /// Column.
        column: String,
        /// Type found.
        found: String,
    },
    /// A registry entry could not be parsed.
    #[error("registry entry of table {table}: {source}")]
    Registry {
        /// Table.
        table: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl TableError {
    /// Returns what the person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Source { .. } => {
                Some("check that the file is a SQLite database that opens on its own".into())
            }
            Self::Registry { .. } => Some("polyrag doctor --repair".into()),
            _ => None,
        }
    }
}

/// Adds what was being done to an error of SQLite.
pub(super) fn doing(doing: &'static str) -> impl Fn(rusqlite::Error) -> TableError {
    move |source| TableError::Sqlite { doing, source }
}

/// Why a query gave no rows.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SqlError {
    /// Something other than reading user tables.
    #[error("not allowed: {what}")]
    Refused {
        /// What was tried.
        what: String,
    },
    /// More than one statement.
    #[error("one statement only")]
    MultipleStatements,
    /// Nothing to run, or a statement that returns no rows.
    #[error("not a query")]
    NotAQuery,
    /// Longer than the limit.
    #[error("the query has {found} bytes, {limit} allowed")]
    TooLong {
        /// Bytes found.
        found: usize,
        /// Bytes allowed.
        limit: u32,
    },
    /// The deadline passed.
    #[error("stopped after {limit_ms} ms")]
    Deadline {
        /// Milliseconds allowed.
        limit_ms: u64,
    },
    /// Cancelled by the caller.
    #[error("cancelled")]
    Cancelled,
    /// A sum left the range of 64-bit integers.
    #[error("integer overflow: the sum does not fit 64 bits")]
    Overflow,
    /// A table the query names is not there.
    #[error("no such table: {name}")]
    NoSuchTable {
        /// Name in the query.
        name: String,
    },
    /// A column the query names is not there.
    #[error("no such column: {name}")]
    NoSuchColumn {
        /// Name in the query, with its qualifier if it had one.
        name: String,
    },
    /// Anything else SQLite says about the query.
    #[error("{message}")]
    Invalid {
        /// SQLite's message.
        message: String,
    },
    /// The store itself could not be read.
    #[error("the relational store cannot be read: {message}")]
    Store {
        /// What happened.
        message: String,
    },
}
