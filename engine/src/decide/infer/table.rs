//! One table: two passes over its rows.

use std::borrow::Cow;

use super::build::Builder;
use super::column::{ColumnDecision, ColumnStats, Context, short};
use super::layout::{Layout, Span};
use super::names::unique_names;
use super::records::{Records, is_blank};
use super::rollup::{Rollups, is_total_label};
use super::values::Mark;
use crate::decide::table::{ColumnInfo, ColumnKind, Table, TableInfo, TableWarning};

/// Columns that ragged rows may add.
const EXTRA_COLUMNS: usize = 8;

/// Rows that can be gone through again and again.
pub trait Rows {
    /// Calls `visit` with the line and the cells of every row, blank rows left out.
    fn visit(&self, visit: &mut dyn FnMut(u64, &[Cow<'_, str>]));
}

/// Rows of a delimited text.
pub struct CsvRows<'a> {
    /// The text.
    pub text: &'a str,
    /// What parts the cells.
    pub delimiter: u8,
    /// Where the rows are.
    pub spans: Vec<Span>,
}

impl Rows for CsvRows<'_> {
    fn visit(&self, visit: &mut dyn FnMut(u64, &[Cow<'_, str>])) {
        let mut fields = Vec::new();
        for span in &self.spans {
            let mut records = Records::new(self.text, span.start, span.end, span.line, self.delimiter);
            let mut skip = span.skip;
            while let Some(place) = records.read(&mut fields) {
                if is_blank(&fields) {
                    continue;
                }
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                visit(place.line, &fields);
            }
        }
    }
}

/// Rows of a grid; spans count rows.
pub struct GridRows<'a> {
    /// The grid.
    pub rows: &'a [Vec<String>],
    /// Number of each row in its source.
    pub lines: &'a [u64],
    /// Where the rows are.
    pub spans: Vec<Span>,
}

impl Rows for GridRows<'_> {
    fn visit(&self, visit: &mut dyn FnMut(u64, &[Cow<'_, str>])) {
        for span in &self.spans {
            for index in (span.start..span.end).skip(span.skip) {
                let row = &self.rows[index];
                let cells: Vec<Cow<'_, str>> = row.iter().map(|cell| Cow::Borrowed(cell.as_str())).collect();
                if !is_blank(&cells) {
                    visit(self.lines[index], &cells);
                }
            }
        }
    }
}

/// What is known about a table beside its layout.
pub struct Spec {
    /// Name in SQL.
    pub name: String,
    /// Where it is.
    pub location: String,
    /// How the file is read.
    pub dialect: Vec<String>,
    /// Numbers are known to have a decimal dot.
    pub decimal_dot: bool,
    /// Semicolons part the cells.
    pub semicolon: bool,
    /// Most columns.
    pub max_columns: usize,
    /// Most warnings about ragged rows.
    pub max_warnings: usize,
    /// The file has several tables.
    pub several: bool,
}

/// What the first pass finds.
struct Survey {
    stats: Vec<ColumnStats>,
    rows: u64,
    ragged: Vec<TableWarning>,
    ragged_count: usize,
    labels: Vec<(u64, usize, String)>,
}

/// Reads one table.
pub fn infer(source: &dyn Rows, layout: Layout, spec: Spec) -> Table {
    let mut survey = survey(source, layout.width, &spec);
    let mut headers = layout.header.clone().unwrap_or_default();
    headers.truncate(spec.max_columns.max(1));
    // Trailing columns without a name and without a value are delimiters at the line ends.
    while survey.stats.len() > 1
        && survey.stats.last().is_some_and(|last| last.values + last.null_like + last.labels == 0)
        && headers.get(survey.stats.len() - 1).is_none_or(|header| header.is_empty())
    {
        survey.stats.pop();
    }
    headers.resize(survey.stats.len(), String::new());
    let names = unique_names(&headers);
    let mut context = context(&survey.stats, spec.semicolon);
    if spec.decimal_dot {
        context.mark = context.mark.or(Some(Mark::Dot));
    }
    let decisions: Vec<ColumnDecision> = survey.stats.iter().map(|stats| decide(stats, &context)).collect();
    let built = build(source, &names, &decisions);
    let warnings = warnings(&layout, &spec, &survey, &names, &decisions, &built);
    let columns = names
        .into_iter()
        .zip(headers)
        .zip(&decisions)
        .zip(&built.nulls)
        .enumerate()
        .map(|(index, (((name, header), decision), nulls))| ColumnInfo {
            name,
            header,
            kind: decision.kind,
            unit: decision.unit.map(str::to_owned),
            decision: if index < layout.width {
                decision.reason.clone()
            } else {
                format!("{}; only in rows longer than the header", decision.reason)
            },
            nulls: *nulls,
        })
        .collect();
    let mut dialect = spec.dialect;
    dialect.push(if layout.header.is_some() { "header row" } else { "no header row" }.into());
    dialect.extend(conventions(&decisions, &context));
    let info = TableInfo {
        name: spec.name,
        location: spec.location,
        caption: layout.caption,
        columns,
        rows: survey.rows,
        rollup_rows: built.rollups.rows,
        dialect,
        warnings,
    };
    Table { info, batches: built.batches }
}

/// First pass: counts what every column holds, over all rows.
fn survey(source: &dyn Rows, width: usize, spec: &Spec) -> Survey {
    let most = (width + EXTRA_COLUMNS).min(spec.max_columns.max(1));
    let mut survey = Survey {
        stats: vec![ColumnStats::default(); width.min(most)],
        rows: 0,
        ragged: Vec::new(),
        ragged_count: 0,
        labels: Vec::new(),
    };
    source.visit(&mut |line, cells| {
        let filled = cells.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |at| at + 1);
        if filled > width || cells.len() < width {
            survey.ragged_count += 1;
            if survey.ragged.len() < spec.max_warnings {
                let what = if filled > width {
                    "further cells are kept in added columns"
                } else {
                    "the rest is empty"
                };
                let message = format!("{} cells where {width} are expected: {what}", cells.len());
                survey.ragged.push(TableWarning { line: Some(line), message });
            }
            while survey.stats.len() < filled.min(most) {
                let mut stats = ColumnStats::default();
                stats.empty = survey.rows as usize;
                survey.stats.push(stats);
            }
        }
        survey.rows += 1;
        let columns = survey.stats.len();
        for (column, stats) in survey.stats.iter_mut().enumerate() {
            let cell = cell_at(cells, column, columns, most);
            if is_total_label(&cell) {
                stats.labels += 1;
                if survey.labels.len() < spec.max_warnings {
                    survey.labels.push((line, column, short(&cell)));
                }
            } else {
                stats.add(line, &cell);
            }
        }
    });
    survey
}

/// Returns the trimmed cell of a column; the last possible column takes all further cells.
fn cell_at<'c>(cells: &'c [Cow<'_, str>], column: usize, columns: usize, most: usize) -> Cow<'c, str> {
    if column + 1 == most && columns == most && cells.len() > most {
        let rest: Vec<&str> = cells[column..].iter().map(|cell| cell.trim()).collect();
        return Cow::Owned(rest.join(" | ").trim_end_matches([' ', '|']).to_owned());
    }
    cells.get(column).map_or(Cow::Borrowed(""), |cell| Cow::Borrowed(cell.trim()))
}

/// Reads the file's conventions off the columns that are certain about them.
fn context(stats: &[ColumnStats], semicolon: bool) -> Context {
    let marks: Vec<Mark> = stats.iter().filter_map(ColumnStats::certain_mark).collect();
    let orders: Vec<bool> = stats.iter().filter_map(ColumnStats::certain_day_first).collect();
    Context { mark: unanimous(&marks), day_first: unanimous(&orders), semicolon }
}

fn unanimous<T: Copy + PartialEq>(votes: &[T]) -> Option<T> {
    let first = *votes.first()?;
    votes.iter().all(|vote| *vote == first).then_some(first)
}

/// Decides a column; labels of totals do not count, unless they are many.
fn decide(stats: &ColumnStats, context: &Context) -> ColumnDecision {
    let decision = stats.decide(context);
    let many = stats.labels > 1 && stats.labels * 5 > stats.values || stats.values == 0;
    if stats.labels > 0 && many && decision.kind != ColumnKind::Text {
        let reason = format!("text: {} of its cells read like the label of a total", stats.labels);
        return ColumnDecision { kind: ColumnKind::Text, unit: None, reason, doubt: None, ..decision };
    }
    decision
}

/// What the second pass makes.
struct Built {
    batches: Vec<arrow_array::RecordBatch>,
    nulls: Vec<usize>,
    rollups: super::rollup::Found,
}

/// Second pass: builds the batches and checks the totals.
fn build(source: &dyn Rows, names: &[String], decisions: &[ColumnDecision]) -> Built {
    let mut builder = Builder::new(names, decisions);
    let numeric: Vec<bool> = decisions
        .iter()
        .map(|decision| matches!(decision.kind, ColumnKind::Integer | ColumnKind::Real))
        .collect();
    let has_text = decisions.iter().any(|decision| decision.kind == ColumnKind::Text);
    let mut rollups = Rollups::new(numeric.iter().filter(|numeric| **numeric).count());
    let (mut row, mut numbers) = (0_u64, Vec::new());
    let columns = decisions.len();
    source.visit(&mut |line, cells| {
        numbers.clear();
        let (mut label, mut unlabelled) = (None, has_text);
        for column in 0..columns {
            let cell = cell_at(cells, column, columns, columns);
            let number = builder.push(column, &cell);
            if numeric[column] {
                numbers.push(number);
            } else if decisions[column].kind == ColumnKind::Text {
                unlabelled &= cell.is_empty();
            }
            if label.is_none() && number.is_none() && is_total_label(&cell) {
                label = Some(cell.into_owned());
            }
        }
        builder.end_row();
        let unlabelled = unlabelled && numbers.iter().any(Option::is_some);
        if !numbers.is_empty() {
            rollups.add(row, line, &numbers, label.as_deref(), unlabelled);
        }
        row += 1;
    });
    let (batches, nulls) = builder.finish();
    Built { batches, nulls, rollups: rollups.finish() }
}

/// Says which conventions the columns were read with.
fn conventions(decisions: &[ColumnDecision], context: &Context) -> Vec<String> {
    let mut found = Vec::new();
    let real =
        decisions.iter().find(|decision| decision.kind == ColumnKind::Real).map(|decision| decision.mark);
    if let Some(mark) = real.or(context.mark) {
        found.push(format!("decimal {}", if mark == Mark::Dot { "dot" } else { "comma" }));
    }
    if let Some(day_first) = context.day_first {
        found.push(if day_first { "day before month" } else { "month before day" }.into());
    }
    found
}

/// Collects what a person should know, in line order.
fn warnings(
    layout: &Layout,
    spec: &Spec,
    survey: &Survey,
    names: &[String],
    decisions: &[ColumnDecision],
    built: &Built,
) -> Vec<TableWarning> {
    let mut found = survey.ragged.clone();
    if survey.ragged_count > survey.ragged.len() {
        let more = survey.ragged_count - survey.ragged.len();
        found.push(TableWarning {
            line: None,
            message: format!("{more} more rows of another length, all kept"),
        });
    }
    found.extend(
        layout.notes.iter().map(|(line, message)| TableWarning { line: *line, message: message.clone() }),
    );
    for (name, decision) in names.iter().zip(decisions) {
        if let Some(doubt) = &decision.doubt {
            found.push(TableWarning { line: None, message: format!("column {name}: {doubt}") });
        }
    }
    for (line, column, label) in &survey.labels {
        let kind = decisions.get(*column).map(|decision| decision.kind);
        if kind.is_some_and(|kind| kind != ColumnKind::Text) {
            let message = format!("`{label}` in column {} is no value there: left empty", names[*column]);
            found.push(TableWarning { line: Some(*line), message });
        }
    }
    for (line, label) in built.rollups.unconfirmed.iter().take(spec.max_warnings) {
        let message = format!("`{label}` reads like a total but is no sum of rows: counted as a row");
        found.push(TableWarning { line: Some(*line), message });
    }
    if spec.several {
        found.push(TableWarning { line: None, message: "one of several tables in this file".into() });
    }
    found.sort_by_key(|warning| warning.line.unwrap_or(u64::MAX));
    found
}
