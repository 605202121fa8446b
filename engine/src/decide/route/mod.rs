//! The router: which store does this question part or this chunk belong in?
//!
//! Three stages, cheapest first: a heuristic (a spreadsheet is tabular by definition), cosine to
//! example phrases with a margin, and the evidence of what each store holds. Questions and chunks
//! share the anchors and the thresholds; every score seen is in the [`Decision`] returned.
//!
//! Everything here is plain data and pure functions: [`anchor_scores`], then [`decide`] for a
//! question or [`place`] for a chunk; [`fit`] finds the thresholds of an embedder.

mod fit;
mod place;
mod question;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use fit::{LeftOut, Thresholds, fit, leave_one_out, thresholds};
pub use place::{Placement, by_kind, document_mean, fact_structure, place};
pub use question::{anchor_scores, combined, decide};

/// A kind of store; routes lead to one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreKind {
    /// SQL tables.
    Relational,
    /// Free text by embedding.
    Vector,
    /// Facts and passages by Personalized PageRank.
    Graph,
}

impl StoreKind {
    /// Every kind, in the order used for ties: free text last among equals would hide facts, so
    /// it comes first only as the fallback.
    pub const ALL: [Self; 3] = [Self::Relational, Self::Vector, Self::Graph];

    /// The name used everywhere outside.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relational => "relational",
            Self::Vector => "vector",
            Self::Graph => "graph",
        }
    }

    /// Reads a name; `vectorial` is accepted for `vector`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "relational" => Some(Self::Relational),
            "vector" | "vectorial" => Some(Self::Vector),
            "graph" => Some(Self::Graph),
            _ => None,
        }
    }
}

/// A route: a name, the store it leads to, and its embedded example phrases.
#[derive(Debug, Clone)]
pub struct Route {
    /// Name; several routes may lead to one store.
    pub name: String,
    /// Where it leads.
    pub store: StoreKind,
    /// Example phrases.
    pub phrases: Vec<String>,
    /// Their unit vectors, one per phrase.
    pub vectors: Vec<Vec<f32>>,
}

/// How the stages are weighed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RouterConfig {
    /// Weight of the anchor similarity beside the evidence in the gray zone.
    pub anchor_weight: f32,
    /// Weight of lexical evidence (share of the question's informative words held) beside the dense one.
    pub lexical_weight: f32,
    /// A chunk whose two best stores are closer than this goes to both.
    pub borderline: f32,
    /// Weight of the whole document's similarity to the content phrases beside the chunk's own.
    pub document_weight: f32,
    /// Weight of a chunk's structure (share of sentences that state facts about named things).
    pub structure_weight: f32,
    /// Share of leave-one-out decisions on the anchors that may be wrong at the fitted margin.
    pub error_rate: f32,
    /// Multiplies the fitted margin: the phrases are few and unlike each other, questions are many.
    pub margin_safety: f32,
    /// Comma and digit density from which a block of text counts as tabular.
    pub tabular_density: f32,
    /// Evidence below this in every store, with nothing in common but function words, means "not in your files".
    pub evidence_floor: f32,
    /// Rows of a table embedded as evidence of what it holds, evenly spread.
    pub evidence_rows: usize,
}

impl Default for RouterConfig {
    fn default() -> Self {
        Self {
            anchor_weight: 0.5,
            lexical_weight: 0.05,
            borderline: 0.01,
            document_weight: 0.5,
            structure_weight: 0.02,
            error_rate: 0.0,
            margin_safety: 2.0,
            tabular_density: 0.35,
            evidence_floor: 0.8,
            evidence_rows: 32,
        }
    }
}

/// What one store holds on this question: its best retrieval score and where that is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// `dense + lexical_weight * lexical`.
    pub score: f32,
    /// Best cosine of the question to anything in the store.
    pub dense: f32,
    /// Share of the question's informative words found in the best candidate, in `[0, 1]`.
    pub lexical: f32,
    /// What matched best: `file > heading`, or a table.
    pub source: String,
}

/// The stage that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Known by its kind, or only one store holds anything.
    Heuristic,
    /// Similarity to the example phrases, with enough margin.
    Cosine,
    /// What the stores hold.
    Evidence,
    /// Nothing near: free text.
    Fallback,
}

/// A route's similarity and the phrase it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnchorScore {
    /// Route name.
    pub route: String,
    /// Best cosine to one of its phrases (1-nearest-neighbour).
    pub score: f32,
    /// That phrase.
    pub phrase: String,
}

/// A decision with every number behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The store chosen.
    pub store: StoreKind,
    /// The stage that decided.
    pub stage: Stage,
    /// The scores that were compared, one per store, also the rejected ones.
    pub scores: BTreeMap<String, f32>,
    /// Best minus second best of `scores`.
    pub margin: f32,
    /// Similarity to the example phrases, by store.
    pub anchors: BTreeMap<String, AnchorScore>,
    /// What the stores hold, by store; absent when the stage was not reached.
    pub evidence: BTreeMap<String, Evidence>,
    /// Thresholds in force.
    pub thresholds: Thresholds,
    /// The stores that may be the right one at the calibrated error rate, best first: one alone when
    /// the decision is sure, none when nothing was calibrated for its stage.
    #[serde(default)]
    pub possible: Vec<StoreKind>,
    /// Weight of anchors beside evidence in force.
    pub anchor_weight: f32,
}

/// Returns the best store, its score and the margin to the second.
pub(crate) fn winner(scores: &BTreeMap<String, f32>) -> (StoreKind, f32, f32) {
    let mut list: Vec<(StoreKind, f32)> = scores
        .iter()
        .filter_map(|(name, score)| StoreKind::parse(name).map(|store| (store, *score)))
        .collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    match list.as_slice() {
        [] => (StoreKind::Vector, f32::NEG_INFINITY, 0.0),
        [(store, score)] => (*store, *score, 0.0),
        [(store, first), (_, second), ..] => (*store, *first, first - second),
    }
}
