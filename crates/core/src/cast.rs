//! The only home of integer conversions: each function says what it may lose. None loses anything here.
//!
//! Law: a conversion returns the same number or an error.

use crate::error::{Code, Error};

/// A length as an `i64`. Lengths of slices in memory always fit.
pub fn length(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// An `i64` as an index. The limit is that of the narrowest machine on every machine, so that all say the same.
///
/// # Errors
/// [`Code::Range`] when `n` is negative or above 2^32 - 1.
pub fn index(n: i64) -> Result<usize, Error> {
    match u32::try_from(n).map(usize::try_from) {
        Ok(Ok(index)) => Ok(index),
        _ if n < 0 => Err(error!(Code::Range, "{n} is no position or count; those start at {least}", [n, least = 0])),
        _ => Err(error!(Code::Range, "{n} is no position or count; those end at {most}", [n, most = u32::MAX])),
    }
}

/// A number of bytes of memory. Where memory is there, or can be had, so is this number; an index has a limit for all machines.
///
/// # Errors
/// [`Code::Range`] when `n` is negative or more than this machine addresses.
pub fn bytes(n: i64) -> Result<usize, Error> {
    usize::try_from(n).map_err(|_| error!(Code::Range, "{n} is no number of bytes of this machine's memory", [n]))
}

/// An offset and products, summed exactly.
///
/// # Errors
/// [`Code::Overflow`] when the sum, or a part of it on the way, does not fit.
pub fn dot(offset: i64, pairs: impl Iterator<Item = (i64, i64)>) -> Result<i64, Error> {
    let mut sum = i128::from(offset);
    for (a, b) in pairs {
        let more = sum.checked_add(i128::from(a) * i128::from(b));
        sum = more.ok_or_else(|| Error::overflow("a sum of products"))?;
    }
    narrow(sum)
}

/// A wide intermediate result back as an `i64`.
///
/// # Errors
/// [`Code::Overflow`] when it does not fit in 64 bits.
pub fn narrow(n: i128) -> Result<i64, Error> {
    i64::try_from(n).map_err(|_| Error::overflow(&format!("{n}")))
}
