//! Wording the answer: contexts in order, a budget, citations, and checks on what was written.

use std::collections::BTreeSet;

use crate::ask::phrases::{Phrase, phrase};
use crate::ask::verify::{Problem, problem_of};
use crate::ask::{PartResult, Request};
use crate::config::AnswerConfig;
use crate::decide::cite::Citer;
use crate::decide::numbers::spoken;
use crate::decide::rank::lost_in_the_middle;
use crate::error::{Error, Result};
use crate::models::{Finish, Generate, GenerateRequest, ModelError};
use crate::report::{AskReport, PartReport, Source};

/// A numbered piece of context.
#[derive(Debug, Clone)]
struct Context {
    number: usize,
    part: usize,
    label: String,
    text: String,
}

/// Writes the answer into the report, streaming it through `on_text`.
///
/// # Errors
/// [`Error::Cancelled`]; a generator that is missing or fails is a note, not an error.
pub fn write(
    request: &Request,
    report: &mut AskReport,
    results: Vec<PartResult>,
    on_text: &mut dyn FnMut(&str),
) -> Result<()> {
    let held: Vec<bool> = results.iter().map(|result| is_held(request, result)).collect();
    report.parts = results.into_iter().map(|result| result.report).collect();
    let most = request.engine.config.answer.passages;
    let mut contexts = collect_contexts(&report.parts, &held, most, &report.language);
    report.abstained = contexts.is_empty();
    report.sources = contexts.iter().map(|context| source_of(context, &report.parts)).collect();
    if !request.options.answer {
        return Ok(());
    }
    if report.abstained {
        report.answer = phrase(&report.language, Phrase::NotInFiles).to_owned();
        report.timings.first_token_ms = request.trace.elapsed_ms();
        on_text(&report.answer);
        return Ok(());
    }
    let generator = match request.engine.models.generate.get() {
        Ok(generator) => generator,
        Err(error) => {
            report.notes.push(without_generator(&error));
            return Ok(());
        }
    };
    let cut = fit_budget(&mut contexts, &report.parts, generator.as_ref(), &request.engine.config.answer)?;
    if cut > 0 {
        report.notes.push(format!("{cut} of the weakest passages did not fit the context and were left out"));
    }
    let used = generate(request, report, &contexts, generator.as_ref(), on_text)?;
    append_missing_parts(report, &held, on_text);
    report.sources = cited(&used, &contexts, &report.parts);
    Ok(())
}

/// Whether a part has something to answer from: rows, or passages over the evidence floor.
fn is_held(request: &Request, result: &PartResult) -> bool {
    if !result.report.rows.is_empty() && result.report.fallback.is_none() {
        return true;
    }
    let floor = request.snapshot.calibration.evidence_floor;
    result.found
        && (result.report.evidence.is_empty()
            || result.report.evidence.values().any(|held| held.dense >= floor || held.lexical >= 0.5))
}

/// Numbers the contexts of every part: the SQL result alone, or the passages in prompt order.
fn collect_contexts(parts: &[PartReport], held: &[bool], passages: usize, language: &str) -> Vec<Context> {
    let mut contexts = Vec::new();
    for (index, part) in parts.iter().enumerate().filter(|(index, _)| held[*index]) {
        if let (Some(_), None) = (&part.sql, &part.fallback) {
            let number = contexts.len() + 1;
            let (label, text) = (String::from("table"), rows_as_text(part, language));
            contexts.push(Context { number, part: index, label, text });
            continue;
        }
        let first = contexts.len();
        for (position, passage) in part.retrieved.iter().take(passages).enumerate() {
            let label = [passage.document.as_str(), passage.location.as_str()]
                .into_iter()
                .filter(|piece| !piece.is_empty())
                .collect::<Vec<_>>()
                .join(" > ");
            let text = passage.text.trim().to_owned();
            contexts.push(Context { number: first + position + 1, part: index, label, text });
        }
    }
    contexts
}

/// Rows as the generator sees them: one `column = value` line each, in the query's order.
fn rows_as_text(part: &PartReport, language: &str) -> String {
    let mut lines: Vec<String> = part
        .rows
        .iter()
        .take(20)
        .map(|row| {
            part.columns
                .iter()
                .zip(row)
                .map(|(column, value)| format!("{column} = {}", said(value, language)))
                .collect::<Vec<_>>()
                .join("; ")
        })
        .collect();
    if part.row_count > lines.len() as u64 {
        lines.push(format!("(first {} of {} rows)", lines.len(), part.row_count));
    }
    lines.join("\n")
}

