//! Text folding and tokens shared by every lexical comparison.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// Folds text for comparison: compatibility decomposition, no combining marks, lower case.
///
/// `São José` and `sao jose` fold to the same string, and so do `MÜLLER` and `muller`. `ß`
/// becomes `ss`. Folding twice changes nothing.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.nfkd().filter(|c| !is_combining_mark(*c)) {
        for lower in character.to_lowercase() {
            match lower {
                'ß' => folded.push_str("ss"),
                'ø' => folded.push('o'),
                'đ' => folded.push('d'),
                'ł' => folded.push('l'),
                'æ' => folded.push_str("ae"),
                'œ' => folded.push_str("oe"),
                c if is_combining_mark(c) => {}
                c => folded.push(c),
            }
        }
    }
    folded
}

/// Returns the words of `text` (Unicode word boundaries, UAX #29), as written.
pub fn words(text: &str) -> Vec<&str> {
    text.unicode_words().collect()
}

/// Returns the words of `text`, folded.
pub fn folded_words(text: &str) -> Vec<String> {
    words(text).into_iter().map(fold).collect()
}

/// Function words of Portuguese, English and Spanish, folded, that say nothing about a topic.
const FUNCTION_WORDS: &str = " a an and are as at be been by can could did do does for from had has have how i if in \
is it its me my of on or our should so some than that the their them then there these they this those to us was we \
were what when where which who whom whose why will with would you your about into much many any all also not no \
o os um uma uns umas e ou de do da dos das em no na nos nas num numa por pelo pela pelos pelas para pra com sem sob \
sobre ao aos as que qual quais quem quando onde como quanto quanta quantos quantas porque se ele ela eles elas isso \
isto este esta estes estas esse essa esses essas aquele aquela seu sua seus suas meu minha nosso nossa ser foi era \
sao esta estao estava tem ter tinha ha houve vai mais menos muito muita ja ainda tambem nao sim me lhe \
el la los las un una unos unas y del al lo con cual cuales quien cuando donde cuanto cuantos cuantas es fue son su \
sus mi nuestro hay ";

/// Returns the folded words of `text` that say something about its topic: no function words, no
/// single letters; numbers stay.
pub fn content_words(text: &str) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    folded_words(text)
        .into_iter()
        .filter(|word| {
            word.chars().any(|c| c.is_ascii_digit())
                || (word.chars().count() > 1 && !FUNCTION_WORDS.contains(&format!(" {word} ")))
        })
        .filter(|word| seen.insert(word.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_removes_accents_and_case() {
        for (input, expected) in [
            ("São José", "sao jose"),
            ("MÜLLER", "muller"),
            ("Straße", "strasse"),
            ("ﬁm", "fim"),
            ("İstanbul", "istanbul"),
            ("Łódź", "lodz"),
        ] {
            assert_eq!(fold(input), expected);
            assert_eq!(fold(&fold(input)), expected);
        }
    }

    #[test]
    fn content_words_drop_function_words_of_three_languages() {
        assert_eq!(content_words("Qual foi a receita do mês de março?"), ["receita", "mes", "marco"]);
        assert_eq!(content_words("What is the total for March 2026?"), ["total", "march", "2026"]);
        assert_eq!(content_words("¿Cuál es el total?"), ["total"]);
        assert!(content_words("o que é isso").is_empty());
    }

    #[test]
    fn words_keep_numbers_and_drop_punctuation() {
        assert_eq!(words("Olá, PC-04 custa 1.234,50!"), ["Olá", "PC", "04", "custa", "1.234,50"]);
    }
}
