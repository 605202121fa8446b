//! Pictures of text: PNG, JPEG, WebP, BMP, and TIFF with any number of pages.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::pdf::listed;
use super::scan::{Scan, nominal_scale};
use super::{
    Kind, Mark, Picture, ReadError, ReadLimits, Reader, Reading, Source, TextDocument, Warning, normalise,
    stem,
};
use crate::decide::chunk::TextFormat;
use crate::decide::layout::{PageContent, compose, page_blocks, running_lines};

/// Bytes of decoding memory per allowed pixel: 16-bit RGBA, and a working copy.
const BYTES_PER_PIXEL: u64 = 16;

/// Reads the text of a picture by OCR.
///
/// # Errors
/// [`ReadError::Corrupt`], [`ReadError::TooLarge`], [`ReadError::Unsupported`]. Without OCR the
/// document is empty and incomplete, so that it is read again later.
pub(super) fn read(path: &Path, mut bytes: Vec<u8>, reader: &Reader) -> Result<Reading, ReadError> {
    let limits = reader.limits;
    let format =
        image::guess_format(&bytes).ok().filter(|format| format.reading_enabled()).ok_or_else(|| {
            ReadError::Unsupported {
                path: path.to_path_buf(),
                kind: Kind::Image,
                hint: "save it as .png, .jpg, .webp, .tif or .bmp and add that".into(),
            }
        })?;
    let frames = if format == ImageFormat::Tiff { tiff_pages(&bytes) } else { vec![None] };
    if frames.len() as u64 > limits.max_pages {
        return Err(super::error::too_large(
            path,
            "the number of pages",
            frames.len() as u64,
            "max_pages",
            limits.max_pages,
        ));
    }
    let mut pages =
        Pages { contents: Vec::new(), warnings: Vec::new(), missing: Vec::new(), several: frames.len() > 1 };
    for (index, frame) in frames.into_iter().enumerate() {
        if let Some(offset) = frame {
            // The header's first page is this one: the decoder starts there.
            bytes[4..8].copy_from_slice(&offset);
        }
        match decode(path, &bytes, format, limits) {
            Ok(picture) => pages.read(index, &picture, reader),
            Err(error) if index == 0 => return Err(error),
            Err(error) => pages.miss(index, &error.to_string()),
        }
    }
    Ok(pages.reading(path, limits))
}

/// Decodes the first picture of some bytes, whatever their format; `path` is for messages.
///
/// # Errors
/// What is wrong with it, in words.
pub(super) fn decode_any(path: &Path, bytes: &[u8], limits: &ReadLimits) -> Result<Picture, String> {
    let format = image::guess_format(bytes).ok().filter(|format| format.reading_enabled());
    let format = format.ok_or("its format is not one of PNG, JPEG, WebP, TIFF and BMP")?;
    decode(path, bytes, format, limits).map_err(|error| error.to_string())
}

/// Decodes one picture, upright, on white.
fn decode(path: &Path, bytes: &[u8], format: ImageFormat, limits: &ReadLimits) -> Result<Picture, ReadError> {
    let corrupt = |reason: String| ReadError::Corrupt { path: path.to_path_buf(), kind: Kind::Image, reason };
    let step = AssertUnwindSafe(|| -> Result<Picture, ReadError> {
        let mut opened = ImageReader::with_format(Cursor::new(bytes), format);
        let mut bounds = Limits::default();
        bounds.max_alloc = Some(limits.max_pixels.saturating_mul(BYTES_PER_PIXEL));
        opened.limits(bounds);
        let mut decoder = opened.into_decoder().map_err(|error| corrupt(error.to_string()))?;
        let (width, height) = decoder.dimensions();
        let pixels = u64::from(width) * u64::from(height);
        if pixels > limits.max_pixels {
            return Err(super::error::too_large(
                path,
                "the number of pixels",
                pixels,
                "max_pixels",
                limits.max_pixels,
            ));
        }
        let orientation = decoder.orientation().ok();
        let mut image = DynamicImage::from_decoder(decoder).map_err(|error| corrupt(error.to_string()))?;
        if let Some(orientation) = orientation {
            image.apply_orientation(orientation);
        }
        Ok(on_white(image))
    });
    catch_unwind(step).unwrap_or_else(|_| Err(corrupt("the decoder failed on it".into())))
}

