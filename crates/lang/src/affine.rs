//! `affine(MAP, shape)`: an affine map of MLIR over a box, and how a map is written so.
//!
//! The text of MLIR says nothing of extents, so the box stands beside it. One result is an offset in memory, several are
//! coordinates. Axes that are no dims of a tensor are named: `affine(MAP, (6), (offset), (2,3))` leads from offsets to the dims of
//! a tensor of that shape.

use super::mapped::{in_units, mapped};
use super::numbers::{numbers, tuple};
use super::operation::{Apply, Group, Operation, argument as arg};
use super::parameters::{AFFINE_MAP, EXTENTS, FROM_NAMES, TO_EXTENTS, TO_NAMES};
use super::value::Value;
use bitstride::linear::Name;
use bitstride::map::{Axis, Direction, Map, Unit};
use bitstride::{Code, Error, error};

/// The operation.
pub(super) const AFFINE: Operation = Operation {
    name: "affine",
    group: Group::Maps,
    parameters: &[AFFINE_MAP, EXTENTS, FROM_NAMES.optional(), TO_EXTENTS.optional(), TO_NAMES.optional()],
    law: "an affine map of MLIR over dims of these extents, to an offset, or to coordinates where it has several results; \
          affine(MAP, from, names, to, names) is one between axes of these names, which are the dims of a tensor where none are given",
    example: "affine(affine_map<(d0, d1) -> (d0 * 8 + d1 mod 4)>, (4,8))",
    apply: Apply::Values(|v, _| of_text(v)),
};

/// The map of a text of MLIR and the extents and names beside it.
fn of_text(v: &[Value]) -> Result<Value, Error> {
    let affine = arg(v, 0)?.as_affine()?;
    let from = numbers(arg(v, 1)?)?;
    if v.len() == 2 {
        return mapped(Map::of_affine(&affine, &from)?, format!("affine({affine}, {})", tuple(&from)));
    }
    let into = numbers(arg(v, 3).map_err(|error| error.with_help("after names come the extents that they lead to"))?)?;
    let (mine, theirs) = (names(arg(v, 2)?)?, v.get(4).map(names).transpose()?);
    let theirs = theirs.unwrap_or_else(|| (0..into.len()).map(Name::dim).collect());
    let map = Map::of_affine_between(&affine, &paired(&mine, &from)?, &paired(&theirs, &into)?)?;
    let last = if v.len() > 4 { format!(", {}", listed(&theirs)) } else { String::new() };
    let text = format!("affine({affine}, {}, {}, {}{last})", tuple(&from), listed(&mine), tuple(&into));
    mapped(map, text)
}

/// A map as an affine map.
///
/// # Errors
/// As [`Map::to_affine`]; `Kind` for axes that no text names.
pub(super) fn of_map(map: &Map) -> Result<Value, Error> {
    // What is printed is read: the tree of its text is the value.
    let affine = Value::Affine(Box::new(map.to_affine()?.to_string().parse()?));
    let extents = |axes: &[Axis]| tuple(&axes.iter().map(|axis| axis.extent).collect::<Vec<_>>());
    let (from, into) = (map.domain(), map.codomain());
    let is_offset = matches!(into, [axis] if axis.name == Name::OFFSET);
    let are_dims = into.len() > 1 && in_order(into);
    if map.direction() == Direction::ToPlace && (is_offset || are_dims) {
        let value = of_text(&[affine, extents(from)])?;
        return match into.first().map(|axis| axis.unit) {
            Some(unit @ (Unit::Byte | Unit::Bit)) if is_offset => {
                in_units(&value, if unit == Unit::Byte { 8 } else { 1 }, unit)
            }
            _ => Ok(value),
        };
    }
    let mut values = vec![affine, extents(from), named(from)?, extents(into)];
    if !in_order(into) {
        values.push(named(into)?);
    }
    of_text(&values)
}

/// Whether axes are the dims of a tensor in order.
fn in_order(axes: &[Axis]) -> bool {
    axes.iter().enumerate().all(|(dim, axis)| axis.name == Name::dim(dim) && axis.unit == Unit::Index)
}

/// The names of axes as a value.
fn named(axes: &[Axis]) -> Result<Value, Error> {
    // Units other than these are no part of a name.
    let own = |axis: &&Axis| !matches!(axis.unit, Unit::Byte | Unit::Bit);
    let readable =
        |axis: &&Axis| axis.name.as_str().starts_with(|c: char| c.is_ascii_lowercase()) && axis.name.as_str() != "o";
    match axes.iter().find(|axis| !own(axis) || !readable(axis)) {
        Some(axis) => Err(error!(
            Code::Kind,
            "no affine map is written with the axis {axis} of {unit}s",
            [axis, unit = axis.unit]
        )),
        None => Ok(Value::List(axes.iter().map(|axis| Value::Name(axis.name)).collect())),
    }
}

/// One name, or the names of a list.
fn names(value: &Value) -> Result<Vec<Name>, Error> {
    match value {
        Value::List(values) => values.iter().map(Value::as_name).collect(),
        value => Ok(vec![value.as_name()?]),
    }
}

fn listed(names: &[Name]) -> String {
    format!("({})", names.iter().map(Name::as_str).collect::<Vec<_>>().join(","))
}

fn paired(names: &[Name], extents: &[i64]) -> Result<Vec<(Name, i64)>, Error> {
    match names.len() == extents.len() {
        true => Ok(names.iter().copied().zip(extents.iter().copied()).collect()),
        false => Err(error!(
            Code::RankMismatch,
            "{names_count} names for {extents_count} extents",
            [names_count = names.len(), extents_count = extents.len()]
        )),
    }
}
