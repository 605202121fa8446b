//! G05, G08, G11: what is deleted or changed is gone from every store at once.

use polyrag::ask::Ranking;
use polyrag::decide::route::StoreKind;
use polyrag::ingest::{self, AddOptions};
use polyrag::models::Finish;

use crate::support::{World, statuses};

const FACT: &str = "O Portal Alfa depende do Servidor Beta.";

/// Rows that hold a word, over everything that could.
fn traces_of(world: &World, word: &str) -> i64 {
    let places = [
        ("chunks", "text"),
        ("graph_statements", "text"),
        ("graph_vectors", "text"),
        ("graph_aliases", "alias"),
        ("graph_entities", "key"),
        ("documents", "details"),
        ("cache", "answer"),
    ];
    let found = places
        .iter()
        .map(|(table, column)| {
            world.count(&format!("SELECT count(*) FROM {table} WHERE {column} LIKE '%{word}%'"))
        })
        .sum::<i64>();
    found
        + world.count(&format!("SELECT count(*) FROM chunk_text WHERE chunk_text MATCH '\"{word}\"'"))
        + world.count(&format!("SELECT count(*) FROM graph_words WHERE graph_words MATCH '\"{word}\"'"))
}

#[test]
fn g05_a_fact_stays_until_its_last_source_goes_and_then_leaves_nothing() {
    let world = World::new();
    world.write("um.md", &format!("## Portal\n\n{FACT}\n"));
    world.write("dois.md", &format!("## Rede\n\n{FACT} Fica em Recife.\n"));
    world.add_to(StoreKind::Graph);
    let shared = "SELECT count(*) FROM graph_facts f JOIN graph_statements s ON s.fact_id = f.id
         WHERE s.relation LIKE '%depende%'";
    assert_eq!(world.count(shared), 2);
    world.parrot.say("O Portal Alfa depende do Servidor Beta [1].", Finish::Stop);
    let question = "De qual servidor o Portal Alfa depende?";
    assert!(world.ask(question).answer.contains("Beta"));
    assert_eq!(world.count("SELECT count(*) FROM cache"), 1);
    ingest::remove(&world.engine, &[world.path("um.md")]).unwrap();
    world.sound();
    assert_eq!(world.count("SELECT count(*) FROM cache"), 0);
    assert_eq!(world.count(shared), 1);
    let found = world.search(Ranking::Graph, question);
    assert_eq!(found.iter().map(|hit| hit.document.as_str()).collect::<Vec<_>>(), ["dois.md"]);
    ingest::remove(&world.engine, &[world.path("dois.md")]).unwrap();
    world.sound();
    for table in
        ["documents", "chunks", "graph_facts", "graph_entities", "graph_vectors", "graph_chunks", "cache"]
    {
        assert_eq!(world.count(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert_eq!(traces_of(&world, "Beta"), 0);
    assert!(world.search(Ranking::Graph, question).is_empty());
}

#[test]
fn g05_a_table_goes_with_its_file() {
    let world = World::new();
    world.write("frota.csv", "placa,km\nABC1D23,1200\nXYZ9K87,3400\n");
    world.add();
    assert_eq!(world.count("SELECT count(*) FROM tables"), 1);
    world.delete("frota.csv");
    world.mirror();
    assert_eq!(world.count("SELECT count(*) FROM tables"), 0);
    let left = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name GLOB 't[0-9]*'";
    assert_eq!(world.count(left), 0);
    assert_eq!(traces_of(&world, "ABC1D23"), 0);
    world.sound();
}

#[test]
fn g08_an_edited_fact_is_gone_everywhere_and_the_new_one_is_there() {
    let world = World::new();
    let text = |year: u32| format!("# Irmãs\n\nAlda nasceu em {year}. Berta nasceu em 988.\n");
    world.write("irmas.md", &text(987));
    world.add_to(StoreKind::Graph);
    world.parrot.say("Alda nasceu em 987 [1].", Finish::Stop);
    let question = "Em que ano Alda nasceu?";
    world.ask(question);
    assert!(traces_of(&world, "987") > 2);
    world.write("irmas.md", &text(986));
    let report = world.add_to(StoreKind::Graph);
    assert_eq!(statuses(&world, &report), ["irmas.md updated"]);
    assert_eq!(traces_of(&world, "987"), 0);
    assert!(traces_of(&world, "986") > 1);
    assert!(traces_of(&world, "988") > 1);
    world.parrot.say("Alda nasceu em 986 [1].", Finish::Stop);
    let answer = world.ask(question);
    assert!(!answer.cache.hit && answer.answer.contains("986"), "{answer:#?}");
    assert!(answer.parts[0].retrieved.iter().all(|hit| !hit.text.contains("987")));
    world.sound();
}

#[test]
fn g08_an_edited_figure_is_gone_from_the_tables() {
    let world = World::new();
    world.write("frota.csv", "placa,km\nABC1D23,1200\n");
    world.add();
    world.write("frota.csv", "placa,km\nABC1D23,1300\n");
    world.add();
    assert_eq!(world.count("SELECT count(*) FROM tables"), 1);
    assert_eq!(traces_of(&world, "1200"), 0);
    assert!(traces_of(&world, "1300") > 0);
    world.sound();
}

#[test]
fn g11_a_deleted_file_is_out_of_the_next_graph_question() {
    let world = World::new();
    world.write("um.md", &format!("## Portal\n\n{FACT}\n"));
    world.write("dois.md", "## Rede\n\nO Servidor Beta envia cópias ao Servidor Gama.\n");
    world.add_to(StoreKind::Graph);
    let question = "De que depende o Portal Alfa?";
    assert_eq!(world.search(Ranking::Graph, question)[0].document, "um.md");
    world.delete("um.md");
    let options = AddOptions { store: Some(StoreKind::Graph), mirror: true, ..World::options() };
    world.add_with(std::slice::from_ref(&world.root), &options);
    // The same engine, its graph in memory from before: nothing is rebuilt by hand.
    let found = world.search(Ranking::Graph, question);
    assert!(found.iter().all(|hit| hit.document == "dois.md"), "{found:#?}");
    world.sound();
}

#[test]
fn deleted_files_are_named_and_kept_until_mirrored() {
    let world = World::new();
    world.write("a.md", "O poço norte.\n");
    world.write("sub/b.md", "O poço sul.\n");
    world.add();
    world.delete("sub/b.md");
    let report = world.add();
    assert_eq!(statuses(&world, &report), ["a.md unchanged"]);
    assert_eq!(report.gone, [world.path("sub/b.md")]);
    assert_eq!(world.stored().len(), 2);
    // Of another folder nothing is said.
    let elsewhere = tempfile::tempdir().unwrap();
    let options = AddOptions { mirror: true, ..World::options() };
    assert!(world.add_with(&[elsewhere.path().to_owned()], &options).documents.is_empty());
    assert_eq!(statuses(&world, &world.mirror()), ["a.md unchanged", "sub/b.md removed"]);
    // A folder that is not there, as a drive that was taken off, says nothing about its files.
    let away = world.root.with_extension("away");
    std::fs::rename(&world.root, &away).unwrap();
    world.mirror();
    std::fs::rename(&away, &world.root).unwrap();
    assert_eq!(world.stored().len(), 1);
    world.sound();
}

#[test]
fn rm_takes_files_folders_names_and_ids_and_refuses_what_is_not_there() {
    let world = World::new();
    for name in ["a.md", "sub/b.md", "sub/deep/c.md", "sub2/d.md", "e.md"] {
        world.write(name, &format!("O arquivo {name} fala de si.\n"));
    }
    world.write(
        "linhas.jsonl",
        "{\"title\":\"Um\",\"text\":\"Texto um.\"}\n{\"title\":\"Dois\",\"text\":\"Texto dois.\"}\n",
    );
    world.add();
    let remove = |targets: &[String]| ingest::remove(&world.engine, targets);
    assert_eq!(remove(&[world.path("sub")]).unwrap().len(), 2);
    assert!(world.stored().contains("sub2/d.md"));
    assert_eq!(remove(&["e.md".into()]).unwrap(), [world.path("e.md")]);
    let id = world.count("SELECT id FROM documents WHERE name = 'a.md'");
    assert_eq!(remove(&[id.to_string()]).unwrap(), [world.path("a.md")]);
    // One of several in a file: the rest stays, and the file is completed when it is added again.
    assert_eq!(remove(&[format!("{}#1", world.path("linhas.jsonl"))]).unwrap().len(), 1);
    world.sound();
    let before = world.stored();
    assert!(remove(&[world.path("sub2"), "nada.md".into()]).is_err());
    assert_eq!(world.stored(), before);
    let report = world.add_with(&[world.root.join("linhas.jsonl")], &World::options());
    assert_eq!(statuses(&world, &report), ["linhas.jsonl#1 added", "linhas.jsonl#2 unchanged"]);
    world.sound();
}
