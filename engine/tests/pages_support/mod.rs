//! Writes small PDF files for tests, and stands in for OCR where a test is about its use.
#![allow(dead_code, clippy::unwrap_used)] // Each test file uses its part.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use polyrag::read::{
    Picture, PictureLine, PictureReader, ReadError, ReadLimits, Reader, Source, TextDocument, read,
};

/// Width and height of the pages, in points.
pub const WIDTH: f32 = 595.0;
pub const HEIGHT: f32 = 842.0;

/// A page under construction: operators of its content, and its pictures.
#[derive(Default, Clone)]
pub struct Page {
    content: String,
    pictures: Vec<(usize, usize, Vec<u8>)>,
    rotate: u32,
}

impl Page {
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets text with its baseline at `y` from the top.
    pub fn text(self, x: f32, y: f32, size: f32, text: &str) -> Self {
        self.font("F1", x, y, size, text)
    }

    pub fn bold(self, x: f32, y: f32, size: f32, text: &str) -> Self {
        self.font("F2", x, y, size, text)
    }

    /// Text in a font whose codes `a`, `b`, `c`, `d` stand for the ligatures ﬁ, ﬃ, ﬀ, ﬂ; other
    /// characters stand for themselves.
    pub fn ligatures(self, x: f32, y: f32, size: f32, text: &str) -> Self {
        let coded: String = text
            .chars()
            .map(|character| match character {
                'ﬁ' => '\u{1}',
                'ﬃ' => '\u{2}',
                'ﬀ' => '\u{3}',
                'ﬂ' => '\u{4}',
                other => other,
            })
            .collect();
        self.font("F3", x, y, size, &coded)
    }

    fn font(mut self, font: &str, x: f32, y: f32, size: f32, text: &str) -> Self {
        let mut codes = String::new();
        for character in text.chars() {
            write!(codes, "{:02x}", win_ansi(character)).unwrap();
        }
        writeln!(self.content, "BT /{font} {size} Tf {x} {} Td <{codes}> Tj ET", HEIGHT - y).unwrap();
        self
    }

    /// Lines of text below each other.
    pub fn lines(mut self, x: f32, y: f32, size: f32, lines: &[&str]) -> Self {
        for (index, line) in lines.iter().enumerate() {
            self = self.text(x, y + index as f32 * size * 1.2, size, line);
        }
        self
    }

    /// A straight line.
    pub fn rule(mut self, from: (f32, f32), to: (f32, f32)) -> Self {
        writeln!(self.content, "0.5 w {} {} m {} {} l S", from.0, HEIGHT - from.1, to.0, HEIGHT - to.1)
            .unwrap();
        self
    }

    /// A grid with lines at the given x and y.
    pub fn grid(mut self, xs: &[f32], ys: &[f32]) -> Self {
        for x in xs {
            self = self.rule((*x, ys[0]), (*x, ys[ys.len() - 1]));
        }
        for y in ys {
            self = self.rule((xs[0], *y), (xs[xs.len() - 1], *y));
        }
        self
    }

    /// A grey picture in the rectangle `x, y` (from the top), `width` x `height` points.
    pub fn picture(mut self, place: [f32; 4], pixels: (usize, usize), grey: Vec<u8>) -> Self {
        let [x, y, width, height] = place;
        self.pictures.push((pixels.0, pixels.1, grey));
        let name = self.pictures.len();
        writeln!(self.content, "q {width} 0 0 {height} {x} {} cm /I{name} Do Q", HEIGHT - y - height)
            .unwrap();
        self
    }

    /// A picture that covers the page: a scan. Its pixels say nothing; OCR is a double.
    pub fn scan(self, shade: u8) -> Self {
        self.picture([0.0, 0.0, WIDTH, HEIGHT], (60, 80), vec![shade; 4800])
    }

    pub fn rotated(mut self, degrees: u32) -> Self {
        self.rotate = degrees;
        self
    }

    /// Operators written as they are.
    pub fn raw(mut self, operators: &str) -> Self {
        self.content.push_str(operators);
        self.content.push('\n');
        self
    }
}

/// Code of a character in WinAnsiEncoding.
fn win_ansi(character: char) -> u8 {
    match character {
        '–' => 0x96,
        '—' => 0x97,
        '•' => 0x95,
        '“' => 0x93,
        '”' => 0x94,
        other => u8::try_from(u32::from(other)).unwrap_or_else(|_| panic!("{other} has no code")),
    }
}

const TO_UNICODE: &str = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def
1 begincodespacerange <00> <ff> endcodespacerange
4 beginbfchar <01> <fb01> <02> <fb03> <03> <fb00> <04> <fb02> endbfchar
1 beginbfrange <20> <7e> <0020> endbfrange endcmap end end";

/// Writes a PDF file.
pub fn pdf(pages: &[Page]) -> Vec<u8> {
    pdf_with(pages, "")
}

