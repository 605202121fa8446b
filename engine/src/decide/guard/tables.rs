//! Equivalences between wordings that ask the same, per language. All entries are folded.
//!
//! Only general English and Portuguese: nothing here knows a corpus. A word that is not in a
//! class equals only itself (and its inflections), which is the safe side.

/// Rewritings of phrases, tried longest first. The right side uses the same vocabulary of
/// markers as [`SYNONYMS`]: `?how`, `?thing`, `?count` … are interrogative kinds.
#[rustfmt::skip]
pub const PHRASES: &[(&str, &str)] = &[
    // manner
    ("what is the best way to", "?how"), ("what are the best ways to", "?how"),
    ("what is a good way to", "?how"), ("what are some good ways to", "?how"),
    ("what are good ways to", "?how"), ("what are some ways to", "?how"), ("what are the ways to", "?how"),
    ("what is the way to", "?how"), ("which is the best way to", "?how"),
    ("what are some of the best ways to", "?how"), ("what are best ways to", "?how"),
    ("what are ways to", "?how"), ("what is a way to", "?how"), ("what are some best ways to", "?how"),
    ("what should i do to", "?how"), ("what can i do to", "?how"), ("what do i do to", "?how"),
    ("what are the best ways that i can", "?how"), ("how do i", "?how"), ("how do you", "?how"),
    ("how do we", "?how"), ("how can i", "?how"), ("how can you", "?how"), ("how can we", "?how"),
    ("how should i", "?how"), ("how should you", "?how"), ("how should we", "?how"),
    ("how could i", "?how"), ("how would i", "?how"), ("how would you", "?how"), ("how could you", "?how"),
    ("how does one", "?how"), ("how can one", "?how"), ("how should one", "?how"), ("how to", "?how"),
    ("how do people", "?how"), ("how i can", "?how"), ("how can someone", "?how"),
    ("how is it possible to", "?how"), ("como posso", "?how"), ("como podemos", "?how"),
    ("como eu posso", "?how"), ("como faco para", "?how"), ("como eu faco para", "?how"),
    ("como fazer para", "?how"), ("como se faz para", "?how"), ("como se pode", "?how"),
    ("como devo", "?how"), ("como eu", "?how"), ("como e possivel", "?how"), ("como se", "?how"),
    ("de que forma", "?how"), ("de que maneira", "?how"), ("de que modo", "?how"),
    ("qual a melhor forma de", "?how"), ("qual e a melhor forma de", "?how"),
    ("qual a melhor maneira de", "?how"), ("qual e a melhor maneira de", "?how"),
    // reasons
    ("what is the reason why", "?why"), ("what is the reason that", "?why"),
    ("what are the reasons why", "?why"), ("why is it that", "?why"), ("how come", "?why"),
    ("what is the reason behind", "?why"), ("what is the reason for", "?why"), ("por que motivo", "?why"),
    ("por qual motivo", "?why"), ("por que razao", "?why"), ("por qual razao", "?why"),
    ("qual o motivo de", "?why"), ("qual e o motivo de", "?why"), ("qual a razao de", "?why"),
    ("por que", "?why"), ("what for", "?why"), ("what is the main reason behind", "?why main"),
    // counts
    ("what is the total number of", "?count total"), ("what is the number of", "?count"),
    ("what number of", "?count"), ("the number of", "?count"), ("number of", "?count"),
    ("count the number of", "?count"), ("qual e o numero de", "?count"), ("qual o numero de", "?count"),
    ("qual e a quantidade de", "?count"), ("qual a quantidade de", "?count"), ("numero de", "?count"),
    ("quantidade de", "?count"), ("how many", "?count"), ("how much", "?amount"),
    ("how many people live in", "?thing population"), ("how many people live", "?thing population"),
    ("how many people are in", "?thing population"), ("how many people are there in", "?thing population"),
    ("how many people reside in", "?thing population"), ("how many residents live in", "?thing population"),
    ("how many inhabitants does", "?thing population"), ("how many inhabitants", "?thing population"),
    ("how many residents", "?thing population"), ("how many citizens", "?thing population"),
    ("how much population does", "?thing population"), ("how much population", "?thing population"),
    ("number of people", "?thing population"), ("number of residents", "population"),
    ("number of citizens", "population"), ("number of inhabitants", "population"),
    ("quantas pessoas vivem em", "?thing populacao"), ("quantos habitantes", "?thing populacao"),
    ("quantas pessoas moram em", "?thing populacao"), ("most people", "most population"),
    ("most citizens", "most population"), ("fewest people", "fewest population"),
    ("least people", "least population"), ("people live in", "population"),
    // dimensions
    ("how long", "?thing length"), ("how tall", "?thing height"), ("how high", "?thing height"),
    ("how big", "?thing area"), ("how large", "?thing area"), ("how old", "?thing age"),
    ("how far", "?thing distance"), ("how deep", "?thing depth"), ("how wide", "?thing width"),
    ("how heavy", "?thing weight"), ("how fast", "?thing speed"), ("how often", "?often"),
    ("quanto tempo", "?thing duracao"), ("quantos anos", "?thing idade"), ("que tamanho", "?thing tamanho"),
    ("qual o tamanho", "?thing tamanho"), ("most dense", "most density"), ("least dense", "least density"),
    ("most densely populated", "most population density"), ("most populous", "most population"),
    ("most populated", "most population"), ("least populous", "least population"),
    ("least populated", "least population"), ("densest", "most density"), ("sparsest", "least"),
    ("most expensive", "most price"), ("least expensive", "least price"), ("mais caro", "mais preco"),
    ("mais barato", "menos preco"), ("mais populoso", "mais populacao"),
    ("mais populosa", "mais populacao"), ("mais alto", "maisalto"), ("mais alta", "maisalto"),
    ("mais longo", "maislongo"), ("mais longa", "maislongo"), ("mais antigo", "maisantigo"),
    ("mais antiga", "maisantigo"), ("mais velho", "maisantigo"), ("mais velha", "maisantigo"),
    ("mais recente", "maisnovo"), ("mais recentes", "maisnovo"), ("mais novo", "maisnovo"),
    ("mais nova", "maisnovo"), ("mais jovem", "maisnovo"), ("mais baixo", "maisbaixo"),
    ("mais baixa", "maisbaixo"), ("most inhabitants", "most population"),
    ("most residents", "most population"), ("how many citizens live in", "?thing population"),
    ("how many inhabitants live in", "?thing population"),
    ("how many residents are in", "?thing population"),
    ("how many inhabitants are in", "?thing population"), ("how many citizens are in", "?thing population"),
    ("how many citizens does", "?thing population"), ("how many residents does", "?thing population"),
    ("how many people does", "?thing population"), ("which us", "?thing usa"), ("what us", "?thing usa"),
    ("what are all the", "?thing"), ("what are all of the", "?thing"), ("name all the", "?thing"),
    ("list all the", "?thing"), ("show all the", "?thing"), ("find all the", "?thing"),
    ("give me all the", "?thing"), ("all of the", "the"), ("quais sao todos os", "?thing"),
    ("quais sao todas as", "?thing"), ("liste todos os", "?thing"), ("liste todas as", "?thing"),
    ("mostre todos os", "?thing"), ("mostre todas as", "?thing"),
    // frames that add nothing
    ("what is the name of", "?thing"), ("what are the names of", "?thing"), ("give me", "?thing"),
    ("tell me", "?thing"), ("show me", "?thing"), ("give the name of", "?thing"), ("name the", "?thing"),
    ("list the", "?thing"), ("list all", "?thing"), ("show all", "?thing"), ("show the", "?thing"),
    ("find the", "?thing"), ("give the", "?thing"), ("return the", "?thing"), ("find all", "?thing"),
    ("list of", "?thing"), ("what are some of the", "?thing"), ("what are some", "?thing"),
    ("in what", "?thing"), ("in which", "?thing"), ("can you tell me", "?thing"), ("do you know", ""),
    ("is there any", "is there"), ("is there a", "is there"), ("me diga", "?thing"),
    ("me mostre", "?thing"), ("mostre me", "?thing"), ("diga me", "?thing"), ("liste os", "?thing"),
    ("liste as", "?thing"), ("mostre os", "?thing"), ("mostre as", "?thing"), ("mostre o", "?thing"),
    ("mostre a", "?thing"), ("qual e o nome de", "?thing"), ("qual o nome de", "?thing"),
    ("qual e o nome do", "?thing"), ("qual e o nome da", "?thing"), ("qual o nome do", "?thing"),
    ("qual o nome da", "?thing"), ("em qual", "?thing"), ("em que", "?thing"), ("de qual", "?thing"),
    ("o que", "?thing"), ("quero saber", ""), ("gostaria de saber", ""), ("voce sabe", ""),
    ("por favor", ""), ("ao todo", "total"), ("no total", "total"), ("in total", "total"),
    ("in all", "total"), ("i want to know", ""), ("i would like to know", ""), ("is it true that", "is"),
    // verbs of several words
    ("turn on", "enable"), ("switch on", "enable"), ("turn off", "disable"), ("switch off", "disable"),
    ("run through", "traverse"), ("runs through", "traverse"), ("go through", "traverse"),
    ("goes through", "traverse"), ("flow through", "traverse"), ("flows through", "traverse"),
    ("pass through", "traverse"), ("passes through", "traverse"), ("flowing through", "traverse"),
    ("running through", "traverse"), ("runs across", "traverse"), ("run across", "traverse"),
    ("next to", "border"), ("adjacent to", "border"), ("get rid of", "remove"), ("look for", "search"),
    ("sign in", "login"), ("log in", "login"), ("sign up", "register"), ("log out", "logout"),
    ("sign out", "logout"), ("set up", "setup"), ("find out", "find"), ("figure out", "find"),
    ("take place", "happen"), ("por meio de", "via"), ("atraves de", "via"), ("a maioria de", "maioria"),
    ("greater than", "more than"), ("larger than", "more than"), ("higher than", "more than"),
    ("bigger than", "more than"), ("lower than", "less than"), ("smaller than", "less than"),
    ("fewer than", "less than"), ("above", "more than"), ("below", "less than"), ("acima de", "mais de"),
    ("abaixo de", "menos de"), ("maior que", "mais de"), ("maior do que", "mais de"),
    ("menor que", "menos de"), ("menor do que", "menos de"), ("mais de", "mais de"),
    ("menos de", "menos de"),
    // names with several spellings
    ("united states of america", "usa"), ("the united states", "usa"), ("united states", "usa"),
    ("the us", "usa"), ("in us", "in usa"), ("estados unidos", "eua"), ("united kingdom", "uk"),
    ("new york city", "nyc"),
];

