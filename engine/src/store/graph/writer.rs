//! What the one writer keeps in memory beside the tables.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;

use super::{GraphError, dot, from_blob};

/// The one writer's memory beside the tables: vectors of all entities, for finding synonyms of
/// new ones, and what the running transaction dropped.
///
/// [`write_chunk`](super::write_chunk) and [`delete_chunk`](super::delete_chunk) change it along
/// with the tables; after a commit call [`GraphWriter::commit`], after a rollback
/// [`GraphWriter::rollback`].
#[derive(Debug, Default)]
pub struct GraphWriter {
    vectors: BTreeMap<i64, Vec<f32>>,
    /// What the running transaction changed: entity and its vector before.
    journal: Vec<(i64, Option<Vec<f32>>)>,
    /// Vectors of texts that the running transaction left without use.
    dropped: HashMap<String, Vec<f32>>,
}

impl GraphWriter {
    /// Reads the vectors of all entities.
    ///
    /// # Errors
    /// [`GraphError::Sqlite`] when the tables can't be read.
    pub fn load(connection: &Connection) -> Result<Self, GraphError> {
        let mut statement = connection.prepare(
            "SELECT e.id, v.embedding FROM graph_entities e JOIN graph_vectors v ON v.text = e.key",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, from_blob(row.get_ref(1)?.as_blob()?))))?;
        Ok(Self { vectors: rows.collect::<Result<_, _>>()?, ..Self::default() })
    }

    /// Returns the number of entities.
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Says whether there are no entities.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Returns entities whose cosine with `vector` is at least `threshold`, by ascending id.
    pub fn neighbours(&self, vector: &[f32], threshold: f32) -> Vec<(i64, f32)> {
        self.vectors
            .iter()
            .filter(|(_, other)| other.len() == vector.len())
            .map(|(&id, other)| (id, dot(vector, other)))
            .filter(|&(_, similarity)| similarity >= threshold)
            .collect()
    }

    /// Makes the changes of the running transaction final.
    pub fn commit(&mut self) {
        self.journal.clear();
        self.dropped.clear();
    }

    /// Undoes the changes of the running transaction.
    pub fn rollback(&mut self) {
        self.dropped.clear();
        while let Some((id, before)) = self.journal.pop() {
            match before {
                Some(vector) => self.vectors.insert(id, vector),
                None => self.vectors.remove(&id),
            };
        }
    }

    pub(super) fn keep_dropped(&mut self, text: &str, vector: Vec<f32>) {
        self.dropped.insert(text.to_owned(), vector);
    }

    pub(super) fn dropped(&self, text: &str) -> Option<&Vec<f32>> {
        self.dropped.get(text)
    }

    pub(super) fn insert(&mut self, id: i64, vector: Vec<f32>) {
        let before = self.vectors.insert(id, vector);
        self.journal.push((id, before));
    }

    pub(super) fn remove(&mut self, id: i64) {
        let before = self.vectors.remove(&id);
        self.journal.push((id, before));
    }
}
