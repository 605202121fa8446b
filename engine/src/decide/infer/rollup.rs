//! Rows that repeat a sum of others: by their label and by arithmetic.

/// Boundaries tried on each side of a row.
const TRIED: usize = 64;

/// How far a sum of rounded figures may be off, relative to it.
const ROUNDING: f64 = 1e-3;

/// Says whether a cell reads like the label of a total (`Total geral`, `Norte Total`, `Média`):
/// at most five words, one of them a total's.
pub fn is_total_label(cell: &str) -> bool {
    if !(3..=60).contains(&cell.len()) || cell.as_bytes()[0].is_ascii_digit() {
        return false;
    }
    let (mut words, mut found) = (0, false);
    for word in words_of(cell) {
        words += 1;
        found |= is_total_word(word) || is_mean_word(word);
    }
    found && words <= 5
}

fn words_of(cell: &str) -> impl DoubleEndedIterator<Item = &str> {
    cell.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn is_total_word(word: &str) -> bool {
    const TOTALS: &[&str] =
        &["total", "totais", "totals", "subtotal", "subtotais", "soma", "sum", "geral", "acumulado"];
    (3..=9).contains(&word.len())
        && matches!(word.as_bytes()[0].to_ascii_lowercase(), b't' | b's' | b'g' | b'a')
        && is_one_of(word, TOTALS)
}

fn is_mean_word(word: &str) -> bool {
    (4..=7).contains(&word.len())
        && matches!(word.as_bytes()[0].to_ascii_lowercase(), b'm' | b'a')
        && (is_one_of(word, &["media", "average", "mean", "média"]) || word.to_lowercase() == "média")
}

/// Says whether a label leaves little doubt: `Total` begins or ends it.
fn says_total(label: &str) -> bool {
    let sure =
        |word: Option<&str>| word.is_some_and(|word| is_one_of(word, &["total", "totais", "subtotal"]));
    sure(words_of(label).next()) || sure(words_of(label).next_back())
}

/// A row that may be a roll-up.
#[derive(Debug, Clone)]
struct Candidate {
    row: u64,
    line: u64,
    label: String,
    values: Vec<Option<f64>>,
    /// Numbers of the row above: one that goes on (a year, a month) says nothing about sums.
    above: Vec<Option<f64>>,
    /// Sums and number of the detail rows above it.
    sums: Vec<f64>,
    details: u64,
}

/// Watches the rows of one table go by.
#[derive(Debug, Clone)]
pub struct Rollups {
    sums: Vec<f64>,
    details: u64,
    candidates: Vec<Candidate>,
    above: Vec<Option<f64>>,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// 0-based rows that repeat others, ascending.
    pub rows: Vec<u64>,
    /// Lines and labels of rows that read like a total but are none.
    pub unconfirmed: Vec<(u64, String)>,
}

impl Rollups {
    /// Starts with `columns` numeric columns.
    pub fn new(columns: usize) -> Self {
        Self { sums: vec![0.0; columns], details: 0, candidates: Vec::new(), above: vec![None; columns] }
    }

    /// Takes the next row: its numbers, and its label if it reads like a total.
    ///
    /// `unlabelled` says that all its text cells are empty: it counts as a total only if it is
    /// the sum of two or more rows above.
    pub fn add(
        &mut self,
        row: u64,
        line: u64,
        values: &[Option<f64>],
        label: Option<&str>,
        unlabelled: bool,
    ) {
        let candidate = Candidate {
            row,
            line,
            label: label.unwrap_or_default().to_owned(),
            values: values.to_vec(),
            above: std::mem::replace(&mut self.above, values.to_vec()),
            sums: self.sums.clone(),
            details: self.details,
        };
        let is_sum = |candidate: &Candidate| {
            let from = self.candidates.last().map_or(0, |above| above.details);
            self.details - from >= 2 && candidate.matches(&vec![0.0; values.len()], &self.sums, self.details)
        };
        if label.is_some() || unlabelled && is_sum(&candidate) {
            self.candidates.push(candidate);
            return;
        }
        self.details += 1;
        for (sum, value) in self.sums.iter_mut().zip(values) {
            *sum += value.unwrap_or(0.0);
        }
    }

    /// Checks every candidate against the sums around it.
    ///
    /// A candidate is confirmed when it equals the sum (or, by its label, the mean) of the detail
    /// rows back to an earlier candidate or the start, or on to a later one or the end. One that
    /// is not confirmed is a row like others: the sums are taken again with it.
    pub fn finish(mut self) -> Found {
        let mut found = Found::default();
        loop {
            let confirmed: Vec<bool> = (0..self.candidates.len()).map(|at| self.confirmed(at)).collect();
            let Some(wrong) = confirmed.iter().position(|confirmed| !confirmed) else { break };
            let refused = self.candidates.remove(wrong);
            let add = |sums: &mut [f64]| {
                sums.iter_mut().zip(&refused.values).for_each(|(sum, value)| *sum += value.unwrap_or(0.0));
            };
            for later in &mut self.candidates[wrong..] {
                add(&mut later.sums);
                later.details += 1;
            }
            add(&mut self.sums);
            self.details += 1;
            if says_total(&refused.label) {
                found.unconfirmed.push((refused.line, refused.label));
            }
        }
        found.unconfirmed.sort();
        found.rows = self.candidates.iter().map(|candidate| candidate.row).collect();
        found
    }

    fn confirmed(&self, at: usize) -> bool {
        let candidate = &self.candidates[at];
        let zero = vec![0.0; self.sums.len()];
        let before = self.candidates[..at].iter().rev().take(TRIED).map(|above| (&above.sums, above.details));
        let after = self.candidates[at + 1..].iter().take(TRIED).map(|below| (&below.sums, below.details));
        before.chain([(&zero, 0)]).any(|(sums, details)| {
            candidate.details > details
                && candidate.matches(sums, &candidate.sums, candidate.details - details)
        }) || after.chain([(&self.sums, self.details)]).any(|(sums, details)| {
            details > candidate.details
                && candidate.matches(&candidate.sums, sums, details - candidate.details)
        }) || self.details > 0 && candidate.matches(&zero, &self.sums, self.details)
    }
}

impl Candidate {
    /// Compares with the sum of `rows` rows between two prefix sums: at least half of its numbers
    /// agree, and one of them is not zero.
    fn matches(&self, from: &[f64], to: &[f64], rows: u64) -> bool {
        let mean = words_of(&self.label).any(is_mean_word);
        let (mut present, mut equal, mut nonzero) = (0, 0, false);
        for (((value, above), from), to) in self.values.iter().zip(&self.above).zip(from).zip(to) {
            let Some(value) = value else { continue };
            let expected = if mean { (to - from) / rows as f64 } else { to - from };
            let tolerance = if self.label.is_empty() { 1e-9 } else { ROUNDING };
            if (expected - value).abs() <= tolerance * expected.abs().max(value.abs()) {
                equal += 1;
                present += 1;
                nonzero |= *value != 0.0;
            } else if above.as_ref() != Some(value) {
                present += 1;
            }
        }
        present > 0 && equal * 2 >= present && nonzero
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[(&str, f64)], expected: &[u64]) {
        let mut rollups = Rollups::new(1);
        for (row, (label, value)) in rows.iter().enumerate() {
            let total = is_total_label(label).then_some(*label);
            rollups.add(row as u64, row as u64 + 2, &[Some(*value)], total, label.is_empty());
        }
        assert_eq!(rollups.finish().rows, expected, "{rows:?}");
    }

    #[test]
    fn t20_subtotals_and_totals() {
        check(
            &[
                ("Norte", 10.0),
                ("Norte", 20.0),
                ("Norte Total", 30.0),
                ("Sul", 5.0),
                ("Sul Total", 5.0),
                ("Total geral", 35.0),
            ],
            &[2, 4, 5],
        );
        check(&[("Total", 15.0), ("a", 10.0), ("b", 5.0)], &[0]);
        check(&[("a", 10.0), ("b", 5.0), ("", 15.0)], &[2]);
        check(&[("a", 10.0), ("b", 5.0), ("Média", 7.5), ("TOTAL:", 15.0)], &[2, 3]);
        check(&[("Total Energies", 7.0), ("Outra", 5.0), ("Total", 12.0)], &[2]);
        check(&[("a", 10.0), ("b", 5.0), ("", 3.0)], &[]);
    }

    #[test]
    fn t20_totals_of_each_month() {
        let mut rollups = Rollups::new(3);
        for (row, (month, label, value)) in [
            (1.0, "H", 10.0),
            (1.0, "M", 12.0),
            (1.0, "Total", 22.0),
            (2.0, "H", 5.0),
            (2.0, "M", 6.0),
            (2.0, "Total", 11.0),
        ]
        .into_iter()
        .enumerate()
        {
            let label = is_total_label(label).then_some(label);
            rollups.add(row as u64, row as u64, &[Some(2024.0), Some(month), Some(value)], label, false);
        }
        assert_eq!(rollups.finish().rows, [2, 5]);
    }
}
