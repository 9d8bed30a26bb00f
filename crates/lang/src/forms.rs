//! A map in each notation that `convert` names, as a value, or what stands against it.
//!
//! Families differ in their direction: memory of a linear layout leads from offsets to elements, that of the others from elements
//! to offsets, so that a map is turned round where the notation needs it. Law: what is written is the same layout as the map.

use super::numbers::tuple;
use super::value::{Mapped, Value};
use bitstride::linear::Name;
use bitstride::map::{Direction, Map, Order, Unit};
use bitstride::triton::{Encoding, Linear, SharedLinear};
use bitstride::{Code, Error, error};

/// How many threads are a warp, where only threads are named.
const LANES: i64 = 32;

/// How shared memory is aligned, in bytes, where nothing is said: Gluon's default.
const ALIGNMENT: i64 = 16;

/// The map from elements to memory.
pub(super) fn to_memory(map: &Map, notes: &mut Vec<String>) -> Result<Map, Error> {
    if map.direction() == Direction::ToPlace {
        return Ok(map.clone());
    }
    let map = map.without_single_places();
    if map.place_axes().iter().any(|axis| axis.unit == Unit::Part) {
        return Err(error!(Code::Kind, "the places of {map} are parts of a machine, not memory", [map])
            .with_help("convert it to cute: a thread-value layout"));
    }
    notes.push("from elements to offsets".into());
    map.inverse()
}

pub(super) fn cute_of(map: &Map, notes: &mut Vec<String>) -> Result<Value, Error> {
    if map.direction() == Direction::ToPlace
        || map.place_axes().iter().all(|axis| axis.unit != Unit::Part || axis.extent == 1)
    {
        return to_memory(map, notes)?.to_cute().map(Value::from);
    }
    let tile: Vec<i64> = map.index_axes().iter().map(|axis| axis.extent).collect();
    let threads = map.by_thread()?.into_flat(Order::ColumnMajor)?.to_cute()?;
    let (layout, tile) = (Value::from(threads), tuple(&tile));
    notes.push("thread is lane, then warp, then block; value is register".into());
    super::mapped::tv(&layout, &tile)
}

pub(super) fn padded(map: &Map, notes: &mut Vec<String>) -> Result<Value, Error> {
    let padded = to_memory(map, notes)?.to_padded()?;
    notes.push(format!("the elements are those below {}", tuple(&padded.extents)));
    Ok(padded.cute.into())
}

pub(super) fn linear(map: &Map, notes: &mut Vec<String>) -> Result<Value, Error> {
    // Dims on both sides have no memory to turn round.
    let to_coordinates = map.codomain().iter().all(|axis| axis.unit == Unit::Index);
    if map.direction() == Direction::ToIndex || to_coordinates {
        return map.to_linear().map(Value::from);
    }
    match map.inverse().and_then(|back| back.to_linear()) {
        Ok(back) => {
            notes.push("from offsets to elements".into());
            Ok(back.into())
        }
        Err(_) => {
            let forth = map.to_linear()?;
            notes.push("from elements to offsets: not every offset has one element".into());
            Ok(forth.into())
        }
    }
}

pub(super) fn triton(map: &Map, notes: &mut Vec<String>) -> Result<Value, Error> {
    if let Some(offset) = map.place_axes().iter().find(|axis| axis.name == Name::OFFSET) {
        return shared(map, offset.unit, notes);
    }
    let linear = map.by_warp(LANES)?.to_linear()?;
    let encoding = Encoding::Linear(Linear::of_layout(&linear)?);
    if map.domain().iter().any(|axis| axis.name == Name::THREAD) {
        notes.push(format!("thread is lane, {LANES} of them, then warp; value is register"));
    }
    notes.push(of_shape(map));
    Ok(encoding.into())
}

/// Memory in Triton's notation.
fn shared(map: &Map, unit: Unit, notes: &mut Vec<String>) -> Result<Value, Error> {
    if unit != Unit::Element {
        return Err(error!(
            Code::Kind,
            "the offsets of {map} count a {unit} each, those of an encoding an element",
            [map, unit]
        ));
    }
    let linear = match map.direction() {
        Direction::ToIndex => map.to_linear(),
        // What keeps a layout from being linear says more than what keeps it from being turned round.
        Direction::ToPlace => {
            let back = map.inverse().and_then(|back| back.to_linear());
            back.or_else(|why| map.to_linear().and(Err(why)))
        }
    };
    let encoding = match linear.and_then(|linear| SharedLinear::of_layout(&linear, ALIGNMENT)) {
        Ok(linear) => Encoding::SharedLinear(linear),
        Err(why) => {
            let padded =
                map.from_elements().and_then(|map| map.to_padded_shared()).map_err(|not| match why.help() {
                    None if not.message() != why.message() => {
                        why.with_help(format!("nor is it padded: {}", not.message()))
                    }
                    _ => why,
                })?;
            notes.push(of_shape(map));
            return Ok(Encoding::PaddedShared(padded).into());
        }
    };
    notes.push(of_shape(map));
    notes.push(format!("no alignment is given: {ALIGNMENT} bytes"));
    Ok(encoding.into())
}

/// An encoding says nothing of the shape of its tensor.
fn of_shape(map: &Map) -> String {
    format!("the layout of a tensor of shape {}", tuple(&shape(map)))
}

pub(super) fn mixed(map: &Map) -> Result<Value, Error> {
    let mixed = match map.to_mixed() {
        Ok(mixed) => mixed,
        // A swizzle over sums that carry is no xor of strides; it stays one.
        Err(why) => {
            let swizzled = map.to_cute().ok().filter(|cute| cute.swizzles() > 0);
            return swizzled.map(Value::from).ok_or(why);
        }
    };
    // What only adds is a layout of CuTe.
    if mixed.flip == 0 && mixed.modes.iter().flatten().all(|leaf| leaf.pattern == 0) {
        return map.to_cute().map(Value::from);
    }
    Ok(Value::Map(Box::new(Mapped { map: Map::of_mixed(&mixed)?, text: mixed.to_string() })))
}

/// From places where they all hold elements, else from elements.
pub(super) fn affine(map: &Map, notes: &mut Vec<String>) -> Result<Value, Error> {
    super::affine::of_map(map).or_else(|why| match map.direction() {
        Direction::ToIndex => to_memory(map, notes).and_then(|map| super::affine::of_map(&map)).map_err(|_| why),
        Direction::ToPlace => Err(why),
    })
}

pub(super) fn strides(map: &Map) -> Result<Value, Error> {
    let (offset, strides) = map.to_strides()?;
    super::mapped::tensor(&shape(map), &strides, offset)
}

pub(super) fn tag(map: &Map) -> Result<Value, Error> {
    super::mapped::tagged(&map.to_tag()?, &shape(map))
}

/// The shape of the tensor.
fn shape(map: &Map) -> Vec<i64> {
    map.index_axes().iter().map(|axis| axis.extent).collect()
}
