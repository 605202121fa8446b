//! The hot folder: stores follow a folder for as long as this runs.
//!
//! [`crate::decide::watch`] decides; here are the clock, the disk, the system's events and the
//! rounds of ingestion. Events are hints: what counts is what a look at the disk finds, and the
//! whole folder is compared at the start, after lost events, and at intervals.

mod disk;
mod tell;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{EventKind, RecursiveMode, Watcher};

use self::disk::Root;
pub use self::tell::WatchEvent;
use self::tell::{Tell, Teller};
use crate::decide::watch::{Action, Happened, Watching};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::ingest::round::Round;
use crate::ingest::walk::{self, Own};
use crate::ingest::{AddOptions, is_gone};
use crate::models::Cancel;
use crate::report::AddedDocument;
use crate::store::{StoreError, catalog};

/// Longest wait between two looks at the cancel flag.
const PULSE: Duration = Duration::from_millis(100);
/// Shortest pause between two batches of events: a busy writer costs one look a pause, not one a write.
const PAUSE: Duration = Duration::from_millis(20);

/// Mirrors a folder into the stores until cancelled.
///
/// Files that appear or change are taken in once they are settled, renamed ones move, deleted
/// ones are removed. A file that fails is told, kept in the catalog with its reason, and tried
/// again. `tell` hears of everything as it happens.
///
/// # Errors
/// [`Error::Io`] when the folder can't be watched; what would make every file fail: no model, another
/// embedder. Trouble that may pass is told and tried again.
pub fn run(
    engine: &Engine,
    folder: &Path,
    options: &AddOptions,
    cancel: &Cancel,
    tell: &mut Tell,
) -> Result<()> {
    let own = Own::new(engine.data(), Arc::clone(&options.streams));
    let root = Root::at(folder, own)?;
    let (events, _watcher, limit) = subscribe(&root.path)?;
    let options = AddOptions { keep_store: true, ..options.clone() };
    let state = Watching::new(engine.config.watch.clone(), 0);
    let mut hot = HotFolder {
        engine,
        options,
        cancel,
        root,
        state,
        started: Instant::now(),
        troubles: 0,
        changed: 0,
        tell,
    };
    (hot.tell)(&WatchEvent::Watching { folder: hot.root.path.display().to_string() });
    if let Some(error) = limit {
        hot.hear(Err(error));
    }
    let outcome = hot.follow(&events);
    match outcome {
        Ok(()) | Err(Error::Cancelled) => {
            (hot.tell)(&WatchEvent::Stopped);
            Ok(())
        }
        Err(error) => Err(error),
    }
}

type Events = Receiver<notify::Result<notify::Event>>;

/// Subscribes to a folder's events; links to folders are compared at intervals instead, since
/// their events would come under one of their names only.
///
/// The last value says that the system's limit left some folders out.
fn subscribe(root: &Path) -> Result<(Events, impl Watcher + use<>, Option<notify::Error>)> {
    let io = |error: notify::Error| {
        let source = match error.kind {
            notify::ErrorKind::Io(source) => source,
            _ => std::io::Error::other(error.to_string()),
        };
        Error::Io { path: root.to_owned(), source }
    };
    let (sender, events) = mpsc::channel();
    let config = notify::Config::default().with_follow_symlinks(false);
    let mut watcher = notify::RecommendedWatcher::new(sender, config).map_err(io)?;
    let limit = match watcher.watch(root, RecursiveMode::Recursive) {
        Err(error) if matches!(error.kind, notify::ErrorKind::MaxFilesWatch) => Some(error),
        other => other.map(|()| None).map_err(io)?,
    };
    Ok((events, watcher, limit))
}

struct HotFolder<'a> {
    engine: &'a Engine,
    options: AddOptions,
    cancel: &'a Cancel,
    root: Root,
    state: Watching,
    started: Instant,
    /// Rounds in a row that ended in trouble.
    troubles: u32,
    /// Documents changed since the last calm.
    changed: usize,
    tell: &'a mut Tell<'a>,
}

