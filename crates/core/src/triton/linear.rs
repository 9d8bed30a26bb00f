//! [`Linear`]: a distributed encoding given by its bases.

use super::Sizes;

/// `#ttg.linear<{register, lane, warp, block}>`, where the nonzero bases are distinct bits; the generic form takes any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// Where each bit of the register number is.
    pub register: Vec<Sizes>,
    /// Where each bit of the lane number is.
    pub lane: Vec<Sizes>,
    /// Where each bit of the warp number is.
    pub warp: Vec<Sizes>,
    /// Where each bit of the block number is.
    pub block: Vec<Sizes>,
    /// Whether bases may be sums of bits and repeat.
    pub generic: bool,
    /// The rank of the tensor.
    pub rank: usize,
}
