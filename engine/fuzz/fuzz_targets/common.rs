//! What the targets share: small limits, and a package around the part that is fuzzed.

use std::io::{Cursor, Write};
use std::path::Path;

use polyrag::read::{ReadLimits, Reader, Source, read};

/// Reads a file with limits that keep a run fast, and checks what holds for every reading.
pub fn check(name: &str, bytes: &[u8]) {
    let limits = ReadLimits {
        max_expanded_bytes: 8 << 20,
        max_text_bytes: 8 << 20,
        max_cells: 200_000,
        max_columns: 500,
        ..ReadLimits::default()
    };
    let Ok(reading) = read(Path::new(name), bytes.to_vec(), &Reader::new(&limits)) else { return };
    for source in &reading.sources {
        let tables = match source {
            Source::Tables(tables) => tables,
            Source::Text(document) => {
                for mark in &document.marks {
                    assert!(document.text.is_char_boundary(mark.at), "a place inside a character");
                }
                assert!(document.marks.windows(2).all(|two| two[0].at <= two[1].at), "places out of order");
                &document.tables
            }
        };
        for table in tables {
            let rows: usize = table.batches.iter().map(|batch| batch.num_rows()).sum();
            assert_eq!(rows as u64, table.info.rows, "rows are counted");
            for batch in &table.batches {
                assert_eq!(batch.num_columns(), table.info.columns.len(), "columns are described");
            }
        }
    }
}

/// Packs parts as a zip.
#[allow(dead_code)]
pub fn packed(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        if writer.start_file(*name, options).is_ok() {
            let _ = writer.write_all(content);
        }
    }
    writer.finish().map(Cursor::into_inner).unwrap_or_default()
}
