//! [`Reshard`]: what has to move for one sharding to become another.
//!
//! The lower bound of a device is what it holds afterwards and did not hold before; for summands, one stream of them, which a sum of
//! all others may be. Values become summands only where no byte moves: where one would, zeros may stand for it, and the bound is not known. The class
//! says which collective does it, from the digits of the number of the device that change what they do. Law: no plan receives
//! less than the bound on any device.

use std::collections::HashMap;
use std::fmt;

use super::compare::aligned;
use super::digits::{Cut, Digits, OtherDigit, cut_alike};
use super::placement::{Role, Spread};
use super::summands::{differing, has_summands, summands_of};
use super::tensor::{Sharding, Shards};
use crate::error::{Code, Error};

/// Which movement a change of sharding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Movement {
    /// Each device holds what it held.
    Nothing,
    /// Each device keeps a part of what it held.
    LocalSlice,
    /// Whole shards go to other devices.
    Permute,
    /// Devices of a group get what all of them held.
    AllGather,
    /// Devices of a group exchange parts of their shards.
    AllToAll,
    /// Summands are added, and each device of a group keeps a part.
    ReduceScatter,
    /// Summands are added, and each device of a group keeps all.
    AllReduce,
    /// None of these alone.
    General,
}

impl fmt::Display for Movement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Movement::Nothing => "nothing",
            Movement::LocalSlice => "local slice",
            Movement::Permute => "permute",
            Movement::AllGather => "all-gather",
            Movement::AllToAll => "all-to-all",
            Movement::ReduceScatter => "reduce-scatter",
            Movement::AllReduce => "all-reduce",
            Movement::General => "general",
        })
    }
}

/// What a digit of the number of the device does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Use {
    /// It is the digit of this weight of the index of a dim.
    Holds { dim: usize, weight: i64 },
    /// It copies, sums, or is unknown.
    Other(Role),
}

/// Devices that move together: all that differ only along some digits of their number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Groups {
    /// The digits, as `(weight, radix)`, the slowest first.
    pub digits: Vec<(i64, i64)>,
    /// How many devices a group has.
    pub size: i64,
    /// How many groups there are.
    pub count: i64,
}

/// What has to move.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reshard {
    /// How many devices there are.
    pub devices: i64,
    /// The bytes that each device has to receive at least.
    pub received: Vec<i64>,
    /// Which movement it is.
    pub movement: Movement,
    /// The devices that move together, where digits say it.
    pub groups: Option<Groups>,
    /// The bytes that the named collectives receive on each device: the one of the class, or for a general movement a gather of
    /// all that changes and a local slice, which is what compilers fall back to.
    pub collective: Vec<i64>,
}

impl Sharding {
    /// What has to move for this sharding to become another one of the same tensor.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] for tensors of other shapes; [`Code::Unplaced`] for `manual` axes; [`Code::NotALayout`] where
    /// summands would have to be added by another operation or on other devices, or values sent as summands; [`Code::TooLarge`], [`Code::MissingFact`], [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::sharding::{Movement, Sharding};
    /// let before: Sharding = "shard(f32[8,8], P('a', None), mesh(a=2,b=4))".parse()?;
    /// let after: Sharding = "shard(f32[8,8], P(None, 'a'), mesh(a=2,b=4))".parse()?;
    /// let plan = before.reshard(&after)?;
    /// assert_eq!((plan.movement, plan.received[0]), (Movement::AllToAll, 64));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn reshard(&self, target: &Sharding) -> Result<Reshard, Error> {
        let ([source, target], summed) = checked(self, target)?;
        let bits = i128::from(target.array().element_bits());
        let bytes = |elements: i128| match elements.checked_mul(bits) {
            Some(bits) => crate::cast::narrow((bits + 7) / 8),
            None => Err(Error::overflow("the bytes that a device receives")),
        };
        let counts = counts(&source, &target, summed)?;
        if !has_summands(&source) && has_summands(&target) && counts.iter().any(|count| count.received() > 0) {
            let message = "values become summands on devices that do not have them: sent values and zeros both do";
            return Err(
                Error::new(Code::NotALayout, message).with_help("reshard values first, then declare them summands")
            );
        }
        let (movement, groups) = movement(&source, &target, &counts, summed);
        let received = counts.iter().map(|count| bytes(count.received().into())).collect::<Result<Vec<_>, _>>()?;
        let collective = collective(&source, &target, movement, &groups, &counts);
        let collective = collective.into_iter().map(bytes).collect::<Result<Vec<_>, _>>()?;
        Ok(Reshard { devices: crate::cast::length(counts.len()), received, movement, groups, collective })
    }
}

