//! From configuration to models: which files, on which device, tested at start.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::{ConfigError, ModelConfig};
use crate::models::fetch::{Manifest, Profile, Role, resolve};
use crate::models::lazy::{Lazy, Models};
use crate::models::llama::{LlamaEmbedder, LlamaGenerator};
use crate::models::ocr::{OcrFiles, PpOcr};
use crate::models::options::{EmbedOptions, GenerateOptions, Gpu, Placement};
use crate::models::selftest::{Reference, self_test};
use crate::models::{Embed, Generate, ModelError, Ocr};

/// Stored vectors of the starter embedder, from its source implementation.
const REFERENCE: &str = include_str!("../../../models/reference/multilingual-e5-small.json");

/// Where loaded models were put, by role.
pub type Placements = Arc<Mutex<Vec<(&'static str, Placement)>>>;

/// Prepares the models of a configuration; nothing is loaded before it is needed.
///
/// The second value fills as models load.
///
/// # Errors
/// [`ConfigError`] for an unusable `[models]` section.
pub fn open(folder: &Path, config: &ModelConfig) -> Result<(Models, Placements), ConfigError> {
    let gpu = parse_gpu(&config.gpu)?;
    let placements = Placements::default();
    let manifest = Manifest::builtin()
        .map_err(|error| ConfigError { file: "manifest.toml".into(), message: error.to_string() })?;
    let generator_file = path_of(folder, &manifest, Role::Generate, &config.generate);
    let generator_name = match &generator_file {
        Ok(path) => path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        Err(_) => String::new(),
    };
    let (embed_folder, embed_config, embed_placements) =
        (folder.to_owned(), config.clone(), Arc::clone(&placements));
    let embed = Lazy::<dyn Embed>::new(move || {
        let path = path_in(&embed_folder, Role::Embed, &embed_config.embed)?;
        let options = EmbedOptions { gpu, threads: embed_config.threads, ..EmbedOptions::default() };
        let embedder = tested(&path, options)?;
        remember(&embed_placements, "embed", embedder.placement());
        Ok(Arc::new(embedder) as Arc<dyn Embed>)
    });
    let (generate_folder, generate_config, generate_placements) =
        (folder.to_owned(), config.clone(), Arc::clone(&placements));
    let generate = Lazy::<dyn Generate>::new(move || {
        let path = path_in(&generate_folder, Role::Generate, &generate_config.generate)?;
        let options = GenerateOptions {
            gpu,
            threads: generate_config.threads,
            context_tokens: generate_config.context_tokens,
            ..GenerateOptions::default()
        };
        let generator = LlamaGenerator::load(&path, &options)?;
        remember(&generate_placements, "generate", generator.placement());
        Ok(Arc::new(generator) as Arc<dyn Generate>)
    });
    let ocr_folder = folder.to_owned();
    let ocr = Lazy::<dyn Ocr>::new(move || {
        Ok(Arc::new(PpOcr::load(&ocr_files(&ocr_folder, &manifest))?) as Arc<dyn Ocr>)
    });
    Ok((Models { embed, generate, ocr, generator_name }, placements))
}

/// The files of the OCR that runs on the CPU, by their parts in the manifest.
pub fn ocr_files(folder: &Path, manifest: &Manifest) -> OcrFiles {
    let files = manifest.role(Profile::Starter, Role::Ocr);
    let part = |name: &str| {
        let file = files.iter().find(|model| model.part == name).map_or(name, |model| model.file.as_str());
        folder.join(file)
    };
    OcrFiles { detect: part("detect"), recognise: part("recognise"), direction: part("direction") }
}

/// Loads the embedder and compares it with its stored vectors; a GPU that fails gives way to the CPU.
fn tested(path: &Path, options: EmbedOptions) -> Result<LlamaEmbedder, ModelError> {
    let embedder = LlamaEmbedder::load(path, &options)?;
    let Ok(reference) = serde_json::from_str::<Reference>(REFERENCE) else { return Ok(embedder) };
    if embedder.identity().name != reference.model {
        // Vectors are stored for the starter embedder only; another is taken at its word.
        return Ok(embedder);
    }
    match self_test(&embedder, &reference, 2) {
        Ok(_) => Ok(embedder),
        Err(error) if embedder.placement().gpu => {
            tracing::warn!(%error, "the embedder failed its self-test on the GPU; using the CPU");
            let embedder = LlamaEmbedder::load(path, &EmbedOptions { gpu: Gpu::Off, ..options })?;
            self_test(&embedder, &reference, 2)?;
            Ok(embedder)
        }
        Err(error) => Err(error),
    }
}

fn path_in(folder: &Path, role: Role, configured: &str) -> Result<PathBuf, ModelError> {
    let manifest = Manifest::builtin()
        .map_err(|error| ModelError::Runtime { role: role.name(), reason: error.to_string() })?;
    path_of(folder, &manifest, role, configured)
}

fn path_of(folder: &Path, manifest: &Manifest, role: Role, configured: &str) -> Result<PathBuf, ModelError> {
    let configured = (!configured.is_empty()).then(|| Path::new(configured));
    resolve(folder, manifest, role, configured)
}

fn remember(placements: &Placements, role: &'static str, placement: &Placement) {
    let mut list = placements.lock().unwrap_or_else(PoisonError::into_inner);
    list.retain(|(known, _)| *known != role);
    list.push((role, placement.clone()));
}

fn parse_gpu(text: &str) -> Result<Gpu, ConfigError> {
    match text {
        "auto" => Ok(Gpu::Auto),
        "off" => Ok(Gpu::Off),
        number => number.parse().map(Gpu::Device).map_err(|_| ConfigError {
            file: "[models]".into(),
            message: format!("gpu = {number:?}: use \"auto\", \"off\" or a device number"),
        }),
    }
}
