//! The hot folder end to end: real files, the system's own events, and the stores behind it.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use polyrag::ingest::AddOptions;
use polyrag::ingest::watch;
use polyrag::models::Cancel;
use polyrag::store::{backup, catalog};
use serde_json::Value;

use crate::support::World;

/// Longer than anything here takes; what is waited for is asked again and again.
const PATIENCE: Duration = Duration::from_secs(20);

/// A folder being watched, and what was told of it.
struct Hot<'a> {
    world: &'a World,
    told: &'a Mutex<Vec<Value>>,
    cancel: Cancel,
}

impl Hot<'_> {
    /// Watches a world's folder while `scene` plays.
    fn play(world: &World, scene: impl FnOnce(&Hot)) {
        let told = Mutex::new(Vec::new());
        let cancel = Cancel::default();
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let mut tell = |event: &watch::WatchEvent| {
                    told.lock().unwrap().push(serde_json::to_value(event).unwrap());
                };
                let outcome = watch::run(&world.engine, &world.root, &World::options(), &cancel, &mut tell);
                ended.store(true, Ordering::SeqCst);
                outcome
            });
            let hot = Hot { world, told: &told, cancel: cancel.clone() };
            // A failing scene must not wait for the watcher for ever.
            let stop = StopAtEnd(cancel.clone());
            hot.wait("the start", |hot| hot.count("settled") > 0);
            scene(&hot);
            drop(stop);
            let asked = Instant::now();
            watcher.join().unwrap().unwrap();
            assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
        });
        assert_eq!(told.lock().unwrap().last().unwrap()["event"], "stopped");
        assert!(ended.load(Ordering::SeqCst));
    }

    fn wait(&self, what: &str, until: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !until(self) {
            assert!(begun.elapsed() < PATIENCE, "{what} did not come: {:#?}", self.told.lock().unwrap());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the watcher says it is done and the catalog equals the disk.
    fn settle(&self) {
        let last_is_settled =
            |hot: &Self| hot.told.lock().unwrap().last().is_some_and(|told| told["event"] == "settled");
        self.wait("the end of a burst", |hot| last_is_settled(hot) && hot.world.equals_disk().is_ok());
        self.world.sound();
    }

    fn count(&self, event: &str) -> usize {
        self.told.lock().unwrap().iter().filter(|told| told["event"] == event).count()
    }

    /// `name status` of the documents told of since the last call.
    fn documents(&self) -> Vec<String> {
        let told = std::mem::take(&mut *self.told.lock().unwrap());
        let line = |told: &Value| {
            let path = self.world.relative(told["path"].as_str().unwrap());
            format!("{path} {}", told["status"].as_str().unwrap())
        };
        let mut lines: Vec<String> =
            told.iter().filter(|told| told["event"] == "document").map(line).collect();
        lines.sort();
        lines
    }
}

struct StopAtEnd(Cancel);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[test]
fn h08_files_come_change_move_and_go_and_the_stores_follow() {
    let world = World::new();
    world.write("a.md", "O poço norte.\n");
    Hot::play(&world, |hot| {
        hot.settle();
        assert_eq!(hot.documents(), ["a.md added"]);
        world.write("b.md", "O poço sul.\n");
        world.write("c.csv", "poço,metros\nA,10\nB,20\n");
        hot.settle();
        assert_eq!(hot.documents(), ["b.md added", "c.csv added"]);
        world.write("a.md", "O poço norte secou.\n");
        hot.settle();
        assert_eq!(hot.documents(), ["a.md updated"]);
        world.embedder.take();
        world.rename("a.md", "sub/deep/z.md");
        hot.settle();
        assert_eq!(hot.documents(), ["sub/deep/z.md updated"]);
        world.rename("sub", "other");
        hot.settle();
        assert_eq!(hot.documents(), ["other/deep/z.md updated"]);
        assert_eq!(world.embedder.take(), [""; 0]);
        world.delete("b.md");
        std::fs::remove_dir_all(world.root.join("other")).unwrap();
        hot.settle();
        assert_eq!(hot.documents(), ["b.md removed", "other/deep/z.md removed"]);
    });
    assert_eq!(world.count("SELECT count(*) FROM documents"), 1);
}

#[test]
fn a_burst_of_files_in_new_folders_is_complete() {
    let world = World::new();
    Hot::play(&world, |hot| {
        for number in 0..150 {
            world
                .write(&format!("d{}/e{}/{number}.md", number % 5, number % 3), &format!("Poço {number}.\n"));
        }
        hot.settle();
        assert_eq!(hot.documents().len(), 150);
        for number in 0..150 {
            let name = format!("d{}/e{}/{number}.md", number % 5, number % 3);
            match number % 3 {
                0 => world.delete(&name),
                1 => world.rename(&name, &format!("f/{number}.md")),
                _ => drop(world.write(&name, &format!("Poço {number} mudou.\n"))),
            }
        }
        hot.settle();
        assert_eq!(hot.documents().len(), 150);
    });
}

#[test]
fn a_slow_writer_is_read_once_and_whole() {
    let world = World::new();
    Hot::play(&world, |hot| {
        let mut file = std::fs::File::create(world.root.join("longo.csv")).unwrap();
        writeln!(file, "poço,metros").unwrap();
        for number in 0..12 {
            writeln!(file, "P{number},{number}").unwrap();
            file.flush().unwrap();
            // Longer than a closed file needs to settle.
            std::thread::sleep(Duration::from_millis(200));
        }
        drop(file);
        hot.settle();
        assert_eq!(hot.documents(), ["longo.csv added"]);
    });
    assert_eq!(world.count("SELECT rows FROM (SELECT count(*) AS rows FROM t1)"), 12);
}

#[test]
fn saves_through_temporary_files_are_updates() {
    let world = World::new();
    world.write("a.md", "Primeira versão.\n");
    Hot::play(&world, |hot| {
        hot.settle();
        hot.documents();
        // As many editors do: write beside it, rename over it.
        world.write(".a.md.swp", "lock");
        world.write("a.md.tmp", "Segunda versão.\n");
        world.rename("a.md.tmp", "a.md");
        hot.settle();
        assert_eq!(hot.documents(), ["a.md updated"]);
        // As others do: move the old one away, write a new one, delete the old one.
        world.rename("a.md", "a.md~");
        world.write("4913", "");
        world.write("a.md", "Terceira versão.\n");
        world.delete("4913");
        world.delete("a.md~");
        world.delete(".a.md.swp");
        hot.settle();
        assert_eq!(hot.documents(), ["a.md updated"]);
        // A lock of an office program comes and goes.
        world.write("~$relatorio.docx", "lock");
        world.write(".~lock.a.md#", "lock");
        world.write("Thumbs.db", "x");
        world.write(".git/HEAD", "x");
        std::thread::sleep(Duration::from_millis(800));
        assert_eq!(hot.documents(), [""; 0]);
        assert_eq!(world.stored().len(), 1);
    });
}

#[test]
fn h06_what_we_write_ourselves_is_no_document_and_no_event() {
    let world = World::with_data_inside();
    world.write("a.md", "O poço norte.\n");
    Hot::play(&world, |hot| {
        hot.settle();
        // The data folder lies in the watched one, and so does a backup and another data folder.
        backup::backup(&world.data, &world.root.join("copia.db"), &|| false).unwrap();
        let other = world.root.join("outra");
        std::fs::create_dir(&other).unwrap();
        drop(catalog::open_writer(&catalog::path_in(&other)).unwrap());
        std::fs::write(other.join("notas.md"), "Dentro de uma pasta de dados.\n").unwrap();
        world.write("b.md", "O poço sul.\n");
        hot.wait("b.md", |hot| hot.world.stored().contains("b.md"));
        std::thread::sleep(Duration::from_millis(800));
        hot.documents();
        // Quiet: no round causes the next one.
        let version = world.count("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'corpus_version'");
        std::thread::sleep(Duration::from_millis(1500));
        assert_eq!(
            world.count("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'corpus_version'"),
            version
        );
        assert!(hot.told.lock().unwrap().is_empty(), "{:#?}", hot.told.lock().unwrap());
        assert_eq!(world.stored().into_iter().collect::<Vec<_>>(), ["a.md", "b.md"]);
    });
}

#[test]
#[cfg(unix)]
fn links_and_loops_are_followed_once() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    world.write("sub/a.md", "O poço norte.\n");
    symlink(&world.root, world.root.join("sub/loop")).unwrap();
    symlink(world.root.join("sub"), world.root.join("atalho")).unwrap();
    Hot::play(&world, |hot| {
        hot.settle();
        assert_eq!(hot.documents(), ["sub/a.md added"]);
        world.write("sub/a.md", "O poço norte secou.\n");
        hot.settle();
        assert_eq!(hot.documents(), ["sub/a.md updated"]);
        symlink(world.root.join("sub/a.md"), world.root.join("igual.md")).unwrap();
        hot.settle();
        assert_eq!(hot.documents(), ["igual.md unchanged"]);
        assert_eq!(world.listed(), [["sub/a.md", "igual.md"]]);
    });
}

