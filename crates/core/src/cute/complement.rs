//! Complement: a layout that fills what another leaves free, up to a target.
//!
//! Sorted by stride, the modes of A must nest: each stride is at least the extent times the stride below. The gaps
//! between them, and the repetitions up to the target, are the complement: `complement(4:2, 24)` is `(2,3):(1,8)`. Law: R is ordered,
//! the sums A(i) + R(j) are all distinct over the image of A, and the cosize of `(A,R)` is at least the target.

use super::coalesce::coalesce;
use super::filter::filter;
use super::layout::Layout;
use super::measure::cosize;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::small::Small;
use crate::tuple::{Tuple, ceil_div};

/// The complement of a layout up to a cotarget: an integer, or a shape that is divided leaf by leaf.
///
/// # Errors
/// [`Code::Overlap`] when the modes do not nest, [`Code::Range`] for negative strides, [`Code::Kind`] for coordinate
/// strides, [`Code::MissingFact`] when unknown leaves leave it open, [`Code::NotALayout`] when the gaps do not come out
/// even and the answer would not reach the target.
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
    let filtered = filter(layout)?;
    let mut modes = nested_modes(layout, &filtered)?;
    let mut gaps: Small<(I, I), 8> = Small::new();
    let mut below = I::from(1);
    modes.reverse();
    while let Some((extent, stride)) = modes.pop() {
        gaps.push((gap(layout, &stride, &below)?, below));
        below = stride.mul(&extent)?;
    }
    let mut shape = Vec::new();
    let mut steps = Vec::new();
    for (extent, stride) in &gaps {
        shape.push(extent.clone());
        steps.push(D::from(stride.clone()));
    }
    for extent in merged(ceil_div(cotarget, &Tuple::leaf(below.clone()))?.leaves())? {
        shape.push(extent.clone());
        steps.push(D::from(below.clone()));
        below = below.mul(&extent)?;
    }
    let answer = coalesce(&Layout::new(Tuple::flat(&shape), Tuple::flat(&steps))?)?;
    covers(layout, &filtered, &answer, cotarget)?;
    Ok(answer)
}

/// The complement without a target: the gaps of the layout within its own cosize.
///
/// # Errors
/// As [`complement`].
pub fn complement_within<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    let reach = cosize(&filter(layout)?)?;
    complement(layout, &Tuple::leaf(reach))
}

/// The modes that are left after filtering, by stride.
fn nested_modes<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    filtered: &Layout<I, D>,
) -> Result<Small<(I, I), 8>, Error> {
    let mut modes = Small::<(I, I), 8>::new();
    let many = filtered.strides().iter().filter(|d| !d.is_zero()).count() > 1;
    for (extent, stride) in filtered.extents().iter().zip(filtered.strides()) {
        let Some(stride) = stride.as_integer() else {
            return Err(Error::new(Code::Kind, format!("{layout} has coordinate strides; complement needs integers")));
        };
        if stride.is(0) {
            continue;
        }
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

/// Neighbours of one kind multiplied: static with static, others with others.
fn merged<I: Integer>(extents: &[I]) -> Result<Vec<I>, Error> {
    let mut out: Vec<I> = Vec::new();
    for extent in extents {
        match out.last_mut() {
            Some(last) if last.fixed().is_some() == extent.fixed().is_some() => *last = last.mul(extent)?,
            _ => out.push(extent.clone()),
        }
    }
    Ok(out)
}

/// The law's last part; it can fail only where a stride is no multiple of what lies below.
fn covers<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    filtered: &Layout<I, D>,
    answer: &Layout<I, D>,
    cotarget: &Tuple<I>,
) -> Result<(), Error> {
    let reach = |layout: &Layout<I, D>| cosize(layout).map(|n| n.value()).ok().flatten();
    let (Some(a), Some(b), Some(target)) = (reach(filtered), reach(answer), cotarget.size()?.value()) else {
        return Ok(());
    };
    match a.checked_add(b).map(|sum| sum - 1) {
        Some(sum) if sum < target => Err(Error::new(
            Code::NotALayout,
            format!(
                "complement({layout}, {cotarget}): the gaps do not come out even, and {answer} would reach {sum} of {target}"
            ),
        )),
        _ => Ok(()),
    }
}
