//! The relational route: question to SQL to rows, with one repair, or an honest "no answer".

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::decide::sql::card::SchemaCard;
use crate::decide::sql::compared::{compared_texts, most_alike};
use crate::decide::sql::config::SqlConfig;
use crate::decide::sql::grammar::grammar;
use crate::decide::sql::linking::{self, Link};
use crate::decide::sql::repair::{self, Fault};
use crate::decide::sql::rewrite::honest_division;
use crate::decide::sql::smells::{self, Ran, Smell};
use crate::decide::sql::words::{identifier, literal};
use crate::decide::sql::{prompt, relevance};
use crate::models::{Cancel, Finish, Generate, GenerateRequest, Generation, ModelError};
use crate::store::tables::guard::{ReadOnly, Rows};
use crate::store::tables::{SqlError, TableError, match_values};

/// Values looked up for each phrase of a question.
const VALUES_PER_PHRASE: usize = 200;

/// Stored values shown in a repair.
const VALUES_IN_REPAIR: usize = 12;

/// What the relational route found.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SqlOutcome {
    /// The query whose rows are returned, or the last one tried.
    pub sql: String,
    /// The rows, unless it abstained.
    pub rows: Option<Rows>,
    /// Every query tried, in order, with what was wrong with it.
    pub attempts: Vec<Attempt>,
    /// Stored values that the question names.
    pub links: Vec<Link>,
    /// Why there is no answer, when there is none.
    pub abstained: Option<String>,
    /// Tokens, summed over the attempts.
    pub usage: SqlUsage,
}

/// One query tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The query as run.
    pub sql: String,
    /// The engine's error or the smell; `None` when it was accepted.
    pub problem: Option<String>,
}

/// Tokens and time spent on a question's SQL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SqlUsage {
    /// Tokens of prompts.
    pub prompt_tokens: usize,
    /// Of those, found in the KV cache.
    pub cached_tokens: usize,
    /// Tokens generated.
    pub completion_tokens: usize,
    /// Milliseconds in the model.
    pub model_ms: f64,
}

/// A step of the route, told while it happens.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum SqlStep {
    /// Values of the question were linked.
    Linked {
        /// The links.
        links: Vec<Link>,
    },
    /// The model wrote a query.
    Wrote {
        /// The query as run.
        sql: String,
        /// Milliseconds in the model.
        ms: f64,
    },
    /// A query ran.
    Ran {
        /// Rows it has.
        rows: u64,
        /// Milliseconds in SQLite.
        ms: f64,
    },
    /// A query was rejected.
    Rejected {
        /// By the engine or a smell, in words.
        problem: String,
    },
}

/// Why the route could not even try.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskSqlError {
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The store failed.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The store could not be read, or the caller cancelled.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

/// Finds the stored values that a question names; `catalog` is any connection to the catalog.
///
/// # Errors
/// [`TableError`] when the catalog cannot be read.
pub fn link_values(
    question: &str,
    catalog: &Connection,
    card: &SchemaCard,
    config: &SqlConfig,
) -> Result<Vec<Link>, TableError> {
    if !config.value_links {
        return Ok(Vec::new());
    }
    let values = match_values(catalog, &linking::phrases(question), VALUES_PER_PHRASE)?;
    Ok(linking::link(question, card, &values, config.max_links))
}

/// Answers a question from the tables.
///
/// `links` come from [`link_values`]. A query that SQLite refuses or that smells gets one second try
/// with the engine's own words; after that the outcome abstains and says why.
///
/// # Errors
/// [`AskSqlError`] when model or store fail; a wrong query is no error but an attempt.
pub fn answer(
    question: &str,
    store: &ReadOnly,
    links: Vec<Link>,
    model: &dyn Generate,
    config: &SqlConfig,
    cancel: &Cancel,
    trace: &mut dyn FnMut(SqlStep),
) -> Result<SqlOutcome, AskSqlError> {
    let mut outcome = SqlOutcome { links, ..SqlOutcome::default() };
    trace(SqlStep::Linked { links: outcome.links.clone() });
    if store.card().tables.is_empty() {
        outcome.abstained = Some("there are no tables".into());
        return Ok(outcome);
    }
    let card =
        relevance::relevant(question, store.card(), &outcome.links, config.max_tables, config.max_columns);
    let mut request = GenerateRequest {
        system: prompt::system(&card, config),
        user: prompt::user(question, &outcome.links),
        assistant_prefix: String::new(),
        grammar: config.grammar.then(|| grammar(&card)),
        max_tokens: config.max_tokens,
        stop: vec![";".into(), "\n\n".into()],
    };
    for attempt in 0..=config.repairs {
        let generation = model.generate(&request, cancel, &mut |_| {})?;
        outcome.usage.add(&generation);
        if cancel.is_cancelled() {
            return Err(SqlError::Cancelled.into());
        }
        outcome.sql = honest_division(&plain_sql(&generation.text));
        let endless = matches!(generation.finish, Finish::Length | Finish::Repetition);
        trace(SqlStep::Wrote { sql: outcome.sql.clone(), ms: generation.total_ms });
        let judged = if endless {
            Err(Fault::Endless)
        } else {
            judge(question, store, &outcome, &card, attempt == config.repairs, cancel, trace)?
        };
        let fault = match judged {
            Ok(rows) => {
                outcome.attempts.push(Attempt { sql: outcome.sql.clone(), problem: None });
                outcome.rows = Some(rows);
                return Ok(outcome);
            }
            Err(fault) => fault,
        };
        trace(SqlStep::Rejected { problem: fault.words() });
        outcome.attempts.push(Attempt { sql: outcome.sql.clone(), problem: Some(fault.words()) });
        if attempt == config.repairs {
            outcome.abstained = Some(fault.words());
        } else {
            request.user = repair::user(question, &outcome.links, &outcome.sql, &fault, &card);
        }
    }
    Ok(outcome)
}

