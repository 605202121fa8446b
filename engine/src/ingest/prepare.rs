//! Sources to documents with chunks, before anything is embedded or stored.

use std::collections::BTreeMap;
use std::path::Path;

use arrow_array::RecordBatch;
use rusqlite::Connection;
use serde_json::Value;

use crate::decide::chunk::{self, Chunk, ChunkKind};
use crate::decide::language;
use crate::decide::route::{
    AnchorScore, Placement, Route, RouterConfig, StoreKind, Thresholds, anchor_scores, by_kind,
    document_mean, fact_structure, place,
};
use crate::decide::table::{ColumnInfo, Table};
use crate::engine::{Engine, RouteSide};
use crate::error::Result;
use crate::ingest::look::{INCOMPLETE, Look};
use crate::models::{Cancel, Embed, Purpose};
use crate::read::{Kind, Mark, Source, TextDocument, place_of};
use crate::store::catalog::{NewChunk, NewDocument, text_hash};
use crate::store::{StoreError, tables};

/// A document read and chunked.
pub struct Prepared {
    /// The document.
    pub document: NewDocument,
    /// Row id of the version it replaces.
    pub replaces: Option<i64>,
    /// Its chunks, in order.
    pub chunks: Vec<PreparedChunk>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// What the person should know.
    pub warnings: Vec<String>,
    /// Why part of the text is missing, while that can change.
    pub incomplete: Option<String>,
}

/// A chunk before embedding.
pub struct PreparedChunk {
    ordinal: usize,
    range: std::ops::Range<usize>,
    headings: Vec<String>,
    location: String,
    text: String,
    tokens: usize,
    /// Known by its kind: part of a table.
    tabular: bool,
}

impl PreparedChunk {
    /// What is embedded: the heading trail, then the text.
    pub fn embedded_text(&self) -> String {
        if self.headings.is_empty() {
            return self.text.clone();
        }
        format!("{}\n{}", self.headings.join(" > "), self.text)
    }

    /// Hash under which the vector is found again.
    pub fn hash(&self) -> String {
        text_hash(&self.headings, &self.text)
    }
}

/// Prepares one source of a file.
///
/// # Errors
/// [`crate::Error::Model`] when the embedder's tokenizer is needed and missing.
pub fn prepare(
    engine: &Engine,
    look: &Look,
    kind: Kind,
    one_of_many: bool,
    source: Source,
    cancel: &Cancel,
) -> Result<Prepared> {
    match source {
        Source::Text(text) => prepare_text(engine, look, kind, one_of_many, text, cancel),
        Source::Tables(tables) => Ok(prepare_tables(look, kind, tables, engine.config.router.evidence_rows)),
    }
}

fn prepare_text(
    engine: &Engine,
    look: &Look,
    kind: Kind,
    one_of_many: bool,
    text: TextDocument,
    cancel: &Cancel,
) -> Result<Prepared> {
    let embedder = engine.embedder()?;
    let source = look.name.clone();
    let file_name = name_of(&look.path);
    let (path, name, hash, bytes) = match text.line {
        Some(line) if one_of_many => {
            let own = blake3::hash(format!("{}\0{}", text.title, text.text).as_bytes());
            let name = if text.title.is_empty() { format!("{file_name}#{line}") } else { text.title.clone() };
            (format!("{source}#{line}"), name, own.to_hex().to_string(), text.text.len() as u64)
        }
        _ => (source.clone(), file_name, look.hash.clone(), look.bytes),
    };
    let mut chunks = chunk_text(engine, embedder.as_ref(), &text, one_of_many, cancel)?;
    table_evidence(&text.tables, engine.config.router.evidence_rows, &mut chunks);
    let mut details = serde_json::json!({ "encoding": text.encoding, "title": text.title });
    if !text.metadata.is_empty() {
        details["metadata"] = serde_json::json!(text.metadata);
    }
    let mut hash = hash;
    if let Some(reason) = &text.incomplete {
        hash.push_str(INCOMPLETE);
        let status = if chunks.is_empty() { "no text" } else { "incomplete" };
        details["status"] = serde_json::json!(status);
        details["reason"] = serde_json::json!(reason);
    }
    Ok(Prepared {
        document: NewDocument {
            source,
            path,
            name,
            kind: kind.to_string(),
            content_hash: hash,
            bytes,
            language: language::code(&text.text).map(str::to_owned),
            requested_store: String::new(),
            details,
        },
        replaces: None,
        chunks,
        tables: text.tables,
        warnings: text.warnings.iter().map(ToString::to_string).collect(),
        incomplete: text.incomplete,
    })
}

