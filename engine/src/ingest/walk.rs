//! The files behind the paths a person names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use same_file::Handle;

use crate::decide::watch::{is_noise, is_noise_path};
use crate::error::Error;
use crate::store::catalog;

/// What a walk leaves out, whatever its name: what this program writes itself.
#[derive(Debug, Clone, Default)]
pub struct Own {
    /// The data folder, without links.
    data: PathBuf,
    /// Files that standard output or standard error go to.
    streams: Arc<Vec<Handle>>,
}

impl Own {
    /// Leaves out a data folder and the files that this process prints to.
    pub fn new(data: &Path, streams: Arc<Vec<Handle>>) -> Self {
        Self { data: data.canonicalize().unwrap_or_else(|_| data.to_owned()), streams }
    }

    /// Whether a real path is ours.
    pub fn holds(&self, real: &Path) -> bool {
        // An empty path would be the beginning of every path.
        if !self.data.as_os_str().is_empty() && real.starts_with(&self.data) {
            return true;
        }
        !self.streams.is_empty() && Handle::from_path(real).is_ok_and(|file| self.streams.contains(&file))
    }
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Found {
    /// Files, absolute, each once, in a stable order.
    pub files: Vec<PathBuf>,
    /// Files that were named one by one, not met in a folder.
    pub named: BTreeSet<PathBuf>,
    /// What could not be used, with the reason.
    pub failures: Vec<(PathBuf, Error)>,
    /// The folders and files that were named and are there, absolute.
    pub roots: Vec<PathBuf>,
}

/// Lists files in a stable order: folders are walked, hidden files, editors' and office lock
/// files and what this program writes itself are left out, links are followed once.
///
/// A file's path is absolute and keeps its own name, also when that is a link; a folder is
/// walked under its own path rather than under a link to it.
pub fn files(paths: &[PathBuf], own: &Own) -> Found {
    let mut walk = Walk { own, folders: BTreeSet::new(), seen: BTreeSet::new(), found: Found::default() };
    for path in paths {
        walk.root(path);
    }
    walk.found
}

/// The absolute form of a path that a person gave: links above its last part are resolved.
///
/// # Errors
/// [`Error::Io`] when it is not there.
pub fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    let real = path.canonicalize().map_err(io)?;
    let (Some(parent), Some(name), false) = (path.parent(), path.file_name(), real.is_dir()) else {
        return Ok(real);
    };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    Ok(parent.canonicalize().map_err(io)?.join(name))
}

struct Walk<'a> {
    own: &'a Own,
    folders: BTreeSet<PathBuf>,
    seen: BTreeSet<PathBuf>,
    found: Found,
}

impl Walk<'_> {
    fn root(&mut self, path: &Path) {
        let path = match absolute(path) {
            Ok(path) => path,
            Err(error) => return self.fail(path, error),
        };
        self.found.roots.push(path.clone());
        if path.is_dir() {
            return self.tree(&path);
        }
        if !path.is_file() {
            return self.fail(&path, Error::Special { path: path.clone() });
        }
        self.found.named.insert(path.clone());
        self.file(&path, &path.canonicalize().unwrap_or_else(|_| path.clone()));
    }

    /// A folder and all below it; links to folders last, so that a folder goes by its own path.
    fn tree(&mut self, root: &Path) {
        let mut links = Vec::new();
        self.folder(root, &mut links);
        while let Some(link) = links.pop() {
            self.folder(&link, &mut links);
        }
    }

    fn folder(&mut self, path: &Path, links: &mut Vec<PathBuf>) {
        let io = |source| Error::Io { path: path.to_owned(), source };
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(source) => return self.fail(path, io(source)),
        };
        // A link back up would walk for ever: each real folder once.
        if self.own.holds(&real)
            || catalog::is_catalog(&catalog::path_in(&real))
            || !self.folders.insert(real)
        {
            return;
        }
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            Err(source) => return self.fail(path, io(source)),
        };
        let mut children: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        children.sort();
        for child in children {
            self.child(&child, links);
        }
    }

    fn child(&mut self, path: &Path, links: &mut Vec<PathBuf>) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_noise(&name) {
            return;
        }
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(source) => return self.fail(path, Error::Io { path: path.to_owned(), source }),
        };
        if real.is_file() {
            self.file(path, &real);
        } else if real.is_dir() && path.is_symlink() {
            links.push(path.to_owned());
        } else if real.is_dir() {
            self.folder(path, links);
        }
    }

    fn file(&mut self, path: &Path, real: &Path) {
        if self.own.holds(real) || !self.seen.insert(path.to_owned()) {
            return;
        }
        // The catalog keeps paths as text, and must find the file again by it.
        if path.to_str().is_none() {
            return self.fail(path, Error::Name { path: path.to_owned() });
        }
        self.found.files.push(path.to_owned());
    }

    fn fail(&mut self, path: &Path, error: Error) {
        self.found.failures.push((path.to_owned(), error));
    }
}