/// A cell in the notation of the answer's language, for the model to copy. Whole numbers beyond the
/// precision of a double stay as they are.
fn said(value: &serde_json::Value, language: &str) -> String {
    match value.as_f64() {
        Some(number) if number.abs() < 9e15 => spoken(number, language),
        _ => cell(value),
    }
}

/// A cell as people read it; NULL is said, not hidden.
pub(super) fn cell(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "NULL".into(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Drops the weakest passages until the prompt fits; returns how many.
fn fit_budget(
    contexts: &mut Vec<Context>,
    parts: &[PartReport],
    generator: &dyn Generate,
    config: &AnswerConfig,
) -> Result<usize> {
    let questions: usize = parts.iter().map(|part| part.question.len()).sum();
    let fixed = generator.count_tokens(&config.system)? + generator.template_tokens() + questions + 128;
    let room =
        generator.context_tokens().saturating_sub(fixed + config.max_tokens).min(config.context_tokens);
    let mut sizes = Vec::with_capacity(contexts.len());
    for context in contexts.iter() {
        sizes.push(generator.count_tokens(&context.text)? + generator.count_tokens(&context.label)? + 8);
    }
    let before = contexts.len();
    while contexts.len() > 1 && sizes.iter().sum::<usize>() > room {
        // Within a part the last context is the weakest; take it from the part with the most.
        let largest = (0..parts.len())
            .max_by_key(|part| contexts.iter().filter(|context| context.part == *part).count())
            .unwrap_or(0);
        let Some(at) = contexts.iter().rposition(|context| context.part == largest) else { break };
        contexts.remove(at);
        sizes.remove(at);
    }
    Ok(before - contexts.len())
}

/// Writes the answer, once more if it does not hold; returns the numbers of the sources cited.
fn generate(
    request: &Request,
    report: &mut AskReport,
    contexts: &[Context],
    generator: &dyn Generate,
    on_text: &mut dyn FnMut(&str),
) -> Result<BTreeSet<usize>> {
    let config = &request.engine.config.answer;
    let mut prompt = GenerateRequest {
        system: config.system.clone(),
        user: user_prompt(report, contexts),
        max_tokens: config.max_tokens,
        ..GenerateRequest::default()
    };
    let known: Vec<&str> =
        contexts.iter().flat_map(|context| [context.text.as_str(), context.label.as_str()]).collect();
    let mut written = run(request, report, contexts, generator, &prompt, on_text)?;
    if let Some(problem) = problem_of(written.text(), report, &known) {
        prompt.user.push_str(&format!("\n\n{}", problem.correction(&report.language)));
        report.notes.push(format!("written again: {problem}"));
        on_text("\n");
        written = run(request, report, contexts, generator, &prompt, on_text)?;
        if let Some(still) = problem_of(written.text(), report, &known) {
            report.answer = settle(written.text(), &still, report, on_text);
            return Ok(written.used().clone());
        }
    }
    written.text().clone_into(&mut report.answer);
    Ok(written.used().clone())
}

/// One generation, with citations added as its sentences end.
fn run(
    request: &Request,
    report: &mut AskReport,
    contexts: &[Context],
    generator: &dyn Generate,
    prompt: &GenerateRequest,
    on_text: &mut dyn FnMut(&str),
) -> Result<Citer> {
    let mut span = request.trace.span("pipeline.answer", Some("pipeline"));
    span.set("model", generator.identity().name.clone());
    let sources = contexts.iter().map(|context| (context.number, context.text.as_str()));
    let mut citer = Citer::new(&report.question, sources);
    let mut first = None;
    let generation = generator
        .generate(prompt, request.cancel, &mut |text| {
            first.get_or_insert_with(|| request.trace.elapsed_ms());
            on_text(&citer.push(text));
        })
        .map_err(|error| match error {
            ModelError::Cancelled => Error::Cancelled,
            other => other.into(),
        })?;
    on_text(&citer.finish());
    if report.timings.first_token_ms == 0.0 {
        report.timings.first_token_ms = first.unwrap_or_else(|| request.trace.elapsed_ms());
    }
    span.set("gen_ai.usage.input_tokens", generation.prompt_tokens);
    span.set("gen_ai.usage.cached_tokens", generation.cached_tokens);
    span.set("gen_ai.usage.output_tokens", generation.completion_tokens);
    span.set("first_token_ms", generation.first_token_ms);
    report.usage.add(&generation);
    match generation.finish {
        Finish::Cancelled => return Err(Error::Cancelled),
        Finish::Length => report.notes.push("the answer reached its length limit".into()),
        Finish::Repetition => report.notes.push("the answer began to repeat itself and was stopped".into()),
        Finish::Stop | Finish::StopString => {}
    }
    Ok(citer)
}

/// The user text: contexts under labels, then the questions, then the language.
fn user_prompt(report: &AskReport, contexts: &[Context]) -> String {
    let mut text = String::new();
    for (index, part) in report.parts.iter().enumerate() {
        let own: Vec<&Context> = contexts.iter().filter(|context| context.part == index).collect();
        if own.is_empty() {
            continue;
        }
        if report.parts.len() > 1 {
            text.push_str(&format!("## {}\n", part.question));
        }
        // Rows keep the query's order; passages go where a model reads best.
        let ordered =
            if part.sql.is_some() && part.fallback.is_none() { own } else { lost_in_the_middle(&own) };
        for context in ordered {
            // The heading alone: a small model copies file names into its sentences.
            let heading = context.label.split_once(" > ").map_or("", |(_, heading)| heading);
            text.push_str(&format!("[{}] {heading}\n{}\n\n", context.number, context.text));
        }
    }
    let language = phrase(&report.language, Phrase::LanguageRule);
    text.push_str(&format!(
        "{}: {}\n{language}",
        phrase(&report.language, Phrase::Question),
        report.question
    ));
    text
}

/// A second attempt that still fails is kept and said, except where the rows can speak for themselves.
fn settle(answer: &str, problem: &Problem, report: &mut AskReport, on_text: &mut dyn FnMut(&str)) -> String {
    report.notes.push(format!("not verified: {problem}"));
    let from_rows: Vec<String> = report
        .parts
        .iter()
        .filter(|part| part.sql.is_some() && part.fallback.is_none() && !part.rows.is_empty())
        .map(|part| rows_as_text(part, &report.language))
        .collect();
    if from_rows.len() == report.parts.len() {
        let rows = from_rows.join("\n");
        on_text(&format!("\n{rows}"));
        return rows;
    }
    answer.to_owned()
}

/// Says for each part that found nothing that it did.
fn append_missing_parts(report: &mut AskReport, held: &[bool], on_text: &mut dyn FnMut(&str)) {
    for (part, _) in report.parts.iter().zip(held).filter(|(_, held)| !**held) {
        let line = format!("\n{}: {}", part.question, phrase(&report.language, Phrase::NotInFiles));
        on_text(&line);
        report.answer.push_str(&line);
    }
}

/// The sources the answer cites; all of them when it cites none.
fn cited(used: &BTreeSet<usize>, contexts: &[Context], parts: &[PartReport]) -> Vec<Source> {
    contexts
        .iter()
        .filter(|context| used.is_empty() || used.contains(&context.number))
        .map(|context| source_of(context, parts))
        .collect()
}

fn source_of(context: &Context, parts: &[PartReport]) -> Source {
    let part = &parts[context.part];
    if let (Some(sql), None) = (&part.sql, &part.fallback) {
        return Source {
            n: context.number,
            document: part.evidence.get("relational").map_or_else(String::new, |held| held.source.clone()),
            location: sql.clone(),
            store: "relational".into(),
            also_at: Vec::new(),
        };
    }
    let mut pieces = context.label.splitn(2, " > ");
    let document = pieces.next().unwrap_or_default().to_owned();
    let location = pieces.next().unwrap_or_default().to_owned();
    let same = part.retrieved.iter().find(|hit| hit.document == document && hit.location == location);
    Source {
        n: context.number,
        also_at: same.map_or_else(Vec::new, |hit| hit.also_at.clone()),
        document,
        location,
        store: part.retrieved.first().map_or_else(|| part.route.clone(), |first| first.store.clone()),
    }
}

fn without_generator(error: &ModelError) -> String {
    let hint = error.hint().map_or_else(String::new, |hint| format!(" ({hint})"));
    format!("no answer was worded: {error}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_said() {
        assert_eq!(cell(&serde_json::Value::Null), "NULL");
        assert_eq!(cell(&serde_json::json!(12.5)), "12.5");
    }
}
