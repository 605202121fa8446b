//! Reading: bytes of a file in, documents and tables out, or the reason why not.
//!
//! [`detect`] looks at the content first and the name second; [`read`] turns bytes into
//! [`Source`]s. Nothing is dropped in silence: what could not be used is a [`ReadError`], what
//! was used with a reservation is a [`Warning`] with its line.

mod decode;
mod detect;
mod error;
mod expand;
mod html;
mod image;
mod json;
mod jsonl;
mod mail;
mod markup;
mod office;
mod pages;
mod parquet;
mod pdf;
mod picture;
mod scan;
mod spreadsheet;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::decide::chunk::{self, TextFormat};
use crate::decide::infer;
use crate::decide::table::Table;

pub use decode::{Decoded, decode, normalise};
pub use detect::{HEAD_BYTES, Kind, detect};
pub use error::ReadError;
use error::too_large;
pub use pages::{Mark, Picture, PictureLine, PictureReader, place_of};

/// The `[read]` section of the configuration: bounds on one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadLimits {
    /// Largest file read, in bytes.
    pub max_file_bytes: u64,
    /// Longest single text (a document, or one line of a `.jsonl`), in bytes.
    pub max_text_bytes: u64,
    /// Most bytes a packed file (an office document, a Parquet file) may unpack to.
    pub max_expanded_bytes: u64,
    /// Deepest nesting of elements (XML, HTML) or values (JSON).
    pub max_depth: usize,
    /// Most filled cells of one spreadsheet file.
    pub max_cells: u64,
    /// Most pictures of one document whose text is read.
    pub max_pictures: usize,
    /// Most attachments of one message, those of messages inside it included.
    pub max_attachments: usize,
    /// Deepest nesting of messages inside messages.
    pub max_attachment_depth: usize,
    /// Most columns a table may have.
    pub max_columns: usize,
    /// Warnings of one kind listed per file; the rest is counted.
    pub max_warnings: usize,
    /// Most pages of a PDF or a multi-page picture.
    pub max_pages: u64,
    /// Most pixels of a picture, also of a page drawn for OCR.
    pub max_pixels: u64,
    /// Longest time for parsing one PDF (OCR aside), and for drawing one of its pages, in seconds.
    pub max_parse_seconds: u64,
    /// Most pictures inside one page of text that are looked at for text.
    pub max_page_pictures: usize,
    /// Least quality of a page's text layer, in `[0, 1]`; below it OCR reads the page.
    pub min_text_quality: f32,
    /// Least confidence of a line of OCR, in `[0, 1]`; less certain lines are left out.
    pub min_ocr_confidence: f32,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_file_bytes: 536_870_912,
            max_text_bytes: 134_217_728,
            max_expanded_bytes: 2_147_483_648,
            max_depth: 256,
            max_cells: 20_000_000,
            max_pictures: 500,
            max_attachments: 200,
            max_attachment_depth: 5,
            max_columns: 2_000,
            max_warnings: 50,
            max_pages: 5_000,
            max_pixels: 80_000_000,
            max_parse_seconds: 300,
            max_page_pictures: 16,
            min_text_quality: 0.5,
            min_ocr_confidence: 0.5,
        }
    }
}

/// What one file gave.
#[derive(Debug, Clone)]
pub struct Reading {
    /// What the content was taken for.
    pub kind: Kind,
    /// Documents and tables, in file order.
    pub sources: Vec<Source>,
    /// What a person should know about the file as a whole.
    pub warnings: Vec<Warning>,
}

/// One thing to ingest.
#[derive(Debug, Clone)]
pub enum Source {
    /// A text to chunk.
    Text(TextDocument),
    /// Tables of one file, in order.
    Tables(Vec<Table>),
}

/// How a file is read: the bounds, and what opening it or its pictures may need.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// Bounds on one file.
    pub limits: &'a ReadLimits,
    /// Password for encrypted files, if the person gave one.
    pub password: Option<&'a str>,
    /// Reads text in pictures; without it a picture is a warning that says so.
    pub pictures: Option<&'a dyn PictureReader>,
    /// Read every page by OCR, also where there is a text layer.
    pub force_ocr: bool,
}

impl<'a> Reader<'a> {
    /// A reader with neither password nor OCR.
    pub fn new(limits: &'a ReadLimits) -> Self {
        Self { limits, password: None, pictures: None, force_ocr: false }
    }
}

