//! The type of a column, decided over all of its cells.

mod moments;
mod numbers;

use super::dates::date_cell;
use super::values::{Mark, is_null_like, is_text_null, number_shape, truth};
use crate::decide::table::ColumnKind;
use moments::Dates;
use numbers::Numbers;

/// Where something was first seen, and what it was.
pub type Seen = Option<(u64, String)>;

/// What was seen in a column.
#[derive(Debug, Clone, Default)]
pub struct ColumnStats {
    /// Cells with a value.
    pub values: usize,
    /// Empty cells.
    pub empty: usize,
    /// Cells like `-`, `n/a`: no value if the column has a type, text if not.
    pub null_like: usize,
    /// Null-like cells that are no value in a text column either.
    pub text_null: usize,
    first_null_like: Seen,
    /// Cells like `Total` (they do not count in `values`).
    pub labels: usize,
    numbers: Numbers,
    dates: Dates,
    truths: usize,
    falses: usize,
    first_true: Seen,
    first_false: Seen,
    first_not_truth: Seen,
}

/// What the file as a whole says about conventions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context {
    /// Decimal mark of the columns where it is certain.
    pub mark: Option<Mark>,
    /// Day first or month first, of the columns where it is certain.
    pub day_first: Option<bool>,
    /// A semicolon between cells, as where the comma is the decimal mark.
    pub semicolon: bool,
}

/// The decision about one column.
#[derive(Debug, Clone)]
pub struct ColumnDecision {
    /// The type.
    pub kind: ColumnKind,
    /// Decimal mark its numbers are read with.
    pub mark: Mark,
    /// Day before month where its dates do not say.
    pub day_first: bool,
    /// Unit taken off the numbers.
    pub unit: Option<&'static str>,
    /// Why, in words.
    pub reason: String,
    /// A doubt that a person should know.
    pub doubt: Option<String>,
}

fn note(seen: &mut Seen, line: u64, cell: &str) {
    if seen.is_none() {
        *seen = Some((line, short(cell)));
    }
}

/// Cuts a cell for messages.
pub fn short(cell: &str) -> String {
    let mut text: String = cell.chars().take(40).collect();
    if text.len() < cell.len() {
        text.push('…');
    }
    text
}

impl ColumnStats {
    /// Counts one trimmed cell.
    pub fn add(&mut self, line: u64, cell: &str) {
        if cell.is_empty() {
            self.empty += 1;
            return;
        }
        if is_null_like(cell) || is_text_null(cell) {
            self.null_like += 1;
            self.text_null += usize::from(is_text_null(cell));
            note(&mut self.first_null_like, line, cell);
            return;
        }
        self.values += 1;
        if let Some(shape) = number_shape(cell) {
            self.numbers.add(line, cell, &shape);
            note(&mut self.dates.first_other, line, cell);
            note(&mut self.first_not_truth, line, cell);
            return;
        }
        note(&mut self.numbers.first_other, line, cell);
        if let Some(date) = date_cell(cell) {
            self.dates.add(line, cell, &date);
            note(&mut self.first_not_truth, line, cell);
            return;
        }
        note(&mut self.dates.first_other, line, cell);
        match truth(cell) {
            Some(true) => {
                self.truths += 1;
                note(&mut self.first_true, line, cell);
            }
            Some(false) => {
                self.falses += 1;
                note(&mut self.first_false, line, cell);
            }
            None => note(&mut self.first_not_truth, line, cell),
        }
    }

    /// Returns the decimal mark if this column leaves no doubt about it.
    pub fn certain_mark(&self) -> Option<Mark> {
        let numbers = &self.numbers;
        if numbers.count == 0 || numbers.count < self.values {
            return None;
        }
        match (numbers.dot_only, numbers.comma_only) {
            (1.., 0) => Some(Mark::Dot),
            (0, 1..) => Some(Mark::Comma),
            _ => None,
        }
    }

    /// Returns whether days come first, if this column leaves no doubt about it.
    pub fn certain_day_first(&self) -> Option<bool> {
        let dates = &self.dates;
        if dates.count == 0 || dates.count < self.values {
            return None;
        }
        match (&dates.day_first, &dates.month_first) {
            (Some(_), None) => Some(true),
            (None, Some(_)) => Some(false),
            _ => None,
        }
    }

    /// Decides the column's type.
    pub fn decide(&self, context: &Context) -> ColumnDecision {
        let text = |reason: String| ColumnDecision {
            kind: ColumnKind::Text,
            mark: Mark::Dot,
            day_first: true,
            unit: None,
            reason,
            doubt: None,
        };
        if self.values == 0 {
            return text("text: no values".into());
        }
        let mut decision = if self.numbers.count == self.values {
            self.numbers.decide(self.values, context).unwrap_or_else(text)
        } else if self.dates.count == self.values {
            self.dates.decide(self.values, context)
        } else if self.truths + self.falses == self.values && self.truths > 0 && self.falses > 0 {
            let word = |seen: &Seen| seen.as_ref().map_or(String::new(), |(_, cell)| cell.clone());
            let (yes, no) = (word(&self.first_true), word(&self.first_false));
            let reason = format!("truth value: {} like `{yes}`, {} like `{no}`", self.truths, self.falses);
            ColumnDecision { kind: ColumnKind::Boolean, ..text(reason) }
        } else {
            text(self.why_text())
        };
        if let (Some((line, cell)), true) = (&self.first_null_like, decision.kind != ColumnKind::Text) {
            decision.reason +=
                &format!("; {} cells like `{cell}` (line {line}) are no value", self.null_like);
        }
        decision
    }

    /// Says why the column is text: the cell that is of no other type.
    fn why_text(&self) -> String {
        let most = [
            (self.numbers.count, "numbers", &self.numbers.first_other),
            (self.dates.count, "dates", &self.dates.first_other),
            (self.truths + self.falses, "truth values", &self.first_not_truth),
        ];
        let all = self.values + self.labels + self.null_like - self.text_null;
        let nearest =
            most.iter().max_by_key(|(count, _, _)| *count).filter(|(count, _, _)| *count * 2 >= all);
        match nearest {
            Some((count, what, Some((line, cell)))) => {
                format!("text: {count} of {all} values are {what}, line {line} is `{cell}`")
            }
            _ => format!("text: {all} values, no other type fits"),
        }
    }
}
