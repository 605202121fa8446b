//! The grammar: what it lets a model write, judged by a small GBNF recogniser.
#![allow(clippy::unwrap_used, clippy::print_stderr, missing_docs)]

mod sql_support;

use std::collections::{BTreeSet, HashMap};

use polyrag::decide::sql::grammar::grammar;
use polyrag::decide::sql::tokens::{TokenKind, tokens};
use polyrag::decide::sql::words::{identifier, literal};
use polyrag::decide::sql::{SchemaCard, SqlLimits};
use polyrag::store::tables::guard::ReadOnly;
use polyrag::store::tables::{SCHEMA, import_sqlite, schema};
use rusqlite::Connection;
use sql_support::{Catalog, integers, table, texts};

/// GBNF: literals, classes, groups, alternatives, `?`, `*`, `+`, rule names.
enum Node {
    Literal(Vec<char>),
    Class(bool, Vec<(char, char)>),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat(Box<Node>, usize, bool),
    Rule(String),
}

struct Parser {
    text: Vec<char>,
    at: usize,
}

impl Parser {
    fn spaces(&mut self) {
        while self.text.get(self.at) == Some(&' ') {
            self.at += 1;
        }
    }

    fn choice(&mut self) -> Node {
        let mut branches = vec![self.sequence()];
        while self.text.get(self.at) == Some(&'|') {
            self.at += 1;
            branches.push(self.sequence());
        }
        if branches.len() == 1 { branches.remove(0) } else { Node::Choice(branches) }
    }

    fn sequence(&mut self) -> Node {
        let mut parts = Vec::new();
        loop {
            self.spaces();
            let part = match self.text.get(self.at) {
                Some('"') => self.literal(),
                Some('[') => self.class(),
                Some('(') => {
                    self.at += 1;
                    let inner = self.choice();
                    assert_eq!(self.text.get(self.at), Some(&')'));
                    self.at += 1;
                    inner
                }
                Some(c) if c.is_ascii_alphanumeric() => {
                    let start = self.at;
                    while self.text.get(self.at).is_some_and(char::is_ascii_alphanumeric) {
                        self.at += 1;
                    }
                    Node::Rule(self.text[start..self.at].iter().collect())
                }
                _ => break,
            };
            let (least, more) = match self.text.get(self.at) {
                Some('?') => (0, false),
                Some('*') => (0, true),
                Some('+') => (1, true),
                _ => {
                    parts.push(part);
                    continue;
                }
            };
            self.at += 1;
            parts.push(Node::Repeat(Box::new(part), least, more));
        }
        Node::Sequence(parts)
    }

    fn character(&mut self) -> char {
        let c = self.text[self.at];
        self.at += 1;
        if c != '\\' {
            return c;
        }
        self.at += 1;
        match self.text[self.at - 1] {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            other => other,
        }
    }

    fn literal(&mut self) -> Node {
        self.at += 1;
        let mut text = Vec::new();
        while self.text[self.at] != '"' {
            text.push(self.character());
        }
        self.at += 1;
        Node::Literal(text)
    }

    fn class(&mut self) -> Node {
        self.at += 1;
        let negated = self.text[self.at] == '^';
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        while self.text[self.at] != ']' {
            let low = self.character();
            let high = if self.text[self.at] == '-' && self.text[self.at + 1] != ']' {
                self.at += 1;
                self.character()
            } else {
                low
            };
            ranges.push((low, high));
        }
        self.at += 1;
        Node::Class(negated, ranges)
    }
}

struct Grammar(HashMap<String, Node>);

impl Grammar {
    fn parse(text: &str) -> Self {
        let mut rules = HashMap::new();
        for line in text.lines() {
            let (name, body) = line.split_once(" ::= ").unwrap_or_else(|| panic!("no rule: {line}"));
            let mut parser = Parser { text: body.chars().collect(), at: 0 };
            let node = parser.choice();
            assert_eq!(parser.at, parser.text.len(), "{line}");
            assert!(rules.insert(name.to_owned(), node).is_none(), "two rules {name}");
        }
        Self(rules)
    }

    fn accepts(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.rule("root", &text, 0, &mut HashMap::new()).contains(&text.len())
    }

