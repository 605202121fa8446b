//! Encoding of a page: byte order mark, then what it declares, then its bytes.

use encoding_rs::{Encoding, UTF_8};

use super::super::{Decoded, Warning, decode};

/// Bytes in which a declaration counts.
const DECLARED_WITHIN: usize = 4096;

/// Decodes a page.
///
/// # Errors
/// What makes the bytes binary.
pub(super) fn decode_page(bytes: Vec<u8>) -> Result<Decoded, String> {
    let marked = bytes.starts_with(b"\xef\xbb\xbf")
        || bytes.starts_with(b"\xff\xfe")
        || bytes.starts_with(b"\xfe\xff");
    let Some(declared) = declared(&bytes).filter(|_| !marked) else { return decode(bytes) };
    // Valid UTF-8 with more than ASCII in it is hardly anything else, whatever the page says.
    if declared == UTF_8 || std::str::from_utf8(&bytes).is_ok() || bytes.contains(&0) {
        let mut decoded = decode(bytes)?;
        if declared != UTF_8 && !decoded.text.is_ascii() {
            let message = format!("the page says {}, its bytes are {}", declared.name(), decoded.encoding);
            decoded.warnings.push(Warning { line: None, message });
        }
        return Ok(decoded);
    }
    let (text, malformed) = declared.decode_without_bom_handling(&bytes);
    if malformed {
        let mut decoded = decode(bytes)?;
        let message = format!(
            "the page says {}, which its bytes are not: read as {}",
            declared.name(),
            decoded.encoding
        );
        decoded.warnings.push(Warning { line: None, message });
        return Ok(decoded);
    }
    Ok(Decoded { text: text.into_owned(), encoding: declared.name().into(), warnings: Vec::new() })
}

/// Finds `charset=` of a `meta` tag or `encoding=` of an XML declaration.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARED_WITHIN)]).to_lowercase();
    let xml = head.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split("?>").next());
    let metas = head.match_indices("<meta").filter_map(|(at, _)| head[at..].split('>').next());
    let found = metas
        .filter_map(|tag| value_after(tag, "charset"))
        .chain(xml.and_then(|tag| value_after(tag, "encoding")))
        .find_map(|label| Encoding::for_label(label.as_bytes()))?;
    // A page that could say so in ASCII is not UTF-16.
    let wide = found == encoding_rs::UTF_16LE || found == encoding_rs::UTF_16BE;
    Some(if wide { UTF_8 } else { found })
}

fn value_after<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let rest = tag[tag.find(name)? + name.len()..].trim_start().strip_prefix('=')?.trim_start();
    let rest = rest.trim_start_matches(['"', '\'']);
    rest.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '/' | '?')).next()
}
