//! Products: a layout repeated as another one says.
//!
//! `logical_product(A, B) = (A, A* o B)` with A* the complement of A in `size(A)*cosize(B)`: mode 0 is one copy of A, mode 1 runs from
//! copy to copy in the order of B. For A of shape (x,y) and B of shape (z,w):
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
use super::complement::filled;
use super::composition::composition;
use super::layout::Layout;
use super::measure::cosize;
use super::tiler::Tiler;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;

/// Copies of a block, mode by mode where the tiler has modes.
///
/// # Errors
/// What complement and composition refuse, as for a padded block whose holes the tiler would have to cross.
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
    let (free, hole) = filled(block, &[block.size()?.mul(&reach)?])?;
    // The last mode of the gaps goes on safely only above the whole block.
    let value = |stride: &D| stride.as_integer().and_then(Integer::value);
    let above = free.strides().last().and_then(value) > block.strides().iter().filter_map(value).max();
    if hole.is_some() && !above && reach.at_most(&free.size()?) != Some(true) {
        return Err(Error::new(
            Code::Overlap,
            format!("{tile} needs {reach} places for copies of {block}, whose uneven gaps have {}", free.size()?),
        )
        .with_help("each stride of the block must be a multiple of the extent times the stride below it"));
    }
    let goes = |sign: i64| {
        let mut modes = tile.extents().iter().zip(tile.strides()).filter(|(extent, _)| !extent.is(1));
        modes.any(|(_, stride)| stride.as_integer().is_some_and(|d| d.sign() == Some(sign)))
    };
    // Behind the origin the gaps are mirrored: there a copy fills what a copy before the origin takes.
    if free.extents().len() > 1 && goes(-1) && goes(1) {
        return Err(Error::new(
            Code::Overlap,
            format!("{tile} goes both ways from the origin, where copies of {block} meet in its gaps"),
        ));
    }
    composition(&free, tile)
}

/// Blocks gathered into mode 0, copies into mode 1.
///
/// # Errors
/// As [`logical_product`].
pub fn zipped_product<I: Integer, D: StrideLeaf<I>>(
    block: &Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    zip_by(&logical_product(block, tiler)?, tiler)
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

/// Block and copies after the shorter operand got `1:0` modes up to the rank of the other; and whether both are one mode.
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
