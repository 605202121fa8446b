//! Numbers, number words, percentages, dates and codes in Portuguese, English and Spanish text.
//!
//! A written number can be read in more than one way (`1.234` is 1234 in Portuguese and
//! 1.234 in English), so a [`Quantity`] keeps its readings, the likeliest first.

mod date;
mod lexemes;
mod numeric;
mod spelled;
mod spoken;

use std::collections::BTreeSet;
use std::ops::Range;

pub use date::month;
pub use spoken::spoken;

use date::date;
use lexemes::lexemes;
use numeric::{canonical_integer, numeric, shift};
use spelled::spelled;

/// What kind of number a text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A plain number or an amount of money.
    Number,
    /// A percentage, in percent.
    Percent,
    /// A day, written `YYYY-MM-DD`.
    Date,
    /// Letters and digits together (`PC-04`, `2FA`, `1.2.3`), folded, without separators.
    Code,
}

/// A number as found in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// What it is.
    pub kind: Kind,
    /// Its readings in canonical form (no separators, a decimal point, no trailing zeros); never empty.
    pub readings: Vec<String>,
    /// Byte range in the text.
    pub range: Range<usize>,
    /// The number of decimal digits that a scale word (`milhões`, `k`) leaves written, if there is one.
    pub scaled: bool,
}

impl Quantity {
    /// Returns the likeliest reading.
    pub fn value(&self) -> &str {
        self.readings.first().map(String::as_str).unwrap_or_default()
    }

    /// Tells whether a reading of one is a reading of the other.
    pub fn agrees(&self, other: &Quantity) -> bool {
        self.readings.iter().any(|r| other.readings.contains(r))
    }
}

/// Returns the numbers, percentages, dates and codes of `text`, in order.
pub fn quantities(text: &str) -> Vec<Quantity> {
    let lexemes = lexemes(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lexemes.len() {
        let next = date(text, &lexemes, at)
            .or_else(|| numeric(text, &lexemes, at))
            .or_else(|| spelled(text, &lexemes, at));
        match next {
            Some((quantity, after)) => {
                found.push(quantity);
                at = after;
            }
            None => at += 1,
        }
    }
    found
}

/// Returns the numbers of `answer` that no context holds, as written.
///
/// Thousands separators, decimal commas, number words and dates in any order count as equal; a
/// rounded number with its scale (`4,99 milhões`) is supported by the exact one; marks of
/// citations (`[2]`) and of list items are not numbers of the answer.
pub fn unsupported_numbers<S: AsRef<str>>(answer: &str, contexts: &[S]) -> Vec<String> {
    let known: Vec<Quantity> = contexts.iter().flat_map(|c| quantities(c.as_ref())).collect();
    let mut loose = BTreeSet::new();
    for quantity in &known {
        loose.extend(quantity.readings.iter().cloned());
        if matches!(quantity.kind, Kind::Date) {
            loose.extend(quantity.value().split('-').map(canonical_integer));
        }
        if matches!(quantity.kind, Kind::Code) {
            loose.extend(digit_runs(quantity.value()));
        }
    }
    let supported = |quantity: &Quantity| {
        quantity.readings.iter().any(|r| loose.contains(r))
            || (quantity.kind == Kind::Date
                && quantity.value().split('-').all(|p| loose.contains(&canonical_integer(p))))
            || (quantity.kind == Kind::Percent && loose.contains(&shift(quantity.value(), -2)))
            || known.iter().any(|k| rounds_to(k, quantity))
    };
    let mut missing = Vec::new();
    for quantity in quantities(answer) {
        let written = &answer[quantity.range.clone()];
        if !is_mark(answer, &quantity.range) && !supported(&quantity) && !missing.iter().any(|m| m == written)
        {
            missing.push(written.to_owned());
        }
    }
    missing
}

/// Tells whether `number`, as written in an answer, occurs in `context` in any notation.
pub fn occurs(number: &str, context: &str) -> bool {
    unsupported_numbers(number, &[context]).is_empty()
}

/// Tells whether the number in `range` is a citation mark (`[2]`) or numbers a list item.
fn is_mark(text: &str, range: &Range<usize>) -> bool {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let bracketed =
        before.trim_end_matches([',', ' ']).rfind('[').is_some_and(|open| {
            before[open + 1..].chars().all(|c| c.is_ascii_digit() || c == ',' || c == ' ')
        }) && after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',' || c == ' ').starts_with(']');
    let line = before.rsplit('\n').next().unwrap_or_default();
    let item = line.chars().all(|c| c.is_whitespace() || "-*#>".contains(c))
        && range.len() <= 2
        && (after.starts_with(". ") || after.starts_with(") "));
    bracketed || item
}

