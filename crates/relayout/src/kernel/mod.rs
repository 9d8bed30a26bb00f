//! Kernels: what is done with one block of elements, the innermost of all loops.
//!
//! Three suffice. *Copy* moves a run that both sides hold in one piece. *Network* moves a block whose elements are told by
//! bits, so that a line of either side is a line of words: it exchanges bits of the word's number with bits of the place inside
//! a word. *Table* moves what remains, unit by unit, from a list of places. Law: a kernel leads every byte of the block where
//! the loops of the block lead it, and touches no other.

mod avx2;
mod avx512;
mod copy;
mod network;
mod scalar;
mod table;

pub(crate) use copy::Copy;
pub(crate) use network::{Bit, MOST_ROUNDS, Network};
pub(crate) use table::Table;

/// The instructions that a plan is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// What every machine has: words of 8 bytes.
    Scalar,
    /// AVX2, in words of 16 bytes.
    Avx2,
    /// AVX-512 with byte permutations (F, BW, VBMI), in words of 64 bytes.
    Avx512,
}

impl Isa {
    /// The widest that this machine has.
    ///
    /// ```
    /// assert!(bitstride_relayout::Isa::widest().is_here());
    /// ```
    pub fn widest() -> Self {
        [Isa::Avx512, Isa::Avx2].into_iter().find(|isa| isa.is_here()).unwrap_or(Isa::Scalar)
    }

    /// Whether this machine has it.
    pub fn is_here(self) -> bool {
        match self {
            Isa::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vbmi")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The bytes of a word, as a power of two.
    pub(crate) fn word_bits(self) -> u32 {
        match self {
            Isa::Scalar => 3,
            Isa::Avx2 => 4,
            Isa::Avx512 => 6,
        }
    }
}

/// The innermost loop around a block: so many blocks, so many bytes apart. The last one lies `back` bytes before its place,
/// so that a count that the block does not divide is covered by an overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) count: usize,
    pub(crate) steps: [isize; 2],
    pub(crate) back: [isize; 2],
}

impl Row {
    /// Where block `x` begins on each side.
    #[inline(always)]
    pub(crate) fn at(&self, x: usize) -> [isize; 2] {
        let x_signed = x.cast_signed();
        let back = if x + 1 == self.count { self.back } else { [0; 2] };
        [self.steps[0] * x_signed - back[0], self.steps[1] * x_signed - back[1]]
    }
}
