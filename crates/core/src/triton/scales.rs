//! The block scales of AMD's scaled matrix instructions: which lane holds the scale of which block of an operand.
//!
//! The tensor of scales has the operand's rows (or columns) as `dim0` and the blocks along K as `dim1`. Law: a lane
//! holds the scales of the elements of the operand that it feeds to the instruction, so the lanes go over `dim0` as the
//! instruction goes over rows, and what is left of them over K.

use super::amd_wmma::unit;
use super::fit::Fit;
use super::sizes::{log, logs, same_rank};
use super::tile::{Place, Tile};
use super::{Cga, Sizes};
use crate::error::{Code, Error};
use crate::linear::LinearLayout;

/// The dims of the tensor of scales: rows or columns of the operand, then blocks along K.
const ACROSS: usize = 0;
const K: usize = 1;

/// The layout of the scales of an MFMA operand (0 is A, 1 is B) for a shape: `rows` of one instruction, 16 or 32, and the
/// parent's tiles per warp and warps per block, along M and N.
///
/// # Errors
/// [`Code::Parameter`], [`Code::RankMismatch`], [`Code::SizeNotPowerOfTwo`].
///
/// ```
/// use bitstride::triton::{Sizes, mfma_scale};
/// let ones = Sizes::from_slice(&[1, 1]);
/// let layout = mfma_scale(0, &[128, 4], 16, &ones, &ones)?;
/// assert_eq!(layout.in_bits(), 9);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn mfma_scale(
    operand: i64,
    shape: &[i64],
    rows: i64,
    tiles_per_warp: &Sizes,
    warps_per_cta: &Sizes,
) -> Result<LinearLayout, Error> {
    same_rank(2, shape)?;
    let across = match rows {
        16 => 4,
        32 => 5,
        _ => return Err(error!(Code::Parameter, "the instruction has {rows} rows; 16 and 32 exist", [rows])),
    };
    let own = side(operand)?;
    let tiles = logs("tilesPerWarp", tiles_per_warp, 2)?;
    let warps = logs("warpsPerCTA", warps_per_cta, 2)?;
    let mut trace = ();
    let mut tile = Tile::new(2, &mut trace);
    tile.grow(Place::Lane, ACROSS, across);
    tile.grow(Place::Lane, K, 6 - across);
    let whole = log("a size of the shape", shape.get(K).copied().unwrap_or(0))?;
    tile.grow(Place::Register, K, whole.saturating_sub(tile.reach(K)));
    tile.grow(Place::Register, ACROSS, tiles.get(own).copied().unwrap_or(0));
    for dim in [1, 0] {
        let bits = warps.get(dim).copied().unwrap_or(0);
        if dim == own {
            tile.grow(Place::Warp, ACROSS, bits);
        } else {
            tile.zeros(Place::Warp, bits);
        }
    }
    tile.fit(shape, &[K, ACROSS], &Cga::default(), Fit::Keep)
}

/// The layout of the scales of a WMMA operand (0 is A, 1 is B) for a shape: every `factor` elements along K share a
/// scale, and `warp_bases` are the parent's, in instruction tiles along M and N.
///
/// # Errors
/// [`Code::Parameter`], [`Code::RankMismatch`], [`Code::SizeNotPowerOfTwo`].
///
/// ```
/// use bitstride::triton::{Sizes, wmma_scale};
/// let layout = wmma_scale(0, &[64, 4], 32, &[Sizes::from_slice(&[0, 1])])?;
/// assert_eq!(layout.to_string().matches("[32,0]").count(), 1);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn wmma_scale(operand: i64, shape: &[i64], factor: i64, warp_bases: &[Sizes]) -> Result<LinearLayout, Error> {
    same_rank(2, shape)?;
    let own = side(operand)?;
    let depth = 128_i64
        .checked_div(factor)
        .filter(|_| matches!(factor, 16 | 32))
        .ok_or_else(|| error!(Code::Parameter, "{factor} elements share a scale; 16 and 32 exist", [factor]))?;
    let mut trace = ();
    let mut tile = Tile::new(2, &mut trace);
    tile.grow(Place::Register, K, log("the scales of one instruction", depth)?);
    tile.grow(Place::Lane, ACROSS, 4);
    for basis in warp_bases {
        match unit(basis, 2)?.filter(|(dim, _)| *dim == own) {
            Some((_, bit)) => tile.put(Place::Warp, ACROSS, bit.saturating_add(4)),
            None => tile.zeros(Place::Warp, 1),
        }
    }
    tile.grow(Place::Lane, ACROSS, 1);
    tile.fit(shape, &[K, ACROSS], &Cga::default(), Fit::Keep)
}

/// The dim of the parent that the operand's rows or columns go along.
fn side(operand: i64) -> Result<usize, Error> {
    match operand {
        0 => Ok(0),
        1 => Ok(1),
        _ => Err(error!(Code::Parameter, "opIdx is {operand}; 0 is A and 1 is B", [operand])),
    }
}
