//! Complement: a layout that fills what another leaves free, up to a target.
//!
//! Sorted by stride, the modes of A must nest: each stride is at least the extent times the stride below. The gaps
//! between them, and the repetitions up to the target, are the complement: `complement(4:2, 24)` is `(2,3):(1,8)`.
//! Law: R is ordered, the sums A(i) + R(j) are all distinct over the image of A, and the cosize of `(A,R)` is at
//! least the target.

use super::coalesce::Flat;
use super::layout::Layout;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::small::Small;
use crate::trace::Trace;
use crate::tuple::{Leaves, Tuple, need_extents};

/// What the complement is made of, as data: the modes of the layout, the one of the least stride first, each with the gap
/// below it, and then the repetitions. Law: the gaps that are not 1 and the repetitions, coalesced, are the complement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ComplementStep<I> {
    /// Without a target the layout's own reach is the target.
    Reach(I),
    /// The modes of the layout, extent and stride, in the order in which they are treated.
    Sorted(Vec<(I, I)>),
    /// A mode of the layout, neighbours that continue each other being one.
    Gap {
        /// Its extent.
        extent: I,
        /// Its stride.
        stride: I,
        /// How many places are taken below it.
        below: I,
        /// How often these fit below the stride: a mode of the complement, with `below` as its stride.
        copies: I,
    },
    /// All of it is repeated up to the target; there is no such event where the places taken are beyond 64 bits.
    Repeated {
        /// How many places are taken: the stride of the first repetition.
        below: I,
        /// How often, mode by mode.
        times: Vec<I>,
        /// Whether an uneven gap, or an uneven leaf of the target, needs more repetitions than the target divided by `below`.
        is_more: bool,
    },
}

/// The complement of a layout up to a cotarget: an integer, or a shape that is divided leaf by leaf.
///
/// # Errors
/// [`Code::Overlap`] when the modes do not nest, [`Code::Range`] for negative strides or targets and for a layout without elements, [`Code::Kind`] for coordinate
/// strides, [`Code::MissingFact`] when unknown leaves leave it open.
///
/// ```
/// use bitstride::{cute::complement, StaticLayout, Tuple};
/// let layout: StaticLayout = "(2,2):(1,6)".parse()?;
/// assert_eq!(complement(&layout, &Tuple::leaf(24))?.to_string(), "(3,2):(2,12)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn complement<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    cotarget: &Tuple<I>,
) -> Result<Layout<I, D>, Error> {
    complement_up_to(layout, cotarget.leaves())
}

/// The complement without a target: the gaps of the layout within its own cosize.
///
/// # Errors
/// As [`complement`].
pub fn complement_within<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    complement_traced(layout, None, &mut ())
}

/// As [`complement`], the cotarget given by its leaves.
///
/// # Errors
/// As [`complement`].
///
/// ```
/// use bitstride::{cute::complement_up_to, StaticLayout};
/// let layout: StaticLayout = "4:2".parse()?;
/// assert_eq!(complement_up_to(&layout, &[24])?.to_string(), "(2,3):(1,8)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn complement_up_to<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    cotarget: &[I],
) -> Result<Layout<I, D>, Error> {
    complement_traced(layout, Some(cotarget), &mut ())
}

/// [`complement_up_to`], or without a target [`complement_within`], with the gaps and the repetitions reported.
///
/// # Errors
/// As [`complement`].
///
/// ```
/// use bitstride::StaticLayout;
/// use bitstride::cute::{ComplementStep, complement_traced};
/// let layout: StaticLayout = "4:2".parse()?;
/// let mut events = Vec::new();
/// assert_eq!(complement_traced(&layout, Some(&[24]), &mut events)?.to_string(), "(2,3):(1,8)");
/// assert_eq!(events[1], ComplementStep::Gap { extent: 4, stride: 2, below: 1, copies: 2 });
/// assert_eq!(events[2], ComplementStep::Repeated { below: 8, times: vec![3], is_more: false });
/// # Ok::<(), bitstride::Error>(())
/// ```
#[inline]
pub fn complement_traced<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    cotarget: Option<&[I]>,
    trace: &mut impl Trace<ComplementStep<I>>,
) -> Result<Layout<I, D>, Error> {
    let mut rest = Flat::new();
    match cotarget {
        Some(cotarget) => filled(layout, cotarget, &mut rest, trace)?,
        None => {
            let reach = nested_modes(layout)?
                .iter()
                .try_fold(I::from(1), |reach, (extent, stride)| reach.add(&extent.add(&I::from(-1))?.mul(stride)?))?;
            trace.record(|| ComplementStep::Reach(reach.clone()));
            filled(layout, &[reach], &mut rest, trace)?
        }
    };
    Ok(rest.into_layout())
}

