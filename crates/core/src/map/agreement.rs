//! [`Agreement`]: counts the points of a part of the domain at which two maps lead to the same place.
//!
//! Both maps are sums over digits, perhaps with permuted low bits ([`Swizzled`]). Over common digits the gap between
//! both is a sum too. The maps agree where the gap is 0, or equal to what the permuted bits add. So agreeing points are
//! the solutions of a linear equation in the digits (`solutions.rs`). Only two kinds of digits are enumerated:
//!
//! - bits whose XOR masks share a bit, together;
//! - digits that the two maps cut at numbers that do not divide each other, up to their common multiple.
//!
//! All other digits are linear, whatever their extents. Several coordinates become one number in mixed radix.
//!
//! Points that a guard makes padding are boxes of digits ([`Guarded`]), which are counted apart. Maps that are no sums of
//! digits may still repeat: after a period along an axis, all coordinates have moved by a constant (`periods.rs`). The
//! points of one box of periods are enumerated then, and the numbers of periods are linear.
//!
//! Where too many bits share masks, the maps may be XORs of bits altogether, which elimination counts ([`Xored`]).
//!
//! Law: the count is the number of points of the part at which both maps are equal.

use std::collections::HashMap;

use super::bounds::Bounds;
use super::boxes::{self, Ranges, boxes};
use super::guarded::{Guarded, met, volume};
use super::low_bits::{Added, LowBits};
use super::periods::{lcm, periods};
use super::solutions::{Amount, Target, Term, Work};
use super::swizzled::Swizzled;
use super::symbolic::Symbolic;
use super::xored::Xored;
use super::{Axis, Digit, Form, Map};
use crate::gcd;

/// The most values that digits may have together which are enumerated.
const MAX_ENUMERATED: i64 = 1 << 20;

/// The largest gap: sums of as many as there are terms stay within 128 bits.
const MAX_GAP: i128 = 1 << 110;

/// Where two maps agree.
pub(super) enum Agreement {
    /// As sums over common digits.
    Sums(Box<Sums>),
    /// As XORs of bits.
    Bits(Xored),
}

/// Two maps over common digits.
pub(super) struct Sums {
    axes: Vec<Axis>,
    digits: Vec<Digit>,
    parts: Vec<Summand>,
    gap: Gap,
    origin: Amount,
    target: Target,
    /// For each map, the digits of points that are no padding; none where no point is.
    kept: [Option<Vec<Ranges>>; 2],
    /// Whether points that are padding in one map only count as equal.
    ignores_padding: bool,
    /// What digits that are enumerated add together, for the ranges in question.
    lists: HashMap<(usize, Ranges), Vec<(Amount, i128)>>,
}

/// A summand of the gap.
enum Summand {
    /// Each step of a digit adds this.
    Linear(usize, Amount),
    /// What these digits add together is looked up.
    Enumerated(Vec<usize>),
}

/// How far the right map is ahead of the left, and the low bits of the left.
struct Gap {
    left: MapSide,
    right: MapSide,
    weights: Vec<i128>,
    /// The low bits that are permuted afterwards.
    low: Option<Added>,
}

/// One of the maps, without its guards.
enum MapSide {
    Sum(Form),
    Stages(Map),
}

impl MapSide {
    fn at(&self, point: &[i64]) -> Option<Vec<i64>> {
        match self {
            MapSide::Sum(form) => form.at(point).ok(),
            MapSide::Stages(map) => map.at(point).ok()?,
        }
    }

    /// The least and the greatest of each coordinate, or bounds of them.
    fn ranges(&self) -> Vec<(i128, i128)> {
        match self {
            MapSide::Sum(form) => {
                let symbolic = Symbolic::from_form(form);
                symbolic.row.iter().map(|sum| symbolic.range(sum)).collect()
            }
            MapSide::Stages(map) => Bounds::after(map),
        }
    }
}

/// A number of digits' values that is not too many to be enumerated.
fn enumerable(radices: impl Iterator<Item = i64>) -> Option<()> {
    let mut radices = radices;
    radices.try_fold(1i64, i64::checked_mul).filter(|values| *values <= MAX_ENUMERATED).map(|_| ())
}

