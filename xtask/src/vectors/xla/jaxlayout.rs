//! Layouts as JAX has them, and what reads back from XLA's.

use bitstride::xla::{ElementType, JaxLayout, Layout, Tile, TileDim};
use serde_json::{Value, json};

use super::{Fields, numbers};

/// The columns that are answers.
pub(super) const STATED: [&str; 4] = ["xla_layout", "back_tiling", "back_minor_to_major", "back_element_bits"];

/// Our answer, from the parameters and again from the text of JAX.
pub(super) fn answer(fields: &Fields) -> Option<Value> {
    let jax = JaxLayout {
        major_to_minor: numbers(fields.get("major_to_minor")?)?,
        tiling: tiling(fields.get("tiling")?)?,
        sub_byte_bits: fields.get("sub_byte_bits")?.as_i64()?,
    };
    let again: JaxLayout = jax.to_string().parse().ok()?;
    if again != jax {
        return Some(json!({"text": jax.to_string(), "read again": again.to_string()}));
    }
    let element = element(fields.get("dtype")?.as_str()?)?;
    let text = jax.to_layout(Some(element)).0.to_string();
    let layout: Layout = text.parse().ok()?;
    let (back, _) = JaxLayout::of_layout(&layout);
    let extent = |dim: &TileDim| match dim {
        TileDim::Size(size) => json!(size),
        TileDim::Combine => json!("*"),
    };
    let tiles = back.tiling.unwrap_or_default();
    Some(json!({
        "xla_layout": text,
        "back_tiling": tiles.iter().map(|tile| tile.0.iter().map(extent).collect::<Value>()).collect::<Value>(),
        "back_minor_to_major": back.major_to_minor.iter().rev().collect::<Vec<_>>(),
        "back_element_bits": back.sub_byte_bits,
    }))
}

/// The tiles of a row; `null` is JAX's `None`.
fn tiling(value: &Value) -> Option<Option<Vec<Tile>>> {
    let extent = |value: &Value| match value.as_str() {
        Some("*") => Some(TileDim::Combine),
        _ => value.as_i64().map(TileDim::Size),
    };
    let tile = |value: &Value| Some(Tile(value.as_array()?.iter().map(extent).collect::<Option<_>>()?));
    match value {
        Value::Null => Some(None),
        value => value.as_array()?.iter().map(tile).collect::<Option<_>>().map(Some),
    }
}

/// An element type by JAX's name for it.
fn element(name: &str) -> Option<ElementType> {
    let name = match name {
        "bool" => "pred".to_owned(),
        name => name.replace("uint", "u").replace("int", "s").replace("bfloat", "bf").replace("float", "f"),
    };
    ElementType::from_name(&name)
}
