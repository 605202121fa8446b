//! Chunks: what holds for every text, and the cases of chunking.
#![allow(clippy::unwrap_used)]

use polyrag::decide::chunk::TextFormat::{Markdown, Plain};
use polyrag::decide::chunk::{
    Chunk, ChunkKind, ChunkLimits, TextFormat, chunk, markdown_tables, merge, segments, tabular_density,
};
use polyrag::decide::infer::{CsvOptions, infer_found};

/// About what a subword tokenizer does: four letters of a word, one sign of another script.
fn count(text: &str) -> usize {
    let mut tokens = 0.0;
    for character in text.chars() {
        tokens += if character.is_ascii() { 0.25 } else { 0.75 };
    }
    f64::ceil(tokens) as usize
}

fn limits(target: usize, max: usize) -> ChunkLimits {
    ChunkLimits { target_tokens: target, max_tokens: max, min_tokens: target / 8, ..ChunkLimits::default() }
}

/// Chunks a text and checks what holds for every text.
fn chunks(text: &str, format: TextFormat, limits: &ChunkLimits) -> Vec<Chunk> {
    let found = chunk(text, format, limits, &count);
    let joined: String = found.iter().map(|chunk| &chunk.text[chunk.overlap..]).collect();
    assert_eq!(joined, text);
    let mut at = 0;
    for (ordinal, chunk) in found.iter().enumerate() {
        assert_eq!((chunk.ordinal, chunk.range.start), (ordinal, at));
        assert_eq!(&chunk.text[chunk.overlap..], &text[chunk.range.clone()]);
        assert_eq!(chunk.tokens, count(&chunk.text));
        at = chunk.range.end;
    }
    assert_eq!(at, text.len());
    found
}

fn locations(found: &[Chunk]) -> Vec<&str> {
    found.iter().map(|chunk| chunk.location.as_str()).collect()
}

#[test]
fn a_short_section_is_one_chunk() {
    let text = "# Normas\n\n## Norma NC-11: dados pessoais\n\nUma frase. Outra frase.\n\nTerceira frase.\n\n## Norma NC-14\n\nFim.\n";
    let found = chunks(text, Markdown, &ChunkLimits::default());
    assert_eq!(locations(&found), ["Norma NC-11: dados pessoais", "Norma NC-14"]);
    assert_eq!(found[0].headings, ["Normas", "Norma NC-11: dados pessoais"]);
    assert!(found[0].text.starts_with("# Normas"));
    assert!(found.iter().all(|chunk| chunk.kind == ChunkKind::Prose));
}

#[test]
fn c01_code_fences_make_no_headings() {
    for fence in [
        "```sh\n# comentário\necho 1\n```",
        "~~~\n# comentário\n## outro\n~~~",
        "````md\n```\n# dentro\n```\n# ainda dentro\n````",
        "```\n# nunca fechado",
        "    # indentado\n    echo",
        "> ```\n> # citado\n> ```",
        "- item\n\n  ```\n  # na lista\n  ```",
    ] {
        let found = chunks(&format!("# Título\n\n{fence}\n"), Markdown, &ChunkLimits::default());
        assert_eq!(locations(&found), ["Título"], "{fence}");
        assert_eq!(found[0].headings, ["Título"]);
    }
}

#[test]
fn c01_no_boundary_inside_a_fence() {
    let code: String = (0..200).map(|line| format!("linha {line} do código\n\n# {line}\n")).collect();
    let text = format!("# T\n\nAntes.\n\n```\n{code}```\n\nDepois.\n");
    let found = chunks(&text, Markdown, &limits(40, 60));
    let with_code: Vec<&Chunk> = found.iter().filter(|chunk| chunk.text.contains("linha")).collect();
    assert_eq!((with_code.len(), with_code[0].kind), (1, ChunkKind::Code));
    // An absurd one is cut between its lines, and every piece begins with the fence.
    let tight = ChunkLimits { max_fence_tokens: 100, ..limits(40, 60) };
    let found = chunks(&text, Markdown, &tight);
    for piece in found.iter().filter(|chunk| chunk.text.contains("linha")).skip(1) {
        assert!(piece.text.starts_with("```\n") && piece.overlap == 4, "{piece:?}");
    }
}

fn big_table(rows: usize, header: &str) -> String {
    let body: String = (0..rows).map(|row| format!("| produto {row} | {row},50 | nota {row} |\n")).collect();
    format!("{header}{body}")
}

#[test]
fn c02_every_piece_of_a_table_has_its_header() {
    let header = "| Produto | Preço | Nota |\n|:--------|------:|------|\n";
    let table = big_table(80, header);
    let text = format!("# Preços\n\nTabela 1: preços de março\n\n{table}\nDepois da tabela.\n");
    let limits = limits(200, count(&big_table(20, header)));
    let found = chunks(&text, Markdown, &limits);
    let pieces: Vec<&Chunk> = found.iter().filter(|chunk| chunk.kind == ChunkKind::Table).collect();
    assert!(pieces.len() >= 4);
    for (index, piece) in pieces.iter().enumerate() {
        assert!(piece.text.contains(header), "{}", piece.text);
        assert_eq!(piece.text.contains("Tabela 1"), index == 0);
        assert_eq!(piece.overlap, if index == 0 { 0 } else { header.len() });
        assert!(piece.text.trim_end().ends_with('|') && piece.tokens <= limits.max_tokens);
    }
    let rows: usize = found.iter().map(|chunk| chunk.text.matches("| produto ").count()).sum();
    assert_eq!(rows, 80);
    assert!(
        pieces[1].tabular_density > 3.0 * tabular_density("Uma frase comum, sem números, com 1 vírgula.")
    );
}

