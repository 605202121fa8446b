//! The library's error: one small enum per operation below it, one type above them.

use std::path::PathBuf;

use crate::config::ConfigError;
use crate::models::ModelError;
use crate::models::fetch::FetchError;
use crate::read::ReadError;
use crate::store::StoreError;

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
    Model(ModelError),
    /// A store said no.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Model files could not be fetched.
    #[error(transparent)]
    Fetch(Box<FetchError>),
    /// The request makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A bug.
    #[error("internal error: {0}")]
    Internal(String),
    /// The work was cancelled by the caller.
    #[error("cancelled")]
    Cancelled,
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Cancelled => Self::Cancelled,
            other => Self::Model(other),
        }
    }
}

impl Error {
    /// Returns what the person can do about it, if anything is known to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Model(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::Read(error) => error.hint(),
            Self::Fetch(error) => error.hint(),
            Self::Config(_) => Some("every key is explained in the config.toml of the source".into()),
            _ => None,
        }
    }
}
