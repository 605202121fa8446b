//! Stand-ins for models, for tests of what is around them: no claim about a model rests on these.
//!
//! Stricter than the real ones: an empty text or a purpose mixed up is a panic, every call is counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use polyrag::config::Config;
use polyrag::decide::text::content_words;
use polyrag::engine::Engine;
use polyrag::models::lazy::{Lazy, Models};
use polyrag::models::{
    Cancel, Embed, Finish, Generate, GenerateRequest, Generation, ModelError, ModelIdentity, Purpose,
};

const DIMENSION: usize = 96;

/// Embeds words by hashing their first letters: texts with common words are near.
pub struct Words {
    identity: ModelIdentity,
    /// Texts embedded so far.
    pub texts: AtomicUsize,
}

impl Words {
    pub fn named(name: &str) -> Arc<Self> {
        let identity = ModelIdentity {
            name: name.into(),
            fingerprint: format!("fingerprint of {name}"),
            dimension: DIMENSION,
            pooling: "mean".into(),
        };
        Arc::new(Self { identity, texts: AtomicUsize::new(0) })
    }
}

impl Embed for Words {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed(&self, _: Purpose, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        Ok(texts.iter().map(|text| vector(text)).collect())
    }

    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        Ok(text.split_whitespace().count())
    }

    fn window_tokens(&self) -> usize {
        510
    }
}

fn vector(text: &str) -> Vec<f32> {
    assert!(!text.trim().is_empty(), "an empty text was embedded");
    // A common part keeps every cosine well above zero, as with real embedders.
    let mut vector = vec![0.35_f32; DIMENSION];
    for word in content_words(text) {
        let stem: String = word.chars().take(5).collect();
        let hash = stem
            .bytes()
            .fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
        vector[hash as usize % DIMENSION] += 2.0;
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.into_iter().map(|value| value / length).collect()
}

/// Answers with the first source of the prompt, word by word.
pub struct Echo {
    identity: ModelIdentity,
    /// Prompts seen.
    pub prompts: std::sync::Mutex<Vec<String>>,
}

impl Echo {
    pub fn new() -> Arc<Self> {
        let identity = ModelIdentity {
            name: "echo".into(),
            fingerprint: "echo".into(),
            dimension: 0,
            pooling: String::new(),
        };
        Arc::new(Self { identity, prompts: std::sync::Mutex::new(Vec::new()) })
    }
}

impl Generate for Echo {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn context_tokens(&self) -> usize {
        4096
    }

    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        Ok(text.split_whitespace().count())
    }

    fn template_tokens(&self) -> usize {
        16
    }

    fn generate(
        &self,
        request: &GenerateRequest,
        cancel: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Generation, ModelError> {
        assert!(request.grammar.is_none(), "only wording is asked of this one");
        self.prompts.lock().unwrap().push(request.user.clone());
        let after = request.user.split_once("[1]").map_or("", |(_, after)| after);
        // After the heading comes the passage, which may begin with the heading as it was written.
        let mut lines = after.lines().map(str::trim).skip(1);
        let line = lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or("nothing");
        let mut text = String::new();
        for word in line.split_inclusive(' ') {
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            text.push_str(word);
            on_text(word);
        }
        Ok(Generation {
            text,
            finish: Finish::Stop,
            prompt_tokens: 10,
            cached_tokens: 0,
            completion_tokens: 10,
            first_token_ms: 0.1,
            total_ms: 0.2,
        })
    }
}

/// An engine over `data` with these models.
pub fn engine(data: &std::path::Path, embed: &Arc<Words>, generate: &Arc<Echo>, own: &str) -> Engine {
    let models = Models {
        embed: Lazy::ready(Arc::clone(embed) as Arc<dyn Embed>),
        generate: Lazy::ready(Arc::clone(generate) as Arc<dyn Generate>),
        ocr: Lazy::new(|| Err(ModelError::NoRuntime)),
        generator_name: "echo".into(),
    };
    Engine::open(data, Config::parse(own, "test").unwrap(), models).unwrap()
}
