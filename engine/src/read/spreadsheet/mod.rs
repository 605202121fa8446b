//! XLSX, XLS and ODS: every sheet's cells, for [`crate::decide::infer::infer_sheet`].

mod cells;
mod ods_merges;

use std::collections::HashSet;
use std::io::Cursor;
use std::path::Path;

use calamine::{Data, DataRef, Dimensions, Ods, Reader, Sheet, SheetType, SheetVisible, Xls, Xlsx};

use super::error::corrupt;
use super::{Kind, ReadError, ReadLimits, Reading, Source, Warning, stem};
use crate::decide::infer::{CsvOptions, Merge, SheetCell, column_letters, identifier, infer_sheet};
use crate::decide::table::{Table, TableWarning};
use cells::{Converter, Taken};

/// Reads the tables of a spreadsheet file.
pub(super) fn read(
    path: &Path,
    kind: Kind,
    bytes: Vec<u8>,
    limits: &ReadLimits,
) -> Result<Reading, ReadError> {
    let size = bytes.len() as u64;
    if kind != Kind::Xls {
        super::expand::check(path, kind, &bytes, limits)?;
    }
    let sheets = sheets(path, kind, bytes, limits)?;
    let mut warnings = Vec::new();
    let filled = sheets.iter().filter(|sheet| !sheet.cells.is_empty()).count();
    let mut tables = Vec::new();
    let mut names = HashSet::new();
    for sheet in sheets {
        warnings.extend(sheet.notes.iter().map(|message| Warning { line: None, message: message.clone() }));
        let mut found = tables_of(path, sheet, filled > 1, limits);
        for table in &mut found {
            let base = table.info.name.clone();
            for number in 2.. {
                if names.insert(table.info.name.clone()) {
                    break;
                }
                table.info.name = format!("{base}_{number}");
            }
        }
        tables.append(&mut found);
    }
    if tables.is_empty() {
        return Err(ReadError::Empty { path: path.to_path_buf(), bytes: size });
    }
    Ok(Reading { kind, sources: vec![Source::Tables(tables)], warnings })
}

/// Reads the cells of every sheet. A parser's panic over a damaged file is that file's error.
fn sheets(path: &Path, kind: Kind, bytes: Vec<u8>, limits: &ReadLimits) -> Result<Vec<RawSheet>, ReadError> {
    let parse = || match kind {
        Kind::Xlsx => xlsx(path, bytes, limits),
        Kind::Xls => xls(path, bytes, limits),
        _ => ods(path, bytes, limits),
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(parse))
        .unwrap_or_else(|_| Err(corrupt(path, kind, &"the parser gave up on it")))
}

/// A sheet before its tables are known.
struct RawSheet {
    name: String,
    cells: Vec<SheetCell>,
    merges: Vec<Merge>,
    hidden: bool,
    notes: Vec<String>,
}

fn tables_of(path: &Path, sheet: RawSheet, several: bool, limits: &ReadLimits) -> Vec<Table> {
    let stem = stem(path);
    let name = if several { format!("{stem} {}", sheet.name) } else { stem };
    let base = Some(identifier(&name)).filter(|name| !name.is_empty()).unwrap_or_else(|| "table_1".into());
    let options = CsvOptions {
        name: base.clone(),
        max_columns: limits.max_columns,
        max_warnings: limits.max_warnings,
        ..CsvOptions::default()
    };
    let mut tables = infer_sheet(sheet.cells, &sheet.merges, &options);
    for (index, table) in tables.iter_mut().enumerate() {
        table.info.name = if index == 0 { base.clone() } else { format!("{base}_{}", index + 1) };
        table.info.location = format!("sheet {}, {}", sheet.name, table.info.location);
        if sheet.hidden {
            let message = format!("sheet {} is hidden in the file", sheet.name);
            table.info.warnings.push(TableWarning { line: None, message });
        }
    }
    tables
}

