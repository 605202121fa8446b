//! Measures of answers against questions with known answers, and their confidence intervals.

mod matching;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use matching::Normal;

/// A string, or several of which one is enough.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Wanted {
    /// This one.
    One(String),
    /// One of these.
    AnyOf(Vec<String>),
}

impl Wanted {
    fn is_in(&self, text: &Normal) -> bool {
        match self {
            Self::One(wanted) => text.holds(wanted),
            Self::AnyOf(options) => text.holds_any(options),
        }
    }
}

/// A question with what is known about its answer: one line of a set. Other keys are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    /// Id: text or a number; the line's number where there is none.
    pub id: serde_json::Value,
    /// The question.
    pub question: String,
    /// Its route, where it has one alone.
    pub route: Option<String>,
    /// Its routes.
    pub routes: Vec<String>,
    /// What the answer must contain.
    pub facts: Vec<Wanted>,
    /// What the answer must not contain.
    pub forbidden: Vec<String>,
    /// Documents that a retrieved passage must come from, by name.
    pub documents: Vec<String>,
    /// Texts that a retrieved passage must contain.
    pub relevant: Vec<Wanted>,
    /// Whether the files hold no answer: right is to say so.
    #[serde(alias = "absent")]
    pub unanswerable: bool,
    /// How many questions the message asks.
    pub parts: Option<usize>,
    /// What kind of question it is, for the summary by kind.
    pub kind: Option<String>,
}

/// What the program did with a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// Routes taken.
    pub routes: Vec<String>,
    /// How many questions it saw.
    pub parts: usize,
    /// Passages: rank from 1 within their part, document, and document, location and text together.
    pub passages: Vec<Passage>,
    /// Rows of results.
    pub rows: u64,
    /// The answer; `None` when none was asked for.
    pub answer: Option<String>,
    /// Whether it said that the files hold no answer.
    pub abstained: bool,
    /// Why it failed.
    pub error: Option<String>,
}

/// A retrieved passage, as far as measuring goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Rank from 1.
    pub rank: usize,
    /// Document name.
    pub document: String,
    /// Document, location and text.
    pub text: String,
}

/// Every figure of one question; `None` where it does not apply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The routes are the expected ones.
    pub routing: Option<bool>,
    /// As many parts were seen as were asked.
    pub split: Option<bool>,
    /// Share of the markers and documents in passages of rank 1.
    pub recall_at_1: Option<f64>,
    /// Share of the markers and documents in passages of rank 5 or better.
    pub recall_at_5: Option<f64>,
    /// 1 / rank of the first passage with any of them.
    pub reciprocal_rank: Option<f64>,
    /// Nothing came back: no passage, or no row where a table was to answer.
    pub empty: Option<bool>,
    /// Every fact is in the answer and nothing forbidden.
    pub facts: Option<bool>,
    /// It was declined: right for an unanswerable question, wrong for another.
    pub abstained: Option<bool>,
    /// Facts that are missing.
    pub missing: Vec<Wanted>,
    /// Markers and documents not among the first five.
    pub not_retrieved: Vec<Wanted>,
}

