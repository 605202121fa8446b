//! One part of a message: what the stores hold on it, the route, and what the chosen store gives.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use crate::ask::{PartResult, Ranking, Request, relational};
use crate::decide::rank::{Scored, fuse};
use crate::decide::route::{Decision, Evidence, Stage, StoreKind, anchor_scores, decide};
use crate::decide::text::{content_words, fold, folded_words};
use crate::engine::Engine;
use crate::error::Result;
use crate::report::{Fallback, PartReport, Retrieved};
use crate::store::catalog;
use crate::store::graph::GraphQuery;

/// Best candidates of one store on one question, by both signals.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// By cosine.
    pub dense: Vec<Scored>,
    /// By BM25.
    pub lexical: Vec<Scored>,
}

/// Routes a part and asks its store; a store without an answer hands over to the next best.
///
/// # Errors
/// [`crate::Error::Store`], [`crate::Error::Cancelled`].
pub fn part(request: &Request, question: &str, vector: &[f32]) -> Result<PartResult> {
    let connection = request.engine.reader()?;
    let (decision, candidates) = route(request, &connection, question, vector)?;
    let mut result = PartResult::new(report_of(question, &decision));
    if decision.store == StoreKind::Relational {
        relational::part(request, question, &mut result)?;
    } else {
        passages(request, &connection, question, vector, decision.store, &candidates, &mut result)?;
    }
    if !result.found {
        hand_over(request, &connection, question, vector, &decision, &candidates, &mut result)?;
    }
    result.report.decision = Some(decision);
    Ok(result)
}

/// A part's report as far as the decision goes.
pub fn report_of(question: &str, decision: &Decision) -> PartReport {
    PartReport {
        question: question.to_owned(),
        route: decision.store.as_str().to_owned(),
        stage: stage_name(decision.stage).to_owned(),
        scores: decision.scores.clone(),
        margin: decision.margin,
        evidence: decision.evidence.clone(),
        ..PartReport::default()
    }
}

/// One ranking over everything it covers, whatever the router would say.
///
/// # Errors
/// [`crate::Error::Store`].
pub fn ranking(
    request: &Request,
    question: &str,
    vector: &[f32],
    ranking: Ranking,
) -> Result<Vec<Retrieved>> {
    let connection = request.engine.reader()?;
    let k = request.options.top_k;
    let (store, ranked): (&str, Ranked) = match ranking {
        Ranking::FullText => {
            let found = catalog::full_text(&connection, &content_words(question), None, k)?;
            ("fts", found.into_iter().map(|(id, score)| (id, score, None)).collect())
        }
        Ranking::Vector => {
            let found = {
                // Rows of tables are evidence for the router, not passages.
                let vectors = &request.snapshot.vectors;
                vectors.search(vector, k, None, Some(&|id| vectors.is_text(id)))?
            };
            ("vector", found.into_iter().map(|(id, score)| (id, score, None)).collect())
        }
        Ranking::Graph => {
            let held = candidates_in(request, &connection, question, vector, StoreKind::Graph)?;
            ("graph", graph_ranking(request, question, vector, &held))
        }
    };
    retrieved(&connection, store, &ranked, k)
}

/// Loads the best `k` of a ranking.
fn retrieved(connection: &Connection, store: &str, ranked: &Ranked, k: usize) -> Result<Vec<Retrieved>> {
    let ids: Vec<i64> = ranked.iter().take(k).map(|hit| hit.0).collect();
    let chunks = catalog::chunks_by_id(connection, &ids)?;
    let of = |id: i64| ranked.iter().find(|hit| hit.0 == id).map(|hit| (hit.1, hit.2.clone()));
    Ok(chunks
        .into_iter()
        .enumerate()
        .map(|(index, chunk)| {
            let (score, path) = of(chunk.id).unwrap_or_default();
            Retrieved {
                rank: index + 1,
                store: store.to_owned(),
                document: chunk.document,
                location: chunk.location,
                chunk_id: chunk.chunk_key,
                score,
                text: chunk.text,
                also_at: chunk.also_at,
                path,
            }
        })
        .collect())
}

