//! Chunking: ranges tile the text, and repeated headers are all that is added.
#![no_main]

use polyrag::decide::chunk::{ChunkLimits, TextFormat, chunk};

libfuzzer_sys::fuzz_target!(|data: &str| {
    let limits = ChunkLimits { target_tokens: 16, max_tokens: 32, min_tokens: 4, ..ChunkLimits::default() };
    let count = |text: &str| text.len().div_ceil(4);
    for format in [TextFormat::Markdown, TextFormat::Plain] {
        let chunks = chunk(data, format, &limits, &count);
        let joined: String = chunks.iter().map(|chunk| &data[chunk.range.clone()]).collect();
        assert_eq!(joined, if chunks.is_empty() { "" } else { data });
        for chunk in &chunks {
            assert_eq!(&chunk.text[chunk.overlap..], &data[chunk.range.clone()]);
        }
    }
});
