//! [`Shards`]: chunks of Zarr that are files of smaller chunks with an index, the codec `sharding_indexed`.
//!
//! The index has, row-major, where each smaller chunk begins in the file and how many bytes it has, or twice 2^64 - 1 where it is not there.
//! Law: an index with another checksum, and one that names bytes outside of the file, is refused. Source: the Zarr specification, the
//! codec sharding_indexed, version 1.0.

use bitstride::{Code, Error, cast, error};

use super::region::{copy_box, strides};
use super::zarr::Codec;

/// The bytes of an entry of the index, and of its checksum.
const ENTRY: usize = 16;
const CHECKSUM: usize = 4;

/// A larger chunk is not unpacked.
const MAX_BYTES: i64 = 1 << 32;

/// How chunks are made of smaller ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shards {
    /// The extents of a chunk, and of the smaller ones, which divide them.
    pub(super) extents: Vec<i64>,
    pub(super) inner: Vec<i64>,
    /// How the bytes of a smaller one are packed.
    pub(super) codecs: Vec<Codec>,
    /// The bytes of an element.
    pub(super) width: i64,
    /// Whether the index comes first, and whether a checksum is behind it.
    pub(super) is_first: bool,
    pub(super) has_checksum: bool,
    /// Whether what is not there is all zeros.
    pub(super) is_zero: bool,
}

fn refused(words: impl Into<String>) -> Error {
    Error::new(Code::Syntax("file"), words)
}

impl Shards {
    /// The bytes of a chunk from those of its file.
    pub(super) fn unpacked(&self, file: &[u8]) -> Result<Vec<u8>, Error> {
        // Without dims there is one row.
        let row = |extents: &[i64]| if extents.is_empty() { vec![1] } else { extents.to_vec() };
        let (outer, inner) = (row(&self.extents), row(&self.inner));
        let grid: Vec<i64> = outer.iter().zip(&inner).map(|(outer, inner)| outer / inner.max(&1)).collect();
        let product = |extents: &[i64], unit: i64| {
            let all = extents.iter().try_fold(unit, |all, extent| all.checked_mul(*extent));
            all.filter(|all| *all <= MAX_BYTES).ok_or_else(|| {
                error!(
                    Code::TooLarge,
                    "a chunk of {extents:?} is larger than {max_bytes} bytes",
                    [extents, max_bytes = MAX_BYTES]
                )
            })
        };
        let (count, size) = (cast::index(product(&grid, 1)?)?, cast::bytes(product(&inner, self.width)?)?);
        let all = cast::bytes(product(&outer, self.width)?)?;
        let index = self.index(file, count)?;
        let (own, other) = (strides(&inner, self.width)?, strides(&outer, self.width)?);
        let mut bytes = vec![0; all];
        for (number, entry) in index.chunks_exact(ENTRY).enumerate() {
            let mut rest = cast::length(number);
            let mut at: Vec<i64> = grid.iter().rev().map(|extent| (rest % extent, rest /= extent).0).collect();
            at.reverse();
            let into = at.iter().zip(&inner).zip(&other).map(|((at, extent), stride)| at * extent * stride).sum();
            let word = |from: usize| {
                let word = entry.get(from..from + 8).and_then(|word| word.try_into().ok());
                word.map_or(u64::MAX, u64::from_le_bytes)
            };
            let (start, length) = (word(0), word(8));
            if (start, length) == (u64::MAX, u64::MAX) {
                match self.is_zero {
                    true => continue,
                    false => return Err(refused(format!("the part {at:?} of a chunk is missing, and is not 0"))),
                }
            }
            let end = start.checked_add(length).and_then(|end| usize::try_from(end).ok());
            let part = usize::try_from(start).ok().zip(end).and_then(|(start, end)| file.get(start..end));
            let part = part.ok_or_else(|| {
                refused(format!("the part {at:?} of a chunk is {length} bytes at {start}, of {}", file.len()))
            })?;
            let part = Codec::all_undone(&self.codecs, part.to_vec(), size)?;
            if part.len() != size {
                return Err(refused(format!("the part {at:?} of a chunk has not the {size} bytes of {inner:?}")));
            }
            copy_box(&inner, (&part, 0, &own), (&mut bytes, into, &other))?;
        }
        Ok(bytes)
    }

    /// The index of a number of smaller chunks, without its checksum.
    fn index<'f>(&self, file: &'f [u8], count: usize) -> Result<&'f [u8], Error> {
        let length = count * ENTRY;
        let whole = length + if self.has_checksum { CHECKSUM } else { 0 };
        let start = if self.is_first { Some(0) } else { file.len().checked_sub(whole) };
        let found = start.and_then(|start| file.get(start..start + whole)).and_then(|all| all.split_at_checked(length));
        let Some((index, checksum)) = found else {
            return Err(refused(format!("a file of {} bytes has no index of {count} parts", file.len())));
        };
        match self.has_checksum && crc32c(index).to_le_bytes() != checksum {
            true => Err(refused("the index of a chunk has another checksum")),
            false => Ok(index),
        }
    }
}

/// The checksum of Castagnoli's polynomial. Source: RFC 3720, appendix B.4.
fn crc32c(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ if sum & 1 == 1 { 0x82f6_3b78 } else { 0 };
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!((crc32c(b"123456789"), crc32c(&[0; 32])), (0xe306_9283, 0x8a91_36aa));
    }

    #[test]
    fn parts_are_put_together_and_what_lies_is_refused() {
        // 2 by 4 bytes in parts of 1 by 2, of which one is not there.
        let shards = |is_zero| Shards {
            extents: vec![2, 4],
            inner: vec![1, 2],
            codecs: Vec::new(),
            width: 1,
            is_first: false,
            has_checksum: true,
            is_zero,
        };
        let file = |entries: [(u64, u64); 4]| {
            let index: Vec<u8> = entries
                .iter()
                .flat_map(|(start, length)| [start.to_le_bytes(), length.to_le_bytes()].concat())
                .collect();
            [&[5, 6, 1, 2, 3, 4][..], &index, &crc32c(&index).to_le_bytes()].concat()
        };
        let absent = (u64::MAX, u64::MAX);
        let right = file([(2, 2), (4, 2), absent, (0, 2)]);
        assert_eq!(shards(true).unpacked(&right), Ok(vec![1, 2, 3, 4, 0, 0, 5, 6]));
        let words = |is_zero, file: &[u8]| {
            shards(is_zero).unpacked(file).map_err(|error| error.message().to_owned()).expect_err("refused")
        };
        assert!(words(false, &right).contains("[1, 0] of a chunk is missing"));
        assert!(
            words(true, &right[..right.len() - 1]).contains("checksum")
                && words(true, b"").contains("no index of 4 parts")
        );
        assert!(words(true, &file([(2, 2), (4, 2), absent, (90, 2)])).contains("2 bytes at 90"));
        assert!(words(true, &file([(2, 2), (4, 2), absent, (u64::MAX, 2)])).contains("[1, 1] of a chunk"));
        assert!(words(true, &file([(2, 2), (4, 2), absent, (0, 1)])).contains("has not the 2 bytes"));
    }
}
