//! Numbers, number words, percentages, dates and codes in Portuguese, English and Spanish text.
//!
//! A written number can be read in more than one way (`1.234` is 1234 in Portuguese and
//! 1.234 in English), so a [`Quantity`] keeps its readings, the likeliest first.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::decide::text::fold;

/// What kind of number a text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A plain number or an amount of money.
    Number,
    /// A percentage, in percent.
    Percent,
    /// A day, written `YYYY-MM-DD`.
    Date,
    /// Letters and digits together (`PC-04`, `2FA`, `1.2.3`), folded, without separators.
    Code,
}

/// A number as found in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// What it is.
    pub kind: Kind,
    /// Its readings in canonical form (no separators, a decimal point, no trailing zeros); never empty.
    pub readings: Vec<String>,
    /// Byte range in the text.
    pub range: Range<usize>,
    /// The number of decimal digits that a scale word (`milhões`, `k`) leaves written, if there is one.
    pub scaled: bool,
}

impl Quantity {
    /// Returns the likeliest reading.
    pub fn value(&self) -> &str {
        self.readings.first().map(String::as_str).unwrap_or_default()
    }

    /// Tells whether a reading of one is a reading of the other.
    pub fn agrees(&self, other: &Quantity) -> bool {
        self.readings.iter().any(|r| other.readings.contains(r))
    }
}

/// Returns the numbers, percentages, dates and codes of `text`, in order.
pub fn quantities(text: &str) -> Vec<Quantity> {
    let lexemes = lexemes(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lexemes.len() {
        let next = date(text, &lexemes, at)
            .or_else(|| numeric(text, &lexemes, at))
            .or_else(|| spelled(text, &lexemes, at));
        match next {
            Some((quantity, after)) => {
                found.push(quantity);
                at = after;
            }
            None => at += 1,
        }
    }
    found
}

/// Returns the numbers of `answer` that no context holds, as written.
///
/// Thousands separators, decimal commas, number words and dates in any order count as equal; a
/// rounded number with its scale (`4,99 milhões`) is supported by the exact one; marks of
/// citations (`[2]`) and of list items are not numbers of the answer.
pub fn unsupported_numbers<S: AsRef<str>>(answer: &str, contexts: &[S]) -> Vec<String> {
    let known: Vec<Quantity> = contexts.iter().flat_map(|c| quantities(c.as_ref())).collect();
    let mut loose = BTreeSet::new();
    for quantity in &known {
        loose.extend(quantity.readings.iter().cloned());
        if matches!(quantity.kind, Kind::Date) {
            loose.extend(quantity.value().split('-').map(canonical_integer));
        }
        if matches!(quantity.kind, Kind::Code) {
            loose.extend(digit_runs(quantity.value()));
        }
    }
    let supported = |quantity: &Quantity| {
        quantity.readings.iter().any(|r| loose.contains(r))
            || (quantity.kind == Kind::Date
                && quantity.value().split('-').all(|p| loose.contains(&canonical_integer(p))))
            || (quantity.kind == Kind::Percent && loose.contains(&shift(quantity.value(), -2)))
            || known.iter().any(|k| rounds_to(k, quantity))
    };
    let mut missing = Vec::new();
    for quantity in quantities(answer) {
        let written = &answer[quantity.range.clone()];
        if !is_mark(answer, &quantity.range) && !supported(&quantity) && !missing.iter().any(|m| m == written)
        {
            missing.push(written.to_owned());
        }
    }
    missing
}

/// Tells whether `number`, as written in an answer, occurs in `context` in any notation.
pub fn occurs(number: &str, context: &str) -> bool {
    unsupported_numbers(number, &[context]).is_empty()
}

/// Tells whether the number in `range` is a citation mark (`[2]`) or numbers a list item.
fn is_mark(text: &str, range: &Range<usize>) -> bool {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let bracketed =
        before.trim_end_matches([',', ' ']).rfind('[').is_some_and(|open| {
            before[open + 1..].chars().all(|c| c.is_ascii_digit() || c == ',' || c == ' ')
        }) && after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',' || c == ' ').starts_with(']');
    let line = before.rsplit('\n').next().unwrap_or_default();
    let item = line.chars().all(|c| c.is_whitespace() || "-*#>".contains(c))
        && range.len() <= 2
        && (after.starts_with(". ") || after.starts_with(") "));
    bracketed || item
}