/// Scores one question.
///
/// Recall and reciprocal rank count `relevant` texts and `documents`, each found or not; a passage
/// of one part and one of another may share a rank. A failed question misses everything it was
/// to give.
pub fn score(known: &Known, observed: &Observed) -> Score {
    let expected: BTreeSet<&str> =
        known.route.iter().chain(&known.routes).map(|name| route_name(name)).collect();
    let given: BTreeSet<&str> = observed.routes.iter().map(|name| route_name(name)).collect();
    let well = observed.error.is_none();
    let passages: Vec<(&Passage, Normal)> =
        observed.passages.iter().map(|passage| (passage, Normal::of(&passage.text))).collect();
    let marker_rank = |marker: &Wanted| {
        passages.iter().filter(|(_, text)| marker.is_in(text)).map(|(passage, _)| passage.rank).min()
    };
    let document_rank = |name: &String| {
        observed.passages.iter().filter(|passage| passage.document == *name).map(|passage| passage.rank).min()
    };
    let wanted: Vec<(Wanted, Option<usize>)> = known
        .relevant
        .iter()
        .map(|marker| (marker.clone(), marker_rank(marker)))
        .chain(known.documents.iter().map(|name| (Wanted::One(name.clone()), document_rank(name))))
        .collect();
    let recall = |k: usize| {
        let found = wanted.iter().filter(|(_, rank)| rank.is_some_and(|rank| rank <= k)).count();
        (!wanted.is_empty()).then(|| found as f64 / wanted.len() as f64)
    };
    let first = wanted.iter().filter_map(|(_, rank)| *rank).min();
    let tables = expected.len() == 1 && expected.contains("relational");
    let empty = if wanted.is_empty() {
        tables.then_some(observed.rows == 0)
    } else {
        Some(observed.passages.is_empty() && !(tables && observed.rows > 0))
    };
    let answer = observed.answer.as_deref().map(Normal::of);
    let missing: Vec<Wanted> = match &answer {
        Some(text) => known.facts.iter().filter(|fact| !fact.is_in(text)).cloned().collect(),
        None => Vec::new(),
    };
    let clean = |text: &Normal| !known.forbidden.iter().any(|word| text.holds(word));
    let facts = answer.as_ref().filter(|_| !known.facts.is_empty() || !known.forbidden.is_empty());
    Score {
        routing: (!expected.is_empty()).then(|| well && expected == given),
        split: known.parts.map(|parts| parts == observed.parts),
        recall_at_1: recall(1),
        recall_at_5: recall(5),
        reciprocal_rank: (!wanted.is_empty()).then(|| first.map_or(0.0, |rank| 1.0 / rank as f64)),
        empty,
        facts: facts.map(|text| well && missing.is_empty() && clean(text)),
        abstained: (well && (answer.is_some() || observed.abstained || known.unanswerable))
            .then_some(observed.abstained),
        missing,
        not_retrieved: wanted
            .into_iter()
            .filter(|(_, rank)| rank.is_none_or(|rank| rank > 5))
            .map(|(marker, _)| marker)
            .collect(),
    }
}

/// The name that is used here: data sets call `vector` also `vectorial`.
fn route_name(name: &str) -> &str {
    if matches!(name, "vectorial" | "vetorial") { "vector" } else { name }
}

/// A share of questions with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Questions that passed.
    pub passed: usize,
    /// Questions that it applies to.
    pub total: usize,
    /// Passed of total; 0 of none.
    pub share: f64,
    /// 95 % interval (Wilson).
    pub interval95: [f64; 2],
}

impl Share {
    /// Counts `passed` of those that it applies to.
    pub fn of(values: impl IntoIterator<Item = bool>) -> Self {
        let values: Vec<bool> = values.into_iter().collect();
        let passed = values.iter().filter(|passed| **passed).count();
        Self::new(passed, values.len())
    }

    /// `passed` of `total`.
    pub fn new(passed: usize, total: usize) -> Self {
        let share = if total == 0 { 0.0 } else { passed as f64 / total as f64 };
        Self { passed, total, share, interval95: wilson(passed, total) }
    }
}

/// The 95 % score interval of a proportion, in `[0, 1]` (Wilson 1927, "Probable Inference, the Law
/// of Succession, and Statistical Inference").
pub fn wilson(passed: usize, total: usize) -> [f64; 2] {
    if total == 0 {
        return [0.0, 1.0];
    }
    let (z, n) = (1.959_963_984_540_054_f64, total as f64);
    let share = passed as f64 / n;
    let centre = share + z * z / (2.0 * n);
    let spread = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    [((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0)]
}

/// A mean with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean; 0 of nothing.
    pub mean: f64,
    /// How many values.
    pub total: usize,
    /// 95 % percentile interval of the mean of 2,000 resamples (Efron 1979), the same in every run.
    pub interval95: [f64; 2],
}

