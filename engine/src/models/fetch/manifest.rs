//! The list of model files, compiled into the executable.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::FetchError;

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Texts to vectors.
    Embed,
    /// Prompts to text.
    Generate,
    /// Pictures to text.
    Ocr,
}

impl Role {
    /// Returns the role's name as the contract writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Embed => "embed",
            Self::Generate => "generate",
            Self::Ocr => "ocr",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A set of model files that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Runs on two CPU cores.
    Starter,
    /// Wants about 6 GB of GPU memory.
    Full,
    /// Small models for tests; never chosen by itself.
    Test,
}

impl Profile {
    /// Returns the profile's name as the contract writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Starter => "starter",
            Self::Full => "full",
            Self::Test => "test",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Starter, Self::Full, Self::Test]
            .into_iter()
            .find(|profile| profile.name() == text)
            .ok_or_else(|| format!("unknown profile {text:?}: starter, full or test"))
    }
}

/// One file of the model set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ModelFile {
    /// The set it belongs to.
    pub profile: Profile,
    /// What it is for.
    pub role: Role,
    /// Which part of the role's model it is, where there are several files; else empty.
    #[serde(default)]
    pub part: String,
    /// Name for people.
    pub name: String,
    /// File name in the models folder.
    pub file: String,
    /// Bytes; unknown until the first fetch for files that nobody could pin yet.
    pub size: Option<u64>,
    /// SHA-256 in lower-case hexadecimal; unknown likewise.
    pub sha256: Option<String>,
    /// SPDX name of the weights' licence.
    pub licence: String,
    /// Addresses, tried in order; empty when the file is only assembled from packages.
    pub source: Vec<String>,
}

/// The list of model files.
#[derive(Debug, Clone, Deserialize)]
pub struct Manifest {
    version: u32,
    #[serde(rename = "model")]
    models: Vec<ModelFile>,
}

/// The format this code reads.
const VERSION: u32 = 1;

impl Manifest {
    /// Returns the manifest this executable was built with.
    ///
    /// # Errors
    /// [`FetchError::Manifest`], which a test rules out for every build.
    pub fn builtin() -> Result<Self, FetchError> {
        Self::parse(include_str!("../../../../models/manifest.toml"))
    }

    /// Reads a manifest, and checks what a mistake in it would make dangerous.
    ///
    /// # Errors
    /// [`FetchError::Manifest`] for anything that is not a manifest of this version, a file name
    /// that leaves the models folder, a digest that is none, or two files of one name.
    pub fn parse(text: &str) -> Result<Self, FetchError> {
        let manifest: Self =
            toml::from_str(text).map_err(|error| FetchError::Manifest { reason: error.to_string() })?;
        let refuse = |reason: String| Err(FetchError::Manifest { reason });
        if manifest.version != VERSION {
            return refuse(format!("version {} found, {VERSION} expected", manifest.version));
        }
        for (index, model) in manifest.models.iter().enumerate() {
            let file = &model.file;
            if file.is_empty() || file.starts_with('.') || file.contains(['/', '\\']) {
                return refuse(format!("{file:?} is not a plain file name"));
            }
            if model.sha256.as_ref().is_some_and(|digest| !is_digest(digest)) {
                return refuse(format!("the sha256 of {file} is not 64 lower-case hexadecimal digits"));
            }
            if manifest.models[..index].iter().any(|other| other.file == *file) {
                return refuse(format!("{file} is listed twice"));
            }
        }
        Ok(manifest)
    }

    /// Returns every file, in the manifest's order.
    pub fn files(&self) -> &[ModelFile] {
        &self.models
    }

    /// Returns a profile's files.
    pub fn profile(&self, profile: Profile) -> impl Iterator<Item = &ModelFile> {
        self.models.iter().filter(move |model| model.profile == profile)
    }

    /// Returns a role's files in a profile: the main one first, then its parts.
    pub fn role(&self, profile: Profile, role: Role) -> Vec<&ModelFile> {
        self.profile(profile).filter(|model| model.role == role).collect()
    }
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
