//! Pictures inside documents, read by whoever reads pictures.

use std::collections::HashSet;
use std::path::Path;

use super::{Reader, Warning, image};

/// Pictures narrower or lower than this, in pixels, are bullets and rules.
const SMALLEST: usize = 24;

/// Pictures of one document: each distinct one is read once, up to `max_pictures`.
pub(super) struct Pictures<'a> {
    reader: &'a Reader<'a>,
    seen: HashSet<blake3::Hash>,
    read: usize,
    unread: usize,
    over: usize,
    failed: Vec<String>,
}

impl<'a> Pictures<'a> {
    /// Starts a document.
    pub fn new(reader: &'a Reader<'a>) -> Self {
        Self { reader, seen: HashSet::new(), read: 0, unread: 0, over: 0, failed: Vec::new() }
    }

    /// Returns the text of a picture; empty if it has none, was read before or cannot be read.
    pub fn text(&mut self, place: &str, bytes: &[u8]) -> String {
        if bytes.is_empty() || !self.seen.insert(blake3::hash(bytes)) {
            return String::new();
        }
        let Some(pictures) = self.reader.pictures else {
            self.unread += 1;
            return String::new();
        };
        if self.read >= self.reader.limits.max_pictures {
            self.over += 1;
            return String::new();
        }
        self.read += 1;
        let decoded = image::decode_any(Path::new(place), bytes, self.reader.limits);
        let lines = decoded.and_then(|picture| {
            if picture.width < SMALLEST || picture.height < SMALLEST {
                return Ok(Vec::new());
            }
            pictures.read(&picture)
        });
        match lines {
            Ok(lines) => lines.into_iter().map(|line| line.text).collect::<Vec<_>>().join("\n"),
            Err(reason) => {
                self.failed.push(format!("a picture could not be read ({place}): {reason}"));
                String::new()
            }
        }
    }

    /// Says what was left unread.
    pub fn warnings(self) -> Vec<Warning> {
        let limits = self.reader.limits;
        let mut messages = self.failed;
        let hidden = messages.len().saturating_sub(limits.max_warnings);
        messages.truncate(limits.max_warnings);
        if hidden > 0 {
            messages.push(format!("{hidden} more pictures could not be read"));
        }
        if self.unread > 0 {
            let count = self.unread;
            messages.push(format!("{count} pictures were not read: reading text in pictures is off"));
        }
        if self.over > 0 {
            let (count, limit) = (self.over, limits.max_pictures);
            messages.push(format!("{count} pictures were not read: the limit is max_pictures = {limit}"));
        }
        messages.into_iter().map(|message| Warning { line: None, message }).collect()
    }
}
