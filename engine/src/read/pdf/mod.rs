//! PDF: pages with a text layer, scans, and files that mix both.
//!
//! One crate, `hayro`, gives glyph positions, decryption and rendering, all in Rust. The file is
//! read in a thread of its own ([`worker`]); what a page draws becomes words; pages whose text
//! layer is absent or unreadable are drawn and read by OCR; then running headers go, and
//! [`crate::decide::layout`] writes the text.

mod device;
mod page;
mod worker;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{
    Kind, Mark, ReadError, ReadLimits, Reader, Reading, Source, TextDocument, Warning, normalise, stem,
};
use crate::decide::chunk::{self, TextFormat};
use crate::decide::layout::{PageContent, compose, page_blocks, running_lines};
use page::{Draft, Outcome};
use worker::{Opened, PageError, Worker};

/// Reads a PDF.
///
/// # Errors
/// [`ReadError::Encrypted`], [`ReadError::WrongPassword`], [`ReadError::TooLarge`],
/// [`ReadError::Corrupt`], [`ReadError::TimedOut`]. Pages that could not be read are warnings, and
/// make the document incomplete.
pub(super) fn read(path: &Path, bytes: Vec<u8>, reader: &Reader) -> Result<Reading, ReadError> {
    let limits = reader.limits;
    let deadline = Instant::now() + Duration::from_secs(limits.max_parse_seconds);
    let corrupt = |reason: String| ReadError::Corrupt { path: path.to_path_buf(), kind: Kind::Pdf, reason };
    let password = reader.password.unwrap_or_default().to_owned();
    let worker = Worker::start(Arc::new(bytes), password, limits.max_pages as usize, deadline)
        .map_err(|error| corrupt(format!("no thread to read it in: {error}")))?;
    let (count, about) = match worker.opened() {
        Ok(Opened::Pages(count, about)) => (count, about),
        Ok(Opened::Locked) => return Err(locked(path, reader)),
        Ok(Opened::Broken(reason)) | Err(PageError::Failed(reason)) => return Err(corrupt(reason)),
        Err(PageError::Expired) => return Err(timed_out(path, limits)),
    };
    if count as u64 > limits.max_pages {
        return Err(super::error::too_large(
            path,
            "the number of pages",
            count as u64,
            "max_pages",
            limits.max_pages,
        ));
    }
    if count == 0 {
        return Err(corrupt("it has no pages".into()));
    }
    let mut pages =
        Pages { worker, reader, seen: HashSet::new(), looks: HashSet::new(), notes: Notes::default() };
    let drafts = pages.drafts(count);
    if drafts.is_empty() {
        return Err(timed_out(path, limits));
    }
    let mut outcomes: Vec<Outcome> =
        drafts.into_iter().enumerate().map(|(index, draft)| pages.outcome(index, draft)).collect();
    let mut metadata = described(&about);
    let text = written(&mut outcomes, &mut metadata);
    let notes = pages.notes;
    Ok(reading(path, text, metadata, notes, limits))
}

fn locked(path: &Path, reader: &Reader) -> ReadError {
    let path = path.to_path_buf();
    match reader.password {
        None => ReadError::Encrypted { path, kind: Kind::Pdf },
        Some(_) => ReadError::WrongPassword { path, kind: Kind::Pdf },
    }
}

fn timed_out(path: &Path, limits: &ReadLimits) -> ReadError {
    ReadError::TimedOut { path: path.to_path_buf(), seconds: limits.max_parse_seconds }
}

/// What a person should know of the pages, and what is still missing.
#[derive(Debug, Default)]
pub(super) struct Notes {
    warnings: Vec<String>,
    /// Pages (from 1) without their text, and why the first of them.
    missing: Vec<usize>,
    reason: String,
}

impl Notes {
    fn warn(&mut self, page: usize, what: &str) {
        self.warnings.push(format!("page {}: {what}", page + 1));
    }

    /// Notes a page that should have text and has none (or not all of it).
    fn miss(&mut self, page: usize, why: &str) {
        self.warn(page, why);
        if self.missing.is_empty() {
            why.clone_into(&mut self.reason);
        }
        self.missing.push(page + 1);
    }
}

