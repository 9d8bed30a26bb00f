//! Which file of a checkpoint has which box, and flat parameters.

use std::collections::BTreeSet;

use bitstride::sharding::{Flat, Sharding};
use serde_json::Value;

use super::shards::sharding;
use super::{Answer, Fields, Judged, array, mesh, numbers, text};

pub(super) const CHECKPOINTS: [Answer; 2] = [("boxes", held), ("chunks", chunks)];

pub(super) const FLAT: [Answer; 1] = [("infos", flat)];

/// A box: the start and the end of each dim.
type Bounds = Vec<(i64, i64)>;

fn placed(fields: &Fields) -> Result<Sharding, String> {
    let mesh = mesh(fields.get("mesh").unwrap_or(&Value::Null));
    let placements: Vec<&str> =
        fields.get("placements").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    sharding(&match placements.is_empty() {
        false => format!("shard({}, [{}], {mesh})", array(fields), placements.join(", ")),
        true => format!("shard({}, {}, {mesh})", array(fields), text(fields, "spec")),
    })
}

/// The boxes that Orbax writes: copies share the writing of a shard, in parts of its first dim that they divide.
fn parted(sharding: &Sharding) -> Result<BTreeSet<Bounds>, String> {
    let held = boxes(sharding)?;
    let devices = usize::try_from(sharding.devices().map_err(|error| error.to_string())?).unwrap_or(usize::MAX);
    let copies = i64::try_from(devices / held.len().max(1)).unwrap_or(1);
    let mut all = BTreeSet::new();
    for bounds in held {
        let Some(dim) = bounds.iter().position(|(start, end)| (end - start) % copies == 0) else {
            all.insert(bounds);
            continue;
        };
        for copy in 0..copies {
            let mut part = bounds.clone();
            if let Some((start, end)) = part.get_mut(dim) {
                let width = (*end - *start) / copies;
                *start += copy * width;
                *end = *start + width;
            }
            all.insert(part);
        }
    }
    Ok(all)
}

/// The boxes that devices hold, each once; a device without elements has a box that begins where its first index would be.
fn boxes(sharding: &Sharding) -> Result<BTreeSet<Bounds>, String> {
    let mut all = BTreeSet::new();
    for device in 0..sharding.devices().map_err(|error| error.to_string())? {
        let held = sharding.shard(device).map_err(|error| error.to_string())?.unwrap_or_default();
        let bounds = held.iter().zip(sharding.shape()).map(|(dim, extent)| match dim.blocks(1).as_deref() {
            Ok([block]) => Ok(*block),
            Ok(_) => Ok((*extent, *extent)),
            Err(error) => Err(error.to_string()),
        });
        all.insert(bounds.collect::<Result<Bounds, _>>()?);
    }
    Ok(all)
}

fn pairs(value: Option<&Value>) -> Option<Bounds> {
    let pair = |pair: &Value| match numbers(Some(pair))?.as_slice() {
        [start, end] => Some((*start, *end)),
        _ => None,
    };
    value?.as_array()?.iter().map(pair).collect()
}

/// Adds what the chunks of a row are together: their boxes.
pub(super) fn add_boxes(fields: &mut Fields) {
    let Some(chunks) = fields.get("chunks").and_then(Value::as_array) else { return };
    let boxes: Vec<Value> = chunks.iter().filter_map(bounds).map(|bounds| serde_json::json!(bounds)).collect();
    fields.insert("boxes".to_owned(), boxes.into());
}

/// The box of a chunk.
fn bounds(chunk: &Value) -> Option<Bounds> {
    let saved = || {
        let (shape, offsets) = (numbers(chunk.get("stored_shape"))?, numbers(chunk.get("saved_offsets"))?);
        Some(offsets.iter().zip(shape).map(|(offset, extent)| (*offset, offset + extent)).collect())
    };
    pairs(chunk.get("box")).or_else(saved)
}

/// The files hold the boxes of the devices, each once.
fn held(fields: &Fields) -> Judged {
    let sharding = placed(fields)?;
    let own = if fields.contains_key("spec") { parted(&sharding)? } else { boxes(&sharding)? };
    let stated = fields.get("boxes").and_then(Value::as_array).ok_or("no boxes")?;
    let theirs: Option<BTreeSet<Bounds>> = stated.iter().map(|bounds| pairs(Some(bounds))).collect();
    if theirs.as_ref() == Some(&own) {
        Ok(None)
    } else {
        Err(format!("the devices hold {own:?}, the files {theirs:?}"))
    }
}