/// Classes of words that mean the same; the first one stands for its class.
#[rustfmt::skip]
pub const SYNONYMS: &[&[&str]] = &[
    // size, direction and rank: opposites are in different classes and never meet
    &["biggest", "largest", "greatest", "hugest"], &["highest", "tallest"],
    &["smallest", "littlest", "tiniest"], &["fewest", "least"], &["maior", "maiores"],
    &["menor", "menores"], &["best", "top"], &["melhor", "melhores"], &["pior", "piores"],
    &["big", "large", "huge"], &["small", "little", "tiny"],
    &["fast", "quick", "rapid", "quickly", "fastest", "quickest"],
    &["main", "primary", "principal", "major"], &["total", "overall", "totais"], &["average", "mean"],
    &["enable", "activate"], &["disable", "deactivate"],
    &["ativar", "habilitar", "ligar", "ativo", "habilito"],
    &["desativar", "desabilitar", "desligar", "desativo", "desabilito"], &["increase", "raise", "boost"],
    &["decrease", "lower", "reduce"], &["aumentar", "elevar"], &["reduzir", "diminuir"],
    &["start", "begin", "commence"], &["end", "finish"], &["comecar", "iniciar", "comecou", "iniciou"],
    &["terminar", "acabar", "finalizar"], &["buy", "purchase"], &["comprar", "adquirir"],
    &["delete", "remove", "erase"], &["apagar", "excluir", "remover", "deletar"],
    &["create", "make", "build"], &["criar", "fazer"], &["repair", "fix"], &["obtain", "gain", "acquire"],
    &["obter", "conseguir"], &["show", "display"], &["help", "assist"], &["choose", "select", "pick"],
    &["use", "utilize", "utilise"], &["usar", "utilizar"], &["allow", "permit"], &["permitir", "autorizar"],
    &["require", "need"], &["happen", "occur"], &["acontecer", "ocorrer", "acontece", "ocorre"],
    &["live", "reside"], &["morar", "residir"], &["answer", "reply"], &["speak", "talk"],
    &["falar", "conversar"], &["exist", "existing"], &["traverse", "cross"],
    &["border", "adjoin", "surround", "neighbor", "neighbour", "adjacent"], &["search", "seek"],
    &["approve", "authorize", "authorise"], &["aprovar", "aprova"], &["cost", "price"], &["custo", "preco"],
    &["area", "size"], &["height", "elevation", "altitude", "tall"], &["population", "populace"],
    &["movie", "film"], &["car", "automobile"], &["kid", "child", "children"], &["carro", "automovel"],
    &["crianca", "menino", "garoto"], &["filme", "pelicula"], &["firm", "company"],
    &["empresa", "companhia"], &["worker", "employee", "staff"],
    &["funcionario", "empregado", "colaborador"], &["client", "customer"], &["supplier", "vendor"],
    &["revenue", "turnover", "sales"], &["receita", "faturamento"], &["faturou", "faturar"],
    &["bill", "invoice"], &["fatura"], &["refund", "reimbursement"], &["reembolso", "ressarcimento"],
    &["phone", "telephone"], &["mobile", "cellphone", "cell"], &["picture", "photo", "photograph", "image"],
    &["foto", "fotografia", "imagem"], &["woman", "women", "lady"], &["man", "men"], &["mulher", "senhora"],
    &["homem", "senhor"], &["weight", "weigh"], &["error", "bug"], &["laptop", "notebook"],
    &["usa", "us", "america"], &["eua"], &["uk", "britain"], &["reason", "cause"],
    &["motivo", "razao", "causa"], &["difference", "different", "differ", "distinguish"],
    &["diferenca", "diferente"], &["meaning", "mean", "definition"], &["significado", "definicao"],
    &["tip", "advice", "suggestion"], &["dica", "conselho"], &["benefit", "advantage"],
    &["beneficio", "vantagem"], &["drawback", "disadvantage", "downside"], &["maximum", "max"],
    &["minimum", "min"], &["people", "person"], &["pessoa", "individuo"], &["quickest", "fastest"],
    &["smart", "intelligent", "clever"], &["rich", "wealthy"], &["poor"], &["beautiful", "pretty"],
    &["famous", "popular"], &["common", "frequent"], &["important", "significant"], &["correct", "right"],
    &["wrong", "incorrect"], &["difficult", "hard"], &["easy", "simple"], &["old", "ancient"],
    &["learn", "study"], &["earn"], &["you", "yours", "yourself"], &["website", "site", "webpage"],
    &["program", "programme"], &["colour", "color"], &["organisation", "organization"],
    &["centre", "center"], &["world", "globe"],
];

