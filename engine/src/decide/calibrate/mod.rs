//! Calibration: what an embedder's numbers mean, and how sure a decision is.
//!
//! Thresholds belong to an embedder. Two things are fitted here, by arithmetic alone:
//!
//! - a **scale**: how near phrases of one route and of different ones lie for this embedder, so
//!   that a threshold chosen on one embedder can be carried to another ([`Scale::carry`]);
//! - an **ambiguity**: how far behind the best a store may lie and still be the right one, by
//!   split conformal prediction ([`conformal_quantile`]): with exchangeable questions the right
//!   store is missing from [`prediction_set`] for at most the stated share of them.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::decide::rank::dot;
use crate::decide::route::{LeftOut, Route, RouterConfig, StoreKind, Thresholds, leave_one_out, thresholds};

/// Scales that differ by less are one: quantised weights move a cosine by about as much.
const SAME: f32 = 0.005;

/// With fewer labelled questions the phrases' own margin stays the least one.
const FEW_LABELLED: usize = 50;

/// Name of the source that needs no file.
pub const PHRASES: &str = "phrases";

/// `[calibration]` of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CalibrationConfig {
    /// Stated share of questions whose right store may be missing from the stores held possible.
    pub error_rate: f32,
    /// Scale on which the thresholds of the configuration are given: that of the starter embedder.
    pub scale: Scale,
}

impl Default for CalibrationConfig {
    fn default() -> Self {
        Self { error_rate: 0.1, scale: Scale { far: 0.779, near: 0.863 } }
    }
}

/// Two fixed points of an embedder's cosines, measured on the example phrases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Median cosine of phrases that lead to different stores.
    pub far: f32,
    /// Median over phrases of the best cosine to another one of the same store.
    pub near: f32,
}

impl Scale {
    /// Measures an embedder; `None` with fewer than two stores or two phrases in each.
    pub fn of(routes: &[Route]) -> Option<Self> {
        let (mut far, mut near) = (Vec::new(), Vec::new());
        let anchors: Vec<(StoreKind, &[f32])> = routes
            .iter()
            .flat_map(|route| route.vectors.iter().map(|vector| (route.store, vector.as_slice())))
            .collect();
        for (at, (store, vector)) in anchors.iter().enumerate() {
            let mut best = f32::NEG_INFINITY;
            for (other, (kind, anchor)) in anchors.iter().enumerate().filter(|(other, _)| *other != at) {
                let cosine = dot(vector, anchor);
                if kind == store {
                    best = best.max(cosine);
                } else if other > at {
                    far.push(cosine);
                }
            }
            if best.is_finite() {
                near.push(best);
            }
        }
        Some(Self { far: median(far)?, near: median(near)? })
    }

    /// Carries a cosine from this scale to another: the same share of the way from far to near.
    pub fn carry(self, cosine: f32, to: Self) -> f32 {
        let width = self.near - self.far;
        let same = (self.near - to.near).abs() < SAME && (self.far - to.far).abs() < SAME;
        if same || width <= f32::EPSILON {
            return cosine;
        }
        to.far + (cosine - self.far) / width * (to.near - to.far)
    }
}

/// Returns the median: the upper of the two middle values; `None` of nothing.
fn median(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

/// A question whose right store is known, with what the router saw.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The right store; `None` when the files hold no answer.
    pub truth: Option<StoreKind>,
    /// The scores that were compared, by store.
    pub scores: BTreeMap<String, f32>,
    /// Similarity to the example phrases, by store.
    pub anchors: BTreeMap<String, f32>,
    /// Best cosine to anything held.
    pub held: f32,
    /// Whether enough of the question's words are held, so that the floor does not apply.
    pub worded: bool,
}

/// What was fitted, for whom and on what; stored with the embedder's identity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The embedder, as its identity in JSON.
    pub embedder: String,
    /// Hash of the example phrases and settings it was fitted with.
    pub fitted_for: String,
    /// `phrases`, or the labelled set's name.
    pub source: String,
    /// The embedder's scale.
    pub scale: Scale,
    /// Thresholds for questions; with the ambiguity that splits sure decisions from open ones.
    pub questions: Thresholds,
    /// Thresholds for chunks.
    pub content: Thresholds,
    /// Best cosine below which a question is not in the files, unless its words are.
    pub evidence_floor: f32,
    /// Least cosine of two questions for a cached answer.
    pub cache_threshold: f32,
    /// How routing did on the samples.
    pub routing: RoutingQuality,
    /// How the floor did, where unanswerable questions were among the samples.
    pub floor: Option<FloorQuality>,
}

/// Routing on samples with known answers, each judged by a quantile of all the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RoutingQuality {
    /// Samples with a right store.
    pub samples: usize,
    /// Decided right when the best score alone is taken.
    pub right: usize,
    /// Stated error rate.
    pub error_rate: f32,
    /// Samples whose right store is among those held possible.
    pub covered: usize,
    /// Samples for which one store alone is possible: decided.
    pub decided: usize,
    /// Of those, decided wrong. The others are the abstentions that the error rate costs.
    pub decided_wrong: usize,
}

