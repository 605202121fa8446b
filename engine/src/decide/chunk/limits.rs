//! The `[chunk]` section of the configuration.

use serde::{Deserialize, Serialize};

/// Sizes of chunks, in the embedder's tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChunkLimits {
    /// Neighbouring paragraphs of one section are joined up to this size.
    pub target_tokens: usize,
    /// No chunk is longer, but for a single table row, a code block and a single character.
    pub max_tokens: usize,
    /// A piece shorter than this is joined to its neighbour whatever their similarity.
    pub min_tokens: usize,
    /// A code block is kept whole up to this size.
    pub max_fence_tokens: usize,
    /// Paragraphs are joined when their cosine is at least this (embedders differ: see `calibrate`).
    pub similarity: f32,
}

impl Default for ChunkLimits {
    fn default() -> Self {
        Self { target_tokens: 128, max_tokens: 384, min_tokens: 32, max_fence_tokens: 4096, similarity: 0.8 }
    }
}
