//! The text of XLA's programs: `{devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}`.
//!
//! Read as strictly as XLA's own rules say, where its parser lets pass what has no meaning: a list names each device once, an
//! order multiplies out and is a permutation, and groups are not more than the dims. Printed as XLA prints it: groups of equal
//! kinds merged, those of one device left out, replicas last and in ascending order.

use std::fmt;
use std::str::FromStr;

use super::mesh::{Mesh, MeshAxis, Part};
use super::order::{Order, product};
use super::placement::{PlaceDigit, Placement, Reduction, Role, Rule, Spread, unplaced};
use crate::cast::length;
use crate::error::{Code, Error};
use crate::reader::Reader;

/// What devices along a dim of the grid behind the tensor's dims do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The program is written for each of them.
    Manual,
    /// They hold summands.
    Unreduced,
    /// They hold copies.
    Replicated,
}

/// What a text says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HloKind {
    /// `{replicated}`; the number of devices, where the text says it.
    Replicated(Option<i64>),
    /// `{manual}`
    Manual,
    /// `{unknown}`
    Unknown,
    /// `{unreduced}`
    Unreduced,
    /// `{maximal device=3}`
    Maximal(i64),
    /// `{devices=[…]…}`
    Tiled {
        /// In how many tiles each dim is cut.
        tiles: Vec<i64>,
        /// The dims of the grid behind those of the tensor.
        groups: Vec<(Group, i64)>,
        /// Which device stands at which position of the grid.
        order: Order,
    },
}

/// A sharding as XLA writes it, before it is of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HloText {
    /// What it says.
    pub kind: HloKind,
    /// `shard_as N` or `shard_like N`: tensors of one number get one sharding, which says nothing of places.
    pub together: Option<(&'static str, i64)>,
}

/// A sharding, or one for each array of a tuple.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HloSharding {
    /// Of one array.
    One(HloText),
    /// Of a tuple of arrays.
    Tuple(Vec<HloText>),
}

impl FromStr for HloSharding {
    type Err = Error;

    /// Reads a text.
    ///
    /// ```
    /// use bitstride::sharding::HloSharding;
    /// let read: HloSharding = "{ devices=[4, 2]<=[2, 4]T(0, 1) }".parse()?;
    /// assert_eq!(read.to_string(), "{devices=[4,2]<=[8]}");
    /// assert!("{devices=[2,4]0,1,2}".parse::<HloSharding>().is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut reader = Reader::limited(text);
        let sharding = read(&mut reader)?;
        reader.end()?;
        Ok(sharding)
    }
}

/// Reads a sharding or a tuple of them.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<HloSharding, Error> {
    reader.need("{")?;
    if reader.take("}") {
        return Ok(HloSharding::Tuple(Vec::new()));
    }
    if reader.at("{") {
        let one = |reader: &mut Reader<'_>| {
            // `/*index=5*/` stands before every fifth.
            if reader.take("/*") {
                reader.scanner.run(|c| c != '*');
                reader.need("*/")?;
            }
            reader.need("{")?;
            inside(reader)
        };
        return reader.list("}", one).map(HloSharding::Tuple);
    }
    inside(reader).map(HloSharding::One)
}

/// Behind the opening brace.
fn inside(reader: &mut Reader<'_>) -> Result<HloText, Error> {
    const KINDS: &str = "`replicated`, `maximal device=`, `devices=[`, `manual`, `unreduced`, `unknown` or `mesh[`";
    let kind = if reader.take_word("replicated") {
        HloKind::Replicated(None)
    } else if reader.take_word("manual") {
        HloKind::Manual
    } else if reader.take_word("unknown") {
        HloKind::Unknown
    } else if reader.take_word("unreduced") {
        HloKind::Unreduced
    } else if reader.take_word("maximal") {
        if !reader.take_word("device") {
            return Err(reader.expected("`device=` and the number of the device"));
        }
        reader.need("=")?;
        HloKind::Maximal(device(reader)?)
    } else if reader.take_word("devices") {
        tiled(reader)?
    } else {
        return Err(reader.expected(KINDS));
    };
    let mut together = None;
    loop {
        let word = ["shard_as", "shard_like"].into_iter().find(|word| reader.take_word(word));
        match word {
            Some(word) if together.is_none() => together = Some((word, reader.integer("the number of a group")?)),
            Some(_) => return Err(reader.expected("one of `shard_as` and `shard_like` only")),
            None if reader.take_word("metadata") => {
                reader.need("=")?;
                reader.need("{")?;
                reader.braced()?;
            }
            None => break,
        }
    }
    reader.need("}")?;
    Ok(HloText { kind, together })
}

