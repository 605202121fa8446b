//! Office Math to a line of text: `x^2/(a + b)`, `√(x)`, `∑_(i=1)^n i`.

use roxmltree::Node;

use super::xml::Element;

/// Writes a formula (`m:oMath`) on one line.
pub(super) fn linear(node: Node<'_, '_>) -> String {
    let part = |name: &str| node.child(name).map(linear).unwrap_or_default();
    match node.name() {
        "t" => node.text().unwrap_or_default().to_owned(),
        "f" => format!("{}/{}", grouped(part("num")), grouped(part("den"))),
        "sSup" => format!("{}^{}", grouped(part("e")), grouped(part("sup"))),
        "sSub" => format!("{}_{}", part("e"), grouped(part("sub"))),
        "sSubSup" => format!("{}_{}^{}", part("e"), grouped(part("sub")), grouped(part("sup"))),
        "rad" => {
            let degree = part("deg");
            let degree = if degree.is_empty() { degree } else { format!("[{degree}]") };
            format!("√{degree}({})", part("e"))
        }
        "nary" => {
            let sign = node.child("naryPr").and_then(|settings| settings.value("chr")).unwrap_or("∫");
            let bound = |mark: char, words: String| {
                if words.is_empty() { words } else { format!("{mark}{}", grouped(words)) }
            };
            format!("{sign}{}{} {}", bound('_', part("sub")), bound('^', part("sup")), part("e"))
        }
        "d" => delimited(node),
        "func" => format!("{} {}", part("fName"), part("e")),
        "m" => {
            let rows = node.elements().filter(|row| row.name() == "mr");
            let rows = rows.map(|row| joined(row, "e", ", ")).collect::<Vec<_>>().join("; ");
            format!("[{rows}]")
        }
        "eqArr" => joined(node, "e", "; "),
        name if name.ends_with("Pr") => String::new(),
        _ => node.elements().map(linear).collect(),
    }
}

fn delimited(node: Node<'_, '_>) -> String {
    let settings = node.child("dPr");
    let mark = |name: &str, usual: &'static str| {
        settings.and_then(|settings| settings.value(name)).unwrap_or(usual).to_owned()
    };
    format!("{}{}{}", mark("begChr", "("), joined(node, "e", &mark("sepChr", "|")), mark("endChr", ")"))
}

fn joined(node: Node<'_, '_>, name: &str, separator: &str) -> String {
    node.elements().filter(|part| part.name() == name).map(linear).collect::<Vec<_>>().join(separator)
}

/// Puts what is more than one symbol or number in parentheses.
fn grouped(words: String) -> String {
    let words = words.trim();
    let single = words.chars().all(char::is_alphanumeric) || words.chars().count() == 1;
    let closed = words.starts_with('(') && words.find(')') == Some(words.len() - 1);
    if single || closed { words.to_owned() } else { format!("({words})") }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn formulas_read_on_one_line() {
        let t = |words: &str| format!("<r><t>{words}</t></r>");
        for (xml, expected) in [
            (format!("<f><num>{}</num><den>{}</den></f>", t("a + b"), t("2")), "(a + b)/2"),
            (format!("<sSup><e>{}</e><sup>{}</sup></sSup>", t("x"), t("2")), "x^2"),
            (format!("<sSub><e>{}</e><sub>{}</sub></sSub>", t("H"), t("2")), "H_2"),
            (format!("<rad><deg/><e>{}</e></rad>", t("x+1")), "√(x+1)"),
            (
                format!(
                    r#"<nary><naryPr><chr val="∑"/></naryPr><sub>{}</sub><sup>{}</sup><e>{}</e></nary>"#,
                    t("i=1"),
                    t("n"),
                    t("i")
                ),
                "∑_(i=1)^n i",
            ),
            (format!("<d><e>{}</e></d>{}", t("a,b"), t("=c")), "(a,b)=c"),
            (
                format!("<m><mr><e>{0}</e><e>{0}</e></mr><mr><e>{0}</e><e>{0}</e></mr></m>", t("1")),
                "[1, 1; 1, 1]",
            ),
        ] {
            let text = format!("<oMath>{xml}</oMath>");
            let document = roxmltree::Document::parse(&text).unwrap();
            assert_eq!(linear(document.root_element()), expected);
        }
    }
}
