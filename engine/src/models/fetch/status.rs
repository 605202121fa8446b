//! Which model files are there, whether they are right, and which one a role uses.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::lock::at;
use super::{FetchError, Lock, Manifest, ModelFile, Profile, Progress, Role, Stage};
use crate::models::{Cancel, ModelError};

/// Bytes read at a time when hashing.
const BLOCK: usize = 1 << 20;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// There, of the right size; after [`verify`] also of the right content.
    Present,
    /// Not there.
    Missing,
    /// Shorter than it should be.
    Truncated,
    /// Longer than it should be, or of other content.
    WrongHash,
}

/// One file of the model set as it is on this machine.
#[derive(Debug, Clone, Serialize)]
pub struct ModelStatus {
    /// What it is for.
    pub role: Role,
    /// The set it belongs to.
    pub profile: Profile,
    /// Which part of the role's model, where there are several files.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// Name for people.
    pub name: String,
    /// File name.
    pub file: String,
    /// Where it is or would be.
    pub path: PathBuf,
    /// Bytes there are; `None` when it is missing.
    pub size: Option<u64>,
    /// Bytes there should be; `None` until the first fetch pins them.
    pub expected_size: Option<u64>,
    /// SHA-256 it should have; `None` until the first fetch pins it.
    pub sha256: Option<String>,
    /// Whether it is there and right.
    pub state: FileState,
    /// Licence of the weights.
    pub licence: String,
    /// Where it came from, or would come from first; `None` when it is only assembled.
    pub source: Option<String>,
}

/// What a file must be: the manifest's word, else the lock file's.
#[derive(Debug, Clone, Default)]
pub(super) struct Expected {
    pub(super) size: Option<u64>,
    pub(super) sha256: Option<String>,
}

impl Expected {
    pub(super) fn of(model: &ModelFile, lock: &Lock) -> Self {
        let locked = lock.get(&model.file);
        Self {
            size: model.size.or(locked.map(|entry| entry.size)),
            sha256: model.sha256.clone().or(locked.map(|entry| entry.sha256.clone())),
        }
    }
}

/// Says which files of the model set are in `dir`, by their sizes.
///
/// # Errors
/// [`FetchError::Lock`] when the lock file is unusable.
pub fn list(
    dir: &Path,
    manifest: &Manifest,
    profile: Option<Profile>,
) -> Result<Vec<ModelStatus>, FetchError> {
    let lock = Lock::read(dir)?;
    let wanted = |model: &&ModelFile| profile.is_none_or(|profile| model.profile == profile);
    Ok(manifest.files().iter().filter(wanted).map(|model| status(dir, model, &lock)).collect())
}

/// Says the same as [`list`] after hashing every file that is there.
///
/// # Errors
/// As [`list`]; [`FetchError::Io`] for a file that can't be read; [`FetchError::Cancelled`].
pub fn verify(
    dir: &Path,
    manifest: &Manifest,
    profile: Option<Profile>,
    progress: &mut dyn FnMut(Progress<'_>),
    cancel: &Cancel,
) -> Result<Vec<ModelStatus>, FetchError> {
    let mut found = list(dir, manifest, profile)?;
    for status in &mut found {
        if let (FileState::Present, Some(expected)) = (status.state, &status.sha256)
            && sha256_of(&status.path, &status.file, progress, cancel)? != *expected
        {
            status.state = FileState::WrongHash;
        }
    }
    Ok(found)
}

fn status(dir: &Path, model: &ModelFile, lock: &Lock) -> ModelStatus {
    let path = dir.join(&model.file);
    let expected = Expected::of(model, lock);
    let size = file_size(&path);
    let source =
        lock.get(&model.file).map(|locked| locked.source.clone()).or_else(|| model.source.first().cloned());
    ModelStatus {
        role: model.role,
        profile: model.profile,
        part: model.part.clone(),
        name: model.name.clone(),
        file: model.file.clone(),
        path,
        size,
        expected_size: expected.size,
        sha256: expected.sha256,
        state: state_by_size(size, expected.size),
        licence: model.licence.clone(),
        source,
    }
}

fn state_by_size(size: Option<u64>, expected: Option<u64>) -> FileState {
    match (size, expected) {
        (None, _) => FileState::Missing,
        (Some(size), Some(expected)) if size < expected => FileState::Truncated,
        (Some(size), Some(expected)) if size > expected => FileState::WrongHash,
        _ => FileState::Present,
    }
}

/// Returns the size of a plain file, or `None` when there is none at `path`.
pub(super) fn file_size(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|data| data.len())
}

