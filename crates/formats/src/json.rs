//! Definitions, formats and found layouts as JSON: one form for the command line and Python.
//!
//! Law: a key has the same meaning wherever it stands; sizes are in bits where their key says so.

use serde_json::{Map, Value as Json, json};

use crate::contract;
use crate::definition::Definition;
use crate::format::{Field, Format};
use crate::notations::notations;
use crate::probe::{Alike, Found};
use crate::zoo::Zoo;

/// What is known of a format without its parameters.
pub fn definition(definition: &Definition) -> Map<String, Json> {
    let parameters = definition.parameters.iter();
    let parameters: Vec<Json> = parameters.map(|own| json!({"name": own.name, "default": own.default_text})).collect();
    Map::from_iter([
        ("name".to_owned(), json!(definition.name)),
        ("about".to_owned(), json!(definition.about)),
        ("writers".to_owned(), json!(definition.writers)),
        ("readers".to_owned(), json!(definition.readers)),
        ("confused_with".to_owned(), json!(definition.confused)),
        ("parameters".to_owned(), json!(parameters)),
    ])
}

/// The same with the tensors and fields of a format of this definition.
pub fn format(of: &Definition, format: &Format) -> Map<String, Json> {
    let mut object = definition(of);
    let tensors = format.tensors.iter();
    let tensors: Vec<Json> = tensors
        .map(|own| json!({"name": own.name, "dtype": own.dtype, "shape": own.shape, "bytes": own.bytes().ok()}))
        .collect();
    let name = |field: &Field| format.tensor_of(field).map(|tensor| tensor.name.clone());
    let fields: Vec<Json> = format.fields.iter().map(|own| field(own, name(own))).collect();
    object.insert("format".to_owned(), json!(format.name));
    // A format that lacks a parameter is no promise.
    object.insert("contract".to_owned(), json!(format.open.is_empty().then(|| contract::line(format))));
    object.insert("tensors".to_owned(), json!(tensors));
    object.insert("fields".to_owned(), json!(fields));
    object
}

/// A layout by the names of the notations that hold it.
fn written(layout: &str, unit_bits: i64) -> Json {
    notations(layout, unit_bits)
        .into_iter()
        .map(|(name, text)| (name.to_owned(), json!(text)))
        .collect::<Map<_, _>>()
        .into()
}

fn field(field: &Field, tensor: Option<String>) -> Json {
    let places = field.places.pieces().iter().map(|piece| {
        let (text, unit) = piece.text();
        let stack: Vec<[i64; 2]> = piece.stack().iter().map(|(extent, bits)| [*extent, *bits]).collect();
        json!({"layout": text, "unit_bits": unit, "over": field.places.over(piece), "index": piece.index(), "stack_bits": stack, "notations": written(text, unit)})
    });
    let places: Vec<Json> = places.collect();
    let axes = field.places.axes().iter();
    let axes: Vec<Json> = axes.map(|axis| json!({"name": axis.name, "extent": axis.extent().ok()})).collect();
    let stored: Vec<String> = field.stored.iter().map(ToString::to_string).collect();
    let (kind, name, bits) = (&field.kind, &field.name, field.places.element_bits());
    json!({"name": name, "tensor": tensor, "kind": kind, "bits": bits, "axes": axes, "stored": stored, "holds": field.values, "places": places})
}

/// What a probe finds: `{"kind": "probe", "value", "layouts", "notations", "xor", "formats", "same_places", "output_bits"}`.
///
/// # Errors
/// As [`Found::answer`].
pub fn found(found: &Found, zoo: &Zoo) -> Result<Map<String, Json>, bitstride::Error> {
    let (layouts, names) = found.answer(zoo)?;
    let lines: Vec<String> = layouts.iter().map(ToString::to_string).collect();
    let other = |(name, xor): &Alike| json!({"format": name, "xor": format!("0x{xor:x}")});
    let (same, others): (Vec<_>, Vec<_>) = names.iter().partition(|(_, xor)| *xor == 0);
    let names: Vec<&str> = same.iter().map(|(name, _)| name.as_str()).collect();
    let value = if lines.is_empty() { names.join("; ") } else { lines.join("; ") };
    Ok(Map::from_iter([
        ("kind".to_owned(), json!("probe")),
        ("value".to_owned(), json!(value)),
        ("layouts".to_owned(), json!(lines)),
        ("notations".to_owned(), layouts.iter().map(|own| written(&own.layout, own.unit_bits)).collect()),
        ("xor".to_owned(), json!(found.xor.map(|constant| format!("0x{constant:x}")))),
        ("formats".to_owned(), json!(names)),
        ("same_places".to_owned(), others.into_iter().map(other).collect()),
        ("output_bits".to_owned(), json!(found.output_bits)),
    ]))
}
