//! Collects what a PDF page draws: glyphs, straight lines, pictures.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::time::Instant;

use hayro::hayro_interpret::font::{Glyph as DrawnGlyph, GlyphRun};
use hayro::hayro_interpret::hayro_cmap::BfString;
use hayro::hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
};
use hayro::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape};

use crate::decide::layout::{Bounds, Glyph};

/// Units of a glyph's own space per font size.
const UNITS_PER_EM: f64 = 1000.0;
/// Thickest filled rectangle, in points, that counts as a line.
const THIN: f64 = 2.6;
/// Elements beyond which a path is a drawing, not a line of a table.
const SIMPLE: usize = 400;
/// Lines kept of one page.
const MOST_RULES: usize = 20_000;
/// Glyphs kept of one page; a page of dense text has 10,000.
const MOST_GLYPHS: usize = 2_000_000;

/// The payload that unwinds an interpretation whose time is up.
pub(super) struct Expired;

/// A picture drawn on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PlacedPicture {
    pub bounds: Bounds,
    /// Its own size in pixels.
    pub pixels: (u32, u32),
    /// The same for the same picture within a document.
    pub key: u128,
}

/// What one page draws.
#[derive(Debug, Clone, Default)]
pub(super) struct Drawn {
    pub width: f32,
    pub height: f32,
    /// Glyphs by the direction of their line: to the right, down, to the left, up. Each in
    /// coordinates turned so that its lines run to the right.
    pub glyphs: [Vec<Glyph>; 4],
    pub rules: Vec<Bounds>,
    pub pictures: Vec<PlacedPicture>,
    /// Glyphs without a known character.
    pub unmapped: usize,
    /// Paths that are no rules.
    pub paths: usize,
}

/// The device that fills a [`Drawn`].
pub(super) struct Collector {
    pub drawn: Drawn,
    deadline: Instant,
    operations: u32,
    bold: HashMap<u128, bool>,
}

impl Collector {
    pub(super) fn new(width: f32, height: f32, deadline: Instant) -> Self {
        let drawn = Drawn { width, height, ..Drawn::default() };
        Self { drawn, deadline, operations: 0, bold: HashMap::new() }
    }

    /// Ends the interpretation when its time is up. The interpreter has no way to be stopped, so
    /// this unwinds to the worker, which catches it.
    fn tick(&mut self) {
        self.operations = self.operations.wrapping_add(1);
        if self.operations.is_multiple_of(64) && Instant::now() >= self.deadline {
            resume_unwind(Box::new(Expired));
        }
    }

