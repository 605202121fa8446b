//! Text of a document as Markdown, block by block: what every loader of documents writes.
//!
//! Words are normalised as they come in (see [`normalise`]), so that marks keep their places.
//! Only what would turn words into structure is escaped: a line that begins like a heading, a
//! fence, a rule, a table or an HTML block.

use super::{Mark, normalise};

/// Deepest list level written; deeper items are written at this one.
const DEEPEST_ITEM: usize = 5;

/// A Markdown text under construction.
#[derive(Debug, Default)]
pub(super) struct Markup {
    text: String,
    marks: Vec<Mark>,
    /// Depth of the list item written last, if the last block was one.
    item_depth: Option<usize>,
}

/// Cells of a table, row by row; rows may differ in length.
#[derive(Debug, Default, Clone)]
pub(super) struct Grid {
    /// Cells, header rows first.
    pub rows: Vec<Vec<String>>,
    /// Rows that name columns.
    pub header_rows: usize,
    /// Title of the table, written above it.
    pub caption: Option<String>,
}

impl Grid {
    /// Makes a grid of rows whose merged cells are filled. `lone` is, row by row, the width of its
    /// cell if the row has only one, else 0; without a header row the first row is one.
    pub fn of(mut rows: Vec<Vec<String>>, lone: &[usize], header_rows: usize) -> Self {
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        let whole = |row: usize| width > 1 && lone.get(row) == Some(&width);
        // Such a row among others is a heading: its words are no value of every column.
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| whole(*index)) {
            row[1..].fill(String::new());
        }
        // At the top it is the table's title.
        let (mut caption, mut header_rows) = (None, header_rows);
        if rows.len() > 2 && whole(0) {
            caption = Some(std::mem::take(&mut rows[0][0])).filter(|title| !title.trim().is_empty());
            rows.remove(0);
            header_rows = header_rows.saturating_sub(1);
        }
        Self { rows, header_rows: header_rows.max(1), caption }
    }
}

impl Markup {
    /// Writes a heading; levels beyond 1-6 are clamped.
    pub fn heading(&mut self, level: usize, words: &str) {
        let words = one_line(words);
        if !words.is_empty() {
            self.block(&format!("{} {words}", "#".repeat(level.clamp(1, 6))));
        }
    }

    /// Writes a paragraph; its line feeds stay.
    pub fn paragraph(&mut self, words: &str) {
        let words = lines(words);
        if !words.is_empty() {
            self.block(&words);
        }
    }

    /// Writes a list item `depth` levels deep (0 for the outermost); `label` is its number as
    /// written (`3.`, `a)`), none for a bullet.
    pub fn item(&mut self, depth: usize, label: Option<&str>, words: &str) {
        let words = one_line(words);
        if words.is_empty() {
            return;
        }
        // A level without its parent would be an indented code block.
        let depth = depth.min(self.item_depth.map_or(0, |last| last + 1)).min(DEEPEST_ITEM);
        let marker = match label.map(str::trim).filter(|label| !label.is_empty()) {
            Some(label) if is_ordinal(label) => format!("{label} "),
            Some(label) => format!("- {label} "),
            None => "- ".to_owned(),
        };
        let line = format!("{}{marker}{words}", "    ".repeat(depth));
        if self.item_depth.is_some() {
            self.text.push('\n');
            self.text.push_str(&line);
        } else {
            self.block(&line);
        }
        self.item_depth = Some(depth);
    }

    /// Writes a code block.
    pub fn code(&mut self, code: &str) {
        let code = normalise(code.replace('\t', "    "));
        let code = code.trim_matches('\n').trim_end();
        if !code.trim().is_empty() {
            let fence = "`".repeat(longest_run(code, '`').max(2) + 1);
            self.block(&format!("{fence}\n{code}\n{fence}"));
        }
    }

