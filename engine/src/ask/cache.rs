//! The answer cache: nearest cached question by inner product, and a guard that must agree.

use rusqlite::{Connection, params};

use crate::ask::Request;
use crate::decide::guard::{self, Query};
use crate::decide::rank::dot;
use crate::engine::now;
use crate::error::Result;
use crate::report::{AskReport, CacheReport};
use crate::store::vectors::{blob_to_vector, vector_to_blob};
use crate::store::{StoreError, catalog};

/// What the cache said.
pub struct Lookup {
    /// The cached answer, if it may serve.
    pub served: Option<AskReport>,
    /// The verdict, for the report.
    pub report: CacheReport,
}

/// Asks the cache.
///
/// # Errors
/// [`crate::Error::Store`].
pub fn lookup(request: &Request, question: &str, language: &str, vector: &[f32]) -> Result<Lookup> {
    let nothing = Lookup { served: None, report: CacheReport::default() };
    if !request.options.use_cache || !request.engine.config.cache.enabled {
        return Ok(nothing);
    }
    let mut span = request.trace.span("pipeline.cache", Some("pipeline"));
    let connection = request.engine.reader()?;
    let scope = scope_of(request, language);
    let mut statement = connection
        .prepare_cached(
            "SELECT question, embedding, answer FROM cache WHERE scope = ?1 AND corpus_version = ?2",
        )
        .map_err(StoreError::from)?;
    let mut nearest: Option<(f32, String, String)> = None;
    let mut rows = statement.query(params![scope, request.snapshot.version]).map_err(StoreError::from)?;
    while let Some(row) = rows.next().map_err(StoreError::from)? {
        let cached = blob_to_vector(&row.get::<_, Vec<u8>>(1).map_err(StoreError::from)?);
        if cached.len() != vector.len() {
            continue;
        }
        let score = dot(&cached, vector);
        if nearest.as_ref().is_none_or(|best| score > best.0) {
            let text = row.get(0).map_err(StoreError::from)?;
            nearest = Some((score, text, row.get(2).map_err(StoreError::from)?));
        }
    }
    let Some((score, cached, answer)) = nearest else { return Ok(nothing) };
    let verdict = guard::check(
        &Query::new(&cached),
        &Query::new(question),
        score,
        &request.engine.config.cache,
        &request.snapshot.vocabulary,
    );
    span.set("score", score);
    span.set("hit", verdict.hit);
    let served = if verdict.hit { serde_json::from_str(&answer).ok() } else { None };
    let report = CacheReport {
        hit: served.is_some(),
        score: Some(score),
        guard: Some(verdict.summary()),
        question: Some(cached),
    };
    Ok(Lookup { served, report })
}

/// Stores an answer worth serving again: worded, complete and verified.
///
/// # Errors
/// [`crate::Error::Store`].
pub fn store(request: &Request, report: &AskReport, vector: &[f32]) -> Result<()> {
    let verified = !report.notes.iter().any(|note| note.starts_with("not verified"));
    if !request.options.use_cache || report.abstained || report.answer.is_empty() || !verified {
        return Ok(());
    }
    request.engine.bookkeeping(|connection| {
        insert(connection, request, report, vector)?;
        Ok(())
    })
}

fn insert(
    connection: &Connection,
    request: &Request,
    report: &AskReport,
    vector: &[f32],
) -> Result<(), StoreError> {
    let transaction = connection.unchecked_transaction()?;
    // An answer worked out on an older corpus must not outlive the change that came meanwhile.
    if catalog::corpus_version(&transaction)? != request.snapshot.version {
        return Ok(());
    }
    let scope = scope_of(request, &report.language);
    let entry = serde_json::to_string(report).unwrap_or_default();
    transaction
        .execute("DELETE FROM cache WHERE scope = ?1 AND question = ?2", params![scope, report.question])?;
    transaction.execute(
        "INSERT INTO cache (question, scope, corpus_version, embedding, answer, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![report.question, scope, request.snapshot.version, vector_to_blob(vector), entry, now()],
    )?;
    transaction.execute(
        "DELETE FROM cache WHERE id IN (SELECT id FROM cache ORDER BY id DESC LIMIT -1 OFFSET ?)",
        [request.engine.config.cache.max_entries as i64],
    )?;
    transaction.commit()?;
    Ok(())
}

/// Filter, language, models and depth: entries of another scope never match.
fn scope_of(request: &Request, language: &str) -> String {
    let mut filter = request.options.filter.clone();
    filter.sort();
    serde_json::json!({
        "filter": filter,
        "language": language,
        "generator": request.engine.models.generator_name,
        "top_k": request.options.top_k,
    })
    .to_string()
}
