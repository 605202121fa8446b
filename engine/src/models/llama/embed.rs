//! The embedder: texts to unit vectors through llama.cpp.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::{LlamaContextParams, LlamaPoolingType};
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;

use super::backend::{LogTail, backend};
use super::device::Choice;
use super::load::{Loaded, load, model_name};
use super::vectors::{BatchLimits, EncodeFailure, Encoder, cosine, encode_all, pool, windows};
use super::worker::{Ready, Worker, guarded};
use crate::models::gguf::{Header, Kind, fingerprint};
use crate::models::options::{EmbedOptions, Gpu, Placement, Pooling, threads};
use crate::models::{Cancel, Embed, ModelError, ModelIdentity, Purpose};

const ROLE: &str = "embed";
/// Texts in one batch at most.
const MOST_SEQUENCES: usize = 64;
/// Window when the model allows more: attention grows with its square.
const DEFAULT_WINDOW: usize = 512;
/// llama.cpp's value for "off": with it a text's vector differed between a batch and a single
/// call (cosine 0.99988), without it does not, and windows of 512 tokens gain nothing by it.
const FLASH_ATTENTION_OFF: i32 = 0;
/// Cosine a GPU must reach against the CPU on [`PROBE_TEXTS`].
const SAME_VECTOR: f32 = 0.999;
/// Texts computed on both when a GPU is used.
const PROBE_TEXTS: [&str; 2] =
    ["How tall is the tower in the old town?", "A política de devolução vale por 30 dias após a entrega."];

/// An embedding model in memory; calls may come from any thread and wait their turn.
pub struct LlamaEmbedder {
    identity: ModelIdentity,
    placement: Placement,
    model: Arc<LlamaModel>,
    worker: Worker<Job>,
    frame: Frame,
}

/// What goes around the tokens of a text.
struct Frame {
    head: Vec<LlamaToken>,
    tail: Vec<LlamaToken>,
    query_prefix: String,
    passage_prefix: String,
    /// Most tokens of a window, everything included.
    window: usize,
}

struct Job {
    windows: Vec<Vec<LlamaToken>>,
    cancel: Cancel,
    reply: Sender<Result<Vec<Vec<f32>>, EncodeFailure>>,
}

struct Started {
    model: Arc<LlamaModel>,
    header: Header,
    choice: Choice,
    plan: Plan,
    load_ms: u64,
}

/// Settings of the contexts of one model.
#[derive(Clone, Copy)]
struct Plan {
    pooling: Pooling,
    window: usize,
    limits: BatchLimits,
    threads: usize,
    gpu: bool,
}

impl LlamaEmbedder {
    /// Loads the model at `path`.
    ///
    /// A GPU whose vectors differ from the CPU's is not used; [`Self::placement`] says so.
    ///
    /// # Errors
    /// When the file is missing, cut short, no embedder, or llama.cpp refuses it.
    pub fn load(path: &Path, options: &EmbedOptions) -> Result<Self, ModelError> {
        let (mut worker, mut started) = start(path, options, options.gpu)?;
        if started.choice.is_gpu() {
            let (cpu_worker, mut cpu_started) = start(path, options, Gpu::Off)?;
            let frame = Frame::new(&started, path, options)?;
            if let Some(reason) = gpu_differs(&started.model, &frame, &worker, &cpu_worker) {
                cpu_started.choice = Choice::cpu(format!("{}: {reason}", started.choice.name()));
                (worker, started) = (cpu_worker, cpu_started);
            }
        }
        let frame = Frame::new(&started, path, options)?;
        let identity = ModelIdentity {
            name: model_name(&started.header, path),
            fingerprint: fingerprint(path)?,
            dimension: usize::try_from(started.model.n_embd_out()).unwrap_or(0),
            pooling: started.plan.pooling.name().into(),
        };
        let placement = Placement {
            device: started.choice.name(),
            gpu: started.choice.is_gpu(),
            reason: started.choice.reason,
            gpu_layers: started.choice.gpu_layers,
            layers: started.header.layers(),
            threads: started.plan.threads,
            context_tokens: started.plan.window,
            weight_bytes: started.header.weight_bytes(),
            load_ms: started.load_ms,
        };
        Ok(Self { identity, placement, model: started.model, worker, frame })
    }

