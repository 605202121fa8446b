//! Pictures of text with the real OCR models, and without any.
#![allow(clippy::unwrap_used)]

mod pages_support;

use std::io::Cursor;
use std::sync::OnceLock;

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use image::{DynamicImage, ImageFormat, RgbImage};
use pages_support::{HEIGHT, Page, Spoken, WIDTH, models, pdf, try_read, warned};
use polyrag::models::fetch::Manifest;
use polyrag::models::ocr::PpOcr;
use polyrag::models::open::ocr_files;
use polyrag::models::{Cancel, ModelError, Ocr};
use polyrag::read::{Picture, PictureLine, PictureReader, ReadError, ReadLimits, Reader, TextDocument};

struct Real(PpOcr);

impl PictureReader for Real {
    fn read(&self, picture: &Picture) -> Result<Vec<PictureLine>, String> {
        let lines = self.0.read(picture.width, picture.height, &picture.rgb, &Cancel::default());
        let lines = lines.map_err(|error| error.to_string())?.into_iter();
        Ok(lines
            .map(|line| PictureLine { text: line.text, confidence: line.confidence, bounds: line.bounds })
            .collect())
    }
}

/// The real models, loaded once; `None` when their files are not there.
fn real() -> Option<&'static Real> {
    static REAL: OnceLock<Option<Real>> = OnceLock::new();
    let load = || Some(Real(PpOcr::load(&ocr_files(&models()?, &Manifest::builtin().unwrap())).unwrap()));
    REAL.get_or_init(load).as_ref()
}

/// Draws the first page of a PDF.
fn drawn(page: Page, dots_per_inch: f32) -> RgbImage {
    let file = Pdf::new(pdf(&[page])).unwrap();
    let cache = RenderCache::new();
    let scale = dots_per_inch / 72.0;
    let settings = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    let pixmap = render(
        &file.pages()[0],
        &cache,
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &settings,
    );
    let rgb =
        pixmap.data_as_u8_slice().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    RgbImage::from_raw(u32::from(pixmap.width()), u32::from(pixmap.height()), rgb).unwrap()
}

const LINES: &[&str] = &[
    "Recibo de abastecimento número 4821",
    "Posto São Jorge, Avenida Brasil, 350",
    "Data 17/03/2026 às 14:05",
    "Total pago R$ 268,40 em dinheiro",
];

