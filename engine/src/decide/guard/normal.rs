//! A question in normal form: its kind, numbers, and the canonical words that carry its meaning.

use std::collections::BTreeMap;

use super::stream::{Raw, expand, rewrite, single, symbols};
use super::tables::{EMPTY, MEASURES, NEGATIONS};
use super::words::{class, stem};
use crate::decide::language::{Detected, detect};
use crate::decide::numbers::{Kind as NumberKind, quantities};
use crate::decide::split::split;
use crate::decide::split::tokens::{Token, tokens};

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asks {
    /// A thing, list or value (`what`, `which`, an instruction to show it, a bare noun phrase).
    Thing,
    /// A person.
    Who,
    /// A time.
    When,
    /// A place.
    Where,
    /// A reason.
    Why,
    /// A manner.
    How,
    /// A state (`how is …`).
    State,
    /// A degree (`how great is …`).
    Degree,
    /// A count.
    Count,
    /// An amount.
    Amount,
    /// A frequency.
    Often,
    /// Yes or no, by the auxiliary that asks.
    YesNo(Modality),
    /// An explanation or a summary.
    Explain,
}

/// The auxiliary of a yes/no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modality {
    /// `is`, `do`, `has` …
    Fact,
    /// `can`, `could`, `may` …
    Possible,
    /// `should`, `must` …
    Ought,
    /// `will`, `would` …
    Future,
}

/// The way a word is reached: `from Chile` and `to Chile` are not the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// `from`, `de` beside `para`, `desde`.
    From,
    /// `to`, `into`, `para`.
    To,
}

/// A canonical word with what the text says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its class: a stem, or the first word of its class of synonyms.
    pub class: String,
    /// Folded, as written.
    pub written: String,
    /// Whether a capital letter marks it as a name.
    pub capital: bool,
    /// The directional preposition before it.
    pub direction: Option<Direction>,
    /// Whether a negation stands before it.
    pub negated: bool,
}

/// A question in normal form.
#[derive(Debug, Clone)]
pub struct Normal {
    /// What each of its interrogatives asks for, sorted.
    pub asks: Vec<Asks>,
    /// How many questions the message holds.
    pub questions: usize,
    /// Its numbers, percentages and dates, canonical and sorted.
    pub numbers: Vec<String>,
    /// Its numbers, dates and codes in the order of the text.
    pub sequence: Vec<String>,
    /// Its codes and symbols, canonical and sorted.
    pub codes: Vec<String>,
    /// The words that carry its meaning, in order.
    pub words: Vec<Word>,
    /// The question with a slot for every carrying word: equal frames with permuted words
    /// are a swap of roles.
    pub frame: Vec<String>,
    /// How many words turn it around.
    pub negations: usize,
    /// Whether it is put in the past by `did`, or, when it asks for a person, by a form of `be`.
    pub past: bool,
    /// Its language.
    pub language: Detected,
}

impl Normal {
    /// Brings `text` to normal form.
    pub fn of(text: &str) -> Self {
        let text = text.replace("\"\"", "\"");
        let text = text.as_str();
        let found = quantities(text);
        let (mut numbers, mut codes) = (Vec::new(), Vec::new());
        for quantity in &found {
            match quantity.kind {
                NumberKind::Code => codes.push(quantity.value().to_owned()),
                NumberKind::Percent => numbers.push(format!("{}%", quantity.value())),
                _ => numbers.push(quantity.value().to_owned()),
            };
        }
        let sequence = found.iter().map(|quantity| quantity.value().to_owned()).collect();
        codes.extend(symbols(text));
        numbers.extend(single(text).map(str::to_owned));
        numbers.sort();
        codes.sort();
        let tokens: Vec<Token> = tokens(text)
            .into_iter()
            .filter(|t| !text[t.range.end..].starts_with('$'))
            .filter(|t| !found.iter().any(|q| q.range.start <= t.range.start && t.range.end <= q.range.end))
            .collect();
        let shouting = tokens.len() > 2 && tokens.iter().filter(|t| t.capital).count() * 4 > tokens.len() * 3;
        let raw = expand(text, &tokens, shouting);
        let says = |words: &[&str]| raw.iter().any(|r| words.contains(&r.text.as_str()));
        let past = says(&["did"]) || says(&["who", "quem"]) && says(&["was", "were", "foi", "foram", "era"]);
        let stream = rewrite(raw);
        let mut normal = Self {
            asks: Vec::new(),
            questions: split(text).len().max(1),
            numbers,
            sequence,
            codes,
            words: Vec::new(),
            frame: Vec::new(),
            negations: 0,
            past,
            language: detect(text),
        };
        normal.read(&stream);
        normal.settle();
        normal
    }

