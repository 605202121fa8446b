//! A sheet's cells to tables: merged cells filled, headers of several rows joined, tables parted.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{CsvOptions, infer_grid};
use crate::decide::table::Table;

/// What a cell holds.
#[derive(Debug, Clone, PartialEq)]
pub enum CellValue {
    /// A number and the unit of its format (`%`, `R$`); percentages are fractions.
    Number(f64, Option<&'static str>),
    /// Anything else, as text; dates are ISO.
    Text(String),
}

/// A cell that is not empty.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetCell {
    /// 0-based row.
    pub row: u32,
    /// 0-based column.
    pub column: u32,
    /// Its value.
    pub value: CellValue,
}

/// A rectangle of merged cells, 0-based, both corners included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    /// Top row and left column.
    pub start: (u32, u32),
    /// Bottom row and right column.
    pub end: (u32, u32),
}

/// Most cells that filling merged ranges may add.
const MOST_FILLED: usize = 1_000_000;

/// Most cells looked at to decide about merged ranges.
const MOST_LOOKED_AT: usize = 100_000_000;

/// Most header rows joined to one.
const MOST_HEADER_ROWS: u32 = 8;

/// Finds the tables of one sheet. Locations count rows from 1, as people see them.
pub fn infer_sheet(mut cells: Vec<SheetCell>, merges: &[Merge], options: &CsvOptions) -> Vec<Table> {
    cells.sort_by_key(|cell| (cell.row, cell.column));
    cells.dedup_by_key(|cell| (cell.row, cell.column));
    fill_merges(&mut cells, merges);
    let mut tables = Vec::new();
    for region in regions(&cells) {
        let mut grid = Grid::build(&cells, &region);
        grid.join_header_rows(merges, &region);
        let found = infer_grid(&grid.rows, &grid.lines, options);
        let parted = region.parted.then(|| column_span(&region.columns));
        tables.extend(found.into_iter().map(|mut table| {
            if let Some(columns) = &parted {
                table.info.location += &format!(", columns {columns}");
            }
            table
        }));
    }
    tables
}

/// Gives every cell of a merged range the value of its corner.
///
/// A range alone in its row is a title, and one that covers another value is not sound: both
/// are left as they are.
fn fill_merges(cells: &mut Vec<SheetCell>, merges: &[Merge]) {
    let Some(last_row) = cells.last().map(|cell| cell.row) else { return };
    let last_column = cells.iter().map(|cell| cell.column).max().unwrap_or(0);
    let mut added = Vec::new();
    let mut looked_at = 0;
    for merge in merges {
        let rows = cells.partition_point(|cell| cell.row < merge.start.0)
            ..cells.partition_point(|cell| cell.row <= merge.end.0);
        let columns = merge.start.1..=merge.end.1;
        looked_at += rows.len();
        if looked_at > MOST_LOOKED_AT {
            break;
        }
        let (mut inside, mut outside, mut corner) = (0, 0, None);
        for cell in &cells[rows] {
            if !columns.contains(&cell.column) {
                outside += 1;
            } else {
                inside += 1;
                corner = Some(cell).filter(|cell| (cell.row, cell.column) == merge.start);
            }
        }
        let is_title = outside == 0 && merge.start.0 == merge.end.0;
        let Some(corner) = corner.filter(|_| inside == 1 && !is_title) else { continue };
        for row in merge.start.0..=merge.end.0.min(last_row) {
            for column in merge.start.1..=merge.end.1.min(last_column) {
                if added.len() < MOST_FILLED && (row, column) != merge.start {
                    added.push(SheetCell { row, column, value: corner.value.clone() });
                }
            }
        }
    }
    cells.append(&mut added);
    cells.sort_by_key(|cell| (cell.row, cell.column));
    cells.dedup_by_key(|cell| (cell.row, cell.column));
}

/// Cells that are looked at together.
#[derive(Debug, Clone)]
struct Region {
    /// Ranges of cell indexes, one per run of rows without a blank one between.
    blocks: Vec<Range<usize>>,
    /// Columns, the end excluded.
    columns: Range<u32>,
    /// Another region stands beside it.
    parted: bool,
}

/// Parts a sheet into regions: tables side by side apart, blocks one below the other together.
fn regions(cells: &[SheetCell]) -> Vec<Region> {
    let mut found: Vec<Region> = Vec::new();
    for block in row_blocks(cells) {
        let groups = column_groups(&cells[block.clone()]);
        if let ([columns], Some(last)) = (&groups[..], found.last_mut().filter(|last| !last.parted)) {
            last.columns = last.columns.start.min(columns.start)..last.columns.end.max(columns.end);
            last.blocks.push(block);
            continue;
        }
        let parted = groups.len() > 1;
        found.extend(groups.into_iter().map(|columns| Region {
            blocks: vec![block.clone()],
            columns,
            parted,
        }));
    }
    found
}

/// Returns the runs of cells whose rows follow each other.
fn row_blocks(cells: &[SheetCell]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for index in 1..=cells.len() {
        if index == cells.len() || cells[index].row > cells[index - 1].row + 1 {
            found.push(start..index);
            start = index;
        }
    }
    if cells.is_empty() { Vec::new() } else { found }
}