/// Cuts a text into chunks: paragraphs first, then neighbours joined while their meaning agrees.
fn chunk_text(
    engine: &Engine,
    embedder: &dyn Embed,
    text: &TextDocument,
    one_of_many: bool,
    cancel: &Cancel,
) -> Result<Vec<PreparedChunk>> {
    let limits = &engine.config.chunk;
    // The tokenizer cannot fail on text once the model is loaded; a byte is never more than a token.
    let count = |piece: &str| embedder.count_tokens(piece).unwrap_or(piece.len());
    let segments = chunk::segments(&text.text, text.format, limits, &count);
    let vectors = if segments.len() > 1 {
        segment_vectors(embedder, &text.text, &segments, cancel)?
    } else {
        Vec::new()
    };
    let similarity = |left: usize, right: usize| match (vectors.get(left), vectors.get(right)) {
        (Some(left), Some(right)) => crate::decide::rank::dot(left, right),
        _ => 1.0,
    };
    let similarity: Option<&dyn Fn(usize, usize) -> f32> =
        if vectors.is_empty() { None } else { Some(&similarity) };
    let merged = chunk::merge(&text.text, &segments, similarity, limits, &count);
    Ok(merged
        .into_iter()
        .map(|chunk| {
            let mut headings = chunk.headings.clone();
            // A document of several in a file is named by its title, which its text need not repeat.
            if headings.is_empty() && one_of_many && !text.title.is_empty() {
                headings.push(text.title.clone());
            }
            let location = location(&text.marks, &chunk);
            PreparedChunk {
                ordinal: chunk.ordinal,
                location,
                range: chunk.range,
                headings,
                tokens: chunk.tokens,
                tabular: chunk.kind == ChunkKind::Table
                    && chunk.tabular_density >= engine.config.router.tabular_density,
                text: chunk.text,
            }
        })
        .collect())
}

/// Page first, then headings; the lines of a text that was never a file mean nothing to anyone.
fn location(marks: &[Mark], chunk: &Chunk) -> String {
    match place_of(marks, &chunk.range) {
        Some(place) if chunk.headings.is_empty() => place,
        Some(place) => format!("{place}, {}", chunk.location),
        None => chunk.location.clone(),
    }
}

/// Segments embedded by one call, so that a wish to stop is heard between calls.
const SEGMENTS_AT_ONCE: usize = 32;

/// Vectors of the segments, for merging; only where neighbours of one section could be merged.
fn segment_vectors(
    embedder: &dyn Embed,
    text: &str,
    segments: &[chunk::Segment],
    cancel: &Cancel,
) -> Result<Vec<Vec<f32>>> {
    let neighbours = segments.windows(2).any(|pair| pair[0].section == pair[1].section);
    if !neighbours {
        return Ok(Vec::new());
    }
    let texts: Vec<&str> = segments.iter().map(|segment| &text[segment.range.clone()]).collect();
    let mut vectors = Vec::with_capacity(texts.len());
    for group in texts.chunks(SEGMENTS_AT_ONCE) {
        vectors.extend(embedder.embed(Purpose::Passage, group, cancel)?);
    }
    Ok(vectors)
}

fn prepare_tables(look: &Look, kind: Kind, tables: Vec<Table>, evidence_rows: usize) -> Prepared {
    let mut chunks = Vec::new();
    table_evidence(&tables, evidence_rows, &mut chunks);
    let path = look.name.clone();
    let dialect: Vec<&str> =
        tables.iter().flat_map(|table| table.info.dialect.iter().map(String::as_str)).collect();
    let details = serde_json::json!({ "dialect": dialect });
    Prepared {
        document: NewDocument {
            source: path.clone(),
            path,
            name: name_of(&look.path),
            kind: kind.to_string(),
            content_hash: look.hash.clone(),
            bytes: look.bytes,
            language: None,
            requested_store: String::new(),
            details,
        },
        replaces: None,
        chunks,
        tables,
        warnings: Vec::new(),
        incomplete: None,
    }
}

/// Prepares the document of a SQLite file; its tables are copied by the relational store.
pub fn database(look: &Look) -> Prepared {
    let mut prepared = prepare_tables(look, Kind::Sqlite, Vec::new(), 0);
    prepared.document.details = serde_json::json!({ "format": "sqlite" });
    prepared
}

/// Evidence of a document's imported tables, read back from the store.
///
/// # Errors
/// [`crate::Error::Store`].
pub fn imported_evidence(
    connection: &Connection,
    document_id: i64,
    rows: usize,
) -> Result<Vec<PreparedChunk>> {
    let mut chunks = Vec::new();
    let schema = tables::schema(connection).map_err(StoreError::from)?;
    for table in schema.tables.iter().filter(|table| table.document_id == document_id) {
        let columns: Vec<String> = table.columns.iter().map(|column| column.name.replace('_', " ")).collect();
        let cells = |row: &Vec<Value>| row.iter().map(cell).collect::<Vec<String>>();
        let sample: Vec<Vec<String>> = table.sample_rows.iter().take(rows).map(cells).collect();
        evidence_chunks(&table.name, table.caption.as_deref(), &columns, &sample, &mut chunks);
    }
    Ok(chunks)
}

