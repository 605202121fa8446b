//! The vector index over chunk embeddings: exact scan while small, usearch HNSW beyond.
//!
//! Derived from the catalog's blobs. The HNSW graph is kept in a file named after the corpus
//! version it was built from, so a crash between the two can only leave a stale file, which is
//! ignored and rebuilt.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

use crate::decide::rank::{Scored, dot, top_k};
use crate::decide::route::StoreKind;
use crate::store::StoreError;

/// Settings of the vector index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VectorConfig {
    /// Below this many chunks every search compares all of them: exact and still fast.
    pub exact_below: usize,
    /// A filter that leaves fewer chunks than this is scanned exactly.
    pub exact_filter_below: usize,
    /// HNSW: edges per node.
    pub connectivity: usize,
    /// HNSW: candidates kept while building.
    pub expansion_add: usize,
    /// HNSW: candidates kept while searching.
    pub expansion_search: usize,
}

impl Default for VectorConfig {
    fn default() -> Self {
        Self {
            exact_below: 4096,
            exact_filter_below: 2048,
            connectivity: 24,
            expansion_add: 160,
            expansion_search: 128,
        }
    }
}

/// Encodes a vector as little-endian `f32`s.
pub fn vector_to_blob(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Decodes what [`vector_to_blob`] made; trailing bytes that are no whole `f32` are dropped.
pub fn blob_to_vector(blob: &[u8]) -> Vec<f32> {
    blob.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect()
}

/// A set of chunks as rows of a matrix, with the stores each is placed in.
pub struct VectorIndex {
    dimension: usize,
    ids: Vec<i64>,
    stores: Vec<u8>,
    matrix: Vec<f32>,
    row_of: HashMap<i64, usize>,
    hnsw: Option<Index>,
    config: VectorConfig,
}

fn index_error(error: impl std::fmt::Display) -> StoreError {
    StoreError::Index(error.to_string())
}

impl VectorIndex {
    /// Loads every placed chunk's embedding; opens or builds the HNSW file when there are many.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`], [`StoreError::Index`] when usearch fails.
    pub fn load(
        connection: &Connection,
        folder: &Path,
        corpus_version: i64,
        config: &VectorConfig,
    ) -> Result<Self, StoreError> {
        let mut statement = connection.prepare(
            "SELECT c.id, c.embedding, group_concat(p.store) FROM chunks c JOIN placements p ON p.chunk_id = c.id
             GROUP BY c.id ORDER BY c.id",
        )?;
        let mut rows = statement.query([])?;
        let (mut ids, mut stores, mut matrix, mut dimension) = (Vec::new(), Vec::new(), Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let vector = blob_to_vector(row.get_ref(1)?.as_blob().map_err(index_error)?);
            if dimension == 0 {
                dimension = vector.len();
            }
            if vector.len() != dimension {
                return Err(StoreError::Index(format!(
                    "chunk {} has {} dimensions, the first has {dimension}",
                    row.get::<_, i64>(0)?,
                    vector.len()
                )));
            }
            ids.push(row.get::<_, i64>(0)?);
            stores.push(store_bits(&row.get::<_, String>(2)?));
            matrix.extend_from_slice(&vector);
        }
        let mut index = Self::from_rows(dimension, ids, stores, matrix, config.clone());
        if index.ids.len() >= config.exact_below {
            index.hnsw = Some(index.open_or_build(folder, corpus_version)?);
        }
        Ok(index)
    }

    /// Builds an exact index from rows: `matrix` holds `ids.len() * dimension` values.
    pub fn from_rows(
        dimension: usize,
        ids: Vec<i64>,
        stores: Vec<u8>,
        matrix: Vec<f32>,
        config: VectorConfig,
    ) -> Self {
        let row_of = ids.iter().enumerate().map(|(row, id)| (*id, row)).collect();
        Self { dimension, ids, stores, matrix, row_of, hnsw: None, config }
    }

    /// Number of chunks.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no chunk at all.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether searches use the HNSW graph.
    pub fn is_approximate(&self) -> bool {
        self.hnsw.is_some()
    }

    /// Number of chunks placed in `store`.
    pub fn count(&self, store: StoreKind) -> usize {
        self.stores.iter().filter(|bits| **bits & bit(store) != 0).count()
    }

    /// Whether the chunk is text: placed in another store than the relational one.
    pub fn is_text(&self, id: i64) -> bool {
        self.row_of.get(&id).is_some_and(|row| self.stores[*row] & !bit(StoreKind::Relational) != 0)
    }

    /// Returns the stored vector of a chunk.
    pub fn vector(&self, id: i64) -> Option<&[f32]> {
        self.row_of.get(&id).map(|row| self.row(*row))
    }

    /// Finds the `k` chunks with the largest cosine to `query`, sorted; ties by id.
    ///
    /// `store` and `allowed` restrict the search from inside, so that a filter matching five
    /// chunks of many thousands still returns those five. Any `k` is allowed.
    ///
    /// # Errors
    /// [`StoreError::Index`] when the dimensions differ or usearch fails.
    pub fn search(
        &self,
        query: &[f32],
        k: usize,
        store: Option<StoreKind>,
        allowed: Option<&dyn Fn(i64) -> bool>,
    ) -> Result<Vec<Scored>, StoreError> {
        if self.ids.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        if query.len() != self.dimension {
            return Err(StoreError::Index(format!(
                "the question has {} dimensions, the index {}",
                query.len(),
                self.dimension
            )));
        }
        let mask = store.map_or(u8::MAX, bit);
        let admits =
            |row: usize| self.stores[row] & mask != 0 && allowed.is_none_or(|accepts| accepts(self.ids[row]));
        if let Some(hnsw) = &self.hnsw {
            let few = (store.is_some() || allowed.is_some())
                && (0..self.ids.len())
                    .filter(|row| admits(*row))
                    .nth(self.config.exact_filter_below)
                    .is_none();
            if !few {
                let wanted = k.min(self.ids.len());
                let found = hnsw
                    .filtered_search(query, wanted, |key| {
                        self.row_of.get(&(key as i64)).is_some_and(|row| admits(*row))
                    })
                    .map_err(index_error)?;
                // The graph proposes, the exact cosine ranks.
                let exact = found
                    .keys
                    .iter()
                    .filter_map(|key| self.row_of.get(&(*key as i64)))
                    .map(|row| (self.ids[*row], dot(query, self.row(*row))));
                return Ok(top_k(exact, k));
            }
        }
        let scan = (0..self.ids.len())
            .filter(|row| admits(*row))
            .map(|row| (self.ids[row], dot(query, self.row(row))));
        Ok(top_k(scan, k))
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.matrix[row * self.dimension..(row + 1) * self.dimension]
    }

    fn open_or_build(&self, folder: &Path, corpus_version: i64) -> Result<Index, StoreError> {
        let options = IndexOptions {
            dimensions: self.dimension,
            metric: MetricKind::IP,
            quantization: ScalarKind::F32,
            connectivity: self.config.connectivity,
            expansion_add: self.config.expansion_add,
            expansion_search: self.config.expansion_search,
            multi: false,
        };
        let index = Index::new(&options).map_err(index_error)?;
        let path = file_in(folder, corpus_version);
        if path.exists() && index.load(&path.to_string_lossy()).is_ok() && index.size() == self.ids.len() {
            return Ok(index);
        }
        let index = Index::new(&options).map_err(index_error)?;
        index.reserve(self.ids.len()).map_err(index_error)?;
        for (row, id) in self.ids.iter().enumerate() {
            index.add(*id as u64, self.row(row)).map_err(index_error)?;
        }
        save(&index, folder, &path)?;
        Ok(index)
    }
}

/// Writes beside the target and renames, then removes the files of other versions.
fn save(index: &Index, folder: &Path, path: &Path) -> Result<(), StoreError> {
    let temporary = path.with_extension("part");
    index.save(&temporary.to_string_lossy()).map_err(index_error)?;
    std::fs::rename(&temporary, path).map_err(index_error)?;
    for entry in std::fs::read_dir(folder).map_err(index_error)?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("vectors-") && entry.path() != path {
            // A file in use elsewhere stays readable there; what can't be removed now goes next time.
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}

fn file_in(folder: &Path, corpus_version: i64) -> PathBuf {
    folder.join(format!("vectors-{corpus_version}.usearch"))
}

const fn bit(store: StoreKind) -> u8 {
    match store {
        StoreKind::Relational => 1,
        StoreKind::Vector => 2,
        StoreKind::Graph => 4,
    }
}

fn store_bits(list: &str) -> u8 {
    list.split(',').filter_map(StoreKind::parse).map(bit).fold(0, |bits, one| bits | one)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit(seed: u64, dimension: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let raw: Vec<f32> = (0..dimension)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state % 2001) as f32 / 1000.0 - 1.0
            })
            .collect();
        let norm = raw.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-6);
        raw.into_iter().map(|x| x / norm).collect()
    }

    fn index(count: usize, exact_below: usize) -> VectorIndex {
        let dimension = 16;
        let matrix = (0..count).flat_map(|i| unit(i as u64 + 1, dimension)).collect();
        let stores = (0..count).map(|i| if i % 1000 == 7 { 4 } else { 2 }).collect();
        let config = VectorConfig { exact_below, exact_filter_below: 0, ..VectorConfig::default() };
        let mut index =
            VectorIndex::from_rows(dimension, (0..count as i64).collect(), stores, matrix, config);
        if count >= exact_below {
            let folder = tempfile::tempdir().unwrap();
            index.hnsw = Some(index.open_or_build(folder.path(), 1).unwrap());
        }
        index
    }

    #[test]
    fn x01_any_k_is_clamped_and_an_empty_index_answers() {
        let query = unit(99, 16);
        assert_eq!(index(35, 10).search(&query, 100, None, None).unwrap().len(), 35);
        assert_eq!(index(35, 1000).search(&query, 100, None, None).unwrap().len(), 35);
        assert_eq!(index(35, 10).search(&query, 0, None, None).unwrap(), []);
        let empty = VectorIndex::from_rows(0, vec![], vec![], vec![], VectorConfig::default());
        assert_eq!(empty.search(&query, 5, None, None).unwrap(), []);
    }

    #[test]
    fn x03_a_selective_filter_returns_everything_it_matches() {
        for exact_below in [10, 1_000_000] {
            let index = index(5000, exact_below);
            let found = index.search(&unit(3, 16), 5, Some(StoreKind::Graph), None).unwrap();
            assert_eq!(found.len(), 5, "exact_below {exact_below}");
            assert!(found.iter().all(|(id, _)| id % 1000 == 7));
            let only = index.search(&unit(3, 16), 5, None, Some(&|id| id == 4321)).unwrap();
            assert_eq!(only.iter().map(|x| x.0).collect::<Vec<_>>(), [4321]);
        }
    }

    #[test]
    fn a_wrong_dimension_is_an_error_not_a_panic() {
        assert!(matches!(index(5, 100).search(&[1.0, 0.0], 3, None, None), Err(StoreError::Index(_))));
    }

    #[test]
    fn hnsw_agrees_with_the_scan() {
        let (approximate, exact) = (index(3000, 10), index(3000, 1_000_000));
        let mut same = 0;
        for seed in 0..50 {
            let query = unit(seed + 7777, 16);
            let truth: Vec<i64> = exact.search(&query, 10, None, None).unwrap().iter().map(|x| x.0).collect();
            let found = approximate.search(&query, 10, None, None).unwrap();
            same += found.iter().filter(|x| truth.contains(&x.0)).count();
        }
        assert!(same >= 495, "recall@10 {}", same as f64 / 500.0);
    }

    proptest! {
        #[test]
        fn blobs_keep_every_bit(vector in proptest::collection::vec(-1.0_f32..1.0, 0..64)) {
            prop_assert_eq!(blob_to_vector(&vector_to_blob(&vector)), vector);
        }
    }
}
