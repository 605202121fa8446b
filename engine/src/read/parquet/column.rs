//! One column of any Arrow type to one of ours.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Decimal256Type, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Date32Array, Float64Array, Int64Array, StringArray,
    TimestampSecondArray,
};
use arrow_schema::{DataType, TimeUnit};

use super::texts::{decimal_text, text};
use super::{plain_kind, type_name};
use crate::decide::table::ColumnKind;

/// Digits that a double keeps of any decimal number.
const EXACT_DIGITS: usize = 15;
const MILLISECONDS_A_DAY: i64 = 86_400_000;

/// A column in one of our types.
pub(super) struct Converted {
    /// The type.
    pub kind: ColumnKind,
    /// Its values, batch by batch.
    pub arrays: Vec<ArrayRef>,
    /// Why this type.
    pub decision: String,
    /// What a person should know.
    pub note: Option<String>,
}

/// Converts a column. Every value keeps its meaning: numbers that do not fit are text.
pub(super) fn convert(arrays: &[ArrayRef]) -> Converted {
    let found = arrays.first().map_or(DataType::Null, |array| array.data_type().clone());
    let decision = format!("Parquet type {}", type_name(&found));
    let kind = plain_kind(&found).unwrap_or_else(|| decided(&found, arrays));
    let arrays = arrays.iter().map(|array| as_kind(array, kind)).collect();
    Converted { kind, arrays, decision, note: note(&found, kind) }
}

/// Decides by the values: numbers only if all of them fit.
fn decided(found: &DataType, arrays: &[ArrayRef]) -> ColumnKind {
    let fits = |good: &dyn Fn(&ArrayRef, usize) -> bool| {
        arrays.iter().all(|array| (0..array.len()).all(|row| array.is_null(row) || good(array, row)))
    };
    let digits = |array: &ArrayRef, row: usize| {
        let text = decimal_text(array, row);
        text.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit).count()
    };
    match found {
        DataType::UInt64
            if fits(&|array, row| i64::try_from(array.as_primitive::<UInt64Type>().value(row)).is_ok()) =>
        {
            ColumnKind::Integer
        }
        DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale)
        | DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale) => {
            if *scale <= 0 && fits(&|array, row| decimal_text(array, row).parse::<i64>().is_ok()) {
                ColumnKind::Integer
            } else if *scale > 0 && fits(&|array, row| digits(array, row) <= EXACT_DIGITS) {
                ColumnKind::Real
            } else {
                ColumnKind::Text
            }
        }
        _ => ColumnKind::Text,
    }
}

fn note(found: &DataType, kind: ColumnKind) -> Option<String> {
    match (found, kind) {
        (DataType::Timestamp(_, Some(zone)), _) => Some(format!("times are UTC (the file says {zone})")),
        (DataType::UInt64 | DataType::Decimal128(..) | DataType::Decimal256(..), ColumnKind::Text) => {
            Some("some numbers are longer than a number here can be: kept as text".into())
        }
        (DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) | DataType::Map(..), _) => {
            Some("lists are written out as text".into())
        }
        (
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_),
            _,
        ) => Some("binary data: text where it is UTF-8, else hexadecimal, cut after 64 bytes".into()),
        _ => None,
    }
}

fn as_kind(array: &ArrayRef, kind: ColumnKind) -> ArrayRef {
    match kind {
        ColumnKind::Boolean => Arc::new(array.as_boolean().iter().collect::<BooleanArray>()),
        ColumnKind::Integer => {
            Arc::new((0..array.len()).map(|row| integer(array, row)).collect::<Int64Array>())
        }
        ColumnKind::Real => Arc::new((0..array.len()).map(|row| real(array, row)).collect::<Float64Array>()),
        ColumnKind::Date => Arc::new((0..array.len()).map(|row| date(array, row)).collect::<Date32Array>()),
        ColumnKind::DateTime => {
            Arc::new((0..array.len()).map(|row| seconds(array, row)).collect::<TimestampSecondArray>())
        }
        ColumnKind::Text => Arc::new((0..array.len()).map(|row| text(array, row)).collect::<StringArray>()),
    }
}

fn value<T: ArrowPrimitiveType>(array: &ArrayRef, row: usize) -> Option<T::Native> {
    let array = array.as_primitive_opt::<T>()?;
    array.is_valid(row).then(|| array.value(row))
}

fn integer(array: &ArrayRef, row: usize) -> Option<i64> {
    match array.data_type() {
        DataType::Int8 => value::<Int8Type>(array, row).map(i64::from),
        DataType::Int16 => value::<Int16Type>(array, row).map(i64::from),
        DataType::Int32 => value::<Int32Type>(array, row).map(i64::from),
        DataType::Int64 => value::<Int64Type>(array, row),
        DataType::UInt8 => value::<UInt8Type>(array, row).map(i64::from),
        DataType::UInt16 => value::<UInt16Type>(array, row).map(i64::from),
        DataType::UInt32 => value::<UInt32Type>(array, row).map(i64::from),
        DataType::UInt64 => value::<UInt64Type>(array, row).and_then(|number| i64::try_from(number).ok()),
        _ if array.is_valid(row) => decimal_text(array, row).parse().ok(),
        _ => None,
    }
}

fn real(array: &ArrayRef, row: usize) -> Option<f64> {
    match array.data_type() {
        DataType::Float16 => value::<Float16Type>(array, row).map(f64::from),
        // By its digits: 0.1 stays 0.1.
        DataType::Float32 => {
            value::<Float32Type>(array, row).and_then(|number| number.to_string().parse().ok())
        }
        DataType::Float64 => value::<Float64Type>(array, row),
        _ if array.is_valid(row) => decimal_text(array, row).parse().ok(),
        _ => None,
    }
    .filter(|number: &f64| number.is_finite())
}

fn date(array: &ArrayRef, row: usize) -> Option<i32> {
    match array.data_type() {
        DataType::Date64 => value::<Date64Type>(array, row)
            .and_then(|time| i32::try_from(time.div_euclid(MILLISECONDS_A_DAY)).ok()),
        _ => value::<Date32Type>(array, row),
    }
}

fn seconds(array: &ArrayRef, row: usize) -> Option<i64> {
    let DataType::Timestamp(unit, _) = array.data_type() else { return None };
    match unit {
        TimeUnit::Second => value::<TimestampSecondType>(array, row),
        TimeUnit::Millisecond => {
            value::<TimestampMillisecondType>(array, row).map(|time| time.div_euclid(1_000))
        }
        TimeUnit::Microsecond => {
            value::<TimestampMicrosecondType>(array, row).map(|time| time.div_euclid(1_000_000))
        }
        TimeUnit::Nanosecond => {
            value::<TimestampNanosecondType>(array, row).map(|time| time.div_euclid(1_000_000_000))
        }
    }
}

/// Unscaled value of a decimal as digits.
pub(super) fn unscaled(array: &ArrayRef, row: usize) -> String {
    match array.data_type() {
        DataType::Decimal128(..) => value::<Decimal128Type>(array, row).map(|number| number.to_string()),
        DataType::Decimal256(..) => value::<Decimal256Type>(array, row).map(|number| number.to_string()),
        DataType::Decimal32(..) => {
            value::<arrow_array::types::Decimal32Type>(array, row).map(|number| number.to_string())
        }
        _ => value::<arrow_array::types::Decimal64Type>(array, row).map(|number| number.to_string()),
    }
    .unwrap_or_default()
}
