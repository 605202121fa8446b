//! Start-up self-test of an embedder against stored vectors (design section 4).
//!
//! Run at every start: two or three short texts cost some tens of milliseconds, less than
//! keeping a record of which model passed on which device would be worth.

use serde::Deserialize;

use crate::models::llama::cosine;
use crate::models::{Cancel, Embed, ModelError, Purpose};

/// Cosine an embedder must reach against its stored vectors.
pub const SAME_VECTOR: f32 = 0.999;

/// Texts and their vectors, computed by the model's source implementation.
#[derive(Debug, Clone, Deserialize)]
pub struct Reference {
    /// Name of the model the vectors belong to.
    pub model: String,
    /// The texts.
    pub texts: Vec<ReferenceText>,
}

/// A text and its vector.
#[derive(Debug, Clone, Deserialize)]
pub struct ReferenceText {
    /// `query` or `passage`.
    pub purpose: String,
    /// The text.
    pub text: String,
    /// Its vector.
    pub vector: Vec<f32>,
}

/// How a self-test went.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SelfTest {
    /// Texts compared.
    pub texts: usize,
    /// The worst cosine.
    pub worst_cosine: f32,
    /// Milliseconds it took.
    pub milliseconds: f64,
}

/// Embeds the first `most` reference texts and compares.
///
/// # Errors
/// [`ModelError::SelfTest`] when a cosine is below [`SAME_VECTOR`], and what embedding gives.
pub fn self_test(embedder: &dyn Embed, reference: &Reference, most: usize) -> Result<SelfTest, ModelError> {
    let started = std::time::Instant::now();
    let texts = &reference.texts[..most.min(reference.texts.len())];
    let mut worst_cosine = 1f32;
    for (purpose, name) in [(Purpose::Query, "query"), (Purpose::Passage, "passage")] {
        let chosen: Vec<&ReferenceText> = texts.iter().filter(|text| text.purpose == name).collect();
        let strings: Vec<&str> = chosen.iter().map(|text| text.text.as_str()).collect();
        for (vector, text) in embedder.embed(purpose, &strings, &Cancel::default())?.iter().zip(chosen) {
            let cosine = if vector.len() == text.vector.len() { cosine(vector, &text.vector) } else { 0.0 };
            worst_cosine = worst_cosine.min(cosine);
        }
    }
    if worst_cosine < SAME_VECTOR {
        return Err(ModelError::SelfTest {
            name: embedder.identity().name.clone(),
            cosine: worst_cosine,
            expected: SAME_VECTOR,
        });
    }
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    Ok(SelfTest { texts: texts.len(), worst_cosine, milliseconds })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::models::ModelIdentity;

    struct Fixed(ModelIdentity, Vec<f32>);

    impl Embed for Fixed {
        fn identity(&self) -> &ModelIdentity {
            &self.0
        }

        fn embed(&self, _: Purpose, texts: &[&str], _: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
            Ok(vec![self.1.clone(); texts.len()])
        }

        fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
            Ok(text.len())
        }

        fn window_tokens(&self) -> usize {
            512
        }
    }

    fn fixed(vector: &[f32]) -> Fixed {
        let identity =
            ModelIdentity { name: "m".into(), fingerprint: "f".into(), dimension: 2, pooling: "cls".into() };
        Fixed(identity, vector.to_vec())
    }

    const REFERENCE: &str = r#"{"model":"m","texts":[
        {"purpose":"query","text":"a","vector":[0.6,0.8]},{"purpose":"passage","text":"b","vector":[0.6,0.8]}]}"#;

    #[test]
    fn l04_another_vector_than_the_stored_one_is_refused() {
        let reference: Reference = serde_json::from_str(REFERENCE).unwrap();
        let passed = self_test(&fixed(&[0.6, 0.8]), &reference, 8).unwrap();
        assert_eq!(passed.texts, 2);
        for other in [&[0.8f32, 0.6][..], &[0.6, -0.8], &[1.0], &[]] {
            let error = self_test(&fixed(other), &reference, 8).unwrap_err();
            assert!(matches!(error, ModelError::SelfTest { .. }), "{error}");
            assert!(error.hint().unwrap().contains("models verify"));
        }
    }
}
