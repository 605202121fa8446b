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
mod tables;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

pub use normal::{Asks, Direction, Modality, Normal, Word};

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

/// Why a cached answer is not served.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum Reason {
    /// The similarity is under the threshold.
    Score {
        /// Cosine similarity.
        score: f32,
        /// Least similarity of a hit.
        threshold: f32,
    },
    /// One of the questions says nothing that could be compared.
    Empty,
    /// The questions are in different languages.
    Language {
        /// Codes of both languages.
        differ: [String; 2],
    },
    /// They hold a different number of questions.
    Questions {
        /// Number of questions in each.
        differ: [usize; 2],
    },
    /// They ask for different kinds of things (`when`, `where`).
    Interrogative {
        /// What each asks for.
        differ: [String; 2],
    },
    /// Numbers, percentages or dates differ.
    Numbers {
        /// Those on one side only, of each.
        differ: [Vec<String>; 2],
    },
    /// Codes differ.
    Codes {
        /// Those on one side only, of each.
        differ: [Vec<String>; 2],
    },
    /// Names differ.
    Names {
        /// Those on one side only, of each.
        differ: [Vec<String>; 2],
    },
    /// Words that compare or rank differ.
    Comparison {
        /// Those on one side only, of each.
        differ: [Vec<String>; 2],
    },
    /// One is negated more often.
    Negation {
        /// Negations in each.
        differ: [usize; 2],
    },
    /// Words on one side only have no synonym on the other.
    Words {
        /// Those on one side only, of each.
        differ: [Vec<String>; 2],
    },
    /// The same words play other roles.
    Roles {
        /// The words in the order of each.
        differ: [Vec<String>; 2],
    },
    /// One asks about the past, the other about the present.
    Tense,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn sides(f: &mut fmt::Formatter<'_>, what: &str, differ: &[Vec<String>; 2]) -> fmt::Result {
            let side = |words: &[String]| if words.is_empty() { "-".to_owned() } else { words.join(" ") };
            write!(f, "{what} differ: {}/{}", side(&differ[0]), side(&differ[1]))
        }
        match self {
            Reason::Score { score, threshold } => write!(f, "score {score:.3} under {threshold:.3}"),
            Reason::Empty => f.write_str("nothing to compare"),
            Reason::Language { differ: [a, b] } => write!(f, "languages differ: {a}/{b}"),
            Reason::Questions { differ: [a, b] } => write!(f, "number of questions differs: {a}/{b}"),
            Reason::Interrogative { differ: [a, b] } => write!(f, "interrogatives differ: {a}/{b}"),
            Reason::Numbers { differ } => sides(f, "numbers", differ),
            Reason::Codes { differ } => sides(f, "codes", differ),
            Reason::Names { differ } => sides(f, "names", differ),
            Reason::Comparison { differ } => sides(f, "comparisons", differ),
            Reason::Negation { differ: [a, b] } => write!(f, "negations differ: {a}/{b}"),
            Reason::Words { differ } => sides(f, "words", differ),
            Reason::Roles { differ } => sides(f, "roles", differ),
            Reason::Tense => f.write_str("tenses differ"),
        }
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
    // Written so that a score that is not a number fails.
    if !(score >= config.threshold) {
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

/// Tells whether equal words stand in other roles.
fn roles_differ(a: &Normal, b: &Normal, vocabulary: &dyn Vocabulary) -> bool {
    let of_b = b.classes();
    let turned = a.words.iter().any(|w| {
        of_b.get(w.class.as_str()).is_some_and(|o| {
            w.negated != o.negated || matches!((w.direction, o.direction), (Some(x), Some(y)) if x != y)
        })
    });
    let name = |w: &Word| w.capital || vocabulary.is_name(&w.written);
    let permuted = a.frame == b.frame && order(a, &|_| true) != order(b, &|_| true);
    turned || permuted || names_permuted(a, b, &name) || reversed(a, b) || turned_around(a, b)
}

/// Tells whether the names that both sides mark stand in another order.
fn names_permuted(a: &Normal, b: &Normal, name: &dyn Fn(&Word) -> bool) -> bool {
    let marked = |n: &Normal| -> BTreeSet<String> {
        n.words.iter().filter(|w| name(w)).map(|w| w.class.clone()).collect()
    };
    let both: BTreeSet<String> = marked(a).intersection(&marked(b)).cloned().collect();
    order(a, &|w| both.contains(&w.class)) != order(b, &|w| both.contains(&w.class))
}

/// Returns the classes of the words that `keep` takes, in order; those that `and` or `or` joins are
/// sorted, since their order says nothing.
fn order(normal: &Normal, keep: &dyn Fn(&Word) -> bool) -> Vec<String> {
    groups(normal, keep).concat()
}

fn groups(normal: &Normal, keep: &dyn Fn(&Word) -> bool) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut slots = normal.words.iter();
    let mut joined = false;
    for item in &normal.frame {
        match item.as_str() {
            "_" => {
                let Some(word) = slots.next() else { break };
                let class = if keep(word) { vec![word.class.clone()] } else { Vec::new() };
                match groups.last_mut() {
                    Some(group) if joined => group.extend(class),
                    _ => groups.push(class),
                }
                joined = false;
            }
            "and" | "or" | "e" | "ou" | "y" => joined = true,
            _ => joined = false,
        }
    }
    groups.iter_mut().for_each(|g| g.sort());
    groups
}

/// `the boy watches the family`, `the family watches the boy`: two words have changed sides around a third.
fn turned_around(a: &Normal, b: &Normal) -> bool {
    let places = |n: &Normal| -> BTreeMap<String, usize> {
        let groups = groups(n, &|w| n.count(&w.class) == 1).into_iter().enumerate();
        groups.flat_map(|(at, group)| group.into_iter().map(move |class| (class, at))).collect()
    };
    let (of_a, of_b) = (places(a), places(b));
    let shared: Vec<(usize, usize)> =
        of_a.iter().filter_map(|(class, at)| of_b.get(class).map(|other| (*at, *other))).collect();
    shared.iter().any(|pivot| {
        let crosses = |w: &(usize, usize)| w.0 < pivot.0 && w.1 > pivot.1;
        let returns = |w: &(usize, usize)| w.0 > pivot.0 && w.1 < pivot.1;
        shared.iter().any(crosses) && shared.iter().any(returns)
    })
}

/// `time travel`, `travel time`: neighbours in the other order.
fn reversed(a: &Normal, b: &Normal) -> bool {
    let pairs = |n: &Normal| -> BTreeSet<(String, String)> {
        let mut slots = n.words.iter();
        let slot = |f: &String| if f == "_" { slots.next().map(|w| w.class.clone()) } else { None };
        let classes: Vec<Option<String>> = n.frame.iter().map(slot).collect();
        classes.windows(2).filter_map(|w| Some((w[0].clone()?, w[1].clone()?))).collect()
    };
    let (of_a, of_b) = (pairs(a), pairs(b));
    of_a.iter().any(|(x, y)| {
        let turned = (y.clone(), x.clone());
        of_b.contains(&turned) && !of_a.contains(&turned)
    })
}
