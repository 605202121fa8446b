#![allow(clippy::unwrap_used)]

use super::*;

fn scores(relational: f32, vector: f32, graph: f32) -> BTreeMap<String, f32> {
    [("relational", relational), ("vector", vector), ("graph", graph)]
        .into_iter()
        .map(|(name, score)| (name.to_owned(), score))
        .collect()
}

fn left_out(truth: StoreKind, relational: f32, vector: f32, graph: f32) -> LeftOut {
    LeftOut { truth, scores: scores(relational, vector, graph) }
}

#[test]
fn the_quantile_is_the_finite_sample_one() {
    let nine: Vec<f32> = (1..=9).map(|n| n as f32).collect();
    // ⌈10 · 0.9⌉ = 9th smallest; ⌈10 · 0.5⌉ = 5th; one sample fewer cannot promise 10 %.
    assert_eq!(conformal_quantile(&nine, 0.1), Some(9.0));
    assert_eq!(conformal_quantile(&nine, 0.5), Some(5.0));
    assert_eq!(conformal_quantile(&nine[..8], 0.1), None);
    assert_eq!(conformal_quantile(&[], 0.1), None);
    assert_eq!(conformal_quantile(&[3.0, 1.0, 2.0], 0.25), Some(3.0));
}

#[test]
fn nonconformity_is_the_lead_of_the_best_other_store() {
    assert!((nonconformity(&scores(0.9, 0.7, 0.8), StoreKind::Relational) + 0.1).abs() < 1e-6);
    assert!((nonconformity(&scores(0.9, 0.7, 0.8), StoreKind::Graph) - 0.1).abs() < 1e-6);
    let one = [("vector".to_owned(), 0.4)].into();
    assert_eq!(nonconformity(&one, StoreKind::Vector), f32::NEG_INFINITY);
    assert_eq!(nonconformity(&one, StoreKind::Graph), f32::INFINITY);
}

#[test]
fn the_prediction_set_holds_what_is_near_the_best() {
    let all = scores(0.80, 0.90, 0.88);
    assert_eq!(prediction_set(&all, Some(0.0)), [StoreKind::Vector]);
    assert_eq!(prediction_set(&all, Some(0.03)), [StoreKind::Vector, StoreKind::Graph]);
    assert_eq!(prediction_set(&all, None).len(), 3);
    assert!(prediction_set(&BTreeMap::new(), Some(1.0)).is_empty());
    // A tie keeps both whatever the ambiguity.
    let tie = prediction_set(&scores(0.9, 0.9, 0.1), Some(0.0));
    assert_eq!(tie, [StoreKind::Relational, StoreKind::Vector]);
}

#[test]
fn ambiguity_covers_the_stated_share_and_counts_its_cost() {
    // Nine clear ones and one whose right store lies 0.02 behind.
    let mut samples = vec![left_out(StoreKind::Graph, 0.5, 0.82, 0.80)];
    samples.extend((0..9).map(|_| left_out(StoreKind::Vector, 0.5, 0.9, 0.8)));
    let (strict, quality) = ambiguity(&samples, 0.1);
    assert!((strict.unwrap() - 0.02).abs() < 1e-6, "{strict:?}");
    assert_eq!((quality.samples, quality.right, quality.decided, quality.decided_wrong), (10, 9, 10, 1));
    assert_eq!(quality.covered, 9, "judged without itself, the odd one is not expected");
    let (loose, quality) = ambiguity(&samples, 0.3);
    assert_eq!((loose, quality.decided_wrong), (Some(0.0), 1));
    let (none, quality) = ambiguity(&samples[..3], 0.1);
    assert_eq!((none, quality.decided, quality.covered), (None, 0, 3));
}

#[test]
fn the_stated_rate_holds_on_exchangeable_samples() {
    // Deterministic pseudo-random margins; half fit, half measured.
    let mut state = 12345_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let samples: Vec<LeftOut> = (0..2000)
        .map(|_| left_out(StoreKind::Vector, 0.7 + 0.1 * next(), 0.75 + 0.1 * next(), 0.6))
        .collect();
    let (fitted, _) = ambiguity(&samples[..1000], 0.1);
    let covered = samples[1000..]
        .iter()
        .filter(|sample| prediction_set(&sample.scores, fitted).contains(&sample.truth))
        .count();
    assert!((870..=930).contains(&covered), "{covered} of 1000 at a stated rate of 10 %");
}

