//! Identity of files and the hot folder: real files, real SQLite, real file system events, and a
//! small deterministic embedder in place of a model.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod backups;
mod copies;
mod departures;
mod failures;
mod program;
mod renames;
mod support;
mod watching;
