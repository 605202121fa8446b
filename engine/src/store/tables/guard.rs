//! The guard: runs generated SQL where it can do nothing but read user tables.
//!
//! A connection of its own, opened read-only, shows the tables as temporary views. From then on
//! SQLite's authorizer sees every action of every statement while it is compiled: only SELECT, reading
//! those views (and the tables behind them, from inside a view), recursion and listed functions pass.
//! No text is searched for forbidden words. A progress handler holds the deadline, limits hold
//! sizes, and `query_only`, `defensive`, untrusted schema and double-quoted strings off back it up.

mod authorize;
mod rows;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement};

pub(super) use rows::json_value;
pub use rows::{Note, Rows};

use super::{SqlError, functions, quote, registry};
use crate::decide::sql::card::SchemaCard;
use crate::decide::sql::config::SqlLimits;
use crate::decide::sql::rewrite::{collate_text_calls, sums_as_doubles, tie_query};
use crate::decide::sql::tokens::{common_tables, table_names};
use crate::models::Cancel;

/// Virtual-machine steps between two looks at the clock.
const STEPS_PER_CHECK: i32 = 1_000;

/// A read-only connection that shows generated SQL nothing but the user tables.
pub struct ReadOnly {
    connection: Connection,
    limits: SqlLimits,
    watch: Arc<Watch>,
    card: SchemaCard,
    path: PathBuf,
}

/// What the callbacks of one connection share: the clock, the caller's cancel, what was read.
#[derive(Default)]
pub(super) struct Watch {
    until: Mutex<Option<Instant>>,
    cancel: Mutex<Cancel>,
    timed_out: AtomicBool,
    columns: Mutex<Vec<(String, String)>>,
    tables: Mutex<Vec<String>>,
    denied: Mutex<Option<SqlError>>,
    /// Common table expressions of the statement, lower case.
    common: Mutex<Vec<String>>,
    zeros: Arc<AtomicU64>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    fn begin(&self, limits: &SqlLimits, cancel: &Cancel) {
        *lock(&self.until) = Some(Instant::now() + Duration::from_millis(limits.deadline_ms));
        *lock(&self.cancel) = cancel.clone();
        self.timed_out.store(false, Ordering::Relaxed);
        lock(&self.columns).clear();
        lock(&self.tables).clear();
        *lock(&self.denied) = None;
        self.zeros.store(0, Ordering::Relaxed);
    }

    /// Says whether the running query must stop.
    fn must_stop(&self) -> bool {
        if lock(&self.cancel).is_cancelled() {
            return true;
        }
        let late = lock(&self.until).is_some_and(|until| Instant::now() >= until);
        if late {
            self.timed_out.store(true, Ordering::Relaxed);
        }
        late
    }
}

