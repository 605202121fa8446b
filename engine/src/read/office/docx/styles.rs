//! Styles and numbering: which paragraph is a heading, a caption, a list item, hidden.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::super::words::ordinal;
use super::super::xml::Element;

/// Longest chain of styles followed; a chain may be circular in a damaged file.
const LONGEST_CHAIN: usize = 32;
/// Levels of a list.
const LEVELS: usize = 9;

/// Styles by id.
#[derive(Default)]
pub(super) struct Styles {
    styles: HashMap<String, Style>,
}

#[derive(Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline: Option<usize>,
    numbering: Numbered,
    hidden: Option<bool>,
}

/// List and level of a paragraph or style, each where it is said.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Numbered {
    /// List id; `0` takes a paragraph out of its style's list.
    pub list: Option<String>,
    /// Level from 0.
    pub level: Option<usize>,
}

impl Numbered {
    /// Reads `w:numPr` of a `w:pPr`.
    pub fn of(properties: Node<'_, '_>) -> Self {
        let Some(found) = properties.child("numPr") else { return Self::default() };
        Self {
            list: found.value("numId").map(str::to_owned),
            level: found.value("ilvl").and_then(|level| level.parse().ok()),
        }
    }
}

impl Styles {
    /// Reads `styles.xml`.
    pub fn of(document: &Document<'_>) -> Self {
        let mut styles = HashMap::new();
        for node in document.root_element().elements().filter(|node| node.name() == "style") {
            let Some(id) = node.attr("styleId") else { continue };
            let paragraph = node.child("pPr");
            let style = Style {
                name: node.value("name").unwrap_or_default().to_lowercase(),
                based_on: node.value("basedOn").map(str::to_owned),
                outline: paragraph.and_then(outline),
                numbering: paragraph.map(Numbered::of).unwrap_or_default(),
                hidden: node.child("rPr").and_then(|run| run.switch("vanish")),
            };
            styles.insert(id.to_owned(), style);
        }
        Self { styles }
    }

    /// Returns what the nearest style of a chain says.
    fn first<T>(&self, id: Option<&str>, say: impl Fn(&Style) -> Option<T>) -> Option<T> {
        let mut next = id.and_then(|id| self.styles.get(id));
        for _ in 0..LONGEST_CHAIN {
            let style = next?;
            if let Some(said) = say(style) {
                return Some(said);
            }
            next = style.based_on.as_deref().and_then(|id| self.styles.get(id));
        }
        None
    }

    /// Returns a heading style's level from 1; `None` for text.
    pub fn heading(&self, id: Option<&str>) -> Option<usize> {
        let level = self.first(id, |style| {
            let number = style.name.strip_prefix("heading ").and_then(|number| number.trim().parse().ok());
            style.outline.or(number.filter(|level| (1..=9).contains(level)))
        });
        level.filter(|level| *level <= LEVELS)
    }

    /// Says whether a style or one it is based on has one of these names (lower case).
    pub fn named(&self, id: Option<&str>, names: &[&str]) -> bool {
        self.first(id, |style| names.contains(&style.name.as_str()).then_some(())).is_some()
    }

    /// Says whether a style belongs to a table of contents or of figures.
    pub fn is_contents(&self, id: Option<&str>) -> bool {
        self.first(id, |style| {
            let contents = style.name.starts_with("toc ") || style.name == "table of figures";
            contents.then_some(())
        })
        .is_some()
    }

    /// Says whether a style hides its text; `None` if it does not say.
    pub fn hidden(&self, id: Option<&str>) -> Option<bool> {
        self.first(id, |style| style.hidden)
    }

    /// Returns the list of a style.
    pub fn numbering(&self, id: Option<&str>) -> Numbered {
        Numbered {
            list: self.first(id, |style| style.numbering.list.clone()),
            level: self.first(id, |style| style.numbering.level),
        }
    }
}

/// Reads the outline level of a `w:pPr`, from 1; level 9 of the format is body text (10 here).
pub(super) fn outline(properties: Node<'_, '_>) -> Option<usize> {
    properties.value("outlineLvl").and_then(|level| level.parse::<usize>().ok()).map(|level| level + 1)
}

/// Lists by id, and how far each has counted.
#[derive(Default)]
pub(super) struct Numbering {
    kinds: HashMap<String, [Level; LEVELS]>,
    lists: HashMap<String, List>,
    counted: HashMap<String, [Option<u32>; LEVELS]>,
    begun: std::collections::HashSet<(String, usize)>,
}

struct List {
    kind: String,
    restarts: [Option<u32>; LEVELS],
    own: HashMap<usize, Level>,
}