impl Reshard {
    /// The bytes that all devices receive at least.
    pub fn total(&self) -> i128 {
        self.received.iter().map(|bytes| i128::from(*bytes)).sum()
    }

    /// The bytes that all devices receive by the named collectives.
    pub fn collective_total(&self) -> i128 {
        self.collective.iter().map(|bytes| i128::from(*bytes)).sum()
    }
}

impl Groups {
    /// The devices of a group, by number.
    ///
    /// ```
    /// use bitstride::sharding::Groups;
    /// assert_eq!(Groups { digits: vec![(4, 2)], size: 2, count: 4 }.members(1), [1, 5]);
    /// ```
    pub fn members(&self, group: i64) -> Vec<i64> {
        // The devices whose digits are 0, in order, and then all values of the digits.
        let mut fast = self.digits.clone();
        fast.reverse();
        let mut first = group;
        for (weight, radix) in fast {
            first = first / weight * weight * radix + first % weight;
        }
        let mut all = vec![first];
        for (weight, radix) in &self.digits {
            all = all.iter().flat_map(|device| (0..*radix).map(move |at| device + at * weight)).collect();
        }
        all
    }
}

/// What one device holds before and after, in elements.
#[derive(Clone, Copy, Debug)]
struct Count {
    before: i64,
    after: i64,
    /// What is in both.
    common: i64,
    /// What it has not to receive.
    kept: i64,
}

impl Count {
    fn received(self) -> i64 {
        self.after - self.kept
    }
}

/// Both over one number of devices, and whether summands become values; refused where nothing that moves makes the one of the other.
pub(super) fn checked(source: &Sharding, target: &Sharding) -> Result<([Sharding; 2], bool), Error> {
    let both = aligned(source, target)?;
    let [source, target] = &both;
    if source.shape() != target.shape() {
        return Err(error!(
            Code::RankMismatch,
            "a tensor of {shape:?} does not become one of {target_shape:?}",
            [shape = source.shape(), target_shape = target.shape()]
        ));
    }
    for sharding in [source, target] {
        if sharding.placement().digits.iter().any(|digit| digit.role == Role::Unknown) {
            return Err(super::placement::unplaced("manual"));
        }
    }
    let summed = summed(source, target)?;
    Ok((both, summed))
}

/// Whether summands of the source become values, so that nothing of the target is there before.
fn summed(source: &Sharding, target: &Sharding) -> Result<bool, Error> {
    let before = has_summands(source);
    if !has_summands(target) {
        return Ok(before);
    }
    if before && let Some(words) = differing(source, target)? {
        let message = format!("summands stay summands only where each device keeps its own: {words}");
        return Err(Error::new(Code::NotALayout, message).with_help("reshard to values first"));
    }
    Ok(false)
}

