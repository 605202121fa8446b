//! The guard against real SQLite: the S cases, their siblings, and hundreds of hostile statements.
#![allow(clippy::unwrap_used, missing_docs)]

mod sql_support;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use polyrag::models::Cancel;
use polyrag::store::tables::SqlError;
use serde_json::{Value, json};
use sql_support::{Catalog, integers, reals, table, texts};

fn sales() -> Catalog {
    Catalog::with(
        "vendas",
        &[
            ("regiao", texts(&["Norte", "Sul", "Norte"])),
            ("valor", integers(&[10, 20, 30])),
            ("preço médio", reals(&[0.1, 0.2, 0.3])),
        ],
    )
}

/// Every file of the catalog's folder with its bytes; `-shm` is the lock table of WAL readers.
fn files(catalog: &Catalog) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(catalog.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .filter(|(name, _)| !name.ends_with("-shm"))
        .map(|(name, path)| (name, std::fs::read(path).unwrap()))
        .collect()
}

fn refused(catalog: &Catalog, sql: &str) -> SqlError {
    match catalog.query(sql) {
        Err(error) => error,
        Ok(rows) => panic!("passed: {sql}\n{:?}", rows.rows),
    }
}

#[test]
fn s01_writes_behind_with_are_refused() {
    let catalog = sales();
    for sql in [
        "WITH x AS (SELECT 1) DELETE FROM vendas -- limit",
        "WITH x AS (SELECT 1) INSERT INTO vendas VALUES ('a', 1, 2)",
        "WITH x AS (SELECT 1) UPDATE vendas SET valor = 0",
        "WITH x AS (SELECT 1) REPLACE INTO t1 VALUES ('a', 1, 2, 0)",
        "WITH x AS (SELECT 1) DELETE FROM t1 RETURNING *",
        "/* select */ DELETE FROM main.t1",
    ] {
        refused(&catalog, sql);
    }
    assert_eq!(catalog.cell("SELECT COUNT(*) FROM vendas"), json!(3));
}

#[test]
fn s03_vacuum_into_and_attach_make_no_file() {
    let catalog = sales();
    let before = files(&catalog);
    let copy = catalog.folder.path().join("copy.db");
    let copy = copy.display();
    for sql in [
        format!("VACUUM INTO '{copy}'"),
        format!("VACUUM main INTO '{copy}'"),
        format!("ATTACH '{copy}' AS x"),
        format!("ATTACH DATABASE 'file:{copy}?mode=rwc' AS x"),
        "VACUUM".to_owned(),
        "ATTACH ':memory:' AS x".to_owned(),
        "DETACH temp".to_owned(),
    ] {
        refused(&catalog, &sql);
    }
    assert_eq!(files(&catalog), before);
}

#[test]
fn s04_pragmas_undo_nothing() {
    let catalog = sales();
    let store = catalog.open();
    for sql in [
        "PRAGMA query_only=off",
        "PRAGMA writable_schema=on",
        "PRAGMA journal_mode=DELETE",
        "PRAGMA table_info('t1')",
    ] {
        assert!(store.query(sql, &Cancel::default()).is_err(), "{sql}");
        assert!(store.query("DELETE FROM vendas", &Cancel::default()).is_err());
        assert!(store.query("DELETE FROM main.t1", &Cancel::default()).is_err());
    }
    assert_eq!(store.query("SELECT COUNT(*) FROM vendas", &Cancel::default()).unwrap().rows, [[json!(3)]]);
}

#[test]
fn s05_one_statement_and_no_search_for_semicolons() {
    let catalog = sales();
    for sql in [
        "SELECT 1; DROP TABLE vendas",
        "SELECT 1; SELECT 2",
        "SELECT COUNT(*) FROM vendas; PRAGMA user_version=7",
        "SELECT 1;;;; DELETE FROM vendas",
        ";SELECT 1; SELECT 2",
    ] {
        refused(&catalog, sql);
    }
    assert_eq!(catalog.cell("SELECT ';'"), json!(";"));
    assert_eq!(catalog.cell("SELECT 1 -- ; DROP TABLE vendas"), json!(1));
    assert_eq!(catalog.cell("SELECT 1;"), json!(1));
    assert_eq!(catalog.cell("SELECT 1; -- done"), json!(1));
    assert_eq!(catalog.cell("SELECT 1 /* ; */"), json!(1));
}

