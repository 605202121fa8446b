//! OpenDocument texts (ODT): body, notes, text boxes, running headers.

mod inline;
mod styles;

use roxmltree::Node;

use super::super::markup::{Grid, one_line};
use super::super::picture::Pictures;
use super::super::{Kind, ReadError, Reader, too_large};
use super::Content;
use super::package::Package;
use super::xml::{self, Element};
use inline::{Inline, collect};
use styles::{Styles, label};

/// Reads a text document.
pub(super) fn read(package: &mut Package<'_>, reader: &Reader<'_>) -> Result<Content, ReadError> {
    let manifest = package.text("META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(ReadError::Encrypted { path: package.path().to_path_buf(), kind: Kind::Odt });
    }
    let max_depth = package.limits.max_depth;
    let text = package.required("content.xml")?;
    let document = xml::parse(&text, max_depth).map_err(|error| package.damaged("content.xml", &error))?;
    let outer = package.text("styles.xml")?.unwrap_or_else(|| "<none/>".into());
    let outer = xml::parse(&outer, max_depth).map_err(|error| package.damaged("styles.xml", &error))?;
    let mut styles = Styles::default();
    styles.take(&outer);
    styles.take(&document);
    let mut walker = Walker {
        has_title: document.descendants().any(|node| {
            matches!(node.name(), "p" | "h") && styles.named(node.attr("style-name"), &["title"])
        }),
        styles: &styles,
        content: Content::default(),
        pictures: Pictures::new(reader),
        notes: 0,
        cells: 0,
        package,
    };
    if let Some(body) = document.root_element().inside("text") {
        walker.blocks(body)?;
    }
    let Walker { mut content, pictures, package, .. } = walker;
    content.warnings.extend(pictures.warnings());
    running(outer.root_element(), &styles, &mut content);
    meta(package, &mut content)?;
    Ok(content)
}

/// Reads running headers and footers of the page styles, each line once, as metadata.
fn running(styles_part: Node<'_, '_>, styles: &Styles, content: &mut Content) {
    for key in ["header", "footer"] {
        let mut lines: Vec<String> = Vec::new();
        let parts = styles_part.descendants().filter(|node| {
            node.name() == key && node.parent().is_some_and(|parent| parent.name() == "master-page")
        });
        for paragraph in
            parts.flat_map(|part| part.descendants()).filter(|node| matches!(node.name(), "p" | "h"))
        {
            let mut inline = Inline::default();
            collect(paragraph, styles, &mut 0, &mut inline);
            let line = one_line(&inline.text);
            if line.chars().any(char::is_alphabetic) && !lines.contains(&line) {
                lines.push(line);
            }
        }
        content.note(key, &lines.join("\n"));
    }
}

fn meta(package: &mut Package<'_>, content: &mut Content) -> Result<(), ReadError> {
    let Some(text) = package.text("meta.xml")? else { return Ok(()) };
    // Properties that cannot be read are no reason to refuse the document.
    let Ok(document) = xml::parse(&text, package.limits.max_depth) else { return Ok(()) };
    for node in document.descendants().filter(Node::is_element) {
        let key = match node.name() {
            "title" | "subject" | "description" => node.name(),
            "creator" | "initial-creator" => "author",
            "keyword" => "keywords",
            "creation-date" => "created",
            "date" => "modified",
            _ => continue,
        };
        content.note(key, node.text().unwrap_or_default());
    }
    Ok(())
}

struct Walker<'s, 'w, 'p> {
    has_title: bool,
    styles: &'s Styles,
    content: Content,
    pictures: Pictures<'w>,
    notes: usize,
    cells: u64,
    package: &'w mut Package<'p>,
}

