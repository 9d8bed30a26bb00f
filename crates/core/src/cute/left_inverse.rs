//! The left inverse: R with L(R(L(i))) = L(i) for every i below size(L), and R(L(i)) = i where L is injective.
//!
//! Where the strides divide one another, what lies between two of them is a mode of R: a chain with gaps. Else R is the
//! layout that has the index of each mode where the mode has its stride, found by [interpolation](super::interpolation);
//! of a layout that has places twice, such an R for elements that reach all places, or the first of two modes that has the
//! law, by [trial](super::by_trial).

use super::by_trial;
use super::coalesce::{Flat, coalesce_extended};
use super::composition::composition;
use super::interpolation::{Step, interpolate};
use super::inverse::{Mode, by_coordinate, modes, paths};
use super::layout::Layout;
use super::meet::is_injective;
use crate::basis::{Path, StrideLeaf};
use crate::cast::narrow;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::modular::gcd;
use crate::small::Small;
use crate::trace::Trace;
use crate::tuple::product;

/// How a left inverse undoes one mode after the other, the least stride first, as data. Law: of an answer that is a chain,
/// the modes are `gap` of each step with the index of the step before, 0 before the first, and the extent of the last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UndoStep<I> {
    /// A mode is undone.
    Undone {
        /// Its extent.
        extent: I,
        /// Its stride, of either sign.
        stride: I,
        /// The stride below it; 1 below the first.
        below: I,
        /// How many steps of what lies below fit in its stride.
        gap: I,
        /// How many indices one step along it is, with the sign of the strides.
        index: I,
    },
    /// The strides make no chain: the answer was solved for.
    Solved,
}

/// More elements than these are not compared one by one.
const MOST_TRIED: i64 = 1 << 12;

/// More choices of modes than these are not made.
const MOST_CHOICES: u32 = 1 << 6;

/// The layout R with L(R(L(i))) = L(i): it undoes L wherever L is injective.
///
/// # Errors
/// [`Code::NoInverse`] when the strides do not divide one another, or when modes overlap so that no layout undoes them;
/// [`Code::MissingFact`] for strides that are not static, [`Code::Kind`] for strides that move several coordinates;
/// [`Code::Undecided`] where the search for one ends at its bound; [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::{left_inverse, Layout}, StaticLayout};
/// let layout: StaticLayout = "(4,8):(1,5)".parse()?;
/// assert_eq!(left_inverse(&layout)?.to_string(), "(5,8):(1,4)");
/// let layout: Layout = "(4,5):(1@1,1@0)".parse()?;
/// assert_eq!(left_inverse(&layout)?.to_string(), "(5,4):(4,1)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn left_inverse<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    left_inverse_traced(layout, &mut ())
}

/// [`left_inverse`], with the chain of modes reported; that of a layout into coordinates is not.
///
/// # Errors
/// As [`left_inverse`].
///
/// ```
/// use bitstride::StaticLayout;
/// use bitstride::cute::{UndoStep, left_inverse_traced};
/// let layout: StaticLayout = "(4,8):(1,5)".parse()?;
/// let mut events = Vec::new();
/// assert_eq!(left_inverse_traced(&layout, &mut events)?.to_string(), "(5,8):(1,4)");
/// assert_eq!(events[1], UndoStep::Undone { extent: 8, stride: 5, below: 1, gap: 5, index: 4 });
/// # Ok::<(), bitstride::Error>(())
/// ```
#[inline]
pub fn left_inverse_traced<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    trace: &mut impl Trace<UndoStep<I>>,
) -> Result<Layout<I, D>, Error> {
    if layout.strides().iter().any(|stride| stride.as_integer().is_none()) {
        return of_coordinates(layout);
    }
    chain_with_gaps(layout, modes(layout), trace).map(Flat::into_layout).or_else(|error| match error.code() {
        Code::NoInverse => {
            let found = search(layout)?.ok_or(error);
            trace.record(|| UndoStep::Solved);
            found
        }
        _ => Err(error),
    })
}

/// The left inverse of a layout into coordinates: along each coordinate, from the steps of its modes to their indices.
#[cold]
fn of_coordinates<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    let modes = modes(layout);
    let mut steps = Vec::new();
    for mode in &modes {
        match mode.stride.components().as_slice() {
            [] => {}
            [(path, step)] if !path.is_empty() => steps.push((path.clone(), step.clone(), mode)),
            _ => {
                return Err(error!(
                    Code::Kind,
                    "left_inverse({layout}): the stride {stride} moves several coordinates",
                    [layout, stride = mode.stride]
                )
                .with_help("a left inverse works coordinate by coordinate; `inverse(L)` is one of the whole map"));
            }
        }
    }
    let paths = paths(&modes);
    let within = |path: &Path| paths.iter().find(|other| other.len() > path.len() && other.starts_with(path));
    if paths.iter().any(|path| within(path).is_some()) {
        return Err(error!(
            Code::Kind,
            "left_inverse({layout}): strides step a coordinate and an entry of it",
            [layout]
        ));
    }
    by_coordinate(&paths, &|path| {
        let (mut along, mut places, mut indices) = (Small::new(), Flat::new(), Flat::new());
        for (_, step, mode) in steps.iter().filter(|(other, ..)| other == path) {
            along.push(mode.with_stride(D::from(step.clone())));
            places.push(mode.extent.clone(), D::from(step.clone()));
            indices.push(mode.extent.clone(), D::from(mode.index()?.clone()));
        }
        chain_with_gaps(layout, along, &mut ()).or_else(|error| match error.code() {
            Code::NoInverse => {
                let (places, indices) = (places.into_layout(), indices.into_layout());
                // Where places repeat, an index may lie beyond the modes of this coordinate.
                if !is_injective(&places)? {
                    return Err(error);
                }
                let found = composition(&indices, &left_inverse(&places)?)?;
                let mut flat = Flat::new();
                for (extent, stride) in found.extents().iter().zip(found.strides()) {
                    flat.push_merging(extent, stride);
                }
                Ok(flat)
            }
            _ => Err(error),
        })
    })
}

