//! Sentences of running text, in any script.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Abbreviations that a capital letter may follow without a new sentence (folded, without the
/// final dot): titles and references, Portuguese, English, German, Spanish.
const ABBREVIATIONS: &[&str] = &[
    "alm", "apto", "art", "arts", "av", "bzw", "ca", "cap", "cel", "cf", "col", "corp", "dir", "dr", "dra",
    "drs", "e.g", "eng", "exa", "exmo", "fig", "figs", "fl", "fls", "frau", "gen", "gov", "i.e", "ilmo",
    "inc", "jr", "ltd", "ltda", "mr", "mrs", "ms", "nr", "obs", "p.ex", "pag", "pags", "pe", "pg", "ph.d",
    "pp", "prof", "profa", "proc", "ref", "rep", "rev", "sgt", "sr", "sra", "sras", "srs", "srta", "st",
    "sta", "sto", "tel", "u.s", "usw", "vol", "vols", "vs", "z.b",
];

/// Month names and their short forms, folded: a number and dot before one is an ordinal.
const MONTHS: &[&str] = &[
    "januar",
    "februar",
    "marz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
    "jan",
    "feb",
    "apr",
    "aug",
    "sep",
    "sept",
    "okt",
    "nov",
    "dez",
    "januari",
    "desember",
    "jahrhundert",
    "quartal",
    "january",
    "february",
    "march",
    "may",
    "june",
    "july",
    "october",
    "december",
];

/// Returns the sentences of `text` as byte ranges that tile it.
///
/// Boundaries are those of Unicode (UAX #29), which knows `。`, `।` and the like, without those
/// after an abbreviation, an initial, an ordinal before a month, or a plain line break.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (start, piece) in text.split_sentence_bound_indices() {
        let end = start + piece.len();
        match found.last_mut().filter(|_| open) {
            Some(last) => last.end = end,
            None => found.push(start..end),
        }
        let sentence = found.last().map_or("", |last| &text[last.clone()]);
        open = continues(sentence, &text[end..]);
    }
    found
}

/// Says whether a sentence goes on over the boundary between `before` and `after`.
fn continues(before: &str, after: &str) -> bool {
    let ended = before.trim_end();
    if ended.is_empty() || before.ends_with("\n\n") {
        return ended.is_empty();
    }
    let closed = ended.trim_end_matches(['"', '\'', ')', ']', '»', '”', '’', '*', '_', '」', '』', '）']);
    let Some(last) = closed.chars().next_back() else { return false };
    if last != '.' {
        // A boundary without a mark of its own is a line break inside a sentence.
        return before.ends_with('\n') && !is_terminal(last) && !starts_item(after);
    }
    let stem = &closed[..closed.len() - 1];
    let word =
        stem.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '/')).next().unwrap_or("");
    let next = after.trim_start();
    if word.chars().count() == 1 && word.chars().all(char::is_uppercase) {
        return true;
    }
    if !word.is_empty() && word.len() <= 4 && word.chars().all(|c| c.is_ascii_digit()) {
        let following: String = next.chars().take_while(|c| c.is_alphabetic()).collect();
        return word.len() <= 2 && MONTHS.contains(&crate::decide::text::fold(&following).as_str());
    }
    word.len() <= 12 && ABBREVIATIONS.contains(&crate::decide::text::fold(word).as_str())
}

fn is_terminal(character: char) -> bool {
    matches!(
        character,
        '.' | '!'
            | '?'
            | '…'
            | ':'
            | ';'
            | '。'
            | '！'
            | '？'
            | '．'
            | '।'
            | '॥'
            | '؟'
            | '۔'
            | '።'
            | '։'
            | '᠃'
            | '།'
    )
}

/// Says whether a line begins a list item.
fn starts_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("- ") || line.starts_with("* ") || line.starts_with("• ") || line.starts_with("+ ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentences(text).into_iter().map(|range| text[range].trim()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn c06_abbreviations_do_not_end_sentences() {
        check(
            "Dr. Silva chegou em 29. Juli, e.g. às 9h. Saiu.",
            &["Dr. Silva chegou em 29. Juli, e.g. às 9h.", "Saiu."],
        );
        check(
            "A Sra. Lima e o Prof. Reis vieram. Foi bom.",
            &["A Sra. Lima e o Prof. Reis vieram.", "Foi bom."],
        );
        check("Ver art. 5º e pág. 12. Depois, fim.", &["Ver art. 5º e pág. 12.", "Depois, fim."]);
        check(
            "J. R. Tolkien wrote it. Mr. Smith read it.",
            &["J. R. Tolkien wrote it.", "Mr. Smith read it."],
        );
        check("Foram 29. Saiu cedo.", &["Foram 29.", "Saiu cedo."]);
        check("Custa R$ 1.234,50. Barato?", &["Custa R$ 1.234,50.", "Barato?"]);
        check("Der 3. Oktober ist frei. Gut so!", &["Der 3. Oktober ist frei.", "Gut so!"]);
    }

    #[test]
    fn line_breaks_inside_sentences_and_other_scripts() {
        check("Uma frase em\nduas linhas. Outra.", &["Uma frase em\nduas linhas.", "Outra."]);
        check("我们去。你呢？好！", &["我们去。", "你呢？", "好！"]);
        check("यह एक वाक्य है। यह दूसरा है।", &["यह एक वाक्य है।", "यह दूसरा है।"]);
    }
}
