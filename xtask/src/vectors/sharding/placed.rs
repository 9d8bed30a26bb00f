//! Texts that place a tensor: what each device holds and allocates, and what the text is in other notations.

use bitstride::sharding::{HloSharding, HloText, Notation, Placement, Rule, Sharding};
use bitstride::{Code, Error};
use serde_json::Value;

use super::shards::{Held, again, equal, ours, sharding, stated};
use super::{Answer, Fields, Judged, array, mesh, numbers, text};
use crate::vectors::judge::Kind;

pub(super) const HLO: [Answer; 3] = [("shards", hlo_shards), ("printed", hlo_printed), ("local_shape", hlo_allocation)];

pub(super) const NAMED: [Answer; 3] = [("shards", named_shards), ("hlo", named_hlo), ("sdy", named_shardy)];

pub(super) const SHARDY: [Answer; 2] = [("shards", shardy_shards), ("hlo", shardy_hlo)];

pub(super) const DTENSOR: [Answer; 4] = [
    ("shards", dtensor_shards),
    ("local_shape_and_offset", dtensor_local),
    ("full_tensor_ok", gathered),
    ("full_tensor_error", gathered_at_all),
];

fn devices(fields: &Fields) -> i64 {
    fields.get("devices").and_then(Value::as_i64).unwrap_or(0)
}

/// XLA's text over the shape of a row.
fn hlo(fields: &Fields) -> Result<Sharding, Error> {
    let (array, text, devices) = (array(fields), text(fields, "text"), devices(fields));
    format!("shard({array}, '{text}', {devices})").parse()
}

fn hlo_shards(fields: &Fields) -> Judged {
    match (fields.get("note"), hlo(fields)) {
        (Some(_), Err(error)) if error.code() == Code::Unplaced => Ok(None),
        (Some(note), read) => Err(format!("{note}, and we say {read:?}")),
        (None, Err(error)) => Err(error.to_string()),
        (None, Ok(sharding)) => {
            equal(&stated(fields.get("shards"))?, &ours(&sharding, devices(fields))?)?;
            again(&sharding).map(|()| None)
        }
    }
}

/// What XLA prints, and the devices of its grid; a list that is regular we print as an order.
fn hlo_printed(fields: &Fields) -> Judged {
    let HloSharding::One(read) = text(fields, "text").parse::<HloSharding>().map_err(|error| error.to_string())? else {
        return Err("a tuple".to_owned());
    };
    printed(fields, &read).map(|()| None)
}

/// Whether a text is what XLA prints, over the devices that XLA has in its grid.
pub(super) fn printed(fields: &Fields, read: &HloText) -> Result<(), String> {
    let (theirs, own) = (text(fields, "printed"), read.to_string());
    if theirs != own {
        let listed = theirs
            .strip_prefix("{devices=[")
            .and_then(|rest| rest.split_once(']'))
            .map(|(_, rest)| !rest.starts_with('<'));
        let again = theirs.parse::<HloSharding>().map(|again| again.to_string());
        if listed != Some(true) || again.as_ref() != Ok(&own) {
            return Err(format!("we print {own}"));
        }
    }
    for (name, own) in [("tile_assignment", Ok(read.tile_dims())), ("tile_devices", read.tile_devices())] {
        let stated = numbers(fields.get(name)).filter(|stated| stated != &[0] && !stated.is_empty());
        let own = own.map_err(|error| error.to_string())?;
        if stated.as_ref().is_some_and(|stated| *stated != own)
            && !(own.is_empty() && stated.is_some_and(|stated| stated.len() == 1))
        {
            return Err(format!("our {name} is {own:?}"));
        }
    }
    Ok(())
}

fn hlo_allocation(fields: &Fields) -> Judged {
    let Some(stated) = numbers(fields.get("local_shape")) else { return Ok(None) };
    let sharding = hlo(fields).map_err(|error| error.to_string())?;
    let mut padding = 0;
    for device in 0..devices(fields) {
        let allocated =
            sharding.allocation(device).map_err(|error| error.to_string())?.ok_or("nothing is allocated")?;
        if allocated != stated {
            return Err(format!("device {device} allocates {allocated:?} here"));
        }
        let held = sharding.shard(device).map_err(|error| error.to_string())?.unwrap_or_default();
        padding += allocated.iter().product::<i64>() - held.iter().map(|dim| dim.size()).product::<i64>();
    }
    match fields.get("padding_elements").and_then(Value::as_i64) {
        Some(stated) if stated != padding => Err(format!("{padding} elements of padding here")),
        _ => Ok(None),
    }
}

/// A PartitionSpec over the shape and mesh of a row.
pub(super) fn jax(fields: &Fields) -> Result<Sharding, Error> {
    let mesh = mesh(fields.get("mesh").unwrap_or(&Value::Null));
    format!("shard({}, {}, {mesh})", array(fields), text(fields, "text")).parse()
}

