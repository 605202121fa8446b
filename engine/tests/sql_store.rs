//! Storing tables: names, types, roll-ups, keys, profiles, importing SQLite files.
#![allow(clippy::unwrap_used, missing_docs)]

mod sql_support;

use polyrag::decide::table::ColumnKind;
use polyrag::models::Cancel;
use polyrag::store::tables::{SqlError, delete_document, import_sqlite, list, schema, version};
use rusqlite::Connection;
use serde_json::json;
use sql_support::{Catalog, Column, integers, reals, table, texts};

#[test]
fn t07_overflow_is_said_and_integers_stay_exact() {
    let catalog = Catalog::with("t", &[("n", integers(&[9_223_372_036_854_775_807, 1]))]);
    assert_eq!(catalog.query("SELECT SUM(n) FROM t").unwrap_err(), SqlError::Overflow);
    assert_eq!(catalog.cell("SELECT MAX(n) FROM t"), json!(9_223_372_036_854_775_807_i64));
    let catalog = Catalog::with("t", &[("n", integers(&[9_007_199_254_740_993, 1]))]);
    assert_eq!(catalog.cell("SELECT SUM(n) FROM t"), json!(9_007_199_254_740_994_i64));
}

#[test]
fn decimals_do_not_drift() {
    let catalog = Catalog::with("t", &[("v", reals(&[0.1, 0.2]))]);
    assert_eq!(catalog.cell("SELECT SUM(v) FROM t").to_string(), "0.3");
    assert_eq!(catalog.cell("SELECT 0.1 + 0.2").to_string(), "0.3");
    let cents: Vec<f64> = (0..10_000).map(|_| 0.01).collect();
    let catalog = Catalog::with("t", &[("v", reals(&cents))]);
    assert_eq!(catalog.cell("SELECT SUM(v) FROM t").to_string(), "100.0");
    assert_eq!(catalog.cell("SELECT AVG(v) FROM t").to_string(), "0.01");
}

#[test]
fn t20_roll_up_rows_are_kept_but_not_counted() {
    let mut sales = table(
        "vendas",
        &[
            ("região", texts(&["Norte", "Norte", "Norte Total", "Sul", "Sul Total", "Total geral"])),
            ("valor", integers(&[10, 20, 30, 5, 5, 35])),
        ],
    );
    sales.info.rollup_rows = vec![2, 4, 5];
    let mut catalog = Catalog::new();
    catalog.add(1, &sales);
    assert_eq!(catalog.cell("SELECT SUM(valor) FROM vendas"), json!(35));
    assert_eq!(catalog.cell("SELECT COUNT(*) FROM vendas"), json!(3));
    let notes = catalog.query("SELECT SUM(valor) FROM vendas").unwrap().notes;
    assert_eq!(notes[0].words(true), "3 linha(s) de total de vendas fora das somas");
    let card = schema(&catalog.writer).unwrap();
    assert_eq!((card.tables[0].rows, card.tables[0].rollup_rows), (3, 3));
    assert!(!card.tables[0].columns[0].values.iter().any(|value| value.contains("Total")));
    let kept: i64 =
        catalog.writer.query_row("SELECT COUNT(*) FROM t1 WHERE rollup", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 3);
}

#[test]
fn names_that_collide_get_a_suffix_and_say_so() {
    let mut catalog = Catalog::new();
    let first = catalog.add(1, &table("Vendas", &[("v", integers(&[1]))]));
    let second = catalog.add(2, &table("vendas", &[("v", integers(&[2]))]));
    let third = catalog.add(3, &table("sqlite_x", &[("v", integers(&[3]))]));
    assert_eq!((first.name.as_str(), first.renamed_from), ("Vendas", None));
    assert_eq!((second.name.as_str(), second.renamed_from.as_deref()), ("vendas_2", Some("vendas")));
    assert_eq!(third.name, "table_sqlite_x");
    assert_eq!(catalog.cell("SELECT v FROM vendas_2"), json!(2));
    assert_eq!(list(&catalog.writer).unwrap().len(), 3);
}

