//! The router as a library: the intent of a text by labelled examples, or none of them.
//!
//! Examples, settings and the decision are plain data; [`Classifier::decide`] is a pure function
//! of an embedding. Each intent is scored by the cosine to its mean, mixed with the mean cosine to
//! its nearest examples, both after whitening by the examples' covariance. A text whose confidence
//! stays below the fitted threshold belongs to none.

mod fit;
#[cfg(test)]
mod tests;
mod whiten;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::decide::rank::dot;
use whiten::Whitening;

pub use fit::Fitted;

/// Label of texts that belong to no intent.
pub const NONE: &str = "oos";

/// `[classify]` of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClassifyConfig {
    /// Least share of the identity in the covariance that whitens; the closed form may ask for more.
    pub shrinkage: f64,
    /// Nearest examples of an intent that count.
    pub neighbours: usize,
    /// Their weight; the mean of the intent has the rest.
    pub neighbour_weight: f32,
    /// Weight of the margin to the second intent beside the best score in the confidence.
    pub margin_weight: f32,
    /// Stated share of texts that belong to an intent and are rejected.
    pub reject_rate: f32,
    /// Most examples that are scored without themselves to fit the threshold.
    pub held_out: usize,
}

impl Default for ClassifyConfig {
    fn default() -> Self {
        Self {
            shrinkage: 0.85,
            neighbours: 3,
            neighbour_weight: 0.5,
            margin_weight: 0.6,
            reject_rate: 0.015,
            held_out: 2000,
        }
    }
}

/// A labelled text, embedded.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Its intent, or [`NONE`].
    pub intent: String,
    /// Its unit vector.
    pub vector: Vec<f32>,
}

/// Why no classifier can be made of the examples.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClassifyError {
    /// There are none.
    #[error("no examples")]
    Empty,
    /// Vectors of several lengths.
    #[error("example {number} has {found} dimensions, the first one {expected}")]
    Dimension {
        /// Number of the example, from 1.
        number: usize,
        /// Its dimension.
        found: usize,
        /// That of the first.
        expected: usize,
    },
    /// A vector with NaN or infinities.
    #[error("example {number} is not a finite vector")]
    NotFinite {
        /// Number of the example, from 1.
        number: usize,
    },
}

/// A decision with every number behind it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// The intent; `None` when the text belongs to none.
    pub intent: Option<String>,
    /// The score of every intent, also the rejected ones.
    pub scores: BTreeMap<String, f32>,
    /// Best minus second best.
    pub margin: f32,
    /// What is compared with the threshold: best score plus weighted margin.
    pub confidence: f32,
    /// Least confidence that is accepted.
    pub threshold: f32,
    /// Intents that may be the right one, best first: those whose score is near enough to the best.
    pub possible: Vec<String>,
}

/// Examples made ready for deciding.
#[derive(Debug, Clone)]
pub struct Classifier {
    intents: Vec<String>,
    whitening: Whitening,
    /// Whitened examples, by intent.
    examples: Vec<Vec<Vec<f32>>>,
    /// Whitened means.
    means: Vec<Vec<f32>>,
    config: ClassifyConfig,
    fitted: Fitted,
}

impl Classifier {
    /// Makes a classifier of `anchors`, and fits its threshold to `labelled` texts (intents, or
    /// [`NONE`]); where those have no intents, to the anchors without themselves.
    ///
    /// # Errors
    /// [`ClassifyError`] naming the example. Texts of `labelled` with an unknown intent are left out.
    pub fn fit(
        anchors: &[Example],
        labelled: &[Example],
        config: &ClassifyConfig,
    ) -> Result<Self, ClassifyError> {
        let dimension = anchors.first().ok_or(ClassifyError::Empty)?.vector.len();
        for (index, example) in anchors.iter().chain(labelled).enumerate() {
            let number = index + 1;
            if example.vector.len() != dimension {
                let found = example.vector.len();
                return Err(ClassifyError::Dimension { number, found, expected: dimension });
            }
            if example.vector.iter().any(|value| !value.is_finite()) {
                return Err(ClassifyError::NotFinite { number });
            }
        }
        let mut intents: Vec<String> = anchors.iter().map(|example| example.intent.clone()).collect();
        intents.sort();
        intents.dedup();
        let number: BTreeMap<&str, usize> =
            intents.iter().enumerate().map(|(at, intent)| (intent.as_str(), at)).collect();
        let intent_of: Vec<usize> = anchors.iter().map(|example| number[example.intent.as_str()]).collect();
        let vectors: Vec<&[f32]> = anchors.iter().map(|example| example.vector.as_slice()).collect();
        let sums = sums(&vectors, &intent_of, intents.len(), dimension);
        let means: Vec<Vec<f64>> = sums
            .iter()
            .map(|(sum, count)| sum.iter().map(|value| value / (*count).max(1) as f64).collect())
            .collect();
        let whitening = Whitening::fit(&vectors, &intent_of, &means, config.shrinkage);
        let mut examples: Vec<Vec<Vec<f32>>> = vec![Vec::new(); intents.len()];
        for (vector, intent) in vectors.iter().zip(&intent_of) {
            examples[*intent].push(whitening.apply(vector.iter().map(|value| f64::from(*value))));
        }
        let means = means.iter().map(|mean| whitening.apply(mean.iter().copied())).collect();
        let mut classifier =
            Self { intents, whitening, examples, means, config: config.clone(), fitted: Fitted::default() };
        classifier.fitted = fit::threshold(&classifier, anchors, labelled, &sums);
        Ok(classifier)
    }

