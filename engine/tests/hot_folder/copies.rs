//! G09, H10: the same bytes are stored once, under every name they have.

use polyrag::ask::Ranking;
use polyrag::ingest;
use polyrag::models::Finish;

use crate::support::{World, statuses};

const PUMP: &str = "A bomba Ypsilon trabalha a 40 bar.\n";

#[test]
fn g09_h10_same_bytes_are_stored_once_and_both_paths_are_said() {
    let world = World::new();
    world.write("a.md", PUMP);
    world.write("norte/b.md", PUMP);
    world.write("sul/b.md", PUMP);
    let report = world.add();
    assert_eq!(statuses(&world, &report), ["a.md added", "norte/b.md unchanged", "sul/b.md unchanged"]);
    let originals: Vec<_> =
        report.documents.iter().filter_map(|document| document.duplicate_of.as_deref()).collect();
    assert_eq!(originals, [world.path("a.md"), world.path("a.md")]);
    assert_eq!(world.listed(), [["a.md", "norte/b.md", "sul/b.md"]]);
    assert_eq!(world.count("SELECT count(*) FROM chunks"), 1);
    // Told again each time, and embedded only once.
    world.embedder.take();
    let again = world.add();
    assert_eq!(again.documents.iter().filter(|document| document.duplicate_of.is_some()).count(), 2);
    assert_eq!(world.embedder.take(), [""; 0]);
    for store in [Ranking::Vector, Ranking::FullText] {
        let hits = world.search(store, "bomba Ypsilon bar");
        assert_eq!(hits.len(), 1);
        assert_eq!(hits[0].also_at, [world.path("norte/b.md"), world.path("sul/b.md")]);
    }
    world.sound();
}

#[test]
fn g09_an_answer_cites_every_path() {
    let world = World::new();
    world.write("a.md", PUMP);
    world.write("b.md", PUMP);
    world.add();
    world.parrot.say("A bomba Ypsilon trabalha a 40 bar [1].", Finish::Stop);
    let report = world.ask("A quantos bar trabalha a bomba Ypsilon?");
    assert_eq!(report.sources.len(), 1, "{report:#?}");
    assert_eq!(report.sources[0].document, "a.md");
    assert_eq!(report.sources[0].also_at, [world.path("b.md")]);
}

#[test]
fn h10_a_document_stays_until_its_last_path_goes() {
    let world = World::new();
    for name in ["a.md", "b.md", "c.md"] {
        world.write(name, PUMP);
    }
    world.add();
    world.embedder.take();
    world.delete("a.md");
    world.mirror();
    assert_eq!(world.listed(), [["b.md", "c.md"]]);
    assert_eq!(world.embedder.take(), [""; 0]);
    assert_eq!(world.search(Ranking::Vector, "bomba Ypsilon")[0].document, "b.md");
    ingest::remove(&world.engine, &[world.path("c.md")]).unwrap();
    assert_eq!(world.listed(), [["b.md"]]);
    world.sound();
    world.delete("b.md");
    world.delete("c.md");
    assert_eq!(statuses(&world, &world.mirror()), ["b.md removed"]);
    assert_eq!(world.count("SELECT count(*) FROM chunks"), 0);
    world.sound();
}

#[test]
fn g09_editing_either_name_parts_them() {
    let world = World::new();
    world.write("a.md", PUMP);
    world.write("b.md", PUMP);
    world.add();
    world.embedder.take();
    // The original changes: the copy keeps the old text, and nothing of it is embedded again.
    world.write("a.md", "A bomba Zeta trabalha a 60 bar.\n");
    assert_eq!(statuses(&world, &world.add()), ["a.md added", "b.md updated"]);
    assert!(world.embedder.take().iter().all(|text| text.contains("Zeta")));
    assert_eq!(world.listed(), [["a.md"], ["b.md"]]);
    world.sound();
    // They meet again: one document is enough.
    world.write("b.md", "A bomba Zeta trabalha a 60 bar.\n");
    assert_eq!(statuses(&world, &world.add()), ["a.md unchanged", "b.md updated"]);
    assert_eq!(world.listed(), [["a.md", "b.md"]]);
    // The copy changes.
    world.write("b.md", "A bomba Delta trabalha a 10 bar.\n");
    assert_eq!(statuses(&world, &world.add()), ["a.md unchanged", "b.md added"]);
    assert_eq!(world.count("SELECT count(*) FROM documents"), 2);
    world.equals_disk().unwrap();
    world.sound();
}

#[test]
fn g09_a_file_named_twice_is_added_once() {
    let world = World::new();
    let file = world.write("sub/a.md", PUMP);
    let twice = [file.clone(), file.parent().unwrap().join("../sub/a.md"), world.root.clone(), file];
    let report = world.add_with(&twice, &World::options());
    assert_eq!(statuses(&world, &report), ["sub/a.md added"]);
    // The same name twice, with other bytes, is two documents.
    world.write("other/a.md", "A bomba Zeta trabalha a 60 bar.\n");
    world.add();
    assert_eq!(world.count("SELECT count(*) FROM documents WHERE name = 'a.md'"), 2);
    world.sound();
}

#[test]
fn g09_where_the_first_name_cannot_be_read_the_second_may() {
    let world = World::new();
    // The same bytes: no image, whatever the first name says.
    world.write("a.png", "poço,metros\nA,10\nB,20\n");
    world.write("b.csv", "poço,metros\nA,10\nB,20\n");
    let report = world.add();
    let stored: Vec<String> = world.stored().into_iter().collect();
    assert!(stored.contains(&"b.csv".to_owned()), "{report:#?}");
    world.sound();
}

#[test]
fn g09_copies_of_a_file_of_many_documents_are_known_as_a_whole() {
    let world = World::new();
    let lines = "{\"title\":\"Um\",\"text\":\"Texto um.\"}\n{\"title\":\"Dois\",\"text\":\"Texto dois.\"}\n";
    world.write("a.jsonl", lines);
    world.write("b.jsonl", lines);
    world.add();
    assert_eq!(world.listed(), [["a.jsonl#1", "b.jsonl#1"], ["a.jsonl#2", "b.jsonl#2"]]);
    world.delete("a.jsonl");
    world.mirror();
    assert_eq!(world.listed(), [["b.jsonl#1"], ["b.jsonl#2"]]);
    world.sound();
}
