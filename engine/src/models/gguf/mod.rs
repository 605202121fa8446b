//! Reads the header of a GGUF model file, so that llama.cpp never sees one it could choke on.
//!
//! Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>. Everything in the file
//! is taken as hostile: counts and lengths are checked against the file's size before anything
//! is allocated, and array elements are skipped, not kept.

mod kind;
mod parse;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

pub use kind::{Kind, check_role};
pub use parse::parse;

use crate::models::ModelError;

/// A metadata value; of arrays only the length.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Any unsigned integer or boolean.
    Unsigned(u64),
    /// Any signed integer.
    Signed(i64),
    /// Any float.
    Float(f64),
    /// A string.
    Text(String),
    /// Number of elements of an array.
    Array(u64),
}

/// What a GGUF file says about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Format version, 2 or 3.
    pub version: u32,
    /// `general.architecture`.
    pub architecture: String,
    /// Tensors described.
    pub tensor_count: u64,
    /// Where tensor data starts, in bytes.
    pub data_start: u64,
    /// Size the file must have at least to hold every tensor, in bytes.
    pub expected_size: u64,
    /// Metadata by key.
    pub metadata: BTreeMap<String, Value>,
}

impl Header {
    /// Returns a text value.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.metadata.get(key) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns an integer value that is not negative.
    pub fn number(&self, key: &str) -> Option<u64> {
        match self.metadata.get(key)? {
            Value::Unsigned(number) => Some(*number),
            Value::Signed(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Returns `ARCHITECTURE.key` as an integer.
    pub fn of_architecture(&self, key: &str) -> Option<u64> {
        self.number(&format!("{}.{key}", self.architecture))
    }

    /// Returns the number of layers.
    pub fn layers(&self) -> u32 {
        self.of_architecture("block_count").and_then(|layers| u32::try_from(layers).ok()).unwrap_or(0)
    }

    /// Returns bytes of tensor data.
    pub fn weight_bytes(&self) -> u64 {
        self.expected_size.saturating_sub(self.data_start)
    }
}

/// Why a header could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The file ends too early.
    #[error("{found} of at least {expected} bytes")]
    Short {
        /// Bytes there are.
        found: u64,
        /// Bytes needed, as far as known.
        expected: u64,
    },
    /// It is something else, or broken.
    #[error("{0}")]
    Invalid(String),
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

/// Checks that `path` is a whole GGUF file that can serve as `role`, without loading it.
///
/// # Errors
/// [`ModelError::Missing`], [`ModelError::Truncated`] or [`ModelError::WrongKind`].
pub fn check(path: &Path, role: Kind) -> Result<Header, ModelError> {
    let name = role.name();
    let wrong = |reason: String| ModelError::WrongKind { role: name, path: path.to_path_buf(), reason };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(ModelError::Missing { role: name, path: path.to_path_buf() });
        }
        Err(error) => return Err(wrong(error.to_string())),
    };
    let metadata = file.metadata().map_err(|error| wrong(error.to_string()))?;
    if metadata.is_dir() {
        return Err(wrong("it is a directory".into()));
    }
    let size = metadata.len();
    let header = parse(BufReader::with_capacity(1 << 16, file), size).map_err(|error| match error {
        HeaderError::Short { found, expected } => {
            ModelError::Truncated { path: path.to_path_buf(), found, expected }
        }
        HeaderError::Invalid(reason) | HeaderError::Unreadable(reason) => wrong(reason),
    })?;
    if size < header.expected_size {
        return Err(ModelError::Truncated {
            path: path.to_path_buf(),
            found: size,
            expected: header.expected_size,
        });
    }
    check_role(&header, role).map_err(wrong)?;
    Ok(header)
}

const HASHED_BYTES: u64 = 1 << 20;

/// Fingerprints a file by its size, first and last MiB: cheap, and enough to tell models apart.
///
/// # Errors
/// When the file cannot be read.
pub fn fingerprint(path: &Path) -> Result<String, ModelError> {
    let hash = || -> std::io::Result<String> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&size.to_le_bytes());
        let mut bytes = Vec::new();
        file.by_ref().take(HASHED_BYTES).read_to_end(&mut bytes)?;
        hasher.update(&bytes);
        file.seek(SeekFrom::Start(size.saturating_sub(HASHED_BYTES)))?;
        bytes.clear();
        file.take(HASHED_BYTES).read_to_end(&mut bytes)?;
        hasher.update(&bytes);
        Ok(hasher.finalize().to_hex()[..32].to_string())
    };
    hash()
        .map_err(|error| ModelError::Runtime { role: "any", reason: format!("{}: {error}", path.display()) })
}

#[cfg(test)]
mod tests;
