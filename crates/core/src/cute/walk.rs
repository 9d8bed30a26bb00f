//! The walk of composition: the modes of B over the coalesced modes of A, with the account of what is used of each.
//!
//! Law: where the account says [`Proof::Sure`], nothing carries, and the layout that was walked is the composite.

use super::coalesce::{Flat, coalesce_extended};
use super::layout::{Layout, LayoutBuilder};
use crate::basis::{Path, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::trace::Trace;
use crate::tuple::{Leaves, Node, Token};

/// What the walk does with one mode of B, as data: a start, then what it does in the modes of A, the lowest first, then the
/// end. Law: where the walk is the composite, the parts that are taken, and what is left at the end, are the modes of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WalkStep<I, D> {
    /// A mode of B begins.
    Start {
        /// How many steps it takes.
        extent: I,
        /// How many indices of A one step is.
        step: I,
        /// The modes of A that it walks over, merged as far as they are one line; the last goes on, whatever its extent.
        modes: Vec<(I, D)>,
    },
    /// Every step passes whole rounds of a mode.
    Skipped {
        /// The mode, counted from the lowest.
        mode: usize,
        /// The step in this mode.
        step: I,
        /// The step in the mode above.
        next: I,
    },
    /// A part of the steps stays inside of a mode.
    Taken {
        /// The mode, counted from the lowest.
        mode: usize,
        /// How many steps are left to take.
        rest: I,
        /// The step in this mode.
        step: I,
        /// How many of the steps are taken here.
        part: I,
        /// How far they are apart in the answer.
        stride: D,
        /// How often the part repeats.
        left: I,
        /// The step in the mode above.
        next: I,
        /// How far the modes of B reach in this mode so far, all together.
        used: I,
    },
    /// The steps that are left are taken in the last mode, which goes on; or nowhere, where A has no mode or the step is 0.
    Last {
        /// How many steps are left.
        extent: I,
        /// The step in the last mode.
        step: I,
        /// How far they are apart in the answer.
        stride: D,
    },
    /// The account of all modes of B shows that nothing carries, so that the parts are the answer. Where there is no such event,
    /// the exact check of all values has decided.
    Proved,
}

/// What the walk knows of its own answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Proof {
    /// Nothing carries: the answer is the composite.
    Sure,
    /// It may or may not be; values decide.
    Open,
    /// CuTe's conditions fail: there is no walked answer, though a composite may exist.
    Broken,
    /// An unknown leaf leaves it open.
    Missing(String),
}

/// The modes of A that the strides of B walk over: one list for integer strides, one for each basis path otherwise.
pub(super) struct Axes<I, D> {
    pub(super) all: Vec<(Path, Walk<I, D>)>,
    /// The walk of integer strides, the usual case.
    pub(super) plain: Walk<I, D>,
    pub(super) proof: Proof,
}

/// Coalesced modes of A with the account of what is used of each.
pub(super) struct Walk<I, D> {
    pub(super) flat: Flat<I, D>,
    used: Leaves<I>,
    /// Signs of B's steps seen so far: a sum of steps of both signs may borrow.
    positive: bool,
    negative: bool,
}

impl<I: Integer, D: StrideLeaf<I>> Walk<I, D> {
    /// All modes of an entry, of which nothing is used yet.
    #[inline]
    pub(super) fn over(layout: &Layout<I, D>, node: Node<'_>) -> Self {
        let (shape, stride) = layout.leaves_of(node);
        let flat = coalesce_extended(shape, stride);
        let used = Leaves::defaults(flat.shape.len());
        Walk { flat, used, positive: false, negative: false }
    }

    /// The extents of the modes; the last one means nothing.
    #[inline]
    pub(super) fn extents(&self) -> &[I] {
        &self.flat.shape
    }
}

impl<I: Integer, D: StrideLeaf<I>> Axes<I, D> {
    #[inline]
    pub(super) fn of(a: &Layout<I, D>, b: &Layout<I, D>) -> Result<Self, Error> {
        let mut all: Vec<(Path, Walk<I, D>)> = Vec::new();
        for stride in b.strides().iter().filter(|stride| stride.as_integer().is_none()) {
            for (path, _) in stride.components() {
                if all.iter().any(|(known, _)| *known == path) {
                    continue;
                }
                if let Some((known, _)) =
                    all.iter().find(|(known, _)| known.starts_with(&path) || path.starts_with(known))
                {
                    return Err(error!(
                        Code::Profile,
                        "the basis paths {known:?} and {path:?} of {b} overlap",
                        [known, path, b]
                    ));
                }
                let mode = a.get(&path).map_err(|_| {
                    error!(
                        Code::NoMode,
                        "the stride {stride} of {b} names a mode that {a} does not have",
                        [stride, b, a]
                    )
                })?;
                all.push((path, Walk::over(&mode, mode.root())));
            }
        }
        // A stride that goes nowhere goes with either kind.
        let integer = |(d, n): (&D, &I)| !n.is(1) && d.as_integer().is_some() && !d.is_zero();
        if !all.is_empty() && b.strides().iter().zip(b.extents()).any(integer) {
            return Err(error!(Code::Kind, "{b} mixes integer and basis strides", [b]));
        }
        Ok(Axes { all, plain: Walk::over(a, a.root()), proof: Proof::Sure })
    }
}

