//! One file that was read, on its way into the stores.

use std::collections::{HashMap, HashSet};

use crate::decide::route::StoreKind;
use crate::decide::triples::Triple;
use crate::engine::Engine;
use crate::error::Result;
use crate::ingest::look::{INCOMPLETE, Look, Parsed, stored_hash};
use crate::ingest::prepare::{self, Prepared, prepare};
use crate::ingest::storing::{Arrival, Storing, unchanged};
use crate::ingest::triples_file::GivenTriples;
use crate::ingest::{AddOptions, Progress};
use crate::models::Cancel;
use crate::read::{self, Kind};
use crate::report::AddedDocument;
use crate::store::catalog::{NewChunk, StoredFile};
use crate::store::{StoreError, catalog, tables};

/// Chunks embedded and committed together from one file of many documents.
const BATCH_CHUNKS: usize = 128;

/// Works on one file at a time.
pub(super) struct Adder<'a> {
    pub engine: &'a Engine,
    pub options: &'a AddOptions,
    pub triples: Option<&'a GivenTriples>,
    pub cancel: &'a Cancel,
    pub progress: &'a mut dyn Progress,
    /// Store asked for, for the file at hand; `None` lets the router decide.
    pub asked: Option<StoreKind>,
}

impl Adder<'_> {
    /// Takes in a file that was read; its last commit makes it the catalog's version of the file.
    pub fn file(&mut self, parsed: Parsed) -> Result<Vec<AddedDocument>> {
        let Parsed { look, reading } = parsed;
        let look = Look { hash: stored_hash(&look, self.options.ocr), ..look };
        let mut row = self.row(&look);
        let Some(reading) = reading else { return self.database(&look, &row) };
        let warnings: Vec<String> = reading.warnings.iter().map(read::Warning::to_string).collect();
        let many = reading.kind == Kind::Jsonl || reading.sources.len() > 1;
        let prepared = reading
            .sources
            .into_iter()
            .map(|source| prepare(self.engine, &look, reading.kind, many, source, self.cancel))
            .collect::<Result<Vec<Prepared>>>()?;
        if prepared.iter().any(|document| document.incomplete.is_some()) {
            row.content_hash.push_str(INCOMPLETE);
        }
        let mut documents = self.in_batches(&row, prepared)?;
        if let Some(first) = documents.first_mut() {
            first.warnings.extend(warnings);
        }
        for document in &documents {
            self.progress.end(document);
        }
        Ok(documents)
    }

    fn wanted(&self) -> &'static str {
        self.asked.map_or("auto", StoreKind::as_str)
    }

    /// The catalog's row for a file whose documents are its own.
    fn row(&self, look: &Look) -> StoredFile {
        StoredFile {
            path: look.name.clone(),
            content_hash: look.hash.clone(),
            bytes: look.bytes,
            kind: look.kind.to_string(),
            requested_store: self.wanted().to_owned(),
            original: None,
        }
    }

    /// Embeds, places and commits documents in batches; the last one also removes what the file
    /// no longer has. A file of one document is one commit.
    fn in_batches(&mut self, file: &StoredFile, prepared: Vec<Prepared>) -> Result<Vec<AddedDocument>> {
        let total: usize = prepared.iter().map(|document| document.chunks.len()).sum();
        let kept: HashSet<String> = prepared.iter().map(|document| document.document.path.clone()).collect();
        let mut done = 0;
        let mut reports = Vec::new();
        let mut batch: Vec<Prepared> = Vec::new();
        for document in prepared {
            if batch.iter().map(|document| document.chunks.len()).sum::<usize>() >= BATCH_CHUNKS {
                let begun = Arrival { file, kept: None };
                reports.extend(self.batch(std::mem::take(&mut batch), &begun, &mut done, total)?);
            }
            batch.push(document);
        }
        reports.extend(self.batch(batch, &Arrival { file, kept: Some(&kept) }, &mut done, total)?);
        Ok(reports)
    }

    fn batch(
        &mut self,
        batch: Vec<Prepared>,
        arrival: &Arrival,
        done: &mut usize,
        total: usize,
    ) -> Result<Vec<AddedDocument>> {
        let (fresh, mut reports) = self.without_unchanged(batch)?;
        if fresh.is_empty() && arrival.kept.is_none() {
            return Ok(reports);
        }
        let chunks = self.embed_and_place(&fresh, done, total)?;
        let triples = self.extract(&fresh, &chunks)?;
        let vectors = self.embed_facts(&chunks, &triples)?;
        let config = &self.engine.config.graph;
        reports.extend(self.engine.change(|transaction, graph_writer| {
            let mut storing = Storing { transaction, vectors: &vectors, graph_writer, config };
            let (mut chunks, mut triples) = (chunks.into_iter(), triples.into_iter());
            let stored = fresh
                .into_iter()
                .map(|document| {
                    let own: Vec<NewChunk> = chunks.by_ref().take(document.chunks.len()).collect();
                    let facts: Vec<Vec<Triple>> = triples.by_ref().take(document.chunks.len()).collect();
                    storing.document(document, &own, &facts)
                })
                .collect::<Result<Vec<_>>>()?;
            storing.arrival(arrival)?;
            Ok(stored)
        })?);
        Ok(reports)
    }

    fn without_unchanged(&self, batch: Vec<Prepared>) -> Result<(Vec<Prepared>, Vec<AddedDocument>)> {
        let wanted = self.wanted();
        let connection = self.engine.reader()?;
        let (mut fresh, mut reports) = (Vec::new(), Vec::new());
        for mut document in batch {
            wanted.clone_into(&mut document.document.requested_store);
            let known = catalog::document_at(&connection, &document.document.path)?;
            match known {
                Some(known)
                    if known.content_hash == document.document.content_hash
                        && known.requested_store == wanted
                        && known.kind == document.document.kind =>
                {
                    let same = unchanged(&document.document.path, None);
                    reports.push(match document.incomplete {
                        Some(reason) if document.chunks.is_empty() => {
                            AddedDocument { status: "failed".into(), error: Some(reason), ..same }
                        }
                        reason => AddedDocument { warnings: reason.into_iter().collect(), ..same },
                    });
                }
                known => {
                    document.replaces = known.map(|known| known.id);
                    fresh.push(document);
                }
            }
        }
        Ok((fresh, reports))
    }

    /// Copies the tables of a SQLite database.
    fn database(&mut self, look: &Look, row: &StoredFile) -> Result<Vec<AddedDocument>> {
        let file = look.path.as_path();
        let mut document = prepare::database(look);
        self.wanted().clone_into(&mut document.document.requested_store);
        let rows = self.engine.config.router.evidence_rows;
        // What the tables hold is only known once they are in, and a model must not be called
        // inside the transaction: so they are copied once to look, and once to stay.
        let (chunks, known, warnings) = self.engine.rehearse(|transaction, _| {
            let known = catalog::document_at(transaction, &document.document.path)?.map(|known| known.id);
            if let Some(id) = known {
                tables::delete_document(transaction, id).map_err(StoreError::from)?;
            }
            let id = -1;
            let imported = tables::import_sqlite(transaction, id, file).map_err(StoreError::from)?;
            Ok((prepare::imported_evidence(transaction, id, rows)?, known, imported.warnings))
        })?;
        document.chunks = chunks;
        document.replaces = known;
        document.warnings = warnings;
        let mut done = 0;
        let total = document.chunks.len();
        let batch = [document];
        let chunks = self.embed_and_place(&batch, &mut done, total)?;
        let [document] = batch;
        let path = document.document.path.clone();
        let kept = HashSet::from([path.clone()]);
        let no_triples = vec![Vec::new(); chunks.len()];
        let config = &self.engine.config.graph;
        let report = self.engine.change(|transaction, graph_writer| {
            let mut storing = Storing { transaction, vectors: &HashMap::new(), graph_writer, config };
            let mut report = storing.document(document, &chunks, &no_triples)?;
            let id = catalog::document_at(transaction, &path)?.map_or(0, |stored| stored.id);
            let imported = tables::import_sqlite(transaction, id, file).map_err(StoreError::from)?;
            report.tables = imported.tables.iter().map(|table| table.name.clone()).collect();
            storing.arrival(&Arrival { file: row, kept: Some(&kept) })?;
            Ok(report)
        })?;
        self.progress.end(&report);
        Ok(vec![report])
    }
}
