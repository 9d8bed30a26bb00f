//! Arrays without tiles, of which XLA's strides and sizes are right.

use bitstride::xla::Image;
use serde_json::{Value, json};

use super::{Fields, array, both, index, twin};

/// All columns.
pub(super) const STATED: [&str; 13] = [
    "shape",
    "dims",
    "minor_to_major",
    "element_bits",
    "byte_strides",
    "unpacked_byte_strides",
    "logical_to_physical",
    "dim0_major",
    "dim0_minor",
    "byte_size",
    "array_size",
    "elements",
    "linear",
];

/// Our answer.
pub(super) fn answer(fields: &Fields) -> Option<Value> {
    let (read, twin) = (array(fields, "shape")?, twin(fields, "shape")?);
    let image = Image::of(&read).ok()?;
    let shape = read.to_string();
    let strides = read.element_strides().ok()?;
    if !index::strides_hold(&twin, &strides, 1)? {
        return Some(json!("the strides do not give the offsets"));
    }
    let order = &read.layout.minor_to_major;
    let mut answers = Fields::new();
    for name in STATED.into_iter().filter(|name| fields.contains_key(*name)) {
        let value = match name {
            "shape" => json!(shape),
            "dims" => json!(image.dims()),
            "minor_to_major" => json!(order),
            "element_bits" => json!(read.element_bits()),
            "byte_strides" => match read.byte_strides() {
                Ok(strides) => both(&format!("byte_strides({shape})"), json!(strides)),
                Err(_) => Value::Null,
            },
            // A packed element is seen as one byte.
            "unpacked_byte_strides" => {
                let width = (read.element_bits() + 7) / 8;
                strides.iter().map(|stride| json!(stride * width)).collect()
            }
            "logical_to_physical" => {
                let level = |dim: usize| image.order().iter().position(|other| *other == dim);
                (0..image.dims().len()).map(|dim| json!(level(dim))).collect()
            }
            "dim0_major" => json!(order.is_sorted_by(|one, other| one > other)),
            "dim0_minor" => json!(order.is_sorted()),
            "elements" => json!(image.elements()),
            "linear" => index::linear(&image)?,
            _ => both(&format!("byte_size({shape})"), json!(image.bytes().ok()?)),
        };
        answers.insert(name.to_owned(), value);
    }
    Some(Value::Object(answers))
}
