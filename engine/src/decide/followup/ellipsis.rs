//! Fragments, bare interrogatives, and questions that need the names of the one before.

use std::ops::Range;

use super::slots::{Kind, Slot, phrase_start, slots};
use super::words::*;
use super::{Before, Completion, Known, Lean, Names};
use crate::decide::split::tokens::{Token, tokens};
use crate::decide::split::{asks_directly, is_content};

/// Content words of no known kind that a fragment may have; with more it may be a clause of its own.
const MOST_PLAIN_WORDS: usize = 2;

pub(super) fn complete(before: &Before, asked: &str, own: &[Token], names: &dyn Names) -> Option<Completion> {
    let first = after_marker(own);
    let marked = first > 0;
    let rest = own.get(first..).filter(|rest| !rest.is_empty())?;
    // What stands after the marker, as a text of its own.
    let start = rest[0].range.start;
    let fragment = asked[start..].trim_end_matches(['?', '!', '.', ' ', '？']);
    let words = tokens(fragment);
    let values = slots(fragment, &words, marked, names);
    let plain: Vec<usize> = (0..words.len())
        .filter(|at| is_content(&words[*at]) && !values.iter().any(|slot| slot.tokens.contains(at)))
        .collect();
    let of_its_own = plain.iter().filter(|at| !is_in(LIGHT, &words[**at].folded)).count();
    if asks_directly(rest) {
        return match of_its_own {
            _ if !values.is_empty() => None,
            0 => Some(bare(before.last()?, asked, fragment)),
            1 if marked => filters(before, asked, start),
            _ => None,
        };
    }
    if of_its_own > MOST_PLAIN_WORDS || repeats(before, &words, &plain) {
        return None;
    }
    let spoken = Fragment { text: fragment, words: &words, values: &values, plain: &plain };
    if marked {
        return if values.is_empty() && plain.is_empty() { None } else { Some(spoken.join(before, asked)?) };
    }
    // Without a word that says so, only a value whose counterpart is there makes a follow-up.
    let whole = plain.is_empty() && !values.is_empty();
    (whole && values.iter().all(|slot| before.find(|other| other.fits(slot)).is_some()))
        .then(|| spoken.join(before, asked))?
}

/// Where the message goes on after its opening marker.
fn after_marker(own: &[Token]) -> usize {
    let opens = |marker: &&&[&str]| {
        own.len() > marker.len()
            && marker.iter().zip(own).all(|(word, token)| *word == token.folded && token.lower != "é")
    };
    MARKERS.iter().filter(opens).map(|marker| marker.len()).max().unwrap_or(0)
}

/// A clause that says words of the question before again is complete: `E o atendimento abre domingo?`
fn repeats(before: &Before, words: &[Token], plain: &[usize]) -> bool {
    let said = |at: &usize| {
        before.parts.iter().any(|part| part.tokens.iter().any(|token| token.folded == words[*at].folded))
    };
    plain.len() > 1 && plain.iter().any(said)
}

/// `E por quê?`: the question before, asked that way.
fn bare(known: &Known, asked: &str, fragment: &str) -> Completion {
    Completion {
        asked: asked.to_owned(),
        question: format!("{fragment}: {}?", known.open()),
        lean: Lean::Bare,
        carried: vec![known.open().to_owned()],
        replaced: Vec::new(),
    }
}

/// `E quantas unidades?`: with the names, dates and numbers of the question before.
fn filters(before: &Before, asked: &str, start: usize) -> Option<Completion> {
    let known = before.parts.iter().find(|part| !part.slots.is_empty())?;
    let mut carried: Vec<Range<usize>> = Vec::new();
    for slot in &known.slots {
        let phrase = phrase_start(&known.tokens, slot)..slot.range.end;
        match carried.last_mut() {
            Some(last) if phrase.start <= last.end => last.end = last.end.max(phrase.end),
            _ => carried.push(phrase),
        }
    }
    let carried: Vec<String> = carried.into_iter().map(|range| known.text[range].to_owned()).collect();
    let open = asked[start..].trim_end_matches(['?', '!', '.', ' ']);
    Some(Completion {
        asked: asked.to_owned(),
        question: format!("{} {}?", capitalised(open), carried.join(" ")),
        lean: Lean::Filters,
        carried,
        replaced: Vec::new(),
    })
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// What a follow-up says of its own.
struct Fragment<'a> {
    text: &'a str,
    words: &'a [Token],
    values: &'a [Slot],
    plain: &'a [usize],
}

