//! The OCR role, as the loaders of files see it.

use crate::models::lazy::Lazy;
use crate::models::{Cancel, Ocr};
use crate::read::{Picture, PictureLine, PictureReader};

/// Reads pictures by the engine's OCR, which is loaded at the first one.
pub struct Pictures<'a> {
    /// The role.
    pub ocr: &'a Lazy<dyn Ocr>,
    /// Stops it between lines.
    pub cancel: &'a Cancel,
}

impl PictureReader for Pictures<'_> {
    fn read(&self, picture: &Picture) -> Result<Vec<PictureLine>, String> {
        let words = |error: crate::models::ModelError| match error.hint() {
            Some(hint) => format!("OCR failed: {error} (hint: {hint})"),
            None => format!("OCR failed: {error}"),
        };
        let ocr = self.ocr.get().map_err(words)?;
        let lines = ocr.read(picture.width, picture.height, &picture.rgb, self.cancel).map_err(words)?;
        let line = |line: crate::models::OcrLine| PictureLine {
            text: line.text,
            confidence: line.confidence,
            bounds: line.bounds,
        };
        Ok(lines.into_iter().map(line).collect())
    }
}
