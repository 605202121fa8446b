//! Placeholder until its owner lands.
pub mod tables;
