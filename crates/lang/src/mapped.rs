//! Values of every family as maps, and maps as values with the expressions that make them.

use super::numbers::{numbers, tuple, whole};
use super::value::{Mapped, Value};
use bitstride::linear::Name;
use bitstride::map::{Direction, Map, Unit};
use bitstride::{Code, Error, error};

/// The places of a layout counted in bytes or bits, from the bits of an element; under a swizzle of bytes also where elements have
/// no offset.
pub(super) fn in_units(layout: &Value, bits: i64, unit: Unit) -> Result<Value, Error> {
    let (name, factor) = if unit == Unit::Byte { ("bytes", bits / 8) } else { ("bits", bits) };
    let swizzled = match layout {
        Value::Function(function) => Map::of_byte_swizzle(function, bits, unit)?,
        _ => None,
    };
    let map = match swizzled {
        Some(map) => map,
        None => layout.as_map()?.in_units(factor, unit)?,
    };
    mapped(map, format!("{name}({layout}, {bits})"))
}

/// A tensor by its strides.
pub(super) fn tensor(shape: &[i64], strides: &[i64], offset: i64) -> Result<Value, Error> {
    let tail = if offset == 0 { String::new() } else { format!(", {offset}") };
    mapped(Map::of_strides(shape, strides, offset)?, format!("tensor({}, {}{tail})", tuple(shape), tuple(strides)))
}

/// A tensor by its blocked format.
pub(super) fn tagged(tag: &str, shape: &[i64]) -> Result<Value, Error> {
    // The text of the answer has the format as a name.
    Name::new(tag)?;
    mapped(Map::of_tag(tag, shape)?, format!("tag({tag}, {})", tuple(shape)))
}

/// What a coordinate leads to, without parts of a machine of which there is one: they are left out, and may be.
fn without_units(map: &Map, point: &[i64]) -> Result<Option<Vec<i64>>, Error> {
    let short = map.without_single_places();
    let leaves_out = map.direction() == Direction::ToIndex && point.len() == short.domain().len();
    if leaves_out || map.direction() == Direction::ToPlace && !short.codomain().is_empty() {
        return short.at(point);
    }
    map.at(point)
}

/// A map from places of memory as the one from elements, where there is one: its places are what may be held.
pub(super) fn held(map: &Map) -> Map {
    let memory = map.direction() == Direction::ToIndex && map.place_axes().iter().any(|axis| axis.unit != Unit::Part);
    let back = memory.then(|| map.from_elements().ok()).flatten();
    back.unwrap_or_else(|| map.clone())
}

/// A layout of CuTe beside one from registers and lanes, as threads and values of the same tile, where it can be: no memory is
/// compared with threads.
pub(super) fn in_tile(value: &Value, other: &Value) -> Option<Value> {
    let (Value::Layout(layout), Value::Linear(_) | Value::Map(_)) = (value, other) else { return None };
    let other = other.as_map().ok().filter(|_| layout.rank() == 2)?;
    let holds = other.direction() == Direction::ToIndex
        && !other.place_axes().is_empty()
        && other.place_axes().iter().all(|axis| axis.unit == Unit::Part);
    let tile: Vec<i64> = other.index_axes().iter().map(|axis| axis.extent).collect();
    holds.then(|| tv(value, &tuple(&tile)).ok()).flatten()
}

/// A layout of threads and values into a tile.
pub(super) fn tv(layout: &Value, shape: &Value) -> Result<Value, Error> {
    let map = layout.as_map()?;
    let shape = numbers(shape)?;
    let names = [Name::THREAD, Name::VALUE];
    if map.domain().len() != names.len() || map.direction() != Direction::ToPlace {
        return Err(error!(
            Code::Profile,
            "a thread-value layout has two modes, threads and values; {layout} does not",
            [layout]
        ));
    }
    let tile = map.with_names(&names, Unit::Part, Direction::ToIndex).into_tile(&shape)?;
    mapped(tile, format!("tv({layout}, {})", tuple(&shape)))
}

/// What a coordinate, or the number of an element, leads to.
pub(super) fn at(value: &Value, point: &Value, notes: &mut Vec<String>) -> Result<Value, Error> {
    match led(&value.as_map()?, point, notes)? {
        Some(places) if places.len() == 1 => Ok(places.first().map_or_else(|| tuple(&[]), |n| whole(*n))),
        Some(places) => Ok(tuple(&places)),
        None => Ok(Value::Text("padding".into())),
    }
}

/// What a coordinate leads to, or an integer where there are several axes: the number of a point.
fn led(map: &Map, point: &Value, notes: &mut Vec<String>) -> Result<Option<Vec<i64>>, Error> {
    let numbers = numbers(point)?;
    let is_number = !matches!(point, Value::Tuple(tuple) if !tuple.is_leaf());
    if is_number && map.domain().len() > 1 && map.without_single_places().domain().len() > 1 {
        let order = map.domain_order();
        notes.push(format!("{point} is a number in the order of the points, {order}"));
        return map.flattened(order)?.at(&numbers);
    }
    without_units(map, &numbers)
}

pub(super) fn mapped(map: Map, text: String) -> Result<Value, Error> {
    Ok(Value::Map(Box::new(Mapped { map, text })))
}
