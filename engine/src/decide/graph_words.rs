//! Words that facts share with a question, weighted by their rarity.

use std::collections::{BTreeSet, HashMap};

use super::text::folded_words;

/// Inverted index from words to facts.
#[derive(Debug, Clone, Default)]
pub struct FactWords {
    facts: usize,
    postings: HashMap<String, Vec<u32>>,
}

impl FactWords {
    /// Builds the index of `texts`, one per fact.
    pub fn build<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut index = Self::default();
        for (fact, text) in texts.enumerate() {
            for word in content_words(text) {
                index.postings.entry(word).or_default().push(fact as u32);
            }
            index.facts += 1;
        }
        index
    }

    /// Returns, per fact, the share of the question's content words that it holds, in `[0, 1]`.
    ///
    /// A word counts by its rarity, `ln(1 + (N - n + 0.5) / (n + 0.5))` with `n` of `N` facts
    /// holding it, as in BM25 (Robertson & Zaragoza 2009, section 3.3).
    pub fn agreements(&self, question: &str) -> Vec<f32> {
        let mut shares = vec![0.0; self.facts];
        let words = content_words(question);
        let rarity = |word: &String| {
            let holding = self.postings.get(word).map_or(0, Vec::len) as f32;
            (1.0 + (self.facts as f32 - holding + 0.5) / (holding + 0.5)).ln()
        };
        let total: f32 = words.iter().map(rarity).sum();
        for word in &words {
            for &fact in self.postings.get(word).into_iter().flatten() {
                shares[fact as usize] += rarity(word) / total;
            }
        }
        shares
    }
}

/// Returns the distinct folded words of `text` that carry content, without common endings.
pub fn content_words(text: &str) -> BTreeSet<String> {
    folded_words(text).into_iter().filter(|word| !is_function_word(word)).map(strip_ending).collect()
}

/// Removes one plural or verb ending that leaves at least four letters: enough to let
/// `published` meet `publishes`, and `sistemas` meet `sistema`.
fn strip_ending(mut word: String) -> String {
    for ending in ["ing", "ed", "es", "s"] {
        if word.strip_suffix(ending).is_some_and(|stem| stem.chars().count() >= 4) {
            word.truncate(word.len() - ending.len());
            break;
        }
    }
    word
}

/// Says whether a folded word is an article, preposition, pronoun, auxiliary or question word of
/// English or Portuguese.
pub fn is_function_word(word: &str) -> bool {
    matches!(
        word,
        "a" | "an"
            | "the"
            | "of"
            | "in"
            | "on"
            | "at"
            | "to"
            | "for"
            | "by"
            | "with"
            | "from"
            | "and"
            | "or"
            | "is"
            | "was"
            | "were"
            | "are"
            | "be"
            | "been"
            | "did"
            | "does"
            | "do"
            | "has"
            | "have"
            | "had"
            | "what"
            | "which"
            | "who"
            | "whom"
            | "whose"
            | "where"
            | "when"
            | "how"
            | "why"
            | "that"
            | "this"
            | "it"
            | "its"
            | "as"
            | "his"
            | "her"
            | "their"
            | "he"
            | "she"
            | "they"
            | "many"
            | "much"
            | "o"
            | "os"
            | "um"
            | "uma"
            | "uns"
            | "umas"
            | "de"
            | "da"
            | "dos"
            | "das"
            | "em"
            | "no"
            | "na"
            | "nos"
            | "nas"
            | "que"
            | "e"
            | "foi"
            | "quem"
            | "qual"
            | "quais"
            | "onde"
            | "quando"
            | "como"
            | "quanto"
            | "quantos"
            | "quantas"
            | "por"
            | "para"
            | "com"
            | "ou"
            | "ao"
            | "aos"
            | "sao"
            | "ser"
            | "ha"
            | "se"
            | "sua"
            | "seu"
            | "suas"
            | "seus"
            | "pelo"
            | "pela"
            | "ele"
            | "ela"
            | "eles"
            | "elas"
            | "esta"
            | "este"
            | "essa"
            | "esse"
            | "tem"
            | "ter"
            | "era"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_shares_sum_to_one_at_most() {
        let texts =
            ["Atlas depende de Órion", "Vega depende de Lira", "Atlas roda no Norte", "Lira depende de Zeta"];
        let index = FactWords::build(texts.iter().copied());
        let shares = index.agreements("De que depende o ATLAS?");
        assert!((shares[0] - 1.0).abs() < 1e-6, "{shares:?}");
        assert!(shares[2] > shares[1] && shares[1] > 0.0, "Atlas is rarer than depende");
        assert_eq!(index.agreements("de que?"), [0.0; 4]);
        assert!(FactWords::build([].into_iter()).agreements("x").is_empty());
    }

    #[test]
    fn endings_meet() {
        assert_eq!(content_words("publishes Sistemas"), content_words("published sistema"));
        assert_eq!(content_words("the of de que"), BTreeSet::new());
    }
}
