//! [`Comparison`]: whether two shardings are the same, at three levels.
//!
//! First the elements of each device; then the order in which its memory has them; then how much it allocates. Even shardings are
//! compared by their digits, others device by device, with each set of indices computed and compared once.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::digits::Digits;
use super::indices::Indices;
use super::placement::Spread;
use super::summands::differing;
use super::tensor::{Sharding, Shards};
use crate::error::{Code, Error};
use crate::xla::{Array, Dim};

/// The first device that does not hold the same elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ElementDifference {
    /// The device.
    pub device: i64,
    /// The first element that only one of the two has there.
    pub element: Vec<i64>,
    /// Which of the two has it, 0 or 1.
    pub holder: usize,
    /// What each holds there.
    pub held: [Option<Vec<Indices>>; 2],
}

/// How the answer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The number of digits that are equal or differ.
    Digits(usize),
    /// The number of devices that were compared.
    Devices(i64),
}

/// The extents that a device allocates in each of two shardings; nothing where it holds nothing.
pub type Allocations = [Option<Vec<i64>>; 2];

/// What comparing two shardings says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// What differs before any element does: shapes, numbers of devices, roles.
    pub words: Option<String>,
    /// The first device with other elements.
    pub elements: Option<ElementDifference>,
    /// In what order local memory has them, where it differs.
    pub order: Option<String>,
    /// The first device that allocates other extents, and these.
    pub allocation: Option<(i64, Allocations)>,
    /// How the answer is known.
    pub by: Evidence,
}

impl Comparison {
    /// Whether each device holds the same elements.
    pub fn holds(&self) -> bool {
        self.words.is_none() && self.elements.is_none()
    }
}

/// The extents of a box that a device has of a tensor, as text: `[0..4, 2..3]`.
pub fn written(held: &Option<Vec<Indices>>) -> String {
    const SHOWN: usize = 4;
    let Some(dims) = held else { return "nothing".to_owned() };
    if dims.iter().any(Indices::is_empty) {
        return "nothing".to_owned();
    }
    let dims = dims.iter().map(|indices| {
        let mut blocks: Vec<String> = Vec::new();
        for run in indices.runs().iter().take(SHOWN) {
            let end = run.start + run.length;
            let first = if run.length == 1 { run.start.to_string() } else { format!("{}..{end}", run.start) };
            blocks.push(match run.count {
                1 => first,
                count => format!("{first} and {} more each {}", count - 1, run.stride),
            });
        }
        if indices.runs().len() > SHOWN {
            blocks.push("…".to_owned());
        }
        blocks.join(" ")
    });
    format!("[{}]", dims.collect::<Vec<_>>().join(", "))
}

impl Sharding {
    /// Compares two shardings of one tensor.
    ///
    /// # Errors
    /// [`Code::MissingFact`] when neither text says how many devices there are; [`Code::TooLarge`] for more devices or runs
    /// than are compared where digits do not decide.
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let jax: Sharding = "shard(f32[8,6], P(('b','a'), None), mesh(a=2,b=4))".parse()?;
    /// let torch: Sharding = "shard(f32[8,6], [_StridedShard(0, split_factor=4), Shard(0)], mesh(2,4))".parse()?;
    /// assert!(jax.compare(&torch)?.holds());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn compare(&self, other: &Sharding) -> Result<Comparison, Error> {
        let [left, right] = aligned(self, other)?;
        let devices = left.devices()?;
        let mut comparison =
            Comparison { words: None, elements: None, order: None, allocation: None, by: Evidence::Devices(0) };
        if left.shape() != right.shape() {
            comparison.words = Some(format!("the tensors are {:?} and {:?}", left.shape(), right.shape()));
            return Ok(comparison);
        }
        if devices != right.devices()? {
            comparison.words = Some(format!("{devices} devices against {}", right.devices()?));
            return Ok(comparison);
        }
        let digits = (Digits::of(&left), Digits::of(&right));
        if let (Some(one), Some(two)) = &digits {
            comparison.by = Evidence::Digits(one.count().max(two.count()));
        }
        if left.placement() == right.placement() {
            comparison.by = Evidence::Digits(left.placement().digits.len());
            comparison.order = local_order(&left, &right)?;
            return Ok(comparison);
        }
        let by_digits = matches!(&digits, (Some(one), Some(two)) if one.dims == two.dims);
        if !by_digits {
            let (difference, compared) = first_difference(&left, &right, &digits)?;
            if !matches!(comparison.by, Evidence::Digits(_)) || difference.is_none() {
                comparison.by = Evidence::Devices(compared);
            }
            comparison.elements = difference;
        }
        if comparison.elements.is_none() {
            let words = differing(&left, &right)?;
            comparison.words = words.map(|words| format!("the elements are the same, but {words}"));
        }
        if comparison.holds() {
            comparison.order = local_order(&left, &right)?;
            comparison.allocation = allocations(&left, &right)?;
        }
        Ok(comparison)
    }
}

