//! Tests of extraction, with a generator that answers from a list.
#![allow(clippy::unwrap_used)]

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
