//! Three stores, one truth: SQLite holds everything, the rest is derived from it.

use std::path::PathBuf;

pub mod backup;
pub mod cache;
pub mod calibrations;
pub mod catalog;
pub mod doctor;
pub mod graph;
pub mod tables;
pub mod vectors;
pub mod vocabulary;

/// What can go wrong with a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// SQLite said no.
    #[error("the catalog: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The catalog was made by a newer program.
    #[error("{path} has schema version {found}; this program knows up to {expected}", path = path.display())]
    Version {
        /// The catalog file.
        path: PathBuf,
        /// Version found.
        found: i64,
        /// Newest version known.
        expected: i64,
    },
    /// The stored vectors come from another embedder.
    #[error("the data folder was built with embedder {stored}, the one configured is {configured}")]
    OtherEmbedder {
        /// Embedder the vectors come from.
        stored: String,
        /// Embedder loaded now.
        configured: String,
    },
    /// The vector index failed.
    #[error("the vector index: {0}")]
    Index(String),
    /// A user table could not be written or read.
    #[error(transparent)]
    Tables(#[from] tables::TableError),
    /// A query on the user tables failed.
    #[error(transparent)]
    Sql(#[from] tables::SqlError),
    /// A copy was not made or not put back.
    #[error(transparent)]
    Backup(#[from] backup::BackupError),
    /// The graph could not be written or read.
    #[error(transparent)]
    Graph(#[from] graph::GraphError),
}

impl StoreError {
    /// Whether a single document's content is to blame, not the store.
    pub fn is_about_one_file(&self) -> bool {
        match self {
            Self::Tables(error) => {
                !matches!(error, tables::TableError::Sqlite { .. } | tables::TableError::Registry { .. })
            }
            Self::Graph(error) => !matches!(error, graph::GraphError::Sqlite(_)),
            _ => false,
        }
    }

    /// Returns what the person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Version { .. } => Some("use the newer polyrag, or another --data folder".into()),
            Self::OtherEmbedder { .. } => Some(
                "use the embedder it was built with, or add the files again in a new --data folder".into(),
            ),
            Self::Tables(error) => error.hint(),
            Self::Backup(error) => error.hint(),
            Self::Index(_) => Some("polyrag doctor --repair".into()),
            Self::Sqlite(rusqlite::Error::SqliteFailure(error, _)) => match error.code {
                rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase => {
                    Some("polyrag doctor, then polyrag restore from a backup".into())
                }
                rusqlite::ErrorCode::DiskFull => {
                    Some("free some disk space and run the command again".into())
                }
                _ => None,
            },
            _ => None,
        }
    }
}
