//! The registry: which tables there are, from which document, with which profile.

use rusqlite::{Connection, OptionalExtension, Transaction};

use super::error::doing;
use super::{TableError, quote};
use crate::decide::sql::card::{ForeignKey, SchemaCard, TableCard};
use crate::decide::sql::linking::StoredValue;
use crate::decide::table::TableInfo;

/// A table as the registry knows it.
#[derive(Debug, Clone)]
pub struct StoredTable {
    /// Id; the physical table is `t<id>`.
    pub id: i64,
    /// Document it came from.
    pub document_id: i64,
    /// Name in SQL.
    pub name: String,
    /// Where it is in the document.
    pub location: String,
    /// Everything the loader said about it, with the name it wanted.
    pub info: TableInfo,
}

/// Returns the version of the relational store: it changes with any change of any table.
pub fn version(connection: &Connection) -> Result<u64, TableError> {
    connection
        .query_row("SELECT version FROM tables_version", [], |row| row.get::<_, i64>(0))
        .map(|version| version as u64)
        .map_err(doing("reading the version"))
}

/// Raises the version.
pub(super) fn touch(tx: &Transaction<'_>) -> Result<(), TableError> {
    tx.execute("UPDATE tables_version SET version = version + 1", [])
        .map_err(doing("raising the version"))?;
    Ok(())
}

/// Lists the tables, oldest first.
pub fn list(connection: &Connection) -> Result<Vec<StoredTable>, TableError> {
    let read = doing("listing tables");
    let mut statement = connection
        .prepare("SELECT id, document_id, name, location, info FROM tables ORDER BY id")
        .map_err(&read)?;
    let mut rows = statement.query([]).map_err(&read)?;
    let mut tables = Vec::new();
    while let Some(row) = rows.next().map_err(&read)? {
        let name: String = row.get(2).map_err(&read)?;
        let info: String = row.get(4).map_err(&read)?;
        tables.push(StoredTable {
            id: row.get(0).map_err(&read)?,
            document_id: row.get(1).map_err(&read)?,
            location: row.get(3).map_err(&read)?,
            info: serde_json::from_str(&info)
                .map_err(|source| TableError::Registry { table: name.clone(), source })?,
            name,
        });
    }
    Ok(tables)
}

/// Reads the schema card: all tables with their profiles and keys.
pub fn schema(connection: &Connection) -> Result<SchemaCard, TableError> {
    let read = doing("reading the schema card");
    let mut card = SchemaCard { version: version(connection)?, tables: Vec::new() };
    let mut statement = connection.prepare("SELECT name, card FROM tables ORDER BY id").map_err(&read)?;
    let mut rows = statement.query([]).map_err(&read)?;
    while let Some(row) = rows.next().map_err(&read)? {
        let name: String = row.get(0).map_err(&read)?;
        let json: String = row.get(1).map_err(&read)?;
        let table: TableCard =
            serde_json::from_str(&json).map_err(|source| TableError::Registry { table: name, source })?;
        card.tables.push(table);
    }
    let mut statement = connection
        .prepare(
            "SELECT k.table_id, k.columns, r.name, k.referenced_columns, k.declared
             FROM table_keys k JOIN tables r ON r.id = k.referenced_id ORDER BY k.rowid",
        )
        .map_err(&read)?;
    let mut rows = statement.query([]).map_err(&read)?;
    while let Some(row) = rows.next().map_err(&read)? {
        let table_id: i64 = row.get(0).map_err(&read)?;
        let names = |index: usize| -> rusqlite::Result<Vec<String>> {
            Ok(serde_json::from_str(&row.get::<_, String>(index)?).unwrap_or_default())
        };
        let key = ForeignKey {
            columns: names(1).map_err(&read)?,
            table: row.get(2).map_err(&read)?,
            references: names(3).map_err(&read)?,
            declared: row.get(4).map_err(&read)?,
        };
        if let Some(table) = card.tables.iter_mut().find(|table| table.id == table_id) {
            table.foreign_keys.push(key);
        }
    }
    Ok(card)
}

