//! Properties of reading and chunking over arbitrary input.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use polyrag::decide::chunk::{ChunkKind, ChunkLimits, TextFormat, chunk, sentences};
use polyrag::decide::infer::{CsvOptions, infer_csv};
use polyrag::read::{ReadLimits, Reader, Source, read};
use proptest::prelude::*;

fn words(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 3 }).sum::<usize>().div_ceil(4)
}

/// Markdown-like text: its signs are much more frequent than in any document.
fn markup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# ".to_owned()),
        Just("\n\n".to_owned()),
        Just("\n".to_owned()),
        Just("```\n".to_owned()),
        Just("| a | b |\n".to_owned()),
        Just("|---|---|\n".to_owned()),
        Just("- ".to_owned()),
        Just("> ".to_owned()),
        Just("    ".to_owned()),
        Just("---\n".to_owned()),
        Just("Dr. ".to_owned()),
        Just("[x]: y\n".to_owned()),
        Just("<div>\n".to_owned()),
        "[a-zà-ú .,]{1,40}",
        "\\PC{1,20}",
        "[一-龥。，]{1,60}",
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn check_chunks(text: &str, format: TextFormat, max: usize) -> Result<(), TestCaseError> {
    let limits = ChunkLimits {
        target_tokens: max * 2 / 3,
        max_tokens: max,
        min_tokens: max / 8,
        max_fence_tokens: max * 4,
        similarity: 0.8,
    };
    let found = chunk(text, format, &limits, &words);
    let joined: String = found.iter().map(|chunk| &chunk.text[chunk.overlap..]).collect();
    prop_assert_eq!(&joined, text);
    for chunk in &found {
        prop_assert_eq!(&chunk.text[chunk.overlap..], &text[chunk.range.clone()]);
        let bounded = matches!(chunk.kind, ChunkKind::Prose | ChunkKind::List);
        let one_character = chunk.text.chars().count() == 1;
        prop_assert!(
            !bounded || one_character || chunk.tokens <= max,
            "{} tokens: {:?}",
            chunk.tokens,
            chunk
        );
        prop_assert!((0.0..=1.0).contains(&chunk.tabular_density));
    }
    Ok(())
}

/// Plain fields, and fields that need quotes.
fn field() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9 ]{0,8}", "[a-z,\";\n\r|\t]{0,8}", "\\PC{0,6}", "[0-9]{1,3}([.,][0-9]{1,3}){0,2}"]
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn chunks_of_any_text_tile_it(text in "\\PC{0,400}", max in 4_usize..60) {
        check_chunks(&text, TextFormat::Plain, max)?;
        check_chunks(&text, TextFormat::Markdown, max)?;
    }

    #[test]
    fn chunks_of_any_markup_tile_it(text in markup(), max in 4_usize..80) {
        check_chunks(&text, TextFormat::Markdown, max)?;
        check_chunks(&text, TextFormat::Plain, max)?;
    }

    #[test]
    fn sentences_tile_any_text(text in "[\\PC\n]{0,200}") {
        let mut at = 0;
        for range in sentences(&text) {
            prop_assert_eq!(range.start, at);
            at = range.end;
        }
        prop_assert_eq!(at, text.len());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400), name in "[a-c]\\.(csv|txt|md|tsv|jsonl|pdf|xlsx|x)") {
        if let Ok(reading) = read(Path::new(&name), bytes, &Reader::new(&ReadLimits::default())) {
            for source in reading.sources {
                if let Source::Tables(tables) = source {
                    for table in tables {
                        let rows: usize = table.batches.iter().map(|batch| batch.num_rows()).sum();
                        prop_assert_eq!(rows as u64, table.info.rows);
                    }
                }
            }
        }
    }

    #[test]
    fn any_text_as_csv_keeps_its_batches_in_step(text in "[a-c0-9,;\"\n\r\t .|à%$/-]{0,300}") {
        for table in infer_csv(&text, &CsvOptions::default()) {
            let rows: usize = table.batches.iter().map(|batch| batch.num_rows()).sum();
            prop_assert_eq!(rows as u64, table.info.rows);
            prop_assert!(table.batches.iter().all(|batch| batch.num_columns() == table.info.columns.len()));
            let mut names: Vec<&str> = table.info.columns.iter().map(|column| column.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            prop_assert_eq!(names.len(), table.info.columns.len());
        }
    }

    /// What a writer that follows RFC 4180 wrote comes back, cell by cell.
    #[test]
    fn written_csv_comes_back(rows in proptest::collection::vec(proptest::collection::vec(field(), 3), 1..20), delimiter in prop_oneof![Just(b','), Just(b';'), Just(b'\t')]) {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(["first", "second", "third"]).unwrap();
        for (index, row) in rows.iter().enumerate() {
            // A word in the first column: no row is blank, no type but text.
            writer.write_record([&format!("r{index}x{}", row[0]), &format!("w{}", row[1]), &format!("v{}", row[2])]).unwrap();
        }
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let given = format!("sep={}\n{text}", delimiter as char);
        let tables = infer_csv(&given, &CsvOptions::default());
        prop_assert_eq!(tables.len(), 1);
        prop_assert_eq!(tables[0].info.rows, rows.len() as u64);
        let batch = &tables[0].batches[0];
        use arrow_array::cast::AsArray;
        use unicode_normalization::UnicodeNormalization;
        for (index, row) in rows.iter().enumerate() {
            let expected = format!("r{index}x{}", row[0]);
            prop_assert_eq!(batch.column(0).as_string::<i32>().value(index), expected.trim().nfc().collect::<String>());
            let expected = format!("v{}", row[2]);
            prop_assert_eq!(batch.column(2).as_string::<i32>().value(index), expected.trim().nfc().collect::<String>());
        }
    }
}
