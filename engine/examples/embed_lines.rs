//! Embeds the lines of standard input: one JSON array of numbers a line on standard output.
//!
//! ```text
//! cargo run --release --example embed_lines -- MODEL.gguf query|passage [one]
//! ```
//! With `one` each line is its own call, to compare rates. Rates go to standard error.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::BufRead;
use std::path::PathBuf;
use std::time::Instant;

use polyrag::models::llama::LlamaEmbedder;
use polyrag::models::{Cancel, Embed, EmbedOptions, Gpu, Purpose};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let model = PathBuf::from(arguments.next().ok_or("MODEL.gguf is missing")?);
    let purpose = match arguments.next().as_deref() {
        Some("passage") => Purpose::Passage,
        _ => Purpose::Query,
    };
    let one_by_one = arguments.next().as_deref() == Some("one");
    let gpu = match std::env::var("POLYRAG_GPU").ok().as_deref() {
        Some("off") => Gpu::Off,
        Some(index) => Gpu::Device(index.parse()?),
        None => Gpu::Auto,
    };
    let batch_tokens = std::env::var("POLYRAG_BATCH").ok().map_or(Ok(512), |n| n.parse())?;
    let started = Instant::now();
    let embedder = LlamaEmbedder::load(&model, &EmbedOptions { gpu, batch_tokens, ..Default::default() })?;
    eprintln!("{:?} {:?} in {:?}", embedder.identity(), embedder.placement(), started.elapsed());
    let lines: Vec<String> = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
    let never = Cancel::default();
    let started = Instant::now();
    let mut vectors = Vec::new();
    if one_by_one {
        for text in &texts {
            vectors.append(&mut embedder.embed(purpose, &[text], &never)?);
        }
    } else {
        vectors = embedder.embed(purpose, &texts, &never)?;
    }
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    eprintln!(
        "{} texts in {milliseconds:.0} ms, {:.2} ms each",
        texts.len(),
        milliseconds / texts.len().max(1) as f64
    );
    for vector in vectors {
        println!("{}", serde_json::to_string(&vector)?);
    }
    Ok(())
}
