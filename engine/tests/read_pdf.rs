//! PDF files: text layers, tables, running headers, encryption, scans, limits.
#![allow(clippy::unwrap_used)]

mod pages_support;

use pages_support::{Page, Spoken, pdf, pdf_with, plain, try_read, warned, with_ocr};
use polyrag::read::{ReadError, ReadLimits, Reader, TextDocument, place_of};

fn place(document: &TextDocument, words: &str) -> String {
    let at = document.text.find(words).unwrap_or_else(|| panic!("no {words:?} in {:?}", document.text));
    place_of(&document.marks, &(at..at + words.len())).unwrap()
}

fn cells(document: &TextDocument, table: usize) -> Vec<Vec<String>> {
    let table = &document.tables[table];
    let batch = &table.batches[0];
    (0..batch.num_rows()).map(|row| polyrag::store::tables::row_texts(batch, &table.info, row)).collect()
}

#[test]
fn pages_are_places_and_headings_are_headings() {
    let document = plain(&pdf(&[
        Page::new().text(50.0, 80.0, 20.0, "Manual da Oficina").lines(
            50.0,
            120.0,
            10.0,
            &["A revisão é feita a cada dez mil", "quilômetros, na garagem central."],
        ),
        Page::new().lines(50.0, 80.0, 10.0, &["Segunda página, com outra regra sobre a compra de pneus."]),
    ]));
    assert_eq!(document.title, "Manual da Oficina");
    assert!(document.text.starts_with(
        "# Manual da Oficina\n\nA revisão é feita a cada dez mil quilômetros, na garagem central."
    ));
    assert_eq!(place(&document, "quilômetros"), "page 1");
    assert_eq!(place(&document, "compra de pneus"), "page 2");
    assert_eq!(document.incomplete, None);
}

#[test]
fn what_the_file_says_about_itself_is_kept() {
    let page = Page::new().text(50.0, 80.0, 10.0, "Texto qualquer do documento.");
    let document = plain(&pdf_with(&[page], "/Author(Ana Souza)/Subject<feff00e9>/Keywords()"));
    assert_eq!(document.metadata["author"], "Ana Souza");
    assert_eq!(document.metadata["subject"], "é");
    assert!(!document.metadata.contains_key("keywords"));
}

#[test]
fn d01_ligatures_and_divided_words_are_whole() {
    let document = plain(&pdf(&[Page::new()
        .ligatures(50.0, 80.0, 10.0, "the veriﬁcation of an e ﬃ cient Pﬁ zer workﬂow")
        .ligatures(50.0, 92.0, 10.0, "turned oﬀ the di ﬀ erent parts of the regis-")
        .ligatures(50.0, 104.0, 10.0, "tration oﬃce and the staﬀ ofﬁce")]));
    assert_eq!(
        document.text,
        "the verification of an efficient Pfizer workflow turned off the different parts of the registration \
         office and the staff office"
    );
}

#[test]
fn columns_are_read_one_after_the_other() {
    let left: Vec<String> = (1..=12).map(|row| format!("esquerda {row} com palavras que enchem")).collect();
    let right: Vec<String> = (1..=12).map(|row| format!("direita {row} com palavras que enchem")).collect();
    let refs = |lines: &'_ [String]| lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    let (left_text, right_text) = (refs(&left), refs(&right));
    let page = Page::new()
        .text(120.0, 60.0, 16.0, "Um título que vai de um lado ao outro da folha")
        .lines(50.0, 100.0, 10.0, &left_text.lines().collect::<Vec<_>>())
        .lines(310.0, 103.0, 10.0, &right_text.lines().collect::<Vec<_>>());
    let text = plain(&pdf(&[page])).text;
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(at("Um título") < at("esquerda 1 ") && at("esquerda 12") < at("direita 1 "), "{text}");
    assert!(at("direita 1 ") < at("direita 12"));
}

