//! One round of ingestion over a set of files: look, plan, move, read, forget.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZero;
use std::path::{Path, PathBuf};

use crate::decide::identity::{self, Alike, Known, Plan};
use crate::decide::route::StoreKind;
use crate::engine::{Engine, now};
use crate::error::{Error, Result};
use crate::ingest::adder::Adder;
use crate::ingest::ahead::{Lead, in_order};
use crate::ingest::look::{Look, Manner, Parsed, hash_in_force};
use crate::ingest::storing::unchanged;
use crate::ingest::triples_file::GivenTriples;
use crate::ingest::{AddOptions, OcrMode, Progress, is_gone, reason};
use crate::models::Cancel;
use crate::report::{AddReport, AddedDocument};
use crate::store::catalog::{self, StoredFile};

/// The state of a round.
pub(super) struct Round<'a> {
    engine: &'a Engine,
    options: &'a AddOptions,
    triples: Option<GivenTriples>,
    cancel: &'a Cancel,
    progress: &'a mut dyn Progress,
    /// What happened so far.
    pub report: AddReport,
}

impl<'a> Round<'a> {
    /// Begins a round.
    pub fn new(
        engine: &'a Engine,
        options: &'a AddOptions,
        cancel: &'a Cancel,
        progress: &'a mut dyn Progress,
    ) -> Result<Self> {
        let triples = options.triples.as_deref().map(GivenTriples::load).transpose()?;
        Ok(Self { engine, options, triples, cancel, progress, report: AddReport::default() })
    }

    /// Takes in files; of a catalog of our own only one in `named` is worth a word.
    pub fn take_in(&mut self, files: &[PathBuf], named: &BTreeSet<PathBuf>) -> Result<()> {
        let looks = self.look(files, named)?;
        let known = catalog::files(&self.engine.reader()?)?;
        let stores = self.stores(&looks, &known);
        let plan = plan(&looks, &stores, &known, self.options.ocr);
        self.relink(&plan)?;
        self.read(plan.read, &looks, &stores)
    }

