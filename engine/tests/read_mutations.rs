//! Files damaged at random: every loader answers or refuses, and none of our own code panics.
//!
//! The same mutations every time; `engine/fuzz` looks further.
#![allow(clippy::unwrap_used)]

mod read_support;

use std::sync::atomic::{AtomicUsize, Ordering};

use read_support::*;

/// Small deterministic generator (xorshift64*).
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below.max(1)
    }
}

/// Pieces that mean something to one format or another.
const PIECES: [&str; 30] = [
    "\u{0}",
    "<",
    ">",
    "&#0;",
    "&amp;",
    "\"",
    "{",
    "}",
    "\\",
    "\\u-1?",
    "\\'",
    "\\trowd",
    "\\cell",
    "\\row",
    "99999999999",
    "-1",
    "<table>",
    "<tr>",
    "<td rowspan=65534>",
    "<li>",
    "<w:p>",
    "<w:tc>",
    "gridSpan w:val=\"9999\"",
    "\r\n\r\n",
    "--XX\r\n",
    "--XX--",
    "Content-Type: message/rfc822\r\n\r\n",
    "[[",
    ":",
    "é",
];

fn mutate(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.next(4) {
        let at = dice.next(bytes.len() + 1);
        match dice.next(5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << dice.next(8),
            2 => {
                let piece = PIECES[dice.next(PIECES.len())].as_bytes();
                bytes.splice(at..at, piece.iter().copied());
            }
            3 => {
                let end = (at + dice.next(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + dice.next(80)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = dice.next(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
        }
    }
    bytes
}

/// Panics seen in files of this crate; those of parsers are caught and become errors.
static OWN_PANICS: AtomicUsize = AtomicUsize::new(0);

fn watch() {
    std::panic::set_hook(Box::new(|panic| {
        let file = panic.location().map(std::panic::Location::file).unwrap_or_default();
        if file.contains("engine/src") || file.starts_with("src/") || file.contains("engine/tests") {
            OWN_PANICS.fetch_add(1, Ordering::SeqCst);
            std::io::Write::write_all(&mut std::io::stderr(), format!("{panic}\n").as_bytes())
                .unwrap_or_default();
        }
    }));
}

#[test]
fn damaged_files_are_answered_or_refused() {
    watch();
    let body = [
        p("Ttulo1:Um"),
        "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr><w:p/></w:tc></w:tr><w:tr><w:tc><w:p/></w:tc><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>".into(),
        p("fim <w:del/> <w:footnoteReference w:id=\"2\"/>"),
    ]
    .concat();
    let slide = [
        shape("title", &["Um"]),
        "<a:tbl><a:tr><a:tc gridSpan=\"2\"/><a:tc hMerge=\"1\"/></a:tr></a:tbl>".into(),
    ]
    .concat();
    let text = "<text:h text:outline-level=\"1\">Um</text:h><text:list><text:list-item><text:p>a</text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell table:number-rows-spanned=\"2\"><text:p>a</text:p></table:table-cell></table:table-row></table:table>";
    let seeds: [(&str, Vec<u8>); 8] = [
        ("a.html", "<h1>Um</h1><ul><li>a<ol><li>b</ol></ul><table><caption>T<tr><th rowspan=2>x<th>y<tr><td>1</table><pre>c</pre>".into()),
        ("a.rtf", br"{\rtf1\ansi{\stylesheet{\s1 heading 1;}}\pard\s1 Um\par{\footnote n}\trowd\clvmrg\cellx1\cellx2 a\cell b\cell\row\pard\u233?x{\pict ffd8}\par}".to_vec()),
        ("a.eml", b"From: a@b\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary=XX\r\n\r\n--XX\r\nContent-Type: text/html\r\n\r\n<p>a\r\n--XX\r\nContent-Type: message/rfc822\r\n\r\nSubject: y\r\n\r\nb\r\n--XX--\r\n".to_vec()),
        ("a.mbox", b"From a Mon\nSubject: x\n\nb\n\nFrom c Tue\nSubject: y\n\nd\n".to_vec()),
        ("a.json", br#"{"a":[{"id":1,"b":[{"c":"1.5"}]},{"id":2}],"d":{"e":[1,[2]]}}"#.to_vec()),
        ("a.jsonl", b"{\"a\":1}\n{\"title\":\"x\",\"text\":\"y\"}\n".to_vec()),
        ("a.csv", "a;b;c\n1;\"x\ny\";3,5\n2;z\n\nd;e\n1;2\n".into()),
        ("a.md", "# Um\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n[1] nota\n".into()),
    ];
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for (name, seed) in &seeds {
        assert!(try_read(name, seed.clone()).is_ok(), "{name}");
        for _ in 0..400 {
            let _ = try_read(name, mutate(seed, &mut dice));
        }
    }
    for _ in 0..250 {
        let inner =
            |xml: &str, dice: &mut Dice| String::from_utf8_lossy(&mutate(xml.as_bytes(), dice)).into_owned();
        let _ = try_read(
            "a.docx",
            docx(&inner(&body, &mut dice), &["s styles styles.xml"], &[("word/styles.xml", STYLES)]),
        );
        let _ = try_read("a.pptx", pptx(&[(&inner(&slide, &mut dice), &[], true)], &[]));
        let _ = try_read("a.odt", odt("", &inner(text, &mut dice), ""));
        let _ = try_read("a.docx", mutate(&docx(&body, &[], &[]), &mut dice));
    }
    let _ = std::panic::take_hook();
    assert_eq!(OWN_PANICS.load(Ordering::SeqCst), 0, "panics in our own code, printed above");
}
