//! PP-OCRv6 through `rten`: find lines, turn them upright, read them.
//!
//! Three ONNX models: detection (a probability map of text, Differentiable Binarization,
//! arXiv:1911.08947), direction (is a line upside down), recognition (a CTC sequence over 18,710
//! classes, its characters in the file's own metadata). Everything runs on the CPU, in Rust.

mod crop;
mod detect;
mod direction;
mod recognise;

use std::path::{Path, PathBuf};

use image::{DynamicImage, RgbImage};

use self::crop::Quad;
use self::detect::Detector;
use self::direction::Direction;
use self::recognise::Recogniser;
use crate::decide::layout::{Bounds, reading_order};
use crate::models::gguf::fingerprint;
use crate::models::{Cancel, ModelError, ModelIdentity, Ocr, OcrLine};

/// Name of the role in messages.
const ROLE: &str = "ocr";

/// Files of the model.
#[derive(Debug, Clone)]
pub struct OcrFiles {
    /// Finds lines.
    pub detect: PathBuf,
    /// Reads a line.
    pub recognise: PathBuf,
    /// Tells which way up it is.
    pub direction: PathBuf,
}

/// PP-OCRv6, loaded.
pub struct PpOcr {
    identity: ModelIdentity,
    detector: Detector,
    direction: Direction,
    recogniser: Recogniser,
}

impl PpOcr {
    /// Loads the three models.
    ///
    /// # Errors
    /// [`ModelError::Missing`], [`ModelError::WrongKind`].
    pub fn load(files: &OcrFiles) -> Result<Self, ModelError> {
        let detector = Detector::new(model(&files.detect)?);
        let direction = Direction::new(model(&files.direction)?);
        let recogniser = Recogniser::new(model(&files.recognise)?, &files.recognise)?;
        let identity = ModelIdentity {
            name: "PP-OCRv6".into(),
            fingerprint: fingerprint(&files.recognise)?,
            dimension: 0,
            pooling: String::new(),
        };
        Ok(Self { identity, detector, direction, recogniser })
    }

    /// Finds the lines of a page, turning it by a quarter when they run up or down.
    fn upright(&self, mut page: RgbImage, cancel: &Cancel) -> Result<(RgbImage, Vec<Quad>), ModelError> {
        let mut quads = self.detector.find(&page)?;
        let sideways = quads.iter().filter(|quad| quad.is_tall()).count();
        if sideways >= 3 && sideways * 3 > quads.len() * 2 {
            page = DynamicImage::ImageRgb8(page).rotate270().into_rgb8();
            check(cancel)?;
            quads = self.detector.find(&page)?;
        }
        check(cancel)?;
        if self.direction.is_upside_down(&page, &quads)? {
            page = DynamicImage::ImageRgb8(page).rotate180().into_rgb8();
            let (width, height) = (page.width() as f32, page.height() as f32);
            quads = quads.iter().map(|quad| quad.turned(width, height)).collect();
        }
        Ok((page, quads))
    }
}

impl Ocr for PpOcr {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn read(
        &self,
        width: usize,
        height: usize,
        rgb: &[u8],
        cancel: &Cancel,
    ) -> Result<Vec<OcrLine>, ModelError> {
        let side = |length: usize| u32::try_from(length).ok().filter(|length| *length > 0);
        let page = side(width)
            .zip(side(height))
            .and_then(|(width, height)| RgbImage::from_raw(width, height, rgb.to_vec()))
            .ok_or_else(|| runtime(format!("a picture of {width}x{height} with {} bytes", rgb.len())))?;
        let (page, quads) = self.upright(page, cancel)?;
        let read = self.recogniser.read(&page, &quads, cancel)?;
        let mut lines: Vec<OcrLine> = quads
            .iter()
            .zip(read)
            .filter(|(_, (text, _))| !text.trim().is_empty())
            .map(|(quad, (text, confidence))| OcrLine { text, confidence, bounds: quad.bounds() })
            .collect();
        let boxes: Vec<(Bounds, &str)> = lines
            .iter()
            .map(|line| {
                let [left, top, right, bottom] = line.bounds;
                (Bounds::new(left, top, right, bottom), line.text.as_str())
            })
            .collect();
        let order = reading_order(&boxes);
        let mut slots: Vec<Option<OcrLine>> = lines.drain(..).map(Some).collect();
        Ok(order.into_iter().filter_map(|at| slots[at].take()).collect())
    }
}

fn check(cancel: &Cancel) -> Result<(), ModelError> {
    if cancel.is_cancelled() { Err(ModelError::Cancelled) } else { Ok(()) }
}

fn model(path: &Path) -> Result<rten::Model, ModelError> {
    if !path.exists() {
        return Err(ModelError::Missing { role: ROLE, path: path.to_owned() });
    }
    let mut options = rten::ModelOptions::with_all_ops();
    options.prepack_weights(true);
    options.load_file(path).map_err(|error| ModelError::WrongKind {
        role: ROLE,
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

fn runtime(reason: String) -> ModelError {
    ModelError::Runtime { role: ROLE, reason }
}
