//! [`Cga`]: how the blocks (CTAs) of a cluster (CGA) share a tensor.
//!
//! A basis for each bit of the block number, in units of the tile that one block holds; a zero basis means that two
//! blocks hold the same data (multicast).

use super::Sizes;

/// The block bases, in tiles of one block.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cga {
    /// Basis `k` says where block `2^k` is; each has a value for each dim.
    pub bases: Vec<Sizes>,
}