#[test]
fn s07_endless_recursion_is_stopped_by_the_deadline() {
    let catalog = sales();
    for sql in [
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r",
        "WITH RECURSIVE r(d) AS (SELECT '2026-01-01' UNION ALL SELECT date(d) FROM r WHERE d < '2026-02-01') SELECT count(*) FROM r",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT max(n) FROM r LIMIT 1",
    ] {
        let started = Instant::now();
        assert_eq!(refused(&catalog, sql), SqlError::Deadline { limit_ms: 500 });
        assert!(started.elapsed() < Duration::from_millis(1500), "{:?}", started.elapsed());
    }
    let fine =
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r WHERE n < 10) SELECT count(*) FROM r";
    assert_eq!(catalog.cell(fine), json!(10));
}

#[test]
fn s08_a_cross_join_is_stopped_and_blocks_nobody() {
    // No pair passes the filter, so the join looks at all 900 million of them: minutes on any machine.
    let numbers: Vec<i64> = (0..30_000).collect();
    let catalog = Catalog::with("v", &[("n", integers(&numbers))]);
    let slow = catalog.open();
    let quick = catalog.open();
    std::thread::scope(|scope| {
        let stuck = scope.spawn(move || {
            let started = Instant::now();
            let error = slow.query(
                "SELECT count(*) FROM v a, v b, v c, v d WHERE a.n < 0 + b.n - 50000",
                &Cancel::default(),
            );
            (error.unwrap_err(), started.elapsed())
        });
        for _ in 0..20 {
            assert_eq!(
                quick.query("SELECT MAX(n) FROM v", &Cancel::default()).unwrap().rows,
                [[json!(29_999)]]
            );
        }
        let (error, took) = stuck.join().unwrap();
        assert_eq!(error, SqlError::Deadline { limit_ms: 500 });
        assert!(took < Duration::from_millis(1500), "{took:?}");
    });
}

#[test]
fn deadlines_hold_inside_functions_and_while_compiling() {
    let catalog = sales();
    let doubling: String = (1..40).map(|n| format!(", x{n} AS (SELECT * FROM x{0}, x{0})", n - 1)).collect();
    let long = "WITH RECURSIVE r(n, t) AS (SELECT 1, 'aaaaaaaaaa' UNION ALL SELECT n+1, t || t FROM r WHERE n < 17) ";
    for sql in [
        format!("WITH x0 AS (SELECT 1 AS a){doubling} SELECT count(*) FROM x39"),
        format!("{long} SELECT sum(t LIKE '%a%a%a%a%a%a%a%a%a%a%a%b') FROM r"),
        format!("{long} SELECT max(length(replace(t, 'a', t))) FROM r"),
        format!("{long} SELECT group_concat(a.t) FROM r a, r b, r c"),
        format!("SELECT count(*) FROM vendas WHERE regiao LIKE '{}'", "%a".repeat(2000)),
    ] {
        let started = Instant::now();
        let _ = catalog.query(&sql);
        assert!(started.elapsed() < Duration::from_millis(2000), "{:?} {}", started.elapsed(), &sql[..80]);
    }
}

#[test]
fn s10_deep_nesting_is_answered_at_once() {
    let catalog = sales();
    let nested = format!("SELECT {}1{}", "(".repeat(800), ")".repeat(800));
    let selects = format!("SELECT * FROM {}vendas{}", "(SELECT * FROM ".repeat(200), ")".repeat(200));
    let ctes: String = (1..800).map(|n| format!(", x{n} AS (SELECT * FROM x{})", n - 1)).collect();
    for sql in [
        nested,
        selects,
        format!("WITH x0 AS (SELECT 1){ctes} SELECT * FROM x799"),
        format!("SELECT {}1", "- ".repeat(5000)),
    ] {
        let started = Instant::now();
        let _ = catalog.query(&sql);
        assert!(started.elapsed() < Duration::from_millis(1200), "{:?} {}", started.elapsed(), &sql[..40]);
    }
    assert_eq!(catalog.cell("SELECT ((((((1))))))"), json!(1));
}

#[test]
fn s11_reading_with_is_reading() {
    let catalog = sales();
    let rows = catalog.query("WITH x AS (SELECT 1 AS a) SELECT a FROM x").unwrap();
    assert_eq!(rows.rows, [[json!(1)]]);
    assert_eq!(rows.columns, ["a"]);
    assert!(rows.tables_read.is_empty());
    assert_eq!(catalog.cell("WITH x AS (SELECT 1) SELECT COUNT(*) FROM x"), json!(1));
    assert_eq!(catalog.cell("WITH v AS (SELECT valor FROM vendas) SELECT SUM(valor) FROM v"), json!(60));
    assert_eq!(catalog.cell("SELECT COUNT(*) FROM (SELECT 1 UNION SELECT 2)"), json!(2));
    assert_eq!(catalog.rows("VALUES (1), (2)").len(), 2);
}

