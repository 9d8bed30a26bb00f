//! Tiling to a shape, and the tile or partition that one thread or block sees.
//!
//! `tile_to_shape(A, S, order)` repeats A until it covers S: a blocked product whose copies are counted for you. Law: each
//! mode of the result is the first multiple of the block's that is at least as long as that of S, and the block at the
//! origin is A. [`local_tile`] and [`local_partition`] are a
//! zipped divide followed by a slice: the tile at a coordinate, and what stays when every tile is seen from one place
//! inside it.

use super::divide::zipped_divide;
use super::filter::filter;
use super::inverse::right_inverse;
use super::layout::Layout;
use super::make::{column_major, make_ordered_layout};
use super::product::{blocked_product, padded};
use super::slice::{Coordinate, Offset, idx2crd, slice};
use super::tiler::Tiler;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::tuple::Tuple;

/// The block repeated over the target shape, its modes in the given order (column-major without one). Where it does not
/// divide the target, the last blocks reach beyond it.
///
/// # Errors
/// [`Code::Profile`] when the ranks do not fit; what [`blocked_product`] refuses.
///
/// ```
/// use bitstride::{cute::tile_to_shape, StaticLayout, Tuple};
/// let block: StaticLayout = "(3,8):(8,1)".parse()?;
/// assert_eq!(tile_to_shape(&block, &Tuple::flat(&[6, 16]), None)?.to_string(), "((3,2),(8,2)):((8,24),(1,48))");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn tile_to_shape<I: Integer, D: StrideLeaf<I>>(
    block: &Layout<I, D>,
    target: &Tuple<I>,
    order: Option<&Tuple<I>>,
) -> Result<Layout<I, D>, Error> {
    let rank = target.rank();
    if block.rank() > rank {
        return Err(error!(
            Code::Profile,
            "tile_to_shape: the block {block} has rank {block_rank}, the target {target} only {rank}",
            [block, block_rank = block.rank(), target, rank]
        ));
    }
    let block = padded(block, rank);
    let mut copies = Vec::new();
    for (mode, extent) in block.modes().iter().zip(target.entries()) {
        let (tile, extent) = (mode.size()?, extent.size()?);
        copies.push(extent.ceil_div(&tile)?);
    }
    let copies = Tuple::flat(&copies);
    let tiles = match order {
        Some(order) => make_ordered_layout(&copies, order)?,
        None => column_major(&copies)?,
    };
    blocked_product(&block, &tiles)
}

/// The tile at a coordinate: `zipped_divide(layout, tiler)` with the tile's coordinate given.
///
/// # Errors
/// As [`zipped_divide`] and [`slice()`].
///
/// ```
/// use bitstride::{cute::{local_tile, Coordinate, Tiler}, StaticLayout, Tuple};
/// let layout: StaticLayout = "(128,64):(64,1)".parse()?;
/// let tiler = Tiler::of_shape(&Tuple::flat(&[32, 32]));
/// let at: Coordinate<i64> = Tuple::flat(&[Some(1), None]);
/// assert_eq!(local_tile(&layout, &tiler, &at)?.to_string(), "(32,32,2):(64,1,32) + 2048");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn local_tile<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    tiler: &Tiler<I, D>,
    at: &Coordinate<I>,
) -> Result<Offset<I, D>, Error> {
    let divided = zipped_divide(layout, tiler)?;
    let inside = free(&divided.get(&[0])?);
    let rest = rest_coordinate(&divided.get(&[1])?, at)?;
    slice(&divided, &Tuple::of(&[inside, rest]))
}

/// The elements that one thread of a tile sees in every tile: `zipped_divide` by the shape of the threads, at the
/// thread's coordinate inside it.
///
/// # Errors
/// As [`zipped_divide`] and [`slice()`]; [`Code::Range`] for a thread that the layout of threads does not number.
///
/// ```
/// use bitstride::{cute::local_partition, StaticLayout};
/// let (layout, threads): (StaticLayout, StaticLayout) = ("(32,16):(16,1)".parse()?, "(8,4):(4,1)".parse()?);
/// assert_eq!(local_partition(&layout, &threads, &5)?.to_string(), "(4,4):(128,4) + 17");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn local_partition<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    threads: &Layout<I, D>,
    thread: &I,
) -> Result<Offset<I, D>, Error> {
    partition(layout, threads, thread, None)
}

