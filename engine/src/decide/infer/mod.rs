//! Cells to typed tables: delimiter, header, types and roll-up rows, each with its reason.
//!
//! Types are decided over all rows of a column, never a sample, in a first pass; a second pass
//! builds the record batches. Both passes go over the text in place, so memory is the text plus
//! the batches.

mod build;
mod column;
mod dates;
mod dialect;
mod layout;
mod names;
mod records;
mod rollup;
mod sheet;
mod table;
mod values;

use crate::decide::chunk::FoundTable;
use crate::decide::table::Table;

pub use build::{BATCH_ROWS, data_type};
pub use dates::days_from_civil;
pub use names::{identifier, unique_names};
pub use sheet::{CellValue, Merge, SheetCell, column_letters, infer_sheet};

use dialect::{delimiter, delimiter_name};
use table::{CsvRows, GridRows, Spec, infer};

/// How a CSV text is to be read.
#[derive(Debug, Clone)]
pub struct CsvOptions {
    /// Name of the file without extension: the table is named after it.
    pub name: String,
    /// Encoding it was stored in, to be recorded.
    pub encoding: String,
    /// The name says that tabs part the cells.
    pub prefer_tab: bool,
    /// Most columns a table may have; further cells are joined in the last one.
    pub max_columns: usize,
    /// Most warnings about ragged rows.
    pub max_warnings: usize,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            encoding: "UTF-8".into(),
            prefer_tab: false,
            max_columns: 2_000,
            max_warnings: 50,
        }
    }
}

/// Reads the tables of a delimited text.
pub fn infer_csv(text: &str, options: &CsvOptions) -> Vec<Table> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let found = delimiter(text, options.prefer_tab);
    let character = found.unwrap_or(if text.contains(',') { b'\0' } else { b',' });
    let (start, line) = skip_sep_line(text);
    let blocks = layout::scan(text, start, line, character);
    let layouts = layout::tables(&blocks);
    let dialect =
        vec![format!("encoding {}", options.encoding), format!("delimiter {}", delimiter_name(found))];
    let several = layouts.len() > 1;
    layouts
        .into_iter()
        .enumerate()
        .map(|(index, layout)| {
            let rows = CsvRows { text, delimiter: character, spans: layout.spans.clone() };
            let spec = Spec {
                name: table_name(&options.name, index),
                location: format!("lines {}-{}", layout.lines.0, layout.lines.1),
                dialect: dialect.clone(),
                semicolon: found == Some(b';'),
                decimal_dot: false,
                max_columns: options.max_columns,
                max_warnings: options.max_warnings,
                several,
            };
            infer(&rows, layout, spec)
        })
        .collect()
}

/// Reads the tables of a grid of cells; `lines` numbers its rows.
///
/// Numbers in the cells have a decimal dot, dates are ISO: what a spreadsheet's own types give.
pub fn infer_grid(rows: &[Vec<String>], lines: &[u64], options: &CsvOptions) -> Vec<Table> {
    let layouts = layout::tables(&layout::scan_grid(rows, lines));
    let several = layouts.len() > 1;
    let build = |(index, layout): (usize, layout::Layout)| {
        let source = GridRows { rows, lines, spans: layout.spans.clone() };
        let spec = Spec {
            name: table_name(&options.name, index),
            location: format!("rows {}-{}", layout.lines.0, layout.lines.1),
            dialect: Vec::new(),
            semicolon: false,
            decimal_dot: true,
            max_columns: options.max_columns,
            max_warnings: options.max_warnings,
            several,
        };
        infer(&source, layout, spec)
    };
    layouts.into_iter().enumerate().map(build).collect()
}

/// Reads a table found inside a document; its header is known.
///
/// `name` is the document's; the table is named after it and its caption.
pub fn infer_found(found: &FoundTable, name: &str, options: &CsvOptions) -> Table {
    let header_rows = found.header_rows.min(found.rows.len());
    let width = found.rows.iter().map(Vec::len).max().unwrap_or(0);
    let header: Vec<String> = (0..width)
        .map(|column| {
            let cells = found.rows[..header_rows].iter().filter_map(|row| row.get(column));
            // A merged cell is filled in every header row it covers.
            let mut parts: Vec<&str> = cells.map(String::as_str).filter(|cell| !cell.is_empty()).collect();
            parts.dedup();
            parts.join(" ")
        })
        .collect();
    let layout = layout::Layout {
        spans: vec![layout::Span { start: 0, line: found.lines.0, end: found.rows.len(), skip: header_rows }],
        header: Some(header),
        width,
        caption: found.caption.clone(),
        lines: found.lines,
        notes: Vec::new(),
    };
    // The separator row has a line but is no row.
    let line = |row: usize| found.lines.0 + row as u64 + u64::from(row >= found.header_rows);
    let lines: Vec<u64> = (0..found.rows.len()).map(line).collect();
    let source = GridRows { rows: &found.rows, lines: &lines, spans: layout.spans.clone() };
    let full = found.caption.as_ref().map_or_else(|| name.to_owned(), |caption| format!("{name} {caption}"));
    let spec = Spec {
        name: table_name(&full, 0),
        location: format!("lines {}-{}", found.lines.0, found.lines.1),
        dialect: vec!["Markdown table".into()],
        semicolon: false,
        decimal_dot: false,
        max_columns: options.max_columns,
        max_warnings: options.max_warnings,
        several: false,
    };
    infer(&source, layout, spec)
}

/// Records whose columns are known by name.
#[derive(Debug)]
pub struct Recorded<'a> {
    /// What the table is named after.
    pub name: &'a str,
    /// Where it is, for people.
    pub location: String,
    /// How the file was read.
    pub dialect: &'a str,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Cells, with decimal dots and ISO dates; rows may be shorter than `columns`.
    pub rows: &'a [Vec<String>],
}

/// Types the columns of records, such as those of a JSON file.
pub fn infer_records(recorded: Recorded<'_>, options: &CsvOptions) -> Table {
    let count = recorded.rows.len();
    let lines: Vec<u64> = (1..=count as u64).collect();
    let layout = layout::Layout {
        spans: vec![layout::Span { start: 0, line: 1, end: count, skip: 0 }],
        width: recorded.columns.len(),
        header: Some(recorded.columns),
        caption: None,
        lines: (1, count as u64),
        notes: Vec::new(),
    };
    let source = GridRows { rows: recorded.rows, lines: &lines, spans: layout.spans.clone() };
    let spec = Spec {
        name: table_name(recorded.name, 0),
        location: recorded.location,
        dialect: vec![recorded.dialect.to_owned()],
        semicolon: false,
        decimal_dot: true,
        max_columns: options.max_columns,
        max_warnings: options.max_warnings,
        several: false,
    };
    infer(&source, layout, spec)
}

/// Skips Excel's `sep=;` line.
fn skip_sep_line(text: &str) -> (usize, u64) {
    let first = text.split_inclusive('\n').next().unwrap_or("");
    if first.len() <= 8 && first.to_ascii_lowercase().starts_with("sep=") { (first.len(), 2) } else { (0, 1) }
}

/// Names the table at `index` of its file.
fn table_name(name: &str, index: usize) -> String {
    let mut base = identifier(name);
    if base.is_empty() {
        base = "table_1".into();
    }
    if index == 0 { base } else { format!("{base}_{}", index + 1) }
}
