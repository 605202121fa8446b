//! Times what decides a question, without the embedding: route, split, follow-up, guard, cache lookup.
//!
//! ```text
//! cargo bench -p polyrag --no-default-features --bench decision -- [CHUNKS...]
//! ```
//! CHUNKS (100, 10000 and 1000000 when none are given) is the size of the corpus, as far as these
//! steps see it: the names its stores hold, which the guard and the follow-ups ask for, and stored
//! answers, of which at most the configured bound are kept. The search of the stores for evidence
//! is not part of it. Printed are the median and the 95th percentile in microseconds.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::time::Instant;

use polyrag::decide::followup::{self, Names};
use polyrag::decide::guard::{self, CacheConfig, Query, Vocabulary};
use polyrag::decide::route::{Evidence, Route, RouterConfig, StoreKind, anchor_scores, decide, fit};
use polyrag::decide::split::split;
use polyrag::store::cache::{self, NewEntry};
use polyrag::store::catalog;

const DIMENSION: usize = 384;
const PHRASES_A_ROUTE: usize = 12;

/// SplitMix64: the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn unit(&mut self) -> Vec<f32> {
        let mut vector: Vec<f32> =
            (0..DIMENSION).map(|_| (self.next() >> 40) as f32 / (1_u32 << 24) as f32 - 0.5).collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    }
}

/// As many names as a corpus of this size may hold.
struct Held(HashMap<String, String>);

impl Held {
    fn of(size: usize) -> Self {
        Self((0..size).map(|n| (format!("nome{n}"), format!("column {}", n % 7))).collect())
    }
}

impl Vocabulary for Held {
    fn is_name(&self, folded: &str) -> bool {
        self.0.contains_key(folded)
    }
}

impl Names for Held {
    fn kind(&self, folded: &str) -> Option<String> {
        self.0.get(folded).cloned()
    }
}

/// Runs `work` `times` times after a tenth as many for warming up; prints microseconds.
fn time(name: &str, chunks: usize, times: usize, mut work: impl FnMut(usize)) {
    (0..times / 10).for_each(&mut work);
    let mut taken: Vec<f64> = (0..times)
        .map(|round| {
            let started = Instant::now();
            work(round);
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    taken.sort_by(f64::total_cmp);
    let at = |share: f64| taken[((taken.len() - 1) as f64 * share) as usize];
    println!("{name:<14} {chunks:>9} chunks   p50 {:>9.2} µs   p95 {:>9.2} µs", at(0.5), at(0.95));
}

const QUESTIONS: [&str; 5] = [
    "Qual foi a receita total da região Sudeste em março de 2026?",
    "Who approves a purchase of 80,000 and what does the policy say about refunds?",
    "¿Cuál fue el total de marzo y quién aprueba las compras?",
    "Quantas unidades o nome5 vendeu em fevereiro, e quem fundou a empresa?",
    "What happens to the tracking page when the network goes down?",
];

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![100, 10_000, 1_000_000] } else { sizes };
    for size in sizes {
        measure(size);
    }
}

fn measure(size: usize) {
    let mut random = Random(size as u64);
    let config = RouterConfig::default();
    let routes: Vec<Route> = StoreKind::ALL
        .into_iter()
        .map(|store| Route {
            name: store.as_str().to_owned(),
            store,
            phrases: (0..PHRASES_A_ROUTE).map(|n| format!("phrase {n}")).collect(),
            vectors: (0..PHRASES_A_ROUTE).map(|_| random.unit()).collect(),
        })
        .collect();
    let thresholds = fit(&routes, &config);
    let question = random.unit();
    let evidence: BTreeMap<String, Evidence> = StoreKind::ALL
        .into_iter()
        .map(|store| {
            let held = Evidence { score: 0.8, dense: 0.8, lexical: 0.1, source: "a.md > Heading".into() };
            (store.as_str().to_owned(), held)
        })
        .collect();
    time("decision", size, 20_000, |_| {
        let anchors = anchor_scores(&routes, black_box(&question));
        black_box(decide(anchors, evidence.clone(), thresholds, &config));
    });
    time("split", size, 5_000, |round| {
        black_box(split(QUESTIONS[round % QUESTIONS.len()]));
    });
    let held = Held::of(size);
    time("follow-up", size, 5_000, |round| {
        black_box(followup::complete(QUESTIONS[round % QUESTIONS.len()], "e em abril?", &held));
    });
    let settings = CacheConfig::default();
    time("guard", size, 5_000, |round| {
        let (a, b) = (Query::new(QUESTIONS[round % 5]), Query::new(QUESTIONS[(round + 1) % 5]));
        black_box(guard::check(&a, &b, 0.9, &settings, &held));
    });
    lookup(size, &settings, &mut random);
}

/// A lookup among as many stored answers as there would be chunks, up to the bound.
fn lookup(size: usize, settings: &CacheConfig, random: &mut Random) {
    let folder = tempfile::tempdir().unwrap();
    let connection = catalog::open_writer(&catalog::path_in(folder.path())).unwrap();
    let stored = size.min(settings.max_entries);
    connection.execute_batch("BEGIN").unwrap();
    for number in 0..stored {
        connection
            .execute(
                "INSERT INTO cache (question, scope, corpus_version, embedding, answer, created_at)
                 VALUES (?1, '{}', 0, ?2, '{}', 0)",
                (format!("question {number}"), polyrag::store::vectors::vector_to_blob(&random.unit())),
            )
            .unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    let reader = catalog::open_reader(&catalog::path_in(folder.path())).unwrap();
    let question = random.unit();
    time("cache lookup", size, if stored > 1000 { 100 } else { 1000 }, |_| {
        black_box(cache::nearest(&reader, "{}", 0, &question).unwrap());
    });
    let entry =
        NewEntry { question: "new?", scope: "{}", corpus_version: 0, vector: &question, answer: "{}" };
    time("cache keep", size, 50, |_| {
        black_box(cache::keep(&connection, &entry, settings.max_entries, 1).unwrap());
    });
}
