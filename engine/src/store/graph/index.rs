//! The snapshot: rows of the graph tables as a network to walk on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use rusqlite::Connection;

use super::{GraphError, from_blob};
use crate::decide::graph_query::GraphConfig;
use crate::decide::pagerank::{Network, Scratch};

/// An entity with the passages that name it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entity {
    pub(super) id: i64,
    pub(super) key: String,
    /// The most frequent spelling, of equally frequent ones the least.
    pub(super) label: String,
    /// Ascending.
    pub(super) chunks: Vec<i64>,
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
        let mut entities: BTreeSet<i64> =
            self.entities.iter().filter(|entity| touches(&entity.chunks)).map(|entity| entity.id).collect();
        const IN_CHANGED: &str = "WHERE chunk_id IN (SELECT value FROM json_each(?1))";
        let of_facts = format!("SELECT DISTINCT fact_id FROM graph_statements {IN_CHANGED}");
        facts.extend(read_ids(connection, &of_facts, Some(&changed))?);
        let of_entities = format!("SELECT DISTINCT entity_id FROM graph_aliases {IN_CHANGED}");
        entities.extend(read_ids(connection, &of_entities, Some(&changed))?);
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
            let passages = entity.chunks.iter().filter_map(|&chunk| index.chunk_node(chunk));
            edges.extend(passages.map(|passage| (node as u32, passage, config.context_weight)));
        }
        for (&(low, high), &similarity) in &index.synonyms {
            if similarity < config.synonym_threshold {
                continue;
            }
            if let (Some(low), Some(high)) = (index.entity_node(low), index.entity_node(high)) {
                edges.push((low, high, config.synonym_weight * similarity));
            }
        }
        index.network = Network::undirected(index.entities.len() + index.chunks.len(), &edges);
        index
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
        self.entities.iter().map(|entity| (entity.label.as_str(), entity.chunks.len()))
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
        lines.extend(
            self.entities.iter().map(|e| format!("entity {} as {} in {:?}", e.key, e.label, e.chunks)),
        );
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

fn json_ids(ids: &BTreeSet<i64>) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}

fn read_ids(
    connection: &Connection,
    sql: &str,
    only: Option<&BTreeSet<i64>>,
) -> Result<BTreeSet<i64>, GraphError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(rusqlite::params_from_iter(only.map(json_ids)), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read_entities(
    connection: &Connection,
    only: Option<&BTreeSet<i64>>,
) -> Result<BTreeMap<i64, Arc<Entity>>, GraphError> {
    let filter = only.map_or("", |_| "WHERE e.id IN (SELECT value FROM json_each(?1))");
    let mut statement = connection.prepare_cached(&format!(
        "SELECT e.id, e.key, a.chunk_id, a.alias FROM graph_entities e JOIN graph_aliases a ON a.entity_id = e.id
         {filter} ORDER BY e.id, a.chunk_id, a.alias"
    ))?;
    let mut rows = statement.query(rusqlite::params_from_iter(only.map(json_ids)))?;
    let mut found: BTreeMap<i64, Arc<Entity>> = BTreeMap::new();
    let mut current: Option<(Entity, BTreeMap<String, usize>)> = None;
    let finish = |current: Option<(Entity, BTreeMap<String, usize>)>,
                  found: &mut BTreeMap<i64, Arc<Entity>>| {
        if let Some((mut entity, aliases)) = current {
            // Of equal counts `min_by_key` keeps the first, the least alias.
            let label = aliases.into_iter().min_by_key(|alias| std::cmp::Reverse(alias.1));
            entity.label = label.map(|alias| alias.0).unwrap_or_default();
            found.insert(entity.id, Arc::new(entity));
        }
    };
    while let Some(row) = rows.next()? {
        let (id, chunk, alias): (i64, i64, String) = (row.get(0)?, row.get(2)?, row.get(3)?);
        if current.as_ref().is_none_or(|(entity, _)| entity.id != id) {
            finish(current.take(), &mut found);
            let entity = Entity { id, key: row.get(1)?, label: String::new(), chunks: Vec::new() };
            current = Some((entity, BTreeMap::new()));
        }
        if let Some((entity, aliases)) = &mut current {
            *aliases.entry(alias).or_default() += 1;
            if entity.chunks.last() != Some(&chunk) {
                entity.chunks.push(chunk);
            }
        }
    }
    finish(current, &mut found);
    Ok(found)
}

fn read_facts(
    connection: &Connection,
    only: Option<&BTreeSet<i64>>,
) -> Result<BTreeMap<i64, Arc<Fact>>, GraphError> {
    let filter = only.map_or("", |_| "WHERE f.id IN (SELECT value FROM json_each(?1))");
    let mut statement = connection.prepare_cached(&format!(
        "SELECT f.id, f.subject, f.object, s.relation, s.text, s.chunk_id
         FROM graph_facts f JOIN graph_statements s ON s.fact_id = f.id
         {filter} ORDER BY f.id, s.text, s.relation, s.chunk_id"
    ))?;
    let mut vector = connection.prepare_cached("SELECT embedding FROM graph_vectors WHERE text = ?1")?;
    let mut rows = statement.query(rusqlite::params_from_iter(only.map(json_ids)))?;
    let mut found: BTreeMap<i64, Fact> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (id, chunk): (i64, i64) = (row.get(0)?, row.get(5)?);
        if let Some(fact) = found.get_mut(&id) {
            fact.chunks.push(chunk);
            continue;
        }
        let text: String = row.get(4)?;
        let mut blobs = vector.query([&text])?;
        let Some(blob) = blobs.next()? else {
            return Err(GraphError::MissingVector { text });
        };
        let vector = from_blob(blob.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?);
        let fact = Fact {
            id,
            subject: row.get(1)?,
            object: row.get(2)?,
            relation: row.get(3)?,
            text,
            chunks: vec![chunk],
            vector,
        };
        found.insert(id, fact);
    }
    Ok(found
        .into_iter()
        .map(|(id, mut fact)| {
            fact.chunks.sort_unstable();
            (id, Arc::new(fact))
        })
        .collect())
}

fn read_synonyms(
    connection: &Connection,
    only: Option<&BTreeSet<i64>>,
) -> Result<BTreeMap<(i64, i64), f32>, GraphError> {
    // Two indexed look-ups instead of one scan over `low OR high`.
    let sql = match only {
        None => "SELECT low, high, similarity FROM graph_synonyms",
        Some(_) => {
            "SELECT low, high, similarity FROM graph_synonyms WHERE low IN (SELECT value FROM json_each(?1))
             UNION SELECT low, high, similarity FROM graph_synonyms WHERE high IN (SELECT value FROM json_each(?1))"
        }
    };
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(rusqlite::params_from_iter(only.map(json_ids)), |row| {
        Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
