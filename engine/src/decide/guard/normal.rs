//! A question in normal form: its kind, numbers, and the canonical words that carry its meaning.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::tables::{EMPTY, MEASURES, NEGATIONS, PHRASES, SYNONYMS};
use crate::decide::language::{Detected, detect};
use crate::decide::numbers::{Kind as NumberKind, quantities};
use crate::decide::split::split;
use crate::decide::split::tokens::{Token, tokens};
use crate::decide::text::folded_words;

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

/// A folded word before and after rewriting.
#[derive(Debug, Clone)]
struct Raw {
    text: String,
    capital: bool,
    /// Whether it is spoken of, not used: it stands in quotes or is a single letter.
    literal: bool,
}

/// `one`, `um`: a number only where it is stressed (`exactly one`, `apenas um`).
fn single(text: &str) -> Option<&'static str> {
    let words: Vec<String> = folded_words(text);
    let stressed = |w: &[String]| {
        matches!(w[0].as_str(), "exactly" | "only" | "just" | "exatamente" | "apenas" | "somente")
            && matches!(w[1].as_str(), "one" | "um" | "uma")
    };
    words.windows(2).any(stressed).then_some("1")
}

/// Returns runs of symbols that programs, formulas and names are told apart by.
fn symbols(text: &str) -> Vec<String> {
    let runs = text.split(|c: char| !"#*<>=@^|~{}+\\&_".contains(c));
    runs.filter(|run| !run.is_empty()).map(str::to_owned).collect()
}

/// Undoes contractions; a capital at the start of a sentence, or in a shouted text, marks nothing.
fn expand(text: &str, tokens: &[Token], shouting: bool) -> Vec<Raw> {
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
fn rewrite(raw: Vec<Raw>) -> Vec<Raw> {
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

/// Head of its class of synonyms for every stem in [`SYNONYMS`].
static HEADS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut heads = HashMap::new();
    for group in SYNONYMS {
        for word in *group {
            heads.entry(stem(word)).or_insert(group[0]);
        }
    }
    heads
});

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

/// Returns the class of a word: the head of its synonyms, else its stem.
pub fn class(word: &str) -> String {
    let stemmed = stem(word);
    HEADS.get(&stemmed).map_or(stemmed, |head| (*head).to_owned())
}

/// Takes inflections off a folded word: plurals, `-ing`, `-ed`, a final `e`; Portuguese plurals and
/// the gender of participles. Light on purpose: it must not merge words that differ in meaning.
pub fn stem(word: &str) -> String {
    let length = word.chars().count();
    if length < 4 || !word.is_ascii() {
        return word.to_owned();
    }
    let singular = plural(word);
    let word = singular.as_str();
    for (ending, keep) in [("ando", "ar"), ("endo", "er"), ("indo", "ir")] {
        if let Some(base) = word.strip_suffix(ending).filter(|b| b.len() >= 4) {
            return format!("{base}{keep}");
        }
    }
    for ending in ["ada", "ida"] {
        if word.len() >= 6 && word.ends_with(ending) {
            return format!("{}o", &word[..word.len() - 1]);
        }
    }
    for ending in ["ing", "ed"] {
        if let Some(base) =
            word.strip_suffix(ending).filter(|b| b.len() >= 3 && b.contains(['a', 'e', 'i', 'o', 'u', 'y']))
        {
            return undouble(base).trim_end_matches('e').to_owned();
        }
    }
    if word.len() <= 4 {
        return word.to_owned();
    }
    // British and American spelling; `city`, `cities` and `movie`, `movies` meet in `-i`.
    let word = word.strip_suffix('e').unwrap_or(word).replace("our", "or").replace("isation", "ization");
    match (word.strip_suffix("is"), word.strip_suffix('y')) {
        (Some(base), _) => format!("{base}iz"),
        (_, Some(base)) => format!("{base}i"),
        _ => word,
    }
}

fn plural(word: &str) -> String {
    for (ending, keep) in [
        ("oes", "ao"),
        ("aes", "ao"),
        ("ais", "al"),
        ("eis", "el"),
        ("ies", "i"),
        ("sses", "ss"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("xes", "x"),
        ("ores", "or"),
        ("ns", "m"),
    ] {
        // `viagens`, `itens`, not `citizens`.
        let irregular = matches!(word, "homens" | "ordens" | "nuvens" | "jovens" | "itens" | "bens");
        let english = ending == "ns" && !irregular && !word.ends_with("gens");
        if let Some(base) = word.strip_suffix(ending).filter(|b| b.len() >= 2 && !english) {
            return format!("{base}{keep}");
        }
    }
    let stays = ["ss", "us", "is"].iter().any(|e| word.ends_with(e));
    word.strip_suffix('s').filter(|_| !stays).unwrap_or(word).to_owned()
}

fn undouble(base: &str) -> &str {
    let mut reversed = base.chars().rev();
    match (reversed.next(), reversed.next()) {
        (Some(x), Some(y)) if x == y && !matches!(x, 'l' | 's' | 'e') => &base[..base.len() - 1],
        _ => base,
    }
}
