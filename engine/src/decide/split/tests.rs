#![allow(clippy::unwrap_used)]

use super::*;

fn check(message: &str, expected: &[&str]) {
    let parts = split(message);
    let texts: Vec<&str> = parts.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(texts, expected, "{message}");
    for part in &parts {
        assert_eq!(part.text, message[part.range.clone()]);
    }
}

fn single(message: &str) {
    check(message, &[message]);
}

#[test]
fn r01_total_and_policy_are_two_parts() {
    check(
        "What was the total for March and what does the policy say about refunds?",
        &["What was the total for March", "what does the policy say about refunds?"],
    );
    check(
        "Qual foi o total de março e o que diz a política de reembolso?",
        &["Qual foi o total de março", "o que diz a política de reembolso?"],
    );
    check(
        "¿Cuál fue el total de marzo y qué dice la política de reembolsos?",
        &["¿Cuál fue el total de marzo", "qué dice la política de reembolsos?"],
    );
}

#[test]
fn r02_instruction_and_question() {
    check(
        "Summarise the report, and what did Ana do after 2019?",
        &["Summarise the report", "what did Ana do after 2019?"],
    );
    check(
        "Resuma o relatório e diga quem aprova compras?",
        &["Resuma o relatório", "diga quem aprova compras?"],
    );
}

#[test]
fn no_conjunction() {
    check("Total de março? E a política de reembolso?", &["Total de março?", "E a política de reembolso?"]);
    check(
        "1. Qual foi a receita de abril?\n2. Quem aprova compras?\n- Liste os fornecedores",
        &["Qual foi a receita de abril?", "Quem aprova compras?", "Liste os fornecedores"],
    );
    check(
        "Qual a receita do Norte; quem é o gestor de compras; quantas regiões existem?",
        &["Qual a receita do Norte", "quem é o gestor de compras", "quantas regiões existem?"],
    );
}

#[test]
fn names_lists_and_unaccented_verbs_stay_whole() {
    for message in [
        "Qual e o compromisso publico da empresa?",
        "Which regions grew between January and March?",
        "What are the names and ages of all singers?",
        "O que a empresa priorizou e por quê?",
        "What is the country with the most TV channels and how many does it have?",
        "Quais são os idiomas usados e quantos canais os usam?",
        "What region does Angola belong to and what is its population?",
        "Which shop has the most employees? Give me the shop name.",
        "How do I open the file and list the contents?",
        "When and where was Ana Silva born?",
        "Quem vende e quem compra?",
        "The director has a medal. Does the other director also have one?",
        "Mr. Smith moved to St. Louis. When did he die?",
    ] {
        single(message);
    }
}
