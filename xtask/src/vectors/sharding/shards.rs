//! What each device holds, as rows write it and as we say it.

use std::collections::BTreeMap;

use bitstride::sharding::Sharding;
use serde_json::Value;

/// The indices of each dim by device; a device that holds nothing is not there.
pub(super) type Held = BTreeMap<i64, Vec<Vec<i64>>>;

/// What a row says: ranges by dim, `[start, stop]` or `[start, stop, step]`.
pub(super) fn stated(value: Option<&Value>) -> Result<Held, String> {
    let by_device = value.and_then(Value::as_object).ok_or("no shards are stated")?;
    let mut held = Held::new();
    for (device, dims) in by_device {
        let device = device.parse().map_err(|_| format!("{device} is no device"))?;
        let dims = dims.as_array().ok_or("a shard is a list of dims")?;
        let dims: Vec<Vec<i64>> = dims.iter().map(indices).collect::<Option<_>>().ok_or("a range is not read")?;
        if dims.iter().all(|dim| !dim.is_empty()) {
            held.insert(device, dims);
        }
    }
    Ok(held)
}

fn indices(dim: &Value) -> Option<Vec<i64>> {
    let mut all = Vec::new();
    for range in dim.as_array()? {
        match super::numbers(Some(range))?.as_slice() {
            [start, stop] => all.extend(*start..*stop),
            [start, stop, step] => {
                let step = usize::try_from(*step).ok()?;
                all.extend((*start..*stop).step_by(step));
            }
            _ => return None,
        }
    }
    Some(all)
}

/// What a sharding says of a given number of devices.
pub(super) fn ours(sharding: &Sharding, devices: i64) -> Result<Held, String> {
    let mut held = Held::new();
    for device in 0..devices {
        let Some(dims) = sharding.shard(device).map_err(|error| error.to_string())? else { continue };
        let dims = dims.iter().map(|indices| (0..indices.size()).map_while(|at| indices.at(at)).collect::<Vec<_>>());
        let dims: Vec<Vec<i64>> = dims.collect();
        if dims.iter().all(|dim| !dim.is_empty()) {
            held.insert(device, dims);
        }
    }
    Ok(held)
}

/// The first device at which two differ.
pub(super) fn equal(theirs: &Held, ours: &Held) -> Result<(), String> {
    let differing = theirs.keys().chain(ours.keys()).find(|device| theirs.get(device) != ours.get(device));
    match differing {
        None => Ok(()),
        Some(device) => {
            Err(format!("device {device} holds {:?} there, {:?} here", theirs.get(device), ours.get(device)))
        }
    }
}

/// A sharding from its text.
pub(super) fn sharding(text: &str) -> Result<Sharding, String> {
    text.parse().map_err(|error: bitstride::Error| format!("{text}: {error}"))
}

/// The same, printed and read again.
pub(super) fn again(sharding: &Sharding) -> Result<(), String> {
    let text = sharding.to_string();
    let read = self::sharding(&text)?;
    let comparison = sharding.compare(&read).map_err(|error| format!("{text}: {error}"))?;
    if comparison.holds() && read.to_string() == text {
        Ok(())
    } else {
        Err(format!("{text} reads as {read}: {comparison}"))
    }
}