#[test]
fn deleting_a_document_leaves_nothing() {
    let mut catalog = Catalog::new();
    catalog.add(1, &table("a", &[("id", integers(&[1, 2])), ("nome", texts(&["x1", "y1"]))]));
    catalog.add(2, &table("b", &[("a_id", integers(&[1, 2]))]));
    assert_eq!(schema(&catalog.writer).unwrap().tables[1].foreign_keys.len(), 1);
    let before = version(&catalog.writer).unwrap();
    let tx = catalog.writer.transaction().unwrap();
    assert_eq!(delete_document(&tx, 1).unwrap(), ["a"]);
    tx.commit().unwrap();
    assert!(version(&catalog.writer).unwrap() > before);
    let card = schema(&catalog.writer).unwrap();
    assert_eq!(card.tables.len(), 1);
    assert!(card.tables[0].foreign_keys.is_empty());
    for left in [
        "SELECT COUNT(*) FROM table_values WHERE table_id = 1",
        "SELECT COUNT(*) FROM sqlite_schema WHERE name = 't1'",
    ] {
        assert_eq!(catalog.writer.query_row(left, [], |row| row.get::<_, i64>(0)).unwrap(), 0, "{left}");
    }
    assert_eq!(catalog.query("SELECT * FROM a").unwrap_err(), SqlError::NoSuchTable { name: "a".into() });
}

#[test]
fn a_rolled_back_arrival_is_never_seen() {
    let mut catalog = Catalog::with("a", &[("v", integers(&[1]))]);
    let reader = catalog.open();
    let before = version(&catalog.writer).unwrap();
    {
        let tx = catalog.writer.transaction().unwrap();
        polyrag::store::tables::write_table(&tx, 2, &table("b", &[("v", integers(&[2]))])).unwrap();
        assert_eq!(reader.query("SELECT v FROM a", &Cancel::default()).unwrap().row_count, 1);
    }
    assert_eq!(version(&catalog.writer).unwrap(), before);
    assert!(catalog.query("SELECT v FROM b").is_err());
}

#[test]
fn the_card_profiles_columns() {
    let catalog = Catalog::with(
        "t",
        &[
            ("data", Column::Dates(vec![20_513, 20_514])),
            ("uf", Column::Texts(vec![Some("SP"), None])),
            ("valor", reals(&[1.5, 2.5])),
            ("pago", Column::Booleans(vec![true, false])),
        ],
    );
    let card = schema(&catalog.writer).unwrap();
    let columns = &card.tables[0].columns;
    assert_eq!(
        (columns[0].minimum.clone(), columns[0].maximum.clone()),
        (Some(json!("2026-03-01")), Some(json!("2026-03-02")))
    );
    assert_eq!((columns[1].nulls, columns[1].distinct, columns[1].values_complete), (1, 1, true));
    assert_eq!(columns[1].values, ["SP"]);
    assert_eq!(columns[2].maximum, Some(json!(2.5)));
    assert_eq!(card.tables[0].sample_rows[0], [json!("2026-03-01"), json!("SP"), json!(1.5), json!(1)]);
    assert_eq!(catalog.cell("SELECT COUNT(*) FROM t WHERE data >= '2026-03-02'"), json!(1));
}

#[test]
fn keys_are_guessed_by_name_and_inclusion() {
    let mut catalog = Catalog::new();
    catalog.add(
        1,
        &table("pedidos", &[("pedido_id", integers(&[1, 2, 3])), ("cliente_id", integers(&[7, 8, 7]))]),
    );
    catalog.add(2, &table("clientes", &[("id", integers(&[7, 8, 9])), ("nome", texts(&["A", "B", "C"]))]));
    catalog.add(3, &table("produtos", &[("id", integers(&[50, 60])), ("cliente_id", integers(&[70, 80]))]));
    let card = schema(&catalog.writer).unwrap();
    let keys: Vec<String> = card
        .tables
        .iter()
        .flat_map(|t| {
            t.foreign_keys
                .iter()
                .map(move |k| format!("{}.{} -> {}.{}", t.name, k.columns[0], k.table, k.references[0]))
        })
        .collect();
    assert_eq!(keys, ["pedidos.cliente_id -> clientes.id"]);
}

