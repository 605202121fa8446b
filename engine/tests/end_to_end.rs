//! The main job with the real starter models: add files, ask, change, remove.
//!
//! Needs the models in `$POLYRAG_MODELS` or `~/.cache/polyrag/models` (`./setup.sh models`).
#![cfg(feature = "llama")]
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use polyrag::ask::conversation::Conversation;
use polyrag::ask::{self, AskOptions};
use polyrag::config::Config;
use polyrag::engine::{Engine, new_trace_id};
use polyrag::ingest::{self, AddOptions, Silent};
use polyrag::models::Cancel;
use polyrag::models::open::open;
use polyrag::report::{AddReport, AskReport};
use polyrag::store::doctor;
use polyrag::trace::Trace;

fn models() -> PathBuf {
    let folder = std::env::var_os("POLYRAG_MODELS")
        .map_or_else(|| std::env::home_dir().unwrap().join(".cache/polyrag/models"), PathBuf::from);
    assert!(folder.is_dir(), "no models in {}: run ./setup.sh models", folder.display());
    folder
}

fn engine(data: &Path) -> Engine {
    engine_with(data, "")
}

fn engine_with(data: &Path, own: &str) -> Engine {
    let config = Config::parse(own, "test").unwrap();
    let (models, _) = open(&models(), &config.models).unwrap();
    Engine::open(data, config, models).unwrap()
}

fn add(engine: &Engine, path: &Path) -> AddReport {
    // Patterns instead of the generator: these tests are about the stores, not about extraction.
    let options = AddOptions { fast_extraction: true, ..AddOptions::default() };
    ingest::add(engine, &[path.to_owned()], &options, &Cancel::default(), &mut Silent).unwrap()
}

fn ask_with(engine: &Engine, question: &str, options: &AskOptions) -> AskReport {
    let trace = Trace::new(new_trace_id(), None);
    ask::ask(engine, question, options, &trace, &Cancel::default(), &mut |_| {}).unwrap()
}

fn retrieve(engine: &Engine, question: &str) -> AskReport {
    ask_with(engine, question, &AskOptions { answer: false, use_cache: false, ..AskOptions::default() })
}

fn sound(engine: &Engine) {
    let reader = engine.reader().unwrap();
    let diagnosis =
        doctor::diagnose(&reader, engine.data(), &engine.config.vector, &engine.config.graph).unwrap();
    assert!(diagnosis.ok, "{:#?}", diagnosis.checks);
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

fn documents(report: &AskReport) -> Vec<&str> {
    report.parts[0].retrieved.iter().map(|hit| hit.document.as_str()).collect()
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/corpus")
}

/// One engine over the demo corpus, for the tests that only ask.
fn demo() -> &'static Engine {
    static DEMO: OnceLock<(tempfile::TempDir, Engine)> = OnceLock::new();
    let (_, engine) = DEMO.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(folder.path());
        let report = add(&engine, &corpus());
        assert!(report.documents.iter().any(|document| document.status == "added"), "{report:?}");
        (folder, engine)
    });
    engine
}

#[test]
fn the_demo_corpus_fills_three_stores_that_agree_and_is_not_added_twice() {
    let engine = demo();
    sound(engine);
    assert_eq!(Engine::filled_stores(&engine.snapshot().unwrap()).len(), 3);
    for document in add(engine, &corpus()).documents {
        assert!(["unchanged", "failed"].contains(&document.status.as_str()), "{document:?}");
    }
}

#[test]
fn a_figure_is_answered_by_sql_with_its_rows() {
    let options = AskOptions { use_cache: false, ..AskOptions::default() };
    let report = ask_with(demo(), "Qual foi a receita total da região Sudeste?", &options);
    assert_eq!(report.routes, ["relational"], "{report:#?}");
    let part = &report.parts[0];
    assert!(part.sql.as_deref().unwrap().to_uppercase().contains("SUM"), "{part:#?}");
    assert_eq!(part.rows.len(), 1);
    let digits: String = part.rows[0][0].to_string().chars().filter(char::is_ascii_digit).collect();
    let said: String = report.answer.chars().filter(char::is_ascii_digit).collect();
    assert!(said.contains(digits.trim_end_matches('0')), "{digits} / {}", report.answer);
    assert_eq!(report.language, "pt");
    assert!(report.usage.prompt_tokens > 0 && report.timings.first_token_ms > 0.0);
}

