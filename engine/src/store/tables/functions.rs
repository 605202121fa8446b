//! Collations and functions of the read-only connection: accents and case fold everywhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};

use crate::decide::sql::collate::{fold_compare, like, number_compare};
use crate::decide::text::fold;

/// Collation of text columns that hold only numbers.
pub const NUMERIC_COLLATION: &str = "numeric_text";

/// Collation that folds accents and case, for results of functions.
pub const FOLDED_COLLATION: &str = "folded";

/// Functions generated SQL may call.
pub const ALLOWED: &[&str] = &[
    "abs",
    "avg",
    "ceil",
    "ceiling",
    "char_length",
    "coalesce",
    "concat",
    "concat_ws",
    "count",
    "cume_dist",
    "date",
    "datetime",
    "dense_rank",
    "first_value",
    "floor",
    "group_concat",
    "ifnull",
    "iif",
    "instr",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "lower",
    "ltrim",
    "max",
    "median",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "percent_rank",
    "pow",
    "power",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "time",
    "total",
    "trim",
    "typeof",
    "upper",
];

/// Registers collations and functions.
///
/// The default collation is replaced, so that comparison, `IN`, `GROUP BY`, `DISTINCT`, `ORDER BY`,
/// `min` and `max` over columns fold accents and case. Results of functions have no collation at all,
/// and get one by `rewrite::collate_text_calls`. Safe here only because this connection sees no index over text: user
/// tables have none. `zeros` counts `NULLIF(x, 0)` that met a zero, which is how the rewritten
/// division says "undefined"; `keep_on` is asked by long matches.
pub fn register(
    connection: &Connection,
    max_pattern: usize,
    zeros: Arc<AtomicU64>,
    keep_on: Arc<dyn Fn() -> bool + Send + Sync>,
) -> rusqlite::Result<()> {
    let pure = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_collation("BINARY", fold_compare)?;
    connection.create_collation(FOLDED_COLLATION, fold_compare)?;
    connection.create_collation(NUMERIC_COLLATION, number_compare)?;
    connection.create_scalar_function("lower", 1, pure, |c| text_function(c, |t| t.to_lowercase()))?;
    connection.create_scalar_function("upper", 1, pure, |c| text_function(c, |t| t.to_uppercase()))?;
    connection.create_scalar_function("instr", 2, pure, instr)?;
    connection.create_scalar_function("nullif", 2, FunctionFlags::SQLITE_UTF8, move |c| nullif(c, &zeros))?;
    for arguments in [2, 3] {
        let keep_on = Arc::clone(&keep_on);
        connection.create_scalar_function("like", arguments, pure, move |context| {
            like_function(context, max_pattern, &*keep_on)
        })?;
    }
    Ok(())
}

/// Text of a value as SQLite would convert it; `None` for NULL.
fn as_text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(format!("{number:?}")),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

fn text_function(context: &Context<'_>, change: impl Fn(&str) -> String) -> rusqlite::Result<Option<String>> {
    Ok(as_text(context.get_raw(0)).map(|text| change(&text)))
}

fn instr(context: &mut Context<'_>) -> rusqlite::Result<Option<i64>> {
    let (Some(text), Some(part)) = (as_text(context.get_raw(0)), as_text(context.get_raw(1))) else {
        return Ok(None);
    };
    let (text, part) = (fold(&text), fold(&part));
    Ok(Some(text.find(&part).map_or(0, |at| text[..at].chars().count() as i64 + 1)))
}

fn nullif(context: &mut Context<'_>, zeros: &AtomicU64) -> rusqlite::Result<Value> {
    let (left, right) = (context.get_raw(0), context.get_raw(1));
    let number = |value: ValueRef<'_>| match value {
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        _ => None,
    };
    let equal = match (left, right) {
        (ValueRef::Integer(a), ValueRef::Integer(b)) => a == b,
        (ValueRef::Text(a), ValueRef::Text(b)) => {
            fold_compare(&String::from_utf8_lossy(a), &String::from_utf8_lossy(b)).is_eq()
        }
        _ => matches!((number(left), number(right)), (Some(a), Some(b)) if a == b),
    };
    if equal && number(right) == Some(0.0) {
        zeros.fetch_add(1, Ordering::Relaxed);
    }
    if equal {
        Ok(Value::Null)
    } else {
        Value::try_from(left).map_err(|e| rusqlite::Error::UserFunctionError(e.into()))
    }
}

fn like_function(
    context: &mut Context<'_>,
    max_pattern: usize,
    keep_on: &(dyn Fn() -> bool + Send + Sync),
) -> rusqlite::Result<Option<bool>> {
    let (Some(pattern), Some(text)) = (as_text(context.get_raw(0)), as_text(context.get_raw(1))) else {
        return Ok(None);
    };
    if pattern.len() > max_pattern {
        return Err(rusqlite::Error::UserFunctionError("LIKE or GLOB pattern too complex".into()));
    }
    let escape =
        if context.len() == 3 { as_text(context.get_raw(2)).and_then(|t| t.chars().next()) } else { None };
    like(&pattern, &text, escape, &|| keep_on())
        .map(Some)
        .ok_or_else(|| rusqlite::Error::UserFunctionError("interrupted".into()))
}
