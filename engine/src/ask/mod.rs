//! A question's way: cache, split, route, retrieve, order, answer, cache.

pub mod answer;
pub mod cache;
pub mod calibrate;
pub mod conversation;
pub mod evaluate;
mod phrases;
pub mod relational;
pub mod retrieve;
pub mod sql;
mod verify;

use std::collections::BTreeSet;
use std::sync::Arc;

use rusqlite::Connection;

use crate::decide::followup::{self, Completion};
use crate::decide::language;
use crate::decide::split;
use crate::engine::{Engine, Snapshot, new_trace_id, now};
use crate::error::{Error, Result};
use crate::models::{Cancel, Purpose};
use crate::report::{AskReport, PartReport, Retrieved, Usage};
use crate::store::{StoreError, catalog};
use crate::trace::Trace;

/// How to answer.
#[derive(Debug, Clone)]
pub struct AskOptions {
    /// Caller's id for the report.
    pub id: Option<String>,
    /// Look in the cache and fill it.
    pub use_cache: bool,
    /// Word an answer; `false` stops after retrieval.
    pub answer: bool,
    /// Passages per part.
    pub top_k: usize,
    /// Restriction to some documents: `document=…`, `folder=…`, `kind=…`; all must hold.
    pub filter: Vec<(String, String)>,
    /// How the question was completed from the one before it; shown, and otherwise without effect.
    pub followup: Option<Completion>,
}

impl Default for AskOptions {
    fn default() -> Self {
        Self { id: None, use_cache: true, answer: true, top_k: 5, filter: Vec::new(), followup: None }
    }
}

/// What the stages of one request share.
pub struct Request<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The corpus as it was when the request began.
    pub snapshot: Arc<Snapshot>,
    /// How to answer.
    pub options: &'a AskOptions,
    /// Where spans go.
    pub trace: &'a Trace,
    /// Stops the work.
    pub cancel: &'a Cancel,
    /// Chunks the filter leaves; `None` without a filter.
    pub allowed: Option<BTreeSet<i64>>,
}

/// A part with its decision and what its store gave.
pub struct PartResult {
    /// The report so far.
    pub report: PartReport,
    /// Contexts for the answer, in the order of `report.retrieved` or the SQL result alone.
    pub found: bool,
    /// Tokens spent on SQL.
    pub usage: Usage,
    /// Things the person should know.
    pub notes: Vec<String>,
}

impl PartResult {
    /// Starts with nothing found.
    pub fn new(report: PartReport) -> Self {
        Self { report, found: false, usage: Usage::default(), notes: Vec::new() }
    }
}

/// Answers a question; `on_text` receives the answer as it is written.
///
/// # Errors
/// [`Error::Model`] when the embedder can't be used, [`Error::Store`], [`Error::Cancelled`].
/// A missing generator is not an error: the passages come back with a note.
pub fn ask(
    engine: &Engine,
    question: &str,
    options: &AskOptions,
    trace: &Trace,
    cancel: &Cancel,
    on_text: &mut dyn FnMut(&str),
) -> Result<AskReport> {
    let root = trace.span("pipeline", None);
    std::thread::scope(|scope| {
        if options.answer && !engine.models.generate.is_loaded() {
            // Loading takes seconds and needs nothing of what follows: a failure shows where the
            // generator is first needed.
            scope.spawn(|| engine.models.generate.get().is_ok());
        }
        let mut report = answer_message(engine, question, options, trace, cancel, on_text)?;
        drop(root);
        report.spans = trace.spans();
        report.timings.total_ms = trace.elapsed_ms();
        report.timings.model_ms = trace.model_ms();
        save_trace(engine, &report)?;
        Ok(report)
    })
}

