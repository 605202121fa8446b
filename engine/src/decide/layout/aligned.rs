//! Tables without lines: rows whose cells share white gaps.

use super::TableBlock;
use super::geometry::{Bounds, around, median};
use super::grid::{header_rows, is_figure};
use super::segments::Segment;

/// Characters beyond which the typical cell is a line of prose: columns, not a table.
const LONG_CELL: f32 = 32.0;
/// Distance of two rows' baselines, in font sizes, beyond which a table ends.
const APART: f32 = 3.2;

/// A table found among the rows `start..end` of a region.
pub(super) struct Found {
    pub start: usize,
    pub end: usize,
    pub table: TableBlock,
}

/// Finds tables in the rows (of segment indices) of a region, from top to bottom.
pub(super) fn tables(segments: &[Segment], rows: &[Vec<usize>], scanned: bool) -> Vec<Found> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < rows.len() {
        let Some((end, gaps)) = run(segments, rows, at) else {
            at += 1;
            continue;
        };
        match table(segments, &rows[at..end], &gaps, scanned) {
            Some(table) => {
                found.push(Found { start: at, end, table });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// Grows a run of rows from `start` while a common gap remains; returns its end and gaps.
fn run(segments: &[Segment], rows: &[Vec<usize>], start: usize) -> Option<(usize, Vec<(f32, f32)>)> {
    if !splittable(segments, &rows[start]) {
        return None;
    }
    let mut gaps = gaps_of(segments, &rows[start]);
    let (mut end, mut kept) = (start + 1, None);
    while let Some(row) = rows.get(end) {
        if row.iter().any(|index| segments[*index].block.is_some()) || too_far(segments, &rows[end - 1], row)
        {
            break;
        }
        let size = row.iter().map(|index| segments[*index].size).fold(0.0, f32::max);
        let rest = intersect(&gaps, &open_space(segments, row), 0.6 * size);
        // A gap that only the margins remain of separates nothing.
        if !separates(segments, row, &rest) && !separates(segments, &rows[start], &rest) {
            break;
        }
        if rest.len() < gaps.len() && end - start >= 3 && rest.len() * 2 <= gaps.len() {
            break;
        }
        gaps = rest;
        end += 1;
        if row.len() >= 2 {
            kept = Some((end, gaps.clone()));
        }
    }
    kept.filter(|(end, _)| end - start >= 3)
}

fn splittable(segments: &[Segment], row: &[usize]) -> bool {
    row.len() >= 2 && row.iter().all(|index| segments[*index].block.is_none())
}

fn too_far(segments: &[Segment], above: &[usize], below: &[usize]) -> bool {
    let (Some(above), Some(below)) = (above.first(), below.first()) else { return true };
    let (above, below) = (&segments[*above], &segments[*below]);
    below.baseline - above.baseline > APART * above.size.max(below.size)
}

/// White space between the segments of a row.
fn gaps_of(segments: &[Segment], row: &[usize]) -> Vec<(f32, f32)> {
    row.windows(2)
        .map(|pair| (segments[pair[0]].bounds.right, segments[pair[1]].bounds.left))
        .filter(|(left, right)| right > left)
        .collect()
}

/// White space of a row, its margins included.
fn open_space(segments: &[Segment], row: &[usize]) -> Vec<(f32, f32)> {
    let mut open = Vec::with_capacity(row.len() + 1);
    let mut at = f32::MIN;
    for index in row {
        let bounds = &segments[*index].bounds;
        if bounds.left > at {
            open.push((at, bounds.left));
        }
        at = at.max(bounds.right);
    }
    open.push((at, f32::MAX));
    open
}

fn intersect(left: &[(f32, f32)], right: &[(f32, f32)], least: f32) -> Vec<(f32, f32)> {
    let mut common = Vec::new();
    for (start, end) in left {
        for (other_start, other_end) in right {
            let (from, to) = (start.max(*other_start), end.min(*other_end));
            if to - from >= least {
                common.push((from, to));
            }
        }
    }
    common
}

/// Says whether a row has something on both sides of one of the gaps.
fn separates(segments: &[Segment], row: &[usize], gaps: &[(f32, f32)]) -> bool {
    gaps.iter().any(|(from, to)| {
        row.iter().any(|index| segments[*index].bounds.right <= *from + 0.01)
            && row.iter().any(|index| segments[*index].bounds.left >= *to - 0.01)
    })
}

/// Makes a table of a run, unless it is prose in columns, a list or a table of contents.
fn table(
    segments: &[Segment],
    rows: &[Vec<usize>],
    gaps: &[(f32, f32)],
    scanned: bool,
) -> Option<TableBlock> {
    let cuts: Vec<f32> = gaps.iter().map(|(from, to)| f32::midpoint(*from, *to)).collect();
    let columns = cuts.len() + 1;
    let mut cells: Vec<Vec<String>> = Vec::with_capacity(rows.len());
    let mut boxes: Vec<Bounds> = Vec::with_capacity(rows.len());
    for row in rows {
        let mut line = vec![String::new(); columns];
        for index in row {
            let segment = &segments[*index];
            let column = cuts.iter().filter(|cut| segment.bounds.middle_x() > **cut).count();
            if !line[column].is_empty() {
                line[column].push(' ');
            }
            line[column].push_str(&segment.text);
        }
        boxes.push(around(row.iter().map(|index| &segments[*index].bounds)).unwrap_or_default());
        cells.push(line);
    }
    if !plausible(&cells, scanned) {
        return None;
    }
    let cells = join_wrapped(cells, &boxes);
    let header_rows = header_rows(&cells);
    (cells.len() >= 2).then_some(TableBlock { rows: cells, header_rows })
}

fn plausible(cells: &[Vec<String>], scanned: bool) -> bool {
    let columns = cells[0].len();
    let filled: Vec<&String> = cells.iter().flatten().filter(|cell| !cell.is_empty()).collect();
    if filled.is_empty() || filled.iter().any(|cell| cell.contains("....") || cell.contains(". . . ")) {
        return false;
    }
    // Numbered or bulleted lists have a marker as first column.
    let marker = |cell: &str| {
        let core = cell.trim_end_matches(['.', ')']);
        matches!(core, "•" | "-" | "–" | "*" | "▪" | "o" | "·" | "●")
            || cell.len() > core.len() && core.chars().count() <= 3
    };
    if columns == 2
        && cells.iter().filter(|row| marker(&row[0]) || row[0].is_empty()).count() * 10 >= cells.len() * 8
    {
        return false;
    }
    let typical = median(filled.iter().map(|cell| cell.chars().count() as f32).collect());
    let figures = filled.iter().filter(|cell| is_figure(cell)).count();
    let full = filled.len() as f32 / (cells.len() * columns) as f32;
    if typical > LONG_CELL || full < 0.4 {
        return false;
    }
    // OCR gives ragged lines; only what is plainly tabular counts. Two columns of words may be
    // anything (labels of a form, a signature block): figures make the difference.
    if scanned {
        return columns >= 3 && figures * 4 >= filled.len() && full >= 0.6;
    }
    columns >= 3 || figures * 4 >= filled.len() || typical <= 24.0 && full >= 0.8
}

/// Joins a row that only continues cells of the row above: no first cell, no figure, set tighter.
fn join_wrapped(cells: Vec<Vec<String>>, boxes: &[Bounds]) -> Vec<Vec<String>> {
    let steps: Vec<f32> = boxes.windows(2).map(|pair| pair[1].bottom - pair[0].bottom).collect();
    let usual = median(steps.clone());
    let mut joined: Vec<Vec<String>> = Vec::with_capacity(cells.len());
    for (index, row) in cells.into_iter().enumerate() {
        let wraps = index > 1
            && row[0].is_empty()
            && row.iter().filter(|cell| !cell.is_empty()).count() * 2 <= row.len()
            && row.iter().all(|cell| cell.is_empty() || !is_figure(cell))
            && steps[index - 1] <= usual * 1.05;
        match joined.last_mut() {
            Some(above) if wraps => {
                for (cell, more) in above.iter_mut().zip(row).filter(|(_, more)| !more.is_empty()) {
                    if !cell.is_empty() {
                        cell.push(' ');
                    }
                    cell.push_str(&more);
                }
            }
            _ => joined.push(row),
        }
    }
    joined
}
