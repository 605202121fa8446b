//! `ask`, `route`, `search`, `sql`, `split`, `explain`.

use std::io::Write;
use std::process::ExitCode;

use polyrag::ask::{self, AskOptions};
use polyrag::decide::split;
use polyrag::engine::{Engine, new_trace_id};
use polyrag::models::Cancel;
use polyrag::models::open::Placements;
use polyrag::store::catalog;
use polyrag::trace::Trace;
use polyrag::{Error, Result};
use serde_json::{Value, json};

use crate::args::{AskArgs, BatchArgs, Cli, RankingArg, SearchArgs};
use crate::lines::{self, Question};
use crate::show;

fn code(all_well: bool) -> ExitCode {
    ExitCode::from(u8::from(!all_well))
}

/// Runs `ask`.
pub fn ask(
    cli: &Cli,
    engine: &Engine,
    arguments: &AskArgs,
    cancel: &Cancel,
    placements: &Placements,
) -> Result<ExitCode> {
    let options = |id: Option<String>| AskOptions {
        id,
        use_cache: !arguments.no_cache,
        answer: !arguments.no_answer,
        top_k: usize::from(arguments.top_k),
        filter: arguments.filter.clone(),
        followup: None,
    };
    let Some(question) = &arguments.question else {
        let well = lines::each(|input: Question, line| {
            let trace = Trace::new(new_trace_id(), None);
            ask::ask(engine, &input.question, &options(Some(input.id(line))), &trace, cancel, &mut |_| {})
        })?;
        return Ok(code(well));
    };
    let trace = Trace::new(new_trace_id(), None);
    let stream = !cli.json;
    let report = ask::ask(engine, question, &options(None), &trace, cancel, &mut |text| {
        if stream {
            print!("{text}");
            // A closed pipe shows at the next print of the report; the stream itself may go on.
            let _ = std::io::stdout().flush();
        }
    })?;
    if cli.json {
        lines::print(&report)?;
    } else {
        show::answer(&report, arguments.details, &placements.lock().unwrap_or_else(|e| e.into_inner()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `route`.
pub fn route(cli: &Cli, engine: &Engine, input: &BatchArgs, cancel: &Cancel) -> Result<ExitCode> {
    let one = |id: String, question: &str| -> Result<Value> {
        let report = ask::route_only(engine, question, cancel)?;
        let parts: Vec<Value> = report
            .parts
            .iter()
            .map(|part| {
                json!({ "question": part.question, "route": part.route, "stage": part.stage,
                    "scores": part.scores, "margin": part.margin, "evidence": part.evidence,
                    "decision": part.decision })
            })
            .collect();
        Ok(
            json!({ "id": id, "question": question, "language": report.language, "abstained": report.abstained,
            "parts": parts, "routes": report.routes, "spans": report.spans, "timings": report.timings }),
        )
    };
    if let Some(question) = &input.question {
        let value = one(String::new(), question)?;
        if cli.json {
            lines::print(&value)?;
        } else {
            show::routes(&value);
        }
        return Ok(ExitCode::SUCCESS);
    }
    Ok(code(lines::each(|input: Question, line| one(input.id(line), &input.question))?))
}

/// Runs `search`.
pub fn search(cli: &Cli, engine: &Engine, arguments: &SearchArgs, cancel: &Cancel) -> Result<ExitCode> {
    let store = match arguments.store {
        RankingArg::Vector => ask::Ranking::Vector,
        RankingArg::Graph => ask::Ranking::Graph,
        RankingArg::Fts => ask::Ranking::FullText,
    };
    let one = |id: String, question: &str| -> Result<Value> {
        let retrieved = ask::search(engine, question, store, usize::from(arguments.k), cancel)?;
        Ok(json!({ "id": id, "question": question, "retrieved": retrieved }))
    };
    if let Some(question) = &arguments.input.question {
        let value = one(String::new(), question)?;
        if cli.json {
            lines::print(&value)?;
        } else {
            show::passages(&value["retrieved"]);
        }
        return Ok(ExitCode::SUCCESS);
    }
    Ok(code(lines::each(|input: Question, line| one(input.id(line), &input.question))?))
}

/// Runs `sql`.
pub fn sql(cli: &Cli, engine: &Engine, input: &BatchArgs, cancel: &Cancel) -> Result<ExitCode> {
    let one = |id: String, question: &str| -> Result<Value> {
        let trace = Trace::new(new_trace_id(), None);
        let part = ask::sql_only(engine, question, &trace, cancel)?;
        Ok(json!({ "id": id, "question": question, "sql": part.report.sql, "columns": part.report.columns,
            "rows": part.report.rows, "row_count": part.report.row_count, "abstained": !part.found,
            "reason": part.report.fallback.map(|fallback| fallback.reason), "details": part.report.sql_details,
            "notes": part.notes, "usage": part.usage, "spans": trace.spans() }))
    };
    if let Some(question) = &input.question {
        let value = one(String::new(), question)?;
        if cli.json {
            lines::print(&value)?;
        } else {
            show::rows(&value);
        }
        return Ok(ExitCode::SUCCESS);
    }
    Ok(code(lines::each(|input: Question, line| one(input.id(line), &input.question))?))
}

/// Runs `split`.
pub fn split(cli: &Cli, input: &BatchArgs) -> Result<ExitCode> {
    let config = crate::configuration(cli)?.split;
    let parts = |question: &str| -> Vec<String> {
        split::split_with(question, &config).into_iter().map(|part| part.text).collect()
    };
    if let Some(question) = &input.question {
        let found = parts(question);
        if cli.json {
            lines::print(&json!({ "parts": found }))?;
        } else {
            for part in found {
                println!("{part}");
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    Ok(code(lines::each(|input: Question, _| {
        Ok(json!({ "id": input.id, "parts": parts(&input.question) }))
    })?))
}

/// Runs `explain`.
pub fn explain(cli: &Cli, engine: &Engine, trace_id: &str) -> Result<ExitCode> {
    let record = catalog::load_trace(&engine.reader()?, trace_id)?.ok_or_else(|| {
        Error::Usage(format!("no trace {trace_id}: the newest {} are kept", engine.config.trace.keep))
    })?;
    let report: polyrag::report::AskReport =
        serde_json::from_str(&record).map_err(|error| Error::Internal(error.to_string()))?;
    if cli.json {
        lines::print(&report)?;
    } else {
        println!("{}\n{}", report.question, report.answer);
        show::answer(&report, true, &[]);
    }
    Ok(ExitCode::SUCCESS)
}
