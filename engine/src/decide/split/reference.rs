//! Whether a clause refers to something that only the clause before it names.

use super::cut::Piece;
use super::lexicon::*;
use super::tokens::Token;
use super::{Group, is_content, same_stem};

/// Tells whether the piece refers back to something that its own clause does not name.
pub(super) fn depends(message: &str, tokens: &[Token], before: &Group, piece: &Piece) -> bool {
    let span = &tokens[piece.tokens.clone()];
    (0..span.len()).any(|at| {
        let token = &span[at];
        let word = token.folded.as_str();
        let next = span.get(at + 1);
        let following = next.map(|t| t.folded.as_str()).unwrap_or_default();
        if token.quoted {
            return false;
        }
        if let Some((_, plural)) = ANAPHORS.iter().find(|(w, _)| *w == word) {
            return !expletive(span, at) && !has_antecedent(span, at, *plural);
        }
        if is_in(DEMONSTRATIVES, word) && token.lower != "está" {
            let relative = matches!(following, "who" | "that" | "que" | "with" | "in" | "of");
            return !relative && !is_in(SITUATION_NOUNS, following) && !has_antecedent(span, at, false);
        }
        if is_in(PLACE_ANAPHORS, word) && token.lower != "la" && at > 0 {
            let existential = is_in(AUXILIARIES, &span[at - 1].folded)
                || next.is_some_and(|t| is_in(AUXILIARIES, &t.folded));
            let named = (0..at).filter(|&i| is_content(&span[i])).count() > 2;
            return next.is_none() && !existential && !named;
        }
        clitic(span, at) || distributes(message, tokens, before, span, at)
    })
}

/// `quantos canais os usam`: an article form between the interrogative's noun and its verb is an object.
fn clitic(span: &[Token], at: usize) -> bool {
    let counts = ["quantos", "quantas", "quais", "cuantos", "cuantas", "cuales"];
    let counted = at >= 2 && is_in(&counts, &span[at - 2].folded) && is_content(&span[at - 1]);
    counted
        && is_in(&["o", "a", "os", "as", "lo", "la", "los", "las"], &span[at].folded)
        && at + 2 == span.len()
}

/// `it` that stands for nothing: `is it true that`, `how long does it take`, `why is it hard to`.
pub(crate) fn expletive(span: &[Token], at: usize) -> bool {
    let word = |i: usize| span.get(i).map(|t| t.folded.as_str()).unwrap_or_default();
    let copula = at > 0 && matches!(word(at - 1), "is" | "was");
    let clause = (at + 2..at + 5).any(|i| matches!(word(i), "to" | "that" | "when"));
    let verb = matches!(word(at + 1), "take" | "takes" | "took" | "mean" | "is" | "rain");
    span[at].folded == "it" && (verb || copula && clause)
}

/// Looks for a noun before `at` in the same clause that the word at `at` could refer to.
fn has_antecedent(span: &[Token], at: usize, plural: bool) -> bool {
    let head = span.iter().position(is_content);
    let subject =
        matches!(span[at].folded.as_str(), "it" | "they" | "he" | "she" | "ele" | "ela" | "eles" | "elas");
    let candidates: Vec<usize> = (0..at).filter(|&i| is_content(&span[i])).collect();
    // `how many languages do they speak`: the noun of the interrogative is the object.
    let only_head = subject
        && candidates.len() == 1
        && candidates.first().copied() == head
        && candidates[0] > 0
        && (candidates[0] + 1..at).all(|i| is_in(AUXILIARIES, &span[i].folded));
    let fits = |i: &usize| {
        let word = span[*i].folded.as_str();
        let many = word.ends_with('s') || matches!(word, "people" | "children" | "men" | "women");
        !plural || many
    };
    !only_head && candidates.iter().any(fits)
}

/// Bare `each`/`cada um`, or `each NOUN` whose noun only the clause before has named.
fn distributes(message: &str, tokens: &[Token], before: &Group, span: &[Token], at: usize) -> bool {
    if !matches!(span[at].folded.as_str(), "each" | "cada") {
        return false;
    }
    // Only a list of its own (`the names and ages of each`) gives a bare `each` something to share out.
    let listed = has_antecedent(span, at, true)
        && span[..at].iter().any(|t| matches!(t.folded.as_str(), "and" | "e" | "y"));
    let Some(next) = span.get(at + 1) else { return !listed };
    let bare = !message[span[at].range.end..next.range.start].trim().is_empty()
        || is_in(PREPOSITIONS, &next.folded)
        || is_in(AUXILIARIES, &next.folded)
        || matches!(next.folded.as_str(), "um" | "uma" | "uno" | "una" | "one");
    if bare {
        return !listed;
    }
    let known = |words: &[Token]| words.iter().any(|t| is_content(t) && same_stem(t, next));
    !known(&span[..at]) && known(&tokens[before.tokens.clone()])
}
