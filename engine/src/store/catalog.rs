//! The catalog: documents, chunks, placements, embeddings, full text, cache and traces in SQLite.
//!
//! `catalog.db` is the only source of truth. Every other structure (the vector index, the graph
//! in memory) is derived from it and can be rebuilt. A document's arrival or departure is one
//! transaction over all of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, Transaction, params};
use serde::Serialize;

use crate::decide::route::StoreKind;
use crate::store::StoreError;
use crate::store::graph::GraphWriter;
use crate::store::vectors::{blob_to_vector, vector_to_blob};

/// Version of the schema below; a data folder with another one is refused or migrated.
pub const SCHEMA_VERSION: i64 = 2;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL,              -- file the document came from
  path TEXT NOT NULL UNIQUE,         -- the file, or file#line for one of several in it
  name TEXT NOT NULL,                -- what people call it: file name or title
  kind TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  language TEXT,
  requested_store TEXT NOT NULL,     -- auto, or the store the person asked for
  details TEXT NOT NULL,             -- JSON: encoding, warnings
  added_at INTEGER NOT NULL          -- seconds since 1970
);
CREATE INDEX IF NOT EXISTS documents_source ON documents(source);
CREATE INDEX IF NOT EXISTS documents_hash ON documents(content_hash);
CREATE TABLE IF NOT EXISTS document_paths (
  path TEXT PRIMARY KEY,             -- another path that holds the same bytes
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  chunk_key TEXT NOT NULL UNIQUE,
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  range_start INTEGER NOT NULL,
  range_end INTEGER NOT NULL,
  headings TEXT NOT NULL,            -- JSON array, outermost first
  location TEXT NOT NULL,
  text TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  text_hash TEXT NOT NULL,
  decision TEXT NOT NULL,            -- JSON: the router's decision with every score
  embedding BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_document ON chunks(document_id);
CREATE INDEX IF NOT EXISTS chunks_hash ON chunks(text_hash);
CREATE TABLE IF NOT EXISTS placements (
  chunk_id INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
  store TEXT NOT NULL,
  PRIMARY KEY (chunk_id, store)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS chunk_text USING fts5(
  body, headings, content='', contentless_delete=1, tokenize=\"unicode61 remove_diacritics 2\");
CREATE TABLE IF NOT EXISTS cache (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  question TEXT NOT NULL,
  scope TEXT NOT NULL,               -- filter, language, models: entries of another scope never match
  corpus_version INTEGER NOT NULL,
  embedding BLOB NOT NULL,
  answer TEXT NOT NULL,              -- JSON
  created_at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS traces (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  record TEXT NOT NULL               -- JSON
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS remembered_vectors (
  key TEXT PRIMARY KEY,              -- hash of embedder, purpose and text
  vector BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS model_outputs (
  key TEXT PRIMARY KEY,              -- hash of model, prompt and text
  output TEXT NOT NULL
) WITHOUT ROWID;
";

/// A document as stored.
#[derive(Debug, Clone, Serialize)]
pub struct StoredDocument {
    /// Row id.
    pub id: i64,
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
}

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
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {all}; PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
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

fn document_from(row: &Row) -> rusqlite::Result<StoredDocument> {
    let details: String = row.get("details")?;
    Ok(StoredDocument {
        id: row.get("id")?,
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
    let mut paths =
        connection.prepare("SELECT path FROM document_paths WHERE document_id = ? ORDER BY path")?;
    for document in &mut list {
        document.also_at =
            paths.query_map([document.id], |row| row.get(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    }
    Ok(list)
}

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

/// Finds a document by its path.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn document_at(connection: &Connection, path: &str) -> Result<Option<StoredDocument>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT * FROM documents WHERE path = ?")?;
    Ok(statement.query_row([path], document_from).optional()?)
}

/// Finds a document that holds the same bytes.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn document_with_hash(connection: &Connection, hash: &str) -> Result<Option<StoredDocument>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT * FROM documents WHERE content_hash = ? ORDER BY id LIMIT 1")?;
    Ok(statement.query_row([hash], document_from).optional()?)
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

/// Records that `path` holds the bytes of a stored document.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn insert_alias(connection: &Connection, path: &str, document_id: i64) -> Result<(), StoreError> {
    connection.execute(
        "INSERT OR REPLACE INTO document_paths (path, document_id) VALUES (?1, ?2)",
        params![path, document_id],
    )?;
    Ok(())
}

/// Forgets that `path` holds the bytes of a stored document.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn remove_alias(connection: &Connection, path: &str) -> Result<(), StoreError> {
    connection.execute("DELETE FROM document_paths WHERE path = ?", [path])?;
    Ok(())
}

/// Moves a document to another path that held the same bytes.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn rename_document(connection: &Connection, document_id: i64, path: &str) -> Result<(), StoreError> {
    remove_alias(connection, path)?;
    let name = Path::new(path)
        .file_name()
        .map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
    connection.execute(
        "UPDATE documents SET path = ?1, source = ?1, name = ?2 WHERE id = ?3",
        params![path, name, document_id],
    )?;
    Ok(())
}

/// Loads chunks by id, in the order asked for.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn chunks_by_id(connection: &Connection, ids: &[i64]) -> Result<Vec<StoredChunk>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT c.id, c.chunk_key, c.document_id, d.name, d.path, c.location, c.headings, c.text
         FROM chunks c JOIN documents d ON d.id = c.document_id WHERE c.id = ?",
    )?;
    let mut list = Vec::with_capacity(ids.len());
    for id in ids {
        let chunk = statement
            .query_row([id], |row| {
                let headings: String = row.get(6)?;
                Ok(StoredChunk {
                    id: row.get(0)?,
                    chunk_key: row.get(1)?,
                    document_id: row.get(2)?,
                    document: row.get(3)?,
                    path: row.get(4)?,
                    location: row.get(5)?,
                    headings: serde_json::from_str(&headings).unwrap_or_default(),
                    text: row.get(7)?,
                })
            })
            .optional()?;
        list.extend(chunk);
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

/// Counts what the catalog holds, by name.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn counts(connection: &Connection) -> Result<serde_json::Map<String, serde_json::Value>, StoreError> {
    let mut counts = serde_json::Map::new();
    for (name, sql) in [
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

/// Where the catalog lives inside a data folder.
pub fn path_in(data: &Path) -> PathBuf {
    data.join("catalog.db")
}
