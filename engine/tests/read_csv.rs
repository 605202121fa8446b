//! Tables from delimited text, by the cases of tabular ingestion.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampSecondType};
use arrow_array::{Array, RecordBatch};
use polyrag::decide::table::{ColumnKind, Table};
use polyrag::read::{ReadLimits, Reader, Source, read};

fn tables(name: &str, bytes: &[u8]) -> Vec<Table> {
    let reading = read(Path::new(name), bytes.to_vec(), &Reader::new(&ReadLimits::default())).unwrap();
    reading
        .sources
        .into_iter()
        .flat_map(|source| match source {
            Source::Tables(tables) => tables,
            Source::Text(text) => panic!("not a table: {text:?}"),
        })
        .collect()
}

fn table(text: &str) -> Table {
    let mut found = tables("dados.csv", text.as_bytes());
    assert_eq!(found.len(), 1, "{text:?}");
    found.remove(0)
}

/// Returns a cell as text: `NULL`, ISO dates, numbers as Rust writes them.
fn cell(batch: &RecordBatch, column: usize, row: usize) -> String {
    let array = batch.column(column);
    if array.is_null(row) {
        return "NULL".into();
    }
    use arrow_schema::DataType::{Boolean, Date32, Float64, Int64, Timestamp, Utf8};
    match array.data_type() {
        Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        Float64 => array.as_primitive::<Float64Type>().value(row).to_string(),
        Utf8 => array.as_string::<i32>().value(row).to_owned(),
        Boolean => array.as_boolean().value(row).to_string(),
        Date32 => array.as_primitive::<Date32Type>().value_as_date(row).unwrap().to_string(),
        Timestamp(..) => {
            array.as_primitive::<TimestampSecondType>().value_as_datetime(row).unwrap().to_string()
        }
        other => panic!("unexpected type {other}"),
    }
}

fn rows(table: &Table) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for batch in &table.batches {
        for row in 0..batch.num_rows() {
            rows.push((0..batch.num_columns()).map(|column| cell(batch, column, row)).collect());
        }
    }
    assert_eq!(rows.len() as u64, table.info.rows);
    rows
}

fn column(table: &Table, name: &str) -> Vec<String> {
    let at = table.info.columns.iter().position(|column| column.name == name).unwrap();
    rows(table).into_iter().map(|row| row[at].clone()).collect()
}

fn names(table: &Table) -> Vec<&str> {
    table.info.columns.iter().map(|column| column.name.as_str()).collect()
}

fn kinds(table: &Table) -> Vec<ColumnKind> {
    table.info.columns.iter().map(|column| column.kind).collect()
}

fn check_kind(cells: &[&str], expected: ColumnKind, values: &[&str]) {
    let text = format!("x|y\n{}", cells.iter().map(|cell| format!("{cell}|w\n")).collect::<String>());
    let found = table(&text);
    assert_eq!(found.info.columns[0].kind, expected, "{cells:?}: {}", found.info.columns[0].decision);
    assert_eq!(column(&found, "x"), values, "{cells:?}");
}

use ColumnKind::{Boolean, Date, DateTime, Integer, Real, Text};

#[test]
fn t01_byte_order_marks_are_no_part_of_a_name() {
    let text = "id,nome\n1,Ana\n2,João\n";
    let mut utf8 = b"\xef\xbb\xbf".to_vec();
    utf8.extend(text.bytes());
    let wide = |mark: [u8; 2], unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(unit)).collect()
    };
    let unmarked: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf32: Vec<u8> =
        [0xff, 0xfe, 0, 0].into_iter().chain(text.chars().flat_map(|c| (c as u32).to_le_bytes())).collect();
    for (bytes, encoding) in [
        (utf8, "UTF-8 with BOM"),
        (wide([0xff, 0xfe], u16::to_le_bytes), "UTF-16LE"),
        (wide([0xfe, 0xff], u16::to_be_bytes), "UTF-16BE"),
        (unmarked, "UTF-16LE"),
        (utf32, "UTF-32LE"),
    ] {
        let found = &tables("pessoas.csv", &bytes)[0];
        assert_eq!(names(found), ["id", "nome"]);
        assert_eq!(found.info.columns[0].header, "id");
        assert_eq!(rows(found), [["1", "Ana"], ["2", "João"]]);
        assert!(found.info.dialect.contains(&format!("encoding {encoding}")), "{:?}", found.info.dialect);
    }
}

