//! Stored answers: found by inner product, counted, listed, removed, bounded.
//!
//! An entry belongs to a scope (filter, language, models) and to a version of the corpus; nothing
//! of another scope or version is ever looked at. Whether the nearest entry may serve is the
//! guard's decision, not this module's; its verdict is kept beside the entry.

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::decide::rank::dot;
use crate::store::vectors::{blob_to_vector, vector_to_blob};
use crate::store::{StoreError, catalog};

/// What is kept about the use of entries.
pub const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS cache_uses (
  cache_id INTEGER PRIMARY KEY REFERENCES cache(id) ON DELETE CASCADE,
  served INTEGER NOT NULL,           -- how often it was an answer
  refused INTEGER NOT NULL,          -- how often it was nearest and the guard said no
  used_at INTEGER NOT NULL,          -- last time it served, seconds since 1970
  question TEXT NOT NULL,            -- the last question it was nearest to
  score REAL NOT NULL,               -- their cosine
  guard TEXT NOT NULL                -- what the guard said
);
";

/// The entry nearest to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Its id.
    pub id: i64,
    /// Its question.
    pub question: String,
    /// Its answer, as JSON.
    pub answer: String,
    /// Cosine of the two questions.
    pub score: f32,
}

/// An entry as listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Id, for removing it.
    pub id: i64,
    /// The stored question.
    pub question: String,
    /// The stored answer's text.
    pub answer: String,
    /// Filter, language, models.
    pub scope: serde_json::Value,
    /// Seconds since 1970.
    pub created_at: i64,
    /// How often it was an answer.
    pub served: i64,
    /// How often it was nearest and the guard said no.
    pub refused: i64,
    /// The last question it was nearest to, if there was one.
    pub last: Option<LastUse>,
}

/// The last time an entry was the nearest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastUse {
    /// The question asked.
    pub question: String,
    /// Cosine of the two questions.
    pub score: f64,
    /// What the guard said.
    pub guard: String,
}

/// Finds the entry of this scope and corpus version whose question is nearest, by exact inner product.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn nearest(
    connection: &Connection,
    scope: &str,
    corpus_version: i64,
    vector: &[f32],
) -> Result<Option<Nearest>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, embedding FROM cache WHERE scope = ?1 AND corpus_version = ?2 ORDER BY id",
    )?;
    let mut rows = statement.query(params![scope, corpus_version])?;
    let mut best: Option<(i64, f32)> = None;
    while let Some(row) = rows.next()? {
        let cached = blob_to_vector(row.get_ref(1)?.as_blob().unwrap_or_default());
        if cached.len() != vector.len() {
            continue;
        }
        let score = dot(&cached, vector);
        if best.is_none_or(|(_, known)| score > known) {
            best = Some((row.get(0)?, score));
        }
    }
    let Some((id, score)) = best else { return Ok(None) };
    let found = connection
        .prepare_cached("SELECT question, answer FROM cache WHERE id = ?")?
        .query_row([id], |row| Ok(Nearest { id, question: row.get(0)?, answer: row.get(1)?, score }))
        .optional()?;
    Ok(found)
}

/// Records what the guard said when `question` met an entry.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn record_use(
    connection: &Connection,
    found: &Nearest,
    question: &str,
    hit: bool,
    guard: &str,
    now: i64,
) -> Result<(), StoreError> {
    // The entry may be gone by now: another process changed the corpus.
    connection
        .prepare_cached(
            "INSERT INTO cache_uses SELECT ?1, ?2, 1 - ?2, ?2 * ?3, ?4, ?5, ?6 FROM cache WHERE id = ?1
             ON CONFLICT DO UPDATE SET served = served + excluded.served, refused = refused + excluded.refused,
               used_at = CASE WHEN excluded.served THEN excluded.used_at ELSE used_at END,
               question = excluded.question, score = excluded.score, guard = excluded.guard",
        )?
        .execute(params![found.id, i64::from(hit), now, question, f64::from(found.score), guard])?;
    Ok(())
}

/// An answer to keep.
#[derive(Debug, Clone)]
pub struct NewEntry<'a> {
    /// The complete question.
    pub question: &'a str,
    /// Filter, language, models, as JSON.
    pub scope: &'a str,
    /// Version of the corpus that the answer was worked out on.
    pub corpus_version: i64,
    /// The question's unit vector.
    pub vector: &'a [f32],
    /// The report, as JSON.
    pub answer: &'a str,
}

