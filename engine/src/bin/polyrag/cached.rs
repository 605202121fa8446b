//! `cache list`, `cache rm`, `cache clear`, `cache check`.

use std::process::ExitCode;

use polyrag::decide::guard::{self, CacheConfig};
use polyrag::decide::rank::dot;
use polyrag::engine::{Engine, Snapshot};
use polyrag::models::{Cancel, Purpose};
use polyrag::store::cache::{self, Entry};
use polyrag::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::args::{CacheAction, Cli};
use crate::lines;

/// Runs `cache …`.
pub fn run(cli: &Cli, engine: &Engine, action: &CacheAction, cancel: &Cancel) -> Result<ExitCode> {
    match action {
        CacheAction::List { question } => list(cli, engine, question.as_deref(), cancel),
        CacheAction::Rm { ids } => remove(cli, engine, ids),
        CacheAction::Clear => {
            let removed = engine.bookkeeping(|connection| Ok(cache::clear(connection)?))?;
            said(cli, &json!({ "removed": removed }), &format!("removed {removed}"))
        }
        CacheAction::Check { .. } => check(engine, cancel),
    }
}

fn said(cli: &Cli, value: &Value, text: &str) -> Result<ExitCode> {
    if cli.json {
        lines::print(value)?;
    } else {
        println!("{text}");
    }
    Ok(ExitCode::SUCCESS)
}

/// The cache's settings with the threshold of the embedder in use.
fn settings(engine: &Engine, snapshot: &Snapshot) -> CacheConfig {
    CacheConfig { threshold: snapshot.calibration.cache_threshold, ..engine.config.cache.clone() }
}

fn list(cli: &Cli, engine: &Engine, question: Option<&str>, cancel: &Cancel) -> Result<ExitCode> {
    let reader = engine.reader()?;
    let entries = cache::list(&reader)?;
    let mut values: Vec<Value> =
        entries.iter().map(|entry| serde_json::to_value(entry).unwrap_or_default()).collect();
    if let Some(question) = question {
        let vector = engine.embedder()?.embed(Purpose::Query, &[question], cancel)?.remove(0);
        let snapshot = engine.snapshot()?;
        let (settings, asked) = (settings(engine, &snapshot), guard::Query::new(question));
        for ((_, stored), (entry, value)) in
            cache::vectors(&reader)?.iter().zip(entries.iter().zip(&mut values))
        {
            let score = if stored.len() == vector.len() { dot(stored, &vector) } else { f32::NAN };
            let known = guard::Query::new(&entry.question);
            let verdict = guard::check(&known, &asked, score, &settings, &snapshot.vocabulary);
            value["score"] = json!(score);
            value["hit"] = json!(verdict.hit);
            value["guard"] = json!(verdict.summary());
        }
        let score = |value: &Value| value["score"].as_f64().unwrap_or(f64::NEG_INFINITY);
        values.sort_by(|a, b| score(b).total_cmp(&score(a)));
    }
    if cli.json {
        lines::print(&json!({ "entries": values }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for value in &values {
        show(value);
    }
    if values.is_empty() {
        println!("no stored answers");
    }
    Ok(ExitCode::SUCCESS)
}

fn show(value: &Value) {
    let Ok(entry) = serde_json::from_value::<Entry>(value.clone()) else { return };
    println!("{:>5}  {}", entry.id, entry.question);
    let answer: String =
        entry.answer.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(100).collect();
    println!("       {answer}");
    if let Some(score) = value["score"].as_f64() {
        println!("       similarity {score:.3}: {}", value["guard"].as_str().unwrap_or_default());
    }
    match &entry.last {
        Some(last) => println!(
            "       served {}, refused {}; last {:.3} to \"{}\": {}",
            entry.served, entry.refused, last.score, last.question, last.guard
        ),
        None => println!("       not asked for again yet"),
    }
}

fn remove(cli: &Cli, engine: &Engine, ids: &[i64]) -> Result<ExitCode> {
    let (mut removed, mut unknown) = (Vec::new(), Vec::new());
    engine.bookkeeping(|connection| {
        for id in ids {
            if cache::remove(connection, *id)? { removed.push(*id) } else { unknown.push(*id) }
        }
        Ok(())
    })?;
    if cli.json {
        lines::print(&json!({ "removed": removed, "unknown": unknown }))?;
    } else {
        for id in &removed {
            println!("removed {id}");
        }
        for id in &unknown {
            eprintln!("no stored answer {id}: `polyrag cache list` shows the ids");
        }
    }
    Ok(ExitCode::from(u8::from(!unknown.is_empty())))
}

#[derive(Deserialize)]
struct Pair {
    #[serde(default)]
    id: Value,
    a: String,
    b: String,
}

fn check(engine: &Engine, cancel: &Cancel) -> Result<ExitCode> {
    let embedder = engine.embedder()?;
    let snapshot = engine.snapshot()?;
    let settings = settings(engine, &snapshot);
    let well = lines::each(|pair: Pair, _| {
        let vectors = embedder.embed(Purpose::Query, &[&pair.a, &pair.b], cancel)?;
        let [a, b] = vectors.as_slice() else {
            return Err(Error::Internal("two texts gave another number of vectors".into()));
        };
        let score = dot(a, b);
        let (a, b) = (guard::Query::new(&pair.a), guard::Query::new(&pair.b));
        let verdict = guard::check(&a, &b, score, &settings, &snapshot.vocabulary);
        Ok(json!({ "id": pair.id, "hit": verdict.hit, "score": score, "guard": verdict.summary() }))
    })?;
    Ok(ExitCode::from(u8::from(!well)))
}
