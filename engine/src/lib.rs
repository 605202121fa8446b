//! PolyRAG answers questions about a folder of files on one machine and shows its arithmetic.
//!
//! Layers, imports going one way: the faces (`bin`, later server and Python) use [`engine`];
//! `engine` uses `ingest` and `ask`; those use `store`, `models` and `read`; everything uses
//! [`decide`], which owns the types it computes and does no I/O at all.

pub mod ask;
pub mod config;
pub mod decide;
pub mod engine;
pub mod error;
pub mod ingest;
pub mod models;
pub mod read;
pub mod report;
pub mod store;
pub mod trace;

pub use error::{Error, Result};
