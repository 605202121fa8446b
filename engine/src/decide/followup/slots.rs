//! The values that a question names: months, years, numbers, codes and names.

use std::ops::Range;

use super::Names;
use super::words::*;
use crate::decide::numbers::{Kind as NumberKind, month, quantities};
use crate::decide::split::is_content;
use crate::decide::split::tokens::Token;

/// Words in the longest value that is looked up among the stores' names.
const LONGEST_VALUE: usize = 5;

/// What kind of value stands in a slot; only values of one kind take each other's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A month by name.
    Month,
    /// A year.
    Year,
    /// A quarter or half-year.
    Period,
    /// A whole date.
    Date,
    /// A number or an amount.
    Number,
    /// A percentage.
    Percent,
    /// A code (`PC-04`), by its letters.
    Code(String),
    /// A name, with the kind of thing it names where that is known.
    Name(Option<String>),
}

/// A value in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    /// What it is.
    pub kind: Kind,
    /// Byte range of the value in the text.
    pub range: Range<usize>,
    /// Indices of its tokens.
    pub tokens: Range<usize>,
}

impl Slot {
    /// Whether a value of this kind may stand where one of the other stood.
    pub fn fits(&self, other: &Slot) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Name(Some(a)), Kind::Name(Some(b))) => a == b,
            (Kind::Name(_), Kind::Name(_)) => true,
            (Kind::Code(a), Kind::Code(b)) => a == b,
            (a, b) => a == b,
        }
    }

    /// Whether it says when.
    pub fn is_time(&self) -> bool {
        matches!(self.kind, Kind::Month | Kind::Year | Kind::Period | Kind::Date)
    }
}

/// Returns the values of a text, in order; a name with its code (`Política PC-04`) is one name, and
/// the code in it a value of its own too.
///
/// `inside`: the text goes on after other words, so that a capital on its first one marks a name.
pub(super) fn slots(text: &str, tokens: &[Token], inside: bool, names: &dyn Names) -> Vec<Slot> {
    let mut found = counted(text, tokens);
    found.extend(periods(tokens));
    let taken = |found: &[Slot], at: usize| {
        found.iter().any(|slot| slot.tokens.contains(&at) && !matches!(slot.kind, Kind::Code(_)))
    };
    for (at, token) in tokens.iter().enumerate() {
        // `may` and `mar` are common words: a short month needs its capital or a preposition.
        let placed = at > 0 && matches!(tokens[at - 1].folded.as_str(), "in" | "em" | "de" | "en" | "of");
        let plain = token.folded.len() > 3 || token.capital && at > 0 || placed;
        if !taken(&found, at) && plain && month(&token.folded).is_some() {
            found.push(Slot { kind: Kind::Month, range: token.range.clone(), tokens: at..at + 1 });
        }
    }
    let mut at = 0;
    while at < tokens.len() {
        let known = known_run(tokens, at, names).filter(|_| !taken(&found, at));
        if known.is_none() && (taken(&found, at) || !begins_name(tokens, at, inside)) {
            at += 1;
            continue;
        }
        let run = if begins_name(tokens, at, inside) {
            name_end(tokens, at, &|other| taken(&found, other))
        } else {
            at
        };
        let end = known.as_ref().map_or(run, |(end, _)| run.max(*end));
        let kind = known.map(|(_, kind)| kind).or_else(|| {
            // `região Sul`: the last words of a longer name may be the value.
            (at + 1..end)
                .find_map(|inner| known_run(tokens, inner, names).filter(|run| run.0 == end))
                .map(|run| run.1)
        });
        let range = tokens[at].range.start..tokens[end - 1].range.end;
        let code = found.iter().any(|slot| slot.tokens == (at..end));
        if !code {
            found.push(Slot { kind: Kind::Name(kind), range, tokens: at..end });
        }
        at = end;
    }
    found.sort_by_key(|slot| (slot.range.start, std::cmp::Reverse(slot.range.end)));
    found
}

/// Numbers, years, dates and codes.
fn counted(text: &str, tokens: &[Token]) -> Vec<Slot> {
    let mut found = Vec::new();
    for quantity in quantities(text) {
        let range = with_currency(text, quantity.range.clone());
        let start = tokens.partition_point(|token| token.range.end <= range.start);
        let end = tokens.partition_point(|token| token.range.start < quantity.range.end);
        let value = quantity.value();
        let year = quantity.range.len() == 4
            && value.len() == 4
            && value.parse::<u32>().is_ok_and(|number| (1900..2100).contains(&number));
        let kind = match quantity.kind {
            NumberKind::Date => Kind::Date,
            NumberKind::Percent => Kind::Percent,
            NumberKind::Code => {
                let letters: String = value.chars().take_while(|c| c.is_alphabetic()).collect();
                if letters == "q" { Kind::Period } else { Kind::Code(letters) }
            }
            NumberKind::Number if year => Kind::Year,
            NumberKind::Number => Kind::Number,
        };
        if start < end {
            found.push(Slot { kind, range, tokens: start..end });
        }
    }
    found
}

