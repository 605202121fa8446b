//! Splits a message into the questions and instructions that it asks.
//!
//! The rules, in order:
//!
//! 1. **Candidates.** A message may be cut after `?`, `!`, `;`, a full stop that ends a sentence,
//!    a line break or a list mark; and before a clause that `e`, `and`, `y`, an additive
//!    (`além disso`) or a comma adds, if that clause *opens* with an interrogative in the order
//!    of a direct question, or with an order. Nothing inside quotes or brackets is cut.
//! 2. **A part asks.** It holds an interrogative, an instruction verb or ends in its own question
//!    mark. A statement stays with the question after it (or before it, at the end).
//! 3. **A part stands alone.** It has content of its own, some of it new; a clause added inside
//!    a sentence needs two content words. `… e por quê?`, `and how many?` do not stand alone.
//! 4. **A part needs no antecedent.** A pronoun, possessive, demonstrative or bare `each` that
//!    finds nothing to refer to inside its own clause ties it to the clause before, because
//!    each part is looked up by its own text.
//! 5. **Coordination below the question is not a second question**: relative and conditional
//!    clauses under one head (`who … and who …`), infinitives under one auxiliary
//!    (`how do I open … and list …`), an order that only narrows the question before it.

mod cut;
mod lexicon;
mod reference;
mod sentences;
pub(crate) mod tokens;

#[cfg(test)]
mod tests;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use cut::{Boundary, Opening, Piece, cut, is_interrogative_at, opening_inside, opening_of_sentence};
use lexicon::*;
use reference::depends;
pub(crate) use reference::expletive;
use tokens::{Token, tokens};

/// `[split]` of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SplitConfig {
    /// Whether messages are split at all.
    pub enabled: bool,
    /// Most parts of one message; what follows stays in the last one.
    pub max_parts: usize,
    /// Content words that a clause added inside a sentence needs to be a question of its own.
    pub min_content_words: usize,
}

impl Default for SplitConfig {
    fn default() -> Self {
        Self { enabled: true, max_parts: 8, min_content_words: 2 }
    }
}

/// One question or instruction of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its own words, as written.
    pub text: String,
    /// Byte range of `text` in the message.
    pub range: Range<usize>,
    /// Whether it leans on the part before it (`E em abril?`), so that it should be completed
    /// before it is looked up.
    pub needs_context: bool,
}

/// Splits `message` with the default configuration.
///
/// Returns at least one part unless the message is blank; parts are in order and do not overlap.
pub fn split(message: &str) -> Vec<Part> {
    split_with(message, &SplitConfig::default())
}

/// Splits `message` into its questions and instructions.
pub fn split_with(message: &str, config: &SplitConfig) -> Vec<Part> {
    let tokens = tokens(message);
    let whole = message.len() - message.trim_start().len()..message.trim_end().len();
    if whole.is_empty() {
        return Vec::new();
    }
    let pieces = cut(message, &tokens);
    if !config.enabled || pieces.len() < 2 {
        return vec![part(message, whole, false)];
    }
    let groups = group(message, &tokens, glue_statements(&tokens, pieces), config);
    if groups.len() < 2 {
        return vec![part(message, whole, false)];
    }
    groups.into_iter().map(|g| part(message, g.range, g.needs_context)).collect()
}

fn part(message: &str, range: Range<usize>, needs_context: bool) -> Part {
    Part { text: message[range.clone()].to_owned(), range, needs_context }
}

struct Group {
    range: Range<usize>,
    tokens: Range<usize>,
    opening: Option<Opening>,
    asks: bool,
    needs_context: bool,
}

impl Group {
    fn of(tokens: &[Token], piece: &Piece) -> Self {
        Self {
            range: piece.range.clone(),
            tokens: piece.tokens.clone(),
            opening: piece.opening,
            asks: asks(tokens, piece) && !content(tokens, &piece.tokens).is_empty(),
            needs_context: false,
        }
    }

    fn absorb(&mut self, tokens: &[Token], piece: &Piece) {
        self.range.end = piece.range.end;
        self.tokens.end = piece.tokens.end;
        if self.opening.is_none() {
            self.opening = piece.opening;
        }
        self.asks = self.asks || Group::of(tokens, piece).asks;
    }
}

/// Joins a statement to the question that follows it, since it usually sets the scene for it.
/// A heading that ends in a colon is dropped instead.
fn glue_statements(tokens: &[Token], pieces: Vec<Piece>) -> Vec<Piece> {
    let mut glued: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces.into_iter().rev() {
        match glued.last_mut() {
            Some(next) if !asks(tokens, &piece) && asks(tokens, next) && !modifies(tokens, &piece) => {
                next.range.start = piece.range.start;
                next.tokens.start = piece.tokens.start;
                next.boundary = piece.boundary;
            }
            _ => glued.push(piece),
        }
    }
    glued.reverse();
    glued
}

/// Tells whether a statement tunes the answer to the question before it (`Order by id.`).
fn modifies(tokens: &[Token], piece: &Piece) -> bool {
    piece.boundary != Boundary::Start && is_in(MODIFIERS, &tokens[piece.tokens.start].folded)
}

