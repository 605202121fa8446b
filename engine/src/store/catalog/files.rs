//! Files: what bytes are at which path, and which path has the documents of them.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::Serialize;

use crate::store::StoreError;
use crate::store::catalog::{chunk_key, clear_failure, delete_document};
use crate::store::graph::GraphWriter;

/// A file of the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredFile {
    /// Absolute path.
    pub path: String,
    /// BLAKE3 of its bytes, hexadecimal; empty while it is stored in part.
    pub content_hash: String,
    /// Size in bytes.
    pub bytes: u64,
    /// What it was taken for.
    pub kind: String,
    /// `auto`, or the store asked for.
    pub requested_store: String,
    /// Path of the file that has the documents of the same bytes; `None` when this one has them.
    pub original: Option<String>,
}

/// What became of a file that was forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Departure {
    /// It was a copy; the original stays.
    Copy,
    /// Its documents went to a copy, which is the original now.
    HandedOver(String),
    /// Its documents are deleted.
    Deleted,
}

fn file_from(row: &Row) -> rusqlite::Result<StoredFile> {
    Ok(StoredFile {
        path: row.get("path")?,
        content_hash: row.get("content_hash")?,
        bytes: row.get::<_, i64>("bytes")?.unsigned_abs(),
        kind: row.get("kind")?,
        requested_store: row.get("requested_store")?,
        original: row.get("original")?,
    })
}

/// Whether `path` is `folder` or below it.
pub fn below(folder: &str, path: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Lists every file, by path.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn files(connection: &Connection) -> Result<Vec<StoredFile>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT * FROM files ORDER BY path")?;
    Ok(statement.query_map([], file_from)?.collect::<rusqlite::Result<_>>()?)
}

/// Finds a file by its path.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn file_at(connection: &Connection, path: &str) -> Result<Option<StoredFile>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT * FROM files WHERE path = ?")?;
    Ok(statement.query_row([path], file_from).optional()?)
}

/// Writes a file's row, new or over the old one.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn put_file(connection: &Connection, file: &StoredFile) -> Result<(), StoreError> {
    connection.prepare_cached("INSERT OR REPLACE INTO files VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute(
        params![
            file.path,
            file.content_hash,
            file.bytes.cast_signed(),
            file.kind,
            file.requested_store,
            file.original
        ],
    )?;
    Ok(())
}

/// Forgets copies of `path` that hold other bytes than it.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn remove_false_copies(connection: &Connection, path: &str, hash: &str) -> Result<(), StoreError> {
    connection
        .prepare_cached("DELETE FROM files WHERE original = ?1 AND content_hash <> ?2")?
        .execute([path, hash])?;
    Ok(())
}

