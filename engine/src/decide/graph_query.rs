//! Ranking of a graph question, in numbers only: which facts a question means, how much mass
//! each seed gets, and how walk, dense and lexical scores are fused.
//!
//! The scheme is that of HippoRAG 2 (Gutiérrez et al. 2025, "From RAG to Memory", section 3)
//! with its model filter replaced by arithmetic.

use std::cmp::Ordering;

use super::text::fold;

/// Facts that the recognition looks at; the last one's score is the level of no relevance.
const CANDIDATES: usize = 51;

/// Constants of the graph store; `config.toml`, section `[graph]`, explains each.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphConfig {
    /// Most facts a question is linked to.
    pub linked_facts: usize,
    /// Weight of the words that a fact shares with the question, similarity weighing 1.
    pub agreement_weight: f64,
    /// A linked fact's weight is its relative score to this power.
    pub fact_sharpness: f64,
    /// An entity's seed mass is divided by the number of its passages to this power.
    pub specificity: f64,
    /// Share of a passage's prior that becomes seed mass, relative to phrase seeds.
    pub passage_weight: f64,
    /// Most passages that get seed mass.
    pub seed_passages: usize,
    /// Weight of the lexical score in a passage's prior, dense being 1.
    pub seed_lexical: f64,
    /// Chance to walk on instead of returning to a seed.
    pub damping: f64,
    /// Weight of an edge between the two ends of a fact, per passage that states it.
    pub relation_weight: f32,
    /// Weight of an edge between a passage and an entity of its facts or headings.
    pub context_weight: f32,
    /// Added to it for an entity that the passage's heading names.
    pub title_weight: f32,
    /// Weight of an edge between a passage and an entity that only occurs in its text.
    pub mention_weight: f32,
    /// Weight of an edge between a name and a name inside it, times their share of words.
    pub part_weight: f32,
    /// Weight of an edge between two entities with similar names, times the similarity.
    pub synonym_weight: f32,
    /// Least cosine of two entity names for a synonym edge; over 1 for none.
    pub synonym_threshold: f32,
    /// Weight of the walk in the final score.
    pub fuse_walk: f64,
    /// Weight of the dense score in the final score.
    pub fuse_dense: f64,
    /// Weight of the lexical score in the final score.
    pub fuse_lexical: f64,
    /// Graphs with fewer edges are solved exactly, larger ones by forward push.
    pub exact_below_edges: usize,
    /// Exact solver: greatest L1 error.
    pub exact_tolerance: f64,
    /// Forward push: greatest undelivered mass of a node per unit of its edge weight.
    pub push_epsilon: f64,
}

impl Default for GraphConfig {
    fn default() -> Self {
        Self {
            linked_facts: 20,
            agreement_weight: 1.0,
            fact_sharpness: 3.0,
            specificity: 1.0,
            passage_weight: 0.05,
            seed_passages: 200,
            seed_lexical: 0.3,
            damping: 0.7,
            relation_weight: 1.0,
            context_weight: 1.0,
            title_weight: 3.0,
            mention_weight: 1.0,
            part_weight: 1.0,
            synonym_weight: 1.0,
            synonym_threshold: 1.01,
            fuse_walk: 1.0,
            fuse_dense: 0.0,
            fuse_lexical: 0.0,
            exact_below_edges: 20_000,
            exact_tolerance: 1e-6,
            push_epsilon: 5e-6,
        }
    }
}

/// Why a candidate fact was kept or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Recognition {
    /// It seeds the walk.
    Linked,
    /// Enough better facts.
    OverLimit,
    /// It speaks of a code of the same series as, but other than, the question's.
    OtherNumber,
}

/// What the recognition knows of all facts; the four lists are parallel.
pub struct Facts<'a> {
    /// Cosine of question and fact.
    pub similarities: &'a [f32],
    /// Share of the question's words, weighted by rarity, that the fact holds.
    pub agreements: &'a [f32],
    /// Returns subject and object as written.
    pub names: &'a dyn Fn(usize) -> (&'a str, &'a str),
    /// Orders facts with equal scores, independently of their place.
    pub tie: &'a dyn Fn(usize, usize) -> Ordering,
}

/// A fact after the filter, with the numbers behind its fate.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    /// Place of the fact in the lists.
    pub fact: usize,
    /// Cosine of question and fact.
    pub similarity: f32,
    /// Share of the question's words that the fact holds, in `[0, 1]`.
    pub agreement: f32,
    /// Scaled similarity plus weighted agreement: what facts are ordered by.
    pub score: f64,
    /// What the fact gives to its ends, in `[0, 1]`; 0 when it is not linked.
    pub weight: f64,
    /// What became of it.
    pub recognition: Recognition,
}

