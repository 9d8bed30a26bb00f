//! [`TilingStep`]: how a tensor comes to what threads hold of it, as data.
//!
//! Tiled instructions report these to a [`Trace`](crate::Trace) while they divide and compose. Law: each step's operation on
//! its operands is an operand of a later one, or the answer.

use super::layout::Layout;
use super::tiler::Tiler;

/// One step of a partition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TilingStep {
    /// The tensor is the tile itself, column-major.
    Tile {
        /// The tile.
        tile: Layout,
    },
    /// Its modes are divided by the entries of the tile: `logical_divide`.
    Permutes {
        /// The tensor.
        tensor: Layout,
        /// An entry for each mode.
        by: Tiler,
    },
    /// It is cut into whole tiles: `zipped_divide`.
    Tiles {
        /// The tensor.
        tensor: Layout,
        /// The extents of the tile.
        by: Tiler,
    },
    /// It is cut into instructions: `zipped_divide`.
    Cuts {
        /// The tensor, or the layout of a tiled copy.
        tensor: Layout,
        /// The extents of one instruction.
        by: Tiler,
    },
    /// The other side of a copy in terms of its reference: `composition` with the `right_inverse` of the reference.
    Turns {
        /// The reference.
        reference: Layout,
        /// The side.
        side: Layout,
    },
    /// Inside an instruction its own layout says who holds what: `composition`.
    Holds {
        /// The inside.
        inside: Layout,
        /// From (thread, value) of the instruction.
        held: Layout,
    },
    /// The instructions are divided among the copies: `zipped_divide`.
    Shares {
        /// The instructions.
        rest: Layout,
        /// How many copies there are along each mode.
        by: Tiler,
    },
    /// Copies along the dim that an operand lacks hold the same: `composition`.
    Repeats {
        /// The threads.
        threads: Layout,
        /// The copies, mode by mode.
        by: Tiler,
    },
    /// Which thread of which copy a number is: `right_inverse` of both together.
    Numbers {
        /// From threads and copies to numbers.
        threads: Layout,
        /// The numbers between them.
        spare: Layout,
    },
    /// Threads are called by these numbers: `composition`.
    Numbered {
        /// The threads.
        threads: Layout,
        /// From a number to the thread.
        numbers: Layout,
    },
    /// Threads with threads, values with values: `zip`.
    Gathers {
        /// Inside an instruction.
        inside: Layout,
        /// From one instruction to the next.
        rest: Layout,
    },
    /// Modes that go on in one another are merged: `coalesce` by `(1,(1,1))`.
    Merges {
        /// Threads and values.
        layout: Layout,
    },
    /// The elements of the tile lie where the tensor has them: `composition`.
    Places {
        /// The tile of the tensor.
        tile: Layout,
        /// From threads and values to elements.
        layout: Layout,
    },
    /// Threads and values of a tile, one beside the other.
    Pairs {
        /// The threads.
        threads: Layout,
        /// The values.
        values: Layout,
    },
    /// Layouts of threads and of their values, interleaved: `raked_product`.
    Rakes {
        /// The threads.
        threads: Layout,
        /// The values of each.
        values: Layout,
    },
    /// From the numbers of threads and values to the elements: `composition` with the `right_inverse` of the raked product.
    Inverts {
        /// The raked product.
        raked: Layout,
        /// The numbers as (thread, value).
        numbers: Layout,
    },
}
