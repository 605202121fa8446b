//! Answering a question from a snapshot, with every number that led to the ranking.

use std::collections::{BTreeSet, HashMap};

use super::dot;
use super::index::GraphIndex;
use crate::decide::graph_query::{self, FactEnds, GraphConfig, Recognised, Recognition};
use crate::decide::pagerank;

/// Longest path shown for a passage.
const PATH_STEPS: usize = 6;

/// A question, as the graph needs it.
#[derive(Debug, Clone, Copy)]
pub struct GraphQuery<'a> {
    /// The question's embedding, normalised.
    pub vector: &'a [f32],
    /// The question.
    pub text: &'a str,
    /// Passages by cosine with the question, best first: `(chunk id, cosine)`.
    pub dense: &'a [(i64, f32)],
    /// Passages by lexical score (greater is better), best first.
    pub lexical: &'a [(i64, f32)],
    /// Passages that may be returned; `None` for all.
    pub allowed: Option<&'a BTreeSet<i64>>,
}

/// What a question found, best first, and why.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct GraphSearch {
    /// Passages, best first, ties by chunk id.
    pub hits: Vec<GraphHit>,
    /// Facts nearest to the question and what the recognition filter made of them.
    pub facts: Vec<LinkedFact>,
    /// Entities that seeded the walk; masses sum to 1 together with the passages' seeds.
    pub seeds: Vec<Seed>,
    /// Share of the seed mass on passages.
    pub passage_seed_mass: f64,
    /// No fact was linked: the ranking is that of dense and lexical scores alone.
    pub zero_seeds: bool,
    /// How the walk was solved.
    pub solver: Solver,
}

/// A passage found, with the parts of its score.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct GraphHit {
    /// The chunk.
    pub chunk_id: i64,
    /// Weighted mean of the three parts below, in `[0, 1]`.
    pub score: f64,
    /// PageRank relative to the best passage, in `[0, 1]`.
    pub walk: f64,
    /// Dense score scaled to `[0, 1]`.
    pub dense: f64,
    /// Lexical score scaled to `[0, 1]`.
    pub lexical: f64,
    /// The way most of the walk's mass came, from a seed to this passage.
    pub path: Vec<PathStep>,
}

/// What an edge of a path stands for.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum StepKind {
    /// A fact relates the two entities.
    Relation {
        /// The fact's words.
        fact: String,
    },
    /// The passage names the entity.
    Context,
    /// One name is part of the other.
    Part,
    /// The entities have similar names.
    Synonym {
        /// Cosine of the names.
        similarity: f32,
    },
}

/// One edge of a path.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PathStep {
    /// Where the mass came from: an entity's name, or `chunk:ID`.
    pub from: String,
    /// Where it went.
    pub to: String,
    /// What the edge stands for.
    #[serde(flatten)]
    pub kind: StepKind,
    /// Share of all walk mass that came this way.
    pub mass: f64,
}

/// A fact near the question.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct LinkedFact {
    /// The fact's words.
    pub text: String,
    /// Passages that state it.
    pub chunks: Vec<i64>,
    /// Cosine with the question.
    pub similarity: f32,
    /// Share of the question's words, weighted by rarity, that the fact holds.
    pub agreement: f32,
    /// What facts are ordered by.
    pub score: f64,
    /// What it gives to its ends, in `[0, 1]`.
    pub weight: f64,
    /// Whether it seeds the walk, and if not, why.
    pub recognition: Recognition,
}

/// An entity that seeded the walk.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Seed {
    /// The entity's name.
    pub entity: String,
    /// Passages that name it.
    pub passages: usize,
    /// Its share of the seed mass.
    pub mass: f64,
}

/// How the walk was solved.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "method")]
pub enum Solver {
    /// No seeds, no walk.
    Skipped,
    /// Power iteration.
    Exact {
        /// Iterations done.
        iterations: usize,
        /// Bound of the L1 error.
        error: f64,
    },
    /// Forward push.
    Push {
        /// Nodes pushed.
        pushes: usize,
        /// The L1 error.
        error: f64,
    },
}

/// Scores of the nodes a walk reached, by ascending node.
struct Walk {
    scores: Vec<(u32, f64)>,
    seeds: HashMap<u32, f64>,
    damping: f64,
}

impl Walk {
    fn score(&self, node: u32) -> f64 {
        self.scores.binary_search_by_key(&node, |score| score.0).map_or(0.0, |place| self.scores[place].1)
    }
}