fn answer_message(
    engine: &Engine,
    question: &str,
    options: &AskOptions,
    trace: &Trace,
    cancel: &Cancel,
    on_text: &mut dyn FnMut(&str),
) -> Result<AskReport> {
    let mut report = start_report(question, options, trace);
    let vector = embed(engine, &[question], trace, cancel)?.remove(0);
    let snapshot = engine.snapshot()?;
    let request = Request {
        engine,
        allowed: filtered_chunks(&engine.reader()?, &options.filter)?,
        snapshot,
        options,
        trace,
        cancel,
    };
    let lookup = cache::lookup(&request, question, &report.language, &vector)?;
    if let Some(cached) = lookup.served {
        on_text(&cached.answer);
        return Ok(AskReport {
            id: report.id,
            question: report.question,
            followup: report.followup,
            trace_id: report.trace_id,
            cache: lookup.report,
            timings: crate::report::Timings { first_token_ms: trace.elapsed_ms(), ..Default::default() },
            usage: Usage::default(),
            ..cached
        });
    }
    report.cache = lookup.report;
    let parts = split_message(&request, question);
    let results = answer_parts(&request, question, &vector, &parts)?;
    for result in &results {
        report.usage.prompt_tokens += result.usage.prompt_tokens;
        report.usage.cached_tokens += result.usage.cached_tokens;
        report.usage.completion_tokens += result.usage.completion_tokens;
        report.notes.extend(result.notes.iter().cloned());
    }
    answer::write(&request, &mut report, results, on_text)?;
    for part in &report.parts {
        if !report.routes.contains(&part.route) {
            report.routes.push(part.route.clone());
        }
    }
    cache::store(&request, &report, &vector)?;
    Ok(report)
}

/// A ranking that can be asked for alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranking {
    /// By embedding, over every chunk of text.
    Vector,
    /// By Personalized PageRank.
    Graph,
    /// By BM25.
    FullText,
}

/// Prepares a request without a filter.
fn plain_request<'a>(
    engine: &'a Engine,
    options: &'a AskOptions,
    trace: &'a Trace,
    cancel: &'a Cancel,
) -> Result<Request<'a>> {
    Ok(Request { engine, allowed: None, snapshot: engine.snapshot()?, options, trace, cancel })
}

/// Returns one store's ranking of the `k` best passages.
///
/// # Errors
/// As [`ask`].
pub fn search(
    engine: &Engine,
    question: &str,
    ranking: Ranking,
    k: usize,
    cancel: &Cancel,
) -> Result<Vec<Retrieved>> {
    let trace = Trace::new(new_trace_id(), None);
    let options = AskOptions { top_k: k, ..AskOptions::default() };
    let request = plain_request(engine, &options, &trace, cancel)?;
    let vector = match ranking {
        Ranking::FullText => Vec::new(),
        _ => embed(engine, &[question], &trace, cancel)?.remove(0),
    };
    retrieve::ranking(&request, question, &vector, ranking)
}

/// Splits and routes a message and stops there: no model but the embedder, nothing stored.
///
/// # Errors
/// As [`ask`].
pub fn route_only(engine: &Engine, question: &str, cancel: &Cancel) -> Result<AskReport> {
    let trace = Trace::new(new_trace_id(), None);
    let options = AskOptions::default();
    let mut report = start_report(question, &options, &trace);
    let request = plain_request(engine, &options, &trace, cancel)?;
    let parts = split_message(&request, question);
    let texts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let vectors = embed(engine, &texts, &trace, cancel)?;
    let connection = engine.reader()?;
    for (text, vector) in texts.iter().zip(&vectors) {
        let (decision, _) = retrieve::route(&request, &connection, text, vector)?;
        let part = retrieve::report_of(text, &decision);
        if !report.routes.contains(&part.route) {
            report.routes.push(part.route.clone());
        }
        report.parts.push(PartReport { decision: Some(decision), ..part });
    }
    report.spans = trace.spans();
    report.timings.total_ms = trace.elapsed_ms();
    report.timings.model_ms = trace.model_ms();
    Ok(report)
}

/// Asks the relational store alone.
///
/// # Errors
/// [`Error::Model`] when the generator can't be used: without it there is no SQL.
pub fn sql_only(engine: &Engine, question: &str, trace: &Trace, cancel: &Cancel) -> Result<PartResult> {
    engine.models.generate.get()?;
    let options = AskOptions::default();
    let request = plain_request(engine, &options, trace, cancel)?;
    let mut result = PartResult::new(PartReport { question: question.to_owned(), ..PartReport::default() });
    relational::part(&request, question, &mut result)?;
    Ok(result)
}