fn xlsx(path: &Path, bytes: Vec<u8>, limits: &ReadLimits) -> Result<Vec<RawSheet>, ReadError> {
    let corrupt = |error: calamine::XlsxError| match error {
        calamine::XlsxError::Password => ReadError::Encrypted { path: path.to_path_buf(), kind: Kind::Xlsx },
        other => corrupt(path, Kind::Xlsx, &other),
    };
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(corrupt)?;
    let epoch_1904 = book.has_1904_epoch();
    let mut found = Vec::new();
    for sheet in book.sheets_metadata().to_vec() {
        let mut raw = match RawSheet::start(&sheet) {
            Ok(raw) => raw,
            Err(chart) => {
                found.push(chart);
                continue;
            }
        };
        let mut taken = Taken::default();
        {
            let mut reader = book.worksheet_cells_reader(&sheet.name).map_err(corrupt)?;
            let formats: Vec<Option<String>> = reader
                .styles()
                .iter()
                .map(|style| style.number_format.as_ref().map(|format| format.format_code.clone()))
                .collect();
            let converter = Converter::new(epoch_1904, &formats);
            while let Some((cell, style)) = reader.next_cell_with_style_id().map_err(corrupt)? {
                converter.take(&mut taken, cell.get_position(), cell.get_value(), style);
                check_cells(path, taken.cells.len(), limits)?;
            }
        }
        if taken.blanks > 0 {
            let mut reader = book.worksheet_cells_reader(&sheet.name).map_err(corrupt)?;
            while let Some(formula) = reader.next_formula().map_err(corrupt)? {
                if !formula.get_value().is_empty() {
                    taken.formula(formula.get_position());
                }
            }
        }
        let merges = book.merge_cells_by_sheet_name(&sheet.name).unwrap_or_default();
        raw.fill(taken, &merges);
        found.push(raw);
    }
    Ok(found)
}

fn xls(path: &Path, bytes: Vec<u8>, limits: &ReadLimits) -> Result<Vec<RawSheet>, ReadError> {
    let corrupt = |error: calamine::XlsError| match error {
        calamine::XlsError::Password => ReadError::Encrypted { path: path.to_path_buf(), kind: Kind::Xls },
        other => corrupt(path, Kind::Xls, &other),
    };
    let mut book: Xls<_> = Xls::new(Cursor::new(bytes)).map_err(corrupt)?;
    let epoch_1904 = book.has_1904_epoch();
    let mut found = Vec::new();
    for sheet in book.sheets_metadata().to_vec() {
        let merges = book.merge_cells_by_sheet_name(&sheet.name).unwrap_or_default();
        found.push(match RawSheet::start(&sheet) {
            Ok(raw) => {
                let range = book.worksheet_range(&sheet.name).map_err(corrupt)?;
                raw.filled_from(path, &range, epoch_1904, &merges, limits)?
            }
            Err(chart) => chart,
        });
    }
    Ok(found)
}

fn ods(path: &Path, bytes: Vec<u8>, limits: &ReadLimits) -> Result<Vec<RawSheet>, ReadError> {
    let corrupt = |error: calamine::OdsError| match error {
        calamine::OdsError::Password => ReadError::Encrypted { path: path.to_path_buf(), kind: Kind::Ods },
        other => corrupt(path, Kind::Ods, &other),
    };
    let merges = ods_merges::merges(&content(&bytes));
    let mut book: Ods<_> = Ods::new(Cursor::new(bytes)).map_err(corrupt)?;
    let mut found = Vec::new();
    for sheet in book.sheets_metadata().to_vec() {
        found.push(match RawSheet::start(&sheet) {
            Ok(raw) => {
                let range = book.worksheet_range(&sheet.name).map_err(corrupt)?;
                let mut raw = raw.filled_from(path, &range, false, &[], limits)?;
                raw.merges = merges.get(&sheet.name).cloned().unwrap_or_default();
                raw
            }
            Err(chart) => chart,
        });
    }
    Ok(found)
}

