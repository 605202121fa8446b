//! Times Personalized PageRank on synthetic power-law graphs, and on a graph from a file.
//!
//! ```text
//! cargo run --release --no-default-features --example pagerank_bench -- EDGES... [--file PATH] [--write DIR]
//! ```
//! A graph of `EDGES` undirected edges is grown by preferential attachment (Barabási & Albert
//! 1999), five edges a node, from a fixed seed. 200 queries of five seeds each are solved by
//! forward push and exactly; printed are milliseconds (median, 95th percentile), and the share of
//! the exact top ten that push finds. `--write DIR` saves edges and seeds as text, for other
//! libraries to be timed on the same input (`benches/pagerank.py`).
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use polyrag::decide::graph_query::GraphConfig;
use polyrag::decide::pagerank::{Network, Scratch, exact, push};

/// A small generator of pseudo-random numbers (SplitMix64): the same graph everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

fn grow(edges: usize, random: &mut Random) -> (usize, Vec<(u32, u32, f32)>) {
    const PER_NODE: usize = 5;
    let mut list: Vec<(u32, u32, f32)> = Vec::with_capacity(edges);
    let mut node = 1u32;
    while list.len() < edges {
        for _ in 0..PER_NODE.min(node as usize) {
            // An end of a random edge: nodes are met in proportion to their degree.
            let target = match list.len() {
                0 => 0,
                count => {
                    let (a, b, _) = list[random.below(count)];
                    if random.below(2) == 0 { a } else { b }
                }
            };
            if target != node {
                list.push((node, target, 1.0));
            }
        }
        if list.last().is_none_or(|edge| edge.0 != node) {
            list.push((node, node - 1, 1.0));
        }
        node += 1;
    }
    (node as usize, list)
}

fn percentile(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * share) as usize]
}

fn top(scores: &mut [(u32, f64)], k: usize) -> Vec<u32> {
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scores.iter().take(k).map(|score| score.0).collect()
}

fn measure(
    name: &str,
    nodes: usize,
    edges: &[(u32, u32, f32)],
    config: &GraphConfig,
    write: Option<&PathBuf>,
) {
    let started = Instant::now();
    let network = Network::undirected(nodes, edges);
    let build = started.elapsed().as_secs_f64() * 1e3;
    let mut random = Random(7);
    let queries: Vec<Vec<(u32, f64)>> =
        (0..200).map(|_| (0..5).map(|_| (random.below(nodes) as u32, 1.0)).collect()).collect();
    let mut scratch = Scratch::default();
    push(&network, &queries[0], config.damping, config.push_epsilon, &mut scratch);
    let (mut fast, mut slow, mut agreement, mut error, mut touched) = (vec![], vec![], 0.0, 0.0, 0);
    for (place, seeds) in queries.iter().enumerate() {
        let started = Instant::now();
        let mut local = push(&network, seeds, config.damping, config.push_epsilon, &mut scratch);
        fast.push(started.elapsed().as_secs_f64() * 1e3);
        error += local.error / queries.len() as f64;
        touched += local.scores.len() / queries.len();
        if place < 20 {
            let started = Instant::now();
            let solved = exact(&network, seeds, config.damping, 1e-9, 1_000);
            slow.push(started.elapsed().as_secs_f64() * 1e3);
            let mut all: Vec<(u32, f64)> =
                solved.scores.into_iter().enumerate().map(|(n, s)| (n as u32, s)).collect();
            let (want, found) = (top(&mut all, 10), top(&mut local.scores, 10));
            agreement +=
                want.iter().filter(|node| found.contains(node)).count() as f64 / want.len() as f64 / 20.0;
        }
    }
    println!(
        "{name}: {} nodes, {} edges, built in {build:.0} ms; push p50 {:.3} ms, p95 {:.3} ms, {touched} nodes, L1 error \
         {error:.4}, top-10 agreement {agreement:.3}; exact to 1e-9 p50 {:.2} ms",
        network.nodes(),
        network.edges(),
        percentile(&mut fast, 0.5),
        percentile(&mut fast, 0.95),
        percentile(&mut slow, 0.5),
    );
    if let Some(folder) = write {
        let mut text = String::new();
        for node in 0..network.nodes() as u32 {
            for (other, weight) in network.neighbours(node).filter(|edge| edge.0 > node) {
                writeln!(text, "{node} {other} {weight}").unwrap();
            }
        }
        std::fs::write(folder.join(format!("{name}.edges")), text).unwrap();
        let seeds: Vec<Vec<u32>> =
            queries.iter().map(|seeds| seeds.iter().map(|seed| seed.0).collect()).collect();
        std::fs::write(folder.join(format!("{name}.seeds.json")), serde_json::to_string(&seeds).unwrap())
            .unwrap();
    }
}

fn main() {
    let mut config = GraphConfig::default();
    let (mut sizes, mut write, mut file) = (Vec::new(), None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--write" => write = arguments.next().map(PathBuf::from),
            "--file" => file = arguments.next(),
            "--epsilon" => config.push_epsilon = arguments.next().unwrap().parse().unwrap(),
            size => sizes.push(size.parse::<f64>().unwrap() as usize),
        }
    }
    for size in sizes {
        let (nodes, edges) = grow(size, &mut Random(42));
        measure(&format!("powerlaw-{size}"), nodes, &edges, &config, write.as_ref());
    }
    if let Some(path) = file {
        let text = std::fs::read_to_string(&path).unwrap();
        let edges: Vec<(u32, u32, f32)> = text
            .lines()
            .map(|line| {
                let mut parts = line.split(' ');
                let mut next = || parts.next().unwrap();
                (next().parse().unwrap(), next().parse().unwrap(), next().parse().unwrap())
            })
            .collect();
        let nodes = edges.iter().map(|edge| edge.0.max(edge.1) as usize + 1).max().unwrap_or(0);
        measure("file", nodes, &edges, &config, write.as_ref());
    }
}