    /// Says where the model is and why.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Returns the windows of a text: whole when it fits, with the prefix on each when not.
    fn windows_of(&self, purpose: Purpose, text: &str) -> Vec<Vec<LlamaToken>> {
        self.frame.windows(&self.model, purpose, text)
    }
}

impl Embed for LlamaEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed(&self, purpose: Purpose, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        // Identical texts are computed once.
        let mut first: HashMap<&str, usize> = HashMap::new();
        let mut unique: Vec<&str> = Vec::new();
        let places: Vec<usize> = texts
            .iter()
            .map(|text| {
                *first.entry(text).or_insert_with(|| {
                    unique.push(text);
                    unique.len() - 1
                })
            })
            .collect();
        let per_text: Vec<Vec<Vec<LlamaToken>>> =
            unique.iter().map(|text| self.windows_of(purpose, text)).collect();
        let counts: Vec<usize> = per_text.iter().map(Vec::len).collect();
        let all: Vec<Vec<LlamaToken>> = per_text.into_iter().flatten().collect();
        let weights: Vec<usize> = all.iter().map(Vec::len).collect();
        let text_of = |window: usize| {
            let mut before = 0;
            counts.iter().position(|count| {
                before += count;
                window < before
            })
        };
        let bad = |found: String, text: Option<usize>| ModelError::BadVector {
            found,
            bytes: text.map_or(0, |index| unique[index].len()),
        };
        let vectors = ask(&self.worker, all, cancel).map_err(|failure| match failure {
            EncodeFailure::Bad { window, found } => bad(found, text_of(window)),
            EncodeFailure::Model(error) => error,
        })?;
        let mut pooled = Vec::with_capacity(unique.len());
        let mut start = 0;
        for (index, count) in counts.iter().enumerate() {
            let range = start..start + count;
            let parts: Vec<(usize, &[f32])> =
                range.clone().map(|window| (weights[window], vectors[window].as_slice())).collect();
            pooled.push(pool(&parts).map_err(|found| bad(found.into(), Some(index)))?);
            start = range.end;
        }
        Ok(places.into_iter().map(|place| pooled[place].clone()).collect())
    }

    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        Ok(self.model.vocab().tokenize(text.as_bytes(), false, false).len())
    }

    fn window_tokens(&self) -> usize {
        self.frame.room(&self.model)
    }
}

impl Frame {
    fn new(started: &Started, path: &Path, options: &EmbedOptions) -> Result<Self, ModelError> {
        let vocab = started.model.vocab();
        let bert = started.header.architecture.contains("bert");
        let (bos, eos) = (vocab.bos(), vocab.eos());
        // BERT-like models were trained with both; a file that switches them off gives vectors
        // that look right and are not (case L04).
        let begin = bert || vocab.should_add_bos();
        let end = bert || vocab.should_add_eos() || vocab.should_add_sep();
        let closing = if eos.0 >= 0 { eos } else { vocab.sep() };
        if (begin && bos.0 < 0) || (end && closing.0 < 0) {
            return Err(ModelError::WrongKind {
                role: ROLE,
                path: path.to_path_buf(),
                reason: "its vocabulary has no beginning or end token".into(),
            });
        }
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
        let name = model_name(&started.header, path).to_lowercase();
        let e5 = is_e5(&name) || is_e5(&stem);
        let prefix = |given: &Option<String>, of_e5: &str| match given {
            Some(prefix) => prefix.clone(),
            None if e5 => of_e5.to_string(),
            None => String::new(),
        };
        Ok(Self {
            head: if begin { vec![bos] } else { Vec::new() },
            tail: if end { vec![closing] } else { Vec::new() },
            query_prefix: prefix(&options.query_prefix, "query: "),
            passage_prefix: prefix(&options.passage_prefix, "passage: "),
            window: started.plan.window,
        })
    }

    fn prefix(&self, purpose: Purpose) -> &str {
        match purpose {
            Purpose::Query => &self.query_prefix,
            Purpose::Passage => &self.passage_prefix,
        }
    }

    /// Tokens left for text in one window.
    fn room(&self, model: &LlamaModel) -> usize {
        let count = |prefix: &str| model.vocab().tokenize(prefix.as_bytes(), false, false).len();
        let prefix = count(&self.query_prefix).max(count(&self.passage_prefix));
        self.window.saturating_sub(self.head.len() + self.tail.len() + prefix).max(1)
    }