impl HotFolder<'_> {
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn follow(&mut self, events: &Events) -> Result<()> {
        let mut calm = false;
        loop {
            if self.cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            while let Ok(event) = events.try_recv() {
                self.hear(event);
            }
            if let Some(action) = self.state.next(self.now()) {
                calm = false;
                self.perform(action)?;
                continue;
            }
            if !calm && self.state.is_calm() {
                calm = true;
                let (changed, failing) = (std::mem::take(&mut self.changed), self.state.failing());
                (self.tell)(&WatchEvent::Settled { changed, failing });
            }
            std::thread::sleep(PAUSE);
            let wait = Duration::from_millis(self.state.wake_at().saturating_sub(self.now())).min(PULSE);
            if let Ok(event) = events.recv_timeout(wait) {
                self.hear(event);
            }
        }
    }

    fn hear(&mut self, event: notify::Result<notify::Event>) {
        let now = self.now();
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                let hint = matches!(error.kind, notify::ErrorKind::MaxFilesWatch)
                    .then(|| "raise fs.inotify.max_user_watches; until then changes are found at intervals");
                let hint = hint.map(str::to_owned);
                (self.tell)(&WatchEvent::Trouble { error: error.to_string(), hint, retry_in_s: None });
                return self.state.lost("events failed", now);
            }
        };
        if event.need_rescan() {
            return self.state.lost("overflow", now);
        }
        let happened = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => Happened::Closed,
            // Our own reading is no event.
            EventKind::Access(_) => return,
            // Elsewhere than on Linux no event says that the writer is done.
            EventKind::Modify(ModifyKind::Data(_)) if cfg!(target_os = "linux") => Happened::Written,
            _ => Happened::Touched,
        };
        for path in event.paths {
            if path == self.root.path {
                continue;
            }
            match path.to_str() {
                Some(text) if !self.root.ignores(&path) => self.state.event(text, happened, now),
                _ => {}
            }
        }
    }

    fn perform(&mut self, action: Action) -> Result<()> {
        match action {
            Action::Rescan(reason) => self.rescan(reason),
            Action::Look(paths) => {
                for path in paths {
                    let entry = disk::entry(Path::new(&path));
                    let now = self.now();
                    self.state.observed(&path, entry, now);
                }
                Ok(())
            }
            Action::Expand(folders) => {
                let folders: Vec<PathBuf> = folders.into_iter().map(PathBuf::from).collect();
                let found = walk::files(&folders, &self.root.own);
                let now = self.now();
                for file in found.files {
                    self.state.event(&file.display().to_string(), Happened::Touched, now);
                }
                self.walk_failures(&found.failures)
            }
            Action::Waiting(path) => {
                (self.tell)(&WatchEvent::Waiting { path });
                Ok(())
            }
            Action::Round { present, absent } => self.round(&present, &absent),
        }
    }

    fn rescan(&mut self, reason: &'static str) -> Result<()> {
        if !self.root.is_there() {
            return self.root_is_gone();
        }
        if reason != "interval" {
            (self.tell)(&WatchEvent::Rescan { reason });
        }
        let found = walk::files(std::slice::from_ref(&self.root.path), &self.root.own);
        let stamped: Vec<_> =
            found.files.iter().map(|file| (file.display().to_string(), disk::stamp(file))).collect();
        let folder = self.root.path.display().to_string();
        let reader = self.engine.reader()?;
        let mut known: Vec<String> =
            catalog::files(&reader)?.into_iter().map(|file| file.path).filter(|path| is_gone(path)).collect();
        known.extend(catalog::failures(&reader, None)?.into_iter().map(|failure| failure.path));
        known.retain(|path| catalog::below(&folder, path));
        // Folders that can't be listed and links to nowhere are no files, and no absence either.
        known.retain(|path| !found.failures.iter().any(|failure| failure.0.to_str() == Some(path.as_str())));
        let now = self.now();
        self.state.listed(&stamped, &known, now);
        self.walk_failures(&found.failures)
    }

    /// Records what a walk could not use; told when it is new.
    fn walk_failures(&mut self, failures: &[(PathBuf, Error)]) -> Result<()> {
        for (path, error) in failures {
            let name = path.display().to_string();
            let now = self.now();
            if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) && path.to_str().is_some() {
                // A link to nowhere: tried again like a file that can't be read.
                if !self.state.is_failing(&name) {
                    self.state.event(&name, Happened::Touched, now);
                }
                continue;
            }
            let (said, hint) = (error.to_string(), error.hint());
            let known = catalog::failures(&self.engine.reader()?, Some(&name))?;
            if known.iter().any(|failure| failure.path == name && failure.reason == said) {
                continue;
            }
            self.engine.bookkeeping(|connection| {
                Ok(catalog::record_failure(connection, &name, &said, hint.as_deref(), crate::engine::now())?)
            })?;
            let document = AddedDocument {
                path: name,
                status: "failed".into(),
                error: Some(super::reason(error)),
                ..AddedDocument::default()
            };
            (self.tell)(&WatchEvent::Document { document: &document, retry_in_s: None });
        }
        Ok(())
    }

    /// One round: what is there goes in, what is gone goes out. The disk is asked again for both,
    /// so that nothing is removed that came back.
    fn round(&mut self, present: &[String], absent: &[String]) -> Result<()> {
        if !self.root.is_there() {
            self.state.finished(&BTreeSet::new(), 0);
            return self.root_is_gone();
        }
        let outcome = self.take_in(present, absent);
        let now = self.now();
        match outcome {
            Ok(documents) => {
                self.troubles = 0;
                let failed: BTreeSet<String> = documents
                    .iter()
                    .filter(|document| document.status == "failed")
                    .map(|document| document.path.clone())
                    .collect();
                let retries = self.state.finished(&failed, now);
                for document in documents.iter().filter(|document| document.status == "failed") {
                    let retry_in_s = retries.get(&document.path).copied();
                    (self.tell)(&WatchEvent::Document { document, retry_in_s });
                }
                let still = documents
                    .iter()
                    .filter(|document| !["failed", "unchanged"].contains(&document.status.as_str()));
                self.changed += still.count();
                Ok(())
            }
            Err(error) if ends_the_watch(&error) => Err(error),
            Err(error) => {
                self.state.finished(&BTreeSet::new(), now);
                self.trouble(&error.to_string(), error.hint());
                Ok(())
            }
        }
    }

    fn take_in(&mut self, present: &[String], absent: &[String]) -> Result<Vec<AddedDocument>> {
        let files: Vec<PathBuf> =
            present.iter().map(PathBuf::from).filter(|path| !self.root.is_ours(path)).collect();
        let new = {
            let reader = self.engine.reader()?;
            let mut new = BTreeSet::new();
            for path in present {
                if catalog::file_at(&reader, path)?.is_none() {
                    new.insert(path.clone());
                }
            }
            new
        };
        let mut teller = Teller { tell: &mut *self.tell, new };
        let mut round = Round::new(self.engine, &self.options, self.cancel, &mut teller)?;
        round.take_in(&files, &BTreeSet::new())?;
        if !absent.is_empty() {
            let mut gone: BTreeSet<String> = BTreeSet::new();
            let reader = self.engine.reader()?;
            let paths = catalog::files(&reader)?.into_iter().map(|file| file.path);
            let failures = catalog::failures(&reader, None)?.into_iter().map(|failure| failure.path);
            let below = |path: &String| absent.iter().any(|folder| catalog::below(folder, path));
            gone.extend(paths.chain(failures).filter(below).filter(|path| is_gone(path)));
            round.forget(&gone.into_iter().collect::<Vec<_>>())?;
        }
        Ok(round.report.documents)
    }

    /// The watched folder is not there, or another one is in its place: nothing is removed for it.
    fn root_is_gone(&mut self) -> Result<()> {
        let path = self.root.path.display().to_string();
        self.trouble(
            &format!("{path}: the folder is gone or another one is in its place; nothing was removed"),
            Some("bring it back, or stop, and run `polyrag rm` on it".into()),
        );
        Ok(())
    }

    /// Tells of trouble and compares everything again, later each time.
    fn trouble(&mut self, error: &str, hint: Option<String>) {
        self.troubles += 1;
        let config = &self.engine.config.watch;
        let doubled = config.retry_seconds.saturating_mul(1 << (self.troubles - 1).min(30));
        let seconds = doubled.min(config.retry_max_seconds);
        let at = self.now().saturating_add(seconds * 1000);
        self.state.lost("after trouble", at);
        (self.tell)(&WatchEvent::Trouble { error: error.to_owned(), hint, retry_in_s: Some(seconds) });
    }
}

/// Whether trying again is of no use before the person did something.
fn ends_the_watch(error: &Error) -> bool {
    match error {
        Error::Cancelled => true,
        Error::Model(error) => error.hint().is_some(),
        Error::Store(error) => {
            matches!(error, StoreError::OtherEmbedder { .. } | StoreError::Version { .. })
        }
        _ => false,
    }
}
