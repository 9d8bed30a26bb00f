//! [`Digits`]: an even sharding as digits of the indices and of the number of the device.
//!
//! The index of a dim is a number in mixed radix. Each of its digits is local, or is a digit of the number of the device. Law: a
//! device holds an index where each digit that is shared is equal. Only even shardings have such digits; decisions on them take
//! as many steps as there are digits, whatever the extents and the number of devices.

use super::hlo::nested;
use super::placement::{Placement, Role, Rule, Spread};
use super::tensor::Sharding;

/// A digit of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexDigit {
    /// How far it moves the index.
    pub weight: i64,
    /// How many values it has.
    pub radix: i64,
    /// How far the same digit moves the number of the device; `None` for a local digit.
    pub device: Option<i64>,
}

/// A digit of the number of the device that cuts no dim.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OtherDigit {
    /// How far it moves the number of the device.
    pub weight: i64,
    /// How many values it has.
    pub radix: i64,
    /// What devices along it hold.
    pub role: Role,
}

/// The digits of a sharding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Digits {
    /// Of each dim, the slowest first, as few as say it.
    pub dims: Vec<Vec<IndexDigit>>,
    /// Those that cut no dim, the slowest first.
    pub others: Vec<OtherDigit>,
}

/// A digit of an index, before the devices are numbered: its radix, and the digit of the position with what is below it there.
pub(super) type Own = (i64, Option<(usize, i64)>);

impl Digits {
    /// The digits of a sharding; `None` where it is uneven, or where tiles end inside a digit of the order of devices.
    ///
    /// ```
    /// use bitstride::sharding::{Digits, Sharding};
    /// let even: Sharding = "shard(f32[16], [_StridedShard(0, split_factor=4), Shard(0)], mesh(2,4))".parse()?;
    /// let tuple: Sharding = "shard(f32[16], P(('b','a')), mesh(a=2,b=4))".parse()?;
    /// assert_eq!(Digits::of(&even), Digits::of(&tuple));
    /// let uneven: Sharding = "shard(f32[9], [Shard(0), Shard(0)], mesh(2,4))".parse()?;
    /// assert_eq!(Digits::of(&uneven), None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(sharding: &Sharding) -> Option<Self> {
        Digits::of_dims(sharding, |_| true)
    }

    /// The digits of one dim alone, the slowest first, whatever the others are.
    pub(super) fn of_dim(sharding: &Sharding, dim: usize) -> Option<Vec<IndexDigit>> {
        Digits::of_dims(sharding, |other| other == dim)?.dims.into_iter().nth(dim)
    }

    /// The digits of some dims; others have none.
    fn of_dims(sharding: &Sharding, is_wanted: impl Fn(usize) -> bool) -> Option<Self> {
        let placement = sharding.placement();
        if placement.spread != Spread::Mesh && placement.mesh.axes.is_empty()
            || matches!(placement.spread, Spread::Only(_))
        {
            return None;
        }
        let mut dims = Vec::new();
        for (dim, (rule, extent)) in placement.rules.iter().zip(sharding.shape()).enumerate() {
            dims.push(if is_wanted(dim) { index_digits(placement, rule, *extent)? } else { Vec::new() });
        }
        // The digits of the position are cut where a dim cuts them.
        let mut radices = Vec::new();
        let mut pieces = Vec::new();
        for (at, digit) in placement.digits.iter().enumerate() {
            let mut below: Vec<i64> = dims
                .iter()
                .flatten()
                .filter_map(|(_, owner)| owner.filter(|(digit, _)| *digit == at))
                .map(|(_, below)| below)
                .collect();
            below.sort_unstable_by_key(|below| std::cmp::Reverse(*below));
            if below.is_empty() {
                below.push(1);
            }
            let mut upto = digit.part.size;
            for below in below {
                radices.push(upto / below);
                pieces.push((at, below));
                upto = below;
            }
        }
        let numbers = nested(&placement.mesh.order, &radices)?;
        let number =
            |digit: (usize, i64)| pieces.iter().position(|piece| *piece == digit).and_then(|at| numbers.get(at));
        let mut all = Vec::new();
        for digits in &dims {
            let mut own: Vec<IndexDigit> = Vec::new();
            // From the fastest digit on.
            let mut weight = 1;
            for (radix, owner) in digits.iter().rev() {
                match owner {
                    None => push(&mut own, IndexDigit { weight, radix: *radix, device: None }),
                    Some(digit) => {
                        let mut inner = weight;
                        for (device, radix) in number(*digit)?.iter().rev() {
                            push(&mut own, IndexDigit { weight: inner, radix: *radix, device: Some(*device) });
                            inner *= radix;
                        }
                    }
                }
                weight *= radix;
            }
            own.reverse();
            all.push(own);
        }
        let mut others = Vec::new();
        for (at, digit) in placement.digits.iter().enumerate().filter(|(_, digit)| digit.role != Role::Holds) {
            for (weight, radix) in number((at, 1))? {
                others.push(OtherDigit { weight: *weight, radix: *radix, role: digit.role.clone() });
            }
        }
        others.sort_unstable_by_key(|digit| std::cmp::Reverse(digit.weight));
        let mut merged: Vec<OtherDigit> = Vec::new();
        for digit in others {
            match merged.last_mut() {
                Some(last) if last.role == digit.role && last.weight == digit.weight * digit.radix => {
                    *last = OtherDigit { radix: last.radix * digit.radix, ..digit };
                }
                _ => merged.push(digit),
            }
        }
        Some(Digits { dims: all, others: merged })
    }

    /// How many digits there are.
    pub fn count(&self) -> usize {
        self.dims.iter().map(Vec::len).sum::<usize>() + self.others.len()
    }
}

