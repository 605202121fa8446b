//! Models loaded on first use, from any thread, once.

use std::sync::{Arc, Mutex, PoisonError};

use crate::models::{Embed, Generate, ModelError, Ocr};

type Loader<T> = Box<dyn Fn() -> Result<Arc<T>, ModelError> + Send + Sync>;

/// A model that loads when first asked for. A failed load is tried again next time, so that a
/// fetched file counts without a restart.
pub struct Lazy<T: ?Sized> {
    loader: Loader<T>,
    loaded: Mutex<Option<Arc<T>>>,
}

impl<T: ?Sized> Lazy<T> {
    /// Wraps a loader.
    pub fn new(loader: impl Fn() -> Result<Arc<T>, ModelError> + Send + Sync + 'static) -> Self {
        Self { loader: Box::new(loader), loaded: Mutex::new(None) }
    }

    /// Wraps a model that is there already.
    pub fn ready(model: Arc<T>) -> Self
    where
        T: Send + Sync + 'static,
    {
        Self::new(move || Ok(Arc::clone(&model)))
    }

    /// Returns the model, loading it if needed; others asking meanwhile wait for the same load.
    ///
    /// # Errors
    /// What the loader said.
    pub fn get(&self) -> Result<Arc<T>, ModelError> {
        let mut slot = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = slot.as_ref() {
            return Ok(Arc::clone(model));
        }
        let model = (self.loader)()?;
        *slot = Some(Arc::clone(&model));
        Ok(model)
    }

    /// Whether it is loaded now.
    pub fn is_loaded(&self) -> bool {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// The models of an engine.
pub struct Models {
    /// Embedder.
    pub embed: Lazy<dyn Embed>,
    /// Generator; everything but wording, SQL and extraction works without it.
    pub generate: Lazy<dyn Generate>,
    /// Reader of pictures; without it pictures wait, and say so.
    pub ocr: Lazy<dyn Ocr>,
    /// Name of the generator's file, known without loading it: part of the cache's scope.
    pub generator_name: String,
}
