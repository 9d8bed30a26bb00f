//! Recast: the same memory seen as elements of another size.
//!
//! `upcast(L, N)` joins N neighbouring elements into one: strides are divided by N, and modes that step inside one
//! new element shrink. `downcast(L, N)` cuts every element into N: strides are multiplied by N and the stride-1 mode
//! grows. Law: the offsets of the new layout, each times the new element size, cover the same bits.

use super::layout::Layout;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::{Integer, gcd};
use crate::trace::Trace;

/// What recasting does with one leaf after the other, as data. Law: the leaves of [`RecastStep::Still`], [`RecastStep::Whole`] and
/// [`RecastStep::Inside`], in this order, are those of the upcast, which comes before the downcast.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecastStep<I> {
    /// A leaf of stride 0.
    Still,
    /// A leaf that steps over whole new elements.
    Whole {
        /// Its stride in new elements.
        stride: I,
    },
    /// A leaf that steps within a new element.
    Inside {
        /// How many of its elements lie in one new element.
        joined: I,
        /// How many new elements are left.
        left: I,
    },
    /// A leaf takes the parts of every element, and the other strides are multiplied.
    Parts {
        /// The number of the leaf.
        leaf: usize,
    },
}

/// N neighbouring elements become one.
///
/// # Errors
/// [`Code::NotDivisible`] when a stride and N do not divide, when a mode steps backwards inside a new element, or when
/// several modes together step out of one; [`Code::Range`] unless N is positive.
///
/// ```
/// use bitstride::{cute::upcast, StaticLayout};
/// let layout: StaticLayout = "((2,2),2):((4,2),1)".parse()?;
/// assert_eq!(upcast(&layout, 4)?.to_string(), "((2,1),1):((1,1),1)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn upcast<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, n: i64) -> Result<Layout<I, D>, Error> {
    upcast_traced(layout, n, &mut ())
}

fn upcast_traced<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    n: i64,
    trace: &mut impl Trace<RecastStep<I>>,
) -> Result<Layout<I, D>, Error> {
    positive(n)?;
    let by = I::from(n);
    // How far the parts inside one new element reach, over all modes.
    let mut inside = I::from(0);
    let answer = map_leaves(layout, |extent, stride| {
        let mut whole = |stride: I| {
            trace.record(|| RecastStep::Whole { stride: stride.clone() });
            Ok((extent.clone(), D::from(stride)))
        };
        let Some(step) = stride.as_integer() else {
            return Err(error!(
                Code::Kind,
                "upcast({layout}, {n}): the stride {stride} is a coordinate",
                [layout, n, stride]
            ));
        };
        if step.is(0) {
            trace.record(|| RecastStep::Still);
            return Ok((extent.clone(), stride.clone()));
        }
        if step.fixed().is_none() {
            // The shape may not depend on a dynamic stride, so it must be a multiple; of a single element it means
            // nothing.
            return match by.divides(step) {
                Some(true) => whole(step.quotient(&by)?),
                _ if extent.value() == Some(1) => whole(step.quotient(&by)?),
                Some(false) => Err(not_divisible(layout, "upcast", step, n)),
                None => Err(error!(
                    Code::MissingFact,
                    "upcast({layout}, {n}): whether {n} divides the stride {step} is not known",
                    [layout, n, step]
                )),
            };
        }
        if by.divides(step) == Some(true) {
            return whole(step.quotient(&by)?);
        }
        let size = step.abs()?;
        // A span beyond 64 bits is in no element.
        let span = extent.add(&I::from(-1))?.mul(&size).and_then(|span| span.add(&I::from(1)));
        let within = span.is_ok_and(|span| span.at_most(&by) == Some(true));
        if size.divides(&by) != Some(true) && !within {
            return Err(not_divisible(layout, "upcast", step, n));
        }
        if !extent.is(1) {
            if step.sign() == Some(-1) {
                return Err(error!(
                    Code::NotDivisible,
                    "upcast({layout}, {n}): the stride {step} steps backwards inside an element of {n}",
                    [layout, n, step]
                ));
            }
            let parts = if within { extent.clone() } else { by.quotient(&size)?.min(extent)? };
            // Each is less than an element, and so are a few; more are refused below anyway.
            inside = inside.add(&parts.add(&I::from(-1))?.mul(&size)?).unwrap_or_else(|_| by.clone());
        }
        let joined = if within { extent.clone() } else { by.ceil_div(&size)? };
        let sign = I::from(step.sign().unwrap_or(1));
        let left = extent.ceil_div(&joined)?;
        trace.record(|| RecastStep::Inside { joined, left: left.clone() });
        Ok((left, D::from(size.ceil_div(&by)?.mul(&sign)?)))
    })?;
    match inside.at_most(&by.add(&I::from(-1))?) {
        Some(true) => Ok(answer),
        Some(false) => Err(error!(
            Code::NotDivisible,
            "upcast({layout}, {n}): several modes step inside an element of {n}, together up to {inside}",
            [layout, n, inside]
        )),
        None => Err(error!(
            Code::MissingFact,
            "upcast({layout}, {n}): whether {inside} stays below {n} is not known",
            [layout, n, inside]
        )),
    }
}

