//! Triples of a passage: by the generator under a JSON grammar, or by patterns without one.
//!
//! This is the only place that asks a model for triples. Its output is cached under a hash of
//! everything that shaped it, so a second ingestion, also of a batch that was interrupted, asks
//! for nothing twice.

mod config;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::decide::triples::{Dropped, Extraction, Triple, extract_deterministic, parse_extraction};
use crate::models::{Cancel, Finish, Generate, GenerateRequest, ModelError};

pub use self::config::{ExtractionConfig, Method};

/// A passage to extract from.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    /// Its text.
    pub text: &'a str,
    /// The headings above it, outermost first; the title counts as one.
    pub headings: &'a [&'a str],
}

impl Passage<'_> {
    fn heading_line(&self) -> String {
        let headings: Vec<&str> = self.headings.iter().map(|h| h.trim()).filter(|h| !h.is_empty()).collect();
        headings.join(" > ")
    }

    fn whole(&self) -> String {
        format!("{}\n{}", self.heading_line(), self.text)
    }
}

/// Where the model's part of an extraction came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The model wrote it now.
    Model,
    /// The model wrote it before.
    Cache,
    /// No model was asked: patterns only.
    Patterns,
    /// The model failed or wrote nothing usable: patterns only, see the error.
    Fallback,
}

/// The triples of one passage.
#[derive(Debug)]
pub struct Extracted {
    /// The triples; empty when the passage states nothing: it becomes a passage node only.
    pub triples: Vec<Triple>,
    /// What the model wrote and was not kept.
    pub dropped: Dropped,
    /// Whether the model's output was cut; its complete triples are kept.
    pub truncated: bool,
    /// Who extracted.
    pub origin: Origin,
    /// Why the model's output could not be had.
    pub error: Option<ModelError>,
    /// Tokens generated now.
    pub completion_tokens: usize,
}

/// Keeps model outputs between ingestions.
pub trait ExtractionCache: Sync {
    /// Returns the output stored under `key`.
    fn get(&self, key: &str) -> Option<String>;
    /// Stores an output.
    fn put(&self, key: &str, output: &str);
}

/// A cache that keeps nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoCache;

impl ExtractionCache for NoCache {
    fn get(&self, _key: &str) -> Option<String> {
        None
    }
    fn put(&self, _key: &str, _output: &str) {}
}

/// Extracts triples with a generator, or without one.
pub struct Extractor<'a> {
    generate: Option<&'a dyn Generate>,
    config: &'a ExtractionConfig,
    cache: &'a dyn ExtractionCache,
}

impl<'a> Extractor<'a> {
    /// Builds an extractor; without `generate` it works by patterns.
    pub fn new(
        generate: Option<&'a dyn Generate>,
        config: &'a ExtractionConfig,
        cache: &'a dyn ExtractionCache,
    ) -> Self {
        let generate = generate.filter(|_| config.method != Method::Patterns);
        Self { generate, config, cache }
    }

    /// Extracts from every passage, in order; several at a time when a model does it.
    ///
    /// One passage's failure is in its own result. `on_done` hears the number of passages done.
    ///
    /// # Errors
    /// [`ModelError::Cancelled`] when `cancel` was set; what was done until then is cached.
    pub fn extract_all(
        &self,
        passages: &[Passage<'_>],
        cancel: &Cancel,
        on_done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Extracted>, ModelError> {
        let workers =
            if self.generate.is_some() { self.config.parallel.clamp(1, passages.len().max(1)) } else { 1 };
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            let mut mine = Vec::new();
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(passage) = passages.get(place).filter(|_| !cancel.is_cancelled()) else {
                    return mine;
                };
                mine.push((place, self.extract(passage, cancel)));
                on_done(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
        };
        let mut all: Vec<(usize, Extracted)> = if workers == 1 {
            work()
        } else {
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
            })
        };
        if all.len() < passages.len() || cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        all.sort_unstable_by_key(|found| found.0);
        Ok(all.into_iter().map(|found| found.1).collect())
    }

    /// Extracts from one passage.
    pub fn extract(&self, passage: &Passage<'_>, cancel: &Cancel) -> Extracted {
        let patterns = || extract_deterministic(passage.text, passage.headings, &self.config.limits());
        let mut extracted = Extracted {
            triples: Vec::new(),
            dropped: Dropped::default(),
            truncated: false,
            origin: Origin::Patterns,
            error: None,
            completion_tokens: 0,
        };
        let Some(generate) = self.generate else {
            extracted.triples = patterns();
            return extracted;
        };
        match self.ask(generate, passage, cancel, &mut extracted) {
            Ok(extraction) => {
                extracted.triples = extraction.triples;
                extracted.dropped = extraction.dropped;
                extracted.truncated = extraction.truncated;
            }
            Err(error) => {
                extracted.origin = Origin::Fallback;
                extracted.error = Some(error);
            }
        }
        if self.config.method == Method::Both || extracted.origin == Origin::Fallback {
            merge(&mut extracted.triples, patterns(), self.config.max_triples);
        }
        extracted
    }

    fn ask(
        &self,
        generate: &dyn Generate,
        passage: &Passage<'_>,
        cancel: &Cancel,
        extracted: &mut Extracted,
    ) -> Result<Extraction, ModelError> {
        let request = self.request(passage);
        let key = cache_key(generate, &request);
        let whole = passage.whole();
        if let Some(output) = self.cache.get(&key) {
            let extraction = parse_extraction(&output, &whole, &self.config.limits());
            // An output that is damaged is asked for again.
            if !extraction.truncated && output.trim_start().starts_with('[') {
                extracted.origin = Origin::Cache;
                return Ok(extraction);
            }
        }
        let generation = generate.generate(&request, cancel, &mut |_| {})?;
        if generation.finish == Finish::Cancelled {
            return Err(ModelError::Cancelled);
        }
        extracted.origin = Origin::Model;
        extracted.completion_tokens = generation.completion_tokens;
        let extraction = parse_extraction(&generation.text, &whole, &self.config.limits());
        if !extraction.truncated && generation.finish != Finish::Length {
            self.cache.put(&key, &generation.text);
        }
        Ok(extraction)
    }

    fn request(&self, passage: &Passage<'_>) -> GenerateRequest {
        GenerateRequest {
            system: self.config.prompt.clone(),
            user: format!("Passage: {}\nTriples:", passage.whole().trim()),
            assistant_prefix: String::new(),
            grammar: Some(self.config.grammar()),
            max_tokens: self.config.max_tokens,
            stop: Vec::new(),
        }
    }
}

/// Adds triples whose pair of entities is not related yet.
fn merge(triples: &mut Vec<Triple>, more: Vec<Triple>, limit: usize) {
    use crate::decide::triples::normalise_entity;
    let pair = |triple: &Triple| {
        let (a, b) = (normalise_entity(&triple.subject), normalise_entity(&triple.object));
        if a < b { (a, b) } else { (b, a) }
    };
    let mut related: std::collections::BTreeSet<_> = triples.iter().map(pair).collect();
    for triple in more {
        if triples.len() < limit && related.insert(pair(&triple)) {
            triples.push(triple);
        }
    }
}

/// Names an output by everything that shaped it: model, prompts, grammar and bounds.
fn cache_key(generate: &dyn Generate, request: &GenerateRequest) -> String {
    let mut hasher = blake3::Hasher::new();
    let parts = [
        generate.identity().fingerprint.as_str(),
        &request.system,
        &request.user,
        request.grammar.as_deref().unwrap_or(""),
        &request.max_tokens.to_string(),
    ];
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