/// Moves documents between paths, all at once: `(from, to)` pairs may form chains and circles.
///
/// Whatever row `to` had is replaced; documents of its own must be gone or move too. Copies of
/// `from` become copies of `to`. Nothing is embedded again; chunk ids follow the path.
///
/// # Errors
/// [`StoreError::Sqlite`], also when `to` still has documents of its own.
pub fn move_documents(transaction: &Transaction, moves: &[(String, String)]) -> Result<(), StoreError> {
    let mut rows = Vec::new();
    let mut copies = Vec::new();
    for (from, to) in moves {
        if let Some(file) = file_at(transaction, from)? {
            rows.push(StoredFile { path: to.clone(), original: None, ..file });
        }
        let mut statement = transaction.prepare_cached("SELECT path FROM files WHERE original = ?")?;
        let found = statement.query_map([from], |row| row.get::<_, String>(0))?;
        for copy in found {
            copies.push((copy?, to.clone()));
        }
    }
    for path in moves.iter().flat_map(|(from, to)| [from, to]) {
        transaction.execute("DELETE FROM files WHERE path = ?", [path])?;
    }
    for row in &rows {
        put_file(transaction, row)?;
    }
    // A copy that documents move to is a copy no longer.
    for (copy, original) in copies.iter().filter(|(copy, _)| !moves.iter().any(|(_, to)| to == copy)) {
        transaction.execute("UPDATE files SET original = ?2 WHERE path = ?1", [copy, original])?;
    }
    let mut moving = Vec::new();
    for (from, to) in moves {
        let mut statement =
            transaction.prepare_cached("SELECT id, path, name FROM documents WHERE source = ?")?;
        let found = statement.query_map([from], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        for document in found {
            let (id, path, name) = document?;
            let place = path.strip_prefix(from.as_str()).unwrap_or_default();
            moving.push((id, to, format!("{to}{place}"), renamed(&name, from, to)));
        }
    }
    // Out of each other's way first: paths and chunk ids are unique.
    for (id, ..) in &moving {
        transaction.execute("UPDATE documents SET path = '?moving/' || id WHERE id = ?", [id])?;
        transaction.execute("UPDATE chunks SET chunk_key = '?moving/' || id WHERE document_id = ?", [id])?;
    }
    for (id, source, path, name) in &moving {
        transaction.execute(
            "UPDATE documents SET source = ?2, path = ?3, name = ?4 WHERE id = ?1",
            params![id, source, path, name],
        )?;
        rekey_chunks(transaction, *id, path)?;
    }
    Ok(())
}

/// A document called after its file follows the file's name; one with a title keeps it.
fn renamed(name: &str, from: &str, to: &str) -> String {
    let file_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let stem = |path: &str| {
        let name = file_name(path);
        name.rsplit_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned())
    };
    match (name.strip_prefix(&file_name(from)), name.strip_prefix(&stem(from))) {
        (Some(rest), _) if rest.is_empty() || rest.starts_with('#') => format!("{}{rest}", file_name(to)),
        // As lines without a title are called.
        (_, Some(rest)) if rest.starts_with(" line ") => format!("{}{rest}", stem(to)),
        _ => name.to_owned(),
    }
}

fn rekey_chunks(transaction: &Transaction, document_id: i64, path: &str) -> Result<(), StoreError> {
    let mut statement =
        transaction.prepare_cached("SELECT id, ordinal, text FROM chunks WHERE document_id = ?")?;
    let chunks: Vec<(i64, i64, String)> = statement
        .query_map([document_id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut update = transaction.prepare_cached("UPDATE chunks SET chunk_key = ?2 WHERE id = ?1")?;
    for (id, ordinal, text) in chunks {
        update.execute(params![id, chunk_key(path, usize::try_from(ordinal).unwrap_or(0), &text)])?;
    }
    Ok(())
}

/// Deletes the documents that came from `path`, its row, and the rows of its copies.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn drop_file(
    transaction: &Transaction,
    path: &str,
    graph_writer: &mut GraphWriter,
) -> Result<(), StoreError> {
    let documents: Vec<i64> = transaction
        .prepare_cached("SELECT id FROM documents WHERE source = ?")?
        .query_map([path], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for document in documents {
        delete_document(transaction, document, graph_writer)?;
    }
    transaction.execute("DELETE FROM files WHERE path = ?1 OR original = ?1", [path])?;
    Ok(())
}

/// Forgets a path: its documents go to a copy if there is one, and are deleted otherwise.
///
/// `None` when the path is no file of the catalog; a failure recorded for it is gone in any case.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn forget_file(
    transaction: &Transaction,
    path: &str,
    graph_writer: &mut GraphWriter,
) -> Result<Option<Departure>, StoreError> {
    clear_failure(transaction, path)?;
    let Some(file) = file_at(transaction, path)? else { return Ok(None) };
    if file.original.is_some() {
        transaction.execute("DELETE FROM files WHERE path = ?", [path])?;
        return Ok(Some(Departure::Copy));
    }
    let heir: Option<String> = transaction
        .prepare_cached("SELECT path FROM files WHERE original = ? ORDER BY path LIMIT 1")?
        .query_row([path], |row| row.get(0))
        .optional()?;
    if let Some(heir) = heir {
        move_documents(transaction, &[(path.to_owned(), heir.clone())])?;
        return Ok(Some(Departure::HandedOver(heir)));
    }
    drop_file(transaction, path, graph_writer)?;
    Ok(Some(Departure::Deleted))
}
