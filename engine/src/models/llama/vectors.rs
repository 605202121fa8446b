//! The arithmetic around an embedder: windows, batches, unit vectors, and what to do with a
//! bad one. No llama.cpp here.

use crate::models::{Cancel, ModelError};

/// Something that turns token windows into raw vectors and can start afresh.
pub(super) trait Encoder {
    /// A token.
    type Token;
    /// Encodes `windows` together, one raw vector each, in order.
    fn encode(&mut self, windows: &[&[Self::Token]]) -> Result<Vec<Vec<f32>>, ModelError>;
    /// Replaces the context by a new one.
    fn rebuild(&mut self) -> Result<(), ModelError>;
    /// Encodes one window on the CPU; `None` when this already is the CPU.
    fn encode_on_cpu(&mut self, window: &[Self::Token]) -> Option<Result<Vec<f32>, ModelError>>;
}

/// What one batch may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchLimits {
    pub(super) tokens: usize,
    pub(super) sequences: usize,
}

/// Why windows could not be encoded.
#[derive(Debug)]
pub(super) enum EncodeFailure {
    /// This window gives an unusable vector wherever it is computed.
    Bad { window: usize, found: String },
    /// Something else.
    Model(ModelError),
}

impl From<ModelError> for EncodeFailure {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

/// Encodes `windows` as unit vectors, in order, in batches within `limits`.
///
/// A vector with NaN, infinities or no length (case L02) is never returned: the context is
/// rebuilt and the window computed alone, then on the CPU; if that fails too, so does the call.
pub(super) fn encode_all<E: Encoder>(
    encoder: &mut E,
    windows: &[Vec<E::Token>],
    limits: BatchLimits,
    cancel: &Cancel,
) -> Result<Vec<Vec<f32>>, EncodeFailure> {
    let mut vectors = Vec::with_capacity(windows.len());
    while vectors.len() < windows.len() {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled.into());
        }
        let start = vectors.len();
        let end = start + batch_length(&windows[start..], limits);
        let batch: Vec<&[E::Token]> = windows[start..end].iter().map(Vec::as_slice).collect();
        let raw = match encoder.encode(&batch) {
            Ok(raw) => raw,
            Err(error) => {
                tracing::warn!(%error, "embedding failed, computing the texts one by one");
                vec![Vec::new(); batch.len()]
            }
        };
        for (offset, vector) in raw.into_iter().enumerate() {
            let window = start + offset;
            vectors.push(match unit(vector) {
                Ok(vector) => vector,
                Err(found) => {
                    tracing::warn!(window, found, "unusable vector, trying again");
                    encode_again(encoder, &windows[window], window)?
                }
            });
        }
    }
    Ok(vectors)
}

fn encode_again<E: Encoder>(
    encoder: &mut E,
    window: &[E::Token],
    index: usize,
) -> Result<Vec<f32>, EncodeFailure> {
    encoder.rebuild()?;
    let alone = encoder.encode(&[window]).map(|mut vectors| vectors.pop().unwrap_or_default());
    let found = match alone.map(unit) {
        Ok(Ok(vector)) => return Ok(vector),
        Ok(Err(found)) => found.to_string(),
        Err(error) => error.to_string(),
    };
    // Whatever broke the vector may have broken the context too.
    encoder.rebuild()?;
    match encoder.encode_on_cpu(window) {
        None => Err(EncodeFailure::Bad { window: index, found }),
        Some(result) => {
            unit(result?).map_err(|found| EncodeFailure::Bad { window: index, found: found.to_string() })
        }
    }
}

/// Number of windows from the start of `windows` that fit one batch; at least one.
fn batch_length<T>(windows: &[Vec<T>], limits: BatchLimits) -> usize {
    let mut tokens = 0;
    let fitting = windows
        .iter()
        .take(limits.sequences)
        .take_while(|window| {
            tokens += window.len();
            tokens <= limits.tokens
        })
        .count();
    fitting.max(1)
}

/// Scales to length 1; the error says what makes that impossible.
pub(super) fn unit(mut vector: Vec<f32>) -> Result<Vec<f32>, &'static str> {
    let squares: f64 = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    if vector.is_empty() {
        return Err("nothing");
    }
    if squares.is_nan() {
        return Err("NaN");
    }
    if squares.is_infinite() {
        return Err("infinity");
    }
    if squares <= f64::from(f32::MIN_POSITIVE) {
        return Err("zero");
    }
    let scale = 1.0 / squares.sqrt();
    for x in &mut vector {
        *x = (f64::from(*x) * scale) as f32;
    }
    Ok(vector)
}

/// Cuts `tokens` into windows of at most `most`, as equal as can be.
pub(super) fn windows<T>(tokens: &[T], most: usize) -> Vec<&[T]> {
    let count = tokens.len().div_ceil(most.max(1)).max(1);
    let (short, longer) = (tokens.len() / count, tokens.len() % count);
    let mut rest = tokens;
    (0..count)
        .map(|index| {
            let (window, after) = rest.split_at(short + usize::from(index < longer));
            rest = after;
            window
        })
        .collect()
}

/// Averages unit vectors of windows by their weights (tokens), as a unit vector.
pub(super) fn pool(parts: &[(usize, &[f32])]) -> Result<Vec<f32>, &'static str> {
    if let [(_, only)] = parts {
        return Ok(only.to_vec());
    }
    let dimension = parts.first().map_or(0, |(_, vector)| vector.len());
    let mut sum = vec![0f32; dimension];
    for (weight, vector) in parts {
        for (total, x) in sum.iter_mut().zip(*vector) {
            *total += *weight as f32 * x;
        }
    }
    unit(sum)
}

