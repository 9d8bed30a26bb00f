//! `convert(X, notation)`: a layout in another notation, or what stands against it.
//!
//! Every answer has the law `same(X, convert(X, notation))`. What other systems write is a text, by the
//! writers in [`super::dialects`]. Threads and values are no memory: they are a thread-value layout
//! in CuTe, `tv(L, tile)`.

use super::dialects::WRITERS;
use super::forms::{affine, cute_of, linear, mixed, padded, strides, tag, to_memory, triton};
use super::operation::{Apply, Group, Operation, argument as arg};
use super::parameters::{ANY, ELEMENT_TYPE, NOTATION};
use super::value::Value;
use bitstride::linear::Name;
use bitstride::map::Map;
use bitstride::xla::ElementType;
use bitstride::{Code, Error, error};

/// The notations, each with how a map is written in it.
type Write = fn(&Map, Option<ElementType>, &mut Vec<String>) -> Result<Value, Error>;

const NOTATIONS: [(&str, Write); 9] = [
    ("cute", |map, _, notes| cute_of(map, notes)),
    ("padded", |map, _, notes| padded(map, notes)),
    ("linear", |map, _, notes| linear(map, notes)),
    ("triton", |map, _, notes| triton(map, notes)),
    ("mixed", |map, _, notes| mixed(&to_memory(map, notes)?)),
    ("xla", |map, element, notes| Ok(to_memory(map, notes)?.to_array(typed(element)?)?.into())),
    ("strides", |map, _, notes| strides(&to_memory(map, notes)?)),
    ("tag", |map, _, notes| tag(&to_memory(map, notes)?)),
    ("affine", |map, _, notes| affine(map, notes)),
];

/// The names of the notations that `convert` writes, in the order of its help.
///
/// ```
/// assert!(bitstride_lang::notations().any(|name| name == "cute"));
/// ```
pub fn notations() -> impl Iterator<Item = &'static str> {
    NOTATIONS.iter().map(|(name, _)| *name).chain(WRITERS.iter().map(|(name, _)| *name))
}

/// The operation.
pub(super) const CONVERT: Operation = Operation {
    name: "convert",
    group: Group::Maps,
    parameters: &[ANY, NOTATION, ELEMENT_TYPE.optional()],
    law: "the same layout as cute, padded, linear, triton, mixed, xla (of elements of a type), strides, tag or affine; or in the words of cpp, dsl, pycute, torch, numpy, jax, mosaic, ttgir (of elements of a type), gluon or einops; or as a function of c, or in latex; a tensor over devices as hlo, hlo_mesh, jax, sdy, dtensor or tv",
    example: "convert(bf16[16,256]{1,0:T(8,128)(2,1)}, cute)",
    apply: Apply::Values(|v, notes| {
        let value = arg(v, 0)?;
        let notation = arg(v, 1)?.as_name()?;
        let element = match (v.get(2), value) {
            (Some(name), _) => Some(element(name.as_name()?)?),
            (None, Value::Xla(_)) => Some(value.as_array()?.element),
            (None, _) => None,
        };
        if let Value::Sharding(sharding) = value
            && let Some(other) = super::sharding::convert(sharding, notation, notes)?
        {
            return Ok(other);
        }
        if let Some(error) = super::sharding::only_sharded(notation) {
            return Err(error);
        }
        if let Some((_, write)) = WRITERS.iter().find(|(name, _)| *name == notation.as_str()) {
            return write(value, element, notes).map(Value::Text);
        }
        let known = NOTATIONS.iter().find(|(name, _)| *name == notation.as_str());
        let Some((_, write)) = known else {
            let names: Vec<&str> = notations().collect();
            return Err(error!(Code::UnknownName, "no notation is called {notation}", [notation])
                .with_help(format!("there are {}", names.join(", "))));
        };
        let map = value.as_map()?;
        if !matches!(notation.as_str(), "linear" | "triton" | "affine")
            && map.place_axes().iter().any(|axis| axis.name == Name::ROW)
        {
            return Err(error!(
                Code::NotALayout,
                "tensor memory has rows and columns; {notation} leads to one offset, or from threads and values",
                [notation]
            )
            .with_help("`convert(X, linear)` and `convert(X, affine)` have rows and columns"));
        }
        write(&map, element, notes)
    }),
};

fn typed(element: Option<ElementType>) -> Result<ElementType, Error> {
    element.ok_or_else(|| {
        Error::new(Code::Arity, "XLA writes the type of the elements: it is missing".to_owned())
            .with_help("say it: `convert(X, xla, f32)`; `bitstride convert` has --element f32")
    })
}

fn element(name: Name) -> Result<ElementType, Error> {
    ElementType::from_name(name.as_str()).ok_or_else(|| {
        error!(Code::UnknownName, "{name} is no element type of XLA", [name]).with_help("such as f32, bf16, s8, u4")
    })
}
