//! The threshold under which a text belongs to no intent, fitted to a stated share of rejections.

use serde::{Deserialize, Serialize};

use super::{Best, Classifier, Example, NONE};
use crate::decide::calibrate::conformal_quantile;
use crate::decide::measure::{Share, wilson};

/// What was fitted on which texts, and how they fared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// Least confidence that is accepted.
    pub threshold: f32,
    /// How far behind the best score the right intent may lie, for the stated rate.
    pub ambiguity: Option<f32>,
    /// The share of the identity in the covariance.
    pub shrinkage: f64,
    /// Where the texts with an intent came from: `anchors`, each without itself, or `labelled`.
    pub source: String,
    /// Texts with an intent.
    pub belonging: usize,
    /// Of those, given the right intent when nothing is rejected.
    pub right: usize,
    /// Of those, given the right intent and accepted.
    pub accepted_right: usize,
    /// Of those, rejected.
    pub rejected: usize,
    /// Texts of no intent.
    pub foreign: usize,
    /// Of those, rejected.
    pub foreign_rejected: usize,
}

impl Fitted {
    /// What the threshold costs and brings on the texts it was fitted to, in a line.
    pub fn summary(&self) -> String {
        let share = |passed: usize, total: usize| {
            let [low, high] = wilson(passed, total);
            let share = Share::new(passed, total).share;
            format!("{:.1} % (95 % {:.1} to {:.1})", share * 100.0, low * 100.0, high * 100.0)
        };
        let foreign = if self.foreign == 0 {
            "no text of no intent to learn from".to_owned()
        } else {
            format!("of {} others rejected {}", self.foreign, share(self.foreign_rejected, self.foreign))
        };
        format!(
            "threshold {:.4} fitted on {} {} texts: right {}, right and accepted {}; {foreign}",
            self.threshold,
            self.belonging,
            self.source,
            share(self.right, self.belonging),
            share(self.accepted_right, self.belonging)
        )
    }
}

/// A text with a known label, scored.
struct Scored {
    confidence: f32,
    right: bool,
    /// Best of the other intents minus the right one.
    wrongness: f32,
}

/// Fits the threshold.
///
/// Conformal bound: the largest threshold that rejects at most the stated share of texts with an
/// intent (see [`conformal_quantile`]). With texts of no intent at hand, the threshold below that
/// bound that parts both best: foreign texts rejected minus right ones lost (Youden 1950).
pub(super) fn threshold(
    classifier: &Classifier,
    anchors: &[Example],
    labelled: &[Example],
    sums: &[(Vec<f64>, usize)],
) -> Fitted {
    let config = &classifier.config;
    let number = |intent: &str| classifier.intents.binary_search_by(|known| known.as_str().cmp(intent)).ok();
    let of_labelled: Vec<Scored> = labelled
        .iter()
        .filter_map(|example| {
            let truth = number(&example.intent)?;
            Some(judge(classifier, &classifier.scores(&classifier.mapped(example)), truth))
        })
        .collect();
    let (source, belonging) = if of_labelled.is_empty() {
        ("anchor", left_out(classifier, anchors, sums))
    } else {
        ("labelled", of_labelled)
    };
    let foreign: Vec<f32> = labelled
        .iter()
        .filter(|example| example.intent == NONE)
        .map(|example| Best::of(&classifier.scores(&classifier.mapped(example))).confidence(config))
        .collect();
    let lowness: Vec<f32> = belonging.iter().map(|text| -text.confidence).collect();
    let bound = conformal_quantile(&lowness, config.reject_rate).map_or(f32::NEG_INFINITY, |value| -value);
    let threshold = if foreign.is_empty() { bound } else { parting(&belonging, &foreign, bound) };
    let wrongness: Vec<f32> = belonging.iter().map(|text| text.wrongness).collect();
    Fitted {
        // A sum of cosines is never under this; JSON knows no infinity.
        threshold: threshold.max(-4.0),
        ambiguity: conformal_quantile(&wrongness, config.reject_rate)
            .map(|value| value.max(0.0))
            .filter(|value| value.is_finite()),
        shrinkage: classifier.whitening.shrinkage,
        source: source.to_owned(),
        belonging: belonging.len(),
        right: belonging.iter().filter(|text| text.right).count(),
        accepted_right: belonging.iter().filter(|text| text.right && text.confidence >= threshold).count(),
        rejected: belonging.iter().filter(|text| text.confidence < threshold).count(),
        foreign: foreign.len(),
        foreign_rejected: foreign.iter().filter(|confidence| **confidence < threshold).count(),
    }
}

/// The threshold of at most `bound` with the most foreign texts below it and the fewest right ones.
fn parting(belonging: &[Scored], foreign: &[f32], bound: f32) -> f32 {
    let share = |passed: usize, total: usize| passed as f64 / total.max(1) as f64;
    let right = belonging.iter().filter(|text| text.right).count();
    let value = |threshold: f32| {
        let kept = belonging.iter().filter(|text| text.right && text.confidence >= threshold).count();
        let rejected = foreign.iter().filter(|confidence| **confidence < threshold).count();
        share(rejected, foreign.len()) + share(kept, right)
    };
    // Just above each foreign confidence is where a rejection is won.
    let mut candidates: Vec<f32> =
        foreign.iter().map(|confidence| confidence.next_up()).filter(|cut| *cut <= bound).collect();
    candidates.push(bound);
    candidates.sort_by(f32::total_cmp);
    candidates
        .into_iter()
        .map(|cut| (cut, value(cut)))
        .fold((f32::NEG_INFINITY, f64::NEG_INFINITY), |best, next| if next.1 >= best.1 { next } else { best })
        .0
}

fn judge(classifier: &Classifier, scores: &[f32], truth: usize) -> Scored {
    let best = Best::of(scores);
    let others = scores.iter().enumerate().filter(|(at, _)| *at != truth).map(|(_, score)| *score);
    let others = others.fold(f32::NEG_INFINITY, f32::max);
    let wrongness = if others.is_finite() { others - scores[truth] } else { -1.0 };
    Scored { confidence: best.confidence(&classifier.config), right: best.intent == truth, wrongness }
}

/// Scores anchors without themselves: the mean and the neighbours of their own intent forget them.
/// The whitening still knows them, one of very many. Evenly spread anchors stand for all.
fn left_out(classifier: &Classifier, anchors: &[Example], sums: &[(Vec<f64>, usize)]) -> Vec<Scored> {
    let step = anchors.len().div_ceil(classifier.config.held_out.max(1)).max(1);
    let mut seen = vec![0_usize; classifier.intents.len()];
    let mut judged = Vec::new();
    for (index, anchor) in anchors.iter().enumerate() {
        let Ok(intent) = classifier.intents.binary_search(&anchor.intent) else { continue };
        let position = seen[intent];
        seen[intent] += 1;
        let (sum, count) = &sums[intent];
        // An intent of one example is not there without it.
        if index % step != 0 || *count < 2 {
            continue;
        }
        let mean =
            sum.iter().zip(&anchor.vector).map(|(sum, own)| (sum - f64::from(*own)) / (count - 1) as f64);
        let mean = classifier.whitening.apply(mean);
        let mapped = &classifier.examples[intent][position];
        let mut scores = classifier.scores(mapped);
        scores[intent] = classifier.score(intent, mapped, &mean, Some(position));
        judged.push(judge(classifier, &scores, intent));
    }
    judged
}

impl Classifier {
    fn mapped(&self, example: &Example) -> Vec<f32> {
        self.whitening.apply(example.vector.iter().map(|value| f64::from(*value)))
    }
}
