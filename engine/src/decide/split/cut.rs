//! Where a message could be cut: sentence marks first, then conjunctions and commas before
//! something that opens a question or gives an order.

use std::ops::Range;

use super::lexicon::*;
use super::sentences::sentences;
use super::tokens::Token;

/// What separates a piece from the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// The start of the message.
    Start,
    /// `?` or `!`.
    Mark,
    /// A full stop.
    Period,
    /// A semicolon.
    Semicolon,
    /// A line break or an item of a list.
    Line,
    /// `e`, `and`, `y` or an additive such as `além disso`.
    Conjunction,
    /// A comma.
    Comma,
}

impl Boundary {
    /// Tells whether it lies inside a sentence.
    pub fn is_soft(self) -> bool {
        matches!(self, Boundary::Conjunction | Boundary::Comma)
    }
}

/// What opens a question or an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// An interrogative word, at this token.
    Interrogative(usize),
    /// A verb in the imperative, at this token.
    Instruction(usize),
    /// An auxiliary before its subject, at this token.
    YesNo(usize),
}

/// A stretch of the message between two places where it could be cut.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Byte range, without surrounding blanks.
    pub range: Range<usize>,
    /// Indices of its tokens.
    pub tokens: Range<usize>,
    /// What separates it from the piece before.
    pub boundary: Boundary,
    /// What it opens with.
    pub opening: Option<Opening>,
    /// Whether a question mark ends it.
    pub marked: bool,
    /// Whether a full stop ends it.
    pub stopped: bool,
}

/// Cuts `message` at every place where a new question could start.
pub fn cut(message: &str, tokens: &[Token]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (range, boundary) in sentences(message, tokens) {
        let first = tokens.partition_point(|t| t.range.start < range.start);
        let last = tokens.partition_point(|t| t.range.start < range.end);
        if first < last {
            clauses(message, tokens, first..last, range, boundary, &mut pieces);
        }
    }
    pieces
}

fn clauses(
    message: &str,
    tokens: &[Token],
    span: Range<usize>,
    range: Range<usize>,
    boundary: Boundary,
    pieces: &mut Vec<Piece>,
) {
    let marked = message[range.clone()].trim_end_matches(['"', '”', '»', ')', ' ']).ends_with(['?', '？']);
    let in_place = if marked { asked_in_place(tokens, &span) } else { None };
    let mut start = (span.start, range.start, boundary);
    let mut at = span.start + 1;
    while at < span.end {
        let added = in_place.filter(|place| *place == at).map(|place| (place + 1, Boundary::Conjunction));
        if let Some((token, kind)) = soft_boundary(message, tokens, at, span.end).or(added) {
            let end = trim_joint(message, start.1, tokens[at].range.start);
            pieces.push(piece(tokens, start.0..at, start.1..end, start.2));
            start = (token, tokens[token].range.start, kind);
            at = token + 1;
        } else {
            at += 1;
        }
    }
    let stopped = message[range.clone()].ends_with('.');
    let last = piece(tokens, start.0..span.end, start.1..range.end, start.2);
    pieces.push(Piece { marked, stopped, ..last });
}

fn piece(tokens: &[Token], span: Range<usize>, range: Range<usize>, boundary: Boundary) -> Piece {
    let opening = if boundary.is_soft() {
        opening_inside(tokens, span.start, span.end)
    } else {
        opening_of_sentence(tokens, span.start, span.end)
    };
    Piece { range, tokens: span, boundary, opening, marked: false, stopped: false }
}

