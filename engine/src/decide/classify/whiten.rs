//! Whitening: what is common to the examples of one intent should not count as a difference.

/// A linear map under which the examples of every intent scatter equally in all directions.
///
/// With S the covariance of examples around the mean of their intent, shrunk towards a multiple of
/// the identity, and S = L·Lᵀ (Cholesky), a vector x becomes L⁻¹(x − m), where m is the mean of the
/// intents' means. Cosines and distances there are those of linear discriminant analysis.
#[derive(Debug, Clone)]
pub(super) struct Whitening {
    centre: Vec<f64>,
    /// Lower triangle of L, row by row.
    lower: Vec<f64>,
    /// The share of the identity in S.
    pub shrinkage: f64,
}

impl Whitening {
    /// Fits to `vectors` with their intents as numbers below `intents`.
    ///
    /// Shrinkage is that of Ledoit and Wolf 2004, "A well-conditioned estimator for large-dimensional
    /// covariance matrices", equations 14 to 17: b² / d². With hardly more examples than intents it
    /// nears 1, and the map leaves cosines as they are. It is `least` at least: that share serves
    /// estimating the covariance best, telling intents apart wants more.
    pub fn fit(vectors: &[&[f32]], intent_of: &[usize], means: &[Vec<f64>], least: f64) -> Self {
        let dimension = vectors.first().map_or(0, |vector| vector.len());
        let mut centre = vec![0.0; dimension];
        for mean in means {
            for (sum, value) in centre.iter_mut().zip(mean) {
                *sum += value / means.len() as f64;
            }
        }
        let mut scatter = vec![0.0; triangle(dimension)];
        let mut fourth = 0.0;
        let mut residual = vec![0.0; dimension];
        for (vector, intent) in vectors.iter().zip(intent_of) {
            for ((left, value), mean) in residual.iter_mut().zip(*vector).zip(&means[*intent]) {
                *left = f64::from(*value) - mean;
            }
            fourth += residual.iter().map(|value| value * value).sum::<f64>().powi(2);
            add_outer(&mut scatter, &residual);
        }
        let n = vectors.len().max(1) as f64;
        scatter.iter_mut().for_each(|value| *value /= n);
        let shrinkage = shrinkage(&scatter, fourth, n, dimension).max(least.clamp(0.0, 1.0));
        let mean_variance = (0..dimension).map(|i| scatter[at(i, i)]).sum::<f64>() / dimension.max(1) as f64;
        for i in 0..dimension {
            for j in 0..=i {
                scatter[at(i, j)] *= 1.0 - shrinkage;
            }
            scatter[at(i, i)] += shrinkage * mean_variance;
        }
        let lower = cholesky(scatter, dimension).unwrap_or_else(|| identity(dimension));
        Self { centre, lower, shrinkage }
    }

    /// Maps a vector and scales it to length 1; a vector at the centre stays zero.
    pub fn apply(&self, vector: impl Iterator<Item = f64>) -> Vec<f32> {
        let mut mapped: Vec<f64> = vector.zip(&self.centre).map(|(value, centre)| value - centre).collect();
        for i in 0..mapped.len() {
            let row = &self.lower[at(i, 0)..at(i, i)];
            let known: f64 = row.iter().zip(&mapped[..i]).map(|(l, x)| l * x).sum();
            mapped[i] = (mapped[i] - known) / self.lower[at(i, i)];
        }
        let length = mapped.iter().map(|value| value * value).sum::<f64>().sqrt();
        let scale = if length > 1e-12 { 1.0 / length } else { 0.0 };
        mapped.into_iter().map(|value| (value * scale) as f32).collect()
    }
}

/// Entries of a lower triangle.
const fn triangle(dimension: usize) -> usize {
    dimension * (dimension + 1) / 2
}