/// Every element becomes N neighbouring ones.
///
/// # Errors
/// [`Code::NotDivisible`] when no mode has the static stride 1, or one element, to hold the parts, [`Code::Range`]
/// unless N is positive, [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::downcast, StaticLayout};
/// let layout: StaticLayout = "(2,16,4):(64,4,1)".parse()?;
/// assert_eq!(downcast(&layout, 2)?.to_string(), "(2,16,8):(128,8,1)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn downcast<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, n: i64) -> Result<Layout<I, D>, Error> {
    downcast_traced(layout, n, &mut ())
}

fn downcast_traced<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    n: i64,
    trace: &mut impl Trace<RecastStep<I>>,
) -> Result<Layout<I, D>, Error> {
    positive(n)?;
    if n == 1 {
        return Ok(layout.clone());
    }
    // One mode takes the parts: the first of stride 1, or else a mode of one element.
    let unit = |stride: &D| stride.as_integer().is_some_and(|d| d.is(1));
    let pairs = || layout.extents().iter().zip(layout.strides()).enumerate();
    let wide = pairs().find(|(_, (extent, stride))| unit(stride) && !extent.is(1));
    let place = wide.or_else(|| pairs().find(|(_, (_, stride))| unit(stride)));
    let place = place.or_else(|| pairs().find(|(_, (extent, _))| extent.is(1)));
    let Some((place, _)) = place else {
        return Err(error!(
            Code::NotDivisible,
            "downcast({layout}, {n}): no mode has stride {unit}, so the parts of an element have no mode",
            [layout, n, unit = 1]
        )
        .with_help(format!("append a mode: make_layout({layout}, 1:1)")));
    };
    trace.record(|| RecastStep::Parts { leaf: place });
    let by = I::from(n);
    let mut at = 0;
    map_leaves(layout, |extent, stride| {
        at += 1;
        if at == place + 1 {
            return Ok((extent.mul(&by)?, D::from(I::from(1))));
        }
        Ok((extent.clone(), stride.scale(&by)?))
    })
}

/// The layout in elements of `old` bits, seen in elements of `new` bits.
///
/// # Errors
/// As [`upcast`] and [`downcast`], the former by `new/gcd` and then the latter by `old/gcd`; [`Code::NotDivisible`]
/// when both are more than 1 and the elements do not fill the groups.
pub fn recast<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, old: i64, new: i64) -> Result<Layout<I, D>, Error> {
    positive(old)?;
    positive(new)?;
    let common = gcd(old, new);
    rescale(layout, new.checked_div(common).unwrap_or(new), old.checked_div(common).unwrap_or(old))
}

