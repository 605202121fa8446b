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
    /// A file's name is not text.
    #[error("{path}: the name is not valid UTF-8", path = path.display())]
    Name {
        /// The file, as far as its name can be shown.
        path: PathBuf,
    },
    /// Neither a file nor a folder.
    #[error("{path}: neither a file nor a folder", path = path.display())]
    Special {
        /// What was named.
        path: PathBuf,
    },
    /// A catalog or backup of this program is not a document.
    #[error("{path}: a catalog of PolyRAG, not a document", path = path.display())]
    OwnCatalog {
        /// The file.
        path: PathBuf,
    },
    /// A reader failed in a way it should not.
    #[error("{path}: reading it failed unexpectedly: {reason}", path = path.display())]
    Reader {
        /// The file.
        path: PathBuf,
        /// What the reader said.
        reason: String,
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
    /// Whether the next file would fail for the same reason: no model, no catalog, or a wish to stop.
    pub fn stops_everything(&self) -> bool {
        match self {
            Self::Cancelled => true,
            Self::Model(error) => !matches!(error, ModelError::BadVector { .. }),
            Self::Store(error) => !error.is_about_one_file(),
            _ => false,
        }
    }

    /// Returns what the person can do about it, if anything is known to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Model(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::Read(error) => error.hint(),
            Self::Fetch(error) => error.hint(),
            Self::Name { .. } => Some("rename it and add it again".into()),
            Self::OwnCatalog { .. } => Some("polyrag restore FILE puts a backup back".into()),
            Self::Reader { .. } => Some("please report this, with the file if you can".into()),
            Self::Config(_) => Some("every key is explained in the config.toml of the source".into()),
            _ => None,
        }
    }
}