impl Agreement {
    /// Two maps over the same axes; none where they are no such sums, or too many values would be enumerated.
    pub(super) fn of(left: &Map, right: &Map) -> Option<Agreement> {
        let extents = |map: &Map| map.domain().iter().map(|axis| axis.extent).collect::<Vec<_>>();
        if extents(left) != extents(right) || left.codomain().len() != right.codomain().len() {
            return None;
        }
        if extents(left).contains(&0) {
            return None;
        }
        let forms = || {
            let (left, right) = (Guarded::of(left).ok()?, Guarded::of(right).ok()?);
            Sums::of_forms(left, right, None)
        };
        let swizzled = || {
            let (left, right) = (Swizzled::of(left)?, Swizzled::of(right)?);
            let between = left.outer.then(&right.outer.inverse()?).merged();
            Sums::of_forms(left.form.into(), right.form.into(), Some(&between))
        };
        let sums = forms().or_else(swizzled).or_else(|| Sums::of_periods(left, right));
        let bits = || Some(Agreement::Bits(Xored::of(&Form::of(left).ok()?, &Form::of(right).ok()?)?));
        sums.map(|sums| Agreement::Sums(Box::new(sums))).or_else(bits)
    }

    /// How many digits decide.
    pub(super) fn digits(&self) -> usize {
        match self {
            Agreement::Sums(sums) => sums.digits.len(),
            Agreement::Bits(bits) => bits.digits(),
        }
    }

    /// The same maps, where points that are padding in one of them count as equal.
    pub(super) fn ignoring_padding(mut self) -> Self {
        if let Agreement::Sums(sums) = &mut self {
            sums.ignores_padding = true;
        }
        self
    }

    /// How many points between two corners, both included, lead to the same place; none when that takes more work than is left.
    pub(super) fn count(&mut self, corners: &[(i64, i64)], work: &mut Work) -> Option<i128> {
        match self {
            Agreement::Sums(sums) => sums.count(corners, work),
            Agreement::Bits(bits) => bits.count(corners, work),
        }
    }
}

impl Sums {
    /// Two maps that repeat, where a box of periods is small.
    fn of_periods(left: &Map, right: &Map) -> Option<Sums> {
        let axes = left.domain().to_vec();
        let both = periods(left)?.into_iter().zip(periods(right)?).map(|(a, b)| lcm(a, b));
        let both = both.collect::<Option<Vec<i64>>>()?;
        let (mut digits, mut members, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (axis, (side, period)) in axes.iter().zip(both).enumerate() {
            let period = period.min(side.extent);
            if period > 1 {
                members.push(digits.len());
                digits.push(Digit { axis, weight: 1, radix: period });
            }
            let radix = side.extent / period + i64::from(side.extent % period != 0);
            if radix > 1 {
                digits.push(Digit { axis, weight: period, radix });
            }
        }
        enumerable(members.iter().filter_map(|digit| digits.get(*digit)).map(|digit| digit.radix))?;
        let (left, right) = (MapSide::Stages(left.clone()), MapSide::Stages(right.clone()));
        let gap = Gap { weights: weights(&left, &right)?, left, right, low: None };
        let origin = gap.at(&vec![0; axes.len()])?;
        for number in (0..digits.len()).filter(|number| !members.contains(number)) {
            let ones: Vec<i64> = (0..digits.len()).map(|digit| i64::from(digit == number)).collect();
            parts.push(Summand::Linear(number, gap.at(&boxes::point(&axes, &digits, &ones))?.since(origin)));
        }
        parts.push(Summand::Enumerated(members));
        let (target, kept) = (Target::zero(), [None, None]);
        Some(Sums { axes, digits, parts, gap, origin, target, kept, ignores_padding: false, lists: HashMap::new() })
    }

    fn of_forms(left: Guarded, right: Guarded, between: Option<&LowBits>) -> Option<Sums> {
        let sides = [left, right];
        let [left, right] = sides.each_ref().map(|side| &side.form);
        let low = match between {
            Some(between) => Some(between.added(left)?),
            None => None,
        };
        let target = match &low {
            Some(low) => Target::of_residues(&low.values)?,
            None => Target::zero(),
        };
        let axes = left.axes.clone();
        let (digits, mut is_enumerated) = common_digits(&axes, &left.digits, &right.digits);
        let mut groups: Vec<usize> = (0..digits.len()).collect();
        let mut kept = [None, None];
        for (kept, side) in kept.iter_mut().zip(&sides) {
            *kept = side.kept(&digits, &is_enumerated)?;
        }
        for form in [left, right] {
            for pattern in form.shared_bits(&digits) {
                let Some(first) = pattern.first().and_then(|first| groups.get(*first)).copied() else { continue };
                for digit in pattern {
                    *is_enumerated.get_mut(digit)? = true;
                    let joined = *groups.get(digit)?;
                    groups.iter_mut().filter(|group| **group == joined).for_each(|group| *group = first);
                }
            }
        }
        let [left, right] = sides.map(|side| MapSide::Sum(side.form));
        let gap = Gap { weights: weights(&left, &right)?, left, right, low };
        let origin = gap.at(&vec![0; axes.len()])?;
        let mut parts = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            if is_enumerated.get(number) == Some(&false) {
                let ones: Vec<i64> = (0..digits.len()).map(|digit| i64::from(digit == number)).collect();
                let one = gap.at(&boxes::point(&axes, &digits, &ones))?;
                parts.push(Summand::Linear(number, one.since(origin)));
            } else if *group == number {
                let members: Vec<usize> =
                    (0..digits.len()).filter(|digit| groups.get(*digit) == Some(&number)).collect();
                enumerable(members.iter().filter_map(|digit| digits.get(*digit)).map(|digit| digit.radix))?;
                parts.push(Summand::Enumerated(members));
            }
        }
        let lists = HashMap::new();
        Some(Sums { axes, digits, parts, gap, origin, target, kept, ignores_padding: false, lists })
    }

