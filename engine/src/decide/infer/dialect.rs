//! Which character separates the cells.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::dates::date_cell;
use super::records::{Records, is_blank};
use super::values::{is_null_like, number_shape, truth};

/// Bytes of the file that are tried.
const SAMPLE_BYTES: usize = 131_072;

/// The candidates; an earlier one wins a tie.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Finds the delimiter; `None` for a file of one column.
///
/// Score = pattern score x type score (van den Burg, Nazábal and Sutton 2019, "Wrangling messy
/// CSV files by detecting row and type patterns", sections 4.1 and 4.2): rows of few different
/// lengths and many cells, and cells that are recognisably something.
pub fn delimiter(text: &str, prefer_tab: bool) -> Option<u8> {
    if let Some(given) = given_delimiter(text) {
        return Some(given);
    }
    let end = sample_end(text);
    let mut best: Option<(f64, u8)> = None;
    for delimiter in DELIMITERS {
        let mut score = score(text, end, delimiter);
        if prefer_tab && delimiter == b'\t' {
            score *= 2.0;
        }
        if score > 0.0 && best.is_none_or(|(highest, _)| score > highest) {
            best = Some((score, delimiter));
        }
    }
    best.map(|(_, delimiter)| delimiter)
}

/// Reads Excel's `sep=;` line.
fn given_delimiter(text: &str) -> Option<u8> {
    let line = text.lines().next()?.trim();
    let rest = line.strip_prefix("sep=").or_else(|| line.strip_prefix("SEP="))?;
    (rest.len() == 1 && rest.is_ascii()).then(|| rest.as_bytes()[0])
}

fn sample_end(text: &str) -> usize {
    if text.len() <= SAMPLE_BYTES {
        return text.len();
    }
    let newline = text.as_bytes()[..SAMPLE_BYTES].iter().rposition(|byte| *byte == b'\n' || *byte == b'\r');
    newline.map_or_else(
        || (0..=SAMPLE_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0),
        |at| at + 1,
    )
}

fn score(text: &str, end: usize, delimiter: u8) -> f64 {
    let mut records = Records::new(text, 0, end, 1, delimiter);
    let mut fields: Vec<Cow<'_, str>> = Vec::new();
    let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut rows, mut cells, mut typed, mut spaced) = (0_usize, 0_usize, 0.0, 0_usize);
    while let Some(_place) = records.read(&mut fields) {
        if is_blank(&fields) {
            continue;
        }
        rows += 1;
        *lengths.entry(fields.len()).or_default() += 1;
        spaced += fields.iter().skip(1).filter(|field| field.starts_with(' ')).count();
        for field in &fields {
            cells += 1;
            typed += type_score(field.trim(), delimiter);
        }
    }
    let widest = lengths.keys().next_back().copied().unwrap_or(0);
    if rows == 0 || widest < 2 {
        return 0.0;
    }
    // A comma with a blank after it every time, and none in the first line, is running text.
    let first_is_single = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| !line.as_bytes().contains(&delimiter));
    if first_is_single && spaced == cells - rows {
        return 0.0;
    }
    let pattern: f64 = lengths
        .iter()
        .map(|(length, count)| *count as f64 * (*length as f64 - 1.0).max(1e-3) / *length as f64)
        .sum::<f64>()
        / lengths.len() as f64;
    pattern / rows as f64 * typed / cells as f64
}

/// 1 for a cell of a known type, less for text that holds another delimiter.
fn type_score(cell: &str, delimiter: u8) -> f64 {
    if cell.is_empty() || number_shape(cell).is_some() || is_null_like(cell) || truth(cell).is_some() {
        return 1.0;
    }
    if date_cell(cell).is_some() {
        return 1.0;
    }
    let foreign = DELIMITERS.iter().any(|other| *other != delimiter && cell.as_bytes().contains(other));
    if foreign { 0.3 } else { 0.9 }
}

/// Names a delimiter for people.
pub fn delimiter_name(delimiter: Option<u8>) -> &'static str {
    match delimiter {
        Some(b',') => "comma",
        Some(b';') => "semicolon",
        Some(b'\t') => "tab",
        Some(b'|') => "pipe",
        Some(_) => "as given by its sep= line",
        None => "none (one column)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t12_delimiters() {
        for (text, expected) in [
            ("a\tb\n1\t2", Some(b'\t')),
            ("a|b\n1|2", Some(b'|')),
            ("a;b\n1,5;2,5", Some(b';')),
            ("a,b\n1.5,x;y\n2,z;w", Some(b',')),
            ("nome\nAna\nBia", None),
            ("nome\nSilva, Ana\nSouza, Bia", None),
            ("sep=;\na;b\n1;2", Some(b';')),
            ("data;valor\n01/02/2024;1.234,50\n02/02/2024;10,00", Some(b';')),
            ("x,\"1,5\"\ny,\"2,5\"", Some(b',')),
        ] {
            assert_eq!(delimiter(text, false), expected, "{text:?}");
        }
    }
}
