//! Citations by arithmetic: which source states what a sentence says.
//!
//! A small model puts brackets where they look well. Here each sentence of an answer is compared
//! with the sources it was written from: a source is cited when it holds the sentence's numbers
//! and words, a second one only for what the first does not hold.

use std::collections::BTreeSet;

use crate::decide::chunk::sentences;
use crate::decide::guard::class;
use crate::decide::numbers::{Quantity, quantities};
use crate::decide::text::content_words;

/// Weight of a number or code, and of a word that the question already holds; other words weigh 1.
const NUMBER: f32 = 2.0;
const QUESTIONED: f32 = 0.25;
/// Weight that a further source must add to be cited too.
const FURTHER: f32 = 2.0;
/// Sources cited for one sentence at most.
const MOST: usize = 3;

/// A source as citations see it.
struct Held {
    number: usize,
    words: BTreeSet<String>,
    quantities: Vec<Quantity>,
}

/// Adds citations to an answer while it is written.
///
/// What is shown lags behind what is written by no more than a blank and an open bracket, so that
/// marks stand right behind the sentence they belong to.
pub struct Citer {
    sources: Vec<Held>,
    questioned: BTreeSet<String>,
    /// The answer so far, with marks.
    text: String,
    /// Written, not yet part of a whole sentence; the first `shown` bytes are in `text`.
    open: String,
    shown: usize,
    used: BTreeSet<usize>,
}

impl Citer {
    /// Starts an answer to `question` from numbered sources, the best first.
    pub fn new<'s>(question: &str, sources: impl IntoIterator<Item = (usize, &'s str)>) -> Self {
        let held = |(number, text): (usize, &str)| Held {
            number,
            words: classes(text),
            quantities: quantities(text),
        };
        Self {
            sources: sources.into_iter().map(held).collect(),
            questioned: classes(question),
            text: String::new(),
            open: String::new(),
            shown: 0,
            used: BTreeSet::new(),
        }
    }

    /// Takes a piece as the model wrote it; returns what can be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        self.open.push_str(piece);
        self.drop_marks();
        let before = self.text.len();
        while let Some(end) = whole_sentence(&self.open) {
            self.close(end);
        }
        // A blank may be the end of a sentence and a bracket the start of a mark: both wait.
        let bracket = self.open.rfind('[').unwrap_or(self.open.len());
        let ready = self.open[..bracket].trim_end().len();
        if ready > self.shown {
            self.text.push_str(&self.open[self.shown..ready]);
            self.shown = ready;
        }
        self.text[before..].to_owned()
    }

    /// Ends the answer; returns what was still held back.
    pub fn finish(&mut self) -> String {
        let before = self.text.len();
        if !self.open.trim().is_empty() {
            self.close(self.open.len());
        }
        let kept = self.text.trim_end().len().max(before);
        self.text.truncate(kept);
        self.text[before..].to_owned()
    }

    /// Returns the answer so far, with its marks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the numbers of the sources cited.
    pub fn used(&self) -> &BTreeSet<usize> {
        &self.used
    }

    /// Ends the sentence in the first `end` bytes of what is open.
    fn close(&mut self, end: usize) {
        let sentence = self.open[..end].trim_end();
        let blank = &self.open[sentence.len()..end];
        self.text.push_str(&sentence[self.shown.min(sentence.len())..]);
        let cited = supporters(sentence, &self.sources, &self.questioned);
        for number in &cited {
            let space = if self.text.ends_with(']') { "" } else { " " };
            self.text.push_str(&format!("{space}[{number}]"));
        }
        self.text.push_str(blank);
        self.used.extend(cited);
        self.open.drain(..end);
        self.shown = 0;
    }

    /// Removes the marks that the model wrote itself.
    fn drop_marks(&mut self) {
        let mut from = self.shown;
        while let Some(open) = self.open[from..].find('[').map(|at| from + at) {
            let Some(close) = self.open[open..].find(']').map(|at| open + at) else { return };
            let inside = &self.open[open + 1..close];
            if !inside.is_empty() && inside.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ')) {
                let start = self.open[..open].trim_end().len().max(self.shown);
                self.open.replace_range(start..=close, "");
                from = start;
            } else {
                from = close;
            }
        }
    }
}