/// Writes the modes of the complement. Where a gap is uneven, the answer is the first place that the layout and its complement do
/// not reach.
pub(super) fn filled<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    cotarget: &[I],
    flat: &mut Flat<I, D>,
    trace: &mut impl Trace<ComplementStep<I>>,
) -> Result<Option<I>, Error> {
    need_extents(cotarget)?;
    let modes = nested_modes(layout)?;
    trace.record(|| ComplementStep::Sorted(modes.to_vec()));
    // What is filled below; nothing where that is beyond 64 bits, and so beyond every stride and target.
    let mut filled = Some(I::from(1));
    let mut hole = None;
    for (extent, stride) in &modes {
        let Some(below) = filled else {
            return Err(unless_one(layout, extent, overlap(layout, stride, &"more than 2^63")));
        };
        let gap = gap(layout, stride, &below).map_err(|error| match error.code() {
            Code::Overlap => unless_one(layout, extent, error),
            _ => error,
        })?;
        let end = gap.mul(&below)?;
        // A mode of one element may stand anywhere; where that is not static, its gap must come out even.
        if extent.value() == Some(1) && end.value() != stride.value() {
            return Err(error!(
                Code::MissingFact,
                "complement({layout}): {stride} is no multiple of {below}, and that {extent} is 1 is not static",
                [layout, stride, below, extent]
            ));
        }
        // A gap between unknowns is settled to be even, or it is refused.
        if end.value() != stride.value() && hole.is_none() {
            hole = Some(end);
        }
        trace.record(|| ComplementStep::Gap {
            extent: extent.clone(),
            stride: stride.clone(),
            below: below.clone(),
            copies: gap.clone(),
        });
        if !gap.is(1) {
            flat.push_merging(&gap, &D::from(below));
        }
        filled = stride.mul(extent).ok();
    }
    let Some(below) = filled else {
        if hole.is_some() {
            reach_target(&modes, flat, None, false, &mut Leaves::new(), cotarget)?;
        }
        return Ok(hole);
    };
    // What is left of each leaf of the target, the first ones taking what they can; neighbours of one kind multiplied.
    let mut rest = below.clone();
    let mut repeats: Leaves<I> = Leaves::new();
    let mut covers = true;
    for (at, extent) in cotarget.iter().enumerate() {
        // A leaf shorter than what is left must divide it, or a part of what follows is counted as taken.
        covers &= at + 1 == cotarget.len() || rest.at_most(extent) == Some(true) || extent.divides(&rest) == Some(true);
        let repeat = extent.ceil_div(&rest)?;
        rest = rest.ceil_div(extent)?;
        // Where the product is beyond 64 bits they stay apart.
        match repeats.last_mut() {
            Some(last)
                if last.fixed().is_some() == repeat.fixed().is_some()
                    && let Ok(both) = last.mul(&repeat) =>
            {
                *last = both;
            }
            _ => repeats.push(repeat),
        }
    }
    let is_more = (hole.is_some() || !covers)
        && reach_target(&modes, flat, Some(&below), hole.is_none(), &mut repeats, cotarget)?;
    trace.record(|| ComplementStep::Repeated {
        below: below.clone(),
        times: repeats.iter().cloned().collect(),
        is_more,
    });
    let mut last = Ok(below);
    for repeat in &repeats {
        if !repeat.is(1) {
            let below = last?;
            flat.push_merging(repeat, &D::from(below.clone()));
            last = below.mul(repeat);
        }
    }
    Ok(hole)
}

type Modes<I> = Small<(I, I), 8>;

