//! Copying the tables and keys of a SQLite file.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, Transaction};

use super::error::doing;
use super::write::{WrittenTable, create, finish, insert_statement, store_card};
use super::{TableError, keys, quote, registry};
use crate::decide::sql::card::TableCard;
use crate::decide::table::{ColumnInfo, ColumnKind, TableInfo, TableWarning};

/// What was copied from a SQLite file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Import {
    /// Tables copied, in the file's order.
    pub tables: Vec<WrittenTable>,
    /// What could not be copied, in words.
    pub warnings: Vec<String>,
}

struct SourceColumn {
    name: String,
    declared: String,
    key_position: i64,
}

/// Copies the user tables of a SQLite file with their declared primary and foreign keys.
///
/// The file is opened read-only and treated as hostile: its views, triggers and functions are never
/// run, only `SELECT columns FROM table`. Binary values become empty, with a warning.
///
/// # Errors
/// [`TableError::Source`] when it is no SQLite database or is damaged.
pub fn import_sqlite(tx: &Transaction<'_>, document_id: i64, path: &Path) -> Result<Import, TableError> {
    let failed =
        |error: rusqlite::Error| TableError::Source { path: path.to_owned(), reason: error.to_string() };
    let source = open_source(path).map_err(failed)?;
    let names = table_names(&source).map_err(failed)?;
    let mut import = Import::default();
    let mut copied: Vec<(String, TableCard)> = Vec::new();
    for name in &names {
        match copy_table(tx, document_id, &source, name, &mut import.warnings) {
            Ok((table, card)) => {
                import.tables.push(table);
                copied.push((name.clone(), card));
            }
            Err(TableError::Source { reason, .. }) => {
                return Err(TableError::Source {
                    path: path.to_owned(),
                    reason: format!("table {name}: {reason}"),
                });
            }
            Err(error) => return Err(error),
        }
    }
    for (name, card) in &copied {
        declare_keys(tx, &source, name, card, &copied).map_err(|error| match error {
            TableError::Source { reason, .. } => TableError::Source { path: path.to_owned(), reason },
            other => other,
        })?;
    }
    for (_, card) in &copied {
        keys::guess(tx, card.id)?;
    }
    registry::touch(tx)?;
    Ok(import)
}

fn open_source(path: &Path) -> rusqlite::Result<Connection> {
    let source = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    source.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    source.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    source.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    source.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    source.pragma_update(None, "cell_size_check", true)?;
    source.pragma_update(None, "mmap_size", 0)?;
    Ok(source)
}

fn table_names(source: &Connection) -> rusqlite::Result<Vec<String>> {
    source
        .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
             ORDER BY (SELECT rowid FROM sqlite_schema s WHERE s.name = pragma_table_list.name AND s.type = 'table')",
        )?
        .query_map([], |row| row.get(0))?
        .collect()
}

fn source_columns(source: &Connection, table: &str) -> rusqlite::Result<Vec<SourceColumn>> {
    source
        .prepare("SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY cid")?
        .query_map([table], |row| {
            Ok(SourceColumn { name: row.get(0)?, declared: row.get(1)?, key_position: row.get(2)? })
        })?
        .collect()
}

fn copy_table(
    tx: &Transaction<'_>,
    document_id: i64,
    source: &Connection,
    name: &str,
    warnings: &mut Vec<String>,
) -> Result<(WrittenTable, TableCard), TableError> {
    let failed =
        |error: rusqlite::Error| TableError::Source { path: Path::new("").into(), reason: error.to_string() };
    let columns = source_columns(source, name).map_err(failed)?;
    let affinities: Vec<&str> = columns.iter().map(|column| affinity(&column.declared)).collect();
    let mut info = TableInfo {
        name: name.to_owned(),
        location: format!("table {name}"),
        caption: None,
        columns: columns
            .iter()
            .zip(&affinities)
            .map(|(column, affinity)| describe(column, affinity))
            .collect(),
        rows: 0,
        rollup_rows: Vec::new(),
        dialect: vec!["SQLite".into()],
        warnings: Vec::new(),
    };
    let (id, stored_name) = create(tx, document_id, &info, &affinities)?;
    let list: Vec<String> = columns.iter().map(|column| quote(&column.name)).collect();
    let select = format!("SELECT {} FROM main.{}", list.join(", "), quote(name));
    let mut reader = source.prepare(&select).map_err(failed)?;
    let mut rows = reader.query([]).map_err(failed)?;
    let mut writer = tx.prepare(&insert_statement(id, columns.len())).map_err(doing("writing rows"))?;
    let mut blobs = 0_u64;
    let mut seen = vec![Seen::default(); columns.len()];
    while let Some(row) = rows.next().map_err(failed)? {
        for (index, seen) in seen.iter_mut().enumerate() {
            let value = plain(row.get_ref(index).map_err(failed)?, seen, &mut blobs);
            writer.raw_bind_parameter(index + 1, value).map_err(doing("writing rows"))?;
        }
        writer.raw_bind_parameter(columns.len() + 1, 0).map_err(doing("writing rows"))?;
        writer.raw_execute().map_err(doing("writing rows"))?;
        info.rows += 1;
    }
    drop(writer);
    for (column, seen) in info.columns.iter_mut().zip(&seen) {
        seen.settle(column);
    }
    if blobs > 0 {
        let message = format!("table {name}: {blobs} binary values left out");
        info.warnings.push(TableWarning { line: None, message: message.clone() });
        warnings.push(message);
    }
    let json = serde_json::to_string(&info)
        .map_err(|error| TableError::Registry { table: name.into(), source: error })?;
    tx.execute("UPDATE tables SET info = ?2 WHERE id = ?1", rusqlite::params![id, json])
        .map_err(doing("storing a table"))?;
    let mut card = finish(tx, id, document_id, &stored_name, &info)?;
    let mut key: Vec<&SourceColumn> = columns.iter().filter(|column| column.key_position > 0).collect();
    key.sort_by_key(|column| column.key_position);
    card.primary_key = key.iter().map(|column| column.name.clone()).collect();
    store_card(tx, &card)?;
    let renamed_from = (stored_name != name).then(|| name.to_owned());
    Ok((WrittenTable { id, name: stored_name, renamed_from }, card))
}

