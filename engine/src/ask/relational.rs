//! The relational route inside a request: spans, limits and the hand-over around [`sql::answer`].

use crate::ask::sql::{self, AskSqlError, SqlOutcome, SqlStep};
use crate::ask::{PartResult, Request};
use crate::decide::language;
use crate::error::{Error, Result};
use crate::models::ModelError;
use crate::report::Fallback;
use crate::store::StoreError;
use crate::store::catalog;
use crate::store::tables::SqlError;
use crate::store::tables::guard::ReadOnly;

/// Asks the tables; what keeps it from answering becomes the reason of a hand-over.
///
/// # Errors
/// [`Error::Cancelled`], [`Error::Store`].
pub fn part(request: &Request, question: &str, result: &mut PartResult) -> Result<()> {
    let generator = match request.engine.models.generate.get() {
        Ok(generator) => generator,
        Err(error) => {
            result.notes.push(format!("no SQL was written: {error}"));
            hand_over(result, "there is no generator to write SQL");
            return Ok(());
        }
    };
    let config = &request.engine.config.sql;
    let path = catalog::path_in(request.engine.data());
    let mut span = request.trace.span("store.relational", Some("pipeline"));
    let store = ReadOnly::open(&path, &config.limits).map_err(StoreError::from)?;
    let reader = request.engine.reader()?;
    let links = sql::link_values(question, &reader, store.card(), config).map_err(StoreError::from)?;
    span.set("links", links.len());
    let model = generator.identity().name.clone();
    let mut steps = |step: SqlStep| record(request, &model, &step);
    let outcome =
        sql::answer(question, &store, links, generator.as_ref(), config, request.cancel, &mut steps);
    match outcome {
        Ok(outcome) => {
            span.set("attempts", outcome.attempts.len());
            fill(question, outcome, result);
            Ok(())
        }
        Err(AskSqlError::Model(ModelError::Cancelled) | AskSqlError::Sql(SqlError::Cancelled)) => {
            Err(Error::Cancelled)
        }
        Err(AskSqlError::Model(error)) => {
            result.notes.push(format!("no SQL was written: {error}"));
            hand_over(result, "the model could not write SQL");
            Ok(())
        }
        Err(AskSqlError::Table(error)) => Err(StoreError::from(error).into()),
        Err(AskSqlError::Sql(error)) => Err(StoreError::from(error).into()),
    }
}

/// One span per step that took time in the model or in SQLite.
fn record(request: &Request, model: &str, step: &SqlStep) {
    match step {
        SqlStep::Wrote { sql, ms } => {
            let mut span = request.trace.past_span("sql.generate", Some("store.relational"), *ms);
            span.set("model", model);
            span.set("db.query.text", sql.clone());
        }
        SqlStep::Ran { rows, ms } => {
            let mut span = request.trace.past_span("sql.query", Some("store.relational"), *ms);
            span.set("db.response.returned_rows", *rows);
        }
        SqlStep::Linked { .. } | SqlStep::Rejected { .. } => {}
    }
}

fn fill(question: &str, outcome: SqlOutcome, result: &mut PartResult) {
    result.usage.prompt_tokens += outcome.usage.prompt_tokens;
    result.usage.cached_tokens += outcome.usage.cached_tokens;
    result.usage.completion_tokens += outcome.usage.completion_tokens;
    result.report.sql_details = Some(serde_json::json!({
        "attempts": outcome.attempts,
        "links": outcome.links,
        "abstained": outcome.abstained,
    }));
    result.report.sql = (!outcome.sql.is_empty()).then_some(outcome.sql);
    let Some(rows) = outcome.rows else {
        hand_over(result, outcome.abstained.as_deref().unwrap_or("the tables cannot answer it"));
        return;
    };
    let portuguese = language::code(question) == Some("pt");
    result.notes.extend(rows.notes.iter().map(|note| note.words(portuguese)));
    // An empty result, or nothing but NULL, is no answer: the text may know.
    result.found = rows.rows.iter().flatten().any(|value| !value.is_null());
    result.report.columns = rows.columns;
    result.report.rows = rows.rows;
    result.report.row_count = rows.row_count;
    if !result.found {
        hand_over(result, "the query found no rows");
    }
}

fn hand_over(result: &mut PartResult, reason: &str) {
    result.report.fallback =
        Some(Fallback { from: "relational".into(), to: "vector".into(), reason: reason.to_owned() });
}
