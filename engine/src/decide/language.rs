//! Language of a short text by function words and letter patterns, without a model.

use serde::Serialize;

use crate::decide::text::{fold, words};

/// A language that questions and answers are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Portuguese.
    #[serde(rename = "pt")]
    Portuguese,
    /// English.
    #[serde(rename = "en")]
    English,
    /// Spanish.
    #[serde(rename = "es")]
    Spanish,
}

impl Language {
    /// Returns the two-letter code (ISO 639-1).
    pub fn code(self) -> &'static str {
        match self {
            Language::Portuguese => "pt",
            Language::English => "en",
            Language::Spanish => "es",
        }
    }
}

/// The language of a text with the evidence for each.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detected {
    /// The language with the most evidence, or nothing when there is none or a tie.
    pub language: Option<Language>,
    /// Evidence per language: a sum of word and letter weights.
    pub scores: [(Language, f32); 3],
}

impl Detected {
    /// Returns the evidence for the first language: about 2 per word that only it has.
    pub fn evidence(&self) -> f32 {
        self.scores.iter().map(|(_, s)| *s).fold(0.0, f32::max)
    }

    /// Returns the lead of the first language over the second, from 0 (none) to 1 (no evidence of another).
    pub fn margin(&self) -> f32 {
        let mut scores = self.scores.map(|(_, s)| s);
        scores.sort_by(|a, b| b.total_cmp(a));
        if scores[0] > 0.0 { (scores[0] - scores[1]) / scores[0] } else { 0.0 }
    }
}

/// Returns the two-letter code of the language of `text`, if one stands out.
pub fn code(text: &str) -> Option<&'static str> {
    detect(text).language.map(Language::code)
}

/// Words of one language alone.
const OWN: f32 = 2.0;
/// Words that two of the languages share.
const SHARED: f32 = 1.0;

/// Taken off Spanish: what it shares with Portuguese must not outvote it in a short question.
const SPANISH_HANDICAP: f32 = 0.5;

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "the", "of", "and", "is", "are", "was", "were", "what", "which", "who", "when", "where", "why", "how",
    "does", "did", "have", "has", "had", "to", "for", "from", "with", "by", "that", "this", "these",
    "those", "there", "not", "many", "much", "will", "would", "can", "could", "should", "list", "show",
    "find", "give", "tell", "name", "between", "than", "more", "most", "each", "their", "its", "it", "you",
    "your", "my", "we", "they", "been", "into", "about", "on", "at", "an", "or", "if", "all", "any",
    "before", "after", "during", "also", "please", "thanks", "hello", "yes", "largest", "first", "year",
    "people", "whose", "whom", "only", "other", "through", "under", "over", "but", "his", "her", "in", "be",
    "i", "he", "she", "no", "up", "out", "new", "time", "total", "as", "do", "so", "how's", "what's",
    "good",
];

#[rustfmt::skip]
const PORTUGUESE: &[&str] = &[
    "o", "os", "a", "as", "um", "uma", "uns", "umas", "de", "do", "da", "dos", "das", "em", "no", "na",
    "nos", "nas", "ao", "aos", "pelo", "pela", "pelos", "pelas", "para", "com", "por", "sem", "sobre", "e",
    "ou", "mas", "se", "que", "nao", "sim", "qual", "quais", "quem", "quando", "onde", "como", "quanto",
    "quanta", "quantos", "quantas", "porque", "foi", "foram", "era", "eram", "sao", "esta", "estao", "ser",
    "ter", "tem", "ha", "existe", "existem", "pode", "podem", "deve", "devem", "sua", "seu", "suas", "seus",
    "ele", "ela", "eles", "elas", "este", "essa", "esse", "isso", "isto", "mais", "menos", "muito", "entre",
    "ate", "desde", "durante", "antes", "depois", "tambem", "ja", "ainda", "liste", "mostre", "diga",
    "encontre", "conte", "nome", "nomes", "ano", "maior", "menor", "numero", "empresa", "todos", "todas",
    "cada", "voce", "ola", "obrigado", "uso", "seja", "sido", "bem", "dia", "pela", "nem", "quero", "fica",
    "faz", "acontece",
];

#[rustfmt::skip]
const SPANISH: &[&str] = &[
    "el", "la", "los", "las", "un", "una", "unos", "unas", "de", "del", "al", "en", "con", "por", "para",
    "sin", "sobre", "y", "pero", "si", "que", "no", "cual", "cuales", "quien", "quienes", "cuando", "donde",
    "como", "cuanto", "cuanta", "cuantos", "cuantas", "fue", "fueron", "era", "eran", "es", "son", "esta",
    "estan", "ser", "hay", "tiene", "tienen", "puede", "pueden", "debe", "su", "sus", "se", "lo", "le",
    "les", "este", "esa", "ese", "eso", "esto", "mas", "menos", "muy", "entre", "hasta", "desde", "antes",
    "despues", "tambien", "ya", "aun", "dime", "muestra", "nombre", "nombres", "mayor", "menor", "numero",
    "empresa", "todos", "todas", "cada", "usted", "hola", "gracias",
];

