//! Ties words of a question to stored values: folded, inflected, misspelt, abbreviated.

mod months;

use std::collections::HashSet;

use super::card::SchemaCard;
use super::words::{identifier, literal};
use crate::decide::text::{fold, words};

/// Longest phrase, in words, that is looked up as a value.
const MOST_WORDS: usize = 6;

/// A stored text value of some column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredValue {
    /// Table.
    pub table_id: i64,
    /// Position of the column in its table.
    pub column_index: usize,
    /// The value, normalised.
    pub folded: String,
    /// The value as stored.
    pub value: String,
}

/// How a phrase was tied to a value, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// Same words, accents and case aside.
    Same,
    /// Singular for plural or the other way round.
    Inflected,
    /// All words of the value but articles and prepositions, in order.
    Words,
    /// A month, by name, abbreviation or number.
    Month,
    /// One or two letters off.
    Misspelt,
}

/// A phrase of the question and the stored value it means.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Link {
    /// Words of the question, as written.
    pub phrase: String,
    /// Table.
    pub table: String,
    /// Column.
    pub column: String,
    /// What to compare the column with: the stored text, or a whole condition for months of dates.
    pub value: String,
    /// How they were tied.
    pub by: Match,
    /// A ready condition, where equality with `value` would not do.
    pub condition: Option<String>,
}

impl Link {
    /// The line of the prompt.
    pub fn words(&self) -> String {
        let condition = self.condition.clone().unwrap_or_else(|| {
            format!("{}.{} = {}", identifier(&self.table), identifier(&self.column), literal(&self.value))
        });
        format!("\"{}\": {condition}", self.phrase)
    }
}

/// Folds a text and turns everything but letters and digits into single spaces.
pub fn normalise(text: &str) -> String {
    let folded = fold(text);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Phrases of a question to look up, normalised, longest first: every run of words that are not
/// all stop words, with singular and plural variants of single words.
pub fn phrases(question: &str) -> Vec<String> {
    let mut found = Vec::new();
    for span in spans(question) {
        let folded = normalise(&span.phrase);
        if !folded.contains(' ') {
            found.extend(variants(&folded));
        }
        found.push(folded);
    }
    let mut seen = HashSet::new();
    found.retain(|phrase| phrase.chars().count() > 1 && seen.insert(phrase.clone()));
    found
}

/// Ties phrases to values, keeping the best tie of each phrase, longer phrases first.
///
/// `values` is what the store found for [`phrases`]; wrong candidates among them are dropped here.
pub fn link(question: &str, card: &SchemaCard, values: &[StoredValue], most: usize) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut taken = vec![false; words(question).len()];
    for Span { words: span, phrase, loose } in spans(question) {
        if span.clone().any(|index| taken[index]) {
            continue;
        }
        let mut found = ties(&phrase, card, values);
        if loose {
            found.retain(|link| link.by == Match::Same);
        }
        found.extend(months::ties(&phrase, card));
        let Some(best) = found.iter().map(|link| link.by).min() else { continue };
        found.retain(|link| link.by == best);
        if names_schema(&phrase, card) && best > Match::Same {
            continue;
        }
        for index in span {
            taken[index] = true;
        }
        found.sort_by_key(|link| !question.contains(&link.value));
        found.truncate(3);
        links.extend(found);
    }
    links.truncate(most);
    links
}

fn ties(phrase: &str, card: &SchemaCard, values: &[StoredValue]) -> Vec<Link> {
    let folded = normalise(phrase);
    let forms = if folded.contains(' ') || has_digit(&folded) { Vec::new() } else { variants(&folded) };
    let first = folded.chars().next();
    let mut found: Vec<Link> = Vec::new();
    // The lookup finds values by their first letters, so others cannot match.
    for value in values.iter().filter(|value| value.folded.chars().next() == first) {
        let Some(by) = compare(&folded, &forms, &value.folded) else { continue };
        let Some(table) = card.tables.iter().find(|table| table.id == value.table_id) else { continue };
        let Some(column) = table.columns.get(value.column_index) else { continue };
        let link = Link {
            phrase: phrase.to_owned(),
            table: table.name.clone(),
            column: column.name.clone(),
            value: value.value.clone(),
            by,
            condition: None,
        };
        if !found.contains(&link) {
            found.push(link);
        }
    }
    found
}

