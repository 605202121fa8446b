//! The type of a column, decided over all of its cells.

use super::dates::{DateCell, DateShape, Order, date_cell};
use super::values::{Mark, NumberShape, is_null_like, is_text_null, number_shape, truth};
use crate::decide::table::ColumnKind;

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
    first_not_truth: Seen,
}

#[derive(Debug, Clone, Default)]
struct Numbers {
    count: usize,
    dot: usize,
    comma: usize,
    dot_only: usize,
    comma_only: usize,
    dot_fractions: usize,
    comma_fractions: usize,
    max_digits: usize,
    too_long: Seen,
    leading_zero: Seen,
    not_dot: Seen,
    not_comma: Seen,
    first_other: Seen,
    unit: Option<&'static str>,
    with_unit: usize,
    zeros_without: usize,
    mixed_unit: Seen,
}

#[derive(Debug, Clone, Default)]
struct Dates {
    count: usize,
    shape: Option<DateShape>,
    mixed: Seen,
    with_time: usize,
    with_offset: usize,
    subsecond: Seen,
    day_first: Seen,
    month_first: Seen,
    invalid: Seen,
    invalid_day_first: Seen,
    invalid_month_first: Seen,
    first_other: Seen,
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
            Some(true) => self.truths += 1,
            Some(false) => self.falses += 1,
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
            let reason = format!("truth value: {} true, {} false", self.truths, self.falses);
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

impl Numbers {
    fn add(&mut self, line: u64, cell: &str, shape: &NumberShape) {
        self.count += 1;
        match (shape.dot, shape.comma) {
            (Some(fraction), None) => {
                self.dot += 1;
                self.dot_only += 1;
                self.dot_fractions += usize::from(fraction);
                note(&mut self.not_comma, line, cell);
            }
            (None, Some(fraction)) => {
                self.comma += 1;
                self.comma_only += 1;
                self.comma_fractions += usize::from(fraction);
                note(&mut self.not_dot, line, cell);
            }
            (dot, comma) => {
                self.dot += 1;
                self.comma += 1;
                self.dot_fractions += usize::from(dot == Some(true));
                self.comma_fractions += usize::from(comma == Some(true));
            }
        }
        if shape.leading_zero {
            note(&mut self.leading_zero, line, cell);
        }
        self.max_digits = self.max_digits.max(shape.digits);
        if shape.digits > 18 && !fits_integer(cell) {
            note(&mut self.too_long, line, cell);
        }
        match (shape.unit, self.unit) {
            (None, _) if shape.zero => self.zeros_without += 1,
            (None, _) => note(&mut self.mixed_unit, line, cell),
            (Some(_), None) => {
                self.unit = shape.unit;
                self.with_unit += 1;
            }
            (Some(unit), Some(known)) if unit == known => self.with_unit += 1,
            (Some(_), Some(_)) => note(&mut self.mixed_unit, line, cell),
        }
    }

    /// Decides integer or real; `Err` says why the column has to stay text.
    fn decide(&self, values: usize, context: &Context) -> Result<ColumnDecision, String> {
        if let Some((line, cell)) = &self.leading_zero {
            return Err(format!("text: a code, line {line} is `{cell}` (zeros in front are kept)"));
        }
        if let (Some((line, cell)), true) = (&self.mixed_unit, self.with_unit > 0) {
            let unit = self.unit.unwrap_or_default();
            return Err(format!("text: {} values in `{unit}`, line {line} is `{cell}`", self.with_unit));
        }
        let ambiguous =
            self.dot == values && self.comma == values && self.dot_fractions != self.comma_fractions;
        let (mark, how) = if self.dot == values && self.comma == values {
            let mark = context.mark.unwrap_or(if context.semicolon { Mark::Comma } else { Mark::Dot });
            (mark, if context.mark.is_some() { "as in the file's other columns" } else { "assumed" })
        } else if self.dot == values {
            (Mark::Dot, "by the column")
        } else if self.comma == values {
            (Mark::Comma, "by the column")
        } else {
            let place = |seen: &Seen| {
                seen.as_ref().map_or(String::new(), |(line, cell)| format!("line {line} `{cell}`"))
            };
            let (dot, comma) = (place(&self.not_comma), place(&self.not_dot));
            return Err(format!("text: decimal dot ({dot}) and decimal comma ({comma}) are mixed"));
        };
        let fractions = if mark == Mark::Dot { self.dot_fractions } else { self.comma_fractions };
        let kind = if fractions == 0 { ColumnKind::Integer } else { ColumnKind::Real };
        if let (Some((line, cell)), ColumnKind::Integer) = (&self.too_long, kind) {
            return Err(format!("text: line {line} `{cell}` has more digits than a 64-bit integer"));
        }
        if kind == ColumnKind::Real && self.max_digits > 15 {
            return Err(format!("text: {} digits are more than a real number keeps", self.max_digits));
        }
        let mark_name = if mark == Mark::Dot { "dot" } else { "comma" };
        let mut reason = match kind {
            ColumnKind::Integer => format!("integer: {values} whole numbers"),
            _ => format!("real: {values} numbers, {fractions} with a fraction, decimal {mark_name} {how}"),
        };
        if let Some(unit) = self.unit {
            reason += &format!("; unit {unit}");
        }
        let doubt = (ambiguous && context.mark.is_none()).then(|| {
            format!("numbers like `1.234` may have a decimal mark or a thousands mark: read with decimal {mark_name}")
        });
        Ok(ColumnDecision { kind, mark, day_first: true, unit: self.unit, reason, doubt })
    }
}

fn fits_integer(cell: &str) -> bool {
    let digits: String = cell.chars().filter(|c| c.is_ascii_digit() || *c == '-').collect();
    digits.parse::<i64>().is_ok()
}

impl Dates {
    fn add(&mut self, line: u64, cell: &str, date: &DateCell) {
        self.count += 1;
        if *self.shape.get_or_insert(date.shape) != date.shape {
            note(&mut self.mixed, line, cell);
        }
        self.with_time += usize::from(date.seconds.is_some());
        self.with_offset += usize::from(date.offset.is_some());
        if date.subsecond {
            note(&mut self.subsecond, line, cell);
        }
        if date.shape.order != Order::Numeric {
            if date.days(true).is_none() {
                note(&mut self.invalid, line, cell);
            }
            return;
        }
        if date.first > 12 {
            note(&mut self.day_first, line, cell);
        }
        if date.second > 12 {
            note(&mut self.month_first, line, cell);
        }
        if date.days(true).is_none() {
            note(&mut self.invalid_day_first, line, cell);
        }
        if date.days(false).is_none() {
            note(&mut self.invalid_month_first, line, cell);
        }
    }

