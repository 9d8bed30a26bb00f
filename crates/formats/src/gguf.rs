//! The header of a GGUF file: a magic, counts, keys with values, and tensors with their types and offsets.
//!
//! Its reader is our own, since the file is not trusted: it takes no memory before it has compared a length with what is
//! left of the file, and reads nested arrays without recursion. A tensor of a type that is not known reaches to the next tensor, or to
//! the end of the file. Source: ggml `docs/gguf.md`, versions 2 and 3.

use std::collections::{BTreeMap, BTreeSet};

use bitstride::cast::length;
use bitstride::{Code, Error, error};

use crate::container::{Container, Entry, Key, Kind, check_apart};
use crate::contract;
use crate::rewrite::Made;

pub(crate) const MAGIC: &[u8] = b"GGUF";

/// The key under which another file keeps the keys of the GGUF file that it was.
pub(crate) const KEYS: &str = "bitstride.gguf";

/// The most dims of a tensor.
const MAX_DIMS: u32 = 8;

/// The alignment of data where no key says another.
const ALIGNMENT: usize = 32;

/// The types of ggml by number: name, elements and bytes of a block.
const TYPES: [(u32, &str, u64, u64); 41] = [
    (0, "f32", 1, 4),
    (1, "f16", 1, 2),
    (2, "q4_0", 32, 18),
    (3, "q4_1", 32, 20),
    (6, "q5_0", 32, 22),
    (7, "q5_1", 32, 24),
    (8, "q8_0", 32, 34),
    (9, "q8_1", 32, 36),
    (10, "q2_K", 256, 84),
    (11, "q3_K", 256, 110),
    (12, "q4_K", 256, 144),
    (13, "q5_K", 256, 176),
    (14, "q6_K", 256, 210),
    (15, "q8_K", 256, 292),
    (16, "iq2_xxs", 256, 66),
    (17, "iq2_xs", 256, 74),
    (18, "iq3_xxs", 256, 98),
    (19, "iq1_s", 256, 50),
    (20, "iq4_nl", 32, 18),
    (21, "iq3_s", 256, 110),
    (22, "iq2_s", 256, 82),
    (23, "iq4_xs", 256, 136),
    (24, "i8", 1, 1),
    (25, "i16", 1, 2),
    (26, "i32", 1, 4),
    (27, "i64", 1, 8),
    (28, "f64", 1, 8),
    (29, "iq1_m", 256, 56),
    (30, "bf16", 1, 2),
    // Removed from ggml; blocks are those of q4_0.
    (31, "q4_0_4_4", 32, 18),
    (32, "q4_0_4_8", 32, 18),
    (33, "q4_0_8_8", 32, 18),
    (34, "tq1_0", 256, 54),
    (35, "tq2_0", 256, 66),
    (36, "iq4_nl_4_4", 32, 18),
    (37, "iq4_nl_4_8", 32, 18),
    (38, "iq4_nl_8_8", 32, 18),
    (39, "mxfp4", 32, 17),
    (40, "nvfp4", 64, 36),
    (41, "q1_0", 128, 18),
    (42, "q2_0", 64, 18),
];