/// Cosine of two vectors; 0 when either has no length.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot =
        |x: &[f32], y: &[f32]| -> f64 { x.iter().zip(y).map(|(p, q)| f64::from(*p) * f64::from(*q)).sum() };
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 { (dot(a, b) / lengths) as f32 } else { 0.0 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives `[tokens, 1]`, spoiled as long as `bad` says for windows that start with 13.
    struct Fake {
        bad: usize,
        bad_on_cpu: bool,
        gpu: bool,
        spoiled: Vec<f32>,
        rebuilt: usize,
        batches: Vec<usize>,
    }

    impl Fake {
        fn new(bad: usize, gpu: bool) -> Self {
            Self { bad, bad_on_cpu: false, gpu, spoiled: vec![f32::NAN, 1.0], rebuilt: 0, batches: vec![] }
        }
    }

    impl Encoder for Fake {
        type Token = u32;

        fn encode(&mut self, windows: &[&[u32]]) -> Result<Vec<Vec<f32>>, ModelError> {
            self.batches.push(windows.len());
            let spoil = self.bad > 0 && windows.iter().any(|w| w[0] == 13);
            self.bad -= usize::from(spoil);
            Ok(windows
                .iter()
                .map(|w| if spoil && w[0] == 13 { self.spoiled.clone() } else { vec![w.len() as f32, 0.0] })
                .collect())
        }

        fn rebuild(&mut self) -> Result<(), ModelError> {
            self.rebuilt += 1;
            Ok(())
        }

        fn encode_on_cpu(&mut self, _: &[u32]) -> Option<Result<Vec<f32>, ModelError>> {
            self.gpu.then(|| Ok(if self.bad_on_cpu { self.spoiled.clone() } else { vec![0.0, 3.0] }))
        }
    }

    const LIMITS: BatchLimits = BatchLimits { tokens: 8, sequences: 3 };

    fn texts() -> Vec<Vec<u32>> {
        vec![vec![1; 4], vec![13, 2], vec![3; 9], vec![4], vec![5], vec![6], vec![7]]
    }

    fn run(fake: &mut Fake) -> Result<Vec<Vec<f32>>, EncodeFailure> {
        encode_all(fake, &texts(), LIMITS, &Cancel::default())
    }

    #[test]
    fn batches_respect_tokens_and_sequences() {
        let mut fake = Fake::new(0, false);
        assert_eq!(run(&mut fake).unwrap(), vec![vec![1.0, 0.0]; 7]);
        assert_eq!(fake.batches, [2, 1, 3, 1]);
    }

    #[test]
    fn l02_a_bad_vector_is_computed_again_in_a_new_context() {
        for spoiled in [vec![f32::NAN, 1.0], vec![f32::INFINITY, 1.0], vec![0.0, 0.0], vec![]] {
            let mut fake = Fake { spoiled, ..Fake::new(1, false) };
            assert_eq!(run(&mut fake).unwrap()[1], [1.0, 0.0]);
            assert_eq!(fake.rebuilt, 1);
        }
    }

    #[test]
    fn l02_a_gpu_that_keeps_failing_gives_way_to_the_cpu_for_that_text() {
        let mut fake = Fake::new(2, true);
        let vectors = run(&mut fake).unwrap();
        assert_eq!(vectors[1], [0.0, 1.0]);
        assert_eq!(vectors[2], [1.0, 0.0]);
    }

    #[test]
    fn l02_a_vector_bad_everywhere_is_an_error_never_a_result() {
        for (gpu, bad_on_cpu) in [(false, false), (true, true)] {
            let mut fake = Fake { bad_on_cpu, ..Fake::new(9, gpu) };
            let failure = run(&mut fake).unwrap_err();
            assert!(matches!(failure, EncodeFailure::Bad { window: 1, ref found } if found == "NaN"));
        }
    }

    #[test]
    fn cancelling_stops_between_batches() {
        let cancel = Cancel::default();
        cancel.cancel();
        let failure = encode_all(&mut Fake::new(0, false), &texts(), LIMITS, &cancel).unwrap_err();
        assert!(matches!(failure, EncodeFailure::Model(ModelError::Cancelled)));
    }

    #[test]
    fn windows_are_pooled_by_tokens() {
        let pooled = pool(&[(3, &[1.0, 0.0]), (1, &[0.0, 1.0])]).unwrap();
        assert!((pooled[0] / pooled[1] - 3.0).abs() < 1e-6);
        assert!((cosine(&pooled, &pooled) - 1.0).abs() < 1e-6);
        assert!(pool(&[(1, &[1.0, 0.0]), (1, &[-1.0, 0.0])]).is_err());
        assert_eq!(cosine(&[0.0], &[1.0]), 0.0);
    }

    proptest! {
        #[test]
        fn windows_lose_nothing(length in 0usize..2000, most in 1usize..600) {
            let tokens: Vec<usize> = (0..length).collect();
            let cut = windows(&tokens, most);
            prop_assert!(cut.iter().all(|window| window.len() <= most));
            prop_assert_eq!(&cut.concat(), &tokens);
            let (least, largest) = (cut.iter().map(|w| w.len()).min(), cut.iter().map(|w| w.len()).max());
            prop_assert!(largest.unwrap() - least.unwrap() <= 1);
        }
    }
}
