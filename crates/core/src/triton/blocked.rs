//! [`Blocked`]: each lane holds a small box, the lanes of a warp tile boxes, the warps tile those.

use super::{Cga, Sizes};

/// `#ttg.blocked<{sizePerThread, threadsPerWarp, warpsPerCTA, order, CGALayout}>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The box of elements of one lane.
    pub size_per_thread: Sizes,
    /// How the lanes of a warp are arranged.
    pub threads_per_warp: Sizes,
    /// How the warps of a block are arranged.
    pub warps_per_cta: Sizes,
    /// The dims, the fastest first.
    pub order: Sizes,
    /// The blocks of a cluster.
    pub cga: Cga,
}
