//! Cells to Arrow record batches, once the types are known.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, StringBuilder, TimestampSecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::column::ColumnDecision;
use super::dates::date_cell;
use super::values::{Mark, canonical_number, is_text_null, truth};
use crate::decide::table::ColumnKind;

/// Rows of one batch.
pub const BATCH_ROWS: usize = 8192;

/// Returns the Arrow type of a column.
pub fn data_type(kind: ColumnKind) -> DataType {
    match kind {
        ColumnKind::Integer => DataType::Int64,
        ColumnKind::Real => DataType::Float64,
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Date => DataType::Date32,
        ColumnKind::DateTime => DataType::Timestamp(TimeUnit::Second, None),
        ColumnKind::Boolean => DataType::Boolean,
    }
}

enum Values {
    Integer(Int64Builder, Mark),
    Real(Float64Builder, Mark),
    Text(StringBuilder),
    Date(Date32Builder, bool),
    DateTime(TimestampSecondBuilder, bool),
    Boolean(BooleanBuilder),
}

/// Collects rows into batches.
pub struct Builder {
    schema: Arc<Schema>,
    columns: Vec<Values>,
    nulls: Vec<usize>,
    rows: usize,
    batches: Vec<RecordBatch>,
    buffer: String,
}

impl Builder {
    /// Starts with the columns' names and decisions.
    pub fn new(names: &[String], decisions: &[ColumnDecision]) -> Self {
        let fields: Vec<Field> = names
            .iter()
            .zip(decisions)
            .map(|(name, decision)| Field::new(name, data_type(decision.kind), true))
            .collect();
        Self {
            schema: Arc::new(Schema::new(fields)),
            columns: decisions.iter().map(Values::new).collect(),
            nulls: vec![0; decisions.len()],
            rows: 0,
            batches: Vec::new(),
            buffer: String::new(),
        }
    }

    /// Appends a trimmed cell to a column; returns its number, if it is one.
    pub fn push(&mut self, column: usize, cell: &str) -> Option<f64> {
        let (appended, number) = self.columns[column].push(cell, &mut self.buffer);
        self.nulls[column] += usize::from(!appended);
        number
    }

    /// Ends a row: every column has got its cell.
    pub fn end_row(&mut self) {
        self.rows += 1;
        if self.rows == BATCH_ROWS {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let arrays: Vec<ArrayRef> = self.columns.iter_mut().map(Values::finish).collect();
        // Every column got one cell per row and has the type of its field, so this cannot fail.
        if let Ok(batch) = RecordBatch::try_new(self.schema.clone(), arrays) {
            self.batches.push(batch);
        }
        self.rows = 0;
    }

    /// Returns the batches and the number of NULLs of each column.
    pub fn finish(mut self) -> (Vec<RecordBatch>, Vec<usize>) {
        if self.rows > 0 || self.batches.is_empty() {
            self.flush();
        }
        (self.batches, self.nulls)
    }
}

impl Values {
    fn new(decision: &ColumnDecision) -> Self {
        match decision.kind {
            ColumnKind::Integer => Self::Integer(Int64Builder::new(), decision.mark),
            ColumnKind::Real => Self::Real(Float64Builder::new(), decision.mark),
            ColumnKind::Text => Self::Text(StringBuilder::new()),
            ColumnKind::Date => Self::Date(Date32Builder::new(), decision.day_first),
            ColumnKind::DateTime => Self::DateTime(TimestampSecondBuilder::new(), decision.day_first),
            ColumnKind::Boolean => Self::Boolean(BooleanBuilder::new()),
        }
    }

    /// Appends a cell; a cell that is no value of the type is NULL. Returns whether it was a value.
    fn push(&mut self, cell: &str, buffer: &mut String) -> (bool, Option<f64>) {
        match self {
            Self::Integer(values, mark) => {
                let value = canonical_number(cell, *mark, buffer).parse::<i64>().ok();
                values.append_option(value);
                (value.is_some(), value.map(|value| value as f64))
            }
            Self::Real(values, mark) => {
                let value = canonical_number(cell, *mark, buffer).parse::<f64>().ok();
                values.append_option(value);
                (value.is_some(), value)
            }
            Self::Text(values) => {
                let value = (!is_text_null(cell)).then_some(cell);
                if value
                    .is_some_and(|cell| !cell.is_ascii() && is_nfc_quick(cell.chars()) != IsNormalized::Yes)
                {
                    values.append_value(cell.nfc().collect::<String>());
                } else {
                    values.append_option(value);
                }
                (value.is_some(), None)
            }
            Self::Date(values, day_first) => {
                let value = date_cell(cell).and_then(|date| date.days(*day_first));
                values.append_option(value);
                (value.is_some(), None)
            }
            Self::DateTime(values, day_first) => {
                let value = date_cell(cell).and_then(|date| date.timestamp(*day_first));
                values.append_option(value);
                (value.is_some(), None)
            }
            Self::Boolean(values) => {
                let value = truth(cell);
                values.append_option(value);
                (value.is_some(), None)
            }
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integer(values, _) => Arc::new(values.finish()),
            Self::Real(values, _) => Arc::new(values.finish()),
            Self::Text(values) => Arc::new(values.finish()),
            Self::Date(values, _) => Arc::new(values.finish()),
            Self::DateTime(values, _) => Arc::new(values.finish()),
            Self::Boolean(values) => Arc::new(values.finish()),
        }
    }
}
