//! The relational route: question to SQL to rows, with one repair, or an honest "no answer".

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::decide::sql::card::SchemaCard;
use crate::decide::sql::config::SqlConfig;
use crate::decide::sql::grammar::grammar;
use crate::decide::sql::linking::{self, Link};
use crate::decide::sql::repair::{self, Fault};
use crate::decide::sql::rewrite::honest_division;
use crate::decide::sql::smells::{self, Ran};
use crate::decide::sql::{prompt, relevance};
use crate::models::{Cancel, Generate, GenerateRequest, Generation, ModelError};
use crate::store::tables::guard::{ReadOnly, Rows};
use crate::store::tables::{SqlError, TableError, match_values};

/// Values looked up for each phrase of a question.
const VALUES_PER_PHRASE: usize = 60;

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
        trace(SqlStep::Wrote { sql: outcome.sql.clone(), ms: generation.total_ms });
        let fault = match store.query(&outcome.sql, cancel) {
            Ok(rows) => {
                trace(SqlStep::Ran { rows: rows.row_count, ms: rows.ms });
                let ran =
                    Ran { sql: &outcome.sql, tables_read: &rows.tables_read, row_count: rows.row_count };
                match smells::smell(question, ran, &card, &outcome.links) {
                    None => {
                        outcome.attempts.push(Attempt { sql: outcome.sql.clone(), problem: None });
                        outcome.rows = Some(rows);
                        return Ok(outcome);
                    }
                    Some(smell) => Fault::Other(smell.words()),
                }
            }
            Err(error @ (SqlError::Cancelled | SqlError::Store { .. })) => return Err(error.into()),
            Err(error) => fault(error),
        };
        trace(SqlStep::Rejected { problem: fault.words() });
        outcome.attempts.push(Attempt { sql: outcome.sql.clone(), problem: Some(fault.words()) });
        if attempt < config.repairs {
            request.user = repair::user(question, &outcome.links, &outcome.sql, &fault, &card);
        } else {
            outcome.abstained = Some(fault.words());
        }
    }
    Ok(outcome)
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
