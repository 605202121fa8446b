//! Thresholds of the cosine stage, fitted for one embedder from the anchors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Route, RouterConfig, StoreKind, winner};
use crate::decide::rank::dot;

/// Thresholds of the cosine stage; they belong to one embedder.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// At or above this best similarity, with enough margin, the cosine stage decides.
    pub tau_high: f32,
    /// Below this best similarity no route is near: fall back to free text.
    pub tau_low: f32,
    /// Margin needed between the best and the second route.
    pub delta: f32,
    /// How far behind the best a store may lie, by the phrases alone, and still be the right one at
    /// the stated error rate; `None` where nothing can be promised. See [`crate::decide::calibrate`].
    #[serde(default)]
    pub anchor_ambiguity: Option<f32>,
    /// The same for scores with evidence in them: those of a labelled set.
    #[serde(default)]
    pub ambiguity: Option<f32>,
}

/// An anchor routed by all the others.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// The store it belongs to.
    pub truth: StoreKind,
    /// Best cosine to any other anchor of each store.
    pub scores: BTreeMap<String, f32>,
}

/// Routes every anchor by all the others.
pub fn leave_one_out(routes: &[Route]) -> Vec<LeftOut> {
    let mut samples = Vec::new();
    for (index, route) in routes.iter().enumerate() {
        for (position, vector) in route.vectors.iter().enumerate() {
            let mut scores: BTreeMap<String, f32> = BTreeMap::new();
            for (other, candidate) in routes.iter().enumerate() {
                for (at, anchor) in candidate.vectors.iter().enumerate() {
                    if (other, at) == (index, position) {
                        continue;
                    }
                    let best = scores.entry(candidate.store.as_str().to_owned()).or_insert(f32::NEG_INFINITY);
                    *best = best.max(dot(anchor, vector));
                }
            }
            samples.push(LeftOut { truth: route.store, scores });
        }
    }
    samples
}

/// Fits the thresholds of the cosine stage from the anchors themselves, by leave-one-out.
///
/// `delta` is the smallest margin at which no more than `error_rate` of the decisions are wrong,
/// times `margin_safety`; `tau_high` the 5th percentile of the right ones' best similarity;
/// `tau_low` lies as far below the lowest as that is below the median. Absolute cosines differ
/// between embedders (0.35–0.62 for one, 0.7–1.0 for another), so thresholds are stored with the
/// embedder they were fitted for.
pub fn fit(routes: &[Route], config: &RouterConfig) -> Thresholds {
    thresholds(&leave_one_out(routes), config)
}

/// The thresholds that decisions with known answers ask for; see [`fit`].
pub fn thresholds(samples: &[LeftOut], config: &RouterConfig) -> Thresholds {
    let mut decided: Vec<(f32, f32, bool)> = samples
        .iter()
        .map(|sample| {
            let (store, top, margin) = winner(&sample.scores);
            (top, margin, store == sample.truth)
        })
        .collect();
    decided.sort_by(|a, b| b.1.total_cmp(&a.1));
    // Walk from the widest margin down; stop before the wrong share exceeds the error rate.
    let (mut wrong, mut delta) = (0.0_f32, 1.0_f32);
    for (taken, (_, margin, right)) in decided.iter().enumerate() {
        wrong += f32::from(u8::from(!right));
        if wrong / (taken + 1) as f32 > config.error_rate {
            break;
        }
        delta = *margin;
    }
    let mut tops: Vec<f32> = decided.iter().filter(|sample| sample.2).map(|sample| sample.0).collect();
    tops.sort_by(f32::total_cmp);
    let quantile = |share: f32| tops.get((share * (tops.len().saturating_sub(1)) as f32) as usize).copied();
    let (tau_high, low, median) =
        (quantile(0.05).unwrap_or(1.0), quantile(0.0).unwrap_or(0.0), quantile(0.5).unwrap_or(0.0));
    Thresholds {
        tau_high,
        tau_low: low - (median - low),
        delta: delta * config.margin_safety,
        anchor_ambiguity: None,
        ambiguity: None,
    }
}
