//! `add`, `rm`, `ls`, `stats`, `doctor`.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use polyrag::Result;
use polyrag::decide::route::StoreKind;
use polyrag::engine::Engine;
use polyrag::ingest::{self, AddOptions, OcrMode, Progress, walk};
use polyrag::models::Cancel;
use polyrag::report::AddedDocument;
use polyrag::store::{StoreError, calibrations, catalog, doctor, tables};
use serde_json::json;

use crate::args::{AddArgs, Cli, OcrArg, StoreArg};
use crate::{lines, show};

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
        jobs: arguments.jobs,
        mirror: arguments.mirror,
        streams: crate::hot_folder::streams(),
        password: arguments.password.clone(),
        ocr: match arguments.ocr {
            OcrArg::Auto => OcrMode::Auto,
            OcrArg::Force => OcrMode::Force,
            OcrArg::Off => OcrMode::Off,
        },
        ..AddOptions::default()
    };
    let mut watcher = Watcher::new(!cli.json);
    let report = ingest::add(engine, &arguments.paths, &options, cancel, &mut watcher)?;
    watcher.bar.finish_and_clear();
    let failed = report.documents.iter().filter(|document| document.status == "failed").count();
    if cli.json {
        lines::print(&report)?;
    } else {
        for path in &report.gone {
            eprintln!("gone       {}  (kept; --mirror removes it)", show::path(path));
        }
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
        self.bar.suspend(|| show::document(document));
    }
}

/// Runs `rm`.
pub fn remove(cli: &Cli, engine: &Engine, targets: &[String]) -> Result<ExitCode> {
    let removed =
        ingest::remove(engine, &targets.iter().map(|target| as_stored(target)).collect::<Vec<_>>())?;
    if cli.json {
        lines::print(&json!({ "removed": removed }))?;
    } else {
        for path in removed {
            println!("removed    {}", show::path(&path));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A target as the catalog has it: paths are absolute there. A file that is gone has no real path
/// any more, but its folder may have one.
fn as_stored(target: &str) -> String {
    let path = Path::new(target);
    if target.parse::<i64>().is_ok() {
        return target.to_owned();
    }
    let known = walk::absolute(path).ok().or_else(|| {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(parent.canonicalize().ok()?.join(path.file_name()?))
    });
    match known {
        // A bare name that is no file here may be a document's name.
        Some(known) if known.exists() || path.components().count() > 1 => known.display().to_string(),
        _ => target.to_owned(),
    }
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
        println!(
            "{:>5}  {:<40} {:<9} {}",
            document.id,
            show::path(&document.path),
            document.kind,
            places.join(", ")
        );
        for also in &document.also_at {
            println!("       also at {}", show::path(also));
        }
        for table in own {
            let columns: Vec<&str> = table.info.columns.iter().map(|column| column.name.as_str()).collect();
            println!("       table {} ({} rows): {}", table.name, table.info.rows, columns.join(", "));
        }
    }
    let failed = catalog::failures(&reader, None)?;
    if cli.json {
        lines::print(&json!({ "documents": listed, "failed": failed }))?;
    } else {
        for failure in failed {
            println!("failed {}  {} ({} tries)", show::path(&failure.path), failure.reason, failure.attempts);
            if let Some(hint) = failure.hint {
                println!("       hint: {hint}");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `stats`.
pub fn stats(cli: &Cli, engine: &Engine) -> Result<ExitCode> {
    let reader = engine.reader()?;
    let mut counts = catalog::counts(&reader)?;
    let embedder = catalog::meta(&reader, "embedder")?.unwrap_or_default();
    if cli.json {
        let found = calibrations::load(&reader, &embedder, true)?;
        let found =
            found.map_or_else(|| calibrations::load(&reader, &embedder, false), |set| Ok(Some(set)))?;
        counts.insert("calibration".into(), serde_json::to_value(found).unwrap_or_default());
        lines::print(&counts)?;
    } else {
        for (name, value) in &counts {
            println!("{name:<18} {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        println!("{:<18} {}", "thresholds", calibrations::summary(&reader, &embedder)?);
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
    let failed = catalog::failures(&engine.reader()?, None)?;
    if cli.json {
        lines::print(
            &json!({ "ok": diagnosis.ok, "checks": diagnosis.checks, "repairs": repairs, "failed": failed }),
        )?;
    } else {
        for done in repairs {
            println!("repair  {done}");
        }
        for check in &diagnosis.checks {
            println!("{}  {}: {}", if check.ok { "ok    " } else { "WRONG " }, check.name, check.detail);
        }
        for failure in failed {
            println!("failed  {}: {}", show::path(&failure.path), failure.reason);
        }
        if !diagnosis.ok && !repair {
            eprintln!("hint: polyrag doctor --repair rebuilds what is derived");
        }
    }
    Ok(ExitCode::from(u8::from(!diagnosis.ok)))
}
