//! The affine maps that Mosaic prints.

use bitstride::xla::mosaic::{MemRef, affine_map};
use bitstride::xla::{Array, Image};
use serde_json::{Value, json};

use super::{Fields, index};

/// All columns.
pub(super) const STATED: [&str; 5] = ["memref", "xla_shape", "affine_map", "agrees_with_definition", "samples"];

/// Our answer, from the text of the memory reference.
pub(super) fn answer(fields: &Fields) -> Option<Value> {
    let memref: MemRef = fields.get("memref")?.as_str()?.parse().ok()?;
    let (array, _) = memref.to_array().ok()?;
    let stated = fields.get("samples")?;
    let samples = index::samples(&Image::of(&array).ok()?, stated)?;
    let agrees = samples == *stated;
    Some(json!({
        "memref": back(&array, &memref)?,
        "xla_shape": array.to_string(),
        "affine_map": affine_map(&array).ok()?,
        "agrees_with_definition": agrees,
        "samples": samples,
    }))
}

/// The text of the memory reference, if that of the array is the same one and has the same map.
fn back(array: &Array, memref: &MemRef) -> Option<String> {
    let (again, _) = MemRef::of_array(array).ok()?;
    let same = again == *memref && memref.tiled.affine_map() == affine_map(array);
    Some(if same { memref.to_string() } else { format!("{memref}, and back {again}") })
}