#[test]
fn s15_comparison_and_matching_fold_accents_and_case() {
    let catalog = Catalog::with(
        "clientes",
        &[("nome", texts(&["São José", "MÜLLER", "Straße", "sao jose"])), ("valor", integers(&[1, 2, 4, 8]))],
    );
    for (condition, sum) in [
        ("nome = 'sao jose'", 9),
        ("nome = 'SÃO JOSÉ'", 9),
        ("nome = 'muller'", 2),
        ("nome LIKE '%jose'", 9),
        ("nome LIKE 'müll%'", 2),
        ("nome IN ('Muller', 'strasse')", 6),
        ("nome BETWEEN 'mu' AND 'n'", 2),
        ("lower(nome) = 'são josé'", 9),
        ("UPPER(nome) = 'MULLER'", 2),
        ("instr(nome, 'jose') > 0", 9),
        ("lower(nome) LIKE lower('%JOSÉ%')", 9),
        ("nome <> 'sao jose'", 6),
        ("'SAO JOSE' = nome", 9),
        ("nome = (SELECT 'Sao Jose')", 9),
        ("EXISTS (SELECT 1 FROM (SELECT 'muller' AS m) WHERE m = nome)", 2),
        ("CASE nome WHEN 'muller' THEN 1 ELSE 0 END", 2),
    ] {
        assert_eq!(
            catalog.cell(&format!("SELECT SUM(valor) FROM clientes WHERE {condition}")),
            json!(sum),
            "{condition}"
        );
    }
    assert_eq!(catalog.rows("SELECT nome, SUM(valor) FROM clientes GROUP BY nome").len(), 3);
    assert_eq!(catalog.cell("SELECT COUNT(DISTINCT nome) FROM clientes"), json!(3));
    assert_eq!(catalog.rows("SELECT DISTINCT nome FROM clientes").len(), 3);
    assert_eq!(catalog.cell("SELECT upper('são')"), json!("SÃO"));
    let join = "SELECT COUNT(*) FROM clientes a JOIN (SELECT 'sao jose' AS n) b ON a.nome = b.n";
    assert_eq!(catalog.cell(join), json!(2));
}

#[test]
fn s18_division_is_neither_cut_nor_hidden() {
    let catalog = Catalog::with("lojas", &[("vendas", integers(&[1, 1])), ("visitas", integers(&[2, 0]))]);
    let sql = polyrag::decide::sql::rewrite::honest_division("SELECT vendas / visitas FROM lojas");
    let rows = catalog.query(&sql).unwrap();
    assert_eq!(rows.rows, [[json!(0.5)], [Value::Null]]);
    let said: Vec<String> = rows.notes.iter().map(|note| note.words(false)).collect();
    assert_eq!(said, ["division by zero in 1 case(s): undefined"]);
}

#[test]
fn s19_text_that_holds_numbers_compares_as_numbers() {
    let catalog =
        Catalog::with("t", &[("valor", texts(&["9", "10", "2.5"])), ("codigo", texts(&["007", "7", "10"]))]);
    assert_eq!(catalog.cell("SELECT MAX(valor) FROM t"), json!("10"));
    assert_eq!(catalog.cell("SELECT MIN(valor) FROM t"), json!("2.5"));
    assert_eq!(
        catalog.rows("SELECT valor FROM t ORDER BY valor DESC"),
        [[json!("10")], [json!("9")], [json!("2.5")]]
    );
    assert_eq!(catalog.cell("SELECT COUNT(*) FROM t WHERE valor > 9"), json!(1));
    assert_eq!(catalog.cell("SELECT COUNT(*) FROM t WHERE codigo = '7'"), json!(1), "codes stay text");
}

#[test]
fn s22_the_schema_is_read_on_another_connection() {
    let catalog = sales();
    for sql in [
        "SELECT * FROM pragma_table_info('t1')",
        "SELECT count(*) FROM pragma_database_list",
        "SELECT name FROM pragma_table_info('vendas')",
        "SELECT * FROM sqlite_schema",
        "SELECT count(*) FROM sqlite_master",
        "SELECT sql FROM temp.sqlite_master",
        "SELECT sql FROM sqlite_temp_master",
        "SELECT count(*) FROM sqlite_temp_schema",
        "SELECT count(*) FROM dbstat",
        "SELECT * FROM json_each('[1]')",
        "SELECT count(*) FROM json_each('[1]')",
    ] {
        refused(&catalog, sql);
    }
    assert_eq!(catalog.open().card().tables[0].columns.len(), 3);
}

