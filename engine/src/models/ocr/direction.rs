//! Which way up a page is, by the direction of its longest lines.

use image::RgbImage;
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::crop::{Quad, strip};
use super::runtime;
use crate::models::ModelError;

/// Size of the strip the model looks at.
const WIDTH: usize = 192;
const HEIGHT: usize = 48;
/// Lines that vote.
const VOTES: usize = 9;
/// Mean probability from which a page is turned: most pages are upright.
const SURE: f32 = 0.7;

/// The direction model: a strip is upright (class 0) or upside down (class 1).
pub(super) struct Direction(rten::Model);

impl Direction {
    pub(super) fn new(model: rten::Model) -> Self {
        Self(model)
    }

    /// Says whether most of the long lines of a page stand on their heads.
    pub(super) fn is_upside_down(&self, page: &RgbImage, quads: &[Quad]) -> Result<bool, ModelError> {
        let mut longest: Vec<Quad> = quads.iter().map(Quad::reading).collect();
        longest.sort_by(|left, right| right.width().total_cmp(&left.width()));
        longest.truncate(VOTES);
        if longest.is_empty() {
            return Ok(false);
        }
        let size = 3 * HEIGHT * WIDTH;
        let mut values = vec![0.0_f32; longest.len() * size];
        for (quad, planes) in longest.iter().zip(values.chunks_exact_mut(size)) {
            let ratio = quad.width() / quad.height().max(1.0);
            let width = ((HEIGHT as f32 * ratio).ceil() as usize).clamp(1, WIDTH);
            strip(page, quad, width, HEIGHT, WIDTH, planes);
        }
        let input = NdTensor::from_data([longest.len(), 3, HEIGHT, WIDTH], values);
        let output = self.0.run_one(input.view().into(), None).map_err(|error| runtime(error.to_string()))?;
        let classes: NdTensor<f32, 2> =
            output.try_into().map_err(|_| runtime("the direction model gives no classes".to_string()))?;
        let turned: f32 = (0..longest.len()).map(|line| classes[[line, 1]]).sum();
        Ok(turned / longest.len() as f32 >= SURE)
    }
}
