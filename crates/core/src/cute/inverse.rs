//! The right inverse and the nullspace.
//!
//! | operation | law |
//! |---|---|
//! | right_inverse R of L | L(R(i)) = i for every i below size(R): the longest chain of modes from stride 1 |
//! | nullspace R of L | L(R(i)) = 0 for every i below size(R), from the static stride-0 modes |

use super::coalesce::{Flat, coalesce_flat};
use super::layout::{Layout, LayoutBuilder};
use crate::basis::{Path, StrideLeaf};
use crate::error::Error;
use crate::int::Integer;
use crate::small::Small;
use crate::trace::Trace;
use crate::tuple::{product, slice};

/// One link of the chain of modes that a right inverse is, as data. Law: the extents and indices of all links, coalesced, are
/// the inverse.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ChainLink<I> {
    /// The coalesced mode of the layout, by its number.
    pub mode: usize,
    /// Its extent.
    pub extent: I,
    /// Its stride: as many places as are reached before.
    pub reached: I,
    /// How many indices one step along it is.
    pub index: I,
}

/// A coalesced mode with its place among them and the stride of its index: the product of the extents before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Mode<I, D> {
    pub(super) extent: I,
    pub(super) stride: D,
    /// Nothing where it is beyond 64 bits.
    index: Option<I>,
    pub(super) place: usize,
}

impl<I: Integer, D: StrideLeaf<I>> Mode<I, D> {
    /// The index that one step along the mode has.
    pub(super) fn index(&self) -> Result<&I, Error> {
        self.index.as_ref().ok_or_else(|| no_index(&self.stride))
    }

    /// The mode with another stride.
    pub(super) fn with_stride(&self, stride: D) -> Mode<I, D> {
        Mode { stride, ..self.clone() }
    }
}

/// The coalesced modes of a layout, in order.
pub(super) fn modes<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Small<Mode<I, D>, 8> {
    let flat = coalesce_flat(layout.extents(), layout.strides());
    let mut modes = Small::new();
    let mut index = Some(I::from(1));
    for (place, (extent, stride)) in flat.shape.iter().zip(&flat.stride).enumerate() {
        modes.push(Mode { extent: extent.clone(), stride: stride.clone(), index: index.clone(), place });
        index = index.and_then(|index| index.mul(extent).ok());
    }
    modes
}

/// The layout R with L(R(i)) = i, as long as a chain of modes goes: stride 1, then the extent so far, and on.
///
/// A layout into coordinates has one chain for each coordinate.
///
/// # Errors
/// [`Code::Overflow`](crate::Code::Overflow).
///
/// ```
/// use bitstride::{cute::right_inverse, StaticLayout};
/// let layout: StaticLayout = "(2,3):(3,1)".parse()?;
/// assert_eq!(right_inverse(&layout)?.to_string(), "(3,2):(2,1)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn right_inverse<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    right_inverse_traced(layout, &mut ())
}

/// [`right_inverse`], with the links of the chain reported; those of a layout into coordinates are not.
///
/// # Errors
/// As [`right_inverse`].
///
/// ```
/// use bitstride::StaticLayout;
/// use bitstride::cute::right_inverse_traced;
/// let layout: StaticLayout = "(2,3):(3,1)".parse()?;
/// let mut links = Vec::new();
/// assert_eq!(right_inverse_traced(&layout, &mut links)?.to_string(), "(3,2):(2,1)");
/// assert_eq!((links[0].mode, links[0].index, links[1].reached), (1, 2, 3));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[inline]
pub fn right_inverse_traced<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    trace: &mut impl Trace<ChainLink<I>>,
) -> Result<Layout<I, D>, Error> {
    let flat = coalesce_flat(layout.extents(), layout.strides());
    if flat.stride.iter().all(|stride| stride.as_integer().is_some()) {
        return Ok(chain(&flat, |reached| Ok(D::from(reached.clone())), trace)?.into_layout());
    }
    let chain_of =
        |path: &Path| chain(&flat, |reached: &I| D::from_components(&[(path.clone(), reached.clone())]), &mut ());
    by_coordinate(&paths(&modes(layout)), &chain_of)
}

