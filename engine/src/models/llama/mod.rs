//! The model runtime: llama.cpp in the process.
//!
//! Each context is created, used and dropped on its own thread; the handles here talk to it by
//! channels and can be shared between threads. Weights are mapped, not read.
#![cfg_attr(not(feature = "llama"), allow(dead_code))]

#[cfg(feature = "llama")]
mod backend;
#[cfg(feature = "llama")]
mod chat;
#[cfg(feature = "llama")]
mod device;
#[cfg(feature = "llama")]
mod embed;
#[cfg(feature = "llama")]
mod generate;
mod grammar;
#[cfg(feature = "llama")]
mod load;
#[cfg(any(feature = "llama", test))]
mod repetition;
#[cfg(feature = "llama")]
mod sampler;
#[cfg(feature = "llama")]
mod schedule;
#[cfg(any(feature = "llama", test))]
mod slots;
#[cfg(not(feature = "llama"))]
mod stub;
#[cfg(any(feature = "llama", test))]
mod text;
mod vectors;
#[cfg(any(feature = "llama", test))]
mod worker;

#[cfg(feature = "llama")]
pub use device::devices;
#[cfg(feature = "llama")]
pub use embed::LlamaEmbedder;
#[cfg(feature = "llama")]
pub use generate::LlamaGenerator;
pub use grammar::check as check_grammar;
#[cfg(not(feature = "llama"))]
pub use stub::{LlamaEmbedder, LlamaGenerator, devices};
pub use vectors::cosine;