/// Parts a block at columns that are blank in it, where the sides do not span the same rows.
fn column_groups(block: &[SheetCell]) -> Vec<Range<u32>> {
    // Column to first and last row.
    let mut extents: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for cell in block {
        let extent = extents.entry(cell.column).or_insert((cell.row, cell.row));
        extent.1 = extent.1.max(cell.row);
    }
    let mut groups: Vec<(Range<u32>, (u32, u32))> = Vec::new();
    for (column, rows) in extents {
        match groups.last_mut() {
            Some((columns, extent)) if columns.end == column => {
                columns.end = column + 1;
                *extent = (extent.0.min(rows.0), extent.1.max(rows.1));
            }
            _ => groups.push((column..column + 1, rows)),
        }
    }
    let mut joined: Vec<(Range<u32>, (u32, u32))> = Vec::new();
    for (columns, rows) in groups {
        let narrow = columns.end - columns.start == 1;
        match joined.last_mut() {
            // A blank column inside one table.
            Some((left, extent)) if *extent == rows || narrow && extent.0 == rows.0 => {
                left.end = columns.end;
                extent.1 = extent.1.max(rows.1);
            }
            _ => joined.push((columns, rows)),
        }
    }
    joined.into_iter().map(|(columns, _)| columns).collect()
}

/// Rows of cells as text, blank columns left out; a blank row stands between blocks.
struct Grid {
    rows: Vec<Vec<String>>,
    /// 1-based sheet row of each.
    lines: Vec<u64>,
    /// Sheet columns of the grid's columns.
    columns: Vec<u32>,
}

impl Grid {
    fn build(cells: &[SheetCell], region: &Region) -> Self {
        let inside = |cell: &&SheetCell| region.columns.contains(&cell.column);
        let all = || region.blocks.iter().flat_map(|block| cells[block.clone()].iter()).filter(inside);
        let mut units: BTreeMap<u32, Option<Option<&'static str>>> = BTreeMap::new();
        for cell in all() {
            let unit = units.entry(cell.column).or_insert(None);
            if let CellValue::Number(_, written) = cell.value {
                *unit = Some(unit.map_or(written, |known| known.filter(|known| written == Some(known))));
            }
        }
        let columns: Vec<u32> = units.keys().copied().collect();
        let units: Vec<Option<&'static str>> = units.into_values().map(Option::flatten).collect();
        let (mut rows, mut lines): (Vec<Vec<String>>, Vec<u64>) = (Vec::new(), Vec::new());
        for cell in all() {
            let line = u64::from(cell.row) + 1;
            if lines.last().is_some_and(|last| line > last + 1) {
                lines.push(lines[lines.len() - 1] + 1);
                rows.push(vec![String::new(); columns.len()]);
            }
            if lines.last() != Some(&line) {
                lines.push(line);
                rows.push(vec![String::new(); columns.len()]);
            }
            if let (Ok(at), Some(row)) = (columns.binary_search(&cell.column), rows.last_mut()) {
                row[at] = cell.value.text(units[at]);
            }
        }
        Self { rows, lines, columns }
    }

    /// Joins header rows that merged cells tie together into one row.
    fn join_header_rows(&mut self, merges: &[Merge], region: &Region) {
        let filled = |row: &[String]| row.iter().filter(|cell| !cell.is_empty()).count();
        let Some(top) = self.rows.iter().position(|row| filled(row) > 1) else { return };
        let first = (self.lines[top] - 1) as u32;
        let heads =
            merges.iter().filter(|merge| merge.start.0 == first && region.columns.contains(&merge.start.1));
        let depth = heads
            .map(|merge| merge.end.0 - first + 1 + u32::from(merge.end.1 > merge.start.1))
            .max()
            .unwrap_or(1)
            .min(MOST_HEADER_ROWS) as usize;
        let depth = depth.min(self.rows.len() - top);
        let words =
            |row: &Vec<String>| row.iter().all(|cell| cell.is_empty() || super::layout::is_words(cell));
        let consecutive = self.lines[top + depth - 1] == self.lines[top] + depth as u64 - 1;
        if depth < 2 || !consecutive || !self.rows[top..top + depth].iter().all(words) {
            return;
        }
        let joined = (0..self.columns.len())
            .map(|column| {
                let mut parts: Vec<&str> = Vec::new();
                for row in &self.rows[top..top + depth] {
                    if !row[column].is_empty() && parts.last() != Some(&row[column].as_str()) {
                        parts.push(&row[column]);
                    }
                }
                parts.join(" ")
            })
            .collect();
        self.rows.splice(top..top + depth, [joined]);
        self.lines.drain(top..top + depth - 1);
    }
}

