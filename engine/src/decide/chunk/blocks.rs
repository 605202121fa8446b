//! Top-level blocks of a text, with their byte ranges.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::TextFormat;

/// What a block is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BlockKind {
    /// A heading with its level (1-6) and its text without markup.
    Heading(u8, String),
    /// Sentences.
    Paragraph,
    /// Byte offsets at which the items start.
    List(Vec<usize>),
    /// Header lines (separator included) end here; rows follow, one a line.
    Table(usize),
    /// Fenced or indented code.
    Code,
    /// Anything else: quotes, HTML, rules, front matter.
    Other,
}

/// A block and the bytes it covers, up to the next block (blank lines included).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    pub range: Range<usize>,
    pub kind: BlockKind,
}

/// Returns the blocks of `text`; their ranges tile it. Blank text gives at most one block.
pub(super) fn blocks(text: &str, format: TextFormat) -> Vec<Block> {
    let mut found = match format {
        TextFormat::Markdown => join_split_headers(text, markdown_blocks(text)),
        TextFormat::Plain => plain_blocks(text),
    };
    tile(&mut found, text.len());
    found
}

/// Returns the title of a Markdown text.
pub(super) fn title(text: &str) -> Option<String> {
    let found = markdown_blocks(text);
    let front = text.strip_prefix("---\n").and_then(|rest| rest.split("\n---").next());
    let named = front.and_then(|front| front.lines().find_map(|line| line.strip_prefix("title:")));
    let named = named.map(|title| title.trim().trim_matches(['"', '\'']).trim().to_owned());
    named.filter(|title| !title.is_empty()).or_else(|| {
        found.into_iter().find_map(|block| match block.kind {
            BlockKind::Heading(1, title) if !title.is_empty() => Some(title),
            _ => None,
        })
    })
}

fn markdown_blocks(text: &str) -> Vec<Block> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES;
    let (mut found, mut depth, mut inner) = (Vec::<Block>::new(), 0_usize, Inner::default());
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    inner = Inner::default();
                    found.push(Block { range: range.clone(), kind: start_kind(&tag) });
                }
                if depth == 1 && matches!(tag, Tag::Item) {
                    inner.items.push(range.start);
                }
                depth += 1;
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                if depth == 1 && matches!(tag, TagEnd::TableHead) {
                    inner.header_end = range.end;
                }
                if depth == 0
                    && let Some(block) = found.last_mut()
                {
                    block.finish(text, &mut inner);
                }
            }
            Event::Text(words) | Event::Code(words) => inner.words.push_str(&words),
            Event::SoftBreak | Event::HardBreak => inner.words.push(' '),
            _ if depth == 0 => found.push(Block { range, kind: BlockKind::Other }),
            _ => {}
        }
    }
    found
}

/// What is collected while inside a top-level block.
#[derive(Default)]
struct Inner {
    words: String,
    items: Vec<usize>,
    header_end: usize,
}

fn start_kind(tag: &Tag<'_>) -> BlockKind {
    match tag {
        Tag::Heading { level, .. } => BlockKind::Heading(level_number(*level), String::new()),
        Tag::Paragraph => BlockKind::Paragraph,
        Tag::List(_) => BlockKind::List(Vec::new()),
        Tag::Table(_) => BlockKind::Table(0),
        Tag::CodeBlock(_) => BlockKind::Code,
        _ => BlockKind::Other,
    }
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

impl Block {
    /// Moves what was collected inside into the kind.
    fn finish(&mut self, text: &str, inner: &mut Inner) {
        match &mut self.kind {
            BlockKind::Heading(_, title) => {
                *title = inner.words.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            BlockKind::List(items) => *items = std::mem::take(&mut inner.items),
            BlockKind::Table(end) => {
                let separator = line_end(text, line_end(text, inner.header_end.saturating_sub(1)));
                *end = separator.min(self.range.end);
            }
            BlockKind::Paragraph => {
                if let Some(end) = piped_header_end(text, &self.range) {
                    self.kind = BlockKind::Table(end);
                }
            }
            _ => {}
        }
    }
}

/// Returns the byte after the line that holds byte `at`.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let at = at.min(bytes.len());
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |offset| at + offset + 1)
}

/// Finds the separator row in a paragraph of piped lines: a table with several header rows,
/// which Markdown itself does not know. Returns the end of the separator line.
fn piped_header_end(text: &str, range: &Range<usize>) -> Option<usize> {
    let mut end = range.start;
    let mut header = None;
    for line in text[range.clone()].split_inclusive('\n') {
        end += line.len();
        if !line.trim_start().starts_with('|') {
            return None;
        }
        if header.is_none() && is_separator(line) {
            header = Some(end);
        }
    }
    header.filter(|end| *end > line_end(text, range.start))
}

/// Says whether a line is the `|---|:--:|` row under a table's header.
pub(super) fn is_separator(line: &str) -> bool {
    let line = line.trim();
    line.contains('-')
        && line.contains('|')
        && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// Joins a paragraph of piped lines to the table right below it: further header rows.
fn join_split_headers(text: &str, found: Vec<Block>) -> Vec<Block> {
    let mut joined: Vec<Block> = Vec::with_capacity(found.len());
    for block in found {
        let above = joined.last().filter(|above| {
            matches!(block.kind, BlockKind::Table(_))
                && above.kind == BlockKind::Paragraph
                && text[above.range.start..block.range.start]
                    .lines()
                    .all(|line| line.trim_start().starts_with('|'))
        });
        if let Some(start) = above.map(|above| above.range.start) {
            joined.pop();
            joined.push(Block { range: start..block.range.end, kind: block.kind });
        } else {
            joined.push(block);
        }
    }
    joined
}

/// Splits plain text at blank lines.
fn plain_blocks(text: &str) -> Vec<Block> {
    let (mut found, mut at, mut open) = (Vec::<Block>::new(), 0, false);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let blank = line.trim().is_empty();
        if !blank && !open {
            found.push(Block { range: at..end, kind: BlockKind::Paragraph });
        }
        open = !blank;
        at = end;
    }
    found
}

/// Stretches the ranges so that they tile the text: what lies between belongs to the block before.
fn tile(found: &mut Vec<Block>, length: usize) {
    if found.is_empty() && length > 0 {
        found.push(Block { range: 0..length, kind: BlockKind::Paragraph });
    }
    let mut end = length;
    for index in (0..found.len()).rev() {
        let start = if index == 0 { 0 } else { found[index].range.start };
        found[index].range = start..end;
        end = start;
    }
}
