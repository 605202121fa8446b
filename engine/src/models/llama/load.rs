//! From a path to loaded weights: checked, placed, identified.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use llama_cpp_2::model::LlamaModel;

use super::backend::{LogTail, backend};
use super::device::{Choice, choose, devices};
use crate::models::ModelError;
use crate::models::gguf::{self, Header, Kind};
use crate::models::options::Gpu;

/// Weights in memory and where they were put.
pub(super) struct Loaded {
    pub(super) model: Arc<LlamaModel>,
    pub(super) header: Header,
    pub(super) choice: Choice,
    pub(super) load_ms: u64,
}

/// Loads the weights of `path` for `role`; a GPU that fails gives way to the CPU, with the
/// reason in the choice, unless the GPU was asked for.
pub(super) fn load(
    path: &Path,
    role: Kind,
    gpu: Gpu,
    working_bytes: u64,
    log: &LogTail,
) -> Result<Loaded, ModelError> {
    let started = Instant::now();
    let header = gguf::check(path, role)?;
    let backend = backend()?;
    let devices = devices()?;
    let mut choice = choose(gpu, &devices, header.layers(), header.weight_bytes(), working_bytes)?;
    let attempt = |choice: &Choice| -> Result<LlamaModel, ModelError> {
        let params = choice.model_params()?;
        log.watch(|| LlamaModel::load_from_file(backend, path, &params)).map_err(|error| {
            ModelError::WrongKind {
                role: role.name(),
                path: path.to_path_buf(),
                reason: log.reason(&format!("llama.cpp refused it ({error})")),
            }
        })
    };
    let model = match attempt(&choice) {
        Err(error) if choice.is_gpu() && gpu == Gpu::Auto => {
            choice = Choice::cpu(format!("{} failed: {error}", choice.name()));
            attempt(&choice)?
        }
        result => result?,
    };
    let load_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Loaded { model: Arc::new(model), header, choice, load_ms })
}

/// Names a model file: `general.name`, or the file's stem.
pub(super) fn model_name(header: &Header, path: &Path) -> String {
    match header.text("general.name") {
        Some(name) if !name.trim().is_empty() => name.to_string(),
        _ => path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
    }
}
