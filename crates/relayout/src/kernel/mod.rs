//! Kernels: how one block of elements is moved, the innermost of all loops.
//!
//! | kernel | what it moves |
//! |---|---|
//! | copy | a run that is contiguous on both sides, possibly of one unit |
//! | network | a block whose elements are indexed by bits: it exchanges bits of the number of a vector with bits of the position inside it |
//! | strips | blocks of a network where loops of any counts make the lines of a side |
//! | shuffle | vectors joined from a few vectors of the source, where a dim is no power of two |
//! | parts | units below a byte, one by one |
//!
//! Each kernel runs over a tile list; copies and shuffles may have rows of blocks (`row.rs`). Kernels are written on
//! the operations of registers (`register.rs`). Law: a kernel moves every byte of the block to where the loops of the
//! block lead it, and touches no other byte.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bit_order;
mod copy;
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
pub(crate) use network::{BYTE, Bit, Blocks, Network, REGISTERS, TileOrigin};
pub(crate) use pad_units::PadUnits;
pub(crate) use pair_buffer::ROW_BYTES;
pub(crate) use parts::Parts;
pub(crate) use row::Row;
pub(crate) use shuffle::Shuffle;
pub(crate) use strips::{Scratch, Store, Strip, Strips};

/// The bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// The instructions that a plan uses.
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
    /// The widest that this machine supports.
    ///
    /// ```
    /// assert!(bitstride_relayout::Isa::widest().is_supported());
    /// ```
    pub fn widest() -> Self {
        [Isa::Avx512, Isa::Avx2, Isa::Neon].into_iter().find(|isa| isa.is_supported()).unwrap_or(Isa::Scalar)
    }

    /// Whether this machine supports it.
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
            // The instructions of other machines.
            _ => false,
        }
    }

    /// The bytes of a register.
    pub(crate) fn register_bytes(self) -> usize {
        match self {
            Isa::Scalar => 8,
            Isa::Neon => 16,
            Isa::Avx2 => 32,
            Isa::Avx512 => LINE,
        }
    }

    /// Whether it has streaming stores.
    pub(crate) fn streams(self) -> bool {
        matches!(self, Isa::Avx2 | Isa::Avx512)
    }
}
