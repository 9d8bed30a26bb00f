//! Where a layout reaches: cosize, coshape, coprofile.
//!
//! The cosize is the length of the smallest interval that holds 0 and the image: `1 + Σ (n-1)·max(d,0) + Σ
//! (n-1)·max(-d,0)`. The coshape says the same for each coordinate of the codomain; the coprofile is its nesting.

use super::layout::Layout;
use crate::basis::{Path, Stride, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::tuple::Tuple;

/// The length of the smallest interval that holds 0 and the image; 0 for a layout without elements.
///
/// # Errors
/// [`Code::Kind`] for coordinate strides (ask for the coshape), [`Code::MissingFact`] for a stride of unknown sign that
/// meets one of known sign, [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::cosize, StaticLayout};
/// let layout: StaticLayout = "(4,8):(-1,5)".parse()?;
/// assert_eq!(cosize(&layout), Ok(39)); // from -3 to 35
/// # Ok::<(), bitstride::Error>(())
/// ```
#[inline]
pub fn cosize<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<I, Error> {
    let mut reach = Reach::over(layout.extents());
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        let stride = stride.as_integer().ok_or_else(|| {
            error!(Code::Kind, "{layout} maps to coordinates", [layout])
                .with_help("coshape gives its extent along each")
        })?;
        reach.take(extent, stride)?;
    }
    Ok(reach.length)
}

/// The length of an interval that grows with each mode.
struct Reach<I> {
    length: I,
}

impl<I: Integer> Reach<I> {
    /// An interval that holds only 0, or nothing where there are no elements.
    #[inline]
    fn over(extents: &[I]) -> Self {
        let empty = extents.iter().any(|n| n.value() == Some(0));
        Reach { length: I::from(if empty { 0 } else { 1 }) }
    }

    /// Takes a mode in.
    #[inline]
    fn take(&mut self, extent: &I, stride: &I) -> Result<(), Error> {
        if self.length.is(0) {
            return Ok(());
        }
        let steps = extent.add(&I::from(-1))?;
        // An unknown stride is read as positive, as every address computation on unknown strides does.
        let size = stride.abs()?;
        if !steps.is(0) && !size.is(0) {
            self.length = self.length.add(&steps.mul(&size)?)?;
        }
        Ok(())
    }
}

/// The cosize of a layout that starts at an offset; an unknown offset is read as one from 0 on, as an unknown stride is.
pub(super) fn cosize_from<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, offset: &I) -> Result<I, Error> {
    let integer = |stride: &D| stride.as_integer().is_some();
    if !layout.strides().iter().all(integer) {
        return Err(error!(Code::Kind, "{layout} maps to coordinates", [layout])
            .with_help("coshape gives its extent along each"));
    }
    let modes = layout.extents().iter().zip(layout.strides());
    interval(modes.filter_map(|(extent, stride)| Some((extent, stride.as_integer()?))), offset)
}

/// The length of the smallest interval that holds 0 and all sums of an offset and steps of the modes.
fn interval<'m, I: Integer + 'm>(modes: impl Iterator<Item = (&'m I, &'m I)>, offset: &I) -> Result<I, Error> {
    let (mut low, mut high) = (offset.clone(), offset.clone());
    let mut falls = false;
    for (extent, stride) in modes {
        if extent.value() == Some(0) {
            return Ok(I::from(0));
        }
        let steps = extent.add(&I::from(-1))?;
        if stride.sign() == Some(-1) {
            falls |= !steps.is(0);
            low = low.add(&steps.mul(stride)?)?;
        } else {
            high = high.add(&steps.mul(&stride.abs()?)?)?;
        }
    }
    let from = |low: &I| high.add(&I::from(1))?.add(&low.mul(&I::from(-1))?);
    match (low.value(), high.value()) {
        (Some(0..), Some(_)) => from(&I::from(0)),
        (Some(_), Some(..0)) => I::from(1).add(&low.mul(&I::from(-1))?),
        (Some(_), Some(_)) => from(&low),
        _ if !falls => from(&I::from(0)),
        _ => Err(error!(
            Code::MissingFact,
            "whether {low} is below 0 is not known, and with it how far the offsets reach",
            [low]
        )),
    }
}

