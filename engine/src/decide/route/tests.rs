#![allow(clippy::unwrap_used)]

use super::*;

const THRESHOLDS: Thresholds = Thresholds {
    tau_high: 0.8,
    tau_low: 0.5,
    delta: 0.1,
    anchor_ambiguity: Some(0.15),
    ambiguity: Some(0.05),
};

fn anchors(relational: f32, vector: f32, graph: f32) -> BTreeMap<String, AnchorScore> {
    [("relational", relational), ("vector", vector), ("graph", graph)]
        .into_iter()
        .map(|(name, score)| {
            (name.to_owned(), AnchorScore { route: name.into(), score, phrase: "phrase".into() })
        })
        .collect()
}

fn evidence(list: &[(&str, f32)]) -> BTreeMap<String, Evidence> {
    list.iter()
        .map(|(name, score)| {
            let found = Evidence { score: *score, dense: *score, lexical: 0.0, source: "doc".into() };
            ((*name).to_owned(), found)
        })
        .collect()
}

fn check(anchor: (f32, f32, f32), held: &[(&str, f32)], store: StoreKind, stage: Stage, margin: f32) {
    let decision = decide(
        anchors(anchor.0, anchor.1, anchor.2),
        evidence(held),
        THRESHOLDS,
        &RouterConfig { anchor_weight: 0.5, ..RouterConfig::default() },
    );
    assert_eq!((decision.store, decision.stage), (store, stage), "{decision:?}");
    assert!((decision.margin - margin).abs() < 1e-5, "{decision:?}");
}

#[test]
fn the_stages_decide_in_turn() {
    let all = [("relational", 0.6), ("vector", 0.7), ("graph", 0.65)];
    check((0.9, 0.7, 0.6), &all, StoreKind::Relational, Stage::Cosine, 0.2);
    check((0.9, 0.5, 0.79), &[], StoreKind::Relational, Stage::Cosine, 0.11);
    check((0.9, 0.85, 0.6), &all, StoreKind::Vector, Stage::Evidence, 0.05);
    // Wide margin but too low a similarity: the evidence decides, with the anchors beside it.
    check((0.79, 0.5, 0.6), &all, StoreKind::Relational, Stage::Evidence, 0.03);
}

#[test]
fn what_may_be_right_is_said_on_the_scale_of_the_stage() {
    let run = |anchor: (f32, f32, f32), held: &[(&str, f32)], thresholds: Thresholds| {
        let all = anchors(anchor.0, anchor.1, anchor.2);
        decide(all, evidence(held), thresholds, &RouterConfig::default()).possible
    };
    let all = [("relational", 0.6), ("vector", 0.7), ("graph", 0.65)];
    // By the phrases alone: 0.15 counts; with evidence: 0.05.
    assert_eq!(run((0.9, 0.7, 0.6), &all, THRESHOLDS), [StoreKind::Relational]);
    assert_eq!(run((0.9, 0.7, 0.8), &[], THRESHOLDS), [StoreKind::Relational, StoreKind::Graph]);
    assert_eq!(run((0.85, 0.85, 0.6), &all, THRESHOLDS), [StoreKind::Vector]);
    let three = [StoreKind::Vector, StoreKind::Graph, StoreKind::Relational];
    assert_eq!(run((0.88, 0.80, 0.80), &all, THRESHOLDS), three);
    // Not calibrated: nothing is said.
    let plain = Thresholds { anchor_ambiguity: None, ambiguity: None, ..THRESHOLDS };
    assert!(run((0.9, 0.7, 0.8), &all, plain).is_empty());
}

#[test]
fn r06_routes_are_compared_on_one_scale() {
    // The higher score wins whichever store it belongs to: there is no threshold of a route's own.
    for (scores, store) in [
        ((0.5, 0.6, 0.1), StoreKind::Vector),
        ((0.6, 0.5, 0.1), StoreKind::Relational),
        ((0.1, 0.5, 0.6), StoreKind::Graph),
    ] {
        check(scores, &[], store, Stage::Cosine, 0.1);
    }
    let held = [("relational", 0.40), ("vector", 0.65)];
    check((0.5, 0.5, 0.5), &held, StoreKind::Vector, Stage::Evidence, 0.25 / 1.5);
}

