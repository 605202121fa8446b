//! The JSON that leaves the program: the fixed contract, and nothing but it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decide::followup::Completion;
use crate::decide::route::{Decision, Evidence};
use crate::trace::SpanRecord;

/// One retrieved passage.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Retrieved {
    /// Rank from 1.
    pub rank: usize,
    /// Store it came from.
    pub store: String,
    /// Document name.
    pub document: String,
    /// Page, sheet, row or heading.
    pub location: String,
    /// Stable chunk id.
    pub chunk_id: String,
    /// Score in its store's ranking.
    pub score: f32,
    /// The passage.
    pub text: String,
    /// Other paths that hold the same document.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub also_at: Vec<String>,
    /// For the graph: the path that carried the mass.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<Value>,
}

/// A hand-over from one store to another.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fallback {
    /// Store that had no answer.
    pub from: String,
    /// Store asked instead.
    pub to: String,
    /// Why.
    pub reason: String,
}

/// One part of a message: its route and what was found.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PartReport {
    /// The part's own text.
    pub question: String,
    /// Store chosen.
    pub route: String,
    /// Stage that decided.
    pub stage: String,
    /// Every store's score.
    pub scores: BTreeMap<String, f32>,
    /// Best minus second.
    pub margin: f32,
    /// What each store holds on it.
    pub evidence: BTreeMap<String, Evidence>,
    /// Passages, best first.
    pub retrieved: Vec<Retrieved>,
    /// Query, for the relational route.
    pub sql: Option<String>,
    /// Result columns.
    pub columns: Vec<String>,
    /// Result rows.
    pub rows: Vec<Vec<Value>>,
    /// Rows the query gives, also those beyond the limit.
    pub row_count: u64,
    /// Hand-over to another store, if there was one.
    pub fallback: Option<Fallback>,
    /// The whole decision: anchors, thresholds and weights.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decision: Option<Decision>,
    /// For the relational route: attempts with their errors, and value links.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sql_details: Option<Value>,
}

/// The cache's verdict.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CacheReport {
    /// Whether the answer came from the cache.
    pub hit: bool,
    /// Similarity to the nearest cached question, if there is one.
    pub score: Option<f32>,
    /// What the guard said.
    pub guard: Option<String>,
    /// The nearest cached question.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub question: Option<String>,
    /// Its id, for `cache rm`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub entry: Option<i64>,
}

/// Something an answer rests on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Source {
    /// Number used in the answer: `[1]`.
    pub n: usize,
    /// Document name.
    pub document: String,
    /// Page, sheet, row or heading.
    pub location: String,
    /// Store it came from.
    pub store: String,
    /// Other paths that hold the same document.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub also_at: Vec<String>,
}

/// Where the time went.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Timings {
    /// Whole request, milliseconds.
    pub total_ms: f64,
    /// To the answer's first token, milliseconds from the request's start.
    pub first_token_ms: f64,
    /// Spent in model calls, milliseconds.
    pub model_ms: f64,
}

/// Tokens of all generations of a request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens.
    pub prompt_tokens: usize,
    /// Prompt tokens taken from the KV cache.
    pub cached_tokens: usize,
    /// Generated tokens.
    pub completion_tokens: usize,
}

impl Usage {
    /// Adds a generation.
    pub fn add(&mut self, generation: &crate::models::Generation) {
        self.prompt_tokens += generation.prompt_tokens;
        self.cached_tokens += generation.cached_tokens;
        self.completion_tokens += generation.completion_tokens;
    }
}

/// The answer to one question.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct AskReport {
    /// Caller's id, or the trace id.
    pub id: String,
    /// The question.
    pub question: String,
    /// In a conversation: what was asked, and how it was completed to `question`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub followup: Option<Completion>,
    /// The answer; empty with `--no-answer`.
    pub answer: String,
    /// Language of the question.
    pub language: String,
    /// Whether the files hold no answer.
    pub abstained: bool,
    /// One entry per part.
    pub parts: Vec<PartReport>,
    /// Routes of the parts, without repeats.
    pub routes: Vec<String>,
    /// The cache's verdict.
    pub cache: CacheReport,
    /// What the answer rests on.
    pub sources: Vec<Source>,
    /// Id for `explain`.
    pub trace_id: String,
    /// Steps with their times.
    pub spans: Vec<SpanRecord>,
    /// Where the time went.
    pub timings: Timings,
    /// Tokens.
    pub usage: Usage,
    /// Things the person should know: a retry, a cut, a missing generator.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
}

/// A failure of one question in a batch.
#[derive(Debug, Clone, Serialize)]
pub struct ErrorReport {
    /// Caller's id.
    pub id: String,
    /// The question.
    pub question: String,
    /// What went wrong.
    pub error: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// One document of `add`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AddedDocument {
    /// The file, or `file#n`.
    pub path: String,
    /// `added`, `updated`, `unchanged` or `failed`; `removed` where deletions are mirrored.
    pub status: String,
    /// Why it failed, with the way out.
    pub error: Option<String>,
    /// Chunks stored.
    pub chunks: usize,
    /// Chunks per store.
    pub placements: Map<String, Value>,
    /// Tables stored.
    pub tables: Vec<String>,
    /// What the person should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The document it duplicates, when the same bytes are already stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// Where its bytes were before, when only the path changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
}

/// What `add` did.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AddReport {
    /// One entry per document.
    pub documents: Vec<AddedDocument>,
    /// Stored files of the folders added that are no longer on disk, and were kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// Wall time.
    pub seconds: f64,
}