impl GraphIndex {
    /// Ranks passages for a question and returns the best `k`.
    ///
    /// Facts nearest to the question are linked, their entities and the passages near the
    /// question seed a Personalized PageRank, and its scores are fused with the dense and
    /// lexical ones. The same snapshot, query and constants give the same result.
    pub fn search(&self, query: &GraphQuery<'_>, config: &GraphConfig, k: usize) -> GraphSearch {
        let recognised = self.link(query, config);
        let phrases = self.phrase_seeds(&recognised, config);
        let (dense, lexical) = (self.scaled(query.dense, config), self.scaled(query.lexical, config));
        let phrase_mass: f64 = phrases.iter().map(|seed| seed.1).sum();
        let passages = self.passage_seeds(&dense, &lexical, config);
        let passage_mass: f64 = passages.iter().map(|seed| seed.1).sum();
        let total = phrase_mass + passage_mass;
        let zero_seeds = phrases.is_empty();
        let (walk, solver) = if zero_seeds {
            (Walk { scores: Vec::new(), seeds: HashMap::new(), damping: config.damping }, Solver::Skipped)
        } else {
            let seeds: Vec<(u32, f64)> =
                phrases.iter().chain(&passages).map(|&(node, mass)| (node, mass / total)).collect();
            self.walk(seeds, config)
        };
        let mut hits = self.fuse(&walk, &dense, &lexical, query.allowed, config);
        hits.truncate(k);
        for hit in &mut hits {
            hit.path = self.chunk_node(hit.chunk_id).map(|node| self.path(&walk, node)).unwrap_or_default();
        }
        let mut seeds: Vec<Seed> = phrases
            .iter()
            .map(|&(node, mass)| {
                let entity = &self.entities[node as usize];
                Seed { entity: entity.label.clone(), passages: entity.passages, mass: mass / total }
            })
            .collect();
        seeds.sort_by(|a, b| b.mass.total_cmp(&a.mass).then_with(|| a.entity.cmp(&b.entity)));
        let passage_seed_mass = if zero_seeds { 0.0 } else { passage_mass / total };
        GraphSearch {
            hits,
            facts: self.explain_facts(&recognised),
            seeds,
            passage_seed_mass,
            zero_seeds,
            solver,
        }
    }

    /// Finds the facts nearest to the question and filters them.
    fn link(&self, query: &GraphQuery<'_>, config: &GraphConfig) -> Vec<Recognised> {
        let similarities: Vec<f32> =
            self.facts
                .iter()
                .map(|fact| {
                    if fact.vector.len() == query.vector.len() {
                        dot(&fact.vector, query.vector)
                    } else {
                        0.0
                    }
                })
                .collect();
        let agreements = self.words.agreements(query.text);
        let label =
            |id: i64| self.entity_node(id).map_or("", |node| self.entities[node as usize].label.as_str());
        let facts = graph_query::Facts {
            similarities: &similarities,
            agreements: &agreements,
            names: &|fact| (label(self.facts[fact].subject), label(self.facts[fact].object)),
            // By words, not by id: a rebuilt graph links the same facts.
            tie: &|a, b| self.facts[a].text.cmp(&self.facts[b].text).then(a.cmp(&b)),
        };
        graph_query::recognise(query.text, &facts, config)
    }

    fn phrase_seeds(&self, recognised: &[Recognised], config: &GraphConfig) -> Vec<(u32, f64)> {
        let ends: Vec<FactEnds> = recognised
            .iter()
            .filter(|fact| fact.recognition == Recognition::Linked)
            .filter_map(|linked| {
                let fact = &self.facts[linked.fact];
                let nodes = [self.entity_node(fact.subject)?, self.entity_node(fact.object)?];
                let passages = nodes.map(|node| self.entities[node as usize].passages);
                Some(FactEnds { weight: linked.weight, nodes, passages })
            })
            .collect();
        graph_query::phrase_seeds(&ends, config.specificity)
    }

    /// Scales the best scores of the graph's own passages.
    fn scaled(&self, scores: &[(i64, f32)], config: &GraphConfig) -> HashMap<i64, f64> {
        let own: Vec<(i64, f32)> = scores
            .iter()
            .copied()
            .filter(|score| self.contains(score.0))
            .take(config.seed_passages)
            .collect();
        graph_query::scale(&own)
    }

    fn passage_seeds(
        &self,
        dense: &HashMap<i64, f64>,
        lexical: &HashMap<i64, f64>,
        config: &GraphConfig,
    ) -> Vec<(u32, f64)> {
        let ids: BTreeSet<i64> = dense.keys().chain(lexical.keys()).copied().collect();
        let part = |scores: &HashMap<i64, f64>, id: &i64| scores.get(id).copied().unwrap_or(0.0);
        ids.iter()
            .filter_map(|id| {
                let prior =
                    (part(dense, id) + config.seed_lexical * part(lexical, id)) / (1.0 + config.seed_lexical);
                Some((self.chunk_node(*id)?, prior * config.passage_weight)).filter(|seed| seed.1 > 0.0)
            })
            .collect()
    }

    fn walk(&self, seeds: Vec<(u32, f64)>, config: &GraphConfig) -> (Walk, Solver) {
        let (scores, solver) = if self.network.edges() < config.exact_below_edges {
            let solved =
                pagerank::exact(&self.network, &seeds, config.damping, config.exact_tolerance, 1_000);
            let solver = Solver::Exact { iterations: solved.iterations, error: solved.error };
            let scores = solved.scores.into_iter().enumerate().filter(|score| score.1 > 0.0);
            (scores.map(|(node, score)| (node as u32, score)).collect(), solver)
        } else {
            let pooled = self.scratch.lock().ok().and_then(|mut pool| pool.pop());
            let mut scratch = pooled.unwrap_or_default();
            let local =
                pagerank::push(&self.network, &seeds, config.damping, config.push_epsilon, &mut scratch);
            if let Ok(mut pool) = self.scratch.lock() {
                pool.push(scratch);
            }
            (local.scores, Solver::Push { pushes: local.pushes, error: local.error })
        };
        (Walk { scores, seeds: seeds.into_iter().collect(), damping: config.damping }, solver)
    }

