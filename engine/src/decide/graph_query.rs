//! Ranking of a graph question, in numbers only: which facts a question means, how much mass
//! each seed gets, and how walk, dense and lexical scores are fused.
//!
//! The scheme is that of HippoRAG 2 (Gutiérrez et al. 2025, "From RAG to Memory", section 3)
//! with its model filter replaced by arithmetic.

use super::text::{fold, folded_words};

/// Constants of the graph store; `config.toml`, section `[graph]`, explains each.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphConfig {
    /// Most facts a question is linked to.
    pub linked_facts: usize,
    /// Facts this far below the best similarity are not meant.
    pub fact_margin: f32,
    /// Added to a fact's similarity when all of its name words are in the question.
    pub agreement_weight: f32,
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
    /// Weight of an edge between a passage and an entity it names.
    pub context_weight: f32,
    /// Weight of an edge between two entities with similar names, times the similarity.
    pub synonym_weight: f32,
    /// Least cosine of two entity names for a synonym edge.
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
            linked_facts: 5,
            fact_margin: 0.1,
            agreement_weight: 0.0,
            passage_weight: 0.05,
            seed_passages: 200,
            seed_lexical: 0.3,
            damping: 0.7,
            relation_weight: 1.0,
            context_weight: 1.0,
            synonym_weight: 1.0,
            synonym_threshold: 0.94,
            fuse_walk: 1.0,
            fuse_dense: 0.5,
            fuse_lexical: 0.15,
            exact_below_edges: 20_000,
            exact_tolerance: 1e-6,
            push_epsilon: 1e-6,
        }
    }
}

/// Why a candidate fact was kept or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Recognition {
    /// It seeds the walk.
    Linked,
    /// Its score is too far below the best one.
    BelowMargin,
    /// Enough better facts.
    OverLimit,
    /// It speaks of a code or number of the same kind as, but other than, the question's.
    OtherNumber,
}

/// A fact put before the recognition filter.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<'a> {
    /// Caller's handle of the fact.
    pub fact: usize,
    /// Cosine of question and fact.
    pub similarity: f32,
    /// Subject as written.
    pub subject: &'a str,
    /// Object as written.
    pub object: &'a str,
}

/// A fact after the filter, with the numbers behind its fate.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    /// Caller's handle of the fact.
    pub fact: usize,
    /// Cosine of question and fact.
    pub similarity: f32,
    /// Share of the fact's name words that the question holds, in `[0, 1]`.
    pub agreement: f32,
    /// Similarity plus weighted agreement: what facts are ordered by.
    pub score: f32,
    /// What became of it.
    pub recognition: Recognition,
}

/// Decides which facts the question means: those with the best scores, within the margin of the
/// best one, at most `linked_facts`. Best first, ties in the order of `candidates`.
pub fn recognise(question: &str, candidates: &[Candidate<'_>], config: &GraphConfig) -> Vec<Recognised> {
    let question_words = folded_words(question);
    let question_codes = codes(question);
    let mut found: Vec<Recognised> = candidates
        .iter()
        .map(|candidate| {
            let agreement = agreement(&question_words, candidate);
            let other = contradicts(&question_codes, candidate);
            Recognised {
                fact: candidate.fact,
                similarity: candidate.similarity,
                agreement,
                score: candidate.similarity + config.agreement_weight * agreement,
                recognition: if other { Recognition::OtherNumber } else { Recognition::Linked },
            }
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let best = found.iter().find(|fact| fact.recognition == Recognition::Linked).map(|fact| fact.score);
    let mut linked = 0;
    for fact in found.iter_mut().filter(|fact| fact.recognition == Recognition::Linked) {
        if best.is_some_and(|best| fact.score < best - config.fact_margin) {
            fact.recognition = Recognition::BelowMargin;
        } else if linked == config.linked_facts {
            fact.recognition = Recognition::OverLimit;
        } else {
            linked += 1;
        }
    }
    found
}

/// Returns the greater share, of subject's and object's words, that the question holds.
fn agreement(question_words: &[String], candidate: &Candidate<'_>) -> f32 {
    let share = |name: &str| {
        let words = folded_words(name);
        let held = words.iter().filter(|word| question_words.contains(word)).count();
        if words.is_empty() { 0.0 } else { held as f32 / words.len() as f32 }
    };
    share(candidate.subject).max(share(candidate.object))
}

/// Codes such as `PC-04`: `(letters, digits)`, folded.
fn codes(text: &str) -> Vec<(String, String)> {
    let folded = fold(text);
    let mut found = Vec::new();
    for word in folded.split(|c: char| !(c.is_alphanumeric() || c == '-')) {
        let letters: String = word.chars().take_while(|c| c.is_alphabetic()).collect();
        let rest = word[letters.len()..].trim_start_matches('-');
        if (1..=5).contains(&letters.chars().count())
            && !rest.is_empty()
            && rest.chars().all(|c| c.is_ascii_digit())
        {
            found.push((letters, rest.to_owned()));
        }
    }
    found
}

/// Says whether the fact names a code of a series of which the question names another member.
fn contradicts(question_codes: &[(String, String)], candidate: &Candidate<'_>) -> bool {
    if question_codes.is_empty() {
        return false;
    }
    let mut fact_codes = codes(candidate.subject);
    fact_codes.extend(codes(candidate.object));
    let same = |a: &(String, String), b: &(String, String)| {
        a.0 == b.0 && a.1.trim_start_matches('0') == b.1.trim_start_matches('0')
    };
    let related = fact_codes.iter().any(|code| question_codes.iter().any(|asked| asked.0 == code.0));
    related && !fact_codes.iter().any(|code| question_codes.iter().any(|asked| same(asked, code)))
}

/// A linked fact's part in the phrase seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FactEnds {
    /// The fact's weight: its score.
    pub weight: f64,
    /// Subject and object, as nodes.
    pub nodes: [u32; 2],
    /// Passages that name subject and object.
    pub passages: [usize; 2],
}

/// Returns `(node, mass)` of the phrase seeds: an entity gets the mean weight of its linked
/// facts, divided by the number of passages that name it (its specificity). By ascending node.
pub fn phrase_seeds(facts: &[FactEnds]) -> Vec<(u32, f64)> {
    let mut sums: std::collections::BTreeMap<u32, (f64, usize, usize)> = std::collections::BTreeMap::new();
    for fact in facts {
        for (node, passages) in fact.nodes.into_iter().zip(fact.passages) {
            let entry = sums.entry(node).or_insert((0.0, 0, passages));
            entry.0 += fact.weight;
            entry.1 += 1;
        }
    }
    sums.into_iter()
        .map(|(node, (sum, count, passages))| (node, sum / count as f64 / passages.max(1) as f64))
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
