//! Runs to words: accepted revisions, no hidden text, no comments, no field codes.

use roxmltree::Node;

use super::super::math;
use super::super::words::push;
use super::super::xml::Element;
use super::styles::Styles;

/// Words of a paragraph and what hangs on it.
#[derive(Default)]
pub(super) struct Inline<'a, 'input> {
    /// Words, with `[n]` where a note is.
    pub text: String,
    /// Notes referred to, with their numbers.
    pub notes: Vec<Note<'a>>,
    /// Contents of text boxes.
    pub boxes: Vec<Node<'a, 'input>>,
    /// Elements that hold pictures, charts or diagrams.
    pub drawings: Vec<Node<'a, 'input>>,
}

/// A reference to a footnote or an endnote.
pub(super) struct Note<'a> {
    /// Its number in the text.
    pub number: usize,
    /// Whether it is an endnote.
    pub at_end: bool,
    /// Its id.
    pub id: &'a str,
}

/// Collects runs; `numbers` is the number of the last note.
pub(super) struct Collector<'s> {
    /// Styles, for hidden text.
    pub styles: &'s Styles,
    /// Number of the last note.
    pub notes: usize,
}

impl Collector<'_> {
    /// Collects what is inside a paragraph or another holder of runs.
    pub fn collect<'a, 'input>(&mut self, node: Node<'a, 'input>, into: &mut Inline<'a, 'input>) {
        for child in node.elements() {
            match child.name() {
                "r" => self.run(child, into),
                "ins" | "moveTo" | "hyperlink" | "smartTag" | "fldSimple" | "customXml" | "bdo" | "dir"
                | "sdtContent" | "rubyBase" => self.collect(child, into),
                "sdt" if !is_placeholder(child) => self.collect(child, into),
                "AlternateContent" => {
                    if let Some(branch) = branch(child) {
                        self.collect(branch, into);
                    }
                }
                "oMath" | "oMathPara" => {
                    let formula = math::linear(child);
                    pad(&mut into.text);
                    into.text.push_str(formula.trim());
                }
                _ => {}
            }
        }
    }

    fn run<'a, 'input>(&mut self, run: Node<'a, 'input>, into: &mut Inline<'a, 'input>) {
        let properties = run.child("rPr");
        if self.is_hidden(properties) {
            return;
        }
        let raised = properties.and_then(|properties| properties.value("vertAlign")) == Some("superscript");
        self.content(run, raised, into);
    }

    fn content<'a, 'input>(&mut self, run: Node<'a, 'input>, raised: bool, into: &mut Inline<'a, 'input>) {
        for child in run.elements() {
            match child.name() {
                "t" => {
                    let words: String =
                        child.children().filter_map(|part| part.text()).collect::<Vec<_>>().concat();
                    push(&mut into.text, &words, raised);
                }
                "tab" | "ptab" => into.text.push(' '),
                "br" | "cr" => into.text.push('\n'),
                "noBreakHyphen" => into.text.push('-'),
                "sym" => into.text.extend(symbol(child)),
                "footnoteReference" | "endnoteReference" => self.note(child, into),
                "ruby" => self.collect(child, into),
                "drawing" | "pict" | "object" => drawing(child, into),
                "AlternateContent" => {
                    if let Some(branch) = branch(child) {
                        self.content(branch, raised, into);
                    }
                }
                _ => {}
            }
        }
    }

    fn note<'a, 'input>(&mut self, node: Node<'a, 'input>, into: &mut Inline<'a, 'input>) {
        let Some(id) = node.attr("id") else { return };
        self.notes += 1;
        into.text.push_str(&format!("[{}]", self.notes));
        let at_end = node.name() == "endnoteReference";
        into.notes.push(Note { number: self.notes, at_end, id });
    }

    /// Direct formatting decides, then the character style.
    fn is_hidden(&self, properties: Option<Node<'_, '_>>) -> bool {
        let Some(properties) = properties else { return false };
        // A run whose insertion was deleted again keeps both marks.
        let deleted = properties.child("del").is_some();
        deleted
            || properties
                .switch("vanish")
                .or_else(|| self.styles.hidden(properties.value("rStyle")))
                .unwrap_or(false)
    }
}

/// Returns the branch of a choice that has something to show: the newer one, if it is not empty.
pub(super) fn branch<'a, 'input>(node: Node<'a, 'input>) -> Option<Node<'a, 'input>> {
    let choice = node.child("Choice").filter(|choice| choice.has_children());
    choice.or_else(|| node.child("Fallback"))
}

/// Says whether a content control shows its prompt ("Click here to enter text").
pub(super) fn is_placeholder(control: Node<'_, '_>) -> bool {
    control.child("sdtPr").and_then(|settings| settings.switch("showingPlcHdr")).unwrap_or(false)
}

