//! Ingestion: read, chunk, place, store.

pub mod extract;
