//! The relational route with a scripted model: repair, abstention, smells, prompts.
#![allow(clippy::unwrap_used, missing_docs)]

mod sql_support;

use polyrag::ask::sql::{SqlOutcome, answer, link_values};
use polyrag::decide::sql::SqlConfig;
use polyrag::models::Cancel;
use serde_json::json;
use sql_support::{Catalog, Column, Scripted, integers, reals, texts};

fn ask(catalog: &Catalog, question: &str, model: &Scripted) -> SqlOutcome {
    let config = SqlConfig::default();
    let store = catalog.open();
    let links = link_values(question, &catalog.writer, store.card(), &config).unwrap();
    answer(question, &store, links, model, &config, &Cancel::default(), &mut |_| {}).unwrap()
}

fn orders() -> Catalog {
    Catalog::with(
        "pedidos",
        &[
            ("id", integers(&[1, 2])),
            ("valor", reals(&[10.0, 20.5])),
            ("data", Column::Dates(vec![20_513, 20_600])),
        ],
    )
}

#[test]
fn s14_a_missing_column_gets_one_repair_then_an_honest_no() {
    let catalog = orders();
    let model = Scripted::new(&["SELECT SUM(desconto) FROM pedidos", "SELECT SUM(descontos) FROM pedidos"]);
    let outcome = ask(&catalog, "Qual o total de desconto?", &model);
    assert!(outcome.rows.is_none());
    assert_eq!(outcome.abstained.as_deref(), Some("no such column: descontos"));
    assert_eq!(outcome.attempts.len(), 2);
    let requests = model.requests.lock().unwrap();
    assert_eq!(requests.len(), 2, "one repair only");
    assert_eq!(requests[0].system, requests[1].system, "the prefix stays in the cache");
    assert!(requests[1].user.contains("no such column: desconto"));
    assert!(
        requests[1].user.contains("nearest columns: pedidos.valor")
            || requests[1].user.contains("pedidos.id")
    );

    let model = Scripted::new(&["SELECT SUM(valro) FROM pedidos", "SELECT SUM(valor) FROM pedidos"]);
    let outcome = ask(&catalog, "Qual o valor total?", &model);
    assert_eq!(outcome.rows.unwrap().rows, [[json!(30.5)]]);
    assert_eq!(outcome.attempts[0].problem.as_deref(), Some("no such column: valro"));
    assert_eq!((outcome.usage.prompt_tokens, outcome.usage.cached_tokens), (200, 160));
}

#[test]
fn writes_of_the_model_are_refused_and_repaired() {
    let catalog = orders();
    let model = Scripted::new(&["DELETE FROM pedidos", "SELECT COUNT(*) FROM pedidos"]);
    let outcome = ask(&catalog, "Apague os pedidos", &model);
    assert!(
        outcome.attempts[0].problem.as_deref().unwrap().contains("not allowed")
            || outcome.attempts[0].problem.is_some()
    );
    assert_eq!(outcome.rows.unwrap().rows, [[json!(2)]]);
}

#[test]
fn smells_are_rejected() {
    let catalog = orders();
    for (question, smelly) in [
        ("Qual o valor total?", "SELECT 30.5"),
        ("Qual o valor total?", "SELECT 'valor' AS total"),
        ("Quais os valores?", "SELECT * FROM pedidos"),
        ("Qual o valor total?", "WITH x AS (SELECT 30.5 AS v) SELECT v FROM x"),
    ] {
        let model = Scripted::new(&[smelly, smelly]);
        let outcome = ask(&catalog, question, &model);
        assert!(outcome.rows.is_none() && outcome.abstained.is_some(), "{smelly}");
    }
    for (question, fine) in [
        ("Show all the information about orders", "SELECT * FROM pedidos"),
        ("Quantos pedidos?", "SELECT COUNT(*) FROM pedidos"),
        ("Mostre todos os dados do pedido 1", "SELECT * FROM pedidos WHERE id = 1"),
    ] {
        assert!(ask(&catalog, question, &Scripted::new(&[fine])).rows.is_some(), "{fine}");
    }
}