    fn fuse(
        &self,
        walk: &Walk,
        dense: &HashMap<i64, f64>,
        lexical: &HashMap<i64, f64>,
        allowed: Option<&BTreeSet<i64>>,
        config: &GraphConfig,
    ) -> Vec<GraphHit> {
        let walked: HashMap<i64, f64> =
            walk.scores.iter().filter_map(|&(node, score)| Some((self.chunk_of(node)?, score))).collect();
        let greatest = walked.values().copied().fold(0.0, f64::max);
        let ids: BTreeSet<i64> = walked.keys().chain(dense.keys()).chain(lexical.keys()).copied().collect();
        // Without a walk the order is that of the passage seeds.
        let (fuse_dense, fuse_lexical) = match walked.is_empty() {
            true => (1.0, config.seed_lexical),
            false => (config.fuse_dense, config.fuse_lexical),
        };
        let weights = if walked.is_empty() { 0.0 } else { config.fuse_walk } + fuse_dense + fuse_lexical;
        let mut hits: Vec<GraphHit> = ids
            .into_iter()
            .filter(|id| allowed.is_none_or(|allowed| allowed.contains(id)))
            .map(|chunk_id| {
                let part = |scores: &HashMap<i64, f64>| scores.get(&chunk_id).copied().unwrap_or(0.0);
                let walk = if greatest > 0.0 { part(&walked) / greatest } else { 0.0 };
                let (dense, lexical) = (part(dense), part(lexical));
                let sum = config.fuse_walk * walk + config.fuse_dense * dense + config.fuse_lexical * lexical;
                GraphHit { chunk_id, score: sum / weights, walk, dense, lexical, path: Vec::new() }
            })
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk_id.cmp(&b.chunk_id)));
        hits
    }

    /// Follows the greatest flow backwards from a node to a seed.
    fn path(&self, walk: &Walk, target: u32) -> Vec<PathStep> {
        let mut steps = Vec::new();
        let mut visited = BTreeSet::from([target]);
        let mut node = target;
        while steps.len() < PATH_STEPS {
            let own = (1.0 - walk.damping) * walk.seeds.get(&node).copied().unwrap_or(0.0);
            let flow = |(from, weight): (u32, f32)| {
                let mass = walk.damping * walk.score(from) * f64::from(weight) / self.network.strength(from);
                (from, mass)
            };
            let best = self
                .network
                .neighbours(node)
                .map(flow)
                .filter(|(from, mass)| *mass > 0.0 && !visited.contains(from))
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            match best {
                // The first step is always shown: a passage is there for a neighbour.
                Some((from, mass)) if mass > own || steps.is_empty() => {
                    steps.push(PathStep {
                        from: self.node_name(from),
                        to: self.node_name(node),
                        kind: self.step_kind(from, node),
                        mass,
                    });
                    visited.insert(from);
                    node = from;
                }
                _ => break,
            }
        }
        steps.reverse();
        steps
    }

    fn node_name(&self, node: u32) -> String {
        match self.chunk_of(node) {
            Some(chunk) => format!("chunk:{chunk}"),
            None => self.entities[node as usize].label.clone(),
        }
    }

    fn step_kind(&self, a: u32, b: u32) -> StepKind {
        if self.chunk_of(a).is_some() || self.chunk_of(b).is_some() {
            return StepKind::Context;
        }
        let (id_a, id_b) = (self.entities[a as usize].id, self.entities[b as usize].id);
        let first = self.facts_by_node.partition_point(|entry| entry.0 < a);
        let fact = self.facts_by_node[first..]
            .iter()
            .take_while(|entry| entry.0 == a)
            .map(|entry| &self.facts[entry.1 as usize])
            .filter(|fact| fact.subject == id_b || fact.object == id_b)
            .max_by(|x, y| x.chunks.len().cmp(&y.chunks.len()).then_with(|| y.text.cmp(&x.text)));
        match fact {
            Some(fact) => StepKind::Relation { fact: fact.text.clone() },
            None => match self.synonyms.get(&(id_a.min(id_b), id_a.max(id_b))) {
                Some(&similarity) => StepKind::Synonym { similarity },
                None => StepKind::Part,
            },
        }
    }

    fn explain_facts(&self, recognised: &[Recognised]) -> Vec<LinkedFact> {
        recognised
            .iter()
            .take(20)
            .map(|found| {
                let fact = &self.facts[found.fact];
                LinkedFact {
                    text: fact.text.clone(),
                    chunks: fact.chunks.clone(),
                    similarity: found.similarity,
                    agreement: found.agreement,
                    score: found.score,
                    weight: found.weight,
                    recognition: found.recognition,
                }
            })
            .collect()
    }
}
