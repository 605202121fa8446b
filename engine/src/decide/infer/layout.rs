//! Where the tables of a file are: blocks between blank lines, captions, headers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::dates::date_cell;
use super::records::{Place, Records, is_blank};
use super::values::{is_null_like, number_shape, truth};

/// Rows of a block kept to decide its header from.
const HEAD_ROWS: usize = 200;

/// Consecutive records between blank lines.
#[derive(Debug, Clone)]
pub struct Block {
    /// Byte and line where it starts.
    pub start: usize,
    /// Line of its first record.
    pub line: u64,
    /// Byte after its last record.
    pub end: usize,
    /// Line on which its last record starts.
    pub last_line: u64,
    /// How many records have how many cells.
    widths: BTreeMap<usize, usize>,
    /// Its first records.
    head: Vec<Vec<String>>,
}

/// A run of records that belongs to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// Its line.
    pub line: u64,
    /// Byte after the last record.
    pub end: usize,
    /// Records to leave out at its start (caption and header).
    pub skip: usize,
}

/// A table before its types are known.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Where the rows are.
    pub spans: Vec<Span>,
    /// Header cells; `None` if there is no header row.
    pub header: Option<Vec<String>>,
    /// Cells of most rows.
    pub width: usize,
    /// Lines above the header that are no table.
    pub caption: Option<String>,
    /// First and last line.
    pub lines: (u64, u64),
    /// What a person should know.
    pub notes: Vec<(Option<u64>, String)>,
}

/// Splits a text into blocks.
pub fn scan(text: &str, start: usize, line: u64, delimiter: u8) -> Vec<Block> {
    let mut records = Records::new(text, start, text.len(), line, delimiter);
    let mut blocks = Blocks::default();
    let mut fields: Vec<Cow<'_, str>> = Vec::new();
    while let Some(place) = records.read(&mut fields) {
        if is_blank(&fields) {
            blocks.open = false;
        } else {
            blocks.push(place, fields.len(), &mut || fields.iter().map(|field| tidy(field)).collect());
        }
    }
    blocks.found
}

/// Splits a grid into blocks: bytes are row indexes, and `lines` numbers the rows.
pub fn scan_grid(rows: &[Vec<String>], lines: &[u64]) -> Vec<Block> {
    let mut blocks = Blocks::default();
    for (index, (row, line)) in rows.iter().zip(lines).enumerate() {
        if row.iter().all(|cell| cell.trim().is_empty()) {
            blocks.open = false;
        } else {
            let place = Place { line: *line, start: index, end: index + 1 };
            blocks.push(place, row.len(), &mut || row.iter().map(|cell| tidy(cell)).collect());
        }
    }
    blocks.found
}

/// Collects records into blocks.
#[derive(Default)]
struct Blocks {
    found: Vec<Block>,
    open: bool,
}

impl Blocks {
    fn push(&mut self, place: Place, width: usize, cells: &mut dyn FnMut() -> Vec<String>) {
        let Place { line, start, end } = place;
        if !self.open {
            let (widths, head) = (BTreeMap::new(), Vec::new());
            self.found.push(Block { start, line, end, last_line: line, widths, head });
            self.open = true;
        }
        if let Some(block) = self.found.last_mut() {
            (block.end, block.last_line) = (end, line);
            *block.widths.entry(width).or_default() += 1;
            if block.head.len() < HEAD_ROWS {
                block.head.push(cells());
            }
        }
    }
}

/// Trims a cell and joins its lines.
fn tidy(field: &str) -> String {
    if field.contains(['\n', '\r']) {
        field.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        field.trim().to_owned()
    }
}

/// Finds the tables among the blocks.
pub fn tables(blocks: &[Block]) -> Vec<Layout> {
    let widest = blocks.iter().map(Block::width).max().unwrap_or(0);
    let mut found: Vec<Layout> = Vec::new();
    let mut caption: Vec<String> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        if widest > 1 && block.is_prose() {
            let words = block
                .head
                .iter()
                .flatten()
                .filter(|cell| !cell.is_empty())
                .cloned()
                .collect::<Vec<_>>()
                .join(" ");
            let followed = blocks[index + 1..].iter().any(|next| !next.is_prose());
            match found.last_mut() {
                Some(table) if !followed => table.notes.push((Some(block.line), format!("note: {words}"))),
                _ => caption.push(words),
            }
            continue;
        }
        if caption.is_empty()
            && let Some(table) = found.last_mut()
            && table.absorb(block)
        {
            continue;
        }
        let caption = std::mem::take(&mut caption);
        found.push(block.layout(caption));
    }
    found
}

impl Block {
    /// Returns the number of cells most records have (the larger one on a tie).
    fn width(&self) -> usize {
        self.widths.iter().max_by_key(|(width, count)| (**count, **width)).map_or(0, |(width, _)| *width)
    }

    /// Says whether no record has more than one cell with something in it.
    fn is_prose(&self) -> bool {
        self.head.len() < HEAD_ROWS && self.head.iter().all(|row| filled(row) <= 1)
    }