#[test]
fn an_empty_result_over_an_unknown_text_is_repaired_by_the_linked_value() {
    let catalog =
        Catalog::with("vendas", &[("mes", texts(&["marco", "abril"])), ("receita", integers(&[7, 9]))]);
    let model = Scripted::new(&[
        "SELECT SUM(receita) FROM vendas WHERE mes = 'mar/2026' GROUP BY mes",
        "SELECT SUM(receita) FROM vendas WHERE mes = 'marco'",
    ]);
    let outcome = ask(&catalog, "Qual foi a receita do mês de março?", &model);
    assert_eq!(outcome.links[0].value, "marco");
    assert_eq!(outcome.rows.unwrap().rows, [[json!(7)]]);
    assert!(model.requests.lock().unwrap()[0].user.contains("\"março\": vendas.mes = 'marco'"));
}

#[test]
fn s16_the_prompt_carries_linked_values() {
    let catalog = Catalog::with(
        "contas",
        &[("tipo", texts(&["Dívida: Governo", "Dívida: Famílias"])), ("valor", integers(&[1, 2]))],
    );
    let model = Scripted::new(&["SELECT valor FROM contas WHERE tipo = 'Dívida: Governo'"]);
    let outcome = ask(&catalog, "valor da divida do governo", &model);
    assert_eq!(outcome.rows.unwrap().rows, [[json!(1)]]);
    assert!(model.requests.lock().unwrap()[0].user.contains("contas.tipo = 'Dívida: Governo'"));
}

#[test]
fn s18_ratios_are_real_and_undefined_is_said() {
    let catalog = Catalog::with(
        "lojas",
        &[("loja", texts(&["A", "B"])), ("vendas", integers(&[1, 1])), ("visitas", integers(&[2, 0]))],
    );
    let model = Scripted::new(&["SELECT loja, vendas / visitas FROM lojas"]);
    let outcome = ask(&catalog, "Qual a taxa de conversão de cada loja?", &model);
    let rows = outcome.rows.unwrap();
    assert_eq!(rows.rows, [[json!("A"), json!(0.5)], [json!("B"), json!(null)]]);
    assert!(rows.notes.iter().any(|note| note.words(true).contains("indefinido")));
    assert_eq!(outcome.sql, "SELECT loja, vendas * 1.0 / NULLIF(visitas, 0) FROM lojas");
}

#[test]
fn t24_how_many_of_a_quantity_is_its_sum() {
    let catalog = Catalog::with(
        "cores",
        &[("UF", texts(&["TX", "TX"])), ("Cor", texts(&["Red", "Red"])), ("Count", integers(&[20, 5]))],
    );
    let model = Scripted::new(&[
        "SELECT COUNT(*) FROM cores WHERE UF = 'TX' AND Cor = 'Red'",
        "SELECT SUM(Count) FROM cores WHERE UF = 'TX' AND Cor = 'Red'",
    ]);
    let outcome = ask(&catalog, "how many red in TX?", &model);
    assert_eq!(outcome.rows.unwrap().rows, [[json!(25)]]);
    let requests = model.requests.lock().unwrap();
    assert!(requests[0].system.contains("SUM of that column"));
    assert!(requests[1].user.contains("use SUM(Count)"));
    let model = Scripted::new(&["SELECT COUNT(*) FROM cores"]);
    assert_eq!(ask(&catalog, "how many rows are there?", &model).rows.unwrap().rows, [[json!(2)]]);
}

#[test]
fn no_tables_means_no_answer_and_no_model() {
    let outcome = ask(&Catalog::new(), "How many?", &Scripted::new(&[]));
    assert_eq!(outcome.abstained.as_deref(), Some("there are no tables"));
}

#[test]
fn t07_an_overflowing_sum_is_answered_and_said() {
    let catalog = Catalog::with("t", &[("n", integers(&[9_223_372_036_854_775_807, 1]))]);
    let outcome = ask(&catalog, "soma de n", &Scripted::new(&["SELECT SUM(n) FROM t"]));
    let rows = outcome.rows.unwrap();
    assert_eq!(rows.rows, [[json!(9_223_372_036_854_780_000_f64)]]);
    assert_eq!(rows.notes[0].words(true), "a soma não cabe em 64 bits: valor aproximado");
}

