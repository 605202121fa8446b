//! Checks on what a model wrote, by arithmetic: numbers, results, language.

use crate::ask::answer::cell;
use crate::ask::phrases::{Phrase, phrase};
use crate::decide::language;
use crate::decide::numbers::{occurs, unsupported_numbers};
use crate::decide::text::fold;
use crate::report::{AskReport, PartReport};

/// What is wrong with a written answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Problem {
    Numbers(Vec<String>),
    Language { wanted: String, found: String },
    WithoutResult(String),
    Empty,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Numbers(numbers) => write!(formatter, "{} is not in the sources", numbers.join(", ")),
            Self::Language { wanted, found } => write!(formatter, "written in {found}, asked in {wanted}"),
            Self::WithoutResult(value) => write!(formatter, "the result {value} is missing from it"),
            Self::Empty => formatter.write_str("empty"),
        }
    }
}

impl Problem {
    pub(super) fn correction(&self, language: &str) -> String {
        match (self, language) {
            (Self::Numbers(numbers), "pt") => {
                format!("Não use {}: não está nas fontes. Copie os números das fontes.", numbers.join(", "))
            }
            (Self::Numbers(numbers), _) => {
                format!(
                    "Do not use {}: it is not in the sources. Copy numbers from the sources.",
                    numbers.join(", ")
                )
            }
            (Self::WithoutResult(value), "pt") => format!("Diga na resposta o valor {value}."),
            (Self::WithoutResult(value), _) => format!("State the value {value} in the answer."),
            (_, language) => phrase(language, Phrase::LanguageRule).to_owned(),
        }
    }
}

pub(super) fn problem_of(answer: &str, report: &AskReport, contexts: &[&str]) -> Option<Problem> {
    if answer.is_empty() {
        return Some(Problem::Empty);
    }
    let mut known = contexts.to_vec();
    known.push(&report.question);
    let foreign = unsupported_numbers(&without_citations(answer), &known);
    if !foreign.is_empty() {
        return Some(Problem::Numbers(foreign));
    }
    if let Some(value) = unsaid_result(answer, &report.parts) {
        return Some(Problem::WithoutResult(value));
    }
    let found = language::code(answer)?;
    (answer.split_whitespace().count() >= 6 && found != report.language)
        .then(|| Problem::Language { wanted: report.language.clone(), found: found.to_owned() })
}

/// The value of a one-row result that the answer does not state.
fn unsaid_result(answer: &str, parts: &[PartReport]) -> Option<String> {
    let said = fold(answer);
    parts
        .iter()
        .filter(|part| part.sql.is_some() && part.fallback.is_none() && part.rows.len() == 1)
        .flat_map(|part| part.rows[0].iter())
        .filter(|value| !value.is_null())
        .map(cell)
        .find(|value| match value.parse::<f64>() {
            Ok(_) => !occurs(value, answer),
            Err(_) => !said.contains(&fold(value)),
        })
}

/// Removes `[n]` marks, which are no numbers of the answer.
fn without_citations(answer: &str) -> String {
    let mut text = String::with_capacity(answer.len());
    let mut rest = answer;
    while let Some(open) = rest.find('[') {
        text.push_str(&rest[..open]);
        let tail = &rest[open + 1..];
        match tail.find(']') {
            Some(close) if tail[..close].chars().all(|c| c.is_ascii_digit() || c == ',' || c == ' ') => {
                rest = &tail[close + 1..];
            }
            _ => {
                text.push('[');
                rest = tail;
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_no_numbers() {
        assert_eq!(without_citations("São 12 [1], [2, 3] e [x]."), "São 12 ,  e [x].");
        assert_eq!(without_citations("aberto ["), "aberto [");
    }
}
