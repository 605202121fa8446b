//! Reading order: columns are found by the white gutters between them.
//!
//! A gutter is a vertical strip that few lines cross. What crosses it (a title, a wide table)
//! cuts the region into bands; each band is read column by column. A region without a gutter is
//! tried again in its horizontal sections, and is else read row by row.

use super::geometry::{Bounds, around};
use super::segments::{Segment, rows_of, typical_size};

/// Narrowest gutter, in font sizes.
const GUTTER: f32 = 0.9;
/// Share of the fullest strip's lines that may cross a gutter.
const CROSSING: f32 = 0.4;
/// Least share of the region's width that a column has.
const NARROWEST: f32 = 0.15;
/// Characters per line from which the lines on both sides are prose rather than cells.
const PROSE_CHARACTERS: f32 = 20.0;
/// Nested columns looked for.
const DEPTH: usize = 6;
/// Strips a region is measured in at most.
const STRIPS: f32 = 2000.0;

/// Orders boxes (lines of OCR) as a person reads them: columns, then rows. Returns the indices.
///
/// `lines` gives bounds and text of each.
pub fn reading_order(lines: &[(Bounds, &str)]) -> Vec<usize> {
    let segments: Vec<Segment> = lines
        .iter()
        .map(|(bounds, text)| Segment {
            text: (*text).to_owned(),
            bounds: *bounds,
            baseline: bounds.bottom,
            size: bounds.height().max(0.5),
            bold: false,
            words: text.split_whitespace().count(),
            block: None,
        })
        .collect();
    regions(&segments)
        .into_iter()
        .flat_map(|region| rows(&segments, &region).into_iter().flatten().collect::<Vec<_>>())
        .collect()
}

/// Splits a page into regions without columns, in reading order.
pub(super) fn regions(segments: &[Segment]) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    split(segments, (0..segments.len()).collect(), DEPTH, &mut found);
    found
}

/// Rows of a region, from top to bottom.
pub(super) fn rows(segments: &[Segment], region: &[usize]) -> Vec<Vec<usize>> {
    rows_of(region.len(), |at| {
        let segment = &segments[region[at]];
        (segment.baseline, segment.size, segment.bounds)
    })
    .into_iter()
    .map(|row| row.into_iter().map(|at| region[at]).collect())
    .collect()
}

fn split(segments: &[Segment], members: Vec<usize>, depth: usize, found: &mut Vec<Vec<usize>>) {
    if members.is_empty() {
        return;
    }
    if depth == 0 || members.len() < 4 {
        found.push(members);
        return;
    }
    if let Some(gutter) = gutter(segments, &members) {
        return split_at(segments, members, gutter, depth, found);
    }
    // Sections with a gutter of their own; neighbours with the same one stay together.
    let sections = sections(segments, &members);
    if sections.len() < 2 {
        found.push(members);
        return;
    }
    let mut open: (Option<f32>, Vec<usize>) = (None, Vec::new());
    for section in sections {
        let own = gutter(segments, &section);
        let same = match (open.0, own) {
            (None, None) => true,
            (Some(left), Some(right)) => (left - right).abs() < 2.0 * typical_size_of(segments, &section),
            _ => false,
        };
        if !same {
            close(segments, std::mem::take(&mut open), depth, found);
        }
        open.0 = own;
        open.1.extend(section);
    }
    close(segments, open, depth, found);
}

fn close(
    segments: &[Segment],
    (gutter, members): (Option<f32>, Vec<usize>),
    depth: usize,
    found: &mut Vec<Vec<usize>>,
) {
    match gutter {
        _ if members.is_empty() => {}
        Some(at) => split_at(segments, members, at, depth, found),
        None => found.push(members),
    }
}

/// Splits at a gutter: what crosses it separates bands, and each band is left, then right.
fn split_at(
    segments: &[Segment],
    mut members: Vec<usize>,
    gutter: f32,
    depth: usize,
    found: &mut Vec<Vec<usize>>,
) {
    members.sort_by(|left, right| {
        segments[*left].bounds.middle_y().total_cmp(&segments[*right].bounds.middle_y())
    });
    let (mut left, mut right, mut crossing) = (Vec::new(), Vec::new(), Vec::new());
    for index in members {
        let bounds = &segments[index].bounds;
        if bounds.right <= gutter || bounds.left >= gutter {
            // Columns below something that crosses begin after it.
            if !crossing.is_empty() {
                split(segments, std::mem::take(&mut crossing), depth - 1, found);
            }
            if bounds.right <= gutter { left.push(index) } else { right.push(index) }
        } else {
            split(segments, std::mem::take(&mut left), depth - 1, found);
            split(segments, std::mem::take(&mut right), depth - 1, found);
            crossing.push(index);
        }
    }
    split(segments, crossing, depth - 1, found);
    split(segments, left, depth - 1, found);
    split(segments, right, depth - 1, found);
}

