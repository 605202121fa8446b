//! What a person, or a program, hears of a watched folder.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::ingest::Progress;
use crate::report::AddedDocument;

/// Hears what happens.
pub type Tell<'a> = dyn FnMut(&WatchEvent) + Send + 'a;

/// Something that happened in a watched folder.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum WatchEvent<'a> {
    /// The folder is watched from now on.
    Watching {
        /// Its absolute path.
        folder: String,
    },
    /// The whole folder is compared with the catalog.
    Rescan {
        /// `start`, `overflow`, `events failed` or `after trouble`.
        reason: &'static str,
    },
    /// A document was taken in, moved, removed, or failed.
    Document {
        /// The document, as `add` reports it; `removed` is a status here.
        #[serde(flatten)]
        document: &'a AddedDocument,
        /// For a failed one: seconds until it is tried again without being asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_in_s: Option<u64>,
    },
    /// A file keeps changing and is waited for.
    Waiting {
        /// The file.
        path: String,
    },
    /// Nothing is under way: the stores equal the disk, but for what failed.
    Settled {
        /// Documents added, updated, moved or removed since the last time.
        changed: usize,
        /// Files that failed at their last try.
        failing: usize,
    },
    /// Something that concerns more than one file.
    Trouble {
        /// What.
        error: String,
        /// The way out, where one is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
        /// Seconds until everything is tried again.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_in_s: Option<u64>,
    },
    /// The end; what was committed stays.
    Stopped,
}

/// Tells of documents as a round finishes them.
pub struct Teller<'a, 'b> {
    /// Who hears.
    pub tell: &'a mut Tell<'b>,
    /// Paths that were not in the catalog before: a copy among them is news.
    pub new: BTreeSet<String>,
}

impl Progress for Teller<'_, '_> {
    fn files(&mut self, _: usize) {}
    fn begin(&mut self, _: &str) {}
    fn step(&mut self, _: &str, _: usize, _: usize) {}

    fn end(&mut self, document: &AddedDocument) {
        // Failures are told with their next try, which is not known yet.
        let news = match document.status.as_str() {
            "failed" => false,
            "unchanged" => document.duplicate_of.is_some() && self.new.contains(&document.path),
            _ => true,
        };
        if news {
            (self.tell)(&WatchEvent::Document { document, retry_in_s: None });
        }
    }
}
