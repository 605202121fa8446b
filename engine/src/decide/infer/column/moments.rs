//! What the dates of a column say.

use super::super::dates::{DateCell, DateShape, Order};
use super::super::values::Mark;
use super::{ColumnDecision, Context, Seen, note};
use crate::decide::table::ColumnKind;

/// Dates seen so far, under both orders.
#[derive(Debug, Clone, Default)]
pub(super) struct Dates {
    pub(super) count: usize,
    shape: Option<DateShape>,
    mixed: Seen,
    with_time: usize,
    with_offset: usize,
    subsecond: Seen,
    pub(super) day_first: Seen,
    pub(super) month_first: Seen,
    invalid: Seen,
    invalid_day_first: Seen,
    invalid_month_first: Seen,
    pub(super) first_other: Seen,
}

impl Dates {
    pub(super) fn add(&mut self, line: u64, cell: &str, date: &DateCell) {
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

    pub(super) fn decide(&self, values: usize, context: &Context) -> ColumnDecision {
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