    /// Writes a table under its caption. One column is no table but paragraphs, one row a line.
    pub fn table(&mut self, grid: &Grid) {
        let rows: Vec<Vec<String>> =
            grid.rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
        let filled = |row: &Vec<String>| row.iter().any(|cell| !cell.is_empty());
        let width = rows
            .iter()
            .filter_map(|row| row.iter().rposition(|cell| !cell.is_empty()))
            .max()
            .map_or(0, |last| last + 1);
        let count = rows.iter().filter(|row| filled(row)).count();
        if let Some(caption) = &grid.caption {
            self.paragraph(caption);
        }
        if width < 2 || count < 2 {
            for row in rows.iter().filter(|row| filled(row)) {
                let cells: Vec<&str> =
                    row.iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
                self.paragraph(&cells.join(" | "));
            }
            return;
        }
        let header_rows = grid.header_rows.clamp(1, rows.len());
        let mut text = String::new();
        for (index, row) in rows.iter().enumerate() {
            if filled(row) || index + 1 == header_rows {
                for column in 0..width {
                    text.push_str("| ");
                    text.push_str(&row.get(column).map_or_else(String::new, |cell| cell.replace('|', "\\|")));
                    text.push(' ');
                }
                text.push_str("|\n");
            }
            if index + 1 == header_rows {
                text.push_str(&"|---".repeat(width));
                text.push_str("|\n");
            }
        }
        self.block(text.trim_end());
    }

    /// Says that what comes now is at `place`.
    pub fn mark(&mut self, place: impl Into<String>) {
        // The next block begins after a blank line.
        let at = if self.text.is_empty() { 0 } else { self.text.len() + 2 };
        self.marks.push(Mark { at, place: place.into() });
        self.item_depth = None;
    }

    /// Writes what `other` holds: its places are inside `place`, its headings `below` levels down.
    pub fn append(&mut self, text: &str, marks: &[Mark], place: &str, below: usize) {
        if text.trim().is_empty() {
            return;
        }
        self.item_depth = None;
        let (mut at, mut marks) = (0, marks.iter().peekable());
        self.start_block();
        let mut fence: Option<String> = None;
        for line in text.split_inclusive('\n') {
            while let Some(mark) = marks.next_if(|mark| mark.at < at + line.len()) {
                self.marks.push(Mark { at: self.text.len(), place: format!("{place}, {}", mark.place) });
            }
            let run = fence_of(line);
            match (&fence, run) {
                (None, Some(open)) => fence = Some(open.to_owned()),
                (Some(open), Some(close)) if close.starts_with(open.as_str()) => fence = None,
                (None, None) if line.starts_with('#') => self.deepen(line, below),
                _ => {}
            }
            self.text.push_str(line);
            at += line.len();
        }
        self.text.truncate(self.text.trim_end().len());
    }

    /// Pushes what a heading lacks to be `below` levels further down.
    fn deepen(&mut self, line: &str, below: usize) {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if level <= 6 && line[level..].starts_with(' ') {
            self.text.push_str(&"#".repeat(below.min(6 - level)));
        }
    }

    /// Says whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Bytes written so far.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the text and its places; a place without text is left out.
    pub fn finish(mut self) -> (String, Vec<Mark>) {
        let length = self.text.len();
        self.marks.retain(|mark| mark.at < length.max(1));
        self.text.push_str(if length > 0 { "\n" } else { "" });
        (self.text, self.marks)
    }

    fn block(&mut self, block: &str) {
        self.start_block();
        self.text.push_str(block);
        self.item_depth = None;
    }

    fn start_block(&mut self) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
    }
}

/// Returns the fence a line consists of or begins with.
fn fence_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let length = |mark: u8| line.bytes().take_while(|byte| *byte == mark).count();
    let run = length(b'`').max(length(b'~'));
    (run >= 3).then(|| &line[..run])
}

fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for character in text.chars() {
        run = if character == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Says whether Markdown takes a label for the number of a list item: `12.`, `3)`.
fn is_ordinal(label: &str) -> bool {
    let digits = label.trim_end_matches(['.', ')']);
    digits.len() + 1 == label.len()
        && digits.len() <= 9
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.is_empty()
}

/// Returns the words on one line, single spaces between them.
pub(super) fn one_line(words: &str) -> String {
    let words = normalise(words.to_owned());
    let mut line = String::with_capacity(words.len());
    for word in words.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|c| !matches!(c, '\u{200b}' | '\u{2060}')));
    }
    line
}

