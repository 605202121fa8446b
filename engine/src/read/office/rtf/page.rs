//! Paragraphs, cells and notes of a rich text file as they are finished.

use std::collections::HashMap;
use std::path::Path;

use super::super::super::markup::{Grid, one_line};
use super::super::super::picture::Pictures;
use super::super::super::{ReadError, Reader, too_large};
use super::super::Content;
use super::Place;

/// What a cell definition says about merging.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct CellMerge {
    /// It continues the cell to the left.
    pub left: bool,
    /// It continues the cell above.
    pub above: bool,
}

/// Collects words and writes them block by block.
pub(super) struct Page<'r> {
    path: &'r Path,
    reader: &'r Reader<'r>,
    content: Content,
    pictures: Pictures<'r>,
    text: String,
    label: String,
    note: String,
    notes: Vec<String>,
    running: [Vec<String>; 2],
    line: String,
    property: String,
    styles: HashMap<i32, (String, Option<i32>)>,
    style_name: String,
    style: i32,
    outline: Option<i32>,
    level: usize,
    in_table: bool,
    cells: Vec<String>,
    merges: Vec<CellMerge>,
    merge: CellMerge,
    rows: Vec<Vec<String>>,
    lone: Vec<usize>,
    header_rows: usize,
    is_header: bool,
    counted: u64,
    counted_notes: u64,
    picture: Vec<u8>,
    half: Option<u8>,
}

impl<'r> Page<'r> {
    /// Starts a file.
    pub fn new(path: &'r Path, reader: &'r Reader<'r>) -> Self {
        Self {
            path,
            reader,
            content: Content::default(),
            pictures: Pictures::new(reader),
            text: String::new(),
            label: String::new(),
            note: String::new(),
            notes: Vec::new(),
            running: Default::default(),
            line: String::new(),
            property: String::new(),
            styles: HashMap::new(),
            style_name: String::new(),
            style: 0,
            outline: None,
            level: 0,
            in_table: false,
            cells: Vec::new(),
            merges: Vec::new(),
            merge: CellMerge::default(),
            rows: Vec::new(),
            lone: Vec::new(),
            header_rows: 0,
            is_header: false,
            counted: 0,
            counted_notes: 0,
            picture: Vec::new(),
            half: None,
        }
    }

    /// Returns where words of a place go.
    pub fn text(&mut self, place: Place) -> Option<&mut String> {
        match place {
            Place::Body => Some(&mut self.text),
            Place::Note => Some(&mut self.note),
            Place::Running(_) => Some(&mut self.line),
            Place::Label => Some(&mut self.label),
            Place::Property(_) => Some(&mut self.property),
            Place::Styles => Some(&mut self.style_name),
            Place::Nowhere | Place::Fonts | Place::Picture => None,
        }
    }

    /// Takes a setting of the paragraph, the table row or the style.
    pub fn setting(&mut self, word: &str, number: Option<i32>, place: Place) {
        if place == Place::Nowhere {
            return;
        }
        match word {
            "pard" => {
                (self.style, self.outline, self.level, self.in_table) = (0, None, 0, false);
            }
            "s" => self.style = number.unwrap_or(0),
            "outlinelevel" => self.outline = number,
            "ilvl" => self.level = number.and_then(|level| usize::try_from(level).ok()).unwrap_or(0),
            "intbl" => self.in_table = true,
            "trowd" => {
                (self.merges, self.merge, self.is_header) = (Vec::new(), CellMerge::default(), false);
            }
            "trhdr" => self.is_header = true,
            "cellx" => {
                if self.merges.len() < self.reader.limits.max_columns {
                    self.merges.push(self.merge);
                }
                self.merge = CellMerge::default();
            }
            _ => {
                if let Some(set) = CellMerge::of(word) {
                    set(&mut self.merge);
                }
            }
        }
    }

    /// Ends an entry of the sheet of styles.
    pub fn end_style(&mut self) {
        let name = std::mem::take(&mut self.style_name);
        let name = name.trim().trim_end_matches(';').trim().to_lowercase();
        self.styles.insert(self.style, (name, self.outline.take()));
        self.style = 0;
    }

    /// Ends what a group was for.
    pub fn leave(&mut self, place: Place) {
        match place {
            Place::Note => {
                let words = one_line(&std::mem::take(&mut self.note));
                if let Some(last) = self.notes.last_mut() {
                    *last = format!("{last} {words}");
                }
            }
            Place::Running(_) => self.end_paragraph(place),
            Place::Property(key) => {
                let words = std::mem::take(&mut self.property);
                self.content.note(key, &words);
            }
            Place::Styles => self.style_name.clear(),
            Place::Picture => {
                let bytes = std::mem::take(&mut self.picture);
                self.half = None;
                let words = self.pictures.text("a picture", &bytes);
                if !words.is_empty() {
                    self.text.push('\n');
                    self.text.push_str(&words);
                }
            }
            _ => {}
        }
    }