/// `Qual … e os pedidos seguem qual norma?`: a sentence that opens with an interrogative and ends
/// with another one asks twice. Returns the conjunction before the subject of the second question.
fn asked_in_place(tokens: &[Token], span: &Range<usize>) -> Option<usize> {
    opening_of_sentence(tokens, span.start, span.end)?;
    let asks = |t: &Token| {
        let word = t.folded.as_str();
        let portuguese =
            is_in(INTERROGATIVES_PT_ES, word) && !matches!(word, "como" | "quando" | "onde" | "aonde");
        portuguese || matches!(word, "what" | "which") || t.lower == "quê"
    };
    let place =
        (span.end.saturating_sub(5).max(span.start + 4)..span.end).rev().find(|&i| asks(&tokens[i]))?;
    (span.start + 2..place.saturating_sub(2)).rev().find(|&at| {
        let conjunction = matches!(tokens[at].folded.as_str(), "e" | "and" | "y") && tokens[at].lower != "é";
        let articles = ["o", "a", "os", "as", "um", "uma", "the", "an", "el", "la", "los", "las"];
        let subject = is_in(&articles, &tokens[at + 1].folded);
        let pair = tokens[at.saturating_sub(6).max(span.start)..at]
            .iter()
            .any(|t| is_in(&["entre", "between", "both"], &t.folded));
        conjunction && subject && !pair && !tokens[at].quoted
    })
}

/// Takes blanks, commas and opening marks off the end of `start..end`.
fn trim_joint(message: &str, start: usize, end: usize) -> usize {
    start + message[start..end].trim_end_matches(|c: char| c.is_whitespace() || ",;¿¡&+".contains(c)).len()
}

/// Returns the first token of a clause that a conjunction or comma before `at` adds, with its kind.
fn soft_boundary(message: &str, tokens: &[Token], at: usize, end: usize) -> Option<(usize, Boundary)> {
    let token = &tokens[at];
    if token.quoted {
        return None;
    }
    let gap = &message[tokens[at - 1].range.end..token.range.start];
    let comma = gap.contains(',');
    let conjunction = matches!(token.folded.as_str(), "e" | "and" | "y" | "plus") && token.lower != "é";
    if conjunction || (comma && is_in(ADDITIVES, &token.folded)) || gap.contains('&') {
        let mut next = if conjunction { at + 1 } else { at };
        while next < end && is_additive(tokens, next, end) && !is_order_at(tokens, next, end) {
            next += 1;
        }
        let opens = next < end
            && !is_in(MODIFIERS, &tokens[next].folded)
            && (opening_inside(tokens, next, end).is_some() || framed(message, tokens, next, end));
        return opens.then_some((next, Boundary::Conjunction));
    }
    (comma && opens_after_comma(tokens, at, end)).then_some((at, Boundary::Comma))
}

/// `também`, `além disso`, `por favor`: words that may stand before an added clause.
fn is_additive(tokens: &[Token], at: usize, end: usize) -> bool {
    let polite = tokens[at].folded == "por" && next_is(tokens, at, end, &["favor", "fim", "ultimo"]);
    is_in(ADDITIVES, &tokens[at].folded) || polite
}

fn is_order_at(tokens: &[Token], at: usize, end: usize) -> bool {
    matches!(opening_inside(tokens, at, end), Some(Opening::Instruction(_)))
}

/// `e se o banco parar, quais dados …`, `and in March, what was …`: a condition or an adverbial
/// before the question that it belongs to.
fn framed(message: &str, tokens: &[Token], at: usize, end: usize) -> bool {
    let word = tokens[at].folded.as_str();
    let condition = matches!(word, "se" | "if" | "caso" | "si" | "when" | "quando");
    let adverbial = is_in(PREPOSITIONS, word)
        || matches!(word, "no" | "na" | "nos" | "nas" | "among" | "entre" | "between");
    let reach = if condition { end } else { end.min(at + 8) };
    let comma = |i: &usize| message[tokens[i - 1].range.end..tokens[*i].range.start].contains(',');
    // Only the first comma ends the frame.
    (condition || adverbial)
        && (at + 2..reach).find(comma).is_some_and(|i| {
            matches!(
                opening_inside(tokens, i, end),
                Some(Opening::Interrogative(_) | Opening::Instruction(_))
            )
        })
}