#[test]
fn nothing_of_the_catalog_is_seen() {
    let catalog = sales();
    for sql in [
        "SELECT path FROM documents",
        "SELECT * FROM documents",
        "SELECT count(*) FROM documents",
        "SELECT count(*) FROM main.documents",
        "SELECT rowid FROM chunks",
        "SELECT count(*) FROM chunks_fts",
        "SELECT * FROM chunks_fts WHERE chunks_fts MATCH 'secret'",
        "SELECT * FROM chunks_fts('secret')",
        "SELECT * FROM tables",
        "SELECT card FROM main.tables",
        "SELECT value FROM table_values",
        "SELECT * FROM t1",
        "SELECT count(*) FROM t1",
        "SELECT c0 FROM main.t1",
        "SELECT rollup FROM vendas",
        "SELECT * FROM vendas WHERE EXISTS (SELECT 1 FROM documents)",
        "SELECT (SELECT text FROM chunks LIMIT 1) FROM vendas",
        "WITH documents2 AS (SELECT * FROM documents) SELECT * FROM documents2",
        "SELECT * FROM vendas UNION SELECT id, path, 1 FROM documents",
        "WITH vendas AS (SELECT path FROM documents) SELECT * FROM vendas",
        "WITH vendas AS (SELECT * FROM main.documents) SELECT count(*) FROM vendas",
    ] {
        refused(&catalog, sql);
    }
}

#[test]
fn a_user_table_may_be_called_like_a_catalog_table() {
    let mut catalog = sales();
    catalog.add(2, &table("documents", &[("path", texts(&["mine"]))]));
    catalog.add(2, &table("t1", &[("x", integers(&[5]))]));
    assert_eq!(catalog.cell("SELECT path FROM documents"), json!("mine"));
    assert_eq!(catalog.cell("SELECT COUNT(*) FROM documents"), json!(1));
    assert_eq!(catalog.cell("SELECT x FROM t1"), json!(5));
    refused(&catalog, "SELECT path FROM main.documents");
}

#[test]
fn functions_outside_the_list_are_refused() {
    let catalog = sales();
    for call in [
        "printf('%.*c', 200000000, 'x')",
        "format('%d', 1)",
        "zeroblob(100)",
        "randomblob(10)",
        "random()",
        "hex('a')",
        "quote('a')",
        "load_extension('x')",
        "sqlite_version()",
        "sqlite_source_id()",
        "last_insert_rowid()",
        "changes()",
        "total_changes()",
        "fts5(1)",
        "highlight('a', 1, 'b', 'c')",
        "json('[1]')",
        "'{}' -> 'a'",
        "'{}' ->> 'a'",
        "soundex('a')",
        "unicode('a')",
        "char(65)",
        "likelihood(1, 0.5)",
        "sqlite_compileoption_get(1)",
        "readfile('/etc/passwd')",
        "writefile('x', 'y')",
        "edit('x')",
        "'a' REGEXP 'b'",
        "'a' MATCH 'b'",
        "fts3_tokenizer('simple')",
    ] {
        refused(&catalog, &format!("SELECT {call}"));
        refused(&catalog, &format!("SELECT COUNT(*) FROM vendas WHERE {call} IS NOT NULL"));
    }
    for call in [
        "ABS(-1)",
        "ROUND(1.25, 1)",
        "COALESCE(NULL, 1)",
        "SUBSTR('abc', 1, 2)",
        "STRFTIME('%Y', '2026-03-01')",
        "DATE('2026-03-01', '+1 day')",
        "CAST('1' AS INTEGER)",
        "IIF(1, 2, 3)",
    ] {
        catalog.cell(&format!("SELECT {call}"));
    }
}

#[test]
fn double_quotes_are_names_only() {
    let catalog = sales();
    assert_eq!(
        refused(&catalog, "SELECT COUNT(*) FROM vendas WHERE regiao = \"Norte\""),
        SqlError::NoSuchColumn { name: "Norte".into() }
    );
    assert_eq!(catalog.cell("SELECT SUM(\"preço médio\") FROM vendas"), json!(0.6));
}

#[test]
fn cancelling_stops_a_query() {
    let catalog = sales();
    let store = catalog.open();
    let cancel = Cancel::default();
    cancel.cancel();
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r";
    assert_eq!(store.query(endless, &cancel).unwrap_err(), SqlError::Cancelled);
    assert!(store.query("SELECT COUNT(*) FROM vendas", &Cancel::default()).is_ok());
}

