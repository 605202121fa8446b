//! Measures reading of pages on a folder of documents (layout as in `data/documents`).
//!
//! `cargo run --release --no-default-features --example measure_pages -- DOCUMENTS MODELS`
//! prints word recall and precision of OCR against the truth texts, forced OCR of a two-column page
//! against its own text layer, and pages per second of digital PDF.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use polyrag::models::fetch::Manifest;
use polyrag::models::ocr::PpOcr;
use polyrag::models::open::ocr_files;
use polyrag::models::{Cancel, Ocr};
use polyrag::read::{Picture, PictureLine, PictureReader, ReadLimits, Reader, Source, TextDocument, read};

struct Pictures(PpOcr);

impl PictureReader for Pictures {
    fn read(&self, picture: &Picture) -> Result<Vec<PictureLine>, String> {
        let lines = self.0.read(picture.width, picture.height, &picture.rgb, &Cancel::default());
        let line = |line: polyrag::models::OcrLine| PictureLine {
            text: line.text,
            confidence: line.confidence,
            bounds: line.bounds,
        };
        Ok(lines.map_err(|error| error.to_string())?.into_iter().map(line).collect())
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, documents, models, ..] = arguments.as_slice() else {
        println!("usage: measure_pages DOCUMENTS MODELS [FILE...]");
        return;
    };
    let documents = Path::new(documents);
    let pictures =
        Pictures(PpOcr::load(&ocr_files(Path::new(models), &Manifest::builtin().unwrap())).unwrap());
    let limits = ReadLimits::default();
    let reader = Reader { pictures: Some(&pictures), ..Reader::new(&limits) };
    for file in &arguments[3..] {
        let (document, seconds) = timed(Path::new(file), &reader);
        println!(
            "== {file}: {seconds:.2} s, metadata {:?}, incomplete {:?}",
            document.metadata, document.incomplete
        );
        for warning in &document.warnings {
            println!("!! {warning}");
        }
        for table in &document.tables {
            let columns: Vec<&str> = table.info.columns.iter().map(|column| column.name.as_str()).collect();
            println!("-- table {} at {}: {columns:?}", table.info.name, table.info.location);
        }
        println!("{}", document.text);
    }
    if arguments.len() > 3 {
        return;
    }
    let truth = documents.join("truth");
    let text = std::fs::read_to_string(truth.join("eurotext.txt")).unwrap();
    show("eurotext.tif (OCR)", &text, &documents.join("img/eurotext.tif"), &reader);
    let boxes = std::fs::read_to_string(truth.join("sroie_001.box.csv")).unwrap();
    let text: Vec<String> =
        boxes.lines().map(|line| line.splitn(9, ',').last().unwrap_or("").to_owned()).collect();
    let receipt =
        show("sroie_001.jpg (OCR)", &text.join("\n"), &documents.join("img/sroie_001.jpg"), &reader);
    let key: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(truth.join("sroie_001.key.json")).unwrap()).unwrap();
    for field in ["date", "total"] {
        let value = key[field].as_str().unwrap();
        println!("  {field} {value}: {}", if receipt.contains(value) { "present" } else { "MISSING" });
    }
    let form: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(truth.join("funsd_82092117.json")).unwrap()).unwrap();
    let text: Vec<&str> =
        form["form"].as_array().unwrap().iter().filter_map(|field| field["text"].as_str()).collect();
    show("funsd_82092117.png (OCR)", &text.join("\n"), &documents.join("img/funsd_82092117.png"), &reader);

    let columns = documents.join("pdf/multi-column-2p.pdf");
    let (digital, _) = timed(&columns, &reader);
    let forced = Reader { force_ocr: true, ..reader };
    show("multi-column-2p.pdf (OCR forced, against its text layer)", &digital.text, &columns, &forced);

    let bytes = std::fs::read(&columns).unwrap();
    let off = Reader::new(&limits);
    let (started, mut pages) = (Instant::now(), 0);
    while started.elapsed().as_secs_f64() < 3.0 {
        read(&columns, bytes.clone(), &off).unwrap();
        pages += 2;
    }
    println!(
        "digital PDF (multi-column-2p.pdf): {:.0} pages/s",
        f64::from(pages) / started.elapsed().as_secs_f64()
    );
}

fn timed(path: &Path, reader: &Reader) -> (TextDocument, f64) {
    let bytes = std::fs::read(path).unwrap();
    let started = Instant::now();
    let mut reading =
        read(path, bytes, reader).unwrap_or_else(|error| panic!("{error} ({:?})", error.hint()));
    let seconds = started.elapsed().as_secs_f64();
    match reading.sources.remove(0) {
        Source::Text(document) => (document, seconds),
        Source::Tables(_) => panic!("{}: tables only", path.display()),
    }
}

fn show(name: &str, truth: &str, path: &Path, reader: &Reader) -> String {
    let (document, seconds) = timed(path, reader);
    let (truth, found) = (bag(truth), bag(&document.text));
    let common: usize = truth.iter().map(|(word, count)| count.min(found.get(word).unwrap_or(&0))).sum();
    let total = |bag: &HashMap<String, usize>| bag.values().sum::<usize>().max(1) as f64;
    println!(
        "{name}: recall {:.3}, precision {:.3}, {seconds:.2} s",
        common as f64 / total(&truth),
        common as f64 / total(&found)
    );
    document.text
}

/// Words without case and the punctuation around them.
fn bag(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    for piece in text.split_whitespace() {
        let word = piece.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase();
        if !word.is_empty() {
            *words.entry(word).or_insert(0) += 1;
        }
    }
    words
}