fn group(message: &str, tokens: &[Token], pieces: Vec<Piece>, config: &SplitConfig) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for piece in &pieces {
        match groups.last_mut() {
            None => groups.push(Group::of(tokens, piece)),
            Some(before) => {
                let alone = before.asks && stands_alone(message, tokens, before, piece, config);
                if alone && groups.len() < config.max_parts {
                    let mut next = Group::of(tokens, piece);
                    next.needs_context = leans(tokens, piece);
                    groups.push(next);
                } else if let Some(before) = groups.last_mut() {
                    before.absorb(tokens, piece);
                }
            }
        }
    }
    groups
}

/// Tells whether a piece holds an interrogative, an instruction verb or its own question mark.
fn asks(tokens: &[Token], piece: &Piece) -> bool {
    if piece.stopped && subordinates(tokens, piece) {
        return false;
    }
    piece.marked || piece.opening.is_some() || holds_interrogative(tokens, &piece.tokens)
}

/// A sentence that ends in a full stop and starts with `when`, `quando`, `como` … states something,
/// unless an auxiliary follows.
fn subordinates(tokens: &[Token], piece: &Piece) -> bool {
    let next = tokens.get(piece.tokens.start + 1).map(|t| t.folded.as_str()).unwrap_or_default();
    matches!(
        tokens[piece.tokens.start].folded.as_str(),
        "when" | "where" | "quando" | "onde" | "como" | "cuando"
    ) && !is_in(AUXILIARIES, next)
}

/// Tells whether the words open or hold a question or an order.
pub(crate) fn asks_directly(tokens: &[Token]) -> bool {
    !tokens.is_empty()
        && (opening_of_sentence(tokens, 0, tokens.len()).is_some()
            || holds_interrogative(tokens, &(0..tokens.len())))
}

fn holds_interrogative(tokens: &[Token], span: &Range<usize>) -> bool {
    const STRONG: [&str; 10] =
        ["what", "why", "how", "qual", "quais", "quantos", "quantas", "quem", "cual", "cuales"];
    // `Among these, which …`: after an opening adverbial even a relative form asks.
    let first = tokens[span.start].folded.as_str();
    let adverbial =
        is_in(PREPOSITIONS, first) || matches!(first, "among" | "between" | "entre" | "dentre" | "no" | "na");
    span.clone().any(|at| {
        let token = &tokens[at];
        let next = tokens.get(at + 1).map(|t| t.folded.as_str()).unwrap_or_default();
        let last = at + 1 == span.end
            && matches!(token.folded.as_str(), "que" | "which" | "when" | "where" | "onde");
        let order =
            token.comma && matches!(opening_inside(tokens, at, span.end), Some(Opening::Instruction(_)));
        let asked = token.comma
            && (adverbial && is_interrogative_at(tokens, at, span.end)
                || token.folded == "o" && next == "que");
        let strong = is_in(&STRONG, &token.folded) || is_in(INTERROGATIVES_ACCENTED, &token.lower);
        !token.quoted && (last || order || asked || strong)
    })
}

/// Returns the content words of a span.
fn content<'a>(tokens: &'a [Token], span: &Range<usize>) -> Vec<&'a Token> {
    let order =
        tokens[span.clone()].iter().take(1).filter(|t| is_in(INSTRUCTIONS_AMBIGUOUS, &t.folded)).count();
    tokens[span.start + order..span.end].iter().filter(|t| is_content(t)).collect()
}

/// Tells whether a word carries a topic: no function word, interrogative, auxiliary or bare order.
pub(crate) fn is_content(token: &Token) -> bool {
    let word = token.folded.as_str();
    let number = word.chars().any(|c| c.is_ascii_digit());
    let letter = token.capital && matches!(word, "b" | "c" | "d" | "r" | "x" | "y" | "z");
    number
        || letter
        || word.chars().count() > 1
            && ![EMPTY, INTERROGATIVES_EN, INTERROGATIVES_PT_ES, AUXILIARIES, INSTRUCTIONS, ADDITIVES]
                .iter()
                .any(|list| is_in(list, word))
}

/// Tells whether two words share their stem: equal but for an ending. Names must be equal.
fn same_stem(a: &Token, b: &Token) -> bool {
    let (x, y) = (a.folded.as_str(), b.folded.as_str());
    let name = a.capital && b.capital;
    let common = x.chars().zip(y.chars()).take_while(|(p, q)| p == q).count();
    let shorter = x.chars().count().min(y.chars().count());
    x == y || !name && (common >= 4 && common + 2 >= shorter || common >= 3 && common == shorter)
}

