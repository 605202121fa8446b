//! Proof that the stores agree with the catalog, and the repairs that can be made from it.

use std::path::Path;

use rusqlite::Connection;
use serde::Serialize;

use crate::store::graph::GraphIndex;
use crate::store::vectors::{VectorConfig, VectorIndex};
use crate::store::{StoreError, calibrations, catalog, graph, tables};

/// One thing checked.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// Whether it holds.
    pub ok: bool,
    /// Numbers behind it.
    pub detail: String,
}

/// Everything checked.
#[derive(Debug, Clone, Serialize)]
pub struct Diagnosis {
    /// Whether every check holds.
    pub ok: bool,
    /// The checks.
    pub checks: Vec<Check>,
}

/// Statements that count what must not exist, each with its name.
const DISAGREEMENTS: &[(&str, &str)] = &[
    (
        "every chunk has a document",
        "SELECT count(*) FROM chunks WHERE document_id NOT IN (SELECT id FROM documents)",
    ),
    (
        "every document comes from a file of the catalog, which has its documents itself",
        "SELECT count(*) FROM documents WHERE source NOT IN (SELECT path FROM files WHERE original IS NULL)",
    ),
    (
        "every copy has its original with the same bytes",
        "SELECT count(*) FROM files c WHERE original IS NOT NULL AND NOT EXISTS
           (SELECT 1 FROM files o WHERE o.path = c.original AND o.original IS NULL
              AND (o.content_hash = c.content_hash OR o.content_hash = ''))",
    ),
    (
        "every chunk is placed",
        "SELECT count(*) FROM chunks WHERE id NOT IN (SELECT chunk_id FROM placements)",
    ),
    (
        "every placement has a chunk",
        "SELECT count(*) FROM placements WHERE chunk_id NOT IN (SELECT id FROM chunks)",
    ),
    (
        "every chunk has a vector of one dimension",
        "SELECT count(*) FROM chunks WHERE length(embedding) = 0
           OR length(embedding) <> (SELECT length(embedding) FROM chunks LIMIT 1)",
    ),
    (
        "full text holds every chunk and nothing else",
        "SELECT (SELECT count(*) FROM chunks WHERE id NOT IN (SELECT rowid FROM chunk_text))
              + (SELECT count(*) FROM chunk_text WHERE rowid NOT IN (SELECT id FROM chunks))",
    ),
    (
        "every chunk of the graph store is a passage node",
        "SELECT count(*) FROM placements WHERE store = 'graph'
           AND chunk_id NOT IN (SELECT chunk_id FROM graph_chunks)",
    ),
    (
        "every passage node is a chunk of the graph store",
        "SELECT count(*) FROM graph_chunks WHERE chunk_id NOT IN
           (SELECT chunk_id FROM placements WHERE store = 'graph')",
    ),
    (
        "every fact is stated by a passage",
        "SELECT count(*) FROM graph_facts WHERE id NOT IN (SELECT fact_id FROM graph_statements)",
    ),
    (
        "every entity is named by a passage",
        "SELECT count(*) FROM graph_entities WHERE id NOT IN (SELECT entity_id FROM graph_aliases)",
    ),
    (
        "every stated fact has a vector",
        "SELECT count(*) FROM graph_statements WHERE text NOT IN (SELECT text FROM graph_vectors)",
    ),
    (
        "every table has a document",
        "SELECT count(*) FROM tables WHERE document_id NOT IN (SELECT id FROM documents)",
    ),
    (
        "every use of a cached answer has its answer",
        "SELECT count(*) FROM cache_uses WHERE cache_id NOT IN (SELECT id FROM cache)",
    ),
    (
        "no cached answer is older than the corpus",
        "SELECT count(*) FROM cache WHERE corpus_version <>
           coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'corpus_version'), 0)",
    ),
];