/// Keeps an answer, in place of an older one to the same question, and at most `most` of all: the
/// one used longest ago goes first. Returns whether it was kept: an answer worked out on an older
/// corpus must not outlive the change that came meanwhile.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn keep(connection: &Connection, entry: &NewEntry, most: usize, now: i64) -> Result<bool, StoreError> {
    let transaction = connection.unchecked_transaction()?;
    if catalog::corpus_version(&transaction)? != entry.corpus_version {
        return Ok(false);
    }
    transaction.execute(
        "DELETE FROM cache WHERE scope = ?1 AND question = ?2",
        params![entry.scope, entry.question],
    )?;
    transaction.execute(
        "INSERT INTO cache (question, scope, corpus_version, embedding, answer, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            entry.question,
            entry.scope,
            entry.corpus_version,
            vector_to_blob(entry.vector),
            entry.answer,
            now
        ],
    )?;
    transaction.execute(
        "DELETE FROM cache WHERE id IN (
           SELECT c.id FROM cache c LEFT JOIN cache_uses u ON u.cache_id = c.id
           ORDER BY max(c.created_at, coalesce(u.used_at, 0)) DESC, c.id DESC LIMIT -1 OFFSET ?)",
        [most as i64],
    )?;
    transaction.commit()?;
    Ok(true)
}

/// Lists every entry, the newest first.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn list(connection: &Connection) -> Result<Vec<Entry>, StoreError> {
    let mut statement = connection.prepare(
        "SELECT c.id, c.question, json_extract(c.answer, '$.answer'), c.scope, c.created_at, u.served, u.refused,
                u.question, u.score, u.guard
         FROM cache c LEFT JOIN cache_uses u ON u.cache_id = c.id ORDER BY c.id DESC",
    )?;
    let entries = statement.query_map([], |row| {
        let scope: String = row.get(3)?;
        let last = match (row.get::<_, Option<String>>(7)?, row.get(8)?, row.get(9)?) {
            (Some(question), Some(score), Some(guard)) => Some(LastUse { question, score, guard }),
            _ => None,
        };
        Ok(Entry {
            id: row.get(0)?,
            question: row.get(1)?,
            answer: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
            scope: serde_json::from_str(&scope).unwrap_or(serde_json::Value::Null),
            created_at: row.get(4)?,
            served: row.get::<_, Option<i64>>(5)?.unwrap_or(0),
            refused: row.get::<_, Option<i64>>(6)?.unwrap_or(0),
            last,
        })
    })?;
    Ok(entries.collect::<rusqlite::Result<_>>()?)
}

/// Every entry's id, question and vector, the newest first: for comparing a question with all of them.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn vectors(connection: &Connection) -> Result<Vec<(i64, Vec<f32>)>, StoreError> {
    let mut statement = connection.prepare("SELECT id, embedding FROM cache ORDER BY id DESC")?;
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, blob_to_vector(row.get_ref(1)?.as_blob().unwrap_or_default())))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Removes an entry; returns whether there was one.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn remove(connection: &Connection, id: i64) -> Result<bool, StoreError> {
    Ok(connection.execute("DELETE FROM cache WHERE id = ?", [id])? > 0)
}