pub(super) fn named_shards(fields: &Fields) -> Judged {
    match (fields.get("error"), jax(fields)) {
        (Some(_), Err(_)) => Ok(None),
        (Some(error), Ok(_)) => Err(format!("JAX refuses: {error}")),
        (None, Err(error)) => Err(error.to_string()),
        (None, Ok(sharding)) => {
            let devices = sharding.devices().map_err(|error| error.to_string())?;
            equal(&stated(fields.get("shards"))?, &ours(&sharding, devices)?)?;
            again(&sharding).map(|()| None)
        }
    }
}

/// The placement of a spec whether or not it divides the shape.
fn named(fields: &Fields) -> Result<Placement, String> {
    let shape = numbers(fields.get("shape")).unwrap_or_default();
    let even = format!("f32[{}]", shape.iter().map(|_| "0").collect::<Vec<_>>().join(","));
    // JAX counts positions of the mesh in this text, and not devices.
    let mut positions = fields.get("mesh").cloned().unwrap_or_default();
    if let Some(mesh) = positions.as_object_mut() {
        mesh.remove("device_ids");
    }
    Ok(sharding(&format!("shard({even}, {}, {})", text(fields, "text"), mesh(&positions)))?.placement().clone())
}

fn named_hlo(fields: &Fields) -> Judged {
    let own = HloText::of(&named(fields)?).map_err(|error| error.to_string())?.to_string();
    if own == text(fields, "hlo") { Ok(None) } else { Err(format!("we write {own}")) }
}

/// `SdyArray([{'a'}, {?}])`; an open dim places nothing, and we leave it out.
fn named_shardy(fields: &Fields) -> Judged {
    let shape = numbers(fields.get("shape")).unwrap_or_default();
    let even = format!("f32[{}]", shape.iter().map(|_| "0").collect::<Vec<_>>().join(","));
    let mesh = mesh(fields.get("mesh").unwrap_or(&Value::Null));
    let sharding = sharding(&format!("shard({even}, {}, {mesh})", text(fields, "text")))?;
    let own = sharding.written(Notation::Shardy).map_err(|error| error.to_string())?;
    let dims =
        own.split_once(">, ").and_then(|(_, rest)| rest.split_once(">)")).map(|(dims, _)| dims.replace('"', "'"));
    let theirs = text(fields, "sdy").replace('?', "");
    if dims.is_some_and(|dims| theirs == format!("SdyArray({dims})")) {
        Ok(None)
    } else {
        Err(format!("we write {own}"))
    }
}

/// Shardy's text over the shape and mesh of a row.
pub(super) fn shardy(fields: &Fields) -> Result<Sharding, Error> {
    let mesh = mesh(fields.get("mesh").unwrap_or(&Value::Null));
    format!("shard({}, {}, {mesh})", array(fields), text(fields, "text")).parse()
}

fn shardy_shards(fields: &Fields) -> Judged {
    let sharding = shardy(fields).map_err(|error| error.to_string())?;
    let devices = sharding.devices().map_err(|error| error.to_string())?;
    let (asked, compiled) = (fields.get("asked_shards"), stated(fields.get("shards"))?);
    let own = ours(&sharding, devices)?;
    if let Some(asked) = asked {
        equal(&stated(Some(asked))?, &own)?;
    }
    again(&sharding)?;
    if equal(&compiled, &own).is_ok() {
        return Ok(None);
    }
    equal(&compiled, &ours(&dropped(fields, &sharding)?, devices)?)?;
    Ok(Some(Kind::BreaksLaw))
}

/// What Shardy compiles to.
fn shardy_hlo(fields: &Fields) -> Judged {
    let sharding = shardy(fields).map_err(|error| error.to_string())?;
    let theirs = text(fields, "hlo");
    let written = |sharding: &Sharding| HloText::of(sharding.placement()).map(|text| text.to_string());
    let own = written(&sharding).map_err(|error| error.to_string())?;
    if own == theirs {
        return Ok(None);
    }
    let own = written(&dropped(fields, &sharding)?).map_err(|error| error.to_string())?;
    if own == theirs { Ok(Some(Kind::BreaksLaw)) } else { Err(format!("we write {own}")) }
}

/// What is left of a sharding at a function's result: an open dim ends before its first part of an axis, and of the axes of each dim
/// stays the longest beginning that divides it, where the last axis may be cut in parts.
pub(super) fn dropped(fields: &Fields, sharding: &Sharding) -> Result<Sharding, String> {
    let text = text(fields, "text");
    let (head, rest) = text.split_once('[').ok_or("no dims")?;
    let (dims, tail) = rest.split_once(']').ok_or("no dims")?;
    let mesh = &sharding.placement().mesh;
    let mut kept = Vec::new();
    for (dim, extent) in dims.split('}').filter_map(|dim| Some(dim.split_once('{')?.1)).zip(sharding.shape()) {
        let axes: Vec<&str> = dim.split(',').map(str::trim).filter(|axis| !axis.is_empty()).collect();
        let is_open = axes.contains(&"?");
        let axes = axes.into_iter().filter(|axis| *axis != "?").take_while(|axis| !is_open || !axis.contains(':'));
        let mut rest = *extent;
        let mut left = Vec::new();
        for axis in axes {
            let (name, part) = axis.split_once(":(").unwrap_or((axis, ""));
            let whole = mesh.axis(name.trim_matches('"')).map_err(|error| error.to_string())?;
            let (before, size) = match part.split_once(')') {
                Some((before, size)) => (before.parse().unwrap_or(1), size.parse().unwrap_or(1)),
                None => (1, whole.size),
            };
            let common = bitstride::gcd(rest, size);
            if common == size {
                left.push(axis.to_owned());
                rest /= size;
                continue;
            }
            if common > 1 {
                left.push(format!("{name}:({before}){common}"));
            }
            break;
        }
        kept.push(format!("{{{}}}", left.join(", ")));
    }
    let mut all = fields.clone();
    all.insert("text".to_owned(), Value::String(format!("{head}[{}]{tail}", kept.join(", "))));
    shardy(&all).map_err(|error| error.to_string())
}

