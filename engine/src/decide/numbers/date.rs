//! Days in any order and with month names.

use super::lexemes::Lexeme;
use super::{Kind, Quantity};

const MONTHS: &[(&[&str], u32)] = &[
    (&["janeiro", "january", "jan", "enero"], 1),
    (&["fevereiro", "february", "feb", "fev", "febrero"], 2),
    (&["marco", "march", "mar", "marzo"], 3),
    (&["abril", "april", "apr", "abr"], 4),
    (&["maio", "may", "mai", "mayo"], 5),
    (&["junho", "june", "jun", "junio"], 6),
    (&["julho", "july", "jul", "julio"], 7),
    (&["agosto", "august", "aug", "ago"], 8),
    (&["setembro", "september", "sep", "sept", "set", "septiembre"], 9),
    (&["outubro", "october", "oct", "out", "octubre"], 10),
    (&["novembro", "november", "nov", "noviembre"], 11),
    (&["dezembro", "december", "dec", "dez", "diciembre"], 12),
];

/// Returns the month that a folded word names.
pub fn month(folded: &str) -> Option<u32> {
    MONTHS.iter().find(|(names, _)| names.contains(&folded)).map(|&(_, number)| number)
}

fn iso(year: u32, month: u32, day: u32) -> Option<String> {
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

pub(super) fn date(text: &str, lexemes: &[Lexeme], at: usize) -> Option<(Quantity, usize)> {
    let word = |i: usize| lexemes.get(at + i).map(|l| l.folded.as_str()).unwrap_or_default();
    let day = |w: &str| {
        w.trim_end_matches("th")
            .trim_end_matches("st")
            .trim_end_matches("nd")
            .trim_end_matches("rd")
            .parse::<u32>()
            .ok()
            .filter(|d| (1..=31).contains(d))
    };
    let year = |w: &str| w.parse::<u32>().ok().filter(|_| w.len() == 4);
    let make = |readings: Vec<String>, count: usize| {
        let range = lexemes[at].range.start..lexemes[at + count - 1].range.end;
        (!readings.is_empty())
            .then_some((Quantity { kind: Kind::Date, readings, range, scaled: false }, at + count))
    };
    let fields: Vec<&str> = word(0).split(['/', '-', '.']).collect();
    if let [a, b, c] = fields[..]
        && let (Ok(x), Ok(y), Ok(z)) = (a.parse::<u32>(), b.parse::<u32>(), c.parse::<u32>())
    {
        if a.len() == 4 {
            return make(iso(x, y, z).into_iter().collect(), 1);
        }
        let dotted = text[lexemes[at].range.clone()].contains('.');
        if c.len() == 4 || (c.len() == 2 && !dotted && a.len() <= 2 && b.len() <= 2) {
            let z = if c.len() == 2 { 2000 + z } else { z };
            let mut readings: Vec<String> = iso(z, y, x).into_iter().collect();
            readings.extend(iso(z, x, y).filter(|r| !readings.contains(r)));
            return make(readings, 1);
        }
    }
    // `5 de março de 2026`, `5 March 2026`, `March 5, 2026`.
    let of = |w: &str| matches!(w, "de" | "of" | "del");
    let m = 1 + usize::from(of(word(1)));
    if let (Some(d), Some(mo)) = (day(word(0)), month(word(m))) {
        let y = m + 1 + usize::from(of(word(m + 1)));
        if let Some(found) = year(word(y)) {
            return make(iso(found, mo, d).into_iter().collect(), y + 1);
        }
    }
    if let (Some(mo), Some(d), Some(y)) = (month(word(0)), day(word(1)), year(word(2))) {
        return make(iso(y, mo, d).into_iter().collect(), 3);
    }
    None
}