#[test]
fn c03_both_header_rows_are_repeated() {
    let header = "| Produto | Preço | Nota |\n| | R$ | texto |\n|---|---|---|\n";
    let found = chunks(&big_table(60, header), Markdown, &limits(100, 150));
    assert!(found.len() > 3);
    for piece in &found {
        assert!(piece.text.starts_with(header) && piece.kind == ChunkKind::Table, "{}", piece.text);
    }
}

#[test]
fn c04_a_heading_stays_with_its_table_and_the_table_comes_once() {
    let text = "# Preços\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nTexto.\n";
    let found = chunks(text, Markdown, &ChunkLimits::default());
    assert!(found[0].text.starts_with("# Preços\n\n| a | b |"));
    assert_eq!(found.iter().filter(|chunk| chunk.text.contains("| 1 | 2 |")).count(), 1);
    for text in
        ["# A\n\n```\nx\n```\n", "# A\n\n- x\n- y\n", "# A\n## B\n### C\n\nx\n", "Título\n======\n\nx\n"]
    {
        assert_eq!(chunks(text, Markdown, &ChunkLimits::default()).len(), 1, "{text}");
    }
    // Notes of a table stay with it (D10).
    let text = "| a | b |\n|---|---|\n| 1 | 2 |\n\n¹ valores em mil\n\nOutro parágrafo.\n";
    let found = chunks(text, Markdown, &ChunkLimits::default());
    assert!(found[0].text.contains("¹ valores em mil") && found.len() == 2);
}

#[test]
fn c05_scripts_without_full_stops_are_bounded() {
    let limits = limits(120, 160);
    for unit in [
        "中文没有空格也没有句号所以必须按字切开",
        "日本語の文章はとても長いです",
        "ภาษาไทยไม่มีช่องว่างระหว่างคำ",
        "यह एक लंबा वाक्य है। ",
    ] {
        let text: String = unit.chars().cycle().take(10_000).collect();
        for format in [Plain, Markdown] {
            let found = chunks(&text, format, &limits);
            assert!(found.len() > 10);
            assert!(found.iter().all(|chunk| chunk.tokens <= limits.max_tokens), "{unit}");
            let full = found.iter().filter(|chunk| chunk.tokens * 3 >= limits.max_tokens).count();
            assert!(full * 10 >= found.len() * 9, "{unit}: pieces are too small");
        }
    }
    let emoji: String = "👩‍👩‍👧‍👦".repeat(2_000);
    for piece in chunks(&emoji, Plain, &limits) {
        assert!(piece.text.starts_with('👩') && piece.text.ends_with('👦'), "a family was parted");
    }
}

#[test]
fn c06_boundaries_are_sentences() {
    let sentence = "Dr. Silva chegou em 29. Juli, e.g. às 9h. ";
    let found = chunks(&sentence.repeat(60), Plain, &limits(30, 40));
    assert!(found.len() > 10);
    assert!(found.iter().all(|chunk| chunk.text.starts_with("Dr. Silva") && chunk.text.ends_with("9h. ")));
}

#[test]
fn paragraphs_join_while_small_then_by_meaning() {
    let paragraph =
        "Uma frase de tamanho médio sobre o mesmo assunto de sempre, com mais palavras. ".repeat(3);
    let text = format!("# A\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}\n\nCurto.\n");
    let limits = limits(400, 500);
    assert_eq!(chunks(&text, Markdown, &limits).len(), 1);
    let parts = segments(&text, Markdown, &limits, &count);
    assert_eq!(parts.len(), 4);
    let apart = merge(&text, &parts, Some(&|_, _| 0.1), &limits, &count);
    assert_eq!(apart.len(), 3, "a short piece joins its neighbour whatever its meaning");
    let alike = merge(&text, &parts, Some(&|a, _| if a == 0 { 0.9 } else { 0.1 }), &limits, &count);
    assert_eq!(alike.len(), 2);
    assert_eq!(locations(&alike), ["A (part 1 of 2)", "A (part 2 of 2)"]);
}

#[test]
fn plain_text_is_located_by_lines() {
    let long = "Frase com algumas palavras para ocupar espaço neste parágrafo. ".repeat(8);
    let text = format!("\n\n{long}\nsegunda linha.\n\n{long}\n");
    let found = chunks(&text, Plain, &limits(160, 200));
    assert_eq!(locations(&found), ["lines 3-4", "line 6"]);
    let found = chunks(&"Uma frase inteira. ".repeat(60), Plain, &limits(160, 200));
    assert_eq!(locations(&found), ["line 1 (part 1 of 2)", "line 1 (part 2 of 2)"]);
}

#[test]
fn long_lists_are_cut_between_items() {
    let list: String = (0..60).map(|item| format!("- item número {item} da lista\n")).collect();
    let found = chunks(&format!("# L\n\nItens:\n\n{list}"), Markdown, &limits(60, 80));
    assert!(found.len() > 3);
    for piece in found.iter().skip(1) {
        assert!(piece.text.starts_with("- item") && piece.kind == ChunkKind::List, "{:?}", piece.text);
    }
}

#[test]
fn tables_in_markdown_become_tables() {
    let text = "# Vendas\n\nVendas por região:\n\n| Região | Valor (R$) | % |\n|---|--:|---|\n| Norte | 1.234,50 | 10% |\n| Sul \\| Sudeste | 5,00 | 5% |\n";
    let found = markdown_tables(text);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].lines, found[0].caption.as_deref()), ((5, 8), Some("Vendas por região")));
    assert!(text[found[0].range.clone()].starts_with("| Região"));
    let table = infer_found(&found[0], "relatorio", &CsvOptions::default());
    let names: Vec<&str> = table.info.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["regiao", "valor_rs", "pct"]);
    assert_eq!((table.info.rows, table.info.name.as_str()), (2, "relatorio_vendas_por_regiao"));
}