    fn decide(&self, values: usize, context: &Context) -> ColumnDecision {
        let text = |reason: String| ColumnDecision {
            kind: ColumnKind::Text,
            mark: Mark::Dot,
            day_first: true,
            unit: None,
            reason,
            doubt: None,
        };
        for (seen, why) in [
            (&self.mixed, "dates are written in different ways"),
            (&self.invalid, "not every date exists"),
            (&self.subsecond, "fractions of a second would be lost"),
        ] {
            if let Some((line, cell)) = seen {
                return text(format!("text: {why}, line {line} is `{cell}`"));
            }
        }
        if self.with_offset > 0 && self.with_offset < values {
            return text(format!("text: {} of {values} times have an offset from UTC", self.with_offset));
        }
        let numeric = self.shape.is_some_and(|shape| shape.order == Order::Numeric);
        let (day_first, how, doubt) = match (&self.day_first, &self.month_first) {
            _ if !numeric => (true, String::new(), None),
            (Some((line, day)), Some((other, month))) => {
                let reason = "day/month and month/day are mixed";
                return ColumnDecision {
                    doubt: Some(format!("{reason}: kept as text")),
                    ..text(format!("text: {reason}, line {line} is `{day}`, line {other} is `{month}`"))
                };
            }
            (Some((line, cell)), None) => (true, format!(", day first (line {line} is `{cell}`)"), None),
            (None, Some((line, cell))) => (false, format!(", month first (line {line} is `{cell}`)"), None),
            (None, None) => self.ambiguous(context),
        };
        let invalid = if day_first { &self.invalid_day_first } else { &self.invalid_month_first };
        if let (true, Some((line, cell))) = (numeric, invalid) {
            return text(format!("text: not every date exists, line {line} is `{cell}`"));
        }
        let kind = if self.with_time > 0 { ColumnKind::DateTime } else { ColumnKind::Date };
        let name = if kind == ColumnKind::Date { "date" } else { "date and time" };
        let mut reason = format!("{name}: {values} values{how}");
        if self.with_time > 0 && self.with_time < values {
            reason += &format!("; {} without a time are midnight", values - self.with_time);
        }
        if self.with_offset > 0 {
            reason += "; converted to UTC";
        }
        if self.shape.is_some_and(|shape| shape.short_year) {
            reason += "; two-digit years 69-99 are 19xx, 00-68 are 20xx";
        }
        ColumnDecision { kind, mark: Mark::Dot, day_first, unit: None, reason, doubt }
    }

    /// No date of the column tells day from month.
    fn ambiguous(&self, context: &Context) -> (bool, String, Option<String>) {
        match context.day_first {
            Some(day_first) => {
                let order = if day_first { "day" } else { "month" };
                (day_first, format!(", {order} first as in the file's other dates"), None)
            }
            None => {
                let doubt = "no date tells day from month: read with the day first".to_owned();
                (true, ", day first assumed".into(), Some(doubt))
            }
        }
    }
}
