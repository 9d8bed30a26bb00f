//! Coordinates: the inner product written out, each division of an index, and what a slice adds up.

use super::measure::shape_of;
use super::steps::Steps;
use super::words::{list, path_text};
use crate::{Entry, Value, evaluate};
use bitstride::cute::{Function, Layout, Offset, coordinate_at as coordinate_of};
use bitstride::{Error, Int, Integer, Stride, StrideLeaf, Tuple};

/// `crd2idx(c, L)` and `crd2idx(c, S)`.
pub(super) fn crd2idx(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [coordinate, target] = values else { return Ok(()) };
    let coordinate = coordinate.as_shape()?;
    match target {
        Value::Function(function) => through(&coordinate, function, steps).map(drop),
        Value::Offset(slice) => started(&coordinate, slice, steps).map(drop),
        Value::Tuple(_) => {
            let shape = target.as_shape()?;
            let layout = steps.layout(
                format!("In the shape {shape} the leftmost mode is the fastest:"),
                format!("column_major({shape})"),
            )?;
            offset(&coordinate, &layout, steps).map(drop)
        }
        _ => offset(&coordinate, &target.as_layout()?, steps).map(drop),
    }
}

/// A coordinate through a swizzle or a composed layout, from the inside out.
fn through(coordinate: &Tuple<Int>, function: &Function, steps: &mut Steps) -> Result<Tuple<Int>, Error> {
    match function {
        Function::Layout(layout) => offset(coordinate, layout, steps),
        Function::Offset(slice) => started(coordinate, slice, steps),
        Function::Swizzle(swizzle) => {
            let n = coordinate.to_string();
            let rule = match coordinate.as_leaf().and_then(Integer::value) {
                Some(x) if x >= 0 => super::swizzle::applied(*swizzle, x),
                _ => format!("{swizzle} moves {n}."),
            };
            steps.add(rule, format!("crd2idx({n}, {swizzle})"))?.as_shape()
        }
        Function::Bytes(bytes) => {
            let rule = format!(
                "{bytes}: the address of the element of {} bits, whose byte the swizzle {} moves.",
                bytes.bits(),
                bytes.swizzle()
            );
            steps.add(rule, format!("crd2idx({coordinate}, {bytes})"))?.as_shape()
        }
        Function::Composed(composed) => {
            let inner = through(coordinate, &composed.inner, steps)?;
            let shifted = if composed.offset.is(0) {
                inner
            } else {
                steps
                    .add(format!("The offset {} is added.", composed.offset), format!("{inner}+{}", composed.offset))?
                    .as_shape()?
            };
            through(&shifted, &composed.outer, steps)
        }
    }
}

/// A coordinate in a layout that does not start at 0.
fn started(coordinate: &Tuple<Int>, slice: &Offset<Int, Stride>, steps: &mut Steps) -> Result<Tuple<Int>, Error> {
    let inner = offset(coordinate, &slice.layout, steps)?;
    let start = slice.offset.point_text();
    let rule = format!("The layout starts at {start}, which is added.");
    if slice.offset.as_integer().is_some() {
        return steps.add(rule, format!("{inner}+{start}"))?.as_shape();
    }
    steps.add(rule, format!("crd2idx({coordinate}, {slice})"))?.as_shape()
}

/// The offset of a coordinate in a layout as an inner product.
fn offset(coordinate: &Tuple<Int>, layout: &Layout, steps: &mut Steps) -> Result<Tuple<Int>, Error> {
    let mut digits = Vec::new();
    natural(coordinate, layout, &mut Vec::new(), &mut digits, steps)?;
    let sum = product(&digits, layout.strides());
    let value = steps
        .add(format!("The offset is the inner product of the coordinate with the stride {}:", layout.stride()), &sum)?;
    // A sum of basis vectors is a coordinate.
    match value.as_strides()?.as_leaf() {
        Some(point) => Ok(point.to_coordinate()),
        None => value.as_shape(),
    }
}

/// The inner product of a coordinate and a stride, written out.
pub(super) fn product(coordinate: &[Int], strides: &[Stride]) -> String {
    let terms: Vec<String> = coordinate.iter().zip(strides).map(|(c, d)| term(c, d)).collect();
    if terms.is_empty() { "0".into() } else { terms.join("+") }
}

/// A factor times a stride, where a sum of basis vectors is multiplied out.
fn term(c: &Int, d: &Stride) -> String {
    let scaled = |n: &Int, path: &[usize]| {
        let path: String = path.iter().rev().map(|mode| format!("@{mode}")).collect();
        format!("{c}*{n}{path}")
    };
    match d {
        Stride::Int(n) => scaled(n, &[]),
        Stride::Basis(parts) => parts.iter().map(|(path, n)| scaled(n, path)).collect::<Vec<_>>().join("+"),
    }
}

/// The digits of a coordinate, one for each leaf of the layout; an index over several leaves is divided up first.
fn natural(
    coordinate: &Tuple<Int>,
    layout: &Layout,
    path: &mut Vec<usize>,
    digits: &mut Vec<Int>,
    steps: &mut Steps,
) -> Result<(), Error> {
    if let Some(index) = coordinate.as_leaf() {
        if layout.root().is_leaf() {
            digits.push(index.clone());
            return Ok(());
        }
        let place = if path.is_empty() { String::new() } else { format!("In mode {}: ", path_text(path)) };
        let shape = layout.shape();
        let split = steps
            .add(
                super::words::sentence(&format!("{place}{}", division(index, &shape))),
                format!("idx2crd({index}, {shape})"),
            )?
            .as_shape()?;
        digits.extend_from_slice(split.leaves());
        return Ok(());
    }
    for (at, (entry, mode)) in coordinate.entries().iter().zip(layout.modes()).enumerate() {
        path.push(at);
        natural(entry, &mode, path, digits, steps)?;
        path.pop();
    }
    Ok(())
}

