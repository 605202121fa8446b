//! Generates once: text on standard output as it comes, figures on standard error.
//!
//! ```text
//! cargo run --release --example generate -- MODEL.gguf SYSTEM USER [GRAMMAR-FILE]
//! ```
//! `@FILE` as SYSTEM or USER reads it from a file. `POLYRAG_REPEAT=n` asks n times (prefix
//! reuse), `POLYRAG_TOKENS`, `POLYRAG_CONTEXT` and `POLYRAG_BATCH` set the sizes.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use polyrag::models::llama::LlamaGenerator;
use polyrag::models::{Cancel, Generate, GenerateOptions, GenerateRequest, Gpu};

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn text(argument: Option<String>) -> std::io::Result<String> {
    let argument = argument.unwrap_or_default();
    match argument.strip_prefix('@') {
        Some(path) => std::fs::read_to_string(path),
        None => Ok(argument),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let model = PathBuf::from(arguments.next().ok_or("MODEL.gguf is missing")?);
    let (system, user) = (text(arguments.next())?, text(arguments.next())?);
    let grammar = arguments.next().map(std::fs::read_to_string).transpose()?;
    let gpu = match std::env::var("POLYRAG_GPU").ok().as_deref() {
        Some("off") => Gpu::Off,
        Some(index) => Gpu::Device(index.parse()?),
        None => Gpu::Auto,
    };
    let options = GenerateOptions {
        gpu,
        context_tokens: number("POLYRAG_CONTEXT", 4096),
        batch: number("POLYRAG_BATCH", 0),
        ..Default::default()
    };
    let started = Instant::now();
    let generator = LlamaGenerator::load(&model, &options)?;
    eprintln!("{:?} {:?} in {:?}", generator.identity(), generator.placement(), started.elapsed());
    let max_tokens = number("POLYRAG_TOKENS", 256);
    let request = GenerateRequest { system, user, grammar, max_tokens, ..Default::default() };
    for _ in 0..number("POLYRAG_REPEAT", 1) {
        let mut out = std::io::stdout();
        let done = generator.generate(&request, &Cancel::default(), &mut |piece| {
            let _ = out.write_all(piece.as_bytes());
            let _ = out.flush();
        })?;
        println!();
        let computed = done.prompt_tokens - done.cached_tokens;
        let decode_ms = done.total_ms - done.first_token_ms;
        eprintln!(
            "{:?}: prompt {} ({} cached), {:.1} tok/s; {} tokens, {:.1} tok/s; first token {:.0} ms",
            done.finish,
            done.prompt_tokens,
            done.cached_tokens,
            computed as f64 / done.first_token_ms * 1000.0,
            done.completion_tokens,
            done.completion_tokens.saturating_sub(1) as f64 / decode_ms * 1000.0,
            done.first_token_ms,
        );
    }
    Ok(())
}
