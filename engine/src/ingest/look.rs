//! A file as it is on disk now: its bytes' hash and what they are.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::decide::identity::Seen;
use crate::error::{Error, Result};
use crate::read::{self, HEAD_BYTES, Kind, ReadLimits, Reader, Reading};
use crate::store::catalog;

/// A file that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Absolute path.
    pub path: PathBuf,
    /// The same as text.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 of its bytes, hexadecimal.
    pub hash: String,
    /// What it was taken for.
    pub kind: Kind,
}

impl Look {
    /// Hashes a file, without keeping it in memory.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Read`] over the limit; [`Error::OwnCatalog`].
    pub fn at(path: &Path, limits: &ReadLimits) -> Result<Self> {
        let io = |source| Error::Io { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(io)?;
        read::check_size(path, file.metadata().map_err(io)?.len(), limits)?;
        let mut head = Vec::with_capacity(HEAD_BYTES);
        (&mut file).take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(io)?;
        if catalog::is_catalog_head(&head) {
            return Err(Error::OwnCatalog { path: path.to_owned() });
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&head);
        hasher.update_reader(file).map_err(io)?;
        Ok(Self {
            path: path.to_owned(),
            name: path.display().to_string(),
            bytes: hasher.count(),
            hash: hasher.finalize().to_hex().to_string(),
            kind: read::detect(path, &head),
        })
    }

    /// The file as the plan sees it.
    pub fn seen(&self, store: &str) -> Seen {
        Seen {
            path: self.name.clone(),
            hash: self.hash.clone(),
            kind: self.kind.to_string(),
            store: store.to_owned(),
        }
    }
}

/// A file that was read: as it was then, and what was in it.
pub struct Parsed {
    /// The file when it was read; it may have changed since it was looked at.
    pub look: Look,
    /// Its documents and tables; `None` for a database, which the relational store copies itself.
    pub reading: Option<Reading>,
}

impl Parsed {
    /// Reads a file's documents and tables. A reader that panics is an error of that file.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Read`], [`Error::Reader`].
    pub fn at(path: &Path, limits: &ReadLimits) -> Result<Self> {
        let attempt = std::panic::catch_unwind(|| Self::read(path, limits));
        attempt.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(Error::Reader { path: path.to_owned(), reason: text.unwrap_or_default() })
        })
    }

    fn read(path: &Path, limits: &ReadLimits) -> Result<Self> {
        let io = |source| Error::Io { path: path.to_owned(), source };
        read::check_size(path, std::fs::metadata(path).map_err(io)?.len(), limits)?;
        let bytes = std::fs::read(path).map_err(io)?;
        let look = Look {
            path: path.to_owned(),
            name: path.display().to_string(),
            bytes: bytes.len() as u64,
            hash: blake3::hash(&bytes).to_hex().to_string(),
            kind: read::detect(path, &bytes[..bytes.len().min(HEAD_BYTES)]),
        };
        if look.kind == Kind::Sqlite {
            return Ok(Self { look, reading: None });
        }
        let reading = read::read(path, bytes, &Reader::new(limits))?;
        Ok(Self { look, reading: Some(reading) })
    }
}
