//! JAX: `Layout(major_to_minor=(0, 1), tiling=((8, 128),), …)`, the layout of an array without its shape.

use crate::value::Value;
use bitstride::map::Map;
use bitstride::xla::{Array, ElementType, JaxLayout, Shape};
use bitstride::{Code, Error};

/// The layout of an array, or of what a layout in memory is as one of elements of a type.
pub(super) fn written(
    value: &Value,
    element: Option<ElementType>,
    memory: impl FnOnce(&mut Vec<String>) -> Result<Map, Error>,
    notes: &mut Vec<String>,
) -> Result<String, Error> {
    let array: Array = match value {
        Value::Xla(Shape::Array(array) | Shape::Buffer(array)) => array.clone(),
        _ => {
            let element = element.ok_or_else(|| {
                Error::new(Code::Arity, "what JAX packs depends on the type of the elements: it is missing")
                    .with_help("say it: `convert(X, jax, f32)`; `bitstride convert` has --element f32")
            })?;
            memory(notes)?.to_array(element)?
        }
    };
    let (layout, said) = JaxLayout::of_array(&array)?;
    notes.extend(said);
    notes.push(format!("the layout of {}", array.without_layout()));
    Ok(layout.to_string())
}
