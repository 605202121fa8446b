//! The trace of one request: spans with their own time and numbers, as they happen.
//!
//! Span names and attribute keys follow OpenTelemetry's style (`pipeline.router`,
//! `gen_ai.usage.input_tokens`). Finished spans are also sent to `tracing`, so that any
//! subscriber sees them.

use std::sync::Mutex;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One finished step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SpanRecord {
    /// Dotted name.
    pub name: String,
    /// Milliseconds it took.
    pub ms: f64,
    /// Milliseconds from the start of the trace to its own start.
    pub start_ms: f64,
    /// Name of the span it belongs to; `None` for the root.
    pub parent: Option<String>,
    /// Its numbers.
    pub attributes: Map<String, Value>,
}

/// Called with every span as it ends.
pub type SpanListener = Box<dyn Fn(&SpanRecord) + Send + Sync>;

/// Collects the spans of one request; shared by the threads that work on it.
pub struct Trace {
    /// Unique id, 16 hexadecimal digits.
    pub id: String,
    started: Instant,
    spans: Mutex<Vec<SpanRecord>>,
    listener: Option<SpanListener>,
}

impl Trace {
    /// Starts a trace.
    pub fn new(id: String, listener: Option<SpanListener>) -> Self {
        Self { id, started: Instant::now(), spans: Mutex::new(Vec::new()), listener }
    }

    /// Starts a span under `parent`; it ends when the guard is dropped.
    pub fn span<'a>(&'a self, name: &str, parent: Option<&str>) -> Span<'a> {
        Span {
            trace: self,
            started: Instant::now(),
            record: SpanRecord {
                name: name.to_owned(),
                ms: 0.0,
                start_ms: self.elapsed_ms(),
                parent: parent.map(str::to_owned),
                attributes: Map::new(),
            },
        }
    }

    /// Records a step that has just ended and took `ms`; attributes may still be set on it.
    pub fn past_span<'a>(&'a self, name: &str, parent: Option<&str>, ms: f64) -> Span<'a> {
        let mut span = self.span(name, parent);
        span.record.start_ms -= ms;
        span.record.ms = ms;
        span
    }

    /// Milliseconds since the trace began.
    pub fn elapsed_ms(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1e3
    }

    /// Returns the finished spans, in the order they began.
    pub fn spans(&self) -> Vec<SpanRecord> {
        let mut spans = self.spans.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        spans.sort_by(|a, b| a.start_ms.total_cmp(&b.start_ms));
        spans
    }

    /// Sums the time of the spans whose attribute `model` is set: time spent in model calls.
    pub fn model_ms(&self) -> f64 {
        self.spans().iter().filter(|span| span.attributes.contains_key("model")).map(|span| span.ms).sum()
    }

    fn finish(&self, record: SpanRecord) {
        tracing::debug!(target: "polyrag::span", trace = %self.id, name = %record.name, ms = record.ms,
            attributes = %serde_json::Value::Object(record.attributes.clone()));
        if let Some(listener) = &self.listener {
            listener(&record);
        }
        self.spans.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(record);
    }
}

/// A running span.
pub struct Span<'a> {
    trace: &'a Trace,
    started: Instant,
    record: SpanRecord,
}

impl Span<'_> {
    /// Sets an attribute.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.record.attributes.insert(key.to_owned(), value.into());
    }

    /// The span's name, for its children.
    pub fn name(&self) -> &str {
        &self.record.name
    }
}

impl Drop for Span<'_> {
    fn drop(&mut self) {
        let mut record = self.record.clone();
        record.ms += self.started.elapsed().as_secs_f64() * 1e3;
        self.trace.finish(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_nest_and_keep_their_numbers() {
        let trace = Trace::new("t".into(), None);
        {
            let mut outer = trace.span("pipeline", None);
            outer.set("parts", 2);
            let mut inner = trace.span("pipeline.embed", Some(outer.name()));
            inner.set("model", "e5");
        }
        let spans = trace.spans();
        assert_eq!(spans[0].name, "pipeline");
        assert_eq!(spans[1].parent.as_deref(), Some("pipeline"));
        assert_eq!(spans[0].attributes["parts"], 2);
        assert!(spans[0].ms >= spans[1].ms);
        assert!((trace.model_ms() - spans[1].ms).abs() < 1e-9);
    }
}
