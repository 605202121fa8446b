//! The model set: which files a profile needs, whether they are there, and getting them.
//!
//! This is the only place that opens the network, and only [`fetch`] does. Folders are
//! arguments: the library reads no environment and knows no home.

mod download;
mod error;
mod lock;
mod manifest;
#[cfg(test)]
mod set_tests;
mod status;
#[cfg(test)]
mod tests;
mod transfer;

use std::path::Path;
use std::time::Duration;

pub use download::{FetchOutcome, FetchReport, FetchedFile, Progress, Stage};
pub use error::FetchError;
pub use lock::{LOCK_FILE, Lock, LockedFile};
pub use manifest::{Manifest, ModelFile, Profile, Role};
pub use status::{FileState, ModelStatus, list, resolve, resolve_all, verify};

use super::Cancel;

/// Downloads what `profile` lacks in `dir`, by HTTPS, resuming what an earlier run began.
///
/// `progress` is called often with bytes done and total. A file that fails does not stop the
/// others: its error is in the report.
///
/// # Errors
/// What concerns the whole run: [`FetchError::Busy`] when another fetch holds the folder,
/// [`FetchError::NoSpace`] before anything is downloaded, [`FetchError::Cancelled`], an
/// unreadable lock file, an unusable folder.
pub fn fetch(
    dir: &Path,
    manifest: &Manifest,
    profile: Profile,
    progress: &mut dyn FnMut(Progress<'_>),
    cancel: &Cancel,
) -> Result<FetchReport, FetchError> {
    Fetcher::default().run(dir, manifest, profile, progress, cancel)
}

/// What a fetch takes from the world; tests put their own in.
struct Fetcher {
    /// Free bytes on the disk that holds a folder.
    free_space: fn(&Path) -> std::io::Result<u64>,
    /// Whether plain HTTP is allowed (tests serve on 127.0.0.1; never set outside them).
    plain_http: bool,
    /// Times a broken transfer is taken up again, and the pause before each.
    retries: u32,
    pause: Duration,
    /// The longest wait for a connection, and for the next bytes.
    patience: Duration,
}

impl Default for Fetcher {
    fn default() -> Self {
        Self {
            // `fs4` wraps statvfs and its Windows counterpart; the standard library has neither,
            // and calling them ourselves would need unsafe code.
            free_space: |path| fs4::available_space(path),
            plain_http: false,
            retries: 5,
            pause: Duration::from_secs(2),
            patience: Duration::from_secs(20),
        }
    }
}