    fn read(&mut self, stream: &[Raw]) {
        let mut direction = None;
        let mut negated = false;
        let mut started = false;
        for (at, raw) in stream.iter().enumerate() {
            let word = raw.text.as_str();
            if let Some(asks) = interrogative(stream, at, started).filter(|_| !raw.literal) {
                self.asks.push(asks);
                started = true;
                self.frame.push(format!("{asks:?}"));
                continue;
            }
            started = true;
            if NEGATIONS.contains(&word) {
                self.negations += 1;
                negated = true;
                self.frame.push("not".to_owned());
            } else if let Some(found) = directed(word).filter(|_| !raw.literal) {
                direction = Some(found);
                self.frame.push(word.to_owned());
            } else if is_empty(word) && !raw.capital && !raw.literal && !self.bears(stream, at) {
                // `from the north`: articles leave the direction standing, and the frame alone.
                if is_article(word) {
                    continue;
                }
                direction = None;
                self.frame.push(if is_copula(word) { "be".to_owned() } else { word.to_owned() });
            } else {
                self.words.push(Word {
                    class: if raw.literal { word.to_owned() } else { class(word) },
                    negated: std::mem::take(&mut negated),
                    written: raw.text.clone(),
                    capital: raw.capital,
                    direction: direction.take(),
                });
                self.frame.push("_".to_owned());
            }
        }
        self.asks.sort();
        self.asks.dedup();
        if self.asks.is_empty() {
            self.asks.push(Asks::Thing);
        }
        // `what is the number of …`: a count says more than the thing it is.
        if self.asks.len() > 1 {
            let counted = self.asks.iter().any(|a| matches!(a, Asks::Count | Asks::Amount));
            self.asks.retain(|a| !counted || *a != Asks::Thing);
        }
    }

    /// Tells whether an empty word carries meaning where it stands: `do` as a main verb, and a
    /// modal in a question for reasons.
    fn bears(&self, stream: &[Raw], at: usize) -> bool {
        let before = at.checked_sub(1).map(|i| stream[i].text.as_str()).unwrap_or_default();
        match stream[at].text.as_str() {
            "do" | "doing" | "done" | "does" => {
                at + 1 == stream.len()
                    || matches!(
                        before,
                        "to" | "i" | "you" | "we" | "they" | "can" | "people" | "not" | "should"
                    )
            }
            "can" | "could" => self.asks.contains(&Asks::Why),
            // `what is in it` is not `what is it`.
            "in" => at == 2 && self.asks.contains(&Asks::Thing) && is_copula(before),
            _ => false,
        }
    }

    /// With a measure in sight, `largest`, `highest` and `most` rank by it and say the same.
    fn settle(&mut self) {
        // `through which states does it run`: the parts of `run through` stand apart.
        let moves = |w: &Word| matches!(w.class.as_str(), "run" | "flow" | "go" | "pass");
        if self.words.iter().any(|w| w.class == "through") && self.words.iter().any(moves) {
            self.forget("through");
            self.words.iter_mut().filter(|w| moves(w)).for_each(|w| w.class = "traverse".to_owned());
        }
        if !self.words.iter().any(|w| MEASURES.iter().any(|m| *m == w.class || stem(m) == w.class)) {
            return;
        }
        for word in &mut self.words {
            word.class = match word.class.as_str() {
                "biggest" | "highest" | "most" | "maisalto" | "maximum" => "most".to_owned(),
                "smallest" | "lowest" | "fewest" | "minimum" | "maisbaixo" => "fewest".to_owned(),
                _ => continue,
            };
        }
    }

