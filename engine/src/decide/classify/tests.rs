#![allow(clippy::unwrap_used)]

use super::*;

/// A unit vector in three dimensions near an axis.
fn near(axis: usize, wobble: f32) -> Vec<f32> {
    let mut vector = [0.1 * wobble, 0.1 - 0.05 * wobble, 0.08 * wobble * wobble];
    vector[axis] += 1.0;
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

fn example(intent: &str, vector: Vec<f32>) -> Example {
    Example { intent: intent.into(), vector }
}

fn anchors() -> Vec<Example> {
    let wobbles = (0..40).map(|n| (n as f32 - 20.0) / 20.0);
    wobbles.flat_map(|w| [example("greet", near(0, w)), example("pay", near(1, w))]).collect()
}

#[test]
fn texts_near_examples_get_their_intent_with_every_score() {
    let classifier = Classifier::fit(&anchors(), &[], &ClassifyConfig::default()).unwrap();
    for (axis, intent, other) in [(0, "greet", "pay"), (1, "pay", "greet")] {
        let decision = classifier.decide(&near(axis, 0.33));
        assert_eq!(decision.intent.as_deref(), Some(intent), "{decision:?}");
        assert_eq!(decision.scores.len(), 2);
        assert!((decision.margin - (decision.scores[intent] - decision.scores[other])).abs() < 1e-6);
        assert!(decision.confidence >= decision.threshold);
        assert_eq!(decision, classifier.decide(&near(axis, 0.33)));
    }
    assert_eq!(classifier.intents(), ["greet", "pay"]);
}

#[test]
fn the_stated_share_of_rejections_is_kept() {
    for rate in [0.05, 0.2] {
        let config = ClassifyConfig { reject_rate: rate, ..ClassifyConfig::default() };
        let fitted = Classifier::fit(&anchors(), &[], &config).unwrap().fitted().clone();
        assert_eq!((fitted.belonging, fitted.right, fitted.source.as_str()), (80, 80, "anchor"));
        assert!(fitted.rejected as f32 <= rate * 81.0, "{fitted:?}");
    }
}

#[test]
fn texts_of_no_intent_move_the_threshold_up_to_the_bound() {
    let strict = ClassifyConfig { reject_rate: 0.05, ..ClassifyConfig::default() };
    let foreign: Vec<Example> = (0..20).map(|n| example(NONE, near(2, n as f32 / 10.0 - 1.0))).collect();
    let classifier = Classifier::fit(&anchors(), &foreign, &strict).unwrap();
    let fitted = classifier.fitted();
    assert_eq!((fitted.foreign, fitted.foreign_rejected), (20, 20), "{fitted:?}");
    assert!(fitted.rejected <= 4, "{fitted:?}");
    assert_eq!(classifier.decide(&near(2, 0.05)).intent, None);
    assert!(classifier.decide(&near(0, 0.05)).intent.is_some());
    assert!(fitted.summary().contains("of 20 others rejected 100.0 %"), "{}", fitted.summary());
}

#[test]
fn labelled_texts_take_the_place_of_held_out_anchors() {
    let labelled: Vec<Example> = (0..30).map(|n| example("pay", near(1, n as f32 / 30.0))).collect();
    let fitted = Classifier::fit(&anchors(), &labelled, &ClassifyConfig::default()).unwrap().fitted().clone();
    assert_eq!((fitted.belonging, fitted.source.as_str(), fitted.foreign), (30, "labelled", 0));
    let unknown = [example("fly", near(2, 0.0))];
    let fitted = Classifier::fit(&anchors(), &unknown, &ClassifyConfig::default()).unwrap().fitted().clone();
    assert_eq!(fitted.source, "anchor", "an unknown intent is left out");
}

#[test]
fn the_least_shrinkage_is_the_configured_one() {
    let shrinkage = |least: f64| {
        let config = ClassifyConfig { shrinkage: least, ..ClassifyConfig::default() };
        Classifier::fit(&anchors(), &[], &config).unwrap().fitted().shrinkage
    };
    assert_eq!((shrinkage(0.85), shrinkage(1.0)), (0.85, 1.0));
    assert!(shrinkage(0.0) < 0.85, "the closed form alone: {}", shrinkage(0.0));
}

#[test]
fn few_examples_do_not_break_it() {
    let one = [example("only", near(0, 0.0))];
    let classifier = Classifier::fit(&one, &[], &ClassifyConfig::default()).unwrap();
    assert_eq!(classifier.decide(&near(1, 0.0)).intent.as_deref(), Some("only"), "nothing to be told from");
    let two = [example("a", near(0, 0.0)), example("b", near(1, 0.0))];
    let classifier = Classifier::fit(&two, &[], &ClassifyConfig::default()).unwrap();
    assert_eq!(classifier.decide(&near(0, 0.1)).intent.as_deref(), Some("a"));
    assert_eq!(classifier.decide(&near(1, 0.1)).intent.as_deref(), Some("b"));
    assert!(classifier.decide(&near(1, 0.1)).possible.is_empty(), "nothing can be promised");
}

#[test]
fn unusable_examples_are_named() {
    let config = ClassifyConfig::default();
    assert_eq!(Classifier::fit(&[], &[], &config).err(), Some(ClassifyError::Empty));
    let mixed = [example("a", vec![1.0, 0.0]), example("b", vec![1.0])];
    let error = Classifier::fit(&mixed, &[], &config).err().unwrap();
    assert_eq!(error, ClassifyError::Dimension { number: 2, found: 1, expected: 2 });
    let broken = [example("a", vec![f32::NAN, 0.0])];
    assert_eq!(Classifier::fit(&broken, &[], &config).err(), Some(ClassifyError::NotFinite { number: 1 }));
}

#[test]
fn r06_scores_of_all_intents_are_on_one_scale() {
    // An intent with many examples and one with few: neither has a threshold of its own.
    let mut uneven: Vec<Example> = anchors().into_iter().filter(|e| e.intent == "greet").collect();
    uneven.extend((0..3).map(|n| example("pay", near(1, n as f32 / 3.0))));
    let config = ClassifyConfig { reject_rate: 0.1, ..ClassifyConfig::default() };
    let classifier = Classifier::fit(&uneven, &[], &config).unwrap();
    let decision = classifier.decide(&near(1, 0.2));
    assert!(decision.scores["pay"] > decision.scores["greet"], "{decision:?}");
    assert_eq!(decision.possible.first().map(String::as_str), Some("pay"));
}

#[test]
fn the_mean_of_the_largest_by_hand() {
    assert!((mean_of_largest([0.1, 0.9, 0.5, 0.7].into_iter(), 2) - 0.8).abs() < 1e-6);
    assert_eq!(mean_of_largest([0.4].into_iter(), 3), 0.4);
    assert_eq!(Best::of(&[0.2, 0.9, 0.9]), Best { intent: 1, score: 0.9, margin: 0.0 });
    assert_eq!(Best::of(&[0.2]).margin, 0.0);
}
