//! What the walk could not settle: a composition in plain numbers, decided by the exact solver.
//!
//! Law: the answer is the walk's where that is the composite, else the solver's, and a refusal is the solver's too. A
//! shape that would depend on a dynamic value is refused although the value is known.

use super::coalesce::{Flat, coalesce_flat};
use super::exact::{self, Axis, Leaf};
use super::layout::{Layout, LayoutBuilder};
use super::walk::{Axes, Proof, Walk};
use crate::basis::{Path, StrideLeaf};
use crate::cast::narrow;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::tuple::{Leaves, Node};

/// Lets the exact solver decide what the walk could not.
#[cold]
pub(super) fn decide<I: Integer, D: StrideLeaf<I>>(
    a: &Layout<I, D>,
    b: &Layout<I, D>,
    axes: &Axes<I, D>,
    walked: Layout<I, D>,
) -> Result<Layout<I, D>, Error> {
    if let Proof::Missing(fact) = &axes.proof {
        return Err(error!(Code::MissingFact, "{a} o {b}: {fact} is not known", [a, b, fact])
            .with_help("give numbers, or divisors such as M{div=8}, that settle it"));
    }
    if b.extents().iter().any(|extent| extent.value() == Some(0)) {
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
pub(super) struct Problem {
    pub(super) axes: Vec<Axis>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) components: Vec<Path>,
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
                .ok_or_else(|| error!(Code::MissingFact, "{a} o {b}: the value of {n} is not known", [a, b, n]))
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
    Err(error!(
        Code::NotALayout,
        "{a} o {b}: with its present values the composite is {truth}, but its shape depends on values that are dynamic",
        [a, b, truth]
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
    let flat = coalesce_flat(&shape, &stride?);
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