#[test]
fn t04_legacy_encodings_are_found_and_recorded() {
    for (bytes, encoding, expected) in [
        (&b"cidade;uf\nS\xE3o Jos\xE9;SC\n"[..], "windows-1252", "São José"),
        (b"cidade;uf\nGoi\xE2nia \x96 centro;GO\n", "windows-1252", "Goiânia – centro"),
        (b"cidade;uf\n\x83\x65\x83\x58\x83\x67\x82\xc5\x82\xb7;JP\n", "Shift_JIS", "テストです"),
        (
            b"cidade;uf\n\xcc\xee\xf1\xea\xe2\xe0 \xe8 \xcf\xe5\xf0\xec\xfc;RU\n",
            "windows-1251",
            "Москва и Пермь",
        ),
    ] {
        let found = &tables("cidades.csv", bytes)[0];
        assert_eq!(column(found, "cidade"), [expected]);
        assert!(found.info.dialect.contains(&format!("encoding {encoding}")), "{:?}", found.info.dialect);
    }
}

#[test]
fn t04_one_stray_byte_does_not_spoil_the_rest() {
    let mut bytes = b"cidade;uf\n".to_vec();
    for _ in 0..30 {
        bytes.extend("São José;SC\n".bytes());
    }
    bytes.extend(b"Bel\xe9m;PA\n");
    let reading = read(Path::new("c.csv"), bytes, &Reader::new(&ReadLimits::default())).unwrap();
    let Source::Tables(found) = &reading.sources[0] else { panic!() };
    let cities = column(&found[0], "cidade");
    assert_eq!((cities[0].as_str(), cities[30].as_str()), ("São José", "Belém"));
    assert_eq!(reading.warnings[0].line, Some(32));
}

#[test]
fn t05_codes_keep_their_zeros() {
    let found = table("conta,centro,nf,valor\n0010,00042,000123,125.50\n0100,007,000124,50\n");
    assert_eq!(kinds(&found), [Text, Text, Text, Real]);
    assert_eq!(rows(&found)[0], ["0010", "00042", "000123", "125.5"]);
    check_kind(&["\"0010\"", "\"20\""], Text, &["0010", "20"]);
    check_kind(&["0", "10", "7"], Integer, &["0", "10", "7"]);
    check_kind(&["1", "02", "3"], Text, &["1", "02", "3"]);
    check_kind(&["0.5", "0.25"], Real, &["0.5", "0.25"]);
    check_kind(&["+5511987654321", "+5511987654322"], Text, &["+5511987654321", "+5511987654322"]);
    let key = "35240112345678000195550010000001231000001234";
    check_kind(&[key, "12"], Text, &[key, "12"]);
    check_kind(&["12E4", "13E5"], Text, &["12E4", "13E5"]);
}

#[test]
fn t05_one_late_code_makes_the_whole_column_text() {
    let mut text = String::from("id,valor\n");
    for row in 1..30_000 {
        text += &format!("{row},{row}\n");
    }
    text += "007,1\n";
    let found = table(&text);
    assert_eq!(kinds(&found), [Text, Integer]);
    assert!(
        found.info.columns[0].decision.contains("line 30001 is `007`"),
        "{}",
        found.info.columns[0].decision
    );
}

#[test]
fn t07_the_largest_integer_stays_an_integer() {
    check_kind(&["9223372036854775807", "1"], Integer, &["9223372036854775807", "1"]);
    check_kind(&["-9223372036854775808", "1"], Integer, &["-9223372036854775808", "1"]);
    check_kind(&["9223372036854775808", "1"], Text, &["9223372036854775808", "1"]);
}

