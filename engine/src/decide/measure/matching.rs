//! Does an answer contain a fact? Case, accents, separators and number words do not count.

use crate::decide::numbers::{Kind, quantities};
use crate::decide::text::fold;

/// A text in the form in which facts are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normal(String);

impl Normal {
    /// Brings `text` to that form: folded, single spaces, no marks of Markdown, every number with a
    /// decimal point and at most two decimals (`1.234,50`, `1,234.5` and `1234.5` are one), number
    /// words as digits.
    pub fn of(text: &str) -> Self {
        let mut plain = String::with_capacity(text.len());
        let mut from = 0;
        for quantity in quantities(text) {
            plain.push_str(&fold(&text[from..quantity.range.start]));
            match quantity.kind {
                Kind::Number => plain.push_str(&rounded(quantity.value())),
                Kind::Percent => plain.push_str(&format!("{}%", rounded(quantity.value()))),
                // Days and codes stay as written: `17` is found in `17 de fevereiro`, `7` in `7h`.
                Kind::Date | Kind::Code => plain.push_str(&fold(&text[quantity.range.clone()])),
            }
            from = quantity.range.end;
        }
        plain.push_str(&fold(&text[from..]));
        let cleaned: String = plain
            .chars()
            .map(|c| match c {
                '*' | '_' | '`' | '#' | '>' | '|' => ' ',
                '\u{2010}'..='\u{2014}' | '\u{2212}' => '-',
                '\u{2019}' => '\'',
                other => other,
            })
            .collect();
        let spaced = cleaned.split_whitespace().collect::<Vec<_>>().join(" ");
        Self(spaced.replace("r$ ", "r$"))
    }

    /// Whether the text holds `wanted`; a match never begins or ends inside a number.
    pub fn holds(&self, wanted: &str) -> bool {
        let wanted = Self::of(wanted).0;
        wanted.is_empty()
            || self.0.match_indices(&wanted).any(|(at, _)| outside_numbers(&self.0, at, at + wanted.len()))
    }

    /// Whether the text holds one of `options`.
    pub fn holds_any(&self, options: &[String]) -> bool {
        options.iter().any(|option| self.holds(option))
    }
}

/// At most two decimals, without trailing zeros.
fn rounded(value: &str) -> String {
    match (value.split_once('.'), value.parse::<f64>()) {
        (Some((_, decimals)), Ok(number)) if decimals.len() > 2 => {
            let text = format!("{number:.2}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => value.to_owned(),
    }
}

fn outside_numbers(text: &str, start: usize, end: usize) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let separator = |c: Option<char>| matches!(c, Some('.' | ','));
    let (mut before, mut after) = (text[..start].chars().rev(), text[end..].chars());
    if digit(text[start..end].chars().next()) {
        let first = before.next();
        if digit(first) || separator(first) && digit(before.next()) {
            return false;
        }
    }
    if digit(text[start..end].chars().next_back()) {
        let first = after.next();
        if digit(first) || separator(first) && digit(after.next()) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &str, expected: bool) {
        assert_eq!(Normal::of(text).holds(wanted), expected, "{wanted:?} in {:?}", Normal::of(text));
    }

    #[test]
    fn notation_does_not_count() {
        check("A receita foi de R$ 4.988.300,50.", "4,988,300.5", true);
        check("The revenue was 4,988,300.50.", "4.988.300,50", true);
        check("são vinte e quatro meses", "24", true);
        check("it takes forty-five days", "45", true);
        check("aprovado pela DIRETORIA financeira", "Diretoria Financeira", true);
        check("multa de 2% sobre a fatura", "2%", true);
        check("das **7h** às 20h", "7", true);
        check("fecha em 17 de fevereiro de 2026", "17", true);
        check("a Política PC-04 vale", "PC-04", true);
        check("média de 3,6257 km/l", "3,63", true);
    }

    #[test]
    fn a_match_never_begins_inside_a_number() {
        check("em 2011", "20", false);
        check("foram 20.5 dias", "20", false);
        check("foram 120 dias", "20", false);
        check("total de 1.234", "234", false);
        check("PC-04", "4", false);
        check("PC-04", "PC-0", false);
    }

    #[test]
    fn nothing_is_found_in_nothing_but_nothing() {
        check("", "x", false);
        check("", "", true);
        assert!(Normal::of("terça-feira").holds_any(&["Tuesday".into(), "terça".into()]));
        assert!(!Normal::of("quarta").holds_any(&["Tuesday".into(), "terça".into()]));
    }
}
