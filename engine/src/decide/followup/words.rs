//! Closed word classes of follow-ups in Portuguese, English and Spanish, folded.

/// What may open a follow-up, the longest first; each is a sequence of words.
#[rustfmt::skip]
pub const MARKERS: &[&[&str]] = &[
    &["and", "what", "if", "it", "is"], &["and", "if", "it", "is"], &["what", "if", "it", "is"],
    &["and", "if", "it", "were"], &["and", "what", "about"], &["but", "what", "about"],
    &["and", "how", "about"], &["and", "the", "same", "for"], &["the", "same", "for"], &["same", "for"],
    &["what", "about"], &["how", "about"],
    &["e", "se", "for"], &["e", "se", "fosse"], &["e", "se", "forem"], &["e", "quanto", "ao"],
    &["e", "quanto", "aos"], &["e", "quanto", "a"], &["e", "quanto", "as"], &["quanto", "ao"],
    &["quanto", "aos"], &["e", "que", "tal"], &["que", "tal"], &["e", "sobre"], &["e", "tambem"],
    &["y", "si", "es"], &["y", "si", "fuera"], &["y", "que", "tal"], &["y", "en", "cuanto", "a"],
    &["en", "cuanto", "a"], &["y", "sobre"], &["y", "tambien"],
    &["and", "also"], &["and"], &["but"], &["or"], &["e"], &["mas"], &["ou"], &["y"], &["pero"],
];

/// Prepositions and their contractions with articles.
#[rustfmt::skip]
pub const PREPOSITIONS: &[&str] = &[
    "in", "on", "at", "of", "for", "from", "to", "with", "by", "under", "over", "during", "since", "until",
    "about", "within", "before", "after", "em", "de", "por", "para", "com", "desde", "ate", "sobre", "sob",
    "segundo", "conforme", "durante", "antes", "depois", "do", "da", "dos", "das", "no", "na", "nos", "nas",
    "ao", "aos", "pelo", "pela", "pelos", "pelas", "num", "numa", "en", "con", "hasta", "del", "al", "bajo",
    "contra", "against", "between", "entre", "per",
];

/// Definite articles.
pub const DEFINITE: &[&str] = &["the", "o", "a", "os", "as", "el", "la", "los", "las"];

/// Indefinite articles.
pub const INDEFINITE: &[&str] = &["a", "an", "um", "uma", "uns", "umas", "un", "una", "unos", "unas"];

/// Words before a number that say on which side of it.
#[rustfmt::skip]
pub const COMPARATORS: &[&str] = &[
    "above", "below", "over", "under", "more", "less", "fewer", "than", "up", "least", "most", "acima",
    "abaixo", "mais", "menos", "ate", "maior", "menor", "que", "encima", "debajo", "mas", "mayor", "superior",
    "inferior",
];

/// Words that take something out: what follows is added, it replaces nothing.
pub const WITHOUT: &[&str] =
    &["without", "except", "excluding", "excepting", "sem", "exceto", "salvo", "menos", "sin", "excepto"];

/// Verbs that add nothing to the noun that is asked for.
#[rustfmt::skip]
pub const LIGHT: &[&str] = &[
    "sold", "made", "total", "there", "were", "was", "vendeu", "vendemos", "venderam", "vendidas",
    "vendidos", "vendida", "vendido", "houve", "teve", "deu", "foram", "foi", "total", "vendio",
    "vendieron", "vendidas", "hubo", "fueron",
];

/// Pronouns that stand for a thing, as they are.
#[rustfmt::skip]
pub const PLAIN: &[&str] = &[
    "it", "they", "them", "he", "she", "him", "ele", "ela", "eles", "elas", "ella", "ellos", "ellas",
    "itself", "themselves", "isso", "isto", "eso", "esto", "aquilo",
];

/// Pronouns that hold a preposition: `(pronoun, preposition)`.
#[rustfmt::skip]
pub const CONTRACTED: &[(&str, &str)] = &[
    ("dele", "de"), ("dela", "de"), ("deles", "de"), ("delas", "de"), ("nele", "em"), ("nela", "em"),
    ("neles", "em"), ("nelas", "em"), ("disso", "de"), ("disto", "de"), ("nisso", "em"), ("nisto", "em"),
];

/// English possessives, written before the thing that is had.
pub const POSSESSIVES: &[&str] = &["its", "their", "his", "theirs"];

/// Possessives of Portuguese and Spanish, before the thing that is had.
pub const OWNED: &[&str] = &["seu", "sua", "seus", "suas", "su", "sus"];

/// Demonstratives before a noun.
#[rustfmt::skip]
pub const NEAR: &[&str] = &[
    "esse", "essa", "esses", "essas", "este", "esta", "estes", "estas", "desse", "dessa", "desses",
    "dessas", "deste", "desta", "nesse", "nessa", "nesses", "nessas", "neste", "nesta", "aquele", "aquela",
    "ese", "esa", "esos", "esas", "estos", "aquel", "aquella", "that", "such", "tal",
];

/// Nouns after which `this` and `este` point at the situation, not at what was said.
#[rustfmt::skip]
pub const NOW: &[&str] = &[
    "year", "month", "week", "day", "quarter", "study", "paper", "report", "document", "file", "case", "ano",
    "mes", "semana", "dia", "trimestre", "semestre", "documento", "arquivo", "relatorio", "momento", "caso",
    "texto", "estudo",
];

/// Adverbs of place that point back.
pub const PLACES: &[&str] = &["there", "la", "ali", "alli", "alla"];

/// Nouns of time: `that month` points at the month that was asked about.
#[rustfmt::skip]
pub const TIMES: &[&str] = &[
    "month", "year", "quarter", "period", "day", "week", "mes", "ano", "trimestre", "periodo", "dia",
    "semana", "semestre", "semester",
];

/// Demonstratives that point at what was said, not at now.
#[rustfmt::skip]
pub const THAT: &[&str] = &[
    "that", "those", "same", "esse", "essa", "nesse", "nessa", "desse", "dessa", "naquele", "naquela",
    "aquele", "aquela", "mesmo", "mesma", "ese", "esa", "aquel", "mismo", "misma",
];

/// Ordinals before a quarter or a half-year.
#[rustfmt::skip]
pub const ORDINALS: &[&str] = &[
    "first", "second", "third", "fourth", "last", "next", "previous", "primeiro", "segundo", "terceiro",
    "quarto", "ultimo", "proximo", "anterior", "primer", "tercer", "cuarto", "1", "2", "3", "4", "1st",
    "2nd", "3rd", "4th", "1o", "2o", "3o", "4o",
];

/// Periods that an ordinal counts.
pub const PERIODS: &[&str] =
    &["quarter", "trimestre", "semestre", "semester", "half", "bimestre", "quadrimestre"];

/// Tells whether `word` is in `list`.
pub fn is_in(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}