/// Finds the x of the best gutter of a region.
fn gutter(segments: &[Segment], members: &[usize]) -> Option<f32> {
    let region = around(members.iter().map(|index| &segments[*index].bounds))?;
    let size = typical_size_of(segments, members);
    let step = (size * 0.2).max(region.width() / STRIPS).max(0.01);
    let strips = (region.width() / step).ceil() as usize + 1;
    // How much text stands in each strip: a difference array, then its running sum.
    let mut cover = vec![0.0_f32; strips + 1];
    for index in members {
        let bounds = &segments[*index].bounds;
        let strip = |x: f32| (((x - region.left) / step) as usize).min(strips);
        cover[strip(bounds.left)] += bounds.height();
        cover[strip(bounds.right) + usize::from(strip(bounds.right) < strips)] -= bounds.height();
    }
    let mut sum = 0.0;
    for strip in &mut cover {
        sum += *strip;
        *strip = sum;
    }
    let fullest = cover.iter().copied().fold(0.0, f32::max);
    let mut candidates = Vec::new();
    let mut at = 0;
    while at < strips {
        let start = at;
        while at < strips && cover[at] <= CROSSING * fullest {
            at += 1;
        }
        let width = (at - start) as f32 * step;
        if width >= GUTTER * size && start > 0 && at < strips {
            let least = cover[start..at].iter().copied().fold(f32::MAX, f32::min);
            let middle = best_strip(&cover[start..at], least);
            candidates.push((least, -width, region.left + (start as f32 + middle + 0.5) * step));
        }
        at = at.max(start + 1);
    }
    candidates.sort_by(|left, right| {
        (left.0, left.1).partial_cmp(&(right.0, right.1)).unwrap_or(std::cmp::Ordering::Equal)
    });
    candidates.into_iter().map(|(_, _, x)| x).find(|x| is_gutter(segments, members, *x, &region))
}

/// Middle of the emptiest run of strips.
fn best_strip(cover: &[f32], least: f32) -> f32 {
    let first = cover.iter().position(|value| *value <= least + 1e-3).unwrap_or(0);
    let length = cover[first..].iter().take_while(|value| **value <= least + 1e-3).count();
    first as f32 + (length.saturating_sub(1)) as f32 / 2.0
}

/// Says whether columns of prose stand on both sides of `x`, rather than cells of one table.
fn is_gutter(segments: &[Segment], members: &[usize], x: f32, region: &Bounds) -> bool {
    let pick = |inside: &dyn Fn(&Bounds) -> bool| -> Vec<usize> {
        members.iter().copied().filter(|index| inside(&segments[*index].bounds)).collect()
    };
    let left = pick(&|bounds| bounds.right <= x);
    let right = pick(&|bounds| bounds.left >= x);
    let crossing = members.len() - left.len() - right.len();
    if crossing * 2 > members.len() {
        return false;
    }
    let (rows_left, rows_right) = (rows(segments, &left), rows(segments, &right));
    if rows_left.len().min(rows_right.len()) < 3 {
        return false;
    }
    let bounds_of =
        |side: &[usize]| around(side.iter().map(|index| &segments[*index].bounds)).unwrap_or_default();
    let (box_left, box_right) = (bounds_of(&left), bounds_of(&right));
    if box_left.width().min(box_right.width()) < NARROWEST * region.width() {
        return false;
    }
    if box_left.overlap_y(&box_right) < 0.4 * box_left.height().min(box_right.height()) {
        return false;
    }
    let prose = characters_per_row(segments, &rows_left).min(characters_per_row(segments, &rows_right));
    prose >= PROSE_CHARACTERS || !rows_match(segments, &rows_left, &rows_right)
}

/// Mean characters of a row of one side.
fn characters_per_row(segments: &[Segment], rows: &[Vec<usize>]) -> f32 {
    let characters: usize = rows.iter().flatten().map(|index| segments[*index].text.chars().count()).sum();
    characters as f32 / rows.len().max(1) as f32
}

