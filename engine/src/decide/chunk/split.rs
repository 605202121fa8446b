//! Blocks to segments within the limits.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::blocks::{Block, BlockKind, blocks, line_end};
use super::{ChunkKind, ChunkLimits, Segment, TextFormat, sentences};

/// No token of any embedder here is longer on average; bounds the text counted at a time.
const BYTES_PER_TOKEN: usize = 16;

/// Cuts `text` into segments that tile it, each within the limits.
pub fn segments(
    text: &str,
    format: TextFormat,
    limits: &ChunkLimits,
    count: &dyn Fn(&str) -> usize,
) -> Vec<Segment> {
    let mut cutter =
        Cutter { text, limits, count, found: Vec::new(), trail: Vec::new(), section: 0, prefix: None };
    let found = blocks(text, format);
    for (index, block) in found.iter().enumerate() {
        cutter.block(block, found.get(index + 1));
    }
    cutter.finish();
    cutter.found
}

struct Cutter<'a> {
    text: &'a str,
    limits: &'a ChunkLimits,
    count: &'a dyn Fn(&str) -> usize,
    found: Vec<Segment>,
    /// Open headings with their levels.
    trail: Vec<(u8, String)>,
    section: usize,
    /// Start of headings and captions waiting for the block they belong to.
    prefix: Option<usize>,
}

/// A piece of one block: bytes, and the header repeated in front.
type Piece = (Range<usize>, String);

