//! [`Processor`]: what processors that have the same instructions want differently.
//!
//! All of it is about memory: how far ahead lines are asked for, and in which order they are taken best. Every number was
//! measured on a processor of its kind (`docs/relayout.md`). Law: no number changes what is moved.

use std::sync::LazyLock;

/// Numbers for a kind of processors.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 fetches so far ahead"))]
pub(crate) struct Processor {
    /// How many words ahead lines of the source are fetched to the second cache: what memory brings while one block is
    /// exchanged. To the first cache they would go by the same few places when rows are a power of two apart.
    pub(crate) ahead: usize,
    /// How many words ahead they are fetched to the first cache where words are carried, if they are: rows seldom are a power
    /// of two apart there.
    pub(crate) near: Option<usize>,
    /// Whether both lines of a word are fetched that lies across two, or the processor foresees the second.
    pub(crate) fetches_both: bool,
    /// How many runs that share lines of the destination are copied along it at most; none where it is the loops that tell
    /// (`order.rs`).
    pub(crate) together: Option<i64>,
}

/// Measured on a Xeon with AVX-512 and AMX; all others have the same.
const USUAL: Processor = Processor { ahead: 192, near: Some(64), fetches_both: false, together: None };

/// Measured on an EPYC of the fourth generation.
const ZEN: Processor = Processor { ahead: 320, near: None, fetches_both: true, together: Some(8) };

/// That of this machine, which is asked once.
static HERE: LazyLock<Processor> = LazyLock::new(|| if is_amd() { ZEN } else { USUAL });

impl Processor {
    /// That of this machine.
    pub(crate) fn here() -> Processor {
        *HERE
    }
}

/// Whether the processor calls itself one of AMD's.
#[cfg(target_arch = "x86_64")]
fn is_amd() -> bool {
    let name = std::arch::x86_64::__cpuid(0);
    [name.ebx, name.edx, name.ecx].map(u32::to_le_bytes).concat() == b"AuthenticAMD"
}

/// Only x86-64 tells.
#[cfg(not(target_arch = "x86_64"))]
fn is_amd() -> bool {
    false
}
