//! The tables of the catalog.

/// Version of the schema below; a data folder with another one is refused or migrated.
pub const SCHEMA_VERSION: i64 = 2;

/// What SQLite keeps in the file's header (bytes 68 to 71) to say whose file it is: "PlRg".
pub const APPLICATION_ID: i32 = 0x506C_5267;

/// From version 1, which knew documents only: files get rows of their own. A file of several
/// documents has no hash there, so the next `add` reads it again.
pub(super) const FROM_1: &str = "
INSERT OR IGNORE INTO files (path, content_hash, bytes, kind, requested_store)
  SELECT source, CASE WHEN count(*) = 1 AND min(path) = source THEN min(content_hash) ELSE '' END,
         min(bytes), min(kind), min(requested_store) FROM documents GROUP BY source;
INSERT OR IGNORE INTO files (path, content_hash, bytes, kind, requested_store, original)
  SELECT p.path, d.content_hash, d.bytes, d.kind, d.requested_store, d.source
  FROM document_paths p JOIN documents d ON d.id = p.document_id;
DROP TABLE document_paths;
";

pub(super) const SCHEMA: &str = "
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
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY,             -- absolute
  content_hash TEXT NOT NULL,        -- BLAKE3 of its bytes; empty while it is stored in part
  bytes INTEGER NOT NULL,
  kind TEXT NOT NULL,
  requested_store TEXT NOT NULL,
  original TEXT                      -- path of the file that has the documents of these bytes; NULL: itself
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS files_hash ON files(content_hash);
CREATE INDEX IF NOT EXISTS files_original ON files(original);
CREATE TABLE IF NOT EXISTS failures (
  path TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  hint TEXT,
  attempts INTEGER NOT NULL,
  first_at INTEGER NOT NULL,         -- seconds since 1970
  last_at INTEGER NOT NULL
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
