//! The router: which store does this question part or this chunk belong in?
//!
//! Three stages, cheapest first: a heuristic (a spreadsheet is tabular by definition), cosine to
//! example phrases with a margin, and the evidence of what each store holds. The same function
//! serves questions and chunks; every score it saw is in the [`Decision`] it returns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::decide::rank::dot;

/// A kind of store; routes lead to one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreKind {
    /// SQL tables.
    Relational,
    /// Free text by embedding.
    Vector,
    /// Facts and passages by Personalized PageRank.
    Graph,
}

impl StoreKind {
    /// Every kind, in the order used for ties: free text last among equals would hide facts, so
    /// it comes first only as the fallback.
    pub const ALL: [Self; 3] = [Self::Relational, Self::Vector, Self::Graph];

    /// The name used everywhere outside.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relational => "relational",
            Self::Vector => "vector",
            Self::Graph => "graph",
        }
    }

    /// Reads a name; `vectorial` is accepted for `vector`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "relational" => Some(Self::Relational),
            "vector" | "vectorial" => Some(Self::Vector),
            "graph" => Some(Self::Graph),
            _ => None,
        }
    }
}

/// A route: a name, the store it leads to, and its embedded example phrases.
#[derive(Debug, Clone)]
pub struct Route {
    /// Name; several routes may lead to one store.
    pub name: String,
    /// Where it leads.
    pub store: StoreKind,
    /// Example phrases.
    pub phrases: Vec<String>,
    /// Their unit vectors, one per phrase.
    pub vectors: Vec<Vec<f32>>,
}

/// Thresholds of the cosine stage; they belong to one embedder.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// At or above this best similarity, with enough margin, the cosine stage decides.
    pub tau_high: f32,
    /// Below this best similarity no route is near: fall back to free text.
    pub tau_low: f32,
    /// Margin needed between the best and the second route.
    pub delta: f32,
}

/// How the stages are weighed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RouterConfig {
    /// Weight of the anchor similarity beside the evidence in the gray zone.
    pub anchor_weight: f32,
    /// Weight of lexical evidence (share of the question's informative words held) beside the dense one.
    pub lexical_weight: f32,
    /// A chunk whose two best stores are closer than this goes to both.
    pub borderline: f32,
    /// Weight of the whole document's similarity to the content phrases beside the chunk's own.
    pub document_weight: f32,
    /// Weight of a chunk's structure (share of sentences that state facts about named things).
    pub structure_weight: f32,
    /// Share of leave-one-out decisions on the anchors that may be wrong at the fitted margin.
    pub error_rate: f32,
    /// Multiplies the fitted margin: the phrases are few and unlike each other, questions are many.
    pub margin_safety: f32,
    /// Comma and digit density from which a block of text counts as tabular.
    pub tabular_density: f32,
    /// Evidence below this in every store, with nothing in common but function words, means "not in your files".
    pub evidence_floor: f32,
    /// Rows of a table embedded as evidence of what it holds, evenly spread.
    pub evidence_rows: usize,
}

impl Default for RouterConfig {
    fn default() -> Self {
        Self {
            anchor_weight: 0.5,
            lexical_weight: 0.05,
            borderline: 0.01,
            document_weight: 0.5,
            structure_weight: 0.02,
            error_rate: 0.0,
            margin_safety: 2.0,
            tabular_density: 0.35,
            evidence_floor: 0.8,
            evidence_rows: 32,
        }
    }
}

/// What one store holds on this question: its best retrieval score and where that is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// `dense + lexical_weight * lexical`.
    pub score: f32,
    /// Best cosine of the question to anything in the store.
    pub dense: f32,
    /// Share of the question's informative words found in the best candidate, in `[0, 1]`.
    pub lexical: f32,
    /// What matched best: `file > heading`, or a table.
    pub source: String,
}

