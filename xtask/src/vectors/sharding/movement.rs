//! What has to move from one sharding to another: the bytes that each device receives at least.

use bitstride::sharding::{Movement, Sharding};
use serde_json::Value;

use super::shards::{equal, ours, sharding, stated};
use super::{Answer, Fields, Judged, array, mesh, text};
use crate::vectors::judge::Kind;

pub(super) const JAX: [Answer; 2] = [("source_shards", jax_shards), ("min_recv_bytes", jax_bytes)];

pub(super) const DTENSOR: [Answer; 4] = [
    ("source_shards", dtensor_shards),
    ("min_recv_bytes", dtensor_bytes),
    ("greedy", |fields| result(fields, "greedy")),
    ("min_cost", |fields| result(fields, "min_cost")),
];

fn jax(fields: &Fields) -> Result<[Sharding; 2], String> {
    let side = |name: &str| {
        let side = fields.get(name).cloned().unwrap_or_default();
        let mesh = mesh(side.get("mesh").unwrap_or(&Value::Null));
        let text = side.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        sharding(&format!("shard({}, {text}, {mesh})", array(fields)))
    };
    Ok([side("source")?, side("target")?])
}

fn dtensor(fields: &Fields) -> Result<[Sharding; 2], String> {
    let mesh = mesh(fields.get("mesh").unwrap_or(&Value::Null));
    let side = |name: &str| sharding(&format!("shard({}, {}, {mesh})", array(fields), text(fields, name)));
    Ok([side("source")?, side("target")?])
}

fn shards(fields: &Fields, both: &[Sharding; 2]) -> Judged {
    for (name, sharding) in ["source_shards", "target_shards"].iter().zip(both) {
        let devices = sharding.devices().map_err(|error| error.to_string())?;
        equal(&stated(fields.get(*name))?, &ours(sharding, devices)?)?;
    }
    Ok(None)
}

fn bytes(fields: &Fields, [source, target]: &[Sharding; 2]) -> Judged {
    let plan = source.reshard(target).map_err(|error| error.to_string())?;
    let theirs = fields.get("min_recv_bytes").and_then(Value::as_object).ok_or("no bytes are stated")?;
    for (device, own) in plan.received.iter().enumerate() {
        let stated = theirs.get(&device.to_string()).and_then(Value::as_i64).unwrap_or(0);
        if stated != *own {
            return Err(format!("device {device} receives {own} bytes here, {stated} there"));
        }
    }
    let is_local = matches!(plan.movement, Movement::Nothing | Movement::LocalSlice);
    if is_local != plan.received.iter().all(|bytes| *bytes == 0) {
        return Err(format!("{} of {} bytes", plan.movement, plan.total()));
    }
    match plan.collective.iter().zip(&plan.received).all(|(collective, least)| collective >= least) {
        true => Ok(None),
        false => Err(format!(
            "{}: the collective receives {:?}, and the bound is {:?}",
            plan.movement, plan.collective, plan.received
        )),
    }
}

fn jax_shards(fields: &Fields) -> Judged {
    shards(fields, &jax(fields)?)
}

fn jax_bytes(fields: &Fields) -> Judged {
    bytes(fields, &jax(fields)?)
}

fn dtensor_shards(fields: &Fields) -> Judged {
    shards(fields, &dtensor(fields)?)
}

fn dtensor_bytes(fields: &Fields) -> Judged {
    bytes(fields, &dtensor(fields)?)
}

/// Whether DTensor's own movement ends at the target; where it does not, strided chunks are on one side.
fn result(fields: &Fields, planner: &str) -> Judged {
    let is_right = fields.get(planner).and_then(|plan| plan.get("result_right")).and_then(Value::as_bool);
    let is_strided = ["source", "target"].iter().any(|side| text(fields, side).contains("_StridedShard"));
    match is_right {
        // The shards that are asked are ours, whatever it has.
        Some(false) if is_strided => dtensor_shards(fields).map(|_| Some(Kind::BreaksLaw)),
        Some(false) => Err("its shards are not the target's".to_owned()),
        _ => Ok(None),
    }
}
