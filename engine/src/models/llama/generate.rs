//! The generator: prompts to text through llama.cpp.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use llama_cpp_2::model::LlamaModel;

use super::backend::LogTail;
use super::chat::Chat;
use super::device::Choice;
use super::load::{Loaded, load, model_name};
use super::schedule::{Event, Plan, Request, Scheduler};
use super::worker::{Ready, Worker};
use crate::models::gguf::{Header, Kind, fingerprint};
use crate::models::options::{GenerateOptions, Placement, threads};
use crate::models::{Cancel, Finish, Generate, GenerateRequest, Generation, ModelError, ModelIdentity};

const ROLE: &str = "generate";
/// Prompt tokens at once: on a CPU few, so that cancelling is felt within a second or two.
const CPU_BATCH: usize = 128;
const GPU_BATCH: usize = 512;

/// A generating model in memory; calls may come from any thread and are served in order.
pub struct LlamaGenerator {
    identity: ModelIdentity,
    placement: Placement,
    model: Arc<LlamaModel>,
    worker: Worker<Request>,
    chat: Chat,
}

struct Started {
    model: Arc<LlamaModel>,
    header: Header,
    choice: Choice,
    chat: Chat,
    plan: Plan,
    load_ms: u64,
}

impl LlamaGenerator {
    /// Loads the model at `path`.
    ///
    /// # Errors
    /// When the file is missing, cut short, no generator, without a usable chat template, or
    /// llama.cpp refuses it.
    pub fn load(path: &Path, options: &GenerateOptions) -> Result<Self, ModelError> {
        let (owned, options, log) = (path.to_path_buf(), options.clone(), LogTail::new());
        let (worker, started) =
            Worker::start(ROLE, move |ready, queue| serve(&owned, &options, &log, ready, queue))?;
        let Started { model, header, choice, chat, plan, load_ms } = started;
        let identity = ModelIdentity {
            name: model_name(&header, path),
            fingerprint: fingerprint(path)?,
            dimension: 0,
            pooling: String::new(),
        };
        let placement = Placement {
            device: choice.name(),
            gpu: choice.is_gpu(),
            reason: choice.reason,
            gpu_layers: choice.gpu_layers,
            layers: header.layers(),
            threads: plan.threads,
            context_tokens: plan.context,
            weight_bytes: header.weight_bytes(),
            load_ms,
        };
        Ok(Self { identity, placement, model, worker, chat })
    }

    /// Says where the model is and why.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }
}

impl Generate for LlamaGenerator {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn context_tokens(&self) -> usize {
        self.placement.context_tokens
    }

    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        Ok(self.model.vocab().tokenize(text.as_bytes(), false, false).len())
    }

    fn template_tokens(&self) -> usize {
        self.chat.overhead()
    }

    fn generate(
        &self,
        request: &GenerateRequest,
        cancel: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Generation, ModelError> {
        let arrived = Instant::now();
        let prompt = self.chat.prompt(&self.model, request);
        let context = self.context_tokens();
        if prompt.len() + request.max_tokens > context {
            return Err(ModelError::PromptTooLong {
                prompt: prompt.len(),
                completion: request.max_tokens,
                context,
            });
        }
        if request.max_tokens == 0 {
            return Ok(nothing_asked(prompt.len()));
        }
        let (events, answer) = channel();
        self.worker.send(Request {
            prompt,
            grammar: request.grammar.clone(),
            max_tokens: request.max_tokens,
            stop: request.stop.clone(),
            cancel: cancel.clone(),
            events,
            arrived,
        })?;
        loop {
            match answer.recv() {
                Ok(Event::Text(text)) => on_text(&text),
                Ok(Event::Done(result)) => return result,
                Err(_) => return Err(self.worker.gone()),
            }
        }
    }
}

fn nothing_asked(prompt_tokens: usize) -> Generation {
    Generation {
        text: String::new(),
        finish: Finish::Length,
        prompt_tokens,
        cached_tokens: 0,
        completion_tokens: 0,
        first_token_ms: 0.0,
        total_ms: 0.0,
    }
}

/// The worker thread: loads, reports, then runs the scheduler until the queue closes.
fn serve(
    path: &Path,
    options: &GenerateOptions,
    log: &LogTail,
    ready: Ready<Started>,
    queue: Receiver<Request>,
) {
    let (started, model) = match begin(path, options, log) {
        Ok(started) => {
            let model = Arc::clone(&started.model);
            (started, model)
        }
        Err(error) => return ready.report(Err(error)),
    };
    match Scheduler::new(&model, started.plan, log) {
        Ok(mut scheduler) => {
            ready.report(Ok(started));
            scheduler.run(&queue);
        }
        Err(error) => ready.report(Err(error)),
    }
}

fn begin(path: &Path, options: &GenerateOptions, log: &LogTail) -> Result<Started, ModelError> {
    let working = 512 << 20;
    let Loaded { model, header, choice, load_ms } = load(path, Kind::Generator, options.gpu, working, log)?;
    let chat = Chat::of(&model, path, &header.architecture)?;
    let trained = model.n_ctx_train() as usize;
    let plan = Plan {
        context: options.context_tokens.min(trained).max(64),
        batch: match options.batch {
            0 if choice.is_gpu() => GPU_BATCH,
            0 => CPU_BATCH,
            batch => batch,
        },
        slots: options.slots.clamp(options.parallel.max(1), 64),
        parallel: options.parallel.max(1),
        threads: threads(options.threads),
        gpu: choice.is_gpu(),
    };
    Ok(Started { model, header, choice, chat, plan, load_ms })
}
