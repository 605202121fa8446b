//! Any bytes as a picture; the first byte chooses the format's signature.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use polyrag::read::{Picture, PictureLine, PictureReader, ReadLimits, Reader, read};

struct Spoken;

impl PictureReader for Spoken {
    fn read(&self, picture: &Picture) -> Result<Vec<PictureLine>, String> {
        assert_eq!(picture.rgb.len(), picture.width * picture.height * 3);
        Ok(vec![PictureLine { text: "uma linha lida".into(), confidence: 0.9, bounds: [1.0, 1.0, 50.0, 9.0] }])
    }
}

fuzz_target!(|data: &[u8]| {
    let limits = ReadLimits { max_pages: 50, max_pixels: 1_000_000, ..ReadLimits::default() };
    let reader = Reader { pictures: Some(&Spoken), ..Reader::new(&limits) };
    let _ = read(Path::new("fuzz.png"), data.to_vec(), &reader);
});
