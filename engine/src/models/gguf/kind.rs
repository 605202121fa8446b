//! What a GGUF file can be used for.

use super::{Header, Value};

/// A role a GGUF file can fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Texts to vectors.
    Embedder,
    /// Writes text.
    Generator,
}

impl Kind {
    /// Returns the role's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Embedder => "embed",
            Self::Generator => "generate",
        }
    }
}

/// Architectures without a language head: they embed and nothing else.
const ENCODERS: &[&str] = &[
    "bert",
    "nomic-bert",
    "nomic-bert-moe",
    "neo-bert",
    "jina-bert-v2",
    "jina-bert-v3",
    "modern-bert",
    "eurobert",
    "gemma-embedding",
    "t5encoder",
    "llama-embed",
];

const POOLING_RANK: u64 = 4;

/// Checks that a file with this header can serve as `role`; the error says what it is instead.
///
/// # Errors
/// A sentence about what is wrong.
pub fn check_role(header: &Header, role: Kind) -> Result<(), String> {
    check_shape(header)?;
    let pooling = header.of_architecture("pooling_type");
    if pooling == Some(POOLING_RANK) {
        return Err("it is a reranker".into());
    }
    let embeds = ENCODERS.contains(&header.architecture.as_str()) || matches!(pooling, Some(1..=3));
    match role {
        Kind::Embedder if !embeds => Err(format!("it is a generator ({})", header.architecture)),
        Kind::Generator if embeds => Err(format!("it is an embedder ({})", header.architecture)),
        _ => Ok(()),
    }
}

/// Checks the figures llama.cpp divides by or allocates from.
fn check_shape(header: &Header) -> Result<(), String> {
    match header.text("general.type") {
        None | Some("model") => {}
        Some(other) => return Err(format!("it is of type {other:?}, not a model")),
    }
    if header.architecture == "clip" {
        return Err("it is a vision projector, not a model by itself".into());
    }
    if header.tensor_count == 0 {
        return Err("it holds no weights".into());
    }
    for (key, most) in [
        ("block_count", 1 << 10),
        ("embedding_length", 1 << 17),
        ("context_length", 1 << 28),
        ("attention.head_count", 1 << 12),
    ] {
        let full = format!("{}.{key}", header.architecture);
        match header.metadata.get(&full) {
            Some(Value::Array(length)) if key == "attention.head_count" && *length > 0 => {}
            _ => match header.number(&full) {
                Some(number) if (1..=most).contains(&number) => {}
                Some(number) => return Err(format!("{full} is {number}")),
                None => return Err(format!("{full} is missing")),
            },
        }
    }
    check_vocabulary(header)
}

fn check_vocabulary(header: &Header) -> Result<(), String> {
    let Some(Value::Array(tokens)) = header.metadata.get("tokenizer.ggml.tokens") else {
        return Err("it has no vocabulary".into());
    };
    if *tokens == 0 {
        return Err("its vocabulary is empty".into());
    }
    for key in ["bos", "eos", "unknown", "padding", "eot", "seperator", "mask"] {
        let key = format!("tokenizer.ggml.{key}_token_id");
        if header.number(&key).is_some_and(|id| id >= *tokens) {
            return Err(format!("{key} is outside its vocabulary of {tokens} tokens"));
        }
    }
    Ok(())
}