    fn manner(&self) -> Manner<'a> {
        Manner { engine: self.engine, options: self.options, cancel: self.cancel }
    }

    fn lead(&self) -> Lead {
        let jobs = match self.options.jobs {
            0 => std::thread::available_parallelism().map_or(1, NonZero::get),
            jobs => jobs,
        };
        Lead { jobs, items: jobs * 2, weight: self.engine.config.ingest.ahead_bytes }
    }

    /// Hashes every file.
    fn look(&mut self, files: &[PathBuf], named: &BTreeSet<PathBuf>) -> Result<Vec<Look>> {
        let limits = &self.engine.config.read;
        let mut looks = Vec::with_capacity(files.len());
        let lead = Lead { weight: u64::MAX, ..self.lead() };
        let work = |path: &PathBuf| Look::at(path, limits);
        in_order(
            files,
            lead,
            |_| 1,
            work,
            |path, look| {
                self.check_cancel()?;
                match look {
                    Ok(look) => looks.push(look),
                    // Our own backups may lie among the files.
                    Err(Error::OwnCatalog { .. }) if !named.contains(path) => {}
                    Err(error) => self.failed(path, &error, true)?,
                }
                Ok(())
            },
        )?;
        Ok(looks)
    }

    /// The store asked for, by path.
    fn stores(&self, looks: &[Look], known: &[StoredFile]) -> HashMap<String, Option<StoreKind>> {
        let before: HashMap<&str, &StoredFile> =
            known.iter().map(|file| (file.path.as_str(), file)).collect();
        let of = |look: &Look| match before.get(look.name.as_str()) {
            Some(file) if self.options.keep_store => StoreKind::parse(&file.requested_store),
            _ => self.options.store,
        };
        looks.iter().map(|look| (look.name.clone(), of(look))).collect()
    }

    /// Moves documents to where their bytes are now and records copies; nothing is read.
    fn relink(&mut self, plan: &Plan) -> Result<()> {
        let recorded = {
            let reader = self.engine.reader()?;
            let mut recorded = true;
            for copy in &plan.copies {
                let row = catalog::file_at(&reader, &copy.path)?;
                recorded &= row.is_some_and(|row| row.original.as_ref() == Some(&copy.original));
            }
            recorded
        };
        if !plan.moves.is_empty() || !plan.dropped.is_empty() || !recorded {
            self.engine.change(|transaction, graph_writer| {
                for path in &plan.dropped {
                    catalog::drop_file(transaction, path, graph_writer)?;
                }
                let moves: Vec<_> = plan.moves.iter().map(|one| (one.from.clone(), one.to.clone())).collect();
                catalog::move_documents(transaction, &moves)?;
                for copy in &plan.copies {
                    if let Some(row) = catalog::file_at(transaction, &copy.original)? {
                        let original = Some(copy.original.clone());
                        let row = StoredFile { path: copy.path.clone(), original, ..row };
                        catalog::put_file(transaction, &row)?;
                    }
                    catalog::clear_failure(transaction, &copy.path)?;
                }
                for one in &plan.moves {
                    catalog::clear_failure(transaction, &one.to)?;
                }
                Ok(())
            })?;
        }
        self.report_links(plan)
    }

    fn report_links(&mut self, plan: &Plan) -> Result<()> {
        let reader = self.engine.reader()?;
        for one in &plan.moves {
            for path in catalog::paths_of_source(&reader, &one.to)? {
                let moved_from = Some(one.from.clone());
                self.done(AddedDocument { status: "updated".into(), moved_from, ..unchanged(&path, None) });
            }
        }
        for copy in &plan.copies {
            let mut document = unchanged(&copy.path, Some(copy.original.clone()));
            if plan.dropped.contains(&copy.path) {
                document.status = "updated".into();
            }
            self.done(document);
        }
        for path in &plan.unchanged {
            for document in catalog::paths_of_source(&reader, path)? {
                self.done(unchanged(&document, None));
            }
        }
        let unchanged = plan.unchanged.iter();
        self.engine.bookkeeping(|connection| {
            for path in unchanged {
                catalog::clear_failure(connection, path)?;
            }
            Ok(())
        })
    }

    fn done(&mut self, document: AddedDocument) {
        self.progress.end(&document);
        self.report.documents.push(document);
    }

    /// Reads and stores what is new; parsing runs ahead of the writer.
    fn read(
        &mut self,
        groups: Vec<Alike>,
        looks: &[Look],
        stores: &HashMap<String, Option<StoreKind>>,
    ) -> Result<()> {
        let sizes: HashMap<&str, u64> = looks.iter().map(|look| (look.name.as_str(), look.bytes)).collect();
        let weight = |alike: &Alike| sizes.get(alike[0].as_str()).copied().unwrap_or(0);
        let manner = self.manner();
        let work = |alike: &Alike| Parsed::at(Path::new(&alike[0]), &manner);
        let asked = |path: &str| stores.get(path).copied().flatten();
        in_order(&groups, self.lead(), weight, work, |alike, parsed| {
            let mut ahead = Some(parsed);
            // Where the first name can't be read, another may: names decide between formats.
            for (at, path) in alike.iter().enumerate() {
                self.check_cancel()?;
                let parsed = ahead.take().unwrap_or_else(|| Parsed::at(Path::new(path), &manner));
                if let Some(hash) = self.store(path, parsed, asked(path))? {
                    return self.copies(path, &alike[at + 1..], &hash);
                }
            }
            Ok(())
        })
    }

    /// Stores one file; returns the hash of what was stored, or `None` when it failed.
    fn store(
        &mut self,
        path: &str,
        parsed: Result<Parsed>,
        asked: Option<StoreKind>,
    ) -> Result<Option<String>> {
        self.progress.begin(path);
        let outcome = parsed.and_then(|parsed| {
            let hash = parsed.look.hash.clone();
            let mut adder = Adder {
                engine: self.engine,
                options: self.options,
                triples: self.triples.as_ref(),
                cancel: self.cancel,
                progress: &mut *self.progress,
                asked,
            };
            Ok((adder.file(parsed)?, hash))
        });
        match outcome {
            Ok((documents, hash)) => {
                self.report.documents.extend(documents);
                Ok(Some(hash))
            }
            Err(error) if error.stops_everything() => Err(error),
            Err(error) => {
                self.failed(Path::new(path), &error, true)?;
                Ok(None)
            }
        }
    }

    /// Records that other paths hold the bytes that were just stored.
    fn copies(&mut self, original: &str, others: &[String], hash: &str) -> Result<()> {
        if others.is_empty() {
            return Ok(());
        }
        let Some(row) = catalog::file_at(&self.engine.reader()?, original)? else { return Ok(()) };
        let mut same = Vec::new();
        for path in others {
            // The files may have changed since they were looked at.
            match Look::at(Path::new(path), &self.engine.config.read) {
                Ok(look) if look.hash == hash => same.push(path.clone()),
                Ok(_) => {
                    let asked = StoreKind::parse(&row.requested_store);
                    let parsed = Parsed::at(Path::new(path), &self.manner());
                    self.store(path, parsed, asked)?;
                }
                Err(error) => self.failed(Path::new(path), &error, true)?,
            }
        }
        self.engine.change(|transaction, graph_writer| {
            for path in &same {
                let owned = catalog::file_at(transaction, path)?.is_some_and(|file| file.original.is_none());
                if owned {
                    catalog::drop_file(transaction, path, graph_writer)?;
                }
                let original = Some(original.to_owned());
                catalog::put_file(transaction, &StoredFile { path: path.clone(), original, ..row.clone() })?;
                catalog::clear_failure(transaction, path)?;
            }
            Ok(())
        })?;
        for path in same {
            self.done(unchanged(&path, Some(original.to_owned())));
        }
        Ok(())
    }

    /// Removes files from the catalog; a document whose bytes are elsewhere too moves there.
    pub fn forget(&mut self, paths: &[String]) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        let removed = self.engine.change(|transaction, graph_writer| {
            let mut removed = Vec::new();
            for path in paths {
                if catalog::forget_file(transaction, path, graph_writer)?.is_some() {
                    removed.push(path.clone());
                }
            }
            Ok(removed)
        })?;
        for path in removed {
            self.done(AddedDocument { path, status: "removed".into(), ..AddedDocument::default() });
        }
        Ok(())
    }

    /// Reports a failure; `keep` also records it in the catalog, to be tried again.
    pub fn failed(&mut self, path: &Path, error: &Error, keep: bool) -> Result<()> {
        let path = path.display().to_string();
        if keep {
            let hint = error.hint();
            self.engine.bookkeeping(|connection| {
                let said = error.to_string();
                Ok(catalog::record_failure(connection, &path, &said, hint.as_deref(), now())?)
            })?;
        }
        self.done(AddedDocument {
            path,
            status: "failed".into(),
            error: Some(reason(error)),
            ..AddedDocument::default()
        });
        Ok(())
    }

    /// Drops recorded failures at or below `roots` that this round did not meet again.
    pub fn clear_old_failures(&self, roots: &[PathBuf]) -> Result<()> {
        let again: BTreeSet<&str> = self
            .report
            .documents
            .iter()
            .filter(|document| document.status == "failed")
            .map(|document| document.path.as_str())
            .collect();
        self.engine.bookkeeping(|connection| {
            for root in roots {
                for failure in catalog::failures(connection, Some(&root.display().to_string()))? {
                    if !again.contains(failure.path.as_str()) {
                        catalog::clear_failure(connection, &failure.path)?;
                    }
                }
            }
            Ok(())
        })
    }

    fn check_cancel(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Compares what was looked at with the catalog. Paths of the catalog that were not looked at
/// count as gone only when the disk says so, and only where it matters.
fn plan(
    looks: &[Look],
    stores: &HashMap<String, Option<StoreKind>>,
    known: &[StoredFile],
    ocr: OcrMode,
) -> Plan {
    let known: Vec<(&StoredFile, &str)> =
        known.iter().map(|file| (file, hash_in_force(&file.content_hash, &file.kind, ocr))).collect();
    let store_of = |look: &Look| stores.get(&look.name).copied().flatten().map_or("auto", StoreKind::as_str);
    let seen: Vec<_> = looks.iter().map(|look| look.seen(store_of(look))).collect();
    let looked: BTreeSet<&str> = looks.iter().map(|look| look.name.as_str()).collect();
    let before = known.iter().filter(|(file, _)| looked.contains(file.path.as_str()));
    let hashes: BTreeSet<&str> =
        looks.iter().map(|look| look.hash.as_str()).chain(before.map(|(_, hash)| *hash)).collect();
    let gone = known
        .iter()
        .filter(|(file, hash)| hashes.contains(hash) && !looked.contains(file.path.as_str()))
        .filter(|(file, _)| is_gone(&file.path))
        .map(|(file, _)| file.path.clone())
        .collect();
    let known: Vec<Known> = known
        .iter()
        .filter(|(file, hash)| looked.contains(file.path.as_str()) || hashes.contains(hash))
        .map(|(file, hash)| Known {
            path: file.path.clone(),
            hash: (*hash).to_owned(),
            kind: file.kind.clone(),
            store: file.requested_store.clone(),
            original: file.original.clone(),
        })
        .collect();
    identity::plan(&seen, &known, &gone)
}
