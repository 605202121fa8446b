//! Where a question part goes.

use std::collections::BTreeMap;

use super::{AnchorScore, Decision, Evidence, Route, RouterConfig, Stage, StoreKind, Thresholds, winner};
use crate::decide::calibrate::prediction_set;
use crate::decide::rank::dot;

/// Returns each store's best anchor, by cosine to `vector`.
pub fn anchor_scores(routes: &[Route], vector: &[f32]) -> BTreeMap<String, AnchorScore> {
    let mut best: BTreeMap<String, AnchorScore> = BTreeMap::new();
    for route in routes {
        for (phrase, anchor) in route.phrases.iter().zip(&route.vectors) {
            let score = dot(anchor, vector);
            let entry = best.entry(route.store.as_str().to_owned());
            let known = entry.or_insert_with(|| AnchorScore {
                route: route.name.clone(),
                score: f32::NEG_INFINITY,
                phrase: String::new(),
            });
            if score > known.score {
                *known = AnchorScore { route: route.name.clone(), score, phrase: phrase.clone() };
            }
        }
    }
    best
}

/// Decides where a question part goes.
///
/// `evidence` has an entry for every store that holds anything; a store without one cannot be
/// chosen unless no store holds anything. Pure: the same numbers give the same decision.
pub fn decide(
    anchors: BTreeMap<String, AnchorScore>,
    evidence: BTreeMap<String, Evidence>,
    thresholds: Thresholds,
    config: &RouterConfig,
) -> Decision {
    let mut decision = Decision {
        store: StoreKind::Vector,
        stage: Stage::Fallback,
        scores: anchors.iter().map(|(store, anchor)| (store.clone(), anchor.score)).collect(),
        margin: 0.0,
        anchors,
        evidence,
        thresholds,
        possible: Vec::new(),
        anchor_weight: config.anchor_weight,
    };
    let holds = |store: &str| decision.evidence.is_empty() || decision.evidence.contains_key(store);
    if decision.evidence.len() == 1 {
        let only = decision.evidence.keys().next().and_then(|name| StoreKind::parse(name));
        decision.store = only.unwrap_or(StoreKind::Vector);
        decision.stage = Stage::Heuristic;
        decision.possible = vec![decision.store];
        decision.scores = combined(&decision, config.anchor_weight);
        return decision;
    }
    let near = |scores: &BTreeMap<String, f32>, ambiguity: Option<f32>| {
        ambiguity.map_or_else(Vec::new, |within| prediction_set(scores, Some(within)))
    };
    let (best, top, margin) = winner(&decision.scores);
    let possible = near(&decision.scores, thresholds.anchor_ambiguity);
    if top >= thresholds.tau_high && margin >= thresholds.delta && holds(best.as_str()) {
        (decision.store, decision.stage, decision.margin) = (best, Stage::Cosine, margin);
        decision.possible = possible;
        return decision;
    }
    if decision.evidence.is_empty() {
        (decision.margin, decision.possible) = (margin, possible);
        if top >= thresholds.tau_low {
            (decision.store, decision.stage) = (best, Stage::Cosine);
        }
        return decision;
    }
    decision.scores = combined(&decision, config.anchor_weight);
    let (best, _, margin) = winner(&decision.scores);
    (decision.store, decision.stage, decision.margin) = (best, Stage::Evidence, margin);
    decision.possible = near(&decision.scores, thresholds.ambiguity);
    decision
}

/// Evidence plus weighted anchor similarity, for the stores that hold something: what the evidence
/// stage compares.
pub fn combined(decision: &Decision, anchor_weight: f32) -> BTreeMap<String, f32> {
    decision
        .evidence
        .iter()
        .map(|(store, evidence)| {
            let anchor = decision.anchors.get(store).map_or(0.0, |anchor| anchor.score);
            (store.clone(), (evidence.score + anchor_weight * anchor) / (1.0 + anchor_weight))
        })
        .collect()
}
