//! Which file is which: by its bytes, not by its name.
//!
//! A file's documents belong to one path, its *original*; other paths with the same bytes are
//! *copies* of it. When files are looked at again, the plan says for each what its bytes mean:
//! nothing new, the documents of another path (a rename), a copy, or something to be read. Moves
//! are a set, not a sequence: two files that swap their names move past each other.

use std::collections::{BTreeMap, BTreeSet};

/// A file on disk, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its path.
    pub path: String,
    /// Hash of its bytes.
    pub hash: String,
    /// What its content and name make of it; a rename that changes this is read again.
    pub kind: String,
    /// Store asked for, or `auto`: the same bytes asked into another store are other documents.
    pub store: String,
}

/// A file of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its path.
    pub path: String,
    /// Hash of its bytes when it was stored; empty while it is stored in part.
    pub hash: String,
    /// What it was taken for.
    pub kind: String,
    /// Store asked for, or `auto`.
    pub store: String,
    /// The path whose documents it shares; `None` when they are its own.
    pub original: Option<String>,
}

/// Documents that go from one path to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// Where they were.
    pub from: String,
    /// Where their bytes are now.
    pub to: String,
}

/// A path that holds the bytes of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The path.
    pub path: String,
    /// The path that has the documents.
    pub original: String,
}

/// Paths to read: the first one that can be read becomes the original of the others.
pub type Alike = Vec<String>;

/// What the bytes of a set of files mean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Nothing to do, and no copy.
    pub unchanged: Vec<String>,
    /// Documents that change their path; all at once.
    pub moves: Vec<Move>,
    /// Paths that are copies, after the moves; also those that were before.
    pub copies: Vec<Duplicate>,
    /// Paths whose own documents go, because they are copies of something else now.
    pub dropped: Vec<String>,
    /// What has to be read.
    pub read: Vec<Alike>,
}

type Content<'a> = (&'a str, &'a str);

/// Compares files on disk with those of the catalog.
///
/// `gone` holds the paths of `known` that are no longer on disk; a path neither seen nor gone is
/// taken to be as it was. The order of `seen` decides which of several equal new files is read.
pub fn plan(seen: &[Seen], known: &[Known], gone: &BTreeSet<String>) -> Plan {
    let (moves, home) = homes(seen, known, gone);
    let mut plan = Plan { moves, ..Plan::default() };
    let mut fresh: BTreeMap<Content, usize> = BTreeMap::new();
    for file in seen {
        let content = (file.hash.as_str(), file.store.as_str());
        match home.get(&content) {
            // A path that documents move to is told as a move.
            Some(path) if *path == file.path && plan.moves.iter().any(|one| one.to == file.path) => {}
            Some(path) if *path == file.path => plan.unchanged.push(file.path.clone()),
            Some(original) => {
                plan.copies.push(Duplicate { path: file.path.clone(), original: original.clone() });
            }
            None => match fresh.get(&content) {
                Some(&group) => plan.read[group].push(file.path.clone()),
                None => {
                    fresh.insert(content, plan.read.len());
                    plan.read.push(vec![file.path.clone()]);
                }
            },
        }
    }
    plan.dropped = dropped(&plan, known);
    plan
}

/// The moves, and where the documents of each content are once they are made.
///
/// An original that is not what it was leaves its documents to a copy, or to a file that was seen
/// under a new name; without either they stay until it is read again or forgotten.
fn homes<'a>(
    seen: &'a [Seen],
    known: &'a [Known],
    gone: &BTreeSet<String>,
) -> (Vec<Move>, BTreeMap<Content<'a>, String>) {
    let now: BTreeMap<&str, &Seen> = seen.iter().map(|file| (file.path.as_str(), file)).collect();
    // Still what the catalog says it is.
    let faithful = |file: &Known| match now.get(file.path.as_str()) {
        Some(seen) => seen.hash == file.hash && seen.store == file.store && seen.kind == file.kind,
        None => !file.hash.is_empty() && !gone.contains(&file.path),
    };
    let originals = || known.iter().filter(|file| file.original.is_none() && !file.hash.is_empty());
    let mut home: BTreeMap<Content, String> = originals()
        .filter(|original| faithful(original))
        .map(|original| ((original.hash.as_str(), original.store.as_str()), original.path.clone()))
        .collect();
    let mut moves = Vec::new();
    for original in originals().filter(|original| !faithful(original)) {
        let content = (original.hash.as_str(), original.store.as_str());
        if home.contains_key(&content) {
            continue;
        }
        let copy = known
            .iter()
            .find(|file| file.original.as_deref() == Some(&original.path) && faithful(file))
            .map(|file| &file.path);
        let renamed = || {
            let same = |file: &&Seen| {
                (file.hash.as_str(), file.store.as_str()) == content && file.kind == original.kind
            };
            seen.iter().find(same).map(|file| &file.path)
        };
        if let Some(to) = copy.or_else(renamed) {
            moves.push(Move { from: original.path.clone(), to: to.clone() });
            home.insert(content, to.clone());
        }
    }
    (moves, home)
}