impl Cutter<'_> {
    fn block(&mut self, block: &Block, next: Option<&Block>) {
        let body = block.range.clone();
        match &block.kind {
            BlockKind::Heading(level, title) => return self.heading(*level, title, body.start),
            BlockKind::Paragraph if self.is_caption(block, next) => {
                self.prefix.get_or_insert(body.start);
                return;
            }
            _ => {}
        }
        let start = self.take_prefix(body.start);
        let (kind, pieces) = match &block.kind {
            BlockKind::Table(header_end) => (ChunkKind::Table, self.table(start, &body, *header_end)),
            BlockKind::Code => (ChunkKind::Code, self.code(start, &body)),
            BlockKind::List(items) => (ChunkKind::List, self.list(start, &body, items)),
            _ => (ChunkKind::Prose, plain(self.prose(start, body.clone()))),
        };
        let bound = self.is_table_note(block);
        for (index, (range, repeated)) in pieces.into_iter().enumerate() {
            self.push(range, repeated, kind, bound && index == 0);
        }
    }

    fn heading(&mut self, level: u8, title: &str, start: usize) {
        // Headings in a row wait together: the text between them is empty.
        self.prefix.get_or_insert(start);
        self.section += 1;
        while self.trail.last().is_some_and(|(above, _)| *above >= level) {
            self.trail.pop();
        }
        self.trail.push((level, title.to_owned()));
    }

    /// Returns where the next segment starts: at the waiting headings, unless they are so long
    /// that they must be segments of their own.
    fn take_prefix(&mut self, body: usize) -> usize {
        let Some(start) = self.prefix.take() else { return body };
        if (self.count)(&self.text[start..body]) * 2 <= self.limits.max_tokens {
            return start;
        }
        for range in self.prose(start, start..body) {
            self.push(range, String::new(), ChunkKind::Prose, false);
        }
        body
    }

    fn finish(&mut self) {
        if let Some(start) = self.prefix.take() {
            for range in self.prose(start, start..self.text.len()) {
                self.push(range, String::new(), ChunkKind::Prose, false);
            }
        }
    }

    fn push(&mut self, range: Range<usize>, repeated: String, kind: ChunkKind, bound_to_previous: bool) {
        let tokens = if repeated.is_empty() {
            (self.count)(&self.text[range.clone()])
        } else {
            (self.count)(&format!("{repeated}{}", &self.text[range.clone()]))
        };
        let headings =
            self.trail.iter().map(|(_, title)| title.clone()).filter(|title| !title.is_empty()).collect();
        let section = self.section;
        self.found.push(Segment { range, repeated, kind, headings, section, tokens, bound_to_previous });
    }

    /// Says whether a paragraph is the caption of the table right below it.
    fn is_caption(&self, block: &Block, next: Option<&Block>) -> bool {
        let words = self.text[block.range.clone()].trim();
        next.is_some_and(|next| matches!(next.kind, BlockKind::Table(_)))
            && words.lines().count() <= 2
            && (words.ends_with(':') || starts_with_any(words, &["tabela", "table", "quadro", "tab."]))
            && (self.count)(words) * 4 <= self.limits.max_tokens
    }

    /// Says whether a paragraph is a note of the table right above it.
    fn is_table_note(&self, block: &Block) -> bool {
        let words = self.text[block.range.clone()].trim();
        // `[1] ...` is how the loaders write a footnote.
        let numbered =
            words.strip_prefix('[').and_then(|rest| rest.split_once("] ")).is_some_and(|(number, _)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            });
        let marked = numbered
            || words.starts_with(['¹', '²', '³', '*', '†', '‡'])
            || starts_with_any(
                words,
                &["nota:", "notas:", "note:", "notes:", "fonte:", "source:", "obs:", "obs.:"],
            );
        let below = self
            .found
            .last()
            .is_some_and(|last| last.kind == ChunkKind::Table && last.section == self.section);
        below && marked && block.kind == BlockKind::Paragraph
    }

    /// Cuts running text at sentences; the first piece also holds `start..range.start`.
    fn prose(&self, start: usize, range: Range<usize>) -> Vec<Range<usize>> {
        let whole = start..range.end;
        if (self.count)(&self.text[whole.clone()]) <= self.limits.max_tokens {
            return vec![whole];
        }
        let mut units: Vec<Range<usize>> = sentences(&self.text[range.clone()])
            .into_iter()
            .map(|sentence| range.start + sentence.start..range.start + sentence.end)
            .collect();
        if let Some(first) = units.first_mut() {
            first.start = start;
        }
        self.pack(units, self.limits.target_tokens)
    }

    /// Joins neighbouring units up to `target` tokens and cuts the ones that are over the maximum.
    fn pack(&self, units: Vec<Range<usize>>, target: usize) -> Vec<Range<usize>> {
        let mut packed: Vec<(Range<usize>, usize)> = Vec::new();
        for unit in units {
            let tokens = (self.count)(&self.text[unit.clone()]);
            if tokens > self.limits.max_tokens {
                let pieces = self.cut_long(unit, self.limits.max_tokens);
                packed.extend(pieces.into_iter().map(|piece| (piece, usize::MAX)));
                continue;
            }
            match packed.last_mut() {
                Some((last, size)) if size.saturating_add(tokens) <= target => {
                    last.end = unit.end;
                    *size += tokens;
                }
                _ => packed.push((unit, tokens)),
            }
        }
        packed.into_iter().map(|(range, _)| range).collect()
    }

    /// Cuts text that has no sentences short enough: at words, else at characters.
    fn cut_long(&self, range: Range<usize>, max: usize) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut start = range.start;
        while start < range.end {
            let window_end = floor_boundary(self.text, (start + max.max(1) * BYTES_PER_TOKEN).min(range.end));
            let window = &self.text[start..window_end.max(start)];
            let last = window_end == range.end;
            let length = self.longest_prefix(window, max, last).max(1);
            let end = ceil_boundary(self.text, start + length);
            pieces.push(start..end);
            start = end;
        }
        pieces
    }

    /// Returns the length of the longest prefix of `window` within `max` tokens, at least one character.
    fn longest_prefix(&self, window: &str, max: usize, is_last: bool) -> usize {
        if is_last && (self.count)(window) <= max {
            return window.len();
        }
        let bounds: Vec<usize> = window.split_word_bound_indices().map(|(at, _)| at).skip(1).collect();
        let mut fitting = self.fitting(window, &bounds, max);
        if fitting == 0 {
            let bounds: Vec<usize> = window.grapheme_indices(true).map(|(at, _)| at).skip(1).collect();
            fitting = self.fitting(window, &bounds, max);
        }
        if fitting == 0 {
            let bounds: Vec<usize> = window.char_indices().map(|(at, _)| at).skip(1).collect();
            fitting = self.fitting(window, &bounds, max);
        }
        if fitting == 0 {
            return window.chars().next().map_or(1, char::len_utf8);
        }
        // Rather end after a pause than in the middle of a phrase, if there is one near the end.
        let pause = window[..fitting]
            .rfind(|c: char| c.is_whitespace() || matches!(c, '，' | '、' | '；' | ',' | ';'));
        let after = pause.map(|at| at + window[at..].chars().next().map_or(1, char::len_utf8));
        after.filter(|after| *after * 5 >= fitting * 3).unwrap_or(fitting)
    }

    /// Binary search: the last of `bounds` whose prefix has at most `max` tokens, or 0.
    fn fitting(&self, window: &str, bounds: &[usize], max: usize) -> usize {
        let fits = bounds.partition_point(|end| (self.count)(&window[..*end]) <= max);
        if fits == 0 { 0 } else { bounds[fits - 1] }
    }

    /// Cuts a table between rows; later pieces repeat the header rows and the separator.
    fn table(&self, start: usize, body: &Range<usize>, header_end: usize) -> Vec<Piece> {
        let header = &self.text[body.start..header_end];
        let header_tokens = (self.count)(header);
        let mut pieces: Vec<Piece> = vec![(start..header_end, String::new())];
        let mut size = (self.count)(&self.text[start..header_end]);
        let (mut at, mut rows) = (header_end, 0);
        while at < body.end {
            let end = line_end(self.text, at).min(body.end);
            let tokens = (self.count)(&self.text[at..end]);
            let blank = self.text[at..end].trim().is_empty();
            if !blank && rows > 0 && size + tokens > self.limits.max_tokens {
                pieces.push((at..at, header.to_owned()));
                (size, rows) = (header_tokens, 0);
            }
            if let Some((range, _)) = pieces.last_mut() {
                range.end = end;
            }
            (size, rows, at) = (size + tokens, rows + usize::from(!blank), end);
        }
        pieces
    }

    /// Keeps a code block whole, or cuts an enormous one between lines.
    fn code(&self, start: usize, body: &Range<usize>) -> Vec<Piece> {
        let max = self.limits.max_fence_tokens.max(self.limits.max_tokens);
        if (self.count)(&self.text[start..body.end]) <= max {
            return vec![(start..body.end, String::new())];
        }
        let opening = &self.text[body.start..line_end(self.text, body.start)];
        let fence = opening.trim_start().starts_with("```") || opening.trim_start().starts_with("~~~");
        let repeated = if fence && (self.count)(opening) * 8 <= max { opening } else { "" };
        let mut pieces: Vec<Piece> = Vec::new();
        let (mut from, mut at, mut size) = (start, body.start, 0);
        while at < body.end {
            let end = line_end(self.text, at).min(body.end);
            let tokens = (self.count)(&self.text[at..end]);
            if size > 0 && size + tokens > self.limits.max_tokens {
                pieces.push((from..at, String::new()));
                (from, size) = (at, 0);
            }
            if tokens > self.limits.max_tokens {
                let long = self.cut_long(from..end, self.limits.max_tokens);
                pieces.extend(long.into_iter().map(|range| (range, String::new())));
                (from, size) = (end, 0);
            } else {
                size += tokens;
            }
            at = end;
        }
        if from < body.end {
            pieces.push((from..body.end, String::new()));
        }
        pieces.iter_mut().skip(1).for_each(|piece| piece.1 = repeated.to_owned());
        pieces
    }

    /// Cuts a list between items, and an item that is too long like prose.
    fn list(&self, start: usize, body: &Range<usize>, items: &[usize]) -> Vec<Piece> {
        if (self.count)(&self.text[start..body.end]) <= self.limits.max_tokens || items.is_empty() {
            return plain(self.prose(start, body.clone()));
        }
        let mut units = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let from = if index == 0 { start } else { *item };
            let until = items.get(index + 1).copied().unwrap_or(body.end);
            if (self.count)(&self.text[from..until]) <= self.limits.max_tokens {
                units.push(from..until);
            } else {
                units.extend(self.prose(from, (*item).max(from)..until));
            }
        }
        plain(self.pack(units, self.limits.target_tokens))
    }
}

fn plain(ranges: Vec<Range<usize>>) -> Vec<Piece> {
    ranges.into_iter().map(|range| (range, String::new())).collect()
}

fn starts_with_any(words: &str, starts: &[&str]) -> bool {
    let head: String =
        words.trim_start_matches(['*', '_']).chars().take(10).collect::<String>().to_lowercase();
    starts.iter().any(|start| head.starts_with(start))
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while at > 0 && !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil_boundary(text: &str, mut at: usize) -> usize {
    while at < text.len() && !text.is_char_boundary(at) {
        at += 1;
    }
    at.min(text.len())
}