/// Writes a PDF file with entries of its information dictionary.
pub fn pdf_with(pages: &[Page], information: &str) -> Vec<u8> {
    let mut objects: Vec<Vec<u8>> = Vec::new();
    let widths = vec!["500"; 256].join(" ");
    let kids: Vec<String> = (0..pages.len()).map(|index| format!("{} 0 R", 10 + index * 20)).collect();
    objects.push(b"<</Type/Catalog/Pages 2 0 R>>".to_vec());
    objects.push(format!("<</Type/Pages/Count {}/Kids[{}]>>", pages.len(), kids.join(" ")).into_bytes());
    for font in ["Helvetica", "Helvetica-Bold"] {
        objects.push(
            format!("<</Type/Font/Subtype/Type1/BaseFont/{font}/Encoding/WinAnsiEncoding>>").into_bytes(),
        );
    }
    objects.push(
        format!("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 0/LastChar 255/Widths[{widths}]/ToUnicode 6 0 R>>")
            .into_bytes(),
    );
    objects.push(stream("", TO_UNICODE.as_bytes()));
    objects.push(format!("<<{information}>>").into_bytes());
    for (index, page) in pages.iter().enumerate() {
        let number = 10 + index * 20;
        objects.resize(number - 1, Vec::new());
        let pictures: Vec<String> =
            (0..page.pictures.len()).map(|at| format!("/I{} {} 0 R", at + 1, number + 2 + at)).collect();
        objects.push(
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {WIDTH} {HEIGHT}]/Rotate {}/Contents {} 0 R/Resources<</Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>/XObject<<{}>>>>>>",
                page.rotate,
                number + 1,
                pictures.join(" ")
            )
            .into_bytes(),
        );
        objects.push(stream("", page.content.as_bytes()));
        for (width, height, grey) in &page.pictures {
            let entries = format!(
                "/Type/XObject/Subtype/Image/Width {width}/Height {height}/ColorSpace/DeviceGray/BitsPerComponent 8"
            );
            objects.push(stream(&entries, grey));
        }
    }
    file(&objects)
}

fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let mut object = format!("<<{entries}/Length {}>>stream\n", bytes.len()).into_bytes();
    object.extend_from_slice(bytes);
    object.extend_from_slice(b"\nendstream");
    object
}

fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate().filter(|(_, object)| !object.is_empty()) {
        offsets.push((index + 1, file.len()));
        file.extend_from_slice(format!("{} 0 obj\n", index + 1).as_bytes());
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let start = file.len();
    file.extend_from_slice(b"xref\n0 1\n0000000000 65535 f \n");
    for (number, offset) in offsets {
        file.extend_from_slice(format!("{number} 1\n{offset:010} 00000 n \n").as_bytes());
    }
    let size = objects.len() + 1;
    file.extend_from_slice(
        format!("trailer<</Size {size}/Root 1 0 R/Info 7 0 R>>\nstartxref\n{start}\n%%EOF\n").as_bytes(),
    );
    file
}

/// Stands in for OCR: says the same lines for every picture, and remembers the pictures.
pub struct Spoken {
    pub lines: Result<Vec<String>, String>,
    pub confidence: f32,
    pub seen: RefCell<Vec<(usize, usize)>>,
}

impl Spoken {
    pub fn new(lines: &[&str]) -> Self {
        let lines = Ok(lines.iter().map(|line| (*line).to_owned()).collect());
        Self { lines, confidence: 0.95, seen: RefCell::default() }
    }

    pub fn failing(why: &str) -> Self {
        Self { lines: Err(why.to_owned()), confidence: 0.0, seen: RefCell::default() }
    }

    pub fn calls(&self) -> usize {
        self.seen.borrow().len()
    }
}

impl PictureReader for Spoken {
    fn read(&self, picture: &Picture) -> Result<Vec<PictureLine>, String> {
        assert_eq!(picture.rgb.len(), picture.width * picture.height * 3);
        self.seen.borrow_mut().push((picture.width, picture.height));
        let lines = self.lines.clone()?;
        let step = picture.height as f32 / (lines.len() + 1) as f32;
        let height = step.min(picture.width as f32 / 20.0).min(40.0);
        let line = |(index, text): (usize, String)| PictureLine {
            bounds: [
                5.0,
                step * index as f32,
                5.0 + height * 0.5 * text.chars().count() as f32,
                step * index as f32 + height,
            ],
            text,
            confidence: self.confidence,
        };
        Ok(lines.into_iter().enumerate().map(line).collect())
    }
}

pub fn try_read(name: &str, bytes: &[u8], reader: &Reader) -> Result<TextDocument, ReadError> {
    let mut reading = read(Path::new(name), bytes.to_vec(), reader)?;
    assert_eq!(reading.sources.len(), 1);
    match reading.sources.remove(0) {
        Source::Text(document) => Ok(document),
        Source::Tables(tables) => panic!("not a text: {tables:?}"),
    }
}

/// Reads without OCR.
pub fn plain(bytes: &[u8]) -> TextDocument {
    try_read("arquivo.pdf", bytes, &Reader::new(&ReadLimits::default())).unwrap()
}

/// Reads with OCR.
pub fn with_ocr(bytes: &[u8], ocr: &dyn PictureReader) -> TextDocument {
    let limits = ReadLimits::default();
    try_read("arquivo.pdf", bytes, &Reader { pictures: Some(ocr), ..Reader::new(&limits) }).unwrap()
}

pub fn warned(document: &TextDocument, what: &str) -> bool {
    document.warnings.iter().any(|warning| warning.message.contains(what))
}

/// Folder of the model files; `None`, with a message, when the OCR models are not there.
pub fn models() -> Option<PathBuf> {
    let folder = std::env::var_os("POLYRAG_MODELS")
        .filter(|folder| !folder.is_empty())
        .map_or_else(|| std::env::home_dir().unwrap().join(".cache/polyrag/models"), PathBuf::from);
    let there = ["ppocrv6-det.onnx", "ppocrv6-rec.onnx", "ppocr-cls.onnx"]
        .iter()
        .all(|file| folder.join(file).is_file());
    if !there {
        #[allow(clippy::print_stderr)] // Tests have no other way to say that they did nothing.
        {
            eprintln!("SKIPPED: no OCR models in {}: run ./setup.sh models", folder.display());
        }
    }
    there.then_some(folder)
}
