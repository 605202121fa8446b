//! Greedy choice of the next token, within a grammar when there is one.

use std::cmp::Ordering;

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

use super::backend::LogTail;
use crate::models::ModelError;

/// Candidates the grammar judges together, one step after the other, before the whole
/// vocabulary: judging 150,000 tokens takes longer than computing one.
const STEPS: [usize; 2] = [64, 2048];

/// Chooses tokens for one request.
pub(super) struct Greedy {
    grammar: Option<LlamaSampler>,
    suppressed: Vec<LlamaToken>,
}

impl Greedy {
    /// # Errors
    /// [`ModelError::Grammar`] when the grammar does not parse.
    pub(super) fn new(model: &LlamaModel, grammar: Option<&str>, log: &LogTail) -> Result<Self, ModelError> {
        let grammar = match grammar {
            None => None,
            Some(text) => {
                super::grammar::check(text)?;
                let built = log.watch(|| LlamaSampler::grammar(model, text, "root"));
                Some(built.map_err(|error| ModelError::Grammar { reason: log.reason(&error.to_string()) })?)
            }
        };
        Ok(Self { grammar, suppressed: model.vocab().suppress_tokens().to_vec() })
    }

    /// Chooses the most likely token that is allowed; of equal ones the first.
    pub(super) fn choose(&mut self, logits: &[f32]) -> Result<LlamaToken, ModelError> {
        let best = self.best(logits).ok_or_else(|| ModelError::Runtime {
            role: "generate",
            reason: "the model gave no usable scores (NaN)".into(),
        })?;
        if self.grammar.is_none() || self.first_allowed(&[best]).is_some() {
            return Ok(best.1);
        }
        for step in STEPS {
            if let Some(token) = self.first_allowed(&self.most_likely(logits, step)) {
                return Ok(token);
            }
        }
        let all = self.most_likely(logits, logits.len());
        self.first_allowed(&all).ok_or_else(|| ModelError::Grammar {
            reason: "no token of the vocabulary can go on from here".into(),
        })
    }

    /// Notes that a token was taken; the end of generation is not told to the grammar.
    pub(super) fn accept(&mut self, token: LlamaToken) -> Result<(), ModelError> {
        match &mut self.grammar {
            None => Ok(()),
            Some(grammar) => {
                grammar.try_accept(token).map_err(|error| ModelError::Grammar { reason: error.to_string() })
            }
        }
    }

    fn best(&self, logits: &[f32]) -> Option<(f32, LlamaToken)> {
        let mut best: Option<(f32, LlamaToken)> = None;
        for (token, &logit) in (0..).map(LlamaToken).zip(logits) {
            // False for NaN as well.
            if logit > best.map_or(f32::NEG_INFINITY, |(most, _)| most) && !self.suppressed.contains(&token) {
                best = Some((logit, token));
            }
        }
        best
    }

    /// The `count` most likely tokens, most likely first.
    fn most_likely(&self, logits: &[f32], count: usize) -> Vec<(f32, LlamaToken)> {
        let mut all: Vec<(f32, LlamaToken)> = logits
            .iter()
            .copied()
            .zip((0..).map(LlamaToken))
            .filter(|(logit, token)| *logit > f32::NEG_INFINITY && !self.suppressed.contains(token))
            .collect();
        let order = |a: &(f32, LlamaToken), b: &(f32, LlamaToken)| -> Ordering {
            b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
        };
        if count < all.len() {
            all.select_nth_unstable_by(count, order);
            all.truncate(count);
        }
        all.sort_unstable_by(order);
        all
    }

    /// The first of `candidates` that the grammar allows.
    fn first_allowed(&mut self, candidates: &[(f32, LlamaToken)]) -> Option<LlamaToken> {
        let grammar = self.grammar.as_mut()?;
        let data = candidates.iter().map(|(logit, token)| LlamaTokenData::new(*token, *logit, 0.0));
        let mut array = LlamaTokenDataArray::from_iter(data, false);
        grammar.apply(&mut array);
        array.data.iter().find(|candidate| candidate.logit() > f32::NEG_INFINITY).map(LlamaTokenData::id)
    }
}
