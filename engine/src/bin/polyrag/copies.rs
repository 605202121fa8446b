//! `backup`, `restore`.

use std::path::Path;
use std::process::ExitCode;

use polyrag::config::Config;
use polyrag::engine::Engine;
use polyrag::models::Cancel;
use polyrag::store::backup::{self, BackupError};
use polyrag::store::{StoreError, catalog, doctor};
use polyrag::{Error, Result};
use serde_json::json;

use crate::args::Cli;
use crate::lines;

fn stopped(error: StoreError) -> Error {
    match error {
        StoreError::Backup(BackupError::Stopped) => Error::Cancelled,
        other => other.into(),
    }
}

/// Runs `backup`.
pub fn backup(cli: &Cli, engine: &Engine, file: &Path, cancel: &Cancel) -> Result<ExitCode> {
    let copied = backup::backup(engine.data(), file, &|| cancel.is_cancelled()).map_err(stopped)?;
    if cli.json {
        lines::print(&copied)?;
    } else {
        println!("{}: {} documents, {} bytes", copied.file, copied.documents, copied.bytes);
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `restore`: the copy in place, then the index rebuilt and everything checked.
pub fn restore(cli: &Cli, config: &Config, file: &Path, cancel: &Cancel) -> Result<ExitCode> {
    let copied = backup::restore(&cli.data, file, &|| cancel.is_cancelled()).map_err(stopped)?;
    let connection = catalog::open_writer(&catalog::path_in(&cli.data))?;
    let diagnosis = doctor::diagnose(&connection, &cli.data, &config.vector, &config.graph)?;
    if cli.json {
        lines::print(&json!({ "restored": copied, "ok": diagnosis.ok, "checks": diagnosis.checks }))?;
    } else {
        println!("{}: {} documents, {} bytes", copied.file, copied.documents, copied.bytes);
        if let Some(kept) = &copied.damaged_kept_at {
            println!("the catalog that could not be read is kept as {kept}");
        }
        for check in diagnosis.checks.iter().filter(|check| !check.ok) {
            println!("WRONG   {}: {}", check.name, check.detail);
        }
    }
    if !diagnosis.ok {
        eprintln!("hint: polyrag doctor --repair rebuilds what is derived");
    }
    Ok(ExitCode::from(u8::from(!diagnosis.ok)))
}
