//! Writing and deleting passages inside the caller's transaction.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{GraphError, GraphWriter, from_blob, to_blob};
use crate::decide::graph_query::GraphConfig;
use crate::decide::text::fold;
use crate::decide::triples::{
    Triple, heading_names, is_mentionable, normalise_entity, normalise_words, word_runs,
};

/// A passage as the graph takes it.
#[derive(Debug, Clone, Copy)]
pub struct GraphPassage<'a> {
    /// The chunk's id in the catalog.
    pub chunk_id: i64,
    /// Document title and headings above the passage, any order.
    pub titles: &'a [&'a str],
    /// The passage's text.
    pub text: &'a str,
    /// What it states; may be empty.
    pub triples: &'a [Triple],
}

/// What a passage states, by the keys under which it is stored.
#[derive(Default)]
struct Stated {
    /// Spellings of every entity: `(key, alias)`.
    aliases: BTreeSet<(String, String)>,
    /// Keys of entities that a heading names.
    titles: BTreeSet<String>,
    /// `(subject, relation, object)` to the least of its wordings, whatever their order.
    facts: BTreeMap<(String, String, String), Wording>,
}

/// How a passage words a fact.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Wording {
    text: String,
    relation: String,
}

fn stated(passage: &GraphPassage<'_>) -> Stated {
    let mut stated = Stated::default();
    for name in passage.titles.iter().flat_map(|title| heading_names(title)) {
        let key = normalise_entity(&name);
        stated.aliases.insert((key.clone(), name));
        stated.titles.insert(key);
    }
    for triple in passage.triples {
        let (subject, object) = (normalise_entity(&triple.subject), normalise_entity(&triple.object));
        if subject.is_empty() || object.is_empty() || subject == object {
            continue;
        }
        stated.aliases.insert((subject.clone(), triple.subject.clone()));
        stated.aliases.insert((object.clone(), triple.object.clone()));
        let wording = Wording { text: triple.text(), relation: triple.relation.clone() };
        let key = (subject, fold(&triple.relation), object);
        match stated.facts.get_mut(&key) {
            Some(least) if *least <= wording => {}
            Some(least) => *least = wording,
            None => {
                stated.facts.insert(key, wording);
            }
        }
    }
    stated
}

fn with_synonyms(config: &GraphConfig) -> bool {
    config.synonym_threshold <= 1.0
}

/// Returns the distinct texts of a document's passages that have no stored embedding, sorted.
///
/// Embed them as passages, outside any transaction, and hand the vectors to [`write_chunk`].
///
/// # Errors
/// [`GraphError::Sqlite`] when the tables can't be read.
pub fn texts_to_embed<'a>(
    connection: &Connection,
    passages: impl IntoIterator<Item = &'a GraphPassage<'a>>,
    config: &GraphConfig,
) -> Result<Vec<String>, GraphError> {
    let mut texts = BTreeSet::new();
    for passage in passages {
        let stated = stated(passage);
        if with_synonyms(config) {
            texts.extend(stated.aliases.into_iter().map(|alias| alias.0));
        }
        texts.extend(stated.facts.into_values().map(|wording| wording.text));
    }
    let mut known = connection.prepare_cached("SELECT 1 FROM graph_vectors WHERE text = ?1")?;
    let mut missing = Vec::new();
    for text in texts {
        if !known.exists([&text])? {
            missing.push(text);
        }
    }
    Ok(missing)
}

