//! Values as tensors of offsets: what names stand for in index code of Triton's Python.
//!
//! Law: the offsets have a dim for each mode of a layout, and at each coordinate what the layout gives there.

use super::value::{Entry, Value};
use bitstride::cute::{Layout, Offset};
use bitstride::map::{Expression, Offsets};
use bitstride::{Code, Error, Int, Stride, error};

/// An integer, or a layout with a dim for each mode.
///
/// # Errors
/// [`Code::Kind`] for any other value.
pub(super) fn as_offsets(value: &Value) -> Result<Offsets, Error> {
    match value {
        Value::Tuple(tuple) if matches!(tuple.as_leaf(), Some(Entry::Number(Stride::Int(_)))) => {
            value.as_int().map(Offsets::number)
        }
        Value::Layout(layout) => of_layout(layout, Int::from(0)),
        Value::Offset(Offset { layout, offset: Stride::Int(offset) }) => of_layout(layout, offset.clone()),
        Value::Map(mapped) => match mapped.text.parse::<Expression>() {
            Ok(expression) => Ok(Offsets::of_expression(&expression)),
            Err(_) => Err(no_offsets(value)),
        },
        _ => Err(no_offsets(value)),
    }
}

fn no_offsets(value: &Value) -> Error {
    error!(
        Code::Kind,
        "an integer or a tensor of offsets is needed here; {value} is of kind {kind}",
        [value, kind = value.kind()]
    )
}

fn of_layout(layout: &Layout, offset: Int) -> Result<Offsets, Error> {
    let modes = if layout.root().is_leaf() { vec![layout.clone()] } else { layout.modes() };
    let integer = |stride: &Stride| match stride {
        Stride::Int(stride) => Ok(stride.clone()),
        Stride::Basis(_) => Err(no_offsets(&Value::Layout(layout.clone()))),
    };
    let single: Option<Vec<(Int, Result<Int, Error>)>> = modes
        .iter()
        .map(|mode| match (mode.extents(), mode.strides()) {
            ([extent], [stride]) => Some((extent.clone(), integer(stride))),
            _ => None,
        })
        .collect();
    if let Some(single) = single {
        let (extents, strides): (Vec<Int>, Vec<Result<Int, Error>>) = single.into_iter().unzip();
        return Offsets::strided(extents, strides.into_iter().collect::<Result<_, _>>()?, offset);
    }
    // A mode of several digits is an expression of its coordinate.
    let signed = |n: i64| format!("{} {}", if n < 0 { '-' } else { '+' }, n.unsigned_abs());
    let (mut ranges, mut sum) = (Vec::new(), format!("0 {}", signed(offset.as_number()?)));
    for (dim, mode) in modes.iter().enumerate() {
        let mut weight = 1_i64;
        for (extent, stride) in mode.extents().iter().zip(mode.strides()) {
            let extent = extent.as_number()?;
            sum.push_str(&format!(" {} * (i{dim}/{weight}%{extent})", signed(integer(stride)?.as_number()?)));
            weight = weight.checked_mul(extent).ok_or_else(|| Error::overflow("the size of a mode"))?;
        }
        ranges.push(format!("i{dim}<{weight}"));
    }
    format!("{}: {sum}", ranges.join(", ")).parse().map(|expression| Offsets::of_expression(&expression))
}
