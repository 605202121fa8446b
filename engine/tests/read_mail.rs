//! E-mail and boxes of it, with attachments read by their own loaders.
#![allow(clippy::unwrap_used)]

mod read_support;

use polyrag::read::{ReadError, ReadLimits, Source, TextDocument, place_of};
use read_support::*;

const HEAD: &str = "From: =?utf-8?Q?Ana_Concei=C3=A7=C3=A3o?= <ana@example.org>\r\nTo: bia@example.org, \"Caio\" <caio@example.org>\r\nSubject: =?iso-8859-1?Q?Cota=E7=E3o?=\r\nDate: Tue, 1 Jul 2025 10:52:37 +0200\r\nMIME-Version: 1.0\r\n";

fn mail(rest: &str) -> TextDocument {
    document("a.eml", format!("{HEAD}{rest}").into_bytes())
}

/// Base64 with line breaks, as mail has it.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= three.len() { char::from(sign) } else { '=' });
        }
        if out.len() % 77 == 76 {
            out.push('\n');
        }
    }
    out
}

fn multipart(kind: &str, parts: &[&str]) -> String {
    let parts: String = parts.iter().map(|part| format!("--XX\r\n{part}\r\n")).collect();
    format!("Content-Type: multipart/{kind}; boundary=XX\r\n\r\n{parts}--XX--\r\n")
}

#[test]
fn headers_are_metadata_and_findable() {
    let found = mail(
        "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nOl=E1, segue o pre=\r\n=E7o: 3=2C50.\r\n\r\n-- \r\nAna\r\n",
    );
    assert_eq!(found.title, "Cotação");
    assert_eq!(found.metadata["from"], "Ana Conceição (ana@example.org)");
    assert_eq!(found.metadata["to"], "bia@example.org, Caio (caio@example.org)");
    assert_eq!(found.metadata["date"], "2025-07-01T10:52:37+02:00");
    assert!(
        found.text.starts_with("# Cotação\n\nFrom: Ana Conceição (ana@example.org)\nTo: bia@example.org"),
        "{}",
        found.text
    );
    assert!(found.text.contains("\n\nOlá, segue o preço: 3,50.\n\n"), "{}", found.text);
}

#[test]
fn the_better_body_is_read_once() {
    let plain = "Content-Type: text/plain; charset=utf-8\r\n\r\nO total é 35 e o prazo é dez dias.";
    let html = "Content-Type: text/html; charset=utf-8\r\n\r\n<style>x</style><p>O total é <b>35</b> e o prazo é dez dias.</p>";
    let found = mail(&multipart("alternative", &[plain, html]));
    assert_eq!(found.text.matches("dez dias").count(), 1, "{}", found.text);
    // The plain part is a pointer; the HTML one has the table.
    let pointer = "Content-Type: text/plain\r\n\r\nSee the HTML version.";
    let table = "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        .to_owned()
        + &base64(
            "<p>Preços:</p><table><tr><th>item<th>valor<tr><td>a<td>1<tr><td>b<td>2</table>".as_bytes(),
        );
    let found = mail(&multipart("alternative", &[pointer, &table]));
    assert!(!found.text.contains("See the HTML"), "{}", found.text);
    assert_eq!(cells(&found.tables[0]), [["a", "1"], ["b", "2"]]);
    let only_html = mail("Content-Type: text/html\r\n\r\n<p>caf&eacute;</p>");
    assert!(only_html.text.ends_with("café\n"), "{}", only_html.text);
    let flowed =
        mail("Content-Type: text/plain; format=flowed\r\n\r\numa linha \r\nque continua\r\noutra\r\n");
    assert!(flowed.text.ends_with("uma linha que continua\noutra\n"), "{}", flowed.text);
}

#[test]
fn bytes_that_do_not_fit_their_character_set_are_not_lost() {
    let mut bytes = format!("{HEAD}Content-Type: text/plain\r\n\r\n").into_bytes();
    bytes.extend(b"informa\xe7\xf5es sobre a promo\xe7\xe3o de ver\xe3o\r\n");
    let found = document("a.eml", bytes);
    assert!(found.text.contains("informações sobre a promoção de verão"), "{}", found.text);
    assert!(found.warnings.iter().any(|warning| warning.message.contains("windows-1252")));
}

