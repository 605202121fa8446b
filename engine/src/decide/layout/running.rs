//! Running headers and footers: lines that stand at the same place of several pages.

use std::collections::{BTreeMap, HashMap};

use super::PageContent;
use super::segments::rows_of;

/// Lines at each edge that may be running.
const DEPTH: usize = 3;
/// Part of the page's height in which they stand.
const ZONE: f32 = 0.1;
/// Distance to the body, in font sizes of baseline step.
const APART: f32 = 1.5;
/// Most characters kept of them.
const KEPT: usize = 400;

/// What was taken off the pages, each text once, as it stood first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunningLines {
    /// Above the text; lines are separated by ` | `.
    pub header: String,
    /// Below the text.
    pub footer: String,
}

/// A line at the edge of a page.
struct Edge {
    /// Text with figures as `#`, folded.
    key: String,
    text: String,
    /// Words of it.
    words: Vec<usize>,
    baseline: f32,
    size: f32,
}

/// Takes running headers and footers off the pages.
///
/// A line is running when its text (figures aside) stands at the same height of at least three
/// pages, or of two fifths of fewer than eight, apart from the text below or above it. A single
/// page has none.
pub fn running_lines(pages: &mut [PageContent]) -> RunningLines {
    let mut found = RunningLines::default();
    if pages.len() < 2 {
        return found;
    }
    for top in [true, false] {
        let edges: Vec<Vec<Edge>> = pages.iter().map(|page| edge_lines(page, top)).collect();
        let counts = counts(pages, &edges);
        let needed = if pages.len() < 8 { (pages.len() * 2).div_ceil(5).max(2) } else { 3 };
        let mut texts = BTreeMap::<usize, String>::new();
        for (page, lines) in pages.iter_mut().zip(&edges) {
            let running = |edge: &Edge| counts.get(&place(page, edge)).copied().unwrap_or(0) >= needed;
            let candidates = lines.iter().take(DEPTH).take_while(|edge| running(edge)).count();
            let Some(length) = (1..=candidates).rev().find(|length| apart(lines, *length, top, page.height))
            else {
                continue;
            };
            let mut gone: Vec<usize> = Vec::new();
            for edge in &lines[..length] {
                gone.extend(&edge.words);
                // A page number alone says nothing.
                if edge.key.chars().any(char::is_alphabetic)
                    && !texts.values().any(|text| key(text) == edge.key)
                {
                    texts.insert(texts.len(), edge.text.clone());
                }
            }
            let mut index = 0;
            page.words.retain(|_| {
                index += 1;
                !gone.contains(&(index - 1))
            });
        }
        let joined = texts.into_values().collect::<Vec<_>>().join(" | ");
        let joined = joined.chars().take(KEPT).collect();
        if top { found.header = joined } else { found.footer = joined }
    }
    found
}

/// Pages that have a line, by its text and height.
fn counts(pages: &[PageContent], edges: &[Vec<Edge>]) -> HashMap<(String, i32), usize> {
    let mut counts = HashMap::new();
    for (page, lines) in pages.iter().zip(edges) {
        let mut own: Vec<(String, i32)> = Vec::new();
        for edge in lines.iter().take(DEPTH) {
            let (text, at) = place(page, edge);
            // Heights may fall on the border of two steps: count for both neighbours.
            own.extend([(text.clone(), at - 1), (text.clone(), at), (text, at + 1)]);
        }
        own.sort();
        own.dedup();
        for key in own {
            *counts.entry(key).or_insert(0) += 1;
        }
    }
    counts
}

fn place(page: &PageContent, edge: &Edge) -> (String, i32) {
    // Steps of 1 % of the height.
    (edge.key.clone(), (edge.baseline / page.height.max(1.0) * 100.0).round() as i32)
}

/// Says whether the first `length` lines stand apart from the next one, which is text of the page:
/// what is all of a page, or all but its other edge, is not running.
fn apart(lines: &[Edge], length: usize, top: bool, height: f32) -> bool {
    let (Some(last), Some(next)) = (lines.get(length - 1), lines.get(length)) else { return false };
    let share = next.baseline / height.max(1.0);
    if if top { share >= 1.0 - ZONE } else { share <= ZONE } {
        return false;
    }
    let step = if top { next.baseline - last.baseline } else { last.baseline - next.baseline };
    step >= APART * last.size.max(next.size * 0.8)
}