/// The decision alone, with the candidates it looked at.
///
/// # Errors
/// [`crate::Error::Store`].
pub fn route(
    request: &Request,
    connection: &Connection,
    question: &str,
    vector: &[f32],
) -> Result<(Decision, BTreeMap<StoreKind, Candidates>)> {
    let snapshot = &request.snapshot;
    let mut candidates = BTreeMap::new();
    let mut evidence = BTreeMap::new();
    {
        let mut span = request.trace.span("pipeline.evidence", Some("pipeline"));
        for store in Engine::filled_stores(snapshot) {
            let found = candidates_in(request, connection, question, vector, store)?;
            if let Some(held) = evidence_of(request, connection, question, &found)? {
                span.set(&format!("evidence.{}", store.as_str()), held.score);
                evidence.insert(store.as_str().to_owned(), held);
            }
            candidates.insert(store, found);
        }
    }
    let mut span = request.trace.span("pipeline.router", Some("pipeline"));
    let anchors = anchor_scores(&snapshot.question_routes, vector);
    let decision = decide(anchors, evidence, snapshot.calibration.questions, &request.engine.config.router);
    span.set("route", decision.store.as_str());
    span.set("stage", stage_name(decision.stage));
    span.set("margin", decision.margin);
    Ok((decision, candidates))
}

/// Best candidates of a store, inside the filter.
fn candidates_in(
    request: &Request,
    connection: &Connection,
    question: &str,
    vector: &[f32],
    store: StoreKind,
) -> Result<Candidates> {
    let config = &request.engine.config;
    let wanted = match store {
        // The walk starts from many passages, most of them with little mass.
        StoreKind::Graph => config.graph.seed_passages,
        _ => config.retrieval.candidates,
    }
    .max(request.options.top_k);
    let allowed = request.allowed.as_ref().map(|set| move |id: i64| set.contains(&id));
    let dense = request.snapshot.vectors.search(
        vector,
        wanted,
        Some(store),
        allowed.as_ref().map(|accepts| accepts as &dyn Fn(i64) -> bool),
    )?;
    let mut lexical = catalog::full_text(connection, &content_words(question), Some(store), wanted)?;
    if let Some(allowed) = &request.allowed {
        lexical.retain(|(id, _)| allowed.contains(id));
    }
    Ok(Candidates { dense, lexical })
}

/// What the store holds: the best of its top candidates by dense plus weighted lexical score.
fn evidence_of(
    request: &Request,
    connection: &Connection,
    question: &str,
    candidates: &Candidates,
) -> Result<Option<Evidence>> {
    let Some(floor) = candidates.dense.last().map(|last| last.1) else { return Ok(None) };
    let ids: BTreeSet<i64> = candidates
        .dense
        .iter()
        .take(3)
        .chain(candidates.lexical.iter().take(2))
        .map(|candidate| candidate.0)
        .collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    let wanted = content_words(question);
    let weight = request.engine.config.router.lexical_weight;
    let mut best: Option<Evidence> = None;
    for chunk in catalog::chunks_by_id(connection, &ids)? {
        let dense =
            candidates.dense.iter().find(|candidate| candidate.0 == chunk.id).map_or(floor, |found| found.1);
        let held: BTreeSet<String> = folded_words(&chunk.text)
            .into_iter()
            .chain(chunk.headings.iter().flat_map(|heading| folded_words(heading)))
            .collect();
        let lexical = coverage(&wanted, &held);
        let score = dense + weight * lexical;
        if best.as_ref().is_none_or(|known| score > known.score) {
            let source = [chunk.document.as_str(), chunk.location.as_str()]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(" > ");
            best = Some(Evidence { score, dense, lexical, source });
        }
    }
    Ok(best)
}

