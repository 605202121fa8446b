//! A GBNF grammar of one read-only query over the tables of a schema card.
//!
//! It can only produce names that exist: a column qualified with a table belongs to it, names that
//! need quotes come quoted, functions are the listed ones, there is one SELECT (or WITH) and nothing
//! after it. Tables may go by `T1` to `T9`, as in the corpora that models learn SQL from: a model held
//! back from its habit takes the next best token (`TOTAL(` for `T1.`) and never finds back. Which
//! table such a name stands for is beyond a grammar; SQLite and the repair see to it. For the same
//! reason the text may end as models end one: with nothing, with `;`, with a line end, with a token
//! that holds both. Where only `;` may come, a model that would stop writes one more condition.
//! Alternatives are shared prefixes first, since a generator carries one state for every open one.

use std::collections::BTreeMap;

use super::card::SchemaCard;
use super::words::identifier;

/// Scalar functions the grammar offers: name, least and most arguments.
const FUNCTIONS: &[(&str, usize, usize)] = &[
    ("ABS", 1, 1),
    ("COALESCE", 2, 4),
    ("DATE", 1, 3),
    ("IFNULL", 2, 2),
    ("INSTR", 2, 2),
    ("JULIANDAY", 1, 1),
    ("LENGTH", 1, 1),
    ("LOWER", 1, 1),
    ("NULLIF", 2, 2),
    ("REPLACE", 3, 3),
    ("ROUND", 1, 2),
    ("STRFTIME", 2, 2),
    ("SUBSTR", 2, 3),
    ("TRIM", 1, 1),
    ("UPPER", 1, 1),
];

/// Beginnings of result names that may be used again in ORDER BY, HAVING or an outer query.
const RESULT_NAMES: &[&str] = &[
    "average",
    "avg",
    "count",
    "diff",
    "max",
    "media",
    "min",
    "num",
    "percent",
    "qtd",
    "quantidade",
    "rate",
    "ratio",
    "soma",
    "sum",
    "taxa",
    "total",
];