/// The number of a device.
pub(super) fn device(reader: &mut Reader<'_>) -> Result<i64, Error> {
    let device = reader.integer("the number of a device")?;
    if device < 0 {
        return Err(error!(Code::Range, "device {device}; devices are numbered from {least}", [device, least = 0]));
    }
    Ok(device)
}

/// Behind `devices`.
fn tiled(reader: &mut Reader<'_>) -> Result<HloKind, Error> {
    reader.need("=")?;
    reader.need("[")?;
    let grid = reader.integers("]", "in how many tiles a dim is cut")?;
    if grid.is_empty() {
        return Err(reader.expected("the dims of the grid between `[` and `]`"));
    }
    if let Some(extent) = grid.iter().find(|extent| **extent < 1) {
        return Err(error!(Code::Range, "{extent} tiles along a dim; there is at least 1", [extent]));
    }
    let positions = product(&grid)?;
    let order = if reader.take("<=") { iota(reader)? } else { listed(reader)? };
    if order.devices() != positions {
        return Err(error!(
            Code::RankMismatch,
            "the grid has {positions} positions for {devices} devices",
            [positions, devices = order.devices()]
        ));
    }
    let mut kinds = Vec::new();
    if reader.take_word("last_tile_dim_replicate") {
        kinds.push(Group::Replicated);
    } else if reader.take_word("last_tile_dims") {
        reader.need("=")?;
        reader.need("{")?;
        kinds = reader.list("}", |reader| {
            let named = [("manual", Group::Manual), ("unreduced", Group::Unreduced), ("replicated", Group::Replicated)];
            let found = named.into_iter().find(|(word, _)| reader.take_word(word));
            found.map(|(_, group)| group).ok_or_else(|| reader.expected("`replicated`, `manual` or `unreduced`"))
        })?;
    }
    let Some(rank) = grid.len().checked_sub(kinds.len()) else {
        return Err(error!(
            Code::RankMismatch,
            "{kinds} kinds of last dims for a grid of {grid_count} dims",
            [kinds = kinds.len(), grid_count = grid.len()]
        ));
    };
    let (tiles, sizes) = grid.split_at(rank);
    let groups: Vec<(Group, i64)> = kinds.into_iter().zip(sizes.iter().copied()).collect();
    canonical(tiles.to_vec(), &groups, &order)
}

/// `[2,4]T(1,0)` behind `<=`.
fn iota(reader: &mut Reader<'_>) -> Result<Order, Error> {
    reader.need("[")?;
    read_order(reader)
}

/// `2,4]T(1,0)`
pub(super) fn read_order(reader: &mut Reader<'_>) -> Result<Order, Error> {
    let sizes = reader.integers("]", "the number of devices")?;
    if sizes.is_empty() {
        return Err(reader.expected("the numbers of devices between `[` and `]`"));
    }
    let dims: Vec<i64> = if sizes.len() == 1 {
        vec![0]
    } else if reader.take_word("T") {
        reader.need("(")?;
        reader.integers(")", "a dim of the order")?
    } else {
        return Err(reader.expected("`T(…)`: several dims are read in an order that is written"));
    };
    let dims: Result<Vec<usize>, Error> = dims.iter().map(|dim| crate::cast::index(*dim)).collect();
    Order::transposed(&sizes, &dims?)
}

/// `0,1,2` behind the grid.
fn listed(reader: &mut Reader<'_>) -> Result<Order, Error> {
    let mut devices = vec![reader.integer("`<=[` or the number of a device")?];
    while reader.take(",") {
        devices.push(reader.integer("the number of a device")?);
    }
    if devices.len() == 1 {
        return Err(Error::new(Code::RankMismatch, "a list of one device is no grid")
            .with_help("write {maximal device=0}, or {devices=[1]<=[1]}"));
    }
    Order::listed(&devices)
}