/// What the evidence floor does to questions with and without an answer in the files.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FloorQuality {
    /// Questions that the files answer.
    pub answerable: usize,
    /// Of those, turned away.
    pub turned_away: usize,
    /// Questions that the files do not answer.
    pub unanswerable: usize,
    /// Of those, let through.
    pub let_through: usize,
}

impl Calibration {
    /// Whether a labelled set was used.
    pub fn is_labelled(&self) -> bool {
        self.source != PHRASES
    }

    /// What was fitted and what it costs, in a line.
    pub fn summary(&self) -> String {
        let RoutingQuality { samples, error_rate, covered, decided, decided_wrong, .. } = self.routing;
        let floor = self.floor.map_or_else(String::new, |floor| {
            format!(
                "; floor {:.3}: {} of {} answerable turned away, {} of {} unanswerable let through",
                self.evidence_floor,
                floor.turned_away,
                floor.answerable,
                floor.let_through,
                floor.unanswerable
            )
        });
        format!(
            "from {} ({samples} samples), stated error {:.0} %: right store possible {covered}, decided alone \
             {decided}, of them wrong {decided_wrong}{floor}",
            self.source,
            error_rate * 100.0
        )
    }
}

/// What every fit needs to know.
#[derive(Debug, Clone)]
pub struct Fit<'a> {
    /// The embedder's identity, as JSON.
    pub embedder: String,
    /// Hash of the example phrases and settings.
    pub fitted_for: String,
    /// How stages are weighed, and the floor on the configuration's scale.
    pub router: &'a RouterConfig,
    /// Error rate, and the configuration's scale.
    pub config: &'a CalibrationConfig,
    /// The cache's threshold on the configuration's scale.
    pub cache_threshold: f32,
}

/// Fits from the example phrases alone, by leave-one-out.
///
/// `scale` is the embedder's own ([`Scale::of`]); without one the configuration's thresholds stay.
pub fn from_phrases(fit: &Fit, questions: &[Route], content: &[Route], scale: Option<Scale>) -> Calibration {
    let left_out = leave_one_out(questions);
    let (anchor_ambiguity, routing) = ambiguity(&left_out, fit.config.error_rate);
    let scale = scale.unwrap_or(fit.config.scale);
    Calibration {
        embedder: fit.embedder.clone(),
        fitted_for: fit.fitted_for.clone(),
        source: PHRASES.to_owned(),
        scale,
        questions: Thresholds { anchor_ambiguity, ..thresholds(&left_out, fit.router) },
        content: thresholds(&leave_one_out(content), fit.router),
        evidence_floor: fit.config.scale.carry(fit.router.evidence_floor, scale),
        cache_threshold: fit.config.scale.carry(fit.cache_threshold, scale),
        routing,
        floor: None,
    }
}

/// Fits from questions with known answers, on top of what the phrases gave.
pub fn from_labelled(fit: &Fit, base: &Calibration, samples: &[Sample], source: &str) -> Calibration {
    let with = |scores: fn(&Sample) -> &BTreeMap<String, f32>| -> Vec<LeftOut> {
        samples
            .iter()
            .filter_map(|sample| sample.truth.map(|truth| LeftOut { truth, scores: scores(sample).clone() }))
            .collect()
    };
    let by_phrases = with(|sample| &sample.anchors);
    let (anchor_ambiguity, _) = ambiguity(&by_phrases, fit.config.error_rate);
    let (combined, routing) = ambiguity(&with(|sample| &sample.scores), fit.config.error_rate);
    let mut questions = base.questions;
    if !by_phrases.is_empty() {
        let fitted = thresholds(&by_phrases, fit.router);
        let least = if by_phrases.len() < FEW_LABELLED { base.questions.delta } else { 0.0 };
        questions = Thresholds { delta: fitted.delta.max(least), ..fitted };
    }
    let floor = evidence_floor(samples, fit.config.error_rate);
    Calibration {
        source: source.to_owned(),
        questions: Thresholds { anchor_ambiguity, ambiguity: combined, ..questions },
        evidence_floor: floor.map_or(base.evidence_floor, |(floor, _)| floor),
        routing,
        floor: floor.map(|(_, quality)| quality),
        ..base.clone()
    }
}

/// Returns the conformal quantile of nonconformity scores at `error_rate`: the
/// ⌈(n + 1)(1 − `error_rate`)⌉-th smallest, or `None` when n is too small for that rate.
///
/// Split conformal prediction: Papadopoulos et al. 2002, "Inductive Confidence Machines for
/// Regression"; the finite-sample quantile as in Angelopoulos and Bates 2021, "A Gentle
/// Introduction to Conformal Prediction", section 1. A new score, exchangeable with these, is
/// larger with a probability of at most `error_rate`.
pub fn conformal_quantile(scores: &[f32], error_rate: f32) -> Option<f32> {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.get(position(sorted.len(), error_rate)?).copied()
}