#[test]
fn t08_duplicate_headers() {
    let found = table("c;c;c;c_1\n1;2;3;4\n");
    assert_eq!(names(&found), ["c", "c_2", "c_3", "c_1"]);
    assert_eq!(rows(&found), [["1", "2", "3", "4"]]);
}

#[test]
fn t09_blank_headers() {
    let found = table("nome,,\nAna,1,2\n");
    assert_eq!(names(&found), ["nome", "col_2", "col_3"]);
    assert_eq!(rows(&found), [["Ana", "1", "2"]]);
    assert_eq!(names(&table("nome,,\nAna,X,Y\nBia,Z,W\n")), ["nome", "col_2", "col_3"]);
    assert_eq!(names(&table(",nome\n1,Ana\n2,Bia\n")), ["col_1", "nome"]);
}

#[test]
fn t10_nothing_is_a_date_by_accident() {
    let found = table("Endereço 1,n\nLOTE A 90,1\n12;12;12,2\n");
    assert_eq!(kinds(&found), [Text, Integer]);
    assert_eq!(column(&found, "endereco_1"), ["LOTE A 90", "12;12;12"]);
    check_kind(&["12/03/2024", "Maio 90"], Text, &["12/03/2024", "Maio 90"]);
    check_kind(&["1.2.3", "4.5.6"], Text, &["1.2.3", "4.5.6"]);
    check_kind(&["31/02/2024", "01/03/2024"], Text, &["31/02/2024", "01/03/2024"]);
    check_kind(&["2024-03-05", "05/03/2024"], Text, &["2024-03-05", "05/03/2024"]);
}

#[test]
fn t12_delimiters() {
    for (text, delimiter) in [
        ("a\tb\n1\t2", "tab"),
        ("a|b\n1|2", "pipe"),
        ("a;b\n1,5;2,5", "semicolon"),
        ("a,b\n1.5,2.5", "comma"),
        ("sep=;\na;b\n1;2", "semicolon"),
    ] {
        let found = table(text);
        assert_eq!(names(&found), ["a", "b"], "{text:?}");
        assert_eq!(found.info.rows, 1);
        assert!(found.info.dialect.contains(&format!("delimiter {delimiter}")), "{:?}", found.info.dialect);
    }
    assert_eq!(rows(&tables("x.tsv", b"a\tb\n1,5\t2\n")[0]), [["1.5", "2"]]);
    assert_eq!(rows(&table("nome\nSilva, Ana\nSouza, Bia\n")), [["Silva, Ana"], ["Souza, Bia"]]);
}

#[test]
fn t16_several_tables_in_one_file() {
    let found = tables(
        "f.csv",
        b"Vendas\n\nregiao,valor\nNorte,10\nSul,5\n\nnome,cargo,idade\nAna,Gerente,40\nBia,Chefe,50\n",
    );
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].info.caption.as_deref(), Some("Vendas"));
    assert_eq!((found[0].info.rows, found[1].info.rows), (2, 2));
    assert_eq!(names(&found[1]), ["nome", "cargo", "idade"]);
    assert_eq!(found[1].info.location, "lines 7-9");
    // Blank lines, also of delimiters, between rows of one table do not part it.
    assert_eq!(table("a,b\nx,1\n\ny,2\n,\nz,3\n").info.rows, 3);
    // A header printed again on each page is no row.
    let paged = table("a,b\nx,1\n\na,b\ny,2\n");
    assert_eq!(rows(&paged), [["x", "1"], ["y", "2"]]);
}