#[test]
#[cfg(unix)]
fn d07_a_failed_file_is_told_kept_and_tried_again_until_it_works() {
    let world = World::new();
    let outside = tempfile::tempdir().unwrap();
    // A link to a file that is not there yet; when it comes, no event says so.
    std::os::unix::fs::symlink(outside.path().join("alvo.md"), world.root.join("longe.md")).unwrap();
    world.write("vazio.md", "");
    Hot::play(&world, |hot| {
        hot.wait("failures", |hot| {
            let told = hot.told.lock().unwrap();
            told.iter().filter(|told| told["status"] == "failed" && told["retry_in_s"].is_u64()).count() >= 2
        });
        let reader = world.engine.reader().unwrap();
        assert_eq!(catalog::failures(&reader, None).unwrap().len(), 2);
        assert!(world.stored().is_empty());
        std::fs::write(outside.path().join("alvo.md"), "O alvo chegou.\n").unwrap();
        hot.wait("the retry", |hot| hot.world.stored().contains("longe.md"));
        world.write("vazio.md", "Agora tem texto.\n");
        hot.settle();
        assert!(catalog::failures(&reader, None).unwrap().is_empty());
    });
}

#[test]
fn a_folder_that_goes_away_takes_nothing_with_it() {
    let world = World::new();
    world.write("a.md", "O poço norte.\n");
    let away = world.root.with_extension("away");
    Hot::play(&world, |hot| {
        hot.settle();
        std::fs::rename(&world.root, &away).unwrap();
        // A mount point stays when its drive goes: an empty folder in the same place.
        std::fs::create_dir(&world.root).unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        assert_eq!(world.stored().len(), 1);
        std::fs::remove_dir(&world.root).unwrap();
        std::fs::rename(&away, &world.root).unwrap();
    });
    assert_eq!(world.stored().len(), 1);
}