/// The cosize along each coordinate of the codomain; an integer for a layout into offsets.
///
/// # Errors
/// [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::coshape, Layout};
/// let layout: Layout = "(4,8):(1@0,2@1)".parse()?;
/// assert_eq!(coshape(&layout)?.to_string(), "(4,15)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn coshape(layout: &Layout) -> Result<Tuple<Int>, Error> {
    coshape_from(layout, &Stride::default())
}

/// The coshape of a layout that starts at an offset.
pub(super) fn coshape_from(layout: &Layout, offset: &Stride) -> Result<Tuple<Int>, Error> {
    let mut paths: Vec<Path> = Vec::new();
    for (path, _) in layout.strides().iter().chain([offset]).flat_map(StrideLeaf::components) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let along = |stride: &Stride, path: &Path| {
        let part = stride.components().into_iter().find(|(known, _)| known == path);
        part.map_or_else(Int::default, |(_, n)| n)
    };
    let mut parts = Vec::new();
    for path in paths {
        let strides = layout.strides().iter().map(|stride| along(stride, &path));
        let modes: Vec<(&Int, Int)> = layout.extents().iter().zip(strides).collect();
        let from = along(offset, &path);
        parts.push((path, interval(modes.iter().map(|(extent, stride)| (*extent, stride)), &from)?));
    }
    if parts.is_empty() {
        return Ok(Tuple::leaf(Reach::over(layout.extents()).length));
    }
    // Coordinates that no mode touches have the extent 1.
    let point = Stride::from_components(&parts)?.to_coordinate();
    Ok(point.map(|n| if n.is(0) { Int::from(1) } else { n.clone() }))
}

/// The nesting of the codomain: a leaf for each coordinate.
///
/// # Errors
/// [`Code::Overflow`].
pub fn coprofile(layout: &Layout) -> Result<Tuple<Int>, Error> {
    Ok(coshape(layout)?.map(|_| Int::from(0)))
}

/// A point of the codomain of a layout as a coordinate of full rank; an offset stays an integer.
///
/// # Errors
/// [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::codomain_coordinate, Layout};
/// let layout: Layout = "(4,8):(1@0,1@1)".parse()?;
/// assert_eq!(codomain_coordinate(&layout, &layout.offset(&3.into())?)?.to_string(), "(3,0)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn codomain_coordinate(layout: &Layout, point: &Stride) -> Result<Tuple<Int>, Error> {
    if point.as_integer().is_some_and(|n| !n.is(0)) {
        return Ok(point.to_coordinate());
    }
    let overlap = |a: &Path, b: &Path| a.starts_with(b) || b.starts_with(a);
    let mut parts: Vec<(Path, Int)> = Vec::new();
    // Modes of extent 1 last: they are never stepped along, and name nothing that cannot be added to the others.
    let (single, longer): (Vec<_>, Vec<_>) =
        layout.extents().iter().zip(layout.strides()).partition(|(extent, _)| extent.is(1));
    for (extent, stride) in longer.into_iter().chain(single) {
        for (path, _) in stride.components() {
            let known = parts.iter().any(|(known, _)| *known == path || extent.is(1) && overlap(known, &path));
            if !path.is_empty() && !known {
                parts.push((path, Int::from(1)));
            }
        }
    }
    if parts.is_empty() {
        return Ok(point.to_coordinate());
    }
    // The nesting comes from all paths; the numbers from the point.
    let frame = Stride::from_components(&parts)?.to_coordinate();
    Ok(filled(&frame, &mut Path::new(), &point.components()))
}

fn filled(frame: &Tuple<Int>, path: &mut Path, components: &[(Path, Int)]) -> Tuple<Int> {
    if frame.is_leaf() {
        let part = components.iter().find(|(known, _)| known == path);
        return Tuple::leaf(part.map_or_else(Int::default, |(_, n)| n.clone()));
    }
    let mut entries = Vec::new();
    for (at, entry) in frame.entries().iter().enumerate() {
        path.push(at);
        entries.push(filled(entry, path, components));
        path.pop();
    }
    Tuple::of(&entries)
}
