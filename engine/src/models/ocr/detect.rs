//! Detection: a map of how likely each pixel is text, and boxes around its islands.

use image::imageops::FilterType;
use image::{DynamicImage, RgbImage};
use rten_imageproc::{Point, RetrievalMode, RotatedRect, Vec2, find_contours};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};

use super::crop::Quad;
use super::runtime;
use crate::models::ModelError;

/// Longest side of the picture that is looked at, in pixels; larger pages are scaled down to it.
const LONGEST: f32 = 1536.0;
/// Shortest side: smaller pictures are scaled up to it, as far as `LONGEST` allows.
const SHORTEST: f32 = 736.0;
/// Both sides are multiples of it.
const STRIDE: f32 = 32.0;
/// Means and deviations of the pictures it was trained with (ImageNet's), for red, green, blue.
const MEAN: [f32; 3] = [0.485, 0.456, 0.406];
const DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];
/// Probability from which a pixel is text.
const PIXEL: f32 = 0.3;
/// Mean probability in a box from which it is a line.
const BOX: f32 = 0.55;
/// How far the shrunken islands are grown again: distance is `area * UNCLIP / perimeter`.
const UNCLIP: f32 = 1.6;
/// Shortest side of an island, in pixels of the map.
const SMALLEST: f32 = 3.0;
/// Lines of one picture; a dense page has a few hundred.
const MOST: usize = 3000;

/// The detection model.
pub(super) struct Detector(rten::Model);

impl Detector {
    pub(super) fn new(model: rten::Model) -> Self {
        Self(model)
    }

    /// Finds the lines of a page, in its pixels, in no particular order.
    pub(super) fn find(&self, page: &RgbImage) -> Result<Vec<Quad>, ModelError> {
        let (width, height) = working_size(page.width(), page.height());
        let small = DynamicImage::ImageRgb8(page.clone())
            .resize_exact(width, height, FilterType::Triangle)
            .into_rgb8();
        let input = normalised(&small);
        let output = self.0.run_one(input.view().into(), None).map_err(|error| runtime(error.to_string()))?;
        let map: NdTensor<f32, 4> =
            output.try_into().map_err(|_| runtime("the detection model gives no map".to_string()))?;
        let map = map.view();
        let scale = (page.width() as f32 / width as f32, page.height() as f32 / height as f32);
        Ok(boxes(map.slice((0, 0)), scale))
    }
}

/// Size at which a page is looked at.
fn working_size(width: u32, height: u32) -> (u32, u32) {
    let (width, height) = (width as f32, height as f32);
    let (long, short) = (width.max(height), width.min(height));
    let grow = (SHORTEST / short).max(1.0);
    let scale = grow.min(LONGEST / long);
    let side = |length: f32| ((length * scale / STRIDE).round().max(1.0) * STRIDE) as u32;
    (side(width), side(height))
}

fn normalised(page: &RgbImage) -> NdTensor<f32, 4> {
    let (width, height) = (page.width() as usize, page.height() as usize);
    let mut values = vec![0.0_f32; 3 * width * height];
    let area = width * height;
    for (at, pixel) in page.as_raw().chunks_exact(3).enumerate() {
        for (plane, value) in pixel.iter().enumerate() {
            values[plane * area + at] = (f32::from(*value) / 255.0 - MEAN[plane]) / DEVIATION[plane];
        }
    }
    NdTensor::from_data([1, 3, height, width], values)
}

/// Boxes around the islands of a map, in page pixels.
fn boxes(map: NdTensorView<f32, 2>, scale: (f32, f32)) -> Vec<Quad> {
    let mask = map.map(|value| *value > PIXEL);
    let contours = find_contours(mask.view(), RetrievalMode::External);
    contours
        .iter()
        .filter_map(|contour| {
            let rect = smallest_rect(&hull(contour.iter().map(|point| (point.x, point.y)).collect()))?;
            let short = rect.width().min(rect.height());
            (short >= SMALLEST && score(&map, &rect) >= BOX).then(|| grown(&rect))
        })
        .filter(|rect| rect.width().min(rect.height()) >= SMALLEST + 2.0)
        .take(MOST)
        .map(|rect| {
            Quad::around(
                rect.corners().map(|corner| ((corner.x + 0.5) * scale.0, (corner.y + 0.5) * scale.1)),
            )
        })
        .collect()
}

