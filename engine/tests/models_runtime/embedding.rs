//! Vectors of the real embedder.

use polyrag::models::llama::{LlamaEmbedder, cosine};
use polyrag::models::{Cancel, Embed, EmbedOptions, ModelError, Pooling, Purpose};

use crate::{E5, cpu_embed, e5, model};

const TEXTS: [&str; 8] = [
    "Qual foi o faturamento da região Sudeste em março?",
    "The purchasing policy asks for three quotes above R$ 10,000.",
    "Dados pessoais são guardados por cinco anos.",
    "Who approves purchases?",
    "",
    "🐢 tartaruga 歪",
    "A torre tem 330 metros de altura.",
    "The tower is 330 metres tall.",
];

fn embed(embedder: &LlamaEmbedder, purpose: Purpose, texts: &[&str]) -> Vec<Vec<f32>> {
    embedder.embed(purpose, texts, &Cancel::default()).unwrap()
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

#[test]
fn vectors_are_unit_length_finite_and_of_the_stated_dimension() {
    let identity = e5().identity();
    assert_eq!((identity.dimension, identity.pooling.as_str()), (384, "mean"));
    for vector in embed(e5(), Purpose::Passage, &TEXTS) {
        assert_eq!(vector.len(), 384);
        assert!((length(&vector) - 1.0).abs() < 1e-5 && vector.iter().all(|x| x.is_finite()));
    }
    assert!(embed(e5(), Purpose::Query, &[]).is_empty());
}

#[test]
fn a_batch_gives_what_single_calls_give() {
    let together = embed(e5(), Purpose::Passage, &TEXTS);
    for (text, vector) in TEXTS.iter().zip(&together) {
        let alone = embed(e5(), Purpose::Passage, &[text]);
        assert!(cosine(&alone[0], vector) > 0.9999, "{text:?}: {}", cosine(&alone[0], vector));
    }
}

#[test]
fn identical_texts_of_a_call_get_the_same_vector() {
    let vectors = embed(e5(), Purpose::Query, &["a", "b", "a", "a"]);
    assert_eq!(vectors[0], vectors[2]);
    assert_eq!(vectors[0], vectors[3]);
    assert_ne!(vectors[0], vectors[1]);
}

#[test]
fn meaning_counts_and_so_does_the_purpose() {
    let vectors = embed(e5(), Purpose::Query, &TEXTS);
    let (portuguese, english, other) = (&vectors[6], &vectors[7], &vectors[3]);
    assert!(cosine(portuguese, english) > cosine(portuguese, other) + 0.05);
    let passage = embed(e5(), Purpose::Passage, &TEXTS[6..7]);
    assert!(cosine(&passage[0], portuguese) < 0.999, "the prefixes make no difference");
}

#[test]
fn a_long_text_is_embedded_whole_not_cut() {
    let sentence = "A entrega atrasou três dias por causa da chuva na serra. ";
    let long = sentence.repeat(120);
    assert!(e5().count_tokens(&long).unwrap() > 2 * e5().window_tokens());
    let ending = format!("{long} {}", "Stars are born in clouds of hydrogen gas. ".repeat(120));
    let vectors = embed(e5(), Purpose::Passage, &[&long, &ending, sentence]);
    let (same, other) = (cosine(&vectors[0], &vectors[2]), cosine(&vectors[0], &vectors[1]));
    println!("{same} {other}");
    assert!(same > 0.9, "windows do not pool to the text's meaning: {same}");
    assert!(other < 0.98, "what comes late has no influence: {other}");
    // One token over the window and exactly at it.
    for words in [e5().window_tokens() - 1, e5().window_tokens(), e5().window_tokens() + 1] {
        let text = "a ".repeat(words);
        assert_eq!(embed(e5(), Purpose::Query, &[&text])[0].len(), 384);
    }
}

#[test]
fn l04_cls_and_mean_pooling_differ_and_are_named() {
    let options = EmbedOptions { pooling: Some(Pooling::Cls), ..cpu_embed() };
    let cls = LlamaEmbedder::load(&model(E5), &options).unwrap();
    assert_eq!(cls.identity().pooling, "cls");
    let (a, b) = (embed(&cls, Purpose::Query, &TEXTS[..1]), embed(e5(), Purpose::Query, &TEXTS[..1]));
    assert!(cosine(&a[0], &b[0]) < 0.999);
}

/// The five sentences are ours; the case is a model that gives NaN on plain prose.
#[test]
fn l02_plain_sentences_never_give_nan() {
    let sentences = [
        "The old lighthouse is 42 metres tall.",
        "How tall is the lighthouse?",
        "It was built of granite in 1871.",
        "Ships see its light from thirty kilometres.",
        "O farol antigo tem 42 metros de altura.",
    ];
    for vector in embed(e5(), Purpose::Passage, &sentences) {
        assert!((length(&vector) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn l06_every_character_can_be_tokenised() {
    let all: Vec<char> = (0..=0x10_FFFF).filter_map(char::from_u32).collect();
    for (generator_too, chunk) in all.chunks(1 << 16).enumerate() {
        let text: String = chunk.iter().collect();
        assert!(e5().count_tokens(&text).unwrap() > 0);
        if generator_too < 2 {
            use polyrag::models::Generate;
            assert!(crate::tiny().count_tokens(&text).unwrap() > 0);
        }
    }
    assert_eq!(e5().count_tokens("").unwrap(), 0);
    assert!(e5().count_tokens("a\0b").unwrap() > 0);
}

#[test]
fn cancelling_before_is_an_error() {
    let cancel = Cancel::default();
    cancel.cancel();
    let error = e5().embed(Purpose::Query, &["a"], &cancel).unwrap_err();
    assert!(matches!(error, ModelError::Cancelled));
}

#[test]
fn many_threads_share_one_embedder() {
    let expected = embed(e5(), Purpose::Passage, &TEXTS);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (a, b) in embed(e5(), Purpose::Passage, &TEXTS).iter().zip(&expected) {
                    assert!(cosine(a, b) > 0.9999);
                }
            });
        }
    });
}
