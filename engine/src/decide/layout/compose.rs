//! Blocks of all pages to Markdown, page by page.

use std::collections::HashSet;

use super::geometry::median;
use super::hyphens::{join, join_lines, vocabulary};
use super::ligatures::repair_ligatures;
use super::paragraphs::ends_sentence;
use super::{Block, Paragraph, TableBlock};

/// Most characters of a heading.
const HEADING: usize = 150;
/// Size over the body's from which a paragraph is a heading.
const LARGER: f32 = 1.12;
/// Levels by size; bold headings come below them.
const LEVELS: usize = 4;

/// The document, page by page: joined, the pieces are its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Composed {
    /// Text of each page; what separates it from the page before is at its start. Empty for a
    /// page without text.
    pub pages: Vec<String>,
}

/// Writes the pages of a document as Markdown.
///
/// Headings are told by their size against the body's, or by being bold. A paragraph that goes on
/// over a page's end stays one. A table's caption goes above it, and its notes right below it,
/// wherever on the page they stand.
pub fn compose(pages: Vec<Vec<Block>>) -> Composed {
    let pages: Vec<Vec<Block>> =
        pages.into_iter().map(|blocks| gather_notes(captions_first(blocks))).collect();
    let words = vocabulary(paragraphs(&pages).flat_map(|paragraph| paragraph.lines.iter()));
    let mut writer =
        Writer { headings: Headings::of(&pages), words, open: None, started: false, done: Vec::new() };
    for blocks in &pages {
        let text = writer.page(blocks);
        writer.done.push(text);
    }
    Composed { pages: writer.done }
}

fn paragraphs(pages: &[Vec<Block>]) -> impl Iterator<Item = &Paragraph> {
    pages.iter().flatten().filter_map(|block| match block {
        Block::Paragraph(paragraph) => Some(paragraph),
        Block::Table(_) => None,
    })
}

/// What makes a heading in this document.
struct Headings {
    /// Sizes of headings, largest first.
    sizes: Vec<f32>,
    body: f32,
    /// Whether bold paragraphs are headings: not where most are bold.
    bold: bool,
}

impl Headings {
    fn of(pages: &[Vec<Block>]) -> Self {
        let characters =
            |paragraph: &Paragraph| paragraph.lines.iter().map(|line| line.chars().count()).sum::<usize>();
        let printed: Vec<&Paragraph> = paragraphs(pages).filter(|paragraph| !paragraph.scanned).collect();
        let weighed =
            |paragraph: &&Paragraph| std::iter::repeat_n(paragraph.size, characters(paragraph).div_ceil(10));
        let body = median(printed.iter().flat_map(weighed).collect());
        let total: usize = printed.iter().map(|paragraph| characters(paragraph)).sum();
        let bold: usize =
            printed.iter().filter(|paragraph| paragraph.bold).map(|paragraph| characters(paragraph)).sum();
        let mut headings = Self { sizes: Vec::new(), body, bold: bold * 3 < total };
        let mut sizes: Vec<f32> = printed
            .iter()
            .filter(|paragraph| headings.is_large(paragraph))
            .map(|paragraph| paragraph.size)
            .collect();
        sizes.sort_by(|left, right| right.total_cmp(left));
        sizes.dedup_by(|next, kept| *next > *kept * 0.94);
        sizes.truncate(LEVELS);
        headings.sizes = sizes;
        headings
    }

    fn is_large(&self, paragraph: &Paragraph) -> bool {
        paragraph.size >= LARGER * self.body && could_head(paragraph, 3)
    }

    /// Level of a heading, from 1; `None` for text.
    fn level(&self, paragraph: &Paragraph) -> Option<usize> {
        if paragraph.scanned {
            return None;
        }
        if self.is_large(paragraph) {
            let above = self.sizes.iter().take_while(|size| paragraph.size < **size * 0.94).count();
            return Some(above.min(LEVELS - 1) + 1);
        }
        let last = paragraph.lines.last().map_or("", |line| line.trim_end());
        let bold =
            self.bold && paragraph.bold && could_head(paragraph, 1) && !last.ends_with(['.', ':', ',', ';']);
        bold.then(|| (self.sizes.len() + 1).min(LEVELS + 1))
    }
}

fn could_head(paragraph: &Paragraph, lines: usize) -> bool {
    let characters: usize = paragraph.lines.iter().map(|line| line.chars().count()).sum();
    let letters: usize = paragraph
        .lines
        .iter()
        .map(|line| line.chars().filter(|character| character.is_alphabetic()).count())
        .sum();
    paragraph.item.is_none()
        && paragraph.lines.len() <= lines
        && characters <= HEADING
        && letters >= 2
        && letters * 3 >= characters
        && !paragraph.lines.iter().any(|line| line.ends_with([',', ';']))
}

/// Writes one page after the other.
struct Writer {
    headings: Headings,
    words: HashSet<String>,
    /// The paragraph at the end of the last page, if it may go on.
    open: Option<String>,
    started: bool,
    /// Pages written.
    done: Vec<String>,
}