/// Words without a bearing on what is asked.
#[rustfmt::skip]
pub const EMPTY: &[&str] = &[
    "the", "a", "an", "of", "in", "on", "at", "for", "to", "from", "with", "about", "and", "or", "as", "is",
    "are", "was", "were", "am", "be", "been", "being", "do", "does", "did", "doing", "done", "has", "have",
    "had", "having", "i", "your", "get", "using", "we", "me", "my", "our", "one", "it", "its", "that",
    "which", "who", "whom", "whose", "what", "there", "some", "any", "please", "so", "then", "into", "can",
    "could", "just", "really", "actually", "exactly", "ever", "also", "if", "contain", "exist", "s", "t",
    "m", "re", "ve", "ll", "d", "myself", "currently", "o", "os", "as", "um", "uma", "uns", "umas", "de",
    "do", "da", "dos", "das", "em", "no", "na", "nos", "nas", "ao", "aos", "para", "pra", "com", "por",
    "pelo", "pela", "pelos", "pelas", "e", "ou", "que", "se", "foi", "foram", "era", "eram", "sao", "esta",
    "estao", "estava", "estavam", "ser", "ter", "tem", "tinha", "ha", "existe", "existem", "eu", "voce",
    "voces", "me", "meu", "minha", "seu", "sua", "seus", "suas", "isso", "ele", "ela", "la", "qual",
    "quais", "favor", "exatamente", "atualmente", "hoje", "pode", "podem", "posso", "sendo", "el", "los",
    "las", "un", "una", "y", "en", "del", "al", "con", "es", "son", "cual", "cuales", "estar", "havia",
    "houve",
];

