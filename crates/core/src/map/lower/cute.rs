//! Layouts of CuTe, with swizzles and offsets. Each top-level mode is an axis; its leaves are digits, the last of which goes
//! on beyond the extent.

use super::super::{Axis, Direction, Map, Stage};
use crate::basis::Stride;
use crate::cute::{Function, Layout, Offset, Swizzle};
use crate::error::{Code, Error};
use crate::int::Int;

impl Map {
    /// The map of a layout into memory.
    ///
    /// # Errors
    /// As [`Map::of_function`].
    pub fn of_layout(layout: &Layout) -> Result<Map, Error> {
        Map::of_function(&Function::Layout(layout.clone()))
    }

    /// The map of a layout with an offset, what a slice leaves.
    ///
    /// # Errors
    /// As [`Map::of_function`].
    pub fn of_slice(slice: &Offset<Int, Stride>) -> Result<Map, Error> {
        let mut map = Map::of_layout(&slice.layout)?;
        let mut reach = map.codomain.first().map_or(0, |axis| axis.extent);
        shift(number(&slice.offset)?, &mut map.stages, &mut reach)?;
        map.codomain = vec![Axis::offset(reach)];
        Ok(map)
    }

    /// The map of a layout that may be swizzled.
    ///
    /// # Errors
    /// [`Code::Kind`] for a swizzle without a layout; [`Code::MissingFact`] for an unknown extent or stride;
    /// [`Code::NotALayout`] for strides that are basis vectors; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::{cute::{Function, Swizzle}, map::Map};
    /// let inner: bitstride::Layout = "(8,64):(64,1)".parse()?;
    /// let swizzle = Function::Swizzle(Swizzle::new(3, 3, 3)?);
    /// let map = Map::of_function(&Function::compose(swizzle, 0.into(), Function::Layout(inner)))?;
    /// assert_eq!(map.at(&[1, 0])?, Some(vec![72]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_function(function: &Function) -> Result<Map, Error> {
        let domain = function.domain()?;
        let modes = if domain.root().is_leaf() { vec![domain.clone()] } else { domain.modes() };
        let mut axes = Vec::new();
        let mut stages = Vec::new();
        let mut at = 0;
        for (mode, layout) in modes.iter().enumerate() {
            axes.push(Axis::dim(mode, layout.size()?.as_number()?));
            let extents = numbers(layout.extents())?;
            stages.push(match extents.split_last() {
                Some((_, radices)) => {
                    Stage::Split { at, radices: radices.iter().map(|radix| *radix.max(&1)).collect() }
                }
                None => Stage::Join { at, count: 1, sums: Vec::new() },
            });
            at += extents.len();
        }
        let mut reach = join(domain, at, &mut stages)?;
        outer(function, &mut stages, &mut reach)?;
        Ok(Map::new(axes, stages, vec![Axis::offset(reach)], Direction::ToPlace)?.extending())
    }
}

/// Joins the leaves of a layout into its offset; gives an extent that holds all offsets.
fn join(layout: &Layout, count: usize, stages: &mut Vec<Stage>) -> Result<i64, Error> {
    let strides = layout.strides().iter().map(number).collect::<Result<Vec<_>, _>>()?;
    let mut reach = 1i64;
    for (extent, stride) in numbers(layout.extents())?.into_iter().zip(&strides) {
        let last = extent.saturating_sub(1).max(0).checked_mul(*stride.max(&0));
        reach =
            last.and_then(|last| reach.checked_add(last)).ok_or_else(|| Error::overflow("the cosize of a layout"))?;
    }
    stages.push(Stage::Join { at: 0, count, sums: vec![(0, strides)] });
    Ok(reach)
}

/// What comes after the innermost layout.
fn outer(function: &Function, stages: &mut Vec<Stage>, reach: &mut i64) -> Result<(), Error> {
    let Function::Composed(composed) = function else { return Ok(()) };
    outer(&composed.inner, stages, reach)?;
    shift(composed.offset.as_number()?, stages, reach)?;
    apply(&composed.outer, stages, reach)
}

/// Adds an offset.
fn shift(offset: i64, stages: &mut Vec<Stage>, reach: &mut i64) -> Result<(), Error> {
    if offset != 0 {
        stages.push(Stage::Join { at: 0, count: 1, sums: vec![(offset, vec![1])] });
        *reach = reach.checked_add(offset).ok_or_else(|| Error::overflow("an offset"))?.max(0);
    }
    Ok(())
}

/// A function of an offset.
fn apply(function: &Function, stages: &mut Vec<Stage>, reach: &mut i64) -> Result<(), Error> {
    match function {
        Function::Swizzle(swizzle) => {
            if let Some(bits) = swizzled(*swizzle, stages) {
                *reach = reach.checked_add((1i64 << bits) - 1).map_or(*reach, |above| above >> bits << bits);
            }
            Ok(())
        }
        Function::Layout(layout) => {
            let extents = numbers(layout.extents())?;
            if let Some((_, radices)) = extents.split_last() {
                stages.push(Stage::Split { at: 0, radices: radices.iter().map(|radix| *radix.max(&1)).collect() });
            }
            *reach = join(layout, extents.len().max(1), stages)?;
            Ok(())
        }
        Function::Composed(composed) => {
            apply(&composed.inner, stages, reach)?;
            outer(
                &Function::compose(composed.outer.clone(), composed.offset.clone(), layout_of_nothing()),
                stages,
                reach,
            )
        }
    }
}

fn layout_of_nothing() -> Function {
    Function::Layout(Layout::unit())
}

/// The stages of a swizzle: its bits are cut off, xored, and put back; gives their number.
fn swizzled(swizzle: Swizzle, stages: &mut Vec<Stage>) -> Option<u32> {
    if swizzle.is_identity() {
        return None;
    }
    let bits = i64::BITS - (swizzle.sources() | swizzle.targets()).leading_zeros();
    let column = |bit: u32| u64::try_from(swizzle.apply(1i64 << bit)).unwrap_or(0);
    stages.push(Stage::Split { at: 0, radices: vec![1i64 << bits] });
    stages.push(Stage::Xor {
        at: 0,
        ins: vec![bits],
        outs: vec![bits],
        columns: (0..bits).map(column).collect(),
        flip: 0,
    });
    stages.push(Stage::Join { at: 0, count: 2, sums: vec![(0, vec![1, 1i64 << bits])] });
    Some(bits)
}

fn numbers(list: &[Int]) -> Result<Vec<i64>, Error> {
    list.iter().map(Int::as_number).collect()
}

fn number(stride: &Stride) -> Result<i64, Error> {
    match stride {
        Stride::Int(n) => n.as_number(),
        Stride::Basis(_) => {
            Err(Error::new(Code::NotALayout, format!("the stride {stride} leads to coordinates, not to memory")))
        }
    }
}
