//! Getting files: space first, then each file by resumable HTTPS, verified before it gets its name.

use std::path::{Path, PathBuf};

use serde::Serialize;
use ureq::Agent;

use super::lock::{Guard, LockedFile, at};
use super::status::{Expected, file_size, sha256_of};
use super::transfer::{Job, Resume, note_path, read_note, remove, store, write_note};
use super::{FetchError, Fetcher, Lock, Manifest, ModelFile, Profile};
use crate::models::Cancel;

/// What a step is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Bytes are coming in.
    Download,
    /// Bytes on disk are being hashed.
    Verify,
}

/// How far a file is.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Progress<'a> {
    /// File name.
    pub file: &'a str,
    /// What is being done.
    pub stage: Stage,
    /// Bytes done, those of earlier runs included.
    pub done: u64,
    /// Bytes in all, if known.
    pub total: Option<u64>,
}

/// What became of one file of a fetch.
#[derive(Debug)]
pub enum FetchOutcome {
    /// It was there already, of the right size.
    Present,
    /// It was downloaded and verified.
    Downloaded,
    /// It could not be had.
    Failed(FetchError),
}

/// One file of a fetch.
#[derive(Debug)]
pub struct FetchedFile {
    /// File name.
    pub file: String,
    /// Where it is or would be.
    pub path: PathBuf,
    /// What became of it.
    pub outcome: FetchOutcome,
}

/// All files of a fetch, in the manifest's order.
#[derive(Debug)]
pub struct FetchReport {
    /// The files.
    pub files: Vec<FetchedFile>,
}

impl FetchReport {
    /// Says whether every file is there now.
    pub fn is_complete(&self) -> bool {
        self.files.iter().all(|file| !matches!(file.outcome, FetchOutcome::Failed(_)))
    }
}