/// The stage that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Known by its kind, or only one store holds anything.
    Heuristic,
    /// Similarity to the example phrases, with enough margin.
    Cosine,
    /// What the stores hold.
    Evidence,
    /// Nothing near: free text.
    Fallback,
}

/// A route's similarity and the phrase it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnchorScore {
    /// Route name.
    pub route: String,
    /// Best cosine to one of its phrases (1-nearest-neighbour).
    pub score: f32,
    /// That phrase.
    pub phrase: String,
}

/// A decision with every number behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The store chosen.
    pub store: StoreKind,
    /// The stage that decided.
    pub stage: Stage,
    /// The scores that were compared, one per store, also the rejected ones.
    pub scores: BTreeMap<String, f32>,
    /// Best minus second best of `scores`.
    pub margin: f32,
    /// Similarity to the example phrases, by store.
    pub anchors: BTreeMap<String, AnchorScore>,
    /// What the stores hold, by store; absent when the stage was not reached.
    pub evidence: BTreeMap<String, Evidence>,
    /// Thresholds in force.
    pub thresholds: Thresholds,
    /// Weight of anchors beside evidence in force.
    pub anchor_weight: f32,
}

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
        anchor_weight: config.anchor_weight,
    };
    let holds = |store: &str| decision.evidence.is_empty() || decision.evidence.contains_key(store);
    if decision.evidence.len() == 1 {
        let only = decision.evidence.keys().next().and_then(|name| StoreKind::parse(name));
        decision.store = only.unwrap_or(StoreKind::Vector);
        decision.stage = Stage::Heuristic;
        decision.scores = combined(&decision, config.anchor_weight);
        return decision;
    }
    let (best, top, margin) = winner(&decision.scores);
    if top >= thresholds.tau_high && margin >= thresholds.delta && holds(best.as_str()) {
        (decision.store, decision.stage, decision.margin) = (best, Stage::Cosine, margin);
        return decision;
    }
    if decision.evidence.is_empty() {
        decision.margin = margin;
        if top >= thresholds.tau_low {
            (decision.store, decision.stage) = (best, Stage::Cosine);
        }
        return decision;
    }
    decision.scores = combined(&decision, config.anchor_weight);
    let (best, _, margin) = winner(&decision.scores);
    (decision.store, decision.stage, decision.margin) = (best, Stage::Evidence, margin);
    decision
}

/// Evidence plus weighted anchor similarity, for the stores that hold something.
fn combined(decision: &Decision, anchor_weight: f32) -> BTreeMap<String, f32> {
    decision
        .evidence
        .iter()
        .map(|(store, evidence)| {
            let anchor = decision.anchors.get(store).map_or(0.0, |anchor| anchor.score);
            (store.clone(), (evidence.score + anchor_weight * anchor) / (1.0 + anchor_weight))
        })
        .collect()
}

/// Returns the best store, its score and the margin to the second.
fn winner(scores: &BTreeMap<String, f32>) -> (StoreKind, f32, f32) {
    let mut list: Vec<(StoreKind, f32)> = scores
        .iter()
        .filter_map(|(name, score)| StoreKind::parse(name).map(|store| (store, *score)))
        .collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    match list.as_slice() {
        [] => (StoreKind::Vector, f32::NEG_INFINITY, 0.0),
        [(store, score)] => (*store, *score, 0.0),
        [(store, first), (_, second), ..] => (*store, *first, first - second),
    }
}

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
            thresholds: Thresholds { tau_high: 0.0, tau_low: 0.0, delta: 0.0 },
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

