//! One page: from what it draws to its words, by the text layer or by OCR.

use std::time::{Duration, Instant};

use super::Pages;
use super::device::{Drawn, PlacedPicture};
use super::worker::PageError;
use crate::decide::layout::{
    Bounds, PageContent, PageFacts, PageSource, Word, better_of, page_source, share_of_page, text_quality,
    words,
};
use crate::read::Picture;
use crate::read::scan::{Scan, text_of};

/// Points per inch.
const POINTS: f32 = 72.0;
/// Resolutions that pages are drawn at for OCR, in dots per inch: lines of 8 points are 22 pixels
/// high at 200. A scan is drawn at its own, within these.
const LEAST_DPI: f32 = 110.0;
const USUAL_DPI: f32 = 200.0;
const MOST_DPI: f32 = 300.0;
/// Longest side that can be drawn, in pixels.
const MOST_SIDE: f32 = 60_000.0;
/// Share of the page below which a picture is an ornament.
const ORNAMENT: f32 = 0.01;
/// Pixels below which a picture cannot hold a line of text.
const FEWEST_PIXELS: (u32, u32) = (40, 12);

/// What a page draws, as words.
#[derive(Debug, Default)]
pub(super) struct Draft {
    content: PageContent,
    /// Text that runs in other directions.
    turned: Vec<PageContent>,
    pictures: Vec<PlacedPicture>,
    unmapped: usize,
    paths: usize,
    /// Width and height as drawn.
    size: (f32, f32),
}

/// What came of a page.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub content: PageContent,
    /// Text beside the page's own flow: pictures, turned text.
    pub beside: Vec<PageContent>,
}

impl Draft {
    /// Joins glyphs to words; the direction with most glyphs is the page's own.
    pub(super) fn new(drawn: &Drawn) -> Self {
        let main =
            (0..4).max_by_key(|direction| (drawn.glyphs[*direction].len(), 4 - direction)).unwrap_or(0);
        let content = |direction: usize| {
            let sideways = direction % 2 == 1;
            let (width, height) = (drawn.width, drawn.height);
            PageContent {
                width: if sideways { height } else { width },
                height: if sideways { width } else { height },
                words: words(&drawn.glyphs[direction]),
                rules: drawn.rules.iter().map(|rule| turned(rule, direction, width, height)).collect(),
                scanned: false,
            }
        };
        let others = (0..4).filter(|direction| *direction != main && !drawn.glyphs[*direction].is_empty());
        Self {
            turned: others.map(|direction| PageContent { rules: Vec::new(), ..content(direction) }).collect(),
            content: content(main),
            pictures: drawn.pictures.clone(),
            unmapped: drawn.unmapped,
            paths: drawn.paths,
            size: (drawn.width, drawn.height),
        }
    }

    fn all_words(&self) -> impl Iterator<Item = &Word> {
        self.content.words.iter().chain(self.turned.iter().flat_map(|turned| &turned.words))
    }

    fn facts(&self) -> PageFacts {
        let text = self.all_words().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let characters =
            text.chars().filter(|character| !character.is_whitespace() && *character != '\u{fffd}').count();
        let share = |picture: &PlacedPicture| share_of_page(&picture.bounds, self.size.0, self.size.1);
        PageFacts {
            characters,
            unmapped: self.unmapped,
            quality: text_quality(&text),
            pictures: self.pictures.iter().map(share).sum::<f32>().min(1.0),
            paths: self.paths,
        }
    }

    /// Dots per inch of the largest picture, within the bounds OCR wants.
    fn resolution(&self, region: &Bounds) -> f32 {
        let largest = self
            .pictures
            .iter()
            .filter(|picture| {
                picture.bounds.overlap_x(region) > 0.0 && picture.bounds.overlap_y(region) > 0.0
            })
            .max_by(|left, right| left.bounds.area().total_cmp(&right.bounds.area()));
        let own = largest.filter(|picture| picture.bounds.area() * 2.0 > region.area()).map(|picture| {
            let across = picture.pixels.0.max(picture.pixels.1) as f32;
            across / picture.bounds.width().max(picture.bounds.height()).max(1.0) * POINTS
        });
        own.unwrap_or(USUAL_DPI).clamp(LEAST_DPI, MOST_DPI)
    }
}

/// A rule in the coordinates of text that runs in `direction`.
fn turned(rule: &Bounds, direction: usize, width: f32, height: f32) -> Bounds {
    match direction {
        0 => *rule,
        1 => Bounds::new(rule.top, width - rule.left, rule.bottom, width - rule.right),
        2 => Bounds::new(width - rule.left, height - rule.top, width - rule.right, height - rule.bottom),
        _ => Bounds::new(height - rule.top, rule.left, height - rule.bottom, rule.right),
    }
}