impl Walker<'_, '_, '_> {
    fn blocks(&mut self, holder: Node<'_, '_>) -> Result<(), ReadError> {
        let children: Vec<Node<'_, '_>> = holder.elements().collect();
        let mut at = 0;
        while at < children.len() {
            let child = children[at];
            at += 1;
            match child.name() {
                "h" | "p" => self.paragraph(child)?,
                "list" => self.list(child, child.attr("style-name"), &mut Vec::new())?,
                "table" => {
                    let before = at > 1 && self.is_caption(children[at - 2]);
                    let below = children.get(at).copied().filter(|next| !before && self.is_caption(*next));
                    at += usize::from(below.is_some());
                    self.table(child, below)?;
                }
                "section" if child.attr("display") == Some("none") => {}
                "section" | "text-box" | "index-body" | "bibliography" | "numbered-paragraph" => {
                    self.blocks(child)?;
                }
                "frame" | "rect" | "custom-shape" | "g" => self.frame(child)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn is_caption(&self, node: Node<'_, '_>) -> bool {
        node.name() == "p" && self.styles.named(node.attr("style-name"), &["table", "caption"])
    }

    fn inline<'a, 'input>(&mut self, node: Node<'a, 'input>) -> Inline<'a, 'input> {
        let mut inline = Inline::default();
        if !self.styles.is_hidden(node.attr("style-name")) {
            collect(node, self.styles, &mut self.notes, &mut inline);
        }
        inline
    }

    fn paragraph(&mut self, node: Node<'_, '_>) -> Result<(), ReadError> {
        let inline = self.inline(node);
        if self.styles.named(node.attr("style-name"), &["title"]) {
            self.content.title.get_or_insert_with(|| inline.text.trim().to_owned());
            self.content.out.heading(1, &inline.text);
        } else if node.name() == "h" {
            let level = node.count("outline-level", 10) + usize::from(self.has_title);
            self.content.out.heading(level, &inline.text);
        } else {
            self.content.out.paragraph(&inline.text);
        }
        self.hanging(inline)
    }

    /// Writes a list; `counts` are the numbers of the levels above.
    fn list(
        &mut self,
        list: Node<'_, '_>,
        style: Option<&str>,
        counts: &mut Vec<u32>,
    ) -> Result<(), ReadError> {
        let style = list.attr("style-name").or(style);
        let level = counts.len();
        let first = self.styles.level(style, level).map_or(1, |level| level.start);
        counts.push(first.saturating_sub(1));
        for item in list.elements() {
            let counted = item.name() == "list-item";
            if counted {
                let start = item.attr("start-value").and_then(|start| start.parse::<u32>().ok());
                counts[level] = start.unwrap_or(counts[level].saturating_add(1));
            }
            let mut words = Vec::new();
            let mut rest = Vec::new();
            for child in item.elements() {
                match child.name() {
                    "p" | "h" if rest.is_empty() => words.push(self.inline(child)),
                    _ => rest.push(child),
                }
            }
            let text = words.iter().map(|inline| inline.text.trim()).collect::<Vec<_>>().join(" ");
            let label = label(self.styles, style, counts).filter(|_| counted);
            self.content.out.item(level, label.as_deref(), &text);
            for inline in words {
                self.hanging(inline)?;
            }
            for child in rest {
                match child.name() {
                    "list" => self.list(child, style, counts)?,
                    _ => self.paragraph(child)?,
                }
            }
        }
        counts.pop();
        Ok(())
    }

    fn hanging(&mut self, inline: Inline<'_, '_>) -> Result<(), ReadError> {
        for (number, note) in inline.notes {
            let mut words = Vec::new();
            if let Some(body) = note.child("note-body") {
                for paragraph in body.descendants().filter(|node| matches!(node.name(), "p" | "h")) {
                    words.push(self.inline(paragraph).text);
                }
            }
            self.content.out.paragraph(&format!("[{number}] {}", one_line(&words.join(" "))));
        }
        inline.frames.into_iter().try_for_each(|frame| self.frame(frame))
    }

    /// Writes a text box, the table of a chart, a formula, or the text of a picture.
    fn frame(&mut self, frame: Node<'_, '_>) -> Result<(), ReadError> {
        for child in frame.elements() {
            match child.name() {
                "text-box" => self.blocks(child)?,
                "p" => self.paragraph(child)?,
                "title" | "desc" => {
                    let words = child.text().unwrap_or_default().trim();
                    if words.split_whitespace().count() > 1 {
                        self.content.out.paragraph(&format!("[{words}]"));
                    }
                }
                "object" => self.object(child)?,
                "image" => {
                    // An object comes with a picture of itself.
                    let stands_in = frame.child("object").is_some();
                    let name = child.attr("href").filter(|_| !stands_in).unwrap_or_default();
                    if let Some(bytes) = self.package.bytes(name.trim_start_matches("./"))? {
                        let words = self.pictures.text(name, &bytes);
                        self.content.out.paragraph(&words);
                    }
                }
                "g" | "frame" | "rect" | "custom-shape" => self.frame(child)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn object(&mut self, object: Node<'_, '_>) -> Result<(), ReadError> {
        let folder = object.attr("href").unwrap_or_default().trim_start_matches("./").to_owned();
        let name = format!("{folder}/content.xml");
        let Some(text) = self.package.text(&name)? else { return Ok(()) };
        let limit = self.package.limits.max_depth;
        let document = xml::parse(&text, limit).map_err(|error| self.package.damaged(&name, &error))?;
        if let Some(formula) = document.root_element().inside("annotation") {
            self.content.out.paragraph(formula.text().unwrap_or_default());
        } else if let Some(table) = document.root_element().inside("table") {
            let mut grid = self.grid(table)?.0;
            let title = document.root_element().inside("title").map(|title| self.inline(title).text);
            grid.caption = title.filter(|title| !title.trim().is_empty());
            self.content.out.table(&grid);
        }
        Ok(())
    }

    fn table(&mut self, table: Node<'_, '_>, caption: Option<Node<'_, '_>>) -> Result<(), ReadError> {
        let (mut grid, hanging) = self.grid(table)?;
        let mut out = std::mem::take(&mut grid.caption);
        if let Some(caption) = caption {
            let words = self.inline(caption).text;
            out = Some(out.map_or_else(|| words.clone(), |title| format!("{words} {title}")));
        }
        grid.caption = out;
        self.content.out.table(&grid);
        hanging.into_iter().try_for_each(|inline| self.hanging(inline))
    }

    /// Reads the cells of a table: repeated ones repeated, covered ones filled.
    fn grid<'a, 'input>(
        &mut self,
        table: Node<'a, 'input>,
    ) -> Result<(Grid, Vec<Inline<'a, 'input>>), ReadError> {
        let most = self.package.limits.max_columns.max(1);
        let (mut rows, mut lone, mut header_rows, mut hanging) = (Vec::new(), Vec::new(), 0, Vec::new());
        // Rows that the cell above still covers, with its text, by column.
        let mut covered: Vec<(usize, String)> = Vec::new();
        for line in table.descendants().filter(|node| node.name() == "table-row") {
            let nearest = line.ancestors().skip(1).find(|above| above.name() == "table");
            if nearest != Some(table) || matches!(line.attr("visibility"), Some("collapse" | "filter")) {
                continue;
            }
            let (mut row, mut own, mut filled): (Vec<String>, usize, bool) = (Vec::new(), 0, false);
            for cell in line.elements().filter(|cell| cell.name().ends_with("table-cell")) {
                let text = if cell.name() == "covered-table-cell" {
                    let over = covered.get(row.len()).filter(|(left, _)| *left > 0);
                    own += usize::from(over.is_some());
                    over.map(|(_, text)| text.clone()).or_else(|| row.last().cloned()).unwrap_or_default()
                } else {
                    own += 1;
                    self.cell_text(cell, &mut hanging)
                };
                filled |= !text.trim().is_empty();
                let down = cell.count("number-rows-spanned", 1_000_000);
                let wide = cell.count("number-columns-spanned", most);
                for at in row.len()..(row.len() + wide).min(most) {
                    if down > 1 {
                        if covered.len() <= at {
                            covered.resize(at + 1, (0, String::new()));
                        }
                        covered[at] = (down, text.clone());
                    }
                }
                let repeated = cell.count("number-columns-repeated", most);
                if text.trim().is_empty() && repeated > 1 && cell.next_sibling_element().is_none() {
                    break;
                }
                row.extend(std::iter::repeat_n(text, repeated.min(most - row.len().min(most))));
            }
            covered.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
            let in_header = line.ancestors().any(|above| above.name() == "table-header-rows");
            header_rows += usize::from(in_header);
            let repeated = if filled { line.count("number-rows-repeated", 1_000_000) } else { 1 };
            self.cells += (row.len() * repeated) as u64;
            self.check_cells()?;
            lone.extend(std::iter::repeat_n(if own == 1 { row.len() } else { 0 }, repeated));
            rows.extend(std::iter::repeat_n(row, repeated));
        }
        Ok((Grid::of(rows, &lone, header_rows), hanging))
    }

    fn cell_text<'a, 'input>(
        &mut self,
        cell: Node<'a, 'input>,
        hanging: &mut Vec<Inline<'a, 'input>>,
    ) -> String {
        let mut words = Vec::new();
        for paragraph in cell.descendants().filter(|node| matches!(node.name(), "p" | "h")) {
            // A note's paragraphs come with the note.
            let inside = paragraph.ancestors().skip(1).take_while(|above| *above != cell);
            if inside.into_iter().any(|above| matches!(above.name(), "note" | "annotation" | "frame")) {
                continue;
            }
            let mut inline = self.inline(paragraph);
            words.push(std::mem::take(&mut inline.text));
            hanging.push(inline);
        }
        words.join("\n").trim().to_owned()
    }

    fn check_cells(&self) -> Result<(), ReadError> {
        let (found, limit) = (self.cells, self.package.limits.max_cells);
        if found > limit {
            let path = self.package.path();
            return Err(too_large(path, "the number of cells", found, "max_cells", limit));
        }
        Ok(())
    }
}
