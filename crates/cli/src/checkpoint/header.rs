//! The header of a `.safetensors` file, read without the data, and checked against the size of the file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use bitstride::{Code, Error};
use serde_json::{Map, Value as Json};

use super::{Failure, failed};

/// The longest header that is read, as the format itself says.
const MAX_HEADER: u64 = 100_000_000;

/// What a header calls its texts about the file.
pub(super) const ABOUT: &str = "__metadata__";

/// The text in which PyTorch's `save_distributed` says where the tensors of a file begin in the whole ones.
pub(super) const OFFSETS: &str = "DCP_SHARDING_INFO";

/// The types of whole bytes, and how many bytes they have.
const TYPES: [(&str, i64); 17] = [
    ("BOOL", 1),
    ("U8", 1),
    ("I8", 1),
    ("F8_E5M2", 1),
    ("F8_E4M3", 1),
    ("F8_E8M0", 1),
    ("U16", 2),
    ("I16", 2),
    ("F16", 2),
    ("BF16", 2),
    ("U32", 4),
    ("I32", 4),
    ("F32", 4),
    ("U64", 8),
    ("I64", 8),
    ("F64", 8),
    ("C64", 8),
];

/// A tensor of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) name: String,
    pub(super) dtype: &'static str,
    /// The bytes of an element.
    pub(super) width: i64,
    pub(super) shape: Vec<i64>,
    /// Where its data begins in the file.
    pub(super) start: u64,
    /// Where it begins in the whole tensor, where the file says it.
    pub(super) offsets: Option<Vec<i64>>,
}

/// The tensors of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Stored>, Failure> {
    let mut file = File::open(path).map_err(failed("read", path))?;
    let size = file.metadata().map_err(failed("read", path))?.len();
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(failed("read", path))?;
    let length = u64::from_le_bytes(length);
    let refused =
        |message: String| Failure::Refused(Error::new(Code::Syntax("file"), format!("{}: {message}", path.display())));
    if length > MAX_HEADER || length.saturating_add(8) > size {
        return Err(refused(format!("a header of {length} bytes in a file of {size}")));
    }
    let mut text = Vec::new();
    file.take(length).read_to_end(&mut text).map_err(failed("read", path))?;
    let header: Map<String, Json> =
        serde_json::from_slice(&text).map_err(|error| refused(format!("the header is not read: {error}")))?;
    tensors(&header, length + 8, size).map_err(refused)
}

/// The tensors of a header, whose data begins at a byte of a file of some size.
fn tensors(header: &Map<String, Json>, begin: u64, size: u64) -> Result<Vec<Stored>, String> {
    let about = header.get(ABOUT).and_then(|about| about.get(OFFSETS)).and_then(Json::as_str);
    let offsets: Map<String, Json> = match about {
        Some(text) => serde_json::from_str(text).map_err(|error| format!("{OFFSETS} is not read: {error}"))?,
        None => Map::new(),
    };
    let mut all = Vec::new();
    let mut taken = Vec::new();
    for (name, entry) in header.iter().filter(|(name, _)| *name != ABOUT) {
        let stated = entry.get("dtype").and_then(Json::as_str).unwrap_or_default();
        let Some((dtype, width)) = TYPES.into_iter().find(|(name, _)| *name == stated) else {
            return Err(format!("tensor {name} has elements of type {stated:?}, which is none of whole bytes"));
        };
        let shape = numbers(entry.get("shape")).ok_or_else(|| format!("tensor {name} has no shape"))?;
        let data = numbers(entry.get("data_offsets")).unwrap_or_default();
        let [from, to] = data.as_slice() else { return Err(format!("tensor {name} has no data_offsets")) };
        let bytes = shape.iter().try_fold(width, |all, extent| all.checked_mul(*extent));
        if bytes.is_none() || to.checked_sub(*from) != bytes {
            return Err(format!("tensor {name} of {shape:?} {dtype} has the bytes {from} to {to}"));
        }
        let (Ok(first), Ok(last)) = (u64::try_from(*from), u64::try_from(*to)) else {
            return Err(format!("tensor {name} has the bytes {from} to {to}"));
        };
        let (start, end) = (begin.saturating_add(first), begin.saturating_add(last));
        if end > size {
            return Err(format!("tensor {name} ends at byte {end} of a file of {size}"));
        }
        if end > start {
            taken.push((start, end));
        }
        let offsets = match offsets.get(name) {
            None => None,
            Some(own) => {
                let own = numbers(own.get("saved_offsets")).filter(|own| own.len() == shape.len());
                Some(own.ok_or_else(|| format!("tensor {name} has no saved_offsets, one for each dim"))?)
            }
        };
        all.push(Stored { name: name.clone(), dtype, width, shape, start, offsets });
    }
    taken.sort_unstable();
    match taken.windows(2).find(|pair| matches!(pair, [(_, end), (start, _)] if start < end)) {
        Some(pair) => Err(format!("two tensors share bytes: {pair:?}")),
        None => Ok(all),
    }
}

/// A list of numbers, none below 0.
fn numbers(list: Option<&Json>) -> Option<Vec<i64>> {
    let list = list?.as_array()?;
    list.iter().map(|number| number.as_i64().filter(|number| *number >= 0)).collect()
}