/// The end of the first sentence or line, if something follows it.
fn whole_sentence(open: &str) -> Option<usize> {
    let line = open.find('\n').map(|at| at + 1);
    let sentence = sentences(open).first().map(|range| range.end).filter(|end| *end < open.len());
    match (line, sentence) {
        (Some(line), Some(sentence)) => Some(line.min(sentence)),
        (line, sentence) => line.or(sentence),
    }
}

fn classes(text: &str) -> BTreeSet<String> {
    content_words(text).iter().map(|word| class(word)).collect()
}

/// Numbers of the sources that state a sentence, the main one first; none when no source holds
/// anything of it.
fn supporters(sentence: &str, sources: &[Held], questioned: &BTreeSet<String>) -> Vec<usize> {
    let words: Vec<String> = classes(sentence).into_iter().collect();
    let numbers = quantities(sentence);
    let weight = |word: &String| if questioned.contains(word) { QUESTIONED } else { 1.0 };
    let mut open_words: BTreeSet<usize> = (0..words.len()).collect();
    let mut open_numbers: BTreeSet<usize> = (0..numbers.len()).collect();
    let mut cited = Vec::new();
    while cited.len() < MOST {
        let gain = |source: &Held| {
            let held = open_words.iter().filter(|at| source.words.contains(&words[**at]));
            let found = open_numbers.iter().filter(|at| holds(source, &numbers[**at]));
            held.map(|at| weight(&words[*at])).sum::<f32>() + NUMBER * found.count() as f32
        };
        let mut best: Option<(&Held, f32)> = None;
        for source in sources.iter().filter(|source| !cited.contains(&source.number)) {
            let gained = gain(source);
            if best.is_none_or(|(_, most)| gained > most) {
                best = Some((source, gained));
            }
        }
        let least = if cited.is_empty() { f32::EPSILON } else { FURTHER };
        let Some((source, _)) = best.filter(|(_, gained)| *gained >= least) else { break };
        open_words.retain(|at| !source.words.contains(&words[*at]));
        open_numbers.retain(|at| !holds(source, &numbers[*at]));
        cited.push(source.number);
    }
    cited
}

fn holds(source: &Held, number: &Quantity) -> bool {
    source.quantities.iter().any(|own| own.agrees(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCES: [(usize, &str); 3] = [
        (1, "O Sistema Atlas recebe os pedidos da região Norte."),
        (2, "A Política PC-09 governa os pedidos do Norte: assinam a Gerência Regional e a Diretoria."),
        (3, "SUM(receita) = 2129224.4"),
    ];

    /// Writes `answer` in pieces of `size` characters.
    fn written(question: &str, answer: &str, size: usize) -> (String, String) {
        let mut citer = Citer::new(question, SOURCES);
        let mut shown = String::new();
        let characters: Vec<char> = answer.chars().collect();
        for piece in characters.chunks(size) {
            shown.push_str(&citer.push(&piece.iter().collect::<String>()));
        }
        shown.push_str(&citer.finish());
        (citer.text().to_owned(), shown)
    }

    fn check(question: &str, answer: &str, expected: &str) {
        for size in [1, 3, 7, 1000] {
            let (text, shown) = written(question, answer, size);
            assert_eq!(text, expected, "pieces of {size}");
            assert_eq!(shown, expected, "what was shown is what was written");
        }
    }

    #[test]
    fn a_sentence_cites_the_source_that_states_it() {
        check(
            "Quem assina?",
            "Assinam a Gerência Regional e a Diretoria [1].",
            "Assinam a Gerência Regional e a Diretoria. [2]",
        );
        check(
            "Qual a receita?",
            "A receita foi de R$ 2.129.224,40.",
            "A receita foi de R$ 2.129.224,40. [3]",
        );
    }

    #[test]
    fn a_chain_cites_both_ends_and_each_sentence_its_own() {
        check(
            "Quem assina um pedido do Sistema Atlas?",
            "O Sistema Atlas recebe da região Norte. Quem assina é a Diretoria com a Gerência Regional, pela PC-09.",
            "O Sistema Atlas recebe da região Norte. [1] Quem assina é a Diretoria com a Gerência Regional, pela PC-09. [2]",
        );
    }

    #[test]
    fn other_brackets_stay_and_nothing_found_is_not_cited() {
        check("?", "Veja [anexo] e [x].\n- talvez [2, 3]", "Veja [anexo] e [x].\n- talvez");
        check("?", "", "");
    }
}
