//! Triples of a passage: by the generator under a JSON grammar, or by patterns without one.
//!
//! This is the only place that asks a model for triples. Its output is cached under a hash of
//! everything that shaped it, so a second ingestion, also of a batch that was interrupted, asks
//! for nothing twice.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::decide::triples::{
    Dropped, Extraction, Triple, TripleLimits, extract_deterministic, parse_extraction,
};
use crate::models::{Cancel, Finish, Generate, GenerateRequest, ModelError};

/// Constants of extraction; `config.toml`, section `[extraction]`, explains each.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionConfig {
    /// `model`, `patterns`, or `both`.
    pub method: Method,
    /// Most triples a model may write per passage.
    pub model_triples: usize,
    /// Most triples kept per passage, whoever wrote them.
    pub max_triples: usize,
    /// Most characters in a subject or object.
    pub entity_characters: usize,
    /// Most characters in a relation.
    pub relation_characters: usize,
    /// Most tokens a model may write per passage.
    pub max_tokens: usize,
    /// Passages given to the model at the same time.
    pub parallel: usize,
    /// The instruction to the model.
    pub prompt: String,
}

/// Who extracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The generator, or patterns where there is none.
    Model,
    /// Patterns only.
    Patterns,
    /// The generator's triples first, then those of the patterns.
    Both,
}

impl Default for ExtractionConfig {
    fn default() -> Self {
        Self {
            method: Method::Both,
            model_triples: 12,
            max_triples: 48,
            entity_characters: 80,
            relation_characters: 48,
            max_tokens: 320,
            parallel: 4,
            prompt: DEFAULT_PROMPT.to_owned(),
        }
    }
}

const DEFAULT_PROMPT: &str = "\
Extract the facts of the passage as a JSON array of triples [subject, relation, object].
- Copy names, codes, dates and values exactly as the passage writes them, in its language.
- Subject and object are short: a name, a code, a date, a value. Never a whole sentence.
- The relation is a short verb phrase in the passage's language.
- Write a name instead of a pronoun. One fact per triple, no repetition. No fact: [].

