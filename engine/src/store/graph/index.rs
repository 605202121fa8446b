//! The snapshot: rows of the graph tables as a network to walk on.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use rusqlite::Connection;

use super::GraphError;
use super::rows::{read_entities, read_facts, read_ids, read_synonyms};
use crate::decide::graph_query::GraphConfig;
use crate::decide::graph_words::FactWords;
use crate::decide::pagerank::{Network, Scratch};
use crate::decide::triples::{is_mentionable, word_runs};

/// An entity with the passages that name it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Entity {
    pub(super) id: i64,
    pub(super) key: String,
    /// The most frequent spelling, of equally frequent ones the least.
    pub(super) label: String,
    /// Passages whose facts or headings name it, ascending.
    pub(super) chunks: Vec<i64>,
    /// Those among them whose headings do, ascending.
    pub(super) titles: Vec<i64>,
    /// Passages that hold its key in their words, ascending.
    pub(super) mentions: Vec<i64>,
    /// Number of passages in either list.
    pub(super) passages: usize,
}

/// A fact with the passages that state it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fact {
    pub(super) id: i64,
    pub(super) subject: i64,
    pub(super) object: i64,
    /// Relation and whole text in the least of its wordings.
    pub(super) relation: String,
    pub(super) text: String,
    /// Ascending.
    pub(super) chunks: Vec<i64>,
    pub(super) vector: Vec<f32>,
}

/// How large a snapshot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct GraphSize {
    /// Phrase nodes.
    pub entities: usize,
    /// Passage nodes.
    pub passages: usize,
    /// Distinct facts.
    pub facts: usize,
    /// Pairs of entities with similar names.
    pub synonyms: usize,
    /// Undirected edges after merging.
    pub edges: usize,
}

/// Immutable snapshot of the graph; nodes are the entities by ascending id, then the passages.
#[derive(Debug)]
pub struct GraphIndex {
    pub(super) entities: Vec<Arc<Entity>>,
    pub(super) chunks: Vec<i64>,
    pub(super) facts: Vec<Arc<Fact>>,
    /// `(low, high)` to similarity.
    pub(super) synonyms: BTreeMap<(i64, i64), f32>,
    pub(super) network: Network,
    /// Facts of each entity, for explanations: `(entity node, fact)` ascending.
    pub(super) facts_by_node: Vec<(u32, u32)>,
    pub(super) words: FactWords,
    pub(super) scratch: Mutex<Vec<Scratch>>,
}

/// The rows behind a snapshot, by id.
#[derive(Default)]
struct Rows {
    entities: BTreeMap<i64, Arc<Entity>>,
    facts: BTreeMap<i64, Arc<Fact>>,
    chunks: BTreeSet<i64>,
    synonyms: BTreeMap<(i64, i64), f32>,
}

impl GraphIndex {
    /// Reads the whole graph. Do so inside one read transaction when a writer may be at work.
    ///
    /// # Errors
    /// [`GraphError::Sqlite`] for unreadable tables, [`GraphError::MissingVector`] for a fact
    /// without embedding.
    pub fn load(connection: &Connection, config: &GraphConfig) -> Result<Self, GraphError> {
        let rows = Rows {
            entities: read_entities(connection, None)?,
            facts: read_facts(connection, None)?,
            chunks: read_ids(connection, "SELECT chunk_id FROM graph_chunks", None)?,
            synonyms: read_synonyms(connection, None)?,
        };
        Ok(Self::build(rows, config))
    }

