//! `watch`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use chrono::{Local, SecondsFormat, Utc};
use polyrag::Result;
use polyrag::engine::Engine;
use polyrag::ingest::AddOptions;
use polyrag::ingest::watch::{self, WatchEvent};
use polyrag::models::Cancel;
use same_file::Handle;
use serde_json::Value;

use crate::args::{Cli, WatchArgs};
use crate::{lines, show};

/// How long an interrupted round may take to reach a safe point. A commit cannot be cut in half:
/// ending the process inside one leaves the state before it.
const GRACE: Duration = Duration::from_millis(800);

/// Runs `watch`.
pub fn watch(cli: &Cli, engine: &Engine, arguments: &WatchArgs, cancel: &Cancel) -> Result<ExitCode> {
    end_soon_after(cancel);
    let options = AddOptions {
        fast_extraction: arguments.fast,
        jobs: arguments.jobs,
        streams: streams(),
        ..AddOptions::default()
    };
    let json = cli.json;
    let stop = cancel.clone();
    let mut tell = move |event: &WatchEvent| {
        // Nobody reads any more: there is no one to watch for.
        if (if json { as_line(event) } else { as_text(event) }).is_err() {
            stop.cancel();
        }
    };
    watch::run(engine, &arguments.folder, &options, cancel, &mut tell)?;
    Ok(ExitCode::SUCCESS)
}

/// Standard output and standard error where they are files: never documents.
pub fn streams() -> Arc<Vec<Handle>> {
    let is_file = |handle: &Handle| handle.as_file().metadata().is_ok_and(|metadata| metadata.is_file());
    Arc::new([Handle::stdout(), Handle::stderr()].into_iter().flatten().filter(is_file).collect())
}

/// Ends the process when a wish to stop is not met in time.
fn end_soon_after(cancel: &Cancel) {
    let cancel = cancel.clone();
    std::thread::spawn(move || {
        while !cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(50));
        }
        std::thread::sleep(GRACE);
        eprintln!("polyrag: stopped; what was committed stays");
        std::process::exit(0);
    });
}

fn as_line(event: &WatchEvent) -> Result<()> {
    let mut line = serde_json::Map::new();
    line.insert("time".into(), Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true).into());
    if let Ok(Value::Object(fields)) = serde_json::to_value(event) {
        line.extend(fields);
    }
    lines::print(&line)
}

fn as_text(event: &WatchEvent) -> Result<()> {
    let said = match event {
        WatchEvent::Watching { folder } => format!("watching   {}", show::path(folder)),
        WatchEvent::Rescan { reason } => format!("comparing  {reason}"),
        WatchEvent::Waiting { path } => format!("waiting    {}  still being written", show::path(path)),
        WatchEvent::Settled { changed, failing: 0 } => format!("settled    {changed} changed"),
        WatchEvent::Settled { changed, failing } => {
            format!("settled    {changed} changed, {failing} failing")
        }
        WatchEvent::Stopped => "stopped".to_owned(),
        WatchEvent::Trouble { error, hint, retry_in_s } => {
            let hint = hint.as_ref().map_or_else(String::new, |hint| format!(" (hint: {hint})"));
            format!("trouble    {error}{hint}{}", again(*retry_in_s))
        }
        WatchEvent::Document { document, retry_in_s } => {
            let mut text = format!(
                "{:<10} {}  {}",
                document.status,
                show::path(&document.path),
                show::placements(document)
            );
            if let Some(original) = &document.duplicate_of {
                text += &format!("same content as {}", show::path(original));
            }
            if let Some(from) = &document.moved_from {
                text += &format!("was {}", show::path(from));
            }
            text + document.error.as_deref().unwrap_or_default() + &again(*retry_in_s)
        }
    };
    lines::text(&format!("{}  {}", Local::now().format("%H:%M:%S"), said.trim_end()))
}

fn again(seconds: Option<u64>) -> String {
    seconds.map_or_else(String::new, |seconds| format!(", again in {seconds} s"))
}
