//! Parquet: types are the file's own, nested ones flattened, nothing rounded in silence.
#![allow(clippy::unwrap_used)]

mod read_support;

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampSecondType};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array, Int32Array, RecordBatch,
    StringArray, StructArray, Time64MicrosecondArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use polyrag::decide::table::{ColumnKind, Table};
use polyrag::read::{ReadError, ReadLimits};
use read_support::*;

fn written(columns: Vec<(&str, ArrayRef)>, compression: Compression) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn one(name: &str, array: ArrayRef) -> Table {
    tables("t.parquet", written(vec![(name, array)], Compression::UNCOMPRESSED)).remove(0)
}

fn check(array: ArrayRef, kind: ColumnKind, expected: &[&str]) {
    let table = one("c", array);
    assert_eq!(table.info.columns[0].kind, kind, "{:?}", table.info);
    assert_eq!(cells(&table).concat(), expected);
}

#[test]
fn every_compression_reads_the_same() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::GZIP(Default::default()),
        Compression::LZ4_RAW,
    ] {
        let city: ArrayRef = Arc::new(StringArray::from(vec![Some("São José"), None, Some("Çaí")]));
        let count: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), Some(-2), None]));
        let table = tables("dados.parquet", written(vec![("Cidade Sede", city), ("n", count)], compression))
            .remove(0);
        assert_eq!(names(&table), ["cidade_sede", "n"]);
        assert_eq!(cells(&table), [["São José", "1"], ["", "-2"], ["Çaí", ""]], "{compression:?}");
        assert_eq!((table.info.name.as_str(), table.info.rows, table.info.columns[1].nulls), ("dados", 3, 1));
    }
}

#[test]
fn types_keep_their_values() {
    let table = one("d", Arc::new(Date32Array::from(vec![19_783])));
    assert_eq!(table.batches[0].column(0).as_primitive::<Date32Type>().value(0), 19_783);
    let stamp =
        TimestampMicrosecondArray::from(vec![1_700_000_000_999_999, -1]).with_timezone("America/Sao_Paulo");
    let table = one("t", Arc::new(stamp));
    assert_eq!(
        table.batches[0].column(0).as_primitive::<TimestampSecondType>().values(),
        &[1_700_000_000, -1]
    );
    assert!(table.info.warnings[0].message.contains("UTC"));
    let table = one("f", Arc::new(Float32Array::from(vec![0.1_f32, f32::NAN])));
    assert_eq!(table.batches[0].column(0).as_primitive::<Float64Type>().value(0), 0.1);
    assert!(arrow_array::Array::is_null(table.batches[0].column(0), 1));
    check(Arc::new(BooleanArray::from(vec![Some(true), None])), ColumnKind::Boolean, &["1", ""]);
    let clock: ArrayRef = Arc::new(Time64MicrosecondArray::from(vec![29_100_250_000, 0]));
    check(clock, ColumnKind::Text, &["08:05:00.25", "00:00:00"]);
    check(Arc::new(BinaryArray::from(vec![&b"abc"[..], b"\xff\x00"])), ColumnKind::Text, &["abc", "ff00"]);
}

#[test]
fn numbers_that_do_not_fit_are_text_to_the_last_digit() {
    let decimal = |values: Vec<i128>, precision, scale| -> ArrayRef {
        Arc::new(Decimal128Array::from(values).with_precision_and_scale(precision, scale).unwrap())
    };
    let table = one("v", decimal(vec![12_345, -5], 38, 2));
    assert_eq!(table.batches[0].column(0).as_primitive::<Float64Type>().values(), &[123.45, -0.05]);
    let table = one("v", decimal(vec![12_345, -5], 10, 0));
    assert_eq!(table.batches[0].column(0).as_primitive::<Int64Type>().values(), &[12_345, -5]);
    check(
        decimal(vec![12_345_678_901_234_567_890_i128, 5], 38, 2),
        ColumnKind::Text,
        &["123456789012345678.90", "0.05"],
    );
    let large: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX, 1]));
    check(large, ColumnKind::Text, &["18446744073709551615", "1"]);
    check(Arc::new(UInt64Array::from(vec![7_u64])), ColumnKind::Integer, &["7"]);
}

#[test]
fn nested_columns_are_flattened_and_said() {
    let city: ArrayRef = Arc::new(StringArray::from(vec!["A", "B"]));
    let number: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let address = StructArray::new(
        vec![Field::new("city", DataType::Utf8, true), Field::new("no", DataType::Int32, true)].into(),
        vec![city, number],
        Some(vec![true, false].into()),
    );
    let table = one("address", Arc::new(address));
    assert_eq!(names(&table), ["address_city", "address_no"]);
    assert_eq!(cells(&table), [["A", "1"], ["", ""]]);
    let mut list = ListBuilder::new(Int32Builder::new());
    list.append_value([Some(1), Some(2)]);
    list.append_null();
    let table = one("tags", Arc::new(list.finish()));
    assert_eq!(cells(&table), [["1, 2"], [""]]);
    assert!(table.info.warnings[0].message.contains("lists"));
}

#[test]
fn limits_and_damage() {
    let whole = written(
        vec![("n", Arc::new(Int32Array::from((0..10_000).collect::<Vec<i32>>())))],
        Compression::SNAPPY,
    );
    let limits = ReadLimits { max_cells: 9_999, ..ReadLimits::default() };
    assert!(matches!(with_limits("t.parquet", whole.clone(), &limits), Err(ReadError::TooLarge { .. })));
    let limits = ReadLimits { max_expanded_bytes: 100, ..ReadLimits::default() };
    assert!(matches!(with_limits("t.parquet", whole.clone(), &limits), Err(ReadError::TooLarge { .. })));
    for cut in [8, whole.len() / 2, whole.len() - 1] {
        assert!(
            matches!(try_read("t.parquet", whole[..cut].to_vec()), Err(ReadError::Corrupt { .. })),
            "{cut}"
        );
    }
    let mut broken = whole;
    for at in (10..broken.len() - 8).step_by(97) {
        broken[at] ^= 0x55;
    }
    let _ = try_read("t.parquet", broken);
    let empty = one("n", Arc::new(Int32Array::from(Vec::<i32>::new())));
    assert_eq!((empty.info.rows, names(&empty)), (0, vec!["n"]));
}
