//! Spreadsheets, made here part by part.
#![allow(clippy::unwrap_used)]

use std::io::{Cursor, Write};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use polyrag::decide::table::{ColumnKind, Table};
use polyrag::read::{Kind, ReadError, ReadLimits, Reader, Reading, Source, read};
use zip::write::SimpleFileOptions;

/// Number formats by style: 0 general, 1 date, 2 percent, 3 reais.
const STYLES: &str = r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<numFmts count="1"><numFmt numFmtId="170" formatCode="[$R$-416]\ #,##0.00"/></numFmts>
<fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders>
<cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="10" applyNumberFormat="1"/><xf numFmtId="170" applyNumberFormat="1"/></cellXfs></styleSheet>"#;

struct Sheet<'a> {
    name: &'a str,
    state: &'a str,
    /// `reference=value` or `reference:style=value`, words in quotes, anything else as XML.
    cells: &'a [&'a str],
    merges: &'a [&'a str],
}

fn cell_xml(cell: &str) -> (u32, String) {
    let (place, value) = cell.split_once('=').unwrap();
    let (reference, style) = place.split_once(':').unwrap_or((place, "0"));
    let row = reference.trim_start_matches(|c: char| c.is_ascii_uppercase()).parse().unwrap();
    let xml = if let Some(words) = value.strip_prefix('\'') {
        format!(r#"<c r="{reference}" t="inlineStr"><is><t>{words}</t></is></c>"#)
    } else if let Some(formula) = value.strip_prefix('~') {
        format!(r#"<c r="{reference}"><f>{formula}</f></c>"#)
    } else if value.starts_with('#') {
        format!(r#"<c r="{reference}" t="e"><v>{value}</v></c>"#)
    } else {
        format!(r#"<c r="{reference}" s="{style}"><v>{value}</v></c>"#)
    };
    (row, xml)
}

fn sheet_xml(sheet: &Sheet<'_>) -> String {
    let mut rows: std::collections::BTreeMap<u32, String> = std::collections::BTreeMap::new();
    for cell in sheet.cells {
        let (row, xml) = cell_xml(cell);
        rows.entry(row).or_default().push_str(&xml);
    }
    let rows: String = rows.iter().map(|(row, cells)| format!(r#"<row r="{row}">{cells}</row>"#)).collect();
    let merges: String = sheet.merges.iter().map(|merge| format!(r#"<mergeCell ref="{merge}"/>"#)).collect();
    let merges = if merges.is_empty() { merges } else { format!("<mergeCells>{merges}</mergeCells>") };
    format!(
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData>{merges}</worksheet>"#
    )
}

fn workbook(sheets: &[Sheet<'_>], epoch_1904: bool) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let mut parts: Vec<(String, String)> = vec![
        (
            "[Content_Types].xml".into(),
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>".into(),
        ),
        (
            "_rels/.rels".into(),
            format!(
                r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="{main}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
            ),
        ),
        ("xl/styles.xml".into(), STYLES.into()),
    ];
    let (mut list, mut relations) = (String::new(), String::new());
    for (index, sheet) in sheets.iter().enumerate() {
        let number = index + 1;
        list += &format!(
            r#"<sheet name="{}" sheetId="{number}" state="{}" r:id="s{number}"/>"#,
            sheet.name, sheet.state
        );
        relations += &format!(
            r#"<Relationship Id="s{number}" Type="{main}/worksheet" Target="worksheets/sheet{number}.xml"/>"#
        );
        parts.push((format!("xl/worksheets/sheet{number}.xml"), sheet_xml(sheet)));
    }
    let epoch = if epoch_1904 { r#"<workbookPr date1904="1"/>"# } else { "" };
    parts.push((
        "xl/workbook.xml".into(),
        format!(r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{main}">{epoch}<sheets>{list}</sheets></workbook>"#),
    ));
    parts.push((
        "xl/_rels/workbook.xml.rels".into(),
        format!(r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{relations}<Relationship Id="st" Type="{main}/styles" Target="styles.xml"/></Relationships>"#),
    ));
    packed(parts.iter().map(|(name, content)| (name.as_str(), content.as_bytes())))
}

fn packed<'a>(parts: impl Iterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn visible<'a>(name: &'a str, cells: &'a [&'a str], merges: &'a [&'a str]) -> Sheet<'a> {
    Sheet { name, state: "visible", cells, merges }
}

fn reading(sheets: &[Sheet<'_>]) -> Reading {
    read(Path::new("livro.xlsx"), workbook(sheets, false), &Reader::new(&ReadLimits::default())).unwrap()
}

fn tables(reading: &Reading) -> &[Table] {
    match &reading.sources[..] {
        [Source::Tables(tables)] => tables,
        other => panic!("{other:?}"),
    }
}

fn names(table: &Table) -> Vec<&str> {
    table.info.columns.iter().map(|column| column.name.as_str()).collect()
}

#[test]
fn t13_merged_cells_are_filled() {
    let cells = ["A1='região", "B1='valor", "A2='Norte", "B2=10", "B3=20"];
    let found = reading(&[visible("Plan1", &cells, &["A2:A3"])]);
    let table = &tables(&found)[0];
    let batch = &table.batches[0];
    let regions: Vec<Option<&str>> = batch.column(0).as_string::<i32>().iter().collect();
    assert_eq!(regions, [Some("Norte"), Some("Norte")]);
    assert_eq!(batch.column(1).as_primitive::<Int64Type>().values(), &[10, 20]);
    assert_eq!((table.info.name.as_str(), table.info.location.as_str()), ("livro", "sheet Plan1, rows 1-3"));
}

#[test]
fn t14_merged_cells_without_a_value_or_above_the_header() {
    let cells = ["A1='Título", "A3='região", "B3='valor", "A4='Norte", "B4=10"];
    for merges in [&["C8:D9"][..], &["A1:B1"], &["A1:A2", "B1:B3"], &["A1:XFD1048576"]] {
        let found = reading(&[visible("P", &cells, merges)]);
        assert_eq!(tables(&found)[0].info.rows, 1, "{merges:?}");
    }
}

#[test]
fn t16_two_tables_on_a_sheet() {
    let cells = ["A1='a", "B1='b", "A2='x", "B2=1", "A4='c", "B4='d", "C4='e", "A5='y", "B5=2", "C5=3"];
    let found = reading(&[visible("P", &cells, &[])]);
    let found: Vec<(&str, Vec<&str>)> =
        tables(&found).iter().map(|table| (table.info.location.as_str(), names(table))).collect();
    assert_eq!(found, [("sheet P, rows 1-2", vec!["a", "b"]), ("sheet P, rows 4-5", vec!["c", "d", "e"])]);
}

#[test]
fn formats_give_dates_and_units() {
    let cells = [
        "A1='dia",
        "B1='taxa",
        "C1='preço",
        "D1='código",
        "A2:1=45000",
        "B2:2=0.1169",
        "C2:3=1.234",
        "D2='007",
        "A3:1=45001",
        "B3:2=0.07",
        "C3:3=10",
        "D3='010",
    ];
    let found = reading(&[visible("P", &cells, &[])]);
    let table = &tables(&found)[0];
    let kinds: Vec<ColumnKind> = table.info.columns.iter().map(|column| column.kind).collect();
    assert_eq!(kinds, [ColumnKind::Date, ColumnKind::Real, ColumnKind::Real, ColumnKind::Text]);
    let units: Vec<Option<&str>> = table.info.columns.iter().map(|column| column.unit.as_deref()).collect();
    assert_eq!(units, [None, Some("%"), Some("R$"), None]);
    let batch = &table.batches[0];
    assert_eq!(
        batch.column(0).as_primitive::<Date32Type>().value_as_date(0).unwrap().to_string(),
        "2023-03-15"
    );
    assert_eq!(batch.column(1).as_primitive::<Float64Type>().values(), &[11.69, 7.0]);
    assert_eq!(batch.column(2).as_primitive::<Float64Type>().values(), &[1.234, 10.0]);
    assert!(table.info.warnings.is_empty(), "{:?}", table.info.warnings);
}

#[test]
fn both_date_epochs() {
    let cells = ["A1='dia", "B1='n", "A2:1=43538", "B2=1"];
    for (epoch_1904, expected) in [(false, "2019-03-14"), (true, "2023-03-15")] {
        let bytes = workbook(&[visible("P", &cells, &[])], epoch_1904);
        let found = read(Path::new("l.xlsx"), bytes, &Reader::new(&ReadLimits::default())).unwrap();
        let column = tables(&found)[0].batches[0].column(0).clone();
        assert_eq!(column.as_primitive::<Date32Type>().value_as_date(0).unwrap().to_string(), expected);
    }
}

#[test]
fn hidden_sheets_errors_and_formulas_are_told() {
    let cells = ["A1='a", "B1='b", "A2='x", "B2=1", "A3='y", "B3=#DIV/0!"];
    let formulas = ["A1='c", "B1='d", "A2='x", "B2=1", "A3='y", "B3=~SUM(B2:B2)"];
    let found = reading(&[
        visible("Vendas", &cells, &[]),
        Sheet { name: "Oculta", state: "veryHidden", cells: &formulas, merges: &[] },
        visible("Vazia", &[], &[]),
    ]);
    let messages: Vec<&str> = found.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert!(messages[0].contains("sheet Vendas: 1 cells hold an error (#DIV/0!)"), "{messages:?}");
    assert!(messages[1].contains("1 formulas have no stored result (first B3)"), "{messages:?}");
    assert!(messages[2].contains("sheet Vazia is empty"), "{messages:?}");
    let tables = tables(&found);
    assert_eq!(
        (tables[0].info.name.as_str(), tables[1].info.name.as_str()),
        ("livro_vendas", "livro_oculta")
    );
    assert_eq!(tables[0].info.columns[1].kind, ColumnKind::Integer);
    assert!(tables[1].info.warnings.iter().any(|warning| warning.message.contains("is hidden")));
}

#[test]
fn far_cells_cost_nothing() {
    let cells = ["A1='a", "B1='b", "A2='x", "B2=1", "XFD1048576='longe"];
    let found = reading(&[visible("P", &cells, &[])]);
    assert_eq!(tables(&found)[0].info.rows, 1);
    let far: Vec<&str> = tables(&found).iter().map(|table| table.info.location.as_str()).collect();
    assert!(far.len() == 2 || !tables(&found)[0].info.warnings.is_empty(), "{far:?}");
}

#[test]
fn bombs_damage_and_wrong_names_are_refused() {
    let zeros = vec![b' '; 3_000_000];
    let bomb = packed([("xl/workbook.xml", zeros.as_slice())].into_iter());
    let limits = ReadLimits { max_expanded_bytes: 1_000_000, ..ReadLimits::default() };
    let error = read(Path::new("b.xlsx"), bomb.clone(), &Reader::new(&limits)).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { .. }), "{error}");
    let error = read(Path::new("b.xlsx"), bomb, &Reader::new(&ReadLimits::default())).unwrap_err();
    assert!(matches!(error, ReadError::Corrupt { kind: Kind::Xlsx, .. }), "{error}");
    let good = workbook(&[visible("P", &["A1='a", "B1=1"], &[])], false);
    for cut in [good.len() / 2, good.len() - 10, 40] {
        let error = read(Path::new("b.xlsx"), good[..cut].to_vec(), &Reader::new(&ReadLimits::default()))
            .unwrap_err();
        assert!(matches!(error, ReadError::Corrupt { .. }) && error.hint().is_some(), "{error}");
    }
    let error = read(Path::new("b.csv"), good.clone(), &Reader::new(&ReadLimits::default())).unwrap_err();
    assert!(matches!(error, ReadError::Mismatch { found: Kind::Xlsx, .. }), "{error}");
    let limits = ReadLimits { max_cells: 1, ..ReadLimits::default() };
    assert!(matches!(
        read(Path::new("b.xlsx"), good, &Reader::new(&limits)).unwrap_err(),
        ReadError::TooLarge { .. }
    ));
    let empty = workbook(&[visible("P", &[], &[])], false);
    assert!(matches!(
        read(Path::new("b.xlsx"), empty, &Reader::new(&ReadLimits::default())).unwrap_err(),
        ReadError::Empty { .. }
    ));
    let locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0".to_vec();
    let error = read(Path::new("b.xlsx"), locked, &Reader::new(&ReadLimits::default())).unwrap_err();
    assert!(
        matches!(error, ReadError::Encrypted { .. }) && error.hint().unwrap().contains("password"),
        "{error}"
    );
}