/// A document's text, normalised (see [`normalise`]): what chunk ranges refer to.
#[derive(Debug, Clone)]
pub struct TextDocument {
    /// First level-1 heading, the `title` of a `.jsonl` line, or the file name without extension.
    pub title: String,
    /// How the text is structured.
    pub format: TextFormat,
    /// The text: UTF-8, NFC, line feeds only.
    pub text: String,
    /// Encoding it was stored in, e.g. `UTF-8`, `windows-1252`.
    pub encoding: String,
    /// 1-based line of the file it comes from, for `.jsonl`.
    pub line: Option<u64>,
    /// Where its pages or slides begin in `text`, ascending; empty for texts without pages.
    pub marks: Vec<Mark>,
    /// What was taken out of the text (running headers and footers) or stands beside it (author,
    /// subject, sender), by name.
    pub metadata: BTreeMap<String, String>,
    /// Tables found inside the text, which keeps them too.
    pub tables: Vec<Table>,
    /// What a person should know, with lines.
    pub warnings: Vec<Warning>,
    /// Why part of the text is missing, if that can change (OCR was off or failed): the document
    /// is read again the next time.
    pub incomplete: Option<String>,
}

impl TextDocument {
    /// Makes a document of a text; the rest is empty.
    fn new(title: String, format: TextFormat, text: String, encoding: &str) -> Self {
        Self {
            title,
            format,
            text,
            encoding: encoding.to_owned(),
            line: None,
            marks: Vec::new(),
            metadata: BTreeMap::new(),
            tables: Vec::new(),
            warnings: Vec::new(),
            incomplete: None,
        }
    }
}

/// Something that was read with a reservation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// 1-based line, where there is one.
    pub line: Option<u64>,
    /// What it is.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "line {line}: {}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

/// Refuses a file by its size alone, before it is read into memory.
///
/// # Errors
/// [`ReadError::TooLarge`].
pub fn check_size(path: &Path, bytes: u64, limits: &ReadLimits) -> Result<(), ReadError> {
    if bytes > limits.max_file_bytes {
        return Err(too_large(path, "the file (bytes)", bytes, "max_file_bytes", limits.max_file_bytes));
    }
    Ok(())
}

/// Reads one file's bytes into documents and tables.
///
/// `path` serves for the extension, the title and messages only; nothing is opened. `bytes` are
/// taken by value so that a large UTF-8 file is not held twice.
///
/// # Errors
/// See [`ReadError`]. A `.jsonl` with some bad lines is no error: they are in `warnings`.
pub fn read(path: &Path, bytes: Vec<u8>, reader: &Reader) -> Result<Reading, ReadError> {
    let mut reading = read_kind(path, bytes, reader)?;
    for source in &mut reading.sources {
        if let Source::Text(document) = source {
            let found = tables_inside(path, reading.kind, document, reader.limits);
            document.tables.extend(found);
        }
    }
    Ok(reading)
}

fn read_kind(path: &Path, bytes: Vec<u8>, reader: &Reader) -> Result<Reading, ReadError> {
    let limits = reader.limits;
    let size = bytes.len() as u64;
    check_size(path, size, limits)?;
    let kind = detect(path, &bytes[..bytes.len().min(HEAD_BYTES)]);
    refuse(path, kind, size)?;
    match kind {
        Kind::Xlsx | Kind::Xls | Kind::Ods => return spreadsheet::read(path, kind, bytes, limits),
        Kind::Docx | Kind::Pptx | Kind::Odt | Kind::Rtf => return office::read(path, kind, bytes, reader),
        Kind::Html => return html::read(path, bytes, reader),
        Kind::Eml => return mail::read(path, &bytes, reader),
        Kind::Parquet => return parquet::read(path, bytes, limits),
        Kind::Pdf => return pdf::read(path, bytes, reader),
        Kind::Image => return image::read(path, bytes, reader),
        _ => {}
    }
    let decoded = decode(bytes).map_err(|reason| ReadError::Binary { path: path.to_path_buf(), reason })?;
    if decoded.text.trim().is_empty() {
        return Err(ReadError::Empty { path: path.to_path_buf(), bytes: size });
    }
    match kind {
        Kind::Csv | Kind::Tsv => Ok(read_table(path, kind, decoded, limits)),
        Kind::Jsonl => jsonl::read(path, decoded, reader),
        Kind::Json => json::read(path, decoded, reader),
        _ => read_text(path, kind, decoded, limits),
    }
}

