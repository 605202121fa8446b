//! Lines of one column to paragraphs and list items.

use super::Paragraph;
use super::geometry::{Bounds, around};
use super::segments::Segment;

/// Step between baselines, in usual steps, from which a new paragraph begins.
const STEP: f32 = 1.35;

/// A line of a column.
#[derive(Debug, Clone)]
pub(super) struct Line {
    text: String,
    bounds: Bounds,
    baseline: f32,
    size: f32,
    bold: bool,
}

impl Line {
    /// Joins the segments of one row.
    pub(super) fn new(segments: &[Segment], row: &[usize]) -> Option<Self> {
        let parts: Vec<&Segment> =
            row.iter().map(|index| &segments[*index]).filter(|segment| segment.block.is_none()).collect();
        let bounds = around(parts.iter().map(|segment| &segment.bounds))?;
        Some(Self {
            text: parts.iter().map(|segment| segment.text.as_str()).collect::<Vec<_>>().join(" "),
            bounds,
            baseline: parts.iter().map(|segment| segment.baseline).fold(f32::MIN, f32::max),
            size: parts.iter().map(|segment| segment.size).fold(0.0, f32::max),
            bold: parts.iter().all(|segment| segment.bold),
        })
    }
}

/// Groups the lines of one column, from top to bottom.
pub(super) fn paragraphs(lines: &[Line], scanned: bool) -> Vec<Paragraph> {
    let Some(column) = around(lines.iter().map(|line| &line.bounds)) else { return Vec::new() };
    let usual = usual_step(lines);
    let mut found: Vec<(Paragraph, f32)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let marker = bullet(&line.text);
        let joins = index > 0
            && marker.is_none()
            && found.last().is_some_and(|(open, left)| {
                continues(&lines[index - 1], line, open, *left, &column, usual, scanned)
            });
        if joins {
            if let Some((open, _)) = found.last_mut() {
                open.lines.push(line.text.clone());
                open.size = open.size.max(line.size);
            }
            continue;
        }
        let (item, text) = match marker {
            Some(rest) => (Some((line.text.chars().take(1).collect(), 0)), rest.to_owned()),
            None => (None, line.text.clone()),
        };
        let paragraph = Paragraph { lines: vec![text], size: line.size, bold: line.bold, item, scanned };
        found.push((paragraph, line.bounds.left));
    }
    indent(&mut found);
    found
        .into_iter()
        .map(|(paragraph, _)| paragraph)
        .filter(|paragraph| paragraph.lines.iter().any(|line| !line.is_empty()))
        .collect()
}

/// Step between the lines of one paragraph: a low one, because the steps between paragraphs are larger.
fn usual_step(lines: &[Line]) -> f32 {
    let mut steps: Vec<f32> =
        lines.windows(2).map(|pair| pair[1].baseline - pair[0].baseline).filter(|step| *step > 0.0).collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() * 3 / 10).copied().unwrap_or(0.0)
}

/// Says whether `line` goes on with the paragraph that `above` ends.
fn continues(
    above: &Line,
    line: &Line,
    open: &Paragraph,
    left: f32,
    column: &Bounds,
    usual: f32,
    scanned: bool,
) -> bool {
    let size = above.size.max(line.size);
    let step = line.baseline - above.baseline;
    // One sparse line spacing must not make everything one paragraph, so the usual step is bounded.
    if step <= 0.0 || step > STEP * usual.clamp(1.05 * size, 2.0 * size) {
        return false;
    }
    let ratio = line.size / above.size.max(0.1);
    let (least, most) = if scanned { (0.6, 1.7) } else { (0.87, 1.15) };
    if ratio < least || ratio > most || (!scanned && line.bold != open.bold && (line.bold || above.bold)) {
        return false;
    }
    if numbered(&line.text) && (ends_sentence(&above.text) || numbered(&open.lines[0])) {
        return false;
    }
    let ended = ends_sentence(&above.text);
    let short = above.bounds.right < column.right - 0.15 * column.width();
    let begins = line.text.chars().next().is_some_and(|first| !first.is_lowercase());
    if ended && short && begins {
        return false;
    }
    let indented = line.bounds.left - above.bounds.left > 0.8 * size;
    let hanging = open.item.is_some() || numbered(&open.lines[0]);
    if indented && !hanging && ended && begins {
        return false;
    }
    // Back at the margin of the marker: the item is over.
    !(open.item.is_some() && ended && begins && line.bounds.left < left + 0.5 * size && open.lines.len() > 1)
}