/// What kinds of value a column of the source really held: SQLite types values, not columns.
#[derive(Clone, Default)]
struct Seen {
    nulls: usize,
    texts: bool,
    reals: bool,
    integers: bool,
}

impl Seen {
    /// Settles the kind of a column by its contents where the declaration leaves it open.
    fn settle(&self, column: &mut ColumnInfo) {
        column.nulls = self.nulls;
        let found = match (self.texts, self.reals, self.integers) {
            (true, _, _) => ColumnKind::Text,
            (false, true, _) => ColumnKind::Real,
            (false, false, true) => ColumnKind::Integer,
            (false, false, false) => column.kind,
        };
        if column.kind != found {
            column.decision = format!("{}; its values say {found:?}", column.decision);
            column.kind = found;
        }
    }
}

fn plain(value: ValueRef<'_>, seen: &mut Seen, blobs: &mut u64) -> Value {
    match value {
        ValueRef::Null => {
            seen.nulls += 1;
            Value::Null
        }
        ValueRef::Integer(number) => {
            seen.integers = true;
            Value::Integer(number)
        }
        ValueRef::Real(number) => {
            seen.reals = true;
            Value::Real(number)
        }
        ValueRef::Text(bytes) => {
            seen.texts = true;
            Value::Text(String::from_utf8_lossy(bytes).into_owned())
        }
        ValueRef::Blob(_) => {
            seen.nulls += 1;
            *blobs += 1;
            Value::Null
        }
    }
}

/// Column affinity of a declared type, by SQLite's own five rules (datatype3, section 3.1).
fn affinity(declared: &str) -> &'static str {
    let declared = declared.to_ascii_uppercase();
    let has = |parts: &[&str]| parts.iter().any(|part| declared.contains(part));
    if has(&["INT"]) {
        "INTEGER"
    } else if has(&["CHAR", "CLOB", "TEXT"]) {
        "TEXT"
    } else if declared.is_empty() || has(&["BLOB"]) {
        "BLOB"
    } else if has(&["REAL", "FLOA", "DOUB"]) {
        "REAL"
    } else {
        "NUMERIC"
    }
}

fn describe(column: &SourceColumn, affinity: &str) -> ColumnInfo {
    let kind = match affinity {
        "INTEGER" | "NUMERIC" => ColumnKind::Integer,
        "REAL" => ColumnKind::Real,
        _ => ColumnKind::Text,
    };
    ColumnInfo {
        name: column.name.clone(),
        header: column.name.clone(),
        kind,
        unit: None,
        decision: format!(
            "declared {}",
            if column.declared.is_empty() { "without a type" } else { &column.declared }
        ),
        nulls: 0,
    }
}

/// Copies declared foreign keys whose both ends were copied.
fn declare_keys(
    tx: &Transaction<'_>,
    source: &Connection,
    name: &str,
    card: &TableCard,
    copied: &[(String, TableCard)],
) -> Result<(), TableError> {
    let failed =
        |error: rusqlite::Error| TableError::Source { path: Path::new("").into(), reason: error.to_string() };
    let mut statement = source
        .prepare("SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1) ORDER BY id, seq")
        .map_err(failed)?;
    let rows: Vec<(i64, String, String, Option<String>)> = statement
        .query_map([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .and_then(Iterator::collect)
        .map_err(failed)?;
    for group in rows.chunk_by(|a, b| a.0 == b.0) {
        let Some((_, target)) = copied.iter().find(|(other, _)| other.eq_ignore_ascii_case(&group[0].1))
        else {
            continue;
        };
        let columns: Vec<String> =
            group.iter().filter_map(|row| Some(card.column(&row.2)?.name.clone())).collect();
        let references: Vec<String> = group
            .iter()
            .enumerate()
            .filter_map(|(index, row)| {
                let wanted = row.3.as_ref().or_else(|| target.primary_key.get(index))?;
                Some(target.column(wanted)?.name.clone())
            })
            .collect();
        if columns.len() == group.len() && references.len() == group.len() {
            keys::declare(tx, card.id, &columns, target.id, &references, true)?;
        }
    }
    Ok(())
}