/// A rounded, scaled number is supported by the exact one: `4,99 milhões` by `4.988.300`.
fn rounds_to(exact: &Quantity, written: &Quantity) -> bool {
    if !written.scaled || exact.kind != written.kind {
        return false;
    }
    let (Ok(exact), Ok(value)) = (exact.value().parse::<f64>(), written.value().parse::<f64>()) else {
        return false;
    };
    let significant =
        written.value().trim_end_matches('0').chars().filter(char::is_ascii_digit).count().max(1);
    let magnitude = value.abs().log10().floor() - (significant as f64 - 1.0);
    value != 0.0 && (exact - value).abs() <= 0.5 * 10f64.powf(magnitude)
}

fn canonical_integer(text: &str) -> String {
    let stripped = text.trim_start_matches('0');
    if stripped.is_empty() { "0".to_owned() } else { stripped.to_owned() }
}

fn digit_runs(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|r| !r.is_empty()).map(canonical_integer).collect()
}

/// A run of letters and digits with the separators that may stand inside a number or code.
struct Lexeme {
    range: Range<usize>,
    folded: String,
}

fn lexemes(text: &str) -> Vec<Lexeme> {
    let mut found = Vec::new();
    let mut start = None;
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    for (i, &(at, character)) in characters.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| characters[j].1);
        let after = characters.get(i + 1).map(|&(_, c)| c);
        let digits = before.is_some_and(|c| c.is_ascii_digit()) && after.is_some_and(|c| c.is_ascii_digit());
        let joins = match character {
            '.' | ',' | '/' => digits,
            // A narrow or plain no-break space groups thousands.
            '\u{a0}' | '\u{202f}' => digits && group_of_three(&characters, i + 1),
            '-' | '_' => {
                before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
            }
            c => c.is_alphanumeric(),
        };
        match (start, joins) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.push(Lexeme { range: from..at, folded: fold(&text[from..at]) });
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        found.push(Lexeme { range: from..text.len(), folded: fold(&text[from..]) });
    }
    found
}

fn group_of_three(characters: &[(usize, char)], from: usize) -> bool {
    let digits = characters[from..].iter().take_while(|(_, c)| c.is_ascii_digit()).count();
    digits == 3
}

const MONTHS: &[(&[&str], u32)] = &[
    (&["janeiro", "january", "jan", "enero"], 1),
    (&["fevereiro", "february", "feb", "fev", "febrero"], 2),
    (&["marco", "march", "mar", "marzo"], 3),
    (&["abril", "april", "apr", "abr"], 4),
    (&["maio", "may", "mai", "mayo"], 5),
    (&["junho", "june", "jun", "junio"], 6),
    (&["julho", "july", "jul", "julio"], 7),
    (&["agosto", "august", "aug", "ago"], 8),
    (&["setembro", "september", "sep", "sept", "set", "septiembre"], 9),
    (&["outubro", "october", "oct", "out", "octubre"], 10),
    (&["novembro", "november", "nov", "noviembre"], 11),
    (&["dezembro", "december", "dec", "dez", "diciembre"], 12),
];

/// Returns the month that a folded word names.
pub fn month(folded: &str) -> Option<u32> {
    MONTHS.iter().find(|(names, _)| names.contains(&folded)).map(|&(_, number)| number)
}