impl Fragment<'_> {
    /// Puts the fragment where its counterpart stands, or at the end.
    fn join(&self, before: &Before, asked: &str) -> Option<Completion> {
        let taken_out = self.words.first().is_some_and(|word| is_in(WITHOUT, &word.folded));
        if taken_out {
            return Some(self.added(before.last()?, asked, self.text));
        }
        if self.plain.iter().all(|at| self.beside_value(*at)) && !self.values.is_empty() {
            return self.swap_values(before, asked);
        }
        self.swap_noun(before, asked).or_else(|| Some(self.added(before.last()?, asked, self.text)))
    }

    /// Whether a plain word only introduces a value: `a região Norte`, `compras de 80 mil`.
    fn beside_value(&self, at: usize) -> bool {
        self.values.iter().any(|slot| slot.tokens.start > at && slot.tokens.start - at <= 2)
    }

    /// Every value takes the place of its counterpart; what has none is added as a phrase.
    fn swap_values(&self, before: &Before, asked: &str) -> Option<Completion> {
        let fits = |known: &Known| {
            self.values.iter().filter(|slot| known.slots.iter().any(|other| other.fits(slot))).count()
        };
        let most = before.parts.iter().map(fits).max().unwrap_or(0);
        let known = before.parts.iter().find(|known| fits(known) == most)?;
        let mut used: Vec<Range<usize>> = Vec::new();
        let (mut changes, mut added) = (Vec::new(), Vec::new());
        for slot in self.outermost() {
            let free =
                |other: &&Slot| used.iter().all(|u| u.end <= other.range.start || other.range.end <= u.start);
            let candidates: Vec<&Slot> =
                known.slots.iter().filter(|other| other.fits(slot)).filter(free).collect();
            let Some(other) = self.counterpart(slot, known, &candidates) else {
                let start = phrase_start(self.words, slot);
                added.push(self.text[start..slot.range.end].to_owned());
                continue;
            };
            used.push(other.range.clone());
            changes.push(self.change(slot, known, other));
        }
        changes.sort_by_key(|(range, _)| range.start);
        let mut question = known.open().to_owned();
        let mut replaced = Vec::new();
        for (range, now) in changes.into_iter().rev() {
            replaced.insert(0, [known.text[range.clone()].to_owned(), now.clone()]);
            question.replace_range(range, &now);
        }
        for phrase in &added {
            question = format!("{question} {phrase}");
        }
        let carried = remains(known, &replaced);
        Some(Completion {
            asked: asked.to_owned(),
            question: format!("{question}?"),
            lean: Lean::Ellipsis,
            carried,
            replaced,
        })
    }

    /// The values that no other one contains.
    fn outermost(&self) -> impl Iterator<Item = &Slot> {
        self.values.iter().filter(|slot| {
            !self.values.iter().any(|other| {
                other != *slot && other.range.start <= slot.range.start && slot.range.end <= other.range.end
            })
        })
    }

    /// The value that a new one takes the place of: beside the same noun (`Sistema` Atlas), else
    /// under the same preposition, else the last of its kind.
    fn counterpart<'a>(&self, slot: &Slot, known: &Known, candidates: &[&'a Slot]) -> Option<&'a Slot> {
        let head = |words: &[Token], slot: &Slot| words[slot.tokens.start].folded.clone();
        let lead = |words: &[Token], slot: &Slot| {
            let before = slot.tokens.start.checked_sub(1).map(|at| words[at].folded.clone());
            before.and_then(|word| preposition_of(&word))
        };
        let same_head =
            |other: &&&Slot| slot.tokens.len() > 1 && head(self.words, slot) == head(&known.tokens, other);
        let same_lead = |other: &&&Slot| {
            lead(self.words, slot).is_some_and(|own| Some(own) == lead(&known.tokens, other))
        };
        candidates
            .iter()
            .find(same_head)
            .or_else(|| candidates.iter().rev().find(same_lead))
            .or(candidates.last())
            .copied()
    }

    /// What is written where; a comparison of the fragment takes that of the question with it.
    fn change(&self, slot: &Slot, known: &Known, other: &Slot) -> (Range<usize>, String) {
        let compared = |words: &[Token], slot: &Slot| {
            let mut start = slot.tokens.start;
            while start > 0
                && (is_in(COMPARATORS, &words[start - 1].folded)
                    || start < slot.tokens.start && is_in(&["a", "de", "of"], &words[start - 1].folded)
                    || is_in(&["de", "a"], &words[start - 1].folded)
                        && start > 1
                        && is_in(COMPARATORS, &words[start - 2].folded))
            {
                start -= 1;
            }
            start
        };
        let counted = matches!(slot.kind, Kind::Number | Kind::Percent);
        let (own, theirs) = (compared(self.words, slot), compared(&known.tokens, other));
        if counted && own < slot.tokens.start {
            let start = if theirs < other.tokens.start {
                known.tokens[theirs].range.start
            } else {
                other.range.start
            };
            return (
                start..other.range.end,
                self.text[self.words[own].range.start..slot.range.end].to_owned(),
            );
        }
        (other.range.clone(), self.text[slot.range.clone()].to_owned())
    }

    /// `And a service?`: a noun with its article takes the place of the first one like it that is
    /// no value.
    fn swap_noun(&self, before: &Before, asked: &str) -> Option<Completion> {
        let known = before.last()?;
        let article = self.words.first()?;
        // `a` is English for one thing, Portuguese for the one.
        let definite = match article.folded.as_str() {
            "a" => !english(self.words, known),
            word => is_in(DEFINITE, word),
        };
        if !definite && !is_in(INDEFINITE, &article.folded) {
            return None;
        }
        let list = if definite { DEFINITE } else { INDEFINITE };
        let tokens = &known.tokens;
        let value = |at: usize| known.slots.iter().any(|slot| slot.tokens.contains(&at));
        let (start, end) = (0..tokens.len()).find_map(|at| {
            let matches = is_in(list, &tokens[at].folded) && !(definite && at == 0);
            let run = (at + 1..tokens.len())
                .take_while(|word| is_content(&tokens[*word]) && !value(*word))
                .last()?;
            matches.then_some((at, run))
        })?;
        let range = tokens[start].range.start..tokens[end].range.end;
        let replaced = vec![[known.text[range.clone()].to_owned(), self.text.to_owned()]];
        let mut question = known.open().to_owned();
        question.replace_range(range, self.text);
        let carried = remains(known, &replaced);
        let question = format!("{question}?");
        Some(Completion { asked: asked.to_owned(), question, lean: Lean::Ellipsis, carried, replaced })
    }

    fn added(&self, known: &Known, asked: &str, addition: &str) -> Completion {
        Completion {
            asked: asked.to_owned(),
            question: known.with(addition),
            lean: Lean::Ellipsis,
            carried: vec![known.open().to_owned()],
            replaced: Vec::new(),
        }
    }
}

