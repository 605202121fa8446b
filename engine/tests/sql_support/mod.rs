//! Shared by the tests of the relational store: catalogs on disk, tables from text, a scripted model.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use polyrag::decide::sql::SqlLimits;
use polyrag::decide::table::{ColumnInfo, ColumnKind, Table, TableInfo};
use polyrag::models::{Cancel, Finish, Generate, GenerateRequest, Generation, ModelError, ModelIdentity};
use polyrag::store::tables::guard::{ReadOnly, Rows};
use polyrag::store::tables::{SCHEMA, SqlError, WrittenTable, write_table};
use rusqlite::Connection;

/// A catalog file with a writer holding it open in WAL mode, as in real life.
pub struct Catalog {
    pub folder: tempfile::TempDir,
    pub path: PathBuf,
    pub writer: Connection,
}

impl Catalog {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.db");
        let writer = Connection::open(&path).unwrap();
        writer.pragma_update(None, "journal_mode", "WAL").unwrap();
        writer.execute_batch(SCHEMA).unwrap();
        writer
            .execute_batch(
                "CREATE TABLE documents(id INTEGER PRIMARY KEY, path TEXT);
                 INSERT INTO documents VALUES (1, '/secret/path.csv');
                 CREATE TABLE chunks(id INTEGER PRIMARY KEY, text TEXT);
                 INSERT INTO chunks VALUES (1, 'secret text');
                 CREATE VIRTUAL TABLE chunks_fts USING fts5(text);
                 INSERT INTO chunks_fts VALUES ('secret text');",
            )
            .unwrap();
        Self { folder, path, writer }
    }

    /// A catalog with one table.
    pub fn with(name: &str, columns: &[(&str, Column)]) -> Self {
        let mut catalog = Self::new();
        catalog.add(1, &table(name, columns));
        catalog
    }

    pub fn add(&mut self, document: i64, table: &Table) -> WrittenTable {
        let tx = self.writer.transaction().unwrap();
        let written = write_table(&tx, document, table).unwrap();
        tx.commit().unwrap();
        written
    }

    pub fn open(&self) -> ReadOnly {
        ReadOnly::open(&self.path, &SqlLimits::default()).unwrap()
    }

    pub fn query(&self, sql: &str) -> Result<Rows, SqlError> {
        self.open().query(sql, &Cancel::default())
    }

    pub fn rows(&self, sql: &str) -> Vec<Vec<serde_json::Value>> {
        self.query(sql).unwrap_or_else(|error| panic!("{sql}: {error}")).rows
    }

    /// The one cell of a query.
    pub fn cell(&self, sql: &str) -> serde_json::Value {
        self.rows(sql)[0][0].clone()
    }
}

#[derive(Clone)]
pub enum Column {
    Integers(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    Texts(Vec<Option<&'static str>>),
    Dates(Vec<i32>),
    Booleans(Vec<bool>),
}

pub fn integers(values: &[i64]) -> Column {
    Column::Integers(values.iter().copied().map(Some).collect())
}

pub fn reals(values: &[f64]) -> Column {
    Column::Reals(values.iter().copied().map(Some).collect())
}

pub fn texts(values: &[&'static str]) -> Column {
    Column::Texts(values.iter().copied().map(Some).collect())
}

pub fn table(name: &str, columns: &[(&str, Column)]) -> Table {
    let mut infos = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (name, column) in columns {
        let (kind, array): (ColumnKind, ArrayRef) = match column {
            Column::Integers(values) => (ColumnKind::Integer, Arc::new(Int64Array::from(values.clone()))),
            Column::Reals(values) => (ColumnKind::Real, Arc::new(Float64Array::from(values.clone()))),
            Column::Texts(values) => (ColumnKind::Text, Arc::new(StringArray::from(values.clone()))),
            Column::Dates(days) => (ColumnKind::Date, Arc::new(Date32Array::from(days.clone()))),
            Column::Booleans(values) => (ColumnKind::Boolean, Arc::new(BooleanArray::from(values.clone()))),
        };
        infos.push(ColumnInfo {
            name: (*name).into(),
            header: (*name).into(),
            kind,
            unit: None,
            decision: "test".into(),
            nulls: 0,
        });
        arrays.push(array);
    }
    let fields: Vec<Field> = infos
        .iter()
        .zip(&arrays)
        .map(|(info, array)| Field::new(&info.name, array.data_type().clone(), true))
        .collect();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
    Table {
        info: TableInfo {
            name: name.into(),
            location: "lines 1-9".into(),
            caption: None,
            columns: infos,
            rows: batch.num_rows() as u64,
            rollup_rows: Vec::new(),
            dialect: Vec::new(),
            warnings: Vec::new(),
        },
        batches: vec![batch],
    }
}

/// A model that writes what it is told to, and remembers what it was asked.
pub struct Scripted {
    answers: Mutex<VecDeque<String>>,
    pub requests: Mutex<Vec<GenerateRequest>>,
    identity: ModelIdentity,
}

impl Scripted {
    pub fn new(answers: &[&str]) -> Self {
        let identity = ModelIdentity {
            name: "scripted".into(),
            fingerprint: String::new(),
            dimension: 0,
            pooling: String::new(),
        };
        Self {
            answers: Mutex::new(answers.iter().map(|answer| (*answer).to_owned()).collect()),
            requests: Mutex::new(Vec::new()),
            identity,
        }
    }
}

impl Generate for Scripted {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }
    fn context_tokens(&self) -> usize {
        4096
    }
    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        Ok(text.len() / 3)
    }
    fn template_tokens(&self) -> usize {
        20
    }
    fn generate(
        &self,
        request: &GenerateRequest,
        _: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Generation, ModelError> {
        self.requests.lock().unwrap().push(request.clone());
        let text = self.answers.lock().unwrap().pop_front().expect("the script has no answer left");
        on_text(&text);
        Ok(Generation {
            text,
            finish: Finish::Stop,
            prompt_tokens: 100,
            cached_tokens: 80,
            completion_tokens: 20,
            first_token_ms: 1.0,
            total_ms: 2.0,
        })
    }
}
