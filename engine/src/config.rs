//! Configuration: one TOML file compiled in with every default, and a person's own on top.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::decide::calibrate::CalibrationConfig;
use crate::decide::chunk::ChunkLimits;
use crate::decide::classify::ClassifyConfig;
use crate::decide::graph_query::GraphConfig;
use crate::decide::guard::CacheConfig;
use crate::decide::route::{RouterConfig, StoreKind};
use crate::decide::split::SplitConfig;
use crate::decide::sql::SqlConfig;
use crate::decide::watch::WatchConfig;
use crate::ingest::IngestConfig;
use crate::ingest::extract::ExtractionConfig;
use crate::read::ReadLimits;
use crate::store::vectors::VectorConfig;

/// The defaults, as a file people can read.
pub const DEFAULTS: &str = include_str!("../../config.toml");

/// Everything that can be set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Which models, and on what.
    pub models: ModelConfig,
    /// Routes with their example phrases.
    pub routes: Vec<RouteConfig>,
    /// How stages are weighed.
    pub router: RouterConfig,
    /// Fitting thresholds to an embedder.
    pub calibration: CalibrationConfig,
    /// Limits of reading files.
    pub read: ReadLimits,
    /// Taking files in.
    pub ingest: IngestConfig,
    /// The hot folder.
    pub watch: WatchConfig,
    /// Sizes of chunks.
    pub chunk: ChunkLimits,
    /// The router as a library.
    pub classify: ClassifyConfig,
    /// The vector index.
    pub vector: VectorConfig,
    /// Ranking passages.
    pub retrieval: RetrievalConfig,
    /// The relational route.
    pub sql: SqlConfig,
    /// The graph route.
    pub graph: GraphConfig,
    /// Finding facts in passages.
    pub extraction: ExtractionConfig,
    /// Splitting messages.
    pub split: SplitConfig,
    /// The answer cache.
    pub cache: CacheConfig,
    /// Wording answers.
    pub answer: AnswerConfig,
    /// Traces kept.
    pub trace: TraceConfig,
}

/// `[models]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// `auto` takes the full profile's file where it is there, else the starter's.
    pub profile: String,
    /// File of the embedder; empty for the profile's.
    pub embed: String,
    /// File of the generator; empty for the profile's.
    pub generate: String,
    /// `auto`, `off`, or a device number.
    pub gpu: String,
    /// CPU threads; 0 for the physical cores.
    pub threads: usize,
    /// Tokens of the generator's context.
    pub context_tokens: usize,
}

/// One `[[routes]]` entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteConfig {
    /// Name.
    pub name: String,
    /// The kind of store it leads to.
    pub store: StoreKind,
    /// Questions that go there.
    pub questions: Vec<String>,
    /// Text that is kept there; empty for tables, which are known by their kind.
    pub content: Vec<String>,
}

/// `[retrieval]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrievalConfig {
    /// Candidates taken from each ranking before fusion.
    pub candidates: usize,
    /// Weight of BM25 (over its own maximum) beside the cosine.
    pub lexical_weight: f32,
}

/// `[answer]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerConfig {
    /// System prompt.
    pub system: String,
    /// Most tokens of an answer.
    pub max_tokens: usize,
    /// Most passages of one part put before the model; the others are shown, not read.
    pub passages: usize,
    /// Most tokens of passages put before the model.
    pub context_tokens: usize,
}

/// `[trace]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceConfig {
    /// Traces kept in the catalog.
    pub keep: i64,
}

/// Why a configuration was refused.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {message}")]
pub struct ConfigError {
    /// The file.
    pub file: String,
    /// What is wrong, with its line.
    pub message: String,
}

impl Config {
    /// Returns the defaults.
    ///
    /// # Errors
    /// [`ConfigError`] if the compiled-in file is wrong, which a test rules out.
    pub fn defaults() -> Result<Self, ConfigError> {
        Self::parse("", "config.toml")
    }

    /// Reads a person's file over the defaults.
    ///
    /// # Errors
    /// [`ConfigError`] naming the line.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError { file: file.clone(), message: error.to_string() })?;
        Self::parse(&text, &file)
    }

    /// Merges `text` over the defaults: tables key by key, everything else (also `routes`) as a whole.
    ///
    /// # Errors
    /// [`ConfigError`] naming the line or the key.
    pub fn parse(text: &str, file: &str) -> Result<Self, ConfigError> {
        let refuse = |message: String| ConfigError { file: file.to_owned(), message };
        let mut merged: toml::Table = toml::from_str(DEFAULTS).map_err(|error| refuse(error.to_string()))?;
        let own: toml::Table = toml::from_str(text).map_err(|error| refuse(error.to_string()))?;
        merge(&mut merged, own);
        merged.try_into().map_err(|error: toml::de::Error| refuse(error.to_string()))
    }
}

fn merge(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(known)), toml::Value::Table(own)) => merge(known, own),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_file_and_the_code_agree_on_every_default() {
        let config = Config::defaults().unwrap();
        assert_eq!(config.router, RouterConfig::default());
        assert_eq!(config.classify, ClassifyConfig::default());
        assert_eq!(config.calibration, CalibrationConfig::default());
        assert_eq!(config.vector, VectorConfig::default());
        assert_eq!(config.read, ReadLimits::default());
        assert_eq!(config.ingest, IngestConfig::default());
        assert_eq!(config.watch, WatchConfig::default());
        assert_eq!(config.chunk, ChunkLimits::default());
        assert_eq!(config.sql, SqlConfig::default());
        assert_eq!(config.graph, GraphConfig::default());
        assert_eq!(config.extraction, ExtractionConfig::default());
        assert_eq!(config.split, SplitConfig::default());
        assert_eq!(config.cache, CacheConfig::default());
    }

    #[test]
    fn a_persons_file_changes_only_what_it_names() {
        let config = Config::parse("[router]\nborderline = 0.5\n", "mine.toml").unwrap();
        assert_eq!(config.router.borderline, 0.5);
        assert_eq!(config.router.anchor_weight, RouterConfig::default().anchor_weight);
    }

    #[test]
    fn unknown_keys_and_wrong_types_are_named() {
        for (text, named) in [("[router]\nbordrline = 1\n", "bordrline"), ("[trace]\nkeep = \"x\"\n", "keep")]
        {
            let error = Config::parse(text, "mine.toml").unwrap_err().to_string();
            assert!(error.contains("mine.toml") && error.contains(named), "{error}");
        }
        assert!(Config::parse("[router\n", "mine.toml").unwrap_err().to_string().contains("line 1"));
    }
}
