//! [`NvmmaShared`]: shared memory as the matrix instructions and the tensor memory accelerator of NVIDIA read it.
//!
//! The rows of a tile are as long as the swizzle; row `r` of eight has its 16-byte vectors permuted by an xor with
//! `(r / perPhase) mod maxPhase`, where `perPhase = 128 / bytes` and `maxPhase = bytes / 16`. After the eight rows come
//! the other rows, all outer dims merged, then the tiles along the contiguous dim. No dim of a tile is longer than 256,
//! the most that the accelerator copies at once. Law: without fp4 padding and up to rank 2 it is invertible.

use super::Cga;
use super::fit::{Share, share};
use super::sizes::{log, same_rank};
use super::tile::Bit;
use crate::error::{Code, Error};
use crate::linear::{Columns, LinearLayout, Name};
use crate::small::Small;

/// `#ttg.nvmma_shared<{swizzlingByteWidth, transposed, elementBitWidth, fp4Padded, rank, CGALayout}>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NvmmaShared {
    /// The length of a swizzled row in bytes: 0 (none), 32, 64 or 128.
    pub swizzle_bytes: i64,
    /// Whether `dim0` is contiguous.
    pub transposed: bool,
    /// The bits of an element.
    pub element_bits: i64,
    /// Whether half of every 16 bytes is a hole.
    pub fp4_padded: bool,
    /// The rank of the tensor.
    pub rank: usize,
    /// The blocks of a cluster.
    pub cga: Cga,
}

/// The most elements of a dim that one copy of the accelerator takes, as bits.
const BOX: u32 = 8;
/// The rows of a swizzle pattern, as bits.
const ROWS: u32 = 3;