    fn windows(&self, model: &LlamaModel, purpose: Purpose, text: &str) -> Vec<Vec<LlamaToken>> {
        let vocab = model.vocab();
        let prefix = self.prefix(purpose);
        let whole = vocab.tokenize(format!("{prefix}{text}").as_bytes(), false, false);
        if whole.len() + self.head.len() + self.tail.len() <= self.window {
            return vec![self.framed(&[], &whole)];
        }
        let prefix = vocab.tokenize(prefix.trim_end().as_bytes(), false, false);
        let tokens = vocab.tokenize(text.as_bytes(), false, false);
        let cut = windows(&tokens, self.room(model));
        cut.into_iter().map(|window| self.framed(&prefix, window)).collect()
    }

    fn framed(&self, prefix: &[LlamaToken], tokens: &[LlamaToken]) -> Vec<LlamaToken> {
        [&self.head, prefix, tokens, &self.tail].concat()
    }
}

/// Says whether a model name is of the E5 family, which wants its two prefixes.
fn is_e5(name: &str) -> bool {
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "e5")
}

fn ask(
    worker: &Worker<Job>,
    windows: Vec<Vec<LlamaToken>>,
    cancel: &Cancel,
) -> Result<Vec<Vec<f32>>, EncodeFailure> {
    let (reply, answer) = channel();
    worker.send(Job { windows, cancel: cancel.clone(), reply })?;
    answer.recv().unwrap_or_else(|_| Err(worker.gone().into()))
}

/// Compares both workers on the probe texts; says how they differ.
fn gpu_differs(model: &LlamaModel, frame: &Frame, gpu: &Worker<Job>, cpu: &Worker<Job>) -> Option<String> {
    let windows = || -> Vec<Vec<LlamaToken>> {
        PROBE_TEXTS.iter().flat_map(|text| frame.windows(model, Purpose::Passage, text)).collect()
    };
    let never = Cancel::default();
    let (on_gpu, on_cpu) = match (ask(gpu, windows(), &never), ask(cpu, windows(), &never)) {
        (Ok(on_gpu), Ok(on_cpu)) => (on_gpu, on_cpu),
        (Err(failure), _) => return Some(format!("self-test failed: {failure:?}")),
        // Without the CPU's vectors there is nothing to hold against the GPU.
        (Ok(_), Err(_)) => return None,
    };
    let worst = on_gpu.iter().zip(&on_cpu).map(|(a, b)| cosine(a, b)).fold(1.0, f32::min);
    (worst < SAME_VECTOR).then(|| format!("self-test failed: cosine {worst:.4} to the CPU"))
}

fn start(path: &Path, options: &EmbedOptions, gpu: Gpu) -> Result<(Worker<Job>, Started), ModelError> {
    let (path, options, log) = (path.to_path_buf(), options.clone(), LogTail::new());
    Worker::start(ROLE, move |ready, queue| serve(path, options, gpu, &log, ready, queue))
}

/// The worker thread: loads, reports, then answers jobs until the queue closes.
fn serve(
    path: PathBuf,
    options: EmbedOptions,
    gpu: Gpu,
    log: &LogTail,
    ready: Ready<Started>,
    queue: Receiver<Job>,
) {
    let loaded = match load(&path, Kind::Embedder, gpu, 64 << 20, log) {
        Ok(loaded) => loaded,
        Err(error) => return ready.report(Err(error)),
    };
    let Loaded { model, header, choice, load_ms } = loaded;
    let plan = Plan::new(&model, &header, &choice, &options);
    let mut encoder = match ContextEncoder::context(&model, plan, log) {
        Ok(context) => ContextEncoder { context, cpu: None, path, options, model: &model, plan, log },
        Err(error) => return ready.report(Err(error)),
    };
    ready.report(Ok(Started { model: Arc::clone(&model), header, choice, plan, load_ms }));
    for job in queue {
        let result = guarded(ROLE, || Ok(encode_all(&mut encoder, &job.windows, plan.limits, &job.cancel)));
        let result = result.unwrap_or_else(|panic| {
            let rebuilt = encoder.rebuild();
            Err(rebuilt.err().unwrap_or(panic).into())
        });
        // A caller that went away wants no answer.
        let _ = job.reply.send(result);
    }
}

