//! Texts that a system refuses, or accepts although they have no meaning.

use bitstride::sharding::{HloSharding, HloText, Placement};
use serde_json::Value;

use super::placed::{dropped, dtensor, dtensor_shards, jax, named_shards, printed, shardy};
use super::{Answer, Fields, Judged, numbers, system_of, text};
use crate::vectors::judge::Kind;

pub(super) const HLO: [Answer; 1] = [("printed", hlo)];

pub(super) const NAMED: [Answer; 1] = [("hlo", named)];

pub(super) const DTENSOR: [Answer; 1] = [("shards", placements)];

/// XLA's text: what it refuses we refuse; what it accepts is what it prints, or no list of devices.
fn hlo(fields: &Fields) -> Judged {
    let read = text(fields, "text").parse::<HloSharding>();
    let is_refused = fields.contains_key("error");
    match read {
        Err(_) if is_refused => Ok(None),
        Err(error) => match is_lawless(fields) {
            true => Ok(Some(Kind::AcceptsUnlawful)),
            false => Err(format!("XLA reads it, and we refuse: {error}")),
        },
        Ok(read) if is_refused => Err(format!("XLA refuses it, and we read {read}")),
        Ok(HloSharding::One(read)) => printed(fields, &read).map(|()| None),
        Ok(tuple) => match tuple.to_string() == text(fields, "printed") {
            true => Ok(None),
            false => Err(format!("we print {tuple}")),
        },
    }
}

/// Whether the devices that XLA has in its grid are not each of them once.
fn is_lawless(fields: &Fields) -> bool {
    let devices = numbers(fields.get("tile_devices")).unwrap_or_default();
    let mut sorted = devices.clone();
    sorted.sort_unstable();
    // A list in the text of another length than the grid was cut or filled.
    let listed = text(fields, "text").split_once(']').map_or(0, |(_, rest)| {
        match rest.starts_with(|c: char| c.is_ascii_digit()) {
            true => rest.split([',', '}', ' ']).filter(|device| device.trim().parse::<i64>().is_ok()).count(),
            false => devices.len(),
        }
    });
    let count = i64::try_from(devices.len()).unwrap_or(0);
    let is_single = devices.len() == 1 && devices.iter().all(|device| *device >= 0);
    !is_single && (!sorted.into_iter().eq(0..count) || listed != devices.len())
}

/// The devices of the mesh of a row.
fn devices(fields: &Fields) -> i64 {
    let mesh = Placement::read("#sdy.sharding<@mesh, []>", fields.get("mesh").map(super::mesh).as_deref());
    mesh.ok().and_then(|placement| placement.devices()).unwrap_or(0)
}

fn named(fields: &Fields) -> Judged {
    let error = fields.get("error").and_then(Value::as_str);
    match system_of(fields) {
        "jax" => match (error, jax(fields)) {
            (Some(_), Err(_)) => Ok(None),
            (Some(error), Ok(sharding)) => Err(format!("JAX refuses, {error}, and we read {sharding}")),
            _ => named_shards(fields),
        },
        "shardy" => match (error, shardy(fields)) {
            (Some(_), Err(_)) => Ok(None),
            (Some(error), Ok(sharding)) => Err(format!("Shardy refuses, {error}, and we read {sharding}")),
            (None, Err(error)) => match text(fields, "hlo").parse::<HloSharding>() {
                Ok(HloSharding::One(exported)) if exported.tile_dims().iter().product::<i64>() == devices(fields) => {
                    Err(format!("Shardy reads it, and we refuse: {error}"))
                }
                // What it exports is of other devices than those of the mesh.
                _ => Ok(Some(Kind::AcceptsUnlawful)),
            },
            (None, Ok(sharding)) => {
                let own = HloText::of(sharding.placement()).map_err(|error| error.to_string())?.to_string();
                if own == text(fields, "hlo") {
                    return Ok(None);
                }
                let left = dropped(fields, &sharding)?;
                let own = HloText::of(left.placement()).map_err(|error| error.to_string())?.to_string();
                if own == text(fields, "hlo") { Ok(Some(Kind::BreaksLaw)) } else { Err(format!("we write {own}")) }
            }
        },
        _ => match (error, Placement::read(text(fields, "text"), None)) {
            (Some(_), Err(_)) => Ok(None),
            (Some(error), Ok(_)) => Err(format!("XLA refuses, {error}, and we read it")),
            (None, Err(error)) => Err(format!("XLA reads it, and we refuse: {error}")),
            (None, Ok(placement)) => {
                let own = HloText::of(&placement).map_err(|error| error.to_string())?.to_string();
                if own == text(fields, "v2") { Ok(None) } else { Err(format!("we write {own}")) }
            }
        },
    }
}

fn placements(fields: &Fields) -> Judged {
    match (fields.get("error"), dtensor(fields)) {
        (Some(_), Err(_)) => Ok(None),
        (Some(error), Ok(sharding)) => Err(format!("DTensor refuses, {error}, and we read {sharding}")),
        (None, _) => dtensor_shards(fields).and_then(|_| super::placed::dtensor_local(fields)),
    }
}