#[test]
fn the_floor_turns_away_no_more_than_the_rate() {
    let sample = |truth: Option<StoreKind>, held: f32, worded: bool| Sample {
        truth,
        scores: BTreeMap::new(),
        anchors: BTreeMap::new(),
        held,
        worded,
    };
    let mut samples: Vec<Sample> =
        (0..19).map(|n| sample(Some(StoreKind::Vector), 0.80 + n as f32 * 0.01, false)).collect();
    samples.push(sample(None, 0.79, false));
    samples.push(sample(None, 0.90, false));
    samples.push(sample(None, 0.10, true));
    let (floor, quality) = evidence_floor(&samples, 0.1).unwrap();
    assert!((floor - 0.81).abs() < 1e-6, "{floor}");
    assert_eq!((quality.turned_away, quality.let_through, quality.unanswerable), (1, 2, 3));
    // A question with its words held passes at any cosine, and does not lower the floor.
    samples.push(sample(Some(StoreKind::Vector), 0.2, true));
    assert_eq!(evidence_floor(&samples, 0.1).unwrap().1.turned_away, 1);
    assert_eq!(evidence_floor(&samples[..5], 0.1), None);
}

#[test]
fn a_labelled_set_refits_what_it_can_and_says_what_it_costs() {
    let (router, config) = (RouterConfig::default(), CalibrationConfig::default());
    let fit = Fit {
        embedder: "e5".into(),
        fitted_for: "p".into(),
        router: &router,
        config: &config,
        cache_threshold: 0.88,
    };
    let base = from_phrases(&fit, &[], &[], None);
    assert!(!base.is_labelled());
    assert_eq!((base.evidence_floor, base.cache_threshold), (router.evidence_floor, 0.88));
    let mut samples: Vec<Sample> = (0..30)
        .map(|n| Sample {
            truth: Some(StoreKind::Graph),
            scores: scores(0.5, 0.80, if n == 0 { 0.79 } else { 0.9 }),
            anchors: scores(0.5, 0.7, 0.9),
            held: 0.85 + n as f32 * 0.001,
            worded: false,
        })
        .collect();
    samples.push(Sample { truth: None, held: 0.7, ..samples[1].clone() });
    let fitted = from_labelled(&fit, &base, &samples, "set.jsonl");
    assert!(fitted.is_labelled());
    assert_eq!(fitted.questions.ambiguity, Some(0.0), "one in thirty is within the stated tenth");
    assert_eq!((fitted.routing.samples, fitted.routing.right, fitted.routing.decided_wrong), (30, 29, 1));
    assert!(fitted.evidence_floor > 0.85 && fitted.evidence_floor < 0.86, "{}", fitted.evidence_floor);
    let floor = fitted.floor.unwrap();
    assert_eq!((floor.turned_away, floor.let_through, floor.unanswerable), (2, 0, 1));
    let said = fitted.summary();
    for part in ["set.jsonl", "30 samples", "10 %", "of them wrong 1", "2 of 30 answerable"] {
        assert!(said.contains(part), "{said}");
    }
    let stored = serde_json::to_string(&fitted).unwrap();
    assert_eq!(serde_json::from_str::<Calibration>(&stored).unwrap(), fitted);
}

#[test]
fn a_threshold_keeps_its_place_between_far_and_near() {
    let (starter, other) = (Scale { far: 0.8, near: 0.9 }, Scale { far: 0.3, near: 0.7 });
    assert!((starter.carry(0.85, other) - 0.5).abs() < 1e-5);
    assert!((starter.carry(0.75, other) - 0.1).abs() < 1e-5);
    assert_eq!(starter.carry(0.88, starter), 0.88);
    let flat = Scale { far: 0.5, near: 0.5 };
    assert_eq!(flat.carry(0.7, other), 0.7);
}

#[test]
fn the_scale_is_measured_on_the_phrases() {
    let unit = |degrees: f32| vec![degrees.to_radians().cos(), degrees.to_radians().sin()];
    let route = |store, angles: &[f32]| Route {
        name: "r".into(),
        store,
        phrases: angles.iter().map(f32::to_string).collect(),
        vectors: angles.iter().map(|angle| unit(*angle)).collect(),
    };
    let two = [route(StoreKind::Vector, &[0.0, 10.0]), route(StoreKind::Graph, &[90.0, 100.0])];
    let scale = Scale::of(&two).unwrap();
    assert!((scale.near - 10_f32.to_radians().cos()).abs() < 1e-5);
    assert!(scale.far.abs() < 0.2, "{scale:?}");
    assert_eq!(Scale::of(&two[..1]), None);
    assert_eq!(Scale::of(&[]), None);
}