/// The coordinates that modes step along, in order.
pub(super) fn paths<I: Integer, D: StrideLeaf<I>>(modes: &[Mode<I, D>]) -> Vec<Path> {
    let mut paths: Vec<Path> = Vec::new();
    for (path, _) in modes.iter().flat_map(|mode| mode.stride.components()) {
        if !path.is_empty() && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths.sort();
    paths
}

/// The modes of an inverse along a path.
type ModesOf<'f, I, D> = dyn Fn(&Path) -> Result<Flat<I, D>, Error> + 'f;

/// A layout of coordinates: what each path has, nested as the paths are.
pub(super) fn by_coordinate<I: Integer, D: StrideLeaf<I>>(
    paths: &[Path],
    of: &ModesOf<'_, I, D>,
) -> Result<Layout<I, D>, Error> {
    let mut builder = LayoutBuilder::new();
    nest(paths, 0, of, &mut builder)?;
    Ok(builder.finish())
}

fn nest<I: Integer, D: StrideLeaf<I>>(
    paths: &[Path],
    depth: usize,
    of: &ModesOf<'_, I, D>,
    builder: &mut LayoutBuilder<I, D>,
) -> Result<(), Error> {
    if let [path] = paths
        && path.len() == depth
    {
        return of(path).map(|flat| builder.flat(&flat.shape, &flat.stride));
    }
    let last = paths.iter().filter_map(|path| path.get(depth)).max().copied().unwrap_or(0);
    builder.open();
    for coordinate in 0..=last {
        let inner: Vec<Path> = paths.iter().filter(|path| path.get(depth) == Some(&coordinate)).cloned().collect();
        if inner.is_empty() {
            builder.leaf(I::from(1), D::default());
        } else {
            nest(&inner, depth + 1, of, builder)?;
        }
    }
    builder.close();
    Ok(())
}

/// The modes whose strides are `unit(1)`, then `unit` of what has been reached, and on; of two modes with one stride the
/// first.
fn chain<I: Integer, D: StrideLeaf<I>>(
    modes: &Flat<I, D>,
    unit: impl Fn(&I) -> Result<D, Error>,
    trace: &mut impl Trace<ChainLink<I>>,
) -> Result<Flat<I, D>, Error> {
    let mut flat = Flat::new();
    let mut reached = I::from(1);
    let mut is_used: Small<bool, 8> = Small::defaults(modes.shape.len());
    loop {
        let wanted = unit(&reached)?;
        let mut all = modes.shape.iter().zip(&modes.stride).zip(is_used.iter_mut()).enumerate();
        let next = all.find(|(_, ((_, stride), is_used))| !**is_used && stride.same(&wanted));
        let Some((place, ((extent, stride), is_used))) = next else { break };
        *is_used = true;
        let index = product(slice(&modes.shape, 0..place)).map_err(|_| no_index(stride))?;
        trace.record(|| ChainLink {
            mode: place,
            extent: extent.clone(),
            reached: reached.clone(),
            index: index.clone(),
        });
        flat.push_merging(extent, &D::from(index));
        // No stride is beyond 64 bits, and behind a mode without elements there is nothing to reach.
        match reached.mul(extent) {
            Ok(next) if !next.is(0) => reached = next,
            _ => break,
        }
    }
    Ok(flat)
}

#[cold]
fn no_index(stride: &impl std::fmt::Display) -> Error {
    Error::overflow(&format!("the index of a step of {stride}"))
}

/// The indices that a layout maps to 0 by its broadcasts: its static stride-0 modes, as a layout of indices.
///
/// # Errors
/// [`Code::Overflow`](crate::Code::Overflow).
///
/// ```
/// use bitstride::{cute::nullspace, StaticLayout};
/// let layout: StaticLayout = "(7,5,16):(3,1,0)".parse()?;
/// assert_eq!(nullspace(&layout)?.to_string(), "16:35");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn nullspace<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    let mut flat = Flat::new();
    let mut index = Some(I::from(1));
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        if stride.is_zero() {
            let step = match &index {
                _ if extent.is(1) => I::from(0),
                Some(index) => index.clone(),
                None => return Err(Error::overflow(&format!("the index of a step of the mode {extent}:{stride}"))),
            };
            flat.push(extent.clone(), D::from(step));
        }
        index = index.and_then(|index| index.mul(extent).ok());
    }
    Ok(flat.into_layout())
}
