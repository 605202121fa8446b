//! JSON: lists of records are tables, anything else a document of its keys and values.

mod records;

use std::path::Path;

use serde_json::{Map, Value};

use super::error::{corrupt, too_large};
use super::markup::one_line;
use super::office::Content;
use super::{
    Decoded, Kind, ReadError, Reader, Reading, Source, Table, TextDocument, TextFormat, Warning, normalise,
    stem,
};
use crate::decide::infer::{CsvOptions, Recorded, identifier, infer_grid, infer_records};
use records::{Rows, is_records, scalar, tables};

/// Depth at which the parser itself gives up.
const PARSER_DEPTH: usize = 127;

/// Reads a JSON file.
pub(super) fn read(path: &Path, decoded: Decoded, reader: &Reader<'_>) -> Result<Reading, ReadError> {
    let limits = reader.limits;
    let length = decoded.text.len() as u64;
    if length > limits.max_text_bytes {
        return Err(too_large(path, "the text (bytes)", length, "max_text_bytes", limits.max_text_bytes));
    }
    let deepest = limits.max_depth.min(PARSER_DEPTH);
    let depth = depth(&decoded.text);
    if depth > deepest {
        return Err(too_large(path, "the nesting (levels)", depth as u64, "max_depth", deepest as u64));
    }
    let value: Value =
        serde_json::from_str(&decoded.text).map_err(|error| corrupt(path, Kind::Json, &error))?;
    let mut found = Found { path, reader, content: Content::default(), tables: Vec::new() };
    let sources = match &value {
        Value::Array(items) if is_documents(items) => documents(path, items, &decoded.encoding),
        value => {
            found.value(value)?;
            found.sources(&decoded.encoding)
        }
    };
    if sources.is_empty() {
        return Err(ReadError::Empty { path: path.to_path_buf(), bytes: length });
    }
    Ok(Reading { kind: Kind::Json, sources, warnings: decoded.warnings })
}

/// Reads the records of a `.jsonl` whose lines are no documents.
pub(super) fn lines(
    path: &Path,
    records: &[Value],
    reader: &Reader<'_>,
) -> Result<(Vec<Table>, usize), ReadError> {
    let name = stem(path);
    let (rows, skipped) = tables(&name, records.iter(), reader.limits.max_columns);
    Ok((typed(path, rows, "JSON lines", reader)?, skipped))
}

/// Deepest nesting of brackets outside strings.
fn depth(text: &str) -> usize {
    let (mut open, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                open += 1;
                deepest = deepest.max(open);
            }
            b']' | b'}' if !quoted => open = open.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Says whether a list holds documents: a text each, and little beside it.
fn is_documents(items: &[Value]) -> bool {
    const BESIDE: [&str; 8] = ["title", "text", "id", "url", "source", "date", "author", "language"];
    is_records(items)
        && items.iter().filter_map(Value::as_object).all(|record| {
            record.get("text").is_some_and(Value::is_string)
                && record.keys().all(|key| BESIDE.contains(&key.as_str()))
        })
}

fn documents(path: &Path, items: &[Value], encoding: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    for (index, record) in items.iter().enumerate() {
        let words = |key: &str| record.get(key).map(scalar).unwrap_or_default();
        let text = normalise(words("text"));
        if text.trim().is_empty() {
            continue;
        }
        let number = index as u64 + 1;
        let title = Some(one_line(&words("title"))).filter(|title| !title.is_empty());
        let title = title.unwrap_or_else(|| format!("{} record {number}", stem(path)));
        let mut document = TextDocument::new(title, TextFormat::Plain, text, encoding);
        document.line = Some(number);
        for key in ["id", "url", "source", "date", "author", "language"] {
            if let Some(value) = record.get(key).map(scalar).filter(|value| !value.is_empty()) {
                document.metadata.insert(key.to_owned(), value);
            }
        }
        sources.push(Source::Text(document));
    }
    sources
}

/// Types the cells of records.
fn typed(path: &Path, found: Vec<Rows>, dialect: &str, reader: &Reader<'_>) -> Result<Vec<Table>, ReadError> {
    let limits = reader.limits;
    let cells: u64 = found.iter().map(|rows| (rows.rows.len() * rows.columns.len()) as u64).sum();
    if cells > limits.max_cells {
        return Err(too_large(path, "the number of cells", cells, "max_cells", limits.max_cells));
    }
    let options = CsvOptions {
        max_columns: limits.max_columns,
        max_warnings: limits.max_warnings,
        ..CsvOptions::default()
    };
    let tables =
        found.into_iter().filter(|rows| !rows.rows.is_empty() && !rows.columns.is_empty()).map(|rows| {
            let recorded = Recorded {
                name: &rows.name,
                location: format!("{}, {} records", rows.name, rows.rows.len()),
                dialect,
                columns: rows.columns,
                rows: &rows.rows,
            };
            let mut table = infer_records(recorded, &options);
            if rows.dropped > 0 {
                let (count, limit) = (rows.dropped, limits.max_columns);
                let message = format!("{count} values were left out: the limit is max_columns = {limit}");
                table.info.warnings.push(crate::decide::table::TableWarning { line: None, message });
            }
            table
        });
    Ok(tables.collect())
}

struct Found<'r> {
    path: &'r Path,
    reader: &'r Reader<'r>,
    content: Content,
    tables: Vec<Table>,
}