/// The counts of all devices; those of sets that are equal are computed once.
fn counts(source: &Sharding, target: &Sharding, summed: bool) -> Result<Vec<Count>, Error> {
    let (mut before, mut after) = (Shards::of(source)?, Shards::of(target)?);
    let devices = (source.devices()?, target.devices()?);
    let mut known: Vec<HashMap<(usize, usize), i64>> = vec![HashMap::new(); source.shape().len()];
    let mut all = Vec::new();
    for device in 0..devices.0.max(devices.1) {
        crate::cancel::checkpoint();
        let first = if device < devices.0 { before.keys(device)? } else { None };
        let second = if device < devices.1 { after.keys(device)? } else { None };
        let common = match (&first, &second) {
            (Some(first), Some(second)) => {
                let mut all = 1;
                for ((dim, known), key) in known.iter_mut().enumerate().zip(first.iter().zip(second)) {
                    let key = (*key.0, *key.1);
                    all *= match known.get(&key) {
                        Some(common) => *common,
                        None => {
                            let common = before.set(dim, key.0).common(after.set(dim, key.1))?;
                            known.insert(key, common);
                            common
                        }
                    };
                }
                all
            }
            _ => 0,
        };
        let kept = if summed { 0 } else { common };
        let size = |shards: &Shards<'_>, keys: &Option<Vec<usize>>| keys.as_ref().map_or(0, |keys| shards.size(keys));
        all.push(Count { before: size(&before, &first), after: size(&after, &second), common, kept });
    }
    Ok(all)
}

/// The class of a movement, and the devices that move together.
fn movement(source: &Sharding, target: &Sharding, counts: &[Count], summed: bool) -> (Movement, Option<Groups>) {
    let Some(changes) = changes(source, target) else { return (by_counts(counts, summed), None) };
    let changed: Vec<_> = changes.iter().filter(|(.., before, after)| before != after).collect();
    let held = |use_of: &Use| matches!(use_of, Use::Holds { .. });
    let copies = |use_of: &Use| matches!(use_of, Use::Other(Role::Copies));
    let sums = |use_of: &Use| matches!(use_of, Use::Other(Role::Sums(_)));
    let all = |test: &dyn Fn(&Use, &Use) -> bool| changed.iter().all(|(.., before, after)| test(before, after));
    let class = if changed.is_empty() {
        Movement::Nothing
    } else if all(&|before, after| copies(before) && !copies(after)) {
        return (Movement::LocalSlice, None);
    } else if all(&|before, after| held(before) && copies(after)) {
        Movement::AllGather
    } else if all(&|before, after| sums(before) && held(after)) {
        Movement::ReduceScatter
    } else if all(&|before, after| sums(before) && copies(after)) {
        Movement::AllReduce
    } else if changed.iter().any(|(.., before, after)| sums(before) || sums(after)) {
        Movement::General
    } else {
        // The digits of the indices that devices have, before and after.
        let index_digits = |side: fn(&(i64, i64, Use, Use)) -> &Use| {
            let mut digits: Vec<(usize, i64, i64)> = changed
                .iter()
                .filter_map(|change| match side(change) {
                    Use::Holds { dim, weight } => Some((*dim, *weight, change.1)),
                    Use::Other(_) => None,
                })
                .collect();
            digits.sort_unstable();
            digits
        };
        if index_digits(|change| &change.2) == index_digits(|change| &change.3) {
            Movement::Permute
        } else if all(&|before, after| held(before) && held(after)) {
            Movement::AllToAll
        } else {
            Movement::General
        }
    };
    let digits: Vec<(i64, i64)> = changed.iter().map(|(weight, radix, ..)| (*weight, *radix)).collect();
    let size: i64 = digits.iter().map(|(_, radix)| radix).product();
    let devices = crate::cast::length(counts.len());
    let groups = (class != Movement::Nothing).then(|| Groups { digits, size, count: devices / size.max(1) });
    (class, groups)
}

/// The class where digits do not tell.
fn by_counts(counts: &[Count], summed: bool) -> Movement {
    if summed {
        // Each device keeps the value of all its summands, or of a part of them.
        let own = |part: &Count| part.common == part.after;
        return if counts.iter().all(|count| own(count) && count.after == count.before) {
            Movement::AllReduce
        } else if counts.iter().all(own) {
            Movement::ReduceScatter
        } else {
            Movement::General
        };
    }
    if counts.iter().all(|count| count.kept == count.after && count.kept == count.before) {
        Movement::Nothing
    } else if counts.iter().all(|count| count.received() == 0) {
        Movement::LocalSlice
    } else {
        Movement::General
    }
}

