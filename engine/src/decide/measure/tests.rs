use super::*;

fn passage(rank: usize, document: &str, text: &str) -> Passage {
    Passage { rank, document: document.into(), text: format!("{document} \n {text}") }
}

fn observed() -> Observed {
    Observed {
        routes: vec!["graph".into()],
        parts: 1,
        passages: vec![passage(1, "a.md", "nada"), passage(2, "b.md", "a Política PC-04")],
        rows: 0,
        answer: Some("A Diretoria Financeira assina acima de R$ 60.000,00.".into()),
        abstained: false,
        error: None,
    }
}

fn known() -> Known {
    Known {
        question: "Quem assina?".into(),
        routes: vec!["graph".into()],
        facts: vec![Wanted::AnyOf(vec!["Finance Board".into(), "Diretoria Financeira".into()])],
        relevant: vec![Wanted::One("PC-04".into())],
        documents: vec!["a.md".into()],
        parts: Some(1),
        ..Known::default()
    }
}

#[test]
fn a_right_answer_scores_in_every_figure() {
    let score = score(&known(), &observed());
    assert_eq!((score.routing, score.split, score.facts), (Some(true), Some(true), Some(true)));
    // The document is at rank 1, the marker at rank 2.
    assert_eq!(
        (score.recall_at_1, score.recall_at_5, score.reciprocal_rank),
        (Some(0.5), Some(1.0), Some(1.0))
    );
    assert_eq!((score.empty, score.abstained), (Some(false), Some(false)));
    assert!(score.missing.is_empty() && score.not_retrieved.is_empty());
}

#[test]
fn each_figure_fails_alone() {
    let routes = Observed { routes: vec!["graph".into(), "vector".into()], ..observed() };
    assert_eq!(score(&known(), &routes).routing, Some(false));
    let facts = Observed { answer: Some("O Gerente.".into()), ..observed() };
    let missed = score(&known(), &facts);
    assert_eq!((missed.facts, missed.missing.len(), missed.routing), (Some(false), 1, Some(true)));
    let forbidden = Known { forbidden: vec!["60.000".into()], ..known() };
    assert_eq!(score(&forbidden, &observed()).facts, Some(false));
    let late = Observed { passages: vec![passage(6, "b.md", "PC-04")], ..observed() };
    let missed = score(&known(), &late);
    assert_eq!((missed.recall_at_5, missed.not_retrieved.len()), (Some(0.0), 2));
    assert!(missed.reciprocal_rank.is_some_and(|rank| (rank - 1.0 / 6.0).abs() < 1e-9));
    let nothing = Observed { passages: Vec::new(), ..observed() };
    assert_eq!(score(&known(), &nothing).empty, Some(true));
    let failed = Observed { error: Some("no model".into()), routes: vec!["graph".into()], ..observed() };
    let score = score(&known(), &failed);
    assert_eq!((score.routing, score.facts, score.abstained), (Some(false), Some(false), None));
}

#[test]
fn what_does_not_apply_is_not_counted() {
    let plain = Known { question: "?".into(), ..Known::default() };
    let score = score(&plain, &Observed { answer: None, ..observed() });
    assert_eq!((score.routing, score.split, score.facts, score.empty), (None, None, None, None));
    assert_eq!((score.recall_at_1, score.reciprocal_rank, score.abstained), (None, None, None));
}

#[test]
fn tables_answer_with_rows() {
    let figure = Known { route: Some("relational".into()), ..Known::default() };
    let with =
        |rows| score(&figure, &Observed { routes: vec!["relational".into()], rows, ..observed() }).empty;
    assert_eq!((with(0), with(3)), (Some(true), Some(false)));
}

#[test]
fn a_set_is_read_with_either_name_of_a_key() {
    let read = |line: &str| serde_json::from_str::<Known>(line).map_err(|error| error.to_string());
    let one = read(r#"{"id":7,"question":"q","route":"vectorial","unanswerable":false,"other":1}"#);
    assert!(
        one.is_ok_and(|known| score(&known, &Observed { routes: vec!["vector".into()], ..observed() })
            .routing
            == Some(true))
    );
    assert!(read(r#"{"question":"q","absent":true}"#).is_ok_and(|known| known.unanswerable));
    assert!(read(r#"{"question":"q","facts":["a",["b","c"]]}"#).is_ok_and(|known| known.facts.len() == 2));
    assert!(read(r#"{"question":3}"#).is_err());
}

#[test]
fn summaries_count_what_applies() {
    let (declined, answered) =
        (Observed { abstained: true, answer: Some("não".into()), ..Observed::default() }, observed());
    let absent = Known { unanswerable: true, ..Known::default() };
    let cases = [
        (known(), answered.clone()),
        (absent.clone(), declined.clone()),
        (absent, answered),
        (known(), declined),
    ];
    let scores: Vec<Score> = cases.iter().map(|(known, observed)| score(known, observed)).collect();
    let summary =
        summarise(cases.iter().zip(&scores).map(|((known, observed), score)| (known, observed, score)));
    assert_eq!((summary.questions, summary.errors), (4, 0));
    assert_eq!((summary.routing.passed, summary.routing.total), (1, 2));
    assert_eq!((summary.declined_rightly.passed, summary.declined_rightly.total), (1, 2));
    assert_eq!((summary.declined_wrongly.passed, summary.declined_wrongly.total), (1, 2));
    assert_eq!((summary.recall_at_5.total, summary.recall_at_5.mean), (2, 0.5));
    assert_eq!((summary.figure("routing"), summary.figure("answered")), (Some(0.5), Some(0.5)));
    assert_eq!(summary.figure("beauty"), None);
    assert!(FIGURES.iter().all(|name| summary.figure(name).is_some()));
}

#[test]
fn intervals_by_hand() {
    // Wilson for 8 of 10: 0.490 to 0.943.
    let [low, high] = wilson(8, 10);
    assert!((low - 0.4902).abs() < 5e-4 && (high - 0.9433).abs() < 5e-4, "{low} {high}");
    assert_eq!(wilson(0, 0), [0.0, 1.0]);
    assert!((wilson(10, 10)[1] - 1.0).abs() < 1e-9);
    assert!(wilson(0, 10)[0].abs() < 1e-9);
    let even = Mean::of([0.5; 20]);
    assert_eq!((even.mean, even.interval95), (0.5, [0.5, 0.5]));
    let spread = Mean::of((0..100).map(|n| f64::from(n % 2)));
    assert_eq!(spread.mean, 0.5);
    assert!(spread.interval95[0] > 0.38 && spread.interval95[0] < 0.42, "{spread:?}");
    assert!(spread.interval95[1] > 0.58 && spread.interval95[1] < 0.62, "{spread:?}");
    assert_eq!(Mean::of([]).total, 0);
}
