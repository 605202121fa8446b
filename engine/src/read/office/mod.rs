//! Documents of office programs: DOCX, PPTX, ODT and RTF.

mod docx;
mod drawing;
mod math;
mod odt;
mod package;
mod pptx;
mod rtf;
mod words;
mod xml;

use std::collections::BTreeMap;
use std::path::Path;

use roxmltree::Node;

use super::error::corrupt;
use super::markup::{Markup, one_line};
use super::picture::Pictures;
use super::{
    Kind, ReadError, Reader, Reading, Source, Table, TextDocument, TextFormat, Warning, chunk, stem,
};
use package::{Package, Relations, target_of};
pub(super) use words::ordinal;
use xml::Element;

/// What a loader of documents gives.
#[derive(Default)]
pub(super) struct Content {
    /// The text.
    pub out: Markup,
    /// Title as the document itself shows it.
    pub title: Option<String>,
    /// What stands beside the text.
    pub metadata: BTreeMap<String, String>,
    /// Tables that are not in the text.
    pub tables: Vec<Table>,
    /// Reservations.
    pub warnings: Vec<Warning>,
}

impl Content {
    /// Starts with a text.
    pub fn of(out: Markup) -> Self {
        Self { out, ..Self::default() }
    }

    /// Keeps a fact about the document, unless it is empty or known.
    pub fn note(&mut self, key: &str, value: &str) {
        let value = value.trim();
        if !value.is_empty() {
            self.metadata.entry(key.to_owned()).or_insert_with(|| super::normalise(value.to_owned()));
        }
    }

    /// Makes the document; its title is what it shows, else what its properties say, else the
    /// file's name.
    pub fn document(self, path: &Path, encoding: &str) -> TextDocument {
        let (text, marks) = self.out.finish();
        let shown = self.title.map(|title| one_line(&title)).or_else(|| chunk::markdown_title(&text));
        let title = shown.or_else(|| self.metadata.get("title").map(|title| one_line(title)));
        let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| stem(path));
        let mut document = TextDocument::new(title, TextFormat::Markdown, text, encoding);
        document.marks = marks;
        document.metadata = self.metadata;
        document.tables = self.tables;
        document.warnings = self.warnings;
        document
    }
}

/// Reads a document. A parser's panic over a damaged file is that file's error.
pub(super) fn read(
    path: &Path,
    kind: Kind,
    bytes: Vec<u8>,
    reader: &Reader<'_>,
) -> Result<Reading, ReadError> {
    let size = bytes.len() as u64;
    let parse = || content(path, kind, bytes, reader);
    let content = std::panic::catch_unwind(std::panic::AssertUnwindSafe(parse))
        .unwrap_or_else(|_| Err(corrupt(path, kind, &"the parser gave up on it")))?;
    let encoding = if kind == Kind::Rtf { "RTF" } else { "UTF-8" };
    finish(path, kind, size, content, encoding, reader)
}

/// Makes the reading of a document, unless there is nothing in it.
pub(super) fn finish(
    path: &Path,
    kind: Kind,
    bytes: u64,
    content: Content,
    encoding: &str,
    reader: &Reader<'_>,
) -> Result<Reading, ReadError> {
    let length = content.out.len() as u64;
    let limit = reader.limits.max_text_bytes;
    if length > limit {
        return Err(super::too_large(path, "the text (bytes)", length, "max_text_bytes", limit));
    }
    if content.out.is_empty() && !content.metadata.contains_key("header") {
        return Err(ReadError::Empty { path: path.to_path_buf(), bytes });
    }
    let document = content.document(path, encoding);
    Ok(Reading { kind, sources: vec![Source::Text(document)], warnings: Vec::new() })
}

fn content(path: &Path, kind: Kind, bytes: Vec<u8>, reader: &Reader<'_>) -> Result<Content, ReadError> {
    if kind == Kind::Rtf {
        return rtf::read(path, &bytes, reader);
    }
    let mut package = Package::open(path, kind, bytes, reader.limits)?;
    match kind {
        Kind::Odt => odt::read(&mut package, reader),
        Kind::Pptx => {
            let mut content = pptx::read(&mut package, reader)?;
            properties(&mut package, &mut content)?;
            Ok(content)
        }
        _ => {
            let mut content = docx::read(&mut package, reader)?;
            properties(&mut package, &mut content)?;
            Ok(content)
        }
    }
}

/// Reads the properties of an OOXML package.
fn properties(package: &mut Package<'_>, content: &mut Content) -> Result<(), ReadError> {
    const KEYS: [(&str, &str); 9] = [
        ("title", "title"),
        ("subject", "subject"),
        ("creator", "author"),
        ("keywords", "keywords"),
        ("description", "description"),
        ("category", "category"),
        ("created", "created"),
        ("modified", "modified"),
        ("Company", "company"),
    ];
    let relations = package.relations("")?;
    for kind in ["core-properties", "extended-properties"] {
        let Some(name) = target_of(&relations, kind) else { continue };
        let Some(text) = package.text(&name)? else { continue };
        // Properties that cannot be read are no reason to refuse the document.
        let Ok(document) = xml::parse(&text, package.limits.max_depth) else { continue };
        for node in document.root_element().elements() {
            if let Some((_, key)) = KEYS.iter().find(|(name, _)| *name == node.name()) {
                content.note(key, node.text().unwrap_or_default());
            }
        }
    }
    Ok(())
}

/// Writes what a drawing holds: a chart as its table, a diagram as a list, a picture as its
/// description and the text in it.
fn push_drawing(
    package: &mut Package<'_>,
    relations: &Relations,
    node: Node<'_, '_>,
    pictures: &mut Pictures<'_>,
    out: &mut Markup,
) -> Result<(), ReadError> {
    if let Some(grid) = drawing::chart(package, relations, node)? {
        out.table(&grid);
    }
    for words in drawing::diagram(package, relations, node)? {
        out.item(0, None, &words);
    }
    let ids = drawing::pictures(node);
    if let Some(words) = drawing::description(node).filter(|_| !ids.is_empty()) {
        out.paragraph(&format!("[{words}]"));
    }
    for id in ids {
        let Some(name) = drawing::part_of(relations, Some(id)) else { continue };
        let Some(bytes) = package.bytes(&name)? else { continue };
        out.paragraph(&pictures.text(&name, &bytes));
    }
    Ok(())
}

/// Appends raised words of a page: digits after a number are its power.
pub(super) fn push_raised(text: &mut String, words: &str) {
    words::push(text, words, true);
}
