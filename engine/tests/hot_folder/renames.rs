//! H08: what did not change is not read again, whatever it is called.

use polyrag::ingest::{self, AddOptions, Silent};
use polyrag::models::Cancel;

use crate::support::{World, statuses};

#[test]
fn h08_of_a_thousand_files_only_the_changed_one_is_embedded() {
    let world = World::new();
    for number in 0..1000 {
        world.write(&format!("{}/{number:04}.md", number % 7), &format!("O poço {number} tem água limpa.\n"));
    }
    assert_eq!(world.add().documents.len(), 1000);
    world.embedder.take();
    world.write("0/0777.md", "O poço 777 secou em agosto.\n");
    let report = world.add();
    let changed = report.documents.iter().filter(|document| document.status == "updated").count();
    let same = report.documents.iter().filter(|document| document.status == "unchanged").count();
    assert_eq!((changed, same), (1, 999));
    let embedded = world.embedder.take();
    assert!(!embedded.is_empty() && embedded.iter().all(|text| text.contains("777")), "{embedded:?}");
    world.sound();
}

#[test]
fn h08_renaming_files_and_folders_embeds_nothing() {
    let world = World::new();
    for number in 0..20 {
        world.write(&format!("alt/{number}.md"), &format!("# Poço {number}\n\nProfundidade {number} m.\n"));
    }
    world.write("lista.csv", "poço,metros\nA,10\nB,20\n");
    world.add();
    let chunks = world.count("SELECT count(*) FROM chunks");
    world.embedder.take();
    world.rename("alt", "neu");
    world.rename("lista.csv", "tabelas/poços.csv");
    let report = world.add();
    assert_eq!(world.embedder.take(), [""; 0]);
    assert_eq!(report.documents.len(), 21);
    for document in &report.documents {
        assert_eq!((document.status.as_str(), document.chunks), ("updated", 0));
        assert!(document.moved_from.is_some());
    }
    assert!(report.gone.is_empty(), "{:?}", report.gone);
    assert_eq!(world.count("SELECT count(*) FROM chunks"), chunks);
    world.equals_disk().unwrap();
    world.sound();
}

#[test]
fn h08_names_that_swap_or_move_up_embed_nothing_and_keep_their_content() {
    let world = World::new();
    world.write("a.md", "O poço norte é fundo.\n");
    world.write("b.md", "O poço sul é raso.\n");
    world.add();
    world.embedder.take();
    world.rename("a.md", "x");
    world.rename("b.md", "a.md");
    world.rename("x", "b.md");
    assert_eq!(statuses(&world, &world.add()), ["a.md updated", "b.md updated"]);
    world.equals_disk().unwrap();
    world.sound();
    // a to b, b to c, and a new a.
    world.rename("b.md", "c.md");
    world.rename("a.md", "b.md");
    assert_eq!(world.embedder.take(), [""; 0]);
    world.write("a.md", "O poço leste é novo.\n");
    assert_eq!(statuses(&world, &world.add()), ["a.md added", "b.md updated", "c.md updated"]);
    assert!(world.embedder.take().iter().all(|text| text.contains("leste")));
    world.equals_disk().unwrap();
    world.sound();
    let texts = world.count(
        "SELECT count(*) FROM chunks c JOIN documents d ON d.id = c.document_id
        WHERE (d.name = 'c.md' AND c.text LIKE '%norte%') OR (d.name = 'b.md' AND c.text LIKE '%sul%')",
    );
    assert_eq!(texts, 2);
}

#[test]
fn a_renamed_file_and_a_new_one_with_the_same_beginning_both_have_a_place() {
    // Ids of chunks are made of path, position and text: the new file's first chunk must not
    // meet the old one's.
    let world = World::new();
    world.write("a.md", "# Um\n\nComeço igual.\n\n# Dois\n\nFim antigo.\n");
    world.add();
    world.rename("a.md", "a.bak.md");
    world.write("a.md", "# Um\n\nComeço igual.\n\n# Dois\n\nFim novo.\n");
    assert_eq!(statuses(&world, &world.add()), ["a.bak.md updated", "a.md added"]);
    world.equals_disk().unwrap();
    world.sound();
}

