//! Parts of a package as trees. Names are compared without their namespace prefix: strict and
//! transitional OOXML and what other programs write differ in nothing else.

use roxmltree::{Document, Node, ParsingOptions};

/// Parses a part of a package.
///
/// A document type declaration is refused, and with it every entity that could expand.
///
/// # Errors
/// What is wrong, with line and column.
pub(in super::super) fn parse(text: &str, max_depth: usize) -> Result<Document<'_>, String> {
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| error.to_string())?;
    check_depth(&document, max_depth)?;
    Ok(document)
}

/// Walks the tree without recursion: afterwards recursion is safe.
fn check_depth(document: &Document<'_>, max_depth: usize) -> Result<(), String> {
    let (mut node, mut depth) = (document.root(), 0_usize);
    loop {
        if let Some(child) = node.first_child() {
            depth += 1;
            if depth > max_depth {
                let at = document.text_pos_at(child.range().start);
                return Err(format!("elements nested deeper than max_depth = {max_depth} at {at}"));
            }
            node = child;
            continue;
        }
        loop {
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            let Some(parent) = node.parent() else { return Ok(()) };
            node = parent;
            depth -= 1;
        }
    }
}

/// Shorthand for looking into elements.
pub(in super::super) trait Element<'a, 'input: 'a>: Sized {
    /// Local name; empty for text.
    fn name(self) -> &'a str;
    /// Child elements.
    fn elements(self) -> impl Iterator<Item = Node<'a, 'input>>;
    /// First child element of a name.
    fn child(self, name: &str) -> Option<Node<'a, 'input>>;
    /// First descendant of a name.
    fn inside(self, name: &str) -> Option<Node<'a, 'input>>;
    /// Attribute by its local name.
    fn attr(self, name: &str) -> Option<&'a str>;
    /// Value of the `val` attribute of a child.
    fn value(self, name: &str) -> Option<&'a str>;
    /// Whether a child that is a switch is there and on (`w:b`, `w:vanish`); `None` if it is not there.
    fn switch(self, name: &str) -> Option<bool>;
    /// A number in an attribute, 1 at least and `most` at most.
    fn count(self, name: &str, most: usize) -> usize;
}

impl<'a, 'input: 'a> Element<'a, 'input> for Node<'a, 'input> {
    fn name(self) -> &'a str {
        if self.is_element() { self.tag_name().name() } else { "" }
    }

    fn elements(self) -> impl Iterator<Item = Node<'a, 'input>> {
        self.children().filter(Node::is_element)
    }

    fn child(self, name: &str) -> Option<Node<'a, 'input>> {
        self.elements().find(|child| child.tag_name().name() == name)
    }

    fn inside(self, name: &str) -> Option<Node<'a, 'input>> {
        self.descendants().find(|node| node.is_element() && node.tag_name().name() == name)
    }

    fn attr(self, name: &str) -> Option<&'a str> {
        self.attributes().find(|attribute| attribute.name() == name).map(|attribute| attribute.value())
    }

    fn value(self, name: &str) -> Option<&'a str> {
        self.child(name)?.attr("val")
    }

    fn switch(self, name: &str) -> Option<bool> {
        let found = self.child(name)?;
        Some(!matches!(found.attr("val"), Some("0" | "false" | "off" | "none")))
    }

    fn count(self, name: &str, most: usize) -> usize {
        self.attr(name).and_then(|value| value.trim().parse().ok()).unwrap_or(1).clamp(1, most.max(1))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn entities_and_depth_are_refused_with_their_place() {
        let bomb = r#"<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;">]><a>&d;</a>"#;
        assert!(parse(bomb, 10).unwrap_err().contains("DTD"), "{:?}", parse(bomb, 10).unwrap_err());
        let deep = format!("{}{}", "<a>".repeat(200_000), "</a>".repeat(200_000));
        assert!(parse(&deep, 256).unwrap_err().contains("max_depth = 256"));
        let flat = format!("<a>{}</a>", "<b><c/></b>".repeat(10));
        assert!(parse(&flat, 3).is_ok());
        assert!(
            parse("<a><b></a>", 9).unwrap_err().contains("1:7"),
            "{}",
            parse("<a><b></a>", 9).unwrap_err()
        );
    }

    #[test]
    fn names_are_looked_up_without_prefix() {
        let text = r#"<w:r xmlns:w="u"><w:vanish w:val="0"/><w:b/><w:span w:val="900"/></w:r>"#;
        let document = parse(text, 9).unwrap();
        let root = document.root_element();
        assert_eq!(
            (root.switch("vanish"), root.switch("b"), root.switch("i")),
            (Some(false), Some(true), None)
        );
        assert_eq!(root.child("span").unwrap().count("val", 100), 100);
        assert_eq!(root.value("span"), Some("900"));
    }
}
