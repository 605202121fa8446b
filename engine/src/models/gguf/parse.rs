//! The bytes of a GGUF header.

use std::collections::BTreeMap;
use std::io::{BufRead, Read, Seek};

use super::{Header, HeaderError, Value};

/// Magic, version and the two counts.
const FIXED_BYTES: u64 = 24;
const MOST_ENTRIES: u64 = 1 << 16;
const MOST_TENSORS: u64 = 1 << 17;
const MOST_KEY_BYTES: u64 = 1 << 10;
const MOST_TEXT_BYTES: u64 = 1 << 22;
const MOST_DIMENSIONS: u32 = 4;
const DEFAULT_ALIGNMENT: u64 = 32;
const MOST_ALIGNMENT: u64 = 1 << 20;

/// Reads a header from `input`, a file of `size` bytes.
///
/// # Errors
/// When it is no GGUF header, ends too early, or holds counts no real model has.
pub fn parse<R: BufRead + Seek>(input: R, size: u64) -> Result<Header, HeaderError> {
    let mut reader = Reader { input, position: 0, size };
    if size == 0 {
        return Err(HeaderError::Invalid("the file is empty".into()));
    }
    let mut magic = [0; 4];
    let present = usize::try_from(size.min(4)).unwrap_or(4);
    reader.fill(&mut magic[..present])?;
    if magic[..present] != b"GGUF"[..present] {
        return Err(HeaderError::Invalid("it is not a GGUF file".into()));
    }
    if size < FIXED_BYTES {
        return Err(HeaderError::Short { found: size, expected: FIXED_BYTES });
    }
    let version = reader.u32()?;
    if !(2..=3).contains(&version) {
        return Err(HeaderError::Invalid(format!("GGUF version {version}, not 2 or 3")));
    }
    let tensor_count = reader.count("tensors", MOST_TENSORS, 24)?;
    let entry_count = reader.count("metadata entries", MOST_ENTRIES, 13)?;
    let metadata = read_metadata(&mut reader, entry_count)?;
    let alignment = match metadata.get("general.alignment") {
        None => DEFAULT_ALIGNMENT,
        Some(Value::Unsigned(n)) if n.is_power_of_two() && *n <= MOST_ALIGNMENT => *n,
        Some(other) => return Err(HeaderError::Invalid(format!("alignment of {other:?}"))),
    };
    let data_bytes = read_tensors(&mut reader, tensor_count, alignment)?;
    let data_start = reader.position.next_multiple_of(alignment);
    let expected_size = data_start
        .checked_add(data_bytes)
        .ok_or_else(|| HeaderError::Invalid("tensor data beyond any file's size".into()))?;
    let Some(Value::Text(architecture)) = metadata.get("general.architecture") else {
        return Err(HeaderError::Invalid("it names no architecture".into()));
    };
    let architecture = architecture.clone();
    Ok(Header { version, architecture, tensor_count, data_start, expected_size, metadata })
}

fn read_metadata<R: BufRead + Seek>(
    reader: &mut Reader<R>,
    entries: u64,
) -> Result<BTreeMap<String, Value>, HeaderError> {
    let mut metadata = BTreeMap::new();
    for _ in 0..entries {
        let key = reader.text(MOST_KEY_BYTES)?;
        let kind = reader.u32()?;
        let value = read_value(reader, kind)?;
        if metadata.insert(key.clone(), value).is_some() {
            return Err(HeaderError::Invalid(format!("the key {key:?} comes twice")));
        }
    }
    Ok(metadata)
}

const KIND_TEXT: u32 = 8;
const KIND_ARRAY: u32 = 9;

fn read_value<R: BufRead + Seek>(reader: &mut Reader<R>, kind: u32) -> Result<Value, HeaderError> {
    Ok(match kind {
        0 | 7 => Value::Unsigned(u64::from(reader.bytes::<1>()?[0])),
        1 => Value::Signed(i64::from(i8::from_le_bytes(reader.bytes()?))),
        2 => Value::Unsigned(u64::from(u16::from_le_bytes(reader.bytes()?))),
        3 => Value::Signed(i64::from(i16::from_le_bytes(reader.bytes()?))),
        4 => Value::Unsigned(u64::from(reader.u32()?)),
        5 => Value::Signed(i64::from(i32::from_le_bytes(reader.bytes()?))),
        6 => Value::Float(f64::from(f32::from_le_bytes(reader.bytes()?))),
        KIND_TEXT => Value::Text(reader.text(MOST_TEXT_BYTES)?),
        KIND_ARRAY => Value::Array(skip_array(reader)?),
        10 => Value::Unsigned(reader.u64()?),
        11 => Value::Signed(i64::from_le_bytes(reader.bytes()?)),
        12 => Value::Float(f64::from_le_bytes(reader.bytes()?)),
        other => return Err(HeaderError::Invalid(format!("a metadata value of unknown type {other}"))),
    })
}

fn skip_array<R: BufRead + Seek>(reader: &mut Reader<R>) -> Result<u64, HeaderError> {
    let kind = reader.u32()?;
    let width = match kind {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        KIND_TEXT => 0,
        other => return Err(HeaderError::Invalid(format!("an array of type {other}"))),
    };
    let length = reader.u64()?;
    if kind == KIND_TEXT {
        // Every string has at least its length, which bounds a hostile count by the file's size.
        reader.need(length.saturating_mul(8))?;
        for _ in 0..length {
            let bytes = reader.u64()?;
            reader.skip(bytes)?;
        }
    } else {
        reader.skip(length.saturating_mul(width))?;
    }
    Ok(length)
}

