//! One file on its way in.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::decide::route::StoreKind;
use crate::decide::triples::Triple;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::ingest::prepare::{self, Prepared, prepare};
use crate::ingest::storing::{Storing, unchanged};
use crate::ingest::triples_file::GivenTriples;
use crate::ingest::{AddOptions, Progress};
use crate::models::Cancel;
use crate::read::{self, Kind, Reader};
use crate::report::AddedDocument;
use crate::store::catalog::NewChunk;
use crate::store::{StoreError, catalog, tables};

/// Chunks embedded and committed together from one file of many documents.
const BATCH_CHUNKS: usize = 128;

/// Works on one file.
pub(super) struct Adder<'a> {
    pub engine: &'a Engine,
    pub options: &'a AddOptions,
    pub triples: Option<&'a GivenTriples>,
    pub cancel: &'a Cancel,
    pub progress: &'a mut dyn Progress,
}

impl Adder<'_> {
    /// Takes in a file, or says that there is nothing to do.
    pub fn file(&mut self, file: &Path) -> Result<Vec<AddedDocument>> {
        let io = |source| Error::Io { path: file.to_owned(), source };
        let size = std::fs::metadata(file).map_err(io)?.len();
        read::check_size(file, size, &self.engine.config.read)?;
        let bytes = std::fs::read(file).map_err(io)?;
        let hash = blake3::hash(&bytes).to_hex().to_string();
        let name = file.display().to_string();
        if let Some(document) = self.known(&name, &hash)? {
            self.progress.end(&document);
            return Ok(vec![document]);
        }
        let kind = read::detect(file, &bytes[..bytes.len().min(65_536)]);
        if kind == Kind::Sqlite {
            return self.database(file, &hash, size);
        }
        let reading = read::read(file, bytes, &Reader::new(&self.engine.config.read))?;
        let warnings: Vec<String> = reading.warnings.iter().map(read::Warning::to_string).collect();
        let many = reading.kind == Kind::Jsonl;
        let prepared = reading
            .sources
            .into_iter()
            .map(|source| prepare(self.engine, file, reading.kind, &hash, size, many, source))
            .collect::<Result<Vec<_>>>()?;
        let mut documents = self.in_batches(&name, prepared)?;
        if let Some(first) = documents.first_mut() {
            first.warnings.extend(warnings);
        }
        Ok(documents)
    }

    /// Reports what needs no work: the same bytes here already, or under another name.
    fn known(&self, name: &str, hash: &str) -> Result<Option<AddedDocument>> {
        let wanted = self.options.store.map_or("auto", StoreKind::as_str);
        self.engine.bookkeeping(|connection| {
            let here = catalog::document_at(connection, name)?;
            if let Some(document) = &here
                && document.content_hash == hash
                && document.requested_store == wanted
            {
                return Ok(Some(unchanged(name, None)));
            }
            if here.is_none()
                && let Some(original) = catalog::document_with_hash(connection, hash)?
                && original.requested_store == wanted
            {
                if Path::new(&original.path).exists() {
                    catalog::insert_alias(connection, name, original.id)?;
                    return Ok(Some(unchanged(name, Some(original.path))));
                }
                // The old name is gone and the bytes are here: the file was renamed.
                catalog::rename_document(connection, original.id, name)?;
                return Ok(Some(AddedDocument { status: "updated".into(), ..unchanged(name, None) }));
            }
            Ok(None)
        })
    }

    /// Embeds, places and commits documents in batches, then removes what the file no longer has.
    fn in_batches(&mut self, source: &str, prepared: Vec<Prepared>) -> Result<Vec<AddedDocument>> {
        let total: usize = prepared.iter().map(|document| document.chunks.len()).sum();
        let kept: HashSet<String> = prepared.iter().map(|document| document.document.path.clone()).collect();
        let mut done = 0;
        let mut reports = Vec::new();
        let mut batch: Vec<Prepared> = Vec::new();
        for document in prepared {
            batch.push(document);
            if batch.iter().map(|document| document.chunks.len()).sum::<usize>() >= BATCH_CHUNKS {
                reports.extend(self.batch(std::mem::take(&mut batch), &mut done, total)?);
            }
        }
        reports.extend(self.batch(batch, &mut done, total)?);
        self.remove_gone(source, &kept)?;
        Ok(reports)
    }

    fn batch(&mut self, batch: Vec<Prepared>, done: &mut usize, total: usize) -> Result<Vec<AddedDocument>> {
        let (fresh, mut reports) = self.without_unchanged(batch)?;
        if fresh.is_empty() {
            return Ok(reports);
        }
        let chunks = self.embed_and_place(&fresh, done, total)?;
        let triples = self.extract(&fresh, &chunks)?;
        let vectors = self.embed_facts(&chunks, &triples)?;
        let config = &self.engine.config.graph;
        reports.extend(self.engine.change(|transaction, graph_writer| {
            let mut storing = Storing { transaction, vectors: &vectors, graph_writer, config };
            let (mut chunks, mut triples) = (chunks.into_iter(), triples.into_iter());
            fresh
                .into_iter()
                .map(|document| {
                    let own: Vec<NewChunk> = chunks.by_ref().take(document.chunks.len()).collect();
                    let facts: Vec<Vec<Triple>> = triples.by_ref().take(document.chunks.len()).collect();
                    storing.document(document, &own, &facts)
                })
                .collect::<Result<Vec<_>>>()
        })?);
        for report in &reports {
            self.progress.end(report);
        }
        Ok(reports)
    }

    fn without_unchanged(&self, batch: Vec<Prepared>) -> Result<(Vec<Prepared>, Vec<AddedDocument>)> {
        let wanted = self.options.store.map_or("auto", StoreKind::as_str);
        let connection = self.engine.reader()?;
        let (mut fresh, mut reports) = (Vec::new(), Vec::new());
        for mut document in batch {
            wanted.clone_into(&mut document.document.requested_store);
            let known = catalog::document_at(&connection, &document.document.path)?;
            match known {
                Some(known)
                    if known.content_hash == document.document.content_hash
                        && known.requested_store == wanted =>
                {
                    reports.push(unchanged(&document.document.path, None));
                }
                known => {
                    document.replaces = known.map(|known| known.id);
                    fresh.push(document);
                }
            }
        }
        Ok((fresh, reports))
    }

    /// Removes documents that came from this file before and are no longer in it.
    fn remove_gone(&self, source: &str, kept: &HashSet<String>) -> Result<()> {
        let gone: Vec<String> = catalog::paths_of_source(&self.engine.reader()?, source)?
            .into_iter()
            .filter(|path| !kept.contains(path))
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        self.engine.change(|transaction, graph_writer| {
            for path in gone {
                if let Some(document) = catalog::document_at(transaction, &path)? {
                    catalog::delete_document(transaction, document.id, graph_writer)?;
                }
            }
            Ok(())
        })
    }

    /// Copies the tables of a SQLite database.
    fn database(&mut self, file: &Path, hash: &str, size: u64) -> Result<Vec<AddedDocument>> {
        let mut document = prepare::database(file, hash, size);
        self.options
            .store
            .map_or("auto", StoreKind::as_str)
            .clone_into(&mut document.document.requested_store);
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
        let no_triples = vec![Vec::new(); chunks.len()];
        let config = &self.engine.config.graph;
        let report = self.engine.change(|transaction, graph_writer| {
            let mut storing = Storing { transaction, vectors: &HashMap::new(), graph_writer, config };
            let mut report = storing.document(document, &chunks, &no_triples)?;
            let id = catalog::document_at(transaction, &path)?.map_or(0, |stored| stored.id);
            let imported = tables::import_sqlite(transaction, id, file).map_err(StoreError::from)?;
            report.tables = imported.tables.iter().map(|table| table.name.clone()).collect();
            Ok(report)
        })?;
        self.progress.end(&report);
        Ok(vec![report])
    }
}
