//! Complement: a layout that fills what another leaves free, up to a target.
//!
//! Sorted by stride, the modes of A must nest: each stride is at least the extent times the stride below. The gaps
//! between them, and the repetitions up to the target, are the complement: `complement(4:2, 24)` is `(2,3):(1,8)`. Law: R is
//! ordered, the sums A(i) + R(j) are all distinct over the image of A, and the cosize of `(A,R)` is at least the target.

use super::coalesce::Flat;
use super::layout::Layout;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::small::Small;
use crate::tuple::{Leaves, Tuple};

/// The complement of a layout up to a cotarget: an integer, or a shape that is divided leaf by leaf.
///
/// # Errors
/// [`Code::Overlap`] when the modes do not nest, [`Code::Range`] for negative strides or targets, [`Code::Kind`] for coordinate
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
    complement_in(layout, cotarget.leaves())
}

/// The complement without a target: the gaps of the layout within its own cosize.
///
/// # Errors
/// As [`complement`].
pub fn complement_within<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    let reach = nested_modes(layout)?
        .iter()
        .try_fold(I::from(1), |reach, (extent, stride)| reach.add(&extent.add(&I::from(-1))?.mul(stride)?))?;
    complement_in(layout, &[reach])
}

/// As [`complement`], the cotarget given by its leaves.
pub(super) fn complement_in<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    cotarget: &[I],
) -> Result<Layout<I, D>, Error> {
    filled(layout, cotarget).map(|(rest, _)| rest)
}

/// As [`complement_in`], with the first place that the layout and its complement do not reach, where a gap is uneven.
pub(super) fn filled<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    cotarget: &[I],
) -> Result<(Layout<I, D>, Option<I>), Error> {
    if let Some(extent) = cotarget.iter().find(|extent| extent.sign() == Some(-1)) {
        return Err(Error::new(Code::Range, format!("complement({layout}): the target {extent} is negative")));
    }
    let modes = nested_modes(layout)?;
    let mut flat = Flat::new();
    let mut below = I::from(1);
    let mut hole = None;
    for (extent, stride) in &modes {
        let gap = gap(layout, stride, &below)?;
        let end = gap.mul(&below)?;
        // A gap between unknowns is settled to be even, or it is refused.
        if end.value() != stride.value() && hole.is_none() {
            hole = Some(end);
        }
        if !gap.is(1) {
            flat.push_merging(&gap, &D::from(below))?;
        }
        below = stride.mul(extent)?;
    }
    // What is left of each leaf of the target, the first ones taking what they can; neighbours of one kind multiplied.
    let mut rest = below.clone();
    let mut repeats: Leaves<I> = Leaves::new();
    let mut covers = true;
    for (at, extent) in cotarget.iter().enumerate() {
        // A leaf shorter than what is left must divide it, or a part of what follows is counted as taken.
        covers &= at + 1 == cotarget.len() || rest.at_most(extent) == Some(true) || extent.divides(&rest) == Some(true);
        let repeat = extent.ceil_div(&rest)?;
        rest = rest.ceil_div(extent)?;
        match repeats.last_mut() {
            Some(last) if last.fixed().is_some() == repeat.fixed().is_some() => *last = last.mul(&repeat)?,
            _ => repeats.push(repeat),
        }
    }
    if hole.is_some() || !covers {
        reach_target(&modes, &flat, &below, &mut repeats, cotarget)?;
    }
    for repeat in &repeats {
        if !repeat.is(1) {
            flat.push_merging(repeat, &D::from(below.clone()))?;
            below = below.mul(repeat)?;
        }
    }
    Ok((flat.into_layout(), hole))
}

type Modes<I> = Small<(I, I), 8>;

/// The modes without broadcasts, merged where they continue each other, by stride.
fn nested_modes<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Modes<I>, Error> {
    let mut flat = Flat::new();
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        if !extent.is(1) && !stride.is_zero() {
            flat.push_merging(extent, stride)?;
        }
    }
    let many = flat.shape.len() > 1;
    let mut modes = Modes::new();
    for (extent, stride) in flat.shape.iter().zip(&flat.stride) {
        let Some(stride) = stride.as_integer() else {
            return Err(Error::new(Code::Kind, format!("{layout} has coordinate strides; complement needs integers")));
        };
        if extent.value() == Some(0) {
            return Err(Error::new(Code::Range, format!("{layout} has no elements; its complement is not defined")));
        }
        match stride.value() {
            Some(n) if n <= 0 => {
                return Err(Error::new(
                    Code::Range,
                    format!("complement needs positive strides; {layout} has {stride}"),
                ));
            }
            None if many => {
                return Err(Error::new(
                    Code::MissingFact,
                    format!("complement({layout}): where the stride {stride} stands among the others is not known"),
                ));
            }
            _ => {}
        }
        modes.push((extent.clone(), stride.clone()));
    }
    modes.sort_by_key(|(_, stride)| stride.value());
    Ok(modes)
}

/// The free places between one mode and the one below.
fn gap<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, stride: &I, below: &I) -> Result<I, Error> {
    match (stride.value(), below.value()) {
        (Some(a), Some(b)) if a < b => Err(Error::new(
            Code::Overlap,
            format!("the modes of {layout} overlap: one steps by {a}, but {b} places below it are taken"),
        )
        .with_help("a complement exists only where each stride is at least the extent times the stride below it")),
        (Some(_), Some(_)) => stride.quotient(below),
        _ if below.is(1) || below.divides(stride) == Some(true) => stride.quotient(below),
        _ => Err(Error::new(
            Code::MissingFact,
            format!("complement({layout}): whether {below} divides {stride} is not known"),
        )),
    }
}

/// Where gaps or leaves of the target do not come out even, the repetitions counted may stop short of it: more are needed.
#[cold]
fn reach_target<I: Integer, D: StrideLeaf<I>>(
    modes: &[(I, I)],
    gaps: &Flat<I, D>,
    below: &I,
    repeats: &mut Leaves<I>,
    cotarget: &[I],
) -> Result<(), Error> {
    let target = crate::tuple::product(cotarget)?;
    let times = crate::tuple::product(repeats)?;
    let steps = |extent: &I, stride: &I| extent.add(&I::from(-1))?.mul(stride);
    let mut reach = steps(&times, below)?.add(&I::from(1))?;
    for (extent, stride) in modes {
        reach = reach.add(&steps(extent, stride)?)?;
    }
    for (extent, stride) in gaps.shape.iter().zip(&gaps.stride) {
        if let Some(stride) = stride.as_integer() {
            reach = reach.add(&steps(extent, stride)?)?;
        }
    }
    match (target.at_most(&reach), target.value(), reach.value()) {
        (Some(true), _, _) => Ok(()),
        (_, Some(goal), Some(now)) => {
            let short = I::from(goal.saturating_sub(now));
            *repeats = Leaves::from_slice(&[times.add(&short.ceil_div(below)?)?]);
            Ok(())
        }
        _ => Err(Error::new(
            Code::MissingFact,
            format!("complement: whether what is filled, {reach}, reaches the target {target} is not known"),
        )),
    }
}
