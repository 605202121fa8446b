//! Presentations (PPTX): slides in their order, with tables, charts and speaker notes.

mod text;

use roxmltree::{Document, Node};

use super::super::markup::{Grid, Markup, one_line};
use super::super::picture::Pictures;
use super::super::{ReadError, Reader, Warning};
use super::package::{Package, Relations, target_of};
use super::xml::{self, Element};
use super::{Content, drawing, push_drawing};
use text::{paragraph_text, write_body};

/// Placeholders that repeat on every slide.
const RUNNING: [&str; 4] = ["dt", "ftr", "sldNum", "hdr"];

/// Reads a presentation.
pub(super) fn read(package: &mut Package<'_>, reader: &Reader<'_>) -> Result<Content, ReadError> {
    let main = package.main_part("ppt/presentation.xml")?;
    let relations = package.relations(&main)?;
    let names = slide_names(package, &main, &relations)?;
    let mut deck = Deck { content: Content::default(), pictures: Pictures::new(reader), hidden: Vec::new() };
    for (index, name) in names.iter().enumerate() {
        deck.slide(package, name, index + 1)?;
    }
    let Deck { mut content, pictures, hidden } = deck;
    content.warnings.extend(pictures.warnings());
    if !hidden.is_empty() {
        let numbers = hidden.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        content.warnings.push(Warning { line: None, message: format!("hidden slides were read: {numbers}") });
    }
    Ok(content)
}

/// Parts of the slides, as the presentation orders them.
fn slide_names(
    package: &mut Package<'_>,
    main: &str,
    relations: &Relations,
) -> Result<Vec<String>, ReadError> {
    let text = package.required(main)?;
    let document =
        xml::parse(&text, package.limits.max_depth).map_err(|error| package.damaged(main, &error))?;
    let list = document.root_element().child("sldIdLst");
    let slides = list.iter().flat_map(|list| list.elements()).filter(|node| node.name() == "sldId");
    Ok(slides.filter_map(|slide| drawing::part_of(relations, relation_id(slide))).collect())
}

/// `r:id`, beside which there is a plain `id`.
fn relation_id<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    let found = node.attributes().find(|found| found.name() == "id" && found.namespace().is_some());
    found.map(|found| found.value())
}

struct Deck<'r> {
    content: Content,
    pictures: Pictures<'r>,
    hidden: Vec<usize>,
}

