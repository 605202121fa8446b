//! Follow-ups: completes a message that leans on the question before it, by arithmetic alone.
//!
//! `Qual foi a receita do Sul em março?`, then `E em abril?`: the second is no question of its
//! own, so it is completed before anything is embedded, cached or looked up. Four kinds, tried in
//! this order:
//!
//! 1. **reference**: a pronoun or demonstrative that nothing in the message answers to
//!    (`What does it cost?`) takes the thing that the question before names;
//! 2. **ellipsis**: a fragment without an interrogative (`And in April?`, `E o Norte?`) takes the
//!    place of what it contrasts with: a month of a month, a name of a name of the same kind, a
//!    number of a number, else it is added at the end;
//! 3. **bare**: an interrogative alone (`E por quê?`) is asked of the question before;
//! 4. **filters**: an interrogative with one word of its own after `and` (`E quantas unidades?`)
//!    takes over the names, dates and numbers.
//!
//! A message that asks something complete is left as it is.

mod ellipsis;
mod refer;
mod slots;
#[cfg(test)]
mod tests;
mod words;

use serde::{Deserialize, Serialize};

use crate::decide::split::tokens::{Token, tokens};
use crate::decide::split::{self, split};

/// What the stores know about a word.
pub trait Names {
    /// The kind of thing that a value names, as folded words with single spaces: the column that
    /// holds it. Two values of one column have the same kind.
    fn kind(&self, folded: &str) -> Option<String>;
}

/// Knows no names.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoNames;

impl Names for NoNames {
    fn kind(&self, _folded: &str) -> Option<String> {
        None
    }
}

/// How a message leaned on the question before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lean {
    /// A pronoun or demonstrative was resolved.
    Reference,
    /// A fragment took the place of its counterpart, or was added.
    Ellipsis,
    /// A bare interrogative was asked of the question before.
    Bare,
    /// Names, dates and numbers were taken over.
    Filters,
}

/// A message made complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The message as written.
    pub asked: String,
    /// The complete question, which is embedded, cached and looked up.
    pub question: String,
    /// How it leaned.
    pub lean: Lean,
    /// What was taken over from the question before, as written there.
    pub carried: Vec<String>,
    /// What took the place of what: `[before, now]`.
    pub replaced: Vec<[String; 2]>,
}

/// Completes `message` from `previous`, the complete question before it; `None` when the message is
/// complete by itself, or is no question at all.
pub fn complete(previous: &str, message: &str, names: &dyn Names) -> Option<Completion> {
    let asked = message.trim();
    let own = tokens(asked);
    if own.is_empty() || previous.trim().is_empty() {
        return None;
    }
    let before = Before::new(previous, names);
    refer::resolve(&before, asked, &own)
        .or_else(|| ellipsis::complete(&before, asked, &own, names))
        .filter(|completion| completion.question != asked)
}

/// Completes the parts of one message that lean on the part before them; the others stay as they are.
pub fn complete_parts(parts: &[split::Part], names: &dyn Names) -> Vec<(String, Option<Completion>)> {
    let mut done: Vec<(String, Option<Completion>)> = Vec::with_capacity(parts.len());
    for part in parts {
        let completion = match done.last() {
            Some((before, _)) if part.needs_context => complete(before, &part.text, names),
            _ => None,
        };
        let text = completion.as_ref().map_or_else(|| part.text.clone(), |found| found.question.clone());
        done.push((text, completion));
    }
    done
}

/// The question before, by its parts, the last one first.
struct Before {
    parts: Vec<Known>,
}

/// One part of the question before.
struct Known {
    text: String,
    tokens: Vec<Token>,
    slots: Vec<slots::Slot>,
}

impl Before {
    fn new(previous: &str, names: &dyn Names) -> Self {
        let known = |text: String| {
            let tokens = tokens(&text);
            let slots = slots::slots(&text, &tokens, false, names);
            Known { text, tokens, slots }
        };
        let mut parts: Vec<Known> = split(previous).into_iter().map(|part| known(part.text)).collect();
        parts.reverse();
        Self { parts }
    }

    /// The last part: what a follow-up leans on unless it fits another one better.
    fn last(&self) -> Option<&Known> {
        self.parts.first()
    }
}

impl Known {
    /// The text without its closing mark.
    fn open(&self) -> &str {
        self.text.trim_end_matches(['?', '!', '.', ' ', '？'])
    }

    /// The text with `addition` before its closing mark.
    fn with(&self, addition: &str) -> String {
        format!("{} {}?", self.open(), addition.trim())
    }
}