/// The modes without broadcasts, merged where they continue each other, by stride.
fn nested_modes<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Modes<I>, Error> {
    let mut modes: Modes<I> = Modes::new();
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        // Also of a mode of one coordinate, or the complement would be of integers beside coordinates.
        let Some(stride) = stride.as_integer() else {
            return Err(error!(Code::Kind, "{layout} has coordinate strides; complement needs integers", [layout]));
        };
        if extent.value() == Some(0) {
            return Err(error!(Code::Range, "{layout} has no elements; its complement is not defined", [layout]));
        }
        if extent.is(1) || stride.is(0) {
            continue;
        }
        if let Some((last, step)) = modes.last_mut()
            && extent.same(extent)
            && step.mul(last).is_ok_and(|end| end.same(stride))
            && let Ok(both) = last.mul(extent)
        {
            *last = both;
        } else {
            modes.push((extent.clone(), stride.clone()));
        }
    }
    for (extent, stride) in &modes {
        if stride.value().is_some_and(|n| n <= 0) {
            return Err(unless_one(
                layout,
                extent,
                error!(Code::Range, "complement needs positive strides; {layout} has {stride}", [layout, stride]),
            ));
        }
    }
    if modes.iter().all(|(_, stride)| stride.value().is_some()) {
        if !modes.is_sorted_by_key(|(_, stride)| stride.value()) {
            modes.sort_by_key(|(_, stride)| stride.value());
        }
        return Ok(modes);
    }
    // Unknown strides may still be known to be at most each other.
    let mut sorted = Modes::new();
    let mut rest: Vec<(I, I)> = modes.iter().cloned().collect();
    while !rest.is_empty() {
        let least = |(_, stride): &(I, I)| {
            rest.iter().all(|(_, other)| stride.same(other) || stride.at_most(other) == Some(true))
        };
        let Some(at) = rest.iter().position(least).or((rest.len() == 1).then_some(0)) else {
            let strides: Vec<String> = rest.iter().map(|(_, stride)| stride.to_string()).collect();
            return Err(error!(
                Code::MissingFact,
                "complement({layout}): which of the strides {strides} is the least is not known",
                [layout, strides = strides.join(", ")]
            ));
        };
        sorted.push(rest.remove(at));
    }
    Ok(sorted)
}

/// What refuses a mode refuses nothing where its extent is 1: a mode of one element may stand anywhere.
#[cold]
fn unless_one<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, extent: &I, refused: Error) -> Error {
    if extent.value().is_some() {
        return refused;
    }
    error!(
        Code::MissingFact,
        "complement({layout}): {message}, unless {extent} is 1, which is not known",
        [layout, message = refused.message(), extent]
    )
}

#[cold]
fn overlap<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, stride: &I, below: &dyn std::fmt::Display) -> Error {
    error!(
        Code::Overlap,
        "the modes of {layout} overlap: one steps by {stride}, but {below} places below it are taken",
        [layout, stride, below]
    )
    .with_help("a complement exists only where each stride is at least the extent times the stride below it")
}

/// The free places between one mode and the one below.
fn gap<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, stride: &I, below: &I) -> Result<I, Error> {
    match (stride.value(), below.value()) {
        (Some(a), Some(b)) if a < b => Err(overlap(layout, stride, &b)),
        (Some(_), Some(_)) => stride.quotient(below),
        _ if below.is(1) || below.divides(stride) == Some(true) => stride.quotient(below),
        _ => Err(error!(
            Code::MissingFact,
            "complement({layout}): whether {below} divides {stride} is not known",
            [layout, below, stride]
        )),
    }
}

/// Where gaps or leaves of the target do not come out even, the repetitions counted may stop short of it: more are
/// needed, and the answer says so. `even` says that all gaps do.
#[cold]
fn reach_target<I: Integer, D: StrideLeaf<I>>(
    modes: &[(I, I)],
    gaps: &Flat<I, D>,
    below: Option<&I>,
    even: bool,
    repeats: &mut Leaves<I>,
    cotarget: &[I],
) -> Result<bool, Error> {
    let target = crate::tuple::product(cotarget)?;
    let times = crate::tuple::product(repeats)?;
    let gaps = gaps.shape.iter().zip(&gaps.stride).filter_map(|(extent, stride)| Some((extent, stride.as_integer()?)));
    let copies = below.map(|below| (&times, below));
    let all = modes.iter().map(|(extent, stride)| (extent, stride)).chain(gaps).chain(copies);
    let reach = all
        .into_iter()
        .try_fold(I::from(1), |reach, (extent, stride)| reach.add(&extent.add(&I::from(-1))?.mul(stride)?));
    // What reaches beyond 64 bits reaches every target.
    let Ok(reach) = reach else { return Ok(false) };
    match (target.at_most(&reach), target.value(), reach.value()) {
        (Some(true), _, _) => Ok(false),
        (_, Some(goal), Some(now)) => {
            let Some(below) = below else {
                return Err(Error::overflow("where the next copy of the complement would start"));
            };
            let short = I::from(goal.saturating_sub(now));
            *repeats = Leaves::from_slice(&[times.add(&short.ceil_div(below)?)?]);
            Ok(true)
        }
        // Counted over the whole target they reach it for sure, where no gap is uneven.
        _ if let Some(below) = below.filter(|_| even) => {
            *repeats = Leaves::from_slice(&[target.ceil_div(below)?]);
            Ok(true)
        }
        _ => Err(error!(
            Code::MissingFact,
            "complement: whether what is filled, {reach}, reaches the target {target} is not known",
            [reach, target]
        )),
    }
}