/// One mode of B.
#[inline]
fn compose_leaf<I: Integer, D: StrideLeaf<I>>(
    axes: &mut Axes<I, D>,
    extent: &I,
    stride: &D,
    builder: &mut LayoutBuilder<I, D>,
    trace: &mut impl Trace<WalkStep<I, D>>,
) -> Result<(), Error> {
    let before = builder.leaves();
    match stride.as_integer() {
        Some(step) => walk(&mut axes.plain, extent, step, builder, &mut axes.proof, trace)?,
        None => match stride.components().as_slice() {
            [(path, step)] => {
                if let Some((_, axis)) = axes.all.iter_mut().find(|(known, _)| known == path) {
                    walk(axis, extent, step, builder, &mut axes.proof, trace)?;
                }
            }
            // A sum of basis vectors steps through several modes at once: the solver's business.
            _ => {
                builder.leaf(extent.clone(), D::default());
                worsen(&mut axes.proof, Proof::Broken);
            }
        },
    }
    builder.bracket(builder.leaves() - before);
    Ok(())
}

/// One mode `extent:step` of B over the modes of A.
#[inline]
fn walk<I: Integer, D: StrideLeaf<I>>(
    a: &mut Walk<I, D>,
    extent: &I,
    step: &I,
    out: &mut LayoutBuilder<I, D>,
    proof: &mut Proof,
    trace: &mut impl Trace<WalkStep<I, D>>,
) -> Result<(), Error> {
    trace.record(|| WalkStep::Start {
        extent: extent.clone(),
        step: step.clone(),
        modes: a.flat.shape.iter().cloned().zip(a.flat.stride.iter().cloned()).collect(),
    });
    let Some((last, lower)) = a.flat.stride.split_last() else {
        // A is (): its only value is the origin.
        end(extent, step, D::default(), out, trace);
        return Ok(());
    };
    if step.value() == Some(0) {
        end(extent, step, D::from(step.clone()), out, trace);
        return Ok(());
    }
    if lower.is_empty() {
        end(extent, step, last.scale(step)?, out, trace);
        return Ok(());
    }
    if !extent.is(1) {
        match step.sign() {
            Some(1) => a.positive = true,
            Some(-1) => a.negative = true,
            Some(_) => {}
            None => worsen(proof, Proof::Missing(format!("the sign of the stride {step}"))),
        }
        if a.positive && a.negative {
            worsen(proof, Proof::Open);
        }
    }
    let before = out.leaves();
    let mut rest = extent.clone();
    let mut step = step.clone();
    for (at, ((mode, stride), used)) in a.flat.shape.iter().zip(lower).zip(a.used.iter_mut()).enumerate() {
        if mode.is(0) {
            return Err(error!(
                Code::Range,
                "a mode of extent {empty} before the last cannot be walked by {extent}:{step}",
                [empty = 0, extent, step]
            ));
        }
        // All steps are taken, and nothing is left for this mode.
        if rest.is(1) && out.leaves() != before {
            continue;
        }
        let size = step.abs()?;
        // What CuTe C++ asks of static numbers; the account below asks for all that is needed.
        if let (Some(mode), Some(step)) = (mode.fixed(), step.fixed())
            && step >= mode
            && step % mode != 0
        {
            worsen(proof, Proof::Broken);
        }
        let taken = mode.ceil_div(&size)?;
        let mut next = size.ceil_div(mode)?;
        if step.sign() == Some(-1) {
            next = next.mul(&I::from(-1))?;
        }
        if taken.is(1) || rest.is(1) {
            if !rest.is(1) {
                settle(mode.divides(&size), proof, || format!("whether {mode} divides {size}"));
                trace.record(|| WalkStep::Skipped { mode: at, step: step.clone(), next: next.clone() });
            }
            step = next;
            continue;
        }
        let part = taken.min(&rest)?;
        let left = rest.quotient(&part)?;
        if let (Some(part), Some(rest), Some(left)) = (part.fixed(), rest.fixed(), left.fixed())
            && part.wrapping_mul(left) != rest
        {
            worsen(proof, Proof::Broken);
        }
        account(mode, &size, &part, &rest, &left, used, proof)?;
        let stride = stride.scale(&step)?;
        trace.record(|| WalkStep::Taken {
            mode: at,
            rest: rest.clone(),
            step: step.clone(),
            part: part.clone(),
            stride: stride.clone(),
            left: left.clone(),
            next: next.clone(),
            used: used.clone(),
        });
        out.leaf(part, stride);
        rest = left;
        step = next;
    }
    if out.leaves() == before || !rest.is(1) {
        end(&rest, &step, last.scale(&step)?, out, trace);
    }
    Ok(())
}