/// Paths that get other documents, or none, and whose own do not move on.
fn dropped(plan: &Plan, known: &[Known]) -> Vec<String> {
    let owners: BTreeSet<&str> =
        known.iter().filter(|file| file.original.is_none()).map(|file| file.path.as_str()).collect();
    let moved: BTreeSet<&str> = plan.moves.iter().map(|one| one.from.as_str()).collect();
    let overwritten = plan.moves.iter().map(|one| &one.to).chain(plan.copies.iter().map(|one| &one.path));
    overwritten
        .filter(|path| owners.contains(path.as_str()) && !moved.contains(path.as_str()))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(files: &[(&str, &str)]) -> Vec<Seen> {
        let one = |(path, hash): &(&str, &str)| Seen {
            path: (*path).into(),
            hash: (*hash).into(),
            kind: path.rsplit('.').next().unwrap_or_default().into(),
            store: "auto".into(),
        };
        files.iter().map(one).collect()
    }

    fn known(files: &[(&str, &str, Option<&str>)]) -> Vec<Known> {
        let one = |(path, hash, original): &(&str, &str, Option<&str>)| Known {
            path: (*path).into(),
            hash: (*hash).into(),
            kind: path.rsplit('.').next().unwrap_or_default().into(),
            store: "auto".into(),
            original: original.map(str::to_owned),
        };
        files.iter().map(one).collect()
    }

    /// One line a step: `= path`, `path <- from`, `path ~ original`, `- path`, `read paths`.
    fn check(files: &[(&str, &str)], catalog: &[(&str, &str, Option<&str>)], gone: &[&str], expect: &[&str]) {
        let gone = gone.iter().map(|path| (*path).to_owned()).collect();
        let plan = plan(&seen(files), &known(catalog), &gone);
        let mut lines: Vec<String> = plan.unchanged.iter().map(|path| format!("= {path}")).collect();
        lines.extend(plan.moves.iter().map(|one| format!("{} <- {}", one.to, one.from)));
        lines.extend(plan.copies.iter().map(|one| format!("{} ~ {}", one.path, one.original)));
        lines.extend(plan.dropped.iter().map(|path| format!("- {path}")));
        lines.extend(plan.read.iter().map(|alike| format!("read {}", alike.join(" "))));
        assert_eq!(lines, expect, "{files:?} over {catalog:?}");
    }

    #[test]
    fn h08_only_changed_bytes_are_read() {
        let stored = [("a.md", "A", None), ("b.md", "B", None)];
        check(&[("a.md", "A"), ("b.md", "B")], &stored, &[], &["= a.md", "= b.md"]);
        check(&[("a.md", "A"), ("b.md", "B2")], &stored, &[], &["= a.md", "read b.md"]);
        check(&[("c.md", "C")], &stored, &[], &["read c.md"]);
        // A file stored in part is read again.
        check(&[("a.md", "A")], &[("a.md", "", None)], &[], &["read a.md"]);
    }

    #[test]
    fn h08_a_rename_moves_documents_also_in_chains_and_swaps() {
        let stored = [("a.md", "A", None), ("b.md", "B", None)];
        check(&[("c.md", "A")], &stored, &["a.md"], &["c.md <- a.md"]);
        check(&[("b.md", "A"), ("c.md", "B")], &stored, &["a.md"], &["b.md <- a.md", "c.md <- b.md"]);
        check(&[("a.md", "B"), ("b.md", "A")], &stored, &[], &["b.md <- a.md", "a.md <- b.md"]);
        // A new file takes the old name.
        check(&[("a.md", "N"), ("old.md", "A")], &stored, &[], &["old.md <- a.md", "read a.md"]);
        // Renamed over another: that one's documents go.
        check(&[("b.md", "A")], &stored, &["a.md"], &["b.md <- a.md", "- b.md"]);
    }

    #[test]
    fn a_new_extension_may_mean_another_reading() {
        check(&[("a.csv", "A")], &[("a.txt", "A", None)], &["a.txt"], &["read a.csv"]);
        check(&[("b.txt", "A")], &[("a.txt", "A", None)], &["a.txt"], &["b.txt <- a.txt"]);
    }

    #[test]
    fn g09_h10_equal_bytes_are_copies_of_one_original() {
        let stored = [("a.md", "A", None)];
        check(&[("a.md", "A"), ("sub/a.md", "A")], &stored, &[], &["= a.md", "sub/a.md ~ a.md"]);
        // The original was not looked at now: it is there all the same.
        check(&[("sub/a.md", "A")], &stored, &[], &["sub/a.md ~ a.md"]);
        // Nobody is stored yet: one is read for all.
        check(&[("x.md", "A"), ("y.md", "A"), ("z.md", "A")], &[], &[], &["read x.md y.md z.md"]);
        // Copied over another file: that one's own documents go.
        let both = [("a.md", "A", None), ("b.md", "B", None)];
        check(&[("a.md", "A"), ("b.md", "A")], &both, &[], &["= a.md", "b.md ~ a.md", "- b.md"]);
    }

    #[test]
    fn g09_an_original_that_changes_leaves_its_documents_to_the_copy() {
        let stored = [("a.md", "A", None), ("b.md", "A", Some("a.md"))];
        check(&[("a.md", "N"), ("b.md", "A")], &stored, &[], &["b.md <- a.md", "read a.md"]);
        check(&[("a.md", "N")], &stored, &[], &["b.md <- a.md", "read a.md"]);
        check(&[("b.md", "A")], &stored, &["a.md"], &["b.md <- a.md"]);
        // And a copy that changes is read on its own.
        check(&[("b.md", "N")], &stored, &[], &["read b.md"]);
        // Both renamed: one keeps the documents, the other stays a copy.
        check(&[("c.md", "A"), ("d.md", "A")], &stored, &["a.md", "b.md"], &["c.md <- a.md", "d.md ~ c.md"]);
    }

    #[test]
    fn another_store_asked_for_is_another_document() {
        let mut files = seen(&[("a.md", "A")]);
        files[0].store = "graph".into();
        let plan = plan(&files, &known(&[("a.md", "A", None)]), &BTreeSet::new());
        assert_eq!(plan.read, [vec!["a.md".to_owned()]]);
        assert!(plan.moves.is_empty() && plan.copies.is_empty());
    }
}
