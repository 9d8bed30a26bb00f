//! One sharding written for four systems: whether tiles that are padded and chunks of chunks hold the same elements.

use bitstride::sharding::Sharding;
use serde_json::Value;

use super::placed::both;
use super::shards::{Held, equal, sharding, stated};
use super::{Answer, Fields, Judged, array, mesh, text};

pub(super) const PAIRS: [Answer; 3] = [("hlo_shards", held), ("first_difference", verdict), ("jax", readings)];

fn written(fields: &Fields, name: &str) -> Result<Sharding, String> {
    let mesh = mesh(fields.get("mesh").unwrap_or(&Value::Null));
    let devices: i64 =
        super::numbers(fields.get("mesh").and_then(|mesh| mesh.get("sizes"))).unwrap_or_default().iter().product();
    sharding(&match name {
        "hlo" => format!("shard({}, '{}', {devices})", array(fields), text(fields, "hlo")),
        _ => format!("shard({}, {}, {mesh})", array(fields), text(fields, name)),
    })
}

fn held(fields: &Fields) -> Judged {
    let [tiled, chunked] = both(&written(fields, "hlo")?, &written(fields, "dtensor")?)?;
    equal(&stated(fields.get("hlo_shards"))?, &tiled)?;
    equal(&stated(fields.get("dtensor_shards"))?, &chunked).map(|()| None)
}

/// The verdict, and the first device that shows it with what it holds.
fn verdict(fields: &Fields) -> Judged {
    let comparison =
        written(fields, "hlo")?.compare(&written(fields, "dtensor")?).map_err(|error| error.to_string())?;
    let same = fields.get("hlo_same_as_dtensor").and_then(Value::as_bool).ok_or("no verdict")?;
    if comparison.holds() != same {
        return Err(format!("we say: {comparison}"));
    }
    let (Some(own), Some(stated_difference)) =
        (&comparison.elements, fields.get("first_difference").filter(|value| !value.is_null()))
    else {
        return if same { Ok(None) } else { Err("no difference is named".to_owned()) };
    };
    let theirs = stated_difference.get("device").and_then(Value::as_str).unwrap_or_default();
    let named = |name: &str| stated_difference.get(name).cloned().unwrap_or_default();
    let one = |name: &str| -> Result<Held, String> { stated(Some(&serde_json::json!({theirs: named(name)}))) };
    let sides: Vec<Held> = own
        .held
        .iter()
        .map(|held| {
            let dims = held.iter().flatten().map(|dim| (0..dim.size()).map_while(|at| dim.at(at)).collect::<Vec<_>>());
            let dims: Vec<Vec<i64>> = dims.collect();
            if dims.iter().all(|dim| !dim.is_empty()) { Held::from([(own.device, dims)]) } else { Held::new() }
        })
        .collect();
    match (theirs == own.device.to_string(), sides.as_slice()) {
        (true, [tiled, chunked]) => {
            equal(&one("hlo")?, tiled)?;
            equal(&one("dtensor")?, chunked).map(|()| None)
        }
        _ => Err(format!("we say: {comparison}")),
    }
}

/// The texts of JAX and Shardy are the tiles too, or JAX refuses.
fn readings(fields: &Fields) -> Judged {
    let tiled = written(fields, "hlo")?;
    let mut readings = vec![written(fields, "shardy")?];
    match (written(fields, "jax"), fields.get("jax_refuses").and_then(Value::as_bool)) {
        (Ok(jax), Some(false)) => readings.push(jax),
        (Err(_), Some(true)) => {}
        (read, refuses) => return Err(format!("JAX refuses: {refuses:?}, and we say {read:?}")),
    }
    for reading in readings {
        let comparison = tiled.compare(&reading).map_err(|error| error.to_string())?;
        if !comparison.holds() {
            return Err(format!("{tiled} and {reading}: {comparison}"));
        }
    }
    Ok(None)
}