/// Text of the part with the cells; its size was checked.
fn content(bytes: &[u8]) -> String {
    let mut text = String::new();
    let part = zip::ZipArchive::new(Cursor::new(bytes)).ok().and_then(|mut archive| {
        archive
            .by_name("content.xml")
            .ok()
            .map(|mut part| std::io::Read::read_to_string(&mut part, &mut text).is_ok())
    });
    if part == Some(true) { text } else { String::new() }
}

impl RawSheet {
    /// Starts a sheet of cells; `Err` is the note about a sheet that has none by its kind.
    fn start(sheet: &Sheet) -> Result<Self, Self> {
        let hidden = sheet.visible != SheetVisible::Visible;
        let mut raw = Self {
            name: sheet.name.clone(),
            cells: Vec::new(),
            merges: Vec::new(),
            hidden,
            notes: Vec::new(),
        };
        if sheet.typ == SheetType::WorkSheet {
            return Ok(raw);
        }
        raw.notes
            .push(format!("sheet {} is no worksheet (a chart or macro sheet): it has no cells", sheet.name));
        Err(raw)
    }

    fn filled_from(
        mut self,
        path: &Path,
        range: &calamine::Range<Data>,
        epoch_1904: bool,
        merges: &[Dimensions],
        limits: &ReadLimits,
    ) -> Result<Self, ReadError> {
        let converter = Converter::new(epoch_1904, &[]);
        let mut taken = Taken::default();
        let (top, left) = range.start().unwrap_or_default();
        for (row, column, value) in range.used_cells() {
            let place = (top + row as u32, left + column as u32);
            converter.take(&mut taken, place, &borrowed(value), usize::MAX);
            check_cells(path, taken.cells.len(), limits)?;
        }
        self.fill(taken, merges);
        Ok(self)
    }

    /// Takes what was read over, with notes about what has no value.
    fn fill(&mut self, taken: Taken, merges: &[Dimensions]) {
        let place = |(row, column): (u32, u32)| format!("{}{}", column_letters(column), row + 1);
        if let Some((count, first)) = taken.errors {
            let name = &self.name;
            self.notes
                .push(format!("sheet {name}: {count} cells hold an error ({first}) and are empty here"));
        }
        if let Some((count, first)) = taken.formulas {
            let (name, first) = (&self.name, place(first));
            self.notes.push(format!(
                "sheet {name}: {count} formulas have no stored result (first {first}): open and save the file in a spreadsheet program"
            ));
        }
        if taken.cells.is_empty() {
            self.notes.push(format!("sheet {} is empty", self.name));
        }
        self.cells = taken.cells;
        self.merges = merges.iter().map(|merge| Merge { start: merge.start, end: merge.end }).collect();
    }
}

/// XLSX gives references, XLS and ODS values: both are taken the same way.
fn borrowed(value: &Data) -> DataRef<'_> {
    match value {
        Data::Int(number) => DataRef::Int(*number),
        Data::Float(number) => DataRef::Float(*number),
        Data::String(text) => DataRef::SharedString(text),
        Data::Bool(truth) => DataRef::Bool(*truth),
        Data::DateTime(moment) => DataRef::DateTime(*moment),
        Data::DateTimeIso(text) => DataRef::DateTimeIso(text.clone()),
        Data::DurationIso(text) => DataRef::DurationIso(text.clone()),
        Data::Error(error) => DataRef::Error(error.clone()),
        Data::Empty => DataRef::Empty,
    }
}

fn check_cells(path: &Path, cells: usize, limits: &ReadLimits) -> Result<(), ReadError> {
    if cells as u64 > limits.max_cells {
        return Err(super::too_large(
            path,
            "the number of cells",
            cells as u64,
            "max_cells",
            limits.max_cells,
        ));
    }
    Ok(())
}
