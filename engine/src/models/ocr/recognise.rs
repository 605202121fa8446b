//! Recognition: a strip of text to characters, by the likeliest class of each step (CTC).

use std::path::Path;

use image::RgbImage;
use rten::Operators;
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};

use super::crop::{Quad, strip};
use super::{ROLE, check, runtime};
use crate::models::{Cancel, ModelError};

/// Height of a strip.
const HEIGHT: usize = 48;
/// Narrowest and widest strip; a wider line is squeezed.
const NARROWEST: usize = 32;
const WIDEST: usize = 3200;
/// Columns of the strips that are read together, and how many strips.
const BATCH_COLUMNS: usize = 2400;
const BATCH: usize = 8;

/// The recognition model and its characters.
pub(super) struct Recogniser {
    model: rten::Model,
    /// Character of each class; class 0 is the blank, the last one a space.
    characters: Vec<String>,
}

impl Recogniser {
    pub(super) fn new(model: rten::Model, path: &Path) -> Result<Self, ModelError> {
        let wrong = |reason: &str| ModelError::WrongKind {
            role: ROLE,
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        let list = model.metadata().get("character").ok_or_else(|| wrong("it lists no characters"))?;
        let mut characters = vec![String::new()];
        characters.extend(list.split('\n').map(str::to_owned));
        characters.push(" ".into());
        if characters.len() < 3 {
            return Err(wrong("its list of characters is empty"));
        }
        Ok(Self { model, characters })
    }

    /// Reads lines; text and mean confidence of each, in the order of `quads`.
    pub(super) fn read(
        &self,
        page: &RgbImage,
        quads: &[Quad],
        cancel: &Cancel,
    ) -> Result<Vec<(String, f32)>, ModelError> {
        let lines: Vec<(Quad, usize)> = quads.iter().map(|quad| measured(quad.reading())).collect();
        // Strips of similar width are read together, so that little of a batch is padding.
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|at| lines[*at].1);
        let mut read = vec![(String::new(), 0.0); lines.len()];
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            check(cancel)?;
            let fits = |count: &usize| count * lines[rest[count - 1]].1 <= BATCH_COLUMNS;
            let count = (1..=rest.len().min(BATCH)).take_while(fits).last().unwrap_or(1);
            let (batch, after) = rest.split_at(count);
            let strips: Vec<(Quad, usize)> = batch.iter().map(|at| lines[*at]).collect();
            for (at, line) in batch.iter().zip(self.batch(page, &strips)?) {
                read[*at] = line;
            }
            rest = after;
        }
        Ok(read)
    }

    fn batch(&self, page: &RgbImage, strips: &[(Quad, usize)]) -> Result<Vec<(String, f32)>, ModelError> {
        let widest = strips.iter().map(|(_, width)| *width).max().unwrap_or(NARROWEST);
        let size = 3 * HEIGHT * widest;
        let mut values = vec![0.0_f32; strips.len() * size];
        for ((quad, width), planes) in strips.iter().zip(values.chunks_exact_mut(size)) {
            strip(page, quad, *width, HEIGHT, widest, planes);
        }
        let input = NdTensor::from_data([strips.len(), 3, HEIGHT, widest], values);
        let output =
            self.model.run_one(input.view().into(), None).map_err(|error| runtime(error.to_string()))?;
        let classes: NdTensor<f32, 3> =
            output.try_into().map_err(|_| runtime("the recognition model gives no sequence".to_string()))?;
        let classes = classes.view();
        (0..strips.len()).map(|line| self.decode(classes.slice(line))).collect()
    }

    /// Takes the likeliest class of every step, drops repeats and blanks.
    fn decode(&self, steps: NdTensorView<f32, 2>) -> Result<(String, f32), ModelError> {
        let best = steps.arg_max(1, false).map_err(|error| runtime(error.to_string()))?;
        let (mut text, mut sum, mut count, mut last) = (String::new(), 0.0, 0_usize, 0);
        for (step, class) in best.iter().map(|class| usize::try_from(*class).unwrap_or(0)).enumerate() {
            if class != 0 && class != last {
                text.push_str(self.characters.get(class).map_or("", String::as_str));
                sum += steps[[step, class]];
                count += 1;
            }
            last = class;
        }
        let confidence = if count == 0 { 0.0 } else { (sum / count as f32).clamp(0.0, 1.0) };
        Ok((narrow(text.trim()), confidence))
    }
}

/// A line with the width of its strip.
fn measured(quad: Quad) -> (Quad, usize) {
    let ratio = quad.width() / quad.height().max(1.0);
    (quad, ((HEIGHT as f32 * ratio).ceil() as usize).clamp(NARROWEST, WIDEST))
}

/// Full-width forms (U+FF01 to U+FF5E) become ASCII in a line without ideographs, where the model
/// only mistakes them for each other.
fn narrow(text: &str) -> String {
    let wide = |character: char| matches!(character, '\u{ff01}'..='\u{ff5e}');
    let ideographs =
        text.chars().any(|character| matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'));
    if ideographs || !text.contains(wide) {
        return text.to_owned();
    }
    text.chars()
        .map(|character| {
            if wide(character) {
                char::from_u32(character as u32 - 0xfee0).unwrap_or(character)
            } else {
                character
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_width_forms_are_narrow_in_latin_lines() {
        assert_eq!(narrow("Total（R$）：１０"), "Total(R$):10");
        assert_eq!(narrow("合計（円）"), "合計（円）");
    }
}
