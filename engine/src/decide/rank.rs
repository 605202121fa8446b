//! Fusing, ordering and scoring ranked lists.

use std::collections::BTreeMap;
use std::collections::HashMap;

/// A candidate with its score; larger is better.
pub type Scored = (i64, f32);

/// Returns the dot product of two vectors of equal length.
///
/// For L2-normalised vectors this is their cosine, in `[-1, 1]`.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    debug_assert_eq!(a.len(), b.len());
    // Eight independent sums let the compiler keep the loop in vector registers; one running
    // sum would have to stay sequential.
    let mut sums = [0.0_f32; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + tail
}

/// Sorts by score, largest first; equal scores by id, so that the order never depends on input order.
pub fn sort_scored(list: &mut [Scored]) {
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

/// Keeps the `k` best of `candidates`, sorted as [`sort_scored`] does.
pub fn top_k(candidates: impl IntoIterator<Item = Scored>, k: usize) -> Vec<Scored> {
    let mut all: Vec<Scored> = candidates.into_iter().collect();
    if all.len() > k && k > 0 {
        all.select_nth_unstable_by(k - 1, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(k);
    }
    sort_scored(&mut all);
    all.truncate(k);
    all
}

/// A fused candidate and where its score came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused {
    /// Candidate id.
    pub id: i64,
    /// Fused score.
    pub score: f32,
    /// Dense score, if the dense list had it.
    pub dense: Option<f32>,
    /// Lexical score, if the lexical list had it.
    pub lexical: Option<f32>,
}

/// Fuses a dense and a lexical ranking: `dense + weight * lexical / max(lexical)`.
///
/// Dense cosines of one embedder share a scale already; BM25 does not (it grows with question
/// length), so it is divided by its own maximum first. A candidate missing from the dense list
/// takes that list's lowest score: being absent from the top is not evidence of zero.
pub fn fuse(dense: &[Scored], lexical: &[Scored], weight: f32) -> Vec<Fused> {
    let floor = dense.iter().map(|x| x.1).fold(f32::INFINITY, f32::min);
    let floor = if floor.is_finite() { floor } else { 0.0 };
    let best = lexical.iter().map(|x| x.1).fold(0.0_f32, f32::max);
    let mut fused: BTreeMap<i64, Fused> = BTreeMap::new();
    for &(id, score) in dense {
        fused.insert(id, Fused { id, score, dense: Some(score), lexical: None });
    }
    for &(id, score) in lexical {
        let entry = fused.entry(id).or_insert(Fused { id, score: floor, dense: None, lexical: None });
        entry.lexical = Some(score);
        if best > 0.0 {
            entry.score += weight * score / best;
        }
    }
    let mut list: Vec<Fused> = fused.into_values().collect();
    list.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    list
}

/// Orders passages for a prompt so that the best stand at both ends.
///
/// Liu et al. 2023, "Lost in the Middle", section 2.3: models use the beginning and the end of
/// a long context best. Ranks 1, 3, 5, … come first, then the even ranks reversed:
/// `[1, 2, 3, 4, 5]` becomes `[1, 3, 5, 4, 2]`.
pub fn lost_in_the_middle<T: Clone>(ranked: &[T]) -> Vec<T> {
    let odd = ranked.iter().step_by(2);
    let even: Vec<&T> = ranked.iter().skip(1).step_by(2).collect();
    odd.chain(even.into_iter().rev()).cloned().collect()
}

/// Returns the fraction of `relevant` found among the first `k` of `ranked`; 1 when nothing is relevant.
pub fn recall_at(ranked: &[i64], relevant: &[i64], k: usize) -> f64 {
    if relevant.is_empty() {
        return 1.0;
    }
    let found = relevant.iter().filter(|id| ranked.iter().take(k).any(|r| r == *id)).count();
    found as f64 / relevant.len() as f64
}

/// Returns the reciprocal rank of the first relevant candidate, 0 if there is none.
pub fn reciprocal_rank(ranked: &[i64], relevant: &[i64]) -> f64 {
    ranked.iter().position(|id| relevant.contains(id)).map_or(0.0, |rank| 1.0 / (rank + 1) as f64)
}

/// Drops repeated ids, keeping the best-scored one, and sorts.
pub fn deduplicate(list: Vec<Scored>) -> Vec<Scored> {
    let mut best: HashMap<i64, f32> = HashMap::new();
    for (id, score) in list {
        let entry = best.entry(id).or_insert(score);
        *entry = entry.max(score);
    }
    let mut unique: Vec<Scored> = best.into_iter().collect();
    sort_scored(&mut unique);
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_matches_the_plain_sum_at_every_length() {
        for length in 0..40 {
            let a: Vec<f32> = (0..length).map(|i| i as f32 * 0.5 - 3.0).collect();
            let b: Vec<f32> = (0..length).map(|i| 2.0 - i as f32 * 0.25).collect();
            let plain: f32 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!((dot(&a, &b) - plain).abs() < 1e-3, "length {length}");
        }
    }

    #[test]
    fn top_k_breaks_ties_by_id_and_survives_any_k() {
        let list = vec![(3, 0.5), (1, 0.5), (2, 0.9)];
        assert_eq!(top_k(list.clone(), 2), [(2, 0.9), (1, 0.5)]);
        assert!(top_k(list.clone(), 0).is_empty());
        assert_eq!(top_k(list, 100).len(), 3);
    }

    #[test]
    fn fusion_lifts_lexical_matches_and_floors_the_absent() {
        let fused = fuse(&[(1, 0.9), (2, 0.8)], &[(2, 4.0), (3, 2.0)], 0.3);
        assert_eq!(fused.iter().map(|f| f.id).collect::<Vec<_>>(), [2, 3, 1]);
        assert!((fused[0].score - 1.1).abs() < 1e-6);
        assert!((fused[1].score - 0.95).abs() < 1e-6);
        assert_eq!(fused[2].lexical, None);
    }

    #[test]
    fn order_puts_the_best_at_both_ends() {
        assert_eq!(lost_in_the_middle(&[1, 2, 3, 4, 5]), [1, 3, 5, 4, 2]);
        assert_eq!(lost_in_the_middle(&[1, 2, 3, 4]), [1, 3, 4, 2]);
        assert_eq!(lost_in_the_middle(&[1]), [1]);
        assert!(lost_in_the_middle::<i32>(&[]).is_empty());
    }

    #[test]
    fn recall_and_reciprocal_rank_by_hand() {
        assert_eq!(recall_at(&[5, 1, 2], &[1, 9], 2), 0.5);
        assert_eq!(recall_at(&[5, 1, 2], &[1, 9], 1), 0.0);
        assert_eq!(recall_at(&[5], &[], 1), 1.0);
        assert_eq!(reciprocal_rank(&[5, 1, 2], &[1, 2]), 0.5);
        assert_eq!(reciprocal_rank(&[5], &[1]), 0.0);
    }

    #[test]
    fn duplicates_keep_their_best_score() {
        assert_eq!(deduplicate(vec![(1, 0.2), (2, 0.5), (1, 0.7)]), [(1, 0.7), (2, 0.5)]);
    }
}