#[test]
fn ties_at_the_limit_are_said() {
    let catalog = Catalog::with("t", &[("uf", texts(&["SP", "RJ", "MG"])), ("v", integers(&[5, 5, 1]))]);
    let said = |sql: &str| {
        let rows = ask(&catalog, "top", &Scripted::new(&[sql])).rows.unwrap();
        rows.notes.iter().map(|note| note.words(false)).collect::<Vec<_>>()
    };
    assert_eq!(
        said("SELECT uf FROM t ORDER BY v DESC LIMIT 1"),
        ["there is a tie: other rows have the same value as the last one"]
    );
    assert!(said("SELECT uf FROM t ORDER BY v ASC LIMIT 1").is_empty());
    assert!(said("SELECT uf FROM t ORDER BY v DESC LIMIT 2").is_empty());
}

#[test]
fn a_text_that_the_column_does_not_hold_is_repaired_with_what_it_holds() {
    let catalog = Catalog::with(
        "jogadores",
        &[("pais", texts(&["USA", "Brazil", "USA"])), ("nome", texts(&["A1", "B1", "C1"]))],
    );
    let model = Scripted::new(&[
        "SELECT COUNT(*) FROM jogadores WHERE pais != 'EUA'",
        "SELECT COUNT(*) FROM jogadores WHERE pais != 'USA'",
    ]);
    let outcome = ask(&catalog, "Quantos não são dos EUA?", &model);
    assert_eq!(outcome.rows.unwrap().rows, [[json!(1)]]);
    assert_eq!(
        outcome.attempts[0].problem.as_deref(),
        Some("jogadores.pais never is 'EUA'; it holds 'Brazil', 'USA'")
    );
    let insists = "SELECT nome FROM jogadores WHERE pais = 'Chile'";
    let outcome = ask(&catalog, "Quem é do Chile?", &Scripted::new(&[insists, insists]));
    assert!(outcome.rows.is_none() && outcome.abstained.unwrap().contains("never is 'Chile'"));
    let insists = "SELECT nome FROM jogadores WHERE pais != 'Chile'";
    assert_eq!(
        ask(&catalog, "Quem não é do Chile?", &Scripted::new(&[insists, insists])).rows.unwrap().row_count,
        3
    );
}

#[test]
fn the_prefix_stays_the_same_from_question_to_question() {
    let catalog = orders();
    let model = Scripted::new(&["SELECT COUNT(*) FROM pedidos", "SELECT SUM(valor) FROM pedidos"]);
    ask(&catalog, "Quantos pedidos?", &model);
    ask(&catalog, "Qual o valor total?", &model);
    let requests = model.requests.lock().unwrap();
    assert_eq!(requests[0].system, requests[1].system);
    assert_eq!(requests[0].grammar, requests[1].grammar);
    assert!(requests[0].user.ends_with("Question: Quantos pedidos?\nSQL:"));
    assert!(requests[0].system.contains("data DATE, -- 2026-03-01 to 2026-05-27"), "{}", requests[0].system);
}

#[test]
fn too_many_tables_are_cut_to_those_that_matter() {
    let mut catalog = Catalog::new();
    for n in 0..30 {
        catalog.add(1, &sql_support::table(&format!("tabela_{n}"), &[("x", integers(&[n]))]));
    }
    catalog.add(
        2,
        &sql_support::table(
            "funcionarios",
            &[("nome", texts(&["Ana Prado", "Bia"])), ("idade", integers(&[30, 40]))],
        ),
    );
    for question in ["Qual a idade média dos funcionários?", "quantos anos tem ana prado"] {
        let model = Scripted::new(&["SELECT AVG(idade) FROM funcionarios"]);
        assert!(ask(&catalog, question, &model).rows.is_some());
        let requests = model.requests.lock().unwrap();
        assert!(requests[0].system.contains("CREATE TABLE funcionarios"), "{question}");
        assert_eq!(requests[0].system.matches("CREATE TABLE tabela").count(), 11);
        assert!(!requests[0].grammar.as_ref().unwrap().contains("tabela_29"));
    }
}
