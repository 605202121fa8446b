//! Extraction without a model: names, codes and quantities, related by the words between them.
//!
//! What it loses against a model: relations whose object is not a name, code or quantity,
//! pronouns (a sentence without a name of its own is taken to speak of its heading), and
//! relations that span sentences.

use super::super::text::fold;
use super::{Triple, TripleLimits, is_article, keep_supported, normalise_entity};

/// Most words of text between two mentions that still make a relation.
const RELATION_WORDS: usize = 8;

/// A stretch of a sentence that names something.
#[derive(Debug, Clone, PartialEq)]
struct Mention {
    start: usize,
    end: usize,
}

/// Extracts triples from `text` under its `headings` (outermost first) by patterns alone.
///
/// Within a sentence, neighbouring mentions are related by the words between them; in a list
/// ("A depends on B, C and D") the later ones share the first one's subject and relation. The
/// innermost heading is related to the first mention of every sentence.
pub fn extract_deterministic(text: &str, headings: &[&str], limits: &TripleLimits) -> Vec<Triple> {
    let heading = headings.iter().rev().map(|heading| heading.trim()).find(|heading| !heading.is_empty());
    let known = names_inside_sentences(text);
    let mut triples = Vec::new();
    for sentence in sentences(text) {
        let mentions = mentions(sentence, &known);
        if let (Some(heading), Some(first)) = (heading, mentions.first()) {
            triples.extend(heading_triple(heading, sentence, first));
        }
        relate(sentence, &mentions, &mut triples);
    }
    let support = headings.iter().fold(text.to_owned(), |all, heading| all + "\n" + heading);
    keep_supported(triples, &support, limits).triples
}

/// Relates the heading to a sentence's first mention by the words before it.
fn heading_triple(heading: &str, sentence: &str, first: &Mention) -> Option<Triple> {
    let name = &sentence[first.start..first.end];
    let (inside, outside) = (normalise_entity(name), normalise_entity(heading));
    if format!(" {outside} ").contains(&format!(" {inside} ")) {
        return None;
    }
    let before = sentence[..first.start].trim();
    let relation = relation_words(before).unwrap_or_else(|| "—".to_owned());
    let relation = if relation.chars().any(char::is_alphanumeric) { relation } else { "mentions".to_owned() };
    Some(Triple::new(heading, &relation, name))
}

fn relate(sentence: &str, mentions: &[Mention], triples: &mut Vec<Triple>) {
    let name = |mention: &Mention| &sentence[mention.start..mention.end];
    let mut list: Option<(usize, String)> = None;
    for next in 1..mentions.len() {
        let between = &sentence[mentions[next - 1].end..mentions[next].start];
        if is_list_gap(between) {
            if let Some((subject, relation)) = &list {
                triples.push(Triple::new(name(&mentions[*subject]), relation, name(&mentions[next])));
            }
            continue;
        }
        let Some(relation) = relation_words(between) else {
            list = None;
            continue;
        };
        triples.push(Triple::new(name(&mentions[next - 1]), &relation, name(&mentions[next])));
        // A second relation in one sentence usually still speaks of its subject.
        if next >= 2 {
            triples.push(Triple::new(name(&mentions[0]), &relation, name(&mentions[next])));
        }
        list = Some((next - 1, relation));
    }
}

/// Says whether only commas and conjunctions stand between two mentions.
fn is_list_gap(between: &str) -> bool {
    between.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).all(|word| {
        let word = fold(word);
        is_article(&word)
            || matches!(
                word.as_str(),
                "e" | "ou"
                    | "and"
                    | "or"
                    | "de"
                    | "do"
                    | "da"
                    | "dos"
                    | "das"
                    | "em"
                    | "no"
                    | "na"
                    | "of"
                    | "in"
            )
    }) && between.contains(|c: char| c == ',' || c == ';' || c.is_alphabetic())
        && between.split_whitespace().any(|word| {
            matches!(fold(word).as_str(), "e" | "ou" | "and" | "or")
                || word.starts_with(',')
                || word.starts_with(';')
        })
        || between.trim() == ","
}

