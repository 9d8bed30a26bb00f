//! What an encoding does with a shape, as data: which bits of a tensor go to registers, lanes and warps, and how that tile is
//! fitted to the shape.
//!
//! [`Encoding::to_linear_traced`](super::Encoding::to_linear_traced) reports these to a [`Trace`](crate::Trace) while it
//! works. Law: the bits that were taken, in their order, are the bases of the tile that [`EncodingStep::Tile`] reports.

use super::{Cga, Sizes};
use crate::linear::{LinearLayout, Name};

/// One step from an encoding and a shape to a linear layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodingStep {
    /// The next bits of registers, lanes or warps move these bits of a dim.
    Takes {
        /// `register`, `lane` or `warp`.
        place: Name,
        /// The dim of the tensor.
        dim: usize,
        /// The first bit of the dim.
        start: u32,
        /// How many bits.
        bits: u32,
    },
    /// The next bits of registers, lanes or warps move nothing: what differs in them alone holds the same elements.
    Repeats {
        /// `register`, `lane` or `warp`.
        place: Name,
        /// How many bits.
        bits: u32,
    },
    /// This is what one block holds, its dims in the order in which further registers go over them, and the blocks beside it.
    Tile {
        /// From registers, lanes and warps to the tile; none where it has more bits than a layout holds.
        tile: Option<Box<LinearLayout>>,
        /// The blocks of a cluster.
        cga: Cga,
    },
    /// Along a dim the tile meets the share of one block.
    Fits {
        /// The dim of the tensor.
        dim: usize,
        /// The bits of the tile.
        tile: u32,
        /// The bits of the share.
        share: u32,
    },
    /// Registers whose bases are 0 are left out.
    Drops {
        /// How many bases.
        bases: usize,
    },
    /// A dim of extent 1 is inserted, and the parent lays out this shape.
    Parent {
        /// The dim.
        dim: usize,
        /// The shape with it.
        shape: Sizes,
    },
    /// The offset goes over a box, its fastest dim first, before any swizzle.
    Offsets {
        /// The extents of the box.
        extents: Sizes,
    },
    /// In a row whose number is a power of two the columns are xored.
    Swizzles {
        /// The row.
        row: i64,
        /// Its phase.
        phase: i64,
        /// What its columns are xored with; 0 where the phase is beyond them.
        columns: u64,
    },
}
