//! Personalized PageRank over an undirected weighted graph: exact by power iteration, local by
//! forward push.
//!
//! With damping `d`, seed distribution `s` and the random-walk matrix `W` (row `u` holds
//! `weight(u, v) / strength(u)`), the score is the fixed point `π = (1 - d)·s + d·πW`
//! (Haveliwala 2002, "Topic-sensitive PageRank"). `d` is the chance to walk on, `1 - d` the
//! chance to return to a seed. A node without edges has nowhere to walk: it returns to the seeds.

/// An undirected weighted graph in compressed sparse rows; node ids are `0..nodes()`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Network {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<f32>,
    strengths: Vec<f64>,
}

impl Network {
    /// Builds a graph of `nodes` nodes from undirected edges `(a, b, weight)`.
    ///
    /// Parallel edges are merged by adding their weights. Self edges, edges to nodes that are
    /// not there, and weights that are not positive numbers are left out. The result does not
    /// depend on the order of `edges`, up to the rounding of merged weights.
    pub fn undirected(nodes: usize, edges: &[(u32, u32, f32)]) -> Self {
        let usable = |edge: &&(u32, u32, f32)| {
            let (a, b, weight) = **edge;
            a != b && (a as usize) < nodes && (b as usize) < nodes && weight > 0.0 && weight.is_finite()
        };
        let mut offsets = vec![0u32; nodes + 1];
        for &(a, b, _) in edges.iter().filter(usable) {
            offsets[a as usize + 1] += 1;
            offsets[b as usize + 1] += 1;
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut rows = vec![(0u32, 0f32); offsets[nodes] as usize];
        let mut next = offsets.clone();
        for &(a, b, weight) in edges.iter().filter(usable) {
            for (from, to) in [(a, b), (b, a)] {
                rows[next[from as usize] as usize] = (to, weight);
                next[from as usize] += 1;
            }
        }
        Self::merge_rows(nodes, &offsets, &mut rows)
    }

    fn merge_rows(nodes: usize, offsets: &[u32], rows: &mut [(u32, f32)]) -> Self {
        let mut network = Self {
            offsets: Vec::with_capacity(nodes + 1),
            targets: Vec::with_capacity(rows.len()),
            weights: Vec::with_capacity(rows.len()),
            strengths: Vec::with_capacity(nodes),
        };
        network.offsets.push(0);
        for node in 0..nodes {
            let row = &mut rows[offsets[node] as usize..offsets[node + 1] as usize];
            row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let start = network.targets.len();
            for &(target, weight) in row.iter() {
                if network.targets.len() > start && network.targets.last() == Some(&target) {
                    if let Some(last) = network.weights.last_mut() {
                        *last += weight;
                    }
                } else {
                    network.targets.push(target);
                    network.weights.push(weight);
                }
            }
            network.strengths.push(network.weights[start..].iter().map(|&w| f64::from(w)).sum());
            network.offsets.push(network.targets.len() as u32);
        }
        network
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.strengths.len()
    }

    /// Returns the number of undirected edges.
    pub fn edges(&self) -> usize {
        self.targets.len() / 2
    }

    /// Returns the sum of a node's edge weights; 0 for a node without edges.
    pub fn strength(&self, node: u32) -> f64 {
        self.strengths[node as usize]
    }

    /// Returns a node's neighbours with the weights, by ascending neighbour id.
    pub fn neighbours(&self, node: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        let (targets, weights) = self.row(node);
        targets.iter().copied().zip(weights.iter().copied())
    }

    fn row(&self, node: u32) -> (&[u32], &[f32]) {
        let range = self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize;
        (&self.targets[range.clone()], &self.weights[range])
    }
}

/// Scores of every node from [`exact`].
#[derive(Debug, Clone, PartialEq)]
pub struct Exact {
    /// Score per node; they sum to 1 (or are all 0 without usable seeds).
    pub scores: Vec<f64>,
    /// Iterations done.
    pub iterations: usize,
    /// Upper bound of the L1 distance to the true scores.
    pub error: f64,
}

/// Scores of the nodes that [`push`] touched.
#[derive(Debug, Clone, PartialEq)]
pub struct Local {
    /// `(node, score)` by ascending node; nodes that are not listed score 0. Every score is at
    /// most the true one.
    pub scores: Vec<(u32, f64)>,
    /// Pushes done.
    pub pushes: usize,
    /// The mass not yet handed out: exactly the L1 distance to the true scores. Besides, node
    /// `v` misses at most `epsilon * strength(v)`.
    pub error: f64,
}

/// Nodes with a weight each.
type Weighted = Vec<(u32, f64)>;

/// Scales seeds to a distribution over usable nodes, with nodes without edges solved already.
///
/// Such a node is reached from its own seed only, and walking on from it means returning to the
/// seeds. With the share `i` of seed mass on such nodes, every visit count is multiplied by
/// `1 / (1 - d·i)`. The result is `(seeds to walk from, final scores of nodes without edges)`.
fn prepare_seeds(network: &Network, seeds: &[(u32, f64)], damping: f64) -> (Weighted, Weighted) {
    let mut usable: Vec<(u32, f64)> = seeds
        .iter()
        .copied()
        .filter(|&(node, weight)| (node as usize) < network.nodes() && weight > 0.0 && weight.is_finite())
        .collect();
    usable.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    usable.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    let total: f64 = usable.iter().map(|seed| seed.1).sum();
    let (isolated, connected): (Vec<_>, Vec<_>) =
        usable.into_iter().partition(|&(node, _)| network.strength(node) == 0.0);
    let isolated_share = isolated.iter().map(|seed| seed.1).sum::<f64>() / total;
    let scale = 1.0 / (total * (1.0 - damping * isolated_share));
    let connected = connected.into_iter().map(|(node, weight)| (node, weight * scale)).collect();
    let isolated =
        isolated.into_iter().map(|(node, weight)| (node, weight * scale * (1.0 - damping))).collect();
    (connected, isolated)
}

/// Computes the scores of all nodes by power iteration until they are within `tolerance` (L1)
/// of the fixed point, or `max_iterations` are done.
///
/// `seeds` are `(node, weight)`, weights positive and in any scale; `damping` in `[0, 1)`. The
/// distance is bounded by `d / (1 - d)` times the last change, the iteration being a
/// contraction by `d` (Langville & Meyer 2004, "Deeper inside PageRank", section 5).
pub fn exact(
    network: &Network,
    seeds: &[(u32, f64)],
    damping: f64,
    tolerance: f64,
    max_iterations: usize,
) -> Exact {
    let (seeds, isolated) = prepare_seeds(network, seeds, damping);
    let mut scores = vec![0.0; network.nodes()];
    for &(node, weight) in &seeds {
        scores[node as usize] = weight;
    }
    let mut next = vec![0.0; network.nodes()];
    let (mut iterations, mut error) = (0, 0.0);
    while iterations < max_iterations && !seeds.is_empty() {
        next.fill(0.0);
        for &(node, weight) in &seeds {
            next[node as usize] = (1.0 - damping) * weight;
        }
        for (node, &score) in scores.iter().enumerate() {
            if score > 0.0 && network.strengths[node] > 0.0 {
                let share = damping * score / network.strengths[node];
                let (targets, weights) = network.row(node as u32);
                for (&target, &weight) in targets.iter().zip(weights) {
                    next[target as usize] += share * f64::from(weight);
                }
            }
        }
        iterations += 1;
        let change: f64 = scores.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum();
        std::mem::swap(&mut scores, &mut next);
        error = change * damping / (1.0 - damping);
        if error <= tolerance {
            break;
        }
    }
    for (node, score) in isolated {
        scores[node as usize] = score;
    }
    Exact { scores, iterations, error }
}

/// Working memory of [`push`], kept between queries so that a query allocates and clears only
/// what it touches.
#[derive(Debug, Default)]
pub struct Scratch {
    slots: Vec<Slot>,
    touched: Vec<u32>,
    queue: std::collections::VecDeque<u32>,
}

/// Everything about one node in one place: visiting an edge costs one cache line.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    score: f64,
    residual: f64,
    /// Residual above which the node is pushed; set on the first touch.
    limit: f64,
    seen: bool,
    queued: bool,
}

