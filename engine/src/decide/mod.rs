//! Pure decisions: numbers and text in, a decision with every number behind it out.
//!
//! Nothing here opens a file, a socket or a database, calls a model, or reads a clock.

pub mod calibrate;
pub mod chunk;
pub mod cite;
pub mod classify;
pub mod followup;
pub mod graph_query;
pub mod graph_words;
pub mod guard;
pub mod identity;
pub mod infer;
pub mod language;
pub mod layout;
pub mod measure;
pub mod numbers;
pub mod pagerank;
pub mod rank;
pub mod route;
pub mod split;
pub mod sql;
pub mod table;
pub mod text;
pub mod triples;
pub mod vision;
pub mod watch;