/// Whether a path below a watched folder is of no interest.
pub fn is_ignored(root: &Path, path: &Path, own: &Own) -> bool {
    let Ok(relative) = path.strip_prefix(root) else { return true };
    let relative = relative.to_string_lossy();
    (!relative.is_empty() && is_noise_path(&relative)) || own.holds(path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn tree(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in names {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        (folder, root)
    }

    fn names(root: &Path, found: &Found) -> Vec<String> {
        found.files.iter().map(|file| file.strip_prefix(root).unwrap().display().to_string()).collect()
    }

    #[test]
    fn folders_are_walked_in_order_without_noise_or_our_own_data() {
        let (_folder, root) = tree(&[
            "b.md",
            "a.md",
            ".hidden",
            "~$a.docx",
            "x.part",
            "sub/c.md",
            "data/catalog.db",
            ".git/x.md",
        ]);
        let own = Own::new(&root.join("data"), Arc::default());
        let found = files(&[root.clone(), root.join("gone.md")], &own);
        assert_eq!(names(&root, &found), ["a.md", "b.md", "sub/c.md"]);
        assert_eq!(found.failures.len(), 1);
        assert!(found.failures[0].1.to_string().contains("gone.md"));
        // A hidden file that is named is meant.
        assert_eq!(names(&root, &files(&[root.join(".hidden")], &own)), [".hidden"]);
    }

    #[test]
    #[cfg(unix)]
    fn h06_loops_links_and_files_we_print_to_are_met_once_or_not_at_all() {
        use std::os::unix::fs::symlink;
        let (_folder, root) = tree(&["sub/z/deep.md", "log.jsonl"]);
        let (_elsewhere, outside) = tree(&["far.md"]);
        symlink(&root, root.join("sub/loop")).unwrap();
        symlink(root.join("sub/z"), root.join("a")).unwrap();
        symlink(&outside, root.join("outside")).unwrap();
        symlink(root.join("sub/z/deep.md"), root.join("link.md")).unwrap();
        let output = Handle::from_path(root.join("log.jsonl")).unwrap();
        let own = Own::new(&root.join("none"), Arc::new(vec![output]));
        let found = files(std::slice::from_ref(&root), &own);
        assert_eq!(names(&root, &found), ["link.md", "sub/z/deep.md", "outside/far.md"]);
        assert!(found.failures.is_empty(), "{:?}", found.failures);
    }

    #[test]
    #[cfg(unix)]
    fn what_cannot_be_a_document_is_said() {
        use std::os::unix::ffi::OsStrExt;
        let (_folder, root) = tree(&["a.md"]);
        let odd = root.join(std::ffi::OsStr::from_bytes(b"caf\xe9.md"));
        std::fs::write(&odd, "x").unwrap();
        std::os::unix::fs::symlink("nowhere", root.join("broken.md")).unwrap();
        let found = files(std::slice::from_ref(&root), &Own::default());
        assert_eq!(names(&root, &found), ["a.md"]);
        let said: Vec<String> = found.failures.iter().map(|failure| failure.1.to_string()).collect();
        assert!(said.iter().any(|text| text.contains("UTF-8")), "{said:?}");
        assert!(said.iter().any(|text| text.contains("broken.md")), "{said:?}");
    }

    #[test]
    fn the_same_file_has_one_path_however_it_is_named() {
        let (_folder, root) = tree(&["sub/c.md"]);
        for way in ["sub/c.md", "./sub/c.md", "sub/../sub/c.md"] {
            assert_eq!(absolute(&root.join(way)).unwrap(), root.join("sub/c.md"));
        }
    }
}
