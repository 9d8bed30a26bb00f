//! [`AmdMfma`]: the accumulator of AMD's MFMA instructions, versions 1 to 4.

use super::{Cga, Sizes};

/// `#ttg.amd_mfma<{version, warpsPerCTA, instrShape, isTransposed, …}>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmdMfma {
    /// The generation of the instruction, 1 to 4.
    pub version: i64,
    /// How the warps of a block are arranged.
    pub warps_per_cta: Sizes,
    /// M, N, K of one instruction.
    pub instr_shape: Sizes,
    /// Whether rows and columns of the result change places.
    pub transposed: bool,
    /// How many instruction tiles one warp repeats along each dim.
    pub tiles_per_warp: Sizes,
    /// The bits of an element of the result: 32 or 64.
    pub element_bits: i64,
    /// The blocks of a cluster.
    pub cga: Cga,
}