impl Writer {
    fn page(&mut self, blocks: &[Block]) -> String {
        let mut text = String::new();
        let mut after_item = false;
        for (index, block) in blocks.iter().enumerate() {
            let last = index + 1 == blocks.len();
            match block {
                Block::Table(table) => {
                    self.separate(&mut text, "\n\n");
                    text.push_str(&table_text(table));
                    after_item = false;
                }
                Block::Paragraph(paragraph) => {
                    let goes_on = index == 0 && self.goes_on(paragraph, &mut text);
                    if !goes_on {
                        let list = after_item && paragraph.item.is_some();
                        self.separate(&mut text, if list { "\n" } else { "\n\n" });
                        text.push_str(&self.paragraph(paragraph));
                    }
                    after_item = paragraph.item.is_some();
                    self.open = (last && self.may_go_on(paragraph)).then(|| tail(&text));
                    continue;
                }
            }
            self.open = None;
        }
        text
    }

    fn separate(&mut self, text: &mut String, with: &str) {
        if self.started {
            text.push_str(with);
        }
        self.started = true;
    }

    /// Continues the paragraph that the last page ended with, if this one does.
    fn goes_on(&mut self, paragraph: &Paragraph, text: &mut String) -> bool {
        let begins = paragraph.lines.first().and_then(|line| line.chars().next());
        let (Some(open), Some(first)) = (&self.open, begins) else { return false };
        if !first.is_lowercase() || paragraph.item.is_some() || self.headings.level(paragraph).is_some() {
            return false;
        }
        let rest = repair_ligatures(&join_lines(&paragraph.lines, &self.words));
        let mut joined = open.clone();
        join(&mut joined, &rest, &self.words);
        match joined.strip_prefix(open.as_str()) {
            Some(added) => text.push_str(added),
            None => {
                // The join took the hyphen away that the last page ends with.
                if let Some(page) = self.done.iter_mut().rev().find(|page| !page.is_empty()) {
                    page.pop();
                }
                text.push_str(&rest);
            }
        }
        true
    }

    fn may_go_on(&self, paragraph: &Paragraph) -> bool {
        let last = paragraph.lines.last().map_or("", String::as_str);
        self.headings.level(paragraph).is_none() && !last.is_empty() && !ends_sentence(last)
    }

    fn paragraph(&self, paragraph: &Paragraph) -> String {
        let text = repair_ligatures(&join_lines(&paragraph.lines, &self.words));
        if let Some(level) = self.headings.level(paragraph) {
            return format!("{} {}", "#".repeat(level), text.trim());
        }
        match &paragraph.item {
            Some((_, level)) => format!("{}- {}", "  ".repeat(*level), text.trim()),
            None => escaped(text.trim()),
        }
    }
}

/// The last word or so of a text: enough to decide how a line joins it.
fn tail(text: &str) -> String {
    let start = text.char_indices().rev().nth(60).map_or(0, |(at, _)| at);
    text[start..].to_owned()
}

/// Keeps Markdown from seeing structure at the start of running text.
fn escaped(text: &str) -> String {
    let structure = text.starts_with("# ")
        || text.starts_with("## ")
        || text.starts_with("```")
        || text.starts_with("~~~")
        || text.starts_with("> ")
        || text.starts_with("---")
        || text.starts_with("===")
        || text.starts_with("<!")
        || text.starts_with("<?")
        || text.starts_with("|")
        || ["<script", "<style", "<pre", "<textarea"]
            .iter()
            .any(|tag| text.to_ascii_lowercase().starts_with(tag));
    if structure { format!("\\{text}") } else { text.to_owned() }
}

fn table_text(table: &TableBlock) -> String {
    let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
    let line = |cells: &[String]| {
        let cells: Vec<String> =
            (0..columns).map(|column| cell_text(cells.get(column).map_or("", String::as_str))).collect();
        format!("| {} |", cells.join(" | "))
    };
    let header = table.header_rows.min(table.rows.len());
    let mut lines: Vec<String> = table.rows[..header].iter().map(|row| line(row)).collect();
    if lines.is_empty() {
        lines.push(line(&[]));
    }
    lines.push(format!("|{}", " --- |".repeat(columns)));
    lines.extend(table.rows[header..].iter().map(|row| line(row)));
    lines.join("\n")
}

fn cell_text(cell: &str) -> String {
    repair_ligatures(cell.trim()).replace('|', "\\|").replace(['\n', '\r'], " ")
}

fn first_line(block: &Block) -> &str {
    match block {
        Block::Paragraph(paragraph) => paragraph.lines.first().map_or("", String::as_str),
        Block::Table(_) => "",
    }
}

fn is_caption(block: &Block) -> bool {
    let line = first_line(block).to_lowercase();
    let named = ["table ", "tabela ", "quadro ", "tab. ", "tabla ", "tableau ", "tabelle "]
        .iter()
        .find_map(|name| line.strip_prefix(name));
    named.is_some_and(|rest| {
        rest.starts_with(|first: char| first.is_ascii_digit() || matches!(first, 'i' | 'v' | 'x'))
    })
}

