//! Parquet: typed columns straight into record batches, nested ones flattened and said.

mod column;
mod texts;

use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;

use super::error::{corrupt, too_large};
use super::{Kind, ReadError, ReadLimits, Reading, Source, Table, stem};
use crate::decide::infer::{BATCH_ROWS, data_type, identifier, unique_names};
use crate::decide::table::{ColumnInfo, ColumnKind, TableInfo, TableWarning};
use column::Converted;

/// Reads a Parquet file. A parser's panic over a damaged file is that file's error.
pub(super) fn read(path: &Path, bytes: Vec<u8>, limits: &ReadLimits) -> Result<Reading, ReadError> {
    let parse = || table(path, bytes, limits);
    let table = std::panic::catch_unwind(std::panic::AssertUnwindSafe(parse))
        .unwrap_or_else(|_| Err(corrupt(path, Kind::Parquet, &"the parser gave up on it")))?;
    Ok(Reading { kind: Kind::Parquet, sources: vec![Source::Tables(vec![table])], warnings: Vec::new() })
}

fn table(path: &Path, bytes: Vec<u8>, limits: &ReadLimits) -> Result<Table, ReadError> {
    let damaged = |error: ParquetError| corrupt(path, Kind::Parquet, &error);
    // Types as Parquet stores them: what a writer's own schema adds are encodings in memory.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes::Bytes::from(bytes), options)
        .map_err(damaged)?;
    check(path, builder.metadata(), limits)?;
    let schema = builder.schema().clone();
    let batches = builder.with_batch_size(BATCH_ROWS).build().map_err(damaged)?;
    let mut columns = Columns::default();
    for (index, batch) in batches.enumerate() {
        let batch =
            batch.map_err(|error| corrupt(path, Kind::Parquet, &format!("batch {index}: {error}")))?;
        columns.take(&flat(&batch));
    }
    if columns.leaves.is_empty() {
        columns.take(&flat(&RecordBatch::new_empty(schema)));
    }
    columns.table(path, limits)
}

/// Refuses by what the file declares, before anything is unpacked.
fn check(
    path: &Path,
    metadata: &parquet::file::metadata::ParquetMetaData,
    limits: &ReadLimits,
) -> Result<(), ReadError> {
    let columns = metadata.file_metadata().schema_descr().num_columns() as u64;
    let rows = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
    let cells = rows.saturating_mul(columns);
    if columns > limits.max_columns as u64 {
        let limit = limits.max_columns as u64;
        return Err(too_large(path, "the number of columns", columns, "max_columns", limit));
    }
    if cells > limits.max_cells {
        return Err(too_large(path, "the number of cells", cells, "max_cells", limits.max_cells));
    }
    let groups = metadata.row_groups().iter();
    let unpacked: u64 = groups.map(|group| u64::try_from(group.total_byte_size()).unwrap_or(0)).sum();
    let limit = limits.max_expanded_bytes;
    if unpacked > limit {
        return Err(too_large(path, "the unpacked content (bytes)", unpacked, "max_expanded_bytes", limit));
    }
    Ok(())
}

/// A column without structures: its path, its type as the file names it, its values.
struct Leaf {
    path: String,
    array: ArrayRef,
}

/// Takes structures apart: `address.city`.
fn flat(batch: &RecordBatch) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        flatten(field.name().clone(), array, &mut leaves);
    }
    leaves
}

fn flatten(path: String, array: &ArrayRef, leaves: &mut Vec<Leaf>) {
    let Some(inner) = array.as_any().downcast_ref::<StructArray>() else {
        leaves.push(Leaf { path, array: array.clone() });
        return;
    };
    for (field, child) in inner.fields().iter().zip(inner.columns()) {
        // A structure that is missing has no parts.
        let child = match inner.nulls() {
            None => child.clone(),
            Some(nulls) => {
                let nulls = arrow_buffer::NullBuffer::union(Some(nulls), child.nulls());
                child
                    .to_data()
                    .into_builder()
                    .nulls(nulls)
                    .build()
                    .map_or_else(|_| child.clone(), arrow_array::make_array)
            }
        };
        flatten(format!("{path}.{}", field.name()), &child, leaves);
    }
}

