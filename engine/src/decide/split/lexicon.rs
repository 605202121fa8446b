//! Closed word classes of Portuguese, English and Spanish, folded (no accents, lower case).
//!
//! Only classes that a language does not extend belong here: interrogatives, auxiliaries,
//! determiners, prepositions, pronouns, conjunctions, and the verbs people give orders with.

/// Words that can open a direct question in Portuguese or Spanish wherever they stand.
pub const INTERROGATIVES_PT_ES: &[&str] = &[
    "qual", "quais", "quanto", "quanta", "quantos", "quantas", "quem", "quao", "onde", "aonde", "quando",
    "como", "cual", "cuales", "cuanto", "cuanta", "cuantos", "cuantas", "quien", "quienes",
];

/// Spanish interrogatives that only an accent tells from a relative or a conjunction.
pub const INTERROGATIVES_ACCENTED: &[&str] = &["qué", "dónde", "adónde", "cuándo", "cómo", "quién", "cuál"];

/// English interrogatives.
pub const INTERROGATIVES_EN: &[&str] =
    &["what", "which", "who", "whom", "whose", "when", "where", "why", "how"];

/// English auxiliaries: what follows an interrogative in a direct question, or opens a yes/no one.
#[rustfmt::skip]
pub const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "am", "do", "does", "did", "has", "have", "had", "can", "could", "will",
    "would", "shall", "should", "may", "might", "must", "isn't", "aren't", "wasn't", "weren't", "don't",
    "doesn't", "didn't", "can't", "won't", "wouldn't", "shouldn't", "hasn't", "haven't",
];

/// What may follow `how` in a direct question besides an auxiliary.
pub const HOW_MEASURES: &[&str] = &[
    "many", "much", "long", "old", "far", "often", "tall", "big", "large", "high", "deep", "fast", "soon",
    "wide", "heavy", "about",
];

/// Verbs that give an order and are hardly anything else.
#[rustfmt::skip]
pub const INSTRUCTIONS: &[&str] = &[
    // English
    "tell", "give", "explain", "describe", "summarise", "summarize", "calculate", "compute", "identify",
    "find", "compare", "enumerate", "provide", "display", "retrieve", "translate", "define", "outline",
    "determine",
    // Portuguese
    "devolva", "localize", "exibir", "liste-me", "verifique", "some-me", "mostre", "liste", "diga",
    "informe", "explique", "resuma", "calcule", "encontre", "descreva", "apresente", "retorne", "busque",
    "procure", "cite", "indique", "traga", "conte", "enumere", "defina", "exiba", "selecione", "traduza",
    "identifique", "fale", "faca", "forneca", "recupere", "mostra", "explica", "diz", "obtenha",
    "determine", "de-me", "da-me",
    // Spanish
    "muestra", "muestre", "muestrame", "dime", "dame", "explicame", "resuma", "calcula", "encuentra",
    "indica", "enumera", "describe", "descríbeme", "compara", "digame", "deme",
];

/// Verbs that give an order, yet are nouns or other forms as often: they count as an order at
/// the start of a sentence, and inside one only before a determiner (`and list the …`).
#[rustfmt::skip]
pub const INSTRUCTIONS_AMBIGUOUS: &[&str] = &[
    "list", "show", "name", "count", "return", "report", "state", "get", "select", "check", "lista",
    "busca", "resume", "de", "some", "sort", "order", "rank", "retorna", "ordene", "classifique", "compare",
    "cuenta", "search", "look", "write",
];

/// Determiners and pronouns after which an ambiguous verb reads as an order.
pub const AFTER_ORDER: &[&str] = &[
    "the", "a", "an", "me", "us", "all", "each", "every", "its", "their", "how", "what", "which", "who",
    "whether", "any", "these", "those", "o", "os", "as", "um", "uma", "todos", "todas", "quais", "quantos",
    "quantas", "el", "la", "los", "las", "un", "una", "cada", "only", "up", "qual", "quem",
];

/// Words that may stand between a conjunction and the question it adds.
#[rustfmt::skip]
pub const ADDITIVES: &[&str] = &[
    "also", "then", "too", "finally", "lastly", "secondly", "please", "now", "tambem", "entao", "depois",
    "ainda", "finalmente", "agora", "tambien", "ademas", "luego", "besides", "moreover", "alem", "disso",
    "favor", "fim", "ultimo", "mais", "furthermore", "additionally",
];

