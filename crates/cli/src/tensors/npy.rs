//! `.npy` files: one array of NumPy, behind a header in Python's notation.

use super::{Dtype, Tensor, Unread};

/// The data of a file begins at a multiple of so many bytes.
const ALIGNED: usize = 64;

/// The array of a file. Its order is not looked at: the data is what the file holds.
pub(super) fn find(bytes: &[u8]) -> Result<Tensor, Unread> {
    if !has_room(bytes) {
        return Err(Unread::File("the header promises more elements than the file has bytes, or is none".to_owned()));
    }
    let mut rest = bytes;
    let header = npyz::NpyHeader::from_reader(&mut rest)
        .map_err(|error| Unread::File(format!("the header of the array is not understood: {error}")))?;
    let dtype = Dtype::of_npy(&header.dtype())?;
    let count = header.shape().iter().try_fold(1u64, |count, extent| count.checked_mul(*extent));
    let size = count.and_then(|count| count.checked_mul(u64::from(dtype.bits / 8)));
    let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= rest.len());
    let Some(size) = size else {
        let message = format!(
            "the header promises the shape {:?} of {}, but {} bytes follow",
            header.shape(),
            dtype.name,
            rest.len()
        );
        return Err(Unread::File(message));
    };
    let start = bytes.len() - rest.len();
    let descr = Some(header.dtype().descr());
    Ok(Tensor { name: None, dtype: Some(dtype), descr, data: start..start + size, tensors: 1 })
}

/// The header of an array of a type, as its `descr` says it, and a shape.
pub(super) fn header(descr: &str, shape: &[u64]) -> Vec<u8> {
    let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let mut text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({}), }}", extents.trim_end());
    // The magic, the version and the length, which has two bytes in the first version and four in the second.
    let long = text.len() + ALIGNED > usize::from(u16::MAX);
    let before = if long { 12 } else { 10 };
    let total = (before + text.len() + 1).next_multiple_of(ALIGNED);
    text.extend(std::iter::repeat_n(' ', total - before - text.len() - 1));
    text.push('\n');
    let mut header = b"\x93NUMPY".to_vec();
    header.extend(if long { [2, 0] } else { [1, 0] });
    let length = text.len().to_le_bytes();
    header.extend(length.iter().take(if long { 4 } else { 2 }));
    header.extend(text.bytes());
    header
}

/// Whether a file has room for as many elements as its header promises, of a byte each.
pub(crate) fn has_room(bytes: &[u8]) -> bool {
    const LONGEST: usize = 1 << 16;
    let header = String::from_utf8_lossy(bytes.get(..bytes.len().min(LONGEST)).unwrap_or_default());
    let behind = header.split_once("shape").map_or("", |(_, behind)| behind);
    let inside = behind.split_once('(').and_then(|(_, inside)| inside.split_once(')')).map_or("", |(inside, _)| inside);
    let extents = inside.split(',').map(str::trim).filter(|extent| !extent.is_empty());
    // Where an extent is 0, the strides of the others have to be numbers all the same.
    let counts = extents.map(|extent| extent.parse().ok()).try_fold((1u64, 1u64), |(count, stride), extent| {
        let extent: u64 = extent?;
        Some((count.checked_mul(extent)?, stride.checked_mul(extent.max(1))?))
    });
    counts.is_some_and(|(count, _)| usize::try_from(count).is_ok_and(|count| count <= bytes.len()))
}