/// `index 7 in (2,4) is read from the left`.
fn division(index: &Int, shape: &Tuple<Int>) -> String {
    match shape.leaves() {
        [m, _] if index.value().is_some() && m.value().is_some_and(|m| m > 0) => {
            let (Ok(digit), Ok(rest)) = (index.remainder(m), index.quotient(m)) else {
                return format!("the index {index} is divided up over the shape {shape}, leftmost fastest.");
            };
            format!("the index {index} in the shape {shape}: {index} mod {m} is {digit}, {index} div {m} is {rest}.")
        }
        _ => format!("the index {index} is divided up over the shape {shape}, leftmost fastest."),
    }
}

/// `idx2crd(i, S)`.
pub(super) fn idx2crd(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [index, shape] = values else { return Ok(()) };
    // Of a tuple each entry is the index of a mode.
    let Ok(mut rest) = index.as_int() else { return Ok(()) };
    let shape = shape_of(shape)?;
    let mut digits = Vec::new();
    if let Some((_, lower)) = shape.leaves().split_last() {
        for extent in lower {
            let digit = steps
                .add(format!("{rest} modulo the extent {extent} is the next digit:"), format!("mod({rest}, {extent})"))?
                .as_int()?;
            let next = steps
                .add(
                    format!("{rest} divided by {extent}, rounded towards 0, goes on:"),
                    format!("div({rest}, {extent})"),
                )?
                .as_int()?;
            digits.push(digit);
            rest = next;
        }
        digits.push(rest.clone());
    }
    let nested = Tuple::unflatten(&digits, shape.profile())?;
    steps.add(
        format!("The last digit takes all that is left, {rest}. In the nesting of {shape}:"),
        nested.to_string(),
    )?;
    Ok(())
}

/// `coordinate_at(L, o)`.
pub(super) fn coordinate_at(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, offset] = values else { return Ok(()) };
    let (layout, offset) = (layout.as_layout()?, offset.as_number()?);
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        match stride.as_integer().and_then(Integer::value) {
            Some(0) => drop(steps.add("A stride of 0 leads nowhere, and its digit is 0:", "0")?),
            Some(1..) if offset >= 0 => {
                let rule = format!("How often the stride {stride} fits into {offset}, modulo the extent {extent}:");
                steps.add(rule, format!("mod(div({offset}, {stride}), {extent})"))?;
            }
            _ => {}
        }
    }
    let coordinate = coordinate_of(&layout, offset)?;
    steps.add(format!("These digits lead to {offset}:"), format!("crd2idx({coordinate}, {layout})"))?;
    steps.add(format!("In the nesting of {}:", layout.shape()), coordinate.to_string())?;
    Ok(())
}

/// `crd2crd(c, S, T)`.
pub(super) fn crd2crd(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [coordinate, from, to] = values else { return Ok(()) };
    crd2idx(&[coordinate.clone(), Value::from(shape_of(from)?)], steps)?;
    let Some(index) = steps.last() else { return Ok(()) };
    let index = evaluate(&index)?.value;
    idx2crd(&[index, Value::from(shape_of(to)?)], steps)
}

/// `slice(L, c)`.
pub(super) fn slice(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [target, coordinate] = values else { return Ok(()) };
    let Value::Tuple(coordinate) = coordinate else { return Ok(()) };
    let layout = match target {
        Value::Function(function) => function.domain()?.clone(),
        other => steps.argument(other)?,
    };
    let mut parts = Parts::default();
    cut(&layout, coordinate, &mut parts, steps)?;
    let sum = match parts.offsets.as_slice() {
        [] => "0".to_owned(),
        [only] => only.clone(),
        several => steps.add("The offsets of the fixed modes add up:", several.join("+"))?.to_string(),
    };
    let kept = match parts.kept.as_slice() {
        [] => "():()".into(),
        modes => format!("({})", modes.join(",")),
    };
    steps.add(
        format!("The modes with `_` stay: {}; the offset {sum} says where they start.", list(&parts.kept)),
        format!("{kept} + {sum}"),
    )?;
    Ok(())
}

/// `dice(L, c)`.
pub(super) fn dice(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [target, Value::Tuple(coordinate)] = values else { return Ok(()) };
    let layout = steps.argument(target)?;
    let mut parts = Parts::default();
    cut(&layout, coordinate, &mut parts, &mut Steps::default())?;
    if coordinate.is_leaf() {
        return Ok(());
    }
    steps.add(
        format!("The modes with a number stay, {}; those with `_` go.", list(&parts.fixed)),
        match parts.fixed.as_slice() {
            [] => "():()".into(),
            modes => format!("({})", modes.join(",")),
        },
    )?;
    Ok(())
}

/// What a coordinate keeps of a layout, and what it fixes.
#[derive(Default)]
struct Parts {
    kept: Vec<String>,
    fixed: Vec<String>,
    offsets: Vec<String>,
}

fn cut(layout: &Layout, coordinate: &Tuple<Entry>, parts: &mut Parts, steps: &mut Steps) -> Result<(), Error> {
    match coordinate.as_leaf() {
        Some(Entry::Keep) => parts.kept.push(layout.to_string()),
        Some(Entry::Number(index)) => {
            parts.fixed.push(layout.to_string());
            let value =
                steps.add(format!("The mode {layout} is fixed at {index}:"), format!("crd2idx({index}, {layout})"))?;
            parts.offsets.push(value.to_string());
        }
        None => {
            for (entry, mode) in coordinate.entries().iter().zip(layout.modes()) {
                cut(&mode, entry, parts, steps)?;
            }
        }
    }
    Ok(())
}
