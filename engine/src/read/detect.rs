//! What a file is: by content first, by name second.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::decode;

/// Bytes of a file's head that detection looks at.
pub const HEAD_BYTES: usize = 65_536;

/// What a file was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // The names say it.
pub enum Kind {
    Markdown,
    Text,
    Csv,
    Tsv,
    Jsonl,
    Json,
    Html,
    Eml,
    Rtf,
    Pdf,
    Docx,
    Pptx,
    Xlsx,
    Xls,
    Ods,
    Odt,
    Doc,
    /// An Office file encrypted with a password (an OLE container).
    EncryptedOffice,
    Parquet,
    Sqlite,
    Image,
    Archive,
    /// Nothing in it.
    Empty,
    /// No format known here, and no text.
    Binary,
}

impl Kind {
    /// Returns the extension usual for it, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Text | Self::Empty => "txt",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Jsonl => "jsonl",
            Self::Json => "json",
            Self::Html => "html",
            Self::Eml => "eml",
            Self::Rtf => "rtf",
            Self::Pdf => "pdf",
            Self::Docx | Self::EncryptedOffice => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
            Self::Xls => "xls",
            Self::Ods => "ods",
            Self::Odt => "odt",
            Self::Doc => "doc",
            Self::Parquet => "parquet",
            Self::Sqlite => "sqlite",
            Self::Image => "png",
            Self::Archive => "zip",
            Self::Binary => "bin",
        }
    }

    /// Says whether there is a loader for a format that is no plain text.
    pub(super) fn is_read(self) -> bool {
        matches!(
            self,
            Self::Xlsx
                | Self::Xls
                | Self::Ods
                | Self::Docx
                | Self::Pptx
                | Self::Odt
                | Self::Rtf
                | Self::Parquet
                | Self::Pdf
                | Self::Image
        )
    }

    /// Returns the way out for a kind that has no loader.
    pub(super) fn unsupported_hint(self) -> String {
        match self {
            Self::Xlsx | Self::Xls | Self::Ods | Self::Parquet => {
                "export the sheet as .csv and add that".into()
            }
            Self::Sqlite => "add the database by itself: its tables are copied, not read as text".into(),
            Self::Archive => "unpack it and add the folder".into(),
            Self::Image => "type or export its text as .txt or .md and add that".into(),
            _ => "save or export it as .txt or .md and add that".into(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Markdown => "Markdown",
            Self::Text => "plain text",
            Self::Csv => "CSV",
            Self::Tsv => "TSV",
            Self::Jsonl => "JSON lines",
            Self::Json => "JSON",
            Self::Html => "HTML",
            Self::Eml => "an e-mail",
            Self::Rtf => "rich text (RTF)",
            Self::Pdf => "PDF",
            Self::Docx => "a Word document (DOCX)",
            Self::Pptx => "a presentation (PPTX)",
            Self::Xlsx => "a spreadsheet (XLSX)",
            Self::Xls => "a spreadsheet (XLS)",
            Self::Ods => "a spreadsheet (ODS)",
            Self::Odt => "an OpenDocument text (ODT)",
            Self::Doc => "an old Office file (DOC, PPT)",
            Self::EncryptedOffice => "an Office file",
            Self::Parquet => "Parquet",
            Self::Sqlite => "a SQLite database",
            Self::Image => "an image",
            Self::Archive => "an archive",
            Self::Empty => "empty",
            Self::Binary => "binary",
        })
    }
}

/// Returns the extension of `path` in lower case, without the dot; empty if there is none.
pub(super) fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Says what a file is from its first bytes (`HEAD_BYTES` are enough), then from its name.
pub fn detect(path: &Path, head: &[u8]) -> Kind {
    if head.is_empty() {
        return Kind::Empty;
    }
    let extension = extension(path);
    if let Some(kind) = by_signature(head, &extension) {
        return kind;
    }
    if decode::binary_reason(head, true).is_some() {
        return Kind::Binary;
    }
    match extension.as_str() {
        "md" | "markdown" | "mdown" | "mkd" => Kind::Markdown,
        "csv" => Kind::Csv,
        "tsv" | "tab" => Kind::Tsv,
        "jsonl" | "ndjson" => Kind::Jsonl,
        "json" | "geojson" => Kind::Json,
        "html" | "htm" | "xhtml" => Kind::Html,
        "eml" | "mbox" => Kind::Eml,
        "" if starts_like_html(head) => Kind::Html,
        _ => Kind::Text,
    }
}