impl Fetcher {
    pub(super) fn run(
        &self,
        dir: &Path,
        manifest: &Manifest,
        profile: Profile,
        progress: &mut dyn FnMut(Progress<'_>),
        cancel: &Cancel,
    ) -> Result<FetchReport, FetchError> {
        std::fs::create_dir_all(dir).map_err(at(dir))?;
        let _guard = Guard::take(dir)?;
        let mut lock = Lock::read(dir)?;
        self.check_space(dir, manifest, profile, &lock)?;
        let agent = self.agent();
        let mut files = Vec::new();
        for model in manifest.profile(profile) {
            let outcome = match self.file(dir, model, &mut lock, &agent, progress, cancel) {
                Ok(outcome) => outcome,
                Err(error @ (FetchError::Cancelled | FetchError::NoSpace { .. })) => return Err(error),
                Err(error) => FetchOutcome::Failed(error),
            };
            files.push(FetchedFile { file: model.file.clone(), path: dir.join(&model.file), outcome });
        }
        Ok(FetchReport { files })
    }

    fn agent(&self) -> Agent {
        Agent::config_builder()
            .https_only(!self.plain_http)
            .http_status_as_error(false)
            // Redirects are followed by hand: each address is checked, and the hub's first
            // answer carries the revision that the last one lacks.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_resolve(Some(self.patience))
            .timeout_connect(Some(self.patience))
            .timeout_recv_response(Some(self.patience))
            .timeout_per_read(Some(self.patience))
            .user_agent(concat!("polyrag/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent()
    }

    /// Adds up what is still to come of the files whose sizes are known.
    fn check_space(
        &self,
        dir: &Path,
        manifest: &Manifest,
        profile: Profile,
        lock: &Lock,
    ) -> Result<(), FetchError> {
        let needed = manifest
            .profile(profile)
            .filter(|model| !model.source.is_empty())
            .filter_map(|model| {
                let size = Expected::of(model, lock).size?;
                let there = file_size(&dir.join(&model.file));
                let begun = file_size(&part_path(dir, model)).unwrap_or(0);
                Some(if there == Some(size) { 0 } else { size.saturating_sub(begun) })
            })
            .sum();
        self.need(dir, needed)
    }

    fn need(&self, dir: &Path, needed: u64) -> Result<(), FetchError> {
        let free = (self.free_space)(dir).map_err(at(dir))?;
        if needed > free {
            return Err(FetchError::NoSpace { path: dir.to_owned(), needed, free });
        }
        Ok(())
    }

    fn file(
        &self,
        dir: &Path,
        model: &ModelFile,
        lock: &mut Lock,
        agent: &Agent,
        progress: &mut dyn FnMut(Progress<'_>),
        cancel: &Cancel,
    ) -> Result<FetchOutcome, FetchError> {
        let target = dir.join(&model.file);
        let part = part_path(dir, model);
        let job = Job { model, expected: Expected::of(model, lock), note: note_path(&part), part };
        if let Some(size) = file_size(&target)
            && job.expected.size.is_none_or(|expected| expected == size)
        {
            return Ok(FetchOutcome::Present);
        }
        let mut last = FetchError::NoSource { file: model.file.clone() };
        for source in &model.source {
            match self.obtain(dir, &job, source, agent, progress, cancel) {
                Ok(pinned) => {
                    std::fs::rename(&job.part, &target).map_err(at(&target))?;
                    remove(&job.note)?;
                    lock.pin(pinned);
                    lock.write(dir)?;
                    return Ok(FetchOutcome::Downloaded);
                }
                Err(error @ (FetchError::Cancelled | FetchError::NoSpace { .. } | FetchError::Io { .. })) => {
                    return Err(error);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Brings the part file to its full length from one address, then verifies it.
    fn obtain(
        &self,
        dir: &Path,
        job: &Job<'_>,
        source: &str,
        agent: &Agent,
        progress: &mut dyn FnMut(Progress<'_>),
        cancel: &Cancel,
    ) -> Result<LockedFile, FetchError> {
        let mut tries = 0;
        let (etag, revision) = loop {
            let before = file_size(&job.part).unwrap_or(0);
            match self.transfer(dir, job, source, agent, progress, cancel) {
                Ok(tags) => break tags,
                Err(error @ (FetchError::Unreachable { .. } | FetchError::Truncated { .. })) => {
                    let gained = file_size(&job.part).unwrap_or(0) > before;
                    // A host that never answered is not asked again; a transfer that broke is.
                    if tries >= self.retries || (before == 0 && !gained) {
                        return Err(error);
                    }
                    tries = if gained { 1 } else { tries + 1 };
                    self.wait(cancel)?;
                }
                Err(error) => return Err(error),
            }
        };
        let size = file_size(&job.part).unwrap_or(0);
        let found = sha256_of(&job.part, &job.model.file, progress, cancel)?;
        if let Some(expected) = job.expected.sha256.as_ref().filter(|expected| **expected != found) {
            remove(&job.part)?;
            remove(&job.note)?;
            return Err(FetchError::WrongHash {
                file: job.model.file.clone(),
                found,
                expected: expected.clone(),
            });
        }
        Ok(LockedFile {
            file: job.model.file.clone(),
            size,
            sha256: found,
            source: source.into(),
            etag,
            revision,
        })
    }

    fn wait(&self, cancel: &Cancel) -> Result<(), FetchError> {
        let begun = std::time::Instant::now();
        while begun.elapsed() < self.pause {
            if cancel.is_cancelled() {
                return Err(FetchError::Cancelled);
            }
            std::thread::sleep(self.pause.min(std::time::Duration::from_millis(50)));
        }
        Ok(())
    }

    /// Makes one request and writes its body to the part file. Returns entity tag and revision.
    fn transfer(
        &self,
        dir: &Path,
        job: &Job<'_>,
        source: &str,
        agent: &Agent,
        progress: &mut dyn FnMut(Progress<'_>),
        cancel: &Cancel,
    ) -> Result<(Option<String>, Option<String>), FetchError> {
        if cancel.is_cancelled() {
            return Err(FetchError::Cancelled);
        }
        let Some(transfer) = self.open(job, source, agent)? else {
            return Ok((read_note(&job.note).etag, None));
        };
        if let (Some(found), Some(expected)) = (transfer.total, job.expected.size)
            && found != expected
        {
            return Err(FetchError::WrongSize { url: source.into(), found, expected });
        }
        if let Some(total) = transfer.total {
            self.need(dir, total.saturating_sub(transfer.offset))?;
        }
        write_note(&job.note, &Resume { source: source.into(), etag: transfer.etag.clone() })?;
        let (etag, revision) = (transfer.etag.clone(), transfer.revision.clone());
        store(job, source, transfer, progress, cancel)?;
        Ok((etag, revision))
    }
}

fn part_path(dir: &Path, model: &ModelFile) -> PathBuf {
    dir.join(format!("{}.part", model.file))
}