/// Says whether most rows of the shorter side have a partner on the same baseline.
fn rows_match(segments: &[Segment], left: &[Vec<usize>], right: &[Vec<usize>]) -> bool {
    let (few, many) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    let line = |row: &Vec<usize>| {
        row.first().map_or((0.0, 1.0), |index| (segments[*index].baseline, segments[*index].size))
    };
    let partners = few
        .iter()
        .filter(|row| {
            let (baseline, size) = line(row);
            let at = many.partition_point(|other| line(other).0 < baseline - 0.35 * size);
            many.get(at).is_some_and(|other| (line(other).0 - baseline).abs() <= 0.35 * size)
        })
        .count();
    partners * 10 >= few.len() * 6
}

/// Splits a region where its rows leave a wide horizontal gap.
fn sections(segments: &[Segment], members: &[usize]) -> Vec<Vec<usize>> {
    let size = typical_size_of(segments, members);
    let mut sorted = members.to_vec();
    sorted.sort_by(|left, right| segments[*left].bounds.top.total_cmp(&segments[*right].bounds.top));
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut bottom = f32::MIN;
    for index in sorted {
        let bounds = &segments[index].bounds;
        match found.last_mut() {
            Some(section) if bounds.top - bottom < 0.6 * size => section.push(index),
            _ => found.push(vec![index]),
        }
        bottom = bottom.max(bounds.bottom);
    }
    found
}

fn typical_size_of(segments: &[Segment], members: &[usize]) -> f32 {
    let own: Vec<Segment> =
        members.iter().map(|index| Segment { text: String::new(), ..segments[*index].clone() }).collect();
    typical_size(&own)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes of a page drawn in characters: each run of letters is one, 6 wide a letter, 12 high a line.
    fn order(page: &str) -> String {
        let mut boxes: Vec<(Bounds, String)> = Vec::new();
        for (row, line) in page.lines().enumerate() {
            let characters: Vec<char> = line.chars().collect();
            let mut at = 0;
            while at < characters.len() {
                let start = at;
                while at < characters.len() && characters[at] != '.' {
                    at += 1;
                }
                if at > start {
                    let (x, y) = (start as f32 * 6.0, row as f32 * 12.0);
                    let bounds = Bounds::new(x, y, at as f32 * 6.0, y + 10.0);
                    boxes.push((bounds, characters[start..at].iter().collect()));
                }
                at = at.max(start + 1);
            }
        }
        // The given order must not matter.
        boxes.reverse();
        let lines: Vec<(Bounds, &str)> =
            boxes.iter().map(|(bounds, text)| (*bounds, text.as_str())).collect();
        reading_order(&lines).into_iter().map(|at| &boxes[at].1[..2]).collect::<Vec<_>>().join(" ")
    }

    const WIDE: &str = "xxxxxxxxxxxxxxxxxxxxxx";

    fn line(left: &str, right: &str) -> String {
        format!("{left}{WIDE}....{right}{WIDE}\n")
    }

    #[test]
    fn two_columns_are_read_one_after_the_other() {
        let body: String =
            ["aa dd", "bb ee", "cc ff"].iter().map(|pair| line(&pair[..2], &pair[3..])).collect();
        assert_eq!(order(&body), "aa bb cc dd ee ff");
    }

    #[test]
    fn what_spans_both_columns_separates_bands() {
        let pair = |names: &str| line(&names[..2], &names[3..]);
        let wide = |name: &str| format!("{name}{WIDE}xx{WIDE}xxx\n");
        let page =
            [wide("t1"), pair("aa dd"), pair("bb ee"), pair("cc ff"), wide("t2"), pair("gg hh")].concat();
        assert_eq!(order(&page), "t1 aa bb cc dd ee ff t2 gg hh");
    }

    #[test]
    fn rows_of_short_cells_are_read_across() {
        let page = "aa....b1....c1\nd1....e1....f1\ng1....h1....i1\nj1....k1....l1\n";
        assert_eq!(order(page), "aa b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1");
    }

    #[test]
    fn columns_only_on_a_part_of_the_page_are_found() {
        let wide = |name: &str| format!("{name}{WIDE}xx{WIDE}xxx\n");
        let top: String = (0..9).map(|index| wide(&format!("w{index}"))).collect();
        let below: String =
            ["aa dd", "bb ee", "cc ff"].iter().map(|pair| line(&pair[..2], &pair[3..])).collect();
        assert_eq!(order(&format!("{top}\n{below}")), "w0 w1 w2 w3 w4 w5 w6 w7 w8 aa bb cc dd ee ff");
    }
}