/// Place of row `i`, column `j` in a lower triangle.
const fn at(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

fn identity(dimension: usize) -> Vec<f64> {
    let mut lower = vec![0.0; triangle(dimension)];
    (0..dimension).for_each(|i| lower[at(i, i)] = 1.0);
    lower
}

fn add_outer(scatter: &mut [f64], residual: &[f64]) {
    let mut start = 0;
    for i in 0..residual.len() {
        let own = residual[i];
        for (sum, other) in scatter[start..=start + i].iter_mut().zip(residual) {
            *sum += own * other;
        }
        start += i + 1;
    }
}

/// Ledoit and Wolf's share of the identity, in `[0, 1]`.
fn shrinkage(covariance: &[f64], fourth: f64, n: f64, dimension: usize) -> f64 {
    let mean_variance = (0..dimension).map(|i| covariance[at(i, i)]).sum::<f64>() / dimension.max(1) as f64;
    let (mut norm, mut distance) = (0.0, 0.0);
    for i in 0..dimension {
        for j in 0..=i {
            let value = covariance[at(i, j)];
            let twice = if i == j { 1.0 } else { 2.0 };
            let off = if i == j { value - mean_variance } else { value };
            norm += twice * value * value;
            distance += twice * off * off;
        }
    }
    if distance <= 0.0 {
        return 1.0;
    }
    let error = (fourth / n - norm) / n;
    (error / distance).clamp(0.0, 1.0)
}

/// The Cholesky factor of a symmetric matrix; `None` when it is not positive definite.
fn cholesky(mut matrix: Vec<f64>, dimension: usize) -> Option<Vec<f64>> {
    for i in 0..dimension {
        for j in 0..=i {
            let (row_i, row_j) = (at(i, 0), at(j, 0));
            let known: f64 = (0..j).map(|k| matrix[row_i + k] * matrix[row_j + k]).sum();
            let value = matrix[row_i + j] - known;
            matrix[row_i + j] = if i == j {
                if value <= 1e-12 {
                    return None;
                }
                value.sqrt()
            } else {
                value / matrix[row_j + j]
            };
        }
    }
    Some(matrix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cholesky_by_hand() {
        // [[4, 2], [2, 5]] = [[2, 0], [1, 2]] · its transpose.
        assert_eq!(cholesky(vec![4.0, 2.0, 5.0], 2), Some(vec![2.0, 1.0, 2.0]));
        assert_eq!(cholesky(vec![1.0, 2.0, 1.0], 2), None);
    }

    #[test]
    fn a_direction_of_scatter_counts_less() {
        // Two intents apart in y by 1, each scattered along x by 10.
        let mut vectors = Vec::new();
        let mut intents = Vec::new();
        for n in 0..200 {
            let spread = (n % 21) as f32 - 10.0;
            let wobble = if n % 2 == 0 { 0.05 } else { -0.05 };
            let intent = n / 100;
            vectors.push(vec![spread, intent as f32 + wobble]);
            intents.push(intent);
        }
        let views: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let means: Vec<Vec<f64>> = (0..2)
            .map(|intent| {
                let own: Vec<&Vec<f32>> =
                    vectors.iter().zip(&intents).filter(|(_, i)| **i == intent).map(|(v, _)| v).collect();
                (0..2)
                    .map(|at| own.iter().map(|v| f64::from(v[at])).sum::<f64>() / own.len() as f64)
                    .collect()
            })
            .collect();
        let whitening = Whitening::fit(&views, &intents, &means, 0.0);
        assert!(whitening.shrinkage < 0.1, "{}", whitening.shrinkage);
        let map = |x: f64, y: f64| whitening.apply([x, y].into_iter());
        let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
        // Far along x, yet on the same side in y: near. Close along x, on the other side: opposite.
        assert!(cosine(&map(2.0, 1.0), &map(-2.0, 1.0)) > 0.8);
        assert!(cosine(&map(2.0, 1.0), &map(2.0, 0.0)) < -0.5);
    }

    #[test]
    fn without_scatter_nothing_is_turned() {
        let vectors = [[1.0_f32, 0.0], [0.0, 1.0]];
        let views: Vec<&[f32]> = vectors.iter().map(|v| v.as_slice()).collect();
        let whitening = Whitening::fit(&views, &[0, 1], &[vec![1.0, 0.0], vec![0.0, 1.0]], 0.0);
        assert_eq!(whitening.shrinkage, 1.0);
        let mapped = whitening.apply([1.0, 0.0].into_iter());
        assert!((mapped[0] + mapped[1]).abs() < 1e-6 && mapped[0] > 0.7, "{mapped:?}");
        assert_eq!(whitening.apply([0.5, 0.5].into_iter()), [0.0, 0.0]);
    }
}