fn stands_alone(
    message: &str,
    tokens: &[Token],
    before: &Group,
    piece: &Piece,
    config: &SplitConfig,
) -> bool {
    if !asks(tokens, piece) || coordinated(tokens, before, piece) || depends(message, tokens, before, piece) {
        return false;
    }
    let words = content(tokens, &piece.tokens);
    let earlier = content(tokens, &before.tokens);
    let shared = |t: &&&Token| earlier.iter().any(|e| same_stem(e, t));
    let known = words.iter().filter(shared).count();
    let fresh = words.iter().filter(|t| !is_in(ATTRIBUTES, &t.folded) && !shared(t)).count();
    let needed = if !piece.boundary.is_soft() || names_or_counts(tokens, piece) {
        1
    } else {
        config.min_content_words
    };
    // An order after a question narrows it when it speaks mostly of the same things.
    let order = matches!(piece.opening, Some(Opening::Instruction(_)));
    let narrows = order && fresh < known && !matches!(piece.boundary, Boundary::Line | Boundary::Semicolon);
    words.len() >= needed && fresh >= 1 && !narrows
}

/// Tells whether one content word is enough: it is a name or number, or is counted as existing.
fn names_or_counts(tokens: &[Token], piece: &Piece) -> bool {
    let span = &tokens[piece.tokens.clone()];
    let name = span
        .iter()
        .skip(1)
        .any(|t| is_content(t) && (t.capital || t.folded.contains(|c: char| c.is_ascii_digit())));
    let counts = span
        .iter()
        .any(|t| matches!(t.folded.as_str(), "many" | "quantos" | "quantas" | "cuantos" | "cuantas"))
        && span.iter().any(|t| {
            matches!(
                t.folded.as_str(),
                "there" | "we" | "you" | "temos" | "ha" | "existem" | "hay" | "existen" | "tenemos"
            )
        });
    name || counts || defines(span)
}

/// `o que é logística`, `what is photosynthesis`: a definition needs only its term, yet
/// `what is the capital` leaves open of what.
fn defines(span: &[Token]) -> bool {
    let word = |at: usize| span.get(at).map(|t| t.folded.as_str()).unwrap_or_default();
    match (word(0), word(1)) {
        ("o", "que") => matches!(word(2), "e" | "sao" | "significa"),
        ("what", "is" | "are") => !is_in(DETERMINERS, word(2)) || matches!(word(2), "a" | "an"),
        ("que", "es" | "son") => true,
        _ => false,
    }
}

/// Tells whether a piece that was split off still leans on the one before (no clause of its own).
fn leans(tokens: &[Token], piece: &Piece) -> bool {
    let first = tokens[piece.tokens.start].folded.as_str();
    piece.opening.is_none()
        && matches!(first, "e" | "and" | "y" | "mas" | "but")
        && !holds_interrogative(tokens, &piece.tokens)
}

/// Tells whether the piece continues a relative, conditional or infinitive clause of the one before.
fn coordinated(tokens: &[Token], before: &Group, piece: &Piece) -> bool {
    if !piece.boundary.is_soft() {
        return false;
    }
    let inner = &tokens[(before.tokens.start + 1).min(before.tokens.end)..before.tokens.end];
    let has = |list: &[&str]| inner.iter().any(|t| is_in(list, &t.folded));
    let next = tokens.get(piece.tokens.start + 1).map(|t| t.folded.as_str()).unwrap_or_default();
    match piece.opening {
        Some(Opening::Interrogative(at)) => match tokens[at].folded.as_str() {
            "who" | "whom" | "whose" => has(&["who", "whom", "whose", "that"]),
            "which" => {
                (at > piece.tokens.start || is_in(AUXILIARIES, next)) && has(&["which", "that", "who"])
            }
            "where" => has(&["where"]),
            "when" => has(&["when", "if"]),
            "que" => !is_in(QUE_NOUNS, next) && has(&["que"]),
            "onde" | "aonde" => has(&["onde", "aonde"]),
            "quando" => has(&["quando", "se", "caso"]),
            "quem" => has(&["quem"]),
            _ => false,
        },
        Some(Opening::Instruction(at)) => !tokens[at].capital && governs_infinitive(tokens, before),
        Some(Opening::YesNo(at)) => {
            let question = matches!(before.opening, Some(Opening::YesNo(_)));
            let support = matches!(tokens[at].folded.as_str(), "do" | "does" | "did");
            !question && !support && piece.boundary != Boundary::Comma && !comma_before(tokens, piece)
        }
        None => has(&["se", "if", "caso", "si", "when"]),
    }
}

/// A yes/no clause needs more than a bare conjunction before it, or a subject that is a pronoun.
fn comma_before(tokens: &[Token], piece: &Piece) -> bool {
    let next = tokens.get(piece.tokens.start + 1).map(|t| t.folded.as_str()).unwrap_or_default();
    matches!(next, "we" | "you" | "i")
}

/// `how do I open … and list …`, `can you find … and show …`: one auxiliary, two infinitives.
fn governs_infinitive(tokens: &[Token], before: &Group) -> bool {
    let span = &tokens[before.tokens.clone()];
    let modal =
        |t: &Token| matches!(t.folded.as_str(), "can" | "could" | "should" | "would" | "will" | "must");
    let how = span.windows(2).any(|w| {
        matches!(
            (w[0].folded.as_str(), w[1].folded.as_str()),
            ("how", "do" | "does" | "did" | "to")
                | ("want" | "need" | "like" | "going" | "way" | "able", "to")
        )
    });
    !matches!(before.opening, Some(Opening::Instruction(_))) && (how || span.iter().any(modal))
}
