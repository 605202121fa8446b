//! Conversations, the cache, calibration and measuring through the library, with model doubles: what
//! is looked up, kept, and computed only once. No claim about a model rests on these.
#![allow(clippy::unwrap_used)]

mod doubles;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use doubles::{Echo, Words, engine};
use polyrag::ask::calibrate::{Labelled, calibrate};
use polyrag::ask::conversation::Conversation;
use polyrag::ask::evaluate::evaluate;
use polyrag::ask::{self, AskOptions};
use polyrag::decide::measure::Known;
use polyrag::engine::{Engine, new_trace_id};
use polyrag::ingest::{self, AddOptions, Silent};
use polyrag::models::Cancel;
use polyrag::report::AskReport;
use polyrag::store::{cache, calibrations, catalog, doctor};
use polyrag::trace::Trace;
use polyrag::{Error, Result};

/// The floor and the cache's threshold are on the scale of a real embedder; the double has its own.
const OWN: &str =
    "[router]\nevidence_floor = 0.2\n[cache]\nthreshold = 0.5\n[calibration.scale]\nfar = 0.0\nnear = 1.0\n";

struct Shop {
    _folder: tempfile::TempDir,
    data: tempfile::TempDir,
    words: Arc<Words>,
    echo: Arc<Echo>,
    engine: Engine,
}

fn shop() -> Shop {
    let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    file(
        "tyres.md",
        "# Tyre change\n\nThe price of a tyre change for model 3 is 90 dollars in every shop of ours.\n",
    );
    file(
        "service.md",
        "# Service\n\nThe price of a service for model 3 is 250 dollars, and for model 4 it is 300 dollars.\n",
    );
    file(
        "paint.md",
        "# Paint\n\nPainting a door of model 3 takes two days and needs the shop in the harbour street.\n",
    );
    let (words, echo) = (Words::named("words"), Echo::new());
    let engine = engine(data.path(), &words, &echo, OWN);
    let options = AddOptions { fast_extraction: true, ..AddOptions::default() };
    let report =
        ingest::add(&engine, &[folder.path().to_owned()], &options, &Cancel::default(), &mut Silent).unwrap();
    assert!(report.documents.iter().all(|document| document.status == "added"), "{report:?}");
    Shop { _folder: folder, data, words, echo, engine }
}

fn say(engine: &Engine, talk: &mut Conversation, message: &str, options: &AskOptions) -> Result<AskReport> {
    let trace = Trace::new(new_trace_id(), None);
    talk.ask(engine, message, options, &trace, &Cancel::default(), &mut |_| {})
}

fn ask_plain(engine: &Engine, question: &str, options: &AskOptions) -> AskReport {
    let trace = Trace::new(new_trace_id(), None);
    ask::ask(engine, question, options, &trace, &Cancel::default(), &mut |_| {}).unwrap()
}

fn first_document(report: &AskReport) -> &str {
    report.parts[0].retrieved.first().map_or("", |hit| hit.document.as_str())
}

#[test]
fn r09_the_second_search_carries_the_subject_of_the_first() {
    let shop = shop();
    let mut talk = Conversation::new();
    let options = AskOptions::default();
    let first = say(&shop.engine, &mut talk, "Price of a tyre change for model 3?", &options).unwrap();
    assert_eq!((first_document(&first), &first.followup), ("tyres.md", &None));
    let second = say(&shop.engine, &mut talk, "and a service?", &options).unwrap();
    assert_eq!(second.question, "Price of a service for model 3?");
    assert_eq!(first_document(&second), "service.md");
    let shown = second.followup.unwrap();
    assert_eq!(shown.asked, "and a service?");
    assert!(shown.carried.iter().any(|value| value.contains('3')), "{shown:?}");
    assert!(shop.echo.prompts.lock().unwrap().last().unwrap().contains("service for model 3"));
    // The next one leans on the completed question, not on the fragment.
    let third = say(&shop.engine, &mut talk, "and for model 4?", &options).unwrap();
    assert_eq!(third.question, "Price of a service for model 4?");
    assert_eq!(talk.turns(), 3);
    talk.clear();
    assert_eq!(say(&shop.engine, &mut talk, "and a service?", &options).unwrap().followup, None);
}

#[test]
fn r09_a_follow_up_is_cached_under_its_complete_question_alone() {
    let shop = shop();
    let mut talk = Conversation::new();
    let options = AskOptions::default();
    say(&shop.engine, &mut talk, "Price of a tyre change for model 3?", &options).unwrap();
    say(&shop.engine, &mut talk, "and a service?", &options).unwrap();
    let kept: Vec<String> = cache::list(&shop.engine.reader().unwrap())
        .unwrap()
        .into_iter()
        .map(|entry| entry.question)
        .collect();
    assert_eq!(kept, ["Price of a service for model 3?", "Price of a tyre change for model 3?"]);
    // Asked in full it is a hit; the same fragment after another question is another question.
    assert!(ask_plain(&shop.engine, "Price of a service for model 3?", &options).cache.hit);
    let mut other = Conversation::after("How long does a painting of model 4 take?");
    let found = say(&shop.engine, &mut other, "and a service?", &options).unwrap();
    assert!(!found.cache.hit, "{found:?}");
    let again = say(
        &shop.engine,
        &mut Conversation::after("Price of a tyre change for model 3?"),
        "and a service?",
        &options,
    );
    let again = again.unwrap();
    assert!(again.cache.hit && again.followup.is_some(), "{again:?}");
}

