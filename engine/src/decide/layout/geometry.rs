//! Rectangles on a page.

/// An upright rectangle; `left <= right` and `top <= bottom`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bounds {
    /// Smallest x.
    pub left: f32,
    /// Smallest y (the upper edge).
    pub top: f32,
    /// Largest x.
    pub right: f32,
    /// Largest y (the lower edge).
    pub bottom: f32,
}

impl Bounds {
    /// Makes a rectangle of two corners in any order; not-a-number becomes 0.
    pub fn new(x0: f32, y0: f32, x1: f32, y1: f32) -> Self {
        let sane = |value: f32| if value.is_finite() { value.clamp(-1e7, 1e7) } else { 0.0 };
        let (x0, y0, x1, y1) = (sane(x0), sane(y0), sane(x1), sane(y1));
        Self { left: x0.min(x1), top: y0.min(y1), right: x0.max(x1), bottom: y0.max(y1) }
    }

    /// Width.
    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Height.
    pub fn height(&self) -> f32 {
        self.bottom - self.top
    }

    /// Area.
    pub fn area(&self) -> f32 {
        self.width() * self.height()
    }

    /// Middle of the width.
    pub fn middle_x(&self) -> f32 {
        f32::midpoint(self.left, self.right)
    }

    /// Middle of the height.
    pub fn middle_y(&self) -> f32 {
        f32::midpoint(self.top, self.bottom)
    }

    /// The smallest rectangle around both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// Length of the common part of both heights; negative when apart.
    pub fn overlap_y(&self, other: &Self) -> f32 {
        self.bottom.min(other.bottom) - self.top.max(other.top)
    }

    /// Length of the common part of both widths; negative when apart.
    pub fn overlap_x(&self, other: &Self) -> f32 {
        self.right.min(other.right) - self.left.max(other.left)
    }

    /// Says whether a point lies inside or on the edge.
    pub fn contains(&self, x: f32, y: f32) -> bool {
        x >= self.left && x <= self.right && y >= self.top && y <= self.bottom
    }
}

/// Returns the rectangle around all; `None` when there are none.
pub(super) fn around<'a>(all: impl IntoIterator<Item = &'a Bounds>) -> Option<Bounds> {
    all.into_iter().copied().reduce(|left, right| left.union(&right))
}

/// Returns the median; 0 for an empty list.
pub(super) fn median(mut values: Vec<f32>) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    let (_, median, _) = values.select_nth_unstable_by(middle, f32::total_cmp);
    *median
}