impl Plan {
    fn new(model: &LlamaModel, header: &Header, choice: &Choice, options: &EmbedOptions) -> Self {
        let trained = model.n_ctx_train() as usize;
        let wanted = if options.window_tokens > 0 { options.window_tokens } else { DEFAULT_WINDOW };
        let window = wanted.min(trained).max(8);
        let pooling = options.pooling.unwrap_or_else(|| match header.of_architecture("pooling_type") {
            Some(2) => Pooling::Cls,
            Some(3) => Pooling::Last,
            _ => Pooling::Mean,
        });
        let limits = BatchLimits { tokens: options.batch_tokens.max(window), sequences: MOST_SEQUENCES };
        Self { pooling, window, limits, threads: threads(options.threads), gpu: choice.is_gpu() }
    }

    fn context_params(&self) -> LlamaContextParams {
        let tokens = u32::try_from(self.limits.tokens).unwrap_or(u32::MAX);
        let threads = i32::try_from(self.threads).unwrap_or(i32::MAX);
        LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(tokens))
            .with_n_batch(tokens)
            .with_n_ubatch(tokens)
            .with_n_seq_max(MOST_SEQUENCES as u32)
            .with_kv_unified(true)
            .with_n_threads(threads)
            .with_n_threads_batch(threads)
            .with_embeddings(true)
            .with_flash_attention_policy(FLASH_ATTENTION_OFF)
            .with_offload_kqv(self.gpu)
            .with_op_offload(self.gpu)
            .with_pooling_type(match self.pooling {
                Pooling::Mean => LlamaPoolingType::Mean,
                Pooling::Cls => LlamaPoolingType::Cls,
                Pooling::Last => LlamaPoolingType::Last,
            })
    }
}

struct ContextEncoder<'m> {
    context: LlamaContext<'m>,
    cpu: Option<Worker<Job>>,
    path: PathBuf,
    options: EmbedOptions,
    model: &'m LlamaModel,
    plan: Plan,
    log: &'m LogTail,
}

impl<'m> ContextEncoder<'m> {
    fn context(model: &'m LlamaModel, plan: Plan, log: &LogTail) -> Result<LlamaContext<'m>, ModelError> {
        let backend = backend()?;
        log.watch(|| model.new_context(backend, plan.context_params())).map_err(|error| ModelError::Runtime {
            role: ROLE,
            reason: log.reason(&format!("no context ({error})")),
        })
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> ModelError {
        ModelError::Runtime { role: ROLE, reason: self.log.reason(&error.to_string()) }
    }
}

impl Encoder for ContextEncoder<'_> {
    type Token = LlamaToken;

    fn encode(&mut self, windows: &[&[LlamaToken]]) -> Result<Vec<Vec<f32>>, ModelError> {
        let tokens = windows.iter().map(|window| window.len()).sum();
        let mut batch = LlamaBatch::new(tokens, 1);
        for (sequence, window) in (0..).zip(windows) {
            batch.add_sequence(window, sequence, true).map_err(|error| self.failed(&error))?;
        }
        self.context.clear_kv_cache();
        let log = self.log;
        log.watch(|| self.context.decode(&mut batch)).map_err(|error| self.failed(&error))?;
        (0..)
            .zip(windows)
            .map(|(sequence, _)| {
                let vector = self.context.embeddings_seq_ith(sequence);
                vector.map(<[f32]>::to_vec).map_err(|error| self.failed(&error))
            })
            .collect()
    }

    fn rebuild(&mut self) -> Result<(), ModelError> {
        self.context = Self::context(self.model, self.plan, self.log)?;
        Ok(())
    }

    fn encode_on_cpu(&mut self, window: &[LlamaToken]) -> Option<Result<Vec<f32>, ModelError>> {
        if !self.plan.gpu {
            return None;
        }
        if self.cpu.is_none() {
            match start(&self.path, &self.options, Gpu::Off) {
                Ok((worker, _)) => self.cpu = Some(worker),
                Err(error) => return Some(Err(error)),
            }
        }
        let worker = self.cpu.as_ref()?;
        Some(match ask(worker, vec![window.to_vec()], &Cancel::default()) {
            Ok(mut vectors) => Ok(vectors.pop().unwrap_or_default()),
            Err(EncodeFailure::Bad { .. }) => Ok(vec![f32::NAN]),
            Err(EncodeFailure::Model(error)) => Err(error),
        })
    }
}
