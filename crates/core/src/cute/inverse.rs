//! Right and left inverse, and the nullspace.
//!
//! | operation | law |
//! |---|---|
//! | right_inverse R of L | L(R(i)) = i for every i below size(R): the longest chain of modes from stride 1 |
//! | left_inverse R of L | L(R(L(i))) = L(i) for every i below size(L); R(L(i)) = i where L is injective |
//! | nullspace R of L | L(R(i)) = 0 for every i below size(R), from the static stride-0 modes |

use super::coalesce::{Flat, coalesce_extended, coalesce_flat};
use super::layout::{Layout, LayoutBuilder};
use crate::basis::{Path, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::small::Small;

/// A coalesced mode with its place among them and the stride of its index: the product of the extents before it.
#[derive(Clone, Debug, Default)]
struct Mode<I, D> {
    extent: I,
    stride: D,
    index: I,
    place: usize,
}

fn modes<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Small<Mode<I, D>, 8>, Error> {
    let flat = coalesce_flat(layout.extents(), layout.strides())?;
    let mut modes = Small::new();
    let mut index = I::from(1);
    for (place, (extent, stride)) in flat.shape.iter().zip(&flat.stride).enumerate() {
        modes.push(Mode { extent: extent.clone(), stride: stride.clone(), index: index.clone(), place });
        index = index.mul(extent)?;
    }
    Ok(modes)
}

/// The layout R with L(R(i)) = i, as long as a chain of modes goes: stride 1, then the extent so far, and on.
///
/// A layout into coordinates has one chain for each coordinate.
///
/// # Errors
/// [`Code::Overflow`]; [`Code::MissingFact`] when an extent in the chain is unknown.
///
/// ```
/// use bitstride::{cute::right_inverse, StaticLayout};
/// let layout: StaticLayout = "(2,3):(3,1)".parse()?;
/// assert_eq!(right_inverse(&layout)?.to_string(), "(3,2):(2,1)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn right_inverse<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    let mut modes = modes(layout)?;
    // Where a chain could go on with either of two modes of one stride, the first is taken: the sort is stable.
    modes.sort_by_key(|mode| mode.stride.as_integer().and_then(Integer::fixed));
    if modes.iter().all(|mode| mode.stride.as_integer().is_some()) {
        return Ok(chain(&modes, &|reached| Ok(D::from(reached.clone())))?.into_layout());
    }
    let mut paths: Vec<Path> = Vec::new();
    for (path, _) in modes.iter().flat_map(|mode| mode.stride.components()) {
        if !path.is_empty() && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths.sort();
    let mut builder = LayoutBuilder::new();
    nest(&modes, &paths, 0, &mut builder)?;
    Ok(builder.finish())
}

/// The chains of all paths, nested as the paths are.
fn nest<I: Integer, D: StrideLeaf<I>>(
    modes: &[Mode<I, D>],
    paths: &[Path],
    depth: usize,
    builder: &mut LayoutBuilder<I, D>,
) -> Result<(), Error> {
    if let [path] = paths
        && path.len() == depth
    {
        let unit = |reached: &I| D::from_components(&[(path.clone(), reached.clone())]);
        return chain(modes, &unit).map(|flat| builder.flat(&flat.shape, &flat.stride));
    }
    let last = paths.iter().filter_map(|path| path.get(depth)).max().copied().unwrap_or(0);
    builder.open();
    for coordinate in 0..=last {
        let inner: Vec<Path> = paths.iter().filter(|path| path.get(depth) == Some(&coordinate)).cloned().collect();
        if inner.is_empty() {
            builder.leaf(I::from(1), D::default());
        } else {
            nest(modes, &inner, depth + 1, builder)?;
        }
    }
    builder.close();
    Ok(())
}

/// The modes whose strides are `unit(1)`, then `unit` of what has been reached, and on.
fn chain<I: Integer, D: StrideLeaf<I>>(
    modes: &[Mode<I, D>],
    unit: &dyn Fn(&I) -> Result<D, Error>,
) -> Result<Flat<I, D>, Error> {
    let mut flat = Flat::new();
    let mut reached = I::from(1);
    let mut wanted = unit(&reached)?;
    for mode in modes {
        if mode.stride.same(&wanted) && reached.fixed().is_some() {
            flat.push_merging(&mode.extent, &D::from(mode.index.clone()))?;
            reached = reached.mul(&mode.extent)?;
            wanted = unit(&reached)?;
        }
    }
    Ok(flat)
}

/// The layout R with L(R(L(i))) = L(i): it undoes L wherever L is injective.
///
/// # Errors
/// [`Code::NoInverse`] when the strides do not divide one another, or when modes overlap so that no layout undoes them;
/// [`Code::MissingFact`] for strides that are not static, [`Code::Kind`] for coordinate strides; [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::left_inverse, StaticLayout};
/// let layout: StaticLayout = "(4,8):(1,5)".parse()?;
/// assert_eq!(left_inverse(&layout)?.to_string(), "(5,8):(1,4)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn left_inverse<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    let mut modes = modes(layout)?;
    let mut sign = 0;
    for mode in &modes {
        let stride = integer(layout, &mode.stride)?;
        match stride.fixed() {
            None => {
                return Err(Error::new(
                    Code::MissingFact,
                    format!("left_inverse({layout}): the stride {stride} must be static"),
                ));
            }
            Some(n) if n != 0 && sign != 0 && n.signum() != sign => {
                return Err(Error::new(
                    Code::NoInverse,
                    format!("left_inverse({layout}): strides of both signs have no common left inverse"),
                ));
            }
            Some(n) if n != 0 => sign = n.signum(),
            Some(_) => {}
        }
    }
    // With all strides negative, mirroring both sides turns it into the positive case.
    let sign = if sign == 0 { 1 } else { sign };
    modes.sort_by_key(|mode| mode.stride.as_integer().and_then(Integer::fixed).map(|n| n.saturating_mul(sign)));
    // Between two strides lies one mode of the answer: it steps as the index of the mode below does.
    let mut flat = Flat::new();
    let mut reached = I::from(1);
    let mut step = D::default();
    for mode in modes.iter().filter(|mode| !mode.stride.is_zero()) {
        let stride = integer(layout, &mode.stride)?.abs()?;
        if reached.divides(&stride) != Some(true) {
            return Err(Error::new(
                Code::NoInverse,
                format!("left_inverse({layout}): the stride {stride} is no multiple of {reached}, which lies below it"),
            ));
        }
        let gap = stride.quotient(&reached)?;
        if !gap.is(1) {
            flat.push_merging(&gap, &step)?;
        }
        step = D::from(mode.index.mul(&I::from(sign))?);
        reached = stride;
    }
    tell_apart(layout, &modes)?;
    if let Some(mode) = modes.last().filter(|mode| !mode.extent.is(1)) {
        flat.push_merging(&mode.extent, &step)?;
    }
    Ok(flat.into_layout())
}