/// Reads the tensor list; returns the bytes of data it describes.
fn read_tensors<R: BufRead + Seek>(
    reader: &mut Reader<R>,
    count: u64,
    alignment: u64,
) -> Result<u64, HeaderError> {
    let mut end = 0;
    for _ in 0..count {
        let name = reader.text(MOST_KEY_BYTES)?;
        let invalid = |what: &str| HeaderError::Invalid(format!("the tensor {name:?} has {what}"));
        let dimensions = reader.u32()?;
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(invalid("an impossible number of dimensions"));
        }
        let mut shape = [1u64; MOST_DIMENSIONS as usize];
        for length in shape.iter_mut().take(dimensions as usize) {
            *length = reader.u64()?;
        }
        let kind = reader.u32()?;
        let offset = reader.u64()?;
        if !offset.is_multiple_of(alignment) {
            return Err(invalid("data at a place that is not aligned"));
        }
        let bytes = tensor_bytes(&shape, kind).ok_or_else(|| invalid("an impossible shape"))?;
        let tensor_end = offset.checked_add(bytes).ok_or_else(|| invalid("an impossible offset"))?;
        end = end.max(tensor_end);
    }
    Ok(end)
}

/// Bytes of a tensor; `None` when the shape overflows or does not divide into blocks.
///
/// Types this table does not know count as nothing: llama.cpp judges them.
fn tensor_bytes(shape: &[u64; 4], kind: u32) -> Option<u64> {
    let elements = shape.iter().try_fold(1u64, |product, length| product.checked_mul(*length))?;
    if i64::try_from(elements).is_err() || elements == 0 {
        return None;
    }
    let Some((block, bytes)) = block_size(kind) else { return Some(0) };
    if !shape[0].is_multiple_of(block) {
        return None;
    }
    (elements / block).checked_mul(bytes)
}

/// Elements and bytes of a block of a ggml type (`ggml_type` in ggml.h).
fn block_size(kind: u32) -> Option<(u64, u64)> {
    Some(match kind {
        0 | 26 => (1, 4),
        1 | 25 | 30 => (1, 2),
        2 | 20 => (32, 18),
        3 => (32, 20),
        6 => (32, 22),
        7 => (32, 24),
        8 => (32, 34),
        9 => (32, 36),
        10 => (256, 84),
        11 => (256, 110),
        12 => (256, 144),
        13 => (256, 176),
        14 => (256, 210),
        15 => (256, 292),
        24 => (1, 1),
        27 | 28 => (1, 8),
        _ => return None,
    })
}

struct Reader<R> {
    input: R,
    position: u64,
    size: u64,
}

impl<R: BufRead + Seek> Reader<R> {
    /// Fails unless `bytes` more are there.
    fn need(&self, bytes: u64) -> Result<(), HeaderError> {
        let expected = self.position.saturating_add(bytes);
        if expected > self.size {
            return Err(HeaderError::Short { found: self.size, expected });
        }
        Ok(())
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), HeaderError> {
        self.need(buffer.len() as u64)?;
        self.input.read_exact(buffer).map_err(|error| HeaderError::Unreadable(error.to_string()))?;
        self.position += buffer.len() as u64;
        Ok(())
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], HeaderError> {
        let mut buffer = [0; N];
        self.fill(&mut buffer)?;
        Ok(buffer)
    }

    fn u32(&mut self) -> Result<u32, HeaderError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn u64(&mut self) -> Result<u64, HeaderError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    fn skip(&mut self, bytes: u64) -> Result<(), HeaderError> {
        self.need(bytes)?;
        let step = i64::try_from(bytes).map_err(|_| HeaderError::Invalid("an impossible length".into()))?;
        self.input.seek_relative(step).map_err(|error| HeaderError::Unreadable(error.to_string()))?;
        self.position += bytes;
        Ok(())
    }

    fn count(&mut self, what: &str, most: u64, least_bytes_each: u64) -> Result<u64, HeaderError> {
        let count = self.u64()?;
        if count > most {
            return Err(HeaderError::Invalid(format!("it claims {count} {what}")));
        }
        self.need(count * least_bytes_each)?;
        Ok(count)
    }

    fn text(&mut self, most: u64) -> Result<String, HeaderError> {
        let length = self.u64()?;
        if length > most {
            return Err(HeaderError::Invalid(format!("a text of {length} bytes in the header")));
        }
        self.need(length)?;
        let mut bytes = Vec::new();
        (&mut self.input)
            .take(length)
            .read_to_end(&mut bytes)
            .map_err(|error| HeaderError::Unreadable(error.to_string()))?;
        self.position += length;
        if bytes.len() as u64 != length {
            return Err(HeaderError::Short { found: self.size, expected: self.position });
        }
        // llama.cpp reads keys as C strings: a zero byte would make it see another key.
        if bytes.contains(&0) && most == MOST_KEY_BYTES {
            return Err(HeaderError::Invalid("a zero byte in a name".into()));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
