//! Triples (subject, relation, object): reading a model's output, normalising entity names, and
//! extracting without a model.

mod patterns;

use std::collections::BTreeSet;

use super::text::fold;
pub use patterns::extract_deterministic;

/// One statement found in a passage, as written there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Triple {
    /// Who or what the statement is about.
    pub subject: String,
    /// How subject and object relate.
    pub relation: String,
    /// The other end, or a value.
    pub object: String,
}

impl Triple {
    /// Builds a triple with runs of white space collapsed.
    pub fn new(subject: &str, relation: &str, object: &str) -> Self {
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { subject: squeeze(subject), relation: squeeze(relation), object: squeeze(object) }
    }

    /// Returns the statement as one line of text: what is embedded for linking questions.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.subject, self.relation, self.object)
    }
}

/// Bounds on what counts as a triple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TripleLimits {
    /// Most characters in a subject or object.
    pub entity_characters: usize,
    /// Most characters in a relation.
    pub relation_characters: usize,
    /// Most triples kept per passage.
    pub per_passage: usize,
}

impl Default for TripleLimits {
    fn default() -> Self {
        Self { entity_characters: 120, relation_characters: 80, per_passage: 64 }
    }
}

/// How many candidate triples were dropped, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Dropped {
    /// Not three non-empty strings.
    pub malformed: usize,
    /// Subject or object does not occur in the passage.
    pub phantom: usize,
    /// Subject and object are the same entity.
    pub self_relation: usize,
    /// Subject, relation or object over its length limit.
    pub too_long: usize,
    /// Said before in the same passage.
    pub duplicate: usize,
    /// Over the number of triples per passage.
    pub over_limit: usize,
}

impl Dropped {
    /// Returns the number of candidates dropped for any reason.
    pub fn total(&self) -> usize {
        self.malformed + self.phantom + self.self_relation + self.too_long + self.duplicate + self.over_limit
    }

    /// Adds another count to this one.
    pub fn add(&mut self, other: &Self) {
        self.malformed += other.malformed;
        self.phantom += other.phantom;
        self.self_relation += other.self_relation;
        self.too_long += other.too_long;
        self.duplicate += other.duplicate;
        self.over_limit += other.over_limit;
    }
}

/// What one model output held.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Extraction {
    /// The triples kept, in the order of the output.
    pub triples: Vec<Triple>,
    /// What was dropped.
    pub dropped: Dropped,
    /// Whether the output ended inside its JSON; the complete triples before are kept.
    pub truncated: bool,
}

/// Reads triples out of a model's JSON and keeps those that the passage supports.
///
/// Any nesting is accepted in which triples are arrays of three strings, such as
/// `[["A","owns","B"]]` or `{"triples":[["A","owns","B"]]}`. A text that ends inside the JSON
/// gives its complete triples and sets [`Extraction::truncated`].
pub fn parse_extraction(json: &str, passage: &str, limits: &TripleLimits) -> Extraction {
    let (candidates, malformed, truncated) = scan_arrays(json);
    let mut extraction = keep_supported(candidates, passage, limits);
    extraction.dropped.malformed += malformed;
    extraction.truncated = truncated;
    extraction
}

/// Keeps the triples that are within the limits, not about themselves, new, and whose subject
/// and object occur in `passage` (compared as [`normalise_entity`] does).
pub fn keep_supported(candidates: Vec<Triple>, passage: &str, limits: &TripleLimits) -> Extraction {
    let haystack = format!(" {} ", normalise_words(passage));
    let occurs = |name: &str| haystack.contains(&format!(" {name} "));
    let mut extraction = Extraction::default();
    let mut seen = BTreeSet::new();
    for triple in candidates {
        let (subject, object) = (normalise_entity(&triple.subject), normalise_entity(&triple.object));
        let dropped = &mut extraction.dropped;
        let too_long = |text: &str, limit: usize| text.chars().count() > limit;
        if subject.is_empty() || object.is_empty() || !triple.relation.chars().any(char::is_alphanumeric) {
            dropped.malformed += 1;
        } else if too_long(&triple.subject, limits.entity_characters)
            || too_long(&triple.object, limits.entity_characters)
            || too_long(&triple.relation, limits.relation_characters)
        {
            dropped.too_long += 1;
        } else if subject == object {
            dropped.self_relation += 1;
        } else if !occurs(&subject) || !occurs(&object) {
            dropped.phantom += 1;
        } else if !seen.insert((subject, fold(&triple.relation), object)) {
            dropped.duplicate += 1;
        } else if extraction.triples.len() == limits.per_passage {
            dropped.over_limit += 1;
        } else {
            extraction.triples.push(triple);
        }
    }
    extraction
}