    /// Takes a word out, with its slots.
    fn forget(&mut self, class: &str) {
        let mut slots = self.words.iter();
        for item in self.frame.iter_mut().filter(|f| *f == "_") {
            if slots.next().is_some_and(|w| w.class == class) {
                class.clone_into(item);
            }
        }
        self.words.retain(|w| w.class != class);
    }

    /// Counts the words of a class.
    pub fn count(&self, class: &str) -> usize {
        self.words.iter().filter(|w| w.class == class).count()
    }

    /// Returns the words by class.
    pub fn classes(&self) -> BTreeMap<&str, &Word> {
        self.words.iter().map(|w| (w.class.as_str(), w)).collect()
    }
}

fn interrogative(stream: &[Raw], at: usize, started: bool) -> Option<Asks> {
    let word = stream[at].text.as_str();
    let next = stream.get(at + 1).map(|r| r.text.as_str()).unwrap_or_default();
    Some(match word {
        "?how" => Asks::How,
        "?why" | "why" | "porque" => Asks::Why,
        "?thing" | "what" | "which" | "qual" | "quais" | "cual" | "cuales" => Asks::Thing,
        "?count" | "quantos" | "quantas" | "cuantos" | "cuantas" => Asks::Count,
        "?amount" | "quanto" | "quanta" | "cuanto" | "cuanta" => Asks::Amount,
        "?often" => Asks::Often,
        "who" if !started || at == 0 || matches!(next, "is" | "are" | "was" | "were") => Asks::Who,
        "quem" | "whose" | "whom" | "quien" | "quienes" => Asks::Who,
        "when" | "quando" if !started => Asks::When,
        "cuando" => Asks::When,
        "where" | "onde" | "aonde" if !started => Asks::Where,
        "donde" => Asks::Where,
        "how" if matches!(next, "is" | "are" | "was" | "were" | "am") => Asks::State,
        "how" if !next.is_empty() && !is_empty(next) => Asks::Degree,
        "how" | "como" => Asks::How,
        "explain" | "explique" | "describe" | "descreva" | "summarise" | "summarize" | "resuma"
        | "compare"
            if !started =>
        {
            Asks::Explain
        }
        "list" | "show" | "name" | "find" | "give" | "return" | "liste" | "mostre" | "diga" | "informe"
        | "tell"
            if !started =>
        {
            Asks::Thing
        }
        "is" | "are" | "was" | "were" | "am" | "do" | "does" | "did" | "has" | "have" | "had" if !started => {
            Asks::YesNo(Modality::Fact)
        }
        "can" | "could" | "may" | "might" | "posso" | "pode" | "podem" if !started => {
            Asks::YesNo(Modality::Possible)
        }
        "should" | "must" | "devo" | "deve" | "devem" if !started => Asks::YesNo(Modality::Ought),
        "will" | "would" | "shall" if !started => Asks::YesNo(Modality::Future),
        _ => return None,
    })
}

fn directed(word: &str) -> Option<Direction> {
    match word {
        "from" | "desde" => Some(Direction::From),
        "to" | "into" | "para" => Some(Direction::To),
        _ => None,
    }
}

fn is_article(word: &str) -> bool {
    matches!(
        word,
        "the" | "a" | "an" | "o" | "os" | "as" | "um" | "uma" | "some" | "el" | "la" | "los" | "las"
    )
}

fn is_copula(word: &str) -> bool {
    matches!(word, "is" | "are" | "was" | "were" | "sao" | "foi" | "foram" | "era" | "eram")
}

fn is_empty(word: &str) -> bool {
    EMPTY.contains(&word) || word.len() > 4 && EMPTY.contains(&stem(word).as_str())
}
