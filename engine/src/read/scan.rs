//! Lines of OCR as the words of a page.

use super::PictureLine;
use crate::decide::layout::{Bounds, NOMINAL_SIZE, PageContent, Word, line_words};

/// What OCR gave for a picture.
pub(super) struct Scan {
    /// Words of the lines that were kept.
    pub words: Vec<Word>,
    /// Mean confidence of the kept lines, by their characters; 0 without lines.
    pub confidence: f32,
    /// Lines left out because they were too uncertain.
    pub dropped: usize,
}

impl Scan {
    /// Takes lines of a picture whose pixels are `scale` page units, at `origin` on the page.
    pub(super) fn new(lines: &[PictureLine], scale: f32, origin: (f32, f32), least_confidence: f32) -> Self {
        let (mut words, mut sum, mut characters, mut dropped) = (Vec::new(), 0.0, 0, 0);
        for line in lines {
            if line.text.trim().is_empty() {
                continue;
            }
            if line.confidence < least_confidence {
                dropped += 1;
                continue;
            }
            let [left, top, right, bottom] = line.bounds.map(|value| value * scale);
            let bounds = Bounds::new(left + origin.0, top + origin.1, right + origin.0, bottom + origin.1);
            let count = line.text.chars().count();
            sum += line.confidence * count as f32;
            characters += count;
            words.extend(line_words(&line.text, bounds));
        }
        Self { words, confidence: if characters == 0 { 0.0 } else { sum / characters as f32 }, dropped }
    }

    /// The text in any order, for judging it.
    pub(super) fn text(&self) -> String {
        text_of(&self.words)
    }

    /// A page of its own with these words.
    pub(super) fn page(self, width: f32, height: f32) -> PageContent {
        PageContent { width, height, words: self.words, rules: Vec::new(), scanned: true }
    }
}

/// Words joined by spaces.
pub(super) fn text_of(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Page units per pixel that make the lines of a picture about [`NOMINAL_SIZE`] high.
pub(super) fn nominal_scale(lines: &[PictureLine]) -> f32 {
    let mut heights: Vec<f32> = lines.iter().map(|line| line.bounds[3] - line.bounds[1]).collect();
    heights.retain(|height| *height > 0.0);
    heights.sort_by(f32::total_cmp);
    heights.get(heights.len() / 2).map_or(1.0, |height| NOMINAL_SIZE / height)
}
