//! What one cell can be: number, date, truth value, nothing.

/// Decimal mark of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `1,234.50`
    Dot,
    /// `1.234,50`
    Comma,
}

/// A cell that is a number under at least one convention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberShape {
    /// Read with a decimal dot: has it a fraction? `None` if it cannot be read so.
    pub dot: Option<bool>,
    /// Read with a decimal comma: likewise.
    pub comma: Option<bool>,
    /// Digits before the decimal mark.
    pub digits: usize,
    /// A zero in front of further digits: a code, not a quantity.
    pub leading_zero: bool,
    /// It is a zero.
    pub zero: bool,
    /// Unit or currency beside the number.
    pub unit: Option<&'static str>,
}

/// Currencies, before or after the number.
const CURRENCIES: &[&str] =
    &["US$", "R$", "A$", "C$", "€", "£", "¥", "$", "BRL", "USD", "EUR", "GBP", "CHF", "JPY", "MZN", "AOA"];

/// Units after the number.
const UNITS: &[&str] = &[
    "%", "‰", "kWh", "MWh", "GWh", "kW", "MW", "GW", "kg", "mg", "µg", "g", "ton", "t", "km²", "km2", "km/h",
    "km", "m²", "m³", "m2", "m3", "mm", "cm", "m", "ha", "ml", "mL", "L", "l", "min", "ms", "h", "s", "KB",
    "MB", "GB", "TB", "°C", "°F", "ºC", "un", "und", "pcs", "p.p.",
];

/// Splits a unit off a cell: `R$ 1.234,50`, `7%`, `-US$ 3`, `(R$ 5)`. The number keeps its sign.
fn split_unit(cell: &str) -> (&str, Option<&'static str>, bool) {
    let (inner, negative) = match cell.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => (inner.trim(), true),
        None => (cell, false),
    };
    let (signed, minus) = match inner.strip_prefix(['-', '−']) {
        Some(rest) if !negative => (rest.trim_start(), true),
        _ => (inner, false),
    };
    let bytes = signed.as_bytes();
    if bytes.first().is_some_and(|byte| !byte.is_ascii_digit())
        && let Some(unit) = CURRENCIES.iter().find(|unit| signed.starts_with(**unit))
    {
        return (signed[unit.len()..].trim_start(), Some(unit), negative || minus);
    }
    if bytes.last().is_some_and(|byte| !byte.is_ascii_digit()) {
        for unit in UNITS.iter().chain(CURRENCIES) {
            if let Some(number) = signed.strip_suffix(unit) {
                let number = number.trim_end();
                if number.ends_with(|c: char| c.is_ascii_digit()) {
                    return (number, Some(unit), negative || minus);
                }
            }
        }
    }
    (signed, None, negative || minus)
}

/// Reads the shape of a trimmed cell; `None` if it is no number.
pub fn number_shape(cell: &str) -> Option<NumberShape> {
    let first = *cell.as_bytes().first()?;
    if first.is_ascii_alphabetic() && !cell.as_bytes().last().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let (body, unit, _) = split_unit(cell);
    let unsigned = body.strip_prefix(['-', '−', '+']).unwrap_or(body);
    if body.starts_with('+') && unsigned.len() > 9 {
        return None; // A telephone number.
    }
    let mut shape = plain_shape(unsigned)?;
    shape.unit = unit;
    Some(shape)
}