/// Says whether a content control holds a table of contents.
pub(super) fn is_contents(control: Node<'_, '_>) -> bool {
    let gallery = control.child("sdtPr").and_then(|settings| settings.inside("docPartGallery"));
    gallery.and_then(|gallery| gallery.attr("val")) == Some("Table of Contents")
}

fn drawing<'a, 'input>(node: Node<'a, 'input>, into: &mut Inline<'a, 'input>) {
    let boxes = node.descendants().filter(|inner| inner.name() == "txbxContent");
    // A box inside a box is found through the outer one.
    let outer = boxes.filter(|found| {
        !found
            .ancestors()
            .skip(1)
            .take_while(|above| *above != node)
            .any(|above| above.name() == "txbxContent")
    });
    into.boxes.extend(outer);
    into.drawings.push(node);
}

fn pad(text: &mut String) {
    if text.chars().last().is_some_and(|last| !last.is_whitespace()) {
        text.push(' ');
    }
}

/// Maps a character of a symbol font, whose codes are its own.
fn symbol(node: Node<'_, '_>) -> Option<char> {
    let code = u32::from_str_radix(node.attr("char")?, 16).ok()?;
    let low = code & 0xff;
    let font = node.attr("font").unwrap_or_default().to_lowercase();
    if !(0xf000..=0xf0ff).contains(&code) && font != "symbol" && !font.starts_with("wingdings") {
        return char::from_u32(code).filter(|character| !character.is_control());
    }
    match font.as_str() {
        "symbol" => GREEK
            .chars()
            .nth((low as usize).checked_sub(0x41)?)
            .filter(|_| (0x41..=0x7a).contains(&low))
            .or_else(|| SIGNS.iter().find(|(from, _)| *from == low).map(|(_, to)| *to))
            .or_else(|| char::from_u32(low).filter(char::is_ascii_punctuation)),
        "wingdings" => WINGDINGS.iter().find(|(from, _)| *from == low).map(|(_, to)| *to),
        "wingdings 2" => match low {
            0x50 | 0x52 => Some('☑'),
            0x4f | 0x51 => Some('☒'),
            0xa3 => Some('☐'),
            _ => None,
        },
        _ => None,
    }
}

/// Symbol font, codes 0x41 to 0x7a.
const GREEK: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
/// Other signs of the Symbol font.
const SIGNS: [(u32, char); 14] = [
    (0xa3, '≤'),
    (0xb3, '≥'),
    (0xb9, '≠'),
    (0xb1, '±'),
    (0xb4, '×'),
    (0xb8, '÷'),
    (0xbb, '≈'),
    (0xa5, '∞'),
    (0xb0, '°'),
    (0xd6, '√'),
    (0xe5, '∑'),
    (0xae, '→'),
    (0xb7, '•'),
    (0xa2, '′'),
];
const WINGDINGS: [(u32, char); 7] =
    [(0xfc, '✓'), (0xfb, '✗'), (0xfe, '☑'), (0xfd, '☒'), (0xa8, '☐'), (0xe0, '→'), (0xa7, '▪')];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn text(runs: &str) -> String {
        let xml = format!("<p>{runs}</p>");
        let document = roxmltree::Document::parse(&xml).unwrap();
        let mut inline = Inline::default();
        Collector { styles: &Styles::default(), notes: 0 }.collect(document.root_element(), &mut inline);
        inline.text
    }

    #[test]
    fn runs_read_as_the_accepted_text() {
        for (runs, expected) in [
            ("<r><t>a</t></r><ins><r><t>b</t></r></ins><del><r><delText>c</delText></r></del>", "ab"),
            ("<moveFrom><r><t>x</t></r></moveFrom><moveTo><r><t>y</t></r></moveTo>", "y"),
            ("<r><rPr><vanish/></rPr><t>x</t></r><r><rPr><vanish val='0'/></rPr><t>y</t></r>", "y"),
            ("<r><instrText>PAGE</instrText></r><hyperlink><r><t>site</t></r></hyperlink>", "site"),
            ("<sdt><sdtPr><showingPlcHdr/></sdtPr><sdtContent><r><t>Click</t></r></sdtContent></sdt>", ""),
            ("<sdt><sdtPr/><sdtContent><r><t>dado</t></r></sdtContent></sdt>", "dado"),
            ("<r><t>10</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>6</t></r>", "10⁶"),
            ("<r><t>a</t><tab/><t>b</t><br/><t>c</t><noBreakHyphen/><t>d</t></r>", "a b\nc-d"),
            ("<r><sym font='Symbol' char='F061'/><sym font='Wingdings' char='F0FC'/></r>", "α✓"),
            ("<r><sym font='Symbol' char='F0A3'/></r>", "≤"),
            ("<r><ruby><rt><r><t>かん</t></r></rt><rubyBase><r><t>漢</t></r></rubyBase></ruby></r>", "漢"),
        ] {
            assert_eq!(text(runs), expected, "{runs}");
        }
    }
}