#[test]
fn stopping_takes_less_than_a_second_also_in_the_middle_of_a_file() {
    let world = World::new();
    world.write("a.md", "O poço norte.\n");
    Hot::play(&world, |hot| {
        hot.settle();
        world.embedder.be_slow(60);
        let long: String = (0..200).map(|n| format!("## Parte {n}\n\nTexto da parte {n}.\n\n")).collect();
        world.write("b.md", "O poço sul.\n");
        world.write("longo.md", &long);
        hot.wait("b.md", |hot| hot.world.stored().contains("b.md"));
        std::thread::sleep(Duration::from_millis(300));
        hot.cancel.cancel();
    });
    // What was committed stays, what was under way is not there in part.
    world.embedder.be_slow(0);
    assert_eq!(world.stored().into_iter().collect::<Vec<_>>(), ["a.md", "b.md"]);
    world.sound();
    world.add();
    world.equals_disk().unwrap();
}

#[test]
fn a_store_that_was_asked_for_is_kept() {
    let world = World::new();
    let file = world.write("a.md", "O poço norte é fundo e antigo.\n");
    let options = AddOptions { store: Some(polyrag::decide::route::StoreKind::Graph), ..World::options() };
    world.add_with(std::slice::from_ref(&file), &options);
    Hot::play(&world, |hot| {
        hot.settle();
        assert_eq!(hot.documents(), [""; 0]);
        world.write("a.md", "O poço norte é fundo e novo.\n");
        hot.settle();
    });
    assert_eq!(world.count("SELECT count(*) FROM placements WHERE store = 'graph'"), 1);
    assert_eq!(world.count("SELECT count(*) FROM placements WHERE store <> 'graph'"), 0);
}