fn iso(year: u32, month: u32, day: u32) -> Option<String> {
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

fn date(text: &str, lexemes: &[Lexeme], at: usize) -> Option<(Quantity, usize)> {
    let word = |i: usize| lexemes.get(at + i).map(|l| l.folded.as_str()).unwrap_or_default();
    let day = |w: &str| {
        w.trim_end_matches("th")
            .trim_end_matches("st")
            .trim_end_matches("nd")
            .trim_end_matches("rd")
            .parse::<u32>()
            .ok()
            .filter(|d| (1..=31).contains(d))
    };
    let year = |w: &str| w.parse::<u32>().ok().filter(|_| w.len() == 4);
    let make = |readings: Vec<String>, count: usize| {
        let range = lexemes[at].range.start..lexemes[at + count - 1].range.end;
        (!readings.is_empty())
            .then_some((Quantity { kind: Kind::Date, readings, range, scaled: false }, at + count))
    };
    let fields: Vec<&str> = word(0).split(['/', '-', '.']).collect();
    if let [a, b, c] = fields[..]
        && let (Ok(x), Ok(y), Ok(z)) = (a.parse::<u32>(), b.parse::<u32>(), c.parse::<u32>())
    {
        if a.len() == 4 {
            return make(iso(x, y, z).into_iter().collect(), 1);
        }
        let dotted = text[lexemes[at].range.clone()].contains('.');
        if c.len() == 4 || (c.len() == 2 && !dotted && a.len() <= 2 && b.len() <= 2) {
            let z = if c.len() == 2 { 2000 + z } else { z };
            let mut readings: Vec<String> = iso(z, y, x).into_iter().collect();
            readings.extend(iso(z, x, y).filter(|r| !readings.contains(r)));
            return make(readings, 1);
        }
    }
    // `5 de março de 2026`, `5 March 2026`, `March 5, 2026`.
    let of = |w: &str| matches!(w, "de" | "of" | "del");
    let m = 1 + usize::from(of(word(1)));
    if let (Some(d), Some(mo)) = (day(word(0)), month(word(m))) {
        let y = m + 1 + usize::from(of(word(m + 1)));
        if let Some(found) = year(word(y)) {
            return make(iso(found, mo, d).into_iter().collect(), y + 1);
        }
    }
    if let (Some(mo), Some(d), Some(y)) = (month(word(0)), day(word(1)), year(word(2))) {
        return make(iso(y, mo, d).into_iter().collect(), 3);
    }
    None
}

fn numeric(text: &str, lexemes: &[Lexeme], at: usize) -> Option<(Quantity, usize)> {
    let lexeme = &lexemes[at];
    if !lexeme.folded.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let plain = |w: &str| {
        w.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '\u{a0}' | '\u{202f}'))
    };
    let (digits, suffix) = split_suffix(&lexeme.folded);
    let mut end = lexeme.range.end;
    let mut after = at + 1;
    let Some(mut readings) = plain(digits).then(|| readings(digits)).filter(|r| !r.is_empty()) else {
        return Some((code(lexeme), at + 1));
    };
    let mut scaled = false;
    if !suffix.is_empty() {
        let Some(power) = scale(suffix) else { return Some((code(lexeme), at + 1)) };
        if power == 0 && !matches!(suffix, "th" | "st" | "nd" | "rd" | "o" | "a") {
            // `24h` may be read as 24, but `5s` is first of all a code of its own.
            readings.insert(0, lexeme.folded.clone());
            let range = lexeme.range.clone();
            return Some((Quantity { kind: Kind::Code, readings, range, scaled: false }, at + 1));
        }
        if power > 0 {
            readings = readings.iter().map(|r| shift(r, power)).collect();
            scaled = true;
        }
    } else if let Some(power) = lexemes.get(at + 1).and_then(|l| scale_word(&l.folded)) {
        readings = readings.iter().map(|r| shift(r, power)).collect();
        scaled = true;
        end = lexemes[at + 1].range.end;
        after = at + 2;
    }
    let tail = text[end..].trim_start();
    let percent = tail.starts_with('%')
        || lexemes.get(after).is_some_and(|l| matches!(l.folded.as_str(), "percent" | "porcento"))
        || (tail.starts_with("por cento") || tail.starts_with("per cent") || tail.starts_with("por ciento"));
    let kind = if percent { Kind::Percent } else { Kind::Number };
    let negative = text[..lexeme.range.start].ends_with(['-', '−'])
        && !text[..lexeme.range.start].trim_end_matches(['-', '−']).ends_with(|c: char| c.is_alphanumeric());
    if negative {
        readings = readings.iter().map(|r| format!("-{r}")).collect();
    }
    Some((Quantity { kind, readings, range: lexeme.range.start..end, scaled }, after))
}

fn code(lexeme: &Lexeme) -> Quantity {
    let folded = lexeme.folded.chars().filter(|c| c.is_alphanumeric()).collect();
    Quantity { kind: Kind::Code, readings: vec![folded], range: lexeme.range.clone(), scaled: false }
}

/// Cuts a unit off a number: `80k` to `80` and `k`, `7th` to `7` and `th`.
fn split_suffix(word: &str) -> (&str, &str) {
    let at = word.find(char::is_alphabetic).unwrap_or(word.len());
    (&word[..at], &word[at..])
}

/// Powers of ten of suffixes; ordinals and common units change nothing.
fn scale(suffix: &str) -> Option<i32> {
    match suffix {
        "k" | "mil" => Some(3),
        "m" | "mi" | "mm" => Some(6),
        "bi" | "bn" | "b" => Some(9),
        "th" | "st" | "nd" | "rd" | "o" | "a" | "h" | "kg" | "g" | "km" | "cm" | "ml" | "l" | "min" | "s" => {
            Some(0)
        }
        _ => None,
    }
}

fn scale_word(word: &str) -> Option<i32> {
    match word {
        "mil" | "thousand" | "k" => Some(3),
        "milhao" | "milhoes" | "million" | "millions" | "millon" | "millones" | "mi" => Some(6),
        "bilhao" | "bilhoes" | "billion" | "billions" | "bi" => Some(9),
        "trilhao" | "trilhoes" | "trillion" | "trillions" => Some(12),
        _ => None,
    }
}

