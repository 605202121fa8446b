//! Pages to text: glyphs or lines of OCR in, paragraphs, headings, lists and tables out.
//!
//! Everything is in page units with the origin at the top left and y growing downwards: points
//! (1/72 inch) for PDF; a picture is scaled by its reader so that its lines are about
//! [`NOMINAL_SIZE`] high. The way is
//!
//! ```text
//! glyphs -> words -> segments -> regions in reading order -> rows -> blocks -> Markdown
//! ```
//!
//! [`words`] joins glyphs; [`page_blocks`] orders and classifies what stands on one page;
//! [`running_lines`] finds what repeats at the edges of pages; [`compose`] writes the document.

mod aligned;
mod columns;
mod compose;
mod geometry;
mod grid;
mod hyphens;
mod ligatures;
mod page;
mod paragraphs;
mod quality;
mod ruled;
mod running;
mod segments;
mod verdict;
mod words;

pub use columns::reading_order;
pub use compose::{Composed, compose};
pub use geometry::Bounds;
pub use ligatures::repair_ligatures;
pub use page::{page_blocks, share_of_page};
pub use quality::{Quality, text_quality};
pub use running::{RunningLines, running_lines};
pub use verdict::{PageFacts, PageSource, better_of, page_source};
pub use words::{Glyph, Word, line_words, words};

/// Height that lines of a scanned page are scaled to: thresholds then mean the same as in a PDF.
pub const NOMINAL_SIZE: f32 = 10.0;

/// What stands on one page, before it is ordered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageContent {
    /// Width of the page.
    pub width: f32,
    /// Height of the page.
    pub height: f32,
    /// Its words, in any order.
    pub words: Vec<Word>,
    /// Straight lines drawn on it: thin rectangles, horizontal or vertical.
    pub rules: Vec<Bounds>,
    /// Read by OCR: sizes are rough, so they say nothing about headings.
    pub scanned: bool,
}

/// A piece of a page, in reading order.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Running text.
    Paragraph(Paragraph),
    /// A table.
    Table(TableBlock),
}

/// Lines that belong together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Paragraph {
    /// Its lines, as they stand on the page.
    pub lines: Vec<String>,
    /// Typical height of its glyphs.
    pub size: f32,
    /// Whether all of it is bold.
    pub bold: bool,
    /// Marker (as printed: `•`, `-`) and level of a list item; the marker is not in `lines`.
    pub item: Option<(String, usize)>,
    /// Whether it comes from OCR.
    pub scanned: bool,
}

/// A table found on a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableBlock {
    /// Cells, row by row; every row has the same number.
    pub rows: Vec<Vec<String>>,
    /// Rows at the top that name the columns; 0 when the first row is already data.
    pub header_rows: usize,
}