/// Removes every entry; returns how many there were.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn clear(connection: &Connection) -> Result<usize, StoreError> {
    Ok(connection.execute("DELETE FROM cache", [])?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    struct Cache {
        _folder: tempfile::TempDir,
        connection: Connection,
    }

    fn cache() -> Cache {
        let folder = tempfile::tempdir().unwrap();
        let connection = catalog::open_writer(&catalog::path_in(folder.path())).unwrap();
        Cache { _folder: folder, connection }
    }

    impl Cache {
        fn keep(&self, question: &str, scope: &str, vector: &[f32], most: usize, now: i64) -> bool {
            let answer = format!("{{\"answer\":\"to {question}\"}}");
            let entry = NewEntry { question, scope, corpus_version: 0, vector, answer: &answer };
            keep(&self.connection, &entry, most, now).unwrap()
        }

        fn nearest(&self, scope: &str, vector: &[f32]) -> Option<String> {
            nearest(&self.connection, scope, 0, vector).unwrap().map(|found| found.question)
        }

        fn questions(&self) -> Vec<String> {
            list(&self.connection).unwrap().into_iter().map(|entry| entry.question).collect()
        }
    }

    #[test]
    fn k06_scopes_never_cross() {
        let cache = cache();
        let scopes =
            ["{\"filter\":\"a\"}", "{\"filter\":\"b\"}", "{\"language\":\"pt\"}", "{\"generator\":\"x\"}"];
        for scope in scopes {
            cache.keep(&format!("total? {scope}"), scope, &[1.0, 0.0], 10, 1);
        }
        for scope in scopes {
            assert_eq!(cache.nearest(scope, &[1.0, 0.0]).unwrap(), format!("total? {scope}"));
        }
        assert_eq!(cache.nearest("{}", &[1.0, 0.0]), None);
        // Neither does another version of the corpus, nor vectors of another length.
        assert_eq!(nearest(&cache.connection, scopes[0], 1, &[1.0, 0.0]).unwrap(), None);
        assert_eq!(cache.nearest(scopes[0], &[1.0, 0.0, 0.0]), None);
    }

    #[test]
    fn the_nearest_is_found_and_the_first_wins_a_tie() {
        let cache = cache();
        cache.keep("a", "s", &[1.0, 0.0], 10, 1);
        cache.keep("b", "s", &[0.6, 0.8], 10, 1);
        cache.keep("c", "s", &[0.6, 0.8], 10, 1);
        assert_eq!(cache.nearest("s", &[0.0, 1.0]).as_deref(), Some("b"));
        assert_eq!(cache.nearest("s", &[1.0, 0.0]).as_deref(), Some("a"));
    }

    #[test]
    fn k08_a_wrong_entry_is_seen_with_its_verdict_and_removed() {
        let cache = cache();
        cache.keep("total?", "{\"language\":\"en\"}", &[1.0, 0.0], 10, 7);
        cache.keep("sum?", "{\"language\":\"en\"}", &[0.0, 1.0], 10, 8);
        let found = nearest(&cache.connection, "{\"language\":\"en\"}", 0, &[0.96, 0.28]).unwrap().unwrap();
        record_use(&cache.connection, &found, "the total?", true, "pass", 9).unwrap();
        record_use(&cache.connection, &found, "not the total?", false, "negations differ: 0/1", 10).unwrap();
        let entry = list(&cache.connection).unwrap().pop().unwrap();
        assert_eq!((entry.question.as_str(), entry.answer.as_str()), ("total?", "to total?"));
        assert_eq!((entry.served, entry.refused, entry.created_at), (1, 1, 7));
        assert_eq!(entry.scope["language"], "en");
        let last = entry.last.unwrap();
        assert_eq!(
            (last.question.as_str(), last.guard.as_str()),
            ("not the total?", "negations differ: 0/1")
        );
        assert!((last.score - 0.96).abs() < 1e-6);
        assert!(remove(&cache.connection, entry.id).unwrap());
        assert!(!remove(&cache.connection, entry.id).unwrap());
        assert_eq!(cache.questions(), ["sum?"]);
        // A removed entry leaves nothing behind, and a use that comes late has no effect.
        record_use(&cache.connection, &found, "late", true, "pass", 11).unwrap();
        let uses: i64 =
            cache.connection.query_row("SELECT count(*) FROM cache_uses", [], |row| row.get(0)).unwrap();
        assert_eq!(uses, 0);
        assert_eq!(clear(&cache.connection).unwrap(), 1);
        assert!(cache.questions().is_empty());
    }

    #[test]
    fn the_entry_used_longest_ago_goes_first() {
        let cache = cache();
        cache.keep("old but used", "s", &[1.0, 0.0], 10, 1);
        cache.keep("newer", "s", &[0.0, 1.0], 10, 2);
        let found = nearest(&cache.connection, "s", 0, &[1.0, 0.0]).unwrap().unwrap();
        record_use(&cache.connection, &found, "again", true, "pass", 50).unwrap();
        cache.keep("newest", "s", &[0.6, 0.8], 2, 3);
        assert_eq!(cache.questions(), ["newest", "old but used"]);
        // Being refused is no use.
        let found = nearest(&cache.connection, "s", 0, &[0.6, 0.8]).unwrap().unwrap();
        record_use(&cache.connection, &found, "other", false, "words differ", 90).unwrap();
        cache.keep("last", "s", &[0.8, 0.6], 2, 60);
        assert_eq!(cache.questions(), ["last", "old but used"]);
    }

    #[test]
    fn the_same_question_is_kept_once_and_an_answer_of_an_older_corpus_not_at_all() {
        let cache = cache();
        cache.keep("total?", "s", &[1.0, 0.0], 10, 1);
        cache.keep("total?", "s", &[1.0, 0.0], 10, 2);
        cache.keep("total?", "other", &[1.0, 0.0], 10, 2);
        assert_eq!(cache.questions().len(), 2);
        catalog::set_meta(&cache.connection, "corpus_version", "3").unwrap();
        assert!(!cache.keep("late?", "s", &[1.0, 0.0], 10, 4));
        assert_eq!(cache.questions().len(), 2);
    }
}
