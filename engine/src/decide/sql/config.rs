//! The `[sql]` section of the configuration.

use serde::{Deserialize, Serialize};

/// Limits of one query: what SQLite enforces, whatever the query says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SqlLimits {
    /// Milliseconds a query may run.
    pub deadline_ms: u64,
    /// Rows returned; more are counted, not returned.
    pub max_rows: usize,
    /// Bytes of one value (`SQLITE_LIMIT_LENGTH`).
    pub max_value_bytes: u32,
    /// Bytes of the statement.
    pub max_sql_bytes: u32,
    /// Depth of an expression (`SQLITE_LIMIT_EXPR_DEPTH`).
    pub max_depth: u32,
    /// Terms of a compound SELECT (`SQLITE_LIMIT_COMPOUND_SELECT`).
    pub max_compound: u32,
    /// Characters of a LIKE pattern.
    pub max_pattern: usize,
}

impl Default for SqlLimits {
    fn default() -> Self {
        Self {
            deadline_ms: 500,
            max_rows: 1000,
            max_value_bytes: 1_000_000,
            max_sql_bytes: 20_000,
            max_depth: 100,
            max_compound: 20,
            max_pattern: 1000,
        }
    }
}

/// How SQL is asked for, checked and repaired.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SqlConfig {
    /// Constrain generation by a grammar built from the schema.
    pub grammar: bool,
    /// Put stored values that the question names into the prompt.
    pub value_links: bool,
    /// Second tries after an error or a smell (0 or 1).
    pub repairs: usize,
    /// Show worked examples before the schema.
    pub examples: bool,
    /// Tables shown at most; the most relevant to the question are picked when there are more.
    pub max_tables: usize,
    /// Columns of one table shown at most.
    pub max_columns: usize,
    /// Sample rows shown per table.
    pub sample_rows: usize,
    /// Distinct values shown per text column.
    pub shown_values: usize,
    /// Value links shown per question.
    pub max_links: usize,
    /// Tokens the query may have.
    pub max_tokens: usize,
    /// Limits of the query itself.
    pub limits: SqlLimits,
}

impl Default for SqlConfig {
    fn default() -> Self {
        Self {
            grammar: true,
            value_links: true,
            repairs: 1,
            examples: true,
            max_tables: 12,
            max_columns: 60,
            sample_rows: 0,
            shown_values: 8,
            max_links: 8,
            max_tokens: 220,
            limits: SqlLimits::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_file_holds_the_defaults() {
        let file: toml::Table = toml::from_str(include_str!("../../../../config.toml")).unwrap();
        let section: SqlConfig = file["sql"].clone().try_into().unwrap();
        assert_eq!(section, SqlConfig::default());
        let written = toml::Table::try_from(SqlConfig::default()).unwrap();
        assert_eq!(file["sql"].as_table().unwrap(), &written, "every key is in the file");
    }
}