Passage: Frota > Manutenção
A oficina Serra Azul revisa os caminhões a cada 20.000 km. Ela responde a Lídia Prado.
Triples: [[\"oficina Serra Azul\",\"revisa\",\"caminhões\"],[\"caminhões\",\"revisados a cada\",\"20.000 km\"],[\"oficina Serra Azul\",\"responde a\",\"Lídia Prado\"]]

Passage: Harbour Line
Harbour Line, founded in 1931 by Tom Reyes, is a ferry company based in Aldport.
Triples: [[\"Harbour Line\",\"founded in\",\"1931\"],[\"Harbour Line\",\"founded by\",\"Tom Reyes\"],[\"Harbour Line\",\"is a\",\"ferry company\"],[\"Harbour Line\",\"based in\",\"Aldport\"]]";

impl ExtractionConfig {
    fn limits(&self) -> TripleLimits {
        TripleLimits {
            entity_characters: self.entity_characters,
            relation_characters: self.relation_characters,
            per_passage: self.max_triples,
        }
    }

    /// Returns the GBNF grammar: an array of at most `model_triples` arrays of three non-empty,
    /// bounded strings.
    pub fn grammar(&self) -> String {
        let more = self.model_triples.saturating_sub(1);
        format!(
            r#"root ::= "[" (triple ("," " "? triple){{0,{more}}})? "]"
triple ::= "[" name "," " "? relation "," " "? name "]"
name ::= "\"" character{{1,{entity}}} "\""
relation ::= "\"" character{{1,{relation}}} "\""
character ::= [^"\\\x00-\x1F] | "\\" ["\\/]
"#,
            entity = self.entity_characters,
            relation = self.relation_characters,
        )
    }
}

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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::models::{Generation, ModelIdentity};
    use std::collections::HashMap;
    use std::sync::Mutex;

    /// Answers from a list of `(part of the passage, output, finish)`, and counts its calls.
    struct Scripted {
        identity: ModelIdentity,
        outputs: Vec<(&'static str, &'static str, Finish)>,
        calls: AtomicUsize,
    }

    impl Scripted {
        fn new(outputs: Vec<(&'static str, &'static str, Finish)>) -> Self {
            let identity = ModelIdentity {
                name: "scripted".into(),
                fingerprint: "1".into(),
                dimension: 0,
                pooling: String::new(),
            };
            Self { identity, outputs, calls: AtomicUsize::new(0) }
        }
    }

    impl Generate for Scripted {
        fn identity(&self) -> &ModelIdentity {
            &self.identity
        }
        fn context_tokens(&self) -> usize {
            4096
        }
        fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
            Ok(text.split_whitespace().count())
        }
        fn template_tokens(&self) -> usize {
            8
        }
        fn generate(
            &self,
            request: &GenerateRequest,
            _cancel: &Cancel,
            _on_text: &mut dyn FnMut(&str),
        ) -> Result<Generation, ModelError> {
            self.calls.fetch_add(1, Ordering::Relaxed);
            let found = self.outputs.iter().find(|output| request.user.contains(output.0));
            let (_, text, finish) =
                found.ok_or(ModelError::Runtime { role: "generate", reason: "no script".into() })?;
            Ok(Generation {
                text: (*text).to_owned(),
                finish: *finish,
                prompt_tokens: 0,
                cached_tokens: 0,
                completion_tokens: 9,
                first_token_ms: 0.0,
                total_ms: 0.0,
            })
        }
    }

    #[derive(Default)]
    struct Memory(Mutex<HashMap<String, String>>);

    impl ExtractionCache for Memory {
        fn get(&self, key: &str) -> Option<String> {
            self.0.lock().unwrap().get(key).cloned()
        }
        fn put(&self, key: &str, output: &str) {
            self.0.lock().unwrap().insert(key.to_owned(), output.to_owned());
        }
    }

    fn config(method: Method) -> ExtractionConfig {
        ExtractionConfig { method, ..ExtractionConfig::default() }
    }

    const ATLAS: Passage<'_> = Passage { text: "O Atlas depende do Órion.", headings: &["Sistemas"] };

    #[test]
    fn second_extraction_comes_from_the_cache() {
        let model = Scripted::new(vec![("Atlas", r#"[["Atlas","depende do","Órion"]]"#, Finish::Stop)]);
        let (memory, config) = (Memory::default(), config(Method::Model));
        let extractor = Extractor::new(Some(&model), &config, &memory);
        for origin in [Origin::Model, Origin::Cache] {
            let found = extractor.extract(&ATLAS, &Cancel::default());
            assert_eq!((found.origin, found.triples.len()), (origin, 1));
        }
        assert_eq!(model.calls.load(Ordering::Relaxed), 1);
        let other = ExtractionConfig { prompt: "Another.".into(), ..config.clone() };
        Extractor::new(Some(&model), &other, &memory).extract(&ATLAS, &Cancel::default());
        assert_eq!(model.calls.load(Ordering::Relaxed), 2, "another prompt is another key");
    }

    /// Case G07: an output that is damaged is not used again.
    #[test]
    fn damaged_outputs_are_not_reused() {
        let model = Scripted::new(vec![("Atlas", r#"[["Atlas","depende do","Órion"],["At"#, Finish::Length)]);
        let (memory, config) = (Memory::default(), config(Method::Model));
        let extractor = Extractor::new(Some(&model), &config, &memory);
        let found = extractor.extract(&ATLAS, &Cancel::default());
        assert!(found.truncated);
        assert_eq!(found.triples.len(), 1, "complete triples are kept");
        assert!(memory.0.lock().unwrap().is_empty());
        let key = cache_key(&model, &extractor.request(&ATLAS));
        memory.put(&key, r#"[["Atlas","dep"#);
        assert_eq!(extractor.extract(&ATLAS, &Cancel::default()).origin, Origin::Model);
    }

    #[test]
    fn a_failing_model_falls_back_to_patterns_and_says_so() {
        let (model, config) = (Scripted::new(vec![]), config(Method::Model));
        let found = Extractor::new(Some(&model), &config, &NoCache).extract(&ATLAS, &Cancel::default());
        assert_eq!(found.origin, Origin::Fallback);
        assert!(found.error.is_some() && !found.triples.is_empty());
    }

    /// Case G03.
    #[test]
    fn a_passage_that_states_nothing_has_no_triples() {
        let model = Scripted::new(vec![("OK.", "[]", Finish::Stop)]);
        let passage = Passage { text: "OK.", headings: &[] };
        for method in [Method::Model, Method::Patterns, Method::Both] {
            let config = config(method);
            let found = Extractor::new(Some(&model), &config, &NoCache).extract(&passage, &Cancel::default());
            assert!(found.triples.is_empty() && found.error.is_none());
        }
    }

    #[test]
    fn batches_keep_their_order_and_can_be_cancelled() {
        let texts: Vec<String> = (0..20).map(|n| format!("O Atlas {n} depende do Órion.")).collect();
        let passages: Vec<Passage<'_>> = texts.iter().map(|text| Passage { text, headings: &[] }).collect();
        let model = Scripted::new(vec![
            ("Atlas 7 ", "[]", Finish::Stop),
            ("Atlas", r#"[["Órion","x","Atlas"]]"#, Finish::Stop),
        ]);
        let config = config(Method::Model);
        let extractor = Extractor::new(Some(&model), &config, &NoCache);
        let done = AtomicUsize::new(0);
        let count = |_| {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let all = extractor.extract_all(&passages, &Cancel::default(), &count).unwrap();
        assert_eq!(done.load(Ordering::Relaxed), 20);
        let empty: Vec<usize> = (0..20).filter(|&n| all[n].triples.is_empty()).collect();
        assert_eq!(empty, [7]);
        let cancel = Cancel::default();
        cancel.cancel();
        assert!(matches!(extractor.extract_all(&passages, &cancel, &|_| {}), Err(ModelError::Cancelled)));
    }

    #[test]
    fn both_adds_only_new_pairs() {
        let model = Scripted::new(vec![("Atlas", r#"[["Órion","sustenta","Atlas"]]"#, Finish::Stop)]);
        let config = config(Method::Both);
        let found = Extractor::new(Some(&model), &config, &NoCache).extract(&ATLAS, &Cancel::default());
        assert_eq!(found.triples[0], Triple::new("Órion", "sustenta", "Atlas"));
        assert!(found.triples.iter().all(|t| t.relation != "depende do"), "{:?}", found.triples);
    }

    #[test]
    fn the_grammar_bounds_count_and_lengths() {
        let grammar = config(Method::Model).grammar();
        assert!(grammar.contains("triple){0,11}"), "{grammar}");
        assert!(grammar.contains("character{1,80}") && grammar.contains("character{1,48}"));
    }
}