#[test]
fn rows_over_the_limit_are_counted_not_returned() {
    let numbers: Vec<i64> = (0..2500).collect();
    let catalog = Catalog::with("t", &[("n", integers(&numbers))]);
    let rows = catalog.query("SELECT n FROM t").unwrap();
    assert_eq!(
        (rows.rows.len(), rows.row_count, rows.truncated, rows.row_count_exact),
        (1000, 2500, true, true)
    );
    assert_eq!(rows.notes[0].words(false), "first 1000 of 2500");
    assert_eq!(rows.notes[0].words(true), "primeiras 1000 de 2500");
}

#[test]
fn empty_and_missing_are_said_in_words() {
    let catalog = Catalog::with("t", &[("uf", texts(&["SP"])), ("v", Column::Integers(vec![Some(1)]))]);
    assert_eq!(
        catalog.query("SELECT v FROM t WHERE uf = 'RJ'").unwrap().notes[0].words(false),
        "no row matches"
    );
    let rows = catalog.query("SELECT SUM(v) FROM t WHERE uf = 'RJ'").unwrap();
    assert_eq!(rows.notes[0].words(false), "there is no value: no row with data matches");
}

#[test]
fn results_leave_as_arrow() {
    let catalog =
        Catalog::with("t", &[("a", integers(&[1, 2])), ("b", reals(&[1.5, 2.0])), ("c", texts(&["x", "y"]))]);
    let batch = catalog.query("SELECT a, b, c, NULL AS d FROM t").unwrap().to_arrow().unwrap();
    let types: Vec<String> =
        batch.schema().fields().iter().map(|field| field.data_type().to_string()).collect();
    assert_eq!(types, ["Int64", "Float64", "Utf8", "Utf8"]);
    assert_eq!(batch.num_rows(), 2);
}

fn source(sql: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("source.sqlite");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (folder, path)
}

#[test]
fn importing_copies_tables_and_declared_keys() {
    let (_folder, path) = source(
        "CREATE TABLE author(id INT PRIMARY KEY, name TEXT, \"Year of Birth\" INTEGER, photo BLOB);
         INSERT INTO author VALUES (1, 'Ana', 1950, x'00ff'), (2, 'João', NULL, NULL);
         CREATE TABLE book(id INTEGER PRIMARY KEY, author INT REFERENCES author, price DECIMAL(10,2), code NUMERIC);
         INSERT INTO book VALUES (10, 1, 9.90, '5'), (11, 2, 20, '6');
         CREATE VIEW v AS SELECT load_extension('x');
         CREATE TRIGGER g AFTER INSERT ON book BEGIN DELETE FROM author; END;",
    );
    let mut catalog = Catalog::new();
    let tx = catalog.writer.transaction().unwrap();
    let import = import_sqlite(&tx, 4, &path).unwrap();
    tx.commit().unwrap();
    assert_eq!(import.tables.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["author", "book"]);
    assert_eq!(import.warnings, ["table author: 1 binary values left out"]);
    let card = schema(&catalog.writer).unwrap();
    assert_eq!(card.tables[0].primary_key, ["id"]);
    let key = &card.tables[1].foreign_keys[0];
    assert_eq!(
        (key.columns[0].as_str(), key.table.as_str(), key.references[0].as_str(), key.declared),
        ("author", "author", "id", true)
    );
    assert_eq!(card.tables[1].columns[2].kind, ColumnKind::Real);
    assert_eq!(card.tables[1].columns[3].kind, ColumnKind::Integer, "contents settle NUMERIC");
    let joined = "SELECT name, price FROM author JOIN book ON book.author = author.id WHERE name = 'joao'";
    assert_eq!(catalog.rows(joined), [[json!("João"), json!(20)]]);
    assert_eq!(catalog.cell("SELECT \"Year of Birth\" FROM author WHERE id = 1"), json!(1950));
}

#[test]
fn importing_refuses_what_is_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    std::fs::write(&path, "not a database at all, but long enough to have a header of some kind, it seems")
        .unwrap();
    let mut catalog = Catalog::new();
    let tx = catalog.writer.transaction().unwrap();
    let error = import_sqlite(&tx, 1, &path).unwrap_err();
    assert!(error.to_string().contains("x.db") && error.hint().is_some(), "{error}");
    drop(tx);
    assert!(list(&catalog.writer).unwrap().is_empty());
}