/// Recognises formats that begin with fixed bytes.
fn by_signature(head: &[u8], extension: &str) -> Option<Kind> {
    const SIGNATURES: &[(&[u8], Kind)] = &[
        (b"SQLite format 3\0", Kind::Sqlite),
        (b"PAR1", Kind::Parquet),
        (b"\x89PNG\r\n\x1a\n", Kind::Image),
        (b"\xff\xd8\xff", Kind::Image),
        (b"GIF87a", Kind::Image),
        (b"GIF89a", Kind::Image),
        (b"II*\0", Kind::Image),
        (b"MM\0*", Kind::Image),
        (b"{\\rtf", Kind::Rtf),
        (b"\x1f\x8b", Kind::Archive),
        (b"7z\xbc\xaf\x27\x1c", Kind::Archive),
        (b"Rar!\x1a\x07", Kind::Archive),
        (b"\xfd7zXZ\0", Kind::Archive),
        (b"\x28\xb5\x2f\xfd", Kind::Archive),
        (b"\x7fELF", Kind::Binary),
    ];
    // A PDF may have junk before its header (up to 1,024 bytes by the reader's implementation notes).
    if find(&head[..head.len().min(1024)], b"%PDF-").is_some_and(|at| at == 0 || extension == "pdf") {
        return Some(Kind::Pdf);
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Some(zip_kind(head, extension));
    }
    if head.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return Some(ole_kind(head, extension));
    }
    if head.len() >= 12 && head.starts_with(b"RIFF") && &head[8..12] == b"WEBP" {
        return Some(Kind::Image);
    }
    if head.starts_with(b"BM") && head.len() > 10 && head[6..10] == [0; 4] {
        return Some(Kind::Image);
    }
    SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)).map(|(_, kind)| *kind)
}

/// Tells Office and OpenDocument files from other zips by the names of their entries (the first
/// that says it: a presentation may hold a workbook), then by extension.
fn zip_kind(head: &[u8], extension: &str) -> Kind {
    const ENTRIES: &[(&[u8], Kind)] = &[
        (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", Kind::Ods),
        (b"mimetypeapplication/vnd.oasis.opendocument.text", Kind::Odt),
        (b"word/", Kind::Docx),
        (b"xl/", Kind::Xlsx),
        (b"ppt/", Kind::Pptx),
    ];
    let mut at = 0;
    while let Some(offset) = find(&head[at..], b"PK\x03\x04") {
        // The name follows the 30 bytes of a local file header.
        let name = head.get(at + offset + 30..).unwrap_or_default();
        if let Some((_, kind)) = ENTRIES.iter().find(|(start, _)| name.starts_with(start)) {
            return *kind;
        }
        at += offset + 4;
    }
    match extension {
        "docx" | "docm" => Kind::Docx,
        "xlsx" | "xlsm" | "xlsb" => Kind::Xlsx,
        "pptx" | "pptm" => Kind::Pptx,
        "ods" => Kind::Ods,
        "odt" => Kind::Odt,
        _ => Kind::Archive,
    }
}

/// Tells apart what lives in an OLE container; stream names in it are UTF-16LE.
fn ole_kind(head: &[u8], extension: &str) -> Kind {
    let wide = |name: &str| -> Vec<u8> { name.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    if find(head, &wide("EncryptedPackage")).is_some() || matches!(extension, "docx" | "xlsx" | "pptx") {
        return Kind::EncryptedOffice;
    }
    if find(head, &wide("Workbook")).is_some() || extension == "xls" { Kind::Xls } else { Kind::Doc }
}

fn starts_like_html(head: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&head[..head.len().min(512)]).trim_start().to_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
