//! When to act on what happens in a watched folder.
//!
//! Events only say that something happened at a path; what is there is learnt by looking. A path
//! is settled when nothing happened for a while and two looks saw the same. Settled paths wait
//! for their neighbours, so that a burst, a rename or a save through a temporary file is one
//! round. What failed comes back after a growing delay. Times are milliseconds of a clock that
//! the caller reads.

mod noise;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use self::noise::{is_noise, is_noise_path};

/// `[watch]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WatchConfig {
    /// Milliseconds without a change after which a file counts as complete.
    pub settle_ms: u64,
    /// The same for a file that was written to and not closed, where the system tells.
    pub open_settle_ms: u64,
    /// Most milliseconds that settled files wait for others that are still changing.
    pub burst_ms: u64,
    /// Seconds between two comparisons of the folder's names, sizes and times.
    pub rescan_seconds: u64,
    /// Seconds until a failed file is tried again; doubles with each failure.
    pub retry_seconds: u64,
    /// Most seconds between two tries.
    pub retry_max_seconds: u64,
}

impl Default for WatchConfig {
    fn default() -> Self {
        Self {
            settle_ms: 1000,
            open_settle_ms: 3000,
            burst_ms: 5000,
            rescan_seconds: 60,
            retry_seconds: 5,
            retry_max_seconds: 900,
        }
    }
}

/// What an event says about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// Bytes were written; the writer may go on.
    Written,
    /// A writer closed the file.
    Closed,
    /// Anything else: created, renamed, removed, changed rights.
    Touched,
}

/// What a look at a path found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// A file, readable or not.
    File(Stamp),
    /// A folder.
    Folder,
    /// Nothing.
    Absent,
}

/// Size and time of a file: enough to see that it is still being written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub bytes: u64,
    /// Nanoseconds since 1970 of its last change.
    pub modified: u128,
}

/// What the caller has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Compare the whole folder with what is known: see [`Watching::listed`].
    Rescan(&'static str),
    /// Look at these paths and tell [`Watching::observed`].
    Look(Vec<String>),
    /// Report everything in these new folders as [`Happened::Touched`].
    Expand(Vec<String>),
    /// Tell the person that a file keeps changing.
    Waiting(String),
    /// Take in what is there, forget what is not, then tell [`Watching::finished`].
    Round {
        /// Files.
        present: Vec<String>,
        /// Paths where nothing is: of a file, or of a folder with all below it.
        absent: Vec<String>,
    },
}

#[derive(Debug, Clone)]
struct Pending {
    first: u64,
    changed: u64,
    open: bool,
    entry: Option<Entry>,
    told: bool,
}

#[derive(Debug, Clone, Copy)]
struct Failed {
    attempts: u32,
    retry: u64,
}

/// Everything known about a watched folder between two events.
#[derive(Debug)]
pub struct Watching {
    config: WatchConfig,
    pending: BTreeMap<String, Pending>,
    ready: BTreeMap<String, Entry>,
    ready_since: u64,
    settled: BTreeMap<String, Stamp>,
    failed: BTreeMap<String, Failed>,
    rescan_at: u64,
    reason: &'static str,
    in_round: BTreeMap<String, Entry>,
}

impl Watching {
    /// Begins with nothing known: the first action is a rescan.
    pub fn new(config: WatchConfig, now: u64) -> Self {
        Self {
            config,
            pending: BTreeMap::new(),
            ready: BTreeMap::new(),
            ready_since: 0,
            settled: BTreeMap::new(),
            failed: BTreeMap::new(),
            rescan_at: now,
            reason: "start",
            in_round: BTreeMap::new(),
        }
    }

    /// Takes an event.
    pub fn event(&mut self, path: &str, happened: Happened, now: u64) {
        self.ready.remove(path);
        let fresh = Pending { first: now, changed: now, open: false, entry: None, told: false };
        let pending = self.pending.entry(path.to_owned()).or_insert(fresh);
        pending.changed = now;
        pending.entry = None;
        match happened {
            Happened::Written => pending.open = true,
            Happened::Closed => pending.open = false,
            Happened::Touched => {}
        }
    }

    /// Asks for a comparison of everything, by content: events were lost.
    pub fn lost(&mut self, reason: &'static str, at: u64) {
        self.settled.clear();
        self.rescan_at = at;
        self.reason = reason;
    }

    /// Takes the result of a look.
    pub fn observed(&mut self, path: &str, entry: Entry, now: u64) {
        let Some(pending) = self.pending.get_mut(path) else { return };
        let waited = now.saturating_sub(pending.changed) >= settle(&self.config, pending);
        match pending.entry {
            Some(before) if before == entry && waited => {
                if self.ready.is_empty() {
                    self.ready_since = now;
                }
                self.pending.remove(path);
                self.ready.insert(path.to_owned(), entry);
            }
            Some(before) if before != entry => {
                pending.entry = Some(entry);
                pending.changed = now;
            }
            _ => pending.entry = Some(entry),
        }
    }

