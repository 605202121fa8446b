//! Reading the graph's rows, all of them or those of some ids.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rusqlite::Connection;

use super::index::{Entity, Fact};
use super::{GraphError, from_blob};

/// An entity being read, with its spellings and their counts.
type Spelled = (Entity, BTreeMap<String, usize>);

/// Encodes ids for `json_each`.
fn json_ids(ids: &BTreeSet<i64>) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}

pub(super) fn read_ids(
    connection: &Connection,
    sql: &str,
    only: Option<&BTreeSet<i64>>,
) -> Result<BTreeSet<i64>, GraphError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(rusqlite::params_from_iter(only.map(json_ids)), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn read_entities(
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
    let mut current: Option<Spelled> = None;
    let mut titles = read_pairs(connection, "graph_titles", only)?;
    let mut mentions = read_pairs(connection, "graph_mentions", only)?;
    let mut finish = |current: Option<Spelled>, found: &mut BTreeMap<i64, Arc<Entity>>| {
        let Some((mut entity, aliases)) = current else { return };
        // Of equal counts `min_by_key` keeps the first, the least alias.
        let label = aliases.into_iter().min_by_key(|alias| std::cmp::Reverse(alias.1));
        entity.label = label.map(|alias| alias.0).unwrap_or_default();
        entity.titles = titles.remove(&entity.id).unwrap_or_default();
        entity.mentions = mentions.remove(&entity.id).unwrap_or_default();
        let more = entity.mentions.iter().filter(|chunk| entity.chunks.binary_search(chunk).is_err()).count();
        entity.passages = entity.chunks.len() + more;
        found.insert(entity.id, Arc::new(entity));
    };
    while let Some(row) = rows.next()? {
        let (id, chunk, alias): (i64, i64, String) = (row.get(0)?, row.get(2)?, row.get(3)?);
        if current.as_ref().is_none_or(|(entity, _)| entity.id != id) {
            finish(current.take(), &mut found);
            let entity = Entity { id, key: row.get(1)?, ..Entity::default() };
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

/// Reads `(entity, chunk)` pairs, chunks ascending.
fn read_pairs(
    connection: &Connection,
    table: &str,
    only: Option<&BTreeSet<i64>>,
) -> Result<HashMap<i64, Vec<i64>>, GraphError> {
    let filter = only.map_or("", |_| "WHERE entity_id IN (SELECT value FROM json_each(?1))");
    let mut statement = connection.prepare_cached(&format!(
        "SELECT entity_id, chunk_id FROM {table} {filter} ORDER BY entity_id, chunk_id"
    ))?;
    let mut rows = statement.query(rusqlite::params_from_iter(only.map(json_ids)))?;
    let mut found: HashMap<i64, Vec<i64>> = HashMap::new();
    while let Some(row) = rows.next()? {
        found.entry(row.get(0)?).or_default().push(row.get(1)?);
    }
    Ok(found)
}

pub(super) fn read_facts(
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

pub(super) fn read_synonyms(
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
