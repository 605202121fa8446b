//! Copies of the catalog: written while it is in use, put back by one rename.
//!
//! The catalog is the only truth, so a copy of it is a copy of everything; index files are
//! derived and made again.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use serde::Serialize;

use crate::store::{StoreError, catalog};

/// Pages copied between two looks at the wish to stop.
const PAGES: i32 = 2048;
/// How long a restore waits for another process to let go of the catalog.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why a copy was not made or not put back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// A file is there that is no backup.
    #[error("{path}: is there already, and is no backup", path = path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The copy and the data folder are the same place.
    #[error("{path}: lies in the data folder itself", path = path.display())]
    Inside {
        /// The file.
        path: PathBuf,
    },
    /// Not a catalog of this program.
    #[error("{path}: no backup of PolyRAG: {reason}", path = path.display())]
    NotACatalog {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        reason: String,
    },
    /// The copy is not sound.
    #[error("{path}: damaged: {reason}", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite found.
        reason: String,
    },
    /// Another process uses the catalog.
    #[error("{path}: in use by another polyrag", path = path.display())]
    InUse {
        /// The catalog.
        path: PathBuf,
    },
    /// A file could not be written, moved or removed.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The person asked to stop; nothing was replaced.
    #[error("stopped")]
    Stopped,
}

impl BackupError {
    /// Returns what the person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Exists { .. } => Some("choose another name, or remove that file first".into()),
            Self::Inside { .. } => Some("choose a place outside the data folder".into()),
            Self::NotACatalog { .. } => Some("give a file written by `polyrag backup`".into()),
            Self::Damaged { .. } => Some("use an older backup".into()),
            Self::InUse { .. } => Some("stop `polyrag watch` and other commands on this data folder".into()),
            Self::Io { .. } | Self::Stopped => None,
        }
    }
}

/// A finished copy.
#[derive(Debug, Clone, Serialize)]
pub struct Copied {
    /// The copy, or the catalog it was put in place of.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Documents in it.
    pub documents: i64,
    /// The corpus version it holds.
    pub corpus_version: i64,
    /// Where an unreadable catalog that was replaced is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged_kept_at: Option<String>,
}

fn io<'a>(path: &'a Path) -> impl Fn(std::io::Error) -> StoreError + 'a {
    move |source| BackupError::Io { path: path.to_owned(), source }.into()
}

