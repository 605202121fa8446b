//! The generator's worker: requests in, tokens out, one batch after the other.
//!
//! A batch holds the next token of every running request and a slice of a waiting prompt, so
//! that a long prompt delays nobody for longer than a slice. How many requests run at once is
//! [`Plan::parallel`]; the others wait in the order they came.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;

use super::backend::{LogTail, backend};
use super::repetition;
use super::sampler::Greedy;
use super::slots::{Admission, Slots};
use super::text::TextStream;
use super::worker::guarded;
use crate::models::{Cancel, Finish, Generation, ModelError};

const ROLE: &str = "generate";

/// Tokens of a prompt are reused in multiples of this, so that the rest is computed in the same
/// groups as the whole would be: matrix kernels take tokens by fours, and a token computed in
/// another group, or alone, differs in its last bits, enough to turn a close choice. Measured on
/// SmolLM2-135M: texts differed without it, and with it and one slot are the same. With several
/// slots the place of a prompt in the shared cache still changes the order of attention's sums.
const ALIGNED: usize = 16;

/// Settings of the context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) context: usize,
    pub(super) batch: usize,
    pub(super) slots: usize,
    pub(super) parallel: usize,
    pub(super) threads: usize,
    pub(super) gpu: bool,
}

/// A request on its way to the worker.
pub(super) struct Request {
    pub(super) prompt: Vec<LlamaToken>,
    pub(super) grammar: Option<String>,
    pub(super) max_tokens: usize,
    pub(super) stop: Vec<String>,
    pub(super) cancel: Cancel,
    pub(super) events: Sender<Event>,
    pub(super) arrived: Instant,
}

/// What the worker says about a request.
pub(super) enum Event {
    /// More text.
    Text(String),
    /// The end.
    Done(Result<Generation, ModelError>),
}

/// A request that has a slot.
struct Running {
    request: Request,
    slot: usize,
    cached: usize,
    /// Prompt tokens in the cache.
    fed: usize,
    /// Chosen, but not in the cache yet.
    next: Option<LlamaToken>,
    generated: usize,
    greedy: Greedy,
    text: TextStream,
    first_token_ms: f64,
    /// Where this step's scores are, if it asked for some.
    output: Option<i32>,
    finished: bool,
}

/// Owns the context and everything that runs in it.
pub(super) struct Scheduler<'m> {
    model: &'m LlamaModel,
    log: &'m LogTail,
    plan: Plan,
    context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    slots: Slots<LlamaToken>,
    waiting: VecDeque<Request>,
    running: Vec<Running>,
}

impl Plan {
    fn context_params(&self) -> LlamaContextParams {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let threads = i32::try_from(self.threads).unwrap_or(i32::MAX);
        LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(number(self.context)))
            .with_n_batch(number(self.batch))
            .with_n_ubatch(number(self.batch))
            .with_n_seq_max(number(self.slots))
            .with_kv_unified(true)
            .with_n_threads(threads)
            .with_n_threads_batch(threads)
            .with_offload_kqv(self.gpu)
            .with_op_offload(self.gpu)
    }
}

impl<'m> Scheduler<'m> {
    pub(super) fn new(model: &'m LlamaModel, plan: Plan, log: &'m LogTail) -> Result<Self, ModelError> {
        let partial = !(model.is_recurrent() || model.is_hybrid());
        Ok(Self {
            model,
            log,
            plan,
            context: Self::new_context(model, plan, log)?,
            batch: LlamaBatch::new(plan.batch, 1),
            slots: Slots::new(plan.slots, plan.context, partial.then_some(ALIGNED)),
            waiting: VecDeque::new(),
            running: Vec::new(),
        })
    }

