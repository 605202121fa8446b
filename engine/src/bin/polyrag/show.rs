//! Answers and decisions as people read them in a terminal.

use polyrag::models::options::Placement;
use polyrag::report::{AddedDocument, AskReport, PartReport};
use serde_json::Value;

const BAR: usize = 24;

/// Prints what follows an answer: sources, the route, and with `details` every number.
pub fn answer(report: &AskReport, details: bool, placements: &[(&'static str, Placement)]) {
    println!();
    for source in &report.sources {
        println!("  [{}] {}  {}", source.n, source.document, source.location);
        for also in &source.also_at {
            println!("      also at {}", path(also));
        }
    }
    if let Some(followup) = &report.followup {
        println!("  taken over: {}", followup.carried.join(", "));
    }
    if report.cache.hit {
        let question = report.cache.question.as_deref().unwrap_or_default();
        println!("  from the cache: \"{question}\", similarity {:.3}", report.cache.score.unwrap_or(0.0));
    }
    for note in &report.notes {
        eprintln!("  note: {note}");
    }
    for part in &report.parts {
        if report.parts.len() > 1 {
            println!("  part: {}", part.question);
        }
        println!("  route {} (stage {}, margin {:.4})", part.route, part.stage, part.margin);
        if let Some(fallback) = &part.fallback {
            println!("  handed over from {} to {}: {}", fallback.from, fallback.to, fallback.reason);
        }
        if details {
            part_details(part);
        }
    }
    if details {
        cache(report);
        spans(report, placements);
    }
    println!("  {:.0} ms, trace {}", report.timings.total_ms, report.trace_id);
}

fn part_details(part: &PartReport) {
    for (store, score) in &part.scores {
        bar(store, *score, part.evidence.get(store).map_or("", |held| held.source.as_str()));
    }
    if let Some(sql) = &part.sql {
        println!("    {sql}");
        table(&part.columns, &part.rows, part.row_count);
    }
    for passage in &part.retrieved {
        let first: String =
            passage.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(90).collect();
        println!(
            "    {}. {:.3} {} > {}: {first}",
            passage.rank, passage.score, passage.document, passage.location
        );
    }
}

/// Scores sit close together: the bar shows the upper half of the scale, the number all of it.
fn bar(store: &str, score: f32, source: &str) {
    let filled = ((score.clamp(0.5, 1.0) - 0.5) * 2.0 * BAR as f32).round() as usize;
    println!("    {store:<10} {}{} {score:.4}  {source}", "█".repeat(filled), "·".repeat(BAR - filled));
}

fn cache(report: &AskReport) {
    if let (false, Some(score)) = (report.cache.hit, report.cache.score) {
        let guard = report.cache.guard.as_deref().unwrap_or_default();
        println!("    cache: nearest {score:.3}, not served: {guard}");
    }
}

fn spans(report: &AskReport, placements: &[(&'static str, Placement)]) {
    for span in &report.spans {
        let indent = if span.parent.is_some() { "  " } else { "" };
        println!("    {:<28} {:>9.2} ms", format!("{indent}{}", span.name), span.ms);
    }
    println!(
        "    in model calls {:.0} of {:.0} ms; tokens {} in ({} cached), {} out",
        report.timings.model_ms,
        report.timings.total_ms,
        report.usage.prompt_tokens,
        report.usage.cached_tokens,
        report.usage.completion_tokens
    );
    for (role, placement) in placements {
        println!("    {role} on {} ({})", placement.device, placement.reason);
    }
}

/// Prints rows under their columns.
pub fn table(columns: &[String], rows: &[Vec<Value>], row_count: u64) {
    let text = |value: &Value| match value {
        Value::Null => "NULL".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let cells: Vec<Vec<String>> = rows.iter().take(20).map(|row| row.iter().map(text).collect()).collect();
    let width = |at: usize| {
        let longest = cells.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
        longest.unwrap_or(0).max(columns[at].chars().count())
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let line = |row: &[String]| {
        let padded: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    println!("    {}", line(columns));
    for row in &cells {
        println!("    {}", line(row));
    }
    if row_count > cells.len() as u64 {
        println!("    first {} of {row_count} rows", cells.len());
    }
}

/// Prints `route`'s result.
pub fn routes(value: &Value) {
    for part in value["parts"].as_array().into_iter().flatten() {
        println!("{}", part["question"].as_str().unwrap_or_default());
        println!(
            "  route {} (stage {}, margin {:.4})",
            part["route"].as_str().unwrap_or_default(),
            part["stage"].as_str().unwrap_or_default(),
            part["margin"].as_f64().unwrap_or(0.0)
        );
        for (store, score) in part["scores"].as_object().into_iter().flatten() {
            let source = part["evidence"][store]["source"].as_str().unwrap_or_default();
            bar(store, score.as_f64().unwrap_or(0.0) as f32, source);
        }
    }
}

/// Prints `search`'s result.
pub fn passages(list: &Value) {
    for passage in list.as_array().into_iter().flatten() {
        println!(
            "{}. {:.4}  {} > {}",
            passage["rank"],
            passage["score"].as_f64().unwrap_or(0.0),
            passage["document"].as_str().unwrap_or_default(),
            passage["location"].as_str().unwrap_or_default()
        );
        for line in passage["text"].as_str().unwrap_or_default().lines().take(6) {
            println!("   {line}");
        }
    }
}

/// Prints `sql`'s result.
pub fn rows(value: &Value) {
    match value["sql"].as_str() {
        Some(sql) => println!("{sql}"),
        None => println!("no query: {}", value["reason"].as_str().unwrap_or("nothing in the tables fits")),
    }
    let columns: Vec<String> = serde_json::from_value(value["columns"].clone()).unwrap_or_default();
    let rows: Vec<Vec<Value>> = serde_json::from_value(value["rows"].clone()).unwrap_or_default();
    if !columns.is_empty() {
        table(&columns, &rows, value["row_count"].as_u64().unwrap_or(0));
    }
    for note in value["notes"].as_array().into_iter().flatten() {
        println!("note: {}", note.as_str().unwrap_or_default());
    }
}

/// A stored path as people read it: below the current folder without the way to it.
pub fn path(stored: &str) -> String {
    let here = std::env::current_dir().ok();
    let below = here
        .and_then(|here| Some(std::path::Path::new(stored).strip_prefix(here).ok()?.display().to_string()));
    below.filter(|text| !text.is_empty()).unwrap_or_else(|| stored.to_owned())
}

/// Where a document's chunks went: `vector 3, graph 1`.
pub fn placements(document: &AddedDocument) -> String {
    let places: Vec<String> = document
        .placements
        .iter()
        .filter(|(_, count)| count.as_u64() != Some(0))
        .map(|(store, count)| format!("{store} {count}"))
        .collect();
    places.join(", ")
}

/// Prints what became of a document; warnings and errors go to standard error.
pub fn document(document: &AddedDocument) {
    println!("{:<10} {}  {}", document.status, path(&document.path), placements(document));
    if let Some(original) = &document.duplicate_of {
        println!("           same content as {}", path(original));
    }
    if let Some(from) = &document.moved_from {
        println!("           was {}", path(from));
    }
    for warning in &document.warnings {
        eprintln!("           {warning}");
    }
    if let Some(error) = &document.error {
        eprintln!("           {error}");
    }
}
