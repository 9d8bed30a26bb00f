//! [`Parts`]: how `chunk` and `split` cut a dim.
//!
//! Law: the parts follow each other, and their lengths add up to the size of the dim.

/// How a dim is cut into parts.
pub(super) enum Parts<'l> {
    /// Parts of this length, the last perhaps shorter; and how many there are.
    Even(i64, i64),
    /// Parts of these lengths.
    Lengths(&'l [i64]),
}

impl Parts<'_> {
    /// Parts of a length; one of a dim without elements.
    pub(super) fn of(size: i64, length: i64) -> Self {
        Parts::Even(length, ceil_div(size, length).max(1))
    }

    pub(super) fn count(&self) -> i64 {
        match self {
            Parts::Even(_, count) => *count,
            Parts::Lengths(lengths) => bitstride::cast::length(lengths.len()),
        }
    }

    /// Where a part begins, and its length; the parts are within the dim.
    pub(super) fn part(&self, size: i64, index: i64) -> (i64, i64) {
        match self {
            Parts::Even(length, _) => {
                let first = index.saturating_mul(*length).min(size);
                (first, (size - first).min(*length))
            }
            Parts::Lengths(lengths) => {
                let before = lengths.iter().take(usize::try_from(index).unwrap_or(usize::MAX)).sum();
                let own = usize::try_from(index).ok().and_then(|index| lengths.get(index));
                (before, own.copied().unwrap_or(0))
            }
        }
    }
}

/// A quotient of positive numbers, rounded up.
pub(super) fn ceil_div(size: i64, length: i64) -> i64 {
    size.div_euclid(length) + i64::from(size % length != 0)
}
