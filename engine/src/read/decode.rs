//! Bytes to text: the encoding is found and recorded, nothing becomes U+FFFD in silence.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::Warning;

/// Text and how it was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// Encoding by its WHATWG name; `UTF-8 with BOM` where there was one.
    pub encoding: String,
    /// Bytes that needed a decision, with their lines.
    pub warnings: Vec<Warning>,
}

/// Most stray bytes listed one by one.
const LISTED: usize = 20;

/// Decodes a text file.
///
/// Order: byte order mark (UTF-8, UTF-16, UTF-32), UTF-16 without a mark by its zero bytes,
/// valid UTF-8, UTF-8 with a few stray bytes (each read as windows-1252 and reported), and last
/// a statistical guess.
///
/// # Errors
/// What makes the bytes binary, with the offset.
pub fn decode(bytes: Vec<u8>) -> Result<Decoded, String> {
    if let Some(decoded) = decode_wide(&bytes) {
        return decoded;
    }
    if let Some(reason) = binary_reason(&bytes, false) {
        return Err(reason);
    }
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            text.drain(..mark);
            let encoding = if mark > 0 { "UTF-8 with BOM" } else { "UTF-8" };
            Ok(Decoded { text, encoding: encoding.into(), warnings: Vec::new() })
        }
        Err(error) => {
            let bytes = error.into_bytes();
            Ok(decode_stray(&bytes, mark).unwrap_or_else(|| decode_guess(&bytes)))
        }
    }
}

/// Decodes UTF-16 and UTF-32, marked or (UTF-16) plain; `None` if it is neither.
fn decode_wide(bytes: &[u8]) -> Option<Result<Decoded, String>> {
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) {
        return Some(decode_utf32(&bytes[4..], u32::from_le_bytes, "UTF-32LE"));
    }
    if bytes.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Some(decode_utf32(&bytes[4..], u32::from_be_bytes, "UTF-32BE"));
    }
    let (encoding, skip) = match bytes {
        [0xff, 0xfe, ..] => (UTF_16LE, 2),
        [0xfe, 0xff, ..] => (UTF_16BE, 2),
        _ => (guess_utf16(bytes)?, 0),
    };
    let (text, malformed) = encoding.decode_without_bom_handling(&bytes[skip..]);
    if text.contains('\0') {
        return Some(Err(format!("{} text with U+0000 in it", encoding.name())));
    }
    let mut warnings = Vec::new();
    if malformed {
        warnings.push(Warning {
            line: None,
            message: format!("not all of it is valid {}: broken units were replaced", encoding.name()),
        });
    }
    Some(Ok(Decoded { text: text.into_owned(), encoding: encoding.name().into(), warnings }))
}

fn decode_utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32, name: &str) -> Result<Decoded, String> {
    let mut text = String::with_capacity(bytes.len() / 4);
    for (index, four) in bytes.chunks(4).enumerate() {
        let value = <[u8; 4]>::try_from(four).ok().map(unit).and_then(char::from_u32).filter(|c| *c != '\0');
        text.push(value.ok_or_else(|| format!("broken {name} at unit {index}"))?);
    }
    Ok(Decoded { text, encoding: name.into(), warnings: Vec::new() })
}

/// Recognises UTF-16 without a mark: the high bytes of Latin text are zeros, all on one side.
fn guess_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(4096) & !1];
    if sample.len() < 4 {
        return None;
    }
    let pairs = sample.len() / 2;
    let even = sample.iter().step_by(2).filter(|byte| **byte == 0).count();
    let odd = sample.iter().skip(1).step_by(2).filter(|byte| **byte == 0).count();
    match (even, odd) {
        (0, odd) if odd * 10 >= pairs * 7 => Some(UTF_16LE),
        (even, 0) if even * 10 >= pairs * 7 => Some(UTF_16BE),
        _ => None,
    }
}

