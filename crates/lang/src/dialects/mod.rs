//! Writers of what other systems write, the other way round from the readers in `bitstride::notation`.
//!
//! Law: what is written of a value reads as that value, in the dialect that it was written in; C and LaTeX are written only, and the
//! law of C is that it computes the map. What a notation cannot hold is
//! refused with the reason. A layout of another family is first one of CuTe, or strides.

mod c;
mod cpp;
mod dsl;
mod einops;
mod gluon;
mod jax;
mod latex;
mod pycute;
mod tensors;

use super::forms::{cute_of, to_memory};
use super::value::Value;
use bitstride::cute::Layout;
use bitstride::map::Map;
use bitstride::notation::{Expr, ExprKind, Ints, parse};
use bitstride::xla::mosaic::MemRef;
use bitstride::xla::{Array, ElementType, Shape};
use bitstride::{Code, Error, error};

/// How a value is written in a dialect.
pub(super) type Write = fn(&Value, Option<ElementType>, &mut Vec<String>) -> Result<String, Error>;

/// The dialects that are written, each with its name in `convert`.
pub(super) const WRITERS: &[(&str, Write)] = &[
    ("cpp", |value, _, notes| cpp::written(&cute_tree(value, notes)?)),
    ("dsl", |value, _, notes| dsl::written(&cute_tree(value, notes)?)),
    ("pycute", |value, _, notes| pycute::written(&cute_tree(value, notes)?)),
    ("torch", |value, _, notes| tensors::torch(&memory(value, notes)?)),
    ("numpy", |value, element, notes| tensors::numpy(&memory(value, notes)?, element)),
    ("gluon", |value, _, notes| gluon::written(value, notes)),
    ("ttgir", |value, element, notes| gluon::ttgir(value, element, notes)),
    ("jax", |value, element, notes| jax::written(&array(value, element, "jax", notes)?, notes)),
    ("mosaic", |value, element, notes| {
        let (memref, said) = MemRef::of_array(&array(value, element, "mosaic", notes)?)?;
        notes.extend(said);
        Ok(memref.to_string())
    }),
    ("einops", |value, _, notes| einops::written(&memory(value, notes)?)),
    ("c", |value, _, notes| c::written(&value.as_map()?, notes)),
    ("latex", |value, _, notes| match value {
        Value::Linear(layout) => Ok(latex::matrix(layout)),
        Value::Xla(_) => Ok(latex::escaped(value)),
        _ => latex::written(&cute_tree(value, notes)?),
    }),
];

/// A value as the tree of a layout or a tiler of CuTe.
fn cute_tree(value: &Value, notes: &mut Vec<String>) -> Result<Expr, Error> {
    let cute = match value {
        Value::Layout(_) | Value::Offset(_) | Value::Function(_) | Value::Tiler(_) => value.clone(),
        Value::Tuple(_) => value.as_layout()?.into(),
        _ => match cute_of(&value.as_map()?, notes)? {
            Value::Map(mapped) => {
                return Err(error!(
                    Code::NotALayout,
                    "{text} has threads and values in a tile, which is no layout alone",
                    [text = mapped.text]
                )
                .with_help("`convert(X, cute)` writes it as tv(L, tile)"));
            }
            cute => cute,
        },
    };
    Ok(parse(&cute.to_string(), Ints::Plain)?)
}

/// A value as the map from elements to memory.
fn memory(value: &Value, notes: &mut Vec<String>) -> Result<Map, Error> {
    to_memory(&value.as_map()?, notes)
}

/// An array, or what a layout in memory is as one of elements of a type.
fn array(value: &Value, element: Option<ElementType>, notation: &str, notes: &mut Vec<String>) -> Result<Array, Error> {
    if let Value::Xla(Shape::Array(array) | Shape::Buffer(array)) = value {
        return Ok(array.clone());
    }
    let element = element.ok_or_else(|| {
        Error::new(Code::Arity, "the layout depends on the type of the elements, which is missing")
            .with_help(format!("say it: `convert(X, {notation}, f32)`; `bitstride convert` has --element f32"))
    })?;
    memory(value, notes)?.to_array(element)
}

/// The sizes of the tensor of a map.
fn sizes(map: &Map) -> Vec<i64> {
    map.index_axes().iter().map(|axis| axis.extent).collect()
}

/// A layout as the tuple of its modes, in each the flat extents and strides, where all are numbers.
fn modes(layout: &Layout) -> Result<Vec<Vec<(i64, i64)>>, Error> {
    let flat = |mode: &Layout| {
        let strides = mode.strides().iter().map(|stride| match stride {
            bitstride::Stride::Int(n) => n.as_number(),
            bitstride::Stride::Basis(_) => Err(Error::new(Code::NotALayout, "a basis vector is no place in memory")),
        });
        mode.extents().iter().zip(strides).map(|(extent, stride)| Ok((extent.as_number()?, stride?))).collect()
    };
    let parts = if layout.root().is_leaf() { vec![layout.clone()] } else { layout.modes() };
    parts.iter().map(flat).collect()
}

/// Why a dialect has no text for a part of a tree.
fn unwritten(dialect: &str, part: &Expr) -> Error {
    let what = match &part.kind {
        ExprKind::Sum(parts) if parts.iter().any(|part| matches!(part.kind, ExprKind::Pair { .. })) => {
            "has no layouts that begin elsewhere than at 0: the offset belongs to the pointer"
        }
        ExprKind::Unknown { div, .. } if *div != 1 => "does not say what divides an unknown integer",
        ExprKind::Unknown { name: None, .. } => "needs a name for an unknown integer",
        ExprKind::Dynamic(_) | ExprKind::Unknown { .. } => "has plain integers only",
        ExprKind::Sum(_) | ExprKind::Product(_) | ExprKind::Call { .. } => "does not write this arithmetic",
        ExprKind::Bytes(_) => "has no swizzles of bytes under a layout of elements",
        _ => "has no text for this",
    };
    error!(Code::NotALayout, "{part}: {dialect} {what}", [part, dialect, what])
}
