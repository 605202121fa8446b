//! Placeholder until its owner lands.