    fn glyph(&mut self, drawn: &DrawnGlyph<'_>, transform: Affine, bold: bool) {
        let advance = match drawn {
            DrawnGlyph::Outline(glyph) => glyph.advance_width(),
            DrawnGlyph::Type3(glyph) => glyph.advance_width(),
        };
        let [a, b, c, d, x, y] = transform.as_coeffs();
        let size = (c.hypot(d) * UNITS_PER_EM) as f32;
        let advance = f64::from(advance.unwrap_or(500.0));
        let (end_x, end_y) = (x + a * advance, y + b * advance);
        if !(x.is_finite() && y.is_finite() && end_x.is_finite() && end_y.is_finite() && size.is_finite()) {
            return;
        }
        let (width, height) = (f64::from(self.drawn.width), f64::from(self.drawn.height));
        if x < -width || x > 2.0 * width || y < -height || y > 2.0 * height {
            return;
        }
        let direction = direction(a, b);
        // Turned so that the line runs to the right.
        let (left, right, baseline) = match direction {
            0 => (x, end_x, y),
            1 => (y, end_y, width - x),
            2 => (width - x, width - end_x, height - y),
            _ => (height - y, height - end_y, x),
        };
        let Some(text) = drawn.as_unicode() else {
            self.drawn.unmapped += 1;
            return self.push(direction, '\u{fffd}', left, right, baseline, size, bold);
        };
        match text {
            BfString::Char(character) => self.push(direction, character, left, right, baseline, size, bold),
            BfString::String(text) => {
                let count = text.chars().count().max(1) as f64;
                let step = (right - left) / count;
                for (index, character) in text.chars().enumerate() {
                    let from = left + step * index as f64;
                    self.push(direction, character, from, from + step, baseline, size, bold);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)] // The fields of a glyph.
    fn push(
        &mut self,
        direction: usize,
        character: char,
        left: f64,
        right: f64,
        baseline: f64,
        size: f32,
        bold: bool,
    ) {
        let glyphs = &mut self.drawn.glyphs[direction];
        if glyphs.len() < MOST_GLYPHS && size > 0.05 {
            let (left, right) = (left.min(right) as f32, left.max(right) as f32);
            glyphs.push(Glyph { character, left, right, baseline: baseline as f32, size, bold });
        }
    }

    fn is_bold(&mut self, run: &GlyphRun<'_, '_>) -> bool {
        let Some(DrawnGlyph::Outline(glyph)) = run.glyphs().first().map(|glyph| &**glyph) else {
            return false;
        };
        let Some(data) = glyph.font_data() else { return false };
        *self.bold.entry(data.cache_key).or_insert_with(|| {
            let named = data.postscript_name.as_ref().is_some_and(|name| {
                let name = name.to_lowercase();
                name.contains("bold") || name.contains("black") || name.contains("heavy")
            });
            named || data.weight.is_some_and(|weight| weight >= 600)
        })
    }

    fn rule(&mut self, from: Point, to: Point) {
        let (dx, dy) = ((from.x - to.x).abs(), (from.y - to.y).abs());
        if (dx < 0.8) != (dy < 0.8) && self.drawn.rules.len() < MOST_RULES {
            self.drawn.rules.push(bounds(&Rect::from_points(from, to)));
        }
    }

    fn stroke(&mut self, path: &BezPath, transform: Affine) {
        let (mut start, mut last) = (Point::ZERO, Point::ZERO);
        for element in path.elements() {
            match element {
                PathEl::MoveTo(point) => (start, last) = (transform * *point, transform * *point),
                PathEl::LineTo(point) => {
                    let point = transform * *point;
                    self.rule(last, point);
                    last = point;
                }
                PathEl::ClosePath => {
                    self.rule(last, start);
                    last = start;
                }
                PathEl::QuadTo(_, point) | PathEl::CurveTo(_, _, point) => last = transform * *point,
            }
        }
    }

    /// Thin filled shapes are lines; each part of the path is looked at by itself.
    fn fill(&mut self, path: &BezPath, transform: Affine) -> bool {
        let mut all_thin = true;
        let mut part: Option<Rect> = None;
        let mut parts = Vec::new();
        for element in path.elements() {
            match element {
                PathEl::MoveTo(point) => {
                    parts.extend(part.take());
                    let point = transform * *point;
                    part = Some(Rect::from_points(point, point));
                }
                PathEl::LineTo(point) | PathEl::QuadTo(_, point) | PathEl::CurveTo(_, _, point) => {
                    let point = transform * *point;
                    part = Some(
                        part.map_or_else(|| Rect::from_points(point, point), |rect| rect.union_pt(point)),
                    );
                }
                PathEl::ClosePath => {}
            }
        }
        parts.extend(part);
        for rect in parts {
            let (thin, long) = (rect.width().min(rect.height()), rect.width().max(rect.height()));
            if thin <= THIN && long >= 4.0 {
                if self.drawn.rules.len() < MOST_RULES {
                    self.drawn.rules.push(bounds(&rect));
                }
            } else {
                all_thin = false;
            }
        }
        all_thin
    }
}

/// Direction of a line of text: 0 to the right, 1 down, 2 to the left, 3 up.
fn direction(a: f64, b: f64) -> usize {
    if a.abs() >= b.abs() {
        if a >= 0.0 { 0 } else { 2 }
    } else if b > 0.0 {
        1
    } else {
        3
    }
}

fn bounds(rect: &Rect) -> Bounds {
    Bounds::new(rect.x0 as f32, rect.y0 as f32, rect.x1 as f32, rect.y1 as f32)
}

impl<'a> Device<'a> for Collector {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.tick();
        if path.elements().len() > SIMPLE {
            self.drawn.paths += path.elements().len() / 8;
            return;
        }
        let is_rules = match mode {
            DrawMode::Stroke(_) => {
                self.stroke(path, props.transform);
                path.elements().len() <= 6
            }
            DrawMode::FillAndStroke(..) => {
                self.stroke(path, props.transform);
                true
            }
            DrawMode::Fill(_) => self.fill(path, props.transform),
            DrawMode::Invisible => true,
        };
        self.drawn.paths += usize::from(!is_rules);
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.tick();
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.tick();
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        self.tick();
        let bold = self.is_bold(run);
        for glyph in run.glyphs() {
            self.glyph(glyph, props.transform * glyph.transform(), bold);
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.tick();
        let pixels = (image.width(), image.height());
        let place = Rect::new(0.0, 0.0, f64::from(pixels.0), f64::from(pixels.1));
        let bounds = bounds(&props.transform.transform_rect_bbox(place));
        self.drawn.pictures.push(PlacedPicture { bounds, pixels, key: image.cache_key() });
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.draw_path(&rect.to_path(0.1), props, mode);
    }
}