/// As [`local_partition`], by the modes of the threads that are kept: the others share what the thread sees, as by
/// `Step<_1,X>` in CuTe.
///
/// # Errors
/// As [`local_partition`]; [`Code::Profile`] for a mode of threads without an entry.
///
/// ```
/// use bitstride::{cute::local_partition_by, StaticLayout};
/// let (layout, threads): (StaticLayout, StaticLayout) = ("(32,16):(16,1)".parse()?, "(8,4):(4,1)".parse()?);
/// assert_eq!(local_partition_by(&layout, &threads, &5, &[true, false])?.to_string(), "(4,16):(128,1) + 16");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn local_partition_by<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    threads: &Layout<I, D>,
    thread: &I,
    keeps: &[bool],
) -> Result<Offset<I, D>, Error> {
    if threads.rank() > keeps.len() {
        return Err(error!(
            Code::Profile,
            "the projection has {keeps} entries, but {threads} has {rank} modes",
            [keeps = keeps.len(), threads, rank = threads.rank()]
        ));
    }
    partition(layout, threads, thread, Some(keeps))
}

fn partition<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    threads: &Layout<I, D>,
    thread: &I,
    keeps: Option<&[bool]>,
) -> Result<Offset<I, D>, Error> {
    // The shape gives the tile, the strides number the threads: the coordinate of thread t is where they give t.
    let mut tile = Vec::new();
    let mut inside = Vec::new();
    let mut number = I::from(0);
    for mode in threads.modes() {
        tile.push(Tiler::Extent(mode.size()?));
        let mut digits = Vec::new();
        for (extent, stride) in mode.extents().iter().zip(mode.strides()) {
            let Some(stride) = stride.as_integer() else {
                return Err(error!(Code::Kind, "{threads} numbers threads by coordinates", [threads]));
            };
            let digit =
                if stride.value() == Some(0) { I::from(0) } else { thread.quotient(stride)?.remainder(extent)? };
            // No coordinate is negative.
            let digit = if digit.sign() == Some(-1) { I::from(0) } else { digit };
            number = number.add(&digit.mul(stride)?)?;
            digits.push(digit);
        }
        let compact: Layout<I, D> = column_major(&Tuple::flat(mode.extents()))?;
        let mut index = I::from(0);
        for (digit, stride) in digits.iter().zip(compact.strides()) {
            if let Some(stride) = stride.as_integer() {
                index = index.add(&digit.mul(stride)?)?;
            }
        }
        inside.push(Some(index));
    }
    numbered(threads, thread, &number)?;
    if let Some(keeps) = keeps {
        let mut kept = keeps.iter();
        tile.retain(|_| kept.next() == Some(&true));
        let mut kept = keeps.iter();
        inside.retain(|_| kept.next() == Some(&true));
    }
    let whole = threads.root().is_leaf() && keeps.is_none();
    let tiler = if whole { tile.pop().unwrap_or(Tiler::Keep) } else { Tiler::Modes(tile) };
    let divided = zipped_divide(layout, &tiler)?;
    let inside = if whole { Tuple::leaf(inside.pop().flatten()) } else { Tuple::flat(&inside) };
    let rest = free(&divided.get(&[1])?);
    slice(&divided, &Tuple::of(&[inside, rest]))
}

/// Whether the coordinate found for a thread is its own: where that gives `number`.
fn numbered<I: Integer, D: StrideLeaf<I>>(threads: &Layout<I, D>, thread: &I, number: &I) -> Result<(), Error> {
    if let (Some(n), Some(thread)) = (number.value(), thread.value()) {
        if n == thread {
            return Ok(());
        }
        return Err(error!(
            Code::Range,
            "no thread of {threads} that its strides lead to is {thread}",
            [threads, thread]
        ));
    }
    // Of an unknown thread it is, where every number below the size is one thread's.
    let moving = filter(threads)?;
    if right_inverse(&moving)?.size()?.same(&moving.size()?) {
        return Ok(());
    }
    Err(error!(Code::MissingFact, "whether {threads} has one thread {thread} is not known", [threads, thread]))
}

/// The coordinate `(_,_,…)` that keeps every mode of a layout.
fn free<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Coordinate<I> {
    if layout.root().is_leaf() { Tuple::leaf(None) } else { Tuple::flat(&vec![None; layout.rank()]) }
}

/// A coordinate of the tiles, with `_` for the modes it does not name.
fn rest_coordinate<I: Integer, D: StrideLeaf<I>>(
    rest: &Layout<I, D>,
    at: &Coordinate<I>,
) -> Result<Coordinate<I>, Error> {
    if let Some(Some(index)) = at.as_leaf() {
        return Ok(idx2crd(index, &rest.shape())?.map(|n| Some(n.clone())));
    }
    let mut entries = at.entries();
    entries.resize_with(rest.rank().max(entries.len()), || Tuple::leaf(None));
    Ok(if rest.root().is_leaf() { entries.pop().unwrap_or_else(|| Tuple::leaf(None)) } else { Tuple::of(&entries) })
}
