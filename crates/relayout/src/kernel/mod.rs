//! Kernels: what is done with one block of elements, the innermost of all loops.
//!
//! Five suffice. *Copy* moves a run that both sides hold in one piece, be it one unit. *Network* moves a block whose elements
//! are told by bits, so that a line of either side is a line of words: it exchanges bits of the word's number with bits of the
//! place inside a word. *Strips* moves blocks by a network where the lines of a side are made of loops of any counts. *Shuffle*
//! puts words together from a few words of the source, where a dim is no power of two. *Parts* moves units below a byte one
//! by one. Each does so at a list of places, where copies and shuffles may have rows (`row.rs`), by what a machine's registers do
//! (`register.rs`). Law: a kernel leads every byte of the block where the loops of the block lead it, and touches no other.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bit_order;
mod copy;
mod machine;
#[cfg(target_arch = "aarch64")]
mod neon;
mod network;
mod pack;
mod pad_units;
mod pair_buffer;
mod parts;
mod passes;
mod realigned;
mod register;
mod row;
mod scalar;
mod shuffle;
mod stage;
mod strips;
mod write_combining;

pub(crate) use copy::Copy;
pub(crate) use machine::Machine;
pub(crate) use network::{BYTE, Bit, Blocks, Network, REGISTERS, TileOrigin};
pub(crate) use pad_units::PadUnits;
pub(crate) use pair_buffer::MAX_BUFFERED_ROWS;
pub(crate) use parts::Parts;
pub(crate) use row::Row;
pub(crate) use shuffle::Shuffle;
pub(crate) use strips::{Scratch, Store, Strip, Strips};

/// The bytes of a line of memory.
pub(crate) const LINE: usize = 64;

/// The instructions that a plan is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// What every machine has.
    Scalar,
    /// NEON, of every 64-bit Arm.
    Neon,
    /// AVX2.
    Avx2,
    /// AVX-512 with byte permutations (F, BW, VBMI).
    Avx512,
}

impl Isa {
    /// The widest that this machine has.
    ///
    /// ```
    /// assert!(bitstride_relayout::Isa::widest().is_supported());
    /// ```
    pub fn widest() -> Self {
        [Isa::Avx512, Isa::Avx2, Isa::Neon].into_iter().find(|isa| isa.is_supported()).unwrap_or(Isa::Scalar)
    }

    /// Whether this machine has it.
    pub fn is_supported(self) -> bool {
        match self {
            Isa::Scalar => true,
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vbmi")
            }
            // Those of other machines.
            _ => false,
        }
    }

    /// Whether lines can be written past the caches by it.
    pub(crate) fn streams(self) -> bool {
        matches!(self, Isa::Avx2 | Isa::Avx512)
    }
}
