//! [`SwizzledShared`]: rows in shared memory whose vectors are permuted by an xor with the phase of the row.

use super::{Cga, Sizes};

/// How the phase follows from the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// `(row / perPhase) mod maxPhase`: `#ttg.swizzled_shared`.
    Row,
    /// That, xor `(row / perPhase / maxPhase) mod maxPhase`: `#ttg.amd_rotating_shared`.
    Rotating,
}

/// `#ttg.swizzled_shared<{vec, perPhase, maxPhase, order, CGALayout}>`, and its rotating form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwizzledShared {
    /// How many elements move together.
    pub vec: i64,
    /// How many rows have the same phase.
    pub per_phase: i64,
    /// The number of phases.
    pub max_phase: i64,
    /// The dims, the fastest first.
    pub order: Sizes,
    /// The blocks of a cluster.
    pub cga: Cga,
    /// How the phase follows from the row.
    pub phase: Phase,
}
