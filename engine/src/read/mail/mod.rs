//! E-mail: one message (EML) or a box of them (mbox), with what is attached.
//!
//! A message is one document: what it says, then each attachment under a heading of its own, read
//! by the loader of its kind. Headers are metadata, and also stand at the top of the text, where
//! they can be found.

mod attachments;
mod body;
mod mbox;

use std::path::Path;

use mail_parser::{Address, HeaderValue, Message, MessageParser};

use super::error::corrupt;
use super::office::Content;
use super::picture::Pictures;
use super::{Kind, ReadError, Reader, Reading, Source, TextDocument, Warning, too_large};
use attachments::Session;

/// Most messages a file may hold inside each other: the parser's tree is as deep.
const MOST_INSIDE: usize = 1000;

/// Reads a message or a box of them.
pub(super) fn read(path: &Path, bytes: &[u8], reader: &Reader<'_>) -> Result<Reading, ReadError> {
    if !mbox::is_box(bytes) {
        let document = guarded(path, bytes, reader)?;
        return Ok(Reading { kind: Kind::Eml, sources: vec![Source::Text(document)], warnings: Vec::new() });
    }
    let (mut sources, mut warnings, mut first) = (Vec::new(), Vec::new(), None);
    for (line, message) in mbox::messages(bytes) {
        match guarded(path, &message, reader) {
            Ok(mut document) => {
                document.line = Some(line);
                sources.push(Source::Text(document));
            }
            Err(error) => {
                warnings
                    .push(Warning { line: Some(line), message: format!("a message was not read: {error}") });
                first.get_or_insert(error);
            }
        }
    }
    if sources.is_empty() {
        let empty = ReadError::Empty { path: path.to_path_buf(), bytes: bytes.len() as u64 };
        return Err(first.unwrap_or(empty));
    }
    let hidden = warnings.len().saturating_sub(reader.limits.max_warnings);
    warnings.truncate(reader.limits.max_warnings);
    if hidden > 0 {
        warnings.push(Warning { line: None, message: format!("{hidden} more messages were not read") });
    }
    Ok(Reading { kind: Kind::Eml, sources, warnings })
}

/// Reads one message. The parser's panic over it is that message's error.
fn guarded(path: &Path, bytes: &[u8], reader: &Reader<'_>) -> Result<TextDocument, ReadError> {
    let inside = count_inside(bytes);
    if inside > MOST_INSIDE {
        let reason = format!("it holds {inside} messages in each other, more than {MOST_INSIDE}");
        return Err(corrupt(path, Kind::Eml, &reason));
    }
    let parse = || document(path, bytes, reader);
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(parse))
        .unwrap_or_else(|_| Err(corrupt(path, Kind::Eml, &"the parser gave up on it")))
}

/// Counts parts that say they are messages.
fn count_inside(bytes: &[u8]) -> usize {
    let says =
        |word: &[u8]| bytes.windows(word.len()).filter(|window| window.eq_ignore_ascii_case(word)).count();
    says(b"message/") + says(b"/digest")
}

fn document(path: &Path, bytes: &[u8], reader: &Reader<'_>) -> Result<TextDocument, ReadError> {
    let parsed = MessageParser::default().parse(bytes).filter(|message| !message.parts.is_empty());
    let message = parsed.ok_or_else(|| corrupt(path, Kind::Eml, &"it has no headers"))?;
    let mut state = Session { reader, path, pictures: Pictures::new(reader), taken: 0 };
    let mut content = content(&message, &mut state, 0)?;
    content.warnings.extend(state.pictures.warnings());
    if content.out.is_empty() {
        return Err(ReadError::Empty { path: path.to_path_buf(), bytes: bytes.len() as u64 });
    }
    let (length, limit) = (content.out.len() as u64, reader.limits.max_text_bytes);
    if length > limit {
        return Err(too_large(path, "the text (bytes)", length, "max_text_bytes", limit));
    }
    Ok(content.document(path, "MIME"))
}

/// Reads a message that is `depth` messages deep in another.
fn content(message: &Message<'_>, state: &mut Session<'_>, depth: usize) -> Result<Content, ReadError> {
    let mut content = Content::default();
    headers(message, &mut content);
    body::write(message, state, &mut content)?;
    state.attachments(message, &mut content, depth)?;
    Ok(content)
}

/// Writes the headers that a person reads.
fn headers(message: &Message<'_>, content: &mut Content) {
    let subject = message.subject().unwrap_or_default().trim().to_owned();
    if !subject.is_empty() {
        content.note("subject", &subject);
        content.title = Some(subject.clone());
        content.out.heading(1, &subject);
    }
    let mut lines = Vec::new();
    let date = message.date().filter(|date| date.is_valid()).map(mail_parser::DateTime::to_rfc3339);
    for (label, key, value) in [
        ("From", "from", message.from().map(people)),
        ("To", "to", message.to().map(people)),
        ("Cc", "cc", message.cc().map(people)),
        ("Date", "date", date),
    ] {
        let Some(value) = value.filter(|value| !value.is_empty()) else { continue };
        content.note(key, &value);
        lines.push(format!("{label}: {value}"));
    }
    content.note("message_id", message.message_id().unwrap_or_default());
    if let HeaderValue::Text(reply) = message.in_reply_to() {
        content.note("in_reply_to", reply);
    }
    content.out.paragraph(&lines.join("\n"));
}

/// Writes addresses: `Ana Lima <ana@example.org>, bia@example.org`.
fn people(addresses: &Address<'_>) -> String {
    let written = addresses.iter().map(|one| {
        let (name, address) =
            (one.name().unwrap_or_default().trim(), one.address().unwrap_or_default().trim());
        match (name.is_empty(), address.is_empty()) {
            (true, _) => address.to_owned(),
            (false, true) => name.to_owned(),
            (false, false) if name == address => address.to_owned(),
            (false, false) => format!("{name} ({address})"),
        }
    });
    written.filter(|one| !one.is_empty()).collect::<Vec<_>>().join(", ")
}
