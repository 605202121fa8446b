//! Dates: strict patterns, read the same way over a whole column.

/// Order of day, month and year in a written date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// Year, month, day.
    Ymd,
    /// Two numbers and a year: day and month in an order only the column tells.
    Numeric,
    /// The month is written as a word.
    Named,
}

/// How a date is written; one shape per column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DateShape {
    /// Order of the parts.
    pub order: Order,
    /// Character between them.
    pub separator: char,
    /// The year has two digits.
    pub short_year: bool,
}

/// A cell written like a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateCell {
    /// How it is written.
    pub shape: DateShape,
    /// Year, in full.
    pub year: i32,
    /// Month if known, else the first number as written.
    pub first: u32,
    /// Day if known, else the second number as written.
    pub second: u32,
    /// Seconds since midnight, if there is a time.
    pub seconds: Option<u32>,
    /// Minutes east of UTC, if written.
    pub offset: Option<i32>,
    /// A part of a second other than zero is written: it would be lost.
    pub subsecond: bool,
}

const MONTHS: [&[&str]; 12] = [
    &["jan", "january", "janeiro", "enero", "ene"],
    &["feb", "february", "fev", "fevereiro", "febrero"],
    &["mar", "march", "marco", "marzo"],
    &["apr", "april", "abr", "abril"],
    &["may", "mai", "maio", "mayo"],
    &["jun", "june", "junho", "junio"],
    &["jul", "july", "julho", "julio"],
    &["aug", "august", "ago", "agosto"],
    &["sep", "sept", "september", "set", "setembro", "septiembre"],
    &["oct", "october", "out", "outubro", "octubre"],
    &["nov", "november", "novembro", "noviembre"],
    &["dec", "december", "dez", "dezembro", "dic", "diciembre"],
];

/// Reads a trimmed cell as a date, perhaps with a time; `None` unless all of it is one.
pub fn date_cell(cell: &str) -> Option<DateCell> {
    if !(6..=48).contains(&cell.len()) || !cell.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if cell.bytes().any(|byte| byte.is_ascii_alphabetic())
        && cell.bytes().filter(u8::is_ascii_digit).count() >= 5
        && let Some(date) = named_date(cell)
    {
        return Some(date);
    }
    if !cell.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    let split = cell.find(['T', ' ']).filter(|at| *at >= 6);
    let (date, time) = match split {
        Some(at) => (&cell[..at], Some(cell[at + 1..].trim())),
        None => (cell, None),
    };
    let mut parsed = numeric_date(date)?;
    if let Some(time) = time {
        let time = parse_time(time)?;
        (parsed.seconds, parsed.offset, parsed.subsecond) = (Some(time.0), time.1, time.2);
    }
    Some(parsed)
}

fn numeric_date(date: &str) -> Option<DateCell> {
    let separator = date.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '-' | '/' | '.'))?;
    let mut parts = date.split(separator);
    let (a, b, c) = (parts.next()?, parts.next()?, parts.next()?);
    let digits =
        |part: &str| !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.next().is_some() || ![a, b, c].iter().all(|part| digits(part)) {
        return None;
    }
    let number = |part: &str| part.parse::<u32>().ok();
    let cell = |order, short_year, year: i32, first, second| {
        let shape = DateShape { order, separator, short_year };
        DateCell { shape, year, first, second, seconds: None, offset: None, subsecond: false }
    };
    if a.len() == 4 && b.len() <= 2 && c.len() <= 2 {
        return Some(cell(Order::Ymd, false, a.parse().ok()?, number(b)?, number(c)?));
    }
    if a.len() <= 2 && b.len() <= 2 && c.len() == 4 {
        return Some(cell(Order::Numeric, false, c.parse().ok()?, number(a)?, number(b)?));
    }
    // Two-digit years need a slash: `1.2.24` is a version, `10-20-30` a code.
    if a.len() <= 2 && b.len() <= 2 && c.len() == 2 && separator == '/' {
        return Some(cell(Order::Numeric, true, full_year(c.parse().ok()?), number(a)?, number(b)?));
    }
    None
}

/// POSIX's pivot: 69-99 are 19xx, 00-68 are 20xx.
fn full_year(short: i32) -> i32 {
    if short >= 69 { 1900 + short } else { 2000 + short }
}

/// `5 de março de 2024`, `5-mar-2024`, `March 5, 2024`.
fn named_date(cell: &str) -> Option<DateCell> {
    let folded = crate::decide::text::fold(cell);
    let words: Vec<&str> = folded
        .split(|c: char| c.is_whitespace() || matches!(c, '-' | '/' | ',' | '.'))
        .filter(|word| !word.is_empty() && !matches!(*word, "de" | "of" | "del"))
        .collect();
    let [a, b, year] = words[..] else { return None };
    let month = |word: &str| MONTHS.iter().position(|names| names.contains(&word)).map(|at| at as u32 + 1);
    let day = |word: &str| {
        let digits = word.trim_end_matches(['o', 'º', '°']);
        let digits =
            ["st", "nd", "rd", "th"].iter().find_map(|end| digits.strip_suffix(end)).unwrap_or(digits);
        digits.parse::<u32>().ok().filter(|day| (1..=31).contains(day) && digits.len() <= 2)
    };
    let (month, day) = match (month(a), month(b)) {
        (None, Some(month)) => (month, day(a)?),
        (Some(month), None) => (month, day(b)?),
        _ => return None,
    };
    let year = year.parse::<i32>().ok().filter(|_| year.len() == 4)?;
    let shape = DateShape { order: Order::Named, separator: ' ', short_year: false };
    Some(DateCell { shape, year, first: month, second: day, seconds: None, offset: None, subsecond: false })
}