#[test]
fn h08_lines_of_a_jsonl_are_documents_and_the_file_is_known_as_a_whole() {
    let world = World::new();
    let line = |title: &str, text: &str| format!("{{\"title\":\"{title}\",\"text\":\"{text}\"}}\n");
    let file = line("Norte", "O poço norte.") + &line("Sul", "O poço sul.") + &line("", "Sem título.");
    world.write("poços.jsonl", &file);
    assert_eq!(world.add().documents.len(), 3);
    world.embedder.take();
    assert!(world.add().documents.iter().all(|document| document.status == "unchanged"));
    world.rename("poços.jsonl", "fontes.jsonl");
    let report = world.add();
    assert_eq!(report.documents.len(), 3, "{report:#?}");
    assert_eq!(world.embedder.take(), [""; 0]);
    assert_eq!(world.listed()[2], ["fontes.jsonl#3"]);
    assert_eq!(world.count("SELECT count(*) FROM documents WHERE name = 'fontes line 3'"), 1);
    world.write("fontes.jsonl", &file.replace("O poço sul.", "O poço sul secou."));
    let report = world.add();
    // The third has its title from the file's name, and so is another text since the rename.
    assert_eq!(
        statuses(&world, &report),
        ["fontes.jsonl#1 unchanged", "fontes.jsonl#2 updated", "fontes.jsonl#3 updated"]
    );
    // A line less is a document less.
    world.write("fontes.jsonl", &line("Norte", "O poço norte."));
    world.add();
    assert_eq!(world.listed(), [["fontes.jsonl#1"]]);
    world.sound();
}

#[test]
fn what_did_not_change_needs_no_model_at_all() {
    let world = World::new();
    world.write("a.md", "O poço norte.\n");
    world.write("b.md", "O poço sul.\n");
    world.write("c.md", "O poço leste.\n");
    world.add();
    let engine = world.without_models();
    world.rename("b.md", "sub/b.md");
    world.delete("c.md");
    let options = AddOptions { mirror: true, ..World::options() };
    let roots = [world.root.clone()];
    let report = ingest::add(&engine, &roots, &options, &Cancel::default(), &mut Silent).unwrap();
    assert_eq!(statuses(&world, &report), ["a.md unchanged", "c.md removed", "sub/b.md updated"]);
    world.equals_disk().unwrap();
    world.write("a.md", "Agora é preciso ler.\n");
    assert!(ingest::add(&engine, &roots, &options, &Cancel::default(), &mut Silent).is_err());
}

#[test]
fn a_new_extension_is_a_new_reading() {
    let world = World::new();
    world.write("dados.txt", "poço;metros\nA;10\nB;20\n");
    world.add();
    world.rename("dados.txt", "dados.csv");
    let report = world.mirror();
    assert!(report.documents.iter().any(|document| !document.tables.is_empty()), "{report:#?}");
    assert_eq!(world.stored().into_iter().collect::<Vec<_>>(), ["dados.csv"]);
    world.sound();
}

#[test]
fn any_number_of_jobs_stores_the_same() {
    let stored = |jobs: usize| {
        let world = World::new();
        for number in 0..30 {
            world.write(&format!("{number}.md"), &format!("# Poço {number}\n\nTem {number} metros.\n"));
            world.write(&format!("{number}.csv"), &format!("poço,metros\nP{number},{number}\n"));
        }
        world.write("mau.md", "");
        let options = AddOptions { jobs, ..World::options() };
        let report = world.add_with(std::slice::from_ref(&world.root), &options);
        world.sound();
        let order: Vec<String> =
            report.documents.iter().map(|document| world.relative(&document.path)).collect();
        (order, world.listed(), world.count("SELECT count(*) FROM chunks"))
    };
    let one = stored(1);
    assert_eq!(one.0.len(), 61);
    assert_eq!(stored(4), one);
}

/// `cargo test --test hot_folder -- --ignored --nocapture jobs_measured`: what `--jobs` brings.
#[test]
#[ignore = "a measurement"]
fn jobs_measured() {
    let files = 24;
    let write = |world: &World| {
        for number in 0..files {
            let mut text = String::from("data,produto,região,valor\n");
            for row in 0..8000 {
                let (day, price) = (row % 28 + 1, row % 977);
                text += &format!("2026-03-{day:02},P{:04},Sul {number},{price},50\n", row % 400);
            }
            world.write(&format!("{number:02}.csv"), &text);
        }
    };
    for jobs in [1, 2, 4, 1, 2, 4] {
        let world = World::new();
        write(&world);
        let options = AddOptions { jobs, ..World::options() };
        let begun = std::time::Instant::now();
        let report = world.add_with(std::slice::from_ref(&world.root), &options);
        assert_eq!(report.documents.len(), files);
        eprintln!(
            "--jobs {jobs}: {:.2} s for {files} CSV files of 8,000 rows",
            begun.elapsed().as_secs_f64()
        );
    }
}
