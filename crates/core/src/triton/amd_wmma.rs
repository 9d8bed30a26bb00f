//! [`AmdWmma`]: the accumulator of AMD's WMMA instructions, versions 1 to 3.

use super::fit::Fit;
use super::sizes::{last_first, log, same_rank};
use super::tile::{Place, Tile};
use super::trace::EncodingStep;
use super::{Cga, Sizes};
use crate::error::{Code, Error};
use crate::linear::LinearLayout;
use crate::small::Small;
use crate::trace::Trace;

/// `#ttg.amd_wmma<{version, isTranspose, ctaLayout = {register, warp}, instrShape, …}>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AmdWmma {
    /// The generation of the instruction, 1 to 3.
    pub version: i64,
    /// Whether rows and columns of the result change places.
    pub transposed: bool,
    /// Where each bit of the warp number is, in instruction tiles.
    pub warp_bases: Vec<Sizes>,
    /// Where each bit of the repetition in registers is, in instruction tiles.
    pub register_bases: Vec<Sizes>,
    /// M, N, K of one instruction.
    pub instr_shape: Sizes,
    /// The blocks of a cluster.
    pub cga: Cga,
    /// The rank of the tensor, 2 or 3.
    pub rank: usize,
}

impl AmdWmma {
    /// The linear layout of the accumulator for a shape: the instruction's tile, repeated over registers and warps as
    /// their bases say, then over the shape.
    ///
    /// # Errors
    /// [`Code::Parameter`], [`Code::RankMismatch`], [`Code::SizeNotPowerOfTwo`].
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        self.lower(shape, &mut ())
    }

    pub(super) fn lower(&self, shape: &[i64], trace: &mut impl Trace<EncodingStep>) -> Result<LinearLayout, Error> {
        let (rank, m, n) = self.dims(shape)?;
        let mut tile = Tile::new(rank, trace);
        let (m, n) = if self.transposed { (n, m) } else { (m, n) };
        let registers: &[u32] = if self.version == 1 { &[1, 2, 3] } else { &[0, 1, 2] };
        registers.iter().for_each(|bit| tile.put(Place::Register, m, *bit));
        tile.grow(Place::Lane, n, 4);
        tile.put(Place::Lane, m, if self.version == 1 { 0 } else { 3 });
        if self.rows()? == 32 {
            tile.put(Place::Register, m, 4);
        }
        let units: Small<u32, 4> = (0..rank).map(|dim| tile.reach(dim)).collect();
        for (place, bases) in [(Place::Register, &self.register_bases), (Place::Warp, &self.warp_bases)] {
            for basis in bases {
                match unit(basis, rank)? {
                    Some((dim, bit)) => tile.put(place, dim, bit + units.get(dim).copied().unwrap_or(0)),
                    None => tile.zeros(place, 1),
                }
            }
        }
        tile.fit(shape, &last_first(rank), &self.cga, Fit::Keep)
    }

    /// The rows of one instruction's result: 16, or 32 in version 3. The shapes are those that Triton's verifier accepts.
    pub(super) fn rows(&self) -> Result<i64, Error> {
        match (self.version, self.instr_shape.as_ref()) {
            (1 | 2, [16, 16, 16]) | (2, [16, 16, 32]) | (3, [16, 16, 4 | 32 | 64 | 128]) => Ok(16),
            (3, [32, 16, 64 | 128]) => Ok(32),
            _ => Err(error!(
                Code::Parameter,
                "there is no WMMA of shape {instr_shape:?} in version {version}",
                [instr_shape = self.instr_shape, version = self.version]
            )
            .with_help(match self.version {
                1 => "16x16x16",
                2 => "16x16x16 and 16x16x32",
                _ => "16x16 with a K of 4, 32, 64 or 128, and 32x16 with a K of 64 or 128",
            })),
        }
    }

    /// The rank, and which dims M and N are.
    pub(super) fn dims(&self, shape: &[i64]) -> Result<(usize, usize, usize), Error> {
        let rank = same_rank(self.rank, shape)?;
        if !(2..=3).contains(&rank) {
            return Err(error!(Code::RankMismatch, "a WMMA result has rank 2 or 3, not {rank}", [rank]));
        }
        if !(1..=3).contains(&self.version) {
            return Err(error!(Code::Parameter, "version is {version}; 1 to 3 exist", [version = self.version]));
        }
        Ok((rank, rank - 2, rank - 1))
    }
}

/// The dim and bit of a basis that is one bit of one dim; none for a zero basis.
///
/// # Errors
/// [`Code::RankMismatch`]; [`Code::Parameter`] for any other basis.
pub(super) fn unit(basis: &Sizes, rank: usize) -> Result<Option<(usize, u32)>, Error> {
    if basis.len() != rank {
        return Err(error!(
            Code::RankMismatch,
            "the basis {basis:?} has {basis_count} values for rank {rank}",
            [basis, basis_count = basis.len(), rank]
        ));
    }
    let mut along = basis.iter().enumerate().filter(|(_, value)| **value != 0);
    match (along.next(), along.next()) {
        (None, _) => Ok(None),
        (Some((dim, value)), None) => Ok(Some((dim, log("a basis of ctaLayout", *value)?))),
        _ => Err(error!(Code::Parameter, "the basis {basis:?} goes along two dims at once", [basis])),
    }
}
