//! Words by class: stems and synonyms.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::tables::SYNONYMS;

/// Head of its class of synonyms for every stem in [`SYNONYMS`].
static HEADS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut heads = HashMap::new();
    for group in SYNONYMS {
        for word in *group {
            heads.entry(stem(word)).or_insert(group[0]);
        }
    }
    heads
});

/// Returns the class of a word: the head of its synonyms, else its stem.
pub fn class(word: &str) -> String {
    let stemmed = stem(word);
    HEADS.get(&stemmed).map_or(stemmed, |head| (*head).to_owned())
}

/// Takes inflections off a folded word: plurals, `-ing`, `-ed`, a final `e`; Portuguese plurals and
/// the gender of participles. Light on purpose: it must not merge words that differ in meaning.
pub fn stem(word: &str) -> String {
    let length = word.chars().count();
    if length < 4 || !word.is_ascii() {
        return word.to_owned();
    }
    let singular = plural(word);
    let word = singular.as_str();
    for (ending, keep) in [("ando", "ar"), ("endo", "er"), ("indo", "ir")] {
        if let Some(base) = word.strip_suffix(ending).filter(|b| b.len() >= 4) {
            return format!("{base}{keep}");
        }
    }
    for ending in ["ada", "ida"] {
        if word.len() >= 6 && word.ends_with(ending) {
            return format!("{}o", &word[..word.len() - 1]);
        }
    }
    for ending in ["ing", "ed"] {
        if let Some(base) =
            word.strip_suffix(ending).filter(|b| b.len() >= 3 && b.contains(['a', 'e', 'i', 'o', 'u', 'y']))
        {
            return undouble(base).trim_end_matches('e').to_owned();
        }
    }
    if word.len() <= 4 {
        return word.to_owned();
    }
    // British and American spelling; `city`, `cities` and `movie`, `movies` meet in `-i`.
    let word = word.strip_suffix('e').unwrap_or(word).replace("our", "or").replace("isation", "ization");
    match (word.strip_suffix("is"), word.strip_suffix('y')) {
        (Some(base), _) => format!("{base}iz"),
        (_, Some(base)) => format!("{base}i"),
        _ => word,
    }
}

fn plural(word: &str) -> String {
    for (ending, keep) in [
        ("oes", "ao"),
        ("aes", "ao"),
        ("ais", "al"),
        ("eis", "el"),
        ("ies", "i"),
        ("sses", "ss"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("xes", "x"),
        ("ores", "or"),
        ("ns", "m"),
    ] {
        // `viagens`, `itens`, not `citizens`.
        let irregular = matches!(word, "homens" | "ordens" | "nuvens" | "jovens" | "itens" | "bens");
        let english = ending == "ns" && !irregular && !word.ends_with("gens");
        if let Some(base) = word.strip_suffix(ending).filter(|b| b.len() >= 2 && !english) {
            return format!("{base}{keep}");
        }
    }
    let stays = ["ss", "us", "is"].iter().any(|e| word.ends_with(e));
    word.strip_suffix('s').filter(|_| !stays).unwrap_or(word).to_owned()
}

fn undouble(base: &str) -> &str {
    let mut reversed = base.chars().rev();
    match (reversed.next(), reversed.next()) {
        (Some(x), Some(y)) if x == y && !matches!(x, 'l' | 's' | 'e') => &base[..base.len() - 1],
        _ => base,
    }
}
