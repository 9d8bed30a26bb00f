//! Composition: R(i) = A(B(i)), as a layout of B's profile, or a refusal that shows why there is none.
//!
//! Every mode `n:b` of B walks over the coalesced modes of A, taking `n` steps of `b`: it skips the modes whose extent
//! divides `b`, takes a part of the next ones, and ends in the last, which extends. So
//! `(6,2):(8,2) o (4,3):(3,1)` is `((2,2),3):((24,2),8)`. This is exact as long as nothing carries: in every mode of A
//! the steps of *all* modes of B together stay below its extent, and a mode that is left was filled exactly. The walk
//! keeps that account, which is all it takes in the usual case. Otherwise the [exact solver](super::exact) decides:
//! the composite is a layout of B's profile if and only if A(B(.)) is additive over B's leaves and each leaf's function is
//! a mixed-radix one (Shah, "CuTe Layout Representation and Algebra", arXiv 2603.02298, section on composition, names the first way to
//! fail, a *split*; the other is a *carry*).
//!
//! Law: shape(B) is compatible with shape(R), and R(i) = A(B(i)) for every i below size(B); a negative B(i) mirrors,
//! A(-x) = -A(x).

use super::coalesce::{Flat, coalesce_extended, coalesce_flat};
use super::exact::{self, Axis, Leaf, Refusal};
use super::layout::{Layout, LayoutBuilder};
use super::tiler::Tiler;
use crate::basis::{Path, StrideLeaf};
use crate::cast::narrow;
use crate::error::{Code, Error, Witness};
use crate::int::Integer;
use crate::tuple::{Leaves, Node, Token};

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
    let mut axes = Axes::of(a, b)?;
    let mut builder = LayoutBuilder::new();
    let mut leaves = b.extents().iter().zip(b.strides());
    for token in b.root().tokens() {
        match token {
            Token::Open => builder.open(),
            Token::Close => builder.close(),
            Token::Leaf => {
                if let Some((extent, stride)) = leaves.next() {
                    compose_leaf(&mut axes, extent, stride, &mut builder)?;
                }
            }
        }
    }
    let walked = builder.finish();
    match axes.proof {
        Proof::Sure => Ok(walked),
        _ => decide(a, b, &axes, walked),
    }
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