/// Refuses what has no loader, what is not what it says, and what is empty.
fn refuse(path: &Path, kind: Kind, bytes: u64) -> Result<(), ReadError> {
    let path = path.to_path_buf();
    match kind {
        Kind::Markdown | Kind::Text | Kind::Csv | Kind::Tsv | Kind::Jsonl | Kind::Json => Ok(()),
        Kind::Html | Kind::Eml => Ok(()),
        // A spreadsheet under the name of a text is a mistake worth telling.
        found if found.is_read() && !is_text_name(&path) => Ok(()),
        Kind::EncryptedOffice => Err(ReadError::Encrypted { path, kind }),
        Kind::Empty => Err(ReadError::Empty { path, bytes }),
        Kind::Binary => {
            Err(ReadError::Binary { path, reason: "its first bytes are no text in any encoding".into() })
        }
        found => {
            let extension = detect::extension(&path);
            if matches!(
                extension.as_str(),
                "txt" | "md" | "markdown" | "csv" | "tsv" | "tab" | "jsonl" | "ndjson"
            ) {
                return Err(ReadError::Mismatch { path, extension, found });
            }
            Err(ReadError::Unsupported { path, kind: found, hint: found.unsupported_hint() })
        }
    }
}

/// Says whether the name promises plain text.
fn is_text_name(path: &Path) -> bool {
    let extension = detect::extension(path);
    matches!(extension.as_str(), "txt" | "md" | "markdown" | "csv" | "tsv" | "tab" | "jsonl" | "ndjson")
}

fn read_table(path: &Path, kind: Kind, decoded: Decoded, limits: &ReadLimits) -> Reading {
    let options = infer::CsvOptions {
        name: stem(path),
        encoding: decoded.encoding.clone(),
        prefer_tab: kind == Kind::Tsv,
        max_columns: limits.max_columns,
        max_warnings: limits.max_warnings,
    };
    let tables = infer::infer_csv(&decoded.text, &options);
    Reading { kind, sources: vec![Source::Tables(tables)], warnings: decoded.warnings }
}

/// Tables of a Markdown text (every loader of documents writes its tables as Markdown) that are
/// worth a table of their own: two columns and two rows at least.
fn tables_inside(path: &Path, kind: Kind, document: &TextDocument, limits: &ReadLimits) -> Vec<Table> {
    if document.format != TextFormat::Markdown {
        return Vec::new();
    }
    let options = infer::CsvOptions {
        max_columns: limits.max_columns,
        max_warnings: limits.max_warnings,
        ..infer::CsvOptions::default()
    };
    let worth = |found: &chunk::FoundTable| {
        found.rows.len() >= found.header_rows + 2 && found.rows.iter().any(|row| row.len() >= 2)
    };
    let name = stem(path);
    chunk::markdown_tables(&document.text)
        .iter()
        .filter(|found| worth(found))
        .enumerate()
        .map(|(index, found)| {
            let mut table = infer::infer_found(found, &name, &options);
            if let Some(place) = place_of(&document.marks, &found.range) {
                table.info.location = format!("{place}, table {}", index + 1);
            } else if kind != Kind::Markdown {
                table.info.location = format!("table {}", index + 1);
            }
            table
        })
        .collect()
}

fn read_text(path: &Path, kind: Kind, decoded: Decoded, limits: &ReadLimits) -> Result<Reading, ReadError> {
    let length = decoded.text.len() as u64;
    if length > limits.max_text_bytes {
        return Err(too_large(path, "the text (bytes)", length, "max_text_bytes", limits.max_text_bytes));
    }
    let text = normalise(decoded.text);
    let format = if kind == Kind::Markdown { TextFormat::Markdown } else { TextFormat::Plain };
    let title = match format {
        TextFormat::Markdown => chunk::markdown_title(&text).unwrap_or_else(|| stem(path)),
        TextFormat::Plain => stem(path),
    };
    let mut document = TextDocument::new(title, format, text, &decoded.encoding);
    document.warnings = decoded.warnings;
    Ok(Reading { kind, sources: vec![Source::Text(document)], warnings: Vec::new() })
}

/// Returns the file name without its extension.
fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
