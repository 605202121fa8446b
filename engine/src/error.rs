//! The library's error: one small enum per operation below it, one type above them.

use std::path::PathBuf;

use crate::models::ModelError;

/// The library's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Anything that can go wrong, with the way out in [`Error::hint`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be used.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A model could not be loaded or run.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The work was cancelled by the caller.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Returns what the person can do about it, if anything is known to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Model(error) => error.hint(),
            Self::Io { .. } | Self::Cancelled => None,
        }
    }
}