/// Returns the words that make a relation, or none when there are none or too many.
fn relation_words(between: &str) -> Option<String> {
    let words: Vec<&str> = between
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let words = match words[..] {
        [first, ref rest @ ..] if is_article(&fold(first)) && !rest.is_empty() => rest.to_vec(),
        _ => words,
    };
    match words.len() {
        0 => None,
        count if count <= RELATION_WORDS => Some(words.join(" ")),
        count => Some(words[count - RELATION_WORDS..].join(" ")),
    }
}

/// Splits at line ends and at `.`, `!`, `?`, `;` before white space and a capital or a digit.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        let ends: Vec<usize> = line.match_indices(['.', '!', '?', ';']).map(|(place, _)| place).collect();
        for end in ends {
            let before = line[start..end].rsplit(char::is_whitespace).next().unwrap_or("");
            let after = &line[end + 1..];
            let opens = after.starts_with(char::is_whitespace)
                && after.trim_start().starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
            // `Dr. Silva` and `J. Smith` are no sentence ends.
            let abbreviated = line.as_bytes()[end] == b'.'
                && before.chars().next().is_some_and(char::is_uppercase)
                && before.chars().count() <= 3;
            if opens && !abbreviated {
                found.push(line[start..=end].trim());
                start = end + 1;
            }
        }
        found.push(line[start..].trim());
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// One word of a sentence with its place.
#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    /// Whether punctuation that separates phrases follows.
    closes: bool,
}

fn split_words(sentence: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut offset = 0;
    for piece in sentence.split(|c: char| {
        c.is_whitespace()
            || matches!(c, '(' | ')' | '[' | ']' | '/' | '"' | '“' | '”' | '«' | '»' | '*' | '|')
    }) {
        let separator = sentence[offset + piece.len()..].chars().next();
        let trimmed_start =
            piece.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '$' | '€' | '£'));
        let text = trimmed_start
            .trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '%' | '+' | '#' | '$'));
        let start = offset + piece.len() - trimmed_start.len();
        let tail = &trimmed_start[text.len()..];
        if !text.is_empty() {
            let closes = tail.contains([',', ';', ':', '—', '!', '?'])
                || separator.is_some_and(|c| !c.is_whitespace());
            words.push(Word { text, start, end: start + text.len(), closes });
        }
        offset += piece.len() + separator.map_or(0, char::len_utf8);
    }
    words
}

fn is_capitalised(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

/// A word with a capital and a digit, such as `PC-04` or `A320`.
fn is_code(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) && word.contains(char::is_uppercase)
}

fn is_number(word: &str) -> bool {
    let bare =
        word.trim_start_matches("R$").trim_start_matches(['$', '€', '£', 'U', 'S']).trim_end_matches('%');
    bare.starts_with(|c: char| c.is_ascii_digit())
        && bare.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '/' | ':' | '-' | '%'))
}

/// Words that join the parts of a name.
fn is_connective(word: &str) -> bool {
    matches!(
        word,
        "de" | "da"
            | "do"
            | "das"
            | "dos"
            | "del"
            | "di"
            | "du"
            | "la"
            | "le"
            | "of"
            | "the"
            | "von"
            | "van"
            | "der"
            | "den"
            | "al"
            | "bin"
            | "for"
            | "à"
            | "ao"
    )
}