/// Position from 0 of the conformal quantile among `n` sorted scores.
fn position(n: usize, error_rate: f32) -> Option<usize> {
    let place = ((n + 1) as f64 * (1.0 - f64::from(error_rate)) - 1e-9).ceil() as usize;
    (place <= n).then(|| place.saturating_sub(1))
}

/// How wrong the right store looks: the best of the others minus its own score; negative when it leads.
pub fn nonconformity(scores: &BTreeMap<String, f32>, truth: StoreKind) -> f32 {
    let own = scores.get(truth.as_str()).copied().unwrap_or(f32::NEG_INFINITY);
    let others = scores
        .iter()
        .filter(|(store, _)| store.as_str() != truth.as_str())
        .map(|(_, score)| *score)
        .fold(f32::NEG_INFINITY, f32::max);
    match (own.is_finite(), others.is_finite()) {
        (false, _) => f32::INFINITY,
        (true, false) => f32::NEG_INFINITY,
        (true, true) => others - own,
    }
}

/// The stores that may be the right one: the best, and those at most `ambiguity` behind it, best
/// first; all of them when no ambiguity is known.
pub fn prediction_set(scores: &BTreeMap<String, f32>, ambiguity: Option<f32>) -> Vec<StoreKind> {
    let ambiguity = ambiguity.unwrap_or(f32::INFINITY);
    let mut list: Vec<(StoreKind, f32)> = scores
        .iter()
        .filter_map(|(name, score)| StoreKind::parse(name).map(|store| (store, *score)))
        .collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let best = list.first().map_or(0.0, |first| first.1);
    list.into_iter().filter(|(_, score)| best - score <= ambiguity).map(|(store, _)| store).collect()
}

/// Fits the ambiguity to scored questions, and says what the stated error rate costs.
///
/// Each sample is judged by the quantile of all the others. With too few samples for the rate
/// there is no ambiguity to give: nothing can be promised, so every store stays possible.
pub fn ambiguity(samples: &[LeftOut], error_rate: f32) -> (Option<f32>, RoutingQuality) {
    let wrongness: Vec<f32> =
        samples.iter().map(|sample| nonconformity(&sample.scores, sample.truth)).collect();
    let mut sorted = wrongness.clone();
    sorted.sort_by(f32::total_cmp);
    let mut quality = RoutingQuality { samples: samples.len(), error_rate, ..RoutingQuality::default() };
    for (sample, own) in samples.iter().zip(&wrongness) {
        let possible = prediction_set(&sample.scores, usable(quantile_without(&sorted, *own, error_rate)));
        let right = possible.first() == Some(&sample.truth);
        quality.right += usize::from(right);
        quality.covered += usize::from(possible.contains(&sample.truth));
        if possible.len() == 1 {
            quality.decided += 1;
            quality.decided_wrong += usize::from(!right);
        }
    }
    let fitted = usable(conformal_quantile(&wrongness, error_rate));
    (fitted.filter(|value| value.is_finite()), quality)
}

/// A quantile as an ambiguity: never negative, so that the best store is always possible.
fn usable(quantile: Option<f32>) -> Option<f32> {
    quantile.map(|value| value.max(0.0))
}

/// The conformal quantile of `sorted` without one occurrence of `own`.
fn quantile_without(sorted: &[f32], own: f32, error_rate: f32) -> Option<f32> {
    let at = position(sorted.len().checked_sub(1)?, error_rate)?;
    let removed = sorted.partition_point(|value| value.total_cmp(&own).is_lt());
    sorted.get(if removed <= at { at + 1 } else { at }).copied()
}

/// Fits the evidence floor: the highest that turns away at most `error_rate` of the questions with
/// an answer in the files (conformal, one-sided), and what it lets through of the others.
///
/// `None` with too few answerable samples for the rate.
pub fn evidence_floor(samples: &[Sample], error_rate: f32) -> Option<(f32, FloorQuality)> {
    // A question whose words are held passes whatever its cosine: it never limits the floor.
    let lowness: Vec<f32> = samples
        .iter()
        .filter(|sample| sample.truth.is_some())
        .map(|sample| if sample.worded { f32::NEG_INFINITY } else { -sample.held })
        .collect();
    let floor = -conformal_quantile(&lowness, error_rate)?;
    let mut quality = FloorQuality { answerable: 0, turned_away: 0, unanswerable: 0, let_through: 0 };
    for sample in samples {
        let passes = sample.worded || sample.held >= floor;
        match sample.truth {
            Some(_) => {
                quality.answerable += 1;
                quality.turned_away += usize::from(!passes);
            }
            None => {
                quality.unanswerable += 1;
                quality.let_through += usize::from(passes);
            }
        }
    }
    floor.is_finite().then_some((floor, quality))
}
