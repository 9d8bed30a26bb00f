//! [`Layout`]: the fields in braces, `{1,0:T(8,128)(2,1)E(4)S(1)}`, as written; what they mean together is decided when
//! an array is validated.

use super::{ElementType, Shape};
use crate::cast::length;

/// The fields of a layout. The legacy sparse field `D(…)` is read and dropped, as XLA does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The dims, fastest first.
    pub minor_to_major: Vec<i64>,
    /// `T(…)(…)`: the tiles, in the order in which they apply.
    pub tiles: Vec<Tile>,
    /// `L(n)`: the buffer is rounded up to a multiple of a given number of elements; 1 when not written.
    pub tail_padding: i64,
    /// `#(u32)`: of sparse arrays.
    pub index_type: Option<IndexType>,
    /// `*(u32)`: of sparse arrays.
    pub pointer_type: Option<IndexType>,
    /// `E(n)`: bits of a packed element; 0 when not written.
    pub element_bits: i64,
    /// `S(n)`: the memory space; 0 when not written.
    pub memory_space: i64,
    /// `SC(0:1,2)`: where dims are cut across memories.
    pub splits: Vec<Split>,
    /// `P(shape)`: of sparse arrays; only a layout that stands alone may have it.
    pub physical: Option<Box<Shape>>,
    /// `M(n)`: bytes of metadata before the data; written when positive.
    pub metadata_prefix: i64,
}

/// `(8,128)`: the extents of a tile, major first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Tile(pub Vec<TileDim>);

/// The extent of a tile along a dim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileDim {
    /// `8`
    Size(i64),
    /// `*`: the dim is merged into the next more minor one first.
    Combine,
}

/// The type of an index or pointer array: an unsigned integer, or any other type, which XLA prints as `invalid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexType {
    /// `u32`
    Unsigned(ElementType),
    /// `invalid`
    Invalid,
}

/// `(0:1,2)`: a dim cut at some indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// The dim.
    pub dim: i64,
    /// The indices at which a new part begins.
    pub indices: Vec<i64>,
}

impl Layout {
    /// The layout of dims in an order, fastest first, without any other field.
    pub fn ordered(minor_to_major: Vec<i64>) -> Self {
        Layout {
            minor_to_major,
            tiles: Vec::new(),
            tail_padding: 1,
            index_type: None,
            pointer_type: None,
            element_bits: 0,
            memory_space: 0,
            splits: Vec::new(),
            physical: None,
            metadata_prefix: 0,
        }
    }

    /// The row-major layout of a rank: the last dim is the fastest.
    pub fn row_major(rank: usize) -> Self {
        Layout::ordered((0..length(rank)).rev().collect())
    }
}
