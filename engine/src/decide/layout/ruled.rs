//! Tables with lines: the grid that crossing rules draw, and the words in its cells.

use super::TableBlock;
use super::geometry::Bounds;
use super::grid::header_rows;
use super::segments::rows_of;
use super::words::Word;

/// Distance within which rules touch, in points.
const TOUCH: f32 = 3.0;
/// Rules looked at per page: a drawing of thousands of lines is no table.
const MOST_RULES: usize = 4000;
/// Cells of one table.
const MOST_CELLS: usize = 20_000;

/// A table with its place.
pub(super) struct Found {
    pub bounds: Bounds,
    pub table: TableBlock,
}

/// Finds ruled tables; returns them and the words that are in none of them.
pub(super) fn tables(words: &[Word], rules: &[Bounds]) -> (Vec<Found>, Vec<Word>) {
    if rules.len() > MOST_RULES || rules.len() < 4 {
        return (Vec::new(), words.to_vec());
    }
    let horizontal =
        merged(rules.iter().filter(|rule| rule.width() >= rule.height() && rule.width() > 6.0), false);
    let vertical =
        merged(rules.iter().filter(|rule| rule.height() > rule.width() && rule.height() > 4.0), true);
    let mut free = words.to_vec();
    let mut found = Vec::new();
    for (across, down) in components(&horizontal, &vertical) {
        let Some(grid) = Grid::new(&across, &down) else { continue };
        let bounds = grid.bounds();
        let (inside, outside): (Vec<Word>, Vec<Word>) = free
            .iter()
            .cloned()
            .partition(|word| bounds.contains(word.bounds.middle_x(), word.bounds.middle_y()));
        if let Some(table) = grid.table(&inside) {
            found.push(Found { bounds, table });
            free = outside;
        }
    }
    (found, free)
}

