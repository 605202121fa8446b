//! Places inside paged documents, and pictures with text.

use std::ops::Range;

/// Where a page, slide or message part begins in a document's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Byte of the text where it begins.
    pub at: usize,
    /// Its name for people: `page 3`, `slide 2`, `slide 2, notes`.
    pub place: String,
}

/// Returns the place of a range of a text: that of its first byte, or `page 2 to page 3`.
///
/// `None` before the first mark, and without marks.
pub fn place_of(marks: &[Mark], range: &Range<usize>) -> Option<String> {
    let place = |at: usize| marks[..marks.partition_point(|mark| mark.at <= at)].last();
    let (first, last) = (place(range.start)?, place(range.end.saturating_sub(1).max(range.start))?);
    if first.place == last.place {
        return Some(first.place.clone());
    }
    Some(format!("{} to {}", first.place, last.place))
}

/// An 8-bit RGB picture, row by row from the top.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// `width * height * 3` bytes.
    pub rgb: Vec<u8>,
}

/// A line of text in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureLine {
    /// The text.
    pub text: String,
    /// Confidence in `[0, 1]`.
    pub confidence: f32,
    /// Corners in pixels: left, top, right, bottom.
    pub bounds: [f32; 4],
}

/// Reads the text of pictures: the OCR role, as a loader sees it.
pub trait PictureReader {
    /// Reads the lines of a picture in reading order.
    ///
    /// # Errors
    /// Why it could not be read, in words; the loader reports it with the page.
    fn read(&self, picture: &Picture) -> Result<Vec<PictureLine>, String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_the_page_it_begins_on() {
        let mark = |at, place: &str| Mark { at, place: place.into() };
        let marks = [mark(0, "page 1"), mark(10, "page 2"), mark(30, "page 3")];
        let check = |range, expected: Option<&str>| {
            assert_eq!(place_of(&marks, &range).as_deref(), expected, "{range:?}");
        };
        check(0..10, Some("page 1"));
        check(10..30, Some("page 2"));
        check(5..31, Some("page 1 to page 3"));
        check(40..40, Some("page 3"));
        assert_eq!(place_of(&[], &(0..4)), None);
        assert_eq!(place_of(&[mark(5, "page 2")], &(0..4)), None);
    }
}