    fn new_context(model: &'m LlamaModel, plan: Plan, log: &LogTail) -> Result<LlamaContext<'m>, ModelError> {
        let backend = backend()?;
        log.watch(|| model.new_context(backend, plan.context_params())).map_err(|error| ModelError::Runtime {
            role: ROLE,
            reason: log.reason(&format!("no context ({error})")),
        })
    }

    /// Serves until the queue is closed and everything that came is answered.
    pub(super) fn run(&mut self, queue: &Receiver<Request>) {
        loop {
            if self.running.is_empty() && self.waiting.is_empty() {
                match queue.recv() {
                    Ok(request) => self.waiting.push_back(request),
                    Err(_) => return,
                }
            }
            while let Ok(request) = queue.try_recv() {
                self.waiting.push_back(request);
            }
            if let Err(error) = guarded(ROLE, || self.step()) {
                self.start_afresh(&error);
            }
        }
    }

    /// Answers everything that runs with `error` and replaces the context.
    fn start_afresh(&mut self, error: &ModelError) {
        tracing::warn!(%error, "generation failed, the context is replaced");
        for running in self.running.drain(..) {
            self.slots.release(running.slot);
            let reason = error.to_string();
            finish(&running.request.events, Err(ModelError::Runtime { role: ROLE, reason }));
        }
        self.slots.clear();
        match Self::new_context(self.model, self.plan, self.log) {
            Ok(context) => self.context = context,
            // The old one is kept, emptied: the next request tells whether it still works.
            Err(error) => {
                tracing::error!(%error, "no new context");
                self.context.clear_kv_cache();
            }
        }
    }

    fn step(&mut self) -> Result<(), ModelError> {
        self.admit();
        self.drop_cancelled();
        if self.running.is_empty() {
            return Ok(());
        }
        self.fill_batch()?;
        let log = self.log;
        log.watch(|| self.context.decode(&mut self.batch)).map_err(|error| self.failed(&error))?;
        for index in 0..self.running.len() {
            if let Some(output) = self.running[index].output.take() {
                self.take_token(index, output);
            }
        }
        self.remove_finished();
        Ok(())
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> ModelError {
        ModelError::Runtime { role: ROLE, reason: self.log.reason(&error.to_string()) }
    }

    /// Gives waiting requests their slots, in order, while there is room.
    fn admit(&mut self) {
        while self.running.len() < self.plan.parallel {
            let Some(request) = self.waiting.pop_front() else { return };
            if request.cancel.is_cancelled() {
                finish(&request.events, Err(ModelError::Cancelled));
                continue;
            }
            let greedy = match Greedy::new(self.model, request.grammar.as_deref(), self.log) {
                Ok(greedy) => greedy,
                Err(error) => {
                    finish(&request.events, Err(error));
                    continue;
                }
            };
            let Some(admission) = self.slots.admit(&request.prompt, request.max_tokens) else {
                self.waiting.push_front(request);
                return;
            };
            let cached = self.prepare(&admission);
            let text = TextStream::new(&request.stop);
            self.running.push(Running {
                slot: admission.slot,
                cached,
                fed: cached,
                next: None,
                generated: 0,
                greedy,
                text,
                first_token_ms: 0.0,
                output: None,
                finished: false,
                request,
            });
        }
    }

    /// Brings the cache to the state the admission promises; returns the tokens kept.
    fn prepare(&mut self, admission: &Admission) -> usize {
        let sequence = |slot: usize| i32::try_from(slot).unwrap_or(0);
        let slot = sequence(admission.slot);
        let cached = u32::try_from(admission.cached).unwrap_or(0);
        let mut kept = true;
        for &victim in &admission.evict {
            kept &= self.context.kv_cache_seq_rm(sequence(victim), None, None).is_ok();
        }
        match admission.copy_from {
            Some(source) => {
                kept &= self.context.kv_cache_seq_rm(slot, None, None).is_ok();
                kept &= self.context.copy_kv_cache_seq(sequence(source), slot, Some(0), Some(cached)).is_ok();
            }
            None => kept &= self.context.kv_cache_seq_rm(slot, Some(cached), None).is_ok(),
        }
        if kept {
            return admission.cached;
        }
        // Some models can only forget a sequence as a whole.
        let _ = self.context.kv_cache_seq_rm(slot, None, None);
        self.slots.forget(admission.slot);
        0
    }

    fn drop_cancelled(&mut self) {
        for running in &mut self.running {
            if running.request.cancel.is_cancelled() {
                running.end(Finish::Cancelled);
            }
        }
        self.remove_finished();
    }

    fn remove_finished(&mut self) {
        for running in self.running.extract_if(.., |running| running.finished) {
            self.slots.release(running.slot);
        }
    }

    /// Puts the next token of each running request and slices of their prompts into the batch.
    fn fill_batch(&mut self) -> Result<(), ModelError> {
        self.batch.clear();
        let full =
            |error: &dyn std::fmt::Display| ModelError::Runtime { role: ROLE, reason: error.to_string() };
        // First the answers that are being written, then prompts with what is left.
        let (writing, reading): (Vec<usize>, Vec<usize>) =
            (0..self.running.len()).partition(|&index| self.running[index].next.is_some());
        for index in writing.into_iter().chain(reading) {
            let running = &mut self.running[index];
            let slot = running.slot;
            let used = usize::try_from(self.batch.n_tokens()).unwrap_or(0);
            let tokens: Vec<LlamaToken> = match running.next.take() {
                Some(token) => vec![token],
                None => {
                    let room = self.plan.batch.saturating_sub(used);
                    let end = (running.fed + room).min(running.request.prompt.len());
                    let slice = running.request.prompt[running.fed..end].to_vec();
                    running.fed = end;
                    slice
                }
            };
            let wants_scores = running.fed == running.request.prompt.len();
            let first = self.slots.tokens(slot).len();
            for (offset, token) in tokens.iter().enumerate() {
                let last = wants_scores && offset + 1 == tokens.len();
                let position = i32::try_from(first + offset).unwrap_or(i32::MAX);
                let sequence = [i32::try_from(slot).unwrap_or(0)];
                self.batch.add(*token, position, &sequence, last).map_err(|error| full(&error))?;
                if last {
                    running.output = Some(self.batch.n_tokens() - 1);
                }
            }
            self.slots.extend(slot, &tokens);
        }
        Ok(())
    }

    /// Chooses a token from the scores at `output` for a running request.
    fn take_token(&mut self, index: usize, output: i32) {
        let running = &mut self.running[index];
        let logits = self.context.get_logits_ith(output);
        let token = match running.greedy.choose(logits) {
            Ok(token) => token,
            Err(error) => return running.fail(error),
        };
        if running.generated == 0 {
            running.first_token_ms = milliseconds(running.request.arrived);
        }
        running.generated += 1;
        let vocab = self.model.vocab();
        if vocab.is_eog(token) {
            return running.end(Finish::Stop);
        }
        if let Err(error) = running.greedy.accept(token) {
            return running.fail(error);
        }
        let piece = vocab.token_to_piece(token, false, None);
        let shown = running.text.push(&piece);
        if !shown.is_empty() && running.request.events.send(Event::Text(shown.to_string())).is_err() {
            // The caller is gone.
            return running.end(Finish::Cancelled);
        }
        if running.text.stopped() {
            running.end(Finish::StopString);
        } else if running.generated >= running.request.max_tokens {
            running.end(Finish::Length);
        } else if repetition::goes_round(running.written(self.slots.tokens(running.slot)), token) {
            running.end(Finish::Repetition);
        } else {
            running.next = Some(token);
        }
    }
}

impl Running {
    /// What was generated before the newest token, which is not in the cache yet.
    fn written<'t>(&self, cached: &'t [LlamaToken]) -> &'t [LlamaToken] {
        &cached[self.request.prompt.len().min(cached.len())..]
    }

    fn end(&mut self, reason: Finish) {
        self.finished = true;
        if reason == Finish::Cancelled && self.generated == 0 {
            return finish(&self.request.events, Err(ModelError::Cancelled));
        }
        let last = self.text.flush().to_string();
        if !last.is_empty() {
            let _ = self.request.events.send(Event::Text(last));
        }
        let text = std::mem::replace(&mut self.text, TextStream::new(&[]));
        let (text, dropped) = text.into_text();
        if dropped > 0 {
            tracing::debug!(dropped, "bytes of the answer were no UTF-8");
        }
        let generation = Generation {
            text,
            finish: reason,
            prompt_tokens: self.request.prompt.len(),
            cached_tokens: self.cached,
            completion_tokens: self.generated,
            first_token_ms: self.first_token_ms,
            total_ms: milliseconds(self.request.arrived),
        };
        finish(&self.request.events, Ok(generation));
    }

    fn fail(&mut self, error: ModelError) {
        self.finished = true;
        finish(&self.request.events, Err(error));
    }
}

fn finish(events: &Sender<Event>, result: Result<Generation, ModelError>) {
    // A caller that went away wants no answer.
    let _ = events.send(Event::Done(result));
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
