//! [`AmdWmma`]: the accumulator of AMD's WMMA instructions, versions 1 to 3.

use super::{Cga, Sizes};

/// `#ttg.amd_wmma<{version, isTranspose, ctaLayout = {register, warp}, instrShape, …}>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmdWmma {
    /// The generation of the instruction, 1 to 3.
    pub version: i64,
    /// Whether rows and columns of the result change places.
    pub transposed: bool,
    /// Where each bit of the warp number is, in instruction tiles.
    pub warp_bases: Vec<Sizes>,
    /// Where each bit of the repetition in registers is, in instruction tiles.
    pub register_bases: Vec<Sizes>,
    /// M, N, K of one instruction.
    pub instr_shape: Sizes,
    /// The blocks of a cluster.
    pub cga: Cga,
    /// The rank of the tensor, 2 or 3.
    pub rank: usize,
}
