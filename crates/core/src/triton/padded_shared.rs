//! [`PaddedShared`]: shared memory with a gap after every so many elements.

use super::Sizes;

/// `#ttg.padded_shared<[interval:+padding, …] {offset, block}>`. Not linear; its offsets before padding are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaddedShared {
    /// After every interval of elements, so many elements of padding.
    pub paddings: Vec<(i64, i64)>,
    /// Where each bit of the offset before padding is.
    pub offset: Vec<Sizes>,
    /// Where each bit of the block number is, in elements.
    pub block: Vec<Sizes>,
    /// The rank of the tensor.
    pub rank: usize,
}
