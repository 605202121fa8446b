//! Chunks with their placements, vectors and full text.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::Serialize;

use crate::decide::route::StoreKind;
use crate::store::StoreError;
use crate::store::catalog::also_at;
use crate::store::vectors::{blob_to_vector, vector_to_blob};

/// What is needed to store a chunk.
#[derive(Debug, Clone)]
pub struct NewChunk {
    /// Position in the document, from 0.
    pub ordinal: usize,
    /// Byte range in the document's text.
    pub range: std::ops::Range<usize>,
    /// Heading trail, outermost first.
    pub headings: Vec<String>,
    /// Where it is, for people.
    pub location: String,
    /// Text as retrieved and shown.
    pub text: String,
    /// Tokens of the embedder.
    pub tokens: usize,
    /// Unit vector.
    pub embedding: Vec<f32>,
    /// The router's decision as JSON.
    pub decision: serde_json::Value,
    /// Stores it goes to.
    pub stores: Vec<StoreKind>,
}

/// A chunk as retrieved.
#[derive(Debug, Clone, Serialize)]
pub struct StoredChunk {
    /// Row id.
    pub id: i64,
    /// Stable external id.
    pub chunk_key: String,
    /// Its document's row id.
    pub document_id: i64,
    /// Its document's name.
    pub document: String,
    /// Its document's path.
    pub path: String,
    /// Where it is.
    pub location: String,
    /// Heading trail.
    pub headings: Vec<String>,
    /// Text.
    pub text: String,
    /// Other paths that hold the same document.
    pub also_at: Vec<String>,
}

/// Inserts a chunk with its placements and full text, and returns its row id.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn insert_chunk(
    transaction: &Transaction,
    document_id: i64,
    chunk_key: &str,
    chunk: &NewChunk,
) -> Result<i64, StoreError> {
    transaction
        .prepare_cached(
            "INSERT INTO chunks (chunk_key, document_id, ordinal, range_start, range_end, headings, location, text,
             tokens, text_hash, decision, embedding) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
        )?
        .execute(params![
            chunk_key,
            document_id,
            chunk.ordinal as i64,
            chunk.range.start as i64,
            chunk.range.end as i64,
            serde_json::to_string(&chunk.headings).unwrap_or_default(),
            chunk.location,
            chunk.text,
            chunk.tokens as i64,
            text_hash(&chunk.headings, &chunk.text),
            chunk.decision.to_string(),
            vector_to_blob(&chunk.embedding)
        ])?;
    let id = transaction.last_insert_rowid();
    for store in &chunk.stores {
        transaction
            .prepare_cached("INSERT INTO placements VALUES (?1, ?2)")?
            .execute(params![id, store.as_str()])?;
    }
    transaction
        .prepare_cached("INSERT INTO chunk_text (rowid, body, headings) VALUES (?1, ?2, ?3)")?
        .execute(params![id, chunk.text, chunk.headings.join("\n")])?;
    Ok(id)
}

/// Stable id of a chunk: the same document path, position and text give the same id.
pub fn chunk_key(path: &str, ordinal: usize, text: &str) -> String {
    blake3::hash(format!("{path}\0{ordinal}\0{text}").as_bytes()).to_hex()[..16].to_owned()
}

/// Hash under which an embedding can be found again: headings and text both go into the vector.
pub fn text_hash(headings: &[String], text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for heading in headings {
        hasher.update(heading.as_bytes());
        hasher.update(b"\n");
    }
    hasher.update(b"\0");
    hasher.update(text.as_bytes());
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Returns the stored embedding of the same headings and text, if there is one.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn embedding_of(connection: &Connection, hash: &str) -> Result<Option<Vec<f32>>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT embedding FROM chunks WHERE text_hash = ? LIMIT 1")?;
    Ok(statement
        .query_row([hash], |row| row.get::<_, Vec<u8>>(0))
        .optional()?
        .map(|blob| blob_to_vector(&blob)))
}

/// Loads chunks by id, in the order asked for.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn chunks_by_id(connection: &Connection, ids: &[i64]) -> Result<Vec<StoredChunk>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT c.id, c.chunk_key, c.document_id, d.name, d.path, c.location, c.headings, c.text, d.source
         FROM chunks c JOIN documents d ON d.id = c.document_id WHERE c.id = ?",
    )?;
    let mut list = Vec::with_capacity(ids.len());
    for id in ids {
        let found = statement
            .query_row([id], |row| {
                let headings: String = row.get(6)?;
                let chunk = StoredChunk {
                    id: row.get(0)?,
                    chunk_key: row.get(1)?,
                    document_id: row.get(2)?,
                    document: row.get(3)?,
                    path: row.get(4)?,
                    location: row.get(5)?,
                    headings: serde_json::from_str(&headings).unwrap_or_default(),
                    text: row.get(7)?,
                    also_at: Vec::new(),
                };
                Ok((chunk, row.get::<_, String>(8)?))
            })
            .optional()?;
        if let Some((mut chunk, source)) = found {
            chunk.also_at = also_at(connection, &source, &chunk.path)?;
            list.push(chunk);
        }
    }
    Ok(list)
}

/// Ranks chunks of a store by BM25 (SQLite FTS5); larger scores are better.
///
/// `store` of `None` searches every chunk. Any question is safe: each word is quoted.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn full_text(
    connection: &Connection,
    words: &[String],
    store: Option<StoreKind>,
    k: usize,
) -> Result<Vec<(i64, f32)>, StoreError> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let query: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.replace('"', ""))).collect();
    // Headings weigh as much as the body: a section's title says what it is about once.
    let mut statement = connection.prepare_cached(
        "SELECT t.rowid, bm25(chunk_text, 1.0, 1.0) AS score FROM chunk_text t
         WHERE chunk_text MATCH ?1 AND (?2 IS NULL OR EXISTS
           (SELECT 1 FROM placements p WHERE p.chunk_id = t.rowid AND p.store = ?2))
         ORDER BY score, t.rowid LIMIT ?3",
    )?;
    let rows = statement
        .query_map(params![query.join(" OR "), store.map(StoreKind::as_str), k as i64], |row| {
            Ok((row.get(0)?, -row.get::<_, f64>(1)? as f32))
        })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Counts a document's chunks by store.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn placements_of(connection: &Connection, document_id: i64) -> Result<BTreeMap<String, i64>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT p.store, count(*) FROM placements p JOIN chunks c ON c.id = p.chunk_id
         WHERE c.document_id = ? GROUP BY p.store",
    )?;
    let counts = statement.query_map([document_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(counts.collect::<rusqlite::Result<_>>()?)
}
