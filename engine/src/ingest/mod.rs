//! A file's way in: read, chunk, embed, place, extract, store, in one transaction per batch.

pub mod extract;
mod pictures;
mod prepare;
pub mod triples_file;
pub mod walk;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use rusqlite::Transaction;
use serde_json::{Map, Value};

use crate::decide::graph_query::GraphConfig;
use crate::decide::route::StoreKind;
use crate::decide::table::Table;
use crate::decide::triples::Triple;
use crate::engine::{Engine, now};
use crate::error::{Error, Result};
use crate::ingest::extract::{ExtractionCache, Extractor, Passage};
use crate::ingest::prepare::{Prepared, PreparedChunk, prepare};
use crate::ingest::triples_file::GivenTriples;
use crate::models::{Cancel, Purpose};
use crate::read::{self, Kind, PictureReader, Reader};
use crate::report::{AddReport, AddedDocument};
use crate::store::catalog::{NewChunk, NewDocument};
use crate::store::graph::{GraphPassage, GraphWriter};
use crate::store::{StoreError, catalog, graph, tables};

/// How to add.
#[derive(Debug, Clone, Default)]
pub struct AddOptions {
    /// Store asked for; `None` lets the router decide.
    pub store: Option<StoreKind>,
    /// Ready triples, used instead of extraction.
    pub triples: Option<PathBuf>,
    /// Extract without the generator even if there is one.
    pub fast_extraction: bool,
    /// Password for encrypted files.
    pub password: Option<String>,
    /// When pictures and pages are read by OCR.
    pub ocr: OcrMode,
}

/// When pictures and pages are read by OCR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OcrMode {
    /// Where there is no usable text layer.
    #[default]
    Auto,
    /// Everywhere, also where there is one.
    Force,
    /// Nowhere; what needs it is named and stays to be read.
    Off,
}

/// What a long ingestion tells while it runs.
pub trait Progress: Send {
    /// Number of files known.
    fn files(&mut self, total: usize);
    /// A file begins.
    fn begin(&mut self, path: &str);
    /// A step inside a file: done of total.
    fn step(&mut self, stage: &str, done: usize, total: usize);
    /// A document is finished.
    fn end(&mut self, document: &AddedDocument);
}

/// Progress that nobody watches.
pub struct Silent;

impl Progress for Silent {
    fn files(&mut self, _: usize) {}
    fn begin(&mut self, _: &str) {}
    fn step(&mut self, _: &str, _: usize, _: usize) {}
    fn end(&mut self, _: &AddedDocument) {}
}

/// Ends the stored hash of a document that was read by forced OCR.
const FORCED: &str = "+ocr";

/// Chunks embedded and committed together from one file of many documents.
const BATCH_CHUNKS: usize = 128;