/// What a sentence opens with: looser than inside one, since nothing else can stand there.
pub fn opening_of_sentence(tokens: &[Token], start: usize, end: usize) -> Option<Opening> {
    let mut at = start;
    while at < end
        && (is_in(ADDITIVES, &tokens[at].folded)
            || matches!(tokens[at].folded.as_str(), "e" | "and" | "y" | "but" | "mas" | "so"))
    {
        at += 1;
    }
    let token = tokens.get(at).filter(|_| at < end)?;
    let word = token.folded.as_str();
    if is_in(INSTRUCTIONS, word) || (is_in(INSTRUCTIONS_AMBIGUOUS, word) && is_order_word(tokens, at, end)) {
        return Some(Opening::Instruction(at));
    }
    if is_in(INTERROGATIVES_EN, word)
        || is_in(INTERROGATIVES_PT_ES, word)
        || is_in(INTERROGATIVES_ACCENTED, &token.lower)
    {
        return Some(Opening::Interrogative(at));
    }
    if matches!(word, "que" | "porque") {
        return Some(Opening::Interrogative(at));
    }
    if is_in(AUXILIARIES, word) && word != "do" || word == "do" && next_is(tokens, at, end, SUBJECTS) {
        return Some(Opening::YesNo(at));
    }
    opening_inside(tokens, at, end).or_else(|| prepositional_start(tokens, at, end))
}

/// `Para que servem …`, `Com o que …`, `Ao que …`: prepositions and articles before the interrogative.
fn prepositional_start(tokens: &[Token], start: usize, end: usize) -> Option<Opening> {
    for (at, token) in tokens[..end].iter().enumerate().skip(start).take(4) {
        let word = token.folded.as_str();
        let asks = matches!(word, "que" | "what" | "which" | "whom" | "whose" | "quao" | "how");
        if asks || is_in(INTERROGATIVES_PT_ES, word) && word != "como" {
            return Some(Opening::Interrogative(at));
        }
        if !is_in(PREPOSITIONS, word)
            && !matches!(word, "o" | "ao" | "do" | "no" | "na" | "da" | "pelo" | "pela")
        {
            return None;
        }
    }
    None
}

/// At the start of a sentence an ambiguous verb is an order unless a preposition follows.
fn is_order_word(tokens: &[Token], at: usize, end: usize) -> bool {
    let word = tokens[at].folded.as_str();
    if word == "de" || word == "some" {
        return tokens[at].lower.starts_with("dê") || next_is(tokens, at, end, AFTER_ORDER) && word == "some";
    }
    !next_is(tokens, at, end, &["of", "de", "do", "da", "is", "and", "e", "by"])
}

fn next_is(tokens: &[Token], at: usize, end: usize, list: &[&str]) -> bool {
    at + 1 < end && is_in(list, &tokens[at + 1].folded)
}

/// What the words from `at` open, inside a sentence: only forms that cannot continue the clause before.
pub fn opening_inside(tokens: &[Token], at: usize, end: usize) -> Option<Opening> {
    let token = tokens.get(at).filter(|_| at < end)?;
    let word = token.folded.as_str();
    if is_in(INSTRUCTIONS, word) && (word.len() >= 4 || next_is(tokens, at, end, AFTER_ORDER)) {
        return Some(Opening::Instruction(at));
    }
    let order = is_in(INSTRUCTIONS_AMBIGUOUS, word) && next_is(tokens, at, end, AFTER_ORDER);
    if order && (!matches!(word, "de" | "some") || token.lower.starts_with("dê") || token.capital) {
        return Some(Opening::Instruction(at));
    }
    if is_interrogative_at(tokens, at, end) {
        return Some(Opening::Interrogative(at));
    }
    if is_in(PREPOSITIONS, word) && at + 1 < end && is_prepositional(tokens, at + 1, end) {
        return Some(Opening::Interrogative(at + 1));
    }
    if matches!(word, "do" | "does" | "did") {
        // `do` is a Portuguese preposition before a name.
        let name = word != "do" && at + 1 < end && tokens[at + 1].capital;
        if name || next_is(tokens, at, end, SUBJECTS) {
            return Some(Opening::YesNo(at));
        }
    }
    let polite = matches!(
        word,
        "is" | "are" | "was" | "were" | "can" | "could" | "will" | "would" | "should" | "has" | "have"
    );
    (polite && next_is(tokens, at, end, SUBJECTS)).then_some(Opening::YesNo(at))
}

