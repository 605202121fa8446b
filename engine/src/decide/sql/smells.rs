//! Structural smells: queries that run but cannot be an answer.

use serde::{Deserialize, Serialize};

use super::card::SchemaCard;
use super::tokens::{Token, tokens};
use super::words::literal;
use crate::decide::text::{fold, folded_words};

/// What is wrong with a query that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Smell {
    /// It reads no table: only literals or what it made itself.
    NoTableRead,
    /// `SELECT *` without a condition, for a question that does not ask for everything.
    EverythingSelected,
    /// It compares a column with a text that the column does not hold.
    ValueNotStored {
        /// The column, with its table.
        column: String,
        /// The text in the query.
        text: String,
        /// What the column holds, most alike first.
        stored: Vec<String>,
    },
    /// It lists a figure of several rows although the question asks for one figure.
    SeveralRowsForOneFigure {
        /// Rows it gave.
        rows: usize,
    },
    /// It counts rows although the question asks how many of something the table has a quantity of.
    CountsRowsOfQuantities {
        /// The quantity column.
        column: String,
    },
}

impl Smell {
    /// Words for the model and for the trace.
    pub fn words(&self) -> String {
        match self {
            Self::NoTableRead => "the query reads no table".into(),
            Self::EverythingSelected => "select only the columns the question asks for, not *".into(),
            Self::ValueNotStored { column, text, stored } => {
                let stored: Vec<String> = stored.iter().map(|value| literal(value)).collect();
                format!("{column} never is {}; it holds {}", literal(text), stored.join(", "))
            }
            Self::SeveralRowsForOneFigure { rows } => {
                format!(
                    "the question asks for one figure, the query gives {rows} rows: add them up with SUM()"
                )
            }
            Self::CountsRowsOfQuantities { column } => {
                format!("COUNT counts rows; {column} already holds a quantity, so use SUM({column})")
            }
        }
    }
}

/// What a query that ran returned, as far as smells go.
#[derive(Debug, Clone, Copy)]
pub struct Ran<'a> {
    /// The query.
    pub sql: &'a str,
    /// Tables it read.
    pub tables_read: &'a [String],
}

/// Finds the first structural smell of a query that ran.
pub fn smell(question: &str, ran: Ran<'_>, card: &SchemaCard) -> Option<Smell> {
    if ran.tables_read.is_empty() {
        return Some(Smell::NoTableRead);
    }
    let tokens = tokens(ran.sql);
    let word = |index: usize| tokens.get(index).map_or("", |t: &Token| &ran.sql[t.start..t.end]);
    let bare_star =
        word(1) == "*" && !(0..tokens.len()).any(|index| word(index).eq_ignore_ascii_case("where"));
    if bare_star && !asks_for_everything(question) {
        return Some(Smell::EverythingSelected);
    }
    counts_quantities(question, ran, card)
}

/// "Qual foi a receita de março?" answered by a list of the single rows' figures.
///
/// Only where one numeric column came back without an aggregate, a grouping or a limit, and the
/// question is in the singular.
pub fn several_for_one(question: &str, sql: &str, rows: &[Vec<serde_json::Value>]) -> Option<Smell> {
    let words = folded_words(question);
    let opens =
        |start: &[&str]| words.len() > start.len() && words.iter().zip(start).all(|(word, own)| word == own);
    let singular = [
        &["qual", "foi"][..],
        &["qual", "e"],
        &["qual", "a"],
        &["qual", "o"],
        &["what", "was"],
        &["what", "is"],
    ]
    .iter()
    .any(|start| opens(start))
        || opens(&["quanto"])
        || opens(&["how", "much"]);
    let listed = rows.len() > 1 && rows.iter().all(|row| row.len() == 1 && row[0].is_number());
    let text = fold(sql).replace(' ', "");
    let aggregated = ["sum(", "avg(", "count(", "max(", "min(", "total(", "groupby", "distinct", "limit"]
        .iter()
        .any(|part| text.contains(part));
    (singular && listed && !aggregated).then_some(Smell::SeveralRowsForOneFigure { rows: rows.len() })
}

/// Whether a result says nothing: no row, or nothing but empty cells and zeros.
pub fn says_nothing(rows: &[Vec<serde_json::Value>]) -> bool {
    rows.iter().flatten().all(|cell| cell.is_null() || cell.as_f64() == Some(0.0))
}

/// Whether a question wants every column: "all details", "everything", "todas as informações".
fn asks_for_everything(question: &str) -> bool {
    folded_words(question).iter().any(|word| {
        matches!(
            word.as_str(),
            "everything"
                | "details"
                | "detail"
                | "information"
                | "info"
                | "rows"
                | "records"
                | "columns"
                | "fields"
                | "tudo"
                | "detalhes"
                | "informacao"
                | "informacoes"
                | "linhas"
                | "registros"
                | "dados"
                | "colunas"
                | "campos"
                | "contents"
                | "conteudo"
                | "tabela"
                | "table"
        )
    })
}

/// "How many" answered by `COUNT(*)` on a table with one obvious quantity column.
fn counts_quantities(question: &str, ran: Ran<'_>, card: &SchemaCard) -> Option<Smell> {
    let words = folded_words(question);
    let how_many = words.windows(2).any(|pair| pair[0] == "how" && pair[1] == "many")
        || words.iter().any(|word| word.starts_with("quant") && word.len() >= 6);
    // "How many rows / records / sales were there" asks for rows.
    let rows_meant = words.iter().any(|word| {
        matches!(
            word.as_str(),
            "rows"
                | "records"
                | "linhas"
                | "registros"
                | "lines"
                | "vezes"
                | "times"
                | "different"
                | "diferentes"
        )
    });
    let sql = fold(ran.sql).replace(' ', "");
    if !how_many || rows_meant || !sql.starts_with("selectcount(*)from") || ran.tables_read.len() != 1 {
        return None;
    }
    let table = card.table(&ran.tables_read[0])?;
    let quantity = table.columns.iter().find(|column| {
        let name = fold(&column.name);
        matches!(
            name.as_str(),
            "count" | "quantity" | "qty" | "qtd" | "qtde" | "quantidade" | "units" | "unidades" | "contagem"
        )
    })?;
    Some(Smell::CountsRowsOfQuantities { column: quantity.name.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_figure_is_not_a_list_of_figures() {
        let list = vec![vec![serde_json::json!(1)], vec![serde_json::json!(2)]];
        let smells = |question: &str, sql: &str| several_for_one(question, sql, &list).is_some();
        assert!(smells("Qual foi a receita do mês de março?", "SELECT receita FROM v WHERE mes = 'marco'"));
        assert!(smells("What was the revenue in March?", "SELECT receita FROM v WHERE mes = 'marco'"));
        assert!(!smells("Quais foram as receitas de março?", "SELECT receita FROM v WHERE mes = 'marco'"));
        assert!(!smells("Qual foi a receita por região?", "SELECT SUM(receita) FROM v GROUP BY regiao"));
        assert!(several_for_one("Qual foi a receita?", "SELECT receita FROM v", &list[..1]).is_none());
    }
}
