//! A file as it is on disk now: its bytes' hash and what they are.

use std::fs::File;
use std::io::Read;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use crate::decide::identity::Seen;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::ingest::pictures::Pictures;
use crate::ingest::{AddOptions, OcrMode};
use crate::models::Cancel;
use crate::read::{self, HEAD_BYTES, Kind, PictureReader, ReadLimits, Reader, Reading};
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

/// How files are read: the bounds, the password, OCR.
#[derive(Clone, Copy)]
pub struct Manner<'a> {
    /// Configuration and models.
    pub engine: &'a Engine,
    /// What the person asked for.
    pub options: &'a AddOptions,
    /// Stops OCR between lines.
    pub cancel: &'a Cancel,
}

/// Ends the stored hash of a file that was read by forced OCR.
const FORCED: &str = "+ocr";

/// Ends the stored hash of what was not read whole: the same bytes are read again.
pub const INCOMPLETE: &str = "+incomplete";

/// The hash under which a file is stored: of its bytes, and of how they were read where that
/// makes another text of them.
pub fn stored_hash(look: &Look, mode: OcrMode) -> String {
    let forced = mode == OcrMode::Force && is_paged(&look.kind.to_string());
    format!("{}{}", look.hash, if forced { FORCED } else { "" })
}

/// The hash of the bytes that would leave a stored file as it is. One read by forced OCR stays
/// until its bytes change; under forced OCR, pages that were read otherwise are read again.
pub fn hash_in_force<'a>(stored: &'a str, kind: &str, mode: OcrMode) -> &'a str {
    match stored.strip_suffix(FORCED) {
        Some(bytes) => bytes,
        None if mode == OcrMode::Force && is_paged(kind) => "",
        None => stored,
    }
}

fn is_paged(kind: &str) -> bool {
    [Kind::Pdf, Kind::Image].iter().any(|paged| paged.to_string() == kind)
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
    pub fn at(path: &Path, manner: &Manner) -> Result<Self> {
        let attempt = std::panic::catch_unwind(AssertUnwindSafe(|| Self::read(path, manner)));
        attempt.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(Error::Reader { path: path.to_owned(), reason: text.unwrap_or_default() })
        })
    }

    fn read(path: &Path, manner: &Manner) -> Result<Self> {
        let limits = &manner.engine.config.read;
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
        let pictures = Pictures { ocr: &manner.engine.models.ocr, cancel: manner.cancel };
        let reader = Reader {
            password: manner.options.password.as_deref(),
            pictures: (manner.options.ocr != OcrMode::Off).then_some(&pictures as &dyn PictureReader),
            force_ocr: manner.options.ocr == OcrMode::Force,
            ..Reader::new(limits)
        };
        let reading = read::read(path, bytes, &reader)?;
        if manner.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        Ok(Self { look, reading: Some(reading) })
    }
}
