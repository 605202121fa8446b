//! The body in order: headings, paragraphs, lists, tables, and what hangs on them.

use roxmltree::Node;

use super::super::super::{ReadError, too_large};
use super::super::push_drawing;
use super::super::xml::Element;
use super::Walker;
use super::inline::{Inline, Note, branch, is_contents, is_placeholder};
use super::styles::{Numbered, outline};
use super::table::{Found, is_layout, rows};

/// Says whether a paragraph's style is that of captions.
fn is_caption(walker: &Walker<'_, '_, '_, '_>, paragraph: Node<'_, '_>) -> bool {
    paragraph.name() == "p" && walker.collector.styles.named(style(paragraph), &["caption"])
}

fn style<'a>(paragraph: Node<'a, '_>) -> Option<&'a str> {
    paragraph.child("pPr").and_then(|properties| properties.value("pStyle"))
}

impl<'a, 'input> Walker<'a, 'input, '_, '_> {
    /// Writes the blocks inside `holder`.
    pub(super) fn blocks(&mut self, holder: Node<'a, 'input>) -> Result<(), ReadError> {
        let children: Vec<Node<'a, 'input>> = holder.elements().collect();
        let mut at = 0;
        while at < children.len() {
            let child = children[at];
            at += 1;
            match child.name() {
                "p" => self.paragraph(child)?,
                "tbl" => {
                    // A caption below belongs to the table as much as one above.
                    let before = at > 1 && is_caption(self, children[at - 2]);
                    let below = children.get(at).copied().filter(|next| !before && is_caption(self, *next));
                    at += usize::from(below.is_some());
                    self.table(child, below)?;
                }
                "sdt" if is_contents(child) || is_placeholder(child) => {}
                "body" | "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "txbxContent" => {
                    self.blocks(child)?;
                }
                "AlternateContent" => {
                    if let Some(branch) = branch(child) {
                        self.blocks(branch)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Collects the words of a paragraph.
    pub(super) fn inline(&mut self, paragraph: Node<'a, 'input>) -> Inline<'a, 'input> {
        let mut inline = Inline::default();
        let properties = paragraph.child("pPr");
        let direct = properties.and_then(|found| found.child("rPr")).and_then(|run| run.switch("specVanish"));
        if direct != Some(true) && self.collector.styles.hidden(style(paragraph)) == Some(true) {
            return inline;
        }
        self.collector.collect(paragraph, &mut inline);
        inline
    }

    fn paragraph(&mut self, paragraph: Node<'a, 'input>) -> Result<(), ReadError> {
        let style = style(paragraph);
        if self.collector.styles.is_contents(style) {
            return Ok(());
        }
        let properties = paragraph.child("pPr");
        let mut inline = self.inline(paragraph);
        let mark = properties.and_then(|found| found.child("rPr"));
        if mark.is_some_and(|mark| mark.child("del").is_some()) {
            self.carried.push_str(&inline.text);
            return self.hanging(inline.notes, inline.boxes, inline.drawings);
        }
        let text = std::mem::take(&mut self.carried) + &inline.text;
        inline.text = text;
        self.write(paragraph, &inline.text);
        self.hanging(inline.notes, inline.boxes, inline.drawings)
    }

    /// Writes a paragraph as what its style says it is.
    fn write(&mut self, paragraph: Node<'a, 'input>, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let styles = self.collector.styles;
        let style = style(paragraph);
        let label = self.label(paragraph);
        let labelled = |label: Option<&String>| match label.filter(|label| !label.is_empty()) {
            Some(label) => format!("{label} {text}"),
            None => text.to_owned(),
        };
        let own = paragraph.child("pPr").and_then(outline);
        let level = own.or_else(|| styles.heading(style)).filter(|level| *level <= 9);
        if styles.named(style, &["title"]) {
            self.title.get_or_insert_with(|| text.trim().to_owned());
            self.out.heading(1, text);
        } else if let Some(level) = level {
            self.out.heading(level + usize::from(self.has_title), &labelled(label.as_ref()));
        } else if let Some(label) = label {
            let depth = self.numbered(paragraph).level.unwrap_or(0);
            self.out.item(depth, Some(&label), text);
        } else {
            self.out.paragraph(text);
        }
    }

    /// List and level of a paragraph, its own before its style's.
    fn numbered(&self, paragraph: Node<'_, '_>) -> Numbered {
        let own = paragraph.child("pPr").map(Numbered::of).unwrap_or_default();
        let styled = self.collector.styles.numbering(style(paragraph));
        Numbered { list: own.list.or(styled.list), level: own.level.or(styled.level) }
    }

    /// Counts a list item; returns its label, empty for a bullet.
    pub(super) fn label(&mut self, paragraph: Node<'a, 'input>) -> Option<String> {
        let found = self.numbered(paragraph);
        self.numbering.next(&found.list?, found.level.unwrap_or(0))
    }

    /// Writes what hangs on a block right below it.
    fn hanging(
        &mut self,
        notes: Vec<Note<'a>>,
        boxes: Vec<Node<'a, 'input>>,
        drawings: Vec<Node<'a, 'input>>,
    ) -> Result<(), ReadError> {
        for note in notes {
            self.note(&note)?;
        }
        for found in boxes {
            self.blocks(found)?;
        }
        for found in drawings {
            push_drawing(self.package, &self.relations, found, &mut self.pictures, &mut self.out)?;
        }
        Ok(())
    }

    fn note(&mut self, note: &Note<'a>) -> Result<(), ReadError> {
        let notes = if note.at_end { &self.endnotes } else { &self.footnotes };
        let Some(found) = notes.get(note.id).copied() else { return Ok(()) };
        let mut words = Vec::new();
        for paragraph in found.descendants().filter(|node| node.name() == "p") {
            let text = self.inline(paragraph).text;
            if !text.trim().is_empty() {
                words.push(text.trim().to_owned());
            }
        }
        self.out.paragraph(&format!("[{}] {}", note.number, words.join(" ")));
        Ok(())
    }

    fn table(&mut self, table: Node<'a, 'input>, caption: Option<Node<'a, 'input>>) -> Result<(), ReadError> {
        if is_layout(table) {
            let (mut own, mut cells) = (Vec::new(), Vec::new());
            rows(table, "tr", &mut own);
            own.iter().for_each(|row| rows(*row, "tc", &mut cells));
            for cell in cells {
                self.blocks(cell)?;
            }
            return caption.map_or(Ok(()), |caption| self.paragraph(caption));
        }
        let Found { mut grid, mut notes, nested, boxes, drawings } = self.grid(table)?;
        if let Some(caption) = caption {
            let mut inline = self.inline(caption);
            let title = grid.caption.take().filter(|title| !title.is_empty());
            let words = inline.text.trim().to_owned();
            grid.caption = Some(title.map_or_else(|| words.clone(), |title| format!("{words} {title}")));
            notes.append(&mut inline.notes);
        }
        self.out.table(&grid);
        self.hanging(notes, boxes, drawings)?;
        for inner in nested {
            self.table(inner, None)?;
        }
        Ok(())
    }

    /// Writes words that waited for a next paragraph which never came.
    pub(super) fn flush(&mut self) {
        let rest = std::mem::take(&mut self.carried);
        self.out.paragraph(&rest);
    }

    /// Refuses a document with more cells than the limit.
    pub(super) fn check_cells(&self) -> Result<(), ReadError> {
        let (found, limit) = (self.cells, self.package.limits.max_cells);
        if found > limit {
            let path = self.package.path();
            return Err(too_large(path, "the number of cells", found, "max_cells", limit));
        }
        Ok(())
    }
}