/// What the walk knows of its own answer.
#[derive(Clone, Debug, PartialEq)]
enum Proof {
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
struct Axes<I, D> {
    all: Vec<(Path, Walk<I, D>)>,
    /// The walk of integer strides, the usual case.
    plain: Walk<I, D>,
    proof: Proof,
}

/// Coalesced modes of A with the account of what is used of each.
struct Walk<I, D> {
    flat: Flat<I, D>,
    used: Leaves<I>,
    /// Signs of B's steps seen so far: a sum of steps of both signs may borrow.
    positive: bool,
    negative: bool,
}

impl<I: Integer, D: StrideLeaf<I>> Walk<I, D> {
    #[inline]
    fn over(layout: &Layout<I, D>, node: Node<'_>) -> Result<Self, Error> {
        let (shape, stride) = layout.leaves_of(node);
        let flat = coalesce_extended(shape, stride)?;
        let used = flat.shape.iter().map(|_| I::from(0)).collect();
        Ok(Walk { flat, used, positive: false, negative: false })
    }
}

impl<I: Integer, D: StrideLeaf<I>> Axes<I, D> {
    #[inline]
    fn of(a: &Layout<I, D>, b: &Layout<I, D>) -> Result<Self, Error> {
        let mut all: Vec<(Path, Walk<I, D>)> = Vec::new();
        for stride in b.strides().iter().filter(|stride| stride.as_integer().is_none()) {
            for (path, _) in stride.components() {
                if all.iter().any(|(known, _)| *known == path) {
                    continue;
                }
                if let Some((known, _)) =
                    all.iter().find(|(known, _)| known.starts_with(&path) || path.starts_with(known))
                {
                    return Err(Error::new(
                        Code::Profile,
                        format!("the basis paths {known:?} and {path:?} of {b} overlap"),
                    ));
                }
                let mode = a.get(&path).map_err(|_| {
                    Error::new(Code::NoMode, format!("the stride {stride} of {b} names a mode that {a} does not have"))
                })?;
                all.push((path, Walk::over(&mode, mode.root())?));
            }
        }
        // A stride that goes nowhere goes with either kind.
        let integer = |(d, n): (&D, &I)| !n.is(1) && d.as_integer().is_some() && !d.is_zero();
        if !all.is_empty() && b.strides().iter().zip(b.extents()).any(integer) {
            return Err(Error::new(Code::Kind, format!("{b} mixes integer and basis strides")));
        }
        Ok(Axes { all, plain: Walk::over(a, a.root())?, proof: Proof::Sure })
    }
}

/// One mode of B.
#[inline]
fn compose_leaf<I: Integer, D: StrideLeaf<I>>(
    axes: &mut Axes<I, D>,
    extent: &I,
    stride: &D,
    builder: &mut LayoutBuilder<I, D>,
) -> Result<(), Error> {
    let before = builder.leaves();
    match stride.as_integer() {
        Some(step) => walk(&mut axes.plain, extent, step, builder, &mut axes.proof)?,
        None => match stride.components().as_slice() {
            [(path, step)] => {
                if let Some((_, axis)) = axes.all.iter_mut().find(|(known, _)| known == path) {
                    walk(axis, extent, step, builder, &mut axes.proof)?;
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
) -> Result<(), Error> {
    let Some((last, lower)) = a.flat.stride.split_last() else {
        // A is (): its only value is the origin.
        out.leaf(extent.clone(), D::default());
        return Ok(());
    };
    if step.value() == Some(0) {
        out.leaf(extent.clone(), D::from(step.clone()));
        return Ok(());
    }
    if lower.is_empty() {
        out.leaf(extent.clone(), last.scale(step)?);
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
    for ((mode, stride), used) in a.flat.shape.iter().zip(lower).zip(a.used.iter_mut()) {
        let size = step.abs()?;
        if mode.is(0) {
            return Err(Error::new(
                Code::Range,
                format!("a mode of extent 0 before the last cannot be walked by {extent}:{step}"),
            ));
        }
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
        out.leaf(part, stride.scale(&step)?);
        rest = left;
        step = next;
    }
    if out.leaves() == before || !rest.is(1) {
        out.leaf(rest, last.scale(&step)?);
    }
    Ok(())
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

fn settle(answer: Option<bool>, proof: &mut Proof, fact: impl FnOnce() -> String) {
    match answer {
        Some(true) => {}
        Some(false) => worsen(proof, Proof::Open),
        None => worsen(proof, Proof::Missing(fact())),
    }
}

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

/// Lets the exact solver decide what the walk could not.
#[cold]
fn decide<I: Integer, D: StrideLeaf<I>>(
    a: &Layout<I, D>,
    b: &Layout<I, D>,
    axes: &Axes<I, D>,
    walked: Layout<I, D>,
) -> Result<Layout<I, D>, Error> {
    if let Proof::Missing(fact) = &axes.proof {
        return Err(Error::new(Code::MissingFact, format!("{a} o {b}: {fact} is not known"))
            .with_help("give numbers, or divisors such as M{div=8}, that settle it"));
    }
    if b.size()?.value() == Some(0) {
        // No coordinate, so every function of this profile will do.
        return Ok(walked);
    }
    let problem = Problem::of(a, b, axes)?;
    match exact::solve(&problem.axes, &problem.leaves) {
        Ok(digits) => answer(a, b, axes, &problem, &digits, walked),
        Err(refusal) => Err(problem.explain(a, b, refusal)),
    }
}

/// A composition in plain numbers.
struct Problem {
    axes: Vec<Axis>,
    leaves: Vec<Leaf>,
    components: Vec<Path>,
}

impl Problem {
    fn of<I: Integer, D: StrideLeaf<I>>(a: &Layout<I, D>, b: &Layout<I, D>, axes: &Axes<I, D>) -> Result<Self, Error> {
        let mut components: Vec<Path> = Vec::new();
        for (path, _) in a.strides().iter().flat_map(StrideLeaf::components) {
            if !components.contains(&path) {
                components.push(path);
            }
        }
        if components.is_empty() {
            components.push(Path::new());
        }
        let number = |n: &I| {
            n.value()
                .map(i128::from)
                .ok_or_else(|| Error::new(Code::MissingFact, format!("{a} o {b}: the value of {n} is not known")))
        };
        let walks: Vec<&Walk<I, D>> =
            if axes.all.is_empty() { vec![&axes.plain] } else { axes.all.iter().map(|(_, walk)| walk).collect() };
        let mut all = Vec::new();
        for walk in walks {
            let shape: Result<Vec<i128>, Error> = walk.flat.shape.iter().map(number).collect();
            let mut stride = Vec::new();
            for step in &walk.flat.stride {
                let mut point = vec![0; components.len()];
                for (path, n) in step.components() {
                    if let Some(at) = components.iter().position(|known| *known == path)
                        && let Some(place) = point.get_mut(at)
                    {
                        *place = number(&n)?;
                    }
                }
                stride.push(point);
            }
            all.push(Axis { shape: shape?, stride });
        }
        let mut leaves = Vec::new();
        for (extent, stride) in b.extents().iter().zip(b.strides()) {
            let mut step = Vec::new();
            for at in 0..all.len() {
                let path = axes.all.get(at).map_or(Path::new(), |(path, _)| path.clone());
                let part = stride.components().into_iter().find(|(known, _)| *known == path);
                step.push(part.map_or(Ok(0), |(_, n)| number(&n))?);
            }
            leaves.push(Leaf { extent: number(extent)?, step });
        }
        Ok(Problem { axes: all, leaves, components })
    }

    /// A stride of the composite from its point.
    fn stride<I: Integer, D: StrideLeaf<I>>(&self, point: &[i128]) -> Result<D, Error> {
        let mut parts = Vec::new();
        for (path, n) in self.components.iter().zip(point) {
            parts.push((path.clone(), I::from(narrow(*n)?)));
        }
        parts.retain(|(_, n)| !n.is(0));
        D::from_components(&parts)
    }

    /// B at a coordinate of its leaves.
    fn steps(&self, coordinate: &[i128]) -> Result<Vec<i128>, Error> {
        let mut x = vec![0_i128; self.axes.len()];
        for (leaf, c) in self.leaves.iter().zip(coordinate) {
            for (x, step) in x.iter_mut().zip(&leaf.step) {
                let product = step.checked_mul(*c).ok_or_else(|| Error::overflow("a step of B"))?;
                *x = x.checked_add(product).ok_or_else(|| Error::overflow("a sum of steps of B"))?;
            }
        }
        Ok(x)
    }

    fn value(&self, coordinate: &[i128]) -> Result<Vec<i128>, Error> {
        exact::evaluate(&self.axes, &self.steps(coordinate)?)
    }

    /// The flat index of a coordinate of B's leaves.
    fn flat(&self, coordinate: &[i128]) -> i64 {
        let mut index = 0_i128;
        let mut unit = 1_i128;
        for (leaf, c) in self.leaves.iter().zip(coordinate) {
            index = index.saturating_add(c.saturating_mul(unit));
            unit = unit.saturating_mul(leaf.extent);
        }
        i64::try_from(index).unwrap_or(i64::MAX)
    }

    /// A point as text: a number, or a sum of basis vectors.
    fn text(&self, point: &[i128]) -> String {
        let parts: Vec<String> = self
            .components
            .iter()
            .zip(point)
            .filter(|(_, n)| **n != 0)
            .map(|(path, n)| {
                let path: String = path.iter().rev().map(|mode| format!("@{mode}")).collect();
                format!("{n}{path}")
            })
            .collect();
        if parts.is_empty() { "0".into() } else { parts.join("+") }
    }

    /// The refusal in words, with coordinates that show it.
    fn explain<I: Integer, D: StrideLeaf<I>>(&self, a: &Layout<I, D>, b: &Layout<I, D>, refusal: Refusal) -> Error {
        match refusal {
            Refusal::Failed(error) => error,
            Refusal::Undecided => Error::new(
                Code::Undecided,
                format!("{a} o {b}: carries cancel in too many ways to decide within the step budget"),
            ),
            Refusal::Split { leaf, unit, run, rest } => self.split(a, b, leaf, unit, run, rest),
            Refusal::Carry { parts } => self.carry(a, b, &parts),
        }
        .with_chain(format!("chain({a}, {b})"))
    }

    fn split<I: Integer, D: StrideLeaf<I>>(
        &self,
        a: &Layout<I, D>,
        b: &Layout<I, D>,
        leaf: usize,
        unit: i128,
        run: i128,
        rest: i128,
    ) -> Error {
        let at = |c: i128| {
            let mut coordinate = vec![0; self.leaves.len()];
            if let Some(place) = coordinate.get_mut(leaf) {
                *place = c;
            }
            coordinate
        };
        let (first, broken) = (at(unit), at(unit.saturating_mul(run)));
        let text = |coordinate: &[i128]| self.value(coordinate).map_or("?".into(), |point| self.text(&point));
        let (extent, stride) = (b.extents().get(leaf), b.strides().get(leaf));
        let mode = match (extent, stride) {
            (Some(extent), Some(stride)) => format!("{extent}:{stride}"),
            _ => String::new(),
        };
        let steps = if unit == 1 { String::new() } else { format!(" of {unit}") };
        Error::new(
            Code::Split,
            format!(
                "the mode {mode} of {b} would split: over {a} it runs straight for {run} steps{steps}, and {run} does not divide {rest}"
            ),
        )
        .with_witness(Witness {
            at: vec![self.flat(&first), self.flat(&broken)],
            gives: vec![text(&first), text(&broken)],
            needs: format!("a straight run would give {run} times {} at the second", text(&first)),
        })
    }

    fn carry<I: Integer, D: StrideLeaf<I>>(&self, a: &Layout<I, D>, b: &Layout<I, D>, parts: &[Vec<i128>]) -> Error {
        let (only, others) = self.first_that_carries(parts);
        let coordinate = &sum(&only, &others);
        let text = |coordinate: &[i128]| self.value(coordinate).map_or("?".into(), |point| self.text(&point));
        let steps = |coordinate: &[i128]| {
            self.steps(coordinate).map_or("?".into(), |x| x.iter().map(i128::to_string).collect::<Vec<_>>().join(","))
        };
        Error::new(
            Code::Carry,
            format!(
                "the modes of {b} carry across a mode of {a}: {} + {} = {} leaves the mode it starts in, and A gives {} there, not {} + {}",
                steps(&only), steps(&others), steps(coordinate), text(coordinate), text(&only), text(&others),
            ),
        )
        .with_witness(Witness {
            at: vec![self.flat(&only), self.flat(&others), self.flat(coordinate)],
            gives: vec![text(&only), text(&others), text(coordinate)],
            needs: "the third must be the sum of the first two".into(),
        })
    }

    /// Two coordinates whose values do not add up to the value of their sum: the first of the parts that does not add
    /// to the parts before it. There is one, since all together do not add up.
    fn first_that_carries(&self, parts: &[Vec<i128>]) -> (Vec<i128>, Vec<i128>) {
        let mut before = vec![0; self.leaves.len()];
        for part in parts {
            let both = sum(&before, part);
            if let (Ok(x), Ok(y), Ok(z)) = (self.value(&before), self.value(part), self.value(&both))
                && sum(&x, &y) != z
            {
                return (before, part.clone());
            }
            before = both;
        }
        (before, vec![0; self.leaves.len()])
    }
}

fn sum(a: &[i128], b: &[i128]) -> Vec<i128> {
    a.iter().zip(b).map(|(a, b)| a.saturating_add(*b)).collect()
}

/// The walked answer where it is the composite, else the solver's.
fn answer<I: Integer, D: StrideLeaf<I>>(
    a: &Layout<I, D>,
    b: &Layout<I, D>,
    axes: &Axes<I, D>,
    problem: &Problem,
    digits: &[Vec<exact::Digit>],
    walked: Layout<I, D>,
) -> Result<Layout<I, D>, Error> {
    let mut modes = Vec::new();
    for digits in digits {
        let mut mode = Flat::<I, D>::new();
        for digit in digits {
            mode.push(I::from(narrow(digit.extent)?), problem.stride::<I, D>(&digit.stride)?);
        }
        modes.push(mode);
    }
    if axes.proof == Proof::Open && agrees(b.root(), &walked, walked.root(), &mut modes.iter())? {
        return Ok(walked);
    }
    let mut builder = LayoutBuilder::new();
    rebuild(b.root(), &mut modes.iter(), &mut builder);
    let truth = builder.finish();
    let fixed = |layout: &Layout<I, D>| {
        layout.extents().iter().all(|n| n.fixed().is_some())
            && layout.strides().iter().flat_map(StrideLeaf::components).all(|(_, n)| n.fixed().is_some())
    };
    if fixed(a) && fixed(b) {
        return Ok(truth);
    }
    Err(Error::new(
        Code::NotALayout,
        format!(
            "{a} o {b}: with its present values the composite is {truth}, but its shape depends on values that are dynamic"
        ),
    )
    .with_help("make the leaves static that decide the shape"))
}

/// Whether the walked modes are the true ones, as functions of each leaf of B.
fn agrees<'f, I: Integer + 'f, D: StrideLeaf<I> + 'f>(
    b: Node<'_>,
    walked: &Layout<I, D>,
    node: Node<'_>,
    truth: &mut impl Iterator<Item = &'f Flat<I, D>>,
) -> Result<bool, Error> {
    if b.is_leaf() {
        let (shape, stride) = walked.leaves_of(node);
        let Some(mode) = truth.next() else { return Ok(false) };
        return Ok(settled(shape, stride)? == settled(&mode.shape, &mode.stride)?);
    }
    for (b, node) in b.children().zip(node.children()) {
        if !agrees(b, walked, node, truth)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Coalesced with every value static, so that equal functions are equal lists.
fn settled<I: Integer, D: StrideLeaf<I>>(shape: &[I], stride: &[D]) -> Result<(Leaves<I>, Leaves<D>), Error> {
    let fix = |n: &I| n.value().map_or_else(|| n.clone(), I::from);
    let shape: Leaves<I> = shape.iter().map(fix).collect();
    let stride: Result<Leaves<D>, Error> = stride
        .iter()
        .map(|d| {
            let parts: Vec<_> = d.components().into_iter().map(|(path, n)| (path, fix(&n))).collect();
            D::from_components(&parts)
        })
        .collect();
    let flat = coalesce_flat(&shape, &stride?)?;
    Ok((flat.shape, flat.stride))
}

fn rebuild<'f, I: Integer + 'f, D: StrideLeaf<I> + 'f>(
    node: Node<'_>,
    modes: &mut impl Iterator<Item = &'f Flat<I, D>>,
    builder: &mut LayoutBuilder<I, D>,
) {
    if node.is_leaf() {
        if let Some(mode) = modes.next() {
            builder.flat(&mode.shape, &mode.stride);
        }
        return;
    }
    builder.open();
    for child in node.children() {
        rebuild(child, modes, builder);
    }
    builder.close();
}
