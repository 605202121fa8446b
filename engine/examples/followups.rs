//! Measures follow-ups on a set: how many are completed as they should be, how many left alone.
//!
//! ```text
//! cargo run --release --no-default-features --example followups -- eval/sets/followups.jsonl...
//! ```
//! A line holds `previous`, `message`, and either `complete: true` (to be left alone) or what the
//! completed question `holds` and `lacks`, compared without case and accents. No corpus: no names are known.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use polyrag::decide::followup::{NoNames, complete};
use polyrag::decide::measure::Share;
use polyrag::decide::text::fold;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    previous: String,
    message: String,
    #[serde(default)]
    complete: bool,
    #[serde(default)]
    holds: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
}

fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        let (mut completed, mut left) = (Vec::new(), Vec::new());
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let case: Case = serde_json::from_str(line).unwrap();
            let question = complete(&case.previous, &case.message, &NoNames).map(|found| found.question);
            let within = |words: &[String], wanted: bool| {
                let folded = question.as_deref().map(fold).unwrap_or_default();
                words.iter().all(|word| folded.contains(&fold(word)) == wanted)
            };
            let right = match case.complete {
                true => question.is_none(),
                false => question.is_some() && within(&case.holds, true) && within(&case.lacks, false),
            };
            if case.complete {
                left.push(right)
            } else {
                completed.push(right)
            }
            if !right {
                println!("{}: {} | {} -> {question:?}", case.id, case.previous, case.message);
            }
        }
        for (name, values) in [("completed", completed), ("left alone", left)] {
            let Share { passed, total, interval95: [low, high], .. } = Share::of(values);
            println!("{file}: {name} {passed}/{total} (95 % {:.1} to {:.1} %)", low * 100.0, high * 100.0);
        }
    }
}
