//! Keys guessed by inclusion: a column is a key into another table when its name says so and
//! every value of it occurs there, in a column without repeats.

use rusqlite::{Connection, Transaction, params};

use super::error::doing;
use super::{TableError, registry};
use crate::decide::sql::card::{ColumnCard, TableCard};
use crate::decide::table::ColumnKind;
use crate::decide::text::fold;

/// Tables looked at when guessing the keys of a new one.
const MOST_TABLES: usize = 200;

/// Guesses keys between a new table and all others, both ways, and stores them.
pub(super) fn guess(tx: &Transaction<'_>, id: i64) -> Result<(), TableError> {
    let schema = registry::schema(tx)?;
    let Some(new) = schema.tables.iter().find(|table| table.id == id) else { return Ok(()) };
    for other in schema.tables.iter().rev().filter(|table| table.id != id).take(MOST_TABLES) {
        for (from, to) in [(new, other), (other, new)] {
            if from.foreign_keys.iter().any(|key| key.table == to.name) {
                continue;
            }
            if let Some((column, referenced)) = best_pair(tx, from, to)? {
                declare(tx, from.id, &[column], to.id, &[referenced], false)?;
            }
        }
    }
    Ok(())
}

/// Stores one key.
pub(super) fn declare(
    tx: &Transaction<'_>,
    from: i64,
    columns: &[String],
    to: i64,
    references: &[String],
    declared: bool,
) -> Result<(), TableError> {
    tx.execute(
        "INSERT INTO table_keys VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            from,
            serde_json::Value::from(columns.to_vec()).to_string(),
            to,
            serde_json::Value::from(references.to_vec()).to_string(),
            declared
        ],
    )
    .map_err(doing("storing a key"))?;
    Ok(())
}

fn best_pair(
    connection: &Connection,
    from: &TableCard,
    to: &TableCard,
) -> Result<Option<(String, String)>, TableError> {
    for (target_index, target) in to.columns.iter().enumerate() {
        let unique = target.distinct > 1 && target.distinct == to.rows && target.nulls == 0;
        if !unique || !may_be_key(target) {
            continue;
        }
        for (index, column) in from.columns.iter().enumerate() {
            let same_sort = is_text(column.kind) == is_text(target.kind) && may_be_key(column);
            if same_sort
                && column.distinct > 0
                && names_agree(column, target, to)
                && included(connection, (from.id, index), (to.id, target_index))?
            {
                return Ok(Some((column.name.clone(), target.name.clone())));
            }
        }
    }
    Ok(None)
}

fn is_text(kind: ColumnKind) -> bool {
    kind == ColumnKind::Text
}

fn may_be_key(column: &ColumnCard) -> bool {
    matches!(column.kind, ColumnKind::Integer | ColumnKind::Text)
}

/// `cliente_id`, `id_cliente`, `cliente` point to `clientes.id`; `codigo_produto` to the column of that name.
fn names_agree(column: &ColumnCard, target: &ColumnCard, to: &TableCard) -> bool {
    let name = fold(&column.name);
    let target_name = fold(&target.name);
    let generic = ["id", "codigo", "cod", "code", "key", "chave", "numero", "number"];
    if name == target_name {
        return !generic.contains(&name.as_str());
    }
    let table = fold(&to.name);
    let singular = table.strip_suffix("es").or_else(|| table.strip_suffix('s')).unwrap_or(&table).to_owned();
    let plain: Vec<&str> = name.split('_').filter(|part| !generic.contains(part)).collect();
    let rest = plain.join("_");
    let names_table =
        !rest.is_empty() && (rest == table || rest == singular || table.strip_suffix('s') == Some(&rest));
    let target_plain: Vec<&str> = target_name.split('_').filter(|part| !generic.contains(part)).collect();
    names_table && (target_plain.is_empty() || target_plain.join("_") == rest)
}

fn included(connection: &Connection, from: (i64, usize), to: (i64, usize)) -> Result<bool, TableError> {
    let sql = format!(
        "SELECT NOT EXISTS (SELECT 1 FROM main.t{} WHERE c{} IS NOT NULL AND rollup = 0
         AND c{} NOT IN (SELECT c{} FROM main.t{} WHERE c{} IS NOT NULL))",
        from.0, from.1, from.1, to.1, to.0, to.1
    );
    connection.query_row(&sql, [], |row| row.get(0)).map_err(doing("checking inclusion"))
}
