//! Quadrilaterals around lines, and upright strips cut out of a page along them.

use image::RgbImage;

/// A point in pixels.
pub(super) type Corner = (f32, f32);

/// The corners of a line: top left, top right, bottom right, bottom left, as it is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quad(pub [Corner; 4]);

/// Height over width from which a line runs up or down.
const TALL: f32 = 1.5;

impl Quad {
    /// Orders four corners that go round: the first is the one nearest to the top left.
    pub(super) fn around(corners: [Corner; 4]) -> Self {
        let first = (0..4)
            .min_by(|left, right| {
                let sum = |at: usize| corners[at].0 + corners[at].1;
                sum(*left).total_cmp(&sum(*right))
            })
            .unwrap_or(0);
        let at = |offset: usize| corners[(first + offset) % 4];
        let quad = [at(0), at(1), at(2), at(3)];
        // Clockwise with y downwards: the cross product of the first two edges is positive.
        let cross = (quad[1].0 - quad[0].0) * (quad[2].1 - quad[1].1)
            - (quad[1].1 - quad[0].1) * (quad[2].0 - quad[1].0);
        if cross >= 0.0 { Self(quad) } else { Self([quad[0], quad[3], quad[2], quad[1]]) }
    }

    pub(super) fn width(&self) -> f32 {
        distance(self.0[0], self.0[1]).max(distance(self.0[3], self.0[2]))
    }

    pub(super) fn height(&self) -> f32 {
        distance(self.0[0], self.0[3]).max(distance(self.0[1], self.0[2]))
    }

    /// Whether the line runs up or down.
    pub(super) fn is_tall(&self) -> bool {
        self.height() >= TALL * self.width()
    }

    /// The same line on a page turned by half.
    pub(super) fn turned(&self, width: f32, height: f32) -> Self {
        let turn = |corner: Corner| (width - corner.0, height - corner.1);
        Self([turn(self.0[2]), turn(self.0[3]), turn(self.0[0]), turn(self.0[1])])
    }

    /// The upright rectangle around it: left, top, right, bottom.
    pub(super) fn bounds(&self) -> [f32; 4] {
        let (mut left, mut top, mut right, mut bottom) = (f32::MAX, f32::MAX, f32::MIN, f32::MIN);
        for (x, y) in self.0 {
            (left, right) = (left.min(x), right.max(x));
            (top, bottom) = (top.min(y), bottom.max(y));
        }
        [left.max(0.0), top.max(0.0), right.max(0.0), bottom.max(0.0)]
    }

    /// The line as it is read: a tall one turned by a quarter.
    pub(super) fn reading(&self) -> Self {
        if self.is_tall() { Self([self.0[1], self.0[2], self.0[3], self.0[0]]) } else { *self }
    }
}

fn distance(left: Corner, right: Corner) -> f32 {
    (left.0 - right.0).hypot(left.1 - right.1)
}

/// Cuts the strip out that lies in `quad`, scaled to `width` x `height`: planes of red, green and
/// blue, each value `(v / 255 - 0.5) / 0.5`, written to `planes` with `stride` values a row.
pub(super) fn strip(
    page: &RgbImage,
    quad: &Quad,
    width: usize,
    height: usize,
    stride: usize,
    planes: &mut [f32],
) {
    let [a, b, c, d] = quad.0;
    // Where the strip is smaller than its source, several points are averaged.
    let samples = |from: f32, to: usize| ((from / to as f32).round() as usize).clamp(1, 3);
    let (across, down) = (samples(quad.width(), width), samples(quad.height(), height));
    let weight = 1.0 / (across * down) as f32;
    for row in 0..height {
        for column in 0..width {
            let mut sum = [0.0_f32; 3];
            for sub in 0..across * down {
                let u = (column as f32 + ((sub % across) as f32 + 0.5) / across as f32) / width as f32;
                let v = (row as f32 + ((sub / across) as f32 + 0.5) / down as f32) / height as f32;
                let x = (a.0 * (1.0 - u) + b.0 * u) * (1.0 - v) + (d.0 * (1.0 - u) + c.0 * u) * v;
                let y = (a.1 * (1.0 - u) + b.1 * u) * (1.0 - v) + (d.1 * (1.0 - u) + c.1 * u) * v;
                let pixel = sample(page, x - 0.5, y - 0.5);
                for (total, value) in sum.iter_mut().zip(pixel) {
                    *total += value;
                }
            }
            for (plane, total) in sum.iter().enumerate() {
                planes[(plane * height + row) * stride + column] = (total * weight / 255.0 - 0.5) / 0.5;
            }
        }
    }
}

/// Colour at a point between pixels; outside the page that of its edge.
fn sample(page: &RgbImage, x: f32, y: f32) -> [f32; 3] {
    let (width, height) = (page.width() as usize, page.height() as usize);
    let raw: &[u8] = page.as_raw();
    let x = x.clamp(0.0, (width - 1) as f32);
    let y = y.clamp(0.0, (height - 1) as f32);
    let (left, top) = (x as usize, y as usize);
    let (right, bottom) = ((left + 1).min(width - 1), (top + 1).min(height - 1));
    let (fx, fy) = (x - left as f32, y - top as f32);
    let mut colour = [0.0; 3];
    for (plane, value) in colour.iter_mut().enumerate() {
        let at = |column: usize, row: usize| f32::from(raw[(row * width + column) * 3 + plane]);
        let upper = at(left, top) * (1.0 - fx) + at(right, top) * fx;
        let lower = at(left, bottom) * (1.0 - fx) + at(right, bottom) * fx;
        *value = upper * (1.0 - fy) + lower * fy;
    }
    colour
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_put_in_reading_order() {
        let expected = Quad([(0.0, 0.0), (9.0, 1.0), (9.0, 4.0), (0.0, 3.0)]);
        let [a, b, c, d] = expected.0;
        for corners in [[a, b, c, d], [c, d, a, b], [d, c, b, a], [b, a, d, c]] {
            assert_eq!(Quad::around(corners), expected);
        }
    }

    #[test]
    fn a_tall_line_is_read_from_its_side() {
        let quad = Quad([(0.0, 0.0), (10.0, 0.0), (10.0, 50.0), (0.0, 50.0)]);
        assert!(quad.is_tall());
        let reading = quad.reading();
        assert_eq!(reading.0[0], (10.0, 0.0));
        assert_eq!((reading.width(), reading.height()), (50.0, 10.0));
    }

    #[test]
    fn a_strip_has_the_pixels_of_its_quad() {
        let page =
            RgbImage::from_fn(
                8,
                8,
                |x, _| if x < 4 { image::Rgb([0, 0, 0]) } else { image::Rgb([255, 0, 0]) },
            );
        let quad = Quad([(0.0, 0.0), (8.0, 0.0), (8.0, 8.0), (0.0, 8.0)]);
        let mut planes = vec![9.0; 3 * 4 * 10];
        strip(&page, &quad, 8, 4, 10, &mut planes);
        assert_eq!((planes[1], planes[6]), (-1.0, 1.0));
        assert_eq!(planes[40 + 6], -1.0, "no green");
        assert_eq!(planes[9], 9.0, "beyond the width nothing is written");
    }
}