/// Corners of the convex hull, going round (Andrew's monotone chain). Whole numbers make its
/// turns exact.
fn hull(mut points: Vec<(i32, i32)>) -> Vec<(f32, f32)> {
    points.sort_unstable();
    points.dedup();
    if points.len() < 3 {
        return points.into_iter().map(|(x, y)| (x as f32, y as f32)).collect();
    }
    let turn = |a: (i32, i32), b: (i32, i32), c: (i32, i32)| {
        i64::from(b.0 - a.0) * i64::from(c.1 - a.1) - i64::from(b.1 - a.1) * i64::from(c.0 - a.0)
    };
    let chain = |points: &mut dyn Iterator<Item = (i32, i32)>| {
        let mut chain: Vec<(i32, i32)> = Vec::new();
        for point in points {
            while chain.len() >= 2 && turn(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0 {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut corners = chain(&mut points.iter().copied());
    corners.extend(chain(&mut points.iter().rev().copied()));
    corners.into_iter().map(|(x, y)| (x as f32, y as f32)).collect()
}

/// The smallest rectangle around a hull: one of its sides lies along one of the hull's.
fn smallest_rect(hull: &[(f32, f32)]) -> Option<RotatedRect> {
    let mut best: Option<(f32, RotatedRect)> = None;
    for (index, from) in hull.iter().enumerate() {
        let to = hull[(index + 1) % hull.len()];
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        // A single point has no direction: it is taken as upright.
        let (ux, uy) = if length > 0.0 { (dx / length, dy / length) } else { (1.0, 0.0) };
        let (mut along, mut across) = ((f32::MAX, f32::MIN), (f32::MAX, f32::MIN));
        for point in hull {
            let (a, b) = (point.0 * ux + point.1 * uy, point.1 * ux - point.0 * uy);
            along = (along.0.min(a), along.1.max(a));
            across = (across.0.min(b), across.1.max(b));
        }
        let (width, height) = (along.1 - along.0, across.1 - across.0);
        if best.as_ref().is_none_or(|(area, _)| width * height < *area) {
            let (a, b) = (f32::midpoint(along.0, along.1), f32::midpoint(across.0, across.1));
            let center = Point::from_yx(a * uy + b * ux, a * ux - b * uy);
            best = Some((width * height, RotatedRect::new(center, Vec2::from_xy(-uy, ux), width, height)));
        }
    }
    best.map(|(_, rect)| rect)
}

fn grown(rect: &RotatedRect) -> RotatedRect {
    // An island one pixel wide has its border on one line: its sides are counted with the pixel.
    let (width, height) = (rect.width() + 1.0, rect.height() + 1.0);
    let distance = width * height * UNCLIP / (2.0 * (width + height));
    RotatedRect::new(rect.center(), rect.up_axis(), width + 2.0 * distance, height + 2.0 * distance)
}

/// Mean probability inside a box.
fn score(map: &NdTensorView<f32, 2>, rect: &RotatedRect) -> f32 {
    let corners = rect.corners();
    let (rows, columns) = (map.size(0), map.size(1));
    let least = |values: [f32; 4]| values.into_iter().fold(f32::MAX, f32::min).max(0.0).floor() as usize;
    let most = |values: [f32; 4], limit: usize| {
        (values.into_iter().fold(0.0, f32::max).ceil() as usize + 1).min(limit)
    };
    let (xs, ys) = (corners.map(|corner| corner.x), corners.map(|corner| corner.y));
    let (mut sum, mut count) = (0.0, 0_usize);
    for y in least(ys)..most(ys, rows) {
        for x in least(xs)..most(xs, columns) {
            if rect.contains(Point::from_yx(y as f32, x as f32)) {
                sum += map[[y, x]];
                count += 1;
            }
        }
    }
    if count == 0 { 0.0 } else { sum / count as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_looked_at_in_bounded_sizes() {
        assert_eq!(working_size(3000, 4000), (1152, 1536));
        assert_eq!(working_size(400, 600), (736, 1120));
        assert_eq!(working_size(100, 4000), (32, 1536));
        assert_eq!(working_size(1, 1), (736, 736));
    }

    #[test]
    fn an_island_is_grown_to_its_line() {
        let mut map = NdTensor::<f32, 2>::zeros([64, 128]);
        for y in 20..30 {
            for x in 10..90 {
                map[[y, x]] = 0.9;
            }
        }
        map[[50, 50]] = 0.9;
        let found = boxes(map.view(), (2.0, 2.0));
        assert_eq!(found.len(), 1, "a speck is no line");
        let [left, top, right, bottom] = found[0].bounds();
        assert!(left < 20.0 && top < 40.0 && right > 178.0 && bottom > 58.0, "{:?}", found[0]);
        assert!(bottom - top < 50.0 && found[0].width() > 160.0);
    }
}