/// Takes a sign of currency before an amount with it.
fn with_currency(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text[..range.start].trim_end();
    let signs = ["R$", "US$", "$", "€", "£"];
    signs.iter().find_map(|sign| before.strip_suffix(sign)).map_or(range.clone(), |rest| {
        rest.trim_end_matches(|c: char| c.is_ascii_uppercase()).len()..range.end
    })
}

/// `first quarter`, `segundo semestre`.
fn periods(tokens: &[Token]) -> Vec<Slot> {
    let counted = |at: usize| {
        let ordinal = at > 0 && is_in(ORDINALS, &tokens[at - 1].folded);
        (is_in(PERIODS, &tokens[at].folded) && ordinal).then(|| Slot {
            kind: Kind::Period,
            range: tokens[at - 1].range.start..tokens[at].range.end,
            tokens: at - 1..at + 1,
        })
    };
    (0..tokens.len()).filter_map(counted).collect()
}

/// The longest value that the stores know from `at` on: where it ends, and its kind.
fn known_run(tokens: &[Token], at: usize, names: &dyn Names) -> Option<(usize, String)> {
    if !is_content(&tokens[at]) || month(&tokens[at].folded).is_some() {
        return None;
    }
    (at + 1..=tokens.len().min(at + LONGEST_VALUE)).rev().find_map(|end| {
        let words: Vec<&str> = tokens[at..end].iter().map(|token| token.folded.as_str()).collect();
        names.kind(&words.join(" ")).map(|kind| (end, kind))
    })
}

/// Whether a name begins here: a capital after the first word.
fn begins_name(tokens: &[Token], at: usize, inside: bool) -> bool {
    let token = &tokens[at];
    // The first word has its capital anyway; a second one beside it makes a name.
    let beside = tokens.get(at + 1).is_some_and(|next| next.capital && is_content(next));
    token.capital && (at > 0 || inside || beside) && is_content(token) && month(&token.folded).is_none()
}

/// Where the name that begins at `start` ends: capitals, their codes and linking words.
fn name_end(tokens: &[Token], start: usize, taken: &dyn Fn(usize) -> bool) -> usize {
    let part = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            let digits = token.folded.chars().any(|c| c.is_ascii_digit());
            digits || token.capital && !taken(at) && month(&token.folded).is_none()
        })
    };
    let mut end = start + 1;
    loop {
        let linked = tokens.get(end).is_some_and(|token| {
            is_in(&["de", "da", "do", "dos", "das", "of"], &token.folded) && joined_by_of(tokens, end)
        });
        if part(end) && !tokens[end].comma {
            end += 1;
        } else if linked && tokens.get(end + 1).is_some_and(|next| next.capital && is_content(next)) {
            end += 2;
        } else {
            return end;
        }
    }
}

/// `Prêmio Rota Limpa de Belém` is a name and a place: only titles like `Gerência de Pessoas` go on.
fn joined_by_of(tokens: &[Token], at: usize) -> bool {
    !is_in(&["do", "da"], &tokens[at].folded) || tokens[at - 1].folded.len() > 3
}

/// Byte offset where the phrase around a slot begins: its prepositions, articles, comparators, and
/// one noun between them (`da região Nordeste`, `acima de 80 mil`).
pub(super) fn phrase_start(tokens: &[Token], slot: &Slot) -> usize {
    let grammatical = |at: usize| {
        let word = tokens[at].folded.as_str();
        [PREPOSITIONS, DEFINITE, INDEFINITE, COMPARATORS].iter().any(|list| is_in(list, word))
    };
    let mut start = slot.tokens.start;
    let mut noun = false;
    while start > 0 {
        let at = start - 1;
        if grammatical(at) {
            start = at;
        } else if !noun
            && start == slot.tokens.start
            && at > 0
            && is_content(&tokens[at])
            && grammatical(at - 1)
        {
            noun = true;
            start = at;
        } else {
            break;
        }
    }
    if start == slot.tokens.start { slot.range.start } else { tokens[start].range.start }
}
