//! May a question be served the answer cached for another?
//!
//! Cosine similarity alone cannot tell: questions that differ in one name score higher than
//! real paraphrases. So a hit needs the score **and** every check below to pass; a word that
//! stands on one side only must be a synonym of one on the other side, never ignored.
//!
//! 1. the same language, the same number of questions, the same kind of interrogative;
//! 2. equal sets of numbers, percentages, dates and codes;
//! 3. equal sets of names: capitalised ones, and those a [`Vocabulary`] knows in lower case;
//! 4. the same negation;
//! 5. equal sets of canonical words (stems, synonyms, phrases rewritten);
//! 6. the same roles: no word reached by `from` here and by `to` there, and no frame that is
//!    equal while its words are permuted (`A to B`, `B to A`).

mod normal;
mod reason;
mod roles;
mod stream;
mod tables;
mod words;

pub use words::class;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use normal::{Asks, Direction, Modality, Normal, Word};

pub use reason::Reason;

use roles::roles_differ;
use tables::COMPARISONS;

/// `[cache]` of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CacheConfig {
    /// Whether answers are cached at all.
    pub enabled: bool,
    /// Least cosine similarity of two questions for a hit (for multilingual-e5-small).
    pub threshold: f32,
    /// Most answers kept; the one used longest ago goes first.
    pub max_entries: usize,
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self { enabled: true, threshold: 0.88, max_entries: 10_000 }
    }
}

/// The settings of the guard itself.
pub type GuardConfig = CacheConfig;

/// What the stores hold, as far as the guard asks.
pub trait Vocabulary {
    /// Tells whether `folded` names an entity, a column's value or a heading.
    fn is_name(&self, folded: &str) -> bool;
}

/// A vocabulary that knows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoVocabulary;

impl Vocabulary for NoVocabulary {
    fn is_name(&self, _folded: &str) -> bool {
        false
    }
}

/// A question prepared for comparison.
#[derive(Debug, Clone)]
pub struct Query {
    text: String,
    normal: Normal,
}

impl Query {
    /// Prepares `text`.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), normal: Normal::of(text) }
    }

    /// Returns the question as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its normal form.
    pub fn normal(&self) -> &Normal {
        &self.normal
    }
}

/// The outcome of the guard, with everything that spoke against a hit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether the cached answer may be served.
    pub hit: bool,
    /// The similarity that was given.
    pub score: f32,
    /// Why not; empty on a hit.
    pub reasons: Vec<Reason>,
}

impl Verdict {
    /// Returns the reasons in one line, or `pass`.
    pub fn summary(&self) -> String {
        if self.reasons.is_empty() {
            return "pass".to_owned();
        }
        self.reasons.iter().map(Reason::to_string).collect::<Vec<_>>().join("; ")
    }
}

/// Tells whether `b` may be served the answer cached for `a`, whose cosine similarity is `score`.
pub fn check(a: &Query, b: &Query, score: f32, config: &GuardConfig, vocabulary: &dyn Vocabulary) -> Verdict {
    let mut reasons = Vec::new();
    if score.is_nan() || score < config.threshold {
        reasons.push(Reason::Score { score, threshold: config.threshold });
    }
    if a.text.trim() != b.text.trim() {
        reasons.extend(compare(&a.normal, &b.normal, vocabulary));
    }
    Verdict { hit: reasons.is_empty(), score, reasons }
}

/// Lists everything that tells two questions apart, apart from their similarity.
pub fn compare(a: &Normal, b: &Normal, vocabulary: &dyn Vocabulary) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if let (Some(x), Some(y)) = (a.language.language, b.language.language)
        && x != y
        && [a, b].iter().all(|n| n.language.margin() > 0.25 && n.language.evidence() >= 3.0)
    {
        reasons.push(Reason::Language { differ: [x.code().to_owned(), y.code().to_owned()] });
    }
    if a.questions != b.questions {
        reasons.push(Reason::Questions { differ: [a.questions, b.questions] });
    }
    if a.asks != b.asks {
        let said = |asks: &[Asks]| {
            asks.iter().map(|k| format!("{k:?}").to_lowercase()).collect::<Vec<_>>().join("+")
        };
        reasons.push(Reason::Interrogative { differ: [said(&a.asks), said(&b.asks)] });
    }
    if let Some(differ) = difference(&a.numbers, &b.numbers) {
        reasons.push(Reason::Numbers { differ });
    }
    if let Some(differ) = difference(&a.codes, &b.codes) {
        reasons.push(Reason::Codes { differ });
    }
    if a.negations != b.negations {
        reasons.push(Reason::Negation { differ: [a.negations, b.negations] });
    }
    if a.past != b.past {
        reasons.push(Reason::Tense);
    }
    let compared = reasons.len();
    reasons.extend(words_differ(a, b, vocabulary));
    if reasons.len() == compared && roles_differ(a, b, vocabulary) {
        let order = |n: &Normal| n.words.iter().map(|w| w.written.clone()).collect();
        reasons.push(Reason::Roles { differ: [order(a), order(b)] });
    }
    if a.words.is_empty() && a.numbers.is_empty() && a.codes.is_empty() {
        reasons.push(Reason::Empty);
    }
    reasons
}

/// Returns what one sorted list has beyond the other, of each side, unless they are equal.
fn difference(a: &[String], b: &[String]) -> Option<[Vec<String>; 2]> {
    let beyond = |own: &[String], other: &[String]| -> Vec<String> {
        let mut rest = other.to_vec();
        own.iter()
            .filter(|v| match rest.iter().position(|r| r == *v) {
                Some(at) => {
                    rest.remove(at);
                    false
                }
                None => true,
            })
            .cloned()
            .collect()
    };
    (a != b).then(|| [beyond(a, b), beyond(b, a)])
}

/// Sorts the words that one side has alone into names, comparisons and others.
fn words_differ(a: &Normal, b: &Normal, vocabulary: &dyn Vocabulary) -> Vec<Reason> {
    let (of_a, of_b) = (a.classes(), b.classes());
    let mut sorted: [[Vec<String>; 2]; 3] = Default::default();
    for (side, own) in [&of_a, &of_b].into_iter().enumerate() {
        for (class, word) in own {
            let (own_count, other_count) =
                if side == 0 { (a.count(class), b.count(class)) } else { (b.count(class), a.count(class)) };
            if own_count <= other_count {
                continue;
            }
            let sort = if COMPARISONS.contains(class) {
                1
            } else if word.capital || vocabulary.is_name(&word.written) {
                0
            } else {
                2
            };
            sorted[sort][side].push(word.written.clone());
        }
    }
    let [names, comparisons, words] = sorted;
    let mut reasons = Vec::new();
    let empty = |differ: &[Vec<String>; 2]| differ.iter().all(Vec::is_empty);
    if !empty(&names) {
        reasons.push(Reason::Names { differ: names });
    }
    if !empty(&comparisons) {
        reasons.push(Reason::Comparison { differ: comparisons });
    }
    if !empty(&words) {
        reasons.push(Reason::Words { differ: words });
    }
    reasons
}
