//! [`NvidiaMma`]: the accumulator of the NVIDIA matrix instructions, versions 2 and 3.

use super::fit::Fit;
use super::sizes::{last_first, logs, same_rank};
use super::tile::{Place, Tile};
use super::trace::EncodingStep;
use super::{Cga, Sizes};
use crate::error::{Code, Error};
use crate::linear::LinearLayout;
use crate::small::Small;
use crate::trace::Trace;

/// `#ttg.nvidia_mma<{versionMajor, versionMinor, warpsPerCTA, CGALayout, instrShape}>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

/// Every instruction has tiles of 8 by 8, as bits of a side.
const EIGHT: u32 = 3;

impl NvidiaMma {
    /// The linear layout of the accumulator for a shape. A lane has two neighbours along N; four lanes go along N, eight
    /// along M. Registers take the rest of the instruction, first along M, then along N. Warps go along N first in
    /// version 2, along M first in version 3.
    ///
    /// # Errors
    /// [`Code::MmaV1Removed`], [`Code::Parameter`], [`Code::RankMismatch`], [`Code::SizeNotPowerOfTwo`].
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        self.lower(shape, &mut ())
    }

    pub(super) fn lower(&self, shape: &[i64], trace: &mut impl Trace<EncodingStep>) -> Result<LinearLayout, Error> {
        let (rank, m, n) = self.dims(shape)?;
        let mut tile = Tile::new(rank, trace);
        tile.grow(Place::Register, n, 1);
        tile.grow(Place::Lane, n, 2);
        tile.grow(Place::Lane, m, 3);
        tile.grow(Place::Register, m, self.eights_of_m()?);
        tile.grow(Place::Register, n, self.eights("N", 1)?);
        for (dim, bits) in &self.warps(rank)? {
            tile.grow(Place::Warp, *dim, *bits);
        }
        tile.fit(shape, &last_first(rank), &self.cga, Fit::Keep)
    }

    /// The rank, and which dims M and N are.
    pub(super) fn dims(&self, shape: &[i64]) -> Result<(usize, usize, usize), Error> {
        match self.version_major {
            2 | 3 => {}
            1 => {
                return Err(Error::new(Code::MmaV1Removed, "version 1 of the NVIDIA MMA encoding no longer exists")
                    .with_help("versions 2 and 3 do; the fifth generation's accumulator is in tensor memory"));
            }
            other => {
                return Err(error!(Code::Parameter, "versionMajor is {other}; 2 and 3 exist", [other]));
            }
        }
        let rank = same_rank(self.warps_per_cta.len(), shape)?;
        if !(2..=3).contains(&rank) || (self.version_major == 3 && rank == 3) {
            return Err(error!(
                Code::RankMismatch,
                "version {version_major} has no layout of rank {rank}",
                [version_major = self.version_major, rank]
            ));
        }
        let wanted = if self.version_major == 2 { rank } else { 3 };
        if self.instr_shape.len() != wanted {
            return Err(error!(
                Code::RankMismatch,
                "instrShape has {instr_shape_count} entries; it has {wanted} here",
                [instr_shape_count = self.instr_shape.len(), wanted]
            ));
        }
        Ok((rank, rank - 2, rank - 1))
    }

    /// The bits of the instruction's M beyond the eight rows of the lanes.
    pub(super) fn eights_of_m(&self) -> Result<u32, Error> {
        self.eights("M", 0)
    }

    /// The bits of a side of the instruction beyond 8; version 2 has M and N last, version 3 first.
    fn eights(&self, side: &str, at: usize) -> Result<u32, Error> {
        let at = if self.version_major == 2 { self.instr_shape.len().saturating_sub(2) + at } else { at };
        let size = self.instr_shape.get(at).copied().unwrap_or(0);
        let bits = u64::try_from(size).ok().filter(|size| size.is_power_of_two()).map(u64::trailing_zeros);
        bits.and_then(|bits| bits.checked_sub(EIGHT)).ok_or_else(|| {
            error!(Code::Parameter, "instrShape's {side} is {size}; it is a power of two from 8 on", [side, size])
        })
    }

    /// The dims that the warps go over, the fastest first, with the bits of each.
    pub(super) fn warps(&self, rank: usize) -> Result<Small<(usize, u32), 4>, Error> {
        let bits = logs("warpsPerCTA", &self.warps_per_cta, rank)?;
        let mut order = last_first(rank);
        if self.version_major == 3 {
            order.reverse();
        }
        Ok(order.iter().map(|dim| (*dim, bits.get(*dim).copied().unwrap_or(0))).collect())
    }
}