/// Capitalised words that start sentences without naming anything.
fn is_opener(word: &str) -> bool {
    let word = fold(word);
    is_article(&word)
        || word.chars().count() == 1
            && word.chars().all(char::is_alphabetic)
            && matches!(word.as_str(), "e" | "i")
        || matches!(
            word.as_str(),
            "em" | "no"
                | "na"
                | "nos"
                | "nas"
                | "de"
                | "do"
                | "da"
                | "dos"
                | "das"
                | "por"
                | "para"
                | "com"
                | "sem"
                | "se"
                | "que"
                | "quem"
                | "qual"
                | "quais"
                | "quando"
                | "onde"
                | "como"
                | "quanto"
                | "ele"
                | "ela"
                | "eles"
                | "elas"
                | "este"
                | "esta"
                | "esse"
                | "essa"
                | "isto"
                | "isso"
                | "aquele"
                | "aquela"
                | "seu"
                | "sua"
                | "seus"
                | "suas"
                | "mas"
                | "ou"
                | "nao"
                | "cada"
                | "todo"
                | "toda"
                | "todos"
                | "todas"
                | "ao"
                | "aos"
                | "apos"
                | "antes"
                | "desde"
                | "ate"
                | "entre"
                | "sobre"
                | "in"
                | "on"
                | "at"
                | "by"
                | "for"
                | "with"
                | "from"
                | "to"
                | "of"
                | "it"
                | "its"
                | "he"
                | "she"
                | "they"
                | "his"
                | "her"
                | "their"
                | "this"
                | "that"
                | "these"
                | "those"
                | "there"
                | "here"
                | "when"
                | "where"
                | "who"
                | "what"
                | "which"
                | "how"
                | "if"
                | "but"
                | "and"
                | "or"
                | "not"
                | "no one"
                | "each"
                | "every"
                | "all"
                | "some"
                | "any"
                | "after"
                | "before"
                | "since"
                | "during"
                | "while"
                | "as"
                | "is"
                | "was"
                | "are"
                | "we"
                | "you"
                | "our"
                | "your"
                | "also"
                | "however"
                | "although"
                | "because"
                | "then"
                | "so"
                | "such"
        )
}

/// Folded capitalised words that occur inside sentences, hence are names at the start of one too.
fn names_inside_sentences(text: &str) -> std::collections::BTreeSet<String> {
    sentences(text)
        .into_iter()
        .flat_map(|sentence| split_words(sentence).into_iter().skip(1))
        .filter(|word| is_capitalised(word.text))
        .map(|word| fold(word.text))
        .collect()
}

fn mentions(sentence: &str, known: &std::collections::BTreeSet<String>) -> Vec<Mention> {
    let words = split_words(sentence);
    let mut found = Vec::new();
    let mut place = 0;
    while place < words.len() {
        let length = quantity_length(&words[place..]).max(name_length(&words, place, known));
        if length == 0 {
            place += 1;
            continue;
        }
        found.push(Mention { start: words[place].start, end: words[place + length - 1].end });
        place += length;
    }
    found
}

