//! The model runtime with real models. Cases L of the project's case list are named in the tests.
#![cfg(feature = "llama")]
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod embedding;
mod files;
mod generation;
mod loader;

use std::path::PathBuf;
use std::sync::OnceLock;

use polyrag::models::llama::{LlamaEmbedder, LlamaGenerator};
use polyrag::models::{EmbedOptions, GenerateOptions, Gpu};

const E5: &str = "multilingual-e5-small-q4_0.gguf";
const TINY: &str = "smollm2-135m-instruct-q4_1.gguf";
const SMALL: &str = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf";

/// Path of a model; a missing one fails the test with the command that fixes it.
fn model(name: &str) -> PathBuf {
    let folder = std::env::var_os("POLYRAG_MODELS").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/polyrag/models"),
        PathBuf::from,
    );
    let path = folder.join(name);
    assert!(path.is_file(), "{} is missing; run ./setup.sh models", path.display());
    path
}

fn cpu_embed() -> EmbedOptions {
    EmbedOptions { gpu: Gpu::Off, ..Default::default() }
}

fn cpu_generate() -> GenerateOptions {
    GenerateOptions { gpu: Gpu::Off, context_tokens: 2048, ..Default::default() }
}

/// The embedder all tests share.
fn e5() -> &'static LlamaEmbedder {
    static SHARED: OnceLock<LlamaEmbedder> = OnceLock::new();
    SHARED.get_or_init(|| LlamaEmbedder::load(&model(E5), &cpu_embed()).unwrap())
}

/// The plumbing generator all tests share.
fn tiny() -> &'static LlamaGenerator {
    static SHARED: OnceLock<LlamaGenerator> = OnceLock::new();
    SHARED.get_or_init(|| LlamaGenerator::load(&model(TINY), &cpu_generate()).unwrap())
}

/// A generator that understands what it is asked.
fn small() -> &'static LlamaGenerator {
    static SHARED: OnceLock<LlamaGenerator> = OnceLock::new();
    SHARED.get_or_init(|| LlamaGenerator::load(&model(SMALL), &cpu_generate()).unwrap())
}