    fn rule(
        &self,
        name: &str,
        text: &[char],
        at: usize,
        memo: &mut HashMap<(String, usize), BTreeSet<usize>>,
    ) -> BTreeSet<usize> {
        if let Some(known) = memo.get(&(name.to_owned(), at)) {
            return known.clone();
        }
        let node = self.0.get(name).unwrap_or_else(|| panic!("no rule {name}"));
        let ends = self.ends(node, text, at, memo);
        memo.insert((name.to_owned(), at), ends.clone());
        ends
    }

    fn ends(
        &self,
        node: &Node,
        text: &[char],
        at: usize,
        memo: &mut HashMap<(String, usize), BTreeSet<usize>>,
    ) -> BTreeSet<usize> {
        match node {
            Node::Literal(literal) => {
                if text[at..].starts_with(literal) {
                    BTreeSet::from([at + literal.len()])
                } else {
                    BTreeSet::new()
                }
            }
            Node::Class(negated, ranges) => match text.get(at) {
                Some(c) if ranges.iter().any(|(low, high)| low <= c && c <= high) != *negated => {
                    BTreeSet::from([at + 1])
                }
                _ => BTreeSet::new(),
            },
            Node::Sequence(parts) => {
                let mut ends = BTreeSet::from([at]);
                for part in parts {
                    ends = ends.iter().flat_map(|end| self.ends(part, text, *end, memo)).collect();
                }
                ends
            }
            Node::Choice(branches) => {
                branches.iter().flat_map(|branch| self.ends(branch, text, at, memo)).collect()
            }
            Node::Repeat(part, least, more) => {
                let mut all = if *least == 0 { BTreeSet::from([at]) } else { BTreeSet::new() };
                let mut last = BTreeSet::from([at]);
                loop {
                    last = last
                        .iter()
                        .flat_map(|end| self.ends(part, text, *end, memo))
                        .filter(|end| !all.contains(end))
                        .collect();
                    if last.is_empty() {
                        return all;
                    }
                    all.extend(&last);
                    if !more {
                        return all;
                    }
                }
            }
            Node::Rule(name) => self.rule(name, text, at, memo),
        }
    }
}

fn shop() -> Catalog {
    let mut catalog = Catalog::with(
        "vendas",
        &[
            ("região", texts(&["Norte"])),
            ("valor", integers(&[1])),
            ("valor_total", integers(&[1])),
            ("order", integers(&[1])),
        ],
    );
    catalog.add(2, &table("Preços 2026", &[("Preço \"cheio\"", integers(&[1])), ("id", integers(&[1]))]));
    catalog
}

