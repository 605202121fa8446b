//! Model files that are not what they should be.

use std::io::Write;
use std::path::{Path, PathBuf};

use polyrag::models::llama::{LlamaEmbedder, LlamaGenerator};
use polyrag::models::{Generate, GenerateRequest, ModelError};

use crate::{E5, TINY, cpu_embed, cpu_generate, model};

fn refusals(path: &Path) -> [ModelError; 2] {
    [
        LlamaEmbedder::load(path, &cpu_embed()).err().unwrap(),
        LlamaGenerator::load(path, &cpu_generate()).err().unwrap(),
    ]
}

fn written(directory: &tempfile::TempDir, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join("model.gguf");
    std::fs::File::create(&path).unwrap().write_all(bytes).unwrap();
    path
}

#[test]
fn l12_missing_empty_text_and_cut_files_are_clear_errors() {
    let directory = tempfile::tempdir().unwrap();
    for error in refusals(&directory.path().join("none.gguf")) {
        assert!(matches!(error, ModelError::Missing { .. }));
        assert!(error.to_string().contains("none.gguf"));
        assert!(error.hint().unwrap().contains("polyrag models fetch"));
    }
    for bytes in [&b""[..], b"hello, I am a text file and long enough for a header", b"GGUF"] {
        for error in refusals(&written(&directory, bytes)) {
            assert!(error.hint().is_some(), "{error}");
        }
    }
    for name in [TINY, E5] {
        let whole = std::fs::read(model(name)).unwrap();
        for percent in [1, 50, 99] {
            for error in refusals(&written(&directory, &whole[..whole.len() / 100 * percent])) {
                let ModelError::Truncated { found, expected, .. } = error else { panic!("{error}") };
                assert!(found < expected && expected <= whole.len() as u64);
            }
        }
    }
}

#[test]
fn l04_l12_models_of_the_other_kind_are_refused() {
    let error = LlamaEmbedder::load(&model(TINY), &cpu_embed()).err().unwrap();
    assert!(error.to_string().contains("it is a generator"), "{error}");
    let error = LlamaGenerator::load(&model(E5), &cpu_generate()).err().unwrap();
    assert!(error.to_string().contains("it is an embedder"), "{error}");
}

/// Replaces `from` by `to`, of the same length, wherever it stands in the file.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, w)| *w == from).map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "not found");
    for at in places {
        bytes[at..at + from.len()].copy_from_slice(to);
    }
    bytes
}

#[test]
fn l08_without_a_chat_template_the_vocabulary_tells_or_the_model_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let whole = std::fs::read(model(TINY)).unwrap();
    let none = replaced(&whole, b"tokenizer.chat_template", b"tokenizer.chat_tamplete");
    let generator = LlamaGenerator::load(&written(&directory, &none), &cpu_generate()).unwrap();
    let request = GenerateRequest { user: "Say hi.".into(), max_tokens: 20, ..Default::default() };
    let known = crate::tiny().generate(&request, &Default::default(), &mut |_| {}).unwrap();
    let told = generator.generate(&request, &Default::default(), &mut |_| {}).unwrap();
    assert_eq!((told.text, told.prompt_tokens), (known.text, known.prompt_tokens));
    drop(generator);
    let neither = replaced(&none, b"<|im_start|>", b"<|jn_start|>");
    let error = LlamaGenerator::load(&written(&directory, &neither), &cpu_generate()).err().unwrap();
    assert!(error.to_string().contains("no chat template"), "{error}");
}

#[test]
fn damaged_metadata_gives_errors_with_a_reason() {
    let directory = tempfile::tempdir().unwrap();
    let whole = std::fs::read(model(TINY)).unwrap();
    for (from, to) in [
        (&b"tokenizer.ggml.model"[..], &b"tokenizer.ggml.modal"[..]),
        (b"token_embd.weight", b"token_embd.weighs"),
        (b"llama.embedding_length", b"llama.embedding_langth"),
        (b"general.architecture", b"general.architectura"),
    ] {
        let path = written(&directory, &replaced(&whole, from, to));
        let error = LlamaGenerator::load(&path, &cpu_generate()).err().unwrap();
        let ModelError::WrongKind { ref reason, .. } = error else { panic!("{error}") };
        assert!(reason.len() > 20, "{reason}");
    }
}
