//! `add`, `rm`, `ls`, `stats`, `doctor`.

use std::io::IsTerminal;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use polyrag::Result;
use polyrag::decide::route::StoreKind;
use polyrag::engine::Engine;
use polyrag::ingest::{self, AddOptions, OcrMode, Progress};
use polyrag::models::Cancel;
use polyrag::report::AddedDocument;
use polyrag::store::{StoreError, catalog, doctor, tables};
use serde_json::json;

use crate::args::{AddArgs, Cli, OcrArg, StoreArg};
use crate::lines;

/// Runs `add`.
pub fn add(cli: &Cli, engine: &Engine, arguments: &AddArgs, cancel: &Cancel) -> Result<ExitCode> {
    let options = AddOptions {
        store: match arguments.store {
            StoreArg::Auto => None,
            StoreArg::Relational => Some(StoreKind::Relational),
            StoreArg::Vector => Some(StoreKind::Vector),
            StoreArg::Graph => Some(StoreKind::Graph),
        },
        triples: arguments.triples.clone(),
        fast_extraction: arguments.fast,
        password: arguments.password.clone(),
        ocr: match arguments.ocr {
            OcrArg::Auto => OcrMode::Auto,
            OcrArg::Force => OcrMode::Force,
            OcrArg::Off => OcrMode::Off,
        },
    };
    let mut watcher = Watcher::new(!cli.json);
    let report = ingest::add(engine, &arguments.paths, &options, cancel, &mut watcher)?;
    watcher.bar.finish_and_clear();
    let failed = report.documents.iter().filter(|document| document.status == "failed").count();
    if cli.json {
        lines::print(&report)?;
    } else {
        // Failures met before the walk began were not seen by the watcher.
        let chunks: usize = report.documents.iter().map(|document| document.chunks).sum();
        println!(
            "{} documents, {chunks} chunks, {failed} failed, {:.1} s",
            report.documents.len(),
            report.seconds
        );
    }
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// Shows progress on standard error, and a line per document when people read.
struct Watcher {
    bar: ProgressBar,
    chatty: bool,
    shown: usize,
}

impl Watcher {
    fn new(chatty: bool) -> Self {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} files {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, chatty, shown: 0 }
    }
}

impl Progress for Watcher {
    fn files(&mut self, total: usize) {
        self.bar.set_length(total as u64);
    }

    fn begin(&mut self, path: &str) {
        self.bar.set_message(path.to_owned());
        if self.shown > 0 {
            self.bar.inc(1);
        }
        self.shown += 1;
    }

    fn step(&mut self, stage: &str, done: usize, total: usize) {
        self.bar.set_message(format!("{stage} {done}/{total}"));
    }

    fn end(&mut self, document: &AddedDocument) {
        if !self.chatty {
            if let Some(error) = &document.error {
                self.bar.suspend(|| eprintln!("{}: {error}", document.path));
            }
            return;
        }
        self.bar.suspend(|| {
            let places: Vec<String> = document
                .placements
                .iter()
                .filter(|(_, count)| count.as_u64() != Some(0))
                .map(|(store, count)| format!("{store} {count}"))
                .collect();
            println!("{:<10} {}  {}", document.status, document.path, places.join(", "));
            if let Some(original) = &document.duplicate_of {
                println!("           same content as {original}");
            }
            for warning in &document.warnings {
                eprintln!("           {warning}");
            }
            if let Some(error) = &document.error {
                eprintln!("           {error}");
            }
        });
    }
}

/// Runs `rm`.
pub fn remove(cli: &Cli, engine: &Engine, targets: &[String]) -> Result<ExitCode> {
    let removed = ingest::remove(engine, targets)?;
    if cli.json {
        lines::print(&json!({ "removed": removed }))?;
    } else {
        for path in removed {
            println!("removed    {path}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `ls`.
pub fn list(cli: &Cli, engine: &Engine) -> Result<ExitCode> {
    let reader = engine.reader()?;
    let documents = catalog::documents(&reader)?;
    let stored = tables::list(&reader).map_err(StoreError::from)?;
    let mut listed = Vec::new();
    for document in documents {
        let placements = catalog::placements_of(&reader, document.id)?;
        let own: Vec<_> = stored.iter().filter(|table| table.document_id == document.id).collect();
        if cli.json {
            let mut value = serde_json::to_value(&document).unwrap_or_default();
            value["placements"] = json!(placements);
            value["tables"] =
                own.iter().map(|table| json!({"name": table.name, "info": table.info})).collect();
            listed.push(value);
            continue;
        }
        let places: Vec<String> =
            placements.iter().map(|(store, count)| format!("{store} {count}")).collect();
        println!("{:>5}  {:<40} {:<9} {}", document.id, document.path, document.kind, places.join(", "));
        for also in &document.also_at {
            println!("       also at {also}");
        }
        for table in own {
            let columns: Vec<&str> = table.info.columns.iter().map(|column| column.name.as_str()).collect();
            println!("       table {} ({} rows): {}", table.name, table.info.rows, columns.join(", "));
        }
    }
    if cli.json {
        lines::print(&json!({ "documents": listed }))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `stats`.
pub fn stats(cli: &Cli, engine: &Engine) -> Result<ExitCode> {
    let counts = catalog::counts(&engine.reader()?)?;
    if cli.json {
        lines::print(&counts)?;
    } else {
        for (name, value) in &counts {
            println!("{name:<18} {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `doctor`.
pub fn doctor(cli: &Cli, engine: &Engine, repair: bool) -> Result<ExitCode> {
    let mut repairs = Vec::new();
    if repair {
        let folder = engine.data().to_owned();
        repairs = engine
            .change(|transaction, graph_writer| Ok(doctor::repair(transaction, graph_writer, &folder)?))?;
    }
    let diagnosis =
        doctor::diagnose(&engine.reader()?, engine.data(), &engine.config.vector, &engine.config.graph)?;
    if cli.json {
        lines::print(&json!({ "ok": diagnosis.ok, "checks": diagnosis.checks, "repairs": repairs }))?;
    } else {
        for done in repairs {
            println!("repair  {done}");
        }
        for check in &diagnosis.checks {
            println!("{}  {}: {}", if check.ok { "ok    " } else { "WRONG " }, check.name, check.detail);
        }
        if !diagnosis.ok && !repair {
            eprintln!("hint: polyrag doctor --repair rebuilds what is derived");
        }
    }
    Ok(ExitCode::from(u8::from(!diagnosis.ok)))
}