impl Scratch {
    fn fit(&mut self, nodes: usize) {
        if self.slots.len() < nodes {
            self.slots.resize(nodes, Slot::default());
        }
    }

    /// Hands mass to a node and queues it when it holds enough.
    fn give(&mut self, node: u32, mass: f64, network: &Network, epsilon: f64) {
        let slot = &mut self.slots[node as usize];
        if !slot.seen {
            slot.seen = true;
            slot.limit = epsilon * network.strengths[node as usize];
            self.touched.push(node);
        }
        slot.residual += mass;
        if slot.residual > slot.limit && !slot.queued {
            slot.queued = true;
            self.queue.push_back(node);
        }
    }

    /// Takes the results out and leaves everything touched at zero.
    fn drain(&mut self) -> (Vec<(u32, f64)>, f64) {
        self.touched.sort_unstable();
        let mut scores = Vec::with_capacity(self.touched.len());
        let mut error = 0.0;
        for &node in &self.touched {
            let slot = std::mem::take(&mut self.slots[node as usize]);
            if slot.score > 0.0 {
                scores.push((node, slot.score));
            }
            error += slot.residual;
        }
        self.touched.clear();
        self.queue.clear();
        (scores, error)
    }
}

/// Computes scores around the seeds by forward push (Andersen, Chung & Lang 2006, "Local graph
/// partitioning using PageRank vectors"), here with the plain walk instead of the lazy one.
///
/// A node is pushed while it holds more than `epsilon * strength` of undelivered mass, so the
/// work is at most `1 / (epsilon * (1 - damping))` edge visits however large the graph is. What
/// is left undelivered is the error, see [`Local::error`].
pub fn push(
    network: &Network,
    seeds: &[(u32, f64)],
    damping: f64,
    epsilon: f64,
    scratch: &mut Scratch,
) -> Local {
    let (seeds, isolated) = prepare_seeds(network, seeds, damping);
    scratch.fit(network.nodes());
    for &(node, weight) in &seeds {
        scratch.give(node, weight, network, epsilon);
    }
    let mut pushes = 0;
    while let Some(node) = scratch.queue.pop_front() {
        let slot = &mut scratch.slots[node as usize];
        slot.queued = false;
        let mass = std::mem::take(&mut slot.residual);
        slot.score += (1.0 - damping) * mass;
        let share = damping * mass / network.strengths[node as usize];
        let (targets, weights) = network.row(node);
        for (&target, &weight) in targets.iter().zip(weights) {
            scratch.give(target, share * f64::from(weight), network, epsilon);
        }
        pushes += 1;
    }
    let (mut scores, error) = scratch.drain();
    scores.extend(isolated);
    scores.sort_unstable_by_key(|score| score.0);
    Local { scores, pushes, error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_close(found: f64, expected: f64, slack: f64) {
        assert!((found - expected).abs() <= slack, "found {found}, expected {expected}");
    }

    /// The path a - b - c with seed a and damping 1/2, by hand: with x, y, z the scores,
    /// x = 1/2 + y/4, y = x/2 + z/2, z = y/4, so y = 1/3, x = 7/12, z = 1/12.
    #[test]
    fn path_of_three_matches_the_hand_computation() {
        let network = Network::undirected(3, &[(0, 1, 1.0), (1, 2, 1.0)]);
        let expected = [7.0 / 12.0, 1.0 / 3.0, 1.0 / 12.0];
        let solved = exact(&network, &[(0, 1.0)], 0.5, 1e-12, 200);
        for (node, &expected) in expected.iter().enumerate() {
            assert_close(solved.scores[node], expected, 1e-12);
        }
        let local = push(&network, &[(0, 1.0)], 0.5, 1e-12, &mut Scratch::default());
        for &(node, score) in &local.scores {
            assert_close(score, expected[node as usize], 1e-10);
        }
    }

    /// Seeds a (weight 1) and lone (weight 1) by hand: lone returns half of its visits to the
    /// seeds, so all visits count 4/3 times: lone = 1/3, and the pair shares 2/3 as 2:1.
    #[test]
    fn node_without_edges_returns_to_the_seeds() {
        let network = Network::undirected(3, &[(0, 1, 2.5)]);
        let seeds = [(0, 1.0), (2, 1.0)];
        let solved = exact(&network, &seeds, 0.5, 1e-12, 200);
        for (found, expected) in solved.scores.iter().zip([4.0 / 9.0, 2.0 / 9.0, 1.0 / 3.0]) {
            assert_close(*found, expected, 1e-12);
        }
        let local = push(&network, &seeds, 0.5, 1e-12, &mut Scratch::default());
        assert_close(local.scores[2].1, 1.0 / 3.0, 1e-12);
        assert_close(local.scores.iter().map(|s| s.1).sum::<f64>() + local.error, 1.0, 1e-12);
    }

    #[test]
    fn parallel_edges_add_up_and_useless_ones_are_left_out() {
        let edges = [(0, 1, 1.0), (1, 0, 2.0), (1, 1, 9.0), (0, 7, 1.0), (0, 2, f32::NAN), (0, 2, -1.0)];
        let network = Network::undirected(3, &edges);
        assert_eq!(network.edges(), 1);
        assert_eq!(network.neighbours(0).collect::<Vec<_>>(), [(1, 3.0)]);
        assert_eq!(network.strength(2), 0.0);
    }

    #[test]
    fn no_usable_seed_scores_nothing() {
        let network = Network::undirected(2, &[(0, 1, 1.0)]);
        for seeds in [vec![], vec![(9, 1.0)], vec![(0, 0.0)], vec![(0, f64::NAN)]] {
            assert_eq!(exact(&network, &seeds, 0.5, 1e-9, 50).scores, [0.0, 0.0]);
            assert!(push(&network, &seeds, 0.5, 1e-9, &mut Scratch::default()).scores.is_empty());
        }
        assert!(
            push(&Network::undirected(0, &[]), &[(0, 1.0)], 0.5, 1e-9, &mut Scratch::default())
                .scores
                .is_empty()
        );
    }

    fn graph() -> impl Strategy<Value = (Network, Vec<(u32, f64)>)> {
        (2usize..40).prop_flat_map(|nodes| {
            let node = 0..nodes as u32;
            let edges = prop::collection::vec((node.clone(), node.clone(), 0.05f32..3.0), 0..120);
            let seeds = prop::collection::vec((node, 0.01f64..5.0), 1..6);
            (edges, seeds).prop_map(move |(edges, seeds)| (Network::undirected(nodes, &edges), seeds))
        })
    }

    proptest! {
        #[test]
        fn push_keeps_its_stated_bounds(
            (network, seeds) in graph(), damping in 0.1f64..0.9, exponent in 2i32..7,
        ) {
            let epsilon = 10f64.powi(-exponent);
            let truth = exact(&network, &seeds, damping, 1e-13, 5_000).scores;
            let mut scratch = Scratch::default();
            let local = push(&network, &seeds, damping, epsilon, &mut scratch);
            let mut found = vec![0.0; network.nodes()];
            for &(node, score) in &local.scores {
                found[node as usize] = score;
            }
            let mut distance = 0.0;
            for (node, (&truth, &found)) in truth.iter().zip(&found).enumerate() {
                prop_assert!(found <= truth + 1e-10, "never more than the truth");
                prop_assert!(truth - found <= epsilon * network.strength(node as u32) + 1e-10);
                distance += (truth - found).abs();
            }
            prop_assert!((distance - local.error).abs() < 1e-9, "the error is the missing mass");
            prop_assert_eq!(push(&network, &seeds, damping, epsilon, &mut scratch), local, "scratch is clean");
        }

        #[test]
        fn exact_scores_are_the_fixed_point((network, seeds) in graph(), damping in 0.1f64..0.9) {
            let solved = exact(&network, &seeds, damping, 1e-12, 5_000);
            prop_assert!((solved.scores.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let total: f64 = seeds.iter().map(|seed| seed.1).sum();
            let back: f64 = (0..network.nodes())
                .filter(|&n| network.strength(n as u32) == 0.0)
                .map(|n| damping * solved.scores[n])
                .sum();
            for node in 0..network.nodes() as u32 {
                let seed: f64 = seeds.iter().filter(|s| s.0 == node).map(|s| s.1).sum::<f64>() / total;
                let walked: f64 = network
                    .neighbours(node)
                    .map(|(from, weight)| {
                        damping * solved.scores[from as usize] * f64::from(weight) / network.strength(from)
                    })
                    .sum();
                let expected = (1.0 - damping + back) * seed + walked;
                prop_assert!((solved.scores[node as usize] - expected).abs() < 1e-9);
            }
        }
    }
}
