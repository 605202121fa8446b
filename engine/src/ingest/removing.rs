//! A document's way out.

use rusqlite::Transaction;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::store::catalog;
use crate::store::graph::GraphWriter;

/// Removes documents by path, name prefix of a folder, or id; returns the paths removed.
///
/// # Errors
/// [`Error::Store`]; [`Error::Usage`] when something named is not in the catalog.
pub fn remove(engine: &Engine, targets: &[String]) -> Result<Vec<String>> {
    engine.change(|transaction, graph_writer| remove_in(transaction, graph_writer, targets))
}

fn remove_in(
    transaction: &Transaction,
    graph_writer: &mut GraphWriter,
    targets: &[String],
) -> Result<Vec<String>> {
    let all = catalog::documents(transaction)?;
    let mut removed = Vec::new();
    let mut unknown = Vec::new();
    for target in targets {
        let folder = format!("{}/", target.trim_end_matches('/'));
        let lines = format!("{target}#");
        let before = removed.len();
        for document in &all {
            if document.also_at.contains(target) {
                catalog::remove_alias(transaction, target)?;
                removed.push(target.clone());
                continue;
            }
            let hit = document.path == *target
                || document.name == *target
                || document.id.to_string() == *target
                || document.path.starts_with(&folder)
                || document.path.starts_with(&lines);
            if hit && !removed.contains(&document.path) {
                match document.also_at.first() {
                    // The bytes are still there under another name: the document moves to it.
                    Some(other) => catalog::rename_document(transaction, document.id, other)?,
                    None => catalog::delete_document(transaction, document.id, graph_writer)?,
                }
                removed.push(document.path.clone());
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
