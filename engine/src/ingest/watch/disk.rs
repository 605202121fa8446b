//! Looks at the disk.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::decide::watch::{Entry, Stamp};
use crate::error::{Error, Result};
use crate::ingest::walk::{self, Own};
use crate::store::catalog;

/// The watched folder.
pub struct Root {
    /// Its path, absolute and without links.
    pub path: PathBuf,
    /// What is left out in it.
    pub own: Own,
    /// Which folder it is, whatever is at the path later: a drive's mount point stays when the
    /// drive goes. Numbers, not an open handle, which would keep the drive from being taken off.
    identity: Option<(u64, u64)>,
}

impl Root {
    /// Takes hold of a folder.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Usage`] when it is no folder.
    pub fn at(folder: &Path, own: Own) -> Result<Self> {
        let io = |source| Error::Io { path: folder.to_owned(), source };
        let path = walk::absolute(folder)?;
        if !path.is_dir() {
            return Err(Error::Usage(format!("{}: not a folder; `polyrag add` takes files", path.display())));
        }
        let identity = identity(&path.metadata().map_err(io)?);
        Ok(Self { path, own, identity })
    }

    /// Whether it is still there, and still the same.
    pub fn is_there(&self) -> bool {
        self.path.metadata().is_ok_and(|now| now.is_dir() && identity(&now) == self.identity)
    }

    /// Whether an event at a path is of no interest.
    pub fn ignores(&self, path: &Path) -> bool {
        walk::is_ignored(&self.path, path, &self.own)
    }

    /// Whether a path lies in a data folder of this program, also of another one than ours.
    pub fn is_ours(&self, path: &Path) -> bool {
        let inside = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.path));
        self.ignores(path) || inside.into_iter().any(|folder| catalog::is_catalog(&catalog::path_in(folder)))
    }
}

/// What is at a path. What is there and can't be looked at counts as a file: reading it will say why.
pub fn entry(path: &Path) -> Entry {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Entry::Folder,
        Ok(metadata) if metadata.is_file() => Entry::File(stamp_of(&metadata)),
        // Sockets, pipes, devices.
        Ok(_) => Entry::Absent,
        Err(_) if path.symlink_metadata().is_ok() => Entry::File(Stamp::default()),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Entry::File(Stamp::default()),
        Err(_) => Entry::Absent,
    }
}

/// Size and time of a file; zeroes when it can't be asked.
pub fn stamp(path: &Path) -> Stamp {
    std::fs::metadata(path).map_or_else(|_| Stamp::default(), |metadata| stamp_of(&metadata))
}

fn stamp_of(metadata: &std::fs::Metadata) -> Stamp {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Stamp { bytes: metadata.len(), modified: modified.map_or(0, |time| time.as_nanos()) }
}

/// Device and number of a file, where the system has them.
#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Device and number of a file, where the system has them.
#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) -> Option<(u64, u64)> {
    None
}
