//! A question as a stream of folded words: contractions undone, phrases rewritten.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::tables::PHRASES;
use crate::decide::split::tokens::Token;
use crate::decide::text::folded_words;

/// A folded word before and after rewriting.
#[derive(Debug, Clone)]
pub(super) struct Raw {
    pub text: String,
    pub capital: bool,
    /// Whether it is spoken of, not used: it stands in quotes or is a single letter.
    pub literal: bool,
}

/// `one`, `um`: a number only where it is stressed (`exactly one`, `apenas um`).
pub(super) fn single(text: &str) -> Option<&'static str> {
    let words: Vec<String> = folded_words(text);
    let stressed = |w: &[String]| {
        matches!(w[0].as_str(), "exactly" | "only" | "just" | "exatamente" | "apenas" | "somente")
            && matches!(w[1].as_str(), "one" | "um" | "uma")
    };
    words.windows(2).any(stressed).then_some("1")
}

/// Returns runs of symbols that programs, formulas and names are told apart by.
pub(super) fn symbols(text: &str) -> Vec<String> {
    let runs = text.split(|c: char| !"#*<>=@^|~{}+\\&_".contains(c));
    runs.filter(|run| !run.is_empty()).map(str::to_owned).collect()
}

/// Undoes contractions; a capital at the start of a sentence, or in a shouted text, marks nothing.
pub(super) fn expand(text: &str, tokens: &[Token], shouting: bool) -> Vec<Raw> {
    let mut out = Vec::with_capacity(tokens.len() + 4);
    let mut starts = true;
    for token in tokens {
        let after = text[token.range.end..].trim_start();
        let first = std::mem::replace(&mut starts, after.starts_with(['?', '!', '.']));
        let lower = token.lower.as_str();
        let single = lower.chars().count() == 1;
        let letter = single && token.capital && !first && !shouting && lower != "i";
        let is_name = token.capital && !shouting && !first && !single;
        let mut push = |text: &str, capital: bool, literal: bool| {
            out.push(Raw { text: text.to_owned(), capital, literal });
        };
        if let Some(base) = lower.strip_suffix("n't") {
            let base = match base {
                "ca" => "can",
                "wo" => "will",
                other => other,
            };
            push(base, false, false);
            push("not", false, false);
        } else if let Some((base, verb)) =
            lower.split_once('\'').filter(|(_, v)| ["m", "ve", "re", "ll", "d"].contains(v))
        {
            push(base, false, false);
            if verb == "ll" {
                push("will", false, false);
            }
        } else if lower == "cannot" {
            push("can", false, false);
            push("not", false, false);
        } else if lower == "whats" || lower == "whos" {
            push(lower.trim_end_matches('s'), false, false);
            push("is", false, false);
        } else {
            push(&token.folded, is_name || letter, token.quoted || letter);
            let asks =
                ["what", "who", "where", "how", "it", "that", "there"].contains(&token.folded.as_str());
            if token.contracted && asks {
                push("is", false, false);
            }
        }
    }
    out
}

/// Rewrites the phrases of [`PHRASES`], the longest first at each place.
pub(super) fn rewrite(raw: Vec<Raw>) -> Vec<Raw> {
    let mut stream = raw;
    // A rewritten phrase may complete another (`the number of` after `what is`).
    for _ in 0..2 {
        let mut out = Vec::with_capacity(stream.len());
        let mut at = 0;
        while at < stream.len() {
            let known = REWRITINGS.get(stream[at].text.as_str());
            match known.and_then(|list| list.iter().find(|(from, _)| starts_with(&stream[at..], from))) {
                Some((from, to)) => {
                    out.extend(to.iter().map(|t| Raw {
                        text: (*t).to_owned(),
                        capital: false,
                        literal: false,
                    }));
                    at += from.len();
                }
                None => {
                    out.push(stream[at].clone());
                    at += 1;
                }
            }
        }
        stream = out;
    }
    stream
}

fn starts_with(stream: &[Raw], phrase: &[&str]) -> bool {
    stream.len() >= phrase.len() && phrase.iter().zip(stream).all(|(p, r)| r.text == *p && !r.literal)
}

/// [`PHRASES`] by their first word, cut into words, the longest first.
static REWRITINGS: LazyLock<HashMap<&'static str, Vec<Rewriting>>> = LazyLock::new(|| {
    let mut rewritings: HashMap<&str, Vec<Rewriting>> = HashMap::new();
    for (from, to) in PHRASES {
        let from: Vec<&str> = from.split(' ').collect();
        let to = to.split(' ').filter(|t| !t.is_empty()).collect();
        rewritings.entry(from[0]).or_default().push((from, to));
    }
    rewritings.values_mut().for_each(|list| list.sort_by_key(|(from, _)| std::cmp::Reverse(from.len())));
    rewritings
});

type Rewriting = (Vec<&'static str>, Vec<&'static str>);
