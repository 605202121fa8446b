//! What a model is loaded with, and what was decided about its place.

/// Which processor a model should run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gpu {
    /// A usable GPU if there is one, else the CPU with the reason kept in [`Placement::reason`].
    #[default]
    Auto,
    /// The CPU.
    Off,
    /// This device of the list `models::llama::devices` gives, also if it is software.
    Device(usize),
}

/// A device llama.cpp can compute on.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Device {
    /// Index for [`Gpu::Device`].
    pub index: usize,
    /// Short name, such as `Vulkan0`.
    pub name: String,
    /// What it calls itself.
    pub description: String,
    /// Whether it is a GPU (software ones count).
    pub gpu: bool,
    /// Whether it is a GPU in name only: software rendering on the CPU.
    pub software: bool,
    /// Bytes of memory.
    pub memory_total: u64,
    /// Bytes of memory free now.
    pub memory_free: u64,
}

/// How token vectors become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Their mean (E5).
    Mean,
    /// The vector of the first token (BGE-M3).
    Cls,
    /// The vector of the last token (decoder embedders).
    Last,
}

impl Pooling {
    /// Returns the name stored in [`ModelIdentity::pooling`](crate::models::ModelIdentity::pooling).
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
            Self::Last => "last",
        }
    }
}

/// How an embedder is loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedOptions {
    /// Where it runs.
    pub gpu: Gpu,
    /// CPU threads; 0 for one a core.
    pub threads: usize,
    /// Put before questions; `None`: `query: ` for E5 models, else nothing.
    pub query_prefix: Option<String>,
    /// Put before passages; `None`: `passage: ` for E5 models, else nothing.
    pub passage_prefix: Option<String>,
    /// `None`: what the file says.
    pub pooling: Option<Pooling>,
    /// Tokens computed together: several texts share a batch up to this many. At least one
    /// window of the model always fits.
    pub batch_tokens: usize,
    /// Most tokens of one window, special ones included; 0 for the model's own limit.
    pub window_tokens: usize,
}

impl Default for EmbedOptions {
    fn default() -> Self {
        Self {
            gpu: Gpu::Auto,
            threads: 0,
            query_prefix: None,
            passage_prefix: None,
            pooling: None,
            batch_tokens: 512,
            window_tokens: 0,
        }
    }
}

/// How a generator is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerateOptions {
    /// Where it runs.
    pub gpu: Gpu,
    /// CPU threads; 0 for one a core.
    pub threads: usize,
    /// Tokens of the context, shared by all cached prompts; a single request may use them all.
    /// Never more than the model was trained for.
    pub context_tokens: usize,
    /// Prompt tokens computed between two looks at the cancel flag; 0 lets the device decide.
    pub batch: usize,
    /// Prompts kept in the KV cache for reuse of their prefixes.
    pub slots: usize,
    /// Requests answered at the same time; the others wait their turn.
    pub parallel: usize,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self { gpu: Gpu::Auto, threads: 0, context_tokens: 8192, batch: 0, slots: 4, parallel: 1 }
    }
}

/// Where a model was put, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Placement {
    /// Device name, `CPU` for the processor.
    pub device: String,
    /// Whether that is a GPU.
    pub gpu: bool,
    /// Why there and not elsewhere.
    pub reason: String,
    /// Layers on the GPU.
    pub gpu_layers: u32,
    /// Layers there are.
    pub layers: u32,
    /// CPU threads used.
    pub threads: usize,
    /// Tokens of the context.
    pub context_tokens: usize,
    /// Bytes of weights.
    pub weight_bytes: u64,
    /// Milliseconds it took to load.
    pub load_ms: u64,
}

/// Resolves a thread count: 0 means one a core.
#[cfg(feature = "llama")]
pub(crate) fn threads(wanted: usize) -> usize {
    if wanted > 0 { wanted } else { std::thread::available_parallelism().map_or(2, usize::from) }
}
