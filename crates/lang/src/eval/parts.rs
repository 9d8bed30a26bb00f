//! [`Parts`]: how `chunk` and `split` cut a dim.
//!
//! Law: the parts follow each other, and their lengths add up to the size of the dim.

use super::strides::{dim, length};
use super::tensor::Tensor;
use bitstride::{Code, Error, error};

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

impl Tensor {
    /// One of the parts between cuts of a dim, as a slice of Python takes them, or of as many parts; of `equal_split` these are equally long.
    pub(super) fn cut(
        &mut self,
        method: &str,
        cuts: &[i64],
        is_list: bool,
        at: i64,
        index: i64,
        is_torch: bool,
    ) -> Result<(), Error> {
        let at = dim(at, self.sizes.len())?;
        let size = self.sizes.get(at).copied().unwrap_or(0);
        let sections = match cuts {
            [sections] if !is_list => Some(*sections),
            _ => None,
        };
        let count = sections.unwrap_or_else(|| length(cuts.len()).saturating_add(1));
        if count < 1 || method == "equal_split" && sections.is_some() && size % count != 0 {
            return Err(error!(
                Code::NotDivisible,
                "a dim of size {size} is not cut into {count} parts",
                [size, count]
            ));
        }
        let from_front = if index < 0 { index.checked_add(count) } else { Some(index) };
        let Some(own) = from_front.filter(|own| (0..count).contains(own)) else {
            return Err(error!(
                Code::Range,
                "a dim of size {size} is cut into {count} parts, and none has the number {index}",
                [size, count, index]
            ));
        };
        if sections.is_some() {
            // The first parts are longer by one.
            let (least, longer) = (size / count, size % count);
            let first = own.checked_mul(least).and_then(|first| first.checked_add(own.min(longer)));
            let first = first.ok_or_else(|| Error::overflow("a part of a dim"))?;
            return self.keep(at, first, least + i64::from(own < longer));
        }
        let end = |number: i64| usize::try_from(number).ok().and_then(|number| cuts.get(number)).copied();
        let (start, stop) = (end(own - 1).unwrap_or(0), end(own).unwrap_or(size));
        self.slice(length(at), start, stop, 1, is_torch)
    }
}

/// A quotient of positive numbers, rounded up.
pub(super) fn ceil_div(size: i64, length: i64) -> i64 {
    size.div_euclid(length) + i64::from(size % length != 0)
}
