//! G07, D07: what fails is said, kept, tried again, and cleared when it works.

use polyrag::decide::route::StoreKind;
use polyrag::ingest::{self, AddOptions};
use polyrag::models::Finish;
use polyrag::store::catalog::{self, Failure};

use crate::support::{World, statuses};

fn failed(world: &World) -> Vec<Failure> {
    catalog::failures(&world.engine.reader().unwrap(), None).unwrap()
}

#[test]
fn d07_a_failed_file_is_kept_with_its_reason_and_cleared_when_it_works() {
    let world = World::new();
    world.write("bom.md", "Texto bom.\n");
    world.write("vazio.md", "");
    std::fs::write(world.root.join("lixo.txt"), [0_u8, 159, 146, 150, 0, 1, 2, 3]).unwrap();
    let report = world.add();
    assert_eq!(statuses(&world, &report), ["bom.md added", "lixo.txt failed", "vazio.md failed"]);
    let kept = failed(&world);
    assert_eq!(
        kept.iter().map(|one| world.relative(&one.path)).collect::<Vec<_>>(),
        ["lixo.txt", "vazio.md"]
    );
    for one in &kept {
        let name = world.relative(&one.path);
        assert!(one.attempts == 1 && one.reason.contains(&name) && one.first_at > 0, "{one:?}");
    }
    // Tried again by the next add, also when it did not change: never done.
    world.add();
    assert!(failed(&world).iter().all(|one| one.attempts == 2));
    assert!(!world.stored().contains("vazio.md"));
    world.write("vazio.md", "Agora tem texto.\n");
    world.delete("lixo.txt");
    world.add();
    assert_eq!(failed(&world), []);
    world.sound();
}

#[test]
fn a_file_that_breaks_keeps_its_last_good_version_and_says_so() {
    let world = World::new();
    world.write("a.md", "O poço norte.\n");
    world.add();
    std::fs::write(world.root.join("a.md"), [0_u8, 159, 146, 150, 0, 1, 2, 3]).unwrap();
    assert_eq!(statuses(&world, &world.add()), ["a.md failed"]);
    assert_eq!((failed(&world).len(), world.count("SELECT count(*) FROM chunks")), (1, 1));
    // Back to the bytes it had: nothing to read, and nothing wrong any more.
    world.write("a.md", "O poço norte.\n");
    assert_eq!(statuses(&world, &world.add()), ["a.md unchanged"]);
    assert_eq!(failed(&world), []);
    world.sound();
}

#[test]
fn g07_a_document_that_fails_half_way_leaves_nothing_and_goes_in_cleanly_later() {
    let world = World::new();
    let sections: String =
        (0..40).map(|number| format!("## Parte {number}\n\nTexto da parte {number}.\n\n")).collect();
    world.write("longo.md", &format!("{sections}## Fim\n\nAqui QUEBRA tudo.\n"));
    world.write("outro.md", "Texto do outro.\n");
    world.embedder.refuse(Some("QUEBRA"));
    assert_eq!(statuses(&world, &world.add()), ["longo.md failed", "outro.md added"]);
    assert_eq!(world.stored().into_iter().collect::<Vec<_>>(), ["outro.md"]);
    world.sound();
    // The person deletes it and adds it again.
    ingest::remove(&world.engine, &[world.path("longo.md")]).unwrap();
    assert_eq!(failed(&world), []);
    world.embedder.refuse(None);
    assert_eq!(statuses(&world, &world.add()), ["longo.md added", "outro.md unchanged"]);
    world.sound();
}

#[test]
fn g07_a_file_of_many_documents_that_fails_in_the_middle_is_completed_later() {
    let world = World::new();
    let line = |number: usize| {
        let word = if number == 250 { "QUEBRA" } else { "segue" };
        format!("{{\"title\":\"Linha {number}\",\"text\":\"O texto {number} {word}.\"}}\n")
    };
    world.write("linhas.jsonl", &(0..300).map(line).collect::<String>());
    world.embedder.refuse(Some("QUEBRA"));
    world.add();
    let part = world.count("SELECT count(*) FROM documents");
    assert!(part > 0 && part < 300, "{part}");
    assert_eq!(failed(&world).len(), 1);
    world.sound();
    world.embedder.refuse(None);
    world.add();
    assert_eq!(world.count("SELECT count(*) FROM documents"), 300);
    assert_eq!(failed(&world), []);
    world.equals_disk().unwrap();
    world.sound();
}

#[test]
fn g07_a_bad_output_of_the_model_is_not_used_again() {
    let world = World::new();
    let text = "## Portal\n\nO Portal Alfa depende do Servidor Beta.\n";
    let options = AddOptions { store: Some(StoreKind::Graph), ..AddOptions::default() };
    let file = world.write("um.md", text);
    world.parrot.say("[[\"Portal Alfa\",\"usa\",\"Servidor Beta\"],[\"Por", Finish::Length);
    world.add_with(std::slice::from_ref(&file), &options);
    assert_eq!(world.count("SELECT count(*) FROM model_outputs"), 0);
    ingest::remove(&world.engine, &[world.path("um.md")]).unwrap();
    world.parrot.say("[[\"Portal Alfa\",\"precisa do\",\"Servidor Beta\"]]", Finish::Stop);
    let report = world.add_with(std::slice::from_ref(&file), &options);
    assert_eq!(report.documents[0].status, "added");
    assert_eq!(world.count("SELECT count(*) FROM model_outputs"), 1);
    assert_eq!(world.count("SELECT count(*) FROM graph_statements WHERE relation = 'precisa do'"), 1);
    // A good one is.
    ingest::remove(&world.engine, &[world.path("um.md")]).unwrap();
    world.parrot.say("[]", Finish::Stop);
    world.add_with(std::slice::from_ref(&file), &options);
    assert_eq!(world.count("SELECT count(*) FROM graph_statements WHERE relation = 'precisa do'"), 1);
    world.sound();
}

#[test]
fn a_database_that_is_none_does_not_stop_the_others() {
    let world = World::new();
    let mut torn = b"SQLite format 3\0".to_vec();
    torn.resize(5000, 7);
    std::fs::write(world.root.join("a.db"), torn).unwrap();
    world.write("b.md", "Texto bom.\n");
    assert_eq!(statuses(&world, &world.add()), ["a.db failed", "b.md added"]);
    world.sound();
}

#[test]
#[cfg(unix)]
fn what_cannot_be_read_is_named() {
    let world = World::new();
    world.write("a.md", "Texto bom.\n");
    std::os::unix::fs::symlink("nowhere.md", world.root.join("solto.md")).unwrap();
    assert_eq!(statuses(&world, &world.add()), ["a.md added", "solto.md failed"]);
    assert_eq!(failed(&world).len(), 1);
    // What was never there is told, and not kept.
    let report = world.add_with(&[world.root.join("nada.md")], &World::options());
    assert_eq!(report.documents[0].status, "failed");
    assert_eq!(failed(&world).len(), 1);
}
