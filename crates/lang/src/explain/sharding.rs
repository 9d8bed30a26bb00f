//! Tensors over devices: the digits that devices have of each dim, and the devices that decide an answer.

use super::steps::Steps;
use crate::Value;
use bitstride::Error;
use bitstride::sharding::{Digits, Movement, Rule, Sharding};
use bitstride::xla::{Array, Dim};

/// An operation on tensors over devices; false for another one, or for other operands.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<bool, Error> {
    match (name, values) {
        ("device_shard", [Value::Sharding(sharding), device]) => {
            let device = device.as_number()?;
            steps.add(format!("{} Device {device} holds:", cut(sharding)), shard(sharding, device))?;
        }
        ("device_memory", [Value::Sharding(sharding)]) => {
            let last = sharding.devices()? - 1;
            steps.add(format!("{} Device {last} holds:", cut(sharding)), shard(sharding, last))?;
            let extents = sharding.allocation(last)?.unwrap_or_default().into_iter().map(Dim::Static).collect();
            let local = Array { dims: extents, ..sharding.array().clone() };
            steps.add(
                "Its memory has them as this array, whose inverse leads from an offset to an element:".to_owned(),
                local.to_string(),
            )?;
        }
        ("same" | "diff", [Value::Sharding(left), Value::Sharding(right)]) => {
            let comparison = left.compare(right)?;
            // Where nothing differs, the last device has all its digits at their greatest.
            let last = left.devices().or_else(|_| right.devices()).map_or(0, |devices| devices - 1);
            let device = comparison.elements.as_ref().map_or(last, |difference| difference.device);
            for (which, sharding) in [("first", left), ("second", right)] {
                let sharding = sharding.on(last + 1).unwrap_or_else(|_| (**sharding).clone());
                steps
                    .add(format!("The {which}: {} Device {device} holds:", cut(&sharding)), shard(&sharding, device))?;
            }
        }
        ("convert", [Value::Sharding(sharding), ..]) => {
            let device = sharding.devices().map_or(0, |devices| devices - 1);
            steps.add(format!("{} Device {device} holds:", cut(sharding)), shard(sharding, device))?;
        }
        ("reshard", [Value::Sharding(source), Value::Sharding(target)]) => {
            let plan = source.reshard(target)?;
            let most = plan.received.iter().max().copied().unwrap_or(0);
            let device = plan.received.iter().position(|bytes| *bytes == most).unwrap_or(0);
            let device = i64::try_from(device).unwrap_or(0);
            let before = format!("Before: {} Device {device}, which receives most, holds:", cut(source));
            steps.add(before, shard(source, device))?;
            let why = match plan.movement {
                Movement::Nothing => "nothing moves".to_owned(),
                Movement::LocalSlice => "each device keeps a part".to_owned(),
                Movement::General => "the digits that change are not those of one collective".to_owned(),
                other => format!("the digits that change are those of a {other}"),
            };
            let after = format!(
                "After: {} It is to hold the following; what it did not hold it receives, {most} bytes, and {why}:",
                cut(target)
            );
            steps.add(after, shard(target, device))?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn shard(sharding: &Sharding, device: i64) -> String {
    format!("device_shard({sharding}, {device})")
}

/// How the dims are cut, in words.
fn cut(sharding: &Sharding) -> String {
    let mut words = Vec::new();
    let placement = sharding.placement();
    if let Some(digits) = Digits::of(sharding) {
        for (dim, own) in digits.dims.iter().enumerate() {
            let named = own.iter().map(|digit| match digit.device {
                Some(weight) => format!("{} along devices {weight} apart", digit.radix),
                None => format!("{} local", digit.radix),
            });
            let named: Vec<String> = named.collect();
            if own.iter().any(|digit| digit.device.is_some()) {
                words.push(format!("Dim {dim} is, the slowest digit first, {}.", named.join(", ")));
            }
        }
    } else {
        for (dim, (rule, extent)) in placement.rules.iter().zip(sharding.shape()).enumerate() {
            match rule {
                Rule::Tiled(digits) if !digits.is_empty() => {
                    let tiles = placement.tiles(dim).unwrap_or(1);
                    words.push(format!(
                        "Dim {dim} of {extent} is cut in {tiles} tiles of {}, rounded up.",
                        extent / tiles + i64::from(extent % tiles > 0)
                    ));
                }
                Rule::Chunked(chunks) if !chunks.is_empty() => {
                    let each = chunks.iter().map(|(digit, factor)| match factor {
                        1 => format!("{} chunks", placement.radix(*digit)),
                        factor => format!("{factor} chunks of {} pieces", placement.radix(*digit)),
                    });
                    let each: Vec<String> = each.collect();
                    words.push(format!(
                        "Dim {dim} of {extent} is cut in {}, each time what is left.",
                        each.join(", then in ")
                    ));
                }
                _ => {}
            }
        }
    }
    if words.is_empty() {
        words.push("No dim is cut.".to_owned());
    }
    words.join(" ")
}