/// Number of words of a quantity or date at the start of `words`: `R$ 1.200,00`, `30 dias`,
/// `12 de março de 2024`.
fn quantity_length(words: &[Word<'_>]) -> usize {
    let number_at = |index: usize| words.get(index).is_some_and(|word| is_number(word.text));
    let currency = words.first().is_some_and(|word| matches!(word.text, "R$" | "US$" | "$" | "€" | "£"));
    let mut length = match (currency, number_at(0)) {
        (true, _) if number_at(1) => 2,
        (false, true) => 1,
        _ => return 0,
    };
    let open = |length: usize| !words[length - 1].closes;
    if let (true, Some(unit)) = (open(length), words.get(length))
        && unit.text.chars().all(char::is_alphabetic)
        && (!currency || is_magnitude(unit.text))
        && !is_opener(unit.text)
        && !is_connective(unit.text)
    {
        length += 1;
    } else {
        // Portuguese dates.
        while length < 5
            && open(length)
            && words.get(length).is_some_and(|word| word.text == "de")
            && words.get(length + 1).is_some()
        {
            length += 2;
        }
    }
    length
}

/// Words that belong to an amount of money.
fn is_magnitude(word: &str) -> bool {
    matches!(
        fold(word).as_str(),
        "mil" | "milhao" | "milhoes" | "bilhao" | "bilhoes" | "thousand" | "million" | "billion" | "reais"
    )
}

/// Number of words of the name that starts at `place`, 0 when none does.
fn name_length(words: &[Word<'_>], place: usize, known: &std::collections::BTreeSet<String>) -> usize {
    let first = words[place];
    if is_code(first.text) {
        return 1;
    }
    if !is_capitalised(first.text) || is_opener(first.text) {
        return 0;
    }
    let mut length = 1;
    while let Some(next) = words.get(place + length) {
        if words[place + length - 1].closes {
            break;
        }
        let capital = |word: &Word<'_>| is_capitalised(word.text) || is_code(word.text);
        if capital(next) || (next.text.len() <= 4 && next.text.chars().all(|c| c.is_ascii_digit())) {
            length += 1;
            continue;
        }
        // One or two connectives, then a capital: `Banco de Dados`, `University of the Arts`.
        let joined = (1..=2).find(|&joins| {
            (0..joins).all(|join| {
                words.get(place + length + join).is_some_and(|word| is_connective(word.text) && !word.closes)
            }) && words
                .get(place + length + joins)
                .is_some_and(|word| is_capitalised(word.text) && !is_opener(word.text))
        });
        match joined {
            Some(joins) => length += joins + 1,
            None => break,
        }
    }
    // A lone capitalised word at the start of a sentence may be any word.
    let ordinary = place == 0
        && length == 1
        && !known.contains(&fold(first.text))
        && !first.text.chars().all(char::is_uppercase);
    if ordinary { 0 } else { length }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(text: &str, headings: &[&str]) -> Vec<(String, String, String)> {
        extract_deterministic(text, headings, &TripleLimits::default())
            .into_iter()
            .map(|triple| (triple.subject, triple.relation, triple.object))
            .collect()
    }

    fn has(found: &[(String, String, String)], subject: &str, relation: &str, object: &str) -> bool {
        found.iter().any(|(s, r, o)| s == subject && r.contains(relation) && o == object)
    }

    #[test]
    fn names_with_portuguese_connectives_are_one_mention() {
        let found = extract("O Sistema Atlas depende do Banco de Dados Órion.", &[]);
        assert_eq!(found, [("Sistema Atlas".into(), "depende do".into(), "Banco de Dados Órion".into())]);
    }

    #[test]
    fn lists_share_subject_and_relation() {
        let found = extract("A plataforma Vega usa o serviço Lira, o Nimbus e o Cirrus.", &[]);
        for object in ["Nimbus", "Cirrus"] {
            assert!(has(&found, "Vega", "usa", object), "{found:?}");
        }
    }

    #[test]
    fn codes_and_quantities_are_mentions() {
        let found = extract("A norma NC-11 exige guarda por 5 anos.", &["Normas"]);
        assert!(has(&found, "NC-11", "exige guarda por", "5 anos"), "{found:?}");
        let found = extract("Compras acima de R$ 10.000,00 exigem três cotações.", &["PC-04 Compras"]);
        assert!(has(&found, "PC-04 Compras", "Compras acima de", "R$ 10.000,00"), "{found:?}");
    }

    #[test]
    fn english_sentences_work_too() {
        let text = "The Journal of Physics is published by Aurora Press. It was founded in 1960.";
        let found = extract(text, &["Journal of Physics"]);
        assert!(has(&found, "Journal of Physics", "is published by", "Aurora Press"), "{found:?}");
        assert!(has(&found, "Journal of Physics", "founded in", "1960"), "{found:?}");
    }

    /// Case G03.
    #[test]
    fn text_without_entities_gives_nothing() {
        for text in ["OK.", "", "...", "sim, tudo certo", "Tudo certo."] {
            assert!(extract(text, &[]).is_empty(), "{text}: {:?}", extract(text, &[]));
        }
    }

    #[test]
    fn any_text_is_survived() {
        for text in
            ["É", "(((", "R$", "1 de", "12 de", "A/B/C", "Ünïcödé—Ça, 漢字 カナ", "“A” “B”", "de de de De"]
        {
            extract(text, &["", "É"]);
        }
    }
}
