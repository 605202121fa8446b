//! `.jsonl`: one document a line, or one record of a table.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::{
    Decoded, Kind, ReadError, ReadLimits, Reader, Reading, Source, TextDocument, Warning, json, normalise,
};
use crate::decide::chunk::TextFormat;

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    title: Option<String>,
    text: String,
}

/// Reads `{"title","text"}` lines; a bad line is reported with its number, the others are kept.
/// Where no line has a text, the lines that are records are a table.
pub(super) fn read(path: &Path, decoded: Decoded, reader: &Reader<'_>) -> Result<Reading, ReadError> {
    let limits = reader.limits;
    let (mut sources, mut bad, mut lines) = (Vec::new(), Vec::new(), 0_u64);
    for (index, line) in decoded.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = index as u64 + 1;
        lines += 1;
        match document(path, number, line, &decoded.encoding, limits) {
            Ok(document) => sources.push(Source::Text(document)),
            Err(message) => bad.push(Warning { line: Some(number), message }),
        }
    }
    if sources.is_empty()
        && let Some(reading) = records(path, &decoded, reader)?
    {
        return Ok(reading);
    }
    if sources.is_empty() {
        let first = bad.into_iter().next();
        let (line, reason) = first.map_or((1, String::new()), |bad| (bad.line.unwrap_or(1), bad.message));
        return Err(ReadError::NoDocuments { path: path.to_path_buf(), lines, line, reason });
    }
    let mut warnings = decoded.warnings;
    let hidden = bad.len().saturating_sub(limits.max_warnings);
    warnings.extend(bad.into_iter().take(limits.max_warnings));
    if hidden > 0 {
        warnings.push(Warning { line: None, message: format!("{hidden} more lines were not documents") });
    }
    Ok(Reading { kind: Kind::Jsonl, sources, warnings })
}

/// Reads the lines as records; `None` if none is one or one has a text.
fn records(path: &Path, decoded: &Decoded, reader: &Reader<'_>) -> Result<Option<Reading>, ReadError> {
    let (mut records, mut bad) = (Vec::new(), 0);
    for line in decoded.text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(record)) if record.contains_key("text") => return Ok(None),
            Ok(record @ Value::Object(_)) => records.push(record),
            _ => bad += 1,
        }
    }
    if records.is_empty() {
        return Ok(None);
    }
    let (tables, skipped) = json::lines(path, &records, reader)?;
    let mut warnings = decoded.warnings.clone();
    warnings.extend(json::skipped(bad + skipped));
    Ok((!tables.is_empty()).then(|| Reading {
        kind: Kind::Jsonl,
        sources: vec![Source::Tables(tables)],
        warnings,
    }))
}

fn document(
    path: &Path,
    number: u64,
    line: &str,
    encoding: &str,
    limits: &ReadLimits,
) -> Result<TextDocument, String> {
    if line.len() as u64 > limits.max_text_bytes {
        return Err(format!("{} bytes, the limit is max_text_bytes = {}", line.len(), limits.max_text_bytes));
    }
    let parsed: Line = serde_json::from_str(line).map_err(|error| format!("not a document: {error}"))?;
    let text = normalise(parsed.text);
    if text.trim().is_empty() {
        return Err("the text is empty".into());
    }
    let title = parsed.title.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| format!("{} line {number}", super::stem(path)));
    let mut document = TextDocument::new(title, TextFormat::Plain, text, encoding);
    document.line = Some(number);
    Ok(document)
}