/// Writes a copy of the catalog in `data` to `file`, as it is at the moment of the call.
///
/// The copy is written beside `file` and renamed when it is complete and found sound. Writers and
/// questions are not held up. `stop` is asked between pages.
///
/// # Errors
/// [`BackupError`], [`StoreError::Sqlite`].
pub fn backup(data: &Path, file: &Path, stop: &dyn Fn() -> bool) -> Result<Copied, StoreError> {
    let folder = folder_of(file);
    let inside = |real: PathBuf| data.canonicalize().is_ok_and(|data| real.starts_with(data));
    if folder.canonicalize().is_ok_and(inside) {
        return Err(BackupError::Inside { path: file.to_owned() }.into());
    }
    if file.exists() && !catalog::is_catalog(file) {
        return Err(BackupError::Exists { path: file.to_owned() }.into());
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    // Hidden: a watched folder leaves it alone.
    let part = folder.join(format!(".{name}.{}.part", std::process::id()));
    let source = catalog::open_reader(&catalog::path_in(data))?;
    let outcome = copy(&source, &part, stop).and_then(|copied| {
        std::fs::rename(&part, file).map_err(io(file))?;
        sync_folder(folder);
        Ok(Copied { file: file.display().to_string(), ..copied })
    });
    if outcome.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    outcome
}

/// Puts a backup in the place of the catalog in `data`. Needs nobody else to have it open.
///
/// The copy is staged in the data folder, found sound, and renamed over the catalog: whenever
/// this is interrupted, the old catalog or the new one is there, whole.
///
/// # Errors
/// [`BackupError`], [`StoreError::Version`] for a backup of a newer program, [`StoreError::Sqlite`].
pub fn restore(data: &Path, file: &Path, stop: &dyn Fn() -> bool) -> Result<Copied, StoreError> {
    let target = catalog::path_in(data);
    if let (Ok(own), Ok(given)) = (target.canonicalize(), file.canonicalize())
        && own == given
    {
        return Err(BackupError::Inside { path: file.to_owned() }.into());
    }
    let source = checked(file)?;
    std::fs::create_dir_all(data).map_err(io(data))?;
    let part = data.join("catalog.db.restore-part");
    let outcome = copy(&source, &part, stop).and_then(|copied| {
        let (hold, damaged_kept_at) = take_over(&target)?;
        // A stale index may carry the number of the version that comes in.
        remove_indexes(data)?;
        std::fs::rename(&part, &target).map_err(io(&target))?;
        sync_folder(data);
        drop(hold);
        Ok(Copied { file: target.display().to_string(), damaged_kept_at, ..copied })
    });
    if outcome.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    outcome
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Copies all pages of one snapshot into a new single file and proves that it is sound.
fn copy(source: &Connection, part: &Path, stop: &dyn Fn() -> bool) -> Result<Copied, StoreError> {
    if part.exists() {
        std::fs::remove_file(part).map_err(io(part))?;
    }
    // One snapshot for all steps: a writer in between would make SQLite begin again.
    let snapshot = source.unchecked_transaction()?;
    let documents = snapshot.query_row("SELECT count(*) FROM documents", [], |row| row.get(0))?;
    let corpus_version = catalog::corpus_version(&snapshot)?;
    let mut copy = Connection::open(part)?;
    {
        let backup = Backup::new(&snapshot, &mut copy)?;
        loop {
            if stop() {
                return Err(BackupError::Stopped.into());
            }
            match backup.step(PAGES)? {
                StepResult::Done => break,
                StepResult::More => {}
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
    // Without side files: one file is the whole backup.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    sound(&copy, part)?;
    copy.close().map_err(|(_, error)| error)?;
    let written = File::open(part).map_err(io(part))?;
    written.sync_all().map_err(io(part))?;
    let bytes = written.metadata().map_err(io(part))?.len();
    Ok(Copied { file: String::new(), bytes, documents, corpus_version, damaged_kept_at: None })
}

fn sound(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let damaged = |reason: String| BackupError::Damaged { path: path.to_owned(), reason };
    let said: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| damaged(error.to_string()))?;
    if said == "ok" { Ok(()) } else { Err(damaged(said).into()) }
}

/// Opens a backup, if it is one.
fn checked(file: &Path) -> Result<Connection, StoreError> {
    let refuse =
        |reason: String| StoreError::from(BackupError::NotACatalog { path: file.to_owned(), reason });
    if !file.is_file() {
        return Err(io(file)(std::io::ErrorKind::NotFound.into()));
    }
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let tables: i64 = connection
        .query_row(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('meta', 'documents', 'chunks', 'placements')",
            [],
            |row| row.get(0),
        )
        .map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => refuse("not a SQLite file".into()),
            Some(ErrorCode::DatabaseCorrupt) => {
                BackupError::Damaged { path: file.to_owned(), reason: error.to_string() }.into()
            }
            _ => error.into(),
        })?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    // Catalogs of version 1 did not say whose they are; their tables do.
    if tables != 4 || (version != 1 && !catalog::is_catalog(file)) {
        return Err(refuse("a SQLite file of something else".into()));
    }
    if version > catalog::SCHEMA_VERSION {
        let expected = catalog::SCHEMA_VERSION;
        return Err(StoreError::Version { path: file.to_owned(), found: version, expected });
    }
    sound(&connection, file)?;
    Ok(connection)
}

/// Makes the catalog one quiet file that nobody else has open, and holds it so until dropped; one
/// that can't be read is kept under another name.
fn take_over(target: &Path) -> Result<(Option<Connection>, Option<String>), StoreError> {
    if !target.exists() {
        return Ok((None, None));
    }
    match quieten(target) {
        Ok(connection) => Ok((Some(connection), None)),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Err(BackupError::InUse { path: target.to_owned() }.into())
            }
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Ok((None, Some(set_aside(target)?.display().to_string())))
            }
            _ => Err(error.into()),
        },
    }
}

/// Without its log the file is complete; leaving WAL mode needs to be alone with it.
fn quieten(target: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(target)?;
    connection.busy_timeout(PATIENCE)?;
    connection.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0))?;
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    Ok(connection)
}

/// Gives an unreadable catalog a second name; its log must not be taken for the new one's.
fn set_aside(target: &Path) -> Result<PathBuf, StoreError> {
    let aside = (0..)
        .map(|number| target.with_file_name(format!("catalog.db.damaged-{number}")))
        .find(|path| !path.exists())
        .unwrap_or_else(|| target.with_extension("damaged"));
    std::fs::hard_link(target, &aside)
        .or_else(|_| std::fs::copy(target, &aside).map(drop))
        .map_err(io(&aside))?;
    for side in ["-wal", "-shm", "-journal"] {
        let beside = |path: &Path| PathBuf::from(format!("{}{side}", path.display()));
        if beside(target).exists() {
            std::fs::rename(beside(target), beside(&aside)).map_err(io(target))?;
        }
    }
    Ok(aside)
}

fn remove_indexes(data: &Path) -> Result<(), StoreError> {
    for entry in std::fs::read_dir(data).map_err(io(data))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("vectors-") {
            std::fs::remove_file(entry.path()).map_err(io(&entry.path()))?;
        }
    }
    Ok(())
}

/// Makes a rename last through a loss of power, where folders can be synced.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
