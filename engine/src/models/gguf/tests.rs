#![allow(clippy::unwrap_used)]

use std::io::Cursor;

use proptest::prelude::*;

use super::*;

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn entry(bytes: &mut Vec<u8>, key: &str, value: &Value) {
    text(bytes, key);
    match value {
        Value::Text(value) => {
            bytes.extend(8u32.to_le_bytes());
            text(bytes, value);
        }
        Value::Unsigned(value) => {
            bytes.extend(4u32.to_le_bytes());
            bytes.extend(u32::try_from(*value).unwrap().to_le_bytes());
        }
        Value::Array(length) => {
            bytes.extend(9u32.to_le_bytes());
            bytes.extend(8u32.to_le_bytes());
            bytes.extend(length.to_le_bytes());
            for token in 0..*length {
                text(bytes, &format!("t{token}"));
            }
        }
        _ => unreachable!("not used here"),
    }
}

/// A small whole file of `architecture` with one 64x2 F32 tensor; `more` metadata is added.
fn file(architecture: &str, more: &[(&str, Value)]) -> Vec<u8> {
    let number = |n| Value::Unsigned(n);
    let mut entries = vec![
        ("general.architecture".to_string(), Value::Text(architecture.into())),
        ("tokenizer.ggml.tokens".to_string(), Value::Array(5)),
    ];
    for (key, value) in
        [("block_count", 2), ("embedding_length", 64), ("context_length", 512), ("attention.head_count", 2)]
    {
        entries.push((format!("{architecture}.{key}"), number(value)));
    }
    for (key, value) in more {
        entries.retain(|(name, _)| name != key);
        entries.push(((*key).to_string(), value.clone()));
    }
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3u32.to_le_bytes());
    bytes.extend(1u64.to_le_bytes());
    bytes.extend((entries.len() as u64).to_le_bytes());
    for (key, value) in &entries {
        entry(&mut bytes, key, value);
    }
    text(&mut bytes, "token_embd.weight");
    bytes.extend(2u32.to_le_bytes());
    bytes.extend(64u64.to_le_bytes());
    bytes.extend(2u64.to_le_bytes());
    bytes.extend(0u32.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(32) + 64 * 2 * 4, 0);
    bytes
}

fn header(bytes: &[u8]) -> Result<Header, HeaderError> {
    parse(Cursor::new(bytes), bytes.len() as u64)
}

fn on_disk(bytes: &[u8], role: Kind) -> Result<Header, ModelError> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.gguf");
    std::fs::write(&path, bytes).unwrap();
    check(&path, role)
}

fn refusal(bytes: &[u8], role: Kind) -> String {
    on_disk(bytes, role).unwrap_err().to_string()
}

#[test]
fn a_whole_file_is_read() {
    let bytes = file("qwen2", &[("general.name", Value::Text("Small".into()))]);
    let header = header(&bytes).unwrap();
    assert_eq!(header.expected_size, bytes.len() as u64);
    assert_eq!(header.weight_bytes(), 512);
    assert_eq!((header.layers(), header.text("general.name")), (2, Some("Small")));
    on_disk(&bytes, Kind::Generator).unwrap();
}

#[test]
fn l12_missing_empty_cut_and_text_files_are_told_apart() {
    let missing = check(Path::new("/nonexistent/model.gguf"), Kind::Generator).unwrap_err();
    assert!(matches!(missing, ModelError::Missing { role: "generate", .. }));
    assert_eq!(missing.hint().unwrap(), "polyrag models fetch");
    assert!(refusal(b"", Kind::Generator).contains("empty"));
    assert!(refusal(b"GG", Kind::Generator).contains("2 of 24"));
    assert!(refusal(b"<html>Not found</html>", Kind::Generator).contains("not a GGUF file"));
    assert!(refusal("Olá".as_bytes(), Kind::Embedder).contains("not a GGUF file"));
    let whole = file("qwen2", &[]);
    for percent in [1, 10, 50, 90, 99] {
        let cut = &whole[..whole.len() * percent / 100];
        let error = on_disk(cut, Kind::Generator).unwrap_err();
        assert!(matches!(error, ModelError::Truncated { .. }), "{percent} %: {error}");
    }
    let directory = tempfile::tempdir().unwrap();
    assert!(check(directory.path(), Kind::Embedder).unwrap_err().to_string().contains("directory"));
}

#[test]
fn l04_l12_an_embedder_is_no_generator_and_the_reverse() {
    assert!(refusal(&file("bert", &[]), Kind::Generator).contains("it is an embedder"));
    assert!(refusal(&file("qwen2", &[]), Kind::Embedder).contains("it is a generator"));
    on_disk(&file("bert", &[]), Kind::Embedder).unwrap();
    // Decoders with a pooling are embedders; rank pooling is neither.
    let pooled = |n| file("qwen3", &[("qwen3.pooling_type", Value::Unsigned(n))]);
    on_disk(&pooled(3), Kind::Embedder).unwrap();
    on_disk(&pooled(3), Kind::Generator).unwrap_err();
    assert!(refusal(&pooled(4), Kind::Embedder).contains("reranker"));
    assert!(refusal(&file("clip", &[]), Kind::Generator).contains("projector"));
    let adapter = file("qwen2", &[("general.type", Value::Text("adapter".into()))]);
    assert!(refusal(&adapter, Kind::Generator).contains("adapter"));
}

#[test]
fn impossible_figures_are_refused() {
    for (key, value) in [
        ("qwen2.block_count", Value::Unsigned(0)),
        ("qwen2.block_count", Value::Unsigned(1 << 20)),
        ("qwen2.attention.head_count", Value::Unsigned(0)),
        ("qwen2.embedding_length", Value::Unsigned(u64::from(u32::MAX))),
        ("qwen2.context_length", Value::Text("many".into())),
        ("tokenizer.ggml.eos_token_id", Value::Unsigned(99)),
        ("tokenizer.ggml.tokens", Value::Array(0)),
        ("general.alignment", Value::Unsigned(3)),
        ("general.alignment", Value::Unsigned(0)),
    ] {
        let error = on_disk(&file("qwen2", &[(key, value)]), Kind::Generator).unwrap_err();
        assert!(matches!(error, ModelError::WrongKind { .. }), "{key}: {error}");
    }
}

#[test]
fn hostile_counts_are_refused_before_anything_is_allocated() {
    let whole = file("qwen2", &[]);
    let with = |at: usize, number: u64| {
        let mut bytes = whole.clone();
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        header(&bytes).unwrap_err()
    };
    for at in [8, 16, 24] {
        for number in [u64::MAX, u64::MAX / 2, 1 << 62, 1 << 40] {
            with(at, number);
        }
    }
}

proptest! {
    #[test]
    fn mutated_headers_never_panic(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), cut in any::<prop::sample::Index>()) {
        let mut bytes = file("bert", &[]);
        for (place, value) in &changes {
            let at = place.index(bytes.len());
            bytes[at] = *value;
        }
        if let Ok(header) = header(&bytes) {
            let _ = check_role(&header, Kind::Embedder);
            let _ = check_role(&header, Kind::Generator);
        }
        let cut = cut.index(bytes.len());
        let _ = header(&bytes[..cut]);
    }

    #[test]
    fn wide_fields_set_to_extremes_never_panic(at in 4usize..200, number in prop_oneof![Just(u64::MAX), Just(1u64 << 63), Just(0x7fff_ffff_ffff_ffff), Just(0xffff_ffff), any::<u64>()]) {
        let mut bytes = file("qwen2", &[]);
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        let _ = header(&bytes);
    }
}
