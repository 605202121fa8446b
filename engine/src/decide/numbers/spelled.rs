//! Numbers in words.

use super::lexemes::Lexeme;
use super::numeric::scale_word;
use super::{Kind, Quantity};

#[rustfmt::skip]
const UNITS: &[(&str, u64)] = &[
    ("zero", 0), ("one", 1), ("um", 1), ("uma", 1), ("un", 1), ("uno", 1), ("una", 1), ("two", 2),
    ("dois", 2), ("duas", 2), ("dos", 2), ("three", 3), ("tres", 3), ("four", 4), ("quatro", 4),
    ("cuatro", 4), ("five", 5), ("cinco", 5), ("six", 6), ("seis", 6), ("seven", 7), ("sete", 7),
    ("siete", 7), ("eight", 8), ("oito", 8), ("ocho", 8), ("nine", 9), ("nove", 9), ("nueve", 9),
    ("ten", 10), ("dez", 10), ("diez", 10), ("eleven", 11), ("onze", 11), ("once", 11), ("twelve", 12),
    ("doze", 12), ("doce", 12), ("thirteen", 13), ("treze", 13), ("trece", 13), ("fourteen", 14),
    ("catorze", 14), ("quatorze", 14), ("catorce", 14), ("fifteen", 15), ("quinze", 15), ("quince", 15),
    ("sixteen", 16), ("dezesseis", 16), ("dieciseis", 16), ("seventeen", 17), ("dezessete", 17),
    ("diecisiete", 17), ("eighteen", 18), ("dezoito", 18), ("dieciocho", 18), ("nineteen", 19),
    ("dezenove", 19), ("diecinueve", 19), ("twenty", 20), ("vinte", 20), ("veinte", 20), ("thirty", 30),
    ("trinta", 30), ("treinta", 30), ("forty", 40), ("quarenta", 40), ("cuarenta", 40), ("fifty", 50),
    ("cinquenta", 50), ("cincuenta", 50), ("sixty", 60), ("sessenta", 60), ("sesenta", 60), ("seventy", 70),
    ("setenta", 70), ("eighty", 80), ("oitenta", 80), ("ochenta", 80), ("ninety", 90), ("noventa", 90),
    ("cem", 100), ("cento", 100), ("cien", 100), ("ciento", 100), ("duzentos", 200), ("duzentas", 200),
    ("doscientos", 200), ("trezentos", 300), ("trezentas", 300), ("trescientos", 300),
    ("quatrocentos", 400), ("quatrocentas", 400), ("cuatrocientos", 400), ("quinhentos", 500),
    ("quinhentas", 500), ("quinientos", 500), ("seiscentos", 600), ("seiscentas", 600),
    ("seiscientos", 600), ("setecentos", 700), ("setecentas", 700), ("setecientos", 700),
    ("oitocentos", 800), ("oitocentas", 800), ("ochocientos", 800), ("novecentos", 900),
    ("novecentas", 900), ("novecientos", 900),
];

/// Words that are a number only beside another number word: articles and ambiguous forms.
const WEAK: &[&str] = &["um", "uma", "un", "uno", "una", "one", "dos", "once", "cento", "ciento"];

fn unit(word: &str) -> Option<u64> {
    UNITS.iter().find(|(name, _)| *name == word).map(|&(_, value)| value)
}

/// Reads a run of number words: `oitenta mil`, `twenty-five`, `cento e vinte e três`.
pub(super) fn spelled(text: &str, lexemes: &[Lexeme], at: usize) -> Option<(Quantity, usize)> {
    let (mut total, mut current, mut words, mut weak) = (0u64, 0u64, 0usize, true);
    let (mut index, mut after) = (at, at);
    let mut scaled = false;
    while let Some(lexeme) = lexemes.get(index) {
        let word = lexeme.folded.as_str();
        let parts: Vec<&str> = word.split('-').collect();
        if index > at && text[lexemes[index - 1].range.end..lexeme.range.start].trim() != "" {
            break;
        }
        if let Some(power) = scale_word(word).filter(|_| word != "k" && word != "mi" && word != "bi") {
            if words == 0 && word != "mil" {
                break;
            }
            total += current.max(1).checked_mul(10u64.pow(power as u32))?;
            current = 0;
            weak = false;
            scaled = power >= 6;
        } else if word == "hundred" && words > 0 {
            current = current.max(1) * 100;
            weak = false;
        } else if let Some(value) = parts.iter().map(|p| unit(p)).sum::<Option<u64>>() {
            // `dois três` is two numbers, `vinte e três` is one.
            let fits = words == 0
                || current == 0
                || (current.is_multiple_of(100) && value < 100)
                || (current.is_multiple_of(10) && value < 10 && current % 100 != 10);
            if !fits {
                break;
            }
            current += value;
            weak &= is_weak(word);
        } else if words > 0
            && matches!(word, "e" | "and" | "y")
            && lexemes.get(index + 1).is_some_and(|l| unit(&l.folded).is_some())
        {
            // A list (`dois e três`) is not one number: only a round one can go on.
            let next = lexemes.get(index + 1).and_then(|l| unit(&l.folded)).unwrap_or_default();
            let goes_on = (current == 0 && total > 0)
                || (current >= 100 && next < 100)
                || (current >= 20 && current.is_multiple_of(10) && next < 10);
            if !goes_on {
                break;
            }
            index += 1;
            continue;
        } else {
            break;
        }
        words += 1;
        index += 1;
        after = index;
    }
    if words == 0 || weak {
        return None;
    }
    let range = lexemes[at].range.start..lexemes[after - 1].range.end;
    let tail = text[range.end..].trim_start();
    let percent = ["%", "por cento", "percent", "per cent", "por ciento"].iter().any(|p| tail.starts_with(p));
    let kind = if percent { Kind::Percent } else { Kind::Number };
    Some((Quantity { kind, readings: vec![(total + current).to_string()], range, scaled }, after))
}

fn is_weak(word: &str) -> bool {
    WEAK.contains(&word)
}
