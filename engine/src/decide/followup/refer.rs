//! Pronouns and demonstratives that only the question before gives a meaning.

use std::ops::Range;

use super::slots::{Kind, Slot};
use super::words::*;
use super::{Before, Completion, Known, Lean};
use crate::decide::split::tokens::Token;
use crate::decide::split::{expletive, is_content};

/// Resolves the first pronoun or demonstrative that the message itself leaves open.
pub(super) fn resolve(before: &Before, asked: &str, own: &[Token]) -> Option<Completion> {
    time(before, asked, own).or_else(|| thing(before, asked, own))
}

/// `in that month`, `nesse ano`: the time that was asked about.
fn time(before: &Before, asked: &str, own: &[Token]) -> Option<Completion> {
    let at = (1..own.len())
        .find(|at| is_in(TIMES, &own[*at].folded) && is_in(THAT, &own[at - 1].folded) && !own[*at].quoted)?;
    let (known, slot) = before.find(|slot| slot.is_time())?;
    let said = known.text[slot.range.clone()].to_owned();
    // `no mesmo mês`, `in the same month`: the article goes with the phrase.
    let mut start = at - 1;
    while start > 0
        && (is_in(DEFINITE, &own[start - 1].folded) || is_in(&["no", "na"], &own[start - 1].folded))
    {
        start -= 1;
    }
    let preposition = match own[start].folded.as_str() {
        "nesse" | "nessa" | "naquele" | "naquela" | "no" | "na" => "em ",
        "desse" | "dessa" => "de ",
        _ => "",
    };
    let range = own[start].range.start..own[at].range.end;
    Some(replace(asked, range, &format!("{preposition}{said}"), said))
}

fn thing(before: &Before, asked: &str, own: &[Token]) -> Option<Completion> {
    let at = (0..own.len()).find(|at| points_back(own, *at))?;
    let token = &own[at];
    let word = token.folded.as_str();
    let (known, range) = antecedent(before, word)?;
    let said = known.text[range].to_owned();
    if let Some((_, preposition)) = CONTRACTED.iter().find(|(pronoun, _)| *pronoun == word) {
        return Some(replace(asked, token.range.clone(), &format!("{preposition} {said}"), said));
    }
    let next = own.get(at + 1);
    if is_in(POSSESSIVES, word) || word == "her" && next.is_some_and(is_content) {
        return Some(replace(asked, token.range.clone(), &format!("{said}'s"), said));
    }
    if is_in(PLAIN, word) || word == "her" {
        return Some(replace(asked, token.range.clone(), &said, said.clone()));
    }
    // `essa política` of `Política PC-12`: the noun is said again.
    if let Some(noun) = next.filter(|noun| said.split_whitespace().any(|w| alike(w, &noun.folded))) {
        let range = token.range.start..noun.range.end;
        return Some(replace(asked, range, &said, said.clone()));
    }
    let bare = matches!(word, "this" | "that" | "these" | "those");
    if bare && next.is_none_or(|next| !is_content(next)) {
        return Some(replace(asked, token.range.clone(), &said, said.clone()));
    }
    // A possessive of Portuguese or Spanish, a place, another noun: the thing is named beside it.
    let open = asked.trim_end_matches(['?', '!', '.', ' ']);
    Some(Completion {
        asked: asked.to_owned(),
        question: format!("{open}, {said}?"),
        lean: Lean::Reference,
        carried: vec![said],
        replaced: Vec::new(),
    })
}

/// Whether the word at `at` points at something that the message itself does not name.
fn points_back(own: &[Token], at: usize) -> bool {
    let token = &own[at];
    let word = token.folded.as_str();
    let next = own.get(at + 1);
    let noun = next.is_some_and(is_content);
    let pronoun = is_in(PLAIN, word)
        || is_in(POSSESSIVES, word)
        || CONTRACTED.iter().any(|(contracted, _)| *contracted == word)
        || word == "her"
        || is_in(OWNED, word) && noun
        || is_in(NEAR, word) && noun && token.lower != "está" && !next.is_some_and(|n| is_in(NOW, &n.folded))
        || matches!(word, "this" | "these" | "those") && !next.is_some_and(|n| is_in(NOW, &n.folded))
        || is_in(PLACES, word) && at > 0 && next.is_none() && token.lower != "la";
    pronoun && !token.quoted && !expletive(own, at) && !names_one(own, at)
}