/// The chunks have as many bytes as their boxes, and the names of those of a grid.
fn chunks(fields: &Fields) -> Judged {
    for chunk in fields.get("chunks").and_then(Value::as_array).into_iter().flatten() {
        let bounds = bounds(chunk).ok_or("a chunk without its box")?;
        let elements: i64 = bounds.iter().map(|(start, end)| end - start).product();
        if let Some([from, to]) = numbers(chunk.get("data_offsets")).as_deref()
            && to - from != 4 * elements
        {
            return Err(format!("{} bytes for {elements} elements", to - from));
        }
        if let Some(shape) = numbers(fields.get("chunk_shape")) {
            let key: Vec<String> =
                bounds.iter().zip(&shape).map(|((start, _), extent)| (start / extent).to_string()).collect();
            let file = chunk.get("file").and_then(Value::as_str).unwrap_or_default();
            if file != key.join(".") && file != format!("c/{}", key.join("/")) {
                return Err(format!("{file} for the chunk {key:?}"));
            }
        }
    }
    Ok(None)
}

/// FSDP1: the pieces of a rank. FSDP2: `Shard(0)` of each parameter.
fn flat(fields: &Fields) -> Judged {
    let number = |name: &str| fields.get(name).and_then(Value::as_i64).unwrap_or(0);
    let (devices, rank) = (number("ws"), number("rank"));
    if let Some(locals) = fields.get("locals").and_then(Value::as_object) {
        return chunked(locals, devices, rank);
    }
    let parameters = fields.get("params").and_then(Value::as_array).ok_or("no parameters")?;
    let size = |parameter: &Value| Some(numbers(parameter.get(1))?.iter().product());
    let sizes: Vec<i64> = parameters.iter().map(size).collect::<Option<_>>().ok_or("a parameter without its shape")?;
    let flat = Flat::new(&sizes, 4, devices).map_err(|error| error.to_string())?;
    if flat.share * devices != number("flat") {
        return Err(format!("{} elements here", flat.share * devices));
    }
    let infos = fields.get("infos").and_then(Value::as_array).ok_or("no pieces")?;
    for (parameter, info) in infos.iter().enumerate() {
        let own = match flat.piece(parameter, rank) {
            None => serde_json::json!([false, null, null, null, null]),
            Some(piece) => {
                serde_json::json!([true, piece.offset, piece.elements, piece.first, piece.first + piece.elements - 1])
            }
        };
        if own != *info {
            return Err(format!("parameter {parameter} of rank {rank} is {own} here, {info} there"));
        }
    }
    Ok(None)
}

/// The values were recorded: those of `a` are 0 and on, those of `b` 100 and on, row-major.
fn chunked(locals: &serde_json::Map<String, Value>, devices: i64, rank: i64) -> Judged {
    for (name, local) in locals {
        let (shape, base): (&[i64], i64) = if name == "a" { (&[5, 2], 0) } else { (&[7], 100) };
        let extents = shape.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let sharding = sharding(&format!("shard(f32[{extents}], [Shard(0)], mesh({devices}))"))?;
        let held = sharding.shard(rank).map_err(|error| error.to_string())?.unwrap_or_default();
        let width: i64 = shape.iter().skip(1).product();
        let rows = held.first().map_or(0..0, |dim| 0..dim.size());
        let rows = rows.filter_map(|at| held.first()?.at(at));
        let own: Vec<i64> = rows.flat_map(|row| (0..width).map(move |column| base + row * width + column)).collect();
        let values = local.get(1).and_then(Value::as_array).ok_or("no values")?;
        let theirs: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
        let written = |values: &[i64]| values.iter().map(i64::to_string).collect::<Vec<_>>();
        let theirs: Vec<String> = theirs.iter().map(|value| format!("{value:.0}")).collect();
        if theirs != written(&own) {
            return Err(format!("{name} of rank {rank} is {own:?} here, {theirs:?} there"));
        }
    }
    Ok(None)
}