fn receipt() -> RgbImage {
    // Only the part with text, so that the test is quick.
    let page = drawn(Page::new().lines(50.0, 60.0, 12.0, LINES), 150.0);
    image::imageops::crop_imm(&page, 60, 70, 700, 160).to_image()
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn read_with(name: &str, bytes: &[u8], ocr: &dyn PictureReader) -> TextDocument {
    let limits = ReadLimits::default();
    try_read(name, bytes, &Reader { pictures: Some(ocr), ..Reader::new(&limits) }).unwrap()
}

/// Share of the words of `expected` that are in `text`.
fn recall(expected: &[&str], text: &str) -> f32 {
    let words: Vec<&str> = expected.iter().flat_map(|line| line.split_whitespace()).collect();
    let found: Vec<&str> = text.split_whitespace().collect();
    words.iter().filter(|word| found.contains(word)).count() as f32 / words.len() as f32
}

#[test]
fn every_format_of_picture_is_read() {
    let Some(ocr) = real() else { return };
    let image = DynamicImage::ImageRgb8(receipt());
    for (name, format) in [
        ("a.png", ImageFormat::Png),
        ("a.jpg", ImageFormat::Jpeg),
        ("a.webp", ImageFormat::WebP),
        ("a.bmp", ImageFormat::Bmp),
        ("a.tif", ImageFormat::Tiff),
    ] {
        let document = read_with(name, &encoded(&image, format), ocr);
        let share = recall(LINES, &document.text);
        assert!(share >= 0.95, "{name}: {share} {:?}", document.text);
        assert!(document.text.contains("17/03/2026") && document.text.contains("268,40"), "{name}");
        assert!(document.text.contains("São"), "{name}: {:?}", document.text);
        assert!(
            document.incomplete.is_none() && warned(&document, "mean confidence 0.9"),
            "{:?}",
            document.warnings
        );
    }
}

#[test]
fn a_page_may_lie_on_any_side() {
    let Some(ocr) = real() else { return };
    let upright = DynamicImage::ImageRgb8(receipt());
    for (turn, image) in [(180, upright.rotate180()), (90, upright.rotate90()), (270, upright.rotate270())] {
        let document = read_with("a.png", &encoded(&image, ImageFormat::Png), ocr);
        let share = recall(LINES, &document.text);
        assert!(share >= 0.9, "turned by {turn}: {share} {:?}", document.text);
        let at = |words: &str| document.text.find(words).unwrap();
        assert!(at("Recibo") < at("Total"), "turned by {turn}: {:?}", document.text);
    }
}

#[test]
fn transparent_and_grey_pictures_stand_on_white() {
    let Some(ocr) = real() else { return };
    let receipt = receipt();
    // Black on nothing: the colour under full transparency is black as well.
    let mut clear = image::RgbaImage::new(receipt.width(), receipt.height());
    for (to, from) in clear.pixels_mut().zip(receipt.pixels()) {
        *to = image::Rgba([0, 0, 0, 255 - from[0]]);
    }
    let document = read_with("a.png", &encoded(&DynamicImage::ImageRgba8(clear), ImageFormat::Png), ocr);
    assert!(recall(LINES, &document.text) >= 0.95, "{:?}", document.text);
    let grey = DynamicImage::ImageRgb8(receipt).into_luma8();
    let document = read_with("a.png", &encoded(&DynamicImage::ImageLuma8(grey), ImageFormat::Png), ocr);
    assert!(recall(LINES, &document.text) >= 0.95, "{:?}", document.text);
}

/// A TIFF of several pages: little-endian, 8-bit grey, uncompressed.
fn tiff(pages: &[RgbImage]) -> Vec<u8> {
    let mut file = b"II*\0\0\0\0\0".to_vec();
    let mut link = 4;
    for page in pages {
        let grey: Vec<u8> = page.pixels().map(|pixel| pixel[0]).collect();
        let strip = file.len() as u32;
        file.extend_from_slice(&grey);
        if file.len() % 2 == 1 {
            file.push(0);
        }
        let start = file.len() as u32;
        file[link..link + 4].copy_from_slice(&start.to_le_bytes());
        let entries: [(u16, u16, u32); 9] = [
            (256, 4, page.width()),
            (257, 4, page.height()),
            (258, 3, 8),
            (259, 3, 1),
            (262, 3, 1),
            (273, 4, strip),
            (277, 3, 1),
            (278, 4, page.height()),
            (279, 4, grey.len() as u32),
        ];
        file.extend_from_slice(&(entries.len() as u16).to_le_bytes());
        for (tag, kind, value) in entries {
            file.extend_from_slice(&tag.to_le_bytes());
            file.extend_from_slice(&kind.to_le_bytes());
            file.extend_from_slice(&1_u32.to_le_bytes());
            file.extend_from_slice(&value.to_le_bytes());
        }
        link = file.len();
        file.extend_from_slice(&0_u32.to_le_bytes());
    }
    file
}

#[test]
fn every_page_of_a_tiff_is_a_page() {
    let page = |shade: u8| RgbImage::from_pixel(60, 40, image::Rgb([shade, shade, shade]));
    let bytes = tiff(&[page(255), page(128), page(0)]);
    let ocr = Spoken::new(&["uma linha de texto"]);
    let document = read_with("fax.tif", &bytes, &ocr);
    assert_eq!(ocr.calls(), 3);
    let places: Vec<&str> = document.marks.iter().map(|mark| mark.place.as_str()).collect();
    assert_eq!(places, ["page 1", "page 2", "page 3"], "{:?}", document.text);
    let limits = ReadLimits { max_pages: 2, ..ReadLimits::default() };
    let error =
        try_read("fax.tif", &bytes, &Reader { pictures: Some(&ocr), ..Reader::new(&limits) }).unwrap_err();
    assert!(error.to_string().contains("max_pages = 2"), "{error}");
    // A chain of pages that leads back to its beginning.
    let mut circle = tiff(&[page(255), page(0)]);
    let (first, length) = (circle[4..8].to_vec(), circle.len());
    circle[length - 4..].copy_from_slice(&first);
    assert_eq!(read_with("fax.tif", &circle, &ocr).marks.len(), 2);
}

#[test]
fn d07_a_scanned_pdf_is_read_by_the_real_models() {
    let Some(ocr) = real() else { return };
    let page = drawn(Page::new().lines(50.0, 80.0, 12.0, LINES), 150.0);
    let grey: Vec<u8> = page.pixels().map(|pixel| pixel[0]).collect();
    let size = (page.width() as usize, page.height() as usize);
    let scan = pdf(&[Page::new().picture([0.0, 0.0, WIDTH, HEIGHT], size, grey)]);
    let document = read_with("digitalizado.pdf", &scan, ocr);
    let share = recall(LINES, &document.text);
    assert!(share >= 0.95, "{share}: {:?}", document.text);
    assert_eq!(document.marks.len(), 1);
}

#[test]
fn d07_without_ocr_a_picture_waits() {
    let bytes = encoded(&DynamicImage::new_rgb8(40, 30), ImageFormat::Png);
    let limits = ReadLimits::default();
    let document = try_read("foto.png", &bytes, &Reader::new(&limits)).unwrap();
    assert!(document.incomplete.unwrap().contains("OCR is off"));
    let document = read_with("foto.png", &bytes, &Spoken::failing("the model is missing"));
    assert_eq!(document.incomplete.as_deref(), Some("no text: the model is missing"));
    // A picture without text is done, and says so.
    let document = read_with("foto.png", &bytes, &Spoken::new(&[]));
    assert!(document.incomplete.is_none() && warned(&document, "no text"));
}

#[test]
fn uncertain_lines_are_left_out_and_counted() {
    let bytes = encoded(&DynamicImage::new_rgb8(40, 30), ImageFormat::Png);
    let ocr = Spoken { confidence: 0.3, ..Spoken::new(&["l1xo", "lix0"]) };
    let document = read_with("foto.png", &bytes, &ocr);
    assert_eq!(document.text, "");
    assert!(warned(&document, "2 lines were too uncertain"), "{:?}", document.warnings);
}

#[test]
fn pictures_over_the_limits_and_damaged_ones_are_refused() {
    let whole = encoded(&DynamicImage::new_rgb8(400, 300), ImageFormat::Png);
    let limits = ReadLimits { max_pixels: 100_000, ..ReadLimits::default() };
    let error = try_read("grande.png", &whole, &Reader::new(&limits)).unwrap_err();
    assert!(error.to_string().contains("max_pixels = 100000"), "{error}");
    let limits = ReadLimits::default();
    for format in
        [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Bmp, ImageFormat::Tiff]
    {
        let whole = encoded(&DynamicImage::new_rgb8(50, 30), format);
        for part in 1..12 {
            // What still decodes (some formats do without their end) is a picture without text.
            match try_read("cortada", &whole[..whole.len() * part / 12], &Reader::new(&limits)) {
                Ok(document) => assert!(document.incomplete.is_some()),
                Err(error) => assert!(error.to_string().contains("cortada"), "{error}"),
            }
        }
    }
    let error = try_read("anim.gif", b"GIF89a\x01\x00\x01\x00", &Reader::new(&limits)).unwrap_err();
    assert!(matches!(error, ReadError::Unsupported { .. }) && error.hint().unwrap().contains(".png"));
}

#[test]
fn missing_and_wrong_models_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let files = ocr_files(folder.path(), &Manifest::builtin().unwrap());
    let error = PpOcr::load(&files).err().unwrap();
    assert!(matches!(error, ModelError::Missing { .. }) && error.to_string().contains("ppocrv6-det.onnx"));
    assert!(error.hint().unwrap().contains("polyrag models fetch"));
    std::fs::write(&files.detect, "no model at all").unwrap();
    assert!(matches!(PpOcr::load(&files).err().unwrap(), ModelError::WrongKind { .. }));
    let Some(real) = real() else { return };
    let stopped = Cancel::default();
    stopped.cancel();
    assert!(matches!(real.0.read(64, 64, &vec![255; 64 * 64 * 3], &stopped), Err(ModelError::Cancelled)));
    assert!(matches!(real.0.read(64, 64, &[1, 2, 3], &Cancel::default()), Err(ModelError::Runtime { .. })));
    assert!(real.0.read(3, 2, &[255; 18], &Cancel::default()).unwrap().is_empty());
}