/// The digits of the number of the device that both shardings cut alike, the slowest first, with what each does before and after.
fn changes(source: &Sharding, target: &Sharding) -> Option<Vec<(i64, i64, Use, Use)>> {
    if source.devices().ok()? != target.devices().ok()? || !is_spread(source) || !is_spread(target) {
        return None;
    }
    let (before, after) = (uses(&Digits::of(source)?), uses(&Digits::of(target)?));
    let above = |own: &Use, factor: i64| match own {
        Use::Holds { dim, weight } => Use::Holds { dim: *dim, weight: weight * factor },
        other => other.clone(),
    };
    let mut all = cut_alike(&before, &after, &above, &Use::Other(Role::Copies))?;
    all.reverse();
    Some(all)
}

fn is_spread(sharding: &Sharding) -> bool {
    !matches!(sharding.placement().spread, Spread::Only(_))
}

/// What each digit of the number of the device does, as `(weight, radix, use)`.
fn uses(digits: &Digits) -> Vec<Cut<Use>> {
    let mut all = Vec::new();
    for (dim, own) in digits.dims.iter().enumerate() {
        all.extend(
            own.iter().filter_map(|digit| Some((digit.device?, digit.radix, Use::Holds { dim, weight: digit.weight }))),
        );
    }
    let other = |digit: &OtherDigit| (digit.weight, digit.radix, Use::Other(digit.role.clone()));
    all.extend(digits.others.iter().filter(|digit| digit.radix > 1).map(other));
    all
}

/// How many values the digits of indices have together that devices have before and not after.
fn left(changes: &[(i64, i64, Use, Use)]) -> i64 {
    let held = |own: &Use, radix: i64| match own {
        Use::Holds { dim, weight } => Some((*dim, *weight, radix)),
        Use::Other(_) => None,
    };
    let after: Vec<_> = changes.iter().filter_map(|(_, radix, _, after)| held(after, *radix)).collect();
    let before = changes.iter().filter_map(|(_, radix, before, _)| held(before, *radix));
    before.filter(|digit| !after.contains(digit)).map(|(.., radix)| radix).product()
}

/// The elements that named collectives receive on each device.
fn collective(
    source: &Sharding,
    target: &Sharding,
    movement: Movement,
    groups: &Option<Groups>,
    counts: &[Count],
) -> Vec<i128> {
    let added = if has_summands(target) { 1 } else { summands_of(source) };
    let size = match (groups, added) {
        (Some(groups), _) => groups.size.max(1),
        (None, 1) => crate::cast::length(counts.len()).max(1),
        (None, added) => added,
    };
    let changes = changes(source, target);
    let gathered: Vec<i128> = match (movement, &changes) {
        (Movement::General, Some(changes)) => {
            // What a device has after all digits that it held otherwise are gathered.
            let factor =
                changes.iter().filter(|(.., before, after)| before != after && matches!(before, Use::Holds { .. }));
            let factor: i128 = factor.map(|(_, radix, ..)| i128::from(*radix)).product();
            counts.iter().map(|count| i128::from(count.before) * factor).collect()
        }
        _ => vec![source.shape().iter().map(|extent| i128::from(*extent)).product(); counts.len()],
    };
    // The digits of indices that devices have before and not after.
    let leaving = i128::from(changes.map_or(size, |changes| left(&changes)).max(1));
    let (size, added) = (i128::from(size), i128::from(added));
    let of = |(count, gathered): (&Count, i128)| {
        let [before, after, received] = [count.before, count.after, count.received()].map(i128::from);
        match movement {
            Movement::Nothing | Movement::LocalSlice => 0,
            Movement::Permute if received == 0 => 0,
            Movement::Permute => after,
            Movement::AllGather => received,
            // Where the digits that become local do not bring everything, whole shards follow.
            Movement::AllToAll => {
                let exchanged = before - before / leaving;
                exchanged + if received > exchanged { after } else { 0 }
            }
            Movement::ReduceScatter => after * (size - 1),
            Movement::AllReduce => 2 * (after - after / size),
            // Summands are added first, so that each device has values where it had them.
            Movement::General => (gathered - before + 2 * (before - before / added)).max(received),
        }
    };
    counts.iter().zip(gathered).map(of).collect()
}