#[test]
fn t20_roll_up_rows_are_flagged_and_kept() {
    let found =
        table("região,valor\nNorte,10\nNorte,20\nNorte Total,30\nSul,5\nSul Total,5\nTotal geral,35\n");
    assert_eq!(found.info.rollup_rows, [2, 4, 5]);
    assert_eq!(found.info.rows, 6);
    let kept: i64 = (0..6)
        .filter(|row| !found.info.rollup_rows.contains(row))
        .map(|row| rows(&found)[row as usize][1].parse::<i64>().unwrap())
        .sum();
    assert_eq!(kept, 35);
    let found = table("Data;Valor\n14/11/2023;1.000,50\n15/11/2023;10,00\nTotal;1.010,50\n");
    assert_eq!((kinds(&found), found.info.rollup_rows.clone()), (vec![Date, Real], vec![2]));
    assert_eq!(column(&found, "data"), ["2023-11-14", "2023-11-15", "NULL"]);
    let found = table("loja,valor\nTotal,35\nA,30\nB,5\n");
    assert_eq!(found.info.rollup_rows, [0]);
    // A label alone is not enough.
    let found = table("empresa,valor\nTotal Energies,7\nOutra,5\n");
    assert_eq!(found.info.rollup_rows, [0_u64; 0]);
    assert!(found.info.warnings.iter().any(|warning| warning.line == Some(2)));
}

