//! [`Row`]: blocks in equal steps at one tile origin, which the kernel steps through itself.
//!
//! Reading a tile origin takes as long as moving a short block, and the list competes with the source for memory
//! bandwidth. Law: block `n` of a row lies `n` strides from the tile origin, on each side.

use std::fmt;

/// The number of blocks in a row, and their stride on each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) count: usize,
    pub(crate) strides: [isize; 2],
}

impl Row {
    /// A single block.
    pub(crate) const ONE: Row = Row { count: 1, strides: [0; 2] };

    /// The distances of the blocks from the tile origin.
    pub(crate) fn steps(self) -> impl Iterator<Item = [isize; 2]> {
        (0..self.count.cast_signed()).map(move |n| self.strides.map(|stride| n * stride))
    }
}

/// The strides of the blocks.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = self.strides;
        write!(f, "in steps of {from} bytes in the source, {to} in the destination")
    }
}
