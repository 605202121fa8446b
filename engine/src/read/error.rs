//! Why a file could not be read, and what the person can do about it.

use std::path::{Path, PathBuf};

use super::Kind;

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing in it.
    #[error("{path}: the file is empty ({bytes} bytes, no text)", path = path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// Over a limit of the configuration.
    #[error("{path}: {what} is {found}, the limit is {limit}", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What is too large.
        what: &'static str,
        /// What it measures.
        found: u64,
        /// Key of the limit and its value.
        limit: String,
    },
    /// Recognised, but there is no loader for it yet.
    #[error("{path}: recognised as {kind}, which this version cannot read yet", path = path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it is.
        kind: Kind,
        /// The way out.
        hint: String,
    },
    /// Protected with a password.
    #[error("{path}: {kind} protected with a password", path = path.display())]
    Encrypted {
        /// The file.
        path: PathBuf,
        /// What it is.
        kind: Kind,
    },
    /// Protected with another password than the one given.
    #[error("{path}: the password given does not open this {kind}", path = path.display())]
    WrongPassword {
        /// The file.
        path: PathBuf,
        /// What it is.
        kind: Kind,
    },
    /// Parsing took too long.
    #[error("{path}: not read after {seconds} seconds", path = path.display())]
    TimedOut {
        /// The file.
        path: PathBuf,
        /// The limit, `max_parse_seconds`.
        seconds: u64,
    },
    /// Damaged, or not quite what it says.
    #[error("{path}: damaged ({kind}): {reason}", path = path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What it was taken for.
        kind: Kind,
        /// What the parser said.
        reason: String,
    },
    /// Not text, whatever its name says.
    #[error("{path}: not text: {reason}", path = path.display())]
    Binary {
        /// The file.
        path: PathBuf,
        /// What was found, with its place.
        reason: String,
    },
    /// Content and name disagree.
    #[error("{path}: named .{extension}, but the content is {found}", path = path.display())]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// Extension in the name.
        extension: String,
        /// What the content is.
        found: Kind,
    },
    /// A `.jsonl` without a single usable line.
    #[error("{path}: none of {lines} lines is a document; line {line}: {reason}", path = path.display())]
    NoDocuments {
        /// The file.
        path: PathBuf,
        /// Lines with content.
        lines: u64,
        /// First bad line.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
}

impl ReadError {
    /// Returns what the person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Empty { .. } => None,
            Self::Encrypted { kind: Kind::Pdf, path } => {
                Some(format!("polyrag add --password PASSWORD {}", path.display()))
            }
            Self::Encrypted { kind: Kind::EncryptedOffice | Kind::Odt, .. } => Some(
                "office files are not decrypted here: save a copy without the password and add that".into(),
            ),
            Self::Encrypted { .. } => Some("save a copy without the password and add that".into()),
            Self::WrongPassword { .. } => Some("give the right one with --password".into()),
            Self::TimedOut { .. } => {
                Some("raise `max_parse_seconds` under [read] in the configuration, or split the file".into())
            }
            Self::Corrupt { .. } => {
                Some("open it in the program that wrote it, save it again and add that".into())
            }
            Self::TooLarge { limit, .. } => {
                Some(format!("raise `{limit}` under [read] in the configuration, or split the file"))
            }
            Self::Unsupported { hint, .. } => Some(hint.clone()),
            Self::Binary { .. } => {
                Some("if it is a document, give it the extension of its real format".into())
            }
            Self::Mismatch { found, .. } => {
                Some(format!("rename it to .{} if that is what it is", found.extension()))
            }
            Self::NoDocuments { .. } => {
                Some(r#"each line must be a JSON object like {"title":"..","text":".."}"#.into())
            }
        }
    }
}

/// Says that `what` is over the limit of a configuration key.
pub(super) fn too_large(path: &Path, what: &'static str, found: u64, key: &str, limit: u64) -> ReadError {
    ReadError::TooLarge { path: path.to_path_buf(), what, found, limit: format!("{key} = {limit}") }
}

/// Says that a file is damaged, with what its parser said.
pub(super) fn corrupt(path: &Path, kind: Kind, error: &dyn std::fmt::Display) -> ReadError {
    ReadError::Corrupt { path: path.to_path_buf(), kind, reason: error.to_string() }
}
