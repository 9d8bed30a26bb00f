//! The encoding of a result from the encoding of an operand, as Triton infers it.
//!
//! Operations that only rename elements (transpose, reshape, join, split, a dim more or less) move no data between threads.
//! So the encoding of the result follows from that of the operand, and that of the operand from that of the result: a reduce
//! and `expand_dims` undo each other, a join and a split, and a transpose or reshape with its inverse. Law: the element that a
//! place holds in the result is the one that it held before, under its new coordinates.
//!
//! Source: `TritonGPUInferLayoutInterface` in `lib/Dialect/TritonGPU/IR/Dialect.cpp`, and the verifiers in `Ops.cpp`, of
//! Triton 3.9.

mod dims;
mod fp4;
mod join;
mod memory;
mod reshape;
mod trans;

use super::{Cga, Encoding, Linear, SharedLinear, Sizes, fit};
use crate::error::{Code, Error};
use crate::linear::LinearLayout;

pub use reshape::is_expensive_view;

impl Encoding {
    /// Whether it spreads a tensor over registers and threads, not over memory.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let shared: Encoding = "#ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=1, order=[1,0]}>".parse()?;
    /// assert!(!shared.is_distributed());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn is_distributed(&self) -> bool {
        match self {
            Encoding::Blocked(_)
            | Encoding::Slice(_)
            | Encoding::DotOperand(_)
            | Encoding::NvidiaMma(_)
            | Encoding::AmdMfma(_)
            | Encoding::AmdWmma(_)
            | Encoding::Linear(_) => true,
            Encoding::SwizzledShared(_)
            | Encoding::NvmmaShared(_)
            | Encoding::PaddedShared(_)
            | Encoding::SharedLinear(_)
            | Encoding::PartitionedShared(_)
            | Encoding::TensorMemory(_)
            | Encoding::TensorMemoryScales(_)
            | Encoding::Auto => false,
        }
    }

    /// The alignment in bytes of shared memory; nothing for encodings of other places.
    fn alignment(&self) -> Option<i64> {
        match self {
            Encoding::NvmmaShared(encoding) => Some(encoding.alignment()),
            Encoding::SharedLinear(encoding) => Some(encoding.alignment),
            Encoding::SwizzledShared(_) | Encoding::PaddedShared(_) => Some(16),
            Encoding::PartitionedShared(encoding) => encoding.piece.alignment(),
            _ => None,
        }
    }

    /// The encoding given by bases, of the same kind of place as this one: registers and threads, or shared memory.
    fn with_bases(&self, layout: &LinearLayout) -> Result<Encoding, Error> {
        match self.alignment() {
            Some(alignment) => SharedLinear::of_layout(layout, alignment).map(Encoding::SharedLinear),
            None if self.is_distributed() => Linear::of_layout(layout).map(Encoding::Linear),
            None => Err(error!(Code::Kind, "no encoding is inferred from {encoding}", [encoding = self])
                .with_help("it is inferred from encodings of registers and of shared memory")),
        }
    }

    /// Refuses an encoding that is not of registers and threads.
    fn distributed(&self, operation: &str) -> Result<(), Error> {
        if self.is_distributed() {
            return Ok(());
        }
        Err(error!(
            Code::Kind,
            "{operation} takes a tensor in registers, and {encoding} is not of registers",
            [operation, encoding = self]
        ))
    }

    /// Refuses a shape whose rank is not that of the encoding, or whose extents are no powers of two.
    fn of_rank(&self, shape: &[i64]) -> Result<(), Error> {
        match self.rank() {
            Some(rank) if rank != shape.len() => Err(Error::encoding_rank(rank, shape)),
            _ => fit::shape_dims(shape).map(drop),
        }
    }
}

/// The entries in the order of a transpose: entry `k` is what entry `order[k]` was.
fn permuted(sizes: &Sizes, order: &[usize]) -> Sizes {
    order.iter().filter_map(|from| sizes.get(*from)).copied().collect()
}

/// Bases, each in the order of a transpose.
fn permuted_bases(bases: &[Sizes], order: &[usize]) -> Vec<Sizes> {
    bases.iter().map(|basis| permuted(basis, order)).collect()
}

/// The blocks of a cluster, in the order of a transpose.
fn permuted_cga(cga: &Cga, order: &[usize]) -> Cga {
    Cga { bases: permuted_bases(&cga.bases, order) }
}

/// The product of sizes; none where it leaves 64 bits.
fn product(sizes: &[i64]) -> Option<i64> {
    sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size))
}

/// Refuses two shapes with different numbers of elements.
fn same_count(from: &[i64], to: &[i64]) -> Result<(), Error> {
    match (product(from), product(to)) {
        (Some(had), Some(has)) if had == has && had > 0 => Ok(()),
        (Some(had), Some(has)) => Err(error!(
            Code::Range,
            "a tensor of shape {from:?} has {had} elements, one of shape {to:?} has {has}",
            [from, had, to, has]
        )
        .with_help("a reshape keeps the number of elements")),
        _ => Err(Error::overflow("the number of elements")),
    }
}
