//! `.npy` files: one array of NumPy, behind a header in Python's notation.
//!
//! A file is `\x93NUMPY`, the version, the length of the header, the header, the data. Versions 1 and 2 have a header in
//! Latin-1 and differ in the bytes of its length, version 3 has one in UTF-8. The header is a dict of three keys. Its
//! reader is our own, since the file is not trusted: it takes no memory before it has compared the length with the
//! file, and reads no nesting by recursion.

use std::collections::BTreeMap;
use std::ops::Range;

use bitstride::{Code, Error, error};

use super::python::{entries, extents, shown, split, string};
use super::{Dtype, Tensor, Unread, descr};

const MAGIC: &[u8] = b"\x93NUMPY";

/// The alignment in bytes of the data of a file.
const ALIGNED: usize = 64;

/// What a file says of its array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The type, as it is written.
    descr: String,
    pub(crate) dtype: Dtype,
    /// Whether the first dim is the fastest.
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<u64>,
    /// Where the data is, as much as the shape says.
    pub(crate) data: Range<usize>,
}

impl Header {
    /// Refuses an array whose bytes are not those of its elements row by row, the lowest byte first.
    pub(crate) fn check_order(&self, file: &str) -> Result<(), Error> {
        if self.dtype.big_endian && self.dtype.bits > 8 || self.fortran && self.shape.len() > 1 {
            let help = "save it with np.ascontiguousarray and little-endian types";
            return Err(error!(
                Code::Kind,
                "{file} has its highest bytes first, or its elements in the order of columns",
                [file]
            )
            .with_help(help));
        }
        Ok(())
    }
}

/// The array of a file. Its order is not looked at: the data is what the file holds.
pub(super) fn find(bytes: &[u8]) -> Result<Tensor, Unread> {
    let Header { descr, dtype, data, .. } = read(bytes).map_err(Unread::File)?;
    let (dtype, descr) = (Some(dtype), Some(descr));
    Ok(Tensor { name: None, dtype, descr, data, others: Vec::new(), about: BTreeMap::new() })
}

/// Reads the header of a file, which must have all data that it promises.
pub(crate) fn read(bytes: &[u8]) -> Result<Header, String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("it does not begin as a .npy file")?;
    let (version, rest) = rest.split_first_chunk().ok_or("it ends before the version of its header")?;
    let length = match version {
        [1, 0] => rest.split_first_chunk().map(|(length, rest)| (usize::from(u16::from_le_bytes(*length)), rest)),
        [2 | 3, 0] => rest
            .split_first_chunk()
            .map(|(length, rest)| (usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX), rest)),
        [major, minor] => return Err(format!("its version is {major}.{minor}; 1.0, 2.0 and 3.0 are known")),
    };
    let (length, rest) = length.ok_or("it ends before the length of its header")?;
    let (text, behind) = rest
        .split_at_checked(length)
        .ok_or_else(|| format!("its header has {length} bytes, it says, but {} follow", rest.len()))?;
    let text = if version[0] == 3 {
        String::from_utf8(text.to_vec()).map_err(|_| "its header is no UTF-8")?
    } else {
        text.iter().copied().map(char::from).collect()
    };
    let [descr, fortran, shape] =
        values(&text).map_err(|why| format!("the header of the array is not understood: {why}"))?;
    let start = bytes.len() - behind.len();
    let understood = || -> Result<Header, String> {
        let fortran = match fortran {
            "True" => true,
            "False" => false,
            other => return Err(format!("'fortran_order' is `{}`, neither True nor False", shown(other))),
        };
        let (dtype, shape) = (descr::dtype(descr)?, extents(shape)?);
        Ok(Header { descr: descr.to_owned(), dtype, fortran, shape, data: start..start })
    };
    let mut header = understood().map_err(|why| format!("the header of the array is not understood: {why}"))?;
    // Where an extent is 0, the strides of the others have to be numbers all the same.
    let counts = header.shape.iter().try_fold((1u64, 1u64), |(count, stride), extent| {
        Some((count.checked_mul(*extent)?, stride.checked_mul((*extent).max(1))?))
    });
    let size = counts.and_then(|(count, _)| count.checked_mul(u64::from(header.dtype.bits / 8)));
    let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= behind.len());
    let size = size.ok_or_else(|| {
        let (shape, name) = (&header.shape, &header.dtype.name);
        format!("the header promises the shape {shape:?} of {}, but {} bytes follow", shown(name), behind.len())
    })?;
    header.data.end += size;
    Ok(header)
}

/// The values of the three keys of a header.
fn values(text: &str) -> Result<[&str; 3], String> {
    const KEYS: [&str; 3] = ["descr", "fortran_order", "shape"];
    let mut values = [None; 3];
    for entry in entries(text.trim(), '{', '}')? {
        let parts = split(entry, ':')?;
        let [key, value] = parts.as_slice() else { return Err(format!("`{}` is no entry of a dict", shown(entry))) };
        let at = string(key).and_then(|key| KEYS.iter().position(|own| *own == key));
        let own = at.and_then(|at| values.get_mut(at));
        *own.ok_or_else(|| format!("the key {}; a header has {}", shown(key), KEYS.join(", ")))? = Some(*value);
    }
    match values {
        [Some(descr), Some(fortran), Some(shape)] => Ok([descr, fortran, shape]),
        _ => Err(format!("a key is missing; a header has {}", KEYS.join(", "))),
    }
}

/// The header of an array of a type, as its `descr` says it, and a shape.
pub(super) fn header(descr: &str, shape: &[u64]) -> Vec<u8> {
    let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let mut text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({}), }}", extents.trim_end());
    // The magic, the version and the length, which has two bytes in the first version and four in the others.
    let long = text.len() + ALIGNED > usize::from(u16::MAX) || !text.is_ascii();
    let version = if !text.is_ascii() { 3 } else { 1 + u8::from(long) };
    let before = if long { 12 } else { 10 };
    let total = (before + text.len() + 1).next_multiple_of(ALIGNED);
    text.extend(std::iter::repeat_n(' ', total - before - text.len() - 1));
    text.push('\n');
    let mut header = MAGIC.to_vec();
    header.extend([version, 0]);
    let length = text.len().to_le_bytes();
    header.extend(length.iter().take(if long { 4 } else { 2 }));
    header.extend(text.bytes());
    header
}
