//! What a file is, what is refused, and how texts arrive.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use polyrag::decide::chunk::TextFormat;
use polyrag::read::{Kind, ReadError, ReadLimits, Reader, Reading, Source, TextDocument, detect, read};

fn try_read(name: &str, bytes: &[u8]) -> Result<Reading, ReadError> {
    read(Path::new(name), bytes.to_vec(), &Reader::new(&ReadLimits::default()))
}

fn document(name: &str, bytes: &[u8]) -> TextDocument {
    match try_read(name, bytes).unwrap().sources.remove(0) {
        Source::Text(document) => document,
        Source::Tables(tables) => panic!("not a text: {tables:?}"),
    }
}

#[test]
fn content_comes_before_the_name() {
    for (name, head, expected) in [
        ("a.md", &b"# x"[..], Kind::Markdown),
        ("a.txt", b"x", Kind::Text),
        ("a", b"x", Kind::Text),
        ("a.CSV", b"x,y", Kind::Csv),
        ("a.tab", b"x\ty", Kind::Tsv),
        ("a.jsonl", b"{}", Kind::Jsonl),
        ("a.txt", b"%PDF-1.7\n", Kind::Pdf),
        ("a.txt", b"PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaaword/document.xml", Kind::Docx),
        (
            "a.bin",
            b"PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaappt/slides PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaaxl/w",
            Kind::Pptx,
        ),
        ("a.zip", b"PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaafolder/file", Kind::Archive),
        ("a.txt", b"SQLite format 3\0aaaa", Kind::Sqlite),
        ("a.csv", b"\x89PNG\r\n\x1a\n\0\0", Kind::Image),
        ("a.txt", b"\x01\x02\x00\x03rest", Kind::Binary),
        ("a.txt", b"", Kind::Empty),
        ("a.html", b"<p>x", Kind::Html),
        ("a", b"<!DOCTYPE html><p>x", Kind::Html),
        ("a.parquet", b"PAR1\x15\x04", Kind::Parquet),
    ] {
        assert_eq!(detect(Path::new(name), head), expected, "{name} {head:?}");
    }
}

#[test]
fn refusals_name_the_reason_and_the_way_out() {
    let error = try_read("desenho.gif", b"GIF89a\x01\0\x01\0\0\0\0").unwrap_err();
    assert!(matches!(error, ReadError::Unsupported { kind: Kind::Image, .. }));
    assert!(error.hint().unwrap().contains(".png"));
    assert!(matches!(
        try_read("a.txt", b"%PDF-1.7\n").unwrap_err(),
        ReadError::Mismatch { found: Kind::Pdf, .. }
    ));
    assert!(matches!(try_read("a.txt", b"\x7fELF\x02\x01").unwrap_err(), ReadError::Binary { .. }));
    assert!(matches!(try_read("a.txt", b"abc\0def").unwrap_err(), ReadError::Binary { .. }));
    assert!(matches!(try_read("a.txt", b"").unwrap_err(), ReadError::Empty { bytes: 0, .. }));
    assert!(matches!(try_read("a.md", b" \n\t\n").unwrap_err(), ReadError::Empty { bytes: 4, .. }));
    assert!(matches!(try_read("a.csv", b"\xef\xbb\xbf").unwrap_err(), ReadError::Empty { .. }));
    // A zero byte far behind the part that detection looks at.
    let mut late = vec![b'x'; 200_000];
    late.push(0);
    assert!(matches!(try_read("a.txt", &late).unwrap_err(), ReadError::Binary { .. }));
    let limits = ReadLimits { max_file_bytes: 3, ..ReadLimits::default() };
    let error = read(Path::new("a.txt"), b"abcd".to_vec(), &Reader::new(&limits)).unwrap_err();
    assert!(error.to_string().contains("max_file_bytes = 3"), "{error}");
}

#[test]
fn texts_are_normalised() {
    let found = document("nota.txt", "\u{feff}Pﬁzer\r\nveri\u{ad}ficação\rSa\u{303}o".as_bytes());
    assert_eq!(found.text, "Pfizer\nverificação\nSão");
    assert_eq!(
        (found.title.as_str(), found.format, found.encoding.as_str()),
        ("nota", TextFormat::Plain, "UTF-8 with BOM")
    );
    let found = document("nota.md", "Intro\n\n# Título *um*\n\ntexto".as_bytes());
    assert_eq!((found.title.as_str(), found.format), ("Título um", TextFormat::Markdown));
    let found = document("nota.md", "---\ntitle: \"Do cabeçalho\"\n---\n\n# Outro\n".as_bytes());
    assert_eq!(found.title, "Do cabeçalho");
    assert_eq!(document("carta.txt", b"A\xe7\xe3o e rea\xe7\xe3o").text, "Ação e reação");
}

#[test]
fn d01_ligatures_are_spelled_out() {
    assert_eq!(
        document("a.txt", "veriﬁcation, oﬃce, ﬂow, staﬀ".as_bytes()).text,
        "verification, office, flow, staff"
    );
}

#[test]
fn jsonl_keeps_good_lines_and_names_bad_ones() {
    let text = "{\"title\":\"A\",\"text\":\"um\"}\n\n{\"title\":\"B\"}\nnot json\n{\"text\":\"dois\"}\n{\"title\":\"C\",\"text\":\" \"}\n";
    let reading = try_read("docs.jsonl", text.as_bytes()).unwrap();
    let titles: Vec<(String, Option<u64>)> = reading
        .sources
        .iter()
        .map(|source| match source {
            Source::Text(document) => (document.title.clone(), document.line),
            Source::Tables(_) => panic!(),
        })
        .collect();
    assert_eq!(titles, [("A".into(), Some(1)), ("docs line 5".into(), Some(5))]);
    assert_eq!(
        reading.warnings.iter().map(|warning| warning.line).collect::<Vec<_>>(),
        [Some(3), Some(4), Some(6)]
    );
    let error = try_read("docs.jsonl", b"[1]\n").unwrap_err();
    assert!(matches!(error, ReadError::NoDocuments { lines: 1, line: 1, .. }), "{error}");
}

#[test]
fn limits_in_the_configuration_file_are_the_defaults() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../config.toml")).unwrap();
    let all: toml::Table = toml::from_str(&text).unwrap();
    let limits: ReadLimits = all["read"].clone().try_into().unwrap();
    assert_eq!(limits, ReadLimits::default());
    let limits: polyrag::decide::chunk::ChunkLimits = all["chunk"].clone().try_into().unwrap();
    assert_eq!(limits, polyrag::decide::chunk::ChunkLimits::default());
    assert_eq!(all["read"].as_table().unwrap().len(), 16);
    assert_eq!(all["chunk"].as_table().unwrap().len(), 5);
}
