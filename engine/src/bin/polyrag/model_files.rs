//! `models list|fetch|verify`.

use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use polyrag::models::Cancel;
use polyrag::models::fetch::{
    self, FetchError, FetchOutcome, FileState, Manifest, ModelStatus, Profile, Progress,
};
use polyrag::{Error, Result};

use crate::args::{Cli, ModelsAction};
use crate::{lines, models_folder};

/// Runs the command.
pub fn run(cli: &Cli, action: &ModelsAction, cancel: &Cancel) -> Result<ExitCode> {
    let folder = models_folder()?;
    let manifest = Manifest::builtin().map_err(fetch_error)?;
    match action {
        ModelsAction::List(chosen) => {
            let files = fetch::list(&folder, &manifest, chosen.profile).map_err(fetch_error)?;
            show(cli, &files)?;
            Ok(ExitCode::SUCCESS)
        }
        ModelsAction::Verify(chosen) => {
            let bar = Bar::new();
            let files = fetch::verify(
                &folder,
                &manifest,
                chosen.profile,
                &mut |progress| bar.show(&progress),
                cancel,
            )
            .map_err(fetch_error)?;
            bar.finish();
            show(cli, &files)?;
            // Without --profile only what is there can be wrong; with it, missing is wrong too.
            let wrong = |file: &&ModelStatus| match file.state {
                FileState::Present => false,
                FileState::Missing => chosen.profile.is_some(),
                FileState::Truncated | FileState::WrongHash => true,
            };
            Ok(ExitCode::from(u8::from(files.iter().any(|file| wrong(&file)))))
        }
        ModelsAction::Fetch(chosen) => {
            let profile = chosen.profile.unwrap_or(Profile::Starter);
            let bar = Bar::new();
            let report =
                fetch::fetch(&folder, &manifest, profile, &mut |progress| bar.show(&progress), cancel)
                    .map_err(fetch_error)?;
            bar.finish();
            let mut lines_out = Vec::new();
            for file in &report.files {
                let (state, error, hint) = match &file.outcome {
                    FetchOutcome::Present => ("present", None, None),
                    FetchOutcome::Downloaded => ("downloaded", None, None),
                    FetchOutcome::Failed(error) => ("failed", Some(error.to_string()), error.hint()),
                };
                if !cli.json {
                    println!("{:<12} {}", state, file.path.display());
                    if let Some(error) = &error {
                        eprintln!("polyrag: {error}");
                    }
                    if let Some(hint) = &hint {
                        eprintln!("hint: {hint}");
                    }
                }
                lines_out.push(serde_json::json!({
                    "file": file.file, "path": file.path, "outcome": state, "error": error, "hint": hint }));
            }
            if cli.json {
                lines::print(&serde_json::json!({ "files": lines_out, "complete": report.is_complete() }))?;
            }
            Ok(ExitCode::from(u8::from(!report.is_complete())))
        }
    }
}

fn fetch_error(error: FetchError) -> Error {
    match error {
        FetchError::Cancelled => Error::Cancelled,
        other => Error::Fetch(Box::new(other)),
    }
}

fn show(cli: &Cli, files: &[ModelStatus]) -> Result<()> {
    if cli.json {
        return lines::print(&serde_json::json!({ "models": files }));
    }
    for file in files {
        let state = match file.state {
            FileState::Present => "present",
            FileState::Missing => "missing",
            FileState::Truncated => "cut short",
            FileState::WrongHash => "wrong content",
        };
        let size =
            file.size.or(file.expected_size).map_or("?".into(), |bytes| format!("{} MB", bytes / 1_000_000));
        println!(
            "{:<8} {:<9} {:<14} {:>8}  {}  ({})",
            file.profile.name(),
            file.role.name(),
            state,
            size,
            file.file,
            file.licence
        );
    }
    Ok(())
}

struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::new(0);
        let style =
            ProgressStyle::with_template("{msg:32} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    fn show(&self, progress: &Progress) {
        self.0.set_message(progress.file.to_owned());
        self.0.set_length(progress.total.unwrap_or(progress.done));
        self.0.set_position(progress.done);
    }

    fn finish(&self) {
        self.0.finish_and_clear();
    }
}