impl Mean {
    /// Averages `values`.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() {
            return Self { mean: 0.0, total: 0, interval95: [0.0, 1.0] };
        }
        let n = values.len();
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut draw = || {
            // SplitMix64 (Steele et al. 2014): enough for choosing indices, and reproducible.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            values[((mixed ^ (mixed >> 31)) % n as u64) as usize]
        };
        let mut means: Vec<f64> =
            (0..RESAMPLES).map(|_| (0..n).map(|_| draw()).sum::<f64>() / n as f64).collect();
        means.sort_by(f64::total_cmp);
        let at = |share: f64| means[((RESAMPLES - 1) as f64 * share).round() as usize];
        Self { mean: values.iter().sum::<f64>() / n as f64, total: n, interval95: [at(0.025), at(0.975)] }
    }
}

const RESAMPLES: usize = 2000;

/// The figures of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Questions asked.
    pub questions: usize,
    /// Routes as expected.
    pub routing: Share,
    /// Messages taken apart as expected.
    pub split: Share,
    /// Mean recall at rank 1.
    pub recall_at_1: Mean,
    /// Mean recall at rank 5.
    pub recall_at_5: Mean,
    /// Mean reciprocal rank.
    pub mrr: Mean,
    /// Nothing came back.
    pub empty: Share,
    /// Answers with every fact.
    pub facts: Share,
    /// Unanswerable questions that were declined.
    pub declined_rightly: Share,
    /// Answerable questions that were declined.
    pub declined_wrongly: Share,
    /// Questions that failed.
    pub errors: usize,
}

/// Sums up scored questions.
pub fn summarise<'a>(scored: impl IntoIterator<Item = (&'a Known, &'a Observed, &'a Score)>) -> Summary {
    let scored: Vec<_> = scored.into_iter().collect();
    let share = |pick: fn(&Score) -> Option<bool>| Share::of(scored.iter().filter_map(|(_, _, s)| pick(s)));
    let mean = |pick: fn(&Score) -> Option<f64>| Mean::of(scored.iter().filter_map(|(_, _, s)| pick(s)));
    let declined = |unanswerable: bool| {
        let of = scored.iter().filter(|(known, _, _)| known.unanswerable == unanswerable);
        // A failed question was not declined rightly, and not wrongly either.
        Share::of(of.filter_map(|(_, _, s)| s.abstained.or(unanswerable.then_some(false))))
    };
    Summary {
        questions: scored.len(),
        routing: share(|s| s.routing),
        split: share(|s| s.split),
        recall_at_1: mean(|s| s.recall_at_1),
        recall_at_5: mean(|s| s.recall_at_5),
        mrr: mean(|s| s.reciprocal_rank),
        empty: share(|s| s.empty),
        facts: share(|s| s.facts),
        declined_rightly: declined(true),
        declined_wrongly: declined(false),
        errors: scored.iter().filter(|(_, observed, _)| observed.error.is_some()).count(),
    }
}

/// Names of the figures that a threshold can be set on; more is better in each.
pub const FIGURES: &[&str] =
    &["routing", "split", "recall@1", "recall@5", "mrr", "facts", "found", "declined_rightly", "answered"];

impl Summary {
    /// The figure of that name (one of [`FIGURES`]): a share, or a mean.
    pub fn figure(&self, name: &str) -> Option<f64> {
        Some(match name {
            "routing" => self.routing.share,
            "split" => self.split.share,
            "recall@1" => self.recall_at_1.mean,
            "recall@5" => self.recall_at_5.mean,
            "mrr" => self.mrr.mean,
            "facts" => self.facts.share,
            "declined_rightly" => self.declined_rightly.share,
            "answered" => 1.0 - self.declined_wrongly.share,
            "found" => 1.0 - self.empty.share,
            _ => return None,
        })
    }
}
