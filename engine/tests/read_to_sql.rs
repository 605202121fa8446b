//! Files of several formats, read, stored and asked through the guarded connection.
#![allow(clippy::unwrap_used)]

mod read_support;
mod sql_support;

use read_support::{docx, p, packed, tables};
use serde_json::json;
use sql_support::Catalog;

/// Reads a file and stores its tables.
fn stored(name: &str, bytes: Vec<u8>) -> Catalog {
    let mut catalog = Catalog::new();
    for table in tables(name, bytes) {
        catalog.add(1, &table);
    }
    catalog
}

/// The same rows as CSV, JSON, JSON lines, HTML, Markdown and a Word document.
fn everywhere(header: &[&str], rows: &[Vec<String>], check: impl Fn(&str, Catalog)) {
    let line = |cells: &[String]| cells.join(";");
    let head: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
    let csv =
        std::iter::once(line(&head)).chain(rows.iter().map(|row| line(row))).collect::<Vec<_>>().join("\n");
    check("csv", stored("dados.csv", csv.into_bytes()));
    let value = |cell: &String| cell.parse::<i64>().map_or_else(|_| json!(cell), |number| json!(number));
    let record = |row: &Vec<String>| -> serde_json::Value {
        header
            .iter()
            .zip(row)
            .map(|(name, cell)| ((*name).to_owned(), value(cell)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let records: Vec<serde_json::Value> = rows.iter().map(record).collect();
    check("json", stored("dados.json", serde_json::to_vec(&records).unwrap()));
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    check("jsonl", stored("dados.jsonl", lines.into_bytes()));
    let cells = |tag: &str, row: &[String]| {
        row.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect::<String>()
    };
    let body: String = rows.iter().map(|row| format!("<tr>{}</tr>", cells("td", row))).collect();
    let html =
        format!("<meta charset=utf-8><p>Dados</p><table><tr>{}</tr>{body}</table>", cells("th", &head));
    check("html", stored("dados.html", html.into_bytes()));
    let piped = |row: &[String]| format!("| {} |\n", row.join(" | "));
    let table: String = rows.iter().map(|row| piped(row)).collect();
    let markdown = format!("# Dados\n\n{}{}|\n{table}", piped(&head), "|---".repeat(header.len()));
    check("md", stored("dados.md", markdown.into_bytes()));
    let row = |row: &[String]| {
        format!(
            "<w:tr>{}</w:tr>",
            row.iter().map(|cell| format!("<w:tc>{}</w:tc>", p(cell))).collect::<String>()
        )
    };
    let word =
        format!("<w:tbl>{}{}</w:tbl>", row(&head), rows.iter().map(|cells| row(cells)).collect::<String>());
    check("docx", stored("dados.docx", docx(&word, &[], &[])));
}

fn table_name(catalog: &Catalog) -> String {
    polyrag::store::tables::schema(&catalog.writer).unwrap().tables[0].name.clone()
}

#[test]
fn t21_counts_and_repeats_are_exact() {
    let mut rows: Vec<Vec<String>> =
        (0..136).map(|n| vec![format!("usuário {n}"), (n * 3 % 50).to_string()]).collect();
    rows.insert(70, vec!["usuário 12".into(), "7".into()]);
    everywhere(&["usuario", "pontos"], &rows, |format, catalog| {
        let name = table_name(&catalog);
        assert_eq!(catalog.cell(&format!("SELECT COUNT(*) FROM {name}")), json!(137), "{format}");
        let repeated = format!("SELECT usuario, COUNT(*) FROM {name} GROUP BY usuario HAVING COUNT(*) > 1");
        assert_eq!(catalog.rows(&repeated), [[json!("usuário 12"), json!(2)]], "{format}");
    });
}

#[test]
fn t24_quantities_are_summed_in_every_format() {
    let rows = [["TX", "Red", "20"], ["TX", "Red", "5"], ["CA", "Red", "9"]];
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
    everywhere(&["UF", "Cor", "Count"], &rows, |format, catalog| {
        let name = table_name(&catalog);
        let sum = format!("SELECT SUM(count) FROM {name} WHERE uf = 'TX' AND cor = 'red'");
        assert_eq!(catalog.cell(&sum), json!(25), "{format}");
    });
}

#[test]
fn t20_roll_up_rows_are_no_part_of_sums_in_every_format() {
    let rows = [
        ("Norte", 10),
        ("Norte", 20),
        ("Norte Total", 30),
        ("Sul", 5),
        ("Sul Total", 5),
        ("Total geral", 35),
    ];
    let rows: Vec<Vec<String>> =
        rows.iter().map(|(name, value)| vec![(*name).to_owned(), value.to_string()]).collect();
    everywhere(&["região", "valor"], &rows, |format, catalog| {
        let name = table_name(&catalog);
        assert_eq!(catalog.cell(&format!("SELECT SUM(valor) FROM {name}")), json!(35), "{format}");
    });
}

#[test]
fn t05_codes_keep_their_zeros_in_every_format() {
    let rows = [["0010", "000123"], ["0100", "000124"]];
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(|cell| format!("{cell}")).to_vec()).collect();
    for (format, name, bytes) in [
        ("csv", "d.csv", "conta;nf\n0010;000123\n0100;000124\n".to_owned()),
        ("json", "d.json", r#"[{"conta":"0010","nf":"000123"},{"conta":"0100","nf":"000124"}]"#.to_owned()),
        (
            "html",
            "d.html",
            "<table><tr><th>conta<th>nf<tr><td>0010<td>000123<tr><td>0100<td>000124</table>".to_owned(),
        ),
    ] {
        let catalog = stored(name, bytes.into_bytes());
        let found = catalog.rows(&format!("SELECT conta, nf FROM {}", table_name(&catalog)));
        let expected: Vec<Vec<serde_json::Value>> =
            rows.iter().map(|row| row.iter().map(|cell| json!(cell)).collect()).collect();
        assert_eq!(found, expected, "{format}");
    }
}

/// An OpenDocument spreadsheet of one sheet.
fn ods(rows: &str) -> Vec<u8> {
    let content = format!(
        r#"<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="Plan1">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"#
    );
    packed(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        (
            "META-INF/manifest.xml",
            r#"<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>"#,
        ),
        ("content.xml", &content),
    ])
}

fn ods_text(words: &str, settings: &str) -> String {
    format!(
        r#"<table:table-cell office:value-type="string" {settings}><text:p>{words}</text:p></table:table-cell>"#
    )
}

fn ods_number(value: &str) -> String {
    format!(
        r#"<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p></table:table-cell>"#
    )
}

#[test]
fn t13_merged_cells_of_an_opendocument_sheet_are_filled() {
    let rows = [
        format!("<table:table-row>{}{}</table:table-row>", ods_text("região", ""), ods_text("valor", "")),
        format!(
            "<table:table-row>{}{}</table:table-row>",
            ods_text("Norte", r#"table:number-rows-spanned="2""#),
            ods_number("10")
        ),
        format!("<table:table-row><table:covered-table-cell/>{}</table:table-row>", ods_number("20")),
        format!("<table:table-row>{}{}</table:table-row>", ods_text("Sul", ""), ods_number("5.5")),
    ];
    let catalog = stored("livro.ods", ods(&rows.concat()));
    let name = table_name(&catalog);
    let sums = format!("SELECT regiao, SUM(valor) FROM {name} GROUP BY regiao ORDER BY regiao");
    assert_eq!(catalog.rows(&sums), [[json!("Norte"), json!(30.0)], [json!("Sul"), json!(5.5)]]);
}

#[test]
fn dates_and_percents_of_an_opendocument_sheet_are_typed() {
    let date = r#"<table:table-cell office:value-type="date" office:date-value="2024-03-15"><text:p>15/03/24</text:p></table:table-cell>"#;
    let rows = format!(
        "<table:table-row>{}{}{}</table:table-row><table:table-row>{date}{}{}</table:table-row><table:table-row>{date}{}{}</table:table-row>",
        ods_text("dia", ""),
        ods_text("código", ""),
        ods_text("n", ""),
        ods_text("007", ""),
        ods_number("1"),
        ods_text("010", ""),
        ods_number("2")
    );
    let catalog = stored("livro.ods", ods(&rows));
    let name = table_name(&catalog);
    assert_eq!(
        catalog.rows(&format!("SELECT dia, codigo, n FROM {name}"))[0],
        [json!("2024-03-15"), json!("007"), json!(1)]
    );
}

/// A BIFF8 workbook in an OLE container: records of one sheet.
mod xls {
    use std::io::{Cursor, Write};

    fn record(id: u16, data: &[u8]) -> Vec<u8> {
        let mut all = id.to_le_bytes().to_vec();
        all.extend(u16::try_from(data.len()).unwrap().to_le_bytes());
        all.extend(data);
        all
    }

    fn place(row: u16, column: u16) -> Vec<u8> {
        [row.to_le_bytes(), column.to_le_bytes(), 0_u16.to_le_bytes()].concat()
    }

    pub fn text(row: u16, column: u16, words: &str) -> Vec<u8> {
        let units: Vec<u16> = words.encode_utf16().collect();
        let mut data = place(row, column);
        data.extend(u16::try_from(units.len()).unwrap().to_le_bytes());
        data.push(1);
        data.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        record(0x0204, &data)
    }

    pub fn number(row: u16, column: u16, value: f64) -> Vec<u8> {
        let mut data = place(row, column);
        data.extend(value.to_le_bytes());
        record(0x0203, &data)
    }

    pub fn merge(rows: (u16, u16), columns: (u16, u16)) -> Vec<u8> {
        let data: Vec<u8> =
            [1, rows.0, rows.1, columns.0, columns.1].iter().flat_map(|n: &u16| n.to_le_bytes()).collect();
        record(0x00e5, &data)
    }

    pub fn workbook(name: &str, cells: &[Vec<u8>]) -> Vec<u8> {
        let start =
            |kind: u16| record(0x0809, &[0x0600_u16, kind, 0, 0, 0, 0, 0, 0].map(u16::to_le_bytes).concat());
        let end = record(0x000a, &[]);
        let mut sheet = vec![0; 4];
        sheet.extend([0, 0, name.len() as u8, 0]);
        sheet.extend(name.as_bytes());
        let mut globals =
            [start(5), record(0x0042, &1200_u16.to_le_bytes()), record(0x0085, &sheet), end.clone()];
        let offset: usize = globals.iter().map(Vec::len).sum();
        globals[2][4..8].copy_from_slice(&u32::try_from(offset).unwrap().to_le_bytes());
        let mut stream = globals.concat();
        stream.extend(start(0x10));
        stream.extend(cells.concat());
        stream.extend(end);
        // Short streams live elsewhere in the container: fill up to the regular size.
        stream.resize(stream.len().max(4096), 0);
        let container = Cursor::new(Vec::new());
        let mut file = cfb::CompoundFile::create_with_version(cfb::Version::V3, container).unwrap();
        file.create_stream("/Workbook").unwrap().write_all(&stream).unwrap();
        file.flush().unwrap();
        file.into_inner().into_inner()
    }
}

#[test]
fn t13_merged_cells_of_an_old_workbook_are_filled() {
    let cells = [
        xls::text(0, 0, "região"),
        xls::text(0, 1, "valor"),
        xls::text(1, 0, "São José"),
        xls::number(1, 1, 10.0),
        xls::number(2, 1, 20.5),
        xls::merge((1, 2), (0, 0)),
    ];
    let catalog = stored("livro.xls", xls::workbook("Plan1", &cells));
    let name = table_name(&catalog);
    let sums = format!("SELECT regiao, SUM(valor) FROM {name} GROUP BY regiao");
    assert_eq!(catalog.rows(&sums), [[json!("São José"), json!(30.5)]]);
}