/// What of a question stays when parts of it are replaced, by its values; all of it without any.
fn remains(known: &Known, replaced: &[[String; 2]]) -> Vec<String> {
    let kept: Vec<String> = known
        .slots
        .iter()
        .map(|slot| known.text[slot.range.clone()].to_owned())
        .filter(|value| !replaced.iter().any(|[before, _]| before.contains(value.as_str())))
        .collect();
    if kept.is_empty() { vec![known.open().to_owned()] } else { kept }
}

/// English `a`, or the Portuguese article: told by the other words.
fn english(words: &[Token], known: &Known) -> bool {
    let marks = ["the", "of", "for", "is", "what", "how", "an", "in", "does", "which", "price"];
    let said = |list: &[Token]| list.iter().any(|token| is_in(&marks, &token.folded));
    said(words) || said(&known.tokens)
}

/// The preposition in a word: `do`, `da`, `dos` are `de`; `no`, `na` are `em`.
fn preposition_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "de" | "do" | "da" | "dos" | "das" | "of" | "del" => "de",
        "em" | "no" | "na" | "nos" | "nas" | "in" | "en" | "at" => "em",
        "para" | "ao" | "aos" | "to" | "al" => "para",
        "por" | "pelo" | "pela" | "by" => "por",
        "for" => "for",
        "from" | "desde" | "since" => "desde",
        _ => return None,
    })
}

impl Before {
    /// The last value that fits, in the last part that has one.
    pub(super) fn find(&self, fits: impl Fn(&Slot) -> bool) -> Option<(&Known, &Slot)> {
        self.parts
            .iter()
            .find_map(|known| known.slots.iter().rev().find(|slot| fits(slot)).map(|slot| (known, slot)))
    }
}