/// Returns what follows a bullet at the start of a line.
fn bullet(text: &str) -> Option<&str> {
    let mut characters = text.chars();
    let first = characters.next()?;
    let sure = matches!(
        first,
        '•' | '▪' | '‣' | '◦' | '●' | '■' | '○' | '➢' | '✓' | '\u{f0b7}' | '\u{f0a7}' | '\u{2043}'
    );
    let likely = matches!(first, '-' | '–' | '—' | '*' | '·');
    let rest = characters.as_str();
    if sure {
        return Some(rest.trim_start()).filter(|rest| !rest.is_empty());
    }
    (likely && rest.starts_with(' ')).then(|| rest.trim_start()).filter(|rest| !rest.is_empty())
}

/// Says whether a line begins with `1.`, `12)`, `a)` or `(a)`.
fn numbered(text: &str) -> bool {
    let Some((head, _)) = text.split_once(' ') else { return false };
    let core = head.trim_start_matches('(').trim_end_matches(['.', ')']);
    let closed = head.len() > core.len() && head.ends_with(['.', ')']);
    let number = core.len() <= 3 && !core.is_empty() && core.chars().all(|c| c.is_ascii_digit());
    let letter = core.len() == 1 && core.chars().all(|c| c.is_ascii_lowercase()) && head.ends_with(')');
    closed && (number || letter)
}

pub(super) fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['"', '”', '’', ')', ']', '»']).ends_with(['.', '!', '?', ':', ';', '…', '。', '।'])
}

/// Gives nested items their level by their indentation.
fn indent(found: &mut [(Paragraph, f32)]) {
    let mut lefts: Vec<f32> = Vec::new();
    for (paragraph, left) in found {
        let Some((_, level)) = &mut paragraph.item else {
            lefts.clear();
            continue;
        };
        while lefts.last().is_some_and(|last| *left < *last - 2.0) {
            lefts.pop();
        }
        if lefts.last().is_none_or(|last| *left > *last + 4.0) {
            lefts.push(*left);
        }
        *level = lefts.len().saturating_sub(1).min(3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[(&str, f32, f32)]) -> Vec<Line> {
        texts
            .iter()
            .map(|(text, left, baseline)| Line {
                text: (*text).to_owned(),
                bounds: Bounds::new(
                    *left,
                    baseline - 8.0,
                    left + 5.0 * text.chars().count() as f32,
                    baseline + 2.0,
                ),
                baseline: *baseline,
                size: 10.0,
                bold: false,
            })
            .collect()
    }

    fn joined(texts: &[(&str, f32, f32)]) -> Vec<String> {
        paragraphs(&lines(texts), false)
            .iter()
            .map(|paragraph| {
                format!("{}{}", paragraph.item.as_ref().map_or("", |_| "* "), paragraph.lines.join("/"))
            })
            .collect()
    }

    #[test]
    fn gaps_indents_and_short_lines_begin_paragraphs() {
        assert_eq!(
            joined(&[("aaaa aaaa", 0.0, 10.0), ("bbbb", 0.0, 22.0), ("cccc", 0.0, 44.0)]),
            ["aaaa aaaa/bbbb", "cccc"]
        );
        assert_eq!(
            joined(&[("Uma linha inteira.", 0.0, 10.0), ("Outra que começa.", 10.0, 22.0)]),
            ["Uma linha inteira.", "Outra que começa."]
        );
        assert_eq!(
            joined(&[
                ("uma linha bem comprida de texto", 0.0, 10.0),
                ("fim.", 0.0, 22.0),
                ("Novo começo da linha", 0.0, 34.0)
            ]),
            ["uma linha bem comprida de texto/fim.", "Novo começo da linha"]
        );
    }

    #[test]
    fn bullets_and_numbers_begin_items() {
        assert_eq!(
            joined(&[("• um item que", 0.0, 10.0), ("continua", 8.0, 22.0), ("• dois", 0.0, 34.0)]),
            ["* um item que/continua", "* dois"]
        );
        assert_eq!(joined(&[("1. um", 0.0, 10.0), ("2. dois", 0.0, 22.0)]), ["1. um", "2. dois"]);
    }
}
