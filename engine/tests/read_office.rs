//! Word documents, presentations, OpenDocument texts and RTF.
#![allow(clippy::unwrap_used)]

mod read_support;

use polyrag::decide::chunk::{ChunkLimits, chunk};
use polyrag::read::{Kind, ReadError, ReadLimits, TextDocument, place_of};
use read_support::*;

/// Heading trails of the chunks that hold `words`.
fn trail(document: &TextDocument, words: &str) -> Vec<String> {
    let limits = ChunkLimits { target_tokens: 1, min_tokens: 0, ..ChunkLimits::default() };
    let count = |text: &str| text.split_whitespace().count();
    let chunks = chunk(&document.text, document.format, &limits, &count);
    let found = chunks.iter().find(|chunk| chunk.text.contains(words));
    found.unwrap_or_else(|| panic!("{words} not in {}", document.text)).headings.clone()
}

/// Where words of a document are.
fn place(document: &TextDocument, words: &str) -> Option<String> {
    let at = document.text.find(words).unwrap_or_else(|| panic!("{words} not in {}", document.text));
    place_of(&document.marks, &(at..at + words.len()))
}

fn simple(body: &str) -> TextDocument {
    document("a.docx", docx(body, &["s styles styles.xml"], &[("word/styles.xml", STYLES)]))
}

#[test]
fn headings_make_trails_whatever_their_style_ids() {
    let body =
        [p("Ttulo1:Compras"), p("Minha:Prazos"), p("trinta dias"), p("Ttulo1:Vendas"), p("à vista")].concat();
    let found = simple(&body);
    assert_eq!(found.text, "# Compras\n\n## Prazos\n\ntrinta dias\n\n# Vendas\n\nà vista\n");
    assert_eq!(trail(&found, "trinta"), ["Compras", "Prazos"]);
    assert_eq!(found.title, "Compras");
    let titled = simple(&[p("Title:Manual"), p("Sumrio1:Compras 1"), body].concat());
    assert_eq!((titled.title.as_str(), trail(&titled, "trinta").len()), ("Manual", 3));
    assert_eq!(titled.text.matches("Compras").count(), 1, "a table of contents repeats the headings");
}

#[test]
fn lists_keep_their_numbers_and_levels() {
    let numbering = word(
        "numbering",
        r#"<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/></w:lvl></w:abstractNum>
        <w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl></w:abstractNum>
        <w:num w:numId="4"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num>"#,
    );
    let item = |list: &str, level: &str, words: &str| {
        format!(
            r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr></w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"#
        )
    };
    let body = [
        item("4", "0", "um"),
        item("4", "1", "dois"),
        item("4", "0", "três"),
        p("meio"),
        item("5", "0", "ponto"),
        item("0", "0", "fora"),
    ];
    let found = document(
        "a.docx",
        docx(&body.concat(), &["n numbering numbering.xml"], &[("word/numbering.xml", &numbering)]),
    );
    assert_eq!(found.text, "1. um\n    - a) dois\n2. três\n\nmeio\n\n- ponto\n\nfora\n");
}

