//! What the numbers of a column say.

use super::super::values::{Mark, NumberShape};
use super::{ColumnDecision, Context, Seen, note};
use crate::decide::table::ColumnKind;

/// Numbers seen so far, under both decimal marks.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    pub(super) count: usize,
    dot: usize,
    comma: usize,
    pub(super) dot_only: usize,
    pub(super) comma_only: usize,
    dot_fractions: usize,
    comma_fractions: usize,
    max_digits: usize,
    too_long: Seen,
    leading_zero: Seen,
    not_dot: Seen,
    not_comma: Seen,
    pub(super) first_other: Seen,
    unit: Option<&'static str>,
    with_unit: usize,
    zeros_without: usize,
    mixed_unit: Seen,
}

impl Numbers {
    pub(super) fn add(&mut self, line: u64, cell: &str, shape: &NumberShape) {
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
    pub(super) fn decide(&self, values: usize, context: &Context) -> Result<ColumnDecision, String> {
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
