//! Tensors over devices: what a device holds, whether two are the same, other notations, and what has to move.

use super::numbers::number;
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{DEVICE, SHARDED, SHARDED_SOURCE, SHARDED_TARGET};
use super::value::{Mapped, Value};
use bitstride::linear::Name;
use bitstride::map::{Difference, Direction, Map, Order, Unit, Verdict};
use bitstride::sharding::{Movement, Notation, Reshard, Sharding, written};
use bitstride::{Code, Error, error};

constructor!(maps, Maps);

pub(super) const SHARDING: &[Operation] = &[
    maps(
        "device_shard",
        &[SHARDED, DEVICE],
        "the box of a tensor that a device holds, dim by dim",
        "device_shard(shard(f32[8,6], P(('b','a'), None), mesh(a=2,b=4)), 1)",
        |v, notes| {
            let (sharding, device) = (arg(v, 0)?.as_sharding()?, number(v, 1)?);
            let held = sharding.shard(device)?;
            if let (Some(held), Some(allocated)) = (&held, sharding.allocation(device)?) {
                let sizes: Vec<i64> = held.iter().map(bitstride::sharding::Indices::size).collect();
                if sizes != allocated {
                    notes.push(format!("it allocates {allocated:?}, of which {sizes:?} are elements"));
                }
            }
            Ok(Value::Text(written(&held)))
        },
    ),
    maps(
        "device_memory",
        &[SHARDED],
        "the map from a device and an offset in its memory to the element there, through the tiles of the array",
        "device_memory(shard(bf16[32,256]{1,0:T(8,128)(2,1)}, P('a', None), mesh(a=2)))",
        |v, notes| {
            let sharding = arg(v, 0)?.as_sharding()?;
            let map = Map::of_device_memory(&sharding)?;
            notes.push(format!("offsets count elements of {} bits", sharding.array().element_bits()));
            Ok(Value::Map(Box::new(Mapped { map, text: format!("device_memory({sharding})") })))
        },
    ),
    maps(
        "reshard",
        &[SHARDED_SOURCE, SHARDED_TARGET],
        "what has to move from one sharding to another: the class, the least bytes that devices receive, and what named collectives take",
        "reshard(shard(f32[8,8], P('a', None), mesh(a=2,b=4)), shard(f32[8,8], P(None, 'a'), mesh(a=2,b=4)))",
        |v, notes| {
            let plan = arg(v, 0)?.as_sharding()?.reshard(&arg(v, 1)?.as_sharding()?)?;
            notes.extend(grouped(&plan));
            notes.extend(advice(&plan));
            Ok(Value::Text(summary(&plan)))
        },
    ),
];

/// The plan in a sentence.
fn summary(plan: &Reshard) -> String {
    let least = plan.received.iter().min().copied().unwrap_or(0);
    let most = plan.received.iter().max().copied().unwrap_or(0);
    let each = if least == most { format!("{most} bytes") } else { format!("{least} to {most} bytes") };
    let collective = match plan.collective_total() {
        total if total == plan.total() => String::new(),
        total => format!("; named collectives receive {total}"),
    };
    format!(
        "{}: each of {} devices receives {each} at least, {} in all{collective}",
        plan.movement,
        plan.devices,
        plan.total()
    )
}

/// More groups, and members of one, are not listed.
const MAX_LISTED: i64 = 8;

/// The devices that move together.
fn grouped(plan: &Reshard) -> Option<String> {
    let groups = plan.groups.as_ref()?;
    let listed = |group: i64| {
        let members: Vec<String> = groups.members(group).iter().take(16).map(i64::to_string).collect();
        let more = if groups.size > 16 { ",…" } else { "" };
        format!("{{{}{more}}}", members.join(","))
    };
    let shown: Vec<String> = (0..groups.count.min(MAX_LISTED)).map(listed).collect();
    let more = if groups.count > MAX_LISTED { ", …" } else { "" };
    let words = if groups.count == 1 { "group" } else { "groups" };
    Some(format!("{} {words} of {}: {}{more}", groups.count, groups.size, shown.join(", ")))
}

/// What a compiler does instead of a general movement, and how to avoid it.
fn advice(plan: &Reshard) -> Option<String> {
    (plan.movement == Movement::General && plan.collective_total() > plan.total()).then(|| {
        "no single collective does this; a compiler may gather all and slice (\"full rematerialization\"): slice first, \
         exchange the digits that change dims, and gather last, each as a sharding of its own"
            .to_owned()
    })
}

/// Whether two tensors over devices are the same; `None` where neither is one.
pub(super) fn same(left: &Value, right: &Value, notes: &mut Vec<String>) -> Result<Option<Verdict>, Error> {
    match (left, right) {
        (Value::Sharding(left), Value::Sharding(right)) => {
            let comparison = left.compare(right)?;
            let difference = match comparison.holds() {
                true => {
                    notes.push(comparison.to_string());
                    None
                }
                false => Some(Difference::Words(comparison.to_string())),
            };
            Ok(Some(Verdict { difference, alignment: String::new(), by: None, differences: None }))
        }
        (Value::Sharding(sharding), other) | (other, Value::Sharding(sharding)) => {
            notes.push("devices are read as threads, and the elements of a shard as values".to_owned());
            let map = as_threads(&Map::of_sharding(sharding)?)?;
            map.same(&other.as_map()?).map(Some)
        }
        _ => Ok(None),
    }
}

/// Devices as threads, so that a thread-value layout can be compared with them.
fn as_threads(map: &Map) -> Result<Map, Error> {
    Ok(map.with_names(&[Name::THREAD, Name::VALUE], Unit::Part, Direction::ToIndex))
}

/// The notations of tensors over devices.
const NOTATIONS: [(&str, Notation); 5] = [
    ("hlo", Notation::Hlo),
    ("hlo_mesh", Notation::HloMesh),
    ("jax", Notation::Jax),
    ("sdy", Notation::Shardy),
    ("dtensor", Notation::DTensor),
];

/// A tensor over devices in another notation; `None` for a notation of other layouts.
pub(super) fn convert(sharding: &Sharding, notation: Name, notes: &mut Vec<String>) -> Result<Option<Value>, Error> {
    if notation.as_str() == "tv" {
        notes
            .push("thread is the device; value counts the elements of its shard, the first dim the fastest".to_owned());
        let map = as_threads(&Map::of_sharding(sharding)?)?;
        let flat = map.into_flat(Order::ColumnMajor)?.to_cute().map(Value::from)?;
        let extents: Vec<String> = sharding.shape().iter().map(i64::to_string).collect();
        let text = format!("tv({flat}, ({}))", extents.join(","));
        return Ok(Some(Value::Map(Box::new(Mapped { map, text }))));
    }
    let Some((_, notation)) = NOTATIONS.iter().find(|(name, _)| *name == notation.as_str()) else { return Ok(None) };
    sharding.to(*notation).map(|other| Some(Value::Sharding(Box::new(other))))
}

/// The refusal to write anything else in the notation of a tensor over devices.
pub(super) fn only_sharded(notation: Name) -> Option<Error> {
    let is_own = matches!(notation.as_str(), "hlo" | "hlo_mesh" | "sdy" | "dtensor");
    is_own.then(|| {
        error!(Code::Kind, "{notation} writes tensors over devices, and this is none", [notation])
            .with_help("such as `shard(f32[8,6], P('a', None), mesh(a=2))`")
    })
}