impl NvmmaShared {
    /// The linear layout for a shape, from offset and block.
    ///
    /// For tensors of rank 3 and more that are transposed, the outer dims are merged and cut again as Triton 3.9 does
    /// it: not in the order of the dims, and without a swizzle not injectively.
    ///
    /// # Errors
    /// [`Code::Parameter`]; [`Code::NvmmaRank`], [`Code::NvmmaInner`], [`Code::NvmmaOuter`] when the shape has no room
    /// for the pattern; [`Code::RankMismatch`], [`Code::SizeNotPowerOfTwo`].
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        let rank = same_rank(self.rank, shape)?;
        let pattern = self.pattern()?;
        let share = share(shape, &self.cga)?;
        let sizes: Small<u32, 4> = share.bits.iter().map(|bits| (*bits).min(BOX)).collect();
        let mut offset = Columns::new();
        match pattern {
            None => self.plain(&mut offset, &share, &sizes),
            Some(pattern) => self.swizzled(&mut offset, &share, sizes, &pattern, rank)?,
        }
        share.layout(&[(Name::OFFSET, &offset)], 1)
    }

    /// The alignment in bytes that the pattern asks of its memory: eight of its rows, at least 128.
    pub fn alignment(&self) -> i64 {
        self.swizzle_bytes.saturating_mul(8).max(128)
    }

    fn pattern(&self) -> Result<Option<Pattern>, Error> {
        let bits = log("elementBitWidth", self.element_bits)?;
        if !(3..=6).contains(&bits) {
            return Err(error!(
                Code::Parameter,
                "elementBitWidth is {element_bits}; 8, 16, 32 and 64 exist",
                [element_bits = self.element_bits]
            ));
        }
        if self.fp4_padded && (self.swizzle_bytes, self.element_bits) != (128, 8) {
            return Err(error!(
                Code::Parameter,
                "fp4Padded needs 128 swizzled bytes of 8-bit elements, not {swizzle_bytes} of {element_bits}",
                [swizzle_bytes = self.swizzle_bytes, element_bits = self.element_bits]
            ));
        }
        let bytes = match self.swizzle_bytes {
            0 => return Ok(None),
            32 | 64 | 128 => log("swizzlingByteWidth", self.swizzle_bytes)?,
            other => {
                return Err(error!(Code::Parameter, "swizzlingByteWidth is {other}; 0, 32, 64 and 128 exist", [other]));
            }
        };
        let padding = u32::from(self.fp4_padded);
        Ok(Some(Pattern {
            inner: bytes + 3 - bits - padding,
            vector: 7 - bits - padding,
            per_phase: 7 - bytes,
            phases: bytes - 4,
        }))
    }

    /// Every dim whole, the contiguous one first.
    fn plain(&self, offset: &mut Columns, share: &Share, sizes: &[u32]) {
        let rank = sizes.len();
        // Each source dim with the dim that it is written to.
        let dims: Small<(usize, usize), 4> = if self.transposed {
            // Turned left to read, and left again to write.
            let first = (0, rank.saturating_sub(2));
            let middle = (2..rank).rev().map(|from| (from, from - 2));
            let last = (1..rank.min(2)).map(|from| (from, rank - 1));
            [first].into_iter().chain(middle).chain(last).collect()
        } else {
            (0..rank).rev().map(|dim| (dim, dim)).collect()
        };
        let mut reach: Small<u32, 4> = sizes.iter().map(|_| 0).collect();
        for (from, dim) in &dims {
            let bits = sizes.get(*from).copied().unwrap_or(0);
            (0..bits).for_each(|bit| offset.push(share.column(Some(Bit { dim: *dim, bit }))));
            if let Some(reach) = reach.get_mut(*dim) {
                *reach = bits;
            }
        }
        for dim in (0..rank).rev() {
            share.grow(offset, dim, reach.get(dim).copied().unwrap_or(0));
        }
    }

    /// Rows as long as the swizzle, then all rows, then the tiles along the contiguous dim.
    fn swizzled(
        &self,
        offset: &mut Columns,
        share: &Share,
        mut sizes: Small<u32, 4>,
        pattern: &Pattern,
        rank: usize,
    ) -> Result<(), Error> {
        let contiguous = if self.transposed { 0 } else { rank.saturating_sub(1) };
        if let Some(size) = sizes.get_mut(contiguous) {
            if *size < pattern.inner {
                let refused = error!(
                    Code::NvmmaInner,
                    "dim {dim} has {elements} elements for each block; a swizzle of {swizzle_bytes} bytes takes {needed}",
                    [
                        dim = contiguous,
                        elements = 1u64 << *size,
                        swizzle_bytes = self.swizzle_bytes,
                        needed = 1u64 << pattern.inner
                    ]
                );
                return Err(refused.with_help("use a narrower swizzle"));
            }
            *size = pattern.inner;
        }
        if rank < 2 {
            return Err(error!(
                Code::NvmmaRank,
                "a swizzle of {swizzle_bytes} bytes needs rank 2 or more, not {rank}",
                [swizzle_bytes = self.swizzle_bytes, rank]
            )
            .with_help("swizzlingByteWidth = 0 takes rank 1"));
        }
        let rows = self.rows(&sizes, contiguous);
        // Transposed, the rows of the pattern are those of the last dim alone.
        let height = match sizes.last() {
            Some(last) if self.transposed => *last,
            _ => u32::try_from(rows.len()).unwrap_or(u32::MAX),
        };
        if height < ROWS {
            return Err(error!(
                Code::NvmmaOuter,
                "the outer dims have {rows} rows for each block; the pattern has 8",
                [rows = 1u64 << height]
            ));
        }
        for bit in 0..pattern.inner {
            // Half of every sixteen bytes is a hole.
            if self.fp4_padded && bit == pattern.vector {
                offset.push(0);
            }
            offset.push(share.column(Some(Bit { dim: contiguous, bit })));
        }
        for (row, bit) in rows.iter().enumerate() {
            let phase = u32::try_from(row)
                .ok()
                .filter(|row| *row < ROWS)
                .and_then(|row| row.checked_sub(pattern.per_phase))
                .filter(|phase| *phase < pattern.phases)
                .map(|phase| Bit { dim: contiguous, bit: pattern.vector + phase });
            offset.push(share.column(Some(*bit)) | share.column(phase));
        }
        for dim in 0..rank {
            share.grow(offset, dim, sizes.get(dim).copied().unwrap_or(0));
        }
        Ok(())
    }

    /// The bits of the merged outer dims, in the order of the rows.
    fn rows(&self, sizes: &[u32], contiguous: usize) -> Small<Bit, 16> {
        let outer = |dims: &mut dyn Iterator<Item = usize>| {
            let mut bits = Small::<Bit, 16>::new();
            for dim in dims.filter(|dim| *dim != contiguous) {
                (0..sizes.get(dim).copied().unwrap_or(0)).for_each(|bit| bits.push(Bit { dim, bit }));
            }
            bits
        };
        let rank = sizes.len();
        let places = outer(&mut (0..rank).rev());
        if !self.transposed || rank == 2 {
            return places;
        }
        // The rows of the last dim come to stand above all others, which stay in order; what comes out is cut as if
        // nothing had been moved.
        let last = usize::try_from(sizes.get(rank - 1).copied().unwrap_or(0)).unwrap_or(0);
        let others = places.len().saturating_sub(last);
        let mut rows = Small::new();
        rows.extend_from_slice(places.get(others..).unwrap_or_default());
        rows.extend_from_slice(places.get(..others).unwrap_or_default());
        rows
    }
}

/// A swizzle pattern in bits.
struct Pattern {
    /// The elements of a row.
    inner: u32,
    /// The elements of a vector.
    vector: u32,
    /// The rows of one phase.
    per_phase: u32,
    /// The phases.
    phases: u32,
}