#[test]
fn attachments_are_read_by_their_own_loaders() {
    let text = "Content-Type: text/plain; charset=utf-8\r\n\r\nSegue anexo.";
    let word = docx(
        &[p("Ttulo1:Contrato"), p("multa de 2 %")].concat(),
        &["s styles styles.xml"],
        &[("word/styles.xml", STYLES)],
    );
    let attach = |name: &str, bytes: &[u8]| {
        format!(
            "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"{name}\"\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
            base64(bytes)
        )
    };
    let contract = attach("../../contrato.docx", &word);
    let sales = attach("vendas.csv", "região;valor\nNorte;10\nSul;20\n".as_bytes());
    let broken = attach("ruim.xlsx", b"PK\x03\x04 xl/ not a zip");
    let found = mail(&multipart("mixed", &[text, &contract, &sales, &broken]));
    let at = found.text.find("multa de 2 %").unwrap();
    assert_eq!(place_of(&found.marks, &(at..at + 5)).as_deref(), Some("attachment contrato.docx"));
    assert!(found.text.contains("## Attachment: contrato.docx\n\n### Contrato\n"), "{}", found.text);
    assert_eq!(cells(&found.tables[0]), [["Norte", "10"], ["Sul", "20"]]);
    assert!(
        found.tables[0].info.location.starts_with("attachment vendas.csv"),
        "{}",
        found.tables[0].info.location
    );
    assert!(
        found.warnings.iter().any(|warning| warning.message.contains("attachment ruim.xlsx was not read")),
        "{:?}",
        found.warnings
    );
}

#[test]
fn messages_inside_messages_stop_at_the_limits() {
    let mut inner = "Subject: fundo\r\n\r\nno fundo\r\n".to_owned();
    for level in (0..8).rev() {
        inner = format!("Subject: nível {level}\r\nContent-Type: message/rfc822\r\n\r\n{inner}");
    }
    let found = document("a.eml", inner.into_bytes());
    assert!(found.text.contains("nível 5") && !found.text.contains("no fundo"), "{}", found.text);
    assert!(
        found.warnings.iter().any(|warning| warning.message.contains("max_attachment_depth = 5")),
        "{:?}",
        found.warnings
    );
    let bomb = "Content-Type: message/rfc822\r\n\r\n".repeat(100_000);
    assert!(matches!(try_read("a.eml", bomb.into_bytes()), Err(ReadError::Corrupt { .. })));
    let one = "Content-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment\r\n\r\nx";
    let many =
        format!("{HEAD}{}", multipart("mixed", &["Content-Type: text/plain\r\n\r\ncorpo", one, one, one]));
    let limits = ReadLimits { max_attachments: 2, ..ReadLimits::default() };
    let found = only(with_limits("a.eml", many.into_bytes(), &limits).unwrap());
    assert_eq!(found.text.matches("## Attachment").count(), 2, "{}", found.text);
    assert!(found.warnings.iter().any(|warning| warning.message.contains("1 attachments were not read")));
}

#[test]
fn a_box_is_one_document_a_message() {
    let text = "From a@example.org Tue Jul 1 10:00:00 2025\nSubject: um\nFrom: a@example.org\n\nprimeiro\n>From aqui em diante\n\nFrom b@example.org Tue Jul 1 11:00:00 2025\nSubject: dois\n\nFrom time to time\n";
    let reading = try_read("caixa.mbox", text.as_bytes().to_vec()).unwrap();
    let found: Vec<(String, Option<u64>)> = reading
        .sources
        .iter()
        .map(|source| match source {
            Source::Text(document) => (document.title.clone(), document.line),
            Source::Tables(_) => panic!(),
        })
        .collect();
    assert_eq!(found, [("um".to_owned(), Some(1)), ("dois".to_owned(), Some(8))]);
    let Source::Text(first) = &reading.sources[0] else { panic!() };
    assert!(first.text.ends_with("primeiro\nFrom aqui em diante\n"), "{}", first.text);
    assert!(try_read("a.eml", b"   \n".to_vec()).is_err());
}
