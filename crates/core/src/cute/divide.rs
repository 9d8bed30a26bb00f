//! Division: a layout cut into tiles.
//!
//! `logical_divide(A, B) = A o (B, B*)` with B* the complement of B in A's shape: mode 0 runs inside a tile, mode 1
//! from tile to tile. By a tiler each mode is divided on its own. The forms differ in how the modes are gathered; for
//! A of shape (M,N,L,…) and a tiler <TM,TN>:
//!
//! | form | shape |
//! |---|---|
//! | logical | ((TM,RM),(TN,RN),L,…) |
//! | zipped | ((TM,TN),(RM,RN,L,…)) |
//! | tiled | ((TM,TN),RM,RN,L,…) |
//! | flat | (TM,TN,RM,RN,L,…) |
//!
//! Law: R(i) = A((B,B*)(i)), and every index of A is reached; a tile that does not divide covers more than A, whose
//! last mode extends.

use super::arrange::{unpack, zip_by};
use super::coalesce::{Flat, coalesce_flat};
use super::complement::filled;
use super::composition::composition;
use super::layout::Layout;
use super::tiler::Tiler;
use super::walk::{Walk, walked_pair};
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;

/// Tiles mode by mode, each mode ((tile),(rest)).
///
/// # Errors
/// What composition and complement refuse; [`Code::Overlap`] when a tile is so uneven that its copies leave elements
/// out; [`Code::Profile`] for more tiler entries than modes.
///
/// ```
/// use bitstride::{cute::{logical_divide, Tiler}, StaticLayout};
/// let (a, b): (StaticLayout, StaticLayout) = ("(4,2,3):(2,1,8)".parse()?, "4:2".parse()?);
/// assert_eq!(logical_divide(&a, &Tiler::from(b))?.to_string(), "((2,2),(2,3)):((4,1),(2,8))");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn logical_divide<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    tiler.apply(layout, "divide", false, &|layout, tile| match tile.as_layout() {
        Some(tile) => logical_divide_by(layout, &tile),
        None => Ok(layout.clone()),
    })
}

/// [`logical_divide`] by one tile for the whole layout, which is the zipped form too.
///
/// # Errors
/// As [`logical_divide`].
///
/// ```
/// use bitstride::{cute::logical_divide_by, StaticLayout};
/// let (a, b): (StaticLayout, StaticLayout) = ("(4,2,3):(2,1,8)".parse()?, "4:2".parse()?);
/// assert_eq!(logical_divide_by(&a, &b)?.to_string(), "((2,2),(2,3)):((4,1),(2,8))");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn logical_divide_by<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    tile: &Layout<I, D>,
) -> Result<Layout<I, D>, Error> {
    let mut rest = Flat::new();
    let mut walk = Walk::over(layout, layout.root());
    // Both forms of coalescing have the same extents where the last one is known to be more than 1.
    let hole = match layout.extents().last() {
        Some(last) if last.fixed().is_some_and(|n| n > 1) => filled(tile, walk.extents(), &mut rest, &mut ())?,
        _ => filled(tile, &coalesce_flat(layout.extents(), layout.strides()).shape, &mut rest, &mut ())?,
    };
    if let Some(hole) = hole
        // A size beyond 64 bits is more than any place.
        && layout.size().map_or(Some(false), |size| size.at_most(&hole)) != Some(true)
    {
        return Err(left_out(layout, tile, &hole));
    }
    match walked_pair(&mut walk, tile, &rest) {
        Some(divided) => Ok(divided),
        None => composition(layout, &Layout::pair(tile, &rest.into_layout())),
    }
}

/// Tiles gathered into mode 0, the rests and untiled modes into mode 1.
///
/// # Errors
/// As [`logical_divide`]; [`Code::Profile`] where `_` stands for a mode that is no pair.
pub fn zipped_divide<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    zip_by(logical_divide(layout, tiler)?, tiler)
}

/// As [`zipped_divide`], with mode 1 unpacked.
///
/// # Errors
/// As [`zipped_divide`].
pub fn tiled_divide<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    Ok(unpack(&zipped_divide(layout, tiler)?, false))
}

/// As [`zipped_divide`], with both modes unpacked.
///
/// # Errors
/// As [`zipped_divide`].
pub fn flat_divide<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    Ok(unpack(&zipped_divide(layout, tiler)?, true))
}

#[cold]
fn left_out<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, tile: &Layout<I, D>, hole: &I) -> Error {
    error!(
        (Code::Overlap, "left-out"),
        "dividing {layout} by {tile}: the tile and its copies leave out index {hole}, so elements would be lost",
        [layout, tile, hole]
    )
    .with_help("each stride of a tile must be a multiple of the extent times the stride below it")
}