/// Share of `wanted` found in `held`; a word also counts when one is the other's beginning of at
/// least five letters, so that plurals and inflections match.
fn coverage(wanted: &[String], held: &BTreeSet<String>) -> f32 {
    if wanted.is_empty() {
        return 0.0;
    }
    let found = wanted.iter().filter(|word| {
        let word = fold(word);
        held.contains(&word)
            || (word.chars().count() >= 6
                && held.iter().any(|other| {
                    let stem: String = word.chars().take(word.chars().count() - 2).collect();
                    other.starts_with(&stem)
                }))
    });
    found.count() as f32 / wanted.len() as f32
}

/// Fills in the passages of a text store.
fn passages(
    request: &Request,
    connection: &Connection,
    question: &str,
    vector: &[f32],
    store: StoreKind,
    candidates: &BTreeMap<StoreKind, Candidates>,
    result: &mut PartResult,
) -> Result<()> {
    let nothing = Candidates::default();
    let held = candidates.get(&store).unwrap_or(&nothing);
    let ranked = match store {
        StoreKind::Graph => graph_ranking(request, question, vector, held),
        _ => text_ranking(request, held),
    };
    result.report.retrieved = retrieved(connection, store.as_str(), &ranked, request.options.top_k)?;
    result.found = !result.report.retrieved.is_empty();
    Ok(())
}

type Ranked = Vec<(i64, f32, Option<serde_json::Value>)>;

fn text_ranking(request: &Request, held: &Candidates) -> Ranked {
    let mut span = request.trace.span("store.vector", Some("pipeline"));
    span.set("dense", held.dense.len());
    span.set("lexical", held.lexical.len());
    span.set("approximate", request.snapshot.vectors.is_approximate());
    fuse(&held.dense, &held.lexical, request.engine.config.retrieval.lexical_weight)
        .into_iter()
        .map(|fused| (fused.id, fused.score, None))
        .collect()
}

fn graph_ranking(request: &Request, question: &str, vector: &[f32], held: &Candidates) -> Ranked {
    let mut span = request.trace.span("store.graph", Some("pipeline"));
    let query = GraphQuery {
        vector,
        text: question,
        dense: &held.dense,
        lexical: &held.lexical,
        allowed: request.allowed.as_ref(),
    };
    let search = request.snapshot.graph.search(&query, &request.engine.config.graph, request.options.top_k);
    span.set("graph.embedded", 0);
    span.set("graph.seeds", search.seeds.len());
    span.set("graph.zero_seeds", search.zero_seeds);
    search
        .hits
        .into_iter()
        .map(|hit| (hit.chunk_id, hit.score as f32, serde_json::to_value(&hit.path).ok()))
        .collect()
}

/// Asks the other stores, best evidence first, when the chosen one had nothing.
fn hand_over(
    request: &Request,
    connection: &Connection,
    question: &str,
    vector: &[f32],
    decision: &Decision,
    candidates: &BTreeMap<StoreKind, Candidates>,
    result: &mut PartResult,
) -> Result<()> {
    let mut others: Vec<StoreKind> =
        [StoreKind::Vector, StoreKind::Graph].into_iter().filter(|store| *store != decision.store).collect();
    let strength = |store: &StoreKind| {
        decision.evidence.get(store.as_str()).map_or(f32::NEG_INFINITY, |held| held.score)
    };
    others.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    for store in others {
        passages(request, connection, question, vector, store, candidates, result)?;
        if result.found {
            let reason = result.report.fallback.take().map_or_else(
                || format!("the {} store holds nothing on it", decision.store.as_str()),
                |earlier| earlier.reason,
            );
            result.report.fallback = Some(Fallback {
                from: decision.store.as_str().to_owned(),
                to: store.as_str().to_owned(),
                reason,
            });
            return Ok(());
        }
    }
    Ok(())
}

/// The stage's name outside.
pub fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Heuristic => "heuristic",
        Stage::Cosine => "cosine",
        Stage::Evidence => "evidence",
        Stage::Fallback => "fallback",
    }
}
