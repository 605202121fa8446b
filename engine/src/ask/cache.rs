//! The answer cache: nearest cached question by inner product, and a guard that must agree.

use crate::ask::Request;
use crate::decide::guard::{self, CacheConfig, Query};
use crate::engine::now;
use crate::error::Result;
use crate::report::{AskReport, CacheReport};
use crate::store::cache::{self, NewEntry};

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
    let version = request.snapshot.version;
    let Some(nearest) = cache::nearest(&connection, &scope, version, vector)? else { return Ok(nothing) };
    let verdict = guard::check(
        &Query::new(&nearest.question),
        &Query::new(question),
        nearest.score,
        &settings(request),
        &request.snapshot.vocabulary,
    );
    span.set("score", nearest.score);
    span.set("hit", verdict.hit);
    span.set("entry", nearest.id);
    let summary = verdict.summary();
    let served = if verdict.hit { serde_json::from_str(&nearest.answer).ok() } else { None };
    request.engine.bookkeeping(|connection| {
        Ok(cache::record_use(connection, &nearest, question, verdict.hit, &summary, now())?)
    })?;
    let report = CacheReport {
        hit: served.is_some(),
        score: Some(nearest.score),
        guard: Some(summary),
        question: Some(nearest.question),
        entry: Some(nearest.id),
    };
    Ok(Lookup { served, report })
}

/// The cache's settings with the threshold of the embedder in use.
fn settings(request: &Request) -> CacheConfig {
    CacheConfig {
        threshold: request.snapshot.calibration.cache_threshold,
        ..request.engine.config.cache.clone()
    }
}

/// Stores an answer worth serving again: worded, complete and verified.
///
/// # Errors
/// [`crate::Error::Store`].
pub fn store(request: &Request, report: &AskReport, vector: &[f32]) -> Result<()> {
    let verified = !report.notes.iter().any(|note| note.starts_with("not verified"));
    let wanted = request.options.use_cache && request.engine.config.cache.enabled;
    if !wanted || report.abstained || report.answer.is_empty() || !verified {
        return Ok(());
    }
    let entry = NewEntry {
        question: &report.question,
        scope: &scope_of(request, &report.language),
        corpus_version: request.snapshot.version,
        vector,
        answer: &serde_json::to_string(report).unwrap_or_default(),
    };
    let most = request.engine.config.cache.max_entries;
    request.engine.bookkeeping(|connection| Ok(cache::keep(connection, &entry, most, now())?))?;
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
