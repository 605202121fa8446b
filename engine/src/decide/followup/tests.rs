use super::*;

/// Knows the regions and products of a made-up company.
struct Shop;

impl Names for Shop {
    fn kind(&self, folded: &str) -> Option<String> {
        match folded {
            "norte" | "sul" | "sudeste" | "nordeste" => Some("region".into()),
            "armazenagem" | "expresso" => Some("product".into()),
            _ => None,
        }
    }
}

fn check(previous: &str, message: &str, expected: &str) {
    let found = complete(previous, message, &Shop);
    let question = found.as_ref().map_or("(complete)", |completion| completion.question.as_str());
    assert_eq!(question, expected, "{previous} | {message}: {found:?}");
    if let Some(found) = &found {
        assert_eq!(found.asked, message.trim());
        assert!(!found.carried.is_empty(), "{found:?}");
    }
}

fn stays(previous: &str, message: &str) {
    check(previous, message, "(complete)");
}

#[test]
fn r09_the_first_follow_up_carries_the_subject() {
    check("Price of a tyre change for model 3?", "and a service?", "Price of a service for model 3?");
    let found =
        complete("Price of a tyre change for model 3?", "and a service?", &NoNames).map(|c| c.carried);
    assert!(found.is_some_and(|carried| carried.iter().any(|value| value.contains('3'))));
    check(
        "Quanto custa a troca de óleo do modelo X5?",
        "e a revisão?",
        "Quanto custa a revisão de óleo do modelo X5?",
    );
    check(
        "¿Cuánto cuesta la revisión del modelo X5?",
        "¿y la pintura?",
        "¿Cuánto cuesta la pintura del modelo X5?",
    );
}

#[test]
fn r09_a_time_takes_the_place_of_a_time() {
    check("Qual foi a receita do Sul em março?", "E em abril?", "Qual foi a receita do Sul em abril?");
    check("What was the revenue of Sul in March?", "and in April?", "What was the revenue of Sul in April?");
    check("¿Cuál fue el ingreso del Sul en marzo?", "¿Y en abril?", "¿Cuál fue el ingreso del Sul en abril?");
    check("What was the revenue in March?", "What about April?", "What was the revenue in April?");
    check("Qual foi a receita de março de 2025?", "e de 2026?", "Qual foi a receita de março de 2026?");
    check(
        "Quanto vendemos no primeiro trimestre?",
        "e no segundo trimestre?",
        "Quanto vendemos no segundo trimestre?",
    );
    check("Total de março?", "Abril?", "Total de Abril?");
    check("Qual foi a receita total?", "E em abril?", "Qual foi a receita total em abril?");
}

#[test]
fn r09_a_name_takes_the_place_of_a_name_of_its_kind() {
    check("Qual foi a receita do Norte em março?", "e do Sul?", "Qual foi a receita do Sul em março?");
    check("qual foi a receita do norte em março", "e do sul", "qual foi a receita do sul em março?");
    check(
        "Qual foi a receita do Norte em Armazenagem?",
        "E do Sudeste?",
        "Qual foi a receita do Sudeste em Armazenagem?",
    );
    check(
        "Qual foi a receita do Norte em Armazenagem?",
        "e Expresso?",
        "Qual foi a receita do Norte em Expresso?",
    );
    check("O que o Sistema Atlas grava?", "E o Sistema Helios?", "O que o Sistema Helios grava?");
    check("O que diz a Política PC-04?", "e a PC-09?", "O que diz a Política PC-09?");
    check("How many trucks are based in Recife?", "how about Belém?", "How many trucks are based in Belém?");
    check("Qual foi a receita do Norte?", "e do Sul em abril?", "Qual foi a receita do Sul em abril?");
}

#[test]
fn r09_a_number_takes_the_place_of_a_number() {
    check("Quem aprova uma compra de R$ 80.000,00?", "e de R$ 5 mil?", "Quem aprova uma compra de R$ 5 mil?");
    check("Who signs a purchase of 80,000?", "and if it is 70,000?", "Who signs a purchase of 70,000?");
    check(
        "Quantas compras acima de 80 mil houve?",
        "e abaixo de 10 mil?",
        "Quantas compras abaixo de 10 mil houve?",
    );
    check("Quanto é 5% do total?", "e 10%?", "Quanto é 10% do total?");
}

#[test]
fn a_fragment_that_takes_something_out_is_added() {
    check(
        "Qual foi a receita total de março?",
        "e sem o Norte?",
        "Qual foi a receita total de março sem o Norte?",
    );
    check("What was the total in March?", "and without Sul?", "What was the total in March without Sul?");
    check("¿Cuál fue el total de marzo?", "¿y sin el Norte?", "¿Cuál fue el total de marzo sin el Norte?");
}

