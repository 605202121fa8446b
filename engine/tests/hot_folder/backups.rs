//! Backup and restore: complete, refused where they should be, and safe when cut off.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use polyrag::Error;
use polyrag::store::backup::{BackupError, backup, restore};
use polyrag::store::{StoreError, catalog};

use crate::support::World;

fn never() -> bool {
    false
}

fn documents(data: &Path) -> i64 {
    // As every command opens it: what a killed process began is undone first.
    let opened = catalog::open_writer(&catalog::path_in(data)).unwrap();
    opened.query_row("SELECT count(*) FROM documents", [], |row| row.get(0)).unwrap()
}

/// A world of `count` files, and a folder for copies.
fn world(count: usize) -> (World, tempfile::TempDir) {
    let world = World::new();
    for number in 0..count {
        world.write(&format!("{number}.md"), &format!("# Poço {number}\n\nTem {number} metros.\n"));
    }
    world.add();
    (world, tempfile::tempdir().unwrap())
}

#[test]
fn a_backup_holds_everything_and_comes_back_whole() {
    let (world, copies) = world(12);
    let file = copies.path().join("copia.db");
    let copied = backup(&world.data, &file, &never).unwrap();
    assert_eq!(copied.documents, 12);
    assert_eq!(copied.bytes, file.metadata().unwrap().len());
    // One file, whatever the catalog's log held.
    assert_eq!(std::fs::read_dir(copies.path()).unwrap().count(), 1);
    for number in 0..10 {
        world.delete(&format!("{number}.md"));
    }
    world.mirror();
    assert_eq!(documents(&world.data), 2);
    // Again under the same name: a backup may be replaced, atomically.
    let elsewhere = tempfile::tempdir().unwrap();
    let restored = restore(&elsewhere.path().join("new"), &file, &never).unwrap();
    assert_eq!((restored.documents, documents(&elsewhere.path().join("new"))), (12, 12));
    assert_eq!(backup(&world.data, &file, &never).unwrap().documents, 2);
}

#[test]
fn a_backup_is_taken_while_documents_go_in() {
    let (world, copies) = world(3);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for number in 100..140 {
                world.write(&format!("{number}.md"), &format!("Texto número {number}.\n"));
                world.add_with(&[world.root.join(format!("{number}.md"))], &World::options());
            }
        });
        let mut taken = 0;
        while !writing.is_finished() || taken == 0 {
            let file = copies.path().join(format!("{taken}.db"));
            let copied = backup(&world.data, &file, &never).unwrap();
            let data = copies.path().join(format!("data-{taken}"));
            restore(&data, &file, &never).unwrap();
            assert_eq!(documents(&data), copied.documents);
            taken += 1;
        }
        writing.join().unwrap();
    });
    world.sound();
}

#[test]
fn what_is_no_backup_is_refused_and_what_is_there_stays() {
    let (world, copies) = world(2);
    let notes = copies.path().join("notas.md");
    std::fs::write(&notes, "Notas.\n").unwrap();
    let refused = backup(&world.data, &notes, &never);
    assert!(matches!(refused, Err(StoreError::Backup(BackupError::Exists { .. }))), "{refused:?}");
    assert_eq!(std::fs::read(&notes).unwrap(), b"Notas.\n");
    let inside = backup(&world.data, &world.data.join("copia.db"), &never);
    assert!(matches!(inside, Err(StoreError::Backup(BackupError::Inside { .. }))), "{inside:?}");
    let own = restore(&world.data, &catalog::path_in(&world.data), &never);
    assert!(matches!(own, Err(StoreError::Backup(BackupError::Inside { .. }))), "{own:?}");
    let stopped = backup(&world.data, &copies.path().join("c.db"), &|| true);
    assert!(matches!(stopped, Err(StoreError::Backup(BackupError::Stopped))), "{stopped:?}");

    let target = copies.path().join("data");
    let other = copies.path().join("outro.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE documents (id)").unwrap();
    let whole = copies.path().join("inteiro.db");
    backup(&world.data, &whole, &never).unwrap();
    let torn = copies.path().join("meio.db");
    let bytes = std::fs::read(&whole).unwrap();
    std::fs::write(&torn, &bytes[..bytes.len() / 2]).unwrap();
    let newer = copies.path().join("novo.db");
    std::fs::copy(&whole, &newer).unwrap();
    rusqlite::Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
    for file in [&notes, &other, &torn, &newer, &copies.path().join("nada.db")] {
        let refused = restore(&target, file, &never);
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert!(refused.as_ref().unwrap_err().to_string().contains(&name), "{refused:?}");
        assert!(!catalog::path_in(&target).exists());
    }
    let left: Vec<_> = std::fs::read_dir(copies.path())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(documents(&world.data), 2);
}

