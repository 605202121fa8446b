//! Chat templates: what stands around the system text, the user's text and the answer.
//!
//! A template is rendered once with place holders and cut at them. Only the template's own
//! parts may become control tokens; texts never do, whatever they contain, so that a document
//! cannot end its turn and start another (and no prompt is built twice).

use std::path::Path;

use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};
use llama_cpp_2::token::LlamaToken;

use crate::models::{GenerateRequest, ModelError};

const SYSTEM: &str = "PLACE-OF-SYSTEM-TEXT";
const USER: &str = "PLACE-OF-USER-TEXT";

/// Turns that reasoning models begin with unless an empty thought is put before the answer.
const EMPTY_THOUGHT: &str = "<think>\n\n</think>\n\n";

/// Control texts of known templates, looked for in the vocabulary when the file has none.
const KNOWN: &[(&str, &str)] = &[
    ("<|im_start|>", "chatml"),
    ("<|start_header_id|>", "llama3"),
    ("<start_of_turn>", "gemma"),
    ("<|assistant|>", "phi3"),
    ("[INST]", "mistral-v7"),
];

/// A model's template, as tokens.
#[derive(Debug)]
pub(super) struct Chat {
    with_system: Frame,
    without_system: Frame,
    begin: Vec<LlamaToken>,
}

#[derive(Debug, Default)]
struct Frame {
    before: Vec<LlamaToken>,
    between: Vec<LlamaToken>,
    after: Vec<LlamaToken>,
    /// The template knows no system turn: the system text goes before the user's.
    merged: bool,
}

impl Chat {
    /// Takes the template of the file, or the one the vocabulary gives away.
    ///
    /// # Errors
    /// When there is neither (case L08): guessing would give answers that never end.
    pub(super) fn of(model: &LlamaModel, path: &Path, architecture: &str) -> Result<Self, ModelError> {
        let own = model.chat_template(None).ok();
        let template = match own.as_ref().filter(|template| render(model, template, true).is_some()) {
            Some(template) => template.clone(),
            None => known_template(model).ok_or_else(|| ModelError::WrongKind {
                role: "generate",
                path: path.to_path_buf(),
                reason: match own {
                    Some(_) => format!("its chat template is not known (architecture {architecture})"),
                    None => format!("it has no chat template, and none is known for {architecture}"),
                },
            })?,
        };
        let thinks = own
            .and_then(|template| template.to_string().ok())
            .is_some_and(|source| source.contains("enable_thinking"));
        let vocab = model.vocab();
        let frame =
            |with_system| Frame::cut(model, &render(model, &template, with_system)?, with_system, thinks);
        let broken = || ModelError::WrongKind {
            role: "generate",
            path: path.to_path_buf(),
            reason: "its chat template loses the user's text".into(),
        };
        let begin = if vocab.should_add_bos() && vocab.bos().0 >= 0 { vec![vocab.bos()] } else { Vec::new() };
        Ok(Self {
            with_system: frame(true).ok_or_else(broken)?,
            without_system: frame(false).ok_or_else(broken)?,
            begin,
        })
    }

    /// Returns the prompt's tokens.
    pub(super) fn prompt(&self, model: &LlamaModel, request: &GenerateRequest) -> Vec<LlamaToken> {
        let vocab = model.vocab();
        let mut tokens = self.begin.clone();
        let plain = |tokens: &mut Vec<LlamaToken>, text: &str| {
            vocab.tokenize_into(text.as_bytes(), tokens, false, false);
        };
        let frame = if request.system.is_empty() { &self.without_system } else { &self.with_system };
        tokens.extend(&frame.before);
        if !request.system.is_empty() {
            plain(&mut tokens, &request.system);
            if frame.merged {
                plain(&mut tokens, "\n\n");
            }
        }
        tokens.extend(&frame.between);
        plain(&mut tokens, &request.user);
        tokens.extend(&frame.after);
        if !request.assistant_prefix.is_empty() {
            plain(&mut tokens, &request.assistant_prefix);
        }
        tokens
    }

    /// Tokens around the texts.
    pub(super) fn overhead(&self) -> usize {
        let frame = &self.with_system;
        // Two for the break a merged system text needs.
        let merged = if frame.merged { 2 } else { 0 };
        self.begin.len() + frame.before.len() + frame.between.len() + frame.after.len() + merged
    }
}

impl Frame {
    fn cut(model: &LlamaModel, text: &str, with_system: bool, thinks: bool) -> Option<Self> {
        let special = |text: &str| model.vocab().tokenize(text.as_bytes(), false, true);
        let (head, after) = text.split_once(USER)?;
        let mut after = after.to_string();
        if thinks && !after.contains("<think>") {
            after.push_str(EMPTY_THOUGHT);
        }
        let (before, between, merged) = match head.split_once(SYSTEM) {
            Some((before, between)) => (before, between, false),
            None => (head, "", with_system),
        };
        Some(Self { before: special(before), between: special(between), after: special(&after), merged })
    }
}

/// Renders the place holders; `None` when llama.cpp does not know the template or a text is lost.
fn render(model: &LlamaModel, template: &LlamaChatTemplate, with_system: bool) -> Option<String> {
    let message = |role: &str, text: &str| LlamaChatMessage::new(role.into(), text.into()).ok();
    let mut messages = Vec::new();
    if with_system {
        messages.push(message("system", SYSTEM)?);
    }
    messages.push(message("user", USER)?);
    model.apply_chat_template(template, &messages, true).ok().filter(|text| text.contains(USER))
}

/// The template whose control text the vocabulary has as one token.
fn known_template(model: &LlamaModel) -> Option<LlamaChatTemplate> {
    let vocab = model.vocab();
    let is_control = |text: &str| {
        let tokens = vocab.tokenize(text.as_bytes(), false, true);
        tokens.len() == 1 && vocab.is_control(tokens[0])
    };
    let (_, name) = KNOWN.iter().find(|(text, _)| is_control(text))?;
    LlamaChatTemplate::new(name).ok()
}
