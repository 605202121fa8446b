//! Is a text layer text? Characters that mean nothing, and words no language would write.

use serde::Serialize;

use crate::decide::text::fold;

/// How much a page's text looks like writing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Quality {
    /// `plausible * (1 - broken)`, in `[0, 1]`; 1 for a text with nothing to judge by.
    pub score: f32,
    /// Share of characters that stand for nothing: U+FFFD, private use, controls.
    pub broken: f32,
    /// Share of the judged letters that are in plausible words.
    pub plausible: f32,
    /// Letters judged: figures, codes and short words say nothing either way.
    pub judged: usize,
}

/// Mean of a word's letter pairs from which it is plausible. Of the words the table was counted
/// from 3 % are below, of random letters 91 %, of words with their alphabet shifted 96 %.
const PLAUSIBLE: f32 = 4.2;
/// Fewest letters a judgement rests on.
const JUDGED: usize = 8;

/// How usual a letter (column, `a` to `z`, then the word's end) is after another (row, `a` to
/// `z`, then the word's start): `9 + log2(share)`, cut to 0..9. Counted from PolyRAG's own English
/// and Portuguese texts, accents folded.
#[rustfmt::skip]
const PAIRS: [&[u8; 27]; 27] = [
    b"045501404026463406563311316", b"620070105306026005415100304", b"602060065044007104164000103",
    b"500470206002005002503000207", b"415632303004460316641323107", b"601065007004007005245000105",
    b"610070255003234105425000007", b"620070006000216004344010306", b"435543400015476304560402022",
    b"611171111111117111617111111", b"420280106010040000602010007", b"600572026025106100444200406",
    b"750070006002426601304000006", b"505653624032035000663100206", b"324422303035573406545340016",
    b"600160045006016406455000204", b"000000000005000000009030000", b"613470306031336104543200406",
    b"403060045021104310464020108", b"603070056002005105534020307", b"534351304005562406660101004",
    b"600080006000004000002000003", b"600060066000056005500000006", b"605060006004102600070000006",
    b"000050002002434503550030308", b"600080004000006000004000306", b"546555444224544535653340100",
];

/// Judges a text.
pub fn text_quality(text: &str) -> Quality {
    let (mut visible, mut broken) = (0_usize, 0_usize);
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        visible += 1;
        broken += usize::from(is_broken(character));
    }
    let (mut judged, mut plausible) = (0, 0);
    for piece in text.split_whitespace() {
        let piece = piece.trim_matches(|character: char| !character.is_alphanumeric());
        if let Some(verdict) = judge(piece) {
            let letters = piece.chars().filter(|character| character.is_alphabetic()).count();
            judged += letters;
            plausible += if verdict { letters } else { 0 };
        }
    }
    let broken = if visible == 0 { 0.0 } else { broken as f32 / visible as f32 };
    let plausible = if judged < JUDGED { 1.0 } else { plausible as f32 / judged as f32 };
    Quality { score: plausible * (1.0 - broken), broken, plausible, judged }
}

/// Says whether a word is plausible; `None` for what cannot be told.
fn judge(piece: &str) -> Option<bool> {
    let letters = piece.chars().filter(|character| character.is_alphabetic()).count();
    if letters < 3 || piece.chars().any(char::is_numeric) {
        return None;
    }
    if letters <= 5 && piece.chars().all(|character| !character.is_lowercase()) {
        return None;
    }
    // Addresses have their own rules.
    if piece.contains("://") || piece.contains('@') || piece.starts_with("www.") {
        return None;
    }
    if piece.contains(|character: char| {
        matches!(
            character,
            ';' | '^' | '~' | '|' | '{' | '}' | '=' | '\\' | '<' | '>' | '`' | '#' | '%' | '$'
        )
    }) {
        return Some(false);
    }
    let folded = fold(piece);
    let latin = folded.chars().filter(char::is_ascii_lowercase).count();
    if latin * 2 < letters {
        // Another script: its letters are evidence enough.
        return Some(true);
    }
    let (mut sum, mut pairs) = (0_u32, 0_u32);
    for part in
        folded.split(|character: char| !character.is_ascii_lowercase()).filter(|part| !part.is_empty())
    {
        let mut before = 26;
        for letter in part.bytes().map(|byte| usize::from(byte - b'a')).chain([26]) {
            sum += u32::from(PAIRS[before][letter] - b'0');
            pairs += 1;
            before = letter;
        }
    }
    Some(sum as f32 >= PLAUSIBLE * pairs as f32)
}

fn is_broken(character: char) -> bool {
    matches!(character, '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..='\u{ffff}')
        || character as u32 >= 0xf_0000
        || character.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d08_rubbish_is_told_from_writing() {
        for text in [
            "a;dklja adlkfad",
            "Wkh txlfn eurzq ira mxpsv ryhu wkh odcb grj",
            "\u{fffd}\u{fffd}\u{fffd} \u{fffd}\u{fffd} the \u{fffd}\u{fffd}\u{fffd}\u{fffd}",
            "\u{f041}\u{f042}\u{f043} \u{f044}\u{f045}",
            "xkq zvbn qwrt plmk jhgf dszx",
            "<A=;>? {|}~ a^b;c x;y;z;w qq;rr;tt",
        ] {
            let quality = text_quality(text);
            assert!(quality.score < 0.5, "{text}: {quality:?}");
        }
    }

    #[test]
    fn writing_is_writing() {
        for text in [
            "The committee approved the budget for the second quarter.",
            "A comissão aprovou o orçamento do segundo trimestre.",
            "Der schnelle braune Fuchs springt über den faulen Hund.",
            "Le renard brun saute par-dessus le chien paresseux.",
            "Привет, мир! Это обычный текст.",
            "東京都は日本の首都です。",
            "10 20 30 40,5 PC-04 NF 1043 R$ 5,00",
            "Contato: ana@exemplo.com.br, https://exemplo.com/a?b=c",
            "",
        ] {
            let quality = text_quality(text);
            assert!(quality.score > 0.75, "{text}: {quality:?}");
        }
    }
}