#[test]
fn a_message_that_fails_leaves_the_conversation_as_it_was() {
    let shop = shop();
    let mut talk = Conversation::after("Price of a tyre change for model 3?");
    let (trace, cancel) = (Trace::new(new_trace_id(), None), Cancel::default());
    cancel.cancel();
    let stopped =
        talk.ask(&shop.engine, "and a service?", &AskOptions::default(), &trace, &cancel, &mut |_| {});
    assert!(matches!(stopped, Err(Error::Cancelled)));
    assert_eq!(talk.last(), Some("Price of a tyre change for model 3?"));
    cancel.reset();
    let trace = Trace::new(new_trace_id(), None);
    let report =
        talk.ask(&shop.engine, "and a service?", &AskOptions::default(), &trace, &cancel, &mut |_| {});
    assert_eq!(report.unwrap().question, "Price of a service for model 3?");
}

#[test]
fn k06_filters_and_depths_do_not_share_answers() {
    let shop = shop();
    let question = "Price of a service for model 3?";
    let with = |key: &str, value: &str| AskOptions {
        filter: vec![(key.into(), value.into())],
        ..AskOptions::default()
    };
    let options = [
        with("document", "service.md"),
        with("document", "tyres.md"),
        AskOptions::default(),
        with("kind", "md"),
    ];
    for each in &options {
        let report = ask_plain(&shop.engine, question, each);
        assert!(!report.cache.hit, "{:?}: {report:?}", each.filter);
    }
    assert_eq!(first_document(&ask_plain(&shop.engine, question, &options[0])), "service.md");
    let narrow = AskOptions { top_k: 1, ..AskOptions::default() };
    assert!(!ask_plain(&shop.engine, question, &narrow).cache.hit);
    assert!(ask_plain(&shop.engine, question, &options[2]).cache.hit);
}

#[test]
fn k08_a_wrong_answer_is_seen_and_taken_out() {
    let shop = shop();
    let (question, options) = ("Price of a service for model 3?", AskOptions::default());
    ask_plain(&shop.engine, question, &options);
    let served = ask_plain(&shop.engine, question, &options);
    let entry = served.cache.entry.unwrap();
    assert_eq!((served.cache.hit, served.cache.guard.as_deref()), (true, Some("pass")));
    let refused = ask_plain(&shop.engine, "Price of a service for model 4?", &options);
    assert_eq!((refused.cache.hit, refused.cache.entry), (false, Some(entry)));
    let shown =
        cache::list(&shop.engine.reader().unwrap()).unwrap().into_iter().find(|e| e.id == entry).unwrap();
    assert_eq!((shown.served, shown.refused), (1, 1));
    assert!(shown.last.unwrap().guard.contains("numbers differ: 3/4"));
    shop.engine.bookkeeping(|connection| Ok(cache::remove(connection, entry)?)).unwrap();
    assert!(!ask_plain(&shop.engine, question, &options).cache.hit);
}

#[test]
fn a_disabled_cache_keeps_nothing() {
    let (data, words, echo) = (tempfile::tempdir().unwrap(), Words::named("words"), Echo::new());
    let engine = engine(
        data.path(),
        &words,
        &echo,
        &format!("{OWN}[cache]\nenabled = false\n").replace("[cache]\nthreshold = 0.5\n", ""),
    );
    add(&engine, "The price of a service for model 3 is 250 dollars in every shop.");
    for _ in 0..2 {
        assert!(!ask_plain(&engine, "Price of a service for model 3?", &AskOptions::default()).cache.hit);
    }
    assert!(cache::list(&engine.reader().unwrap()).unwrap().is_empty());
}

fn add(engine: &Engine, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), text).unwrap();
    let options = AddOptions { fast_extraction: true, ..AddOptions::default() };
    ingest::add(engine, &[folder.path().to_owned()], &options, &Cancel::default(), &mut Silent).unwrap();
}

#[test]
fn a_second_start_embeds_nothing_but_the_question() {
    let shop = shop();
    let options = AskOptions { use_cache: false, ..AskOptions::default() };
    ask_plain(&shop.engine, "Price of a service for model 3?", &options);
    let Shop { data, engine: first, .. } = shop;
    drop(first);
    let (words, echo) = (Words::named("words"), Echo::new());
    let again = engine(data.path(), &words, &echo, OWN);
    ask_plain(&again, "Price of a service for model 3?", &options);
    assert_eq!(words.texts.load(Ordering::Relaxed), 1);
}