/// Adds files and folders; a bad file is reported and does not stop the rest.
///
/// # Errors
/// What makes every file fail: the embedder, the catalog, [`Error::Cancelled`].
pub fn add(
    engine: &Engine,
    paths: &[PathBuf],
    options: &AddOptions,
    cancel: &Cancel,
    progress: &mut dyn Progress,
) -> Result<AddReport> {
    let started = Instant::now();
    let triples = options.triples.as_deref().map(GivenTriples::load).transpose()?;
    let (files, failures) = walk::files(paths, engine.data());
    progress.files(files.len());
    let mut report = AddReport::default();
    for (path, error) in failures {
        report.documents.push(failed(&path.display().to_string(), &error));
    }
    for file in files {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let name = file.display().to_string();
        progress.begin(&name);
        let mut adder = Adder { engine, options, triples: triples.as_ref(), cancel, progress };
        match adder.file(&file) {
            Ok(documents) => report.documents.extend(documents),
            Err(error @ (Error::Cancelled | Error::Model(_) | Error::Store(_))) => return Err(error),
            Err(error) => {
                let document = failed(&name, &error);
                adder.progress.end(&document);
                report.documents.push(document);
            }
        }
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

fn failed(path: &str, error: &Error) -> AddedDocument {
    let hint = error.hint().map_or_else(String::new, |hint| format!(" (hint: {hint})"));
    AddedDocument {
        path: path.to_owned(),
        status: "failed".into(),
        error: Some(format!("{error}{hint}")),
        chunks: 0,
        placements: Map::new(),
        tables: Vec::new(),
        warnings: Vec::new(),
        duplicate_of: None,
    }
}

/// Works on one file.
struct Adder<'a> {
    engine: &'a Engine,
    options: &'a AddOptions,
    triples: Option<&'a GivenTriples>,
    cancel: &'a Cancel,
    progress: &'a mut dyn Progress,
}

impl Adder<'_> {
    fn file(&mut self, file: &Path) -> Result<Vec<AddedDocument>> {
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
        let pictures = pictures::Pictures { ocr: &self.engine.models.ocr, cancel: self.cancel };
        let reader = Reader {
            password: self.options.password.as_deref(),
            pictures: (self.options.ocr != OcrMode::Off).then_some(&pictures as &dyn PictureReader),
            force_ocr: self.options.ocr == OcrMode::Force,
            ..Reader::new(&self.engine.config.read)
        };
        let reading = read::read(file, bytes, &reader)?;
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let warnings: Vec<String> = reading.warnings.iter().map(read::Warning::to_string).collect();
        let many = reading.kind == Kind::Jsonl;
        // What was read by force is another text than what the same bytes give by themselves.
        let hash = if reader.force_ocr { format!("{hash}{FORCED}") } else { hash };
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
                && self.is_read(&document.content_hash, hash)
                && document.requested_store == wanted
            {
                return Ok(Some(unchanged(name, None)));
            }
            if self.options.ocr == OcrMode::Force {
                return Ok(None);
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

    /// Says whether a stored document is what these bytes would give now. One that was incomplete
    /// (its hash says so) is read again; one read by forced OCR stays until its file changes.
    fn is_read(&self, stored: &str, hash: &str) -> bool {
        match stored.strip_suffix(FORCED) {
            Some(forced) => forced == hash,
            None => stored == hash && self.options.ocr != OcrMode::Force,
        }
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

    /// Embeds every chunk (reusing vectors of unchanged text) and decides where it goes.
    fn embed_and_place(
        &mut self,
        batch: &[Prepared],
        done: &mut usize,
        total: usize,
    ) -> Result<Vec<NewChunk>> {
        let all: Vec<&PreparedChunk> = batch.iter().flat_map(|document| &document.chunks).collect();
        let mut vectors: Vec<Option<Vec<f32>>> = Vec::with_capacity(all.len());
        let connection = self.engine.reader()?;
        for chunk in &all {
            vectors.push(catalog::embedding_of(&connection, &chunk.hash())?);
        }
        let missing: Vec<String> = all
            .iter()
            .zip(&vectors)
            .filter(|(_, vector)| vector.is_none())
            .map(|(chunk, _)| chunk.embedded_text())
            .collect();
        *done += all.len() - missing.len();
        let embedder = self.engine.embedder()?;
        let mut fresh = Vec::with_capacity(missing.len());
        for group in missing.chunks(32) {
            let texts: Vec<&str> = group.iter().map(String::as_str).collect();
            fresh.extend(embedder.embed(Purpose::Passage, &texts, self.cancel)?);
            *done += group.len();
            self.progress.step("embedding", *done, total);
        }
        let mut fresh = fresh.into_iter();
        for slot in vectors.iter_mut().filter(|slot| slot.is_none()) {
            *slot = fresh.next();
        }
        let placer = prepare::Placer::new(self.engine, self.options.store)?;
        let mut vectors = vectors.into_iter().map(Option::unwrap_or_default);
        Ok(batch
            .iter()
            .flat_map(|document| {
                let own = vectors.by_ref().take(document.chunks.len()).collect();
                placer.document(&document.chunks, own)
            })
            .collect())
    }

    /// Triples of every chunk that goes to the graph; an empty list for the others.
    fn extract(&mut self, batch: &[Prepared], chunks: &[NewChunk]) -> Result<Vec<Vec<Triple>>> {
        let names: Vec<&str> = batch
            .iter()
            .flat_map(|document| document.chunks.iter().map(|_| document.document.name.as_str()))
            .collect();
        let wanted: Vec<usize> =
            (0..chunks.len()).filter(|at| chunks[*at].stores.contains(&StoreKind::Graph)).collect();
        let mut triples = vec![Vec::new(); chunks.len()];
        if wanted.is_empty() {
            return Ok(triples);
        }
        if let Some(given) = self.triples {
            for at in wanted {
                triples[at] = given.of(names[at], &chunks[at].text);
            }
            return Ok(triples);
        }
        // Without a generator the patterns do it: a document is better half understood than refused.
        let generator =
            if self.options.fast_extraction { None } else { self.engine.models.generate.get().ok() };
        let headings: Vec<Vec<&str>> =
            wanted.iter().map(|at| chunks[*at].headings.iter().map(String::as_str).collect()).collect();
        let passages: Vec<Passage> = wanted
            .iter()
            .zip(&headings)
            .map(|(at, headings)| Passage { text: &chunks[*at].text, headings })
            .collect();
        let cache = RememberedOutputs { engine: self.engine };
        let extractor = Extractor::new(generator.as_deref(), &self.engine.config.extraction, &cache);
        let progress = Mutex::new(&mut *self.progress);
        let found = extractor.extract_all(&passages, self.cancel, &|done| {
            if let Ok(mut progress) = progress.lock() {
                progress.step("extracting facts", done, passages.len());
            }
        })?;
        for (at, extracted) in wanted.into_iter().zip(found) {
            triples[at] = extracted.triples;
        }
        Ok(triples)
    }

    /// Embeds the words of facts and entities that have no stored vector.
    fn embed_facts(
        &mut self,
        chunks: &[NewChunk],
        triples: &[Vec<Triple>],
    ) -> Result<HashMap<String, Vec<f32>>> {
        let titles: Vec<Vec<&str>> = chunks.iter().map(titles_of).collect();
        let passages: Vec<GraphPassage> = chunks
            .iter()
            .zip(&titles)
            .zip(triples)
            .filter(|((chunk, _), _)| chunk.stores.contains(&StoreKind::Graph))
            .map(|((chunk, titles), triples)| GraphPassage {
                chunk_id: 0,
                titles,
                text: &chunk.text,
                triples,
            })
            .collect();
        let texts = graph::texts_to_embed(&self.engine.reader()?, &passages, &self.engine.config.graph)
            .map_err(StoreError::from)?;
        let embedder = self.engine.embedder()?;
        let mut vectors = HashMap::with_capacity(texts.len());
        for group in texts.chunks(64) {
            let slices: Vec<&str> = group.iter().map(String::as_str).collect();
            let embedded = embedder.embed(Purpose::Passage, &slices, self.cancel)?;
            vectors.extend(group.iter().cloned().zip(embedded));
            self.progress.step("embedding facts", vectors.len(), texts.len());
        }
        Ok(vectors)
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

/// Model outputs kept in the catalog: an extraction that was cut off goes on where it was.
struct RememberedOutputs<'a> {
    engine: &'a Engine,
}

impl ExtractionCache for RememberedOutputs<'_> {
    fn get(&self, key: &str) -> Option<String> {
        self.engine.bookkeeping(|connection| Ok(catalog::model_output(connection, key)?)).ok().flatten()
    }

    fn put(&self, key: &str, output: &str) {
        // A lost output is only extracted again.
        let _ =
            self.engine.bookkeeping(|connection| Ok(catalog::keep_model_output(connection, key, output)?));
    }
}

fn unchanged(path: &str, duplicate_of: Option<String>) -> AddedDocument {
    AddedDocument {
        path: path.to_owned(),
        status: "unchanged".into(),
        error: None,
        chunks: 0,
        placements: Map::new(),
        tables: Vec::new(),
        warnings: Vec::new(),
        duplicate_of,
    }
}

/// What storing documents inside one transaction shares.
struct Storing<'a> {
    transaction: &'a Transaction<'a>,
    vectors: &'a HashMap<String, Vec<f32>>,
    graph_writer: &'a mut GraphWriter,
    config: &'a GraphConfig,
}

impl Storing<'_> {
    /// Stores one document, replacing what was at its path.
    fn document(
        &mut self,
        document: Prepared,
        chunks: &[NewChunk],
        triples: &[Vec<Triple>],
    ) -> Result<AddedDocument> {
        if let Some(id) = document.replaces {
            catalog::delete_document(self.transaction, id, self.graph_writer)?;
        }
        catalog::remove_alias(self.transaction, &document.document.path)?;
        let id = catalog::insert_document(self.transaction, &document.document, now())?;
        let mut warnings = document.warnings.clone();
        let names = self.tables(id, &document.tables, &mut warnings)?;
        let mut placements: Map<String, Value> =
            StoreKind::ALL.iter().map(|store| (store.as_str().to_owned(), Value::from(0))).collect();
        for (chunk, facts) in chunks.iter().zip(triples) {
            let key = chunk_key(&document.document, chunk);
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
            duplicate_of: None,
        })
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

fn titles_of(chunk: &NewChunk) -> Vec<&str> {
    chunk.headings.iter().map(String::as_str).collect()
}

/// Stable id of a chunk: the same path, position and text give the same id.
fn chunk_key(document: &NewDocument, chunk: &NewChunk) -> String {
    let seed = format!("{}\0{}\0{}", document.path, chunk.ordinal, chunk.text);
    blake3::hash(seed.as_bytes()).to_hex()[..16].to_owned()
}

/// Removes documents by path, name prefix of a folder, or id; returns the paths removed.
///
/// # Errors
/// [`Error::Store`]; [`Error::Usage`] when something named is not in the catalog.
pub fn remove(engine: &Engine, targets: &[String]) -> Result<Vec<String>> {
    engine.change(|transaction, graph_writer| remove_in(transaction, graph_writer, targets))
}

fn remove_in(
    transaction: &Transaction,
    graph_writer: &mut GraphWriter,
    targets: &[String],
) -> Result<Vec<String>> {
    let all = catalog::documents(transaction)?;
    let mut removed = Vec::new();
    let mut unknown = Vec::new();
    for target in targets {
        let folder = format!("{}/", target.trim_end_matches('/'));
        let lines = format!("{target}#");
        let before = removed.len();
        for document in &all {
            if document.also_at.contains(target) {
                catalog::remove_alias(transaction, target)?;
                removed.push(target.clone());
                continue;
            }
            let hit = document.path == *target
                || document.name == *target
                || document.id.to_string() == *target
                || document.path.starts_with(&folder)
                || document.path.starts_with(&lines);
            if hit && !removed.contains(&document.path) {
                match document.also_at.first() {
                    // The bytes are still there under another name: the document moves to it.
                    Some(other) => catalog::rename_document(transaction, document.id, other)?,
                    None => catalog::delete_document(transaction, document.id, graph_writer)?,
                }
                removed.push(document.path.clone());
            }
        }
        if removed.len() == before {
            unknown.push(target.clone());
        }
    }
    if !unknown.is_empty() {
        return Err(Error::Usage(format!("not in the catalog: {} (see `polyrag ls`)", unknown.join(", "))));
    }
    Ok(removed)
}