/// Returns the SHA-256 of a file in lower-case hexadecimal.
pub(super) fn sha256_of(
    path: &Path,
    name: &str,
    progress: &mut dyn FnMut(Progress<'_>),
    cancel: &Cancel,
) -> Result<String, FetchError> {
    let mut file = File::open(path).map_err(at(path))?;
    let total = file_size(path);
    let (mut digest, mut done, mut block) = (Sha256::new(), 0_u64, vec![0; BLOCK]);
    loop {
        if cancel.is_cancelled() {
            return Err(FetchError::Cancelled);
        }
        let read = file.read(&mut block).map_err(at(path))?;
        if read == 0 {
            break;
        }
        digest.update(&block[..read]);
        done += read as u64;
        progress(Progress { file: name, stage: Stage::Verify, done, total });
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the main file of the model that `role` uses.
///
/// `configured` (a path, or a file name in `dir`) wins; else the full profile's model when all
/// its files are there, else the starter profile's.
///
/// # Errors
/// [`ModelError::Missing`], [`ModelError::Truncated`] or [`ModelError::WrongKind`] (longer than
/// it should be), each naming the file; the content is not hashed here.
pub fn resolve(
    dir: &Path,
    manifest: &Manifest,
    role: Role,
    configured: Option<&Path>,
) -> Result<PathBuf, ModelError> {
    if let Some(configured) = configured {
        let path = dir.join(configured);
        return match file_size(&path) {
            Some(_) => Ok(path),
            None => Err(ModelError::Missing { role: role.name(), path }),
        };
    }
    let files = resolve_all(dir, manifest, role)?;
    match files.into_iter().next() {
        Some((_, path)) => Ok(path),
        None => Err(ModelError::Missing { role: role.name(), path: dir.to_owned() }),
    }
}

/// Returns all files of the model that `role` uses, each with its part's name (empty for a model
/// of one file): the full profile's when all are there, else the starter profile's.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_all(
    dir: &Path,
    manifest: &Manifest,
    role: Role,
) -> Result<Vec<(String, PathBuf)>, ModelError> {
    // A lock file that can't be read pins nothing here; `models list` reports it.
    let lock = Lock::read(dir).unwrap_or_default();
    let full = manifest.role(Profile::Full, role);
    let is_there = |model: &&ModelFile| file_size(&dir.join(&model.file)).is_some();
    let chosen = if !full.is_empty() && full.iter().all(is_there) {
        full
    } else {
        manifest.role(Profile::Starter, role)
    };
    chosen.into_iter().map(|model| usable(dir, model, &lock).map(|path| (model.part.clone(), path))).collect()
}

fn usable(dir: &Path, model: &ModelFile, lock: &Lock) -> Result<PathBuf, ModelError> {
    let role = model.role.name();
    let path = dir.join(&model.file);
    match (file_size(&path), Expected::of(model, lock).size) {
        (None, _) => Err(ModelError::Missing { role, path }),
        (Some(found), Some(expected)) if found < expected => {
            Err(ModelError::Truncated { path, found, expected })
        }
        (Some(found), Some(expected)) if found > expected => Err(ModelError::WrongKind {
            role,
            path,
            reason: format!("{found} bytes found, {expected} expected"),
        }),
        _ => Ok(path),
    }
}
