//! JSON: records are tables, the rest documents.
#![allow(clippy::unwrap_used)]

mod read_support;

use polyrag::decide::table::ColumnKind;
use polyrag::read::{ReadError, Source};
use read_support::*;

#[test]
fn a_list_of_records_is_a_typed_table() {
    let text = r#"[{"id":1,"data":"2024-03-01","valor":1.125,"pago":true,"código":"007","cliente":{"nome":"Ana"}},
                   {"id":2,"data":"2024-03-15","valor":20,"pago":null,"código":"010","cliente":{"nome":"Bia"},"tags":["x","y"]}]"#;
    let found = tables("pedidos.json", text.as_bytes().to_vec());
    assert_eq!(found.len(), 1);
    assert_eq!(names(&found[0]), ["id", "data", "valor", "pago", "codigo", "cliente_nome", "tags"]);
    let kinds: Vec<ColumnKind> = found[0].info.columns.iter().map(|column| column.kind).collect();
    assert_eq!(kinds[..3], [ColumnKind::Integer, ColumnKind::Date, ColumnKind::Real]);
    assert_eq!(kinds[4], ColumnKind::Text, "leading zeros stay");
    assert_eq!(cells(&found[0])[0][2], "1.125");
    assert_eq!(cells(&found[0])[1][6], "x, y");
    assert_eq!((found[0].info.name.as_str(), found[0].info.rows), ("pedidos", 2));
}

#[test]
fn lists_inside_records_are_tables_that_name_their_parent() {
    let text = r#"{"gerado":"2024","pedidos":[{"id":1,"itens":[{"sku":"a","q":2},{"sku":"b","q":3}]},{"id":2,"itens":[{"sku":"a","q":1}]}]}"#;
    let found = tables("loja.json", text.as_bytes().to_vec());
    let named: Vec<&str> = found.iter().map(|table| table.info.name.as_str()).collect();
    assert_eq!(named, ["loja_pedidos", "loja_pedidos_itens"]);
    assert_eq!(names(&found[1]).len(), 3);
    assert_eq!(cells(&found[1]), [["1", "a", "2"], ["1", "b", "3"], ["2", "a", "1"]]);
}

#[test]
fn what_is_no_table_is_a_document() {
    let text = r#"{"nome":"Loja","endereço":{"rua":"A","números":[1,2]},"regras":[{"quem":"gerente"}]}"#;
    let found = document("loja.json", text.as_bytes().to_vec());
    assert_eq!(
        found.text,
        "nome: Loja\n\n# endereço\n\nrua: A\n\nnúmeros: 1, 2\n\n# regras\n\nquem: gerente\n"
    );
    assert_eq!(found.title, "loja");
    let reading =
        try_read("textos.json", br#"[{"title":"A","text":"um"},{"text":"dois"}]"#.to_vec()).unwrap();
    let titles: Vec<String> = reading
        .sources
        .into_iter()
        .map(|source| match source {
            Source::Text(document) => document.title,
            Source::Tables(_) => panic!(),
        })
        .collect();
    assert_eq!(titles, ["A", "textos record 2"]);
    let grid = tables("g.json", br#"[["cidade","n"],["A",1],["B",2]]"#.to_vec());
    assert_eq!((names(&grid[0]), grid[0].info.rows), (vec!["cidade", "n"], 2));
}

#[test]
fn lines_without_a_text_are_records() {
    let found = tables("t.jsonl", b"{\"a\":1,\"b\":\"x\"}\n{\"a\":2}\n\n{\"a\":3,\"b\":\"y\"}\n".to_vec());
    assert_eq!((names(&found[0]), found[0].info.rows), (vec!["a", "b"], 3));
    let reading = try_read("t.jsonl", b"{\"a\":1}\nbroken\n{\"a\":2}\n".to_vec()).unwrap();
    assert!(reading.warnings.iter().any(|warning| warning.message.starts_with("1 lines were no records")));
    // One line with a text makes the file one of documents, as the contract has it.
    let reading = try_read("t.jsonl", b"{\"a\":1}\n{\"title\":\"T\",\"text\":\"um\"}\n".to_vec()).unwrap();
    assert!(matches!(&reading.sources[..], [Source::Text(document)] if document.line == Some(2)));
}

#[test]
fn damaged_and_deep_files_say_where() {
    let error = try_read("a.json", b"{\"a\": [1, 2}".to_vec()).unwrap_err();
    assert!(
        matches!(error, ReadError::Corrupt { .. }) && error.to_string().contains("line 1 column 12"),
        "{error}"
    );
    for text in ["[".repeat(1_000_000), "{\"a\":".repeat(200_000), format!("[{}", "[[],".repeat(300_000))] {
        let error = try_read("a.json", text.into_bytes()).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge { .. } | ReadError::Corrupt { .. }), "{error}");
    }
    assert!(matches!(try_read("a.json", b"[]".to_vec()), Err(ReadError::Empty { .. })));
    assert_eq!(document("a.json", br#"{"a":"[[[[ \" {{"}"#.to_vec()).text, "a: [[[[ \" {{\n");
}