#[derive(Clone)]
struct Level {
    format: String,
    text: String,
    start: u32,
}

impl Default for Level {
    fn default() -> Self {
        Self { format: "bullet".into(), text: String::new(), start: 1 }
    }
}

impl Numbering {
    /// Reads `numbering.xml`.
    pub fn of(document: &Document<'_>) -> Self {
        let mut numbering = Self::default();
        for node in document.root_element().elements() {
            match node.name() {
                "abstractNum" => {
                    let mut levels: [Level; LEVELS] = Default::default();
                    for level in node.elements().filter(|level| level.name() == "lvl") {
                        if let Some(slot) = index(level).and_then(|index| levels.get_mut(index)) {
                            *slot = Level::of(level);
                        }
                    }
                    numbering.kinds.insert(node.attr("abstractNumId").unwrap_or_default().into(), levels);
                }
                "num" => {
                    numbering.lists.insert(node.attr("numId").unwrap_or_default().into(), List::of(node));
                }
                _ => {}
            }
        }
        numbering
    }

    /// Counts an item and returns its label: `Some("")` for a bullet, `None` if it is in no list.
    pub fn next(&mut self, list: &str, level: usize) -> Option<String> {
        let level = level.min(LEVELS - 1);
        let found = self.lists.get(list)?;
        let levels = self.kinds.get(&found.kind)?;
        let of = |level: usize| found.own.get(&level).unwrap_or(&levels[level]);
        let counts = self.counted.entry(found.kind.clone()).or_default();
        if let Some(start) = found.restarts[level]
            && self.begun.insert((list.to_owned(), level))
        {
            counts[level] = start.checked_sub(1);
            if start == 0 {
                counts[level] = None;
            }
        }
        let start = found.restarts[level].unwrap_or(of(level).start);
        counts[level] = Some(counts[level].map_or(start, |count| count.saturating_add(1)));
        counts[level + 1..].fill(None);
        let own = of(level);
        match own.format.as_str() {
            "bullet" => return Some(String::new()),
            "none" if own.text.trim().is_empty() => return Some(String::new()),
            _ => {}
        }
        let mut label = own.text.clone();
        for (above, count) in counts.iter().enumerate().take(level + 1) {
            let count = count.unwrap_or(of(above).start);
            label = label.replace(&format!("%{}", above + 1), &ordinal(count, &of(above).format));
        }
        Some(label.trim().to_owned())
    }
}

impl List {
    fn of(node: Node<'_, '_>) -> Self {
        let mut list = Self {
            kind: node.value("abstractNumId").unwrap_or_default().into(),
            restarts: [None; LEVELS],
            own: HashMap::new(),
        };
        for change in node.elements().filter(|change| change.name() == "lvlOverride") {
            let Some(at) = index(change).filter(|at| *at < LEVELS) else { continue };
            list.restarts[at] = change.value("startOverride").and_then(|start| start.parse().ok());
            if let Some(level) = change.child("lvl") {
                list.own.insert(at, Level::of(level));
            }
        }
        list
    }
}

impl Level {
    fn of(node: Node<'_, '_>) -> Self {
        Self {
            format: node.value("numFmt").unwrap_or("decimal").into(),
            text: node.value("lvlText").unwrap_or_default().into(),
            start: node.value("start").and_then(|start| start.parse().ok()).unwrap_or(1),
        }
    }
}

fn index(node: Node<'_, '_>) -> Option<usize> {
    node.attr("ilvl").and_then(|level| level.parse().ok())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lists_count_by_level_and_restart() {
        let text = r#"<numbering><abstractNum abstractNumId="0">
            <lvl ilvl="0"><start val="1"/><numFmt val="decimal"/><lvlText val="%1."/></lvl>
            <lvl ilvl="1"><start val="1"/><numFmt val="lowerLetter"/><lvlText val="%1.%2)"/></lvl></abstractNum>
            <num numId="5"><abstractNumId val="0"/></num>
            <num numId="6"><abstractNumId val="0"/><lvlOverride ilvl="0"><startOverride val="3"/></lvlOverride></num></numbering>"#;
        let document = Document::parse(text).unwrap();
        let mut numbering = Numbering::of(&document);
        let mut labels = Vec::new();
        for (list, level) in [("5", 0), ("5", 1), ("5", 1), ("5", 0), ("5", 1), ("6", 0), ("6", 0), ("9", 0)]
        {
            labels.push(numbering.next(list, level));
        }
        let expected = ["1.", "1.a)", "1.b)", "2.", "2.a)", "3.", "4."];
        assert_eq!(labels[..7], expected.map(|label| Some(label.to_owned())));
        assert_eq!(labels[7], None);
    }
}