/// Both over one number of devices, where one text does not say it.
pub(super) fn aligned(left: &Sharding, right: &Sharding) -> Result<[Sharding; 2], Error> {
    let count = left.devices().or_else(|_| right.devices())?;
    let own = |sharding: &Sharding| match sharding.placement().devices() {
        Some(_) => Ok(sharding.clone()),
        None => sharding.on(count),
    };
    Ok([own(left)?, own(right)?])
}

/// The first device that differs, and how many were compared.
fn first_difference(
    left: &Sharding,
    right: &Sharding,
    digits: &(Option<Digits>, Option<Digits>),
) -> Result<(Option<ElementDifference>, i64), Error> {
    let devices = left.devices()?;
    if let (Some(one), Some(two)) = digits
        && devices > super::order::MAX_DEVICES
    {
        // A device that differs has one digit, or two, that are not 0.
        let weights = |digits: &Digits| -> Vec<i64> {
            let own = digits.dims.iter().flatten().filter_map(|digit| Some((digit.device?, digit.radix)));
            own.flat_map(|(weight, radix)| [weight, weight * (radix - 1), weight * (radix / 2)]).collect()
        };
        let mut probes: Vec<i64> = weights(one).into_iter().chain(weights(two)).collect();
        probes.push(0);
        probes.sort_unstable();
        probes.dedup();
        for device in probes {
            if let Some(difference) = difference_at(device, [left.shard(device)?, right.shard(device)?])? {
                return Ok((Some(difference), 1));
            }
        }
        return Err(error!(
            Code::Undecided,
            "{devices} devices whose digits differ, and no device was found that shows it",
            [devices]
        ));
    }
    let (mut one, mut two) = (Shards::of(left)?, Shards::of(right)?);
    let rank = left.shape().len();
    let mut known: Vec<HashMap<(usize, usize), bool>> = vec![HashMap::new(); rank];
    for device in 0..devices {
        crate::cancel::checkpoint();
        let keys = [one.keys(device)?, two.keys(device)?];
        let is_same = match &keys {
            [Some(first), Some(second)] => {
                let mut is_same = true;
                for ((dim, known), (first, second)) in known.iter_mut().enumerate().zip(first.iter().zip(second)) {
                    let equal = match known.get(&(*first, *second)) {
                        Some(equal) => *equal,
                        None => {
                            let (a, b) = (one.set(dim, *first), two.set(dim, *second));
                            let equal = a.first_outside(b)?.is_none() && b.first_outside(a)?.is_none();
                            known.insert((*first, *second), equal);
                            equal
                        }
                    };
                    is_same &= equal;
                }
                is_same || one.size(first) == 0 && two.size(second) == 0
            }
            [None, None] => true,
            [Some(keys), None] => one.size(keys) == 0,
            [None, Some(keys)] => two.size(keys) == 0,
        };
        if !is_same && let Some(found) = difference_at(device, [left.shard(device)?, right.shard(device)?])? {
            return Ok((Some(found), device + 1));
        }
    }
    Ok((None, devices))
}