/// Puts a caption that stands below its table above it.
fn captions_first(mut blocks: Vec<Block>) -> Vec<Block> {
    for at in 1..blocks.len() {
        let below = is_caption(&blocks[at]) && matches!(blocks[at - 1], Block::Table(_));
        let named = at >= 2 && is_caption(&blocks[at - 2]);
        let of_the_next = blocks.get(at + 1).is_some_and(|next| matches!(next, Block::Table(_)));
        if below && !named && !of_the_next {
            blocks.swap(at - 1, at);
        }
    }
    blocks
}

/// Marks that lead from a cell to a note.
const MARKS: &[char] = &['¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '*', '†', '‡'];

/// Moves notes that a table's cells point at to right below it.
fn gather_notes(mut blocks: Vec<Block>) -> Vec<Block> {
    let mut at = 0;
    while at < blocks.len() {
        let mut place = at + 1;
        if let Block::Table(table) = &blocks[at] {
            let marks: Vec<char> = MARKS
                .iter()
                .copied()
                .filter(|mark| table.rows.iter().flatten().any(|cell| cell.contains(*mark)))
                .collect();
            for mark in marks {
                let note = (place..blocks.len()).find(|index| is_note(&blocks[*index], mark));
                if let Some(index) = note {
                    let block = as_note(blocks.remove(index), mark);
                    blocks.insert(place, block);
                    place += 1;
                }
            }
        }
        at = place;
    }
    blocks
}

fn is_note(block: &Block, mark: char) -> bool {
    match block {
        Block::Paragraph(paragraph) => {
            first_line(block).starts_with(mark)
                || paragraph.item.as_ref().is_some_and(|(marker, _)| marker.starts_with(mark))
        }
        Block::Table(_) => false,
    }
}

/// A note read as a list item (`* text`) is a paragraph again.
fn as_note(block: Block, mark: char) -> Block {
    match block {
        Block::Paragraph(mut paragraph) if paragraph.item.is_some() => {
            paragraph.item = None;
            if let Some(line) = paragraph.lines.first_mut() {
                line.insert(0, mark);
            }
            Block::Paragraph(paragraph)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[&str], size: f32) -> Block {
        Block::Paragraph(Paragraph {
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            size,
            ..Paragraph::default()
        })
    }

    fn table(rows: &[&[&str]], header_rows: usize) -> Block {
        let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
        Block::Table(TableBlock { rows, header_rows })
    }

    fn composed(pages: Vec<Vec<Block>>) -> String {
        compose(pages).pages.concat()
    }

    #[test]
    fn larger_text_is_a_heading() {
        let page = vec![
            text(&["Relatório"], 20.0),
            text(&["Introdução"], 14.0),
            text(&["um texto de corpo que é bem mais comprido que os títulos todos juntos"], 10.0),
        ];
        assert_eq!(
            composed(vec![page]),
            "# Relatório\n\n## Introdução\n\num texto de corpo que é bem mais comprido que os títulos todos juntos"
        );
    }

    #[test]
    fn a_paragraph_goes_on_over_the_page() {
        let pages = vec![
            vec![text(&["uma frase que"], 10.0)],
            vec![text(&["segue aqui."], 10.0)],
            vec![text(&["Outra."], 10.0)],
        ];
        let composed = compose(pages);
        assert_eq!(composed.pages, ["uma frase que", " segue aqui.", "\n\nOutra."]);
        let pages = vec![vec![text(&["a admi-"], 10.0)], vec![text(&["nistração"], 10.0)]];
        assert_eq!(compose(pages).pages, ["a admi", "nistração"]);
    }

    #[test]
    fn tables_keep_pipes_and_need_a_header_row() {
        assert_eq!(
            composed(vec![vec![table(&[&["a|b", "c"], &["1", "2"]], 1)]]),
            "| a\\|b | c |\n| --- | --- |\n| 1 | 2 |"
        );
        assert_eq!(
            composed(vec![vec![table(&[&["1", "2"], &["3", "4"]], 0)]]),
            "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
        );
    }

    #[test]
    fn d10_notes_and_captions_stand_at_their_table() {
        let page = vec![
            table(&[&["Item", "Valor¹"], &["a", "1"]], 1),
            text(&["Tabela 1: Receita"], 10.0),
            text(&["Outro texto."], 10.0),
            text(&["¹ valores em mil"], 8.0),
        ];
        assert_eq!(
            composed(vec![page]),
            "Tabela 1: Receita\n\n| Item | Valor¹ |\n| --- | --- |\n| a | 1 |\n\n¹ valores em mil\n\nOutro texto."
        );
        let starred =
            Paragraph { lines: vec!["em mil".into()], item: Some(("*".into(), 0)), ..Paragraph::default() };
        let page = vec![
            table(&[&["Item", "Valor*"], &["a", "1"]], 1),
            text(&["x"], 10.0),
            Block::Paragraph(starred),
        ];
        assert!(composed(vec![page]).contains("| 1 |\n\n*em mil\n\nx"));
    }

    #[test]
    fn text_makes_no_structure() {
        assert_eq!(composed(vec![vec![text(&["```"], 10.0), text(&["# x y"], 10.0)]]), "\\```\n\n\\# x y");
    }
}