/// The file from some byte on.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn damaged(&self, what: &str) -> Error {
        error!(
            Code::Syntax("bad-container"),
            "no GGUF file: {what} at byte {at} of {bytes_count}",
            [what, at = self.at, bytes_count = self.bytes.len()]
        )
    }

    fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(count);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken =
            taken.ok_or_else(|| self.damaged(&format!("{what} has {count} bytes, which end behind the file,")))?;
        self.at += count;
        Ok(taken)
    }

    fn number<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Error> {
        let bytes = self.take(N, what)?;
        bytes.try_into().map_err(|_| self.damaged(what))
    }

    fn u32(&mut self, what: &str) -> Result<u32, Error> {
        self.number(what).map(u32::from_le_bytes)
    }

    fn u64(&mut self, what: &str) -> Result<u64, Error> {
        self.number(what).map(u64::from_le_bytes)
    }

    fn size(&mut self, what: &str) -> Result<usize, Error> {
        let size = self.u64(what)?;
        usize::try_from(size).map_err(|_| self.damaged(&format!("{what} is {size},")))
    }

    /// A text, of bytes that may be no UTF-8 in a value.
    fn text(&mut self, what: &str) -> Result<&'a [u8], Error> {
        let bytes = self.size(what)?;
        self.take(bytes, what)
    }

    fn name(&mut self, what: &str) -> Result<String, Error> {
        let text = self.text(what)?;
        String::from_utf8(text.to_vec()).map_err(|_| self.damaged(&format!("{what} that is no UTF-8 ends")))
    }

    /// A value of a type, as text; none for an array.
    fn value(&mut self, of: u32) -> Result<Option<String>, Error> {
        let what = "a value";
        Ok(Some(match of {
            0 => self.number::<1>(what)?[0].to_string(),
            1 => i8::from_le_bytes(self.number(what)?).to_string(),
            2 => u16::from_le_bytes(self.number(what)?).to_string(),
            3 => i16::from_le_bytes(self.number(what)?).to_string(),
            4 => self.u32(what)?.to_string(),
            5 => i32::from_le_bytes(self.number(what)?).to_string(),
            6 => f32::from_le_bytes(self.number(what)?).to_string(),
            7 => (self.number::<1>(what)?[0] != 0).to_string(),
            8 => String::from_utf8_lossy(self.text(what)?).into_owned(),
            9 => {
                self.skip_array()?;
                return Ok(None);
            }
            10 => self.u64(what)?.to_string(),
            11 => i64::from_le_bytes(self.number(what)?).to_string(),
            12 => f64::from_le_bytes(self.number(what)?).to_string(),
            other => return Err(self.damaged(&format!("values have no type {other}; one ends"))),
        }))
    }

    /// Skips an array, and the arrays in it, from a list of what is left to skip.
    fn skip_array(&mut self) -> Result<(), Error> {
        let mut left = vec![1u64];
        while let Some(count) = left.last_mut() {
            if *count == 0 {
                left.pop();
                continue;
            }
            *count -= 1;
            let of = self.u32("the type of an array")?;
            let length = self.u64("the length of an array")?;
            let width: u64 = match of {
                0 | 1 | 7 => 1,
                2 | 3 => 2,
                4..=6 => 4,
                10..=12 => 8,
                8 => {
                    for _ in 0..length {
                        self.text("a text of an array")?;
                    }
                    continue;
                }
                9 => {
                    left.push(length);
                    continue;
                }
                other => return Err(self.damaged(&format!("arrays have no type {other}; one ends"))),
            };
            let bytes = length.checked_mul(width).and_then(|bytes| usize::try_from(bytes).ok());
            let bytes = bytes.ok_or_else(|| self.damaged("an array that no file holds ends"))?;
            self.take(bytes, "an array")?;
        }
        Ok(())
    }
}

/// Keys, what they say in texts, and the alignment that one of them may give.
type Keys = (Vec<Key>, BTreeMap<String, String>, usize);

fn keys(reader: &mut Reader<'_>, count: u64) -> Result<Keys, Error> {
    let (mut about, mut keys, mut names) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
    for _ in 0..count {
        let name = reader.name("a key")?;
        if !names.insert(name.clone()) {
            return Err(reader.damaged(&format!("the key {name} is there twice; it ends")));
        }
        let first = reader.at;
        let of = reader.u32("the type of a value")?;
        if name == "general.alignment" && of != U32 {
            return Err(reader.damaged(&format!("general.alignment has the type {of}, not {U32} (u32); it ends")));
        }
        let text = reader.value(of)?;
        let value = reader.bytes.get(first..reader.at).unwrap_or_default().to_vec();
        about.extend(text.map(|text| (name.clone(), text)));
        keys.push(Key { name, value });
    }
    let alignment =
        match about.get("general.alignment") {
            None => ALIGNMENT,
            Some(text) => text.parse().ok().filter(|at: &usize| at.is_power_of_two()).ok_or_else(|| {
                reader.damaged(&format!("general.alignment is {text}, no power of two; the keys end"))
            })?,
        };
    Ok((keys, about, alignment))
}

