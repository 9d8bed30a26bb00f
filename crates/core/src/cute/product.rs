//! Products: a layout repeated as another one says.
//!
//! `logical_product(A, B) = (A, A* o B)` with A* the complement of A in `size(A)*cosize(B)`: mode 0 is one copy of A,
//! mode 1 runs from copy to copy in the order of B. For A of shape (x,y) and B of shape (z,w):
//!
//! | form | shape |
//! |---|---|
//! | logical, zipped | ((x,y),(z,w)) |
//! | tiled | ((x,y),z,w) |
//! | flat | (x,y,z,w) |
//! | blocked | ((x,z),(y,w)) |
//! | raked | ((z,x),(w,y)) |
//!
//! Law: mode 0 is A; mode 1 is compatible with B; where A is injective the copies are disjoint.

use super::arrange::{pair_modes, unpack, zip_by};
use super::complement::complement_up_to;
use super::composition::composition;
use super::layout::Layout;
use super::measure::cosize;
use super::meet::{Meeting, meeting};
use super::tiler::Tiler;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;

/// Copies of a block, mode by mode where the tiler has modes.
///
/// # Errors
/// What complement and composition refuse, as for a padded block whose holes the tiler would have to cross;
/// [`Code::Overlap`] where copies would meet, [`Code::MissingFact`] and [`Code::Undecided`] where that stays open.
///
/// ```
/// use bitstride::{cute::{logical_product, Tiler}, StaticLayout};
/// let (a, b): (StaticLayout, StaticLayout) = ("(2,2):(4,1)".parse()?, "6:1".parse()?);
/// assert_eq!(logical_product(&a, &Tiler::from(b))?.to_string(), "((2,2),(2,3)):((4,1),(2,8))");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn logical_product<I: Integer, D: StrideLeaf<I>>(
    block: &Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    tiler.apply(block, "product", false, &|block, tile| match tile.as_layout() {
        Some(tile) => Ok(Layout::pair(block, &copies(block, &tile)?)),
        None => Ok(block.clone()),
    })
}

/// Where the copies of a block start.
fn copies<I: Integer, D: StrideLeaf<I>>(block: &Layout<I, D>, tile: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    let reach = cosize(tile)?;
    let free = complement_up_to(block, &[block.size()?.mul(&reach)?])?;
    let starts = composition(&free, tile)?;
    // Beyond its size the complement goes on with its last mode, which is free for sure where that passes whole blocks;
    // before the origin it is mirrored, and only a single mode is free on both sides.
    let last = free.strides().last().and_then(StrideLeaf::as_integer);
    // A size beyond 64 bits is more than any reach, and a cosize beyond them more than any stride.
    let inside = free.size().map_or(Some(true), |size| reach.at_most(&size)) != Some(false)
        || last.is_none_or(|last| cosize(block).map_or(Some(false), |whole| whole.at_most(last)) != Some(false));
    let mirrored = free.extents().len() > 1 && goes_both_ways(tile);
    if (inside && !mirrored) || repeats(block) {
        return Ok(starts);
    }
    match meeting(block, &starts)? {
        None => Ok(starts),
        Some(Meeting { starts: [one, other], place }) => Err(error!(
            (Code::Overlap, "meeting"),
            "copies of {block} that start as {tile} says, at {one} and {other}, meet at {place}",
            [block, tile, place; starts = [one, other]]
        )
        .with_help(
            "copies along strides of one sign do not meet where each stride of the block is a multiple of the extent times the stride below it",
        )),
    }
}

/// Whether a block is known to have elements of one place: of such the law does not speak.
fn repeats<I: Integer, D: StrideLeaf<I>>(block: &Layout<I, D>) -> bool {
    let many = |extent: &I| extent.value().is_some_and(|n| n > 1);
    block.extents().iter().zip(block.strides()).any(|(extent, stride)| many(extent) && stride.is_zero())
}

/// Whether a tile has numbers before and behind the origin.
fn goes_both_ways<I: Integer, D: StrideLeaf<I>>(tile: &Layout<I, D>) -> bool {
    let goes = |sign: i64| {
        let mut modes = tile.extents().iter().zip(tile.strides()).filter(|(extent, _)| !extent.is(1));
        modes.any(|(_, stride)| stride.as_integer().is_some_and(|d| d.sign() == Some(sign)))
    };
    goes(-1) && goes(1)
}

/// Blocks gathered into mode 0, copies into mode 1.
///
/// # Errors
/// As [`logical_product`].
pub fn zipped_product<I: Integer, D: StrideLeaf<I>>(
    block: &Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    zip_by(logical_product(block, tiler)?, tiler)
}

/// As [`zipped_product`], with mode 1 unpacked.
///
/// # Errors
/// As [`logical_product`].
pub fn tiled_product<I: Integer, D: StrideLeaf<I>>(
    block: &Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    Ok(unpack(&zipped_product(block, tiler)?, false))
}

/// As [`zipped_product`], with both modes unpacked.
///
/// # Errors
/// As [`logical_product`].
pub fn flat_product<I: Integer, D: StrideLeaf<I>>(
    block: &Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    Ok(unpack(&zipped_product(block, tiler)?, true))
}

/// Copies of a block laid out as blocks: mode k is (block's mode k, tiler's mode k).
///
/// # Errors
/// As [`logical_product`].
///
/// ```
/// use bitstride::{cute::blocked_product, StaticLayout};
/// let (a, b): (StaticLayout, StaticLayout) = ("(2,5):(5,1)".parse()?, "(3,4):(1,3)".parse()?);
/// assert_eq!(blocked_product(&a, &b)?.to_string(), "((2,3),(5,4)):((5,10),(1,30))");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn blocked_product<I: Integer, D: StrideLeaf<I>>(
    block: &Layout<I, D>,
    tiler: &Layout<I, D>,
) -> Result<Layout<I, D>, Error> {
    let (block, copies, single) = ranked_product(block, tiler)?;
    Ok(pair_modes(&block, &copies, single))
}

/// Copies of a block interleaved: mode k is (tiler's mode k, block's mode k).
///
/// # Errors
/// As [`logical_product`].
pub fn raked_product<I: Integer, D: StrideLeaf<I>>(
    block: &Layout<I, D>,
    tiler: &Layout<I, D>,
) -> Result<Layout<I, D>, Error> {
    let (block, copies, single) = ranked_product(block, tiler)?;
    Ok(pair_modes(&copies, &block, single))
}

/// Block and copies after the shorter operand got `1:0` modes up to the rank of the other; and whether both are one
/// mode.
fn ranked_product<I: Integer, D: StrideLeaf<I>>(
    block: &Layout<I, D>,
    tiler: &Layout<I, D>,
) -> Result<Ranked<I, D>, Error> {
    let rank = block.rank().max(tiler.rank());
    let (block, tiler) = (padded(block, rank), padded(tiler, rank));
    let single = block.root().is_leaf() || tiler.root().is_leaf();
    let copies = copies(&block, &tiler)?;
    Ok((block, copies, single))
}

type Ranked<I, D> = (Layout<I, D>, Layout<I, D>, bool);

/// The layout with `1:0` modes appended up to a rank.
pub(super) fn padded<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, rank: usize) -> Layout<I, D> {
    if layout.rank() >= rank && !(layout.root().is_leaf() && rank > 1) {
        return layout.clone();
    }
    let mut modes = layout.modes();
    modes.resize_with(rank.max(modes.len()), Layout::unit);
    Layout::of(&modes)
}
