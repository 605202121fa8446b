//! A file's way in: look, plan, read, chunk, embed, place, extract, store.
//!
//! All files are looked at first, so that renames and copies are known before anything is read.
//! What has to be read is parsed ahead on several threads; one writer stores file after file,
//! each in one transaction.

mod adder;
mod ahead;
pub mod extract;
mod look;
mod pictures;
mod prepare;
mod removing;
mod round;
mod storing;
pub mod triples_file;
mod understand;
pub mod walk;
pub mod watch;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use same_file::Handle;
use serde::{Deserialize, Serialize};

use crate::decide::route::StoreKind;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::ingest::round::Round;
use crate::models::Cancel;
use crate::report::{AddReport, AddedDocument};
use crate::store::catalog;

pub use self::removing::remove;

/// `[ingest]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IngestConfig {
    /// Most bytes of files parsed ahead of the writer; a single larger file still goes through.
    pub ahead_bytes: u64,
}

impl Default for IngestConfig {
    fn default() -> Self {
        Self { ahead_bytes: 268_435_456 }
    }
}

/// How to add.
#[derive(Debug, Clone, Default)]
pub struct AddOptions {
    /// Store asked for; `None` lets the router decide.
    pub store: Option<StoreKind>,
    /// Keep to the store that was asked for when a file was first added.
    pub keep_store: bool,
    /// Ready triples, used instead of extraction.
    pub triples: Option<PathBuf>,
    /// Extract without the generator even if there is one.
    pub fast_extraction: bool,
    /// Threads that hash and parse files ahead of the writer; 0 for one a core.
    pub jobs: usize,
    /// Remove stored files of the folders added that are no longer on disk.
    pub mirror: bool,
    /// Password for encrypted files.
    pub password: Option<String>,
    /// When pictures and pages are read by OCR.
    pub ocr: OcrMode,
    /// Files this process prints to, which are never documents.
    pub streams: Arc<Vec<Handle>>,
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

/// Adds files and folders; a bad file is reported and does not stop the rest.
///
/// Files that failed are kept in the catalog with the reason until they work or are gone. Stored
/// files that are no longer on disk are named in the report, and removed with `options.mirror`.
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
    let found = walk::files(paths, &walk::Own::new(engine.data(), Arc::clone(&options.streams)));
    progress.files(found.files.len());
    let mut round = Round::new(engine, options, cancel, progress)?;
    for (path, error) in found.failures {
        // What is not there can't be tried again.
        let is_there = path.symlink_metadata().is_ok();
        round.failed(&path, &error, is_there)?;
    }
    round.take_in(&found.files, &found.named)?;
    let gone = missing(engine, &found.roots)?;
    if options.mirror {
        round.forget(&gone)?;
    } else {
        // A file that moved was found under its new path by now.
        round.report.gone = gone;
    }
    round.clear_old_failures(&found.roots)?;
    let mut report = round.report;
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Stored files at or below `roots` that are certainly not on disk any more.
///
/// A root that is itself gone, say a drive that is not there, says nothing about its files.
fn missing(engine: &Engine, roots: &[PathBuf]) -> Result<Vec<String>> {
    let roots: Vec<String> =
        roots.iter().filter(|root| root.exists()).map(|root| root.display().to_string()).collect();
    let stored = catalog::files(&engine.reader()?)?;
    let mut gone: BTreeSet<String> = BTreeSet::new();
    for file in stored {
        if roots.iter().any(|root| catalog::below(root, &file.path)) && is_gone(&file.path) {
            gone.insert(file.path);
        }
    }
    Ok(gone.into_iter().collect())
}

/// Whether nothing readable as a file can be at a path: not found, or something else now.
fn is_gone(path: &str) -> bool {
    match std::fs::metadata(path) {
        Ok(metadata) => !metadata.is_file(),
        Err(error) => {
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
        }
    }
}

/// A failure as the report says it: the error with its way out.
fn reason(error: &Error) -> String {
    let hint = error.hint().map_or_else(String::new, |hint| format!(" (hint: {hint})"));
    format!("{error}{hint}")
}
