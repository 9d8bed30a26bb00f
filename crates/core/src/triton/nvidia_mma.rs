//! [`NvidiaMma`]: the accumulator of the NVIDIA matrix instructions, versions 2 and 3.

use super::{Cga, Sizes};

/// `#ttg.nvidia_mma<{versionMajor, versionMinor, warpsPerCTA, CGALayout, instrShape}>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NvidiaMma {
    /// The generation of the instruction: 2 or 3.
    pub version_major: i64,
    /// The minor version.
    pub version_minor: i64,
    /// How the warps of a block are arranged.
    pub warps_per_cta: Sizes,
    /// The shape of one instruction.
    pub instr_shape: Sizes,
    /// The blocks of a cluster.
    pub cga: Cga,
}
