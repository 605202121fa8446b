//! Values of any Arrow type as text.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};

use super::column::{convert, unscaled};
use crate::decide::table::ColumnKind;

/// Bytes of binary data written out.
const SHOWN_BYTES: usize = 64;
const NANOSECONDS: i64 = 1_000_000_000;

/// Writes a value; `None` for NULL.
pub(super) fn text(array: &ArrayRef, row: usize) -> Option<String> {
    if array.is_null(row) {
        return None;
    }
    let written = match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => array.as_string_view().value(row).to_owned(),
        DataType::Binary => binary(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => binary(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => binary(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => fixed(array.as_fixed_size_binary().value(row)),
        DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) => clock(array, row)?,
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => decimal_text(array, row),
        DataType::List(_) => listed(&array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => listed(&array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => listed(&array.as_fixed_size_list().value(row)),
        DataType::Map(..) => pairs(array, row),
        DataType::Struct(fields) => {
            let inner = array.as_struct();
            let parts = fields.iter().zip(inner.columns());
            let parts =
                parts.filter_map(|(field, child)| Some(format!("{}: {}", field.name(), text(child, row)?)));
            parts.collect::<Vec<_>>().join(", ")
        }
        DataType::UInt64 => array.as_primitive::<arrow_array::types::UInt64Type>().value(row).to_string(),
        _ => return plain(array, row),
    };
    Some(written)
}

/// Writes a value of a type that has a column type of its own.
fn plain(array: &ArrayRef, row: usize) -> Option<String> {
    let one = convert(&[array.slice(row, 1)]);
    let array = one.arrays.first()?;
    Some(match one.kind {
        ColumnKind::Boolean => array.as_boolean().value(0).to_string(),
        ColumnKind::Integer => array.as_primitive::<arrow_array::types::Int64Type>().value(0).to_string(),
        ColumnKind::Real => array.as_primitive::<arrow_array::types::Float64Type>().value(0).to_string(),
        ColumnKind::Date => {
            array.as_primitive::<arrow_array::types::Date32Type>().value_as_date(0)?.to_string()
        }
        ColumnKind::DateTime => {
            array.as_primitive::<arrow_array::types::TimestampSecondType>().value_as_datetime(0)?.to_string()
        }
        ColumnKind::Text => return None,
    })
}

fn listed(items: &ArrayRef) -> String {
    (0..items.len()).filter_map(|row| text(items, row)).collect::<Vec<_>>().join(", ")
}

fn pairs(array: &ArrayRef, row: usize) -> String {
    let entries = array.as_map().value(row);
    let (keys, values) = (entries.column(0), entries.column(1));
    let pair = |at: usize| {
        let (key, value) = (text(keys, at).unwrap_or_default(), text(values, at).unwrap_or_default());
        format!("{key}: {value}")
    };
    (0..entries.len()).map(pair).collect::<Vec<_>>().join(", ")
}

fn binary(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(|c| c.is_control() && !c.is_whitespace()) => text.to_owned(),
        _ => hexadecimal(bytes),
    }
}

/// Sixteen bytes are an identifier as a rule.
fn fixed(bytes: &[u8]) -> String {
    let digits = hexadecimal(bytes);
    match bytes.len() {
        16 => format!(
            "{}-{}-{}-{}-{}",
            &digits[..8],
            &digits[8..12],
            &digits[12..16],
            &digits[16..20],
            &digits[20..]
        ),
        _ => digits,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut digits = String::new();
    for byte in bytes.iter().take(SHOWN_BYTES) {
        let _ = write!(digits, "{byte:02x}");
    }
    if bytes.len() > SHOWN_BYTES {
        let _ = write!(digits, "… ({} bytes)", bytes.len());
    }
    digits
}

/// Writes a decimal with all its digits.
pub(super) fn decimal_text(array: &ArrayRef, row: usize) -> String {
    let scale = match array.data_type() {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => *scale,
        _ => 0,
    };
    place_point(&unscaled(array, row), scale)
}

fn place_point(digits: &str, scale: i8) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let places = usize::from(scale.unsigned_abs());
    if scale <= 0 {
        return if digits == "0" { digits.into() } else { format!("{sign}{digits}{}", "0".repeat(places)) };
    }
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// `08:05:00`, `08:05:00.250`; a duration of a day or more goes on counting hours.
fn clock(array: &ArrayRef, row: usize) -> Option<String> {
    fn of<T: ArrowPrimitiveType<Native = i64>>(array: &ArrayRef, row: usize, factor: i64) -> Option<i64> {
        array.as_primitive::<T>().value(row).checked_mul(factor)
    }
    let short = |value: i32, factor: i64| i64::from(value).checked_mul(factor);
    let nanoseconds = match array.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            short(array.as_primitive::<Time32SecondType>().value(row), NANOSECONDS)
        }
        DataType::Time32(_) => short(array.as_primitive::<Time32MillisecondType>().value(row), 1_000_000),
        DataType::Time64(TimeUnit::Microsecond) => of::<Time64MicrosecondType>(array, row, 1_000),
        DataType::Time64(_) => of::<Time64NanosecondType>(array, row, 1),
        DataType::Duration(TimeUnit::Second) => of::<DurationSecondType>(array, row, NANOSECONDS),
        DataType::Duration(TimeUnit::Millisecond) => of::<DurationMillisecondType>(array, row, 1_000_000),
        DataType::Duration(TimeUnit::Microsecond) => of::<DurationMicrosecondType>(array, row, 1_000),
        _ => of::<DurationNanosecondType>(array, row, 1),
    }?;
    let (sign, nanoseconds) =
        if nanoseconds < 0 { ("-", nanoseconds.checked_neg()?) } else { ("", nanoseconds) };
    let (seconds, rest) = (nanoseconds / NANOSECONDS, nanoseconds % NANOSECONDS);
    let whole = format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if rest == 0 {
        return Some(whole);
    }
    Some(format!("{whole}.{}", format!("{rest:09}").trim_end_matches('0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_their_digits() {
        for (digits, scale, expected) in
            [("5", 2, "0.05"), ("-12345", 2, "-123.45"), ("7", 0, "7"), ("7", -2, "700"), ("0", 3, "0.000")]
        {
            assert_eq!(place_point(digits, scale), expected);
        }
    }
}