fn table_evidence(tables: &[Table], evidence_rows: usize, chunks: &mut Vec<PreparedChunk>) {
    for table in tables {
        let rows = sample_rows(table, evidence_rows);
        let header = |column: &ColumnInfo| {
            if column.header.trim().is_empty() { column.name.clone() } else { column.header.clone() }
        };
        let columns: Vec<String> = table.info.columns.iter().map(header).collect();
        evidence_chunks(&table.info.name, table.info.caption.as_deref(), &columns, &rows, chunks);
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What a table holds, as texts the router can compare a question with: one card of its name and
/// columns, and some of its rows written out.
fn evidence_chunks(
    name: &str,
    caption: Option<&str>,
    columns: &[String],
    rows: &[Vec<String>],
    chunks: &mut Vec<PreparedChunk>,
) {
    let caption = caption.map_or_else(String::new, |caption| format!("{caption}. "));
    let card = format!("{caption}{}: {}", name.replace('_', " "), columns.join(", "));
    let mut push = |location: String, text: String| {
        let ordinal = chunks.len();
        let tokens = text.split_whitespace().count();
        chunks.push(PreparedChunk {
            ordinal,
            range: 0..0,
            headings: Vec::new(),
            location,
            text,
            tokens,
            tabular: true,
        });
    };
    push(name.to_owned(), card);
    for row in rows {
        let cells: Vec<String> = columns
            .iter()
            .zip(row)
            .filter(|(_, value)| !value.is_empty())
            .map(|(column, value)| format!("{column}: {value}"))
            .collect();
        push(name.to_owned(), cells.join(", "));
    }
}

/// Up to `wanted` rows, evenly spread, cells as text.
fn sample_rows(table: &Table, wanted: usize) -> Vec<Vec<String>> {
    let total: usize = table.batches.iter().map(RecordBatch::num_rows).sum();
    let take = wanted.min(total);
    let mut rows = Vec::with_capacity(take);
    let (mut before, mut next) = (0, 0);
    for batch in &table.batches {
        while next < take && next * total / take < before + batch.num_rows() {
            let row = next * total / take - before;
            rows.push(tables::row_texts(batch, &table.info, row));
            next += 1;
        }
        before += batch.num_rows();
    }
    rows
}

fn name_of(file: &Path) -> String {
    file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Decides where chunks go, with the routes' content phrases embedded once.
pub struct Placer {
    routes: Vec<Route>,
    thresholds: Thresholds,
    config: RouterConfig,
    asked: Option<StoreKind>,
}

impl Placer {
    /// Embeds the routes' content phrases, unless a store was asked for.
    ///
    /// # Errors
    /// [`crate::Error::Model`].
    pub fn new(engine: &Engine, asked: Option<StoreKind>) -> Result<Self> {
        let routes = if asked.is_some() { Vec::new() } else { engine.embed_routes(RouteSide::Content)? };
        let config = engine.config.router.clone();
        let thresholds = crate::decide::route::fit(&routes, &config);
        Ok(Self { routes, thresholds, config, asked })
    }

    /// Decides for the chunks of one document, each with its vector, and completes them.
    pub fn document(&self, chunks: &[PreparedChunk], vectors: Vec<Vec<f32>>) -> Vec<NewChunk> {
        let anchors: Vec<_> = vectors.iter().map(|vector| anchor_scores(&self.routes, vector)).collect();
        let mean = document_mean(&anchors);
        chunks
            .iter()
            .zip(vectors)
            .zip(anchors)
            .map(|((chunk, vector), anchors)| {
                let placement = self.decide(chunk, anchors, &mean);
                NewChunk {
                    ordinal: chunk.ordinal,
                    range: chunk.range.clone(),
                    headings: chunk.headings.clone(),
                    location: chunk.location.clone(),
                    text: chunk.text.clone(),
                    tokens: chunk.tokens,
                    embedding: vector,
                    stores: placement.stores.clone(),
                    decision: serde_json::to_value(&placement).unwrap_or(Value::Null),
                }
            })
            .collect()
    }

    fn decide(
        &self,
        chunk: &PreparedChunk,
        anchors: BTreeMap<String, AnchorScore>,
        document: &BTreeMap<String, f32>,
    ) -> Placement {
        if let Some(store) = self.asked {
            return by_kind(store);
        }
        if chunk.range.is_empty() && chunk.tabular {
            return by_kind(StoreKind::Relational);
        }
        place(anchors, document, fact_structure(&chunk.text), self.thresholds, &self.config)
    }
}