#[test]
fn the_same_numbers_give_the_same_decision_to_the_last_bit() {
    let held = [("relational", 0.612_345), ("vector", 0.712_345), ("graph", 0.7)];
    let run = || decide(anchors(0.81, 0.82, 0.79), evidence(&held), THRESHOLDS, &RouterConfig::default());
    let (first, again) = (run(), run());
    assert_eq!(first, again);
    let stored = serde_json::to_string(&first).unwrap();
    assert_eq!(serde_json::from_str::<Decision>(&stored).unwrap(), first);
}

#[test]
fn an_empty_store_cannot_win() {
    let held = [("vector", 0.6), ("graph", 0.3)];
    check((0.95, 0.6, 0.6), &held, StoreKind::Vector, Stage::Evidence, 0.2);
    check((0.95, 0.6, 0.6), &[("graph", 0.1)], StoreKind::Graph, Stage::Heuristic, 0.0);
}

#[test]
fn nothing_near_and_nothing_held_falls_back_to_free_text() {
    check((0.4, 0.3, 0.2), &[], StoreKind::Vector, Stage::Fallback, 0.1);
}

#[test]
fn r04_words_of_another_route_do_not_win_against_the_evidence() {
    // Near two routes at once: the margin rule calls it ambiguous, the evidence decides.
    check(
        (0.88, 0.4, 0.86),
        &[("relational", 0.5), ("graph", 0.7)],
        StoreKind::Graph,
        Stage::Evidence,
        0.19 / 1.5,
    );
}

#[test]
fn borderline_chunks_go_to_both_stores() {
    let config = RouterConfig { borderline: 0.01, structure_weight: 0.0, ..RouterConfig::default() };
    let mut two = anchors(0.0, 0.800, 0.805);
    two.remove("relational");
    let alone = BTreeMap::new();
    let placement = place(two.clone(), &alone, 0.5, THRESHOLDS, &config);
    assert_eq!(placement.stores, [StoreKind::Graph, StoreKind::Vector]);
    let strict = RouterConfig { borderline: 0.001, ..config };
    assert_eq!(place(two.clone(), &alone, 0.5, THRESHOLDS, &strict).stores, [StoreKind::Graph]);
    // A document of free text pulls its chunk along.
    let document = [("vector".to_owned(), 0.83), ("graph".to_owned(), 0.80)].into();
    assert_eq!(place(two, &document, 0.5, THRESHOLDS, &strict).stores, [StoreKind::Vector]);
}

#[test]
fn structure_separates_facts_from_telling() {
    let facts = "O Portal Alfa depende do Servidor Beta. O Regulamento R-7 exige aval do Conselho.";
    let telling = "Quando alguém liga, escute primeiro e fale depois, porque ninguém gosta de ouvir uma \
                   resposta decorada. Diga o que sabe, e volte a ligar mesmo sem novidade.";
    assert_eq!(fact_structure(facts), 1.0);
    assert_eq!(fact_structure(telling), 0.0);
    assert_eq!(fact_structure(""), 0.0);
}

#[test]
fn fitting_keeps_wrong_leave_one_out_decisions_below_the_margin() {
    let unit = |degrees: f32| vec![degrees.to_radians().cos(), degrees.to_radians().sin()];
    let route = |name: &str, store, angles: &[f32]| Route {
        name: name.into(),
        store,
        phrases: angles.iter().map(|a| a.to_string()).collect(),
        vectors: angles.iter().map(|a| unit(*a)).collect(),
    };
    let routes = [
        route("a", StoreKind::Relational, &[0.0, 4.0, 8.0, 60.0]),
        route("b", StoreKind::Graph, &[90.0, 94.0, 98.0]),
    ];
    let config = RouterConfig { margin_safety: 1.0, ..RouterConfig::default() };
    let fitted = fit(&routes, &config);
    // The stray phrase at 60 degrees is nearer to b: margin cos(30) - cos(52).
    let wrong = 30_f32.to_radians().cos() - 52_f32.to_radians().cos();
    assert!(fitted.delta > wrong, "{fitted:?}");
    assert!(fitted.tau_high > 0.99 && fitted.tau_low <= fitted.tau_high, "{fitted:?}");
}