impl CellValue {
    /// Writes the value; `unit` is that of the whole column.
    fn text(&self, unit: Option<&'static str>) -> String {
        match (self, unit) {
            (Self::Text(text), _) => text.clone(),
            (Self::Number(value, _), None) => number_text(*value),
            // Ten decimals hide what the product by a hundred adds in binary.
            (Self::Number(value, _), Some("%")) => {
                let percent = format!("{:.10}", value * 100.0);
                number_text(percent.parse().unwrap_or(value * 100.0)) + "%"
            }
            (Self::Number(value, _), Some(unit)) => number_text(*value) + " " + unit,
        }
    }
}

/// Writes a number so that it cannot be read with a thousands mark: `1.234` as `1.2340`.
fn number_text(value: f64) -> String {
    let mut text = format!("{value}");
    if text.split_once('.').is_some_and(|(_, fraction)| fraction.len() == 3) {
        text.push('0');
    }
    text
}

/// Names columns as spreadsheets do: `B-F`.
fn column_span(columns: &Range<u32>) -> String {
    let (first, last) = (column_letters(columns.start), column_letters(columns.end.saturating_sub(1)));
    if first == last { first } else { format!("{first}-{last}") }
}

/// Returns a column's letters: 0 is `A`, 26 is `AA`.
pub fn column_letters(column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        letters.push(b'A' + ((rest - 1) % 26) as u8);
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().map(|letter| char::from(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(rows: &[&[&str]]) -> Vec<SheetCell> {
        let mut found = Vec::new();
        for (row, cells) in rows.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let value = cell
                    .parse()
                    .map_or_else(|_| CellValue::Text((*cell).into()), |n| CellValue::Number(n, None));
                found.push(SheetCell { row: row as u32, column: column as u32, value });
            }
        }
        found
    }

    type Corners = ((u32, u32), (u32, u32));

    fn check(rows: &[&[&str]], merges: &[Corners], expected: &[(&str, &[&str], u64)]) {
        let merges: Vec<Merge> =
            merges.iter().map(|(start, end)| Merge { start: *start, end: *end }).collect();
        let tables = infer_sheet(cells(rows), &merges, &CsvOptions::default());
        let found: Vec<(&str, Vec<&str>, u64)> = tables
            .iter()
            .map(|table| {
                let names = table.info.columns.iter().map(|column| column.name.as_str()).collect();
                (table.info.location.as_str(), names, table.info.rows)
            })
            .collect();
        let expected: Vec<(&str, Vec<&str>, u64)> =
            expected.iter().map(|(location, names, rows)| (*location, names.to_vec(), *rows)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn t16_tables_below_and_beside_each_other() {
        let below: &[&[&str]] = &[&["a", "b"], &["x", "1"], &[], &["c", "d", "e"], &["y", "2", "3"]];
        check(below, &[], &[("rows 1-2", &["a", "b"], 1), ("rows 4-5", &["c", "d", "e"], 1)]);
        let beside: &[&[&str]] =
            &[&["a", "b", "", "c", "d"], &["x", "1", "", "y", "2"], &["z", "3", "", "", ""]];
        check(
            beside,
            &[],
            &[("rows 1-3, columns A-B", &["a", "b"], 2), ("rows 1-2, columns D-E", &["c", "d"], 1)],
        );
        let spacer: &[&[&str]] = &[&["a", "", "b"], &["x", "", "1"], &["y", "", "2"]];
        check(spacer, &[], &[("rows 1-3", &["a", "b"], 2)]);
    }

    #[test]
    fn t13_t14_merged_cells() {
        let rows: &[&[&str]] = &[&["região", "valor"], &["Norte", "10"], &["", "20"]];
        let tables =
            infer_sheet(cells(rows), &[Merge { start: (1, 0), end: (2, 0) }], &CsvOptions::default());
        use arrow_array::cast::AsArray;
        let regions: Vec<Option<&str>> = tables[0].batches[0].column(0).as_string::<i32>().iter().collect();
        assert_eq!(regions, [Some("Norte"), Some("Norte")]);
        // Without a value; beyond the sheet; from above the header.
        check(rows, &[((5, 5), (9, 9)), ((0, 0), (70_000, 0))], &[("rows 1-3", &["regiao", "valor"], 2)]);
    }

    #[test]
    fn header_rows_tied_by_merged_cells_are_joined() {
        let rows: &[&[&str]] =
            &[&["Relatório"], &["região", "2024", ""], &["", "jan", "fev"], &["Norte", "1", "2"]];
        let mut given = cells(rows);
        given[2].value = CellValue::Text("Ano base".into());
        let merges = [
            Merge { start: (0, 0), end: (0, 2) },
            Merge { start: (1, 0), end: (2, 0) },
            Merge { start: (1, 1), end: (1, 2) },
        ];
        let tables = infer_sheet(given, &merges, &CsvOptions::default());
        let names: Vec<&str> = tables[0].info.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["regiao", "ano_base_jan", "ano_base_fev"]);
        assert_eq!((tables[0].info.rows, tables[0].info.caption.as_deref()), (1, Some("Relatório")));
    }

    #[test]
    fn column_names() {
        assert_eq!(
            ["A", "Z", "AA", "XFD"],
            [0, 25, 26, 16_383].map(column_letters).each_ref().map(String::as_str)
        );
    }
}