    /// Begins a note; returns its mark in the text.
    pub fn enter_note(&mut self) -> String {
        self.note.clear();
        self.counted_notes += 1;
        let mark = format!("[{}]", self.counted_notes);
        self.notes.push(mark.clone());
        mark
    }

    /// Takes bytes of a picture.
    pub fn picture(&mut self, hexadecimal: &[u8]) {
        for digit in hexadecimal.iter().filter_map(|byte| char::from(*byte).to_digit(16)) {
            match self.half.take() {
                Some(high) => self.picture.push(high << 4 | digit as u8),
                None => self.half = Some(digit as u8),
            }
        }
    }

    /// Ends a paragraph.
    pub fn end_paragraph(&mut self, place: Place) {
        match place {
            Place::Body if self.in_table => self.text.push('\n'),
            Place::Body => {
                self.end_table();
                self.write_paragraph();
            }
            Place::Note => self.note.push(' '),
            Place::Running(footer) => {
                let line = one_line(&std::mem::take(&mut self.line));
                let lines = &mut self.running[usize::from(footer)];
                if line.chars().any(char::is_alphabetic) && !lines.contains(&line) {
                    lines.push(line);
                }
            }
            _ => {}
        }
    }

    fn write_paragraph(&mut self) {
        let (text, label) = (std::mem::take(&mut self.text), one_line(&std::mem::take(&mut self.label)));
        let styled = self.styles.get(&self.style);
        let named = styled.and_then(|(name, _)| name.strip_prefix("heading ")?.trim().parse::<i32>().ok());
        let outline = self.outline.or(styled.and_then(|(_, outline)| *outline)).map(|level| level + 1);
        let level = outline.or(named).filter(|level| (1..=9).contains(level));
        let title = styled.is_some_and(|(name, _)| name == "title");
        let out = &mut self.content.out;
        if title {
            self.content.title.get_or_insert_with(|| one_line(&text));
            out.heading(1, &text);
        } else if let Some(level) = level {
            let words = if label.is_empty() { text } else { format!("{label} {text}") };
            out.heading(level as usize, &words);
        } else if label.is_empty() {
            out.paragraph(&text);
        } else {
            // A label without letters or digits is a bullet.
            let bullet = !label.chars().any(char::is_alphanumeric) || label.chars().count() == 1;
            out.item(self.level, (!bullet).then_some(label.as_str()), &text);
        }
        self.write_notes();
    }

    fn write_notes(&mut self) {
        for note in std::mem::take(&mut self.notes) {
            self.content.out.paragraph(&note);
        }
    }

    /// Ends a cell.
    pub fn end_cell(&mut self) {
        let label = std::mem::take(&mut self.label);
        let text = std::mem::take(&mut self.text);
        let words = if label.trim().is_empty() { text } else { format!("{} {text}", label.trim()) };
        if self.cells.len() < self.reader.limits.max_columns {
            self.cells.push(words.trim().to_owned());
        }
    }

    /// Ends a row: what merged cells cover is filled.
    pub fn end_row(&mut self) -> Result<(), ReadError> {
        let mut row = std::mem::take(&mut self.cells);
        let mut own = 0;
        for at in 0..row.len() {
            let merge = self.merges.get(at).copied().unwrap_or_default();
            if merge.above {
                own += 1;
                row[at] = self.rows.last().and_then(|above| above.get(at)).cloned().unwrap_or_default();
            } else if merge.left && at > 0 {
                row[at] = row[at - 1].clone();
            } else {
                own += 1;
            }
        }
        self.counted += row.len() as u64;
        let limit = self.reader.limits.max_cells;
        if self.counted > limit {
            return Err(too_large(self.path, "the number of cells", self.counted, "max_cells", limit));
        }
        if self.is_header && self.header_rows == self.rows.len() {
            self.header_rows += 1;
        }
        self.lone.push(if own == 1 { row.len() } else { 0 });
        self.rows.push(row);
        Ok(())
    }

    fn end_table(&mut self) {
        if self.rows.is_empty() {
            return;
        }
        let rows = std::mem::take(&mut self.rows);
        let grid = Grid::of(rows, &std::mem::take(&mut self.lone), std::mem::take(&mut self.header_rows));
        self.content.out.table(&grid);
        self.write_notes();
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<Content, ReadError> {
        if !self.cells.is_empty() {
            self.end_row()?;
        }
        self.end_table();
        self.write_paragraph();
        let [headers, footers] = std::mem::take(&mut self.running);
        self.content.note("header", &headers.join("\n"));
        self.content.note("footer", &footers.join("\n"));
        self.content.warnings.extend(self.pictures.warnings());
        Ok(self.content)
    }
}
