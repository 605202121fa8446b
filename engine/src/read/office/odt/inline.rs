//! Words of an OpenDocument paragraph.

use roxmltree::Node;

use super::super::words::push;
use super::super::xml::Element;
use super::styles::Styles;

/// Words and what hangs on them.
#[derive(Default)]
pub(super) struct Inline<'a, 'input> {
    /// The words, with `[n]` where a note is.
    pub text: String,
    /// Notes with their numbers.
    pub notes: Vec<(usize, Node<'a, 'input>)>,
    /// Frames: text boxes, pictures, objects.
    pub frames: Vec<Node<'a, 'input>>,
}

/// Collects the words inside `node`; `notes` is the number of the last note.
pub(super) fn collect<'a, 'input>(
    node: Node<'a, 'input>,
    styles: &Styles,
    notes: &mut usize,
    into: &mut Inline<'a, 'input>,
) {
    for child in node.children() {
        if let Some(words) = child.text().filter(|_| child.is_text()) {
            let raised = node.name() == "span" && styles.is_raised(node.attr("style-name"));
            // White space in the file is layout of its XML: runs of it are one space.
            let collapsed = words.split_whitespace().collect::<Vec<_>>().join(" ");
            let lead = words.starts_with(char::is_whitespace) && !into.text.ends_with([' ', '\n']);
            if lead {
                into.text.push(' ');
            }
            push(&mut into.text, &collapsed, raised);
            if !collapsed.is_empty() && words.ends_with(char::is_whitespace) {
                into.text.push(' ');
            }
            continue;
        }
        match child.name() {
            "s" => into.text.push_str(&" ".repeat(child.count("c", 100))),
            "tab" => into.text.push(' '),
            "line-break" => into.text.push('\n'),
            "note" => {
                *notes += 1;
                into.text.push_str(&format!("[{notes}]"));
                into.notes.push((*notes, child));
            }
            "span" if styles.is_hidden(child.attr("style-name")) => {}
            "annotation" | "annotation-end" | "hidden-text" | "hidden-paragraph" | "ruby-text"
            | "tracked-changes" => {}
            "frame" | "rect" | "custom-shape" | "g" => into.frames.push(child),
            _ => collect(child, styles, notes, into),
        }
    }
}