/// The keys of a GGUF file as a text, which other files keep for it.
pub(crate) fn keys_as_text(keys: &[Key]) -> String {
    let mut bytes = length(keys.len()).to_le_bytes().to_vec();
    for key in keys {
        text(&mut bytes, &key.name);
        bytes.extend(&key.value);
    }
    // Two hexadecimal digits a byte.
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The keys of such a text, and their alignment.
pub(crate) fn keys_of_text(text: &str) -> Result<(Vec<Key>, usize), Error> {
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
    let bytes =
        bytes.ok_or_else(|| error!(Code::Syntax("bad-container"), "{keys} is no list of bytes", [keys = KEYS]))?;
    let mut reader = Reader { bytes: &bytes, at: 0 };
    let count = reader.u64("the number of keys")?;
    let (keys, _, alignment) = self::keys(&mut reader, count)?;
    Ok((keys, alignment))
}

/// Reads the header of a file.
pub(crate) fn read(bytes: &[u8]) -> Result<Container, Error> {
    let mut reader = Reader { bytes, at: 0 };
    reader.take(MAGIC.len(), "the magic")?;
    let version = reader.u32("the version")?;
    if version.swap_bytes() == 2 || version.swap_bytes() == 3 {
        return Err(reader.damaged("numbers are big-endian, which is not read; the version ends"));
    }
    if version != 2 && version != 3 {
        return Err(reader.damaged(&format!("the version is {version}, and 2 and 3 are known; it ends")));
    }
    let (count, of_keys) = (reader.u64("the number of tensors")?, reader.u64("the number of keys")?);
    let (keys, about, alignment) = keys(&mut reader, of_keys)?;
    let mut tensors: Vec<Entry> = Vec::new();
    for _ in 0..count {
        tensors.push(entry(&mut reader)?);
    }
    let start = reader.at.checked_next_multiple_of(alignment).ok_or_else(|| Error::overflow("an offset"))?;
    let mut ends: Vec<usize> = tensors.iter().map(|own| own.data.start).collect();
    ends.push(bytes.len().saturating_sub(start));
    ends.sort_unstable();
    for tensor in tensors.iter_mut().filter(|own| unknown_type(&own.dtype).is_some()) {
        let behind = ends.partition_point(|end| *end <= tensor.data.start);
        tensor.data.end = ends.get(behind).copied().unwrap_or(tensor.data.start);
    }
    for tensor in &mut tensors {
        let first = tensor.data.start;
        let data = start.checked_add(first).and_then(|first| Some(first..start.checked_add(tensor.data.end)?));
        let data = data.filter(|data| bytes.get(data.clone()).is_some() && first % alignment == 0);
        tensor.data = data.ok_or_else(|| {
            reader
                .damaged(&format!("{} lies at offset {first}, not aligned or not inside; the header ends", tensor.name))
        })?;
    }
    check_apart(&tensors)?;
    tensors.sort_by_key(|tensor| tensor.data.start);
    Ok(Container { kind: Kind::Gguf, tensors, about, keys, alignment })
}

/// A tensor, its data counted from where all data begins.
fn entry(reader: &mut Reader<'_>) -> Result<Entry, Error> {
    let name = reader.name("the name of a tensor")?;
    let rank = reader.u32("the number of dims")?;
    if rank > MAX_DIMS {
        return Err(reader.damaged(&format!("{name} has {rank} dims, more than {MAX_DIMS}; they begin")));
    }
    let mut shape = Vec::new();
    let mut elements = 1u64;
    for _ in 0..rank {
        let extent = reader.u64("a dim")?;
        elements =
            elements.checked_mul(extent).ok_or_else(|| reader.damaged(&format!("{name} has too many elements")))?;
        // The fastest dim comes first in the file.
        shape.insert(0, i64::try_from(extent).map_err(|_| Error::overflow("a dim"))?);
    }
    let of = reader.u32("the type of a tensor")?;
    let offset = reader.size("the offset of a tensor")?;
    let Some((_, dtype, block, bytes)) = TYPES.iter().find(|(number, ..)| *number == of) else {
        // Where it ends follows from what lies behind it.
        return Ok(Entry {
            name,
            dtype: format!("{UNKNOWN}{of}"),
            shape,
            file: 0,
            data: offset..offset,
            is_blocks: true,
        });
    };
    let row = shape.last().copied().and_then(|row| u64::try_from(row).ok()).unwrap_or(1);
    if row % block != 0 {
        return Err(
            reader.damaged(&format!("rows of {name} have {row} elements, no multiple of {block}; its offset ends"))
        );
    }
    let size = (elements / block).checked_mul(*bytes).and_then(|size| usize::try_from(size).ok());
    let end =
        size.and_then(|size| offset.checked_add(size)).ok_or_else(|| reader.damaged("a size that no file has"))?;
    Ok(Entry { name, dtype: (*dtype).to_owned(), shape, file: 0, data: offset..end, is_blocks: *block > 1 })
}

/// The header of a file that is written, padded to where its data begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where each tensor begins, in bytes behind the header.
    pub offsets: Vec<usize>,
}

/// The longest name of a tensor that ggml reads, in bytes.
const MAX_NAME_BYTES: usize = 63;

/// The most dims of a tensor that ggml reads.
const MAX_GGML_DIMS: usize = 4;

/// The type of an integer of 32 bits among those of values.
const U32: u32 = 4;

/// The type of a text among those of values.
const TEXT: u32 = 8;

