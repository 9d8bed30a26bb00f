//! A file of StableHLO as a [`Report`].

use bitstride::Error;
use bitstride::sharding::{Sharding, Spread};

use super::{Dump, Mesh, Resharded, Sharded};
use crate::Dialect;
use crate::report::{Bytes, Item, Report, by, counted};

impl Dump {
    /// What the file tells; what stands on the line `marked` is marked.
    pub fn report(&self, marked: Option<u64>) -> Report {
        let mut report = Report { dialect: Dialect::StableHlo, head: self.head(), ..Report::default() };
        report.push("mesh", "meshes", self.meshes.iter().map(|mesh| mesh.item(marked)).collect());
        report.push("sharding", "shardings", self.shardings.iter().map(Sharded::item).collect());
        let reshards = self.reshards.iter().map(Resharded::item).collect();
        report.push("reshard", "changes of sharding", reshards);
        report.push("unread", "not read", self.unread.iter().map(|one| one.item(marked)).collect());
        report
    }

    fn head(&self) -> Vec<String> {
        let module = if self.module.is_empty() { "a module without a name" } else { self.module.as_str() };
        let count = |length: usize| i128::try_from(length).unwrap_or(i128::MAX);
        let values: u64 = self.shardings.iter().map(|sharded| sharded.count).sum();
        let changes: u64 = self.reshards.iter().map(|reshard| reshard.count).sum();
        let first = format!(
            "{module}, {}, {}",
            counted(self.lines, "line", "lines"),
            counted(count(self.meshes.len()), "mesh", "meshes")
        );
        let mut second = format!(
            "{} with {}; {}",
            counted(values, "tensor", "tensors"),
            counted(count(self.shardings.len()), "sharding", "shardings"),
            counted(changes, "change of sharding", "changes of sharding")
        );
        if self.unread_count > 0 {
            second += &format!("; {} not read", self.unread_count);
        }
        vec![first, second]
    }
}

impl Resharded {
    fn item(&self) -> Item {
        let identity = format!("{} {} {} -> {}", self.operation, self.tensor, self.from, self.to);
        let item = Item { is_marked: self.is_marked, ..Item::on(self.line, None) }
            .known_as(identity, self.count)
            .with("name", self.name.as_str())
            .with("operation", self.operation.as_str())
            .with("tensor", self.tensor.as_str())
            .with("from", self.from.as_str())
            .with("to", self.to.as_str())
            .with("count", self.count)
            .say(format!("{}  {} of {}{}", self.name, self.operation, self.tensor, times(self.count)))
            .say(format!("{} -> {}", short(&self.from), short(&self.to)));
        let moved = self.before.reshard(&self.after).and_then(|plan| {
            let all = plan.received.iter().try_fold(0i64, |all, bytes| all.checked_add(*bytes));
            Ok((all.ok_or_else(|| Error::overflow("the bytes of all devices"))?, plan))
        });
        match moved {
            Ok((all, plan)) => {
                let most = plan.received.iter().max().copied().unwrap_or(0);
                let movement = plan.movement.to_string();
                let words = match all {
                    0 => format!("free: {movement}"),
                    _ => format!("{movement}: a device receives up to {}, all together {}", Bytes(most), Bytes(all)),
                };
                item.with("movement", movement.as_str())
                    .with("free", all == 0)
                    .with("bytes", all)
                    .with("bytes_of_device", most)
                    .say(words + open(&[&self.from, &self.to]))
            }
            Err(error) => item.with("reason", error.message()).say(error.to_string()),
        }
    }
}

impl Mesh {
    fn item(&self, marked: Option<u64>) -> Item {
        Item::on(self.line, marked)
            .known_as(format!("{} {}", self.name, self.axes), 1)
            .with("name", self.name.as_str())
            .with("axes", self.axes.as_str())
            .say(format!("{} = {}", self.name, self.axes))
    }
}

impl Sharded {
    fn item(&self) -> Item {
        let item = Item { is_marked: self.is_marked, ..Item::on(self.line, None) }
            .known_as(format!("{} {}", self.tensor, self.text), self.count)
            .with("name", self.name.as_str())
            .with("tensor", self.tensor.as_str())
            .with("sharding", self.text.as_str())
            .with("count", self.count)
            .say(format!(
                "{}  {} {}, {}",
                self.name,
                self.tensor,
                short(&self.text),
                counted(self.count, "tensor", "tensors")
            ));
        if let Spread::Only(device) = self.sharding.placement().spread {
            return item.say(format!("device {device} holds all of it, and the others nothing"));
        }
        match Part::of(&self.sharding) {
            Ok(Part { devices, extents, bytes, padded }) => {
                let extents = if extents.is_empty() { "one element".to_owned() } else { by(&extents) };
                let padding = if padded { ", the last ones with padding" } else { "" };
                let words = format!("each of {devices} devices holds {extents} in {}{padding}", Bytes(bytes));
                item.with("devices", devices)
                    .with("part", extents)
                    .with("padded", padded)
                    .with("bytes", bytes)
                    .say(words + open(&[&self.text]))
            }
            Err(error) => item.with("reason", error.message()).say(error.to_string()),
        }
    }
}

/// What each device allocates.
struct Part {
    devices: i64,
    extents: Vec<i64>,
    bytes: i64,
    /// Whether the parts together are more than the tensor.
    padded: bool,
}

impl Part {
    fn of(sharding: &Sharding) -> Result<Self, Error> {
        let devices = sharding.devices()?;
        // Of MLIR's shardings every device of a mesh allocates as much as the first.
        let extents = sharding.allocation(0)?.unwrap_or_default();
        let elements = extents.iter().map(|extent| i128::from(*extent)).fold(1, i128::saturating_mul);
        let bits = elements.saturating_mul(i128::from(sharding.array().element_bits()));
        let bytes = i64::try_from(bits.saturating_add(7) / 8).map_err(|_| Error::overflow("the bytes of a part"))?;
        let mut padded = false;
        for (dim, (part, whole)) in extents.iter().zip(sharding.shape()).enumerate() {
            padded |= i128::from(*part) * i128::from(sharding.placement().tiles(dim)?) != i128::from(*whole);
        }
        Ok(Part { devices, extents, bytes, padded })
    }
}

/// What is not said yet of shardings with open dims.
fn open(texts: &[&str]) -> &'static str {
    if texts.iter().any(|text| text.contains('?')) { "; dims with `?` may be cut further" } else { "" }
}

/// A sharding of Shardy without its first words: `@mesh, [{"x"}, {}]`.
fn short(text: &str) -> &str {
    text.strip_prefix("#sdy.sharding<").and_then(|text| text.strip_suffix('>')).unwrap_or(text)
}

fn times(count: u64) -> String {
    if count == 1 { String::new() } else { format!(", {count} times") }
}
