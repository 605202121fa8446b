//! Constants of extraction, its instruction and its grammar.

use crate::decide::triples::TripleLimits;

/// Constants of extraction; `config.toml`, section `[extraction]`, explains each.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionConfig {
    /// `model`, `patterns`, or `both`.
    pub method: Method,
    /// Most triples a model may write per passage.
    pub model_triples: usize,
    /// Most triples kept per passage, whoever wrote them.
    pub max_triples: usize,
    /// Most characters in a subject or object.
    pub entity_characters: usize,
    /// Most characters in a relation.
    pub relation_characters: usize,
    /// Most tokens a model may write per passage.
    pub max_tokens: usize,
    /// Passages given to the model at the same time.
    pub parallel: usize,
    /// The instruction to the model.
    pub prompt: String,
}

/// Who extracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The generator, or patterns where there is none.
    Model,
    /// Patterns only.
    Patterns,
    /// The generator's triples first, then those of the patterns.
    Both,
}

impl Default for ExtractionConfig {
    fn default() -> Self {
        Self {
            method: Method::Both,
            model_triples: 12,
            max_triples: 48,
            entity_characters: 80,
            relation_characters: 48,
            max_tokens: 320,
            parallel: 4,
            prompt: DEFAULT_PROMPT.to_owned(),
        }
    }
}

const DEFAULT_PROMPT: &str = "\
Extract the facts of the passage as a JSON array of triples [subject, relation, object].
- Copy names, codes, dates and values exactly as the passage writes them, in its language.
- Subject and object are short: a name, a code, a date, a value. Never a whole sentence.
- The relation is a short verb phrase in the passage's language.
- Write a name instead of a pronoun. One fact per triple, no repetition. No fact: [].

Passage: Frota > Manutenção
A oficina Serra Azul revisa os caminhões a cada 20.000 km. Ela responde a Lídia Prado.
Triples: [[\"oficina Serra Azul\",\"revisa\",\"caminhões\"],[\"caminhões\",\"revisados a cada\",\"20.000 km\"],[\"oficina Serra Azul\",\"responde a\",\"Lídia Prado\"]]

Passage: Harbour Line
Harbour Line, founded in 1931 by Tom Reyes, is a ferry company based in Aldport.
Triples: [[\"Harbour Line\",\"founded in\",\"1931\"],[\"Harbour Line\",\"founded by\",\"Tom Reyes\"],[\"Harbour Line\",\"is a\",\"ferry company\"],[\"Harbour Line\",\"based in\",\"Aldport\"]]";

impl ExtractionConfig {
    pub(super) fn limits(&self) -> TripleLimits {
        TripleLimits {
            entity_characters: self.entity_characters,
            relation_characters: self.relation_characters,
            per_passage: self.max_triples,
        }
    }

    /// Returns the GBNF grammar: an array of at most `model_triples` arrays of three non-empty,
    /// bounded strings.
    pub fn grammar(&self) -> String {
        let more = self.model_triples.saturating_sub(1);
        format!(
            r#"root ::= "[" (triple ("," " "? triple){{0,{more}}})? "]"
triple ::= "[" name "," " "? relation "," " "? name "]"
name ::= "\"" character{{1,{entity}}} "\""
relation ::= "\"" character{{1,{relation}}} "\""
character ::= [^"\\\x00-\x1F] | "\\" ["\\/]
"#,
            entity = self.entity_characters,
            relation = self.relation_characters,
        )
    }
}
