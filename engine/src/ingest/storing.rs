//! Documents into the stores, inside the caller's transaction.

use std::collections::{HashMap, HashSet};

use rusqlite::Transaction;
use serde_json::{Map, Value};

use crate::decide::graph_query::GraphConfig;
use crate::decide::route::StoreKind;
use crate::decide::table::Table;
use crate::decide::triples::Triple;
use crate::engine::now;
use crate::error::Result;
use crate::ingest::prepare::Prepared;
use crate::report::AddedDocument;
use crate::store::catalog::{NewChunk, StoredFile};
use crate::store::graph::{GraphPassage, GraphWriter};
use crate::store::{StoreError, catalog, graph, tables};

/// Reports a document without work.
pub(super) fn unchanged(path: &str, duplicate_of: Option<String>) -> AddedDocument {
    AddedDocument {
        path: path.to_owned(),
        status: "unchanged".into(),
        duplicate_of,
        ..AddedDocument::default()
    }
}

/// A batch of a file's documents in relation to the whole file.
pub(super) struct Arrival<'a> {
    /// The file's row once it is complete.
    pub file: &'a StoredFile,
    /// Paths of all its documents, with the last batch.
    pub kept: Option<&'a HashSet<String>>,
}

/// What storing documents inside one transaction shares.
pub(super) struct Storing<'a> {
    pub transaction: &'a Transaction<'a>,
    pub vectors: &'a HashMap<String, Vec<f32>>,
    pub graph_writer: &'a mut GraphWriter,
    pub config: &'a GraphConfig,
}

impl Storing<'_> {
    /// Stores one document, replacing what was at its path.
    pub fn document(
        &mut self,
        document: Prepared,
        chunks: &[NewChunk],
        triples: &[Vec<Triple>],
    ) -> Result<AddedDocument> {
        if let Some(id) = document.replaces {
            catalog::delete_document(self.transaction, id, self.graph_writer)?;
        }
        let id = catalog::insert_document(self.transaction, &document.document, now())?;
        let mut warnings = document.warnings.clone();
        let names = self.tables(id, &document.tables, &mut warnings)?;
        let mut placements: Map<String, Value> =
            StoreKind::ALL.iter().map(|store| (store.as_str().to_owned(), Value::from(0))).collect();
        for (chunk, facts) in chunks.iter().zip(triples) {
            let key = catalog::chunk_key(&document.document.path, chunk.ordinal, &chunk.text);
            let chunk_id = catalog::insert_chunk(self.transaction, id, &key, chunk)?;
            if chunk.stores.contains(&StoreKind::Graph) {
                let titles = titles_of(chunk);
                let passage = GraphPassage { chunk_id, titles: &titles, text: &chunk.text, triples: facts };
                graph::write_chunk(self.transaction, &passage, self.vectors, self.graph_writer, self.config)
                    .map_err(StoreError::from)?;
            }
            for store in &chunk.stores {
                let count = placements.get(store.as_str()).and_then(Value::as_u64).unwrap_or(0);
                placements.insert(store.as_str().to_owned(), Value::from(count + 1));
            }
        }
        let status = match (&document.incomplete, document.replaces) {
            // Nothing of it was read: it is listed, but not done.
            (Some(_), _) if chunks.is_empty() => "failed",
            (_, Some(_)) => "updated",
            (_, None) => "added",
        };
        Ok(AddedDocument {
            path: document.document.path,
            status: status.into(),
            error: document.incomplete.filter(|_| chunks.is_empty()),
            chunks: chunks.len(),
            placements,
            tables: names,
            warnings,
            ..AddedDocument::default()
        })
    }

    /// Writes the file's row: without a hash while documents are still to come, then with it, when
    /// documents that are no longer in the file go too.
    pub fn arrival(&mut self, arrival: &Arrival) -> Result<()> {
        let file = arrival.file;
        let Some(kept) = arrival.kept else {
            let begun = StoredFile { content_hash: String::new(), ..file.clone() };
            return Ok(catalog::put_file(self.transaction, &begun)?);
        };
        for path in catalog::paths_of_source(self.transaction, &file.path)? {
            if !kept.contains(&path)
                && let Some(document) = catalog::document_at(self.transaction, &path)?
            {
                catalog::delete_document(self.transaction, document.id, self.graph_writer)?;
            }
        }
        catalog::remove_false_copies(self.transaction, &file.path, &file.content_hash)?;
        catalog::put_file(self.transaction, file)?;
        Ok(catalog::clear_failure(self.transaction, &file.path)?)
    }

    fn tables(&self, id: i64, tables: &[Table], warnings: &mut Vec<String>) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for table in tables {
            let written = tables::write_table(self.transaction, id, table).map_err(StoreError::from)?;
            if let Some(wanted) = &written.renamed_from {
                warnings.push(format!("table `{wanted}` already exists, stored as `{}`", written.name));
            }
            warnings.extend(table.info.warnings.iter().map(|warning| match warning.line {
                Some(line) => format!("line {line}: {}", warning.message),
                None => warning.message.clone(),
            }));
            names.push(written.name);
        }
        Ok(names)
    }
}

/// The headings above a chunk.
pub(super) fn titles_of(chunk: &NewChunk) -> Vec<&str> {
    chunk.headings.iter().map(String::as_str).collect()
}