#[test]
fn ruled_tables_go_to_tables_with_caption_and_page() {
    let page = Page::new()
        .text(50.0, 90.0, 10.0, "Tabela 1: Receita por região")
        .grid(&[50.0, 150.0, 250.0], &[100.0, 120.0, 140.0, 160.0])
        .text(55.0, 114.0, 10.0, "Região")
        .text(155.0, 114.0, 10.0, "Receita (R$)")
        .text(55.0, 134.0, 10.0, "Norte")
        .text(155.0, 134.0, 10.0, "1.250,50")
        .text(55.0, 154.0, 10.0, "Sul")
        .text(155.0, 154.0, 10.0, "980,00")
        .text(50.0, 200.0, 10.0, "Depois da tabela segue o texto.");
    let document = plain(&pdf(&[Page::new().text(50.0, 80.0, 10.0, "Capa do relatório."), page]));
    assert_eq!(document.tables.len(), 1, "{}", document.text);
    let info = &document.tables[0].info;
    assert_eq!(info.caption.as_deref(), Some("Tabela 1: Receita por região"));
    assert_eq!(info.location, "page 2, table 1");
    assert_eq!(cells(&document, 0).len(), 2);
    assert_eq!(cells(&document, 0)[0][0], "Norte");
    assert!(document.text.contains("| Norte | 1.250,50 |"), "{}", document.text);
    assert_eq!(place(&document, "| Norte"), "page 2");
}

#[test]
fn tables_without_lines_are_found_by_their_columns() {
    let rows = [
        ("Produto", "Qtd", "Preço"),
        ("Parafuso", "100", "2,50"),
        ("Porca", "80", "1,20"),
        ("Arruela", "300", "0,10"),
    ];
    let mut page =
        Page::new().lines(50.0, 60.0, 10.0, &["Segue a lista de preços da loja, válida até o fim do mês."]);
    for (index, (name, amount, price)) in rows.iter().enumerate() {
        let y = 100.0 + 14.0 * index as f32;
        page = page.text(50.0, y, 10.0, name).text(200.0, y, 10.0, amount).text(300.0, y, 10.0, price);
    }
    let document = plain(&pdf(&[page]));
    assert_eq!(document.tables.len(), 1, "{}", document.text);
    assert_eq!(cells(&document, 0).len(), 3);
    assert!(document.text.contains("| Porca | 80 | 1,20 |"), "{}", document.text);
}

#[test]
fn columns_of_prose_are_no_table() {
    let mut page = Page::new();
    for row in 0..10 {
        let y = 80.0 + 12.0 * row as f32;
        page = page.text(50.0, y, 10.0, "aqui corre uma linha de prosa comum").text(
            310.0,
            y,
            10.0,
            "ali corre outra linha de prosa igual",
        );
    }
    let document = plain(&pdf(&[page]));
    assert!(document.tables.is_empty(), "{}", document.text);
    assert!(!document.text.contains('|'));
}

#[test]
fn d10_a_footnote_stays_beside_its_table() {
    // The note stands at the foot of the page; other text is between it and the table.
    let page = Page::new()
        .grid(&[50.0, 150.0, 250.0], &[100.0, 120.0, 140.0, 160.0])
        .text(55.0, 114.0, 10.0, "Ano")
        .text(155.0, 114.0, 10.0, "Lucro\u{b9}")
        .text(55.0, 134.0, 10.0, "2023")
        .text(155.0, 134.0, 10.0, "10")
        .text(55.0, 154.0, 10.0, "2024")
        .text(155.0, 154.0, 10.0, "12")
        .lines(50.0, 200.0, 10.0, &["O lucro cresceu por causa das exportações do segundo semestre."])
        .text(50.0, 700.0, 8.0, "\u{b9} valores em mil");
    let text = plain(&pdf(&[page])).text;
    assert!(text.contains("| 2024 | 12 |\n\n¹ valores em mil"), "{text}");
    // A small raised figure is the same mark.
    let page = Page::new()
        .grid(&[50.0, 150.0, 250.0], &[100.0, 120.0, 140.0, 160.0])
        .text(55.0, 114.0, 10.0, "Ano")
        .text(155.0, 114.0, 10.0, "Lucro")
        .text(181.0, 110.0, 6.0, "2")
        .text(55.0, 134.0, 10.0, "2023")
        .text(155.0, 134.0, 10.0, "10")
        .text(55.0, 154.0, 10.0, "2024")
        .text(155.0, 154.0, 10.0, "12")
        .text(50.0, 180.0, 6.0, "2")
        .text(54.0, 184.0, 10.0, "sem impostos");
    let text = plain(&pdf(&[page])).text;
    assert!(text.contains("Lucro²"), "{text}");
    assert!(
        text.contains("| 2024 | 12 |\n\n² sem impostos") || text.contains("| 2024 | 12 |\n\n²sem impostos"),
        "{text}"
    );
}

