//! Tables of a Word document as grids: merged cells filled, deleted rows left out.

use roxmltree::Node;

use super::super::super::ReadError;
use super::super::super::markup::Grid;
use super::super::xml::Element;
use super::Walker;
use super::inline::Note;

/// A table and what hangs on its cells.
pub(super) struct Found<'a, 'input> {
    /// Its cells.
    pub grid: Grid,
    /// Notes referred to from it.
    pub notes: Vec<Note<'a>>,
    /// Tables inside its cells that are tables of their own.
    pub nested: Vec<Node<'a, 'input>>,
    /// Text boxes and drawings of its cells.
    pub boxes: Vec<Node<'a, 'input>>,
    /// Drawings of its cells.
    pub drawings: Vec<Node<'a, 'input>>,
}

/// Returns the rows of a table, through content controls and revisions.
pub(super) fn rows<'a, 'input>(table: Node<'a, 'input>, name: &str, into: &mut Vec<Node<'a, 'input>>) {
    for child in table.elements() {
        match child.name() {
            found if found == name => into.push(child),
            "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => rows(child, name, into),
            _ => {}
        }
    }
}

/// Says whether a table only lays out the page: one cell, or one column with more than words.
pub(super) fn is_layout(table: Node<'_, '_>) -> bool {
    let mut found = Vec::new();
    rows(table, "tr", &mut found);
    let cells =
        |row: &Node<'_, '_>| row.elements().filter(|cell| matches!(cell.name(), "tc" | "sdt")).count();
    let single = found.iter().all(|row| cells(row) <= 1);
    let holds = |name: &str| found.iter().any(|row| row.descendants().any(|inner| inner.name() == name));
    single && (found.len() == 1 || holds("tbl") || holds("numPr"))
}

/// A cell before it is placed.
struct Cell {
    text: String,
    span: usize,
    /// It continues the cell above.
    continued: bool,
}

impl<'a, 'input> Walker<'a, 'input, '_, '_> {
    /// Reads a table.
    pub(super) fn grid(&mut self, table: Node<'a, 'input>) -> Result<Found<'a, 'input>, ReadError> {
        let mut found = Found {
            grid: Grid::default(),
            notes: Vec::new(),
            nested: Vec::new(),
            boxes: Vec::new(),
            drawings: Vec::new(),
        };
        let most = self.package.limits.max_columns.max(1);
        let mut parts = Vec::new();
        rows(table, "tr", &mut parts);
        let (mut placed, mut spans, mut header_rows, mut in_header) = (Vec::new(), Vec::new(), 0, true);
        for row in parts {
            let settings = row.child("trPr");
            let says = |name: &str| settings.and_then(|settings| settings.switch(name)).unwrap_or(false);
            if settings.is_some_and(|settings| settings.child("del").is_some()) || says("hidden") {
                continue;
            }
            let skipped = settings.and_then(|settings| settings.child("gridBefore"));
            let skipped = skipped.map_or(0, |skipped| skipped.count("val", most));
            let mut cells = vec![Cell { text: String::new(), span: skipped, continued: false }];
            cells.retain(|cell| cell.span > 0);
            let mut own = Vec::new();
            rows(row, "tc", &mut own);
            for cell in own {
                cells.push(self.cell(cell, most, &mut found)?);
            }
            in_header &= says("tblHeader");
            header_rows += usize::from(in_header);
            let (row, wide) = place(&cells, placed.last(), most);
            self.cells += row.len() as u64;
            self.check_cells()?;
            placed.push(row);
            spans.push(wide);
        }
        found.grid = Grid::of(placed, &spans, header_rows);
        Ok(found)
    }

    fn cell(
        &mut self,
        cell: Node<'a, 'input>,
        most: usize,
        found: &mut Found<'a, 'input>,
    ) -> Result<Cell, ReadError> {
        let settings = cell.child("tcPr");
        let span = settings.and_then(|settings| settings.child("gridSpan"));
        let merge = settings.and_then(|settings| settings.child("vMerge"));
        let continued = merge.is_some_and(|merge| merge.attr("val") != Some("restart"));
        let mut words = Vec::new();
        self.cell_words(cell, &mut words, found)?;
        let text = words.join("\n");
        Ok(Cell { text, span: span.map_or(1, |span| span.count("val", most)), continued })
    }

    fn cell_words(
        &mut self,
        holder: Node<'a, 'input>,
        words: &mut Vec<String>,
        found: &mut Found<'a, 'input>,
    ) -> Result<(), ReadError> {
        for child in holder.elements() {
            match child.name() {
                "p" => {
                    let mut inline = self.inline(child);
                    let label = self.label(child).filter(|label| !label.is_empty());
                    let text = inline.text.trim();
                    if !text.is_empty() {
                        words.push(label.map_or_else(|| text.to_owned(), |label| format!("{label} {text}")));
                    }
                    found.notes.append(&mut inline.notes);
                    found.boxes.append(&mut inline.boxes);
                    found.drawings.append(&mut inline.drawings);
                }
                "tbl" if self.is_own_table(child) => found.nested.push(child),
                "tbl" => {
                    let mut inner = self.grid(child)?;
                    let rows = inner.grid.rows.iter().map(|row| row.join(" "));
                    words.extend(rows.filter(|row| !row.trim().is_empty()));
                    found.notes.append(&mut inner.notes);
                    found.nested.append(&mut inner.nested);
                    found.boxes.append(&mut inner.boxes);
                    found.drawings.append(&mut inner.drawings);
                }
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => {
                    self.cell_words(child, words, found)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A table in a cell is one of its own from two columns and two rows.
    fn is_own_table(&self, table: Node<'_, '_>) -> bool {
        let mut found = Vec::new();
        rows(table, "tr", &mut found);
        let wide = found.iter().filter(|row| row.elements().filter(|cell| cell.name() == "tc").count() > 1);
        wide.count() > 1
    }
}

/// Places the cells of a row in columns: a wide cell fills all of them, a continued one takes the
/// text of the row above. Returns the row and the width of its cell if it has only one.
fn place(cells: &[Cell], above: Option<&Vec<String>>, most: usize) -> (Vec<String>, usize) {
    let mut row: Vec<String> = Vec::new();
    for cell in cells {
        for _ in 0..cell.span {
            if row.len() >= most {
                break;
            }
            let over = above.and_then(|above| above.get(row.len())).filter(|_| cell.continued);
            row.push(over.cloned().unwrap_or_else(|| cell.text.clone()));
        }
    }
    let lone = if cells.len() == 1 && cells[0].span > 1 { row.len() } else { 0 };
    (row, lone)
}