const RULES: &str = r#"root ::= query ([;\n] [ \n]*)?
query ::= with? compound
with ::= "WITH cte AS (" compound ") "
compound ::= select (setop select)* order? limit?
setop ::= " UNION ALL " | " UNION " | " INTERSECT " | " EXCEPT "
select ::= "SELECT " ("DISTINCT ")? items " FROM " source where? group?
items ::= item (", " item)*
item ::= "*" | star | expr (" AS " alias)?
source ::= from (join from (" ON " condition)?)*
join ::= " JOIN " | " LEFT JOIN "
from ::= (table | "cte") (" AS " tag)? | "(" compound ")" (" AS " ("sub" | tag))?
tag ::= [Tt] [1-9]
where ::= " WHERE " condition
group ::= " GROUP BY " exprs having?
having ::= " HAVING " condition
order ::= " ORDER BY " ordered (", " ordered)*
ordered ::= expr (" ASC" | " DESC")?
limit ::= " LIMIT " integer (" OFFSET " integer)?
exprs ::= expr (", " expr)*
condition ::= conjunction (" OR " conjunction)*
conjunction ::= negation (" AND " negation)*
negation ::= ("NOT ")? predicate
predicate ::= "EXISTS (" compound ")" | "(" condition ")" | expr test
test ::= " " compare " " expr | " IS NULL" | " IS NOT NULL" | (" NOT")? (" BETWEEN " expr " AND " expr | " IN (" (compound | exprs) ")" | " LIKE " expr)
compare ::= "=" | "!=" | "<>" | "<" ("=")? | ">" ("=")?
expr ::= term (operator term)*
operator ::= " + " | " - " | " * " | " / " | " % " | " || "
term ::= "-"? primary
primary ::= column | text | number | aggregate | function | case | "CAST(" expr " AS " ("INTEGER" | "REAL" | "TEXT") ")" | "(" (expr | compound) ")" | resultname | "NULL"
aggregate ::= ("COUNT(*)" | ("COUNT(" | "SUM(" | "AVG(" | "MIN(" | "MAX(" | "GROUP_CONCAT(") ("DISTINCT ")? expr ")" | ranking) over?
ranking ::= ("ROW_NUMBER" | "RANK" | "DENSE_RANK") "()"
over ::= " OVER (" ("PARTITION BY " exprs (" ORDER BY " ordered (", " ordered)*)? | "ORDER BY " ordered (", " ordered)*)? ")"
case ::= "CASE" (" WHEN " condition " THEN " expr)+ (" ELSE " expr)? " END"
text ::= "'" ([^'\n] | "''")* "'"
number ::= integer ("." [0-9]+)?
integer ::= "0" | [1-9] [0-9]*
alias ::= [a-zA-Z_] [a-zA-Z0-9_]*
suffix ::= [a-z0-9_]*
"#;

/// Builds the grammar for the tables of a card.
pub fn grammar(card: &SchemaCard) -> String {
    let mut grammar = String::from(RULES);
    let from: Vec<(String, String)> =
        card.tables.iter().map(|table| (identifier(&table.name), String::new())).collect();
    rule(&mut grammar, "table", &from);
    let mut stars = Vec::new();
    let mut columns: Vec<(String, String)> = Vec::new();
    for (index, table) in card.tables.iter().enumerate() {
        let qualifier = identifier(&table.name);
        stars.push((format!("{qualifier}.*"), String::new()));
        columns.push((format!("{qualifier}."), format!("of{index}")));
        columns.extend(table.columns.iter().map(|column| (identifier(&column.name), String::new())));
    }
    for letter in ["T", "t"] {
        stars.push((letter.into(), "[1-9] \".*\"".into()));
        columns.push((letter.into(), "[1-9] \".\" inner".into()));
    }
    for qualifier in ["cte", "sub"] {
        columns.push((format!("{qualifier}."), "inner".into()));
    }
    rule(&mut grammar, "star", &stars);
    rule(&mut grammar, "column", &columns);
    let mut inner: Vec<(String, String)> = Vec::new();
    for (index, table) in card.tables.iter().enumerate() {
        let own: Vec<(String, String)> =
            table.columns.iter().map(|column| (identifier(&column.name), String::new())).collect();
        rule(&mut grammar, &format!("of{index}"), &own);
        inner.extend(own);
    }
    let results: Vec<(String, String)> =
        RESULT_NAMES.iter().map(|name| ((*name).to_owned(), "suffix".into())).collect();
    rule(&mut grammar, "resultname", &results);
    inner.extend(results);
    rule(&mut grammar, "inner", &inner);
    let functions: Vec<(String, String)> = FUNCTIONS
        .iter()
        .map(|(name, least, most)| {
            let must = " \", \" expr".repeat(least - 1);
            let may = " (\", \" expr".repeat(most - least) + &")?".repeat(most - least);
            (format!("{name}("), format!("expr{must}{may} \")\""))
        })
        .collect();
    rule(&mut grammar, "function", &functions);
    grammar
}

/// Adds a rule of alternatives, each a fixed text and what follows it, as a prefix tree.
fn rule(grammar: &mut String, name: &str, alternatives: &[(String, String)]) {
    let mut root = Node::default();
    for (text, then) in alternatives {
        root.insert(text, then);
    }
    grammar.push_str(&format!("{name} ::= {}\n", root.expression()));
}

#[derive(Default)]
struct Node {
    ends: Vec<String>,
    children: BTreeMap<char, Node>,
}

impl Node {
    fn insert(&mut self, text: &str, then: &str) {
        let mut node = self;
        for character in text.chars() {
            node = node.children.entry(character).or_default();
        }
        if !node.ends.iter().any(|known| known == then) {
            node.ends.push(then.to_owned());
        }
    }

    /// The expression of everything below this node.
    fn expression(&self) -> String {
        let mut branches: Vec<String> = Vec::new();
        let optional = self.ends.iter().any(String::is_empty);
        branches.extend(self.ends.iter().filter(|then| !then.is_empty()).cloned());
        for (first, child) in &self.children {
            let (mut text, mut node) = (first.to_string(), child);
            while node.ends.is_empty() && node.children.len() == 1 {
                if let Some((next, below)) = node.children.iter().next() {
                    text.push(*next);
                    node = below;
                }
            }
            let below = node.expression();
            branches.push(if below.is_empty() {
                quoted(&text)
            } else {
                format!("{} {below}", quoted(&text))
            });
        }
        match (branches.len(), optional) {
            (0, _) => String::new(),
            (_, true) => format!("({})?", branches.join(" | ")),
            (1, false) => branches.remove(0),
            (_, false) => format!("({})", branches.join(" | ")),
        }
    }
}

/// Writes a text as a GBNF literal.
fn quoted(text: &str) -> String {
    let mut written = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            other => written.push(other),
        }
    }
    written.push('"');
    written
}
