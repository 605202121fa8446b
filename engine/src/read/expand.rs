//! A zip's real size before anything is read from it.

use std::io::{Cursor, Read, copy, sink};
use std::path::Path;

use super::error::corrupt;
use super::{Kind, ReadError, ReadLimits, too_large};

/// Unpacks every entry into nothing and counts: the sizes a zip declares may be false.
pub(super) fn check(path: &Path, kind: Kind, bytes: &[u8], limits: &ReadLimits) -> Result<(), ReadError> {
    let corrupt = |error: &dyn std::fmt::Display| corrupt(path, kind, error);
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| corrupt(&error))?;
    let mut total = 0_u64;
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).and_then(Result::ok).unwrap_or_default().into_owned();
        let damaged = |error: &dyn std::fmt::Display| corrupt(&format!("part {name}: {error}"));
        let entry = archive.by_index(index).map_err(|error| damaged(&error))?;
        let left = limits.max_expanded_bytes.saturating_sub(total);
        total += copy(&mut entry.take(left + 1), &mut sink()).map_err(|error| damaged(&error))?;
        if total > limits.max_expanded_bytes {
            let (key, limit) = ("max_expanded_bytes", limits.max_expanded_bytes);
            return Err(too_large(path, "the unpacked content (bytes)", total, key, limit));
        }
    }
    Ok(())
}