/// Reads digits with grouping and decimal marks, no sign and no unit.
fn plain_shape(body: &str) -> Option<NumberShape> {
    let bytes = body.as_bytes();
    if bytes.is_empty() || bytes.len() > 64 || !bytes[bytes.len() - 1].is_ascii_digit() {
        return None;
    }
    let zero = bytes.iter().all(|byte| !matches!(byte, b'1'..=b'9'));
    let shape = |dot, comma, whole: &str, digits| {
        let whole = whole.trim_start_matches([' ', '\'', '\u{a0}', '\u{202f}']);
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        Some(NumberShape { dot, comma, digits, leading_zero, zero, unit: None })
    };
    if bytes.iter().all(u8::is_ascii_digit) {
        return shape(Some(false), Some(false), body, bytes.len());
    }
    if let Some((mantissa, exponent)) = body.split_once(['e', 'E']) {
        return exponent_shape(mantissa, exponent, zero);
    }
    let dots = body.matches('.').count();
    let commas = body.matches(',').count();
    let (whole, fraction, mark) = match (dots, commas) {
        (0, 0) => (body, None, None),
        (1, 0) => split_once(body, '.')?,
        (0, 1) => split_once(body, ',')?,
        (_, 0) => (body, None, Some('.')),
        (0, _) => (body, None, Some(',')),
        (_, 1) if body.rfind(',') > body.rfind('.') => split_once(body, ',')?,
        (1, _) if body.rfind('.') > body.rfind(',') => split_once(body, '.')?,
        _ => return None,
    };
    if fraction.is_some_and(|fraction| !fraction.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let digits = whole.bytes().filter(u8::is_ascii_digit).count();
    let grouped = !whole.bytes().all(|byte| byte.is_ascii_digit());
    if grouped && !groups_of_three(whole) {
        return None;
    }
    match (fraction, mark) {
        // Only spaces or apostrophes between groups.
        (None, None) => shape(Some(false), Some(false), whole, digits),
        // `1.234.567`: the repeated mark groups.
        (None, Some('.')) => shape(None, Some(false), whole, digits),
        (None, Some(_)) => shape(Some(false), None, whole, digits),
        (Some(fraction), Some(mark)) => {
            // `1.234` may be either; `0.123`, `1.23` and `1234.567` may not.
            let either =
                !grouped && fraction.len() == 3 && matches!(whole.len(), 1..=3) && !whole.starts_with('0');
            let other = either.then_some(false);
            let digits = digits + if either { 3 } else { 0 };
            if mark == '.' {
                shape(Some(true), other, whole, digits)
            } else {
                shape(other, Some(true), whole, digits)
            }
        }
        (Some(_), None) => None,
    }
}

fn split_once(body: &str, mark: char) -> Option<(&str, Option<&str>, Option<char>)> {
    let (whole, fraction) = body.split_once(mark)?;
    Some((whole, Some(fraction), Some(mark)))
}

/// `1.5e-3`, `2E+05`: a bare `12E4` is a code.
fn exponent_shape(mantissa: &str, exponent: &str, zero: bool) -> Option<NumberShape> {
    let digits = exponent.trim_start_matches(['+', '-']);
    let signed = digits.len() + 1 == exponent.len();
    let fits = !digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let sound =
        fits && !whole.is_empty() && plain(whole) && plain(fraction) && (signed || mantissa.contains('.'));
    sound.then_some(NumberShape {
        dot: Some(true),
        comma: None,
        digits: 1,
        leading_zero: whole.len() > 1 && whole.starts_with('0'),
        zero,
        unit: None,
    })
}

/// Says whether digits are grouped by threes with one separator throughout.
fn groups_of_three(whole: &str) -> bool {
    let Some(separator) = whole.chars().find(|c| !c.is_ascii_digit()) else { return true };
    if !matches!(separator, '.' | ',' | ' ' | '\'' | '\u{a0}' | '\u{202f}' | '’') {
        return false;
    }
    let mut groups = whole.split(separator);
    let first = groups.next().unwrap_or("");
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    matches!(first.len(), 1..=3)
        && digits(first)
        && !first.starts_with('0')
        && groups.all(|g| g.len() == 3 && digits(g))
}

/// Writes a cell's number into `buffer` as Rust reads it (`-1234.5`), under a decimal mark.
pub fn canonical_number<'b>(cell: &str, mark: Mark, buffer: &'b mut String) -> &'b str {
    buffer.clear();
    let (body, _, mut negative) = split_unit(cell);
    let unsigned = body.strip_prefix(['-', '−']).inspect(|_| negative = !negative).unwrap_or(body);
    if negative {
        buffer.push('-');
    }
    for character in unsigned.chars() {
        match (character, mark) {
            ('0'..='9' | 'e' | 'E' | '-' | '+', _) => buffer.push(character),
            ('.', Mark::Dot) | (',', Mark::Comma) => buffer.push('.'),
            _ => {}
        }
    }
    buffer
}

/// Says whether a cell is one of the usual spellings of "no value".
pub fn is_null_like(cell: &str) -> bool {
    matches!(cell, "-" | "--" | "---" | "–" | "—" | "\\N" | "..." | "…")
        || (cell.len() <= 8
            && [
                "null", "nil", "none", "na", "n/a", "n.a.", "#n/a", "nan", "<na>", "nd", "n/d", "n.d.",
                "s/d", "nulo", "(null)", "#n/d",
            ]
            .iter()
            .any(|spelling| cell.eq_ignore_ascii_case(spelling)))
}

/// Says whether a cell of a text column stands for "no value": only what no person writes.
pub fn is_text_null(cell: &str) -> bool {
    matches!(cell, "" | "\\N" | "NULL" | "(null)" | "<NA>" | "#N/A" | "#N/D")
}

/// Reads a truth value written as a word. `0`, `1`, `s`, `n` are left alone.
pub fn truth(cell: &str) -> Option<bool> {
    let is = |word: &str| cell.eq_ignore_ascii_case(word);
    if is("true") || is("yes") || is("sim") || is("verdadeiro") {
        Some(true)
    } else if is("false") || is("no") || is("nao") || is("falso") || cell.to_lowercase() == "não" {
        Some(false)
    } else {
        None
    }
}