#[test]
fn r09_pronouns_take_the_thing_that_was_named() {
    check("O que define a Política PC-12?", "Qual é o limite dela?", "Qual é o limite de Política PC-12?");
    check("What does the Fornecedor Vega sell?", "Who approves it?", "Who approves Fornecedor Vega?");
    check("Who founded Meridiano?", "Where are its offices?", "Where are Meridiano's offices?");
    check("What is the refund policy?", "Who wrote it?", "Who wrote refund policy?");
    check(
        "Qual foi a receita do Norte em março?",
        "Quem mais vendeu nesse mês?",
        "Quem mais vendeu em março?",
    );
    check("What was the revenue in March?", "Which product led that month?", "Which product led March?");
    check("¿Qué define la Política PC-12?", "¿Cuál es su límite?", "¿Cuál es su límite, Política PC-12?");
    check("O que faz o Sistema Atlas?", "Quem usa esse sistema?", "Quem usa Sistema Atlas?");
    check(
        "When did the Recife centre open?",
        "How many people work there?",
        "How many people work there, Recife?",
    );
}

#[test]
fn bare_interrogatives_are_asked_of_the_question_before() {
    check(
        "Quem aprova compras acima de 80 mil?",
        "E por quê?",
        "por quê: Quem aprova compras acima de 80 mil?",
    );
    check("Why did the price of steel rise?", "since when?", "since when: Why did the price of steel rise?");
    check("Does Sistema Helios pay suppliers?", "how?", "how: Does Sistema Helios pay suppliers?");
}

#[test]
fn r09_a_new_measure_takes_over_names_and_times() {
    check("Qual foi a receita do Sul em março?", "E quantas unidades?", "Quantas unidades do Sul em março?");
    check("What was the revenue of Sul in March?", "and how many units?", "How many units of Sul in March?");
    check(
        "¿Cuál fue el ingreso del Sul en marzo?",
        "¿y cuántas unidades?",
        "Cuántas unidades del Sul en marzo?",
    );
}

#[test]
fn the_part_that_has_a_counterpart_is_completed() {
    check(
        "Qual foi a receita de março e quem aprova compras?",
        "e em abril?",
        "Qual foi a receita de abril?",
    );
    check(
        "Qual foi a receita de março e quem aprova compras?",
        "e por quê?",
        "por quê: quem aprova compras?",
    );
}

#[test]
fn complete_questions_are_left_alone() {
    let previous = "Qual foi a receita do Sul em março?";
    for message in [
        "Quem fundou a empresa?",
        "E quem fundou a empresa?",
        "E qual foi a receita do Norte em abril?",
        "What was the total for March?",
        "And who approves a purchase of 80,000?",
        "Quantas unidades?",
        "Liste os fornecedores",
        "Liste fornecedores e seus contratos",
        "Show customers and their orders",
        "Muestra clientes y sus pedidos",
        "E o atendimento funciona aos domingos?",
        "Is it true that the warehouse closed?",
        "How long does it take to refund a customer?",
        "Does the company pay its suppliers?",
        "Qual foi o total deste mês?",
        "weather?",
        "Hello world",
        "Obrigado!",
        "ok",
        "?",
        "",
    ] {
        stays(previous, message);
    }
    stays("", "e em abril?");
    stays("O atendimento funciona aos sábados?", "E o atendimento funciona aos domingos?");
    stays("Hello world", "weather?");
    stays("What is 1+1?", "weather?");
}

#[test]
fn what_was_completed_is_the_next_question_before() {
    let first = complete("Qual foi a receita do Sul em março?", "E em abril?", &Shop).map(|c| c.question);
    let second = first.and_then(|first| complete(&first, "e do Norte?", &Shop)).map(|c| c.question);
    assert_eq!(second.as_deref(), Some("Qual foi a receita do Norte em abril?"));
}

#[test]
fn a_part_that_leans_on_the_part_before_is_completed() {
    let parts = split("Qual a receita de março? E em abril? Quem aprova compras?");
    let done = complete_parts(&parts, &NoNames);
    let texts: Vec<&str> = done.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts, ["Qual a receita de março?", "Qual a receita de abril?", "Quem aprova compras?"]);
    assert!(done[0].1.is_none() && done[1].1.is_some() && done[2].1.is_none());
}

#[test]
fn replacements_are_said() {
    let found = complete("Qual foi a receita do Sul em março?", "E em abril?", &Shop);
    let found = found.map(|c| (c.lean, c.replaced, c.carried));
    let replaced = vec![["março".to_owned(), "abril".to_owned()]];
    assert_eq!(found, Some((Lean::Ellipsis, replaced, vec!["Sul".to_owned()])));
}

proptest::proptest! {
    #[test]
    fn any_two_texts_are_survived(previous in "\\PC{0,60}", message in "\\PC{0,40}") {
        if let Some(found) = complete(&previous, &message, &Shop) {
            proptest::prop_assert!(!found.question.trim().is_empty());
            proptest::prop_assert_ne!(found.question, found.asked);
        }
    }

    #[test]
    fn shuffled_words_are_survived(words in proptest::collection::vec(proptest::sample::select(vec![
        "E", "e", "and", "y", "o", "a", "em", "março", "abril", "2025", "Sul", "norte", "PC-04", "R$", "80 mil", "it",
        "dela", "nesse", "mês", "sem", "?", "what about", "quem", "quantas", "unidades", "acima de", "the", "Sistema",
    ]), 0..12)) {
        let message = words.join(" ");
        let found = complete("Qual foi a receita do Sul em março de 2024 acima de R$ 5.000 na PC-09?", &message, &Shop);
        proptest::prop_assert!(found.is_none_or(|found| found.question.len() < 400));
    }
}