    fn count(&mut self, corners: &[(i64, i64)], work: &mut Work) -> Option<i128> {
        let mut found = 0;
        for ranges in boxes(&self.axes, &self.digits, corners)? {
            let [left, right] = &self.kept;
            if left.is_none() && right.is_none() {
                found += self.equal(&ranges, work)?;
                continue;
            }
            let within = |kept: &Option<Vec<Ranges>>| match kept {
                Some(kept) => kept.iter().filter_map(|kept| met(&ranges, kept)).collect(),
                None => vec![ranges.clone()],
            };
            let (left, right) = (within(left), within(right));
            let all = |parts: &[Ranges]| parts.iter().map(volume).sum::<i128>();
            let both: Vec<Ranges> =
                left.iter().flat_map(|one| right.iter().filter_map(|other| met(one, other))).collect();
            work.spend(crate::cast::length(left.len().saturating_mul(right.len())))?;
            // Padding on both sides is equal.
            found += match self.ignores_padding {
                true => volume(&ranges) - all(&both),
                false => volume(&ranges) - all(&left) - all(&right) + all(&both),
            };
            for part in both {
                found += self.equal(&part, work)?;
            }
        }
        Some(found)
    }

    /// How many points of a box of digits lead to the same place, guards aside.
    fn equal(&mut self, ranges: &Ranges, work: &mut Work) -> Option<i128> {
        let mut start = self.origin;
        let mut terms = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            match part {
                Summand::Linear(digit, by) => {
                    let (low, count) = ranges.get(*digit).copied()?;
                    start = start.plus(by.times(low));
                    terms.push(Term::Steps { by: *by, count });
                }
                Summand::Enumerated(members) => {
                    let own: Ranges = members.iter().filter_map(|digit| ranges.get(*digit)).copied().collect();
                    let key = (number, own);
                    if !self.lists.contains_key(&key) {
                        let list = self.enumerated(members, &key.1, work)?;
                        // They stay few.
                        let held: usize = self.lists.values().map(Vec::len).sum();
                        if crate::cast::length(held) > MAX_ENUMERATED {
                            self.lists.clear();
                        }
                        self.lists.insert(key.clone(), list);
                    }
                    terms.push(Term::List(self.lists.get(&key)?.clone()));
                }
            }
        }
        self.target.count(start, terms, work)
    }

    /// The sums of some digits, each with its number of ways.
    fn enumerated(&self, members: &[usize], own: &[(i64, i64)], work: &mut Work) -> Option<Vec<(Amount, i128)>> {
        let mut values: Vec<i64> = vec![0; self.digits.len()];
        let mut walk = super::walk::Walk::new(&own.iter().map(|(_, count)| *count).collect::<Vec<_>>());
        let mut ways: HashMap<Amount, i128> = HashMap::new();
        while let Some(chosen) = walk.next() {
            work.spend(1)?;
            for ((digit, (low, _)), step) in members.iter().zip(own).zip(chosen) {
                *values.get_mut(*digit)? = low + step;
            }
            let amount = self.gap.at(&boxes::point(&self.axes, &self.digits, &values))?.since(self.origin);
            *ways.entry(amount).or_default() += 1;
        }
        Some(ways.into_iter().collect())
    }
}

impl Gap {
    fn at(&self, point: &[i64]) -> Option<Amount> {
        let (left, right) = (self.left.at(point)?, self.right.at(point)?);
        let gaps = left.iter().zip(&right).map(|(left, right)| i128::from(*right) - i128::from(*left));
        let number = gaps.zip(&self.weights).map(|(gap, weight)| gap * weight).sum();
        let residue = match &self.low {
            Some(low) => low.residue(left.first().copied()?)?,
            None => 0,
        };
        Some(Amount { number, residue })
    }
}

