//! Offsets and sizes: every element where the definition puts it, found again at its offset, and XLA's own functions.

use bitstride::xla::{Array, Image, Place};
use bitstride_oracle::reference::Tiled;
use serde_json::{Value, json};

use super::{Fields, Judged, array, both, bytes, numbers, tiles, twin, with_tiles};
use crate::vectors::judge::Kind::{AcceptsUnlawful, BreaksLaw, Convention, Rejects};

/// The columns of the definition.
pub(super) const STATED: [&str; 15] = [
    "shape",
    "dims",
    "minor_to_major",
    "tiles",
    "physical_dims",
    "tiled_dims",
    "elements",
    "physical_elements",
    "physical_elements_with_tail",
    "element_bits",
    "bytes",
    "linear",
    "samples",
    "truly_untiled",
    "array_size_agrees",
];

/// XLA's functions, and the columns that tell what they answer.
pub(super) const FUNCTIONS: [(&str, &[&str]); 7] = [
    ("LinearIndex", &["linear_index_agrees"]),
    ("ArraySize", &["array_size"]),
    ("ArrayDataSize", &["array_data_size"]),
    ("ByteSizeOf", &["byte_size_of"]),
    ("ByteStrides", &["byte_strides"]),
    ("IsUntiledLayout", &["is_untiled"]),
    ("TransposePlan", &["transpose_plan_agrees", "transpose_plan_clean_padding"]),
];

/// Our answer.
pub(super) fn answer(fields: &Fields) -> Option<Value> {
    let mut answers = Fields::new();
    let read: Array = array(fields, "input")?;
    let image = Image::of(&read).ok()?;
    let shape = read.to_string();
    for name in STATED {
        let Some(stated) = fields.get(name).or_else(|| fields.get("xla")?.get(name)) else { continue };
        let value = match name {
            "shape" => json!(shape),
            "dims" => json!(image.dims()),
            "minor_to_major" => json!(read.layout.minor_to_major),
            "tiles" => tiles(&read),
            "physical_dims" => both(&format!("physical_dims({shape})"), json!(image.physical_dims())),
            "tiled_dims" => both(&format!("tiled_dims({shape})"), json!(image.tiled_dims())),
            "elements" => json!(image.elements()),
            "physical_elements" => json!(image.tiled_dims().iter().product::<i64>()),
            "physical_elements_with_tail" => both(&format!("padded_size({shape})"), json!(image.size())),
            "element_bits" => json!(read.element_bits()),
            "bytes" => both(&format!("byte_size({shape})"), json!(image.bytes().ok()?)),
            "linear" => linear(&image)?,
            "samples" => samples(&image, stated)?,
            "truly_untiled" => both(&format!("is_untiled({shape})"), json!(read.is_untiled().ok()?)),
            _ => json!(fields.get("xla")?.get("array_size")?.as_i64() == image.bytes().ok()),
        };
        answers.insert(name.to_owned(), value);
    }
    Some(Value::Object(answers))
}

/// The offsets of all elements, if the memory has them there and padding elsewhere.
pub(super) fn linear(image: &Image) -> Option<Value> {
    let mut memory = vec![None; usize::try_from(image.size()).ok()?];
    let mut offsets = Vec::new();
    for number in 0..image.elements() {
        let index = image.numbered(number)?;
        let offset = image.offset(&index).ok()?;
        offsets.push(offset);
        *memory.get_mut(usize::try_from(offset).ok()?)? = Some(index);
    }
    for (offset, index) in (0..).zip(memory) {
        if image.place(offset).ok()? != index.clone().map_or(Place::Padding, Place::Element) {
            return Some(json!(format!("offset {offset} is not the place of {index:?}")));
        }
    }
    Some(json!(offsets))
}

/// The offsets of some elements, which are found there again.
pub(super) fn samples(image: &Image, stated: &Value) -> Option<Value> {
    let sample = |pair: &Value| {
        let index = numbers(pair.get(0)?)?;
        let offset = image.offset(&index).ok()?;
        let found = image.place(offset).ok()? == Place::Element(index.clone());
        Some(if found { json!([index, offset]) } else { json!(format!("{index:?} is not found at {offset}")) })
    };
    stated.as_array()?.iter().map(sample).collect()
}

