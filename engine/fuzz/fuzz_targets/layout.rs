//! Words, glyphs and lines at any place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use polyrag::decide::layout::{
    Block, Bounds, Glyph, PageContent, compose, line_words, page_blocks, repair_ligatures, running_lines,
    text_quality, words,
};

/// A number from two bytes: most are on the page, some are far off or no numbers at all.
fn number(bytes: &[u8]) -> f32 {
    match bytes {
        [0xff, 0xff] => f32::NAN,
        [0xff, 0xfe] => f32::INFINITY,
        [0xff, high] => f32::from(*high) * 1e6 - 1e8,
        [low, high] => f32::from(u16::from_le_bytes([*low, *high])) / 64.0 - 10.0,
        _ => 0.0,
    }
}

fuzz_target!(|data: &[u8]| {
    let mut pages = vec![PageContent { width: 600.0, height: 800.0, ..PageContent::default() }];
    let mut glyphs = Vec::new();
    for chunk in data.chunks_exact(12) {
        let at = |index: usize| number(&chunk[1 + 2 * index..3 + 2 * index]);
        let bounds = Bounds::new(at(0), at(1), at(2), at(3));
        let Some(page) = pages.last_mut() else { return };
        let text = String::from_utf8_lossy(&chunk[9..]).into_owned();
        match chunk[0] % 8 {
            0 => page.rules.push(bounds),
            1 => page.rules.push(Bounds::new(at(0), at(1), at(2), at(1))),
            2 => page.rules.push(Bounds::new(at(0), at(1), at(0), at(3))),
            3 => glyphs.extend(text.chars().map(|character| Glyph {
                character,
                left: at(0),
                right: at(2),
                baseline: at(1),
                size: at(3),
                bold: chunk[0] > 128,
            })),
            4 if pages.len() < 12 => {
                pages.push(PageContent { width: 600.0, height: 800.0, scanned: chunk[0] > 128, ..PageContent::default() });
            }
            _ => page.words.extend(line_words(&text, bounds)),
        }
    }
    pages[0].words.extend(words(&glyphs));
    let given: usize = pages.iter().flat_map(|page| &page.words).map(|word| word.text.chars().count()).sum();
    let _ = running_lines(&mut pages);
    let blocks: Vec<Vec<Block>> = pages.iter().map(page_blocks).collect();
    let composed = compose(blocks).pages;
    assert_eq!(composed.len(), pages.len());
    // Nothing is said that is not on the pages: markup and merged cells aside, the text is no longer.
    let letters: usize = composed.iter().map(|page| page.chars().filter(|c| c.is_alphanumeric()).count()).sum();
    assert!(letters <= given * 64 + 64);
    let text = composed.concat();
    let quality = text_quality(&text);
    assert!((0.0..=1.0).contains(&quality.score));
    let _ = repair_ligatures(&String::from_utf8_lossy(data));
});
