//! llama.cpp's process-wide state: started once, silent, its last complaints kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};

use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::{LogOptions, send_logs_to_tracing};
use tracing::span;
use tracing::{Event, Level, Metadata, Subscriber};

use crate::models::ModelError;

/// Starts llama.cpp on first use; its log goes to `tracing`, never to standard error.
pub(super) fn backend() -> Result<&'static LlamaBackend, ModelError> {
    static BACKEND: OnceLock<Result<LlamaBackend, String>> = OnceLock::new();
    BACKEND
        .get_or_init(|| {
            send_logs_to_tracing(LogOptions::default());
            LlamaBackend::init().map_err(|error| error.to_string())
        })
        .as_ref()
        .map_err(|reason| ModelError::Runtime { role: "any", reason: reason.clone() })
}

/// Keeps the last warnings of llama.cpp for error messages, and passes everything on.
///
/// llama-cpp-2 reports most failures as "null result"; the reason is only in the log.
#[derive(Clone)]
pub(super) struct LogTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    forward: tracing::Dispatch,
}

const KEPT_LINES: usize = 8;
const LOG_TARGET: &str = "llama-cpp-2";

impl LogTail {
    /// Creates one that passes events on to the calling thread's subscriber.
    pub(super) fn new() -> Self {
        Self { lines: Arc::default(), forward: tracing::dispatcher::get_default(Clone::clone) }
    }

    /// Runs `work` with the log of this thread kept.
    pub(super) fn watch<T>(&self, work: impl FnOnce() -> T) -> T {
        tracing::dispatcher::with_default(&tracing::Dispatch::new(self.clone()), work)
    }

    /// Takes the lines kept so far: `fallback` alone, or with them behind it.
    pub(super) fn reason(&self, fallback: &str) -> String {
        let mut lines = self.lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let said: Vec<String> = lines.drain(..).collect();
        if said.is_empty() { fallback.to_string() } else { format!("{fallback}: {}", said.join("; ")) }
    }
}

struct Message(String);

impl tracing::field::Visit for Message {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }

    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        if field.name() == "message" {
            self.0 = value.to_string();
        }
    }
}

impl Subscriber for LogTail {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> tracing::subscriber::Interest {
        if metadata.target() == LOG_TARGET {
            tracing::subscriber::Interest::sometimes()
        } else {
            self.forward.register_callsite(metadata)
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let kept = metadata.target() == LOG_TARGET && *metadata.level() <= Level::WARN;
        kept || self.forward.enabled(metadata)
    }

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        if metadata.target() == LOG_TARGET && *metadata.level() <= Level::WARN {
            let mut message = Message(String::new());
            event.record(&mut message);
            let line = message.0.trim().to_string();
            if !line.is_empty() {
                let mut lines = self.lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if lines.len() == KEPT_LINES {
                    lines.pop_front();
                }
                lines.push_back(line);
            }
        }
        if self.forward.enabled(metadata) {
            self.forward.event(event);
        }
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        self.forward.new_span(attributes)
    }

    fn record(&self, id: &span::Id, values: &span::Record<'_>) {
        self.forward.record(id, values);
    }

    fn record_follows_from(&self, id: &span::Id, follows: &span::Id) {
        self.forward.record_follows_from(id, follows);
    }

    fn enter(&self, id: &span::Id) {
        self.forward.enter(id);
    }

    fn exit(&self, id: &span::Id) {
        self.forward.exit(id);
    }

    fn clone_span(&self, id: &span::Id) -> span::Id {
        self.forward.clone_span(id)
    }

    fn try_close(&self, id: span::Id) -> bool {
        self.forward.try_close(id)
    }
}
