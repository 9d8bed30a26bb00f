//! [`SharedLinear`]: shared memory given by its bases.

use super::Sizes;

/// `#ttg.shared_linear<{offset, block}, alignment>`; it has to be invertible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedLinear {
    /// Where each bit of the offset is.
    pub offset: Vec<Sizes>,
    /// Where each bit of the block number is.
    pub block: Vec<Sizes>,
    /// The alignment of the memory in bytes.
    pub alignment: i64,
    /// The rank of the tensor.
    pub rank: usize,
}
