//! `models.lock.toml`: what was fetched, pinned; and the lock that keeps two fetches apart.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::FetchError;

/// Name of the lock file in the models folder.
pub const LOCK_FILE: &str = "models.lock.toml";

/// Name of the file whose advisory lock a running fetch holds.
const GUARD_FILE: &str = ".fetch.lock";

/// One fetched file, pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockedFile {
    /// File name in the models folder.
    pub file: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 in lower-case hexadecimal.
    pub sha256: String,
    /// The address it came from.
    pub source: String,
    /// The server's entity tag, if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The hub's revision (commit), if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// Everything that was fetched into one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    #[serde(rename = "file", default)]
    files: Vec<LockedFile>,
}

impl Lock {
    /// Reads a folder's lock file; an absent one is an empty lock.
    ///
    /// # Errors
    /// [`FetchError::Lock`] when it does not parse, [`FetchError::Io`] when it can't be read.
    pub fn read(dir: &Path) -> Result<Self, FetchError> {
        let path = dir.join(LOCK_FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(FetchError::Io { path, source }),
        };
        toml::from_str(&text).map_err(|error| FetchError::Lock { path, reason: error.to_string() })
    }

    /// Returns what is pinned for `file`.
    pub fn get(&self, file: &str) -> Option<&LockedFile> {
        self.files.iter().find(|locked| locked.file == file)
    }

    /// Pins `entry`, replacing an earlier pin of the same file.
    pub(super) fn pin(&mut self, entry: LockedFile) {
        self.files.retain(|locked| locked.file != entry.file);
        self.files.push(entry);
        self.files.sort_by(|a, b| a.file.cmp(&b.file));
    }

    /// Writes the lock file so that a reader sees the old one or the new one, never a part.
    pub(super) fn write(&self, dir: &Path) -> Result<(), FetchError> {
        let path = dir.join(LOCK_FILE);
        let text = toml::to_string(self)
            .map_err(|error| FetchError::Lock { path: path.clone(), reason: error.to_string() })?;
        let text = format!("# Written by `polyrag models fetch`: what it downloaded, pinned.\n{text}");
        let part = dir.join(format!("{LOCK_FILE}.part"));
        std::fs::write(&part, text).map_err(at(&part))?;
        std::fs::rename(&part, &path).map_err(at(&path))
    }
}

/// Keeps other fetches out of a folder while it lives; the system frees it when a process dies.
pub(super) struct Guard(#[expect(dead_code, reason = "held for its lock")] File);

impl Guard {
    /// Takes the folder's lock, or says that another fetch has it.
    pub(super) fn take(dir: &Path) -> Result<Self, FetchError> {
        let path = dir.join(GUARD_FILE);
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(at(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(FetchError::Busy { path: dir.to_owned() }),
            Err(TryLockError::Error(source)) => Err(FetchError::Io { path, source }),
        }
    }
}

/// Returns a closure that gives an I/O error its path.
pub(super) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> FetchError {
    let path: PathBuf = path.to_owned();
    move |source| FetchError::Io { path, source }
}
