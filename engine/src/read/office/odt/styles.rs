//! Styles and list styles of an OpenDocument text.

use std::collections::HashMap;

use roxmltree::Document;

use super::super::words::ordinal;
use super::super::xml::Element;

/// Longest chain of styles followed; a chain may be circular in a damaged file.
const LONGEST_CHAIN: usize = 32;

/// Styles and list styles by name.
#[derive(Default)]
pub(super) struct Styles {
    parents: HashMap<String, String>,
    hidden: HashMap<String, bool>,
    raised: HashMap<String, bool>,
    lists: HashMap<String, HashMap<usize, Level>>,
}

/// One level of a list style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Level {
    format: Option<String>,
    prefix: String,
    suffix: String,
    shown: usize,
    /// First number.
    pub start: u32,
}

impl Styles {
    /// Takes the styles of a part in; a later part of the same name wins.
    pub fn take(&mut self, document: &Document<'_>) {
        for node in document.descendants() {
            let Some(name) = node.attr("name") else { continue };
            match node.name() {
                "style" => {
                    if let Some(parent) = node.attr("parent-style-name") {
                        self.parents.insert(name.to_owned(), parent.to_owned());
                    }
                    let text = node.child("text-properties");
                    if let Some(display) = text.and_then(|text| text.attr("display")) {
                        self.hidden.insert(name.to_owned(), display == "none");
                    }
                    if let Some(position) = text.and_then(|text| text.attr("text-position")) {
                        let up = position.starts_with("super")
                            || position
                                .split('%')
                                .next()
                                .and_then(|up| up.parse::<f64>().ok())
                                .is_some_and(|up| up > 0.0);
                        self.raised.insert(name.to_owned(), up);
                    }
                }
                "list-style" => {
                    let levels = node.elements().filter_map(|level| {
                        let at = level.attr("level")?.parse::<usize>().ok()?.checked_sub(1)?;
                        let number = level.name() == "list-level-style-number";
                        let format = level.attr("num-format").filter(|format| number && !format.is_empty());
                        let level = Level {
                            format: format.map(str::to_owned),
                            prefix: level.attr("num-prefix").unwrap_or_default().into(),
                            suffix: level.attr("num-suffix").unwrap_or_default().into(),
                            shown: level.count("display-levels", 10),
                            start: level
                                .attr("start-value")
                                .and_then(|start| start.parse().ok())
                                .unwrap_or(1),
                        };
                        Some((at, level))
                    });
                    self.lists.insert(name.to_owned(), levels.collect());
                }
                _ => {}
            }
        }
    }

    /// Says whether a style or an ancestor is named so; names are folded, `_20_` is a space.
    pub fn named(&self, style: Option<&str>, names: &[&str]) -> bool {
        self.chain(style, |name| {
            names.contains(&name.replace("_20_", " ").to_lowercase().as_str()).then_some(())
        })
        .is_some()
    }

    /// Says whether a style hides its text.
    pub fn is_hidden(&self, style: Option<&str>) -> bool {
        self.chain(style, |name| self.hidden.get(name).copied()).unwrap_or(false)
    }

    /// Says whether a style raises its text.
    pub fn is_raised(&self, style: Option<&str>) -> bool {
        self.chain(style, |name| self.raised.get(name).copied()).unwrap_or(false)
    }

    /// Returns a level of a list style.
    pub fn level(&self, list: Option<&str>, level: usize) -> Option<&Level> {
        self.lists.get(list?)?.get(&level)
    }

    fn chain<T>(&self, style: Option<&str>, say: impl Fn(&str) -> Option<T>) -> Option<T> {
        let mut next = style;
        for _ in 0..LONGEST_CHAIN {
            let name = next?;
            if let Some(said) = say(name) {
                return Some(said);
            }
            next = self.parents.get(name).map(String::as_str);
        }
        None
    }
}

/// Writes the label of an item; `counts` are the numbers of its level and those above.
pub(super) fn label(styles: &Styles, list: Option<&str>, counts: &[u32]) -> Option<String> {
    let level = counts.len().checked_sub(1)?;
    let own = styles.level(list, level)?;
    own.format.as_ref()?;
    let first = counts.len() - own.shown.min(counts.len());
    let numbers = (first..counts.len()).filter_map(|at| {
        let format = styles.level(list, at)?.format.as_deref()?;
        let format = match format {
            "a" => "lowerLetter",
            "A" => "upperLetter",
            "i" => "lowerRoman",
            "I" => "upperRoman",
            _ => "decimal",
        };
        Some(ordinal(counts[at], format))
    });
    Some(format!("{}{}{}", own.prefix, numbers.collect::<Vec<_>>().join("."), own.suffix))
}