/// A digit of a number: how far it moves the number, how many values it has, and what it is.
pub(super) type Cut<T> = (i64, i64, T);

/// The digits of a number that two lists cut otherwise, cut where either does: `(weight, radix, left, right)`, the fastest first.
/// `above` is what the part of a digit above a factor of it is; a digit that a list leaves out is `missing`. `None` where a cut falls
/// inside a digit that it does not divide.
pub(super) fn cut_alike<T: Clone>(
    left: &[Cut<T>],
    right: &[Cut<T>],
    above: &dyn Fn(&T, i64) -> T,
    missing: &T,
) -> Option<Vec<(i64, i64, T, T)>> {
    let mut cuts: Vec<i64> =
        left.iter().chain(right).flat_map(|(weight, radix, _)| [*weight, weight * radix]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let part = |digits: &[Cut<T>], low: i64| {
        let own = digits.iter().find(|(weight, radix, _)| low >= *weight && low < weight * radix);
        own.map_or_else(|| missing.clone(), |(weight, _, own)| above(own, low / weight))
    };
    let pairs = cuts.windows(2).map(|pair| match pair {
        [low, high] if high % low == 0 => Some((*low, high / low, part(left, *low), part(right, *low))),
        _ => None,
    });
    pairs.collect()
}

/// Appends the next slower digit, as one with the digit below it where both are one.
fn push(digits: &mut Vec<IndexDigit>, digit: IndexDigit) {
    if digit.radix == 1 {
        return;
    }
    match digits.last_mut() {
        Some(last)
            if match (last.device, digit.device) {
                (None, None) => true,
                (Some(below), Some(above)) => above == below * last.radix,
                _ => false,
            } =>
        {
            last.radix *= digit.radix;
        }
        _ => digits.push(digit),
    }
}

/// The digits of the index of a dim, the slowest first; `None` where the dim is uneven.
pub(super) fn index_digits(placement: &Placement, rule: &Rule, extent: i64) -> Option<Vec<Own>> {
    if extent < 1 {
        return None;
    }
    match rule {
        Rule::Tiled(cuts) => {
            let mut rest = extent;
            let mut digits = Vec::new();
            for digit in cuts {
                let radix = placement.radix(*digit);
                rest = (rest % radix == 0).then_some(rest / radix)?;
                digits.push((radix, Some((*digit, 1))));
            }
            digits.push((rest, None));
            Some(digits)
        }
        Rule::Chunked(steps) => {
            let mut digits = vec![(extent, None)];
            for (digit, factor) in steps {
                digits = chunked(digits, *factor, *digit, placement.radix(*digit))?;
            }
            Some(digits)
        }
    }
}

/// The digits after a step of chunks: behind the local digits whose product is the factor, the next ones become the device's.
fn chunked(before: Vec<Own>, factor: i64, digit: usize, pieces: i64) -> Option<Vec<Own>> {
    let mut digits = Vec::new();
    let (mut kept, mut taken) = (factor, pieces);
    for (radix, owner) in before {
        if owner.is_some() {
            digits.push((radix, owner));
            continue;
        }
        let mut radix = radix;
        if kept > 1 {
            let own = part(radix, kept)?;
            digits.push((own, None));
            kept /= own;
            radix /= own;
        }
        if kept == 1 && taken > 1 && radix > 1 {
            let own = part(radix, taken)?;
            taken /= own;
            digits.push((own, Some((digit, taken))));
            radix /= own;
        }
        if radix > 1 {
            digits.push((radix, None));
        }
    }
    (kept == 1 && taken == 1).then_some(digits)
}

/// How much of a digit is needed: all of it, or what is wanted, where one divides the other.
fn part(radix: i64, wanted: i64) -> Option<i64> {
    if wanted % radix == 0 { Some(radix) } else { (radix % wanted == 0).then_some(wanted) }
}