/// Finds the innermost arrays of `json`: `(triples, arrays that are none, ended inside)`.
fn scan_arrays(json: &str) -> (Vec<Triple>, usize, bool) {
    let bytes = json.as_bytes();
    let (mut triples, mut malformed, mut depth, mut place) = (Vec::new(), 0, 0usize, 0);
    while place < bytes.len() {
        match bytes[place] {
            b'[' if next_is_quote(bytes, place + 1) => {
                match read_value::<Vec<serde_json::Value>>(&json[place..]) {
                    Ok((values, length)) => {
                        let texts: Vec<&str> = values.iter().filter_map(serde_json::Value::as_str).collect();
                        match texts[..] {
                            [subject, relation, object] if values.len() == 3 => {
                                triples.push(Triple::new(subject, relation, object));
                            }
                            _ => malformed += 1,
                        }
                        place += length;
                        continue;
                    }
                    Err(true) => return (triples, malformed, true),
                    Err(false) => malformed += 1,
                }
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => match read_value::<String>(&json[place..]) {
                Ok((_, length)) => {
                    place += length;
                    continue;
                }
                Err(true) => return (triples, malformed, true),
                Err(false) => {}
            },
            _ => {}
        }
        place += 1;
    }
    (triples, malformed, depth > 0)
}

fn next_is_quote(bytes: &[u8], from: usize) -> bool {
    bytes[from..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'"')
}

/// Reads one JSON value at the start: `(value, bytes)`, or whether the text ended too early.
fn read_value<T: serde::de::DeserializeOwned>(json: &str) -> Result<(T, usize), bool> {
    let mut stream = serde_json::Deserializer::from_str(json).into_iter::<T>();
    match stream.next() {
        Some(Ok(value)) => Ok((value, stream.byte_offset())),
        Some(Err(error)) => Err(error.is_eof()),
        None => Err(true),
    }
}

/// Returns the form under which an entity is one node: folded, punctuation to spaces (kept
/// inside numbers, as in `1.234,50`, and after a name, as in `C++`), no leading article of
/// Portuguese or English. Empty when nothing with a letter or digit is left.
pub fn normalise_entity(name: &str) -> String {
    let words = normalise_words(name);
    let first = name.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or("");
    let acronym = first.chars().count() > 1 && first.chars().all(char::is_uppercase);
    match words.split_once(' ') {
        Some((article, rest)) if !acronym && is_article(article) => rest.to_owned(),
        _ => words,
    }
}

/// Returns the names in a heading or title: the whole, without what stands in parentheses, and
/// what stands before a colon or dash (`PC-04 — Compras` also names `PC-04`).
pub fn heading_names(heading: &str) -> Vec<String> {
    let mut names = vec![heading.trim().to_owned()];
    if let Some((before, rest)) = heading.split_once('(') {
        let after = rest.split_once(')').map_or("", |parts| parts.1);
        names.push(format!("{} {}", before.trim(), after.trim()).trim().to_owned());
    }
    if let Some((first, _)) = [": ", " — ", " – ", " - "].iter().find_map(|mark| heading.split_once(mark))
    {
        names.push(first.trim().to_owned());
    }
    names.retain(|name| !normalise_entity(name).is_empty());
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(normalise_entity(name)));
    names
}

/// Most words of a name that is looked for in passages and other names.
pub const MENTION_WORDS: usize = 6;

/// Says whether an entity's key is worth finding in passages and in other names: it has a letter,
/// at least three characters, at most [`MENTION_WORDS`] words, and is no function word.
pub fn is_mentionable(key: &str) -> bool {
    key.contains(char::is_alphabetic)
        && key.chars().nth(2).is_some()
        && key.split(' ').count() <= MENTION_WORDS
        && !super::graph_words::is_function_word(key)
}

/// Returns the distinct runs of one to [`MENTION_WORDS`] words of normalised words.
pub fn word_runs(words: &str) -> BTreeSet<String> {
    let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    let runs = (1..=MENTION_WORDS.min(words.len())).flat_map(|length| words.windows(length));
    runs.map(|run| run.join(" ")).collect()
}

/// Says whether a folded word is an article of Portuguese or English.
pub fn is_article(word: &str) -> bool {
    matches!(word, "o" | "a" | "os" | "as" | "um" | "uma" | "uns" | "umas" | "the" | "an")
}

