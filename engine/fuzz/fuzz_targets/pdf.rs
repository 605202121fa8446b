//! Any bytes as a PDF.
#![no_main]

use std::path::Path;
use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use polyrag::read::{Picture, PictureLine, PictureReader, ReadLimits, Reader, Source, read};

struct Spoken;

impl PictureReader for Spoken {
    fn read(&self, picture: &Picture) -> Result<Vec<PictureLine>, String> {
        assert_eq!(picture.rgb.len(), picture.width * picture.height * 3);
        Ok(vec![PictureLine { text: "uma linha lida".into(), confidence: 0.9, bounds: [1.0, 1.0, 50.0, 9.0] }])
    }
}

/// libFuzzer ends the process at a panic, also at one that is caught; those of the parser's own
/// thread are part of the contract, so only others end it.
fn let_the_parser_fail() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some("pdf") {
                before(info);
                std::process::abort();
            }
        }));
    });
}

fuzz_target!(|data: &[u8]| {
    let_the_parser_fail();
    let limits = ReadLimits {
        max_pages: 20,
        max_pixels: 250_000,
        max_parse_seconds: 10,
        ..ReadLimits::default()
    };
    let mut bytes = b"%PDF-1.7\n".to_vec();
    bytes.extend_from_slice(data.strip_prefix(b"%PDF-1.7\n").unwrap_or(data));
    let reader = Reader { pictures: Some(&Spoken), ..Reader::new(&limits) };
    let Ok(reading) = read(Path::new("fuzz.pdf"), bytes, &reader) else { return };
    for source in reading.sources {
        let Source::Text(document) = source else { continue };
        let mut last = 0;
        for mark in &document.marks {
            assert!(mark.at >= last && document.text.is_char_boundary(mark.at));
            last = mark.at;
        }
    }
});