impl Found<'_> {
    fn value(&mut self, value: &Value) -> Result<(), ReadError> {
        let name = stem(self.path);
        match value {
            Value::Array(items) if is_records(items) => self.records(&name, items),
            Value::Array(items) if is_grid(items) => {
                self.grid(&name, items);
                Ok(())
            }
            Value::Object(fields) => self.object(&name, fields, 1),
            Value::Array(items) => {
                self.items(items);
                Ok(())
            }
            other => {
                self.content.out.paragraph(&scalar(other));
                Ok(())
            }
        }
    }

    fn records(&mut self, name: &str, items: &[Value]) -> Result<(), ReadError> {
        let (rows, _) = tables(name, items.iter(), self.reader.limits.max_columns);
        let mut found = typed(self.path, rows, "JSON", self.reader)?;
        self.tables.append(&mut found);
        Ok(())
    }

    /// A list of lists of plain values is a sheet.
    fn grid(&mut self, name: &str, items: &[Value]) {
        let rows: Vec<Vec<String>> =
            items.iter().filter_map(Value::as_array).map(|row| row.iter().map(scalar).collect()).collect();
        let lines: Vec<u64> = (1..=rows.len() as u64).collect();
        let options = CsvOptions {
            name: name.to_owned(),
            max_columns: self.reader.limits.max_columns,
            max_warnings: self.reader.limits.max_warnings,
            ..CsvOptions::default()
        };
        self.tables.extend(infer_grid(&rows, &lines, &options));
    }

    /// Writes an object: plain values first, then what is inside under headings.
    fn object(&mut self, name: &str, fields: &Map<String, Value>, level: usize) -> Result<(), ReadError> {
        for (key, value) in fields {
            let plain = match value {
                Value::Object(_) => false,
                Value::Array(items) => !items.iter().any(|item| item.is_object() || item.is_array()),
                _ => true,
            };
            if plain {
                self.content.out.paragraph(&format!("{key}: {}", scalar(value)));
            }
        }
        for (key, value) in fields {
            let path = format!("{name} {key}");
            match value {
                Value::Array(items) if items.len() > 1 && is_records(items) => self.records(&path, items)?,
                Value::Array(items) if items.len() > 1 && is_grid(items) => self.grid(&path, items),
                Value::Object(inner) if !inner.is_empty() => {
                    self.content.out.heading(level, key);
                    self.object(&path, inner, level + 1)?;
                }
                Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                    self.content.out.heading(level, key);
                    for item in items {
                        match item {
                            Value::Object(inner) => self.object(&path, inner, level + 1)?,
                            other => self.content.out.item(0, None, &scalar(other)),
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn items(&mut self, items: &[Value]) {
        for item in items {
            self.content.out.item(0, None, &scalar(item));
        }
    }

    /// One document with its tables, or tables alone where there is no text.
    fn sources(self, encoding: &str) -> Vec<Source> {
        let Self { path, mut content, tables, .. } = self;
        let tables = unique(tables);
        if content.out.is_empty() {
            return if tables.is_empty() { Vec::new() } else { vec![Source::Tables(tables)] };
        }
        content.title = Some(stem(path));
        content.tables = tables;
        vec![Source::Text(content.document(path, encoding))]
    }
}

/// Gives tables of one name numbers.
fn unique(mut tables: Vec<Table>) -> Vec<Table> {
    let mut names = std::collections::HashSet::new();
    for table in &mut tables {
        let base = table.info.name.clone();
        for number in 2.. {
            if names.insert(table.info.name.clone()) {
                break;
            }
            table.info.name = identifier(&format!("{base}_{number}"));
        }
    }
    tables
}

/// Says whether a list is one of rows of plain values.
fn is_grid(items: &[Value]) -> bool {
    let row = |item: &Value| {
        item.as_array()
            .is_some_and(|row| row.len() > 1 && row.iter().all(|cell| !cell.is_object() && !cell.is_array()))
    };
    items.len() > 1 && items.iter().all(row)
}

/// Makes the warnings about records that were skipped.
pub(super) fn skipped(count: usize) -> Option<Warning> {
    (count > 0)
        .then(|| Warning { line: None, message: format!("{count} lines were no records and were left out") })
}