    /// What was fitted, and what it costs.
    pub fn fitted(&self) -> &Fitted {
        &self.fitted
    }

    /// The intents, in the order of their scores' names.
    pub fn intents(&self) -> &[String] {
        &self.intents
    }

    /// Decides on the unit vector of a text. Pure: the same numbers give the same decision.
    pub fn decide(&self, vector: &[f32]) -> Decision {
        let mapped = self.whitening.apply(vector.iter().map(|value| f64::from(*value)));
        let scores = self.scores(&mapped);
        let best = Best::of(&scores);
        let confidence = best.confidence(&self.config);
        let possible = self.possible(&scores, best.score);
        Decision {
            intent: (confidence >= self.fitted.threshold).then(|| self.intents[best.intent].clone()),
            margin: best.margin,
            confidence,
            threshold: self.fitted.threshold,
            possible,
            scores: self.intents.iter().cloned().zip(scores).collect(),
        }
    }

    fn possible(&self, scores: &[f32], best: f32) -> Vec<String> {
        let Some(within) = self.fitted.ambiguity else { return Vec::new() };
        let mut near: Vec<usize> = (0..scores.len()).filter(|at| best - scores[*at] <= within).collect();
        near.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        near.into_iter().map(|at| self.intents[at].clone()).collect()
    }

    /// Scores of all intents for a whitened vector.
    fn scores(&self, mapped: &[f32]) -> Vec<f32> {
        (0..self.intents.len()).map(|intent| self.score(intent, mapped, &self.means[intent], None)).collect()
    }

    /// One intent's score; `without` leaves an example out of the neighbours.
    fn score(&self, intent: usize, mapped: &[f32], mean: &[f32], without: Option<usize>) -> f32 {
        let near = self.config.neighbours.min(self.examples[intent].len() - usize::from(without.is_some()));
        let central = dot(mean, mapped);
        if near == 0 || self.config.neighbour_weight == 0.0 {
            return central;
        }
        let cosines = self.examples[intent]
            .iter()
            .enumerate()
            .filter(|(at, _)| Some(*at) != without)
            .map(|(_, example)| dot(example, mapped));
        let weight = self.config.neighbour_weight;
        (1.0 - weight) * central + weight * mean_of_largest(cosines, near)
    }
}

/// Sum and number of the vectors of each intent.
fn sums(vectors: &[&[f32]], intent_of: &[usize], intents: usize, dimension: usize) -> Vec<(Vec<f64>, usize)> {
    let mut sums = vec![(vec![0.0; dimension], 0); intents];
    for (vector, intent) in vectors.iter().zip(intent_of) {
        let (sum, count) = &mut sums[*intent];
        sum.iter_mut().zip(*vector).for_each(|(sum, value)| *sum += f64::from(*value));
        *count += 1;
    }
    sums
}

/// Mean of the `most` largest values.
fn mean_of_largest(values: impl Iterator<Item = f32>, most: usize) -> f32 {
    let mut largest: Vec<f32> = Vec::with_capacity(most + 1);
    for value in values {
        let place = largest.partition_point(|known| *known >= value);
        if place < most {
            largest.insert(place, value);
            largest.truncate(most);
        }
    }
    largest.iter().sum::<f32>() / largest.len().max(1) as f32
}

/// The best of some scores.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Best {
    intent: usize,
    score: f32,
    margin: f32,
}

impl Best {
    /// The largest, the first among equals; the margin to nothing is 0.
    fn of(scores: &[f32]) -> Self {
        let mut best = Self { intent: 0, score: f32::NEG_INFINITY, margin: 0.0 };
        let mut second = f32::NEG_INFINITY;
        for (intent, score) in scores.iter().enumerate() {
            if *score > best.score {
                second = best.score;
                (best.intent, best.score) = (intent, *score);
            } else {
                second = second.max(*score);
            }
        }
        best.margin = if second.is_finite() { best.score - second } else { 0.0 };
        best
    }

    fn confidence(self, config: &ClassifyConfig) -> f32 {
        self.score + config.margin_weight * self.margin
    }
}