/// Folds text to words separated by single spaces, by the rules of [`normalise_entity`].
pub fn normalise_words(text: &str) -> String {
    let folded: Vec<char> = fold(text).chars().collect();
    let at = |index: usize| folded.get(index).copied().unwrap_or(' ');
    let mut out = String::with_capacity(folded.len());
    for (index, &character) in folded.iter().enumerate() {
        let before = if index == 0 { ' ' } else { at(index - 1) };
        let kept = match character {
            c if c.is_alphanumeric() => true,
            '.' | ',' | '/' | ':' | '-' => before.is_ascii_digit() && at(index + 1).is_ascii_digit(),
            '%' => before.is_ascii_digit(),
            '+' | '#' => before.is_alphanumeric() || before == character,
            _ => false,
        };
        if kept {
            out.push(character);
        } else if !out.ends_with(' ') && !out.is_empty() {
            out.push(' ');
        }
    }
    // `Ana's` and `Ana` are one node.
    let out = out.trim_end();
    match out.strip_suffix(" s") {
        Some(owner) if text.trim_end().ends_with("'s") || text.trim_end().ends_with("’s") => {
            owner.to_owned()
        }
        _ => out.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGE: &str = "A owns B. B is located at C. São José fica em Portugal; a Ana's shop sells C++.";

    fn parse(json: &str) -> Extraction {
        parse_extraction(json, PASSAGE, &TripleLimits::default())
    }

    /// Case G02.
    #[test]
    fn cut_output_keeps_its_complete_triples() {
        for (cut, kept) in [
            (r#"{"triples":[["A","owns","B"],["B","loc"#, 1),
            (r#"{"triples":[["A","owns","B"],["B","located at","C""#, 1),
            (r#"[["A","owns","B"],["B","located at","C"],"#, 2),
            (r#"[["A","owns","B"]"#, 1),
            (r#"{"triples":[["A","owns","B\"#, 0),
            (r#"{"triples":[["A","ow\u00"#, 0),
            ("[", 0),
        ] {
            let found = parse(cut);
            assert!(found.truncated, "{cut}");
            assert_eq!(found.triples.len(), kept, "{cut}");
        }
        let whole = parse(r#"{"triples":[["A","owns","B"],["B","located at","C"]]}"#);
        assert!(!whole.truncated);
        assert_eq!(whole.triples[1], Triple::new("B", "located at", "C"));
    }

    #[test]
    fn unsupported_candidates_are_dropped_and_counted() {
        let json = r#"[["A","owns","Zeus"],["A","is","the A"],["A","owns"],["A",1,"B"],["","owns","B"],
            ["A","...","B"],["A","owns","B"],["a","OWNS","b"],["sao jose","fica em","PORTUGAL"],[]]"#;
        let found = parse(json);
        let dropped =
            Dropped { malformed: 4, phantom: 1, self_relation: 1, duplicate: 1, ..Dropped::default() };
        assert_eq!((found.dropped, found.triples.len()), (dropped, 2));
        assert_eq!(found.dropped.total(), 7);
        let long = format!(r#"[["A","owns","{}"]]"#, "B".repeat(121));
        assert_eq!(parse(&long).dropped.too_long, 1);
        let one = TripleLimits { per_passage: 1, ..TripleLimits::default() };
        let many = parse_extraction(r#"[["A","owns","B"],["B","at","C"]]"#, PASSAGE, &one);
        assert_eq!((many.triples.len(), many.dropped.over_limit), (1, 1));
    }

    #[test]
    fn text_that_is_no_json_gives_nothing_and_does_not_panic() {
        for text in ["", "I cannot do that.", "]]}}", "[\"a\",", "{\"x\":\"[\"}", "[[[[", "\u{e9}[\"é\"]"] {
            assert!(parse(text).triples.is_empty(), "{text}");
        }
    }

    #[test]
    fn headings_name_their_parts() {
        for (heading, expected) in [
            ("PC-04 — Compras", vec!["PC-04 — Compras", "PC-04"]),
            ("Lincoln (film)", vec!["Lincoln (film)", "Lincoln"]),
            ("Atlas", vec!["Atlas"]),
            ("Nota: prazo", vec!["Nota: prazo", "Nota"]),
            ("(sem título)", vec!["(sem título)"]),
            ("—", vec![]),
        ] {
            assert_eq!(heading_names(heading), expected, "{heading}");
        }
    }

    #[test]
    fn names_normalise_to_one_node() {
        for (name, expected) in [
            ("O Banco de Dados Órion", "banco de dados orion"),
            ("the Órion database", "orion database"),
            ("PC-04", "pc 04"),
            ("pc 04", "pc 04"),
            ("R$ 1.234,50", "r 1.234,50"),
            ("C++", "c++"),
            ("12,5%", "12,5%"),
            ("OS X", "os x"),
            ("AS Roma", "as roma"),
            ("A", "a"),
            ("Ana's", "ana"),
            ("«S. Paulo»", "s paulo"),
            ("...", ""),
        ] {
            assert_eq!(normalise_entity(name), expected, "{name}");
        }
    }
}