/// Placements over the shape and mesh of a row.
pub(super) fn dtensor(fields: &Fields) -> Result<Sharding, Error> {
    let mesh = mesh(fields.get("mesh").unwrap_or(&Value::Null));
    format!("shard({}, {}, {mesh})", array(fields), text(fields, "text")).parse()
}

pub(super) fn dtensor_shards(fields: &Fields) -> Judged {
    let sharding = dtensor(fields).map_err(|error| error.to_string())?;
    let devices = sharding.devices().map_err(|error| error.to_string())?;
    equal(&stated(fields.get("shards"))?, &ours(&sharding, devices)?)?;
    again(&sharding).map(|()| None)
}

/// The local shape, and the first index of each dim; a dim without indices begins at its end.
pub(super) fn dtensor_local(fields: &Fields) -> Judged {
    let Some(stated) = fields.get("local_shape_and_offset").and_then(Value::as_object) else { return Ok(None) };
    let sharding = dtensor(fields).map_err(|error| error.to_string())?;
    for (device, both) in stated {
        let device = device.parse().map_err(|_| format!("{device} is no device"))?;
        let held = sharding.shard(device).map_err(|error| error.to_string())?.unwrap_or_default();
        let shape: Vec<i64> = held.iter().map(|dim| dim.size()).collect();
        let first: Vec<i64> =
            held.iter().zip(sharding.shape()).map(|(dim, extent)| dim.first().unwrap_or(*extent)).collect();
        let theirs = both.as_array().map(Vec::as_slice);
        let Some([their_shape, their_offset]) = theirs else { return Err("no shape and offset".to_owned()) };
        if numbers(Some(their_shape)) != Some(shape.clone()) || numbers(Some(their_offset)) != Some(first.clone()) {
            return Err(format!("device {device} has {shape:?} from {first:?} here, {both} there"));
        }
    }
    Ok(None)
}

/// Whether the shards of a row together are the whole tensor, with chunks in which strided ones stand: all that a gather needs.
fn is_strided_and_whole(fields: &Fields) -> Result<bool, String> {
    let sharding = dtensor(fields).map_err(|error| error.to_string())?;
    let devices = sharding.devices().map_err(|error| error.to_string())?;
    let mut found = std::collections::BTreeSet::new();
    for dims in ours(&sharding, devices)?.into_values() {
        let points = dims.iter().fold(vec![vec![]], |all: Vec<Vec<i64>>, dim| {
            all.iter().flat_map(|at| dim.iter().map(move |next| [at.clone(), vec![*next]].concat())).collect()
        });
        found.extend(points);
    }
    let all = usize::try_from(sharding.shape().iter().product::<i64>()).unwrap_or(usize::MAX);
    Ok(found.len() == all && text(fields, "text").contains("_StridedShard"))
}

/// Whether DTensor gathers the tensor: where it gathers another one, the shards have all of it.
fn gathered(fields: &Fields) -> Judged {
    match fields.get("full_tensor_ok").and_then(Value::as_bool) {
        Some(false) if is_strided_and_whole(fields)? => Ok(Some(Kind::BreaksLaw)),
        Some(false) => Err("it gathers another tensor".to_owned()),
        _ => Ok(None),
    }
}

/// Whether DTensor gathers at all: where it refuses, the shards have all of the tensor.
fn gathered_at_all(fields: &Fields) -> Judged {
    match fields.contains_key("full_tensor_error") {
        true if is_strided_and_whole(fields)? => Ok(Some(Kind::Rejects)),
        true => Err("it gathers nothing".to_owned()),
        false => Ok(None),
    }
}

/// The sets of a sharding with tiles and of one with chunks.
pub(super) fn both(tiled: &Sharding, chunked: &Sharding) -> Result<[Held; 2], String> {
    let is_chunked = chunked.placement().rules.iter().all(|rule| matches!(rule, Rule::Chunked(_)));
    let devices = chunked.devices().map_err(|error| error.to_string())?;
    match is_chunked {
        true => Ok([ours(tiled, devices)?, ours(chunked, devices)?]),
        false => Err("no chunks".to_owned()),
    }
}
