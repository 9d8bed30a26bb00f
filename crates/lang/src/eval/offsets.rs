//! Offsets of Triton's Python as values: a layout where strides hold them, else the map of an index expression.

use bitstride::cute::{Layout, Offset};
use bitstride::map::OffsetExpression;
use bitstride::{Error, Int, Integer, Stride, Tuple};

use super::tree::{add, index};
use crate::forms::cute_of;
use crate::value::Value;

/// The value of an expression, its dims the modes of a layout.
pub(super) fn offsets(code: &OffsetExpression) -> Result<Value, Error> {
    let offsets = code.offsets()?;
    if let Some((expression, later)) = offsets.expression()? {
        let map = expression.to_map()?;
        let value = match cute_of(&map, &mut Vec::new()) {
            Ok(value @ (Value::Layout(_) | Value::Offset(_) | Value::Function(_))) => value,
            _ => index(&expression)?,
        };
        return if later.is(0) { Ok(value) } else { add(value, &later.into()) };
    }
    let leaf = |stride: &Int| Tuple::leaf(Stride::Int(stride.clone()));
    let (shape, stride) = match (offsets.extents(), offsets.strides()) {
        ([], _) => return Ok(offsets.offset().clone().into()),
        ([extent], [stride]) => (Tuple::leaf(extent.clone()), leaf(stride)),
        (extents, strides) => (
            Tuple::of(&extents.iter().cloned().map(Tuple::leaf).collect::<Vec<_>>()),
            Tuple::of(&strides.iter().map(leaf).collect::<Vec<_>>()),
        ),
    };
    let layout = Layout::new(shape, stride)?;
    Ok(match offsets.offset().is(0) {
        true => Value::Layout(layout),
        false => Value::Offset(Offset { layout, offset: Stride::Int(offsets.offset().clone()) }),
    })
}
