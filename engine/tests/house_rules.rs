//! Rules of the house that no compiler checks: who may import what, and who may call a generator.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Code of a file: without comments, and without what follows its unit tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn check(folder: &str, forbidden: &[&str]) {
    for path in sources(&source_folder().join(folder)) {
        let text = code(&path);
        for word in forbidden {
            assert!(!text.contains(word), "{}: uses `{word}`", path.display());
        }
    }
}

#[test]
fn decisions_are_pure() {
    check(
        "decide",
        &[
            "crate::store",
            "crate::models",
            "crate::read",
            "crate::engine",
            "crate::ask",
            "crate::ingest",
            "crate::trace",
            "crate::config",
            "rusqlite",
            "usearch",
            "std::fs",
            "std::io",
            "std::net",
            "std::time",
            "std::thread",
            "std::path",
            "std::env",
            "tracing::",
        ],
    );
}

#[test]
fn imports_go_one_way() {
    check("store", &["crate::engine", "crate::ask", "crate::ingest", "crate::read", "crate::report"]);
    check("read", &["crate::engine", "crate::ask", "crate::ingest", "crate::store", "crate::models"]);
    check("models", &["crate::engine", "crate::ask", "crate::ingest", "crate::store", "crate::read"]);
    check("ingest", &["crate::ask"]);
    check("ask", &["crate::ingest", "crate::read"]);
}

#[test]
fn only_asking_and_ingesting_call_the_generator() {
    for path in sources(&source_folder()) {
        let inside = path.strip_prefix(source_folder()).unwrap().to_string_lossy().into_owned();
        if ["ask/", "ingest/", "models/"].iter().any(|folder| inside.starts_with(folder)) {
            continue;
        }
        assert!(!code(&path).contains(".generate("), "{inside} calls a generator");
    }
}
