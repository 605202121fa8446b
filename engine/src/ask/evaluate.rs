//! Asking a set of questions with known answers, and scoring what comes back.

use serde::Serialize;
use serde_json::Value;

use crate::ask::{AskOptions, ask};
use crate::decide::measure::{Known, Observed, Passage, Score, Share, Summary, score, summarise};
use crate::engine::{Engine, new_trace_id};
use crate::error::{Error, Result};
use crate::models::Cancel;
use crate::report::AskReport;
use crate::trace::Trace;

/// One question with everything that tells why it passed or failed.
#[derive(Debug, Clone, Serialize)]
pub struct Detail {
    /// What was known.
    pub known: Known,
    /// Its figures.
    pub score: Score,
    /// Routes taken.
    pub routes: Vec<String>,
    /// The answer.
    pub answer: Option<String>,
    /// Parts: question, route, stage, scores, margin, query, rows, hand-over.
    pub parts: Vec<Value>,
    /// Passages by rank: rank, store, document, location, score.
    pub retrieved: Vec<Value>,
    /// What the person should know.
    pub notes: Vec<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// Milliseconds.
    pub ms: f64,
}

/// A set's figures.
#[derive(Debug, Clone, Serialize)]
pub struct SetReport {
    /// The set's name.
    pub set: String,
    /// Over all questions.
    pub summary: Summary,
    /// Right answers by kind of question: facts, and for an unanswerable one that it was declined.
    pub by_kind: Vec<(String, Share)>,
    /// Every question.
    pub questions: Vec<Detail>,
}

/// Asks every question of a set, the cache left aside, and scores it; `progress` is told how many
/// are done. One that fails counts as wrong and does not stop the others.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn evaluate(
    engine: &Engine,
    name: &str,
    set: &[Known],
    options: &AskOptions,
    cancel: &Cancel,
    progress: &mut dyn FnMut(usize),
) -> Result<SetReport> {
    let mut scored: Vec<(Observed, Detail)> = Vec::with_capacity(set.len());
    for (index, known) in set.iter().enumerate() {
        let trace = Trace::new(new_trace_id(), None);
        let outcome = ask(engine, &known.question, options, &trace, cancel, &mut |_| {});
        if matches!(outcome, Err(Error::Cancelled)) {
            return Err(Error::Cancelled);
        }
        let seen = observe(&outcome, options.answer);
        let score = score(known, &seen);
        let detail = detail(known, score, &outcome, trace.elapsed_ms());
        scored.push((seen, detail));
        progress(index + 1);
    }
    let triples = scored.iter().map(|(seen, detail)| (&detail.known, seen, &detail.score));
    let summary = summarise(triples);
    let questions: Vec<Detail> = scored.into_iter().map(|(_, detail)| detail).collect();
    Ok(SetReport { set: name.to_owned(), summary, by_kind: by_kind(&questions), questions })
}

fn observe(outcome: &Result<AskReport>, answered: bool) -> Observed {
    let report = match outcome {
        Ok(report) => report,
        Err(error) => return Observed { error: Some(error.to_string()), ..Observed::default() },
    };
    let passages = report.parts.iter().flat_map(|part| &part.retrieved).map(|hit| Passage {
        rank: hit.rank,
        document: hit.document.clone(),
        text: format!("{}\n{}\n{}", hit.document, hit.location, hit.text),
    });
    Observed {
        routes: report.routes.clone(),
        parts: report.parts.len(),
        passages: passages.collect(),
        rows: report.parts.iter().map(|part| part.row_count).sum(),
        answer: answered.then(|| report.answer.clone()),
        abstained: report.abstained,
        error: None,
    }
}

fn detail(known: &Known, score: Score, outcome: &Result<AskReport>, ms: f64) -> Detail {
    let empty = AskReport::default();
    let report = outcome.as_ref().unwrap_or(&empty);
    let parts = report.parts.iter().map(|part| {
        serde_json::json!({ "question": part.question, "route": part.route, "stage": part.stage,
            "scores": part.scores, "margin": part.margin, "sql": part.sql,
            "rows": part.rows.iter().take(20).collect::<Vec<_>>(), "fallback": part.fallback })
    });
    let retrieved = report.parts.iter().flat_map(|part| &part.retrieved).map(|hit| {
        serde_json::json!({ "rank": hit.rank, "store": hit.store, "document": hit.document,
            "location": hit.location, "score": hit.score })
    });
    Detail {
        known: known.clone(),
        score,
        routes: report.routes.clone(),
        answer: outcome.as_ref().ok().map(|report| report.answer.clone()),
        parts: parts.collect(),
        retrieved: retrieved.collect(),
        notes: report.notes.clone(),
        error: outcome.as_ref().err().map(Error::to_string),
        ms,
    }
}

fn by_kind(questions: &[Detail]) -> Vec<(String, Share)> {
    let mut kinds: Vec<String> =
        questions.iter().filter_map(|question| question.known.kind.clone()).collect();
    kinds.sort();
    kinds.dedup();
    let right = |detail: &Detail| match detail.known.unanswerable {
        true => Some(detail.score.abstained == Some(true)),
        false => detail.score.facts,
    };
    let share = |kind: &String| {
        Share::of(
            questions.iter().filter(|question| question.known.kind.as_ref() == Some(kind)).filter_map(right),
        )
    };
    kinds.iter().map(|kind| (kind.clone(), share(kind))).collect()
}