/// The layout with `up` old elements in each `down` new ones, a ratio in lowest terms.
///
/// # Errors
/// As [`recast`].
pub fn rescale<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, up: i64, down: i64) -> Result<Layout<I, D>, Error> {
    rescale_traced(layout, up, down, &mut ())
}

/// [`rescale`], with what becomes of each leaf reported.
///
/// # Errors
/// As [`recast`].
///
/// ```
/// use bitstride::StaticLayout;
/// use bitstride::cute::{RecastStep, rescale_traced};
/// let layout: StaticLayout = "(4,2):(1,8)".parse()?;
/// let mut events = Vec::new();
/// assert_eq!(rescale_traced(&layout, 4, 1, &mut events)?.to_string(), "(1,2):(1,2)");
/// assert_eq!(events, [RecastStep::Inside { joined: 4, left: 1 }, RecastStep::Whole { stride: 2 }]);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn rescale_traced<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    up: i64,
    down: i64,
    trace: &mut impl Trace<RecastStep<I>>,
) -> Result<Layout<I, D>, Error> {
    match (up, down) {
        (1, 1) => Ok(layout.clone()),
        (1, down) => downcast_traced(layout, down, trace),
        (up, 1) => upcast_traced(layout, up, trace),
        (up, down) => {
            let raised = upcast_traced(layout, up, trace)?;
            fills(layout, up)?;
            downcast_traced(&raised, down, trace)
        }
    }
}

/// Whether every new element of an upcast is made of old ones only: else its parts would be more than there were.
fn fills<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, n: i64) -> Result<(), Error> {
    // The modes that step inside one new element, by stride: the places inside are an interval, or they leave some out.
    let mut inside: Vec<(i64, i64)> = Vec::new();
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        let step = stride.as_integer().and_then(Integer::fixed);
        let Some(step) = step.filter(|step| step % n != 0 && !extent.is(1)) else { continue };
        let parts = n.checked_div(step).filter(|parts| n % step == 0 && I::from(*parts).divides(extent) == Some(true));
        let parts = parts.or_else(|| extent.fixed().filter(|extent| step.saturating_mul(*extent) <= n));
        inside.push((step, parts.unwrap_or(0)));
    }
    inside.sort_unstable();
    let filled = inside.iter().try_fold(1_i64, |filled, (step, parts)| {
        let more = parts.checked_sub(1)?.checked_mul(*step)?;
        if *step <= filled && *parts > 0 { filled.checked_add(more) } else { None }
    });
    if filled == Some(n) {
        return Ok(());
    }
    Err(error!(
        Code::NotDivisible,
        "rescale({layout}): the elements do not fill groups of {n}, so a group has parts that are none of theirs",
        [layout, n]
    ))
}

fn positive(n: i64) -> Result<(), Error> {
    if n > 0 {
        return Ok(());
    }
    Err(error!(Code::Range, "an element size or ratio must be positive, not {n}", [n]))
}

#[cold]
fn not_divisible<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, name: &str, stride: &I, n: i64) -> Error {
    error!(
        (Code::NotDivisible, "indivisible"),
        "{operation}({layout}, {factor}): neither of the stride {stride} and {factor} divides the other",
        [operation = name, layout, stride, factor = n]
    )
}

fn map_leaves<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    mut leaf: impl FnMut(&I, &D) -> Result<(I, D), Error>,
) -> Result<Layout<I, D>, Error> {
    let mut strides = Vec::new();
    let mut pairs = layout.extents().iter().zip(layout.strides());
    let shape = layout.shape().try_map(|_| match pairs.next() {
        Some((extent, stride)) => leaf(extent, stride).map(|(extent, stride)| {
            strides.push(stride);
            extent
        }),
        None => Ok(I::from(1)),
    })?;
    Layout::new(shape, crate::tuple::Tuple::unflatten(&strides, layout.profile())?)
}