/// How a normalised phrase matches a normalised value, if it does; `forms` are its inflections.
fn compare(phrase: &str, forms: &[String], value: &str) -> Option<Match> {
    if phrase == value {
        return Some(Match::Same);
    }
    if forms.iter().any(|form| form == value) {
        return Some(Match::Inflected);
    }
    if value.contains(' ') {
        fn content(text: &str) -> impl Iterator<Item = &str> {
            text.split(' ').filter(|word| !is_stop_word(word))
        }
        if content(value).count() > 1 && content(phrase).eq(content(value)) {
            return Some(Match::Words);
        }
    }
    let letters = phrase.chars().count().min(value.chars().count());
    let allowed = match letters {
        0..=4 => return None,
        5..=8 => 1,
        _ => 2,
    };
    let near = !has_digit(phrase) && !has_digit(value) && distance(phrase, value, allowed) <= allowed;
    near.then_some(Match::Misspelt)
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether the phrase is the name of a table or column, so that a loose tie to a value is noise.
fn names_schema(phrase: &str, card: &SchemaCard) -> bool {
    let folded = normalise(phrase);
    let mut names = vec![folded.clone()];
    names.extend(variants(&folded));
    let is_name = |name: &str| names.contains(&normalise(name));
    card.tables
        .iter()
        .any(|table| is_name(&table.name) || table.columns.iter().any(|column| is_name(&column.name)))
}

/// Singular and plural forms of a folded word, Portuguese and English.
pub fn variants(word: &str) -> Vec<String> {
    let mut forms = Vec::new();
    let letters = word.chars().count();
    if letters < 4 {
        return forms;
    }
    let swaps: &[(&str, &str)] = &[
        ("oes", "ao"),
        ("aes", "ao"),
        ("ais", "al"),
        ("eis", "el"),
        ("ois", "ol"),
        ("ns", "m"),
        ("ies", "y"),
        ("res", "r"),
        ("zes", "z"),
        ("es", "e"),
        ("es", ""),
        ("s", ""),
    ];
    for (plural, singular) in swaps {
        if let Some(stem) = word.strip_suffix(plural) {
            forms.push(format!("{stem}{singular}"));
        }
    }
    if !word.ends_with('s') {
        for (plural, singular) in swaps {
            if !singular.is_empty()
                && let Some(stem) = word.strip_suffix(singular)
            {
                forms.push(format!("{stem}{plural}"));
            }
        }
        forms.push(format!("{word}s"));
        forms.push(format!("{word}es"));
    }
    forms.retain(|form| form.chars().count() >= 3);
    forms
}

/// Optimal string alignment distance (Levenshtein with swaps of neighbours), stopped over `most`.
pub fn distance(left: &str, right: &str, most: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return most + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// A run of words of a question.
struct Span {
    /// Positions of its words.
    words: std::ops::Range<usize>,
    /// The text from its first word to its last.
    phrase: String,
    /// Begins or ends with a stop word, so that only the very same value counts (`são josé`).
    loose: bool,
}

/// Runs of words, longest first, then left to right; runs of stop words alone are left out.
fn spans(question: &str) -> Vec<Span> {
    let words = words(question);
    let stop: Vec<bool> = words.iter().map(|word| is_stop_word(&fold(word))).collect();
    let offset = |word: &str| word.as_ptr() as usize - question.as_ptr() as usize;
    let mut spans = Vec::new();
    for length in (1..=MOST_WORDS.min(words.len())).rev() {
        for start in 0..=words.len() - length {
            let end = start + length;
            if stop[start..end].iter().all(|stop| *stop) {
                continue;
            }
            let last = words[end - 1];
            spans.push(Span {
                words: start..end,
                phrase: question[offset(words[start])..offset(last) + last.len()].to_owned(),
                loose: stop[start] || stop[end - 1],
            });
        }
    }
    spans
}

/// Words that ask or connect, and so name no value on their own.
pub fn is_stop_word(folded: &str) -> bool {
    const STOP: &[&str] = &[
        "a", "as", "o", "os", "ao", "aos", "um", "uma", "uns", "umas", "de", "do", "da", "dos", "das", "em",
        "no", "na", "nos", "nas", "num", "numa", "por", "pelo", "pela", "pelos", "pelas", "para", "com",
        "sem", "e", "ou", "que", "qual", "quais", "quem", "quanto", "quanta", "quantos", "quantas", "onde",
        "quando", "como", "foi", "foram", "ser", "sao", "era", "eram", "esta", "estao", "tem", "teve", "ha",
        "houve", "se", "sua", "seu", "suas", "seus", "cada", "todos", "todas", "todo", "toda", "mais",
        "menos", "maior", "menor", "entre", "the", "an", "of", "in", "on", "at", "by", "for", "to", "from",
        "with", "without", "and", "or", "is", "are", "was", "were", "be", "been", "has", "have", "had", "do",
        "does", "did", "what", "which", "who", "whose", "whom", "where", "when", "how", "many", "much",
        "all", "each", "every", "any", "there", "that", "this", "these", "those", "their", "its", "his",
        "her", "not", "nao", "more", "less", "most", "least", "than", "per", "show", "list", "find", "give",
        "return", "mostre", "liste", "me", "name", "names", "nome", "nomes", "number", "numero", "total",
        "it", "we", "i", "us", "our", "as",
    ];
    STOP.contains(&folded)
}

#[cfg(test)]
mod tests;