impl Deck<'_> {
    fn slide(&mut self, package: &mut Package<'_>, name: &str, number: usize) -> Result<(), ReadError> {
        let text = package.required(name)?;
        let document =
            xml::parse(&text, package.limits.max_depth).map_err(|error| package.damaged(name, &error))?;
        let relations = package.relations(name)?;
        let root = document.root_element();
        let hidden = matches!(root.attr("show"), Some("0" | "false"));
        let place = if hidden { format!("slide {number} (hidden)") } else { format!("slide {number}") };
        if hidden {
            self.hidden.push(number);
        }
        self.content.out.mark(place.clone());
        let title = title(&document);
        if let Some(title) = &title {
            self.content.title.get_or_insert_with(|| title.clone());
        }
        self.content.out.heading(2, title.as_deref().unwrap_or(&format!("Slide {number}")));
        if let Some(tree) = root.inside("spTree") {
            self.shapes(package, &relations, tree)?;
        }
        self.notes(package, &relations, &place)
    }

    fn shapes(
        &mut self,
        package: &mut Package<'_>,
        relations: &Relations,
        tree: Node<'_, '_>,
    ) -> Result<(), ReadError> {
        for shape in tree.elements() {
            if is_hidden(shape) {
                continue;
            }
            match shape.name() {
                "sp" => self.shape(shape),
                "grpSp" => self.shapes(package, relations, shape)?,
                "graphicFrame" => match shape.inside("tbl") {
                    Some(table) => {
                        let grid = table_grid(table, package.limits.max_columns);
                        self.content.out.table(&grid);
                    }
                    None => self.drawing(package, relations, shape)?,
                },
                "pic" => self.drawing(package, relations, shape)?,
                "AlternateContent" => {
                    let choice = shape.child("Choice").filter(|choice| choice.has_children());
                    if let Some(branch) = choice.or_else(|| shape.child("Fallback")) {
                        self.shapes(package, relations, branch)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn drawing(
        &mut self,
        package: &mut Package<'_>,
        relations: &Relations,
        node: Node<'_, '_>,
    ) -> Result<(), ReadError> {
        push_drawing(package, relations, node, &mut self.pictures, &mut self.content.out)
    }

    fn shape(&mut self, shape: Node<'_, '_>) {
        let Some(body) = shape.child("txBody") else { return };
        let kind = placeholder(shape);
        match kind {
            Some("title" | "ctrTitle" | "sldImg") => {}
            Some(kind) if RUNNING.contains(&kind) => {
                if kind == "ftr" {
                    let words = drawing::paragraphs(body).join(" ");
                    self.content.note("footer", &words);
                }
            }
            _ => write_body(body, kind.is_some() && kind != Some("subTitle"), &mut self.content.out),
        }
    }

    /// Speaker notes stand under their slide, labelled.
    fn notes(
        &mut self,
        package: &mut Package<'_>,
        relations: &Relations,
        place: &str,
    ) -> Result<(), ReadError> {
        let Some(name) = target_of(relations, "notesSlide") else { return Ok(()) };
        let Some(text) = package.text(&name)? else { return Ok(()) };
        let document =
            xml::parse(&text, package.limits.max_depth).map_err(|error| package.damaged(&name, &error))?;
        let mut notes = Markup::default();
        for shape in document.descendants().filter(|node| node.name() == "sp") {
            if placeholder(shape) == Some("body")
                && let Some(body) = shape.child("txBody")
            {
                write_body(body, false, &mut notes);
            }
        }
        let (text, marks) = notes.finish();
        if !text.trim().is_empty() {
            let place = format!("{place}, notes");
            self.content.out.mark(place.clone());
            self.content.out.heading(3, "Notes");
            self.content.out.append(&text, &marks, &place, 3);
        }
        Ok(())
    }
}

/// Type of a shape's placeholder; `body` is the usual one.
fn placeholder<'a>(shape: Node<'a, '_>) -> Option<&'a str> {
    let found = shape.child("nvSpPr")?.child("nvPr")?.child("ph")?;
    Some(found.attr("type").unwrap_or("body"))
}

fn title(slide: &Document<'_>) -> Option<String> {
    let titled = slide.descendants().find(|node| {
        node.name() == "sp" && matches!(placeholder(*node), Some("title" | "ctrTitle")) && !is_hidden(*node)
    });
    let paragraphs =
        titled?.child("txBody")?.elements().filter(|node| node.name() == "p").map(paragraph_text);
    let words = one_line(&paragraphs.collect::<Vec<_>>().join(" "));
    Some(words).filter(|words| !words.is_empty())
}

fn is_hidden(shape: Node<'_, '_>) -> bool {
    let settings = shape.elements().next().and_then(|first| first.child("cNvPr"));
    matches!(settings.and_then(|settings| settings.attr("hidden")), Some("1" | "true"))
}

/// Reads a table; what a merged cell covers takes its text.
fn table_grid(table: Node<'_, '_>, most: usize) -> Grid {
    let (mut rows, mut lone): (Vec<Vec<String>>, Vec<usize>) = (Vec::new(), Vec::new());
    for line in table.elements().filter(|node| node.name() == "tr") {
        let (mut row, mut own): (Vec<String>, usize) = (Vec::new(), 0);
        for cell in line.elements().filter(|node| node.name() == "tc").take(most) {
            let on = |name: &str| matches!(cell.attr(name), Some("1" | "true"));
            let text = if on("vMerge") {
                own += 1;
                rows.last().and_then(|above| above.get(row.len())).cloned().unwrap_or_default()
            } else if on("hMerge") {
                row.last().cloned().unwrap_or_default()
            } else {
                own += 1;
                let body = cell.child("txBody");
                let paragraphs = body.iter().flat_map(|body| body.elements()).filter(|p| p.name() == "p");
                paragraphs.map(paragraph_text).collect::<Vec<_>>().join("\n")
            };
            row.push(text);
        }
        lone.push(if own == 1 { row.len() } else { 0 });
        rows.push(row);
    }
    Grid::of(rows, &lone, 1)
}