/// The pages of one file on their way.
pub(super) struct Pages<'a> {
    worker: Worker,
    reader: &'a Reader<'a>,
    /// Pictures looked at already: a logo on every page is read once.
    seen: HashSet<u128>,
    /// The same, by what they look like.
    looks: HashSet<blake3::Hash>,
    notes: Notes,
}

impl Pages<'_> {
    /// Collects what the pages draw, as far as time allows.
    fn drafts(&mut self, count: usize) -> Vec<Draft> {
        let mut drafts = Vec::with_capacity(count);
        for index in 0..count {
            match self.worker.page() {
                Ok(drawn) => drafts.push(Draft::new(&drawn)),
                Err(PageError::Failed(reason)) => {
                    self.notes.miss(index, &reason);
                    drafts.push(Draft::default());
                }
                Err(PageError::Expired) => {
                    let seconds = self.reader.limits.max_parse_seconds;
                    let why = format!("not read: the file took longer than max_parse_seconds = {seconds}");
                    self.notes.miss(index, &why);
                    break;
                }
            }
        }
        drafts
    }
}

/// Writes the text of all pages; running headers and footers go to the metadata.
fn written(outcomes: &mut [Outcome], metadata: &mut BTreeMap<String, String>) -> Vec<String> {
    let mut contents: Vec<PageContent> =
        outcomes.iter_mut().map(|outcome| std::mem::take(&mut outcome.content)).collect();
    let running = running_lines(&mut contents);
    for (name, value) in [("header", running.header), ("footer", running.footer)] {
        if !value.is_empty() {
            metadata.insert(name.into(), normalise(value));
        }
    }
    let blocks = contents
        .iter()
        .zip(outcomes)
        .map(|(content, outcome)| {
            let mut blocks = page_blocks(content);
            for beside in &outcome.beside {
                blocks.extend(page_blocks(beside));
            }
            blocks
        })
        .collect();
    compose(blocks).pages
}

fn reading(
    path: &Path,
    pages: Vec<String>,
    metadata: BTreeMap<String, String>,
    notes: Notes,
    limits: &ReadLimits,
) -> Reading {
    let (mut text, mut marks) = (String::new(), Vec::new());
    for (index, page) in pages.into_iter().enumerate() {
        if page.trim().is_empty() {
            continue;
        }
        marks.push(Mark { at: text.len(), place: format!("page {}", index + 1) });
        text.push_str(&normalise(page));
    }
    let title = chunk::markdown_title(&text).unwrap_or_else(|| stem(path));
    let mut document = TextDocument::new(title, TextFormat::Markdown, text, "PDF");
    document.marks = marks;
    document.metadata = metadata;
    document.incomplete = incomplete(&notes, document.text.trim().is_empty());
    document.warnings = listed(notes.warnings, limits.max_warnings);
    if document.incomplete.is_none() && document.text.trim().is_empty() {
        document.warnings.push(Warning { line: None, message: "there is no text on any page".into() });
    }
    Reading { kind: Kind::Pdf, sources: vec![Source::Text(document)], warnings: Vec::new() }
}

/// Says what is missing, so that the document is read again when that can change.
fn incomplete(notes: &Notes, all: bool) -> Option<String> {
    let first = notes.missing.first()?;
    let count = notes.missing.len();
    let pages = match count {
        1 => format!("page {first}"),
        _ => format!("{count} pages (the first is page {first})"),
    };
    let what = if all { "no text" } else { "incomplete" };
    Some(format!("{what}: {pages}: {}", notes.reason))
}

pub(super) fn listed(messages: Vec<String>, most: usize) -> Vec<Warning> {
    let more = messages.len().saturating_sub(most);
    let mut warnings: Vec<Warning> =
        messages.into_iter().take(most).map(|message| Warning { line: None, message }).collect();
    if more > 0 {
        warnings.push(Warning { line: None, message: format!("{more} more warnings of this kind") });
    }
    warnings
}

/// What the file says about itself, as text.
fn described(about: &[(&str, Vec<u8>)]) -> BTreeMap<String, String> {
    about
        .iter()
        .map(|(name, bytes)| ((*name).to_owned(), normalise(text_string(bytes)).trim().to_owned()))
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

/// Decodes a text string (ISO 32000-1, 7.9.2.2): UTF-16BE or UTF-8 by their marks, else
/// PDFDocEncoding, which is Latin-1 where it matters.
fn text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|byte| char::from(*byte)).filter(|character| !character.is_control()).collect(),
    }
}
