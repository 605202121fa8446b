//! The files behind the paths a person names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Lists files in a stable order: folders are walked, hidden files, editors' and office lock
/// files and the data folder itself are left out, links are followed once.
///
/// The second list names what could not be used.
pub fn files(paths: &[PathBuf], data: &Path) -> (Vec<PathBuf>, Vec<(PathBuf, Error)>) {
    let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let mut walk = Walk { data, seen: BTreeSet::new(), files: Vec::new(), failures: Vec::new() };
    for path in paths {
        walk.enter(path, true);
    }
    (walk.files, walk.failures)
}

struct Walk {
    data: PathBuf,
    seen: BTreeSet<PathBuf>,
    files: Vec<PathBuf>,
    failures: Vec<(PathBuf, Error)>,
}

impl Walk {
    fn enter(&mut self, path: &Path, named: bool) {
        if !named && is_noise(path) {
            return;
        }
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(source) => {
                return self.failures.push((path.to_owned(), Error::Io { path: path.to_owned(), source }));
            }
        };
        if real.starts_with(&self.data) {
            return;
        }
        if real.is_dir() {
            // A link back up would walk for ever: each real folder once.
            if self.seen.insert(real) {
                self.folder(path);
            }
        } else if real.is_file() && self.seen.insert(path.to_owned()) {
            self.files.push(path.to_owned());
        }
    }

    fn folder(&mut self, path: &Path) {
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            Err(source) => {
                return self.failures.push((path.to_owned(), Error::Io { path: path.to_owned(), source }));
            }
        };
        let mut children: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        children.sort();
        for child in children {
            self.enter(&child, false);
        }
    }
}

/// Hidden files, lock files and half-written copies.
fn is_noise(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.starts_with('.')
        || name.starts_with("~$")
        || name.ends_with('~')
        || [".tmp", ".part", ".swp", ".crdownload", ".lock"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_walked_in_order_without_noise_loops_or_our_own_data() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["b.md", "a.md", ".hidden", "~$a.docx", "x.part", "sub/c.md", "data/catalog.db"] {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        std::os::unix::fs::symlink(root, root.join("sub/loop")).unwrap();
        let (files, failures) = files(&[root.to_owned(), root.join("gone.md")], &root.join("data"));
        let names: Vec<String> =
            files.iter().map(|file| file.strip_prefix(root).unwrap().display().to_string()).collect();
        assert_eq!(names, ["a.md", "b.md", "sub/c.md"]);
        assert_eq!(failures.len(), 1);
        assert!(failures[0].1.to_string().contains("gone.md"));
    }
}