#[test]
fn r01_r02_every_part_of_a_message_is_looked_up_in_its_own_store() {
    for (message, routes) in [
        (
            "Qual foi a receita total de março e o que fazer quando a carga chega avariada?",
            ["relational", "vector"],
        ),
        (
            "What was the total revenue in March, and which norm governs financial records?",
            ["relational", "graph"],
        ),
        (
            "Explique por que o galpão de Jundiaí foi escolhido, e quantos caminhões a base de Recife tem?",
            ["vector", "relational"],
        ),
    ] {
        let report = retrieve(demo(), message);
        let parts: Vec<&str> = report.parts.iter().map(|part| part.route.as_str()).collect();
        assert_eq!(parts, routes, "{message}: {report:#?}");
        for part in &report.parts {
            assert!(!part.retrieved.is_empty() || !part.rows.is_empty(), "{message}: {part:#?}");
        }
    }
}

#[test]
fn r09_a_follow_up_is_looked_up_complete() {
    let mut talk = Conversation::new();
    let options = AskOptions { answer: false, use_cache: false, ..AskOptions::default() };
    let mut say = |message: &str| {
        let trace = Trace::new(new_trace_id(), None);
        talk.ask(demo(), message, &options, &trace, &Cancel::default(), &mut |_| {}).unwrap()
    };
    say("Qual foi a receita da região Sul em janeiro?");
    let second = say("e do norte?");
    assert_eq!(second.question, "Qual foi a receita da região norte em janeiro?");
    assert_eq!(second.routes, ["relational"], "{second:#?}");
    let third = say("E em março?");
    assert_eq!(third.question, "Qual foi a receita da região norte em março?");
    let other = say("Quem fundou a empresa?");
    assert_eq!((other.followup, other.routes), (None, vec!["vector".to_owned()]));
}

#[test]
fn the_second_time_comes_from_the_cache_until_the_corpus_changes() {
    let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = engine(data.path());
    let text = |months: &str| {
        format!("# Manual\n\n## Garantia\n\nA garantia do motor Zeta vale por {months} meses.\n")
    };
    let file = write(folder.path(), "manual.md", text("dezoito"));
    add(&engine, &file);
    let question = "Por quanto tempo vale a garantia do motor Zeta?";
    let first = ask_with(&engine, question, &AskOptions::default());
    assert!(!first.cache.hit && first.answer.contains("dezoito"), "{first:#?}");
    let second = ask_with(&engine, question, &AskOptions::default());
    assert!(second.cache.hit && second.answer == first.answer, "{second:#?}");
    // K06: another filter is another scope.
    let filtered = AskOptions { filter: vec![("kind".into(), "csv".into())], ..AskOptions::default() };
    assert!(!ask_with(&engine, question, &filtered).cache.hit);
    // G08: the fact changes, and the cached answer goes with it.
    write(folder.path(), "manual.md", text("vinte"));
    assert_eq!(add(&engine, &file).documents[0].status, "updated");
    let third = ask_with(&engine, question, &AskOptions::default());
    assert!(!third.cache.hit && third.answer.contains("vinte"), "{third:#?}");
    sound(&engine);
}

#[test]
fn g05_g11_removing_a_document_takes_it_out_of_every_store() {
    let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = engine(data.path());
    // Both state the same fact; it stays until its last source goes.
    let one = write(folder.path(), "um.md", "## Portal\n\nO Portal Alfa depende do Servidor Beta.\n");
    let two =
        write(folder.path(), "dois.md", "## Rede\n\nO Portal Alfa depende do Servidor Beta, em Recife.\n");
    add(&engine, folder.path());
    let question = "De qual servidor o Portal Alfa depende?";
    assert_eq!(documents(&retrieve(&engine, question)).len(), 2);
    ingest::remove(&engine, &[one.display().to_string()]).unwrap();
    sound(&engine);
    assert_eq!(documents(&retrieve(&engine, question)), ["dois.md"]);
    ingest::remove(&engine, &[two.display().to_string()]).unwrap();
    sound(&engine);
    assert!(retrieve(&engine, question).abstained);
    assert!(ingest::remove(&engine, &["gone.md".into()]).is_err());
}