impl ReadOnly {
    /// Opens the catalog read-only and builds the views of every user table.
    ///
    /// # Errors
    /// [`SqlError::Store`] when the file cannot be read.
    pub fn open(path: &Path, limits: &SqlLimits) -> Result<Self, SqlError> {
        let store =
            |error: rusqlite::Error| SqlError::Store { message: format!("{}: {error}", path.display()) };
        let mut connection = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .map_err(store)?;
        connection.busy_timeout(Duration::from_secs(5)).map_err(store)?;
        connection.pragma_update(None, "temp_store", "MEMORY").map_err(store)?;
        let card =
            registry::schema(&connection).map_err(|error| SqlError::Store { message: error.to_string() })?;
        create_views(&connection, &card).map_err(store)?;
        let hidden = hidden_names(&connection).map_err(store)?;
        let watch = Arc::new(Watch::default());
        let asked = Arc::clone(&watch);
        functions::register(
            &connection,
            limits.max_pattern,
            Arc::clone(&watch.zeros),
            Arc::new(move || !asked.must_stop()),
        )
        .map_err(store)?;
        lock_down(&connection, limits).map_err(store)?;
        let asked = Arc::clone(&watch);
        connection.progress_handler(STEPS_PER_CHECK, Some(move || asked.must_stop())).map_err(store)?;
        let rules = authorize::Rules::new(&card, hidden, Arc::clone(&watch));
        connection
            .authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| rules.judge(&context)))
            .map_err(store)?;
        Ok(Self { connection, limits: limits.clone(), watch, card, path: path.to_owned() })
    }

    /// The schema card this connection shows.
    pub fn card(&self) -> &SchemaCard {
        &self.card
    }

    /// The catalog file this connection reads.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Compiles a query without running it.
    ///
    /// # Errors
    /// As [`ReadOnly::query`].
    pub fn check(&self, sql: &str) -> Result<(), SqlError> {
        self.watch.begin(&self.limits, &Cancel::default());
        self.prepare(sql).map(drop)
    }

    /// Runs one query.
    ///
    /// # Errors
    /// [`SqlError`] says what was refused, missing, too long or too slow, in the engine's words where
    /// it has any.
    pub fn query(&self, sql: &str, cancel: &Cancel) -> Result<Rows, SqlError> {
        let started = Instant::now();
        self.watch.begin(&self.limits, cancel);
        let mut statement = self.prepare(sql)?;
        let mut rows =
            Rows { columns: statement.column_names().map(str::to_owned).collect(), ..Rows::default() };
        self.collect(&mut statement, &mut rows)?;
        rows.columns_read = std::mem::take(&mut *lock(&self.watch.columns));
        rows.tables_read = std::mem::take(&mut *lock(&self.watch.tables));
        rows.ms = started.elapsed().as_secs_f64() * 1000.0;
        rows.take_notes(self.watch.zeros.load(Ordering::Relaxed), &self.card);
        Ok(rows)
    }

    /// Runs a query as [`ReadOnly::query`] does, then says more about it: a sum over the range of
    /// integers is taken again as doubles, and a limit that cuts through equal values is noted.
    ///
    /// # Errors
    /// As [`ReadOnly::query`].
    pub fn query_with_notes(&self, sql: &str, cancel: &Cancel) -> Result<Rows, SqlError> {
        let mut rows = match (self.query(sql, cancel), sums_as_doubles(sql)) {
            (Err(SqlError::Overflow), Some(doubles)) => {
                let mut rows = self.query(&doubles, cancel)?;
                rows.notes.push(Note::Overflow);
                rows
            }
            (other, _) => other?,
        };
        if let Some((keys, limit)) = tie_query(sql)
            && rows.row_count == limit as u64
            && let Ok(keys) = self.query(&keys, cancel)
            && keys.rows.len() == limit + 1
            && keys.rows[limit] == keys.rows[limit - 1]
        {
            rows.notes.push(Note::Tie);
        }
        Ok(rows)
    }

    fn prepare(&self, sql: &str) -> Result<Statement<'_>, SqlError> {
        if sql.len() > self.limits.max_sql_bytes as usize {
            return Err(SqlError::TooLong { found: sql.len(), limit: self.limits.max_sql_bytes });
        }
        if let Some(name) = physical_name(sql, &self.card) {
            return Err(SqlError::NoSuchTable { name });
        }
        *lock(&self.watch.common) = common_tables(sql);
        let sql = collate_text_calls(sql, functions::FOLDED_COLLATION);
        let statement = self.connection.prepare(&sql).map_err(|error| self.translate(error))?;
        if !statement.readonly() || statement.column_count() == 0 || statement.is_explain() != 0 {
            return Err(SqlError::NotAQuery);
        }
        Ok(statement)
    }

    fn collect(&self, statement: &mut Statement<'_>, rows: &mut Rows) -> Result<(), SqlError> {
        let width = rows.columns.len();
        let mut cursor = statement.query([]).map_err(|error| self.translate(error))?;
        loop {
            let row = match cursor.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(()),
                // Enough rows are here; only their total is not known.
                Err(error) if rows.truncated && self.translate_is_deadline(&error) => {
                    rows.row_count_exact = false;
                    return Ok(());
                }
                Err(error) => return Err(self.translate(error)),
            };
            rows.row_count += 1;
            if rows.rows.len() >= self.limits.max_rows {
                rows.truncated = true;
                continue;
            }
            let mut cells = Vec::with_capacity(width);
            for index in 0..width {
                cells.push(json_value(row.get_ref(index).unwrap_or(ValueRef::Null)));
            }
            rows.rows.push(cells);
        }
    }

    fn translate_is_deadline(&self, error: &rusqlite::Error) -> bool {
        matches!(self.translate_ref(error), SqlError::Deadline { .. })
    }

    fn translate(&self, error: rusqlite::Error) -> SqlError {
        self.translate_ref(&error)
    }

    fn translate_ref(&self, error: &rusqlite::Error) -> SqlError {
        if self.watch.timed_out.load(Ordering::Relaxed) {
            return SqlError::Deadline { limit_ms: self.limits.deadline_ms };
        }
        if lock(&self.watch.cancel).is_cancelled() {
            return SqlError::Cancelled;
        }
        if let Some(denied) = lock(&self.watch.denied).clone() {
            return denied;
        }
        let message = match error {
            rusqlite::Error::MultipleStatement => return SqlError::MultipleStatements,
            rusqlite::Error::Empty => return SqlError::NotAQuery,
            rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
            rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
                ErrorCode::AuthorizationForStatementDenied => {
                    return SqlError::Refused { what: message.clone().unwrap_or_default() };
                }
                _ => message.clone().unwrap_or_else(|| failure.to_string()),
            },
            other => other.to_string(),
        };
        if message == "integer overflow" {
            SqlError::Overflow
        } else if let Some(name) = message.strip_prefix("no such table: ") {
            SqlError::NoSuchTable { name: name.trim_start_matches("main.").to_owned() }
        } else if let Some(name) = message.strip_prefix("no such column: ") {
            let name = name.split(" - should this be").next().unwrap_or(name);
            SqlError::NoSuchColumn { name: name.trim_matches('"').to_owned() }
        } else {
            SqlError::Invalid { message }
        }
    }
}

