//! Forms without patterns as layouts of CuTe, alone or under swizzles.

use super::super::form::{AffineExpr, Form};
use super::factors::Factor;
use crate::basis::{Path, Stride, StrideLeaf};
use crate::cute::{Function, Layout, Offset};
use crate::error::Error;
use crate::int::Int;
use crate::tuple::Leaves;

/// Swizzles, the outermost first, each with what is added before it, after a form without patterns, whose offset is added too.
pub(super) fn swizzled(factors: &[Factor], under: &Form) -> Result<Function, Error> {
    if factors.is_empty() {
        return plain(under, &[Path::new()]);
    }
    let mut function = Function::Layout(layout(under, &[Path::new()])?);
    let mut offset = under.sums.first().map_or(0, |sum| sum.offset);
    for (swizzle, before) in factors.iter().rev() {
        let before = before.checked_add(offset).ok_or_else(|| Error::overflow("an offset before a swizzle"))?;
        function = Function::compose(Function::Swizzle(*swizzle), Int::from(before), function);
        offset = 0;
    }
    Ok(function)
}

pub(super) fn leads_to_offset(paths: &[Path]) -> bool {
    matches!(paths, [path] if path.is_empty())
}

/// A form without patterns.
pub(super) fn plain(form: &Form, paths: &[Path]) -> Result<Function, Error> {
    let layout = layout(form, paths)?;
    let offset = stride(form, paths, |sum| sum.offset)?;
    Ok(Offset { layout, offset }.into())
}

/// The modes of a form; a single mode of one leaf is bare.
fn layout(form: &Form, paths: &[Path]) -> Result<Layout, Error> {
    let free = (0..form.axes.len()).filter(|at| form.digits.iter().all(|digit| digit.axis != *at)).count();
    let mut unnamed = unnamed(form, paths, free)?.into_iter();
    let mut modes = Vec::with_capacity(form.axes.len());
    for (at, axis) in form.axes.iter().enumerate() {
        let (mut extents, mut strides) = (Leaves::new(), Leaves::new());
        for (place, digit) in form.digits.iter().enumerate().filter(|(_, digit)| digit.axis == at) {
            extents.push(Int::from(digit.radix));
            strides.push(stride(form, paths, |sum| sum.strides.get(place).copied().unwrap_or(0))?);
        }
        if extents.is_empty() {
            modes.push(Layout::mode(Int::from(axis.extent), unnamed.next().unwrap_or_default()));
            continue;
        }
        if free == 0
            && at + 1 == form.axes.len()
            && let Some(rest) = unnamed.next()
        {
            extents.push(Int::from(1));
            strides.push(rest);
        }
        modes.push(Layout::of_flat(extents, strides));
    }
    Ok(match modes.as_slice() {
        [mode] if mode.root().is_leaf() => mode.clone(),
        modes => Layout::of(modes),
    })
}

/// Strides that name the coordinates on which the form is always 0: at most `most`, the last of which names all that are
/// left, and at least one where there are any.
fn unnamed(form: &Form, paths: &[Path], most: usize) -> Result<Vec<Stride>, Error> {
    if leads_to_offset(paths) {
        return Ok(Vec::new());
    }
    let zero = |sum: &AffineExpr| sum.offset == 0 && sum.strides.iter().all(|stride| *stride == 0);
    let unnamed = form.sums.iter().zip(paths).filter(|(sum, _)| zero(sum));
    let mut vectors: Vec<(Path, Int)> = unnamed.map(|(_, path)| (path.clone(), Int::from(1))).collect();
    let rest = vectors.split_off(vectors.len().min(most.max(1) - 1));
    let single = vectors.into_iter().map(|vector| Stride::from_components(&[vector]));
    single.chain((!rest.is_empty()).then(|| Stride::from_components(&rest))).collect()
}

/// One number for each coordinate as a stride.
fn stride(form: &Form, paths: &[Path], number: impl Fn(&AffineExpr) -> i64) -> Result<Stride, Error> {
    let parts = paths.iter().cloned().zip(form.sums.iter().map(|sum| Int::from(number(sum))));
    Stride::from_components(&parts.collect::<Vec<_>>())
}
