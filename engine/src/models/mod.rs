//! The three model roles, as traits: embed, generate, ocr.
//!
//! A model writes SQL, triples and wording; it never chooses a route, a store or a ranking.

mod cpu;
pub mod fetch;
pub mod gguf;
pub mod lazy;
pub mod llama;
pub mod ocr;
pub mod open;
pub mod options;
pub mod selftest;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use self::cpu::cpu_supported;
pub use self::options::{Device, EmbedOptions, GenerateOptions, Gpu, Placement, Pooling};

/// A flag that stops long work: cloned into it, set from anywhere.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop at its next safe point (for generation: the next token).
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Makes the flag ready for the next piece of work: whoever holds a clone can stop that one too.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Says whether the work should stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Which model this is; stored with everything computed from it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ModelIdentity {
    /// Model name from the file's metadata, or the file stem.
    pub name: String,
    /// Fingerprint of the weights file (size plus a hash of its head and tail).
    pub fingerprint: String,
    /// Embedding dimension; 0 for generators.
    pub dimension: usize,
    /// Pooling of an embedder: `mean` or `cls`; empty for generators.
    pub pooling: String,
}

/// What a text is embedded as: some embedders (E5) want a different prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A question, an anchor, or anything compared symmetrically.
    Query,
    /// A stored passage.
    Passage,
}

/// Turns texts into unit vectors.
pub trait Embed: Send + Sync {
    /// Names the model.
    fn identity(&self) -> &ModelIdentity;
    /// Embeds `texts`, in order, as L2-normalised vectors of `identity().dimension`.
    ///
    /// Texts longer than the model's window are embedded in windows and pooled, never cut in
    /// silence. Never returns NaN or a zero vector: that is [`ModelError::BadVector`].
    fn embed(&self, purpose: Purpose, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError>;
    /// Counts tokens of `text` without the special ones.
    fn count_tokens(&self, text: &str) -> Result<usize, ModelError>;
    /// The most tokens one text may have in one window, special tokens excluded.
    fn window_tokens(&self) -> usize;
}

/// One generation: temperature 0, greedy, always bounded.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct GenerateRequest {
    /// System text: the unchanging prefix (kept in the KV cache between requests).
    pub system: String,
    /// User text.
    pub user: String,
    /// What the answer must begin with (already "said" by the assistant), usually empty.
    pub assistant_prefix: String,
    /// GBNF grammar with start symbol `root`; `None` for free text.
    pub grammar: Option<String>,
    /// Cap on generated tokens.
    pub max_tokens: usize,
    /// Strings that end the text (not included in it).
    pub stop: Vec<String>,
}

/// Why a generation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// End-of-generation token.
    Stop,
    /// One of the request's stop strings.
    StopString,
    /// `max_tokens` reached.
    Length,
    /// The text began to go round in circles; what was written so far is returned.
    Repetition,
    /// Cancelled by the caller; the text so far is returned.
    Cancelled,
}

/// A finished generation.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Generation {
    /// The text, whole characters only.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// Tokens in the prompt.
    pub prompt_tokens: usize,
    /// Prompt tokens that came from the KV cache.
    pub cached_tokens: usize,
    /// Tokens generated.
    pub completion_tokens: usize,
    /// Milliseconds from request to first token.
    pub first_token_ms: f64,
    /// Milliseconds for the whole request.
    pub total_ms: f64,
}

/// Writes text.
pub trait Generate: Send + Sync {
    /// Names the model.
    fn identity(&self) -> &ModelIdentity;
    /// Tokens that prompt and completion may have together.
    fn context_tokens(&self) -> usize;
    /// Counts tokens of plain text.
    fn count_tokens(&self, text: &str) -> Result<usize, ModelError>;
    /// Tokens the chat template adds around `system` and `user`.
    fn template_tokens(&self) -> usize;
    /// Generates; `on_text` receives pieces of whole characters as they come.
    ///
    /// # Errors
    /// [`ModelError::PromptTooLong`] when prompt plus `max_tokens` does not fit: the caller
    /// computes its budget first. Nothing is ever cut in silence.
    fn generate(
        &self,
        request: &GenerateRequest,
        cancel: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Generation, ModelError>;
}

/// One line of text read from an image.
#[derive(Debug, Clone, serde::Serialize)]
pub struct OcrLine {
    /// The text.
    pub text: String,
    /// Confidence in `[0, 1]`.
    pub confidence: f32,
    /// Corners in pixels: left, top, right, bottom.
    pub bounds: [f32; 4],
}

/// Reads text from a picture.
pub trait Ocr: Send + Sync {
    /// Names the model.
    fn identity(&self) -> &ModelIdentity;
    /// Reads lines in reading order from an 8-bit RGB image (`width * height * 3` bytes). The
    /// bounds of lines are in the picture as it stands upright: one that was turned has its sides
    /// swapped.
    fn read(
        &self,
        width: usize,
        height: usize,
        rgb: &[u8],
        cancel: &Cancel,
    ) -> Result<Vec<OcrLine>, ModelError>;
}

/// What can go wrong with a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file is not there.
    #[error("no {role} model: {path} is missing", path = path.display())]
    Missing {
        /// Role wanted.
        role: &'static str,
        /// Where it should be.
        path: PathBuf,
    },
    /// The file is not the size the manifest or its own header says.
    #[error("cannot load {path}: {found} of {expected} bytes", path = path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// The file is not a model, or a model for something else.
    #[error("cannot use {path} as {role} model: {reason}", path = path.display())]
    WrongKind {
        /// Role wanted.
        role: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Prompt and answer do not fit the context.
    #[error("prompt of {prompt} tokens plus {completion} for the answer exceed the context of {context}")]
    PromptTooLong {
        /// Tokens in the prompt.
        prompt: usize,
        /// Tokens asked for.
        completion: usize,
        /// Tokens the context holds.
        context: usize,
    },
    /// The grammar does not parse.
    #[error("the grammar was refused: {reason}")]
    Grammar {
        /// What the parser said.
        reason: String,
    },
    /// An embedding with NaN, infinities or zero length, also after the retry on the CPU.
    #[error("the embedder gave an unusable vector ({found}) for a text of {bytes} bytes")]
    BadVector {
        /// What was found.
        found: String,
        /// Length of the text.
        bytes: usize,
    },
    /// The self-test failed.
    #[error(
        "self-test of {name} failed: cosine {cosine:.6} to the stored vector, at least {expected} expected"
    )]
    SelfTest {
        /// Model name.
        name: String,
        /// Cosine found.
        cosine: f32,
        /// Cosine needed.
        expected: f32,
    },
    /// llama.cpp failed.
    #[error("{role} model: {reason}")]
    Runtime {
        /// Role.
        role: &'static str,
        /// What happened.
        reason: String,
    },
    /// Cancelled before anything was produced.
    #[error("cancelled")]
    Cancelled,
    /// Built without the model runtime.
    #[error("this build has no model runtime (compiled with --no-default-features)")]
    NoRuntime,
}

impl ModelError {
    /// Returns the command or step that fixes it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { .. } | Self::Truncated { .. } => Some("polyrag models fetch".into()),
            Self::WrongKind { .. } | Self::SelfTest { .. } => {
                Some("polyrag models verify, then polyrag models fetch".into())
            }
            Self::NoRuntime => Some("rebuild with default features".into()),
            _ => None,
        }
    }
}
