//! Stands in for the runtime in builds without it, so that callers need no conditions.

use std::convert::Infallible;
use std::path::Path;

use crate::models::{
    Cancel, Device, Embed, EmbedOptions, Generate, GenerateOptions, GenerateRequest, Generation, ModelError,
    ModelIdentity, Placement, Purpose,
};

/// Cannot exist in this build.
pub struct LlamaEmbedder(Infallible);

/// Cannot exist in this build.
pub struct LlamaGenerator(Infallible);

/// Lists the devices there are.
///
/// # Errors
/// Always: this build has no runtime.
pub fn devices() -> Result<Vec<Device>, ModelError> {
    Err(ModelError::NoRuntime)
}

impl LlamaEmbedder {
    /// Loads the model at `path`.
    ///
    /// # Errors
    /// Always: this build has no runtime.
    pub fn load(_path: &Path, _options: &EmbedOptions) -> Result<Self, ModelError> {
        Err(ModelError::NoRuntime)
    }

    /// Says where the model is and why.
    pub fn placement(&self) -> &Placement {
        match self.0 {}
    }
}

impl LlamaGenerator {
    /// Loads the model at `path`.
    ///
    /// # Errors
    /// Always: this build has no runtime.
    pub fn load(_path: &Path, _options: &GenerateOptions) -> Result<Self, ModelError> {
        Err(ModelError::NoRuntime)
    }

    /// Says where the model is and why.
    pub fn placement(&self) -> &Placement {
        match self.0 {}
    }
}

impl Embed for LlamaEmbedder {
    fn identity(&self) -> &ModelIdentity {
        match self.0 {}
    }

    fn embed(&self, _: Purpose, _: &[&str], _: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        match self.0 {}
    }

    fn count_tokens(&self, _: &str) -> Result<usize, ModelError> {
        match self.0 {}
    }

    fn window_tokens(&self) -> usize {
        match self.0 {}
    }
}

impl Generate for LlamaGenerator {
    fn identity(&self) -> &ModelIdentity {
        match self.0 {}
    }

    fn context_tokens(&self) -> usize {
        match self.0 {}
    }

    fn count_tokens(&self, _: &str) -> Result<usize, ModelError> {
        match self.0 {}
    }

    fn template_tokens(&self) -> usize {
        match self.0 {}
    }

    fn generate(
        &self,
        _: &GenerateRequest,
        _: &Cancel,
        _: &mut dyn FnMut(&str),
    ) -> Result<Generation, ModelError> {
        match self.0 {}
    }
}