fn start_report(question: &str, options: &AskOptions, trace: &Trace) -> AskReport {
    AskReport {
        id: options.id.clone().unwrap_or_else(|| trace.id.clone()),
        question: question.to_owned(),
        language: language::code(question).unwrap_or("en").to_owned(),
        trace_id: trace.id.clone(),
        followup: options.followup.clone(),
        ..AskReport::default()
    }
}

/// Embeds questions under a span of their own.
pub(crate) fn embed(
    engine: &Engine,
    texts: &[&str],
    trace: &Trace,
    cancel: &Cancel,
) -> Result<Vec<Vec<f32>>> {
    let embedder = engine.embedder()?;
    let mut span = trace.span("pipeline.embed", Some("pipeline"));
    span.set("model", embedder.identity().name.clone());
    span.set("texts", texts.len());
    Ok(embedder.embed(Purpose::Query, texts, cancel)?)
}

/// The parts of a message, each complete: one that leans on the part before it takes over what it lacks.
fn split_message(request: &Request, question: &str) -> Vec<String> {
    let mut span = request.trace.span("pipeline.split", Some("pipeline"));
    let parts = split::split_with(question, &request.engine.config.split);
    let complete = followup::complete_parts(&parts, &request.snapshot.vocabulary);
    span.set("parts", parts.len());
    span.set("completed", complete.iter().filter(|(_, completion)| completion.is_some()).count());
    complete.into_iter().map(|(text, _)| text).collect()
}

/// Routes and retrieves every part, concurrently when there are several.
fn answer_parts(
    request: &Request,
    question: &str,
    vector: &[f32],
    parts: &[String],
) -> Result<Vec<PartResult>> {
    if parts.len() < 2 {
        return Ok(vec![retrieve::part(request, question, vector)?]);
    }
    let texts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let vectors = embed(request.engine, &texts, request.trace, request.cancel)?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = texts
            .iter()
            .zip(&vectors)
            .map(|(text, vector)| scope.spawn(move || retrieve::part(request, text, vector)))
            .collect();
        workers
            .into_iter()
            .map(|worker| {
                worker.join().unwrap_or_else(|_| Err(Error::Internal("a part's worker died".into())))
            })
            .collect()
    })
}

/// Returns the chunks of the documents that satisfy every condition of the filter.
pub(crate) fn filtered_chunks(
    connection: &Connection,
    filter: &[(String, String)],
) -> Result<Option<BTreeSet<i64>>> {
    if filter.is_empty() {
        return Ok(None);
    }
    let mut conditions = Vec::new();
    let mut values: Vec<String> = Vec::new();
    for (key, value) in filter {
        match key.as_str() {
            "document" => {
                conditions.push("(d.name = ? OR d.path = ?)");
                values.extend([value.clone(), value.clone()]);
            }
            "folder" => {
                conditions.push("(instr(d.source, ?) = 1 OR instr(d.source, ?) > 0)");
                let folder = value.trim_end_matches('/');
                values.extend([format!("{folder}/"), format!("/{folder}/")]);
            }
            "kind" => {
                conditions.push("d.kind = ?");
                values.push(value.clone());
            }
            _ => return Err(Error::Usage(format!("unknown filter `{key}`: use document, folder or kind"))),
        }
    }
    let sql = format!(
        "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document_id WHERE {}",
        conditions.join(" AND ")
    );
    let mut statement = connection.prepare(&sql).map_err(StoreError::from)?;
    let ids = statement
        .query_map(rusqlite::params_from_iter(values), |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(StoreError::from)?;
    Ok(Some(ids))
}

fn save_trace(engine: &Engine, report: &AskReport) -> Result<()> {
    let record = serde_json::to_string(report).unwrap_or_default();
    engine.bookkeeping(|connection| {
        Ok(catalog::save_trace(connection, &report.trace_id, &record, now(), engine.config.trace.keep)?)
    })
}
