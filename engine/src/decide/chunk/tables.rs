//! Tables inside Markdown, as grids for [`crate::decide::infer`].

use std::ops::Range;

use super::TextFormat;
use super::blocks::{BlockKind, blocks, is_separator};

/// A table found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTable {
    /// Bytes of the text it covers, notes excluded.
    pub range: Range<usize>,
    /// First and last line, 1-based.
    pub lines: (u64, u64),
    /// Short line right above it, or the heading it stands under.
    pub caption: Option<String>,
    /// Rows above the separator.
    pub header_rows: usize,
    /// All rows, header rows first, cells trimmed and without markup escapes.
    pub rows: Vec<Vec<String>>,
}

/// Returns the tables of a Markdown text, in order.
pub fn markdown_tables(text: &str) -> Vec<FoundTable> {
    let (mut found, mut heading, mut above) = (Vec::new(), None, None);
    for block in blocks(text, TextFormat::Markdown) {
        match block.kind {
            BlockKind::Heading(_, title) => (heading, above) = (Some(title), None),
            BlockKind::Paragraph => {
                let words = text[block.range].trim();
                above = (words.lines().count() == 1 && words.chars().count() <= 160)
                    .then(|| words.trim_end_matches(':').trim_matches(['*', '_']).to_owned());
            }
            BlockKind::Table(_) => {
                let caption = above.take().or_else(|| heading.clone());
                found.push(table(text, block.range, caption));
            }
            _ => above = None,
        }
    }
    found
}

fn table(text: &str, range: Range<usize>, caption: Option<String>) -> FoundTable {
    let source = text[range.clone()].trim_end();
    let first = text[..range.start].bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
    let lines = (first, first + source.lines().count().max(1) as u64 - 1);
    let header_rows = source.lines().position(is_separator).unwrap_or(0);
    let rows = source
        .lines()
        .enumerate()
        .filter(|(index, line)| *index != header_rows && !line.trim().is_empty())
        .map(|(_, line)| cells(line))
        .collect();
    FoundTable { range: range.start..range.start + source.len(), lines, caption, header_rows, rows }
}

/// Splits a table row at its pipes; `\|` is a pipe inside a cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = if line.ends_with('|') && !line.ends_with("\\|") { &line[..line.len() - 1] } else { line };
    let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
    for character in line.chars() {
        match character {
            '|' if !escaped => cells.push(std::mem::take(&mut cell)),
            '|' => {
                cell.pop();
                cell.push('|');
            }
            other => cell.push(other),
        }
        escaped = character == '\\' && !escaped;
    }
    cells.push(cell);
    cells.into_iter().map(|cell| cell.trim().trim_matches('*').trim().to_owned()).collect()
}
