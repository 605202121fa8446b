//! Placeholder until its owner lands.
pub mod sql;
