//! A conversation: questions that may lean on the one before them.

use crate::ask::{AskOptions, ask};
use crate::decide::followup::{Completion, complete};
use crate::engine::Engine;
use crate::error::Result;
use crate::models::Cancel;
use crate::report::AskReport;
use crate::trace::Trace;

/// What a conversation remembers: the last question, complete. The answers are not part of it, so
/// that what a model wrote never decides what is looked up next.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    last: Option<String>,
    turns: usize,
}

impl Conversation {
    /// Begins with nothing said.
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes on after `question`, which was asked elsewhere and is complete.
    pub fn after(question: impl Into<String>) -> Self {
        Self { last: Some(question.into()), turns: 1 }
    }

    /// The complete question that the next message may lean on.
    pub fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// How many messages were answered.
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// Forgets what was said.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Completes `message` from the question before it, if it needs that.
    ///
    /// # Errors
    /// [`crate::Error::Store`], [`crate::Error::Model`]: the names that the stores hold are read.
    pub fn complete(&self, engine: &Engine, message: &str) -> Result<Option<Completion>> {
        match &self.last {
            Some(last) => Ok(complete(last, message, &engine.snapshot()?.vocabulary)),
            None => Ok(None),
        }
    }

    /// Answers `message` as [`ask`] does; a follow-up is completed first, looked up and cached under
    /// its complete form alone, and shown in the report.
    ///
    /// # Errors
    /// As [`ask`]. A message that failed or was cancelled leaves the conversation as it was.
    pub fn ask(
        &mut self,
        engine: &Engine,
        message: &str,
        options: &AskOptions,
        trace: &Trace,
        cancel: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<AskReport> {
        let followup = {
            let mut span = trace.span("conversation.followup", None);
            let found = self.complete(engine, message)?;
            span.set("completed", found.is_some());
            found
        };
        let question = followup.as_ref().map_or_else(|| message.to_owned(), |found| found.question.clone());
        let options = AskOptions { followup, ..options.clone() };
        let report = ask(engine, &question, &options, trace, cancel, on_text)?;
        self.turns += 1;
        // Thanks and greetings hold no answer and no subject: what comes next leans on what was before.
        if !report.abstained || self.last.is_none() || report.followup.is_some() {
            self.last = Some(question);
        }
        Ok(report)
    }
}
