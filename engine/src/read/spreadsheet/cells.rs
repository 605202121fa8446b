//! A spreadsheet cell's value, with the unit that only its number format shows.

use calamine::{DataRef, ExcelDateTime, ExcelDateTimeType};

use crate::decide::infer::{CellValue, SheetCell};

/// What a number format says about the numbers under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Plain,
    Truth,
    Unit(&'static str),
}

/// Cells read so far, and what had no value.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub cells: Vec<SheetCell>,
    /// Empty cells that are written in the file: some may hold formulas.
    pub blanks: usize,
    /// Error cells: how many, and the first with its place.
    pub errors: Option<(usize, String)>,
    /// Formulas without a result: how many, and where the first is.
    pub formulas: Option<(usize, (u32, u32))>,
}

impl Taken {
    /// Notes a formula; it counts if its cell has no value. Formulas come in the cells' order.
    pub fn formula(&mut self, place: (u32, u32)) {
        let known = self.cells.binary_search_by_key(&place, |cell| (cell.row, cell.column)).is_ok();
        if !known && self.errors.is_none() {
            let (count, _) = self.formulas.get_or_insert((0, place));
            *count += 1;
        }
    }
}

/// Turns values into what tables are inferred from.
pub(super) struct Converter {
    epoch_1904: bool,
    formats: Vec<Format>,
}

impl Converter {
    /// Starts with the workbook's epoch and its number formats by style.
    pub fn new(epoch_1904: bool, formats: &[Option<String>]) -> Self {
        let formats = formats.iter().map(|code| code.as_deref().map_or(Format::Plain, format_of)).collect();
        Self { epoch_1904, formats }
    }

    /// Takes one cell at (row, column).
    pub fn take(&self, taken: &mut Taken, place: (u32, u32), value: &DataRef<'_>, style: usize) {
        let format = self.formats.get(style).copied().unwrap_or(Format::Plain);
        let value = match value {
            DataRef::Empty => {
                taken.blanks += 1;
                return;
            }
            DataRef::Error(error) => {
                taken.errors.get_or_insert_with(|| (0, error.to_string())).0 += 1;
                return;
            }
            DataRef::Int(number) => CellValue::Text(number.to_string()),
            DataRef::Float(number) => match format {
                Format::Truth if *number == 0.0 || *number == 1.0 => {
                    CellValue::Text((*number == 1.0).to_string())
                }
                Format::Unit(unit) => CellValue::Number(*number, Some(unit)),
                _ => CellValue::Number(*number, None),
            },
            DataRef::String(text) => CellValue::Text(text.clone()),
            DataRef::SharedString(text) => CellValue::Text((*text).to_owned()),
            DataRef::Bool(truth) => CellValue::Text(truth.to_string()),
            DataRef::DateTime(moment) => CellValue::Text(self.moment(moment)),
            DataRef::DateTimeIso(text) => CellValue::Text(text.trim_end_matches("T00:00:00").to_owned()),
            DataRef::DurationIso(text) => CellValue::Text(text.clone()),
        };
        if matches!(&value, CellValue::Text(text) if text.trim().is_empty()) {
            return;
        }
        taken.cells.push(SheetCell { row: place.0, column: place.1, value });
    }

    /// Writes a serial date: ISO date, date and time to the second, time alone, or duration.
    fn moment(&self, moment: &ExcelDateTime) -> String {
        let serial = moment.as_f64();
        let seconds = (serial * 86_400.0).round();
        if moment.is_duration() {
            let (sign, total) = (if seconds < 0.0 { "-" } else { "" }, seconds.abs() as u64);
            return format!("{sign}{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
        }
        // Half a second is added so that 15:09:59.9999 is 15:10:00.
        let rounded =
            ExcelDateTime::new(serial + 0.5 / 86_400.0, ExcelDateTimeType::DateTime, self.epoch_1904);
        let (year, month, day, hour, minute, second, _) = rounded.to_ymd_hms_milli();
        let time = format!("{hour:02}:{minute:02}:{second:02}");
        if (0.0..1.0).contains(&serial) && seconds < 86_400.0 && !self.epoch_1904 {
            return time;
        }
        let date = format!("{year:04}-{month:02}-{day:02}");
        if time == "00:00:00" { date } else { format!("{date} {time}") }
    }
}

/// Reads the unit off a number format such as `0.00%` or `[$R$-416] #,##0.00`.
fn format_of(code: &str) -> Format {
    const CURRENCIES: [&str; 8] = ["US$", "R$", "€", "£", "¥", "USD", "EUR", "BRL"];
    let positive = code.split(';').next().unwrap_or(code);
    let upper = code.to_ascii_uppercase();
    if upper.contains("\"TRUE\"") || upper.contains("BOOLEAN") {
        return Format::Truth;
    }
    if positive.contains('%') && !positive.contains("\\%") {
        return Format::Unit("%");
    }
    if let Some(unit) = CURRENCIES.iter().find(|unit| positive.contains(**unit)) {
        return Format::Unit(unit);
    }
    // `[$-416]` names a locale, not a currency.
    let mut bare = positive.replace("[$-", "");
    bare.retain(|c| !matches!(c, '"' | '\\'));
    if bare.contains('$') { Format::Unit("$") } else { Format::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_formats() {
        for (code, expected) in [
            ("0.00%", Format::Unit("%")),
            ("[$R$-416] #,##0.00", Format::Unit("R$")),
            ("\"R$\" #,##0.00;-\"R$\" #,##0.00", Format::Unit("R$")),
            ("\"$\"#,##0", Format::Unit("$")),
            ("[$-416]d \"de\" mmmm", Format::Plain),
            ("[$€-2] #,##0", Format::Unit("€")),
            ("General", Format::Plain),
            ("\"TRUE\";\"TRUE\";\"FALSE\"", Format::Truth),
        ] {
            assert_eq!(format_of(code), expected, "{code}");
        }
    }

    #[test]
    fn serial_dates_of_both_epochs() {
        let text = |serial: f64, epoch_1904: bool| {
            let moment = ExcelDateTime::new(serial, ExcelDateTimeType::DateTime, epoch_1904);
            Converter::new(epoch_1904, &[]).moment(&moment)
        };
        assert_eq!(text(45_000.0, false), "2023-03-15");
        assert_eq!(text(45_000.0 - 1462.0, true), "2023-03-15");
        assert_eq!(text(1.0, false), "1900-01-01");
        assert_eq!(text(59.0, false), "1900-02-28");
        assert_eq!(text(61.0, false), "1900-03-01");
        assert_eq!(text(42_234.631_944_444_4, false), "2015-08-18 15:10:00");
        assert_eq!(text(0.5, false), "12:00:00");
        let duration = ExcelDateTime::new(1.5, ExcelDateTimeType::TimeDelta, false);
        assert_eq!(Converter::new(false, &[]).moment(&duration), "36:00:00");
    }
}