#[test]
fn only_accepted_revisions_and_visible_words_are_read() {
    let body = r#"<w:p><w:r><w:t>O prazo é de </w:t></w:r><w:del><w:r><w:delText>dez</w:delText></w:r></w:del><w:ins><w:r><w:t>quinze</w:t></w:r></w:ins><w:r><w:t> dias</w:t></w:r>
      <w:r><w:rPr><w:vanish/></w:rPr><w:t> SEGREDO</w:t></w:r><w:commentRangeStart w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>
      <w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>Uma frase </w:t></w:r></w:p><w:p><w:r><w:t>só.</w:t></w:r></w:p>
      <w:p><w:pPr><w:pStyle w:val="Oculto"/></w:pPr><w:r><w:t>INVISÍVEL</w:t></w:r></w:p>
      <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>
      <w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p><w:r><w:t>APAGADA</w:t></w:r></w:p></w:tc><w:tc/></w:tr>
      <w:tr><w:trPr><w:ins/></w:trPr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"#;
    let comments = word("comments", &format!(r#"<w:comment w:id="0">{}</w:comment>"#, p("OPINIÃO")));
    let links = ["s styles styles.xml", "c comments comments.xml"];
    let found = document(
        "a.docx",
        docx(body, &links, &[("word/styles.xml", STYLES), ("word/comments.xml", &comments)]),
    );
    assert_eq!(found.text, "O prazo é de quinze dias\n\nUma frase só.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    assert!(found.warnings.iter().any(|warning| warning.message.contains("comments were left out")));
}

#[test]
fn d04_a_company_named_only_in_the_header_is_kept_once() {
    let header = word("hdr", &[p("Acme Ferragens Ltda"), p("12")].concat());
    let footer = word("ftr", &p("Confidencial"));
    let references = r#"<w:sectPr><w:headerReference w:type="default" r:id="h1"/><w:headerReference w:type="first" r:id="h2"/><w:footerReference r:id="f"/></w:sectPr>"#;
    let links = ["h1 header header1.xml", "h2 header header2.xml", "f footer footer1.xml"];
    let parts =
        [("word/header1.xml", header.as_str()), ("word/header2.xml", &header), ("word/footer1.xml", &footer)];
    let found = document("a.docx", docx(&[&p("Corpo."), references].concat(), &links, &parts));
    assert_eq!(found.metadata["header"], "Acme Ferragens Ltda");
    assert_eq!(found.metadata["footer"], "Confidencial");
    assert!(!found.text.contains("Acme"), "{}", found.text);
    // Siblings: nothing but a header; and in a table of the header, as letterheads are.
    let letterhead = word("hdr", &format!("<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>", p("Beta S.A.")));
    let only = docx(
        r#"<w:p/><w:sectPr><w:headerReference r:id="h1"/></w:sectPr>"#,
        &links[..1],
        &[("word/header1.xml", &letterhead)],
    );
    assert_eq!(document("a.docx", only).metadata["header"], "Beta S.A.");
    let styles = r#"<style:master-page style:name="S"><style:header><text:p>Gama &amp; Filhos</text:p></style:header><style:footer><text:p>Rodapé</text:p></style:footer></style:master-page>"#;
    let found = document("a.odt", odt("", "<text:p>Corpo.</text:p>", styles));
    assert_eq!(
        (found.metadata["header"].as_str(), found.metadata["footer"].as_str()),
        ("Gama & Filhos", "Rodapé")
    );
    let found =
        document("a.rtf", br"{\rtf1{\header Delta ME\par}{\footer p\'e1gina\par}Corpo.\par}".to_vec());
    assert_eq!(
        (found.metadata["header"].as_str(), found.metadata["footer"].as_str()),
        ("Delta ME", "página")
    );
    assert_eq!(found.text, "Corpo.\n");
}

fn note_part(words: &str) -> String {
    word(
        "footnotes",
        &format!(
            r#"<w:footnote w:type="separator" w:id="-1">{}</w:footnote><w:footnote w:id="2">{}</w:footnote>"#,
            p("x"),
            p(words)
        ),
    )
}

#[test]
fn d10_a_footnote_stays_beside_its_table_or_paragraph() {
    let mark = r#"<w:r><w:footnoteReference w:id="2"/></w:r>"#;
    let cell =
        |words: &str, mark: &str| format!("<w:tc><w:p><w:r><w:t>{words}</w:t></w:r>{mark}</w:p></w:tc>");
    let table = format!(
        "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>",
        cell("região", ""),
        cell("receita", mark),
        cell("Norte", ""),
        cell("10", ""),
        cell("Sul", ""),
        cell("20", "")
    );
    let body = [p("antes"), table, p("Um parágrafo bem depois da tabela, que fala de outra coisa.")].concat();
    let notes = note_part("valores em mil");
    let found =
        document("a.docx", docx(&body, &["f footnotes footnotes.xml"], &[("word/footnotes.xml", &notes)]));
    assert!(
        found.text.contains("receita[1]")
            && found.text.contains("| Sul | 20 |\n\n[1] valores em mil\n\nUm par"),
        "{}",
        found.text
    );
    let count = |text: &str| text.split_whitespace().count();
    let chunks = chunk(&found.text, found.format, &ChunkLimits::default(), &count);
    let with_note = chunks.iter().find(|chunk| chunk.text.contains("valores em mil")).unwrap();
    assert!(with_note.text.contains("Norte"), "{chunks:?}");
    // A paragraph's, of Word and of OpenDocument.
    let body =
        format!("<w:p><w:r><w:t>A taxa subiu</w:t></w:r>{mark}<w:r><w:t>.</w:t></w:r></w:p>{}", p("fim"));
    let found =
        document("a.docx", docx(&body, &["f footnotes footnotes.xml"], &[("word/footnotes.xml", &notes)]));
    assert_eq!(found.text, "A taxa subiu[1].\n\n[1] valores em mil\n\nfim\n");
    let body = "<text:p>A taxa<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>em mil</text:p></text:note-body></text:note> subiu.</text:p>";
    assert_eq!(document("a.odt", odt("", body, "")).text, "A taxa[1] subiu.\n\n[1] em mil\n");
    let rtf = br"{\rtf1 A taxa{\super\chftn{\footnote\pard\chftn  em mil}} subiu.\par fim\par}";
    assert_eq!(document("a.rtf", rtf.to_vec()).text, "A taxa[1] subiu.\n\n[1] em mil\n\nfim\n");
}

#[test]
fn tables_have_captions_and_filled_cells() {
    let tc = |settings: &str, words: &str| format!("<w:tc><w:tcPr>{settings}</w:tcPr>{}</w:tc>", p(words));
    let rows = [
        format!(
            "<w:tr><w:trPr><w:tblHeader/></w:trPr>{}{}</w:tr>",
            tc("<w:vMerge w:val=\"restart\"/>", "região"),
            tc("<w:gridSpan w:val=\"2\"/>", "2024")
        ),
        format!(
            "<w:tr><w:trPr><w:tblHeader/></w:trPr>{}{}{}</w:tr>",
            tc("<w:vMerge/>", ""),
            tc("", "jan"),
            tc("", "fev")
        ),
        format!(
            "<w:tr>{}{}{}</w:tr>",
            tc("<w:vMerge w:val=\"restart\"/>", "Norte"),
            tc("", "10"),
            tc("", "11")
        ),
        format!("<w:tr>{}{}{}</w:tr>", tc("<w:vMerge/>", ""), tc("", "20"), tc("", "21")),
    ];
    let found = simple(
        &[p("texto"), format!("<w:tbl>{}</w:tbl>", rows.concat()), p("Legenda:Tabela 1 Vendas")].concat(),
    );
    assert_eq!(found.tables.len(), 1, "{}", found.text);
    let table = &found.tables[0];
    assert_eq!(table.info.caption.as_deref(), Some("Tabela 1 Vendas"));
    assert_eq!(names(table), ["regiao", "c_2024_jan", "c_2024_fev"]);
    assert_eq!(cells(table), [["Norte", "10", "11"], ["Norte", "20", "21"]]);
    assert_eq!(found.text.matches("Norte").count(), 2);
}

#[test]
fn content_controls_boxes_symbols_and_formulas_are_words() {
    let body = r#"<w:sdt><w:sdtPr/><w:sdtContent><w:p><w:r><w:t>Nome: Ana</w:t></w:r></w:p></w:sdtContent></w:sdt>
      <w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Clique aqui</w:t></w:r></w:p></w:sdtContent></w:sdt>
      <w:p><w:hyperlink r:id="x"><w:r><w:t>o site</w:t></w:r></w:hyperlink><w:r><w:t> tem 10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r><w:r><w:t> itens </w:t></w:r><w:r><w:sym w:font="Symbol" w:char="F0B3"/></w:r></w:p>
      <w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p>
      <w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx><w:txbxContent><w:p><w:r><w:t>Na caixa</w:t></w:r></w:p></w:txbxContent></wps:txbx></w:drawing></mc:Choice>
      <mc:Fallback><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>Na caixa</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>fora</w:t></w:r></w:p>"#;
    let found = document("a.docx", docx(body, &["x hyperlink !https://example.org"], &[]));
    assert_eq!(found.text, "Nome: Ana\n\no site tem 10⁶ itens ≥\n\na/b\n\nfora\n\nNa caixa\n");
}

const CHART: &str = r#"<c:chartSpace xmlns:c="urn:c" xmlns:a="urn:a"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Vendas por região</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>
<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>2024</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>Norte</c:v></c:pt><c:pt idx="1"><c:v>Sul</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>1.125</c:v></c:pt><c:pt idx="1"><c:v>4.3</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>
</c:barChart></c:plotArea></c:chart></c:chartSpace>"#;

#[test]
fn d12_speaker_notes_are_labelled_and_tied_to_their_slide() {
    let notes = r#"<p:notes xmlns:p="urn:p" xmlns:a="urn:a"><p:cSld><p:spTree>
      <p:sp><p:nvSpPr><p:nvPr><p:ph type="sldImg"/></p:nvPr></p:nvSpPr></p:sp>
      <p:sp><p:nvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>subiu 12 % por frete</a:t></a:r></a:p></p:txBody></p:sp>
      <p:sp><p:nvSpPr><p:nvPr><p:ph type="sldNum"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:fld type="slidenum"><a:t>2</a:t></a:fld></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>"#;
    let first =
        [shape("ctrTitle", &["Relatório"]), shape("ftr", &["Acme"]), shape("sldNum", &["1"])].concat();
    let second =
        [shape("title", &["Custos"]), shape("body", &["frete", "energia"]), shape("ftr", &["Acme"])].concat();
    let hidden = shape("", &["só para nós"]);
    let slides: [(&str, &[&str], bool); 3] =
        [(&first, &[], true), (&second, &["n notesSlide ../notesSlides/n.xml"], true), (&hidden, &[], false)];
    let found = document("a.pptx", pptx(&slides, &[("ppt/notesSlides/n.xml", notes)]));
    assert_eq!(place(&found, "subiu 12 %").as_deref(), Some("slide 2, notes"));
    assert_eq!(trail(&found, "subiu 12 %"), ["Custos", "Notes"]);
    assert_eq!(place(&found, "- frete\n- energia").as_deref(), Some("slide 2"));
    assert_eq!(place(&found, "só para nós").as_deref(), Some("slide 3 (hidden)"));
    assert_eq!((found.title.as_str(), found.metadata["footer"].as_str()), ("Relatório", "Acme"));
    assert!(!found.text.contains("Acme"));
    assert!(found.warnings.iter().any(|warning| warning.message.contains("hidden slides were read: 3")));
}

#[test]
fn slides_keep_tables_charts_groups_and_numbers() {
    let cell = |settings: &str, words: &str| {
        format!("<a:tc {settings}><a:txBody><a:p><a:r><a:t>{words}</a:t></a:r></a:p></a:txBody></a:tc>")
    };
    let table = format!(
        r#"<p:graphicFrame><a:tbl><a:tr>{}{}</a:tr><a:tr>{}{}</a:tr><a:tr>{}{}</a:tr></a:tbl></p:graphicFrame>"#,
        cell("", "região"),
        cell("", "valor"),
        cell(r#"rowSpan="2""#, "Norte"),
        cell("", "10"),
        cell(r#"vMerge="1""#, ""),
        cell("", "20")
    );
    let chart = r#"<p:graphicFrame><a:graphic><c:chart r:id="c"/></a:graphic></p:graphicFrame>"#;
    let numbered = r#"<p:grpSp><p:sp><p:txBody><a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>abrir</a:t></a:r></a:p><a:p><a:pPr lvl="1"><a:buAutoNum type="alphaLcParenR"/></a:pPr><a:r><a:t>sub</a:t></a:r></a:p><a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>fechar</a:t></a:r></a:p></p:txBody></p:sp></p:grpSp>"#;
    let secret = r#"<p:sp><p:nvSpPr><p:cNvPr id="9" name="x" hidden="1"/><p:nvPr/></p:nvSpPr><p:txBody><a:p><a:r><a:t>ESCONDIDO</a:t></a:r></a:p></p:txBody></p:sp>"#;
    let shapes = [shape("title", &["Dados"]), table, chart.into(), numbered.into(), secret.into()].concat();
    let found = document(
        "a.pptx",
        pptx(&[(&shapes, &["c chart ../charts/c.xml"], true)], &[("ppt/charts/c.xml", CHART)]),
    );
    assert_eq!(found.tables.len(), 2, "{}", found.text);
    assert_eq!(cells(&found.tables[0]), [["Norte", "10"], ["Norte", "20"]]);
    assert!(found.tables[0].info.location.starts_with("slide 1"), "{}", found.tables[0].info.location);
    assert_eq!(found.tables[1].info.caption.as_deref(), Some("Vendas por região"));
    assert_eq!(cells(&found.tables[1]), [["Norte", "1.125"], ["Sul", "4.3"]]);
    assert!(found.text.contains("1. abrir\n    - a) sub\n2. fechar"), "{}", found.text);
    assert!(!found.text.contains("ESCONDIDO"));
}

#[test]
fn opendocument_texts_keep_structure() {
    let styles = r#"<style:style style:name="P1" style:parent-style-name="Title"/><style:style style:name="T1"><style:text-properties text:display="none"/></style:style>
      <text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-bullet text:level="2"/></text:list-style>"#;
    let body = r#"<text:tracked-changes><text:changed-region><text:deletion><text:p>APAGADO</text:p></text:deletion></text:changed-region></text:tracked-changes>
      <text:p text:style-name="P1">Manual</text:p><text:h text:outline-level="1">Compras</text:h>
      <text:p>dez<text:s text:c="2"/>dias<text:span text:style-name="T1">SEGREDO</text:span><office:annotation><text:p>OPINIÃO</text:p></office:annotation></text:p>
      <text:list text:style-name="L1"><text:list-item><text:p>um</text:p><text:list><text:list-item><text:p>dentro</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>dois</text:p></text:list-item></text:list>
      <table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>região</text:p></table:table-cell><table:table-cell><text:p>valor</text:p></table:table-cell></table:table-row></table:table-header-rows>
      <table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Norte</text:p></table:table-cell><table:table-cell><text:p>10</text:p></table:table-cell></table:table-row>
      <table:table-row><table:covered-table-cell/><table:table-cell><text:p>20</text:p></table:table-cell></table:table-row></table:table>"#;
    let found = document("a.odt", odt(styles, body, ""));
    assert_eq!(
        found.text,
        "# Manual\n\n## Compras\n\ndez dias\n\n1. um\n    - dentro\n2. dois\n\n| região | valor |\n|---|---|\n| Norte | 10 |\n| Norte | 20 |\n"
    );
    assert_eq!((found.title.as_str(), found.metadata["author"].as_str()), ("Manual", "Ana Lima"));
    assert_eq!(cells(&found.tables[0]), [["Norte", "10"], ["Norte", "20"]]);
}

#[test]
fn rich_text_keeps_letters_headings_and_tables() {
    let rtf = br"{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0 Arial;}{\f1\fcharset204 Times;}}{\stylesheet{\s0 Normal;}{\s1 heading 1;}}{\info{\title Relat\'f3rio}{\author Ana}}
\pard\s1 Vis\'e3o geral\par\pard A\u231?\'e3o {\v oculto}{\deleted fora}e {\f1\'cf\'f0} \'96 \u-10179?\u-8704?{\*\desconhecido nada}\par
{\field{\*\fldinst HYPERLINK x}{\fldrslt o site}}\par
{\listtext 1.\tab}um\par{\listtext 2.\tab}dois\par
\trowd\cellx100\cellx200\intbl a\cell b\cell\row\trowd\cellx100\cellx200\intbl 1\cell 2\cell\row\pard fim\par}";
    let found = document("a.rtf", rtf.to_vec());
    assert_eq!(
        found.text,
        "# Visão geral\n\nAção e Пр – 😀\n\no site\n\n1. um\n2. dois\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nfim\n"
    );
    assert_eq!((found.metadata["title"].as_str(), found.metadata["author"].as_str()), ("Relatório", "Ana"));
    let cut = try_read("a.rtf", br"{\rtf1 {\b ".to_vec()).unwrap_err();
    assert!(cut.to_string().contains("ends at byte 11"), "{cut}");
}

#[test]
fn damaged_and_hostile_files_are_refused_with_a_reason() {
    let whole = docx(&p("texto"), &[], &[]);
    for cut in [30, whole.len() / 3, whole.len() / 2, whole.len() - 5] {
        let error = try_read("a.docx", whole[..cut].to_vec()).unwrap_err();
        assert!(matches!(error, ReadError::Corrupt { kind: Kind::Docx, .. }), "{cut}: {error}");
    }
    let deep = format!(
        "{}{}{}",
        "<w:sdt><w:sdtContent>".repeat(50_000),
        p("x"),
        "</w:sdtContent></w:sdt>".repeat(50_000)
    );
    let error = try_read("a.docx", docx(&deep, &[], &[])).unwrap_err();
    assert!(
        error.to_string().contains("word/document.xml") && error.to_string().contains("max_depth"),
        "{error}"
    );
    let bomb = packed(&[(
        "word/document.xml",
        r#"<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><d>&b;</d>"#,
    )]);
    assert!(matches!(try_read("a.docx", bomb).unwrap_err(), ReadError::Corrupt { .. }));
    let broken = packed(&[("word/document.xml", "<w:document xmlns:w='u'><w:body></w:document>")]);
    let error = try_read("a.docx", broken).unwrap_err();
    assert!(
        error.to_string().contains("part word/document.xml") && error.to_string().contains("1:"),
        "{error}"
    );
    let missing = packed(&[("word/other.xml", "<a/>")]);
    assert!(
        try_read("a.docx", missing).unwrap_err().to_string().contains("word/document.xml: it is missing")
    );
    let limits = ReadLimits { max_expanded_bytes: 10_000, ..ReadLimits::default() };
    let large = docx(&p(&"a".repeat(50_000)), &[], &[]);
    let error = with_limits("a.docx", large, &limits).unwrap_err();
    assert!(error.to_string().contains("max_expanded_bytes = 10000"), "{error}");
    let wide = r#"<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="99999999"/></w:tcPr><w:p/></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>"#;
    assert!(matches!(try_read("a.docx", docx(wide, &[], &[])), Err(ReadError::Empty { .. })));
    let manifest = packed(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", "<m><encryption-data/></m>"),
        ("content.xml", "x"),
    ]);
    assert!(matches!(try_read("a.odt", manifest).unwrap_err(), ReadError::Encrypted { kind: Kind::Odt, .. }));
    let mut ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    ole.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    assert!(matches!(try_read("a.docx", ole).unwrap_err(), ReadError::Encrypted { .. }));
}