/// What each coordinate is weighed by, so that the sum is 0 only where all gaps are; none where that is too large.
fn weights(left: &MapSide, right: &MapSide) -> Option<Vec<i128>> {
    let mut weight = 1i128;
    let mut weights = Vec::new();
    for ((least, most), (from, to)) in left.ranges().into_iter().zip(right.ranges()) {
        let gap = to.checked_sub(least)?.max(most.checked_sub(from)?);
        weights.push(weight);
        weight = gap.checked_mul(2)?.checked_add(1)?.checked_mul(weight).filter(|weight| *weight <= MAX_GAP)?;
    }
    Some(weights)
}

/// The digits that two lists of digits have in common, and which of them are cut further by only one of the lists.
fn common_digits(axes: &[Axis], left: &[Digit], right: &[Digit]) -> (Vec<Digit>, Vec<bool>) {
    let (mut digits, mut is_cut) = (Vec::new(), Vec::new());
    for (axis, side) in axes.iter().enumerate() {
        let own = left.iter().chain(right).filter(|digit| digit.axis == axis && digit.weight > 1);
        let mut cuts: Vec<i64> = own.map(|digit| digit.weight).filter(|weight| *weight < side.extent).collect();
        cuts.sort_unstable();
        cuts.dedup();
        // Cuts between two of the chain, as their common divisor and multiple: each multiple divides the next divisor.
        let mut chain: Vec<(i64, i64)> = Vec::new();
        for cut in cuts {
            let (mut divisor, mut multiple) = (cut, cut);
            while let Some((below, last)) = chain.last().copied()
                && divisor % last != 0
            {
                let common = gcd(multiple, last).max(1);
                multiple = (multiple / common).saturating_mul(last);
                divisor = gcd(divisor, below);
                chain.pop();
            }
            chain.push((divisor, multiple));
        }
        let mut weight = 1i64;
        let inner = chain.into_iter().map(|(divisor, multiple)| (multiple, divisor != multiple));
        for (end, cut) in inner.chain([(side.extent, false)]) {
            if weight >= side.extent {
                break;
            }
            let rest = side.extent / weight + i64::from(side.extent % weight != 0);
            let radix = if end < side.extent { end / weight } else { rest };
            digits.push(Digit { axis, weight, radix });
            is_cut.push(cut);
            weight = weight.saturating_mul(radix);
        }
    }
    (digits, is_cut)
}

impl Form {
    /// For each bit of each coordinate, the digits of a list that hold the digits whose patterns have it.
    fn shared_bits(&self, digits: &[Digit]) -> Vec<Vec<usize>> {
        let holder = |own: &Digit| {
            digits.iter().position(|digit| {
                let end = i128::from(digit.weight) * i128::from(digit.radix);
                digit.axis == own.axis && digit.weight <= own.weight && i128::from(own.weight) < end
            })
        };
        let mut all = Vec::new();
        for sum in self.sums.iter().filter(|sum| sum.mask() != 0) {
            for bit in 0..i64::BITS {
                let has = |xor: &i64| xor >> bit & 1 == 1;
                let own = self.digits.iter().zip(&sum.xors).filter(|(_, xor)| has(xor));
                let mut holders: Vec<usize> = own.filter_map(|(digit, _)| holder(digit)).collect();
                holders.sort_unstable();
                holders.dedup();
                if !holders.is_empty() {
                    all.push(holders);
                }
            }
        }
        all
    }
}

// Residues are those modulo a power of two, which 64 bits that wrap around keep.
impl Amount {
    fn plus(self, more: Amount) -> Amount {
        Amount { number: self.number + more.number, residue: self.residue.wrapping_add(more.residue) }
    }

    fn since(self, origin: Amount) -> Amount {
        Amount { number: self.number - origin.number, residue: self.residue.wrapping_sub(origin.residue) }
    }

