//! What the authorizer lets pass.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use super::{Watch, lock};
use crate::decide::sql::card::SchemaCard;
use crate::store::tables::SqlError;
use crate::store::tables::functions::ALLOWED;

/// The rules of one connection.
pub(super) struct Rules {
    views: HashSet<String>,
    /// View of each physical table, lower case.
    physical: HashMap<String, String>,
    hidden: HashSet<String>,
    watch: Arc<Watch>,
}

impl Rules {
    pub(super) fn new(card: &SchemaCard, hidden: Vec<String>, watch: Arc<Watch>) -> Self {
        Self {
            views: card.tables.iter().map(|table| table.name.to_ascii_lowercase()).collect(),
            physical: card
                .tables
                .iter()
                .map(|table| (format!("t{}", table.id), table.name.clone()))
                .collect(),
            hidden: hidden.into_iter().collect(),
            watch,
        }
    }

    /// Judges one action of a statement being compiled; the first refusal is remembered in words.
    pub(super) fn judge(&self, context: &AuthContext<'_>) -> Authorization {
        let refusal = match context.action {
            AuthAction::Select | AuthAction::Recursive => None,
            AuthAction::Function { function_name } => {
                let name = function_name.to_ascii_lowercase();
                (!ALLOWED.contains(&name.as_str()))
                    .then(|| SqlError::Refused { what: format!("function {function_name}") })
            }
            AuthAction::Read { table_name, column_name } => self.read(context, table_name, column_name),
            other => Some(SqlError::Refused { what: words(&other) }),
        };
        match refusal {
            None => Authorization::Allow,
            Some(error) => {
                lock(&self.watch.denied).get_or_insert(error);
                Authorization::Deny
            }
        }
    }

    fn read(&self, context: &AuthContext<'_>, table: &str, column: &str) -> Option<SqlError> {
        let name = table.to_ascii_lowercase();
        let inside_view =
            context.accessor.is_some_and(|view| self.views.contains(&view.to_ascii_lowercase()));
        match context.database_name {
            Some("temp") if self.views.contains(&name) => {
                self.note(table, column);
                None
            }
            Some("main") if inside_view && self.physical.contains_key(&name) => None,
            // A table of which no column is used. SQLite passes the name as written, with or without
            // the database; by then it has replaced a view by the table behind it, and a common
            // table expression looks like a table.
            Some("main") | None if column.is_empty() && self.physical.contains_key(&name) => {
                self.note(&self.physical[&name], "");
                None
            }
            None if column.is_empty() && self.views.contains(&name) => {
                self.note(table, "");
                None
            }
            None if column.is_empty() && self.is_common(&name) => None,
            _ => Some(SqlError::NoSuchTable { name: table.to_owned() }),
        }
    }

    /// Whether a name is a common table expression of the statement, and nothing else that exists.
    fn is_common(&self, name: &str) -> bool {
        let elsewhere =
            self.hidden.contains(name) || name.starts_with("sqlite_") || name.starts_with("pragma_");
        !elsewhere && lock(&self.watch.common).iter().any(|known| known == name)
    }

    fn note(&self, table: &str, column: &str) {
        let mut tables = lock(&self.watch.tables);
        if !tables.iter().any(|known| known == table) {
            tables.push(table.to_owned());
        }
        let mut columns = lock(&self.watch.columns);
        let pair = (table.to_owned(), column.to_owned());
        if !column.is_empty() && !columns.contains(&pair) {
            columns.push(pair);
        }
    }
}

fn words(action: &AuthAction<'_>) -> String {
    let debug = format!("{action:?}");
    debug.split([' ', '{', '(']).next().unwrap_or("this").to_owned()
}