/// What a grid says, in the form in which XLA prints it.
fn canonical(tiles: Vec<i64>, groups: &[(Group, i64)], order: &Order) -> Result<HloKind, Error> {
    // Groups in the order manual, unreduced, replicated; those of one kind stay in their order and become one.
    let rank = tiles.len();
    let radices: Vec<i64> = tiles.iter().copied().chain(groups.iter().map(|(_, size)| *size)).collect();
    let mut sorted: Vec<usize> = (0..groups.len()).collect();
    sorted.sort_by_key(|at| groups.get(*at).map(|(group, _)| *group));
    let places: Vec<usize> = (0..rank).chain(sorted.iter().map(|at| rank + at)).collect();
    let mut order = reordered(order, &radices, &places)?;
    let mut merged: Vec<(Group, i64)> = Vec::new();
    for (group, size) in sorted.iter().filter_map(|at| groups.get(*at)).filter(|(_, size)| *size > 1) {
        match merged.last_mut() {
            Some((last, all)) if last == group => *all *= size,
            _ => merged.push((*group, *size)),
        }
    }
    if let Some((Group::Replicated, copies)) = merged.last() {
        order = ascending(order, *copies)?;
    }
    // XLA keeps the grid of summands where another group was written beside them, if only of one device.
    let is_grid =
        merged == [(Group::Unreduced, order.devices())] && groups.iter().any(|(own, _)| *own != Group::Unreduced);
    if let ([(group, size)], true) = (merged.as_slice(), !is_grid && tiles.iter().all(|tiles| *tiles == 1)) {
        return Ok(match group {
            Group::Manual => HloKind::Manual,
            Group::Unreduced => HloKind::Unreduced,
            Group::Replicated => HloKind::Replicated(Some(*size)),
        });
    }
    Ok(HloKind::Tiled { tiles, groups: merged, order })
}

/// The order over a grid whose dims stand in other places: position digits `radices[places[0]], …`.
pub(super) fn reordered(order: &Order, radices: &[i64], places: &[usize]) -> Result<Order, Error> {
    if places.iter().copied().eq(0..radices.len()) {
        return Ok(order.clone());
    }
    if let Some(digits) = nested(order, radices) {
        // Each digit with how far it moves the number of the device; the farthest is the slowest of the devices.
        let moved: Vec<(i64, i64)> =
            places.iter().flat_map(|place| digits.get(*place).cloned().unwrap_or_default()).collect();
        return Order::of_digits(&moved);
    }
    let count = order.devices();
    listable(count)?;
    let sizes: Vec<i64> = places.iter().map(|place| radices.get(*place).copied().unwrap_or(1)).collect();
    let weight = |place: usize| radices.iter().skip(place + 1).product::<i64>();
    let mut devices = Vec::new();
    for position in 0..count {
        let mut rest = position;
        let mut before = 0;
        for (place, size) in places.iter().zip(&sizes).rev() {
            before += rest % size * weight(*place);
            rest /= size;
        }
        devices.push(order.device(before)?);
    }
    Order::listed(&devices)
}

fn listable(count: i64) -> Result<(), Error> {
    if count <= super::indices::MAX_RUNS {
        return Ok(());
    }
    Err(error!(
        Code::TooLarge,
        "an order of {count} devices that no digits describe; at most 65536 are listed",
        [count]
    ))
}

/// For each dim of a grid the digits of the device number that it is made of, the slowest first, as `(weight, radix)`;
/// `None` where a dim ends inside a digit.
pub(super) fn nested(order: &Order, radices: &[i64]) -> Option<Vec<Vec<(i64, i64)>>> {
    let (sizes, dims) = order.digits()?;
    // The digits of the position, the slowest first, with what each is worth in the device number.
    let mut digits: Vec<(i64, i64)> = dims
        .iter()
        .map(|dim| (sizes.iter().skip(dim + 1).product(), sizes.get(*dim).copied().unwrap_or(1)))
        .rev()
        .collect();
    // From the slowest dim on, digits are taken from the end of the list.
    let mut all = Vec::new();
    for radix in radices {
        let mut rest = *radix;
        let mut own = Vec::new();
        while rest > 1 {
            let (weight, size) = digits.pop()?;
            if rest % size == 0 {
                own.push((weight, size));
                rest /= size;
            } else if size % rest == 0 {
                let below = size / rest;
                own.push((weight * below, rest));
                digits.push((weight, below));
                rest = 1;
            } else {
                return None;
            }
        }
        all.push(own);
    }
    Some(all)
}

/// The order in which the last `copies` devices of every group ascend.
fn ascending(order: Order, copies: i64) -> Result<Order, Error> {
    let count = order.devices();
    if let Some(digits) = nested(&order, &[count / copies.max(1), copies]) {
        let (first, last) = (digits.first().cloned().unwrap_or_default(), digits.last().cloned().unwrap_or_default());
        let mut sorted = last.clone();
        sorted.sort_unstable_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        return match sorted == last {
            true => Ok(order),
            false => Order::of_digits(&first.into_iter().chain(sorted).collect::<Vec<_>>()),
        };
    }
    listable(count)?;
    let mut devices = (0..count).map(|at| order.device(at)).collect::<Result<Vec<_>, _>>()?;
    let mut is_sorted = true;
    for group in devices.chunks_mut(crate::cast::index(copies)?) {
        is_sorted &= group.is_sorted();
        group.sort_unstable();
    }
    if is_sorted { Ok(order) } else { Order::listed(&devices) }
}