/// A rounded, scaled number is supported by the exact one: `4,99 milhões` by `4.988.300`.
fn rounds_to(exact: &Quantity, written: &Quantity) -> bool {
    if !written.scaled || exact.kind != written.kind {
        return false;
    }
    let (Ok(exact), Ok(value)) = (exact.value().parse::<f64>(), written.value().parse::<f64>()) else {
        return false;
    };
    let significant =
        written.value().trim_end_matches('0').chars().filter(char::is_ascii_digit).count().max(1);
    let magnitude = value.abs().log10().floor() - (significant as f64 - 1.0);
    value != 0.0 && (exact - value).abs() <= 0.5 * 10f64.powf(magnitude)
}

fn digit_runs(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|r| !r.is_empty()).map(canonical_integer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(Kind, &str)]) {
        let found = quantities(text);
        let pairs: Vec<(Kind, &str)> = found.iter().map(|q| (q.kind, q.value())).collect();
        assert_eq!(pairs, expected, "{text}");
    }

    #[test]
    fn separators_are_read_in_both_notations() {
        use Kind::Number;
        check("R$ 1.234,50 e 1,234.50", &[(Number, "1234.5"), (Number, "1234.5")]);
        check("4.988.300 ou 4,988,300", &[(Number, "4988300"), (Number, "4988300")]);
        check("5.000 0,5 3.14 12", &[(Number, "5000"), (Number, "0.5"), (Number, "3.14"), (Number, "12")]);
        check("1\u{a0}234", &[(Number, "1234")]);
        check("temperatura de -5", &[(Number, "-5")]);
    }

    #[test]
    fn number_words_equal_digits() {
        use Kind::Number;
        check("oitenta mil reais", &[(Number, "80000")]);
        check("cento e vinte e três", &[(Number, "123")]);
        check("two hundred and five", &[(Number, "205")]);
        check("twenty-five of them", &[(Number, "25")]);
        check("dois milhões e meio", &[(Number, "2000000")]);
        check("mil e duzentos", &[(Number, "1200")]);
        check("dois e três", &[(Number, "2"), (Number, "3")]);
        check("uma das regiões", &[]);
        check("80 mil, 2,5 milhões, 80k", &[(Number, "80000"), (Number, "2500000"), (Number, "80000")]);
    }

    #[test]
    fn percentages_dates_and_codes() {
        use Kind::*;
        check("12,5% e dez por cento", &[(Percent, "12.5"), (Percent, "10")]);
        check("5 de março de 2026; March 5, 2026; 2026-03-05", &[(Date, "2026-03-05"); 3]);
        check("14/11/2023", &[(Date, "2023-11-14")]);
        check("PC-04 e NC11, 2FA", &[(Code, "pc04"), (Code, "nc11"), (Code, "2fa")]);
        check("7th place", &[(Number, "7")]);
    }

    #[test]
    fn answers_are_checked_against_contexts() {
        fn check(answer: &str, contexts: &[&str], expected: &[&str]) {
            assert_eq!(unsupported_numbers(answer, contexts), expected, "{answer}");
        }
        check("A receita foi de R$ 4.988.300 [1].", &["total | 4988300"], &[]);
        check("Foram 4,99 milhões.", &["4988300"], &[]);
        check("Foram 5,1 milhões.", &["4988300"], &["5,1 milhões"]);
        check("Trinta mil reais precisam de gestor.", &["acima de R$ 30.000,00"], &[]);
        check("Em 5 de março de 2026.", &["2026-03-05"], &[]);
        check("São 12 regiões e 7 filiais.", &["doze regiões"], &["7"]);
        check("1. Norte\n2. Sul", &["Norte, Sul"], &[]);
        check("A PC-04 exige 2 aprovações.", &["PC-04: duas aprovações"], &[]);
        check("A PC-05 vale.", &["PC-04"], &["PC-05"]);
        check("Prazo de 24h.", &["em até 24 horas"], &[]);
        check("Prazo de 24 horas.", &["em até 24h"], &[]);
        check("Prazo de 48h.", &["em até 24 horas"], &["48h"]);
        assert!(occurs("1.200", "mil e duzentos"));
        assert!(!occurs("1.200", "1201"));
    }
}