/// Whether the digits that offsets have in the strides are coordinates again, for modes by rising stride.
///
/// Where the modes below reach beyond a stride, the digit there takes up what they carry; it must not pass the extent,
/// unless the mode is the last of the layout, which goes on. The stride above bounds the digit too.
fn tell_apart<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, modes: &[Mode<I, D>]) -> Result<(), Error> {
    // A last leaf of extent 1 goes on in its own way.
    let goes_on = coalesce_extended(layout.extents(), layout.strides())?.shape.len() == modes.len();
    let last = modes.iter().map(|mode| mode.place).max().filter(|_| goes_on);
    let mut span = I::from(1);
    let mut moving = modes.iter().filter(|mode| !mode.stride.is_zero()).peekable();
    while let Some(mode) = moving.next() {
        let stride = integer(layout, &mode.stride)?.abs()?;
        let fits = span.at_most(&stride);
        // A mode that may have one element only is not there to go on.
        let last = last.filter(|_| I::from(2).at_most(&mode.extent) == Some(true));
        if fits != Some(true) && Some(mode.place) != last {
            let end = stride.mul(&mode.extent)?;
            let bounded = match moving.peek() {
                Some(above) => integer(layout, &above.stride)?.abs()?.at_most(&end),
                None => Some(false),
            };
            match (fits, bounded) {
                (_, Some(true)) => {}
                (Some(false), Some(false)) => {
                    return Err(Error::new(
                        Code::NoInverse,
                        format!(
                            "left_inverse({layout}): modes overlap, so that {} offsets below the stride {stride} carry beyond its extent {}",
                            span, mode.extent
                        ),
                    ));
                }
                _ => {
                    return Err(Error::new(
                        Code::MissingFact,
                        format!("left_inverse({layout}): whether modes overlap at the stride {stride} is not known"),
                    ));
                }
            }
        }
        span = span.add(&mode.extent.add(&I::from(-1))?.mul(&stride)?)?;
    }
    Ok(())
}

fn integer<'d, I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, stride: &'d D) -> Result<&'d I, Error> {
    stride.as_integer().ok_or_else(|| {
        Error::new(Code::Kind, format!("left_inverse({layout}): coordinate strides have no left inverse here"))
            .with_help("right_inverse works coordinate by coordinate")
    })
}

/// The indices that a layout maps to 0 by its broadcasts: its static stride-0 modes, as a layout of indices.
///
/// # Errors
/// [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::nullspace, StaticLayout};
/// let layout: StaticLayout = "(7,5,16):(3,1,0)".parse()?;
/// assert_eq!(nullspace(&layout)?.to_string(), "16:35");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn nullspace<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    let mut flat = Flat::new();
    let mut index = I::from(1);
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        if stride.is_zero() {
            let step = if extent.is(1) { I::from(0) } else { index.clone() };
            flat.push(extent.clone(), D::from(step));
        }
        index = index.mul(extent)?;
    }
    Ok(flat.into_layout())
}