    /// Returns how many records at the top are captions above a wider table.
    fn caption_rows(&self) -> usize {
        if self.width() < 2 {
            return 0;
        }
        let is_caption =
            |row: &&Vec<String>| filled(row) == 1 && row.first().is_some_and(|cell| is_words(cell));
        let rows = self.head.iter().take_while(is_caption).count();
        let below = &self.head[rows..];
        if rows == 0 || below.is_empty() {
            return 0;
        }
        // A row of one cell is no header; `nome;;` may be one with blank names, unless what is
        // below is a header already.
        let last = &self.head[rows - 1];
        let words = last[0].split_whitespace().count();
        let heads = last.len() > 1 && !(is_header(below) && (words > 1 || types_differ(below)));
        rows - usize::from(heads)
    }

    fn layout(&self, mut caption: Vec<String>) -> Layout {
        let skip = self.caption_rows();
        for row in &self.head[..skip] {
            caption.extend(row.iter().filter(|cell| !cell.is_empty()).cloned());
        }
        let has_header = is_header(&self.head[skip..]);
        let header = has_header.then(|| self.head[skip].clone());
        let width = header.as_ref().map_or_else(|| self.width(), Vec::len);
        Layout {
            spans: vec![Span {
                start: self.start,
                line: self.line,
                end: self.end,
                skip: skip + usize::from(has_header),
            }],
            header,
            width,
            caption: (!caption.is_empty()).then(|| caption.join(" ")),
            lines: (self.line, self.last_line),
            notes: Vec::new(),
        }
    }
}

impl Layout {
    /// Takes a further block into this table if it is only parted by blank lines.
    fn absorb(&mut self, block: &Block) -> bool {
        let repeated = self.header.is_some() && block.head.first() == self.header.as_ref();
        let same_width = block.width() == self.width || block.widths.keys().all(|width| *width == self.width);
        if !(repeated || same_width && (block.head.len() == 1 || !is_header(&block.head))) {
            return false;
        }
        let what = if repeated {
            "the header is repeated here and read once"
        } else {
            "rows go on after blank lines"
        };
        self.notes.push((Some(block.line), what.into()));
        self.spans.push(Span {
            start: block.start,
            line: block.line,
            end: block.end,
            skip: usize::from(repeated),
        });
        self.lines.1 = block.last_line;
        true
    }
}

fn filled(row: &[String]) -> usize {
    row.iter().filter(|cell| !cell.is_empty()).count()
}

/// Says whether a cell is text, not a value of another type.
pub fn is_words(cell: &str) -> bool {
    !cell.is_empty() && number_shape(cell).is_none() && date_cell(cell).is_none() && truth(cell).is_none()
}

/// Decides whether the first of `rows` names the columns.
///
/// It does if its cells are words and the column below some of them is not, or if all columns
/// are words and no cell of it comes again in its column. Years and dates may name columns when
/// what is below them is of another kind.
pub fn is_header(rows: &[Vec<String>]) -> bool {
    let Some((first, body)) = rows.split_first() else { return false };
    if filled(first) == 0 || first.iter().any(|cell| cell.chars().count() > 300) {
        return false;
    }
    let (mut words, mut typed_below, mut repeats, mut foreign, mut lettered) = (0, 0, 0, 0, false);
    for (column, cell) in first.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
        let below = || body.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
        if is_words(cell) && !is_null_like(cell) {
            words += 1;
            repeats += usize::from(below().any(|other| other == cell));
            let all = below().count();
            let typed = below().filter(|cell| !is_words(cell) || is_null_like(cell)).count();
            typed_below += usize::from(all > 0 && typed * 5 >= all * 4);
        } else if !names_period(cell, below()) {
            foreign += 1;
        }
        lettered |= cell.chars().any(char::is_alphabetic);
    }
    if foreign > 0 || words == 0 || !lettered {
        return false;
    }
    if typed_below > 0 {
        return true;
    }
    // Nothing but words: a header unless its words are values too.
    repeats == 0 && first.iter().filter(|cell| !cell.is_empty()).all_unique()
}

/// Says whether a column is words in its first row and something else below.
fn types_differ(rows: &[Vec<String>]) -> bool {
    let Some((first, body)) = rows.split_first() else { return false };
    first.iter().enumerate().any(|(column, cell)| {
        let mut below =
            body.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty()).peekable();
        is_words(cell) && below.peek().is_some() && below.all(|cell| !is_words(cell))
    })
}

/// Says whether a year or date may head its column: what is below is something else.
fn names_period<'a>(cell: &str, mut below: impl Iterator<Item = &'a String>) -> bool {
    let is_year = |cell: &str| cell.len() == 4 && (cell.starts_with("19") || cell.starts_with("20"));
    if date_cell(cell).is_some() {
        return below.all(|other| date_cell(other).is_none());
    }
    let plain = cell.bytes().all(|byte| byte.is_ascii_digit());
    plain && is_year(cell) && !below.all(|other| is_year(other))
}

/// `all_unique` for small iterators.
trait AllUnique: Iterator {
    fn all_unique(self) -> bool;
}

impl<'a, I: Iterator<Item = &'a String>> AllUnique for I {
    fn all_unique(self) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut cells = self;
        cells.all(|cell| seen.insert(cell))
    }
}