/// Reads digits with separators, likeliest reading first.
fn readings(written: &str) -> Vec<String> {
    let separators: Vec<char> = written.chars().filter(|c| !c.is_ascii_digit()).collect();
    let grouped = |separator: char| {
        let groups: Vec<&str> = written.split(separator).collect();
        (1..=3).contains(&groups[0].len())
            && !groups[0].starts_with('0')
            && groups[1..].iter().all(|g| g.len() == 3)
    };
    let plain = |text: &str| canonical(text);
    match separators[..] {
        [] => vec![plain(written)],
        [one] => {
            let decimal = plain(&written.replace(one, "."));
            let thousands = plain(&written.replace(one, ""));
            match one {
                '.' | ',' if grouped(one) => vec![thousands, decimal],
                '.' | ',' => vec![decimal],
                _ => vec![thousands],
            }
        }
        [first, .., last] => {
            let same = separators.iter().all(|&c| c == first);
            if same {
                return if grouped(first) { vec![plain(&written.replace(first, ""))] } else { Vec::new() };
            }
            if last == first || separators[..separators.len() - 1].iter().any(|&c| c != first) {
                return Vec::new();
            }
            vec![plain(&written.replace(first, "").replace(last, "."))]
        }
    }
}

fn canonical(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    let whole = canonical_integer(whole);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// Moves the decimal point `power` places to the right.
fn shift(number: &str, power: i32) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |n| ("-", n));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut digits = format!("{whole}{fraction}");
    let point = whole.len() as i32 + power;
    if point <= 0 {
        digits.insert_str(0, &"0".repeat((1 - point) as usize));
    }
    let point = point.max(1) as usize;
    while digits.len() < point {
        digits.push('0');
    }
    format!("{sign}{}", canonical(&format!("{}.{}", &digits[..point], &digits[point..])))
}

const UNITS: &[(&str, u64)] = &[
    ("zero", 0),
    ("one", 1),
    ("um", 1),
    ("uma", 1),
    ("un", 1),
    ("uno", 1),
    ("una", 1),
    ("two", 2),
    ("dois", 2),
    ("duas", 2),
    ("dos", 2),
    ("three", 3),
    ("tres", 3),
    ("four", 4),
    ("quatro", 4),
    ("cuatro", 4),
    ("five", 5),
    ("cinco", 5),
    ("six", 6),
    ("seis", 6),
    ("seven", 7),
    ("sete", 7),
    ("siete", 7),
    ("eight", 8),
    ("oito", 8),
    ("ocho", 8),
    ("nine", 9),
    ("nove", 9),
    ("nueve", 9),
    ("ten", 10),
    ("dez", 10),
    ("diez", 10),
    ("eleven", 11),
    ("onze", 11),
    ("once", 11),
    ("twelve", 12),
    ("doze", 12),
    ("doce", 12),
    ("thirteen", 13),
    ("treze", 13),
    ("trece", 13),
    ("fourteen", 14),
    ("catorze", 14),
    ("quatorze", 14),
    ("catorce", 14),
    ("fifteen", 15),
    ("quinze", 15),
    ("quince", 15),
    ("sixteen", 16),
    ("dezesseis", 16),
    ("dieciseis", 16),
    ("seventeen", 17),
    ("dezessete", 17),
    ("diecisiete", 17),
    ("eighteen", 18),
    ("dezoito", 18),
    ("dieciocho", 18),
    ("nineteen", 19),
    ("dezenove", 19),
    ("diecinueve", 19),
    ("twenty", 20),
    ("vinte", 20),
    ("veinte", 20),
    ("thirty", 30),
    ("trinta", 30),
    ("treinta", 30),
    ("forty", 40),
    ("quarenta", 40),
    ("cuarenta", 40),
    ("fifty", 50),
    ("cinquenta", 50),
    ("cincuenta", 50),
    ("sixty", 60),
    ("sessenta", 60),
    ("sesenta", 60),
    ("seventy", 70),
    ("setenta", 70),
    ("eighty", 80),
    ("oitenta", 80),
    ("ochenta", 80),
    ("ninety", 90),
    ("noventa", 90),
    ("cem", 100),
    ("cento", 100),
    ("cien", 100),
    ("ciento", 100),
    ("duzentos", 200),
    ("duzentas", 200),
    ("doscientos", 200),
    ("trezentos", 300),
    ("trezentas", 300),
    ("trescientos", 300),
    ("quatrocentos", 400),
    ("quatrocentas", 400),
    ("cuatrocientos", 400),
    ("quinhentos", 500),
    ("quinhentas", 500),
    ("quinientos", 500),
    ("seiscentos", 600),
    ("seiscentas", 600),
    ("seiscientos", 600),
    ("setecentos", 700),
    ("setecentas", 700),
    ("setecientos", 700),
    ("oitocentos", 800),
    ("oitocentas", 800),
    ("ochocientos", 800),
    ("novecentos", 900),
    ("novecentas", 900),
    ("novecientos", 900),
];