/// The left inverse of strides that divide one another: what lies between two of them is a mode.
fn chain_with_gaps<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    mut modes: Small<Mode<I, D>, 8>,
    trace: &mut impl Trace<UndoStep<I>>,
) -> Result<Flat<I, D>, Error> {
    let mut sign = 0;
    for mode in &modes {
        let stride = integer(layout, &mode.stride)?;
        match stride.fixed() {
            None => {
                return Err(error!(
                    Code::MissingFact,
                    "left_inverse({layout}): the stride {stride} must be static",
                    [layout, stride]
                ));
            }
            Some(n) if n != 0 && sign != 0 && n.signum() != sign => {
                return Err(error!(
                    Code::NoInverse,
                    "left_inverse({layout}): strides of both signs have no common left inverse",
                    [layout]
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
            return Err(error!(
                Code::NoInverse,
                "left_inverse({layout}): the stride {stride} is no multiple of {reached}, which lies below it",
                [layout, stride, reached]
            ));
        }
        let gap = stride.quotient(&reached)?;
        if !gap.is(1) {
            flat.push_merging(&gap, &step);
        }
        let index = mode.index()?.mul(&I::from(sign))?;
        trace.record(|| UndoStep::Undone {
            extent: mode.extent.clone(),
            stride: mode.stride.as_integer().cloned().unwrap_or_default(),
            below: reached.clone(),
            gap: gap.clone(),
            index: index.clone(),
        });
        step = D::from(index);
        reached = stride;
    }
    tell_apart(layout, &modes)?;
    if let Some(mode) = modes.last().filter(|mode| !mode.extent.is(1)) {
        flat.push_merging(&mode.extent, &step);
    }
    Ok(flat)
}

/// A left inverse of strides that do not divide one another: a layout that has the index of each mode where the mode has
/// its stride. Where places repeat, it comes back to one of the elements that have them.
#[cold]
fn search<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Option<Layout<I, D>>, Error> {
    let mut steps = Vec::new();
    for mode in modes(layout).iter().filter(|mode| !mode.stride.is_zero()) {
        let numbers = (mode.extent.fixed(), integer(layout, &mode.stride)?.fixed(), mode.index()?.fixed());
        let (Some(extent), Some(place), Some(value)) = numbers else { return Ok(None) };
        steps.push(Step { extent: extent.into(), place: place.into(), value: value.into() });
    }
    if let Some(found) = interpolate(&steps)? {
        return from_modes(&found).map(Some);
    }
    if is_injective(layout)? {
        return Ok(None);
    }
    if let Some(found) = of_fewer(layout, &steps)? {
        return Ok(Some(found));
    }
    let size = layout.size().ok().and_then(|size| size.fixed());
    if size.is_none_or(|size| size > MOST_TRIED) {
        return Ok(None);
    }
    values(layout)?.and_then(|values| by_trial::two_modes(&values)).map(|modes| from_modes(&modes)).transpose()
}

/// A left inverse of a layout that has places twice: it undoes some of the steps, which reach all places.
fn of_fewer<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    steps: &[Step],
) -> Result<Option<Layout<I, D>>, Error> {
    let Some(fewer) = without_repeats(layout, steps)? else { return Ok(None) };
    // Before the origin an index is mirrored, so that the argument holds for steps of one sign, or for the last mode alone.
    let one_sign = [1, -1].iter().any(|sign| steps.iter().all(|step| step.place.signum() == *sign));
    if (one_sign || fewer.iter().filter(|step| step.extent > 1).count() < 2)
        && let Some(found) = interpolate(&fewer)?
    {
        return from_modes(&found).map(Some);
    }
    // Which elements are needed to reach all places is not given by a formula: small layouts are tried.
    if layout.size().ok().and_then(|size| size.fixed()).is_none_or(|size| size > MOST_TRIED) {
        return Ok(None);
    }
    let choices =
        1_u32.checked_shl(u32::try_from(fewer.len()).unwrap_or(u32::MAX)).filter(|many| *many <= MOST_CHOICES);
    for choice in (1..choices.unwrap_or(1)).rev() {
        let chosen: Vec<Step> =
            fewer.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1).map(|(_, step)| *step).collect();
        if let Some(found) = interpolate(&chosen)?.map(|found| from_modes(&found)).transpose()?
            && comes_back(layout, &found)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn from_modes<I: Integer, D: StrideLeaf<I>>(modes: &[(i128, i128)]) -> Result<Layout<I, D>, Error> {
    let mut flat = Flat::new();
    for (extent, stride) in modes {
        flat.push(I::from(narrow(*extent)?), D::from(I::from(narrow(*stride)?)));
    }
    Ok(flat.into_layout())
}

/// The place of each index, where all are known.
fn values<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Option<Vec<i64>>, Error> {
    let place = |index| Ok(integer(layout, &layout.offset(&I::from(index))?)?.fixed());
    let Some(size) = layout.size()?.fixed() else { return Ok(None) };
    (0..size).map(place).collect()
}

/// The law itself, place by place.
fn comes_back<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, inverse: &Layout<I, D>) -> Result<bool, Error> {
    for index in 0..layout.size()?.fixed().unwrap_or(0) {
        let place = layout.offset(&I::from(index))?;
        let back = inverse.offset(integer(layout, &place)?)?;
        if !layout.offset(integer(layout, &back)?)?.same(&place) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The digits without what the last mode can take over: it goes on, so that every `d/gcd(c,d)` steps of c are steps of its d.
fn without_repeats<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    steps: &[Step],
) -> Result<Option<Vec<Step>>, Error> {
    let whole = coalesce_extended(layout.extents(), layout.strides());
    let Some((_, lower)) = whole.shape.split_last() else { return Ok(None) };
    let last = whole.stride.last().and_then(|stride| stride.as_integer().and_then(Integer::fixed));
    let value = product(lower).ok().and_then(|value| value.fixed());
    let (Some(value), Some(stride)) = (value, last.filter(|stride| *stride != 0)) else {
        return Ok(None);
    };
    let (value, stride) = (i128::from(value), i128::from(stride));
    let reach = steps.iter().try_fold(0_i128, |reach, step| reach.checked_add((step.extent - 1) * step.place.abs()));
    let Some(reach) = reach else { return Ok(None) };
    let mut fewer = vec![Step { extent: reach / stride.abs() + 1, place: stride, value }];
    for step in steps.iter().filter(|step| step.value != value) {
        fewer.push(Step { extent: step.extent.min(stride.abs() / gcd(step.place, stride)), ..*step });
    }
    Ok(Some(fewer))
}

/// Whether the digits that offsets have in the strides are coordinates again, for modes by rising stride.
///
/// Where the modes below reach beyond a stride, the digit there takes up what they carry; it must not pass the extent,
/// unless the mode is the last of the layout, which goes on. The stride above bounds the digit too.
fn tell_apart<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, modes: &[Mode<I, D>]) -> Result<(), Error> {
    // A last leaf of extent 1 goes on in its own way.
    let goes_on = coalesce_extended(layout.extents(), layout.strides()).shape.len() == modes.len();
    let last = modes.iter().map(|mode| mode.place).max().filter(|_| goes_on);
    // What the modes below reach; beyond 64 bits it is more than any stride.
    let mut span = Some(I::from(1));
    let mut moving = modes.iter().filter(|mode| !mode.stride.is_zero()).peekable();
    while let Some(mode) = moving.next() {
        let stride = integer(layout, &mode.stride)?.abs()?;
        let fits = span.as_ref().map_or(Some(false), |span| span.at_most(&stride));
        // A mode that may have one element only is not there to go on.
        let last = last.filter(|_| I::from(2).at_most(&mode.extent) == Some(true));
        if fits != Some(true) && Some(mode.place) != last {
            let bounded = match moving.peek() {
                Some(above) => {
                    let above = integer(layout, &above.stride)?.abs()?;
                    stride.mul(&mode.extent).map_or(Some(true), |end| above.at_most(&end))
                }
                None => Some(false),
            };
            match (fits, bounded) {
                (_, Some(true)) => {}
                (Some(false), Some(false)) => {
                    let below = span.map_or_else(|| "more than 2^63".to_owned(), |span| span.to_string());
                    return Err(error!(
                        Code::NoInverse,
                        "left_inverse({layout}): modes overlap, so that {below} offsets below the stride {stride} carry beyond its extent {extent}",
                        [layout, below, stride, extent = mode.extent]
                    ));
                }
                _ => {
                    return Err(error!(
                        Code::MissingFact,
                        "left_inverse({layout}): whether modes overlap at the stride {stride} is not known",
                        [layout, stride]
                    ));
                }
            }
        }
        let steps = mode.extent.add(&I::from(-1))?;
        span = span.and_then(|span| span.add(&steps.mul(&stride).ok()?).ok());
    }
    Ok(())
}

fn integer<'d, I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, stride: &'d D) -> Result<&'d I, Error> {
    stride.as_integer().ok_or_else(|| {
        error!(Code::Kind, "left_inverse({layout}): the stride {stride} is no integer", [layout, stride])
    })
}
