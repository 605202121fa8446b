//! Words to segments: pieces of a line without a wide gap, and rows of them.

use super::geometry::{Bounds, median};
use super::words::Word;

/// Gap, in font sizes, from which two words of a line may belong to two columns or cells.
pub(super) const SEGMENT_GAP: f32 = 0.85;

/// Words of one line without a wide gap between them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segment {
    pub text: String,
    pub bounds: Bounds,
    pub baseline: f32,
    pub size: f32,
    pub bold: bool,
    /// Words in it.
    pub words: usize,
    /// Index of a block that is placed as a whole (a ruled table); its `text` is empty.
    pub block: Option<usize>,
}

/// Joins words to segments.
pub(super) fn segments(words: &[Word]) -> Vec<Segment> {
    let mut found: Vec<Segment> = Vec::new();
    for row in rows_of(words.len(), |index| (words[index].baseline, words[index].size, words[index].bounds)) {
        let mut open: Option<Segment> = None;
        for index in row {
            let word = &words[index];
            match &mut open {
                Some(segment)
                    if word.bounds.left - segment.bounds.right
                        <= SEGMENT_GAP * segment.size.max(word.size) =>
                {
                    segment.push(word);
                }
                _ => found.extend(open.replace(Segment::from(word))),
            }
        }
        found.extend(open);
    }
    found
}

impl Segment {
    fn from(word: &Word) -> Self {
        Self {
            text: word.text.clone(),
            bounds: word.bounds,
            baseline: word.baseline,
            size: word.size,
            bold: word.bold,
            words: 1,
            block: None,
        }
    }

    /// A stand-in for something placed as a whole.
    pub(super) fn placed(block: usize, bounds: Bounds) -> Self {
        Self {
            text: String::new(),
            bounds,
            // Its place among the rows is that of its upper edge.
            baseline: bounds.top,
            size: 10.0,
            bold: false,
            words: 0,
            block: Some(block),
        }
    }

    fn push(&mut self, word: &Word) {
        // Fragments of one word (drawn piece by piece) have no gap between them.
        let gap = word.bounds.left - self.bounds.right;
        if gap > 0.12 * self.size {
            self.text.push(' ');
            self.words += 1;
        }
        self.text.push_str(&word.text);
        self.bounds = self.bounds.union(&word.bounds);
        self.bold &= word.bold;
        self.size = self.size.max(word.size);
    }
}

/// Groups things with a baseline into rows: from top to bottom, each from left to right.
///
/// `describe` gives baseline, size and bounds. Something smaller whose height lies within a row
/// (a raised mark) belongs to it.
pub(super) fn rows_of(count: usize, describe: impl Fn(usize) -> (f32, f32, Bounds)) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|left, right| describe(*left).0.total_cmp(&describe(*right).0));
    let mut rows: Vec<(f32, f32, Vec<usize>)> = Vec::new();
    for index in order {
        let (baseline, size, bounds) = describe(index);
        // Rows are in the order of their baselines, so only the last few can take it.
        let home = rows.iter_mut().rev().take(4).find(|(row, row_size, _)| {
            let apart = (baseline - *row).abs();
            if size < 0.8 * *row_size {
                // Smaller: inside the row's height.
                return bounds.middle_y() > *row - 0.85 * *row_size
                    && bounds.middle_y() < *row + 0.2 * *row_size;
            }
            apart < 0.35 * size.min(*row_size)
        });
        match home {
            Some((row, row_size, members)) => {
                if size > *row_size * 1.2 {
                    (*row, *row_size) = (baseline, size);
                }
                members.push(index);
            }
            None => rows.push((baseline, size, vec![index])),
        }
    }
    rows.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut rows: Vec<Vec<usize>> = rows.into_iter().map(|(_, _, members)| members).collect();
    for row in &mut rows {
        row.sort_by(|left, right| describe(*left).2.left.total_cmp(&describe(*right).2.left));
    }
    rows
}

/// Typical size of the segments, by the characters they hold; 10 when there are none.
pub(super) fn typical_size(segments: &[Segment]) -> f32 {
    let sizes: Vec<f32> = segments
        .iter()
        .filter(|segment| segment.block.is_none())
        .flat_map(|segment| std::iter::repeat_n(segment.size, segment.words.max(1)))
        .collect();
    if sizes.is_empty() { 10.0 } else { median(sizes).max(0.5) }
}