#[test]
fn only_real_names_and_one_select_can_be_written() {
    let catalog = shop();
    let text = grammar(&schema(&catalog.writer).unwrap());
    let grammar = Grammar::parse(&text);
    for sql in [
        "SELECT COUNT(*) FROM vendas;",
        "SELECT SUM(valor), \"região\" FROM vendas GROUP BY \"região\" ORDER BY SUM(valor) DESC LIMIT 3;",
        "SELECT vendas.valor FROM vendas JOIN \"Preços 2026\" ON vendas.\"order\" = \"Preços 2026\".id;",
        "SELECT \"Preço \"\"cheio\"\"\" FROM \"Preços 2026\" WHERE id IN (1, 2) OR id BETWEEN 3 AND 4;",
        "SELECT T1.valor FROM vendas AS T1 JOIN vendas AS T2 ON T1.valor = T2.valor_total;",
        "SELECT t1.\"região\", T2.* FROM vendas AS t1 JOIN \"Preços 2026\" AS T2 ON t1.\"order\" = T2.id;\n",
        "SELECT AVG(total_valor) FROM (SELECT SUM(valor) AS total_valor FROM vendas GROUP BY \"região\") AS sub;",
        "WITH cte AS (SELECT valor AS total FROM vendas) SELECT total FROM cte;",
        "SELECT valor * 1.5 / NULLIF(valor_total, 0) FROM vendas WHERE \"região\" LIKE '%d''água%' AND NOT valor IS NULL;",
        "SELECT STRFTIME('%Y', \"região\"), ROUND(AVG(valor), 2) FROM vendas GROUP BY STRFTIME('%Y', \"região\") HAVING COUNT(*) > 1;",
        "SELECT valor FROM vendas WHERE valor = (SELECT MAX(valor) FROM vendas) UNION SELECT id FROM \"Preços 2026\";",
        "SELECT RANK() OVER (PARTITION BY \"região\" ORDER BY valor DESC) FROM vendas;",
        "SELECT CASE WHEN valor > 1 THEN 'a' ELSE 'b' END FROM vendas WHERE EXISTS (SELECT id FROM \"Preços 2026\");",
        "SELECT CAST(valor AS REAL) / -2 FROM vendas;",
        "SELECT valor FROM vendas",
        "SELECT valor FROM vendas\n",
    ] {
        assert!(grammar.accepts(sql), "refused: {sql}");
        catalog.query(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    for sql in [
        "SELECT 1; DROP TABLE vendas;",
        "SELECT valor FROM tables;",
        "SELECT desconto FROM vendas;",
        "SELECT vendas.id FROM vendas;",
        "SELECT order FROM vendas;",
        "SELECT região FROM vendas;",
        "SELECT printf('x') FROM vendas;",
        "SELECT valor FROM main.t1;",
        "DELETE FROM vendas;",
        "PRAGMA table_info(vendas);",
        "SELECT valor FROM vendas -- comment;",
        "SELECT TOTAL(valor) FROM vendas;",
        "SELECT T1.desconto FROM vendas AS T1;",
        "SELECT valor FROM vendas;\nDROP TABLE vendas;",
        "SELECT valor FROM vendas WHERE",
    ] {
        assert!(!grammar.accepts(sql), "accepted: {sql}");
    }
}

#[test]
fn the_grammar_stays_small_for_wide_schemas() {
    let columns: Vec<(String, sql_support::Column)> =
        (0..60).map(|n| (format!("coluna_de_medida_{n}"), integers(&[1]))).collect();
    let columns: Vec<(&str, sql_support::Column)> =
        columns.iter().map(|(name, c)| (name.as_str(), c.clone())).collect();
    let mut catalog = Catalog::new();
    for n in 0..12 {
        catalog.add(1, &table(&format!("tabela_{n}"), &columns));
    }
    let text = grammar(&schema(&catalog.writer).unwrap());
    assert!(text.len() < 60_000, "{} bytes", text.len());
    Grammar::parse(&text);
}

/// Spells a query as the grammar does: one space, upper-case keywords.
fn spell(sql: &str, card: &SchemaCard) -> String {
    let found: Vec<(TokenKind, String)> = tokens(sql)
        .into_iter()
        .map(|t| (t.kind, sql[t.start..t.end].to_owned()))
        .filter(|(_, text)| text != ";")
        .collect();
    let word = |index: usize| found.get(index).map_or("", |(_, text)| text.as_str());
    let columns: HashMap<String, String> = card
        .tables
        .iter()
        .flat_map(|table| table.columns.iter())
        .map(|column| (column.name.to_lowercase(), identifier(&column.name)))
        .collect();
    let keywords = [
        "select",
        "from",
        "where",
        "group",
        "by",
        "having",
        "order",
        "limit",
        "join",
        "on",
        "as",
        "and",
        "or",
        "not",
        "in",
        "like",
        "between",
        "distinct",
        "union",
        "intersect",
        "except",
        "asc",
        "desc",
        "count",
        "sum",
        "avg",
        "min",
        "max",
        "is",
        "null",
    ];
    let mut out = String::new();
    for (index, (kind, text)) in found.iter().enumerate() {
        let lower = text.trim_matches(|c| c == '"' || c == '`').to_lowercase();
        let before = word(index.wrapping_sub(1));
        let piece = if *kind == TokenKind::Quoted && !columns.contains_key(&lower) {
            literal(text.trim_matches('"'))
        } else if *kind == TokenKind::Word
            && keywords.contains(&lower.as_str())
            && before != "."
            && !(word(index + 1) != "(" && columns.contains_key(&lower))
        {
            lower.to_uppercase()
        } else if let (true, Some(table)) = (
            ["from", "join"].contains(&before.to_lowercase().as_str()) || word(index + 1) == ".",
            card.table(&lower),
        ) {
            identifier(&table.name)
        } else if let (true, Some(name)) =
            (*kind == TokenKind::Word || *kind == TokenKind::Quoted, columns.get(&lower))
        {
            name.clone()
        } else {
            text.clone()
        };
        let joined =
            out.is_empty() || [",", ")", "."].contains(&piece.as_str()) || [".", "("].contains(&before);
        let call =
            piece == "(" && ["COUNT", "SUM", "AVG", "MIN", "MAX"].iter().any(|name| out.ends_with(name));
        if !joined && !call {
            out.push(' ');
        }
        out.push_str(&piece);
    }
    out.push(';');
    out
}

/// Every gold query of a text-to-SQL set (`POLYRAG_TEXT2SQL` names its folder) parses and gives the
/// rows it gives on the original database.
#[test]
fn gold_queries_of_a_public_set_parse_and_run() {
    let Some(folder) = std::env::var_os("POLYRAG_TEXT2SQL").map(std::path::PathBuf::from) else { return };
    let questions = std::fs::read_to_string(folder.join("questions.jsonl")).unwrap();
    let mut open: HashMap<String, (Catalog, SchemaCard, Grammar, ReadOnly, Connection)> = HashMap::new();
    let (mut all, mut parsed, mut same) = (0, 0, 0);
    for line in questions.lines() {
        let question: serde_json::Value = serde_json::from_str(line).unwrap();
        let (db, gold) = (question["db"].as_str().unwrap(), question["gold_sql"].as_str().unwrap());
        let (_, card, grammar, store, original) = open.entry(db.to_owned()).or_insert_with(|| {
            let mut catalog = Catalog::new();
            catalog.writer.execute_batch(SCHEMA).unwrap();
            let path = folder.join(format!("databases/{db}.sqlite"));
            let tx = catalog.writer.transaction().unwrap();
            import_sqlite(&tx, 1, &path).unwrap();
            tx.commit().unwrap();
            let card = schema(&catalog.writer).unwrap();
            let grammar = Grammar::parse(&grammar(&card));
            let store = ReadOnly::open(&catalog.path, &SqlLimits::default()).unwrap();
            (catalog, card, grammar, store, Connection::open(path).unwrap())
        });
        let spelt = spell(gold, card);
        all += 1;
        if grammar.accepts(&spelt) {
            parsed += 1;
        } else {
            eprintln!("refused: {spelt}");
        }
        match store.query(spelt.trim_end_matches(';'), &Default::default()) {
            Ok(rows) => {
                let mut statement = original.prepare(gold).unwrap();
                let width = statement.column_count();
                let mut expected: Vec<String> = statement
                    .query_map([], |row| {
                        Ok((0..width).map(|i| cell(row.get_ref(i).unwrap())).collect::<Vec<_>>().join("|"))
                    })
                    .unwrap()
                    .map(Result::unwrap)
                    .collect();
                let mut found: Vec<String> = rows
                    .rows
                    .iter()
                    .map(|row| row.iter().map(json_cell).collect::<Vec<_>>().join("|"))
                    .collect();
                expected.truncate(if rows.truncated { 1000 } else { usize::MAX });
                expected.sort();
                found.sort();
                if rows.truncated || expected == found {
                    same += 1;
                } else {
                    eprintln!(
                        "other rows: {spelt}\n  {:?}\n  {:?}",
                        &expected[..expected.len().min(3)],
                        &found[..found.len().min(3)]
                    );
                }
            }
            Err(error) => eprintln!("error: {spelt}: {error}"),
        }
    }
    eprintln!("{parsed} of {all} parse, {same} give the same rows");
    assert!(parsed * 100 >= all * 99 && same * 100 >= all * 98);
}

fn cell(value: rusqlite::types::ValueRef<'_>) -> String {
    use rusqlite::types::ValueRef;
    match value {
        ValueRef::Null => "null".into(),
        ValueRef::Integer(number) => format!("{:.6}", number as f64),
        ValueRef::Real(number) => format!("{number:.6}"),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Blob(_) => "blob".into(),
    }
}

fn json_cell(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "null".into(),
        serde_json::Value::Number(number) => format!("{:.6}", number.as_f64().unwrap()),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