impl HloText {
    /// The text of a placement.
    ///
    /// # Errors
    /// [`Code::NotALayout`] for chunks, for summands by another operation than a sum, and for a list of too many devices.
    ///
    /// ```
    /// use bitstride::sharding::{HloText, Mesh, Placement};
    /// let mesh = Mesh::new(&[("a", 2), ("b", 4)])?;
    /// let parts = vec![mesh.axis("b")?, mesh.axis("a")?];
    /// let text = HloText::of(&Placement::named(mesh, &[parts, vec![]], &[])?)?;
    /// assert_eq!(text.to_string(), "{devices=[8,1]<=[2,4]T(1,0)}");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(placement: &Placement) -> Result<Self, Error> {
        let kind = match placement.spread {
            Spread::Everywhere => HloKind::Replicated(None),
            Spread::Only(device) => HloKind::Maximal(device),
            Spread::Mesh => {
                let mut places = Vec::new();
                let mut tiles = Vec::new();
                for (dim, rule) in placement.rules.iter().enumerate() {
                    let Rule::Tiled(digits) = rule else {
                        return Err(error!(
                            Code::NotALayout,
                            "dim {dim} is cut into chunks, which no text of XLA says",
                            [dim]
                        ));
                    };
                    places.extend(digits);
                    tiles.push(placement.tiles(dim)?);
                }
                let mut groups = Vec::new();
                for (at, digit) in placement.digits.iter().enumerate().filter(|(_, digit)| digit.role != Role::Holds) {
                    let group = match &digit.role {
                        Role::Sums(Reduction::Named(operation)) if *operation != "sum" => {
                            return Err(error!(
                                Code::NotALayout,
                                "summands by {operation} have no word in XLA, which adds",
                                [operation]
                            ));
                        }
                        Role::Sums(_) => Group::Unreduced,
                        Role::Unknown => Group::Manual,
                        _ => Group::Replicated,
                    };
                    places.push(at);
                    groups.push((group, digit.part.size));
                }
                let radices: Vec<i64> = placement.digits.iter().map(|digit| digit.part.size).collect();
                let order = reordered(&placement.mesh.order, &radices, &places)?;
                // One device has everything, as JAX writes it.
                match tiles.is_empty() && groups.is_empty() || order.devices() == 1 {
                    true => HloKind::Replicated(Some(order.devices())),
                    false => canonical(tiles, &groups, &order)?,
                }
            }
        };
        Ok(HloText { kind, together: None })
    }

    /// The text that is read as this again, of a tensor of some rank: XLA reads summands on all devices as `{unreduced}`, which says no
    /// device, unless another group stands beside them.
    pub(super) fn readable(&self, rank: usize, devices: i64) -> String {
        let is_whole = match &self.kind {
            HloKind::Unreduced => true,
            HloKind::Tiled { tiles, groups, .. } => {
                matches!(groups.as_slice(), [(Group::Unreduced, _)]) && tiles.iter().all(|tiles| *tiles == 1)
            }
            _ => false,
        };
        if !is_whole {
            return self.to_string();
        }
        let ones = "1,".repeat(rank);
        format!("{{devices=[{ones}{devices},1]<=[{devices}] last_tile_dims={{unreduced, replicated}}}}")
    }

    /// The placement that the text says; a grid of one dim for each of the tensor.
    ///
    /// # Errors
    /// [`Code::Unplaced`] where it says nothing of places.
    pub fn placement(&self) -> Result<Placement, Error> {
        let (tiles, groups, order) = match &self.kind {
            HloKind::Manual => return Err(unplaced("manual")),
            HloKind::Unknown => return Err(unplaced("unknown")),
            HloKind::Unreduced => return Err(unplaced("unreduced")),
            HloKind::Maximal(device) => return Placement::whole(Spread::Only(*device)),
            HloKind::Replicated(devices) => {
                let placement = Placement::whole(Spread::Everywhere)?;
                return match devices {
                    Some(devices) => placement.on(*devices),
                    None => Ok(placement),
                };
            }
            HloKind::Tiled { tiles, groups, order } => (tiles, groups, order),
        };
        let radices: Vec<i64> = tiles.iter().copied().chain(groups.iter().map(|(_, size)| *size)).collect();
        // Digits of the device number where there are such, else of the position, under the order.
        let (digits, order) = match nested(order, &radices) {
            Some(digits) => (digits, Order::identity(order.devices())?),
            None => {
                let weight = |place: usize| radices.iter().skip(place + 1).product::<i64>();
                let own =
                    |(place, radix): (usize, &i64)| if *radix > 1 { vec![(weight(place), *radix)] } else { vec![] };
                (radices.iter().enumerate().map(own).collect(), order.clone())
            }
        };
        let mut sorted: Vec<(i64, i64, usize)> = Vec::new();
        for (place, own) in digits.iter().enumerate() {
            sorted.extend(own.iter().map(|(weight, radix)| (*weight, *radix, place)));
        }
        sorted.sort_unstable_by_key(|(weight, ..)| std::cmp::Reverse(*weight));
        let axes = sorted.iter().enumerate().map(|(at, (_, size, _))| MeshAxis { name: at.to_string(), size: *size });
        let mesh = Mesh::ordered(axes.collect(), order)?;
        let role = |place: usize| match place.checked_sub(tiles.len()).and_then(|group| groups.get(group)) {
            None => Role::Holds,
            Some((Group::Manual, _)) => Role::Unknown,
            Some((Group::Unreduced, _)) => Role::Sums(Reduction::Unnamed),
            Some((Group::Replicated, _)) => Role::Copies,
        };
        let digit = |(axis, (_, size, place)): (usize, &(i64, i64, usize))| PlaceDigit {
            part: Part { axis, before: 1, size: *size },
            role: role(*place),
        };
        let place_digits = sorted.iter().enumerate().map(digit).collect();
        let rule = |own: &Vec<(i64, i64)>| {
            let at = |(weight, _): &(i64, i64)| sorted.iter().position(|(other, ..)| other == weight).unwrap_or(0);
            Rule::Tiled(own.iter().map(at).collect())
        };
        let rules = digits.iter().take(tiles.len()).map(rule).collect();
        Ok(Placement { mesh, digits: place_digits, rules, spread: Spread::Mesh })
    }

    /// The devices of the grid, row-major; nothing where there is no grid.
    ///
    /// # Errors
    /// [`Code::TooLarge`].
    pub fn tile_devices(&self) -> Result<Vec<i64>, Error> {
        let HloKind::Tiled { order, .. } = &self.kind else { return Ok(Vec::new()) };
        listable(order.devices())?;
        (0..order.devices()).map(|position| order.device(position)).collect()
    }

    /// The extents of the grid; empty where there is none.
    pub fn tile_dims(&self) -> Vec<i64> {
        match &self.kind {
            HloKind::Tiled { tiles, groups, .. } => {
                tiles.iter().copied().chain(groups.iter().map(|(_, size)| *size)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for HloText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            HloKind::Replicated(_) => f.write_str("{replicated")?,
            HloKind::Manual => f.write_str("{manual")?,
            HloKind::Unknown => f.write_str("{unknown")?,
            HloKind::Unreduced => f.write_str("{unreduced")?,
            HloKind::Maximal(device) => write!(f, "{{maximal device={device}")?,
            HloKind::Tiled { tiles: _, groups, order } => {
                write!(f, "{{devices=[{}]", joined(&self.tile_dims()))?;
                match order.digits() {
                    Some((sizes, [_])) => write!(f, "<=[{}]", joined(sizes))?,
                    Some((sizes, dims)) => {
                        let dims: Vec<i64> = dims.iter().map(|dim| length(*dim)).collect();
                        write!(f, "<=[{}]T({})", joined(sizes), joined(&dims))?;
                    }
                    None => f.write_str(&joined(order.list()))?,
                }
                match groups.as_slice() {
                    [] => {}
                    [(Group::Replicated, _)] => f.write_str(" last_tile_dim_replicate")?,
                    groups => {
                        let words = groups.iter().map(|(group, _)| match group {
                            Group::Manual => "manual",
                            Group::Unreduced => "unreduced",
                            Group::Replicated => "replicated",
                        });
                        write!(f, " last_tile_dims={{{}}}", words.collect::<Vec<_>>().join(", "))?;
                    }
                }
            }
        }
        if let Some((word, number)) = self.together {
            write!(f, " {word} {number}")?;
        }
        f.write_str("}")
    }
}

impl fmt::Display for HloSharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HloSharding::One(text) => write!(f, "{text}"),
            HloSharding::Tuple(all) => {
                write!(f, "{{{}}}", all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

fn joined(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}
