//! Ready triples from a file, used instead of extraction.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use crate::decide::text::fold;
use crate::decide::triples::Triple;
use crate::error::{Error, Result};

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    title: String,
    text: String,
    triples: Vec<Vec<String>>,
}

/// Triples by passage.
pub struct GivenTriples {
    by_title: HashMap<String, Vec<(String, Vec<Triple>)>>,
}

impl GivenTriples {
    /// Reads JSON lines with `title`, `text` and `triples` (arrays of three strings).
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Usage`] naming the line that is none of these.
    pub fn load(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        let mut by_title: HashMap<String, Vec<(String, Vec<Triple>)>> = HashMap::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let parsed: Line = serde_json::from_str(line)
                .map_err(|error| Error::Usage(format!("{}: line {}: {error}", path.display(), index + 1)))?;
            let triples = parsed
                .triples
                .into_iter()
                .filter_map(|parts| {
                    let [subject, relation, object] = <[String; 3]>::try_from(parts).ok()?;
                    Some(Triple { subject, relation, object })
                })
                .collect();
            by_title.entry(fold(&parsed.title)).or_default().push((squeeze(&parsed.text), triples));
        }
        Ok(Self { by_title })
    }

    /// Returns the triples of a passage; of one piece of a longer passage, those it mentions.
    pub fn of(&self, title: &str, chunk: &str) -> Vec<Triple> {
        let Some(passages) = self.by_title.get(&fold(title)).or_else(|| self.by_title.get("")) else {
            return Vec::new();
        };
        let body = squeeze(chunk);
        for (text, triples) in passages {
            if *text == body || body.ends_with(text.as_str()) {
                return triples.clone();
            }
            if text.contains(&body) {
                return triples
                    .iter()
                    .filter(|triple| {
                        body.contains(&squeeze(&triple.subject)) || body.contains(&squeeze(&triple.object))
                    })
                    .cloned()
                    .collect();
            }
        }
        Vec::new()
    }
}

/// Folded text with single spaces: chunking may change white space.
fn squeeze(text: &str) -> String {
    fold(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