/// Words that turn a question around.
#[rustfmt::skip]
pub const NEGATIONS: &[&str] = &[
    "not", "never", "without", "except", "excluding", "nor", "neither", "cannot", "nao", "nunca", "jamais",
    "sem", "exceto", "nem", "sin", "salvo",
];

/// Words that name a measure: with one of them `largest`, `highest` and `most` say the same.
#[rustfmt::skip]
pub const MEASURES: &[&str] = &[
    "population", "density", "number", "count", "height", "revenue", "cost", "price", "score", "rate",
    "value", "profit", "populacao", "densidade", "numero", "receita", "custo", "preco", "valor", "lucro",
    "taxa", "elevation", "salary", "salario", "temperature", "speed", "age", "length", "area",
];

/// Words that compare or rank: a difference in one of them is said as such.
#[rustfmt::skip]
pub const COMPARISONS: &[&str] = &[
    "biggest", "highest", "smallest", "fewest", "lowest", "longest", "shortest", "most", "more", "less",
    "than", "best", "worst", "first", "last", "maximum", "minimum", "max", "min", "before", "after", "top",
    "bottom", "better", "worse", "maior", "menor", "mais", "menos", "melhor", "pior", "primeiro", "ultimo",
    "antes", "depois", "maximo", "minimo", "maisalto", "maisbaixo", "maislongo", "maisantigo", "maisnovo",
    "under", "over", "since", "until", "desde", "ate",
];
