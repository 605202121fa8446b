//! Text bodies of shapes: paragraphs, bullets, automatic numbers.

use roxmltree::Node;

use super::super::super::markup::Markup;
use super::super::math;
use super::super::words::{ordinal, push};
use super::super::xml::Element;

/// Levels of a text body.
const LEVELS: usize = 9;

/// Writes a text body. In a placeholder several paragraphs are a list unless they say otherwise.
pub(super) fn write_body(body: Node<'_, '_>, in_placeholder: bool, out: &mut Markup) {
    let paragraphs: Vec<Node<'_, '_>> = body.elements().filter(|node| node.name() == "p").collect();
    let filled = paragraphs.iter().filter(|paragraph| !paragraph_text(**paragraph).trim().is_empty()).count();
    let mut counts = [0_u32; LEVELS];
    for paragraph in paragraphs {
        let text = paragraph_text(paragraph);
        if text.trim().is_empty() {
            continue;
        }
        let settings = paragraph.child("pPr");
        let level = settings.and_then(|found| found.attr("lvl")).and_then(|level| level.parse().ok());
        let level: usize = level.unwrap_or(0).min(LEVELS - 1);
        counts[level + 1..].fill(0);
        let has = |name: &str| settings.is_some_and(|found| found.child(name).is_some());
        if let Some(numbers) = settings.and_then(|found| found.child("buAutoNum")) {
            let start = numbers.attr("startAt").and_then(|start| start.parse().ok()).unwrap_or(1);
            counts[level] = if counts[level] == 0 { start } else { counts[level].saturating_add(1) };
            let label = label(counts[level], numbers.attr("type").unwrap_or_default());
            out.item(level, Some(&label), &text);
            continue;
        }
        counts[level] = 0;
        if has("buChar") || has("buBlip") || (in_placeholder && filled > 1 && !has("buNone")) {
            out.item(level, None, &text);
        } else {
            out.paragraph(&text);
        }
    }
}

/// Words of an `a:p`; the slide's own number is none of them.
pub(super) fn paragraph_text(paragraph: Node<'_, '_>) -> String {
    let mut text = String::new();
    for child in paragraph.elements() {
        match child.name() {
            "r" => {
                let baseline = child.child("rPr").and_then(|found| found.attr("baseline"));
                let raised = baseline.and_then(|value| value.trim_end_matches('%').parse::<f64>().ok());
                let words = child.child("t").and_then(|words| words.text()).unwrap_or_default();
                push(&mut text, words, raised.is_some_and(|raised| raised > 0.0));
            }
            "fld" if child.attr("type") != Some("slidenum") => {
                text.push_str(child.child("t").and_then(|words| words.text()).unwrap_or_default());
            }
            "br" => text.push('\n'),
            "m" => text.push_str(&math::linear(child)),
            "AlternateContent" => {
                if let Some(formula) = child.inside("oMath") {
                    text.push_str(&math::linear(formula));
                }
            }
            _ => {}
        }
    }
    text
}

/// Writes an automatic number: `arabicPeriod` is `1.`, `alphaLcParenR` is `a)`.
fn label(number: u32, kind: &str) -> String {
    let format = match kind {
        kind if kind.starts_with("alphaLc") => "lowerLetter",
        kind if kind.starts_with("alphaUc") => "upperLetter",
        kind if kind.starts_with("romanLc") => "lowerRoman",
        kind if kind.starts_with("romanUc") => "upperRoman",
        _ => "decimal",
    };
    let number = ordinal(number, format);
    match kind {
        kind if kind.ends_with("ParenBoth") => format!("({number})"),
        kind if kind.ends_with("ParenR") => format!("{number})"),
        _ => format!("{number}."),
    }
}