#[test]
fn thresholds_are_kept_with_the_embedder_and_refitted_for_other_phrases() {
    let shop = shop();
    let options = AskOptions::default();
    ask_plain(&shop.engine, "Price of a service for model 3?", &options);
    let reader = shop.engine.reader().unwrap();
    let embedder = catalog::meta(&reader, "embedder").unwrap().unwrap();
    assert!(embedder.contains("fingerprint of words"));
    let kept = calibrations::load(&reader, &embedder, false).unwrap().unwrap();
    assert_eq!(kept, shop.engine.snapshot().unwrap().calibration);
    assert_eq!(kept.source, "phrases");
    assert!(kept.routing.samples > 20, "{kept:?}");
    // The floor keeps its place on the embedder's own scale: 0.2 of the way from far to near.
    let expected = kept.scale.far + 0.2 * (kept.scale.near - kept.scale.far);
    assert!((kept.evidence_floor - expected).abs() < 1e-5, "{kept:?}");
    let diagnosis =
        doctor::diagnose(&reader, shop.engine.data(), &shop.engine.config.vector, &shop.engine.config.graph)
            .unwrap();
    assert!(diagnosis.checks.iter().any(|check| check.detail.contains("from phrases")), "{diagnosis:?}");
    let Shop { data, words, echo, engine: first, .. } = shop;
    drop(first);
    let other = engine(
        data.path(),
        &words,
        &echo,
        &format!("{OWN}[router]\nmargin_safety = 3.0\n").replace("[router]\nevidence_floor = 0.2\n", ""),
    );
    let refitted = other.snapshot().unwrap().calibration.clone();
    assert_ne!(refitted.fitted_for, kept.fitted_for);
    assert!((refitted.questions.delta - kept.questions.delta * 1.5).abs() < 1e-5);
}

fn labelled(question: &str, route: Option<&str>) -> Labelled {
    Labelled {
        question: question.into(),
        route: route.map(str::to_owned),
        routes: Vec::new(),
        unanswerable: route.is_none(),
    }
}

#[test]
fn a_labelled_set_calibrates_and_is_in_force_at_once() {
    let shop = shop();
    let mut set: Vec<Labelled> =
        (0..6).map(|n| labelled(&format!("Price of a service for model {n}?"), Some("vector"))).collect();
    // Hardly a word of these is in the files: only their cosine can hold them.
    set.extend(
        (0..6).map(|n| {
            labelled(&format!("Would some quick brown fox visit harbour number {n}?"), Some("vector"))
        }),
    );
    set.push(labelled("Weather on Mars tomorrow?", None));
    let fitted = calibrate(&shop.engine, &set, "mine.jsonl", &Cancel::default()).unwrap();
    assert_eq!((fitted.source.as_str(), fitted.routing.samples), ("mine.jsonl", 12));
    assert_eq!(fitted.floor.unwrap().unanswerable, 1);
    assert_eq!(shop.engine.snapshot().unwrap().calibration, fitted);
    let report =
        ask::route_only(&shop.engine, "Price of a service for model 3?", &Cancel::default()).unwrap();
    assert!(!report.parts[0].decision.as_ref().unwrap().possible.is_empty());
    for (wrong, said) in
        [(labelled("Q?", Some("tables")), "tables"), (labelled("Q?", Some("")), "unknown route")]
    {
        let error =
            calibrate(&shop.engine, &[wrong], "bad.jsonl", &Cancel::default()).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("Q?"), "{error}");
    }
    assert_eq!(shop.engine.snapshot().unwrap().calibration, fitted, "a set that is refused changes nothing");
}

#[test]
fn a_set_is_asked_and_measured() {
    let shop = shop();
    let known = |line: &str| serde_json::from_str::<Known>(line).unwrap();
    let set = [
        known(
            r#"{"id":"a","question":"Price of a service for model 3?","documents":["service.md"],"facts":["250"],"kind":"figure"}"#,
        ),
        known(
            r#"{"id":"b","question":"Price of a tyre change for model 3?","documents":["tyres.md"],"facts":["91"],"kind":"figure"}"#,
        ),
        known(
            r#"{"id":"c","question":"Zebra quantum xylophone?","unanswerable":true,"kind":"unanswerable"}"#,
        ),
    ];
    let mut seen = Vec::new();
    let options = AskOptions { use_cache: false, ..AskOptions::default() };
    let report =
        evaluate(&shop.engine, "set.jsonl", &set, &options, &Cancel::default(), &mut |done| seen.push(done))
            .unwrap();
    assert_eq!(seen, [1, 2, 3]);
    assert_eq!((report.summary.facts.passed, report.summary.facts.total), (1, 2), "{:#?}", report.questions);
    assert_eq!((report.summary.recall_at_1.mean, report.summary.errors), (1.0, 0));
    assert_eq!(report.by_kind[0].0, "figure");
    assert_eq!((report.by_kind[0].1.passed, report.by_kind[0].1.total), (1, 2));
    assert!(report.questions[1].score.missing.len() == 1 && report.questions[1].answer.is_some());
    assert!(!Path::new("set.jsonl").exists());
}