#[test]
fn a_catalog_in_use_is_not_replaced_and_a_damaged_one_is_kept_aside() {
    let (world, copies) = world(2);
    let file = copies.path().join("copia.db");
    backup(&world.data, &file, &never).unwrap();
    world.write("mais.md", "Mais um texto.\n");
    world.add();
    // The world's engine has it open.
    let refused = restore(&world.data, &file, &never);
    assert!(matches!(refused, Err(StoreError::Backup(BackupError::InUse { .. }))), "{refused:?}");
    assert_eq!(documents(&world.data), 3);
    world.sound();

    let data = copies.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(catalog::path_in(&data), b"this was a catalog once, and is one no longer").unwrap();
    std::fs::write(data.join("vectors-3.usearch"), b"of another life").unwrap();
    let restored = restore(&data, &file, &never).unwrap();
    assert!(Path::new(&restored.damaged_kept_at.unwrap()).exists());
    assert_eq!(documents(&data), 2);
    assert!(!data.join("vectors-3.usearch").exists());
}

#[test]
fn x05_a_restore_that_is_killed_leaves_the_old_or_the_new_catalog_whole() {
    let (small, copies) = world(3);
    let (large, _) = world(120);
    let (old, new) = (copies.path().join("old.db"), copies.path().join("new.db"));
    backup(&small.data, &old, &never).unwrap();
    backup(&large.data, &new, &never).unwrap();
    let data = copies.path().join("data");
    let program = env!("CARGO_BIN_EXE_polyrag");
    let mut outcomes = [0, 0];
    for round in 0..24_u64 {
        restore(&data, &old, &never).unwrap();
        let mut process = Command::new(program)
            .args(["--data", data.to_str().unwrap(), "restore", new.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(round * 3));
        process.kill().unwrap();
        process.wait().unwrap();
        let count = documents(&data);
        assert!(count == 3 || count == 120, "round {round}: {count}");
        outcomes[usize::from(count == 120)] += 1;
        let judged = Command::new(program)
            .args(["--data", data.to_str().unwrap(), "--json", "doctor"])
            .output()
            .unwrap();
        assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stdout));
    }
    // The last rounds leave it time enough.
    assert!(outcomes[0] > 0, "{outcomes:?}");
}

#[test]
fn a_data_folder_of_the_first_version_is_understood() {
    let (world, _copies) = world(2);
    world.write("igual.md", "# Poço 1\n\nTem 1 metros.\n");
    world.add();
    let World { engine, data, .. } = &world;
    engine
        .bookkeeping(|connection| {
            connection
                .execute_batch(
                    "CREATE TABLE document_paths (path TEXT PRIMARY KEY,
                       document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE) WITHOUT ROWID;
                     INSERT INTO document_paths SELECT f.path, d.id FROM files f JOIN documents d
                       ON d.source = f.original;
                     DROP TABLE files; DROP TABLE failures;
                     PRAGMA application_id = 0; PRAGMA user_version = 1;",
                )
                .map_err(StoreError::from)?;
            Ok::<_, Error>(())
        })
        .unwrap();
    drop(catalog::open_writer(&catalog::path_in(data)).unwrap());
    world.sound();
    world.embedder.take();
    let report = world.add();
    assert!(report.documents.iter().all(|document| document.status == "unchanged"), "{report:#?}");
    assert_eq!(world.embedder.take(), [""; 0]);
    world.equals_disk().unwrap();
}