/// Fits the thresholds of the cosine stage from the anchors themselves, by leave-one-out.
///
/// Each phrase is routed by all the others. `delta` is the smallest margin at which no more than
/// `error_rate` of those decisions are wrong, times `margin_safety`; `tau_high` the 5th percentile of the right ones'
/// best similarity; `tau_low` lies as far below the lowest as that is below the median. Absolute
/// cosines differ between embedders (0.35–0.62 for one, 0.7–1.0 for another), so thresholds are
/// stored with the embedder they were fitted for.
pub fn fit(routes: &[Route], config: &RouterConfig) -> Thresholds {
    let mut samples: Vec<(f32, f32, bool)> = Vec::new();
    for (index, route) in routes.iter().enumerate() {
        for (position, vector) in route.vectors.iter().enumerate() {
            let scores: BTreeMap<String, f32> = routes
                .iter()
                .enumerate()
                .flat_map(|(other, candidate)| {
                    candidate
                        .vectors
                        .iter()
                        .enumerate()
                        .filter(move |(at, _)| !(other == index && *at == position))
                        .map(|(_, anchor)| (candidate.store, dot(anchor, vector)))
                })
                .fold(BTreeMap::new(), |mut best, (store, score)| {
                    let entry = best.entry(store.as_str().to_owned()).or_insert(f32::NEG_INFINITY);
                    *entry = entry.max(score);
                    best
                });
            let (store, top, margin) = winner(&scores);
            samples.push((top, margin, store == route.store));
        }
    }
    samples.sort_by(|a, b| b.1.total_cmp(&a.1));
    // Walk from the widest margin down; stop before the wrong share exceeds the error rate.
    let (mut wrong, mut delta) = (0.0_f32, 1.0_f32);
    for (taken, (_, margin, right)) in samples.iter().enumerate() {
        wrong += f32::from(u8::from(!right));
        if wrong / (taken + 1) as f32 > config.error_rate {
            break;
        }
        delta = *margin;
    }
    let mut tops: Vec<f32> = samples.iter().filter(|sample| sample.2).map(|sample| sample.0).collect();
    tops.sort_by(f32::total_cmp);
    let quantile = |share: f32| tops.get((share * (tops.len().saturating_sub(1)) as f32) as usize).copied();
    let (tau_high, low, median) =
        (quantile(0.05).unwrap_or(1.0), quantile(0.0).unwrap_or(0.0), quantile(0.5).unwrap_or(0.0));
    Thresholds { tau_high, tau_low: low - (median - low), delta: delta * config.margin_safety }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const THRESHOLDS: Thresholds = Thresholds { tau_high: 0.8, tau_low: 0.5, delta: 0.1 };

    fn anchors(relational: f32, vector: f32, graph: f32) -> BTreeMap<String, AnchorScore> {
        [("relational", relational), ("vector", vector), ("graph", graph)]
            .into_iter()
            .map(|(name, score)| {
                (name.to_owned(), AnchorScore { route: name.into(), score, phrase: "phrase".into() })
            })
            .collect()
    }

    fn evidence(list: &[(&str, f32)]) -> BTreeMap<String, Evidence> {
        list.iter()
            .map(|(name, score)| {
                let found = Evidence { score: *score, dense: *score, lexical: 0.0, source: "doc".into() };
                ((*name).to_owned(), found)
            })
            .collect()
    }

    fn check(anchor: (f32, f32, f32), held: &[(&str, f32)], store: StoreKind, stage: Stage, margin: f32) {
        let decision = decide(
            anchors(anchor.0, anchor.1, anchor.2),
            evidence(held),
            THRESHOLDS,
            &RouterConfig { anchor_weight: 0.5, ..RouterConfig::default() },
        );
        assert_eq!((decision.store, decision.stage), (store, stage), "{decision:?}");
        assert!((decision.margin - margin).abs() < 1e-5, "{decision:?}");
    }

    #[test]
    fn the_stages_decide_in_turn() {
        let all = [("relational", 0.6), ("vector", 0.7), ("graph", 0.65)];
        check((0.9, 0.7, 0.6), &all, StoreKind::Relational, Stage::Cosine, 0.2);
        check((0.9, 0.5, 0.79), &[], StoreKind::Relational, Stage::Cosine, 0.11);
        check((0.9, 0.85, 0.6), &all, StoreKind::Vector, Stage::Evidence, 0.05);
        // Wide margin but too low a similarity: the evidence decides, with the anchors beside it.
        check((0.79, 0.5, 0.6), &all, StoreKind::Relational, Stage::Evidence, 0.03);
    }

    #[test]
    fn an_empty_store_cannot_win() {
        let held = [("vector", 0.6), ("graph", 0.3)];
        check((0.95, 0.6, 0.6), &held, StoreKind::Vector, Stage::Evidence, 0.2);
        check((0.95, 0.6, 0.6), &[("graph", 0.1)], StoreKind::Graph, Stage::Heuristic, 0.0);
    }

    #[test]
    fn nothing_near_and_nothing_held_falls_back_to_free_text() {
        check((0.4, 0.3, 0.2), &[], StoreKind::Vector, Stage::Fallback, 0.1);
    }

    #[test]
    fn r04_words_of_another_route_do_not_win_against_the_evidence() {
        // Near two routes at once: the margin rule calls it ambiguous, the evidence decides.
        check(
            (0.88, 0.4, 0.86),
            &[("relational", 0.5), ("graph", 0.7)],
            StoreKind::Graph,
            Stage::Evidence,
            0.19 / 1.5,
        );
    }

    #[test]
    fn borderline_chunks_go_to_both_stores() {
        let config = RouterConfig { borderline: 0.01, structure_weight: 0.0, ..RouterConfig::default() };
        let mut two = anchors(0.0, 0.800, 0.805);
        two.remove("relational");
        let alone = BTreeMap::new();
        let placement = place(two.clone(), &alone, 0.5, THRESHOLDS, &config);
        assert_eq!(placement.stores, [StoreKind::Graph, StoreKind::Vector]);
        let strict = RouterConfig { borderline: 0.001, ..config };
        assert_eq!(place(two.clone(), &alone, 0.5, THRESHOLDS, &strict).stores, [StoreKind::Graph]);
        // A document of free text pulls its chunk along.
        let document = [("vector".to_owned(), 0.83), ("graph".to_owned(), 0.80)].into();
        assert_eq!(place(two, &document, 0.5, THRESHOLDS, &strict).stores, [StoreKind::Vector]);
    }

    #[test]
    fn structure_separates_facts_from_telling() {
        let facts = "O Portal Alfa depende do Servidor Beta. O Regulamento R-7 exige aval do Conselho.";
        let telling = "Quando alguém liga, escute primeiro e fale depois, porque ninguém gosta de ouvir uma \
                       resposta decorada. Diga o que sabe, e volte a ligar mesmo sem novidade.";
        assert_eq!(fact_structure(facts), 1.0);
        assert_eq!(fact_structure(telling), 0.0);
        assert_eq!(fact_structure(""), 0.0);
    }

    #[test]
    fn fitting_keeps_wrong_leave_one_out_decisions_below_the_margin() {
        let unit = |degrees: f32| vec![degrees.to_radians().cos(), degrees.to_radians().sin()];
        let route = |name: &str, store, angles: &[f32]| Route {
            name: name.into(),
            store,
            phrases: angles.iter().map(|a| a.to_string()).collect(),
            vectors: angles.iter().map(|a| unit(*a)).collect(),
        };
        let routes = [
            route("a", StoreKind::Relational, &[0.0, 4.0, 8.0, 60.0]),
            route("b", StoreKind::Graph, &[90.0, 94.0, 98.0]),
        ];
        let config = RouterConfig { margin_safety: 1.0, ..RouterConfig::default() };
        let fitted = fit(&routes, &config);
        // The stray phrase at 60 degrees is nearer to b: margin cos(30) - cos(52).
        let wrong = 30_f32.to_radians().cos() - 52_f32.to_radians().cos();
        assert!(fitted.delta > wrong, "{fitted:?}");
        assert!(fitted.tau_high > 0.99 && fitted.tau_low <= fitted.tau_high, "{fitted:?}");
    }
}
