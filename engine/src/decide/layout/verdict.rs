//! Where a page's text comes from: its text layer, or OCR of what it looks like.

use serde::Serialize;

use super::quality::Quality;

/// What is known of a page before its text is believed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PageFacts {
    /// Characters of the text layer, spaces aside.
    pub characters: usize,
    /// Glyphs that no character is known for.
    pub unmapped: usize,
    /// Judgement of the text layer.
    pub quality: Quality,
    /// Share of the page that pictures cover, in `[0, 1]`.
    pub pictures: f32,
    /// Drawn paths, rules of tables aside.
    pub paths: usize,
}

/// Where the text of a page comes from, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PageSource {
    /// The text layer.
    Layer,
    /// There is nothing on the page.
    Blank,
    /// OCR, because there is no text layer worth the name.
    NoLayer,
    /// OCR, because the text layer is not text.
    Rubbish,
    /// OCR, because the person asked for it.
    Asked,
}

impl PageSource {
    /// Whether the page is to be read by OCR.
    pub fn is_ocr(self) -> bool {
        matches!(self, Self::NoLayer | Self::Rubbish | Self::Asked)
    }

    /// Says why, for people.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Layer => "it has a text layer",
            Self::Blank => "it is blank",
            Self::NoLayer => "it is a picture without a text layer",
            Self::Rubbish => "its text layer is not readable text",
            Self::Asked => "OCR was asked for",
        }
    }
}

/// Characters below which a page that is mostly a picture counts as a scan (a stamp, a number).
const FEW: usize = 40;
/// Share of the page from which a picture is the page.
const MOSTLY: f32 = 0.5;
/// Paths from which a page without text may be text drawn as outlines.
const OUTLINES: usize = 200;

/// Decides where a page's text comes from. `least` is the quality a text layer needs.
pub fn page_source(facts: &PageFacts, force: bool, least: f32) -> PageSource {
    let drawn = facts.pictures >= 0.02 || facts.paths >= OUTLINES || facts.unmapped > 0;
    if facts.characters == 0 && !drawn {
        return PageSource::Blank;
    }
    if force {
        return PageSource::Asked;
    }
    if facts.characters == 0 || facts.characters < FEW && facts.pictures >= MOSTLY {
        return PageSource::NoLayer;
    }
    let unmapped = facts.unmapped as f32 / (facts.characters + facts.unmapped) as f32;
    if facts.quality.score * (1.0 - unmapped) < least {
        return PageSource::Rubbish;
    }
    PageSource::Layer
}

/// Says whether OCR read a suspicious page better than its text layer says: quality times mean
/// confidence against quality.
pub fn better_of(layer: Quality, ocr: Quality, confidence: f32) -> bool {
    ocr.judged > 0 && ocr.score * confidence >= layer.score
}

#[cfg(test)]
mod tests {
    use super::super::quality::text_quality;
    use super::*;

    fn facts(text: &str, pictures: f32) -> PageFacts {
        PageFacts {
            characters: text.chars().filter(|character| !character.is_whitespace()).count(),
            unmapped: 0,
            quality: text_quality(text),
            pictures,
            paths: 0,
        }
    }

    #[test]
    fn d08_pages_go_where_their_text_is() {
        let check =
            |facts: PageFacts, expected| assert_eq!(page_source(&facts, false, 0.5), expected, "{facts:?}");
        check(facts("Um texto legível que basta para uma página inteira.", 0.0), PageSource::Layer);
        check(facts("Um texto legível que basta para uma página inteira.", 1.0), PageSource::Layer);
        check(facts("a;dklja adlkfad", 0.9), PageSource::NoLayer);
        check(facts("a;dklja adlkfad qwzx;jk lkjsdf vbqn;w poqx zxqw lkjq", 0.0), PageSource::Rubbish);
        check(facts("", 0.8), PageSource::NoLayer);
        check(facts("", 0.0), PageSource::Blank);
        check(facts("página 3", 0.9), PageSource::NoLayer);
        check(PageFacts { paths: 5000, ..facts("", 0.0) }, PageSource::NoLayer);
        check(PageFacts { unmapped: 900, ..facts("um texto que se lê em parte", 0.0) }, PageSource::Rubbish);
    }

    #[test]
    fn d08_force_is_obeyed_where_there_is_anything() {
        assert_eq!(page_source(&facts("Um bom texto.", 0.0), true, 0.5), PageSource::Asked);
        assert_eq!(page_source(&facts("", 0.0), true, 0.5), PageSource::Blank);
    }

    #[test]
    fn a_worse_reading_does_not_replace_the_layer() {
        let (good, bad) = (text_quality("um texto bom e legível"), text_quality("xkq zvbn qwrt plmk jhgf"));
        assert!(better_of(bad, good, 0.9));
        assert!(!better_of(good, bad, 0.9));
        assert!(!better_of(bad, text_quality(""), 0.0));
    }
}
