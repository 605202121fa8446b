//! A file's way in: read, chunk, embed, place, extract, store, in one transaction per batch.

mod adder;
pub mod extract;
mod prepare;
mod removing;
mod storing;
pub mod triples_file;
mod understand;
pub mod walk;

use std::path::PathBuf;
use std::time::Instant;

use serde_json::Map;

use crate::decide::route::StoreKind;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::ingest::adder::Adder;
use crate::ingest::triples_file::GivenTriples;
use crate::models::Cancel;
use crate::report::{AddReport, AddedDocument};

pub use self::removing::remove;

/// How to add.
#[derive(Debug, Clone, Default)]
pub struct AddOptions {
    /// Store asked for; `None` lets the router decide.
    pub store: Option<StoreKind>,
    /// Ready triples, used instead of extraction.
    pub triples: Option<PathBuf>,
    /// Extract without the generator even if there is one.
    pub fast_extraction: bool,
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
