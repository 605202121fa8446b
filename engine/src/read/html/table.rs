//! Tables of a page as grids.

use super::super::ReadError;
use super::super::error::too_large;
use super::super::markup::{Grid, one_line};
use super::dom::{Dom, Id};
use super::{Page, is_unread};

/// Widest cell that HTML knows.
const WIDEST: usize = 1000;
/// Tallest cell that HTML knows.
const TALLEST: usize = 65_534;

impl Page<'_> {
    /// Writes a table, or the cells of one that only lays out the page.
    pub(super) fn table(&mut self, id: Id, depth: usize) -> Result<(), ReadError> {
        self.flush();
        let dom = self.dom;
        let role = dom.attribute(id, "role");
        let nested = dom.descendants(id).skip(1).any(|inner| {
            matches!(dom.name(inner), "table" | "h1" | "h2" | "h3" | "h4" | "ul" | "ol" | "pre")
        });
        let rows = rows_of(dom, id);
        let cells = rows.iter().map(|(row, _)| cells_of(dom, *row).count()).max().unwrap_or(0);
        if matches!(role, Some("presentation" | "none")) || nested || (cells < 2 && rows.len() < 2) {
            return self.laid_out(&rows, id, depth);
        }
        let mut grid = self.grid(&rows, depth)?;
        let caption = dom.children(id).iter().copied().find(|child| dom.name(*child) == "caption");
        let words = caption.map(|caption| self.inside(caption, depth)).transpose()?;
        let words = words.map(|words| one_line(&words)).filter(|words| !words.is_empty());
        grid.caption = words.or(grid.caption);
        let item = self.item.take();
        self.out().table(&grid);
        self.item = item;
        Ok(())
    }

    fn laid_out(&mut self, rows: &[(Id, bool)], id: Id, depth: usize) -> Result<(), ReadError> {
        let dom = self.dom;
        for child in dom.children(id).iter().filter(|child| dom.name(**child) == "caption") {
            self.walk(*child, depth + 1)?;
            self.flush();
        }
        for (row, _) in rows {
            for cell in cells_of(dom, *row).collect::<Vec<_>>() {
                self.part();
                self.children(cell, depth + 1)?;
                self.part();
            }
        }
        Ok(())
    }

    fn grid(&mut self, rows: &[(Id, bool)], depth: usize) -> Result<Grid, ReadError> {
        let dom = self.dom;
        let most = self.reader.limits.max_columns.clamp(1, 100_000);
        let (mut filled, mut lone): (Vec<Vec<String>>, Vec<usize>) = (Vec::new(), Vec::new());
        // What cells above still cover: rows left and text, by column.
        let mut covered: Vec<(usize, String)> = Vec::new();
        let (mut header_rows, mut in_header) = (0, true);
        for (row, in_head) in rows {
            let (mut line, mut own, mut heads): (Vec<String>, usize, usize) = (Vec::new(), 0, 0);
            let cells: Vec<Id> = cells_of(dom, *row).collect();
            for cell in &cells {
                own += take_covered(&mut line, &mut covered);
                let words = self.inside(*cell, depth)?;
                let span = |name: &str, most: usize| {
                    let count =
                        dom.attribute(*cell, name).and_then(|count| count.trim().parse::<usize>().ok());
                    count.map_or(1, |count| if count == 0 { most } else { count.min(most) })
                };
                let (wide, tall) = (span("colspan", WIDEST).min(most), span("rowspan", TALLEST));
                for _ in 0..wide.min(most - line.len().min(most)) {
                    if covered.len() <= line.len() {
                        covered.resize(line.len() + 1, (0, String::new()));
                    }
                    covered[line.len()] = (tall - 1, words.clone());
                    line.push(words.clone());
                }
                own += 1;
                heads += usize::from(dom.name(*cell) == "th");
            }
            own += take_covered(&mut line, &mut covered);
            self.count(line.len())?;
            in_header &= *in_head || (!cells.is_empty() && heads == cells.len());
            header_rows += usize::from(in_header);
            lone.push(if own == 1 { line.len() } else { 0 });
            filled.push(line);
        }
        // Only heads, all the way down: a list of names under one row of names.
        if header_rows == filled.len() {
            header_rows = 1;
        }
        Ok(Grid::of(filled, &lone, header_rows))
    }

    fn count(&mut self, cells: usize) -> Result<(), ReadError> {
        self.cells += cells as u64;
        let limit = self.reader.limits.max_cells;
        if self.cells > limit {
            return Err(too_large(self.path, "the number of cells", self.cells, "max_cells", limit));
        }
        Ok(())
    }
}

/// Fills the columns that cells above cover; returns how many.
fn take_covered(line: &mut Vec<String>, covered: &mut [(usize, String)]) -> usize {
    let before = line.len();
    while let Some((left, words)) = covered.get_mut(line.len()).filter(|(left, _)| *left > 0) {
        *left -= 1;
        line.push(words.clone());
    }
    line.len() - before
}

/// Rows of a table and whether they are in its head, without those of tables inside.
fn rows_of(dom: &Dom, table: Id) -> Vec<(Id, bool)> {
    let mut rows = Vec::new();
    for part in dom.children(table).iter().copied().filter(|part| !is_unread(dom, *part)) {
        match dom.name(part) {
            "tr" => rows.push((part, false)),
            "thead" | "tbody" | "tfoot" => {
                let head = dom.name(part) == "thead";
                let own = dom.children(part).iter().copied();
                rows.extend(
                    own.filter(|row| dom.name(*row) == "tr" && !is_unread(dom, *row)).map(|row| (row, head)),
                );
            }
            _ => {}
        }
    }
    rows
}

fn cells_of(dom: &Dom, row: Id) -> impl Iterator<Item = Id> {
    dom.children(row)
        .iter()
        .copied()
        .filter(|cell| matches!(dom.name(*cell), "td" | "th") && !is_unread(dom, *cell))
}
