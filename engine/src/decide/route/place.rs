//! Where a chunk goes: one store, or two when it stands between them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{AnchorScore, Decision, RouterConfig, Stage, StoreKind, Thresholds, winner};

/// Where a chunk goes: one store, or two when it stands between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// The decision and its numbers.
    pub decision: Decision,
    /// Share of sentences that state facts about named things, in `[0, 1]`.
    pub structure: f32,
    /// The stores, best first.
    pub stores: Vec<StoreKind>,
}

/// Mean anchor similarity per store over a document's chunks: what the document is as a whole.
pub fn document_mean(anchors: &[BTreeMap<String, AnchorScore>]) -> BTreeMap<String, f32> {
    let mut sums: BTreeMap<String, f32> = BTreeMap::new();
    for (store, anchor) in anchors.iter().flatten() {
        *sums.entry(store.clone()).or_insert(0.0) += anchor.score / anchors.len() as f32;
    }
    sums
}

/// Decides where a chunk of text goes: free text, facts, or both when borderline.
///
/// Score per store = cosine to its content examples, averaged with the document's mean by
/// `document_weight` (a paragraph of a story stays with its story), plus, for the graph, the
/// structure of the chunk around its middle: `structure_weight * (structure - 0.5)`. Tables never
/// come here: they are relational by the heuristic.
pub fn place(
    anchors: BTreeMap<String, AnchorScore>,
    document: &BTreeMap<String, f32>,
    structure: f32,
    thresholds: Thresholds,
    config: &RouterConfig,
) -> Placement {
    let weight = config.document_weight;
    let mixed = |(store, anchor): (&String, &AnchorScore)| {
        let mean = document.get(store).copied().unwrap_or(anchor.score);
        (store.clone(), (1.0 - weight) * anchor.score + weight * mean)
    };
    let mut scores: BTreeMap<String, f32> = anchors.iter().map(mixed).collect();
    if let Some(graph) = scores.get_mut(StoreKind::Graph.as_str()) {
        *graph += config.structure_weight * (structure - 0.5);
    }
    let (best, _, margin) = winner(&scores);
    let mut stores = vec![best];
    if margin < config.borderline {
        let second = scores
            .iter()
            .filter_map(|(name, score)| StoreKind::parse(name).map(|store| (store, *score)))
            .filter(|(store, _)| *store != best)
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        stores.extend(second.map(|(store, _)| store));
    }
    let decision = Decision {
        store: best,
        stage: if margin >= thresholds.delta { Stage::Cosine } else { Stage::Evidence },
        scores,
        margin,
        anchors,
        evidence: BTreeMap::new(),
        thresholds,
        possible: stores.clone(),
        anchor_weight: config.anchor_weight,
    };
    Placement { decision, structure, stores }
}

/// The decision for something known by its kind: a spreadsheet, or a store the person asked for.
pub fn by_kind(store: StoreKind) -> Placement {
    Placement {
        decision: Decision {
            store,
            stage: Stage::Heuristic,
            scores: BTreeMap::new(),
            margin: 0.0,
            anchors: BTreeMap::new(),
            evidence: BTreeMap::new(),
            thresholds: Thresholds {
                tau_high: 0.0,
                tau_low: 0.0,
                delta: 0.0,
                anchor_ambiguity: None,
                ambiguity: None,
            },
            possible: vec![store],
            anchor_weight: 0.0,
        },
        structure: 0.0,
        stores: vec![store],
    }
}

/// Share of sentences that state a fact about a named thing, in `[0, 1]`.
///
/// A sentence counts when it is short (at most 24 words) and names something after its first
/// word: a capitalised word or a code such as `PC-04`. Prose that tells or advises has long
/// sentences and few names; policies and dependencies have the opposite.
pub fn fact_structure(text: &str) -> f32 {
    let (mut sentences, mut facts) = (0_u32, 0_u32);
    for sentence in text.split(['.', '!', '?', '\n']).map(str::trim) {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        if words.len() < 3 {
            continue;
        }
        sentences += 1;
        let names = words.iter().skip(1).any(|word| word.chars().next().is_some_and(char::is_uppercase));
        if names && words.len() <= 24 {
            facts += 1;
        }
    }
    if sentences == 0 { 0.0 } else { facts as f32 / sentences as f32 }
}