/// One of XLA's functions.
pub(super) fn judged(fields: &Fields, function: &str, theirs: &Value) -> Option<Judged> {
    let (read, twin) = (array(fields, "shape")?, twin(fields, "shape")?);
    let shape = read.to_string();
    let bits = read.element_bits();
    let image = Image::of(&read).ok()?;
    let (size, first) = (twin.size().ok()?, with_tiles(&twin, 1)?);
    Some(match function {
        "LinearIndex" => return linear_index(&image, &twin, &shape, theirs),
        "ArraySize" => {
            let ours = both(&format!("byte_size({shape})"), json!(image.bytes().ok()?));
            let counted = match twin.tiles().first() {
                None => twin.elements().ok()?,
                Some(tile) if tile.contains(&None) => 0,
                Some(_) => first.size().ok()?,
            };
            let lawful = ours == json!(bytes(size, bits));
            let reason = *theirs == json!(bytes(counted, bits));
            Judged::new(format!("byte_size({shape})"), theirs, &ours, lawful, BreaksLaw, reason)
        }
        "ArrayDataSize" => {
            let ours = (0..image.elements()).map(|number| image.offset(&image.numbered(number)?).ok());
            let ours = ours.collect::<Option<Vec<i64>>>()?.into_iter().max().map_or(0, |last| last + 1);
            let last: Vec<i64> = twin.dims().iter().map(|dim| dim - 1).collect();
            let counted = in_first_tile(&twin, &last).wrapping_add(1);
            let alleged = if bits % 8 == 0 { counted.wrapping_mul(bits / 8) } else { bytes(counted, bits) };
            let lawful = twin.offsets().ok()?.into_iter().max().map_or(0, |last| last + 1) == ours;
            let asked = format!("the bytes up to the last element of {shape}");
            Judged::new(asked, theirs, &json!(bytes(ours, bits)), lawful, BreaksLaw, *theirs == json!(alleged))
        }
        "ByteSizeOf" => {
            let ours = both(&format!("byte_size({shape})"), json!(image.bytes().ok()?));
            let lawful = ours == json!(bytes(size, bits));
            let reason = *theirs == json!(bytes(twin.elements().ok()?, bits));
            Judged::new(format!("byte_size({shape})"), theirs, &ours, lawful, BreaksLaw, reason)
        }
        "ByteStrides" => byte_strides(&read, &twin, theirs)?,
        "IsUntiledLayout" => {
            let ours = both(&format!("is_untiled({shape})"), json!(read.is_untiled().ok()?));
            let untiled = with_tiles(&twin, 0)?;
            let lawful = ours == json!(twin.offsets() == untiled.offsets() && twin.size() == untiled.size());
            let ends = *theirs == json!("abort");
            let merges = twin.elements() == Ok(0) && twin.tiles().iter().flatten().any(Option::is_none);
            let reason = if ends { merges || longer(&twin) } else { *theirs == json!(false) };
            let kind = if ends { Rejects } else { BreaksLaw };
            Judged::new(format!("is_untiled({shape})"), theirs, &ours, lawful, kind, reason)
        }
        "TransposePlan" => {
            let padded = twin.dims().len() == 1 && size > twin.elements().ok()?;
            let asked = format!("padded_size({shape})");
            let ours = both(&asked, json!(image.size()));
            let stated = |agrees: bool| *theirs == json!([agrees, agrees]);
            let answered = if stated(true) { json!(size) } else { json!(twin.elements().ok()?) };
            let known = stated(true) || stated(false);
            Judged::new(asked, &answered, &ours, known && ours == json!(size), BreaksLaw, padded)
        }
        _ => return None,
    })
}

/// Whether a tile has more extents than there are dims when it acts.
fn longer(of: &Tiled) -> bool {
    (0..of.tiles().len()).any(|at| {
        let before = with_tiles(of, at).and_then(|before| before.tiled_dims().ok());
        before.is_some_and(|before| of.tiles().get(at).is_some_and(|tile| tile.len() > before.len()))
    })
}

