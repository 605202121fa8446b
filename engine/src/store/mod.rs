//! The stores behind the catalog.

pub mod graph;
