//! Web pages: the words a reader sees, with headings, lists and tables. Nothing is fetched.

mod charset;
mod dom;
mod table;

use std::path::Path;

use super::error::too_large;
use super::markup::{Markup, one_line};
use super::office::{Content, finish, push_raised};
use super::{Kind, ReadError, Reader, Reading};
use dom::{Dom, Id};

/// Elements whose content is no text of the page.
const UNREAD: [&str; 22] = [
    "script",
    "style",
    "template",
    "noscript",
    "nav",
    "svg",
    "iframe",
    "object",
    "embed",
    "canvas",
    "audio",
    "video",
    "head",
    "button",
    "select",
    "textarea",
    "input",
    "datalist",
    "rt",
    "rp",
    "annotation",
    "annotation-xml",
];
/// Elements that begin on a line of their own.
const BLOCKS: [&str; 26] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "footer",
    "aside",
    "address",
    "blockquote",
    "figure",
    "figcaption",
    "fieldset",
    "legend",
    "form",
    "details",
    "summary",
    "center",
    "body",
    "html",
    "hgroup",
    "search",
    "dialog",
    "dl",
    "hr",
    "td",
];
/// Depth to which the parser's tree may grow, in multiples of `max_depth`: unclosed tags of old
/// pages nest without meaning it.
const LEVELS_PER_DEPTH: usize = 16;

/// Reads a page.
pub(super) fn read(path: &Path, bytes: Vec<u8>, reader: &Reader<'_>) -> Result<Reading, ReadError> {
    let size = bytes.len() as u64;
    let decoded = charset::decode_page(bytes)
        .map_err(|reason| ReadError::Binary { path: path.to_path_buf(), reason })?;
    let mut content = content(path, &decoded.text, reader)?;
    content.warnings.extend(decoded.warnings);
    finish(path, Kind::Html, size, content, &decoded.encoding, reader)
}

/// Reads the text of a page.
pub(super) fn content(path: &Path, text: &str, reader: &Reader<'_>) -> Result<Content, ReadError> {
    let limits = reader.limits;
    let dom = Dom::parse(text, limits.max_depth.saturating_mul(LEVELS_PER_DEPTH)).map_err(|found| {
        too_large(path, "the nesting (levels)", found as u64, "max_depth", limits.max_depth as u64)
    })?;
    let mut page = Page {
        dom: &dom,
        content: Content::default(),
        inline: String::new(),
        lists: Vec::new(),
        item: None,
        cells: 0,
        reader,
        path,
    };
    page.head();
    page.walk(dom.root(), 0)?;
    page.flush();
    Ok(page.content)
}

/// A list that is open.
struct List {
    ordered: bool,
    next: i64,
    kind: &'static str,
}

/// Goes through a page and writes it.
struct Page<'p> {
    dom: &'p Dom,
    content: Content,
    /// Words of the block under way.
    inline: String,
    lists: Vec<List>,
    /// Label of the list item under way.
    item: Option<Option<String>>,
    cells: u64,
    reader: &'p Reader<'p>,
    path: &'p Path,
}

