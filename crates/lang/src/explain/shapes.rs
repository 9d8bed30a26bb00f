//! Division of shapes, and rounding up, leaf by leaf.

use super::steps::Steps;
use super::words::quotient;
use crate::{Value, evaluate};
use bitstride::{Error, Int, Integer, Tuple};

/// `shape_div(S, n)`, `shape_mod(S, n)` and `ceil_div(S, n)`.
pub(super) fn divide(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [shape, by] = values else { return Ok(()) };
    let (Value::Tuple(_), Value::Tuple(_)) = (shape, by) else { return Ok(()) };
    let (shape, by) = (shape.as_shape()?, by.as_shape()?);
    parts(name, &shape, &by, steps)
}

/// `round_up(S, unit)`.
pub(super) fn round_up(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [shape, unit] = values else { return Ok(()) };
    let (shape, unit) = (shape.as_shape()?, unit.as_shape()?);
    for (extent, unit) in shape.leaves().iter().zip(unit.leaves().iter().cycle()) {
        steps
            .add(format!("Units of {unit} that reach {extent}, rounding up:"), format!("ceil_div({extent}, {unit})"))?;
    }
    steps.add(format!("As many units, in the nesting of {shape}:"), format!("round_up({shape}, {unit})"))?;
    Ok(())
}

fn parts(name: &str, shape: &Tuple<Int>, by: &Tuple<Int>, steps: &mut Steps) -> Result<(), Error> {
    if !shape.is_leaf() && !by.is_leaf() {
        if shape.rank() != by.rank() {
            return Ok(());
        }
        let mut entries = Vec::new();
        for (entry, by) in shape.entries().iter().zip(by.entries()) {
            parts(name, entry, &by, steps)?;
            entries.extend(steps.last());
        }
        steps.add("Entry by entry, put side by side:", format!("({})", entries.join(",")))?;
        return Ok(());
    }
    let mut rest = by.size()?;
    let mut leaves = Vec::new();
    for leaf in shape.leaves() {
        if rest.is(1) && (name != "shape_mod" || !leaves.is_empty()) {
            if leaves.is_empty() {
                steps.add(format!("Division by 1 leaves {shape} as it is:"), rest.to_string())?;
            }
            leaves.push(evaluate(&format!("{name}({leaf}, {rest})"))?.value.as_int()?);
            continue;
        }
        if name != "ceil_div" && (leaf.divides(&rest), rest.divides(leaf)) == (Some(false), Some(false)) {
            steps.add(format!("Of {leaf}, {rest} leaves a rest:"), format!("mod({leaf}, {rest})"))?;
            steps.add(
                format!("Of {rest}, {leaf} leaves a rest too, so neither divides the other:"),
                format!("mod({rest}, {leaf})"),
            )?;
        }
        let left = rest.ceil_div(leaf)?;
        let (count, number) = (shape.leaves().len(), leaves.len() + 1);
        let on = match (left.is(1), number < count) {
            (true, true) => format!("; nothing of {rest} is left for the others"),
            (false, true) => format!("; of {rest}, {} is left for the next", quotient(&rest, leaf, &left)),
            (false, false) if count > 1 => format!("; of {rest}, {} is left over", quotient(&rest, leaf, &left)),
            _ => String::new(),
        };
        let rule = match name {
            "shape_mod" => format!("{leaf} gives what it can of {rest}{on}."),
            "shape_div" if leaf.divides(&rest) == Some(true) && !leaf.same(&rest) => {
                format!("{leaf} is used up by {rest}, which it divides{on}.")
            }
            "shape_div" => format!("{leaf} is divided by {rest}{on}."),
            _ => format!("{leaf} is divided by {rest}, rounding up{on}."),
        };
        leaves.push(steps.add(rule, format!("{name}({leaf}, {rest})"))?.as_int()?);
        rest = left;
    }
    if leaves.len() != 1 {
        steps.add(format!("In the nesting of {shape}:"), Tuple::unflatten(&leaves, shape.profile())?.to_string())?;
    }
    Ok(())
}