/// What is left of a mode of B, as one leaf.
#[inline]
fn end<I: Integer, D: StrideLeaf<I>>(
    extent: &I,
    step: &I,
    stride: D,
    out: &mut LayoutBuilder<I, D>,
    trace: &mut impl Trace<WalkStep<I, D>>,
) {
    trace.record(|| WalkStep::Last { extent: extent.clone(), step: step.clone(), stride: stride.clone() });
    out.leaf(extent.clone(), stride);
}

/// Keeps the account of one mode of A, in which B takes `part` steps of `size` and goes on `left` times.
#[inline]
fn account<I: Integer>(
    mode: &I,
    size: &I,
    part: &I,
    rest: &I,
    left: &I,
    used: &mut I,
    proof: &mut Proof,
) -> Result<(), Error> {
    let divides = match (part.value(), left.value(), rest.value()) {
        (Some(part), Some(left), Some(rest)) => Some(part.wrapping_mul(left) == rest),
        _ => part.divides(rest),
    };
    settle(divides, proof, || format!("whether {part} divides {rest}"));
    let goes_on = left.value() != Some(1);
    if part.value() == Some(1) {
        if goes_on {
            settle(mode.divides(size), proof, || format!("whether {mode} divides {size}"));
        }
        return Ok(());
    }
    let filled = part.mul(size)?;
    let exactly = filled.same(mode) || (filled.value().is_some() && filled.value() == mode.value());
    if goes_on && !exactly {
        let known = filled.value().is_some() && mode.value().is_some();
        settle(if known { Some(false) } else { None }, proof, || format!("whether {filled} equals {mode}"));
    }
    let before = used.clone();
    *used = used.add(&part.add(&I::from(-1))?.mul(size)?)?;
    // Used steps stay below the extent; where this mode of B fills it, the others must stay below its step.
    let fits = used.add(&I::from(1))?.at_most(mode);
    let fits = if exactly && fits.is_none() { before.add(&I::from(1))?.at_most(size) } else { fits };
    settle(fits, proof, || format!("whether {used} is less than {mode}"));
    Ok(())
}

#[inline]
fn settle(answer: Option<bool>, proof: &mut Proof, fact: impl FnOnce() -> String) {
    match answer {
        Some(true) => {}
        Some(false) => worsen(proof, Proof::Open),
        None => worsen(proof, Proof::Missing(fact())),
    }
}

#[inline]
fn worsen(proof: &mut Proof, to: Proof) {
    let worse = match (&*proof, &to) {
        (Proof::Missing(_), _) => false,
        (_, Proof::Missing(_)) | (_, Proof::Broken) => true,
        (before, Proof::Open) => *before == Proof::Sure,
        (_, Proof::Sure) => false,
    };
    if worse {
        *proof = to;
    }
}

/// The modes of B walked over A one by one.
#[inline]
pub(super) fn walked<I: Integer, D: StrideLeaf<I>>(
    axes: &mut Axes<I, D>,
    b: &Layout<I, D>,
    trace: &mut impl Trace<WalkStep<I, D>>,
) -> Result<Layout<I, D>, Error> {
    let mut builder = LayoutBuilder::new();
    let mut leaves = b.extents().iter().zip(b.strides());
    for token in b.root().tokens() {
        match token {
            Token::Open => builder.open(),
            Token::Close => builder.close(),
            Token::Leaf => {
                if let Some((extent, stride)) = leaves.next() {
                    compose_leaf(axes, extent, stride, &mut builder, trace)?;
                }
            }
        }
    }
    Ok(builder.finish())
}

/// The composite of a layout and the pair of a tile and the modes of its rest, where the walk settles it alone.
#[inline]
pub(super) fn walked_pair<I: Integer, D: StrideLeaf<I>>(
    walked: &mut Walk<I, D>,
    tile: &Layout<I, D>,
    rest: &Flat<I, D>,
) -> Option<Layout<I, D>> {
    let mut proof = Proof::Sure;
    let mut builder = LayoutBuilder::new();
    let mut leaf = |builder: &mut LayoutBuilder<I, D>, extent: &I, stride: &D| {
        let before = builder.leaves();
        walk(walked, extent, stride.as_integer()?, builder, &mut proof, &mut ()).ok()?;
        builder.bracket(builder.leaves() - before);
        Some(())
    };
    builder.open();
    let mut leaves = tile.extents().iter().zip(tile.strides());
    for token in tile.root().tokens() {
        match token {
            Token::Open => builder.open(),
            Token::Close => builder.close(),
            Token::Leaf => {
                let (extent, stride) = leaves.next()?;
                leaf(&mut builder, extent, stride)?;
            }
        }
    }
    let is_tuple = rest.shape.len() > 1;
    if is_tuple {
        builder.open();
    }
    for (extent, stride) in rest.shape.iter().zip(&rest.stride) {
        leaf(&mut builder, extent, stride)?;
    }
    if rest.shape.is_empty() {
        builder.leaf(I::from(1), D::default());
    }
    if is_tuple {
        builder.close();
    }
    builder.close();
    (proof == Proof::Sure).then(|| builder.finish())
}