fn linear_index(image: &Image, twin: &Tiled, shape: &str, theirs: &Value) -> Option<Judged> {
    let mut differs = None;
    for number in 0..image.elements() {
        let index = image.numbered(number)?;
        let (ours, right) = (image.offset(&index).ok()?, twin.offset(&index).ok()?);
        let lawful = ours == right;
        if !lawful || in_first_tile(twin, &index) != right {
            differs = Some((index, ours, lawful));
            break;
        }
    }
    let agrees = *theirs == json!(true);
    let Some((index, ours, lawful)) = differs else {
        let asked = format!("the offsets of {shape}");
        return Some(Judged::new(asked, theirs, &json!(true), true, BreaksLaw, false));
    };
    let asked = format!("linear_index({shape}, {})", super::written(&json!(index)));
    let ours = both(&asked, json!(ours));
    let alleged = if agrees { ours.clone() } else { json!(in_first_tile(twin, &index)) };
    // Where its way of counting is wrong, the row has to say so.
    Some(Judged::new(asked, &alleged, &ours, lawful && !agrees, BreaksLaw, true))
}

/// XLA's offset: of the first tile only, whose `*` it takes for the smallest integer, and none for one dim.
fn in_first_tile(of: &Tiled, index: &[i64]) -> i64 {
    if let [] | [_] = index {
        return index.first().copied().unwrap_or(0);
    }
    let tile: Vec<i64> = of.tiles().first().into_iter().flatten().map(|dim| dim.unwrap_or(i64::MIN)).collect();
    let mut grid = tile.iter().fold(1i64, |grid, extent| grid.wrapping_mul(*extent));
    let (mut inside, mut offset) = (1i64, 0i64);
    let mut extents = tile.into_iter().rev();
    for dim in of.minor_to_major() {
        let at = |list: &[i64]| list.get(*dim).copied().unwrap_or(0);
        let (coordinate, extent) = (at(index), at(of.dims()));
        let tile = extents.next().unwrap_or(1);
        let within = (coordinate % tile).wrapping_mul(inside);
        offset = offset.wrapping_add(grid.wrapping_mul(coordinate / tile)).wrapping_add(within);
        let tiles = extent / tile + i64::from(tile > 0 && extent % tile > 0);
        (grid, inside) = (grid.wrapping_mul(tiles), inside.wrapping_mul(tile));
    }
    offset
}

/// XLA's strides are those without tiles.
fn byte_strides(read: &Array, twin: &Tiled, theirs: &Value) -> Option<Judged> {
    let asked = format!("byte_strides({read})");
    let bits = read.element_bits();
    let ours = both(&asked, read.byte_strides().map_or(json!("!not-a-layout"), |strides| json!(strides)));
    if bits % 8 != 0 {
        let refused = ours == json!("!not-a-layout");
        let ours = if refused { Value::Null } else { ours };
        return Some(Judged::new(asked, theirs, &ours, refused, BreaksLaw, false));
    }
    let width = bits / 8;
    let mut alleged = vec![0; twin.dims().len()];
    let mut stride = width;
    for dim in twin.minor_to_major() {
        *alleged.get_mut(*dim)? = stride;
        stride *= twin.dims().get(*dim)?;
    }
    let reason = *theirs == json!(alleged);
    let stated = numbers(theirs)?;
    Some(match numbers(&ours) {
        None => {
            // What the strides would be, if there were any: where index 1 of each dim lies.
            let unit = |dim: usize| {
                let index: Vec<i64> = (0..twin.dims().len()).map(|at| i64::from(at == dim)).collect();
                twin.offset(&index).unwrap_or(0) * width
            };
            let only: Vec<i64> = (0..twin.dims().len()).map(unit).collect();
            let lawful = !strides_hold(twin, &only, width)?;
            Judged::new(asked, theirs, &ours, lawful, AcceptsUnlawful, reason)
        }
        Some(strides) => {
            let kind = if strides_hold(twin, &stated, width)? { Convention } else { BreaksLaw };
            let lawful = strides_hold(twin, &strides, width)?;
            Judged::new(asked, theirs, &ours, lawful, kind, reason)
        }
    })
}

/// Whether the offset of every element is the sum of its coordinates times the strides.
pub(super) fn strides_hold(of: &Tiled, strides: &[i64], width: i64) -> Option<bool> {
    let sum = |index: &Vec<i64>| index.iter().zip(strides).map(|(at, stride)| at * stride).sum::<i64>();
    let sums = of.indices().ok()?.iter().map(sum).collect::<Vec<_>>();
    let held = |(sum, offset): (&i64, i64)| *sum == offset * width;
    Some(strides.len() == of.dims().len() && sums.iter().zip(of.offsets().ok()?).all(held))
}
