//! Documents: listed, found, stored, moved and deleted.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::Serialize;

use crate::store::StoreError;
use crate::store::graph::GraphWriter;

/// A document as stored.
#[derive(Debug, Clone, Serialize)]
pub struct StoredDocument {
    /// Row id.
    pub id: i64,
    /// The file it came from; absolute.
    pub source: String,
    /// The file, or `file#n` for one of several documents in a file.
    pub path: String,
    /// File name or title.
    pub name: String,
    /// Kind of file.
    pub kind: String,
    /// BLAKE3 of the bytes, hexadecimal.
    pub content_hash: String,
    /// Size in bytes.
    pub bytes: i64,
    /// Language detected.
    pub language: Option<String>,
    /// `auto` or the store asked for.
    pub requested_store: String,
    /// Encoding, warnings and the like.
    pub details: serde_json::Value,
    /// Other paths with the same bytes.
    pub also_at: Vec<String>,
}

/// What is needed to store a document.
#[derive(Debug, Clone)]
pub struct NewDocument {
    /// File it came from.
    pub source: String,
    /// Unique path.
    pub path: String,
    /// File name or title.
    pub name: String,
    /// Kind of file.
    pub kind: String,
    /// BLAKE3 of the bytes, hexadecimal.
    pub content_hash: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Language detected.
    pub language: Option<String>,
    /// `auto` or the store asked for.
    pub requested_store: String,
    /// Encoding, warnings and the like.
    pub details: serde_json::Value,
}

fn document_from(row: &Row) -> rusqlite::Result<StoredDocument> {
    let details: String = row.get("details")?;
    Ok(StoredDocument {
        id: row.get("id")?,
        source: row.get("source")?,
        path: row.get("path")?,
        name: row.get("name")?,
        kind: row.get("kind")?,
        content_hash: row.get("content_hash")?,
        bytes: row.get("bytes")?,
        language: row.get("language")?,
        requested_store: row.get("requested_store")?,
        details: serde_json::from_str(&details).unwrap_or(serde_json::Value::Null),
        also_at: Vec::new(),
    })
}

/// Lists every document, by path.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn documents(connection: &Connection) -> Result<Vec<StoredDocument>, StoreError> {
    let mut statement = connection.prepare("SELECT * FROM documents ORDER BY path")?;
    let mut list = statement.query_map([], document_from)?.collect::<rusqlite::Result<Vec<_>>>()?;
    for document in &mut list {
        document.also_at = also_at(connection, &document.source, &document.path)?;
    }
    Ok(list)
}

/// Other paths that hold the same bytes as a document of `source`, as the document's own path is written.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn also_at(connection: &Connection, source: &str, path: &str) -> Result<Vec<String>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT path FROM files WHERE original = ? ORDER BY path")?;
    let place = path.strip_prefix(source).unwrap_or_default();
    let copies = statement.query_map([source], |row| row.get::<_, String>(0))?;
    Ok(copies.map(|copy| copy.map(|copy| copy + place)).collect::<rusqlite::Result<_>>()?)
}

/// Finds a document by its path.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn document_at(connection: &Connection, path: &str) -> Result<Option<StoredDocument>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT * FROM documents WHERE path = ?")?;
    Ok(statement.query_row([path], document_from).optional()?)
}

/// Returns the paths of the documents that came from `source`.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn paths_of_source(connection: &Connection, source: &str) -> Result<Vec<String>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT path FROM documents WHERE source = ? ORDER BY id")?;
    Ok(statement.query_map([source], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Inserts a document and returns its row id.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn insert_document(
    transaction: &Transaction,
    document: &NewDocument,
    now: i64,
) -> Result<i64, StoreError> {
    transaction
        .prepare_cached(
            "INSERT INTO documents (source, path, name, kind, content_hash, bytes, language, requested_store,
             details, added_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            document.source,
            document.path,
            document.name,
            document.kind,
            document.content_hash,
            document.bytes as i64,
            document.language,
            document.requested_store,
            document.details.to_string(),
            now
        ])?;
    Ok(transaction.last_insert_rowid())
}

/// Deletes a document with everything that hangs on it in every store.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn delete_document(
    transaction: &Transaction,
    document_id: i64,
    graph_writer: &mut GraphWriter,
) -> Result<(), StoreError> {
    let chunks: Vec<i64> = transaction
        .prepare_cached("SELECT id FROM chunks WHERE document_id = ?")?
        .query_map([document_id], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for chunk in &chunks {
        crate::store::graph::delete_chunk(transaction, *chunk, graph_writer)?;
        transaction.prepare_cached("DELETE FROM chunk_text WHERE rowid = ?")?.execute([chunk])?;
    }
    crate::store::tables::delete_document(transaction, document_id)?;
    transaction.execute("DELETE FROM documents WHERE id = ?", [document_id])?;
    Ok(())
}
