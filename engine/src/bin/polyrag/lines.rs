//! JSON lines in and out.

use std::io::{BufRead, Write};
use std::path::Path;

use polyrag::{Error, Result};
use serde::{Deserialize, Serialize};

/// One question of a batch; other keys are ignored.
#[derive(Debug, Deserialize)]
pub struct Question {
    /// Caller's id: text or a number.
    #[serde(default)]
    pub id: serde_json::Value,
    /// The question.
    pub question: String,
}

impl Question {
    /// The id as text, or the line number where there was none.
    pub fn id(&self, line: usize) -> String {
        match &self.id {
            serde_json::Value::Null => line.to_string(),
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// Reads a file of JSON lines; blank lines are skipped.
///
/// # Errors
/// [`Error::Io`], and [`Error::Usage`] naming the line that is none.
pub fn read<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(file).map_err(|source| Error::Io { path: file.to_owned(), source })?;
    let mut values = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if !line.trim().is_empty() {
            let value = serde_json::from_str(line)
                .map_err(|error| Error::Usage(format!("{}:{}: {error}", file.display(), index + 1)))?;
            values.push(value);
        }
    }
    if values.is_empty() {
        return Err(Error::Usage(format!("{} holds no line of JSON", file.display())));
    }
    Ok(values)
}

/// Calls `work` with every line of standard input, numbered from 1; returns whether all went well.
///
/// A line that cannot be read, or whose work fails, gives a line with an `error` in its place:
/// the output has one line per input line, in order.
///
/// # Errors
/// [`Error::Cancelled`], and a standard output that cannot be written.
pub fn each<T: for<'de> Deserialize<'de>, R: Serialize>(
    mut work: impl FnMut(T, usize) -> Result<R>,
) -> Result<bool> {
    let mut all_well = true;
    for (index, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|source| Error::Io { path: "standard input".into(), source })?;
        if line.trim().is_empty() {
            continue;
        }
        let outcome = serde_json::from_str::<T>(&line)
            .map_err(|error| Error::Usage(format!("line {}: {error}", index + 1)))
            .and_then(|input| work(input, index + 1));
        match outcome {
            Ok(output) => print(&output)?,
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => {
                all_well = false;
                let id = serde_json::from_str::<serde_json::Value>(&line)
                    .ok()
                    .and_then(|value| value.get("id").cloned())
                    .unwrap_or_else(|| (index + 1).into());
                print(&serde_json::json!({ "id": id, "error": error.to_string(), "hint": error.hint() }))?;
            }
        }
    }
    Ok(all_well)
}

/// Prints one JSON document on a line of its own and flushes it.
///
/// # Errors
/// [`Error::Io`] when standard output is gone.
pub fn print(value: &impl Serialize) -> Result<()> {
    text(&serde_json::to_string(value).map_err(|error| Error::Internal(error.to_string()))?)
}

/// Prints a line and flushes it.
///
/// # Errors
/// [`Error::Io`] when standard output is gone.
pub fn text(line: &str) -> Result<()> {
    let io = |source| Error::Io { path: "standard output".into(), source };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").map_err(io)?;
    out.flush().map_err(io)
}