#[test]
fn g09_h10_same_bytes_under_two_names_are_stored_once_and_survive_either_name() {
    let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = engine(data.path());
    let one = write(folder.path(), "a.md", "A bomba Ypsilon trabalha a 40 bar.\n");
    write(folder.path(), "sub/b.md", "A bomba Ypsilon trabalha a 40 bar.\n");
    let report = add(&engine, folder.path());
    assert_eq!(report.documents[1].duplicate_of.as_deref(), Some(one.to_str().unwrap()));
    let question = "A quantos bar trabalha a bomba Ypsilon?";
    assert_eq!(documents(&retrieve(&engine, question)), ["a.md"]);
    ingest::remove(&engine, &[one.display().to_string()]).unwrap();
    assert_eq!(documents(&retrieve(&engine, question)), ["b.md"]);
    sound(&engine);
}

#[test]
fn h08_a_renamed_file_keeps_its_vectors_and_its_chunks() {
    let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = engine(data.path());
    let old = write(folder.path(), "old.md", "O cofre fica na sala 12.\n");
    add(&engine, folder.path());
    let new = folder.path().join("new.md");
    std::fs::rename(old, &new).unwrap();
    let report = add(&engine, folder.path());
    assert_eq!((report.documents[0].status.as_str(), report.documents[0].chunks), ("updated", 0));
    assert_eq!(documents(&retrieve(&engine, "Onde fica o cofre?")), ["new.md"]);
    sound(&engine);
}

#[test]
fn a_bad_file_is_named_and_stops_nothing() {
    let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = engine(data.path());
    write(folder.path(), "a.md", "Texto bom sobre válvulas.\n");
    write(folder.path(), "b.txt", [0_u8, 159, 146, 150, 0, 1, 2, 3]);
    write(folder.path(), "c.md", "");
    write(folder.path(), "d.pdf", "%PDF-1.7\n%%EOF");
    let report = add(&engine, folder.path());
    let states: Vec<&str> = report.documents.iter().map(|document| document.status.as_str()).collect();
    assert_eq!(states, ["added", "failed", "failed", "failed"], "{report:#?}");
    for document in &report.documents[1..] {
        let error = document.error.as_deref().unwrap();
        assert!(error.contains(document.path.rsplit('/').next().unwrap()), "{error}");
    }
    sound(&engine);
}

#[test]
fn l12_without_a_generator_the_passages_still_come() {
    let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = engine_with(data.path(), "[models]\ngenerate = \"not-there.gguf\"\n");
    write(folder.path(), "a.md", "A chave do cofre fica na sala 12.\n");
    let options = AddOptions::default();
    ingest::add(&engine, &[folder.path().to_owned()], &options, &Cancel::default(), &mut Silent).unwrap();
    let report = ask_with(&engine, "Onde fica a chave do cofre?", &AskOptions::default());
    assert_eq!(report.answer, "");
    assert!(report.parts[0].retrieved[0].text.contains("sala 12"));
    let said = report.notes.join("\n");
    assert!(said.contains("not-there.gguf") && said.contains("models fetch"), "{said}");
}

#[test]
fn x05_a_torn_index_file_is_rebuilt_from_the_catalog() {
    let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let own = "[vector]\nexact_below = 2\n";
    let engine = engine_with(data.path(), own);
    for name in ["um", "dois", "três", "quatro"] {
        write(folder.path(), &format!("{name}.md"), format!("O valor de {name} está no quadro.\n"));
    }
    add(&engine, folder.path());
    let question = "Onde está o valor de três?";
    let texts =
        |report: AskReport| report.parts[0].retrieved.iter().map(|hit| hit.text.clone()).collect::<Vec<_>>();
    let before = texts(retrieve(&engine, question));
    let mut files = std::fs::read_dir(data.path()).unwrap().flatten();
    let index = files.find(|entry| entry.file_name().to_string_lossy().ends_with(".usearch"));
    std::fs::write(index.unwrap().path(), b"torn").unwrap();
    drop(engine);
    let engine = engine_with(data.path(), own);
    assert_eq!(texts(retrieve(&engine, question)), before);
    sound(&engine);
}
