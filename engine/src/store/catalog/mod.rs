//! The catalog: documents, chunks, placements, embeddings, full text, cache and traces in SQLite.
//!
//! `catalog.db` is the only source of truth. Every other structure (the vector index, the graph
//! in memory) is derived from it and can be rebuilt. A document's arrival or departure is one
//! transaction over all of it.

mod chunks;
mod documents;
mod failures;
mod files;
mod memory;
mod schema;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction};

pub use self::chunks::*;
pub use self::documents::*;
pub use self::failures::*;
pub use self::files::*;
pub use self::memory::*;
pub use self::schema::{APPLICATION_ID, SCHEMA_VERSION};
use self::schema::{FROM_1, SCHEMA};
use crate::store::StoreError;

/// Opens or creates the catalog for writing.
///
/// # Errors
/// [`StoreError::Version`] when a newer program made it; [`StoreError::Sqlite`] otherwise.
pub fn open_writer(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version > SCHEMA_VERSION {
        return Err(StoreError::Version { path: path.to_owned(), found: version, expected: SCHEMA_VERSION });
    }
    if version < SCHEMA_VERSION {
        let all = [
            SCHEMA,
            crate::store::graph::SCHEMA,
            crate::store::tables::SCHEMA,
            crate::store::cache::SCHEMA,
            crate::store::calibrations::SCHEMA,
        ]
        .join("\n");
        let migration = if version == 1 { FROM_1 } else { "" };
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {all}; {migration}; PRAGMA application_id = {APPLICATION_ID};
             PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
        ))?;
    }
    Ok(connection)
}

/// Opens the catalog for reading alone.
///
/// # Errors
/// [`StoreError::Sqlite`] when it can't be opened.
pub fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Reads a value of the `meta` table.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn meta(connection: &Connection, key: &str) -> Result<Option<String>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}

/// Writes a value of the `meta` table.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn set_meta(connection: &Connection, key: &str, value: &str) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO meta VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value")?
        .execute([key, value])?;
    Ok(())
}

/// Returns the number that grows with every change of the corpus.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn corpus_version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(meta(connection, "corpus_version")?.and_then(|value| value.parse().ok()).unwrap_or(0))
}

/// Raises the corpus version and drops the cache entries of older ones; part of every change.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn bump_corpus_version(transaction: &Transaction) -> Result<i64, StoreError> {
    let next = corpus_version(transaction)? + 1;
    set_meta(transaction, "corpus_version", &next.to_string())?;
    transaction.execute("DELETE FROM cache WHERE corpus_version < ?", [next])?;
    Ok(next)
}

/// Counts what the catalog holds, by name.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn counts(connection: &Connection) -> Result<serde_json::Map<String, serde_json::Value>, StoreError> {
    let mut counts = serde_json::Map::new();
    for (name, sql) in [
        ("files", "SELECT count(*) FROM files"),
        ("failed_files", "SELECT count(*) FROM failures"),
        ("documents", "SELECT count(*) FROM documents"),
        ("chunks", "SELECT count(*) FROM chunks"),
        ("relational", "SELECT count(*) FROM placements WHERE store = 'relational'"),
        ("vector", "SELECT count(*) FROM placements WHERE store = 'vector'"),
        ("graph", "SELECT count(*) FROM placements WHERE store = 'graph'"),
        ("tables", "SELECT count(*) FROM tables"),
        ("entities", "SELECT count(*) FROM graph_entities"),
        ("facts", "SELECT count(*) FROM graph_facts"),
        ("synonyms", "SELECT count(*) FROM graph_synonyms"),
        ("cached_answers", "SELECT count(*) FROM cache"),
        ("traces", "SELECT count(*) FROM traces"),
        ("bytes", "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"),
    ] {
        counts.insert(name.into(), connection.query_row(sql, [], |row| row.get::<_, i64>(0))?.into());
    }
    counts.insert("corpus_version".into(), corpus_version(connection)?.into());
    counts.insert("embedder".into(), meta(connection, "embedder")?.unwrap_or_default().into());
    Ok(counts)
}

/// Where the catalog lives inside a data folder.
pub fn path_in(data: &Path) -> PathBuf {
    data.join("catalog.db")
}

/// Whether the first bytes of a file (72 or more) are those of a catalog or of a backup of one.
pub fn is_catalog_head(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0") && head.get(68..72) == Some(&APPLICATION_ID.to_be_bytes()[..])
}

/// Whether a file is a catalog or a backup of one; `false` when it can't be read.
pub fn is_catalog(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(72).read_to_end(&mut head));
    read.is_ok() && is_catalog_head(&head)
}
