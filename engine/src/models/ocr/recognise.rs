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
        quads
            .iter()
            .map(|quad| {
                check(cancel)?;
                self.line(page, &quad.reading())
            })
            .collect()
    }

    /// Reads one line.
    fn line(&self, page: &RgbImage, quad: &Quad) -> Result<(String, f32), ModelError> {
        let width = strip_width(quad);
        let mut values = vec![0.0_f32; 3 * HEIGHT * width];
        strip(page, quad, width, HEIGHT, width, &mut values);
        let input = NdTensor::from_data([1, 3, HEIGHT, width], values);
        let output =
            self.model.run_one(input.view().into(), None).map_err(|error| runtime(error.to_string()))?;
        let classes: NdTensor<f32, 3> =
            output.try_into().map_err(|_| runtime("the recognition model gives no sequence".to_string()))?;
        self.decode(classes.view().slice(0))
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

/// Width of a line's strip.
fn strip_width(quad: &Quad) -> usize {
    let ratio = quad.width() / quad.height().max(1.0);
    ((HEIGHT as f32 * ratio).ceil() as usize).clamp(NARROWEST, WIDEST)
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
