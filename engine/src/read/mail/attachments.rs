//! What is attached to a message, read by the loader of its kind.

use std::path::{Path, PathBuf};

use mail_parser::{Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::super::markup::{Markup, one_line};
use super::super::office::Content;
use super::super::picture::Pictures;
use super::super::{Kind, ReadError, Reader, Source, TextDocument, TextFormat, Warning, detect, read_kind};
use super::body::{plain, raw_bytes};

/// What reading a message and all that is inside it shares.
pub(super) struct Session<'r> {
    /// How files are read.
    pub reader: &'r Reader<'r>,
    /// The file.
    pub path: &'r Path,
    /// Pictures of the whole file.
    pub pictures: Pictures<'r>,
    /// Attachments read so far.
    pub taken: usize,
}

impl Session<'_> {
    /// Writes the attachments of a message, each under its name.
    pub fn attachments(
        &mut self,
        message: &Message<'_>,
        content: &mut Content,
        depth: usize,
    ) -> Result<(), ReadError> {
        let mut over = 0;
        for (index, part) in message.attachments().enumerate() {
            if self.taken >= self.reader.limits.max_attachments {
                over += 1;
                continue;
            }
            self.taken += 1;
            let name = name(part, index + 1);
            if let Err(error) = self.attachment(message, part, &name, content, depth) {
                warn(content, format!("attachment {name} was not read: {error}"));
            }
        }
        if over > 0 {
            let limit = self.reader.limits.max_attachments;
            warn(
                content,
                format!("{over} attachments were not read: the limit is max_attachments = {limit}"),
            );
        }
        Ok(())
    }

    fn attachment(
        &mut self,
        message: &Message<'_>,
        part: &MessagePart<'_>,
        name: &str,
        content: &mut Content,
        depth: usize,
    ) -> Result<(), ReadError> {
        if let PartType::Message(inner) = &part.body {
            return self.message(inner, name, content, depth);
        }
        let bytes = bytes_of(message, part);
        let path = PathBuf::from(name);
        match detect(&path, &bytes[..bytes.len().min(65_536)]) {
            Kind::Image => {
                let words = self.pictures.text(name, &bytes);
                if !words.trim().is_empty() {
                    begin(content, name);
                    content.out.paragraph(&words);
                }
                Ok(())
            }
            Kind::Eml => match MessageParser::default().parse(&bytes) {
                Some(inner) => self.message(&inner, name, content, depth),
                None => Ok(()),
            },
            // Signatures and calendar replies say nothing that a person reads.
            _ if is_machinery(part) => Ok(()),
            _ => {
                let reading = read_kind(&path, bytes, self.reader)?;
                content.warnings.extend(reading.warnings.into_iter().map(|warning| within(name, &warning)));
                begin(content, name);
                for source in reading.sources {
                    take(source, name, content);
                }
                Ok(())
            }
        }
    }

    /// Writes a message inside the message.
    fn message(
        &mut self,
        inner: &Message<'_>,
        name: &str,
        content: &mut Content,
        depth: usize,
    ) -> Result<(), ReadError> {
        let limit = self.reader.limits.max_attachment_depth;
        if depth + 1 > limit {
            warn(
                content,
                format!("attachment {name} was not read: the limit is max_attachment_depth = {limit}"),
            );
            return Ok(());
        }
        let found = super::content(inner, self, depth + 1)?;
        begin(content, name);
        content.warnings.extend(found.warnings.iter().map(|warning| within(name, warning)));
        content.tables.extend(found.tables);
        let (text, marks) = found.out.finish();
        content.out.append(&text, &marks, &place(name), 2);
        Ok(())
    }
}

fn begin(content: &mut Content, name: &str) {
    content.out.mark(place(name));
    content.out.heading(2, &format!("Attachment: {name}"));
}

fn place(name: &str) -> String {
    format!("attachment {name}")
}

fn warn(content: &mut Content, message: String) {
    content.warnings.push(Warning { line: None, message });
}

fn within(name: &str, warning: &Warning) -> Warning {
    Warning { line: None, message: format!("attachment {name}: {warning}") }
}

/// Adds what a file inside gave.
fn take(source: Source, name: &str, content: &mut Content) {
    match source {
        Source::Tables(tables) => {
            for mut table in tables {
                table.info.location = format!("{}, {}", place(name), table.info.location);
                let columns: Vec<&str> =
                    table.info.columns.iter().map(|column| column.header.as_str()).collect();
                content.out.paragraph(&format!("{}: {}", table.info.name, columns.join(", ")));
                content.tables.push(table);
            }
        }
        Source::Text(document) => {
            content.warnings.extend(document.warnings.iter().map(|warning| within(name, warning)));
            let TextDocument { title, format, text, line, marks, tables, .. } = document;
            content.tables.extend(tables);
            if line.is_some() {
                content.out.heading(3, &title);
            }
            match format {
                TextFormat::Markdown => content.out.append(&text, &marks, &place(name), 2),
                TextFormat::Plain => {
                    let mut out = Markup::default();
                    plain(&text, &mut out);
                    content.out.append(&out.finish().0, &[], &place(name), 2);
                }
            }
        }
    }
}

/// The file name of an attachment, without folders; a made-up one where it has none.
fn name(part: &MessagePart<'_>, number: usize) -> String {
    let given = part.attachment_name().unwrap_or_default();
    let given = one_line(given.rsplit(['/', '\\']).next().unwrap_or_default());
    if !given.is_empty() {
        return given;
    }
    let kind = part.content_type().map(|kind| (kind.ctype(), kind.subtype().unwrap_or_default()));
    let extension = match kind {
        Some(("message", _)) => "eml",
        Some(("text", "html")) => "html",
        Some(("text", "csv")) => "csv",
        Some(("text", _)) | None => "txt",
        Some((_, subtype)) => subtype,
    };
    format!("unnamed {number}.{extension}")
}

/// Text parts come decoded by their character set; one that did not fit comes as it is.
fn bytes_of(message: &Message<'_>, part: &MessagePart<'_>) -> Vec<u8> {
    let contents = part.contents();
    let broken = matches!(part.body, PartType::Text(_) | PartType::Html(_))
        && String::from_utf8_lossy(contents).contains('\u{fffd}');
    match raw_bytes(message, part).filter(|_| broken) {
        Some(bytes) => bytes,
        None => contents.to_vec(),
    }
}

fn is_machinery(part: &MessagePart<'_>) -> bool {
    let subtype = part.content_type().and_then(|kind| kind.subtype()).unwrap_or_default().to_lowercase();
    matches!(subtype.as_str(), "pgp-signature" | "pkcs7-signature" | "x-pkcs7-signature" | "pgp-keys")
}
