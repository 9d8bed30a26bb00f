//! Sizes and reaches written out, and how shapes are compared.

use super::steps::Steps;
use super::words::list;
use crate::Value;
use bitstride::{Error, Int, Integer, StrideLeaf, Tuple, gcd};

/// `size(S)` and `size(L)`.
pub(super) fn size(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [value] = values else { return Ok(()) };
    let shape = shape_of(value)?;
    let extents: Vec<String> = shape.leaves().iter().map(ToString::to_string).collect();
    match extents.as_slice() {
        [] => steps.add("An empty product is 1.", "1")?,
        [only] => steps.add("There is one extent.", only)?,
        _ => steps.add(format!("The product of the extents {}:", list(&extents)), extents.join("*"))?,
    };
    Ok(())
}

/// `product_each(S)`.
pub(super) fn product_each(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [value] = values else { return Ok(()) };
    let shape = shape_of(value)?;
    if shape.is_leaf() {
        steps.add("There is one extent, and it is its own size.", shape.to_string())?;
        return Ok(());
    }
    let mut sizes = Vec::new();
    for (number, mode) in shape.entries().iter().enumerate() {
        steps.add(format!("The product of the extents of mode {number}, {mode}:"), format!("size({mode})"))?;
        sizes.extend(steps.last());
    }
    steps.add("Side by side:", format!("({})", sizes.join(",")))?;
    Ok(())
}

/// `cosize(L)`.
pub(super) fn cosize(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [value] = values else { return Ok(()) };
    if matches!(value, Value::Function(_)) {
        return Ok(());
    }
    let layout = steps.argument(value)?;
    let mut terms = vec!["1".to_owned()];
    for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
        let (Some(stride), Some(extent)) = (stride.as_integer(), extent.value()) else { return Ok(()) };
        if stride.value().is_none() || extent == 0 {
            return Ok(());
        }
        terms.push(format!("{}*{}", extent - 1, stride.abs()?));
    }
    let negative = layout.strides().iter().any(|d| d.as_integer().and_then(Integer::sign) == Some(-1));
    let rule = if negative {
        "Each mode n:d reaches (n-1)*|d| away from 0, up or down; 0 itself is 1 more place:"
    } else {
        "The last element of each mode n:d lies at (n-1)*d; 0 itself is 1 more place:"
    };
    steps.add(rule, terms.join("+"))?;
    Ok(())
}

/// `domain_distribute(S, n)`.
pub(super) fn distribute(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [shape, wanted] = values else { return Ok(()) };
    let mut rest = wanted.as_shape()?.size()?.as_number()?;
    let shape = shape_of(shape)?;
    let mut words = Vec::new();
    for extent in shape.leaves() {
        let extent = extent.as_number()?;
        let part = gcd(extent, rest);
        let (Some(left), true) = (rest.checked_div(part), rest != 1) else { break };
        words.push(match left {
            1 => format!("{extent} gives gcd({extent}, {rest}) = {part}, the last of them"),
            _ => format!("{extent} gives gcd({extent}, {rest}) = {part} of {rest}, so {rest}/{part} = {left} are left"),
        });
        rest = left;
    }
    steps.add(
        format!(
            "From the left each extent gives what it has in common with what is still wanted: {}.",
            words.join("; ")
        ),
        format!("domain_distribute({shape}, {wanted})"),
    )?;
    Ok(())
}

/// `layout_add(A, B)`.
pub(super) fn add(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let (a, b) = (steps.argument(a)?, steps.argument(b)?);
    let mut flat = Vec::new();
    for layout in [&a, &b] {
        flat.push(steps.layout(format!("{layout} in as few modes as possible:"), format!("coalesce({layout})"))?);
    }
    let [a, b] = flat.as_slice() else { return Ok(()) };
    steps.add(
        "Where a mode of one meets a longer mode of the other, the longer one is cut to fit; then strides in the same place add.",
        format!("layout_add({a}, {b})"),
    )?;
    Ok(())
}

/// The shape of a layout, or a tuple as a shape.
pub(super) fn shape_of(value: &Value) -> Result<Tuple<Int>, Error> {
    match value {
        Value::Tuple(_) => value.as_shape(),
        other => Ok(other.as_function()?.domain()?.shape()),
    }
}