/// Prepositions that may stand before an interrogative (`em que ano`, `for how long`).
pub const PREPOSITIONS: &[&str] = &[
    "apos", "after", "before", "within", "against", "contra", "in", "on", "at", "of", "for", "from", "to",
    "with", "by", "under", "during", "since", "until", "about", "em", "de", "a", "para", "por", "com",
    "desde", "ate", "sobre", "sob", "segundo", "en", "con", "hasta", "durante",
];

/// Determiners and subject pronouns: after `what` or `which` they make an indirect or relative clause.
pub const DETERMINERS: &[&str] = &[
    "the", "a", "an", "it", "they", "he", "she", "we", "you", "i", "this", "that", "these", "those", "its",
    "their", "his", "her", "my", "your", "our", "o", "os", "as", "um", "uma", "ele", "ela", "eles", "elas",
    "el", "la", "los", "las", "un", "una", "se", "nao", "not", "no",
];

/// What the subject of an English yes/no question may start with.
pub const SUBJECTS: &[&str] = &[
    "the", "a", "an", "it", "they", "he", "she", "we", "you", "i", "this", "that", "these", "those", "its",
    "their", "his", "her", "my", "your", "our", "there", "all", "any",
];

/// First words of a sentence that tunes the answer to the question before it.
#[rustfmt::skip]
pub const MODIFIERS: &[&str] = &[
    "order", "sort", "ordene", "ordenado", "ordenados", "ordenada", "ordenadas", "sorted", "ordered",
    "consider", "considere", "use", "assume", "only", "apenas", "somente", "answer", "responda", "solicite",
    "round",
];

/// General nouns after which Portuguese `que` asks (`que tipo`, `que ano`) rather than relates.
#[rustfmt::skip]
pub const QUE_NOUNS: &[&str] = &[
    "tipo", "tipos", "ano", "anos", "mes", "meses", "dia", "dias", "hora", "horas", "data", "datas",
    "forma", "formas", "modo", "maneira", "medida", "medidas", "parte", "partes", "lugar", "cidade",
    "cidades", "estado", "estados", "pais", "paises", "regiao", "regioes", "empresa", "empresas", "norma",
    "normas", "politica", "sistema", "sistemas", "produto", "produtos", "fatores", "motivo", "motivos",
    "razao", "razoes", "condicoes", "valor", "valores", "idade", "epoca", "periodo", "seculo", "metodo",
    "metodos", "area", "areas", "nome", "nomes", "documento", "documentos", "fornecedor", "fornecedores",
];

/// Personal pronouns and possessives that point back; the flag says that they need a plural.
#[rustfmt::skip]
pub const ANAPHORS: &[(&str, bool)] = &[
    ("it", false), ("its", false), ("he", false), ("she", false), ("him", false), ("his", false),
    ("her", false), ("they", true), ("them", true), ("their", true), ("theirs", true), ("ele", false),
    ("ela", false), ("eles", true), ("elas", true), ("dele", false), ("dela", false), ("deles", true),
    ("delas", true), ("nele", false), ("nela", false), ("neles", true), ("nelas", true), ("seu", false),
    ("sua", false), ("seus", false), ("suas", false), ("ella", false), ("ellos", true), ("ellas", true),
    ("su", false), ("sus", false), ("lhe", false), ("lhes", true), ("itself", false), ("themselves", true),
];

/// Demonstratives that point back, before a noun or alone.
#[rustfmt::skip]
pub const DEMONSTRATIVES: &[&str] = &[
    "this", "these", "those", "isso", "isto", "aquilo", "disso", "disto", "nisso", "nisto", "esse", "essa",
    "esses", "essas", "este", "esta", "estes", "estas", "desse", "dessa", "desses", "dessas", "deste",
    "desta", "destes", "destas", "nesse", "nessa", "nesses", "nessas", "neste", "nesta", "nestes", "nestas",
    "aquele", "aquela", "aqueles", "aquelas", "eso", "esto", "ese", "esa", "esos", "esas", "estos", "such",
    "tal", "tais", "respectively", "respectivamente",
];

/// Nouns after which a demonstrative points at the situation and not back into the message.
#[rustfmt::skip]
pub const SITUATION_NOUNS: &[&str] = &[
    "study", "research", "work", "paper", "article", "document", "company", "year", "month", "week", "day",
    "quarter", "file", "report", "text", "region", "estudo", "pesquisa", "trabalho", "artigo", "documento",
    "empresa", "ano", "mes", "semana", "dia", "trimestre", "arquivo", "relatorio", "texto", "semestre",
    "ensaio", "momento", "case", "caso", "estudio", "articulo",
];

