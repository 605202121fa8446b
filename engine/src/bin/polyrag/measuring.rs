//! `calibrate`, `eval`, `classify`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use indicatif::ProgressBar;
use polyrag::ask::AskOptions;
use polyrag::ask::calibrate::{self, Labelled};
use polyrag::ask::evaluate::{SetReport, evaluate};
use polyrag::decide::classify::{Classifier, Example, NONE};
use polyrag::decide::measure::{Known, Mean, Share};
use polyrag::engine::Engine;
use polyrag::models::{Cancel, Embed, Purpose};
use polyrag::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::args::{ClassifyArgs, Cli, EvalArgs};
use crate::lines;

fn name_of(file: &Path) -> String {
    file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Runs `calibrate`.
pub fn calibrate(cli: &Cli, engine: &Engine, file: Option<&Path>, cancel: &Cancel) -> Result<ExitCode> {
    let fitted = match file {
        Some(file) => {
            let set: Vec<Labelled> = lines::read(file)?;
            calibrate::calibrate(engine, &set, &name_of(file), cancel)?
        }
        None => {
            let fitted = engine.fitted_from_phrases()?;
            engine.keep_calibration(&fitted)?;
            fitted
        }
    };
    if cli.json {
        lines::print(&fitted)?;
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", fitted.summary());
    let questions = fitted.questions;
    println!("  by the phrases alone from {:.4}, margin {:.4}", questions.tau_high, questions.delta);
    let within = |ambiguity: Option<f32>| {
        ambiguity.map_or_else(|| "nothing can be promised".to_owned(), |within| format!("{within:.4}"))
    };
    println!("  a store is possible within: phrases {}", within(questions.anchor_ambiguity));
    println!("                              evidence {}", within(questions.ambiguity));
    println!("  evidence floor {:.4}, cache threshold {:.4}", fitted.evidence_floor, fitted.cache_threshold);
    println!("  scale: far {:.4}, near {:.4}", fitted.scale.far, fitted.scale.near);
    Ok(ExitCode::SUCCESS)
}

/// Runs `eval`.
pub fn eval(cli: &Cli, engine: &Engine, arguments: &EvalArgs, cancel: &Cancel) -> Result<ExitCode> {
    let started = Instant::now();
    let options = AskOptions {
        use_cache: false,
        answer: !arguments.no_answer,
        top_k: usize::from(arguments.top_k),
        ..AskOptions::default()
    };
    let mut reports = Vec::new();
    for file in &arguments.sets {
        let mut set: Vec<Known> = lines::read(file)?;
        for (index, known) in set.iter_mut().enumerate().filter(|(_, known)| known.id.is_null()) {
            known.id = json!(index + 1);
        }
        let bar = ProgressBar::new(set.len() as u64);
        bar.set_message(name_of(file));
        let report = evaluate(engine, &name_of(file), &set, &options, cancel, &mut |done| {
            bar.set_position(done as u64)
        })?;
        bar.finish_and_clear();
        reports.push(report);
    }
    let missed = missed(&reports, &arguments.require);
    let result = json!({ "sets": reports, "seconds": started.elapsed().as_secs_f64(), "missed": missed });
    if let Some(out) = &arguments.out {
        let text =
            serde_json::to_string_pretty(&result).map_err(|error| Error::Internal(error.to_string()))?;
        std::fs::write(out, text + "\n").map_err(|source| Error::Io { path: out.clone(), source })?;
    }
    if cli.json {
        lines::print(&result)?;
    } else {
        reports.iter().for_each(show_set);
    }
    for line in &missed {
        eprintln!("polyrag: {line}");
    }
    Ok(ExitCode::from(u8::from(!missed.is_empty())))
}

fn missed(reports: &[SetReport], required: &[(String, f64)]) -> Vec<String> {
    let mut missed = Vec::new();
    for report in reports {
        for (name, least) in required {
            let value = report.summary.figure(name).unwrap_or(0.0);
            if value < *least {
                missed.push(format!("{}: {name} is {value:.4}, {least} required", report.set));
            }
        }
    }
    missed
}

fn show_set(report: &SetReport) {
    println!("{} ({} questions)", report.set, report.summary.questions);
    let summary = &report.summary;
    let share = |name: &str, share: &Share| {
        if share.total > 0 {
            let [low, high] = share.interval95;
            println!(
                "  {name:<18} {:>4}/{:<4} {:>6.1} %   95 % {:.1} to {:.1}",
                share.passed,
                share.total,
                share.share * 100.0,
                low * 100.0,
                high * 100.0
            );
        }
    };
    let mean = |name: &str, mean: &Mean| {
        if mean.total > 0 {
            let [low, high] = mean.interval95;
            println!("  {name:<18} {:>9} {:>7.3}     95 % {low:.3} to {high:.3}", mean.total, mean.mean);
        }
    };
    share("routing", &summary.routing);
    share("split", &summary.split);
    mean("recall@1", &summary.recall_at_1);
    mean("recall@5", &summary.recall_at_5);
    mean("mrr", &summary.mrr);
    share("empty", &summary.empty);
    share("facts", &summary.facts);
    share("declined rightly", &summary.declined_rightly);
    share("declined wrongly", &summary.declined_wrongly);
    for (kind, right) in &report.by_kind {
        share(&format!("  {kind}"), right);
    }
    if summary.errors > 0 {
        println!("  errors             {:>4}", summary.errors);
    }
    for detail in &report.questions {
        let wrong = detail.score.routing == Some(false)
            || detail.score.facts == Some(false)
            || detail.score.split == Some(false)
            || !detail.score.not_retrieved.is_empty()
            || detail.score.abstained.is_some_and(|declined| declined != detail.known.unanswerable);
        if wrong || detail.error.is_some() {
            println!("  [{}] {}", detail.known.id, detail.known.question);
            println!("      routes {:?}, missing {:?}", detail.routes, detail.score.missing);
        }
    }
}

#[derive(Deserialize)]
struct Text {
    #[serde(default)]
    id: Value,
    text: String,
}

#[derive(Deserialize)]
struct Labels {
    text: String,
    intent: String,
}

/// Texts embedded at a time: enough to fill batches, few enough to be stopped soon.
const AT_A_TIME: usize = 256;

fn embedded(embedder: &dyn Embed, texts: Vec<Labels>, cancel: &Cancel) -> Result<Vec<Example>> {
    let bar = ProgressBar::new(texts.len() as u64);
    let mut examples = Vec::with_capacity(texts.len());
    for some in texts.chunks(AT_A_TIME) {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let plain: Vec<&str> = some.iter().map(|labelled| labelled.text.as_str()).collect();
        let vectors = embedder.embed(Purpose::Query, &plain, cancel)?;
        examples.extend(
            some.iter()
                .zip(vectors)
                .map(|(labelled, vector)| Example { intent: labelled.intent.clone(), vector }),
        );
        bar.inc(some.len() as u64);
    }
    bar.finish_and_clear();
    Ok(examples)
}

/// Runs `classify --batch`.
pub fn classify(cli: &Cli, arguments: &ClassifyArgs, cancel: &Cancel) -> Result<ExitCode> {
    let config = crate::configuration(cli)?;
    let (models, _) = polyrag::models::open::open(&crate::models_folder()?, &config.models)?;
    let routes: Vec<Labels> = lines::read(&arguments.routes)?;
    let fit: Vec<Labels> = arguments.fit.as_deref().map_or_else(|| Ok(Vec::new()), lines::read)?;
    if routes.iter().any(|route| route.intent == NONE) {
        let routes = arguments.routes.display();
        return Err(Error::Usage(format!(
            "{routes}: `{NONE}` is no intent: put such texts in the --fit file"
        )));
    }
    let embedder = models.embed.get()?;
    let anchors = embedded(embedder.as_ref(), routes, cancel)?;
    let labelled = embedded(embedder.as_ref(), fit, cancel)?;
    let classifier = Classifier::fit(&anchors, &labelled, &config.classify)
        .map_err(|error| Error::Usage(format!("{}: {error}", arguments.routes.display())))?;
    eprintln!("{}", classifier.fitted().summary());
    let well = lines::each(|input: Text, line| {
        let vector = embedder.embed(Purpose::Query, &[&input.text], cancel)?.remove(0);
        let decision = classifier.decide(&vector);
        let id = if input.id.is_null() { json!(line) } else { input.id };
        Ok(json!({ "id": id, "intent": decision.intent, "scores": decision.scores, "margin": decision.margin,
            "confidence": decision.confidence, "threshold": decision.threshold, "possible": decision.possible }))
    })?;
    Ok(ExitCode::from(u8::from(!well)))
}
