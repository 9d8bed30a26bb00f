//! Composition: R(i) = A(B(i)), as a layout of B's profile, or a refusal that shows why there is none.
//!
//! Every mode `n:b` of B walks over the coalesced modes of A, taking `n` steps of `b`: it skips the modes whose
//! extent divides `b`, takes a part of the next ones, and ends in the last, which extends. So `(6,2):(8,2) o
//! (4,3):(3,1)` is `((2,2),3):((24,2),8)`. This is exact as long as nothing carries: in every mode of A the steps of
//! *all* modes of B together stay below its extent, and a mode that is left was filled exactly. The walk keeps that
//! account, which is all it takes in the usual case. Otherwise the [exact solver](super::exact) decides: the
//! composite is a layout of B's profile if and only if A(B(.)) is additive over B's leaves and each leaf's function
//! is a mixed-radix one (Shah, "CuTe Layout Representation and Algebra", arXiv 2603.02298, section on composition,
//! names the first way to fail, a *split*; the other is a *carry*).
//!
//! Law: shape(B) is compatible with shape(R), and R(i) = A(B(i)) for every i below size(B); a negative B(i) mirrors,
//! A(-x) = -A(x).

use super::decide::decide;
use super::layout::Layout;
use super::tiler::Tiler;
use super::walk::{Axes, Proof, WalkStep, walked};
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::trace::Trace;

/// The composite of two layouts.
///
/// # Errors
/// [`Code::Split`] or [`Code::Carry`] when no layout of B's profile is the composite, with coordinates that show it;
/// [`Code::Undecided`] when strides cancel in a way the step budget does not settle; [`Code::MissingFact`] when unknown
/// leaves leave it open; [`Code::NoMode`] when a basis stride of B names a mode that A lacks; [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::composition, StaticLayout};
/// let a: StaticLayout = "(6,2):(8,2)".parse()?;
/// let b: StaticLayout = "(4,3):(3,1)".parse()?;
/// assert_eq!(composition(&a, &b)?.to_string(), "((2,2),3):((24,2),8)");
/// // The modes of B carry across a mode of A: widely used libraries answer (3,2):(2,3) here.
/// let (a, b): (StaticLayout, StaticLayout) = ("(6,2):(1,7)".parse()?, "(3,2):(2,3)".parse()?);
/// assert_eq!(composition(&a, &b).unwrap_err().code().as_str(), "carry");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn composition<I: Integer, D: StrideLeaf<I>>(a: &Layout<I, D>, b: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    composition_traced(a, b, &mut ())
}

/// [`composition`], with the walk reported, mode by mode of B. Where a stride of B points along several modes, or the exact
/// solver found other digits, the events are not the answer.
///
/// # Errors
/// As [`composition`].
///
/// ```
/// use bitstride::StaticLayout;
/// use bitstride::cute::{WalkStep, composition_traced};
/// let (a, b): (StaticLayout, StaticLayout) = ("(6,2):(8,2)".parse()?, "4:3".parse()?);
/// let mut events = Vec::new();
/// assert_eq!(composition_traced(&a, &b, &mut events)?.to_string(), "(2,2):(24,2)");
/// assert_eq!(events[0], WalkStep::Start { extent: 4, step: 3, modes: vec![(6, 8), (2, 2)] });
/// assert_eq!(events[2], WalkStep::Last { extent: 2, step: 1, stride: 2 });
/// # Ok::<(), bitstride::Error>(())
/// ```
#[inline]
pub fn composition_traced<I: Integer, D: StrideLeaf<I>>(
    a: &Layout<I, D>,
    b: &Layout<I, D>,
    trace: &mut impl Trace<WalkStep<I, D>>,
) -> Result<Layout<I, D>, Error> {
    let mut axes = Axes::of(a, b)?;
    match walked(&mut axes, b, trace) {
        Ok(walked) if axes.proof == Proof::Sure => {
            trace.record(|| WalkStep::Proved);
            Ok(walked)
        }
        Ok(walked) => decide(a, b, &axes, walked),
        Err(error) if error.code() == Code::Overflow => beyond(a, b, &mut axes, error),
        Err(error) => Err(error),
    }
}

/// The composite where a number of the walk left 64 bits: those of the answer may not.
#[cold]
fn beyond<I: Integer, D: StrideLeaf<I>>(
    a: &Layout<I, D>,
    b: &Layout<I, D>,
    axes: &mut Axes<I, D>,
    error: Error,
) -> Result<Layout<I, D>, Error> {
    let mut factors = a.strides().iter().chain(b.strides()).flat_map(StrideLeaf::components);
    let mut extents = a.extents().iter().chain(b.extents());
    if factors.any(|(_, n)| n.fixed().is_none()) || extents.any(|n| n.fixed().is_none() || n.is(0)) {
        return Err(error);
    }
    axes.proof = Proof::Broken;
    decide(a, b, axes, Layout::unit())
}

/// The composition with a tiler, mode by mode; modes that the tiler does not reach are dropped, as in CuTe C++.
///
/// # Errors
/// What [`composition`] refuses; [`Code::Profile`] for more tiler entries than modes.
pub fn compose_tiler<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    tiler: &Tiler<I, D>,
) -> Result<Layout<I, D>, Error> {
    tiler.apply(layout, "composition", true, &|layout, tile| match tile {
        Tiler::Extent(extent) => composition(layout, &Layout::mode(extent.clone(), D::from(I::from(1)))),
        _ => match tile.as_layout() {
            Some(tile) => composition(layout, &tile),
            None => Ok(layout.clone()),
        },
    })
}
