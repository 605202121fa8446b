//! Web pages: what a reader sees, and what the parser must survive.
#![allow(clippy::unwrap_used)]

mod read_support;

use polyrag::read::{ReadError, ReadLimits, TextDocument};
use read_support::*;

fn page(html: &str) -> TextDocument {
    document("a.html", html.as_bytes().to_vec())
}

fn check(html: &str, expected: &str) {
    assert_eq!(page(html).text, expected, "{html}");
}

#[test]
fn headings_lists_and_paragraphs() {
    check(
        "<h1>Guia <em>rápido</em></h1><p>Um\n  parágrafo<br>em duas linhas</p><ul><li>a<li><p>b</p><p>c</p><ol start=3><li>d<li>e</ol></ul><p>fim",
        "# Guia rápido\n\nUm parágrafo\nem duas linhas\n\n- a\n- b c\n    3. d\n    4. e\n\nfim\n",
    );
    check("<dl><dt>Prazo<dd>dez dias<dt>Multa:<dd>2 %</dl>", "Prazo: dez dias\n\nMulta: 2 %\n");
    check("<pre>if a:\n    b &lt; c\n</pre><p>x", "```\nif a:\n    b < c\n```\n\nx\n");
    check("<ol type=a><li>x<li value=5>y</ol>", "- a. x\n- e. y\n");
    check("<div>a<div>b</div>c</div>", "a\n\nb\n\nc\n");
    check("<p>valor<sup><a href='#1'>1</a></sup> de 10<sup>6</sup>", "valor[1] de 10⁶\n");
}

#[test]
fn furniture_and_hidden_parts_are_left_out() {
    check(
        "<head><style>p{}</style><script>var a='<p>x</p>'</script></head><nav><a>Início</a></nav><div role=navigation>menu</div>
         <p>texto</p><p hidden>h</p><p style='color:red; DISPLAY : none'>n</p><noscript>ns</noscript><template><p>t</p></template><button>ok</button><!-- c -->",
        "texto\n",
    );
    let found = page(
        "<title> Loja &amp; Cia </title><meta name=author content='Ana'><p>x<img src='http://x/y.png' alt='mapa da loja'><img alt=logo>",
    );
    assert_eq!((found.title.as_str(), found.metadata["author"].as_str()), ("Loja & Cia", "Ana"));
    assert_eq!(found.text, "x [mapa da loja]\n");
}

#[test]
fn entities_are_characters() {
    check("<p>caf&eacute; &lt;b&gt; &#x1F422; &nbsp;5&euro; AT&T &copy", "café <b> 🐢 5€ AT&T ©\n");
}

#[test]
fn tables_are_filled_and_captioned() {
    let found = page(
        "<table><caption>Vendas</caption><thead><tr><th rowspan=2>região<th colspan=2>2024<tr><th>jan<th>fev</thead>
         <tr><td rowspan=2>Norte<td>10<td>11<tr><td>20<td>21<tr><td>Sul<td>5<td>6</table>",
    );
    let table = &found.tables[0];
    assert_eq!(table.info.caption.as_deref(), Some("Vendas"));
    assert_eq!(names(table), ["regiao", "c_2024_jan", "c_2024_fev"]);
    assert_eq!(cells(table), [["Norte", "10", "11"], ["Norte", "20", "21"], ["Sul", "5", "6"]]);
    // A title over the whole width; heads down the side; a pipe; a table that lays out the page.
    let found =
        page("<table><tr><th colspan=2>Preços<tr><td>item<td>R$<tr><td>a|b<td>3<tr><td>c<td>4</table>");
    assert_eq!(found.tables[0].info.caption.as_deref(), Some("Preços"));
    assert_eq!(cells(&found.tables[0])[0], ["a|b", "3"]);
    let found = page(
        "<table><tr><td><h2>Esquerda</h2><p>um</p><td><table><tr><td>a<td>b<tr><td>1<td>2<tr><td>3<td>4</table></table>",
    );
    assert!(found.text.starts_with("## Esquerda\n\num\n\n| a | b |\n"), "{}", found.text);
    assert_eq!(found.tables.len(), 1);
}

#[test]
fn the_character_set_is_the_mark_the_declaration_or_the_bytes() {
    for (bytes, encoding) in [
        (&b"<meta charset=iso-8859-1><p>a\xe7\xe3o"[..], "windows-1252"),
        (
            b"<meta http-equiv=Content-Type content='text/html; charset=windows-1251'><p>\xcf\xf0\xe8",
            "windows-1251",
        ),
        (b"<?xml version='1.0' encoding='iso-8859-2'?><p>\xb1", "ISO-8859-2"),
        ("<meta charset=iso-8859-1><p>ação".as_bytes(), "UTF-8"),
        (b"\xef\xbb\xbf<meta charset=latin1><p>a\xc3\xa7", "UTF-8 with BOM"),
        (b"\xff\xfe<\0p\0>\0\xe7\0", "UTF-16LE"),
        (b"<meta charset=utf-16><p>plain", "UTF-8"),
        (b"<p>a\xe7\xe3o e rea\xe7\xe3o", "windows-1252"),
    ] {
        let found = document("a.html", bytes.to_vec());
        assert_eq!(found.encoding, encoding, "{}", found.text);
        assert!(!found.text.contains('\u{fffd}'));
    }
    assert_eq!(document("a.html", b"<meta charset=iso-8859-1><p>a\xe7\xe3o".to_vec()).text, "ação\n");
}

#[test]
fn deep_and_misnested_pages_neither_overflow_nor_stall() {
    let limits = ReadLimits::default();
    let deep = |tag: &str, count: usize| format!("{}fundo", tag.repeat(count));
    // Deeper than the walk goes, still read as words.
    assert!(page(&deep("<div>", 1000)).text.contains("fundo"));
    let started = std::time::Instant::now();
    for tag in ["<div>", "<b>", "<table><tr><td>", "<ul><li>", "<font size=1><p>", "<a><b><i>"] {
        match with_limits("a.html", deep(tag, 50_000).into_bytes(), &limits) {
            Ok(_) | Err(ReadError::TooLarge { what: "the nesting (levels)", .. }) => {}
            Err(error) => panic!("{tag}: {error}"),
        }
    }
    let formatting: String = (0..5_000).map(|n| format!("<p><font a{n}=1>")).collect();
    let _ = with_limits("a.html", formatting.into_bytes(), &limits);
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    let wide = "<table><tr><td rowspan=65534 colspan=1000>x".to_owned() + &"<tr><td>y".repeat(500);
    let small = ReadLimits { max_cells: 10_000, ..ReadLimits::default() };
    assert!(matches!(with_limits("a.html", wide.into_bytes(), &small), Err(ReadError::TooLarge { .. })));
    assert!(matches!(try_read("a.html", b"<script>x</script>".to_vec()), Err(ReadError::Empty { .. })));
}