impl Page<'_> {
    fn out(&mut self) -> &mut Markup {
        &mut self.content.out
    }

    /// Takes the title and the description from the head.
    fn head(&mut self) {
        let dom = self.dom;
        for id in dom.descendants(dom.root()) {
            match dom.name(id) {
                "title" if !self.content.metadata.contains_key("title") => {
                    let words = one_line(&text_of(dom, id));
                    self.content.note("title", &words);
                }
                "meta" => {
                    let name = dom.attribute(id, "name").unwrap_or_default().to_lowercase();
                    let value = dom.attribute(id, "content").unwrap_or_default();
                    match name.as_str() {
                        "author" | "description" | "keywords" | "date" => self.content.note(&name, value),
                        _ => {}
                    }
                }
                "body" => break,
                _ => {}
            }
        }
    }

    /// Writes the block under way.
    fn flush(&mut self) {
        let words = std::mem::take(&mut self.inline);
        if words.trim().is_empty() {
            return;
        }
        match self.item.take() {
            Some(label) => {
                let depth = self.lists.len().saturating_sub(1);
                self.content.out.item(depth, label.as_deref(), &words);
            }
            None => self.content.out.paragraph(&words),
        }
    }

    fn walk(&mut self, id: Id, depth: usize) -> Result<(), ReadError> {
        let dom = self.dom;
        if let Some(text) = dom.text(id) {
            self.words(text);
            return Ok(());
        }
        let name = dom.name(id);
        if is_unread(dom, id) {
            return Ok(());
        }
        if depth >= self.reader.limits.max_depth {
            // What is nested deeper is read as plain words.
            let words = text_of(dom, id);
            self.words(&words);
            return Ok(());
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.flush();
                let level = usize::from(name.as_bytes()[1] - b'0');
                let words = self.inside(id, depth)?;
                self.out().heading(level, &words);
                Ok(())
            }
            "ul" | "ol" | "menu" => self.list(id, depth),
            "li" => self.list_item(id, depth),
            "table" => self.table(id, depth),
            "pre" | "xmp" | "listing" => {
                self.flush();
                let code = text_of(dom, id);
                self.out().code(&code);
                Ok(())
            }
            "br" => {
                self.inline.push('\n');
                Ok(())
            }
            "img" => {
                let words = dom.attribute(id, "alt").unwrap_or_default().trim().to_owned();
                if words.split_whitespace().count() > 1 {
                    self.inline.push_str(&format!(" [{words}] "));
                }
                Ok(())
            }
            "sup" => self.raised(id),
            "dt" => {
                self.flush();
                let words = self.inside(id, depth)?;
                let words = one_line(&words);
                let colon = if words.ends_with(':') || words.is_empty() { " " } else { ": " };
                self.inline = words + colon;
                Ok(())
            }
            "dd" => {
                self.children(id, depth)?;
                self.flush();
                Ok(())
            }
            name if BLOCKS.contains(&name) => {
                self.part();
                self.children(id, depth)?;
                self.part();
                Ok(())
            }
            _ => self.children(id, depth),
        }
    }

    fn children(&mut self, id: Id, depth: usize) -> Result<(), ReadError> {
        let dom = self.dom;
        dom.children(id).iter().try_for_each(|child| self.walk(*child, depth + 1))
    }

    /// Parts blocks; inside a list item they are sentences of it.
    fn part(&mut self) {
        if self.item.is_some() || self.inline.ends_with(": ") {
            self.inline.push(' ');
        } else {
            self.flush();
        }
    }

    /// Reads what is inside an element as words of their own.
    fn inside(&mut self, id: Id, depth: usize) -> Result<String, ReadError> {
        let outer = (std::mem::take(&mut self.inline), self.item.replace(None));
        self.children(id, depth)?;
        let words = std::mem::replace(&mut self.inline, outer.0);
        self.item = outer.1;
        Ok(words)
    }

    fn words(&mut self, text: &str) {
        let mut space = self.inline.is_empty() || self.inline.ends_with(char::is_whitespace);
        for character in text.chars() {
            let white = character.is_ascii_whitespace();
            if !(white && space) {
                self.inline.push(if white { ' ' } else { character });
            }
            space = white;
        }
    }

    fn raised(&mut self, id: Id) -> Result<(), ReadError> {
        let dom = self.dom;
        let words = one_line(&text_of(dom, id));
        // A link is a note's mark, anything else a power.
        if dom.descendants(id).any(|inner| dom.name(inner) == "a") && !words.starts_with('[') {
            self.inline.push_str(&format!("[{words}]"));
        } else {
            push_raised(&mut self.inline, &words);
        }
        Ok(())
    }

    fn list(&mut self, id: Id, depth: usize) -> Result<(), ReadError> {
        self.flush();
        let start = self.dom.attribute(id, "start").and_then(|start| start.trim().parse().ok()).unwrap_or(1);
        let kind = match self.dom.attribute(id, "type") {
            Some("a") => "lowerLetter",
            Some("A") => "upperLetter",
            Some("i") => "lowerRoman",
            Some("I") => "upperRoman",
            _ => "decimal",
        };
        self.item = None;
        self.lists.push(List { ordered: self.dom.name(id) == "ol", next: start, kind });
        self.children(id, depth)?;
        self.flush();
        self.lists.pop();
        Ok(())
    }

    fn list_item(&mut self, id: Id, depth: usize) -> Result<(), ReadError> {
        self.flush();
        let value = self.dom.attribute(id, "value").and_then(|value| value.trim().parse().ok());
        let label = self.lists.last_mut().filter(|list| list.ordered).map(|list| {
            let number: i64 = value.unwrap_or(list.next);
            list.next = number.saturating_add(1);
            let written = u32::try_from(number).map(|number| super::office::ordinal(number, list.kind));
            format!("{}.", written.unwrap_or_else(|_| number.to_string()))
        });
        self.item = Some(label);
        self.children(id, depth)?;
        self.flush();
        self.item = None;
        Ok(())
    }
}

/// Says whether an element is nothing to read.
fn is_unread(dom: &Dom, id: Id) -> bool {
    let style = dom.attribute(id, "style").unwrap_or_default();
    let hidden = dom.attribute(id, "hidden").is_some()
        || style.split(';').any(|rule| {
            let rule: String = rule.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
            rule.starts_with("display:none") || rule.starts_with("visibility:hidden")
        });
    hidden || UNREAD.contains(&dom.name(id)) || dom.attribute(id, "role") == Some("navigation")
}

/// All words inside an element.
fn text_of(dom: &Dom, id: Id) -> String {
    let mut text = String::new();
    for inner in dom.descendants(id) {
        match dom.text(inner) {
            Some(words) => text.push_str(words),
            None if dom.name(inner) == "br" => text.push('\n'),
            None => {}
        }
    }
    text
}
