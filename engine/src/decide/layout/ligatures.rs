//! Ligatures in a text layer: spelled out, and joined again where a space was put beside them.

/// English words that end in `ff`: after them a space is a space.
const ENDING_FF: &[&str] = &[
    "off",
    "staff",
    "stuff",
    "cliff",
    "sheriff",
    "tariff",
    "stiff",
    "sniff",
    "bluff",
    "buff",
    "cuff",
    "fluff",
    "gruff",
    "handcuff",
    "puff",
    "scoff",
    "scuff",
    "snuff",
    "whiff",
    "skiff",
    "plaintiff",
    "mastiff",
    "pontiff",
    "midriff",
    "handoff",
    "cutoff",
    "payoff",
    "takeoff",
    "layoff",
    "playoff",
    "dropoff",
    "signoff",
    "tradeoff",
    "kickoff",
    "standoff",
    "turnoff",
    "runoff",
    "foodstuff",
    "dandruff",
    "rebuff",
    "chaff",
    "gaff",
];

/// Spells out the Latin ligatures U+FB00 to U+FB04 and removes spaces that tore a word at one.
///
/// `veriﬁ cation`, `e ﬃ cient` and `Pﬁ zer` become `verification`, `efficient` and `Pfizer`;
/// `oﬀ the` and `wi-ﬁ network` keep their spaces.
pub fn repair_ligatures(text: &str) -> String {
    if !text.contains(is_ligature) {
        return text.to_owned();
    }
    let mut repaired = String::with_capacity(text.len() + 8);
    let mut join_next = false;
    for (index, piece) in text.split(' ').enumerate() {
        let lower = piece.chars().next().is_some_and(char::is_lowercase);
        if index > 0 && !(join_next && lower) && !belongs_to_previous(piece, &repaired) {
            repaired.push(' ');
        }
        join_next = is_torn(piece, &repaired);
        for character in piece.chars() {
            match spelled(character) {
                Some(letters) => repaired.push_str(letters),
                None => repaired.push(character),
            }
        }
    }
    repaired
}

fn is_ligature(character: char) -> bool {
    spelled(character).is_some()
}

fn spelled(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        _ => return None,
    })
}

/// Says whether a piece begins with something no word begins with, so that it goes on with the last.
fn belongs_to_previous(piece: &str, before: &str) -> bool {
    let mut characters = piece.chars();
    let Some(first) = characters.next() else { return false };
    let alone = characters.next().is_none() && is_ligature(first);
    let never_first = matches!(first, '\u{fb00}' | '\u{fb03}' | '\u{fb04}');
    (alone || never_first) && before.ends_with(char::is_alphabetic)
}

/// Says whether the word goes on after a piece that ends with a ligature.
fn is_torn(piece: &str, before: &str) -> bool {
    let Some(last) = piece.chars().next_back().filter(|last| is_ligature(*last)) else { return false };
    let stem = &piece[..piece.len() - last.len_utf8()];
    if stem.ends_with(['-', '\u{2011}', '\u{2010}']) {
        return false;
    }
    if last != '\u{fb00}' {
        return true;
    }
    let start = before.rsplit(' ').next().unwrap_or_default();
    let whole = if stem.is_empty() { format!("{start}ff") } else { format!("{stem}ff") };
    let core = whole.trim_start_matches(|character: char| !character.is_alphabetic()).to_lowercase();
    !ENDING_FF.contains(&core.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d01_words_torn_at_ligatures_are_whole() {
        for (torn, whole) in [
            ("veri\u{fb01}cation", "verification"),
            ("veri\u{fb01} cation", "verification"),
            ("e \u{fb03} cient", "efficient"),
            ("P\u{fb01} zer", "Pfizer"),
            ("a di\u{fb00} erent e\u{fb00} ect", "a different effect"),
            ("o \u{fb03}ce work\u{fb02} ow", "office workflow"),
            ("su \u{fb03} cient pro\u{fb01} t", "sufficient profit"),
            ("wa\u{fb04} es and re\u{fb02} exes", "waffles and reflexes"),
        ] {
            assert_eq!(repair_ligatures(torn), whole);
        }
    }

    #[test]
    fn d01_real_spaces_stay() {
        for (text, expected) in [
            ("turn it o\u{fb00} the wall", "turn it off the wall"),
            ("the sta\u{fb00} and", "the staff and"),
            ("wi-\u{fb01} network", "wi-fi network"),
            ("the \u{fb01}rst \u{fb02}oor", "the first floor"),
            ("sci-\u{fb01} and", "sci-fi and"),
            ("plain text", "plain text"),
        ] {
            assert_eq!(repair_ligatures(text), expected);
        }
    }
}