/// Stores a passage and what it states; without triples it becomes a passage node alone.
///
/// `vectors` holds the embeddings of [`texts_to_embed`], normalised. A passage that is there
/// already is replaced. Vectors that [`delete_chunk`] dropped in this transaction are still
/// known, so a document may be deleted and written again in one go.
///
/// # Errors
/// [`GraphError::MissingVector`] and [`GraphError::Dimension`] for unusable embeddings,
/// [`GraphError::Sqlite`] otherwise; the caller rolls back.
pub fn write_chunk(
    transaction: &Transaction<'_>,
    passage: &GraphPassage<'_>,
    vectors: &HashMap<String, Vec<f32>>,
    writer: &mut GraphWriter,
    config: &GraphConfig,
) -> Result<(), GraphError> {
    let chunk_id = passage.chunk_id;
    delete_chunk(transaction, chunk_id, writer)?;
    let words = normalise_words(&format!("{} \n {}", passage.titles.join(" \n "), passage.text));
    transaction.prepare_cached("INSERT INTO graph_chunks(chunk_id) VALUES (?1)")?.execute([chunk_id])?;
    transaction
        .prepare_cached("INSERT INTO graph_words(rowid, words) VALUES (?1, ?2)")?
        .execute(params![chunk_id, words])?;
    let stated = stated(passage);
    let mut ids: HashMap<&str, i64> = HashMap::new();
    for (key, alias) in &stated.aliases {
        let id = match ids.get(key.as_str()) {
            Some(&id) => id,
            None => ensure_entity(transaction, key, vectors, writer, config)?,
        };
        ids.insert(key, id);
        transaction
            .prepare_cached("INSERT INTO graph_aliases(entity_id, chunk_id, alias) VALUES (?1, ?2, ?3)")?
            .execute(params![id, chunk_id, alias])?;
    }
    for key in &stated.titles {
        transaction
            .prepare_cached("INSERT INTO graph_titles(entity_id, chunk_id) VALUES (?1, ?2)")?
            .execute(params![ids[key.as_str()], chunk_id])?;
    }
    for ((subject, relation, object), wording) in &stated.facts {
        ensure_vector(transaction, &wording.text, vectors, writer)?;
        let fact = ensure_fact(transaction, ids[subject.as_str()], relation, ids[object.as_str()])?;
        transaction
            .prepare_cached(
                "INSERT INTO graph_statements(fact_id, chunk_id, relation, text) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![fact, chunk_id, wording.relation, wording.text])?;
    }
    mention_known_entities(transaction, chunk_id, &words)
}

/// Links a new passage to the entities whose keys are among its words.
fn mention_known_entities(
    transaction: &Transaction<'_>,
    chunk_id: i64,
    words: &str,
) -> Result<(), GraphError> {
    let mut insert = transaction.prepare_cached(
        "INSERT OR IGNORE INTO graph_mentions(entity_id, chunk_id) SELECT id, ?2 FROM graph_entities WHERE key = ?1",
    )?;
    for run in word_runs(words).iter().filter(|run| is_mentionable(run)) {
        insert.execute(params![run, chunk_id])?;
    }
    Ok(())
}

/// Links a new entity to the passages that hold its key. The full-text index proposes, the exact
/// words decide.
fn mention_in_known_passages(
    transaction: &Transaction<'_>,
    entity: i64,
    key: &str,
) -> Result<(), GraphError> {
    if !is_mentionable(key) {
        return Ok(());
    }
    let phrase =
        key.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>();
    transaction
        .prepare_cached(
            "INSERT OR IGNORE INTO graph_mentions(entity_id, chunk_id)
             SELECT ?1, rowid FROM graph_words WHERE graph_words MATCH ?2 AND instr(' ' || words || ' ', ' ' || ?3 || ' ') > 0",
        )?
        .execute(params![entity, format!("\"{}\"", phrase.join(" ")), key])?;
    Ok(())
}

fn ensure_entity(
    transaction: &Transaction<'_>,
    key: &str,
    vectors: &HashMap<String, Vec<f32>>,
    writer: &mut GraphWriter,
    config: &GraphConfig,
) -> Result<i64, GraphError> {
    let found: Option<i64> = transaction
        .prepare_cached("SELECT id FROM graph_entities WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    transaction.prepare_cached("INSERT INTO graph_entities(key) VALUES (?1)")?.execute([key])?;
    let id = transaction.last_insert_rowid();
    mention_in_known_passages(transaction, id, key)?;
    if !with_synonyms(config) {
        return Ok(id);
    }
    let vector = ensure_vector(transaction, key, vectors, writer)?;
    for (other, similarity) in writer.neighbours(&vector, config.synonym_threshold) {
        transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO graph_synonyms(low, high, similarity) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![id.min(other), id.max(other), similarity])?;
    }
    writer.insert(id, vector);
    Ok(id)
}

/// Returns the stored vector of `text`, storing the given one first if there is none.
fn ensure_vector(
    transaction: &Transaction<'_>,
    text: &str,
    vectors: &HashMap<String, Vec<f32>>,
    writer: &GraphWriter,
) -> Result<Vec<f32>, GraphError> {
    let stored: Option<Vec<f32>> = transaction
        .prepare_cached("SELECT embedding FROM graph_vectors WHERE text = ?1")?
        .query_row([text], |row| Ok(from_blob(row.get_ref(0)?.as_blob()?)))
        .optional()?;
    if let Some(vector) = stored {
        return Ok(vector);
    }
    let vector = vectors
        .get(text)
        .or_else(|| writer.dropped(text))
        .ok_or_else(|| GraphError::MissingVector { text: text.to_owned() })?;
    let dimension: Option<i64> = transaction
        .prepare_cached("SELECT length(embedding) FROM graph_vectors LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let expected = dimension.map_or(vector.len(), |bytes| bytes as usize / 4);
    if vector.is_empty() || vector.len() != expected {
        return Err(GraphError::Dimension { text: text.to_owned(), found: vector.len(), expected });
    }
    transaction
        .prepare_cached("INSERT INTO graph_vectors(text, embedding) VALUES (?1, ?2)")?
        .execute(params![text, to_blob(vector)])?;
    Ok(vector.clone())
}

fn ensure_fact(
    transaction: &Transaction<'_>,
    subject: i64,
    relation: &str,
    object: i64,
) -> Result<i64, GraphError> {
    let found: Option<i64> = transaction
        .prepare_cached("SELECT id FROM graph_facts WHERE subject = ?1 AND relation = ?2 AND object = ?3")?
        .query_row(params![subject, relation, object], |row| row.get(0))
        .optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    transaction
        .prepare_cached("INSERT INTO graph_facts(subject, relation, object) VALUES (?1, ?2, ?3)")?
        .execute(params![subject, relation, object])?;
    Ok(transaction.last_insert_rowid())
}

/// Removes a passage and everything that nothing else states any more: facts, entities, their
/// synonym edges and vectors. A passage that is not there is no error.
///
/// # Errors
/// [`GraphError::Sqlite`]; the caller rolls back.
pub fn delete_chunk(
    transaction: &Transaction<'_>,
    chunk_id: i64,
    writer: &mut GraphWriter,
) -> Result<(), GraphError> {
    let facts: Vec<(i64, String)> = rows(
        transaction,
        "SELECT fact_id, text FROM graph_statements WHERE chunk_id = ?1",
        chunk_id,
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let entities: Vec<i64> = rows(
        transaction,
        "SELECT DISTINCT entity_id FROM graph_aliases WHERE chunk_id = ?1",
        chunk_id,
        |row| row.get(0),
    )?;
    transaction.prepare_cached("DELETE FROM graph_words WHERE rowid = ?1")?.execute([chunk_id])?;
    for table in ["graph_statements", "graph_aliases", "graph_titles", "graph_mentions", "graph_chunks"] {
        transaction
            .prepare_cached(&format!("DELETE FROM {table} WHERE chunk_id = ?1"))?
            .execute([chunk_id])?;
    }
    for (fact, text) in facts {
        transaction
            .prepare_cached(
                "DELETE FROM graph_facts WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM graph_statements WHERE fact_id = ?1)",
            )?
            .execute([fact])?;
        drop_unused_vector(transaction, &text, writer)?;
    }
    for entity in entities {
        delete_unused_entity(transaction, entity, writer)?;
    }
    Ok(())
}

fn delete_unused_entity(
    transaction: &Transaction<'_>,
    entity: i64,
    writer: &mut GraphWriter,
) -> Result<(), GraphError> {
    if transaction.prepare_cached("SELECT 1 FROM graph_aliases WHERE entity_id = ?1")?.exists([entity])? {
        return Ok(());
    }
    transaction
        .prepare_cached("DELETE FROM graph_synonyms WHERE low = ?1 OR high = ?1")?
        .execute([entity])?;
    transaction.prepare_cached("DELETE FROM graph_mentions WHERE entity_id = ?1")?.execute([entity])?;
    let key: String = transaction
        .prepare_cached("DELETE FROM graph_entities WHERE id = ?1 RETURNING key")?
        .query_row([entity], |row| row.get(0))?;
    writer.remove(entity);
    drop_unused_vector(transaction, &key, writer)
}

fn drop_unused_vector(
    transaction: &Transaction<'_>,
    text: &str,
    writer: &mut GraphWriter,
) -> Result<(), GraphError> {
    let dropped: Option<Vec<f32>> = transaction
        .prepare_cached(
            "DELETE FROM graph_vectors WHERE text = ?1
             AND NOT EXISTS (SELECT 1 FROM graph_statements WHERE text = ?1)
             AND NOT EXISTS (SELECT 1 FROM graph_entities WHERE key = ?1)
             RETURNING embedding",
        )?
        .query_row([text], |row| Ok(from_blob(row.get_ref(0)?.as_blob()?)))
        .optional()?;
    if let Some(vector) = dropped {
        writer.keep_dropped(text, vector);
    }
    Ok(())
}

fn rows<T>(
    transaction: &Transaction<'_>,
    sql: &str,
    chunk_id: i64,
    read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, GraphError> {
    Ok(transaction.prepare_cached(sql)?.query_map([chunk_id], read)?.collect::<Result<_, _>>()?)
}