/// Words that are a number only beside another number word: articles and ambiguous forms.
const WEAK: &[&str] = &["um", "uma", "un", "uno", "una", "one", "dos", "once", "cento", "ciento"];

fn unit(word: &str) -> Option<u64> {
    UNITS.iter().find(|(name, _)| *name == word).map(|&(_, value)| value)
}

/// Reads a run of number words: `oitenta mil`, `twenty-five`, `cento e vinte e três`.
fn spelled(text: &str, lexemes: &[Lexeme], at: usize) -> Option<(Quantity, usize)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(Kind, &str)]) {
        let found = quantities(text);
        let pairs: Vec<(Kind, &str)> = found.iter().map(|q| (q.kind, q.value())).collect();
        assert_eq!(pairs, expected, "{text}");
    }

    #[test]
    fn separators_are_read_in_both_notations() {
        use Kind::Number;
        check("R$ 1.234,50 e 1,234.50", &[(Number, "1234.5"), (Number, "1234.5")]);
        check("4.988.300 ou 4,988,300", &[(Number, "4988300"), (Number, "4988300")]);
        check("5.000 0,5 3.14 12", &[(Number, "5000"), (Number, "0.5"), (Number, "3.14"), (Number, "12")]);
        check("1\u{a0}234", &[(Number, "1234")]);
        check("temperatura de -5", &[(Number, "-5")]);
    }

    #[test]
    fn number_words_equal_digits() {
        use Kind::Number;
        check("oitenta mil reais", &[(Number, "80000")]);
        check("cento e vinte e três", &[(Number, "123")]);
        check("two hundred and five", &[(Number, "205")]);
        check("twenty-five of them", &[(Number, "25")]);
        check("dois milhões e meio", &[(Number, "2000000")]);
        check("mil e duzentos", &[(Number, "1200")]);
        check("dois e três", &[(Number, "2"), (Number, "3")]);
        check("uma das regiões", &[]);
        check("80 mil, 2,5 milhões, 80k", &[(Number, "80000"), (Number, "2500000"), (Number, "80000")]);
    }

    #[test]
    fn percentages_dates_and_codes() {
        use Kind::*;
        check("12,5% e dez por cento", &[(Percent, "12.5"), (Percent, "10")]);
        check("5 de março de 2026; March 5, 2026; 2026-03-05", &[(Date, "2026-03-05"); 3]);
        check("14/11/2023", &[(Date, "2023-11-14")]);
        check("PC-04 e NC11, 2FA", &[(Code, "pc04"), (Code, "nc11"), (Code, "2fa")]);
        check("7th place", &[(Number, "7")]);
    }

    #[test]
    fn answers_are_checked_against_contexts() {
        fn check(answer: &str, contexts: &[&str], expected: &[&str]) {
            assert_eq!(unsupported_numbers(answer, contexts), expected, "{answer}");
        }
        check("A receita foi de R$ 4.988.300 [1].", &["total | 4988300"], &[]);
        check("Foram 4,99 milhões.", &["4988300"], &[]);
        check("Foram 5,1 milhões.", &["4988300"], &["5,1 milhões"]);
        check("Trinta mil reais precisam de gestor.", &["acima de R$ 30.000,00"], &[]);
        check("Em 5 de março de 2026.", &["2026-03-05"], &[]);
        check("São 12 regiões e 7 filiais.", &["doze regiões"], &["7"]);
        check("1. Norte\n2. Sul", &["Norte, Sul"], &[]);
        check("A PC-04 exige 2 aprovações.", &["PC-04: duas aprovações"], &[]);
        check("A PC-05 vale.", &["PC-04"], &["PC-05"]);
        check("Prazo de 24h.", &["em até 24 horas"], &[]);
        check("Prazo de 24 horas.", &["em até 24h"], &[]);
        check("Prazo de 48h.", &["em até 24 horas"], &["48h"]);
        assert!(occurs("1.200", "mil e duzentos"));
        assert!(!occurs("1.200", "1201"));
    }
}