/// Letter patterns (in lower case, with accents) and the languages they speak for.
#[rustfmt::skip]
const PATTERNS: &[(&str, [f32; 3])] = &[
    // [Portuguese, English, Spanish]
    ("ã", [3.0, 0.0, 0.0]), ("õ", [3.0, 0.0, 0.0]), ("ç", [2.5, 0.0, 0.0]), ("ê", [1.5, 0.0, 0.0]),
    ("â", [1.5, 0.0, 0.0]), ("ô", [1.5, 0.0, 0.0]), ("à", [1.5, 0.0, 0.0]), ("lh", [0.7, 0.0, 0.0]),
    ("nh", [0.7, 0.0, 0.0]), ("ñ", [0.0, 0.0, 3.0]), ("¿", [0.0, 0.0, 4.0]), ("¡", [0.0, 0.0, 4.0]),
    ("ción", [0.0, 0.0, 3.0]), ("cion", [0.0, 0.0, 2.0]), ("cao", [1.5, 0.0, 0.0]),
    ("coes", [1.5, 0.0, 0.0]), ("ções", [2.0, 0.0, 0.0]), ("dade", [1.0, 0.0, 0.0]),
    ("dad ", [0.0, 0.0, 1.0]), ("mente", [0.5, 0.0, 0.5]), ("th", [0.0, 0.8, 0.0]), ("wh", [0.0, 0.8, 0.0]),
    ("sh", [0.0, 0.6, 0.0]), ("ck", [0.0, 0.6, 0.0]), ("ing ", [0.0, 0.8, 0.0]), ("tion", [0.0, 1.0, 0.0]),
    ("ght", [0.0, 1.0, 0.0]), ("ed ", [0.0, 0.5, 0.0]), ("ly ", [0.0, 0.6, 0.0]), ("ee", [0.0, 0.5, 0.0]),
    ("oo", [0.0, 0.4, 0.0]), ("w", [0.0, 0.3, 0.0]), ("ou ", [0.5, 0.0, 0.0]), ("eiro", [0.8, 0.0, 0.0]),
    ("eira", [0.8, 0.0, 0.0]), ("ais ", [0.4, 0.0, 0.0]), ("ões", [1.0, 0.0, 0.0]), ("ll", [0.0, 0.2, 0.4]),
    ("ie", [0.0, 0.0, 0.1]), ("ão", [1.0, 0.0, 0.0]), ("é ", [0.8, 0.0, 0.2]), ("ia ", [0.2, 0.0, 0.2]),
    ("s ", [0.05, 0.05, 0.05]), ("m ", [0.15, 0.0, 0.0]), ("ss", [0.2, 0.2, 0.0]), ("os ", [0.3, 0.0, 0.3]),
    ("as ", [0.3, 0.0, 0.3]), ("o ", [0.15, 0.0, 0.15]), ("a ", [0.1, 0.0, 0.1]), ("y ", [0.0, 0.3, 0.1]),
    ("k", [0.0, 0.2, 0.0]),
];

/// Tells the language of `text`: Portuguese (with or without accents), English or Spanish.
///
/// Each function word counts for its language, more when no other has it; letter patterns
/// decide texts without function words. No evidence, or a tie, gives no language.
pub fn detect(text: &str) -> Detected {
    let mut scores = [0f32; 3];
    let mut joined = String::from(" ");
    for (index, word) in words(text).into_iter().enumerate() {
        // Capitals after the first word are mostly names, which keep their own language.
        if index > 0 && word.chars().next().is_some_and(char::is_uppercase) {
            continue;
        }
        let lower = word.to_lowercase();
        let folded = fold(&lower);
        joined.push_str(&lower);
        joined.push(' ');
        let member = [PORTUGUESE, ENGLISH, SPANISH].map(|list| list.contains(&folded.as_str()));
        let count = member.iter().filter(|m| **m).count();
        let weight = if count == 1 { OWN } else { SHARED };
        for (score, present) in scores.iter_mut().zip(member) {
            *score += if present { weight } else { 0.0 };
        }
    }
    if text.contains(['¿', '¡']) {
        joined.push('¿');
    }
    for (pattern, weights) in PATTERNS {
        let count = joined.matches(pattern).count() as f32;
        for (score, weight) in scores.iter_mut().zip(weights) {
            *score += weight * count;
        }
    }
    scores[2] = (scores[2] - SPANISH_HANDICAP).max(0.0);
    let scores =
        [(Language::Portuguese, scores[0]), (Language::English, scores[1]), (Language::Spanish, scores[2])];
    let mut ranked = scores;
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let language = (ranked[0].1 > ranked[1].1).then_some(ranked[0].0);
    Detected { language, scores }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(detect(text).language.map(Language::code), expected, "{text}: {:?}", detect(text).scores);
    }

    #[test]
    fn short_questions_and_answers() {
        check("Qual foi a receita total da regiao Sudeste?", Some("pt"));
        check("Quem aprova?", Some("pt"));
        check("What was the total?", Some("en"));
        check("Total revenue by region", Some("en"));
        check("¿Cuál fue el total de marzo?", Some("es"));
        check("Quien aprueba las compras", Some("es"));
        check("¿Cuántos clientes tiene la empresa?", Some("es"));
        check("cuantas unidades se vendieron en abril", Some("es"));
        check("Los ingresos fueron de 4.988.300 en el sudeste.", Some("es"));
        check("Qué pasa si el sistema falla", Some("es"));
        check("Conte o numero de funcionarios", Some("pt"));
        check("A receita foi de R$ 4.988.300.", Some("pt"));
        check("The revenue was R$ 4,988,300.", Some("en"));
        check("Compras abaixo de dez mil reais precisam de aprovacao?", Some("pt"));
        check("manutencao do banco", Some("pt"));
        check("12345", None);
        check("", None);
    }

    #[test]
    fn names_do_not_change_the_language() {
        check("Who is João Conceição?", Some("en"));
        check("Quem é o autor de The Lord of the Rings?", Some("pt"));
    }

    #[test]
    fn margin_is_a_share() {
        assert_eq!(detect("").margin(), 0.0);
        assert!(detect("What is the total number of items?").margin() > 0.5);
    }
}