/// Removes every table of a document; returns their names.
pub fn delete_document(tx: &Transaction<'_>, document_id: i64) -> Result<Vec<String>, TableError> {
    let write = doing("removing a document's tables");
    let mut statement = tx.prepare("SELECT id, name FROM tables WHERE document_id = ?1").map_err(&write)?;
    let tables: Vec<(i64, String)> = statement
        .query_map([document_id], |row| Ok((row.get(0)?, row.get(1)?)))
        .and_then(Iterator::collect)
        .map_err(&write)?;
    for (id, _) in &tables {
        tx.execute_batch(&format!("DROP TABLE IF EXISTS main.{}", quote(&format!("t{id}"))))
            .map_err(&write)?;
        tx.execute("DELETE FROM table_values WHERE table_id = ?1", [id]).map_err(&write)?;
        tx.execute("DELETE FROM table_keys WHERE table_id = ?1 OR referenced_id = ?1", [id])
            .map_err(&write)?;
        tx.execute("DELETE FROM tables WHERE id = ?1", [id]).map_err(&write)?;
    }
    if !tables.is_empty() {
        touch(tx)?;
    }
    Ok(tables.into_iter().map(|(_, name)| name).collect())
}

/// Picks a free logical name: the wanted one, or the first of `name_2`, `name_3`, ….
pub(super) fn free_name(tx: &Transaction<'_>, wanted: &str) -> Result<String, TableError> {
    let read = doing("choosing a table name");
    let lower = wanted.to_ascii_lowercase();
    let base = if wanted.is_empty() || lower.starts_with("sqlite_") || lower.starts_with("pragma_") {
        format!("table_{wanted}")
    } else {
        wanted.to_owned()
    };
    let mut name = base.clone();
    let mut number = 2;
    loop {
        let taken: Option<i64> = tx
            .query_row("SELECT 1 FROM tables WHERE name = ?1", [&name], |row| row.get(0))
            .optional()
            .map_err(&read)?;
        if taken.is_none() {
            return Ok(name);
        }
        name = format!("{base}_{number}");
        number += 1;
    }
}

/// Looks up stored text values for phrases of a question.
///
/// `phrases` are normalised as `linking::normalise` does. Returned are values equal to a phrase or
/// beginning with it, and for longer single words those sharing its first letters, so that a typo
/// can still be found by edit distance; at most `limit` for each phrase.
pub fn match_values(
    connection: &Connection,
    phrases: &[String],
    limit: usize,
) -> Result<Vec<StoredValue>, TableError> {
    let read = doing("looking up values");
    let mut statement = connection
        .prepare_cached(
            "SELECT table_id, column_index, folded, value FROM table_values
             WHERE folded >= ?1 AND folded < ?2 LIMIT ?3",
        )
        .map_err(&read)?;
    let mut found = Vec::new();
    let mut look = |from: &str, limit: usize| -> Result<(), TableError> {
        let until = format!("{from}\u{10FFFF}");
        let rows = statement
            .query_map(rusqlite::params![from, until, limit as i64], |row| {
                Ok(StoredValue {
                    table_id: row.get(0)?,
                    column_index: row.get::<_, i64>(1)? as usize,
                    folded: row.get(2)?,
                    value: row.get(3)?,
                })
            })
            .map_err(&read)?;
        for row in rows {
            found.push(row.map_err(&read)?);
        }
        Ok(())
    };
    for phrase in phrases {
        look(phrase, limit)?;
        let letters: Vec<char> = phrase.chars().collect();
        if letters.len() >= 5 && !phrase.contains(' ') {
            let start: String = letters[..3].iter().collect();
            look(&start, limit)?;
        }
    }
    found.sort_by(|a, b| (a.table_id, a.column_index, &a.value).cmp(&(b.table_id, b.column_index, &b.value)));
    found.dedup();
    Ok(found)
}
