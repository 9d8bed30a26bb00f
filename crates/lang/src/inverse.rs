//! `inverse(X)`: from places to elements, in the first notation that holds it.
//!
//! The inverse of a layout of CuTe is a layout to the flat indices of its elements, where there is one; else a linear layout or an
//! affine map from places to coordinates. What has places that hold nothing is the expression itself.

use super::affine;
use super::mapped::mapped;
use super::value::Value;
use bitstride::Error;
use bitstride::cute::{Function, Layout};
use bitstride::linear::Name;
use bitstride::map::{Axis, Direction, Map, Order, Unit};

/// The inverse of a value.
pub(super) fn inverse(value: &Value) -> Result<Value, Error> {
    let map = value.as_map()?;
    let back = map.inverse()?;
    if let Some(cute) = cute(value, &map, &back) {
        return Ok(cute);
    }
    if let Ok(linear) = back.to_linear()
        && alike(&Map::of_linear(&linear)?, &back)
    {
        return Ok(linear.into());
    }
    match affine::of_map(&back) {
        Ok(value) if value.as_map().is_ok_and(|read| alike(&read, &back)) => Ok(value),
        _ => mapped(back, format!("inverse({value})")),
    }
}

/// The layout of CuTe that an inverse is.
fn cute(value: &Value, map: &Map, back: &Map) -> Option<Value> {
    let in_memory =
        |map: &Map| matches!(map.place_axes(), [axis] if axis.name == Name::OFFSET && axis.unit == Unit::Element);
    if back.direction() == Direction::ToPlace {
        let in_order = |(dim, axis): (usize, &Axis)| axis.name == Name::dim(dim);
        let dims = back.domain().iter().enumerate().all(in_order);
        return if dims && in_memory(back) { back.to_cute().ok().map(Value::from) } else { None };
    }
    let is_cute = matches!(value, Value::Layout(_) | Value::Offset(_) | Value::Function(_) | Value::Tuple(_));
    if !is_cute || !in_memory(map) {
        return None;
    }
    let flat = |back: &Map| back.into_flat(Order::ColumnMajor).and_then(|flat| flat.to_cute());
    // Where the memory is only bounded, its end may be padding.
    let cute = flat(back).or_else(|why| match map.is_codomain_exact() {
        true => Err(why),
        false => map.tightened().and_then(|map| map.inverse()).and_then(|back| flat(&back)),
    });
    match cute.ok()? {
        offset @ Function::Offset(_) => Some(offset.into()),
        function => Some(bare(&function)?.into()),
    }
}

/// The only mode of a function of a flat index as its modes.
fn bare(function: &Function) -> Option<Function> {
    Some(match function {
        Function::Layout(layout) => Function::Layout(match layout.modes().as_slice() {
            [mode] if !layout.root().is_leaf() => mode.clone(),
            _ => Layout::clone(layout),
        }),
        Function::Composed(composed) => {
            Function::compose(composed.outer.clone(), composed.offset.clone(), bare(&composed.inner)?)
        }
        Function::Offset(_) | Function::Swizzle(_) | Function::Bytes(_) => return None,
    })
}

/// Whether two maps lead from the same axes to the same, in one direction.
fn alike(one: &Map, other: &Map) -> bool {
    let names = |axes: &[Axis]| axes.iter().map(|axis| (axis.name, axis.unit)).collect::<Vec<_>>();
    one.direction() == other.direction()
        && one.domain() == other.domain()
        && names(one.codomain()) == names(other.codomain())
}