#[test]
fn d04_running_lines_are_kept_once_as_metadata() {
    let pages: Vec<Page> = (1..=5)
        .map(|number| {
            Page::new()
                .text(50.0, 40.0, 9.0, "Companhia Aurora – Política de Viagens")
                .lines(50.0, 100.0, 10.0, &[&format!("Regra número {number} sobre hospedagem e transporte.")])
                .text(280.0, 810.0, 9.0, &format!("Página {number} de 5"))
        })
        .collect();
    let document = plain(&pdf(&pages));
    assert_eq!(document.metadata["header"], "Companhia Aurora – Política de Viagens");
    assert_eq!(document.metadata["footer"], "Página 1 de 5");
    assert!(!document.text.contains("Aurora") && !document.text.contains("de 5"), "{}", document.text);
    assert_eq!(document.text.matches("Regra número").count(), 5);
    // Two pages with the same first line of a letter are not enough apart from the text.
    let letter = |name: &str| Page::new().lines(50.0, 60.0, 10.0, &["Prezado cliente,", name]);
    let document = plain(&pdf(&[letter("segue a fatura de março."), letter("segue a fatura de abril.")]));
    assert_eq!(document.text.matches("Prezado cliente").count(), 2);
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

#[test]
fn d05_an_owner_password_alone_locks_nothing() {
    for name in ["owner_rc4_40.pdf", "owner_rc4_128.pdf", "owner_aes_256.pdf"] {
        let document = plain(&fixture(name));
        assert!(document.text.contains("vigencia ate dezembro de 2031"), "{name}: {:?}", document.text);
        assert_eq!(document.incomplete, None);
        // A password meant for another file of the batch does no harm.
        let limits = ReadLimits::default();
        let reader = Reader { password: Some("outra"), ..Reader::new(&limits) };
        assert!(try_read("a.pdf", &fixture(name), &reader).is_ok(), "{name}");
    }
}

#[test]
fn d05_a_user_password_is_asked_for() {
    let limits = ReadLimits::default();
    for name in ["user_rc4_128.pdf", "user_aes_128.pdf", "user_aes_256.pdf"] {
        let reader = Reader::new(&limits);
        let error = try_read("contrato.pdf", &fixture(name), &reader).unwrap_err();
        assert!(matches!(error, ReadError::Encrypted { .. }), "{name}: {error}");
        assert!(error.hint().unwrap().contains("polyrag add --password"), "{name}");
        let error = try_read("contrato.pdf", &fixture(name), &Reader { password: Some("errado"), ..reader })
            .unwrap_err();
        assert!(matches!(error, ReadError::WrongPassword { .. }), "{name}: {error}");
        assert!(error.hint().unwrap().contains("--password"));
        // The owner's password opens files of the newer revisions (5 and 6) as well.
        let passwords: &[&str] = if name.contains("256") { &["segredo", "dono"] } else { &["segredo"] };
        for password in passwords {
            let reader = Reader { password: Some(password), ..reader };
            let document = try_read("contrato.pdf", &fixture(name), &reader).unwrap();
            assert!(document.text.contains("elevadores"), "{name} {password}");
        }
    }
}

#[test]
fn d07_a_scan_without_ocr_says_what_is_missing() {
    let scan = pdf(&[Page::new().scan(200)]);
    let document = plain(&scan);
    assert_eq!(document.text, "");
    let reason = document.incomplete.unwrap();
    assert!(reason.starts_with("no text: page 1") && reason.contains("OCR is off"), "{reason}");
    let document = with_ocr(&scan, &Spoken::failing("no ocr model: ppocrv6-det.onnx is missing"));
    assert!(document.incomplete.unwrap().contains("ppocrv6-det.onnx is missing"));
    let ocr = Spoken::new(&["Nota fiscal 1043", "Total 55,90"]);
    let document = with_ocr(&scan, &ocr);
    assert_eq!((document.incomplete.clone(), ocr.calls()), (None, 1));
    assert!(document.text.contains("Nota fiscal 1043") && document.text.contains("Total 55,90"));
    assert_eq!(place(&document, "Total"), "page 1");
    assert!(warned(&document, "read by OCR") && warned(&document, "0.95"));
}

#[test]
fn d07_mixed_files_are_read_page_by_page() {
    let digital =
        Page::new().lines(50.0, 80.0, 10.0, &["Esta página tem a sua camada de texto, que é boa e basta."]);
    let mixed = pdf(&[digital.clone(), Page::new().scan(180), digital]);
    let ocr = Spoken::new(&["texto da folha digitalizada"]);
    let document = with_ocr(&mixed, &ocr);
    assert_eq!(ocr.calls(), 1);
    assert_eq!(place(&document, "folha digitalizada"), "page 2");
    let document = plain(&mixed);
    assert!(document.text.contains("camada de texto"));
    assert!(document.incomplete.unwrap().starts_with("incomplete: page 2"));
}

const RUBBISH: &[&str] = &["a;dklja adlkfad qwzx;jk lkjsdf vbqnw", "xkq zvbn qwrt plmk jhgf dszx wqpl"];

#[test]
fn d08_a_rubbish_layer_is_replaced_by_ocr() {
    for page in [
        Page::new().lines(50.0, 80.0, 10.0, RUBBISH),
        Page::new().scan(220).lines(50.0, 80.0, 10.0, RUBBISH),
        Page::new().scan(220).lines(50.0, 80.0, 10.0, &RUBBISH[..1]),
    ] {
        let file = pdf(&[page]);
        let ocr = Spoken::new(&["O contrato vale por doze meses", "e renova sozinho no fim do prazo"]);
        let document = with_ocr(&file, &ocr);
        assert!(document.text.contains("O contrato vale"), "{}", document.text);
        assert!(!document.text.contains("dklja"), "{}", document.text);
        // Without OCR it is left out, and said.
        let document = plain(&file);
        assert!(document.incomplete.is_some() && document.text.find("zvbn").is_none(), "{}", document.text);
    }
}

#[test]
fn d08_a_reading_that_is_no_better_changes_nothing() {
    let file = pdf(&[Page::new().lines(50.0, 80.0, 10.0, RUBBISH)]);
    let document = with_ocr(&file, &Spoken::new(&["zxq;wv kjh;gf", "qqw;er ttrr;zz"]));
    assert!(document.text.contains("zvbn"), "{}", document.text);
    assert!(warned(&document, "the layer was kept"));
}

#[test]
fn d08_forced_ocr_is_obeyed() {
    let file =
        pdf(&[Page::new().lines(50.0, 80.0, 10.0, &["Uma camada de texto perfeitamente boa e legível."])]);
    let (limits, ocr) = (ReadLimits::default(), Spoken::new(&["texto lido da imagem"]));
    let forced = Reader { pictures: Some(&ocr), force_ocr: true, ..Reader::new(&limits) };
    let document = try_read("a.pdf", &file, &forced).unwrap();
    assert_eq!((document.text.as_str(), ocr.calls()), ("texto lido da imagem", 1));
}

#[test]
fn pictures_inside_a_page_are_read_once() {
    let logo = |page: Page| page.picture([400.0, 50.0, 120.0, 60.0], (200, 100), vec![90; 20_000]);
    let words = &["Relatório de vendas com um gráfico ao lado do texto corrido."];
    let pages: Vec<Page> = (0..3).map(|_| logo(Page::new().lines(50.0, 300.0, 10.0, words))).collect();
    let ocr = Spoken::new(&["Grupo Aurora"]);
    let document = with_ocr(&pdf(&pages), &ocr);
    assert_eq!(document.text.matches("Grupo Aurora").count(), 1, "{}", document.text);
    assert_eq!(place(&document, "Grupo Aurora"), "page 1");
    let (width, height) = ocr.seen.borrow()[0];
    assert!(
        (1.9..2.1).contains(&(width as f32 / height as f32)),
        "only the picture is drawn: {width}x{height}"
    );
}

#[test]
fn a_page_turned_on_its_side_is_read() {
    let page = Page::new().lines(50.0, 80.0, 10.0, &["primeira linha do texto", "segunda linha do texto"]);
    for degrees in [0, 90, 180, 270] {
        let document = plain(&pdf(&[page.clone().rotated(degrees)]));
        assert_eq!(document.text, "primeira linha do texto segunda linha do texto", "{degrees}");
    }
}

#[test]
fn limits_are_kept() {
    let file = pdf(&vec![Page::new().text(50.0, 80.0, 10.0, "Texto de uma página."); 4]);
    let limits = ReadLimits { max_pages: 3, ..ReadLimits::default() };
    let error = try_read("a.pdf", &file, &Reader::new(&limits)).unwrap_err();
    assert!(error.to_string().contains("max_pages = 3"), "{error}");
    // Pages are drawn with no more pixels than allowed.
    let ocr = Spoken::new(&["linha"]);
    let limits = ReadLimits { max_pixels: 10_000, ..ReadLimits::default() };
    try_read("a.pdf", &pdf(&[Page::new().scan(9)]), &Reader { pictures: Some(&ocr), ..Reader::new(&limits) })
        .unwrap();
    let (width, height) = ocr.seen.borrow()[0];
    assert!(width * height <= 10_100, "{width}x{height}");
}

#[test]
fn a_page_that_takes_too_long_is_given_up() {
    let page = "0 0 m 100 100 l 200 50 l h f\n";
    let read = |repeats: usize, seconds: u64| {
        let bytes = pdf(&[Page::new().raw(&page.repeat(repeats))]);
        let limits = ReadLimits { max_parse_seconds: seconds, ..ReadLimits::default() };
        let started = std::time::Instant::now();
        let outcome = try_read("bomba.pdf", &bytes, &Reader::new(&limits));
        (outcome, started.elapsed())
    };
    let error = read(1000, 0).0.unwrap_err();
    assert!(matches!(error, ReadError::TimedOut { seconds: 0, .. }), "{error}");
    assert!(error.hint().unwrap().contains("max_parse_seconds"));
    // Two million shapes: read in time or given up, but never much later than asked.
    let (_, elapsed) = read(2_000_000, 1);
    assert!(elapsed.as_secs() < 10, "{elapsed:?}");
}

#[test]
fn damaged_files_are_errors_or_texts_but_never_panics() {
    let whole = pdf(&[Page::new()
        .grid(&[50.0, 150.0, 250.0], &[100.0, 120.0, 140.0])
        .lines(50.0, 80.0, 10.0, &["linha"])
        .scan(7)]);
    let limits = ReadLimits { max_parse_seconds: 20, ..ReadLimits::default() };
    let reader = Reader::new(&limits);
    for part in 1..20 {
        let _ = try_read("cortado.pdf", &whole[..whole.len() * part / 20], &reader);
        let mut bitten = whole.clone();
        let at = whole.len() * part / 20;
        bitten[at..(at + 9).min(whole.len())].fill(b'9');
        let _ = try_read("mordido.pdf", &bitten, &reader);
    }
    for bytes in [&b"%PDF-1.7\n"[..], b"%PDF-1.7\n%%EOF", b"%PDF-"] {
        let error = try_read("vazio.pdf", bytes, &reader).unwrap_err();
        assert!(matches!(error, ReadError::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains("vazio.pdf"));
    }
}

#[test]
fn a_blank_page_is_no_failure() {
    let document = plain(&pdf(&[Page::new()]));
    assert_eq!((document.text.as_str(), document.incomplete.clone()), ("", None));
    assert!(warned(&document, "there is no text on any page"));
}
