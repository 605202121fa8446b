//! Numbers of a result as people write them.

/// Decimals beyond which a number is shown as it is.
const MOST_DECIMALS: usize = 6;

/// Writes a number in the notation of `language` (`pt` and `es`: `1.234,50`; else `1,234.50`).
///
/// No digit changes: noise of binary fractions goes (`0.30000000000000004` is `0.3`), whole
/// numbers under 10,000 stay as they are (they may be years), amounts of a thousand and more get a
/// second decimal if they have one.
pub fn spoken(value: f64, language: &str) -> String {
    if !value.is_finite() || value.abs() >= 1e15 {
        return value.to_string();
    }
    let exact = |decimals: &usize| {
        let scale = 10_f64.powi(i32::try_from(*decimals).unwrap_or(0));
        ((value * scale).round() / scale - value).abs() <= value.abs() * 1e-12
    };
    let decimals = match (0..=MOST_DECIMALS).find(exact) {
        Some(1) if value.abs() >= 1000.0 => 2,
        Some(decimals) => decimals,
        None => return value.to_string().replace('.', marks(language).1),
    };
    let written = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = written.split_once('.').unwrap_or((&written, ""));
    let (thousands, decimal) = marks(language);
    let grouped = if whole.len() > 4 || (whole.len() == 4 && !fraction.is_empty()) {
        group(whole, thousands)
    } else {
        whole.to_owned()
    };
    let sign = if value < 0.0 { "-" } else { "" };
    if fraction.is_empty() {
        format!("{sign}{grouped}")
    } else {
        format!("{sign}{grouped}{decimal}{fraction}")
    }
}

fn marks(language: &str) -> (&'static str, &'static str) {
    if matches!(language, "pt" | "es") { (".", ",") } else { (",", ".") }
}

fn group(digits: &str, mark: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push_str(mark);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_digit_changes() {
        for (value, pt, en) in [
            (2_129_224.4, "2.129.224,40", "2,129,224.40"),
            (1_591_514.300_000_000_1, "1.591.514,30", "1,591,514.30"),
            (0.1 + 0.2, "0,3", "0.3"),
            (2026.0, "2026", "2026"),
            (10_000.0, "10.000", "10,000"),
            (-1234.5, "-1.234,50", "-1,234.50"),
            (12.125, "12,125", "12.125"),
            (0.0, "0", "0"),
            (1.0 / 3.0, "0,3333333333333333", "0.3333333333333333"),
            (999_999.99, "999.999,99", "999,999.99"),
        ] {
            assert_eq!(spoken(value, "pt"), pt);
            assert_eq!(spoken(value, "en"), en);
        }
    }
}