/// Runs the query of an attempt: its rows, or what is wrong with it.
fn judge(
    question: &str,
    store: &ReadOnly,
    outcome: &SqlOutcome,
    card: &SchemaCard,
    last: bool,
    cancel: &Cancel,
    trace: &mut dyn FnMut(SqlStep),
) -> Result<Result<Rows, Fault>, AskSqlError> {
    let rows = match store.query_with_notes(&outcome.sql, cancel) {
        Ok(rows) => rows,
        Err(error @ (SqlError::Cancelled | SqlError::Store { .. })) => return Err(error.into()),
        Err(error) => return Ok(Err(fault(error))),
    };
    trace(SqlStep::Ran { rows: rows.row_count, ms: rows.ms });
    let ran = Ran { sql: &outcome.sql, tables_read: &rows.tables_read };
    let smell = match smells::smell(question, ran, card) {
        None => value_not_stored(store, outcome, card, cancel)?
            .filter(|_| !last || smells::says_nothing(&rows.rows)),
        smell => smell,
    };
    // On the last try a list is better than nothing.
    let listed = || smells::several_for_one(question, &outcome.sql, &rows.rows).filter(|_| !last);
    Ok(match smell.or_else(listed) {
        Some(smell) => Err(Fault::Other(smell.words())),
        None => Ok(rows),
    })
}

/// Looks up every text the query compares a column with; the first that the column does not hold is a smell.
fn value_not_stored(
    store: &ReadOnly,
    outcome: &SqlOutcome,
    card: &SchemaCard,
    cancel: &Cancel,
) -> Result<Option<Smell>, AskSqlError> {
    for compared in compared_texts(&outcome.sql, card) {
        let (table, column) = (identifier(&compared.table), identifier(&compared.column));
        let look = format!("SELECT 1 FROM {table} WHERE {column} = {} LIMIT 1", literal(&compared.text));
        if !matches!(store.query(&look, cancel), Ok(rows) if rows.row_count == 0) {
            continue;
        }
        let linked = outcome.links.iter().filter(|link| {
            link.condition.is_none() && link.table == compared.table && link.column == compared.column
        });
        let mut stored: Vec<String> = linked.map(|link| link.value.clone()).collect();
        if stored.is_empty() {
            let all = format!("SELECT {column} FROM {table} WHERE {column} IS NOT NULL GROUP BY {column}");
            let rows = store.query(&all, cancel)?.rows;
            let all: Vec<String> =
                rows.into_iter().flatten().filter_map(|cell| cell.as_str().map(str::to_owned)).collect();
            stored = most_alike(&compared.text, &all, VALUES_IN_REPAIR);
        }
        return Ok(Some(Smell::ValueNotStored {
            column: format!("{table}.{column}"),
            text: compared.text,
            stored,
        }));
    }
    Ok(None)
}

impl SqlUsage {
    fn add(&mut self, generation: &Generation) {
        self.prompt_tokens += generation.prompt_tokens;
        self.cached_tokens += generation.cached_tokens;
        self.completion_tokens += generation.completion_tokens;
        self.model_ms += generation.total_ms;
    }
}

fn fault(error: SqlError) -> Fault {
    match error {
        SqlError::NoSuchColumn { name } => Fault::NoSuchColumn(name),
        SqlError::NoSuchTable { name } => Fault::NoSuchTable(name),
        other => Fault::Other(other.to_string()),
    }
}

/// The query in a model's text: without code fences, label and trailing semicolon.
fn plain_sql(text: &str) -> String {
    let text = text.trim();
    let text = match text.find("```") {
        Some(at) => {
            let inside = text[at + 3..].trim_start_matches("sqlite").trim_start_matches("sql");
            inside.split("```").next().unwrap_or(inside)
        }
        None => text,
    };
    let text = text.trim();
    let text = text.strip_prefix("SQL:").unwrap_or(text);
    text.trim().trim_end_matches(';').trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_and_semicolons_are_taken_off() {
        for text in
            ["SELECT 1", "```sql\nSELECT 1;\n```", "SQL: SELECT 1;", "Here:\n```sqlite\nSELECT 1\n```\nDone."]
        {
            assert_eq!(plain_sql(text), "SELECT 1");
        }
    }
}
