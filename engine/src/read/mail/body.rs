//! What a message says: the better of its plain and its HTML text.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Encoding, Message, MessagePart, MimeHeaders, PartType};

use super::super::markup::Markup;
use super::super::office::Content;
use super::super::{ReadError, Warning, chunk, decode, html};
use super::attachments::Session;

/// Writes the body of a message.
pub(super) fn write(
    message: &Message<'_>,
    state: &mut Session<'_>,
    content: &mut Content,
) -> Result<(), ReadError> {
    let plain = text(message, &message.text_body, state, content)?;
    if message.html_body == message.text_body {
        content.out.append(&plain, &[], "", 1);
        return Ok(());
    }
    let rich = text(message, &message.html_body, state, content)?;
    let words = |text: &str| text.split_whitespace().count();
    // Plain text says it without a page's furniture, unless it lost a table or is a mere pointer.
    let richer = !chunk::markdown_tables(&rich).is_empty() || words(&plain) * 2 < words(&rich);
    content.out.append(if richer { &rich } else { &plain }, &[], "", 1);
    Ok(())
}

/// Returns parts of a message as one Markdown text.
fn text(
    message: &Message<'_>,
    parts: &[u32],
    state: &mut Session<'_>,
    content: &mut Content,
) -> Result<String, ReadError> {
    let mut out = Markup::default();
    for part in parts.iter().filter_map(|id| message.parts.get(*id as usize)) {
        let words = part_text(message, part, content);
        if matches!(part.body, PartType::Html(_)) {
            let page = html::content(state.path, &words, state.reader)?;
            let (text, marks) = page.out.finish();
            out.append(&text, &marks, "", 0);
        } else {
            let flowed = part.content_type().and_then(|kind| kind.attribute("format"));
            let flowed = flowed.is_some_and(|format| format.eq_ignore_ascii_case("flowed"));
            plain(&if flowed { unflow(&words) } else { words }, &mut out);
        }
    }
    Ok(out.finish().0)
}

/// Writes plain text: paragraphs between blank lines.
pub(super) fn plain(text: &str, out: &mut Markup) {
    let text = text.replace("\r\n", "\n");
    let mut paragraph = String::new();
    for line in text.lines().chain(std::iter::once("")) {
        if !line.trim().is_empty() {
            paragraph.push_str(line);
            paragraph.push('\n');
        } else if !paragraph.is_empty() {
            out.paragraph(&paragraph);
            paragraph.clear();
        }
    }
}

/// Joins the lines that a mail program broke (RFC 3676).
fn unflow(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.lines() {
        joined.push_str(line);
        if !line.ends_with(' ') || line == "-- " {
            joined.push('\n');
        }
    }
    joined
}

/// Returns the words of a text part. A wrong or missing character set is found from the bytes.
fn part_text(message: &Message<'_>, part: &MessagePart<'_>, content: &mut Content) -> String {
    let words = part.text_contents().unwrap_or_default();
    if !words.contains('\u{fffd}') {
        return words.to_owned();
    }
    let Some(decoded) = raw_bytes(message, part).and_then(|bytes| decode(bytes).ok()) else {
        return words.to_owned();
    };
    let message = format!("the text did not fit its character set: read as {}", decoded.encoding);
    content.warnings.push(Warning { line: None, message });
    decoded.text
}

/// Returns the bytes of a part before any character set was applied.
pub(super) fn raw_bytes(message: &Message<'_>, part: &MessagePart<'_>) -> Option<Vec<u8>> {
    let raw = message.raw_message.get(part.offset_body as usize..part.offset_end as usize)?;
    match part.encoding {
        Encoding::None => Some(raw.to_vec()),
        Encoding::Base64 => base64_decode(raw),
        Encoding::QuotedPrintable => quoted_printable_decode(raw),
    }
}