impl Pages<'_> {
    /// Decides where a page's text comes from, and gets it there.
    pub(super) fn outcome(&mut self, index: usize, mut draft: Draft) -> Outcome {
        let facts = draft.facts();
        let source = page_source(
            &facts,
            self.reader.force_ocr && self.reader.pictures.is_some(),
            self.reader.limits.min_text_quality,
        );
        if !source.is_ocr() {
            let pictures =
                if source == PageSource::Blank { Vec::new() } else { self.pictures(index, &draft) };
            return Outcome {
                content: draft.content,
                beside: draft.turned.into_iter().chain(pictures).collect(),
            };
        }
        let region = Bounds::new(0.0, 0.0, draft.size.0, draft.size.1);
        let scan = match self.scan(index, &draft, region) {
            Ok(scan) => scan,
            Err(why) => {
                self.notes.miss(index, &format!("{}, and {why}", source.reason()));
                // Unreadable text would only mislead; what little a scan's page has is kept.
                let keep = facts.quality.score >= self.reader.limits.min_text_quality;
                return if keep {
                    Outcome { content: draft.content, beside: draft.turned }
                } else {
                    Outcome::default()
                };
            }
        };
        self.seen.extend(draft.pictures.iter().map(|picture| picture.key));
        if source == PageSource::Rubbish
            && !better_of(facts.quality, text_quality(&scan.text()), scan.confidence)
        {
            self.notes.warn(
                index,
                "its text layer looks unreadable, but OCR did not read it better; the layer was kept",
            );
            return Outcome { content: std::mem::take(&mut draft.content), beside: draft.turned };
        }
        self.report(index, source.reason(), &scan);
        Outcome { content: scan.page(draft.size.0, draft.size.1), beside: Vec::new() }
    }

    fn report(&mut self, index: usize, why: &str, scan: &Scan) {
        if scan.words.is_empty() {
            self.notes.warn(index, &format!("read by OCR ({why}): no text was found"));
        } else {
            self.notes.warn(index, &format!("read by OCR ({why}), mean confidence {:.2}", scan.confidence));
        }
        if scan.dropped > 0 {
            let what =
                format!("{} lines were too uncertain (below min_ocr_confidence) and left out", scan.dropped);
            self.notes.warn(index, &what);
        }
    }

    /// Draws a part of a page and reads it by OCR; words are in page units.
    fn scan(&mut self, index: usize, draft: &Draft, region: Bounds) -> Result<Scan, String> {
        let (picture, scale) = self.draw(index, draft, region)?;
        self.recognise(&picture, scale, region)
    }

    /// Draws a part of a page; also says how many pixels a point is.
    fn draw(&self, index: usize, draft: &Draft, region: Bounds) -> Result<(Picture, f32), String> {
        if self.reader.pictures.is_none() {
            return Err("OCR is off".into());
        }
        let limits = self.reader.limits;
        let wanted = draft.resolution(&region) / POINTS;
        // Never more pixels than the limit, nor sides beyond what can be drawn.
        let by_pixels = (limits.max_pixels as f32 / region.area().max(1.0)).sqrt();
        let by_side = MOST_SIDE / region.width().max(region.height()).max(1.0);
        let scale = wanted.min(by_pixels).min(by_side);
        let seconds = limits.max_parse_seconds;
        let deadline = Instant::now() + Duration::from_secs(seconds);
        let picture = self.worker.draw(index, region, scale, deadline).map_err(|error| match error {
            PageError::Expired => format!("drawing it took longer than max_parse_seconds = {seconds}"),
            PageError::Failed(reason) => format!("it could not be drawn: {reason}"),
        })?;
        Ok((picture, scale))
    }

    fn recognise(&self, picture: &Picture, scale: f32, region: Bounds) -> Result<Scan, String> {
        let Some(pictures) = self.reader.pictures else { return Err("OCR is off".into()) };
        let lines = pictures.read(picture)?;
        let least = self.reader.limits.min_ocr_confidence;
        Ok(Scan::new(&lines, 1.0 / scale, (region.left, region.top), least))
    }

    /// Text inside the pictures of a page that has a text layer.
    fn pictures(&mut self, index: usize, draft: &Draft) -> Vec<PageContent> {
        let page = Bounds::new(0.0, 0.0, draft.size.0, draft.size.1);
        let mut found = Vec::new();
        let mut looked = 0;
        for picture in &draft.pictures {
            let share = share_of_page(&picture.bounds, page.right, page.bottom);
            // A picture over the whole page under a text layer is a scan whose layer was believed.
            let page_itself = share > 0.85;
            if share < ORNAMENT
                || page_itself
                || picture.pixels.0 < FEWEST_PIXELS.0
                || picture.pixels.1 < FEWEST_PIXELS.1
            {
                continue;
            }
            if self.reader.pictures.is_none() || !self.seen.insert(picture.key) {
                continue;
            }
            looked += 1;
            if looked > self.reader.limits.max_page_pictures {
                self.notes.warn(index, "more pictures than max_page_pictures; the rest was not looked at");
                break;
            }
            let bounds = picture.bounds;
            let region = Bounds::new(
                bounds.left.max(0.0),
                bounds.top.max(0.0),
                bounds.right.min(page.right),
                bounds.bottom.min(page.bottom),
            );
            let scan = self.draw(index, draft, region).and_then(|(picture, scale)| {
                // The same picture may be stored once for every page.
                let known = !self.looks.insert(blake3::hash(&picture.rgb));
                if known { Ok(None) } else { self.recognise(&picture, scale, region).map(Some) }
            });
            match scan {
                Ok(scan) => found.extend(scan.and_then(|scan| self.picture(index, draft, scan))),
                Err(why) => {
                    self.notes.miss(index, &format!("a picture was not read: {why}"));
                    break;
                }
            }
        }
        found
    }

    /// What a picture says that the text layer does not say at the same place.
    fn picture(&mut self, index: usize, draft: &Draft, mut scan: Scan) -> Option<PageContent> {
        scan.words.retain(|word| {
            let (x, y) = (word.bounds.middle_x(), word.bounds.middle_y());
            !draft.content.words.iter().any(|known| known.bounds.contains(x, y))
        });
        if text_of(&scan.words).chars().filter(|character| character.is_alphanumeric()).count() < 3 {
            return None;
        }
        self.notes.warn(
            index,
            &format!("text in a picture was read by OCR, mean confidence {:.2}", scan.confidence),
        );
        Some(scan.page(draft.size.0, draft.size.1))
    }
}
