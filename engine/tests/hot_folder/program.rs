//! The executable itself, in a build without models: what needs none must work.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::World;

fn polyrag(world: &World, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyrag"));
    command.arg("--data").arg(&world.data).args(arguments).current_dir(&world.root);
    command.env("POLYRAG_MODELS", world.root.join("no-models"));
    command
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stdout)))
}

/// `watch --json`, and its lines as they come.
fn watched(world: &World) -> (Child, Receiver<Value>) {
    let mut process = polyrag(world, &["--json", "watch", "."]).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if sender.send(value).is_err() {
                return;
            }
        }
    });
    (process, receiver)
}

fn until(lines: &Receiver<Value>, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut seen = Vec::new();
    loop {
        let line = lines.recv_timeout(Duration::from_secs(20));
        seen.push(line.unwrap_or_else(|error| panic!("{error} after {seen:#?}")));
        if wanted(seen.last().unwrap()) {
            return seen;
        }
    }
}

#[test]
#[cfg(unix)]
fn watch_prints_one_json_line_an_event_and_ends_cleanly_on_an_interrupt() {
    let world = World::new();
    world.write("a.md", "O poço norte.\n");
    world.write("b.md", "O poço sul.\n");
    world.add();
    let (mut process, lines) = watched(&world);
    let seen = until(&lines, |line| line["event"] == "settled");
    assert_eq!(seen[0]["event"], "watching");
    assert!(seen.iter().all(|line| line["time"].as_str().is_some_and(|time| time.ends_with('Z'))));
    // Neither of these needs a model.
    world.rename("a.md", "sub/novo.md");
    world.delete("b.md");
    let seen = until(&lines, |line| line["event"] == "settled");
    let of = |status: &str| seen.iter().find(|line| line["status"] == status).cloned().unwrap_or_default();
    assert_eq!(of("updated")["path"], world.path("sub/novo.md"));
    assert_eq!(of("updated")["moved_from"], world.path("a.md"));
    assert_eq!(of("removed")["path"], world.path("b.md"));
    let asked = Instant::now();
    Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap();
    assert!(process.wait().unwrap().success());
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    assert_eq!(until(&lines, |line| line["event"] == "stopped").len(), 1);
    world.equals_disk().unwrap();
    world.sound();
}

#[test]
#[cfg(unix)]
fn h06_output_into_the_watched_folder_is_no_document() {
    let world = World::new();
    world.write("a.md", "O poço norte.\n");
    world.add();
    let log = world.root.join("log.jsonl");
    let mut process = polyrag(&world, &["--json", "watch", "."])
        .stdout(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let said = |word: &str| std::fs::read_to_string(&log).unwrap().matches(word).count();
    let begun = Instant::now();
    while said("\"settled\"") == 0 {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(50));
    }
    world.rename("a.md", "b.md");
    while said("\"settled\"") < 2 {
        assert!(begun.elapsed() < Duration::from_secs(40));
        std::thread::sleep(Duration::from_millis(50));
    }
    let size = log.metadata().unwrap().len();
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(log.metadata().unwrap().len(), size, "{}", std::fs::read_to_string(&log).unwrap());
    assert_eq!(world.stored().into_iter().collect::<Vec<_>>(), ["b.md"]);
    Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap();
    assert!(process.wait().unwrap().success());
}

#[test]
fn watch_without_a_model_says_what_is_missing() {
    let world = World::new();
    world.write("a.md", "O poço norte.\n");
    let output = polyrag(&world, &["watch", "."]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("hint: "), "{said}");
    let output = polyrag(&world, &["watch", "a.md"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn d07_ls_and_doctor_list_what_failed() {
    let world = World::new();
    world.write("vazio.md", "");
    world.add();
    for command in ["ls", "doctor"] {
        let listed = json(&polyrag(&world, &["--json", command]).output().unwrap());
        assert_eq!(listed["failed"][0]["path"], world.path("vazio.md"), "{command}");
        assert!(listed["failed"][0]["reason"].as_str().unwrap().contains("empty"), "{command}");
        let text = polyrag(&world, &[command]).output().unwrap();
        assert!(String::from_utf8_lossy(&text.stdout).contains("vazio.md"), "{command}");
    }
    // A file that cannot be read is no disagreement of the stores.
    assert!(polyrag(&world, &["doctor"]).output().unwrap().status.success());
}

#[test]
fn rm_understands_paths_as_a_person_types_them() {
    let world = World::new();
    world.write("sub/a.md", "O poço norte.\n");
    world.write("b.md", "O poço sul.\n");
    world.add();
    let report = json(&polyrag(&world, &["--json", "rm", "sub/a.md"]).output().unwrap());
    assert_eq!(report["removed"][0], world.path("sub/a.md"));
    world.delete("b.md");
    let report = json(&polyrag(&world, &["--json", "rm", "./b.md"]).output().unwrap());
    assert_eq!(report["removed"][0], world.path("b.md"));
    world.sound();
}

#[test]
fn backup_and_restore_print_what_they_did() {
    let world = World::new();
    world.write("a.md", "O poço norte.\n");
    world.add();
    let copies = tempfile::tempdir().unwrap();
    let file = copies.path().join("copia.db").display().to_string();
    let copied = json(&polyrag(&world, &["--json", "backup", &file]).output().unwrap());
    assert_eq!(copied["documents"], 1);
    let data = copies.path().join("data").display().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_polyrag"))
        .args(["--data", &data, "--json", "restore", &file])
        .output()
        .unwrap();
    let restored = json(&output);
    assert_eq!(restored["restored"]["documents"], 1);
    assert_eq!(restored["ok"], true);
    // A file that is no backup: exit 1, and a way out.
    let output = Command::new(env!("CARGO_BIN_EXE_polyrag"))
        .args(["--data", &data, "restore", &world.write("b.md", "x").display().to_string()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("hint: "));
}
