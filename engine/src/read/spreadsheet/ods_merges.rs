//! Merged cells of an OpenDocument spreadsheet, which the cell reader does not tell.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::decide::infer::Merge;

/// Most merged ranges kept; a file with more has something else in mind.
const MOST_MERGES: usize = 1_000_000;

/// Returns the merged ranges by sheet name. What cannot be parsed has none: the cell reader says so.
pub(super) fn merges(content: &str) -> HashMap<String, Vec<Merge>> {
    let mut found: HashMap<String, Vec<Merge>> = HashMap::new();
    if !content.contains("-spanned=") {
        return found;
    }
    let mut reader = Reader::from_str(content);
    let (mut sheet, mut tables, mut row, mut repeats, mut column) =
        (String::new(), 0_usize, 0_u32, 1_u32, 0_u32);
    let mut count = 0;
    loop {
        let (tag, empty) = match reader.read_event() {
            Ok(Event::Start(tag)) => (tag, false),
            Ok(Event::Empty(tag)) => (tag, true),
            Ok(Event::End(tag)) => {
                match tag.local_name().as_ref() {
                    "table" => tables = tables.saturating_sub(1),
                    "table-row" if tables == 1 => row = row.saturating_add(repeats),
                    _ => {}
                }
                continue;
            }
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => continue,
        };
        match tag.local_name().as_ref() {
            "table" if !empty => {
                tables += 1;
                if tables == 1 {
                    (sheet, row) = (attribute(&tag, "name").unwrap_or_default(), 0);
                }
            }
            "table-row" if tables == 1 => {
                (repeats, column) = (number(&tag, "number-rows-repeated"), 0);
                if empty {
                    row = row.saturating_add(repeats);
                }
            }
            "table-cell" | "covered-table-cell" if tables == 1 => {
                let (down, wide) =
                    (number(&tag, "number-rows-spanned"), number(&tag, "number-columns-spanned"));
                if (down > 1 || wide > 1) && count < MOST_MERGES {
                    count += 1;
                    let end = (row.saturating_add(down - 1), column.saturating_add(wide - 1));
                    found.entry(sheet.clone()).or_default().push(Merge { start: (row, column), end });
                }
                column = column.saturating_add(number(&tag, "number-columns-repeated"));
            }
            _ => {}
        }
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.attributes().flatten().find(|found| found.key.local_name().as_ref() == name)?;
    quick_xml::escape::unescape(&found.value).ok().map(std::borrow::Cow::into_owned)
}

/// A count in an attribute, 1 where there is none.
fn number(tag: &BytesStart<'_>, name: &str) -> u32 {
    attribute(tag, name).and_then(|value| value.parse().ok()).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_repeated_rows_and_columns() {
        let xml = r#"<d xmlns:t="t"><t:table t:name="A &amp; B"><t:table-row t:number-rows-repeated="2"><t:table-cell/></t:table-row>
            <t:table-row><t:table-cell t:number-columns-repeated="3"/><t:table-cell t:number-rows-spanned="2" t:number-columns-spanned="2"/></t:table-row></t:table>
            <t:table t:name="C"><t:table-row/><t:table-row><t:table-cell t:number-columns-spanned="2"/></t:table-row></t:table></d>"#;
        let found = merges(xml);
        let ranges =
            |name: &str| -> Vec<_> { found[name].iter().map(|merge| (merge.start, merge.end)).collect() };
        assert_eq!(ranges("A & B"), [((2, 3), (3, 4))]);
        assert_eq!(ranges("C"), [((1, 0), (1, 1))]);
        assert!(merges("<broken number-rows-spanned=").is_empty());
    }
}