/// Returns the lines of a paragraph, each on one line, without structure of their own.
fn lines(words: &str) -> String {
    let lines = words.split(['\n', '\r', '\u{b}', '\u{2028}', '\u{2029}']).map(one_line);
    lines.filter(|line| !line.is_empty()).map(|line| escape(&line)).collect::<Vec<_>>().join("\n")
}

/// Escapes a line that Markdown would take for structure. Typed list markers stay: they are lists.
fn escape(line: &str) -> String {
    let rule = line.len() >= 2 && line.chars().all(|c| matches!(c, '-' | '=' | '_' | '*' | '|' | ':' | ' '));
    let structure = line.starts_with(['#', '|', '<']) || line.starts_with("```") || line.starts_with("~~~");
    if rule || structure { format!("\\{line}") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::chunk::{ChunkLimits, TextFormat, chunk, markdown_tables};

    fn written(write: impl FnOnce(&mut Markup)) -> String {
        let mut markup = Markup::default();
        write(&mut markup);
        markup.finish().0
    }

    #[test]
    fn blocks_are_parted_and_lists_are_tight() {
        let text = written(|out| {
            out.heading(1, "Um\ntítulo");
            out.item(3, None, "a");
            out.item(1, Some("2."), "b");
            out.item(1, Some("c)"), "c");
            out.paragraph("fim\nda lista");
        });
        assert_eq!(text, "# Um título\n\n- a\n    2. b\n    - c) c\n\nfim\nda lista\n");
    }

    #[test]
    fn words_never_become_structure() {
        for words in ["# x", "| a | b |\n|---|---|", "a\n---", "```", "<!-- x", "=====", "***"] {
            let text = written(|out| {
                out.heading(1, "T");
                out.paragraph(words);
                out.heading(2, "U");
                out.paragraph("y");
            });
            let limits = ChunkLimits { target_tokens: 1, min_tokens: 0, ..ChunkLimits::default() };
            let chunks =
                chunk(&text, TextFormat::Markdown, &limits, &|text: &str| text.split_whitespace().count());
            assert!(markdown_tables(&text).is_empty(), "{words:?}");
            assert_eq!(
                chunks.last().map(|chunk| chunk.headings.clone()),
                Some(vec!["T".into(), "U".into()]),
                "{words:?}"
            );
        }
    }

    #[test]
    fn tables_keep_pipes_and_shape() {
        let grid = Grid {
            rows: vec![vec!["a".into(), "b|c".into()], vec!["1".into()], vec!["2".into(), "x\ny".into()]],
            header_rows: 1,
            caption: Some("Preços".into()),
        };
        let text = written(|out| out.table(&grid));
        let found = markdown_tables(&text);
        assert_eq!(found[0].rows, [["a", "b|c"], ["1", ""], ["2", "x y"]]);
        assert_eq!((found[0].header_rows, found[0].caption.as_deref()), (1, Some("Preços")));
    }

    #[test]
    fn appended_texts_keep_their_places_below() {
        let mut markup = Markup::default();
        markup.paragraph("corpo");
        markup.mark("attachment a.md");
        markup.heading(2, "Anexo");
        let inner = [Mark { at: 7, place: "page 2".into() }];
        markup.append("# Um\n\n# Dois\n\n```\n# não\n```\n", &inner, "attachment a.md", 2);
        let (text, marks) = markup.finish();
        assert_eq!(text, "corpo\n\n## Anexo\n\n### Um\n\n### Dois\n\n```\n# não\n```\n");
        let at = |place: &str| marks.iter().find(|mark| mark.place == place).map(|mark| &text[mark.at..]);
        assert!(at("attachment a.md").is_some_and(|rest| rest.starts_with("## Anexo")));
        assert!(
            at("attachment a.md, page 2")
                .is_some_and(|rest| rest.starts_with("### Dois") || rest.starts_with("\n### Dois"))
        );
    }
}
