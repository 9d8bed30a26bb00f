//! [`DotOperand`]: an operand of a matrix multiplication whose result has the parent encoding.

use super::amd_wmma::unit;
use super::fit::Fit;
use super::sizes::{last_first, log, logs, same_rank};
use super::tile::{Place, Tile};
use super::trace::EncodingStep;
use super::{AmdMfma, AmdWmma, Blocked, Encoding, NvidiaMma};
use crate::error::{Code, Error};
use crate::linear::LinearLayout;
use crate::small::Small;
use crate::trace::Trace;

/// `#ttg.dot_op<{opIdx, parent, kWidth}>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DotOperand {
    /// 0 for A, 1 for B.
    pub operand: i64,
    /// The encoding of the result.
    pub parent: Box<Encoding>,
    /// How many elements along K lie next to each other in a register group; 0 where the parent is blocked.
    pub k_width: i64,
}

impl DotOperand {
    /// The linear layout of the operand for a shape. K is the last dim of A, the last but one of B. Warps that the
    /// parent spreads along K hold the same elements.
    ///
    /// # Errors
    /// [`Code::Parameter`] for a parent that has no operands, an operand that is neither 0 nor 1, a `k_width` of 0 beside a
    /// matrix instruction, another one beside a blocked parent, and one that WMMA does not have; and what the parent says.
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        self.lower(shape, &mut ())
    }

    pub(super) fn lower(&self, shape: &[i64], trace: &mut impl Trace<EncodingStep>) -> Result<LinearLayout, Error> {
        match self.parent.as_ref() {
            Encoding::Blocked(parent) => self.blocked(parent, shape, trace),
            Encoding::NvidiaMma(parent) => self.nvidia_mma(parent, shape, trace),
            Encoding::AmdMfma(parent) => self.amd_mfma(parent, shape, trace),
            Encoding::AmdWmma(parent) => self.amd_wmma(parent, shape, trace),
            _ => Err(Error::new(
                Code::Parameter,
                "the parent of a dot operand is blocked or a matrix instruction's result",
            )
            .with_help("#ttg.blocked, #ttg.nvidia_mma, #ttg.amd_mfma or #ttg.amd_wmma")),
        }
    }

    /// Every lane holds all of K.
    fn blocked(
        &self,
        parent: &Blocked,
        shape: &[i64],
        trace: &mut impl Trace<EncodingStep>,
    ) -> Result<LinearLayout, Error> {
        let order = parent.order()?;
        let rank = same_rank(order.len(), shape)?;
        if self.k_width != 0 {
            return Err(error!(
                Code::Parameter,
                "kWidth is {k_width}, and the parent is blocked",
                [k_width = self.k_width]
            )
            .with_help("leave kWidth out: it counts elements of a matrix instruction"));
        }
        let k = self.k(rank)?;
        let whole = log("a size of the shape", shape.get(k).copied().unwrap_or(0))?;
        let mut tile = Tile::new(rank, trace);
        for (place, bits) in parent.places()? {
            for dim in &order {
                let own = bits.get(*dim).copied().unwrap_or(0);
                match place {
                    Place::Register if *dim == k => tile.grow(place, k, whole),
                    _ if *dim == k => tile.zeros(place, own),
                    _ => tile.grow(place, *dim, own),
                }
            }
        }
        tile.fit(shape, &order, &parent.cga.without(k), Fit::Keep)
    }

    /// Registers along K, four lanes along K and eight across; registers over the rest of A's M, then twice along K. An
    /// instruction of eight rows, which multiplies doubles, goes along K once only.
    fn nvidia_mma(
        &self,
        parent: &NvidiaMma,
        shape: &[i64],
        trace: &mut impl Trace<EncodingStep>,
    ) -> Result<LinearLayout, Error> {
        let (rank, _, _) = parent.dims(shape)?;
        let (across, k) = self.dims(rank)?;
        if parent.version_major == 3 && self.operand == 1 {
            return Err(Error::new(Code::Parameter, "operand B of version 3 is read from shared memory")
                .with_help("only opIdx = 0 has a layout in registers"));
        }
        let mut tile = Tile::new(rank, trace);
        tile.grow(Place::Register, k, self.width()?);
        tile.grow(Place::Lane, k, 2);
        tile.grow(Place::Lane, across, 3);
        let rows = parent.eights_of_m()?;
        if self.operand == 0 {
            tile.grow(Place::Register, across, rows);
        }
        tile.grow(Place::Register, k, u32::from(rows > 0));
        warps(&mut tile, &parent.warps(rank)?, k);
        tile.fit(shape, &k_first(rank, across, k), &parent.cga.without(k), Fit::Keep)
    }

    /// The lanes across as the instruction has rows or columns; the other lanes go on along K.
    fn amd_mfma(
        &self,
        parent: &AmdMfma,
        shape: &[i64],
        trace: &mut impl Trace<EncodingStep>,
    ) -> Result<LinearLayout, Error> {
        let (rank, _, _) = parent.dims(shape)?;
        let (across, k) = self.dims(rank)?;
        let lanes = parent.instr_shape.get(usize::from(self.operand != 0)).copied().unwrap_or(0);
        let lanes = log("instrShape", lanes)?.min(6);
        let mut tile = Tile::new(rank, trace);
        tile.grow(Place::Register, k, self.width()?);
        tile.grow(Place::Lane, across, lanes);
        tile.grow(Place::Lane, k, 6 - lanes);
        if lanes == 6 {
            // The other side has four lanes across and sixteen along K; here registers take their part.
            tile.grow(Place::Register, k, 4);
        }
        let whole = log("a size of the shape", shape.get(k).copied().unwrap_or(0))?;
        tile.grow(Place::Register, k, whole.saturating_sub(tile.reach(k)));
        tile.grow(Place::Register, across, parent.tiles(rank)?.get(across).copied().unwrap_or(0));
        let bits = logs("warpsPerCTA", &parent.warps_per_cta, rank)?;
        let order: Small<(usize, u32), 4> =
            last_first(rank).iter().map(|dim| (*dim, bits.get(*dim).copied().unwrap_or(0))).collect();
        warps(&mut tile, &order, k);
        tile.fit(shape, &k_first(rank, across, k), &parent.cga, Fit::Keep)
    }

    /// Sixteen lanes across; the last lane bit goes on along K, or holds the same in version 1. The tile is repeated in
    /// registers as often as two of `k_width` fit into the instruction's K, in version 1 too.
    fn amd_wmma(
        &self,
        parent: &AmdWmma,
        shape: &[i64],
        trace: &mut impl Trace<EncodingStep>,
    ) -> Result<LinearLayout, Error> {
        let (rank, _, _) = parent.dims(shape)?;
        let (across, k) = self.dims(rank)?;
        let rows = parent.rows()?;
        let allowed: &[i64] = match parent.version {
            1 => &[8, 16],
            2 => &[4, 8, 16],
            _ => &[self.k_width],
        };
        if !allowed.contains(&self.k_width) {
            let allowed = allowed.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            return Err(error!(
                Code::Parameter,
                "kWidth is {k_width}; WMMA of version {version} has {allowed}",
                [k_width = self.k_width, version = parent.version, allowed]
            ));
        }
        let mut tile = Tile::new(rank, trace);
        let width = self.width()?;
        tile.grow(Place::Register, k, width);
        tile.grow(Place::Lane, across, 4);
        if parent.version == 1 {
            tile.zeros(Place::Lane, 1);
        } else {
            tile.grow(Place::Lane, k, 1);
        }
        let depth = log("instrShape's K", parent.instr_shape.get(2).copied().unwrap_or(0))?;
        tile.grow(Place::Register, k, depth.saturating_sub(width + 1));
        if (self.operand == 0) != parent.transposed && rows == 32 {
            tile.grow(Place::Register, across, 1);
        }
        let step = tile.reach(across);
        for basis in &parent.register_bases {
            if let Some((dim, bit)) = unit(basis, rank)?.filter(|(dim, _)| *dim != k) {
                tile.put(Place::Register, dim, if dim == across { bit + step } else { bit });
            }
        }
        for basis in &parent.warp_bases {
            match unit(basis, rank)?.filter(|(dim, _)| *dim != k) {
                Some((dim, bit)) => tile.put(Place::Warp, dim, if dim == across { bit + step } else { bit }),
                None => tile.zeros(Place::Warp, 1),
            }
        }
        tile.fit(shape, &k_first(rank, across, k), &parent.cga.without(k), Fit::Keep)
    }

    /// The dim K: the last of A, the last but one of B.
    fn k(&self, rank: usize) -> Result<usize, Error> {
        let back = match self.operand {
            0 => 1,
            1 => 2,
            _ => {
                return Err(error!(Code::Parameter, "opIdx is {operand}; 0 is A and 1 is B", [operand = self.operand]));
            }
        };
        rank.checked_sub(back).ok_or_else(|| {
            error!(
                Code::RankMismatch,
                "an operand with opIdx {operand} has no K in rank {rank}",
                [operand = self.operand, rank]
            )
        })
    }

    /// The dim across K, and K, of an operand of a matrix instruction.
    fn dims(&self, rank: usize) -> Result<(usize, usize), Error> {
        let k = self.k(rank)?;
        let across = rank.checked_sub(if self.operand == 0 { 2 } else { 1 });
        let across =
            across.ok_or_else(|| error!(Code::RankMismatch, "an operand has rank 2 or 3, not {rank}", [rank]))?;
        Ok((across, k))
    }

    /// The bits of `k_width`.
    fn width(&self) -> Result<u32, Error> {
        log("kWidth", self.k_width)
    }
}

/// The warps: those along K hold the same elements.
fn warps(tile: &mut Tile<'_, impl Trace<EncodingStep>>, order: &[(usize, u32)], k: usize) {
    for (dim, bits) in order {
        if *dim == k {
            tile.zeros(Place::Warp, *bits);
        } else {
            tile.grow(Place::Warp, *dim, *bits);
        }
    }
}

/// K is the fastest, then the dim across, then the batch.
fn k_first(rank: usize, across: usize, k: usize) -> Small<usize, 4> {
    let mut order = Small::from_slice(&[k, across]);
    (0..rank.saturating_sub(2)).rev().for_each(|dim| order.push(dim));
    order
}