fn on_white(image: DynamicImage) -> Picture {
    let (width, height) = (image.width() as usize, image.height() as usize);
    if !image.color().has_alpha() {
        return Picture { width, height, rgb: image.into_rgb8().into_raw() };
    }
    let rgba = image.into_rgba8().into_raw();
    let blend = |value: u8, alpha: u8| {
        let (value, alpha) = (u32::from(value), u32::from(alpha));
        ((value * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    let rgb = rgba.chunks_exact(4).flat_map(|pixel| [0, 1, 2].map(|at| blend(pixel[at], pixel[3]))).collect();
    Picture { width, height, rgb }
}

/// Offsets of a TIFF's pages (image file directories), as they stand in the file; `[None]` for
/// what is no classic TIFF. A chain that runs in a circle ends where it closes.
fn tiff_pages(bytes: &[u8]) -> Vec<Option<[u8; 4]>> {
    let little = bytes.starts_with(b"II*\0");
    let number = |at: usize, length: usize| -> Option<usize> {
        let field = bytes.get(at..at.checked_add(length)?)?;
        let fold = |value: usize, byte: &u8| value << 8 | usize::from(*byte);
        Some(if little { field.iter().rev().fold(0, fold) } else { field.iter().fold(0, fold) })
    };
    let mut pages: Vec<[u8; 4]> = Vec::new();
    let mut at = 4;
    while let Some(field) = bytes.get(at..at + 4).and_then(|field| <[u8; 4]>::try_from(field).ok()) {
        let Some(offset) = number(at, 4).filter(|offset| *offset != 0) else { break };
        let Some(entries) = number(offset, 2) else { break };
        if pages.contains(&field) {
            break;
        }
        pages.push(field);
        at = offset + 2 + entries * 12;
    }
    if pages.is_empty() { vec![None] } else { pages.into_iter().map(Some).collect() }
}

/// The pages of one file on their way.
struct Pages {
    contents: Vec<PageContent>,
    warnings: Vec<String>,
    missing: Vec<String>,
    several: bool,
}

impl Pages {
    fn place(&self, index: usize) -> String {
        if self.several { format!("page {}: ", index + 1) } else { String::new() }
    }

    fn miss(&mut self, index: usize, why: &str) {
        let why = format!("{}{why}", self.place(index));
        self.warnings.push(why.clone());
        self.missing.push(why);
        self.contents.push(PageContent::default());
    }

    fn read(&mut self, index: usize, picture: &Picture, reader: &Reader) {
        let Some(pictures) = reader.pictures else {
            return self.miss(index, "it is a picture, and OCR is off");
        };
        let lines = match pictures.read(picture) {
            Ok(lines) => lines,
            Err(why) => return self.miss(index, &why),
        };
        let scale = nominal_scale(&lines);
        let scan = Scan::new(&lines, scale, (0.0, 0.0), reader.limits.min_ocr_confidence);
        let place = self.place(index);
        if scan.words.is_empty() {
            self.warnings.push(format!("{place}OCR found no text in it"));
        } else {
            self.warnings.push(format!("{place}read by OCR, mean confidence {:.2}", scan.confidence));
        }
        if scan.dropped > 0 {
            let what = "lines were too uncertain (below min_ocr_confidence) and left out";
            self.warnings.push(format!("{place}{} {what}", scan.dropped));
        }
        self.contents.push(scan.page(picture.width as f32 * scale, picture.height as f32 * scale));
    }

    fn reading(mut self, path: &Path, limits: &ReadLimits) -> Reading {
        let running = running_lines(&mut self.contents);
        let written = compose(self.contents.iter().map(page_blocks).collect()).pages;
        let (mut text, mut marks) = (String::new(), Vec::new());
        for (index, page) in written.into_iter().enumerate().filter(|(_, page)| !page.trim().is_empty()) {
            if self.several {
                marks.push(Mark { at: text.len(), place: format!("page {}", index + 1) });
            }
            text.push_str(&normalise(page));
        }
        let mut document = TextDocument::new(stem(path), TextFormat::Markdown, text, "image");
        document.marks = marks;
        for (name, value) in [("header", running.header), ("footer", running.footer)] {
            if !value.is_empty() {
                document.metadata.insert(name.into(), normalise(value));
            }
        }
        let what = if document.text.trim().is_empty() { "no text" } else { "incomplete" };
        document.incomplete = self.missing.first().map(|why| format!("{what}: {why}"));
        document.warnings = listed(self.warnings, limits.max_warnings);
        Reading { kind: Kind::Image, sources: vec![Source::Text(document)], warnings: Vec::<Warning>::new() }
    }
}