/// Columns batch by batch, before their types are settled: a column whose numbers do not all fit
/// is text from the first row on.
#[derive(Default)]
struct Columns {
    leaves: Vec<(String, Vec<ArrayRef>)>,
}

impl Columns {
    fn take(&mut self, leaves: &[Leaf]) {
        if self.leaves.is_empty() {
            self.leaves = leaves.iter().map(|leaf| (leaf.path.clone(), Vec::new())).collect();
        }
        for ((_, arrays), leaf) in self.leaves.iter_mut().zip(leaves) {
            arrays.push(leaf.array.clone());
        }
    }

    fn table(self, path: &Path, limits: &ReadLimits) -> Result<Table, ReadError> {
        let headers: Vec<String> = self.leaves.iter().map(|(header, _)| header.clone()).collect();
        let names = unique_names(&headers);
        let (mut infos, mut warnings, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for ((header, arrays), name) in self.leaves.into_iter().zip(&names) {
            let Converted { kind, arrays, decision, note } = column::convert(&arrays);
            let nulls = arrays.iter().map(|array| array.null_count()).sum();
            if let Some(note) = note {
                warnings.push(TableWarning { line: None, message: format!("column {name}: {note}") });
            }
            infos.push(ColumnInfo { name: name.clone(), header, kind, unit: None, decision, nulls });
            columns.push(arrays);
        }
        warnings.truncate(limits.max_warnings);
        let batches = batches(path, &infos, &columns)?;
        let rows = batches.iter().map(|batch| batch.num_rows() as u64).sum();
        if rows == 0 {
            warnings.push(TableWarning { line: None, message: "it has no rows".into() });
        }
        let base = Some(identifier(&stem(path))).filter(|name| !name.is_empty());
        let info = TableInfo {
            name: base.unwrap_or_else(|| "table_1".into()),
            location: format!("rows 1-{rows}"),
            caption: None,
            columns: infos,
            rows,
            rollup_rows: Vec::new(),
            dialect: vec!["Parquet".into()],
            warnings,
        };
        Ok(Table { info, batches })
    }
}

fn batches(
    path: &Path,
    infos: &[ColumnInfo],
    columns: &[Vec<ArrayRef>],
) -> Result<Vec<RecordBatch>, ReadError> {
    let field = |info: &ColumnInfo| Field::new(&info.name, data_type(info.kind), true);
    let schema = Arc::new(Schema::new(infos.iter().map(field).collect::<Vec<Field>>()));
    let count = columns.first().map_or(0, Vec::len);
    (0..count)
        .map(|at| columns.iter().map(|arrays| arrays[at].clone()).collect::<Vec<ArrayRef>>())
        .filter(|arrays| arrays.first().is_some_and(|array| !array.is_empty()))
        .map(|arrays| {
            RecordBatch::try_new(schema.clone(), arrays).map_err(|error| corrupt(path, Kind::Parquet, &error))
        })
        .collect()
}

/// Names a type for people.
fn type_name(found: &DataType) -> String {
    match found {
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(_, _) => "list".into(),
        DataType::Map(_, _) => "map".into(),
        other => other.to_string(),
    }
}

/// What a column becomes without any doubt; `None` if its values decide.
fn plain_kind(found: &DataType) -> Option<ColumnKind> {
    match found {
        DataType::Boolean => Some(ColumnKind::Boolean),
        DataType::Date32 | DataType::Date64 => Some(ColumnKind::Date),
        DataType::Timestamp(_, _) => Some(ColumnKind::DateTime),
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32 => Some(ColumnKind::Integer),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Some(ColumnKind::Real),
        _ => None,
    }
}