/// Checks the data folder. Read-only.
///
/// # Errors
/// [`StoreError::Sqlite`] when the catalog can't be read at all.
pub fn diagnose(
    connection: &Connection,
    folder: &Path,
    vectors: &VectorConfig,
    graph_config: &crate::decide::graph_query::GraphConfig,
) -> Result<Diagnosis, StoreError> {
    let mut checks = vec![integrity(connection)?];
    for (name, sql) in DISAGREEMENTS {
        let wrong: i64 = connection.query_row(sql, [], |row| row.get(0))?;
        checks.push(Check { name, ok: wrong == 0, detail: format!("{wrong} that disagree") });
    }
    checks.push(physical_tables(connection)?);
    let version = catalog::corpus_version(connection)?;
    let stored: i64 = connection.query_row("SELECT count(*) FROM chunks", [], |row| row.get(0))?;
    let index = VectorIndex::load(connection, folder, version, vectors);
    checks.push(match &index {
        Ok(index) => Check {
            name: "the vector index holds every chunk",
            ok: index.len() as i64 == stored,
            detail: format!("{} of {stored}", index.len()),
        },
        Err(error) => {
            Check { name: "the vector index holds every chunk", ok: false, detail: error.to_string() }
        }
    });
    checks.push(match GraphIndex::load(connection, graph_config) {
        Ok(loaded) => graph_agrees(connection, &loaded)?,
        Err(error) => {
            Check { name: "the graph loads from the catalog", ok: false, detail: error.to_string() }
        }
    });
    let embedder = catalog::meta(connection, "embedder")?.unwrap_or_default();
    checks.push(Check {
        name: "the thresholds are fitted for the embedder",
        // Not yet fitted is no fault: the first question fits them.
        ok: true,
        detail: calibrations::summary(connection, &embedder)?,
    });
    Ok(Diagnosis { ok: checks.iter().all(|check| check.ok), checks })
}

fn integrity(connection: &Connection) -> Result<Check, StoreError> {
    let said: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(Check { name: "the database file is sound", ok: said == "ok", detail: said })
}

/// Every registered table exists with its number of rows, and no other `t<id>` table does.
fn physical_tables(connection: &Connection) -> Result<Check, StoreError> {
    let name = "every registered table is there, and no other";
    let registered = tables::list(connection)?;
    let mut problems = Vec::new();
    for table in &registered {
        let count = connection
            .query_row(&format!("SELECT count(*) FROM t{}", table.id), [], |row| row.get::<_, i64>(0));
        match count {
            Ok(rows) if rows as u64 == table.info.rows => {}
            Ok(rows) => problems.push(format!("{}: {rows} of {} rows", table.name, table.info.rows)),
            Err(error) => problems.push(format!("{}: {error}", table.name)),
        }
    }
    let mut statement =
        connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 't[0-9]*'")?;
    let physical: Vec<String> =
        statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let known: Vec<String> = registered.iter().map(|table| format!("t{}", table.id)).collect();
    problems.extend(
        physical.into_iter().filter(|name| !known.contains(name)).map(|name| format!("{name}: left over")),
    );
    let detail =
        if problems.is_empty() { format!("{} tables", registered.len()) } else { problems.join("; ") };
    Ok(Check { name, ok: problems.is_empty(), detail })
}

fn graph_agrees(connection: &Connection, loaded: &GraphIndex) -> Result<Check, StoreError> {
    let passages: i64 = connection.query_row("SELECT count(*) FROM graph_chunks", [], |row| row.get(0))?;
    let size = loaded.size();
    Ok(Check {
        name: "the graph loads from the catalog",
        ok: size.passages as i64 == passages,
        detail: format!(
            "{} of {passages} passages, {} entities, {} facts",
            size.passages, size.entities, size.facts
        ),
    })
}

/// Rebuilds what is derived: full text, and index files, which are made again when next needed.
///
/// # Errors
/// [`StoreError::Sqlite`], [`StoreError::Index`] when a stale file can't be removed.
pub fn repair(
    transaction: &rusqlite::Transaction,
    graph_writer: &mut graph::GraphWriter,
    folder: &Path,
) -> Result<Vec<String>, StoreError> {
    let mut done = Vec::new();
    let orphans: Vec<i64> = transaction
        .prepare("SELECT chunk_id FROM graph_chunks WHERE chunk_id NOT IN (SELECT id FROM chunks)")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for chunk in &orphans {
        graph::delete_chunk(transaction, *chunk, graph_writer)?;
    }
    done.push(format!("removed {} passage nodes without a chunk", orphans.len()));
    transaction.execute("DELETE FROM placements WHERE chunk_id NOT IN (SELECT id FROM chunks)", [])?;
    transaction.execute("DELETE FROM chunk_text", [])?;
    let texts = transaction.execute(
        "INSERT INTO chunk_text (rowid, body, headings)
         SELECT id, text, (SELECT coalesce(group_concat(value, char(10)), '') FROM json_each(headings)) FROM chunks",
        [],
    )?;
    done.push(format!("rebuilt full text of {texts} chunks"));
    for entry in std::fs::read_dir(folder).map_err(|error| StoreError::Index(error.to_string()))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("vectors-") {
            std::fs::remove_file(entry.path()).map_err(|error| StoreError::Index(error.to_string()))?;
            done.push(format!(
                "removed {}, built again when next needed",
                entry.file_name().to_string_lossy()
            ));
        }
    }
    Ok(done)
}