/// Joins collinear rules that touch, so that a line drawn cell by cell is one.
fn merged<'a>(rules: impl Iterator<Item = &'a Bounds>, vertical: bool) -> Vec<Bounds> {
    let flip = |rule: &Bounds| {
        if vertical { Bounds::new(rule.top, rule.left, rule.bottom, rule.right) } else { *rule }
    };
    let mut all: Vec<Bounds> = rules.map(flip).collect();
    all.sort_by(|left, right| {
        (left.middle_y().round(), left.left)
            .partial_cmp(&(right.middle_y().round(), right.left))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut joined: Vec<Bounds> = Vec::new();
    for rule in all {
        let same = joined.iter_mut().rev().take(16).find(|open| {
            (open.middle_y() - rule.middle_y()).abs() < TOUCH * 0.5
                && rule.left <= open.right + TOUCH
                && rule.right >= open.left - TOUCH
        });
        match same {
            Some(open) => *open = open.union(&rule),
            None => joined.push(rule),
        }
    }
    joined.iter().map(flip).collect()
}

/// Groups rules that touch each other; only groups with both directions are returned.
fn components(horizontal: &[Bounds], vertical: &[Bounds]) -> Vec<(Vec<Bounds>, Vec<Bounds>)> {
    let mut group: Vec<usize> = (0..horizontal.len() + vertical.len()).collect();
    fn root(group: &mut [usize], mut at: usize) -> usize {
        while group[at] != at {
            group[at] = group[group[at]];
            at = group[at];
        }
        at
    }
    for (index, across) in horizontal.iter().enumerate() {
        for (other, down) in vertical.iter().enumerate() {
            if across.overlap_x(down) > -TOUCH && across.overlap_y(down) > -TOUCH {
                let (left, right) = (root(&mut group, index), root(&mut group, horizontal.len() + other));
                group[left] = right;
            }
        }
    }
    let mut found = std::collections::BTreeMap::<usize, (Vec<Bounds>, Vec<Bounds>)>::new();
    for (index, rule) in horizontal.iter().enumerate() {
        found.entry(root(&mut group, index)).or_default().0.push(*rule);
    }
    for (index, rule) in vertical.iter().enumerate() {
        found.entry(root(&mut group, horizontal.len() + index)).or_default().1.push(*rule);
    }
    found.into_values().filter(|(across, down)| across.len() >= 2 && !down.is_empty()).collect()
}

/// Lines of a grid and which of its inner edges are drawn.
struct Grid {
    xs: Vec<f32>,
    ys: Vec<f32>,
    across: Vec<Bounds>,
    down: Vec<Bounds>,
}

impl Grid {
    fn new(across: &[Bounds], down: &[Bounds]) -> Option<Self> {
        let mut xs = clustered(down.iter().map(Bounds::middle_x).collect());
        let ys = clustered(across.iter().map(Bounds::middle_y).collect());
        // Tables open at the sides: the horizontal lines go further than the outermost verticals.
        let left = across.iter().map(|rule| rule.left).fold(f32::MAX, f32::min);
        let right = across.iter().map(|rule| rule.right).fold(f32::MIN, f32::max);
        if xs.first().is_some_and(|first| first - left > 12.0) {
            xs.insert(0, left);
        }
        if xs.last().is_some_and(|last| right - last > 12.0) {
            xs.push(right);
        }
        let (columns, rows) = (xs.len().saturating_sub(1), ys.len().saturating_sub(1));
        (columns >= 2 && rows >= 1 && columns * rows <= MOST_CELLS).then(|| Self {
            xs,
            ys,
            across: across.to_vec(),
            down: down.to_vec(),
        })
    }

    fn columns(&self) -> usize {
        self.xs.len() - 1
    }

    fn rows(&self) -> usize {
        self.ys.len() - 1
    }

    fn bounds(&self) -> Bounds {
        Bounds::new(self.xs[0], self.ys[0], self.xs[self.columns()], self.ys[self.rows()])
    }

    /// Whether a line is drawn between a cell and the one to its right.
    fn closed_right(&self, row: usize, column: usize) -> bool {
        let (x, y) = (self.xs[column + 1], f32::midpoint(self.ys[row], self.ys[row + 1]));
        self.down.iter().any(|rule| (rule.middle_x() - x).abs() <= TOUCH && rule.top <= y && rule.bottom >= y)
    }

    /// Whether a line is drawn between a cell and the one below it.
    fn closed_below(&self, row: usize, column: usize) -> bool {
        let (x, y) = (f32::midpoint(self.xs[column], self.xs[column + 1]), self.ys[row + 1]);
        self.across
            .iter()
            .any(|rule| (rule.middle_y() - y).abs() <= TOUCH && rule.left <= x && rule.right >= x)
    }

    /// For each cell the first cell (row by row) of the merged cell it belongs to.
    fn owners(&self) -> Vec<usize> {
        let columns = self.columns();
        let mut owner: Vec<usize> = (0..columns * self.rows()).collect();
        for row in 0..self.rows() {
            for column in 0..columns {
                let here = row * columns + column;
                if column > 0 && !self.closed_right(row, column - 1) {
                    owner[here] = owner[here].min(owner[here - 1]);
                }
                if row > 0 && !self.closed_below(row - 1, column) {
                    owner[here] = owner[here].min(owner[here - columns]);
                }
            }
        }
        owner
    }

    fn table(&self, words: &[Word]) -> Option<TableBlock> {
        let (columns, owner) = (self.columns(), self.owners());
        let mut inside: Vec<Vec<&Word>> = vec![Vec::new(); owner.len()];
        for word in words {
            let column = self.xs[1..columns].iter().filter(|x| word.bounds.middle_x() > **x).count();
            let row = self.ys[1..self.rows()].iter().filter(|y| word.bounds.middle_y() > **y).count();
            inside[owner[row * columns + column]].push(word);
        }
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in 0..self.rows() {
            let cells: Vec<usize> = (0..columns).map(|column| row * columns + column).collect();
            match self.inner_rows(&cells, &owner, &inside) {
                Some(lines) => rows.extend(lines),
                None => rows.push(cells.iter().map(|cell| self.cell(*cell, row, &owner, &inside)).collect()),
            }
        }
        finish(rows)
    }

    /// Text of a cell. A merged cell says its text in each of its rows, and, in the first row of
    /// the table (a heading over several columns), in each of its columns.
    fn cell(&self, cell: usize, row: usize, owner: &[usize], inside: &[Vec<&Word>]) -> String {
        let own = owner[cell];
        let (column, first_column) = (cell % self.columns(), own % self.columns());
        if row > 0 && column != first_column && own / self.columns() == row {
            return String::new();
        }
        text(&inside[own])
    }

    /// Splits a row of cells that in truth holds several rows of text (only the columns are ruled).
    fn inner_rows(
        &self,
        cells: &[usize],
        owner: &[usize],
        inside: &[Vec<&Word>],
    ) -> Option<Vec<Vec<String>>> {
        if cells.iter().any(|cell| owner[*cell] != *cell) {
            return None;
        }
        let words: Vec<(usize, &Word)> = cells
            .iter()
            .enumerate()
            .flat_map(|(column, cell)| inside[*cell].iter().map(move |word| (column, *word)))
            .collect();
        let lines = rows_of(words.len(), |at| (words[at].1.baseline, words[at].1.size, words[at].1.bounds));
        let filled = |line: &Vec<usize>| {
            let mut columns: Vec<usize> = line.iter().map(|at| words[*at].0).collect();
            columns.dedup();
            columns.len()
        };
        let full = lines.iter().filter(|line| filled(line) * 4 >= cells.len() * 3).count();
        if lines.len() < 3 || full * 10 < lines.len() * 9 {
            return None;
        }
        let line_cells = |line: &Vec<usize>| -> Vec<String> {
            (0..cells.len())
                .map(|column| {
                    let own: Vec<&str> = line
                        .iter()
                        .filter(|at| words[**at].0 == column)
                        .map(|at| words[*at].1.text.as_str())
                        .collect();
                    own.join(" ")
                })
                .collect()
        };
        Some(lines.iter().map(line_cells).collect())
    }
}

/// Drops empty rows and columns; refuses what is no table after that.
fn finish(rows: Vec<Vec<String>>) -> Option<TableBlock> {
    let columns = rows.first()?.len();
    let used: Vec<usize> =
        (0..columns).filter(|column| rows.iter().any(|row| !row[*column].is_empty())).collect();
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .filter(|row| row.iter().any(|cell| !cell.is_empty()))
        .map(|row| used.iter().map(|column| row[*column].clone()).collect())
        .collect();
    let filled = rows.iter().flatten().filter(|cell| !cell.is_empty()).count();
    if used.len() < 2 || rows.len() < 2 || filled * 10 < used.len() * rows.len() * 3 {
        return None;
    }
    let header_rows = header_rows(&rows);
    Some(TableBlock { rows, header_rows })
}

/// Text of a cell: its lines joined by spaces.
fn text(words: &[&Word]) -> String {
    let rows = rows_of(words.len(), |at| (words[at].baseline, words[at].size, words[at].bounds));
    let lines: Vec<String> = rows
        .into_iter()
        .map(|row| {
            let mut line = String::new();
            let mut right = f32::MIN;
            for at in row {
                let word = words[at];
                if !line.is_empty() && word.bounds.left - right > 0.12 * word.size {
                    line.push(' ');
                }
                line.push_str(&word.text);
                right = word.bounds.right;
            }
            line
        })
        .collect();
    lines.join(" ")
}

fn clustered(mut values: Vec<f32>) -> Vec<f32> {
    values.sort_by(f32::total_cmp);
    let mut found: Vec<f32> = Vec::new();
    for value in values {
        if found.last().is_none_or(|last| value - last > TOUCH) {
            found.push(value);
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::words::line_words;
    use super::*;

    fn word(text: &str, x: f32, y: f32) -> Vec<Word> {
        line_words(text, Bounds::new(x, y, x + 5.0 * text.chars().count() as f32, y + 10.0))
    }

    /// A grid of 60 x 20 cells.
    fn lines(columns: usize, rows: usize) -> Vec<Bounds> {
        let (width, height) = (60.0 * columns as f32, 20.0 * rows as f32);
        let mut rules = Vec::new();
        for row in 0..=rows {
            rules.push(Bounds::new(0.0, 20.0 * row as f32, width, 20.0 * row as f32 + 0.5));
        }
        for column in 0..=columns {
            rules.push(Bounds::new(60.0 * column as f32, 0.0, 60.0 * column as f32 + 0.5, height));
        }
        rules
    }

    fn fill(cells: &[(&str, usize, usize)]) -> Vec<Word> {
        cells
            .iter()
            .flat_map(|(text, column, row)| word(text, 60.0 * *column as f32 + 4.0, 20.0 * *row as f32 + 5.0))
            .collect()
    }

    #[test]
    fn words_go_to_the_cells_they_stand_in() {
        let mut words = fill(&[("Mês", 0, 0), ("Valor", 1, 0), ("Jan", 0, 1), ("10,5", 1, 1)]);
        words.extend(word("fora", 300.0, 5.0));
        let (found, rest) = tables(&words, &lines(2, 2));
        assert_eq!(found[0].table.rows, [["Mês", "Valor"], ["Jan", "10,5"]]);
        assert_eq!(found[0].table.header_rows, 1);
        assert_eq!(rest.len(), 1);
    }

    #[test]
    fn a_merged_cell_says_its_text_in_every_row() {
        let words = fill(&[("Região", 0, 0), ("Valor", 1, 0), ("Norte", 0, 1), ("10", 1, 1), ("20", 1, 2)]);
        let mut rules = lines(2, 3);
        // No line between the second and third cell of the first column.
        rules[2] = Bounds::new(60.0, 40.0, 120.0, 40.5);
        let (found, _) = tables(&words, &rules);
        assert_eq!(found[0].table.rows, [["Região", "Valor"], ["Norte", "10"], ["Norte", "20"]]);
    }

    #[test]
    fn a_frame_is_no_table() {
        let words = fill(&[("texto", 0, 0), ("em", 0, 1), ("quadro", 0, 2)]);
        let frame = [
            Bounds::new(0.0, 0.0, 200.0, 0.5),
            Bounds::new(0.0, 90.0, 200.0, 90.5),
            Bounds::new(0.0, 0.0, 0.5, 90.0),
            Bounds::new(200.0, 0.0, 200.5, 90.0),
        ];
        let (found, rest) = tables(&words, &frame);
        assert!(found.is_empty());
        assert_eq!(rest.len(), words.len());
    }

    #[test]
    fn rows_without_lines_between_them_are_told_apart() {
        let mut words = fill(&[("Item", 0, 0), ("Preço", 1, 0)]);
        for (row, (name, price)) in [("a", "1"), ("b", "2"), ("c", "3")].iter().enumerate() {
            let y = 22.0 + 12.0 * row as f32;
            words.extend(word(name, 4.0, y));
            words.extend(word(price, 64.0, y));
        }
        let mut rules = lines(2, 3);
        rules.retain(|rule| rule.height() > 1.0 || rule.top < 21.0 || rule.top > 59.0);
        let (found, _) = tables(&words, &rules);
        assert_eq!(found[0].table.rows, [["Item", "Preço"], ["a", "1"], ["b", "2"], ["c", "3"]]);
    }
}
