//! What is remembered beside the documents: vectors of fixed texts, model outputs, traces.

use rusqlite::{Connection, OptionalExtension, params};

use crate::store::StoreError;

/// Returns the remembered vector under `key`.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn remembered(connection: &Connection, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT vector FROM remembered_vectors WHERE key = ?")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}

/// Remembers a vector under `key`.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn remember(connection: &Connection, key: &str, vector: &[u8]) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO remembered_vectors VALUES (?1, ?2)")?
        .execute(params![key, vector])?;
    Ok(())
}

/// Returns what a model wrote under `key` before.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn model_output(connection: &Connection, key: &str) -> Result<Option<String>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT output FROM model_outputs WHERE key = ?")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}

/// Keeps what a model wrote.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn keep_model_output(connection: &Connection, key: &str, output: &str) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO model_outputs VALUES (?1, ?2)")?
        .execute([key, output])?;
    Ok(())
}

/// Saves a finished trace and keeps the newest `keep`.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn save_trace(
    connection: &Connection,
    id: &str,
    record: &str,
    now: i64,
    keep: i64,
) -> Result<(), StoreError> {
    connection.execute("INSERT OR REPLACE INTO traces VALUES (?1, ?2, ?3)", params![id, now, record])?;
    connection.execute(
        "DELETE FROM traces WHERE id IN (SELECT id FROM traces ORDER BY created_at DESC, id LIMIT -1 OFFSET ?)",
        [keep],
    )?;
    Ok(())
}

/// Loads a trace's record.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn load_trace(connection: &Connection, id: &str) -> Result<Option<String>, StoreError> {
    Ok(connection.query_row("SELECT record FROM traces WHERE id = ?", [id], |row| row.get(0)).optional()?)
}