    /// Takes a list of the files in the folder, and the paths that the catalog has below it:
    /// whatever differs from what was last taken in counts as touched.
    pub fn listed<'a>(
        &mut self,
        files: &[(String, Stamp)],
        known: impl IntoIterator<Item = &'a String>,
        now: u64,
    ) {
        let there: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let mut touched: Vec<String> = files
            .iter()
            .filter(|(path, stamp)| self.settled.get(path) != Some(stamp) && !self.failed.contains_key(path))
            .map(|(path, _)| path.clone())
            .collect();
        touched.extend(known.into_iter().filter(|path| !there.contains(path.as_str())).cloned());
        let stale = self.failed.keys().filter(|path| !there.contains(path.as_str()));
        touched.extend(stale.cloned());
        for path in touched {
            if !self.pending.contains_key(&path) {
                self.event(&path, Happened::Touched, now);
            }
        }
    }

    /// Takes the outcome of the last round; returns for each failed path the seconds until it is
    /// tried again.
    pub fn finished(&mut self, failed: &BTreeSet<String>, now: u64) -> BTreeMap<String, u64> {
        for (path, entry) in std::mem::take(&mut self.in_round) {
            match entry {
                _ if failed.contains(&path) => {
                    self.settled.remove(&path);
                }
                Entry::File(stamp) => {
                    self.failed.remove(&path);
                    self.settled.insert(path, stamp);
                }
                Entry::Folder | Entry::Absent => {
                    self.failed.remove(&path);
                    self.settled.remove(&path);
                }
            }
        }
        failed.iter().map(|path| (path.clone(), self.fail(path, now))).collect()
    }

    /// Records a failure; returns the seconds until the next try.
    pub fn fail(&mut self, path: &str, now: u64) -> u64 {
        let attempts = self.failed.get(path).map_or(0, |failed| failed.attempts) + 1;
        let doubled = self.config.retry_seconds.saturating_mul(1 << (attempts - 1).min(30));
        let seconds = doubled.min(self.config.retry_max_seconds);
        self.failed.insert(path.to_owned(), Failed { attempts, retry: now.saturating_add(seconds * 1000) });
        seconds
    }

    /// How many paths failed at their last try.
    pub fn failing(&self) -> usize {
        self.failed.len()
    }

    /// Whether a path failed at its last try.
    pub fn is_failing(&self, path: &str) -> bool {
        self.failed.contains_key(path)
    }

    /// Whether nothing is under way: state equals disk, but for what failed.
    pub fn is_calm(&self) -> bool {
        self.pending.is_empty() && self.ready.is_empty() && self.in_round.is_empty()
    }

    /// Decides what to do now; call it again when it returned anything, or at [`Watching::wake_at`].
    pub fn next(&mut self, now: u64) -> Option<Action> {
        if now >= self.rescan_at {
            self.rescan_at = now.saturating_add(self.config.rescan_seconds.max(1) * 1000);
            return Some(Action::Rescan(std::mem::replace(&mut self.reason, "interval")));
        }
        self.retry(now);
        let due: Vec<String> = self
            .pending
            .iter()
            .filter(|(_, pending)| look_at(&self.config, pending) <= now)
            .map(|(path, _)| path.clone())
            .collect();
        if !due.is_empty() {
            return Some(Action::Look(due));
        }
        let folders: Vec<String> = self
            .ready
            .iter()
            .filter(|(_, entry)| **entry == Entry::Folder)
            .map(|(path, _)| path.clone())
            .collect();
        if !folders.is_empty() {
            self.ready.retain(|_, entry| *entry != Entry::Folder);
            return Some(Action::Expand(folders));
        }
        self.waiting(now).or_else(|| self.round(now))
    }

    /// When [`Watching::next`] will have something to do, if nothing happens before.
    pub fn wake_at(&self) -> u64 {
        let looks = self.pending.values().map(|pending| look_at(&self.config, pending));
        let retries = self.failed.values().map(|failed| failed.retry);
        let round = (!self.ready.is_empty()).then(|| self.ready_since + self.config.burst_ms);
        looks.chain(retries).chain(round).fold(self.rescan_at, u64::min)
    }

    fn retry(&mut self, now: u64) {
        let due: Vec<String> = self
            .failed
            .iter()
            .filter(|(_, failed)| failed.retry <= now)
            .map(|(path, _)| path.clone())
            .collect();
        for path in due {
            // Not due again before this try ends.
            if let Some(failed) = self.failed.get_mut(&path) {
                failed.retry = u64::MAX;
            }
            if !self.pending.contains_key(&path) && !self.ready.contains_key(&path) {
                self.event(&path, Happened::Touched, now);
            }
        }
    }

    fn waiting(&mut self, now: u64) -> Option<Action> {
        let patience = self.config.burst_ms;
        let (path, pending) =
            self.pending.iter_mut().find(|(_, pending)| !pending.told && now - pending.first >= patience)?;
        pending.told = true;
        Some(Action::Waiting(path.clone()))
    }

    fn round(&mut self, now: u64) -> Option<Action> {
        let patient = now.saturating_sub(self.ready_since) < self.config.burst_ms;
        if self.ready.is_empty() || (!self.pending.is_empty() && patient) {
            return None;
        }
        self.in_round = std::mem::take(&mut self.ready);
        let (mut present, mut absent) = (Vec::new(), Vec::new());
        for (path, entry) in &self.in_round {
            if *entry == Entry::Absent { &mut absent } else { &mut present }.push(path.clone());
        }
        Some(Action::Round { present, absent })
    }
}

fn settle(config: &WatchConfig, pending: &Pending) -> u64 {
    if pending.open { config.open_settle_ms.max(config.settle_ms) } else { config.settle_ms }
}

/// A first look comes at once, so that the second one has something to compare with.
fn look_at(config: &WatchConfig, pending: &Pending) -> u64 {
    if pending.entry.is_none() {
        pending.changed
    } else {
        pending.changed.saturating_add(settle(config, pending))
    }
}

#[cfg(test)]
mod tests;
