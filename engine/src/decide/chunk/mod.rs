//! Text to chunks: headings and paragraphs first, then meaning.
//!
//! Two pure steps: [`segments`] cuts a text at headings, blocks and (where a block is too long)
//! sentences, words or characters; [`merge`] joins neighbours of one section while they are
//! small and, if a similarity is given, alike. Limits are in tokens as the caller counts them.
//!
//! What holds for every input:
//! - the ranges of the chunks, in order, tile the text: `text[range]` joined gives it back byte
//!   for byte, and `chunk.text[chunk.overlap..] == text[chunk.range]`;
//! - no boundary inside a grapheme cluster (a code point at worst), a table row or a code fence
//!   (one of more than `max_fence_tokens` is cut between lines);
//! - a later piece of a table repeats its header rows and separator (counted in `overlap`);
//! - a heading is in the chunk of what follows it.

mod blocks;
mod limits;
mod merge;
mod sentences;
mod split;
mod tables;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use limits::ChunkLimits;
pub use merge::merge;
pub use sentences::sentences;
pub use split::segments;
pub use tables::{FoundTable, markdown_tables};

/// How a text is structured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextFormat {
    /// CommonMark with tables and front matter.
    Markdown,
    /// Paragraphs between blank lines.
    Plain,
}

/// What a chunk mostly is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkKind {
    /// Sentences.
    Prose,
    /// A table, or a piece of one, with its header.
    Table,
    /// A code block.
    Code,
    /// A list.
    List,
}

/// A piece of a text that is within the limits, before merging.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Bytes of the text it covers. Segments tile the text.
    pub range: Range<usize>,
    /// Table header (or fence line) repeated in front of a later piece; empty otherwise.
    pub repeated: String,
    /// What it is.
    pub kind: ChunkKind,
    /// Headings above it, outermost first.
    pub headings: Vec<String>,
    /// Number of its section: segments of different sections are never merged.
    pub section: usize,
    /// Tokens of `repeated` and the range.
    pub tokens: usize,
    /// It must stay with the segment before it (a table's note).
    pub bound_to_previous: bool,
}

/// A piece of a text to store and embed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// Position in the document, from 0.
    pub ordinal: usize,
    /// Bytes of the normalised text it covers.
    pub range: Range<usize>,
    /// Bytes at the start of `text` that repeat something (a table header): not in `range`.
    pub overlap: usize,
    /// Headings above it, outermost first.
    pub headings: Vec<String>,
    /// Where it is, for people: headings (without a single document title above others), or lines.
    pub location: String,
    /// What is stored and embedded: repeated header, then the bytes of `range`.
    pub text: String,
    /// Tokens of `text`.
    pub tokens: usize,
    /// What it mostly is.
    pub kind: ChunkKind,
    /// Share of digits and column separators among its visible characters, in `[0, 1]`.
    pub tabular_density: f32,
}

/// Cuts `text` into chunks: [`segments`], then [`merge`] without a similarity.
pub fn chunk(
    text: &str,
    format: TextFormat,
    limits: &ChunkLimits,
    count: &dyn Fn(&str) -> usize,
) -> Vec<Chunk> {
    let segments = segments(text, format, limits, count);
    merge(text, &segments, None, limits, count)
}

/// Returns the share of digits and column separators (`,` `;` `|` tab `%`) among the visible
/// characters of `text`, in `[0, 1]`: about 0.03 for prose, above 0.3 for rows of figures.
pub fn tabular_density(text: &str) -> f32 {
    let (mut dense, mut visible) = (0_u32, 0_u32);
    for character in text.chars() {
        let separator = matches!(character, ',' | ';' | '|' | '\t' | '%');
        dense += u32::from(separator || character.is_numeric());
        visible += u32::from(separator || !character.is_whitespace());
    }
    if visible == 0 { 0.0 } else { dense as f32 / visible as f32 }
}

/// Returns the document's title: `title:` of the front matter, else the first level-1 heading.
pub fn markdown_title(text: &str) -> Option<String> {
    blocks::title(text)
}
