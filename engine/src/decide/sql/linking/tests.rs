#![allow(clippy::unwrap_used)]
use super::*;
use crate::decide::sql::card::{ColumnCard, TableCard};
use crate::decide::table::ColumnKind;

fn card(columns: &[(&str, ColumnKind, &[&str])]) -> (SchemaCard, Vec<StoredValue>) {
    let mut values = Vec::new();
    let columns = columns
        .iter()
        .enumerate()
        .map(|(index, (name, kind, stored))| {
            for value in *stored {
                values.push(StoredValue {
                    table_id: 1,
                    column_index: index,
                    folded: normalise(value),
                    value: (*value).to_owned(),
                });
            }
            ColumnCard {
                name: (*name).into(),
                header: String::new(),
                kind: *kind,
                unit: None,
                nulls: 0,
                distinct: stored.len() as u64,
                values: stored.iter().map(|value| (*value).to_owned()).collect(),
                values_complete: true,
                minimum: None,
                maximum: None,
                numeric_text: false,
            }
        })
        .collect();
    let table = TableCard { id: 1, name: "vendas".into(), columns, ..TableCard::default() };
    (SchemaCard { version: 1, tables: vec![table] }, values)
}

fn check(question: &str, stored: &[&str], expected: &[(&str, &str)]) {
    let (card, values) = card(&[("rotulo", ColumnKind::Text, stored)]);
    let found = link(question, &card, &values, 8);
    let pairs: Vec<(&str, &str)> =
        found.iter().map(|link| (link.phrase.as_str(), link.value.as_str())).collect();
    assert_eq!(pairs, expected, "{question}");
}

#[test]
fn s16_words_of_the_question_find_the_stored_value() {
    check(
        "qual a dívida do governo?",
        &["Dívida: Governo", "Dívida: Famílias"],
        &[("dívida do governo", "Dívida: Governo")],
    );
    check(
        "valor da divida das familias",
        &["Dívida: Governo", "Dívida: Famílias"],
        &[("divida das familias", "Dívida: Famílias")],
    );
    check("sales of sao jose", &["São José", "São João"], &[("sao jose", "São José")]);
    check("quanto vendeu a Müller", &["MULLER", "Miller"], &[("Müller", "MULLER")]);
}

#[test]
fn s15_accents_case_plurals_and_typos_survive() {
    check("receita do mes de março", &["marco", "abril"], &[("março", "marco")]);
    check("Receita de Abril", &["abril"], &[("Abril", "abril")]);
    check("quantos caminhões temos", &["caminhão", "moto"], &[("caminhões", "caminhão")]);
    check("number of trucks", &["truck"], &[("trucks", "truck")]);
    check("total do nordste", &["Nordeste", "Sudeste"], &[("nordste", "Nordeste")]);
    check("total do nordeste", &["Sudeste"], &[]);
}

#[test]
fn months_are_found_however_they_are_stored() {
    check("receita de março", &["mar", "abr"], &[("março", "mar")]);
    check("revenue in March", &["março", "abril"], &[("March", "março")]);
    let (card, values) = card(&[("data", ColumnKind::Date, &[]), ("mes", ColumnKind::Integer, &[])]);
    let conditions: Vec<String> =
        link("vendas em março", &card, &values, 8).iter().map(Link::words).collect();
    assert_eq!(conditions, ["\"março\": STRFTIME('%m', vendas.data) = '03'", "\"março\": vendas.mes = 3"]);
}

#[test]
fn stop_words_and_short_codes_make_no_links() {
    check("qual o total em no dia", &["no", "em", "O", "total"], &[]);
    check("how many are there", &["There", "how"], &[]);
}

#[test]
fn distance_counts_swaps_once() {
    assert_eq!(distance("nordeste", "nrodeste", 2), 1);
    assert_eq!(distance("abc", "abcdef", 2), 3);
    assert_eq!(distance("sudeste", "nordeste", 2), 3);
}

#[test]
fn variants_cover_both_languages() {
    for (word, form) in [
        ("caminhoes", "caminhao"),
        ("regioes", "regiao"),
        ("cities", "city"),
        ("truck", "trucks"),
        ("cor", "cores"),
    ] {
        if word.len() >= 4 {
            assert!(variants(word).contains(&form.to_owned()), "{word}: {:?}", variants(word));
        }
    }
}