/// Templates of statements that write, copy, escape or look where they must not.
fn hostile(folder: &str) -> Vec<String> {
    let writes = [
        "DELETE FROM {t}",
        "UPDATE {t} SET valor = 0",
        "INSERT INTO {t} DEFAULT VALUES",
        "INSERT INTO {t} SELECT * FROM {t}",
        "REPLACE INTO {t} VALUES (1, 2, 3, 4)",
        "DROP TABLE {t}",
        "DROP VIEW {t}",
        "ALTER TABLE {t} ADD COLUMN x",
        "ALTER TABLE {t} RENAME TO x",
        "CREATE INDEX i ON {t}(c0)",
        "CREATE TRIGGER g AFTER INSERT ON {t} BEGIN SELECT 1; END",
        "DELETE FROM {t} RETURNING *",
        "CREATE TABLE x AS SELECT * FROM {t}",
        "CREATE TEMP TABLE x AS SELECT * FROM {t}",
        "CREATE VIEW x AS SELECT * FROM {t}",
        "CREATE TEMP VIEW x AS SELECT * FROM {t}",
        "ANALYZE {t}",
        "REINDEX {t}",
        "PRAGMA table_info({t})",
        "PRAGMA optimize",
        "SELECT * FROM {t} INTO OUTFILE 'x'",
    ];
    let targets = [
        "vendas",
        "main.t1",
        "t1",
        "documents",
        "main.documents",
        "sqlite_master",
        "temp.vendas",
        "\"vendas\"",
        "[t1]",
        "tables",
        "chunks_fts",
    ];
    let mut all: Vec<String> = writes
        .iter()
        .flat_map(|write| targets.iter().map(move |target| write.replace("{t}", target)))
        .collect();
    let others = [
        "ATTACH '{f}/x.db' AS x",
        "ATTACH DATABASE 'file:{f}/x.db?mode=rwc' AS x",
        "VACUUM INTO '{f}/x.db'",
        "VACUUM",
        "DETACH main",
        "BEGIN",
        "BEGIN IMMEDIATE",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT s",
        "RELEASE s",
        "PRAGMA query_only=0",
        "PRAGMA writable_schema=1",
        "PRAGMA journal_mode=delete",
        "PRAGMA user_version=9",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA temp_store_directory='{f}'",
        "PRAGMA trusted_schema=1",
        "PRAGMA database_list",
        "EXPLAIN SELECT * FROM vendas",
        "EXPLAIN QUERY PLAN SELECT * FROM vendas",
        "CREATE VIRTUAL TABLE v USING fts5(x)",
        "CREATE VIRTUAL TABLE temp.v USING dbstat",
        "SELECT load_extension('{f}/x.so')",
        "SELECT writefile('{f}/x', 'y')",
        "SELECT * FROM pragma_database_list",
        "SELECT fts3_tokenizer('simple', x'00')",
    ];
    all.extend(others.iter().map(|other| other.replace("{f}", folder)));
    let wraps: [fn(&str) -> String; 9] = [
        |s| s.to_owned(),
        |s| format!("SELECT 1; {s}"),
        |s| format!("SELECT COUNT(*) FROM vendas;\n{s}; SELECT 2"),
        |s| format!("/* SELECT */ {s} -- SELECT"),
        |s| format!("WITH x AS (SELECT 1) {s}"),
        |s| format!("\u{feff}{s}"),
        |s| s.chars().enumerate().map(|(i, c)| if i % 2 == 0 { c.to_ascii_lowercase() } else { c }).collect(),
        |s| s.replace(' ', "/**/\n\t"),
        |s| format!("SELECT * FROM ({s})"),
    ];
    all.iter().flat_map(|statement| wraps.iter().map(move |wrap| wrap(statement))).collect()
}

#[test]
fn hostile_statements_change_and_reveal_nothing() {
    let catalog = sales();
    let folder = catalog.folder.path().display().to_string();
    let statements = hostile(&folder);
    assert!(statements.len() >= 300, "{}", statements.len());
    let before = files(&catalog);
    let store = catalog.open();
    for sql in &statements {
        if let Ok(rows) = store.query(sql, &Cancel::default()) {
            panic!("passed: {sql}\n{:?}", rows.rows);
        }
    }
    assert_eq!(files(&catalog), before);
    assert_eq!(store.query("SELECT SUM(valor) FROM vendas", &Cancel::default()).unwrap().rows, [[json!(60)]]);
    let kept: i64 = catalog.writer.query_row("SELECT COUNT(*) FROM documents", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 1);
}