/// Adverbs of place that point back when they end a clause.
pub const PLACE_ANAPHORS: &[&str] = &["there", "ali", "alli", "alla", "la"];

/// Words that carry no topic: function words, light verbs, greetings, question frames.
#[rustfmt::skip]
pub const EMPTY: &[&str] = &[
    // English
    "the", "a", "an", "of", "in", "on", "at", "for", "from", "to", "with", "by", "under", "during", "since",
    "until", "about", "and", "or", "but", "as", "if", "then", "than", "that", "there", "here", "also",
    "too", "not", "no", "yes", "so", "be", "been", "being", "get", "got", "make", "made", "we", "you", "i",
    "me", "us", "my", "our", "your", "it", "its", "he", "she", "him", "his", "her", "they", "them", "their",
    "this", "these", "those", "such", "all", "any", "each", "every", "some", "both", "many", "much", "more",
    "most", "please", "thanks", "thank", "hello", "hi", "hey", "well", "ok", "okay", "right", "now", "just",
    "very", "really", "one", "ones", "other", "way", "thing", "things", "same", "different", "distinct",
    "only", "into", "per", "up", "out", "over", "between", "among", "within", "happen", "mean",
    "respectively", "whether", "not", "otherwise", "else", "exactly", "do", "know", "want", "would", "like",
    "need",
    // Portuguese
    "o", "os", "as", "um", "uma", "uns", "umas", "de", "do", "da", "dos", "das", "em", "na", "nos", "nas",
    "ao", "aos", "por", "pelo", "pela", "pelos", "pelas", "para", "pra", "com", "sem", "sob", "sobre", "e",
    "ou", "mas", "se", "que", "nao", "sim", "ja", "ainda", "tambem", "assim", "entao", "ser", "sao", "foi",
    "foram", "era", "eram", "esta", "estao", "estava", "estavam", "sera", "serao", "seja", "sendo", "sido",
    "tem", "tinha", "tinham", "ter", "teve", "tiveram", "temos", "ha", "havia", "houve", "existe",
    "existem", "fica", "ficam", "vai", "vao", "pode", "podem", "poderia", "deve", "devem", "faz", "fazem",
    "fez", "eu", "voce", "voces", "nos", "ele", "ela", "eles", "elas", "dele", "dela", "deles", "delas",
    "seu", "sua", "seus", "suas", "meu", "minha", "meus", "minhas", "nosso", "nossa", "este", "estes",
    "estas", "esse", "essa", "esses", "essas", "isso", "isto", "aquele", "aquela", "aquilo", "desse",
    "dessa", "deste", "desta", "nesse", "nessa", "neste", "nesta", "disso", "nisso", "cada", "todo", "toda",
    "todos", "todas", "tudo", "mesmo", "mesma", "mais", "menos", "muito", "muita", "ate", "entre", "desde",
    "quando", "ola", "oi", "bom", "boa", "dia", "tarde", "noite", "obrigado", "obrigada", "favor", "certo",
    "bem", "né", "ne", "agora", "depois", "antes", "durante", "outro", "outra", "outros", "outras",
    "qualquer", "acontece", "acontecem", "significa", "diferente", "diferentes", "distinto", "distintos",
    "atualmente", "saber", "quero", "gostaria", "preciso", "chama", "chamado", "chamada", "ocorre",
    "verdade",
    // Spanish
    "el", "la", "los", "las", "un", "una", "unos", "unas", "del", "al", "y", "o", "en", "con", "sin", "su",
    "sus", "es", "son", "fue", "fueron", "esta", "estan", "hay", "tiene", "tienen", "lo", "le", "les",
    "ese", "eso", "esto", "esos", "esas", "hola", "gracias", "si", "muy", "pero", "cuando",
];

/// Attributes that every thing has: asking for them again narrows the question before.
#[rustfmt::skip]
pub const ATTRIBUTES: &[&str] = &[
    "name", "names", "number", "numbers", "id", "ids", "nome", "nomes", "numero", "numeros", "nombre",
    "nombres", "answer", "answers", "resposta", "respostas", "reason", "reasons", "motivo", "porque",
    "details", "detalhes", "result", "results", "resultado", "resultados", "example", "examples", "exemplo",
    "exemplos", "quantidade", "quantity",
];

/// Tells whether `word` (folded) is in `list`.
pub fn is_in(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}