/// Lines from an edge inwards: the first few of the zone, and the one after them.
fn edge_lines(page: &PageContent, top: bool) -> Vec<Edge> {
    let mut rows = rows_of(page.words.len(), |at| {
        let word = &page.words[at];
        (word.baseline, word.size, word.bounds)
    });
    if !top {
        rows.reverse();
    }
    let mut lines = Vec::new();
    for row in rows.into_iter().take(DEPTH + 1) {
        let text = row.iter().map(|at| page.words[*at].text.as_str()).collect::<Vec<_>>().join(" ");
        let first = &page.words[row[0]];
        let share = first.baseline / page.height.max(1.0);
        let inside = if top { share <= ZONE } else { share >= 1.0 - ZONE };
        // A line outside the zone only bounds what is inside.
        let key = if inside { key(&text) } else { format!("\0{}", lines.len()) };
        lines.push(Edge { key, text, words: row.clone(), baseline: first.baseline, size: first.size });
        if !inside {
            break;
        }
    }
    lines
}

/// Text without its figures, folded.
fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    let mut figure = false;
    for character in text.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_digit() {
            if !figure {
                key.push('#');
            }
            figure = true;
            continue;
        }
        figure = false;
        if !character.is_whitespace() {
            key.push(character);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::super::geometry::Bounds;
    use super::super::words::line_words;
    use super::*;

    fn page(lines: &[(&str, f32)]) -> PageContent {
        let words = lines
            .iter()
            .flat_map(|(text, y)| {
                line_words(text, Bounds::new(50.0, *y, 50.0 + 5.0 * text.len() as f32, y + 10.0))
            })
            .collect();
        PageContent { width: 600.0, height: 800.0, words, ..PageContent::default() }
    }

    fn rest(pages: &[PageContent]) -> Vec<String> {
        let text = |page: &PageContent| {
            page.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
        };
        pages.iter().map(text).collect()
    }

    #[test]
    fn headers_and_footers_go_and_are_kept_once() {
        let mut pages: Vec<PageContent> = (1..=5)
            .map(|number| {
                let foot = format!("Acme Ltda, página {number} de 5");
                page(&[("Relatório anual", 30.0), (&format!("texto {number}"), 100.0), (&foot, 780.0)])
            })
            .collect();
        let found = running_lines(&mut pages);
        assert_eq!(rest(&pages), ["texto 1", "texto 2", "texto 3", "texto 4", "texto 5"]);
        assert_eq!(found.header, "Relatório anual");
        assert_eq!(found.footer, "Acme Ltda, página 1 de 5");
    }

    #[test]
    fn left_and_right_pages_may_differ() {
        let mut pages: Vec<PageContent> = (1..=6)
            .map(|number| {
                page(&[(if number % 2 == 0 { "O Livro" } else { "Capítulo" }, 30.0), ("corpo", 200.0)])
            })
            .collect();
        let found = running_lines(&mut pages);
        assert_eq!(found.header, "Capítulo | O Livro");
        assert!(rest(&pages).iter().all(|text| text == "corpo"));
    }

    #[test]
    fn what_belongs_to_the_text_stays() {
        // The head of a table that goes on stands right above its rows.
        let mut pages: Vec<PageContent> = (1..=4)
            .map(|number| page(&[("Conta Valor", 40.0), (&format!("{number}a"), 52.0), ("mais", 64.0)]))
            .collect();
        assert_eq!(running_lines(&mut pages), RunningLines::default());
        // One page, and lines in the middle.
        assert_eq!(running_lines(&mut [page(&[("Acme", 30.0), ("x", 200.0)])]), RunningLines::default());
        let mut pages = [page(&[("igual", 400.0)]), page(&[("igual", 400.0)]), page(&[("igual", 400.0)])];
        assert_eq!(running_lines(&mut pages), RunningLines::default());
        assert_eq!(rest(&pages), ["igual", "igual", "igual"]);
    }
}