/// Tells whether the word at `at` is an interrogative in the order of a direct question.
pub fn is_interrogative_at(tokens: &[Token], at: usize, end: usize) -> bool {
    let token = &tokens[at];
    let next = (at + 1 < end).then(|| &tokens[at + 1]);
    let following = next.map(|t| t.folded.as_str()).unwrap_or_default();
    let auxiliary = token.contracted
        || is_in(AUXILIARIES, following)
        || next.is_some_and(|t| is_in(AUXILIARIES, &t.lower));
    if is_in(INTERROGATIVES_ACCENTED, &token.lower) {
        return true;
    }
    match token.folded.as_str() {
        "what" | "which" | "whose" => next.is_some() && (!is_in(DETERMINERS, following) || auxiliary),
        "who" | "whom" => next.is_some() && !is_in(DETERMINERS, following),
        "when" | "where" | "why" => auxiliary,
        "how" => auxiliary || is_in(HOW_MEASURES, following),
        // `como um`, `como consequência`: as.
        "como" => !matches!(
            following,
            "" | "um" | "uma" | "un" | "una" | "consequencia" | "resultado" | "exemplo" | "forma" | "parte"
        ),
        "o" => matches!(following, "que") && end > at + 2,
        "por" => following == "que" && end > at + 2,
        "que" => is_in(QUE_NOUNS, following),
        word => is_in(INTERROGATIVES_PT_ES, word) && next.is_some(),
    }
}

/// Tells whether an interrogative at `at`, after a preposition, asks rather than relates.
fn is_prepositional(tokens: &[Token], at: usize, end: usize) -> bool {
    let next = if at + 1 < end { tokens[at + 1].folded.as_str() } else { "" };
    match tokens[at].folded.as_str() {
        "which" | "what" => {
            !next.is_empty() && !is_in(DETERMINERS, next) && (at + 1 >= end || !tokens[at + 1].capital)
        }
        "whom" => is_in(AUXILIARIES, next),
        "how" => is_in(HOW_MEASURES, next),
        "que" => {
            is_in(QUE_NOUNS, next) || next.starts_with("serv") || matches!(next, "foi" | "foram" | "consiste")
        }
        "qual" | "quais" | "quem" | "quanto" | "quanta" | "quantos" | "quantas" | "onde" | "cual"
        | "cuales" | "quien" | "cuantos" | "cuantas" | "cuanto" | "quando" | "cuando" => !next.is_empty(),
        _ => is_in(INTERROGATIVES_ACCENTED, &tokens[at].lower),
    }
}

/// After a bare comma only forms that cannot be relative clauses open a question.
fn opens_after_comma(tokens: &[Token], at: usize, end: usize) -> bool {
    let following = if at + 1 < end { tokens[at + 1].folded.as_str() } else { "" };
    match tokens[at].folded.as_str() {
        "qual" | "quais" | "quantos" | "quantas" | "cual" | "cuales" | "cuantos" | "cuantas" => {
            !following.is_empty()
        }
        "what" => tokens[at].contracted || is_in(AUXILIARIES, following),
        "how" => is_in(AUXILIARIES, following) || matches!(following, "many" | "much"),
        "why" => is_in(AUXILIARIES, following),
        word => is_in(INSTRUCTIONS, word) && next_is(tokens, at, end, AFTER_ORDER),
    }
}
