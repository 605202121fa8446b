//! A zip of parts with relations between them (OOXML), or just parts (OpenDocument).

use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::path::Path;

use zip::ZipArchive;

use super::super::error::corrupt;
use super::super::{Kind, ReadError, ReadLimits, decode, expand};
use super::xml::{self, Element};

/// An opened package.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<Vec<u8>>>,
    path: &'a Path,
    kind: Kind,
    /// Bounds on one file.
    pub limits: &'a ReadLimits,
}

/// Relations of a part by their ids.
pub(super) type Relations = HashMap<String, Relation>;

/// What a part refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relation {
    /// Last word of its type: `image`, `header`, `notesSlide`.
    pub kind: String,
    /// Name of the part in the package; `None` for something outside, which is never fetched.
    pub target: Option<String>,
}

impl<'a> Package<'a> {
    /// Opens a package once its unpacked size is known to be within the limits.
    pub fn open(
        path: &'a Path,
        kind: Kind,
        bytes: Vec<u8>,
        limits: &'a ReadLimits,
    ) -> Result<Self, ReadError> {
        expand::check(path, kind, &bytes, limits)?;
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| corrupt(path, kind, &error))?;
        Ok(Self { archive, path, kind, limits })
    }

    /// Returns the file's path, for messages.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Returns the bytes of a part; `None` if there is none of that name.
    pub fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let index = self.archive.index_for_name(name).or_else(|| {
            self.archive.file_names().position(|entry| entry.is_ok_and(|entry| same_part(&entry, name)))
        });
        let Some(index) = index else { return Ok(None) };
        let damaged =
            |error: &dyn std::fmt::Display| corrupt(self.path, self.kind, &format!("part {name}: {error}"));
        let entry = self.archive.by_index(index).map_err(|error| damaged(&error))?;
        let mut bytes = Vec::new();
        entry
            .take(self.limits.max_expanded_bytes)
            .read_to_end(&mut bytes)
            .map_err(|error| damaged(&error))?;
        Ok(Some(bytes))
    }

    /// Returns the text of an XML part.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, ReadError> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        let decoded = decode(bytes).map_err(|reason| self.damaged(name, &reason))?;
        Ok(Some(decoded.text))
    }

    /// Returns the text of a part without which the file says nothing.
    pub fn required(&mut self, name: &str) -> Result<String, ReadError> {
        self.text(name)?.ok_or_else(|| self.damaged(name, &"it is missing"))
    }

    /// Makes the error about a part.
    pub fn damaged(&self, name: &str, error: &dyn std::fmt::Display) -> ReadError {
        corrupt(self.path, self.kind, &format!("part {name}: {error}"))
    }

    /// Returns the relations of a part; of the package for an empty name.
    pub fn relations(&mut self, part: &str) -> Result<Relations, ReadError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = if folder.is_empty() {
            format!("_rels/{file}.rels")
        } else {
            format!("{folder}/_rels/{file}.rels")
        };
        let Some(text) = self.text(&name)? else { return Ok(Relations::new()) };
        let document =
            xml::parse(&text, self.limits.max_depth).map_err(|error| self.damaged(&name, &error))?;
        let mut found = Relations::new();
        for relation in document.root_element().elements() {
            let (Some(id), Some(target)) = (relation.attr("Id"), relation.attr("Target")) else { continue };
            let kind = relation.attr("Type").and_then(|kind| kind.rsplit('/').next()).unwrap_or_default();
            let outside = relation.attr("TargetMode") == Some("External");
            let target = (!outside).then(|| resolve(folder, target));
            found.insert(id.to_owned(), Relation { kind: kind.to_owned(), target });
        }
        Ok(found)
    }

    /// Returns the part that the package says it is about, or `usual`.
    pub fn main_part(&mut self, usual: &str) -> Result<String, ReadError> {
        let relations = self.relations("")?;
        let main = relations.into_values().find(|relation| relation.kind == "officeDocument");
        Ok(main.and_then(|relation| relation.target).unwrap_or_else(|| usual.to_owned()))
    }
}

/// Returns the target of the first relation of a kind.
pub(super) fn target_of(relations: &Relations, kind: &str) -> Option<String> {
    let mut found: Vec<&Relation> = relations.values().filter(|relation| relation.kind == kind).collect();
    found.sort_by(|a, b| a.target.cmp(&b.target));
    found.first().and_then(|relation| relation.target.clone())
}

/// Part names differ in case and slashes from program to program.
fn same_part(entry: &str, name: &str) -> bool {
    let plain = |name: &str| name.replace('\\', "/").trim_start_matches('/').to_lowercase();
    plain(entry) == plain(name)
}

/// Resolves a relation's target against the folder of its part.
fn resolve(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved_inside_the_package() {
        for (folder, target, expected) in [
            ("word", "media/a.png", "word/media/a.png"),
            ("ppt/slides", "../notesSlides/n1.xml", "ppt/notesSlides/n1.xml"),
            ("ppt/slides", "/ppt/charts/c.xml", "ppt/charts/c.xml"),
            ("", "word/document.xml", "word/document.xml"),
            ("word", "../../../etc/passwd", "etc/passwd"),
        ] {
            assert_eq!(resolve(folder, target), expected);
        }
        assert!(same_part("Word\\Document.XML", "word/document.xml"));
    }
}
