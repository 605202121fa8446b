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

#[test]
fn compounds_without_an_opening_interrogative() {
    check(
        "Quem aprova uma compra e os pedidos do Sistema Atlas seguem qual politica?",
        &["Quem aprova uma compra", "os pedidos do Sistema Atlas seguem qual politica?"],
    );
    check(
        "Qual foi a receita de abril e, se o banco Orion parar, quais dados ficam inacessíveis?",
        &["Qual foi a receita de abril", "se o banco Orion parar, quais dados ficam inacessíveis?"],
    );
    check(
        "What is the total of sales, how many regions are there and who approves purchases?",
        &["What is the total of sales", "how many regions are there", "who approves purchases?"],
    );
}

#[test]
fn statements_stay_with_their_question() {
    check(
        "Meu pedido atrasou. Quem resolve atrasos? Qual foi a receita de maio?",
        &["Meu pedido atrasou. Quem resolve atrasos?", "Qual foi a receita de maio?"],
    );
    single("Responda em inglês: qual foi a receita de maio?");
    single("List singers with more than 5. Order by name.");
    single("Olá! Qual foi a receita de maio?");
}

#[test]
fn limits_and_switches() {
    let message = "Quem aprova compras? Qual foi a receita de maio? Onde fica a sede da empresa?";
    assert_eq!(split_with(message, &SplitConfig { max_parts: 2, ..SplitConfig::default() }).len(), 2);
    assert_eq!(split_with(message, &SplitConfig { enabled: false, ..SplitConfig::default() }).len(), 1);
    assert!(split(" \n ").is_empty());
    let elliptical = split("Qual a receita de março? E em abril?");
    assert_eq!(elliptical.iter().map(|p| p.needs_context).collect::<Vec<_>>(), [false, true]);
}

proptest::proptest! {
    #[test]
    fn parts_are_ordered_ranges_and_stay_whole(
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "Qual", "quem", "what is", "how many", "e", "and", "y", ",", "?", ";", ".", "\n", "1.", "2)", "- ", "é",
                "receita", "Atlas", "março", "the total", "liste os", "it", "each", "se", "(", ")", "\"", "5.000", "que", "o que",
            ]),
            0..24,
        ),
    ) {
        let message = pieces.join(" ");
        let parts = split(&message);
        proptest::prop_assert_eq!(parts.is_empty(), message.trim().is_empty());
        let mut end = 0;
        for part in &parts {
            proptest::prop_assert!(part.range.start >= end);
            proptest::prop_assert_eq!(&part.text, &message[part.range.clone()]);
            proptest::prop_assert!(!part.text.trim().is_empty());
            end = part.range.end;
        }
    }

    #[test]
    fn any_text_is_split_without_panic(message in "\\PC{0,80}") {
        for part in split(&message) {
            proptest::prop_assert_eq!(&part.text, &message[part.range.clone()]);
        }
    }
}
