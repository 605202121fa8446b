//! Word documents (DOCX): body, notes, text boxes, running headers.

mod body;
mod inline;
mod styles;
mod table;

use std::collections::{BTreeSet, HashMap};

use roxmltree::{Document, Node};

use super::super::markup::{Markup, one_line};
use super::super::picture::Pictures;
use super::super::{ReadError, Reader, Warning};
use super::package::{Package, Relations, target_of};
use super::xml::{self, Element};
use super::{Content, drawing};
use inline::{Collector, Inline};
use styles::{Numbering, Styles};

/// Reads a Word document.
pub(super) fn read(package: &mut Package<'_>, reader: &Reader<'_>) -> Result<Content, ReadError> {
    let main = package.main_part("word/document.xml")?;
    let relations = package.relations(&main)?;
    let part = |package: &mut Package<'_>, kind: &str| match target_of(&relations, kind) {
        Some(name) => Ok(package.text(&name)?.map(|text| (name, text))),
        None => Ok(None),
    };
    let body = package.required(&main)?;
    let (styles, numbering) = (part(package, "styles")?, part(package, "numbering")?);
    let (footnotes, endnotes) = (part(package, "footnotes")?, part(package, "endnotes")?);
    let comments = part(package, "comments")?.is_some();
    let max_depth = package.limits.max_depth;
    let body = xml::parse(&body, max_depth).map_err(|error| package.damaged(&main, &error))?;
    let styles = optional(package, styles.as_ref(), max_depth)?;
    let numbering = optional(package, numbering.as_ref(), max_depth)?;
    let footnotes = optional(package, footnotes.as_ref(), max_depth)?;
    let endnotes = optional(package, endnotes.as_ref(), max_depth)?;
    let styles = styles.as_ref().map(Styles::of).unwrap_or_default();
    let mut walker = Walker {
        numbering: numbering.as_ref().map(Numbering::of).unwrap_or_default(),
        footnotes: footnotes.as_ref().map(notes_by_id).unwrap_or_default(),
        endnotes: endnotes.as_ref().map(notes_by_id).unwrap_or_default(),
        collector: Collector { styles: &styles, notes: 0 },
        has_title: has_title(&body, &styles),
        out: Markup::default(),
        carried: String::new(),
        cells: 0,
        title: None,
        pictures: Pictures::new(reader),
        relations,
        package,
    };
    walker.blocks(body.root_element())?;
    walker.flush();
    let Walker { title, pictures, out, relations, package, .. } = walker;
    let mut warnings = pictures.warnings();
    if comments {
        let message = "its comments were left out: they are not part of the text".into();
        warnings.push(Warning { line: None, message });
    }
    let mut content = Content { title, warnings, ..Content::of(out) };
    running(package, &body, &relations, &styles, &mut content)?;
    Ok(content)
}

/// Parses a part that may be missing.
fn optional<'t>(
    package: &Package<'_>,
    part: Option<&'t (String, String)>,
    max_depth: usize,
) -> Result<Option<Document<'t>>, ReadError> {
    let Some((name, text)) = part else { return Ok(None) };
    xml::parse(text, max_depth).map(Some).map_err(|error| package.damaged(name, &error))
}

/// Notes by id; separators are none.
fn notes_by_id<'a, 'input>(document: &'a Document<'input>) -> HashMap<&'a str, Node<'a, 'input>> {
    let notes = document
        .root_element()
        .elements()
        .filter(|note| note.attr("type").is_none_or(|kind| kind == "normal"));
    notes.filter_map(|note| Some((note.attr("id")?, note))).collect()
}

fn has_title(body: &Document<'_>, styles: &Styles) -> bool {
    let mut used = body.descendants().filter(|node| node.name() == "pStyle");
    used.any(|style| styles.named(style.attr("val"), &["title"]))
}

/// Reads running headers and footers, each distinct line once, as metadata: on every page they
/// would drown the text.
fn running(
    package: &mut Package<'_>,
    body: &Document<'_>,
    relations: &Relations,
    styles: &Styles,
    content: &mut Content,
) -> Result<(), ReadError> {
    for (element, key) in [("headerReference", "header"), ("footerReference", "footer")] {
        let used = body.descendants().filter(|node| node.name() == element);
        let names: BTreeSet<String> =
            used.filter_map(|node| drawing::part_of(relations, node.attr("id"))).collect();
        let mut lines: Vec<String> = Vec::new();
        for name in names {
            let Some(text) = package.text(&name)? else { continue };
            let document = xml::parse(&text, package.limits.max_depth)
                .map_err(|error| package.damaged(&name, &error))?;
            let mut collector = Collector { styles, notes: 0 };
            for paragraph in document.descendants().filter(|node| node.name() == "p") {
                let fallback = paragraph.ancestors().any(|above| above.name() == "Fallback");
                let mut inline = Inline::default();
                collector.collect(paragraph, &mut inline);
                let line = one_line(&inline.text);
                if !fallback && line.chars().any(char::is_alphabetic) && !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        content.note(key, &lines.join("\n"));
    }
    Ok(())
}

/// Goes through the body in order and writes it.
struct Walker<'a, 'input, 'w, 'p> {
    numbering: Numbering,
    footnotes: HashMap<&'a str, Node<'a, 'input>>,
    endnotes: HashMap<&'a str, Node<'a, 'input>>,
    collector: Collector<'w>,
    /// A title stands above all headings, which are one level down then.
    has_title: bool,
    out: Markup,
    /// Words of a paragraph whose end was deleted: the next one goes on.
    carried: String,
    cells: u64,
    title: Option<String>,
    pictures: Pictures<'w>,
    relations: Relations,
    package: &'w mut Package<'p>,
}