/// Creates one temporary view for each user table, under its logical name, without roll-up rows.
fn create_views(connection: &Connection, card: &SchemaCard) -> rusqlite::Result<()> {
    for table in &card.tables {
        let columns: Vec<String> = table
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let collation = if column.numeric_text {
                    format!(" COLLATE {}", functions::NUMERIC_COLLATION)
                } else {
                    String::new()
                };
                format!("c{index}{collation} AS {}", quote(&column.name))
            })
            .collect();
        let only = if table.rollup_rows > 0 { " WHERE rollup = 0" } else { "" };
        connection.execute_batch(&format!(
            "CREATE TEMP VIEW {} AS SELECT {} FROM main.t{}{only}",
            quote(&table.name),
            columns.join(", "),
            table.id
        ))?;
    }
    Ok(())
}

/// A physical table that a statement names although only its view has that table's rows to show.
fn physical_name(sql: &str, card: &SchemaCard) -> Option<String> {
    let physical =
        |name: &str| card.tables.iter().any(|table| name.eq_ignore_ascii_case(&format!("t{}", table.id)));
    table_names(sql).into_iter().find(|name| physical(name) && card.table(name).is_none())
}

/// Names that exist beside the views: catalog tables and built-in virtual tables, lower case.
fn hidden_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut names = Vec::new();
    for sql in ["SELECT lower(name) FROM main.sqlite_schema", "SELECT lower(name) FROM pragma_module_list"] {
        let mut statement = connection.prepare(sql)?;
        for name in statement.query_map([], |row| row.get::<_, String>(0))? {
            names.push(name?);
        }
    }
    Ok(names)
}

fn lock_down(connection: &Connection, limits: &SqlLimits) -> rusqlite::Result<()> {
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
    ] {
        connection.set_db_config(config, on)?;
    }
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, limits.max_value_bytes),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, limits.max_sql_bytes),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, limits.max_depth),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, limits.max_compound),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        (Limit::SQLITE_LIMIT_VDBE_OP, 1_000_000),
    ] {
        connection.set_limit(limit, i32::try_from(value).unwrap_or(i32::MAX))?;
    }
    connection.pragma_update(None, "query_only", true)
}