/// Says why bytes are no text in a byte encoding: a zero byte, or too many control characters.
///
/// With `wide_allowed`, UTF-16 and UTF-32 (where zero bytes are normal) pass.
pub(super) fn binary_reason(bytes: &[u8], wide_allowed: bool) -> Option<String> {
    let marked = bytes.starts_with(&[0xff, 0xfe])
        || bytes.starts_with(&[0xfe, 0xff])
        || bytes.starts_with(&[0, 0, 0xfe, 0xff]);
    if wide_allowed && (marked || guess_utf16(bytes).is_some()) {
        return None;
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Some(format!("a zero byte at offset {at}"));
    }
    let controls = bytes
        .iter()
        .filter(|byte| {
            (**byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0x1b)) || **byte == 0x7f
        })
        .count();
    (controls * 50 > bytes.len()).then(|| format!("{controls} control characters in {} bytes", bytes.len()))
}

/// Reads UTF-8 with a few stray bytes; `None` when they are too many for UTF-8 to be likely.
fn decode_stray(bytes: &[u8], mark: usize) -> Option<Decoded> {
    let (mut stray, mut multibyte) = (0_usize, 0_usize);
    for part in bytes.utf8_chunks() {
        multibyte += part.valid().chars().filter(|character| !character.is_ascii()).count();
        stray += part.invalid().len();
    }
    if stray * 10 > multibyte {
        return None;
    }
    let (mut text, mut line, mut warnings) = (String::with_capacity(bytes.len()), 1_u64, Vec::new());
    for part in bytes[mark..].utf8_chunks() {
        text.push_str(part.valid());
        line += part.valid().bytes().filter(|byte| *byte == b'\n').count() as u64;
        for byte in part.invalid() {
            let (character, _) = WINDOWS_1252.decode_without_bom_handling(std::slice::from_ref(byte));
            if warnings.len() < LISTED {
                let message = format!("byte {byte:#04x} is not UTF-8: read as windows-1252 `{character}`");
                warnings.push(Warning { line: Some(line), message });
            }
            text.push_str(&character);
        }
    }
    if stray > LISTED {
        let message = format!("{} more bytes were not UTF-8 and read as windows-1252", stray - LISTED);
        warnings.push(Warning { line: None, message });
    }
    Some(Decoded { text, encoding: UTF_8.name().into(), warnings })
}

/// Guesses a legacy encoding from the bytes' statistics.
fn decode_guess(bytes: &[u8]) -> Decoded {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    // A hint breaks ties between Latin encodings: PolyRAG's users write Portuguese and English.
    let guess = detector.guess(Some(b"br"), Utf8Detection::Deny);
    let (text, malformed) = guess.decode_without_bom_handling(bytes);
    let guess = if WINDOWS_1252.decode_without_bom_handling(bytes).0 == text { WINDOWS_1252 } else { guess };
    if !malformed {
        return Decoded { text: text.into_owned(), encoding: guess.name().into(), warnings: Vec::new() };
    }
    // windows-1252 gives every byte a character, so nothing is lost.
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    let message = format!("the encoding is not certain ({} did not fit): read as windows-1252", guess.name());
    Decoded {
        text: text.into_owned(),
        encoding: WINDOWS_1252.name().into(),
        warnings: vec![Warning { line: None, message }],
    }
}

/// Normalises a document's text: line feeds only, NFC, Latin ligatures spelled out, no soft
/// hyphens and no U+FEFF inside. Chunk ranges refer to the result.
pub fn normalise(text: String) -> String {
    let text = if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text };
    let text = if is_nfc_quick(text.chars()) == IsNormalized::Yes { text } else { text.nfc().collect() };
    let odd = |c: char| matches!(c, '\u{ad}' | '\u{feff}' | '\u{fb00}'..='\u{fb06}');
    if !text.contains(odd) {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{ad}' | '\u{feff}' => {}
            '\u{fb00}' => plain.push_str("ff"),
            '\u{fb01}' => plain.push_str("fi"),
            '\u{fb02}' => plain.push_str("fl"),
            '\u{fb03}' => plain.push_str("ffi"),
            '\u{fb04}' => plain.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => plain.push_str("st"),
            other => plain.push(other),
        }
    }
    plain
}