/// The name that ggml has for a type of tensors; none where it has no such type.
pub(crate) fn type_name(dtype: &str) -> Option<String> {
    let known = TYPES.iter().map(|(_, name, ..)| *name).find(|name| name.eq_ignore_ascii_case(dtype));
    known.or_else(|| unknown_type(dtype).map(|_| dtype)).map(str::to_owned)
}

/// The bits of a type that is one number and no block; none for other names.
pub(crate) fn plain_bits(name: &str) -> Option<u64> {
    let own = TYPES.iter().find(|(_, own, block, _)| *block == 1 && own.eq_ignore_ascii_case(name));
    own.map(|(.., bytes)| 8 * bytes)
}

/// What a type is called of which only the number is known.
const UNKNOWN: &str = "ggml_type_";

/// The number of such a type.
fn unknown_type(dtype: &str) -> Option<u32> {
    dtype.strip_prefix(UNKNOWN)?.parse().ok()
}

/// The number of a type by its name.
fn type_number(name: &str) -> Option<u32> {
    let known = TYPES.iter().find(|(_, own, ..)| *own == name).map(|(number, ..)| *number);
    known.or_else(|| unknown_type(name))
}

impl Header {
    /// The header of the tensors of a rewritten file: the keys of the file that it was, and what is said about it now.
    ///
    /// # Errors
    /// [`Code::Kind`] for a type, a rank or a name that ggml does not read; [`Code::Overflow`].
    pub fn new(container: &Container, about: &BTreeMap<String, String>, tensors: &[&Made]) -> Result<Self, Error> {
        let is_kept = |key: &&Key| !key.name.starts_with(contract::KEY);
        let mut keys: Vec<Key> = container.keys.iter().filter(is_kept).cloned().collect();
        let is_new = |name: &str| !keys.iter().any(|key| key.name == name);
        let texts: Vec<Key> =
            about.iter().filter(|(name, _)| is_new(name)).map(|(name, text)| text_key(name, text)).collect();
        keys.extend(texts);
        let alignment = if container.keys.is_empty() { ALIGNMENT } else { container.alignment };
        let mut bytes = [MAGIC, &3u32.to_le_bytes()].concat();
        bytes.extend(length(tensors.len()).to_le_bytes());
        bytes.extend(length(keys.len()).to_le_bytes());
        for key in &keys {
            text(&mut bytes, &key.name);
            bytes.extend(&key.value);
        }
        let (mut offsets, mut end) = (Vec::new(), 0usize);
        for tensor in tensors {
            described(&mut bytes, tensor)?;
            offsets.push(end);
            bytes.extend(length(end).to_le_bytes());
            let next = end.checked_add(tensor.bytes).and_then(|end| end.checked_next_multiple_of(alignment));
            end = next.ok_or_else(|| Error::overflow("the size of OUT"))?;
        }
        bytes.resize(bytes.len().next_multiple_of(alignment), 0);
        Ok(Header { bytes, offsets })
    }
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend(length(text.len()).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn text_key(name: &str, value: &str) -> Key {
    let mut bytes = TEXT.to_le_bytes().to_vec();
    text(&mut bytes, value);
    Key { name: name.to_owned(), value: bytes }
}

/// The name, dims and type of a tensor.
fn described(bytes: &mut Vec<u8>, tensor: &Made) -> Result<(), Error> {
    let Made { name, dtype, shape, in_ggml, .. } = tensor;
    let refused = |message: String, help: &str| Err(Error::new(Code::Kind, message).with_help(help.to_owned()));
    let known = in_ggml.as_ref().and_then(|(own, shape)| Some((type_number(own)?, shape.clone())));
    let Some((number, shape)) = known else {
        let message = format!("ggml has no type {dtype} of {shape:?}, which {name} would have");
        return refused(message, "OUT may be .safetensors");
    };
    if name.len() > MAX_NAME_BYTES {
        let message = format!("{name} has {} bytes; ggml reads names of at most {MAX_NAME_BYTES}", name.len());
        return refused(message, "--rename gives shorter ones");
    }
    let shape = if shape.is_empty() { vec![1] } else { shape };
    if shape.len() > MAX_GGML_DIMS {
        let message = format!("{name} has {} dims; ggml reads at most {MAX_GGML_DIMS}", shape.len());
        return refused(message, "OUT may be .safetensors");
    }
    text(bytes, name);
    bytes.extend(u32::try_from(shape.len()).unwrap_or(0).to_le_bytes());
    // The fastest dim comes first in the file.
    shape.iter().rev().for_each(|extent| bytes.extend(extent.to_le_bytes()));
    bytes.extend(number.to_le_bytes());
    Ok(())
}