#[test]
fn t22_ragged_rows_are_kept_and_named() {
    let found = table("a,b\n1,2\n3,4,5\n6\n");
    assert_eq!(rows(&found), [["1", "2", "NULL"], ["3", "4", "5"], ["6", "NULL", "NULL"]]);
    let lines: Vec<Option<u64>> = found.info.warnings.iter().map(|warning| warning.line).collect();
    assert_eq!(lines, [Some(3), Some(4)]);
    // Cells far beyond the header are joined, not lost.
    let long = format!("a,b\n1,2\n{}\n", (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
    let found = table(&long);
    assert!(rows(&found)[1].last().unwrap().ends_with("38 | 39"));
    // A stray quote swallows no rows.
    let found = table("a,b\n1,\"x\n2,y\n3,z\n");
    assert_eq!(column(&found, "b"), ["\"x", "y", "z"]);
}

#[test]
fn t22_many_ragged_rows_are_counted() {
    let mut text = String::from("a,b,c\n");
    for row in 0..500 {
        text += &format!("x{row},{row}\n{row},y,z\n");
    }
    let found = table(&text);
    assert_eq!(found.info.rows, 1000);
    assert!(found.info.warnings.len() <= 60);
    assert!(found.info.warnings.iter().any(|warning| warning.message.contains("450 more rows")));
}

#[test]
fn t23_empty_cells_are_null() {
    let found = table("nome,idade,data\nAna,,\n,3,2024-01-02\nBia,-,n/a\n");
    assert_eq!(kinds(&found), [Text, Integer, Date]);
    assert_eq!(rows(&found), [["Ana", "NULL", "NULL"], ["NULL", "3", "2024-01-02"], ["Bia", "NULL", "NULL"]]);
    // Words are not taken for "no value" in a text column.
    check_kind(&["NA", "TO", "-"], Text, &["NA", "TO", "-"]);
}

#[test]
fn t25_day_and_month_are_told_apart_by_the_column() {
    let found = table("Date,v\n11/01/2023,1\n11/14/2023,2\n");
    assert_eq!(column(&found, "date"), ["2023-11-01", "2023-11-14"]);
    let found = table("Data,v\n14/11/2023,1\n01/02/2024,2\n");
    assert_eq!(column(&found, "data"), ["2023-11-14", "2024-02-01"]);
    let found = table("Data,v\n01/02/2024,1\n03/04/2024,2\n");
    assert_eq!(column(&found, "data"), ["2024-02-01", "2024-04-03"]);
    assert!(found.info.warnings[0].message.contains("no date tells day from month"));
    // Another column of the file may tell.
    let found = table("a,b\n01/02/2024,01/13/2024\n03/04/2024,01/02/2024\n");
    assert_eq!(column(&found, "a"), ["2024-01-02", "2024-03-04"]);
    // Both orders in one column: kept as written, and said.
    let found = table("d,v\n14/11/2023,1\n11/14/2023,2\n");
    assert_eq!((kinds(&found)[0], found.info.warnings.len()), (Text, 1));
    check_kind(&["5 de março de 2024", "1º de abril de 2024"], Date, &["2024-03-05", "2024-04-01"]);
    check_kind(&["14.11.23 ", "01.02.24"], Text, &["14.11.23", "01.02.24"]);
    check_kind(&["14/11/23", "01/02/99"], Date, &["2023-11-14", "1999-02-01"]);
    check_kind(
        &["2024-01-02 10:00", "2024-01-03"],
        DateTime,
        &["2024-01-02 10:00:00", "2024-01-03 00:00:00"],
    );
}

#[test]
fn numbers_with_marks_and_units() {
    check_kind(&["1.234,50", "10,00"], Real, &["1234.5", "10"]);
    check_kind(&["1,234.50", "10.00"], Real, &["1234.5", "10"]);
    check_kind(&["1.234.567", "1.000"], Integer, &["1234567", "1000"]);
    check_kind(&["1 234,5", "12,5"], Real, &["1234.5", "12.5"]);
    check_kind(&["1.234,5", "1,234.5"], Text, &["1.234,5", "1,234.5"]);
    check_kind(&["1.5e-3", "2E+05"], Real, &["0.0015", "200000"]);
    check_kind(&["(1.234,50)", "-3,00"], Real, &["-1234.5", "-3"]);
    for (cells, unit, values) in [
        (["R$ 1.234,50", "R$ 10,00"], "R$", ["1234.5", "10"]),
        (["7,02%", "6,3%"], "%", ["7.02", "6.3"]),
        (["10.5 kg", "2.25 kg"], "kg", ["10.5", "2.25"]),
        (["-US$ 3.50", "US$ 4.00"], "US$", ["-3.5", "4"]),
    ] {
        check_kind(&cells, Real, &values);
        let text = format!("x|y\n{}|w\n{}|w\n", cells[0], cells[1]);
        assert_eq!(table(&text).info.columns[0].unit.as_deref(), Some(unit));
    }
    check_kind(&["10 kg", "500 g"], Text, &["10 kg", "500 g"]);
    check_kind(&["12%", "0.12"], Text, &["12%", "0.12"]);
    // Nothing in the column tells: the file's other numbers do, else it is said.
    let found = table("a;b\n1.234;2,5\n5.678;3,5\n");
    assert_eq!(
        (kinds(&found), column(&found, "a")),
        (vec![Integer, Real], vec!["1234".into(), "5678".into()])
    );
    let found = table("a,b\n1.234,x\n5.678,y\n");
    assert!(found.info.warnings[0].message.contains("thousands mark"));
}

#[test]
fn truth_values_are_words_and_both_occur() {
    check_kind(&["sim", "não", "SIM"], Boolean, &["true", "false", "true"]);
    check_kind(&["True", "false"], Boolean, &["true", "false"]);
    check_kind(&["sim", "sim"], Text, &["sim", "sim"]);
    check_kind(&["S", "N"], Text, &["S", "N"]);
    check_kind(&["0", "1"], Integer, &["0", "1"]);
}

#[test]
fn headers_are_told_from_rows() {
    assert_eq!(names(&table("1,2\n3,4\n")), ["col_1", "col_2"]);
    assert_eq!(names(&table("SP,Santos\nSP,Campinas\nRJ,Rio\n")), ["col_1", "col_2"]);
    assert_eq!(names(&table("uf,cidade\nSP,Santos\nRJ,Rio\n")), ["uf", "cidade"]);
    assert_eq!(names(&table("região,2023,2024\nNorte,10,20\nSul,5,6\n")), ["regiao", "c_2023", "c_2024"]);
    let found = table("Relatório de vendas;;\nregião;valor;data\nNorte;10;2024-01-01\n");
    assert_eq!(found.info.caption.as_deref(), Some("Relatório de vendas"));
    assert_eq!(names(&found), ["regiao", "valor", "data"]);
    let found = table("\"Código\nda loja\",valor\nA,1\n");
    assert_eq!(
        (names(&found)[0], found.info.columns[0].header.as_str()),
        ("codigo_da_loja", "Código da loja")
    );
    let found = table("a,b,\n1,2,\n3,4,\n");
    assert_eq!(names(&found), ["a", "b"]);
}