/// The least element that only one of two boxes has.
fn difference_at(device: i64, held: [Option<Vec<Indices>>; 2]) -> Result<Option<ElementDifference>, Error> {
    let [left, right] = [0, 1].map(|side| held.get(side).cloned().flatten().unwrap_or_default());
    let mut found: Option<(Vec<i64>, usize)> = None;
    for (holder, (own, other)) in [(&left, &right), (&right, &left)].into_iter().enumerate() {
        let Some(first) = own.iter().map(Indices::first).collect::<Option<Vec<i64>>>() else { continue };
        if own.is_empty() && held.get(holder).is_none_or(Option::is_none) {
            continue;
        }
        let mut candidates = Vec::new();
        if other.is_empty() && held.get(1 - holder).is_none_or(Option::is_none) || other.iter().any(Indices::is_empty) {
            candidates.push(first);
        } else {
            for (dim, (own, other)) in own.iter().zip(other).enumerate() {
                if let Some(index) = own.first_outside(other)? {
                    let mut element = first.clone();
                    if let Some(place) = element.get_mut(dim) {
                        *place = index;
                    }
                    candidates.push(element);
                }
            }
        }
        if let Some(least) = candidates.into_iter().min()
            && found.as_ref().is_none_or(|(element, _)| least < *element)
        {
            found = Some((least, holder));
        }
    }
    Ok(found.map(|(element, holder)| ElementDifference { device, element, holder, held }))
}

/// The layout of the local memory of a device.
fn local(sharding: &Sharding, device: i64) -> Result<Option<Array>, Error> {
    let Some(extents) = sharding.allocation(device)? else { return Ok(None) };
    let array = sharding.array();
    Ok(Some(Array { dims: extents.into_iter().map(Dim::Static).collect(), ..array.clone() }))
}

/// Whether local memory has the elements in one order: by the layouts, on one device of all that have the same extents.
fn local_order(left: &Sharding, right: &Sharding) -> Result<Option<String>, Error> {
    if left.array().layout == right.array().layout {
        return Ok(None);
    }
    let devices = match (left.placement().spread, Digits::of(left).is_some() && Digits::of(right).is_some()) {
        (Spread::Only(holder), _) => holder..holder + 1,
        (_, true) => 0..1,
        (_, false) => 0..left.devices()?,
    };
    if devices.end - devices.start > super::order::MAX_DEVICES {
        return Err(error!(
            Code::TooLarge,
            "the local memory of {end} devices, whose extents differ",
            [end = devices.end]
        ));
    }
    let mut known = HashSet::new();
    for device in devices {
        crate::cancel::checkpoint();
        let (Some(one), Some(two)) = (local(left, device)?, local(right, device)?) else { continue };
        if !known.insert((one.dims.clone(), two.dims.clone())) {
            continue;
        }
        if one.dims != two.dims || !one.same_memory(&two)?.holds() {
            return Ok(Some(format!("local memory is {one} in the first and {two} in the second")));
        }
    }
    Ok(None)
}

/// The first device that allocates other extents.
fn allocations(left: &Sharding, right: &Sharding) -> Result<Option<(i64, Allocations)>, Error> {
    if Digits::of(left).is_some() && Digits::of(right).is_some() {
        return Ok(None);
    }
    for device in 0..left.devices()? {
        crate::cancel::checkpoint();
        let both = [left.allocation(device)?, right.allocation(device)?];
        if let [one, two] = &both
            && one != two
        {
            return Ok(Some((device, both)));
        }
    }
    Ok(None)
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(words) = &self.words {
            return f.write_str(words);
        }
        if let Some(difference) = &self.elements {
            let [left, right] = &difference.held;
            let element: Vec<String> = difference.element.iter().map(i64::to_string).collect();
            let which = if difference.holder == 0 { "first" } else { "second" };
            return write!(
                f,
                "device {} holds element ({}) in the {which} only: {} in the first, {} in the second",
                difference.device,
                element.join(","),
                written(left),
                written(right)
            );
        }
        let order = match &self.order {
            None => "in the same local order".to_owned(),
            Some(words) => format!("but {words}"),
        };
        let allocation = match &self.allocation {
            None => "with the same allocation".to_owned(),
            Some((device, [left, right])) => {
                let shown = |extents: &Option<Vec<i64>>| {
                    extents.as_ref().map_or("nothing".to_owned(), |all| format!("{all:?}"))
                };
                format!("but device {device} allocates {} in the first and {} in the second", shown(left), shown(right))
            }
        };
        let by = match self.by {
            Evidence::Digits(1) => "1 digit".to_owned(),
            Evidence::Digits(count) => format!("{count} digits"),
            Evidence::Devices(1) => "1 device".to_owned(),
            Evidence::Devices(count) => format!("{count} devices one by one"),
        };
        write!(f, "the same elements on every device, {order}, {allocation}; decided by {by}")
    }
}
