//! Reads files and shows what came out of each: status, what it was taken for, what it holds, time.
//!
//! ```text
//! cargo run --release --no-default-features --example read_files -- [--json] [--password WORD] PATH...
//! ```
//! A folder is read file by file. With `--json` every file is a line
//! `{"path","status","kind","error","ms","bytes","texts":[{"title","text","metadata","marks"}],
//! "tables":[{"name","location","caption","columns":[{"name","header","kind","unit"}],"rows","cells"}],"warnings"}`; cells are text,
//! NULL is empty. `eval/documents.py` compares these with truth files.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use polyrag::decide::table::{ColumnInfo, Table};
use polyrag::read::{ReadError, ReadLimits, Reader, Reading, Source, TextDocument, check_size, read};
use polyrag::store::tables::row_texts;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut as_json, mut password, mut paths) = (false, None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => as_json = true,
            "--password" => password = arguments.next(),
            path => paths.push(PathBuf::from(path)),
        }
    }
    let mut files = Vec::new();
    for path in paths {
        collect(&path, &mut files)?;
    }
    let limits = ReadLimits::default();
    let reader = Reader { password: password.as_deref(), ..Reader::new(&limits) };
    for file in files {
        let started = Instant::now();
        let size = std::fs::metadata(&file)?.len();
        let found = match check_size(&file, size, &limits) {
            Ok(()) => read(&file, std::fs::read(&file)?, &reader),
            Err(error) => Err(error),
        };
        let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
        if as_json {
            println!("{}", line(&file, size, milliseconds, found));
        } else {
            show(&file, size, milliseconds, &found);
        }
    }
    Ok(())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    inside.sort();
    inside.iter().try_for_each(|path| collect(path, files))
}

/// The texts and tables of a reading, in order.
fn parts(reading: &Reading) -> (Vec<&TextDocument>, Vec<&Table>) {
    let (mut texts, mut tables) = (Vec::new(), Vec::new());
    for source in &reading.sources {
        match source {
            Source::Text(document) => {
                tables.extend(&document.tables);
                texts.push(document);
            }
            Source::Tables(found) => tables.extend(found),
        }
    }
    (texts, tables)
}

fn show(file: &Path, size: u64, milliseconds: f64, found: &Result<Reading, ReadError>) {
    let file = file.display();
    match found {
        Err(error) => println!("refused  {file} ({size} bytes, {milliseconds:.1} ms)\n         {error}"),
        Ok(reading) => {
            println!("read     {file} ({size} bytes, {milliseconds:.1} ms): {}", reading.kind);
            let (texts, tables) = parts(reading);
            for text in texts {
                let words = text.text.split_whitespace().count();
                let marks = text.marks.len();
                println!("         text `{}`: {words} words, {marks} places, {}", text.title, text.encoding);
                text.warnings.iter().for_each(|warning| println!("         ! {warning}"));
            }
            for table in tables {
                let info = &table.info;
                let (columns, rows) = (info.columns.len(), info.rows);
                println!("         table {} ({}): {columns} columns, {rows} rows", info.name, info.location);
                info.warnings.iter().for_each(|warning| println!("         ! {}", warning.message));
            }
            reading.warnings.iter().for_each(|warning| println!("         ! {warning}"));
        }
    }
}

fn line(file: &Path, size: u64, milliseconds: f64, found: Result<Reading, ReadError>) -> Value {
    let mut line = json!({ "path": file, "bytes": size, "ms": milliseconds });
    match found {
        Err(error) => {
            line["status"] = "refused".into();
            line["error"] = error.to_string().into();
            line["hint"] = error.hint().into();
        }
        Ok(reading) => {
            let (texts, tables) = parts(&reading);
            line["status"] = "read".into();
            line["kind"] = reading.kind.to_string().into();
            line["texts"] = texts.iter().map(|text| text_value(text)).collect();
            line["tables"] = tables.iter().map(|table| table_value(table)).collect();
            let texts = texts.iter().flat_map(|text| &text.warnings);
            line["warnings"] = reading.warnings.iter().chain(texts).map(ToString::to_string).collect();
        }
    }
    line
}

fn text_value(text: &TextDocument) -> Value {
    let marks: Vec<Value> =
        text.marks.iter().map(|mark| json!({ "at": mark.at, "place": mark.place })).collect();
    json!({ "title": text.title, "text": text.text, "metadata": text.metadata, "marks": marks })
}

fn table_value(table: &Table) -> Value {
    let info = &table.info;
    let rows = table.batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
    let cells: Vec<Vec<String>> = rows.map(|(batch, row)| row_texts(batch, info, row)).collect();
    let column = |column: &ColumnInfo| json!({ "name": column.name, "header": column.header, "kind": column.kind, "unit": column.unit });
    let columns: Vec<Value> = info.columns.iter().map(column).collect();
    json!({
        "name": info.name, "location": info.location, "caption": info.caption, "rows": info.rows,
        "columns": columns, "cells": cells,
    })
}
