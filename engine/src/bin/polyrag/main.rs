//! The command line of PolyRAG.
fn main() {}
