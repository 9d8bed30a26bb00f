//! [`Row`]: blocks at a place of the list that follow one another in equal steps, which the kernel takes itself.
//!
//! A place costs as long to read as a short block to move, and a list that is read beside the source takes a part of what memory
//! gives. Law: block `n` of a row lies `n` strides from the place, on each side.

use std::fmt;

/// How many blocks follow one another, and how far apart they are on each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) count: usize,
    pub(crate) strides: [isize; 2],
}

impl Row {
    /// A single block.
    pub(crate) const ONE: Row = Row { count: 1, strides: [0; 2] };

    /// How far the blocks are from the place.
    pub(crate) fn steps(self) -> impl Iterator<Item = [isize; 2]> {
        (0..self.count.cast_signed()).map(move |n| self.strides.map(|stride| n * stride))
    }
}

/// How far apart the blocks are.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = self.strides;
        write!(f, "in steps of {from} bytes in the source, {to} in the destination")
    }
}
