//! The command line of PolyRAG: arguments in, the library's answers out.
//!
//! Standard output is data; progress, hints and errors go to standard error. Exit status: 0 done,
//! 1 failed, 2 wrong usage.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod asking;
mod cached;
mod chat;
mod copies;
mod corpus;
mod hot_folder;
mod lines;
mod measuring;
mod model_files;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use polyrag::config::Config;
use polyrag::engine::Engine;
use polyrag::models::Cancel;
use polyrag::models::open::{Placements, open};
use polyrag::{Error, Result};

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    if let Err(reason) = polyrag::models::cpu_supported() {
        eprintln!("polyrag: {reason}");
        return ExitCode::from(1);
    }
    let cli = Cli::parse();
    let cancel = Cancel::default();
    stop_on_interrupt(&cancel);
    match run(&cli, &cancel) {
        Ok(code) => code,
        Err(Error::Cancelled) => {
            eprintln!("polyrag: stopped");
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("polyrag: {error}");
            if let Some(hint) = error.hint() {
                eprintln!("hint: {hint}");
            }
            ExitCode::from(if matches!(error, Error::Usage(_) | Error::Config(_)) { 2 } else { 1 })
        }
    }
}

/// The first interrupt stops the work at its next safe point, the second ends the process.
fn stop_on_interrupt(cancel: &Cancel) {
    let cancel = cancel.clone();
    let handler = move || {
        if cancel.is_cancelled() {
            std::process::exit(130);
        }
        cancel.cancel();
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprintln!("polyrag: Ctrl-C will end the process at once: {error}");
    }
}

fn run(cli: &Cli, cancel: &Cancel) -> Result<ExitCode> {
    match &cli.command {
        Command::Models { action } => model_files::run(cli, action, cancel),
        Command::Split(input) => asking::split(cli, input),
        Command::Cache { action } => cached::run(cli, &opened(cli)?.0, action, cancel),
        Command::Chat(arguments) => chat::run(cli, &opened(cli)?.0, arguments, cancel),
        Command::Calibrate { file } => measuring::calibrate(cli, &opened(cli)?.0, file.as_deref(), cancel),
        Command::Eval(arguments) => measuring::eval(cli, &opened(cli)?.0, arguments, cancel),
        Command::Classify(arguments) => measuring::classify(cli, arguments, cancel),
        Command::Add(arguments) => corpus::add(cli, &opened(cli)?.0, arguments, cancel),
        Command::Watch(arguments) => hot_folder::watch(cli, &opened(cli)?.0, arguments, cancel),
        Command::Backup { file } => copies::backup(cli, &opened(cli)?.0, file, cancel),
        Command::Restore { file } => copies::restore(cli, &configuration(cli)?, file, cancel),
        Command::Rm { targets } => corpus::remove(cli, &opened(cli)?.0, targets),
        Command::Ls => corpus::list(cli, &opened(cli)?.0),
        Command::Stats => corpus::stats(cli, &opened(cli)?.0),
        Command::Doctor { repair } => corpus::doctor(cli, &opened(cli)?.0, *repair),
        Command::Ask(arguments) => {
            let (engine, placements) = opened(cli)?;
            asking::ask(cli, &engine, arguments, cancel, &placements)
        }
        Command::Route(input) => asking::route(cli, &opened(cli)?.0, input, cancel),
        Command::Search(arguments) => asking::search(cli, &opened(cli)?.0, arguments, cancel),
        Command::Sql(input) => asking::sql(cli, &opened(cli)?.0, input, cancel),
        Command::Explain { trace_id } => asking::explain(cli, &opened(cli)?.0, trace_id),
    }
}

fn configuration(cli: &Cli) -> Result<Config> {
    Ok(match &cli.config {
        Some(path) => Config::load(path)?,
        None => Config::defaults()?,
    })
}

fn opened(cli: &Cli) -> Result<(Engine, Placements)> {
    let config = configuration(cli)?;
    let (models, placements) = open(&models_folder()?, &config.models)?;
    Ok((Engine::open(&cli.data, config, models)?, placements))
}

/// `$POLYRAG_MODELS`, else the cache folder of the person's home.
fn models_folder() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("POLYRAG_MODELS").filter(|folder| !folder.is_empty()) {
        return Ok(folder.into());
    }
    let home = std::env::home_dir().ok_or_else(|| {
        Error::Usage("no home folder: set POLYRAG_MODELS to the folder of the models".into())
    })?;
    Ok(home.join(".cache/polyrag/models"))
}
