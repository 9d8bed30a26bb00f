//! What documents state about tiled layouts: the figures and numbers of the tiled-layout page, and reported sizes.

use bitstride::xla::{Array, Image, Place};
use serde_json::{Value, json};

use super::{Fields, Judged, array, both, bytes, index, numbers, tiles, twin, with_tiles};
use crate::vectors::judge::Kind::BreaksLaw;

/// The fields that are answers; `about` speaks of them.
pub(super) const STATED: [&str; 32] = [
    "shape",
    "dims",
    "minor_to_major",
    "tiles",
    "tiled_dims",
    "elements",
    "physical_elements",
    "bytes",
    "unpadded_bytes",
    "reported",
    "linear",
    "samples",
    "pairs",
    "memory",
    "same_memory_image",
    "combined_dims",
    "combined_tile",
    "after_first_tile_bounds",
    "after_first_tile_index",
    "final_bounds",
    "final_index",
    "linear_index",
    "tile_index",
    "within_tile",
    "combined_index",
    "combined_bounds",
    "padded",
    "reshaped",
    "transpose_major_to_minor",
    "result",
    "shape_a",
    "shape_b",
];

/// XLA's functions that a document speaks of.
pub(super) const FUNCTIONS: [(&str, &[&str]); 1] = [("ArraySize", &["xla_array_size"])];

/// Our answer: the same fields.
pub(super) fn answer(fields: &Fields) -> Option<Value> {
    let read = array(fields, "shape").or_else(|| array(fields, "shape_a"))?;
    let image = Image::of(&read).ok()?;
    let mut answers = Fields::new();
    for (name, stated) in fields.iter().filter(|(name, _)| STATED.contains(&name.as_str())) {
        answers.insert(name.clone(), field(fields, &read, &image, name, stated)?);
    }
    Some(Value::Object(answers))
}

/// One field of the answer.
fn field(fields: &Fields, read: &Array, image: &Image, name: &str, stated: &Value) -> Option<Value> {
    let asked = || numbers(fields.get("index")?);
    let walk = |step: usize| image.walk(&asked()?).ok()?.get(step).cloned();
    let first = image.steps().first();
    let last = image.steps().len();
    let size = || image.bytes().ok();
    Some(match name {
        "shape" | "shape_a" => json!(read.to_string()),
        "shape_b" => json!(array(fields, "shape_b")?.to_string()),
        "dims" => json!(image.dims()),
        "minor_to_major" => json!(read.layout.minor_to_major),
        "tiles" => tiles(read),
        "tiled_dims" | "final_bounds" | "combined_bounds" | "result" => {
            both(&format!("tiled_dims({read})"), json!(image.tiled_dims()))
        }
        "elements" => json!(image.elements()),
        "physical_elements" => both(&format!("padded_size({read})"), json!(image.size())),
        "bytes" => both(&format!("byte_size({read})"), json!(size()?)),
        "unpadded_bytes" => json!(read.padding().ok()?.unpadded_bytes),
        "reported" => {
            let source = stated.as_str()?.split(':').next()?;
            let padding = read.padding().ok()?;
            json!(format!("{source}: {}, unpadded {}", units(padding.bytes), units(padding.unpadded_bytes)))
        }
        "linear" => index::linear(image)?,
        "samples" | "pairs" => index::samples(image, stated)?,
        "memory" => memory(image)?,
        "same_memory_image" => {
            let other = array(fields, "shape_b")?;
            both(&format!("same_memory({read}, {other})"), json!(read.same_memory(&other).ok()?.holds()))
        }
        "combined_dims" => first?.cuts.iter().map(|cut| json!(cut.extent)).collect(),
        "combined_tile" => first?.cuts.iter().map(|cut| json!(cut.tile)).collect(),
        "after_first_tile_bounds" => json!(first?.dims.to_vec()),
        "after_first_tile_index" => json!(walk(1)?),
        "final_index" | "combined_index" => {
            let index = super::written(&json!(asked()?));
            both(&format!("tiled_index({read}, {index})"), json!(walk(last)?))
        }
        "linear_index" => {
            let index = asked()?;
            let offset = json!(image.offset(&index).ok()?);
            both(&format!("linear_index({read}, {})", super::written(&json!(index))), offset)
        }
        // A single tile of as many extents as there are dims: first the grid, then the inside.
        "tile_index" | "within_tile" => {
            let walk = walk(last)?;
            let (grid, inside) = walk.split_at_checked(first?.cuts.len())?;
            json!(if name == "tile_index" { grid } else { inside })
        }
        "padded" => first?.cuts.iter().map(|cut| json!(cut.grid * cut.tile)).collect(),
        "reshaped" => first?.cuts.iter().flat_map(|cut| [json!(cut.grid), json!(cut.tile)]).collect(),
        "transpose_major_to_minor" => {
            let cuts = first?.cuts.len();
            (0..cuts).map(|cut| 2 * cut).chain((0..cuts).map(|cut| 2 * cut + 1)).map(|at| json!(at)).collect()
        }
        _ => return None,
    })
}

/// The element number at every place; -1 is padding.
fn memory(image: &Image) -> Option<Value> {
    let number = |index: Vec<i64>| index.iter().zip(image.dims()).fold(0, |number, (at, extent)| number * extent + at);
    let at = |offset| match image.place(offset).ok()? {
        Place::Element(index) => Some(json!(number(index))),
        Place::Padding => Some(json!(-1)),
    };
    (0..image.size()).map(at).collect()
}

/// Bytes as XLA reports them.
fn units(bytes: i64) -> String {
    let (unit, shift) = if bytes >> 30 > 0 { ("G", 30) } else { ("M", 20) };
    let hundredths = (i128::from(bytes) * 100) >> shift;
    format!("{}.{:02}{unit}", hundredths / 100, hundredths % 100)
}

/// XLA's size of an array, which a document tells.
pub(super) fn judged(fields: &Fields, _: &str, theirs: &Value) -> Option<Judged> {
    let (read, twin) = (array(fields, "shape")?, twin(fields, "shape")?);
    let asked = format!("byte_size({read})");
    let bits = read.element_bits();
    let ours = both(&asked, json!(Image::of(&read).ok()?.bytes().ok()?));
    let lawful = ours == json!(bytes(twin.size().ok()?, bits));
    let reason = *theirs == json!(bytes(with_tiles(&twin, 1)?.size().ok()?, bits));
    Some(Judged::new(asked, theirs, &ours, lawful, BreaksLaw, reason))
}