/// `HH:MM[:SS[.fff]]` with an optional AM/PM and offset. Returns seconds, offset, sub-seconds.
fn parse_time(time: &str) -> Option<(u32, Option<i32>, bool)> {
    let end =
        time.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | ','))).unwrap_or(time.len());
    let (clock, rest) = (&time[..end], time[end..].trim());
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, ""));
    let mut parts = clock.split(':');
    let two = |part: &str| part.parse::<u32>().ok().filter(|_| matches!(part.len(), 1..=2));
    let (mut hour, minute) = (two(parts.next()?)?, two(parts.next()?)?);
    let second = parts.next().map_or(Some(0), two)?;
    let half = rest.get(..2).map(str::to_ascii_uppercase).filter(|half| half == "AM" || half == "PM");
    let rest = if half.is_some() { rest[2..].trim() } else { rest };
    if let Some(half) = half {
        if !(1..=12).contains(&hour) {
            return None;
        }
        hour = hour % 12 + if half == "PM" { 12 } else { 0 };
    }
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let subsecond = fraction.bytes().any(|byte| byte != b'0');
    Some((hour * 3600 + minute * 60 + second, parse_offset(rest)?, subsecond))
}

fn parse_offset(rest: &str) -> Option<Option<i32>> {
    match rest {
        "" => return Some(None),
        "Z" | "z" | "UTC" => return Some(Some(0)),
        _ => {}
    }
    let sign = if rest.starts_with('-') { -1 } else { 1 };
    let digits: String = rest.strip_prefix(['+', '-'])?.chars().filter(|c| *c != ':').collect();
    if !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let value: i32 = digits.parse().ok()?;
    let (hours, minutes) = if digits.len() == 2 { (value, 0) } else { (value / 100, value % 100) };
    (hours <= 14 && minutes < 60).then_some(Some(sign * (hours * 60 + minutes)))
}

impl DateCell {
    /// Returns month and day; `day_first` decides where only the column knows.
    pub fn month_day(&self, day_first: bool) -> (u32, u32) {
        if self.shape.order == Order::Numeric && day_first {
            (self.second, self.first)
        } else {
            (self.first, self.second)
        }
    }

    /// Returns the days since 1970-01-01, or `None` if there is no such day.
    pub fn days(&self, day_first: bool) -> Option<i32> {
        let (month, day) = self.month_day(day_first);
        days_from_civil(self.year, month, day)
    }

    /// Returns the seconds since 1970-01-01 00:00, in UTC if an offset is written.
    pub fn timestamp(&self, day_first: bool) -> Option<i64> {
        let days = i64::from(self.days(day_first)?);
        Some(days * 86_400 + i64::from(self.seconds.unwrap_or(0)) - i64::from(self.offset.unwrap_or(0)) * 60)
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar, by whole 400-year eras that start
/// in March (so that a leap day ends its year).
pub fn days_from_civil(year: i32, month: u32, day: u32) -> Option<i32> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return None,
    };
    if day == 0 || day > length || !(1..=9999).contains(&year) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month as i32 + 9) % 12) + 2) / 5 + day as i32 - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn days_match_known_dates() {
        assert_eq!(days_from_civil(1970, 1, 1), Some(0));
        assert_eq!(days_from_civil(2000, 3, 1), Some(11_017));
        assert_eq!(days_from_civil(2024, 2, 29), Some(19_782));
        assert_eq!(days_from_civil(1969, 12, 31), Some(-1));
        assert_eq!(days_from_civil(2023, 2, 29), None);
        assert_eq!(days_from_civil(2024, 13, 1), None);
    }

    #[test]
    fn t10_only_whole_patterns_are_dates() {
        for text in [
            "LOTE A 90",
            "12;12;12",
            "Endereço 1",
            "1.2.24",
            "10-20-30",
            "2024",
            "12/2024",
            "1/2/3/4",
            "Maio 90",
        ] {
            assert_eq!(date_cell(text), None, "{text}");
        }
    }

    #[test]
    fn written_dates() {
        let days = |text: &str| date_cell(text).unwrap().days(true);
        let expected = days_from_civil(2024, 3, 5);
        for text in [
            "2024-03-05",
            "05/03/2024",
            "5.3.2024",
            "5 de março de 2024",
            "5-mar-2024",
            "March 5, 2024",
            "5/3/24",
        ] {
            assert_eq!(days(text), expected, "{text}");
        }
        let stamp = |text: &str| date_cell(text).unwrap().timestamp(true).unwrap();
        assert_eq!(stamp("2024-03-05T01:00:00-03:00"), stamp("05/03/2024 04:00"));
        assert_eq!(stamp("2024-03-05 03:04 PM"), stamp("2024-03-05T15:04:00Z"));
    }
}
