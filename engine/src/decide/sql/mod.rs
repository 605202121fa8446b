//! Text-to-SQL, the pure part: what the model is shown, what it may write, and what is refused.
//!
//! [`card`] is the schema as values; [`linking`] ties words of a question to stored values and
//! names; [`prompt`] and [`grammar`] say what the model sees and may produce; [`rewrite`] makes
//! division honest; [`smells`] rejects queries that cannot be an answer ([`compared`] finds what they compare); [`repair`] words the one
//! second try. Running SQL is `store::tables::guard`, calling the model is `ask::sql`.

pub mod card;
pub mod collate;
pub mod compared;
pub mod config;
pub mod grammar;
pub mod linking;
pub mod prompt;
pub mod relevance;
pub mod repair;
pub mod rewrite;
pub mod smells;
pub mod tokens;
pub mod words;

pub use card::{ColumnCard, ForeignKey, SchemaCard, TableCard};
pub use config::{SqlConfig, SqlLimits};