    /// Reads what changed with the passages `changed` (added, replaced or deleted) and returns
    /// the snapshot that [`GraphIndex::load`] would.
    ///
    /// # Errors
    /// As [`GraphIndex::load`].
    pub fn updated(
        &self,
        connection: &Connection,
        changed: &[i64],
        config: &GraphConfig,
    ) -> Result<Self, GraphError> {
        let changed: BTreeSet<i64> = changed.iter().copied().collect();
        let touches = |chunks: &[i64]| chunks.iter().any(|chunk| changed.contains(chunk));
        let mut facts: BTreeSet<i64> =
            self.facts.iter().filter(|fact| touches(&fact.chunks)).map(|fact| fact.id).collect();
        let mut entities: BTreeSet<i64> = self
            .entities
            .iter()
            .filter(|e| touches(&e.chunks) || touches(&e.mentions))
            .map(|e| e.id)
            .collect();
        const IN_CHANGED: &str = "WHERE chunk_id IN (SELECT value FROM json_each(?1))";
        let of_facts = format!("SELECT DISTINCT fact_id FROM graph_statements {IN_CHANGED}");
        facts.extend(read_ids(connection, &of_facts, Some(&changed))?);
        for table in ["graph_aliases", "graph_mentions"] {
            let of_entities = format!("SELECT DISTINCT entity_id FROM {table} {IN_CHANGED}");
            entities.extend(read_ids(connection, &of_entities, Some(&changed))?);
        }
        let present =
            read_ids(connection, &format!("SELECT chunk_id FROM graph_chunks {IN_CHANGED}"), Some(&changed))?;

        let mut rows = Rows {
            entities: self.entities.iter().map(|entity| (entity.id, Arc::clone(entity))).collect(),
            facts: self.facts.iter().map(|fact| (fact.id, Arc::clone(fact))).collect(),
            chunks: self.chunks.iter().copied().filter(|chunk| !changed.contains(chunk)).collect(),
            synonyms: self.synonyms.clone(),
        };
        rows.chunks.extend(present);
        rows.entities.retain(|id, _| !entities.contains(id));
        rows.facts.retain(|id, _| !facts.contains(id));
        rows.synonyms.retain(|(low, high), _| !entities.contains(low) && !entities.contains(high));
        rows.entities.extend(read_entities(connection, Some(&entities))?);
        rows.facts.extend(read_facts(connection, Some(&facts))?);
        rows.synonyms.extend(read_synonyms(connection, Some(&entities))?);
        Ok(Self::build(rows, config))
    }

    fn build(rows: Rows, config: &GraphConfig) -> Self {
        let entities: Vec<Arc<Entity>> = rows.entities.into_values().collect();
        let facts: Vec<Arc<Fact>> = rows.facts.into_values().collect();
        let chunks: Vec<i64> = rows.chunks.into_iter().collect();
        let mut index = Self {
            entities,
            chunks,
            facts,
            synonyms: rows.synonyms,
            network: Network::default(),
            facts_by_node: Vec::new(),
            words: FactWords::default(),
            scratch: Mutex::default(),
        };
        let mut edges = Vec::new();
        for (place, fact) in index.facts.iter().enumerate() {
            if let (Some(subject), Some(object)) =
                (index.entity_node(fact.subject), index.entity_node(fact.object))
            {
                edges.push((subject, object, config.relation_weight * fact.chunks.len() as f32));
                index.facts_by_node.push((subject, place as u32));
                index.facts_by_node.push((object, place as u32));
            }
        }
        index.facts_by_node.sort_unstable();
        for (node, entity) in index.entities.iter().enumerate() {
            index.context_edges(node as u32, entity, config, &mut edges);
        }
        index.part_edges(config, &mut edges);
        for (&(low, high), &similarity) in &index.synonyms {
            if similarity < config.synonym_threshold {
                continue;
            }
            if let (Some(low), Some(high)) = (index.entity_node(low), index.entity_node(high)) {
                edges.push((low, high, config.synonym_weight * similarity));
            }
        }
        index.network = Network::undirected(index.entities.len() + index.chunks.len(), &edges);
        index.words = FactWords::build(index.facts.iter().map(|fact| fact.text.as_str()));
        index
    }