/// Decides which facts the question means. Best first.
///
/// Absolute cosines say little (they differ by embedder and crowd together), so similarity is
/// taken relative to the background: 1 for the nearest fact, 0 for the 51st. Words shared with
/// the question are added. What is best by that sum, again relative to the 51st, and raised to
/// `fact_sharpness`, is a fact's weight. Facts about another code of the question's series
/// (`PC-09` when `PC-04` is asked) are left out.
pub fn recognise(question: &str, facts: &Facts<'_>, config: &GraphConfig) -> Vec<Recognised> {
    let (low, high) = background(facts.similarities.iter().map(|&s| f64::from(s)).collect());
    let scores: Vec<f64> = facts
        .similarities
        .iter()
        .zip(facts.agreements)
        .map(|(&similarity, &agreement)| {
            relative(f64::from(similarity), low, high) + config.agreement_weight * f64::from(agreement)
        })
        .collect();
    let better = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then_with(|| (facts.tie)(*a, *b));
    let mut best: Vec<usize> = (0..scores.len()).collect();
    if best.len() > CANDIDATES {
        best.select_nth_unstable_by(CANDIDATES - 1, better);
        best.truncate(CANDIDATES);
    }
    best.sort_unstable_by(better);
    let (low, high) = background(scores.clone());
    let asked = codes(question);
    let mut linked = 0;
    best.into_iter()
        .map(|fact| {
            let (subject, object) = (facts.names)(fact);
            let mut weight = relative(scores[fact], low, high).max(0.0).powf(config.fact_sharpness);
            let recognition = if contradicts(&asked, subject, object) {
                Recognition::OtherNumber
            } else if linked == config.linked_facts || weight == 0.0 {
                Recognition::OverLimit
            } else {
                linked += 1;
                Recognition::Linked
            };
            if recognition != Recognition::Linked {
                weight = 0.0;
            }
            Recognised {
                fact,
                similarity: facts.similarities[fact],
                agreement: facts.agreements[fact],
                score: scores[fact],
                weight,
                recognition,
            }
        })
        .collect()
}

/// Returns the score of no relevance and the best one. The first is the 51st, or in a small
/// graph the one in the middle.
fn background(mut scores: Vec<f64>) -> (f64, f64) {
    let high = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if scores.is_empty() {
        return (0.0, 0.0);
    }
    let place = (CANDIDATES - 1).min(scores.len() / 2);
    let (_, low, _) = scores.select_nth_unstable_by(place, |a, b| b.total_cmp(a));
    (*low, high)
}

fn relative(score: f64, low: f64, high: f64) -> f64 {
    if high > low { (score - low) / (high - low) } else { 1.0 }
}

/// Codes such as `PC-04`: `(letters, digits)`, folded.
fn codes(text: &str) -> Vec<(String, String)> {
    let folded = fold(text);
    let mut found = Vec::new();
    for word in folded.split(|c: char| !(c.is_alphanumeric() || c == '-')) {
        let letters: String = word.chars().take_while(|c| c.is_alphabetic()).collect();
        let rest = word[letters.len()..].trim_start_matches('-');
        let digits = !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit());
        if digits && (1..=5).contains(&letters.chars().count()) {
            found.push((letters, rest.trim_start_matches('0').to_owned()));
        }
    }
    found
}

/// Says whether the fact names a code of a series of which the question names only others.
fn contradicts(asked: &[(String, String)], subject: &str, object: &str) -> bool {
    if asked.is_empty() {
        return false;
    }
    let mut stated = codes(subject);
    stated.extend(codes(object));
    let related = stated.iter().any(|code| asked.iter().any(|other| other.0 == code.0));
    related && !stated.iter().any(|code| asked.contains(code))
}

/// A linked fact's part in the phrase seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FactEnds {
    /// The fact's weight.
    pub weight: f64,
    /// Subject and object, as nodes.
    pub nodes: [u32; 2],
    /// Passages that name subject and object.
    pub passages: [usize; 2],
}

/// Returns `(node, mass)` of the phrase seeds: an entity gets the mean weight of its linked
/// facts, divided by the number of passages that name it to the power `specificity`. By
/// ascending node.
pub fn phrase_seeds(facts: &[FactEnds], specificity: f64) -> Vec<(u32, f64)> {
    let mut sums: std::collections::BTreeMap<u32, (f64, usize, usize)> = std::collections::BTreeMap::new();
    for fact in facts {
        for (node, passages) in fact.nodes.into_iter().zip(fact.passages) {
            let entry = sums.entry(node).or_insert((0.0, 0, passages));
            entry.0 += fact.weight;
            entry.1 += 1;
        }
    }
    sums.into_iter()
        .map(|(node, (sum, count, passages))| {
            (node, sum / count as f64 / (passages.max(1) as f64).powf(specificity))
        })
        .filter(|seed| seed.1 > 0.0)
        .collect()
}

/// Scales scores to `[0, 1]` by their least and greatest; all equal gives all 1.
pub fn scale(scores: &[(i64, f32)]) -> std::collections::HashMap<i64, f64> {
    let finite = || scores.iter().map(|score| f64::from(score.1)).filter(|score| score.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    scores
        .iter()
        .filter(|score| score.1.is_finite())
        .map(|&(id, score)| (id, if high > low { (f64::from(score) - low) / (high - low) } else { 1.0 }))
        .collect()
}
