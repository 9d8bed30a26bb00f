//! All integer conversions of the crate.
//!
//! Law: a conversion returns the same number. [`size`] and [`narrow`] return an error for numbers that do not fit. The
//! others are for numbers that were checked before (`nest.rs`), and saturate otherwise.

use bitstride::{Code, Error, error};

/// A distance or size of memory.
pub(crate) fn size(n: i64) -> Result<usize, Error> {
    usize::try_from(n).map_err(|_| error!(Code::Range, "{n} is no size of memory", [n]))
}

/// A number that was computed with room to spare.
pub(crate) fn narrow(n: i128) -> Result<i64, Error> {
    i64::try_from(n).map_err(|_| Error::overflow("a place"))
}

/// A signed distance.
pub(crate) fn distance(n: i64) -> isize {
    isize::try_from(n).unwrap_or(isize::MAX)
}

/// A size as a number that the algebra computes with.
pub(crate) fn number(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A distance as such a number.
pub(crate) fn signed(n: isize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A number of steps or bytes of a tensor that has been checked to fit in memory.
pub(crate) fn length(n: i64) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// A number of rows of a block or of a window.
pub(crate) fn short(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}