    fn context_edges(
        &self,
        node: u32,
        entity: &Entity,
        config: &GraphConfig,
        edges: &mut Vec<(u32, u32, f32)>,
    ) {
        let mut add = |chunk: i64, weight: f32| {
            edges.extend(self.chunk_node(chunk).map(|passage| (node, passage, weight)));
        };
        for &chunk in &entity.chunks {
            add(chunk, config.context_weight);
        }
        for &chunk in &entity.titles {
            add(chunk, config.title_weight);
        }
        for &chunk in entity.mentions.iter().filter(|chunk| entity.chunks.binary_search(chunk).is_err()) {
            add(chunk, config.mention_weight);
        }
    }

    /// Joins names to the names inside them: `Hiran region of Somalia` to `Somalia`.
    fn part_edges(&self, config: &GraphConfig, edges: &mut Vec<(u32, u32, f32)>) {
        let nodes: HashMap<&str, u32> =
            self.entities.iter().zip(0u32..).map(|(entity, node)| (entity.key.as_str(), node)).collect();
        for (entity, node) in self.entities.iter().zip(0u32..) {
            let words = entity.key.split(' ').count() as f32;
            for part in word_runs(&entity.key).iter().filter(|part| is_mentionable(part)) {
                if let Some(&other) = nodes.get(part.as_str()).filter(|other| **other != node) {
                    edges.push((node, other, config.part_weight * part.split(' ').count() as f32 / words));
                }
            }
        }
    }

    /// Returns how large the graph is.
    pub fn size(&self) -> GraphSize {
        GraphSize {
            entities: self.entities.len(),
            passages: self.chunks.len(),
            facts: self.facts.len(),
            synonyms: self.synonyms.len(),
            edges: self.network.edges(),
        }
    }

    /// Says whether the graph has this passage.
    pub fn contains(&self, chunk_id: i64) -> bool {
        self.chunk_node(chunk_id).is_some()
    }

    /// Returns the entities as written most often, with the number of passages naming each: the
    /// vocabulary for the cache guard and the router's evidence.
    pub fn entity_names(&self) -> impl Iterator<Item = (&str, usize)> + '_ {
        self.entities.iter().map(|entity| (entity.label.as_str(), entity.passages))
    }

    pub(super) fn entity_node(&self, id: i64) -> Option<u32> {
        self.entities.binary_search_by_key(&id, |entity| entity.id).ok().map(|place| place as u32)
    }

    pub(super) fn chunk_node(&self, chunk_id: i64) -> Option<u32> {
        self.chunks.binary_search(&chunk_id).ok().map(|place| (self.entities.len() + place) as u32)
    }

    /// Returns the passage behind a node, none for an entity.
    pub(super) fn chunk_of(&self, node: u32) -> Option<i64> {
        (node as usize).checked_sub(self.entities.len()).map(|place| self.chunks[place])
    }

    /// Prints everything in an order and form that do not depend on ids of entities and facts:
    /// equal texts mean equal graphs. For tests and `doctor`.
    pub fn canonical(&self) -> Vec<String> {
        let key =
            |id: i64| self.entity_node(id).map_or("?", |node| self.entities[node as usize].key.as_str());
        let mut lines: Vec<String> = self.chunks.iter().map(|chunk| format!("passage {chunk}")).collect();
        lines.extend(self.entities.iter().map(|e| {
            format!("entity {} as {} in {:?} {:?} {:?}", e.key, e.label, e.chunks, e.titles, e.mentions)
        }));
        lines.extend(self.facts.iter().map(|fact| {
            let (subject, object) = (key(fact.subject), key(fact.object));
            format!("fact {subject} | {} | {object} as {} in {:?}", fact.relation, fact.text, fact.chunks)
        }));
        lines.extend(self.synonyms.iter().map(|(&(low, high), similarity)| {
            let (a, b) = (key(low).min(key(high)), key(low).max(key(high)));
            format!("synonym {a} | {b} {similarity:.5}")
        }));
        lines.sort_unstable();
        lines
    }
}
