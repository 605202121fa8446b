//! The graph store: entities, facts and passages in SQLite, and a snapshot of them in memory.
//!
//! SQLite is the truth. A fact is one (subject, relation, object), stated by one or more
//! passages; an entity exists as long as a passage names it. [`write_chunk`] and
//! [`delete_chunk`] work inside the caller's transaction, so a document comes and goes as a
//! whole. [`GraphIndex`] is what questions are answered from: immutable, shared between
//! threads, derived from the tables and replaced as a whole.

mod index;
mod rows;
mod search;

mod write;
mod writer;

pub use index::{GraphIndex, GraphSize};
pub use search::{GraphHit, GraphQuery, GraphSearch, LinkedFact, PathStep, Seed, Solver, StepKind};
pub use write::{GraphPassage, delete_chunk, texts_to_embed, write_chunk};
pub use writer::GraphWriter;

/// Tables of the graph store, all idempotent. They live in the catalog's file.
///
/// `graph_chunks` are the passage nodes, also those without any fact, and `graph_words` their
/// words, normalised as entity keys are. `graph_aliases` says which passage writes an entity's
/// name how, in a fact or a heading; `graph_titles` which of them in a heading;
/// `graph_mentions` which passages hold an entity's key anywhere in their words.
/// `graph_statements` says which passage states a fact, in which words. `graph_vectors` holds
/// one embedding per distinct text (little-endian f32), computed once: of the words of a fact
/// and, with synonym edges, of an entity's key.
pub const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS graph_chunks(chunk_id INTEGER PRIMARY KEY);
CREATE VIRTUAL TABLE IF NOT EXISTS graph_words USING fts5(words, tokenize = 'unicode61 remove_diacritics 0');
CREATE TABLE IF NOT EXISTS graph_entities(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS graph_aliases(
  entity_id INTEGER NOT NULL REFERENCES graph_entities(id),
  chunk_id INTEGER NOT NULL REFERENCES graph_chunks(chunk_id),
  alias TEXT NOT NULL,
  PRIMARY KEY(entity_id, chunk_id, alias)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_aliases_by_chunk ON graph_aliases(chunk_id);
CREATE TABLE IF NOT EXISTS graph_titles(
  entity_id INTEGER NOT NULL REFERENCES graph_entities(id),
  chunk_id INTEGER NOT NULL REFERENCES graph_chunks(chunk_id),
  PRIMARY KEY(entity_id, chunk_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_titles_by_chunk ON graph_titles(chunk_id);
CREATE TABLE IF NOT EXISTS graph_mentions(
  entity_id INTEGER NOT NULL REFERENCES graph_entities(id),
  chunk_id INTEGER NOT NULL REFERENCES graph_chunks(chunk_id),
  PRIMARY KEY(entity_id, chunk_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_mentions_by_chunk ON graph_mentions(chunk_id);
CREATE TABLE IF NOT EXISTS graph_facts(
  id INTEGER PRIMARY KEY,
  subject INTEGER NOT NULL REFERENCES graph_entities(id),
  relation TEXT NOT NULL,
  object INTEGER NOT NULL REFERENCES graph_entities(id),
  UNIQUE(subject, relation, object));
CREATE INDEX IF NOT EXISTS graph_facts_by_object ON graph_facts(object);
CREATE TABLE IF NOT EXISTS graph_statements(
  fact_id INTEGER NOT NULL REFERENCES graph_facts(id),
  chunk_id INTEGER NOT NULL REFERENCES graph_chunks(chunk_id),
  relation TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY(fact_id, chunk_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_statements_by_chunk ON graph_statements(chunk_id);
CREATE INDEX IF NOT EXISTS graph_statements_by_text ON graph_statements(text);
CREATE TABLE IF NOT EXISTS graph_vectors(text TEXT PRIMARY KEY, embedding BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS graph_synonyms(
  low INTEGER NOT NULL REFERENCES graph_entities(id),
  high INTEGER NOT NULL REFERENCES graph_entities(id),
  similarity REAL NOT NULL,
  PRIMARY KEY(low, high)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_synonyms_by_high ON graph_synonyms(high);
";

/// What can go wrong in the graph store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// SQLite refused.
    #[error("graph tables: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A text has no embedding, neither stored nor given.
    #[error("no embedding for the graph text {text:?}")]
    MissingVector {
        /// The text.
        text: String,
    },
    /// An embedding is not of the stored dimension.
    #[error("embedding of {text:?} has {found} numbers, {expected} expected")]
    Dimension {
        /// The text.
        text: String,
        /// Numbers found.
        found: usize,
        /// Numbers expected.
        expected: usize,
    },
}

/// Encodes a vector as little-endian f32.
fn to_blob(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Decodes little-endian f32.
fn from_blob(blob: &[u8]) -> Vec<f32> {
    blob.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect()
}

/// Inner product; eight running sums so that the compiler can use vector registers.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + tail
}
