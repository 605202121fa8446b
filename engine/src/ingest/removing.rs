//! A document's way out.

use rusqlite::Transaction;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::store::catalog::{self, StoredDocument};
use crate::store::graph::GraphWriter;

/// Removes what the targets name: a file, a folder, a document's path, name or id. Returns the
/// paths removed.
///
/// A file whose bytes are stored under another path too only loses that path.
///
/// # Errors
/// [`Error::Store`]; [`Error::Usage`] when something named is not in the catalog, and then
/// nothing is removed.
pub fn remove(engine: &Engine, targets: &[String]) -> Result<Vec<String>> {
    engine.change(|transaction, graph_writer| remove_in(transaction, graph_writer, targets))
}

fn remove_in(
    transaction: &Transaction,
    graph_writer: &mut GraphWriter,
    targets: &[String],
) -> Result<Vec<String>> {
    let mut removed = Vec::new();
    let mut unknown = Vec::new();
    for target in targets {
        let before = removed.len();
        for path in files_meant(transaction, target)? {
            catalog::forget_file(transaction, &path, graph_writer)?;
            removed.push(path);
        }
        if removed.len() == before {
            for document in documents_meant(transaction, target)? {
                remove_document(transaction, graph_writer, &document)?;
                removed.push(document.path);
            }
        }
        if removed.len() == before {
            unknown.push(target.clone());
        }
    }
    if !unknown.is_empty() {
        return Err(Error::Usage(format!("not in the catalog: {} (see `polyrag ls`)", unknown.join(", "))));
    }
    Ok(removed)
}

/// Files and recorded failures at or below a path, copies first: so a folder's documents are not
/// handed from one path in it to the next.
fn files_meant(transaction: &Transaction, target: &str) -> Result<Vec<String>> {
    let mut files = catalog::files(transaction)?;
    files.retain(|file| catalog::below(target, &file.path));
    files.sort_by_key(|file| file.original.is_none());
    let mut paths: Vec<String> = files.into_iter().map(|file| file.path).collect();
    for failure in catalog::failures(transaction, Some(target))? {
        if !paths.contains(&failure.path) {
            paths.push(failure.path);
        }
    }
    Ok(paths)
}

fn documents_meant(transaction: &Transaction, target: &str) -> Result<Vec<StoredDocument>> {
    let mut documents = catalog::documents(transaction)?;
    documents.retain(|document| {
        document.path == target || document.name == target || document.id.to_string() == target
    });
    Ok(documents)
}

/// Removes a document; one that is not all of its file leaves the rest, to be completed when the
/// file is added again.
fn remove_document(
    transaction: &Transaction,
    graph_writer: &mut GraphWriter,
    document: &StoredDocument,
) -> Result<()> {
    let siblings = catalog::paths_of_source(transaction, &document.source)?;
    if siblings == [document.path.clone()] {
        catalog::forget_file(transaction, &document.source, graph_writer)?;
        return Ok(());
    }
    catalog::delete_document(transaction, document.id, graph_writer)?;
    if let Some(file) = catalog::file_at(transaction, &document.source)? {
        let in_part = catalog::StoredFile { content_hash: String::new(), ..file };
        catalog::put_file(transaction, &in_part)?;
    }
    Ok(())
}
