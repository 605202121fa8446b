//! Files that could not be taken in, until they can.

use rusqlite::{Connection, params};
use serde::Serialize;

use crate::store::StoreError;
use crate::store::catalog::below;

/// A file that could not be taken in. An earlier version of it may be stored all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The file.
    pub path: String,
    /// Why.
    pub reason: String,
    /// The way out, where one is known.
    pub hint: Option<String>,
    /// How often it was tried since it last worked.
    pub attempts: i64,
    /// When it first failed, seconds since 1970.
    pub first_at: i64,
    /// When it last failed, seconds since 1970.
    pub last_at: i64,
}

/// Records that a file could not be taken in.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn record_failure(
    connection: &Connection,
    path: &str,
    reason: &str,
    hint: Option<&str>,
    now: i64,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO failures VALUES (?1, ?2, ?3, 1, ?4, ?4) ON CONFLICT DO UPDATE SET
             reason = excluded.reason, hint = excluded.hint, attempts = attempts + 1, last_at = excluded.last_at",
        )?
        .execute(params![path, reason, hint, now])?;
    Ok(())
}

/// Forgets a file's failure: it was taken in, or is gone.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn clear_failure(connection: &Connection, path: &str) -> Result<(), StoreError> {
    connection.prepare_cached("DELETE FROM failures WHERE path = ?")?.execute([path])?;
    Ok(())
}

/// Lists the files that could not be taken in, by path; with `folder` only it and what is below it.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn failures(connection: &Connection, folder: Option<&str>) -> Result<Vec<Failure>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT * FROM failures ORDER BY path")?;
    let rows = statement.query_map([], |row| {
        Ok(Failure {
            path: row.get("path")?,
            reason: row.get("reason")?,
            hint: row.get("hint")?,
            attempts: row.get("attempts")?,
            first_at: row.get("first_at")?,
            last_at: row.get("last_at")?,
        })
    })?;
    let all = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(all.into_iter().filter(|failure| folder.is_none_or(|folder| below(folder, &failure.path))).collect())
}