/// Whether a name, or a thing with its article, stands before `at`; the thing that a preposition ties
/// to the pronoun (`the limit of it`, `o limite dela`) is what is asked, not what is meant.
fn names_one(own: &[Token], at: usize) -> bool {
    let word = own[at].folded.as_str();
    let tied = CONTRACTED.iter().any(|(contracted, _)| *contracted == word)
        || at > 0 && is_in(&["of", "de"], &own[at - 1].folded);
    // `list the trucks and their plates`: what is had stands beside what has it.
    let possessive = is_in(POSSESSIVES, word) || is_in(OWNED, word);
    let beside = at > 1 && is_in(&["and", "e", "y"], &own[at - 1].folded) && is_content(&own[at - 2]);
    possessive && beside
        || (1..at).any(|i| {
            let named = own[i].capital && is_content(&own[i]);
            let article = is_in(DEFINITE, &own[i - 1].folded) || is_in(INDEFINITE, &own[i - 1].folded);
            let code = own[i].folded.chars().any(|c| c.is_ascii_digit()) && is_content(&own[i]);
            is_content(&own[i]) && (named || code || article && !tied)
        })
}

/// Whether two words differ in their ending alone: a plural, a gender.
fn alike(written: &str, folded: &str) -> bool {
    let word: Vec<char> = crate::decide::text::fold(written).chars().collect();
    let other: Vec<char> = folded.chars().collect();
    let common = word.iter().zip(&other).take_while(|(a, b)| a == b).count();
    common >= 3 && common + 1 >= word.len().min(other.len()) && word.len().abs_diff(other.len()) <= 2
}

fn replace(asked: &str, range: Range<usize>, by: &str, carried: String) -> Completion {
    let written = asked[range.clone()].to_owned();
    // At the start of a sentence a capital is kept.
    let by = if range.start == 0 { capitalised(by) } else { by.to_owned() };
    Completion {
        asked: asked.to_owned(),
        question: format!("{}{by}{}", &asked[..range.start], &asked[range.end..]),
        lean: Lean::Reference,
        carried: vec![carried],
        replaced: vec![[written, by]],
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// What a pronoun stands for: a name of the question before (one whose article agrees, where the
/// pronoun has a gender), a code, else the last thing it speaks of.
fn antecedent<'a>(before: &'a Before, pronoun: &str) -> Option<(&'a Known, Range<usize>)> {
    let gender = match pronoun {
        "ele" | "eles" | "dele" | "deles" | "nele" | "neles" | "esse" | "este" | "desse" | "nesse" => {
            Some(true)
        }
        "ela" | "elas" | "dela" | "delas" | "nela" | "nelas" | "essa" | "esta" | "dessa" | "nessa"
        | "ella" => Some(false),
        _ => None,
    };
    for known in &before.parts {
        let named: Vec<&Slot> =
            known.slots.iter().filter(|slot| matches!(slot.kind, Kind::Name(_) | Kind::Code(_))).collect();
        let agrees = |slot: &&&Slot| match (gender, article_gender(known, slot)) {
            (Some(wanted), Some(found)) => wanted == found,
            _ => true,
        };
        if let Some(slot) = named.iter().find(agrees).or(named.first()) {
            return Some((known, slot.range.clone()));
        }
    }
    // `sua` may as well be the one who is asked: only a name answers to it.
    let last = before.last().filter(|_| !is_in(OWNED, pronoun) && !is_in(PLACES, pronoun))?;
    noun_phrase(last).map(|range| (last, range))
}

/// Whether the article before a name is masculine; `None` where it does not tell.
fn article_gender(known: &Known, slot: &Slot) -> Option<bool> {
    let before = known.tokens.get(slot.tokens.start.checked_sub(1)?)?;
    match before.folded.as_str() {
        "o" | "os" | "do" | "dos" | "no" | "nos" | "ao" | "aos" | "pelo" | "pelos" | "um" | "el" | "del" => {
            Some(true)
        }
        "a" | "as" | "da" | "das" | "na" | "nas" | "pela" | "pelas" | "uma" | "la" => Some(false),
        _ => None,
    }
}

/// The first thing with an article that a question speaks of, else its last run of content words.
fn noun_phrase(known: &Known) -> Option<Range<usize>> {
    let tokens = &known.tokens;
    let article = |at: usize| is_in(DEFINITE, &tokens[at].folded) || is_in(INDEFINITE, &tokens[at].folded);
    let run = |start: usize| (start..tokens.len()).take_while(|at| is_content(&tokens[*at])).last();
    let articled = (0..tokens.len().saturating_sub(1)).find_map(|at| {
        let end = run(at + 1).filter(|_| article(at))?;
        Some(tokens[at + 1].range.start..tokens[end].range.end)
    });
    articled.or_else(|| {
        let end = (0..tokens.len()).rev().find(|at| is_content(&tokens[*at]))?;
        let start = (0..=end).rev().take_while(|at| is_content(&tokens[*at])).last()?;
        Some(tokens[start].range.start..tokens[end].range.end)
    })
}
