//! [`AmdMfma`]: the accumulator of AMD's MFMA instructions, versions 1 to 4.

use super::fit::Fit;
use super::sizes::{last_first, log, logs, same_rank};
use super::tile::{Place, Tile};
use super::trace::EncodingStep;
use super::{Cga, Sizes};
use crate::error::{Code, Error};
use crate::linear::LinearLayout;
use crate::small::Small;
use crate::trace::Trace;

/// `#ttg.amd_mfma<{version, warpsPerCTA, instrShape, isTransposed, …}>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AmdMfma {
    /// The generation of the instruction, 1 to 4; 0 where it is not said.
    pub version: i64,
    /// How the warps of a block are arranged.
    pub warps_per_cta: Sizes,
    /// M, N, K of one instruction.
    pub instr_shape: Sizes,
    /// Whether rows and columns of the result change places.
    pub transposed: bool,
    /// How many instruction tiles one warp repeats along each dim.
    pub tiles_per_warp: Sizes,
    /// The bits of an element of the result: 32 or 64.
    pub element_bits: i64,
    /// The blocks of a cluster.
    pub cga: Cga,
}

/// The bits of the lanes of a wave of 64.
const LANES: u32 = 6;

impl AmdMfma {
    /// The linear layout of the accumulator for a shape: the instruction's tile, then along N the tiles of a warp, the
    /// warps and all repetitions, then the same along M.
    ///
    /// # Errors
    /// [`Code::MfmaTransposed`], [`Code::Parameter`], [`Code::RankMismatch`], [`Code::SizeNotPowerOfTwo`].
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        self.lower(shape, &mut ())
    }

    pub(super) fn lower(&self, shape: &[i64], trace: &mut impl Trace<EncodingStep>) -> Result<LinearLayout, Error> {
        let (rank, m, n) = self.dims(shape)?;
        let mut tile = Tile::new(rank, trace);
        self.instruction(&mut tile, m, n)?;
        let tiles = self.tiles(rank)?;
        let warps = logs("warpsPerCTA", &self.warps_per_cta, rank)?;
        for dim in last_first(rank).iter() {
            // A batch is not repeated.
            if *dim == m || *dim == n {
                tile.grow(Place::Register, *dim, tiles.get(*dim).copied().unwrap_or(0));
            }
            tile.grow(Place::Warp, *dim, warps.get(*dim).copied().unwrap_or(0));
            if *dim == n {
                let whole = log("a size of the shape", shape.get(n).copied().unwrap_or(0))?;
                tile.grow(Place::Register, n, whole.saturating_sub(tile.reach(n)));
            }
        }
        tile.fit(shape, &last_first(rank), &self.cga, Fit::Keep)
    }

    /// The tile of one instruction. A lane holds four elements side by side, or one of 64 bits, along M; the lanes go on along
    /// N and then along M, and what is left of M is repeated in registers. Transposed, M and N change places.
    fn instruction(&self, tile: &mut Tile<'_, impl Trace<EncodingStep>>, m: usize, n: usize) -> Result<(), Error> {
        let shape = (self.instr_shape.first().copied(), self.instr_shape.get(1).copied());
        let side_by_side: u32 = if self.element_bits == 64 { 0 } else { 2 };
        let (rows, columns): (u32, u32) = match (shape, self.element_bits) {
            ((Some(32), Some(32)), 32 | 64) => (5, 5),
            ((Some(16), Some(16)), 32 | 64) => (4, 4),
            ((Some(4), Some(64)), 32 | 64) => (2, 6),
            ((Some(64), Some(4)), 32 | 64) => (6, 2),
            _ => {
                return Err(error!(
                    Code::Parameter,
                    "there is no MFMA of shape {shape:?} with {element_bits}-bit results",
                    [shape = self.instr_shape, element_bits = self.element_bits]
                )
                .with_help("32x32, 16x16, 4x64 and 64x4, with 32 or 64 bits"));
            }
        };
        if rows > columns && !self.transposed {
            return Err(Error::new(Code::MfmaTransposed, "instrShape 64x4 exists with isTransposed = true only"));
        }
        let (held, across, lanes) = if self.transposed { (n, m, rows) } else { (m, n, columns) };
        tile.grow(Place::Register, held, side_by_side);
        tile.grow(Place::Lane, across, lanes);
        tile.grow(Place::Lane, held, LANES - lanes);
        tile.grow(Place::Register, held, (rows + columns).saturating_sub(LANES + side_by_side));
        Ok(())
    }

    /// The rank, and which dims M and N are.
    pub(super) fn dims(&self, shape: &[i64]) -> Result<(usize, usize, usize), Error> {
        let rank = same_rank(self.warps_per_cta.len(), shape)?;
        if !(2..=3).contains(&rank) {
            return Err(error!(Code::RankMismatch, "an MFMA result has rank 2 or 3, not {rank}", [rank]));
        }
        if !(0..=4).contains(&self.version) {
            return Err(error!(Code::Parameter, "version is {version}; 0 to 4 exist", [version = self.version]));
        }
        Ok((rank, rank - 2, rank - 1))
    }

    /// The bits of the tiles of one warp along each dim.
    pub(super) fn tiles(&self, rank: usize) -> Result<Small<u32, 4>, Error> {
        logs("tilesPerWarp", &self.tiles_per_warp, rank)
    }
}