    fn times(self, times: i64) -> Amount {
        Amount { number: self.number * i128::from(times), residue: self.residue.wrapping_mul(times) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::map::random::{map_of, numbers};
    use crate::map::walk::Walk;

    /// Counts of parts of the domain are those of all points, one by one.
    fn check(
        left: &Map,
        right: &Map,
        below: &mut impl FnMut(i64) -> i64,
        ignores_padding: bool,
        mut agreement: Agreement,
    ) -> Result<(), Error> {
        let extents: Vec<i64> = left.domain().iter().map(|axis| axis.extent).collect();
        for _ in 0..6 {
            let range = |extent: &i64| {
                let (a, b) = (below(*extent), below(*extent));
                if below(3) == 0 { (0, extent - 1) } else { (a.min(b), a.max(b)) }
            };
            let corners: Vec<(i64, i64)> = extents.iter().map(range).collect();
            let mut walk = Walk::new(&corners.iter().map(|(low, high)| high - low + 1).collect::<Vec<_>>());
            let mut wanted = 0;
            while let Some(steps) = walk.next() {
                let point: Vec<i64> = steps.iter().zip(&corners).map(|(step, (low, _))| step + low).collect();
                let (one, other) = (left.at(&point)?, right.at(&point)?);
                let padding = one.is_none() || other.is_none();
                wanted += i128::from(one == other || ignores_padding && padding);
            }
            let counted = agreement.count(&corners, &mut Work::new(1 << 24));
            assert_eq!(counted, Some(wanted), "{corners:?}\n{left:?}\n{right:?}");
        }
        Ok(())
    }

    fn tiled(below: &mut impl FnMut(i64) -> i64, shape: [i64; 2]) -> Result<Map, Error> {
        let [rows, columns] = shape;
        let order = ["1,0", "0,1"][usize::from(below(2) == 0)];
        let tile = match below(4) {
            0 => String::new(),
            1 => format!(":T({},{})", 1 + below(5), 1 + below(5)),
            2 => format!(":T({},{})({},1)", 2 << below(2), 1 << below(3), 1 << below(2)),
            _ => format!(":T(*,{})", 2 + below(6)),
        };
        map_of(&format!("f32[{rows},{columns}]{{{order}{tile}}}"))
    }

    #[test]
    fn padding_is_counted_as_boxes_of_digits() -> Result<(), Error> {
        let mut below = numbers(4);
        let mut decided = 0;
        for _ in 0..400 {
            let shape = [1 + below(9), 1 + below(9)];
            let sides = [tiled(&mut below, shape)?.inverse()?, tiled(&mut below, shape)?.inverse()?];
            // Over as many places as the shorter has.
            let places = sides.iter().map(|side| side.domain()[0].extent).min().unwrap_or(0);
            let [left, right] = sides.map(|mut side| {
                side.domain[0].extent = places;
                side
            });
            for ignores_padding in [false, true] {
                let Some(agreement) = Agreement::of(&left, &right) else { continue };
                let agreement = if ignores_padding { agreement.ignoring_padding() } else { agreement };
                check(&left, &right, &mut below, ignores_padding, agreement)?;
                decided += 1;
            }
        }
        assert!(decided > 450, "{decided} of 800 are decided by digits; merged dims that carry are not");
        Ok(())
    }

    #[test]
    fn maps_that_repeat_are_counted_by_periods() -> Result<(), Error> {
        let mut below = numbers(5);
        let (mut decided, cases) = (0, 300);
        for _ in 0..cases {
            let shape = [1 + below(30), 1 + below(20)];
            let [left, right] = [tiled(&mut below, shape)?, tiled(&mut below, shape)?];
            let Some(sums) = Sums::of_periods(&left, &right) else { continue };
            check(&left, &right, &mut below, false, Agreement::Sums(Box::new(sums)))?;
            decided += 1;
        }
        assert_eq!(decided, cases, "arrays repeat");
        Ok(())
    }

    #[test]
    fn bits_that_share_masks_are_counted_by_elimination() -> Result<(), Error> {
        let mut below = numbers(6);
        let mut decided = 0;
        for _ in 0..400 {
            let extents = [1 + below(20), 1 << below(4)];
            let mut text = || {
                let order = if below(2) == 0 { (1, 32) } else { (16, 1) };
                let layout = format!("({},{}):({},{})", extents[0], extents[1], order.0, order.1);
                match below(4) {
                    0 => layout,
                    1 => format!("Sw<1,{},2> o Sw<2,0,{}> o 0 o {layout}", below(3), 2 + below(2)),
                    _ => format!("Sw<{},{},{}> o {} o {layout}", 1 + below(3), below(2), 3 + below(2), 512 * below(2)),
                }
            };
            let [left, right] = [map_of(&text())?, map_of(&text())?];
            let (Ok(one), Ok(other)) = (Form::of(&left), Form::of(&right)) else { continue };
            let Some(bits) = Xored::of(&one, &other) else { continue };
            check(&left, &right, &mut below, false, Agreement::Bits(bits))?;
            decided += 1;
        }
        assert!(decided > 200, "{decided} of 400 are XORs of bits");
        Ok(())
    }
}
