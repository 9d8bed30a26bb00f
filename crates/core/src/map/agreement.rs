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
//! Law: the count is the number of points of the part at which both maps are equal.

use std::collections::HashMap;

use super::boxes::{self, Ranges, boxes};
use super::low_bits::{Added, LowBits};
use super::solutions::{Amount, Target, Term, Work};
use super::swizzled::Swizzled;
use super::symbolic::Symbolic;
use super::{Axis, Digit, Form, Map};
use crate::gcd;

/// The most values that digits may have together which are enumerated.
const MAX_ENUMERATED: i64 = 1 << 20;

/// The largest gap: sums of as many as there are terms stay within 128 bits.
const MAX_GAP: i128 = 1 << 110;

/// Two maps over common digits.
pub(super) struct Agreement {
    axes: Vec<Axis>,
    digits: Vec<Digit>,
    parts: Vec<Part>,
    gap: Gap,
    origin: Amount,
    target: Target,
}

/// A summand of the gap.
enum Part {
    /// Each step of a digit adds this.
    Linear(usize, Amount),
    /// What these digits add together is looked up.
    Enumerated(Vec<usize>),
}

/// How far the right map is ahead of the left, and the low bits of the left.
struct Gap {
    left: Form,
    right: Form,
    weights: Vec<i128>,
    /// The low bits that are permuted afterwards.
    low: Option<Added>,
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
        let forms = || Agreement::of_forms(Form::of(left).ok()?, Form::of(right).ok()?, None);
        let swizzled = || {
            let (left, right) = (Swizzled::of(left)?, Swizzled::of(right)?);
            let between = left.outer.then(&right.outer.inverse()?).merged();
            Agreement::of_forms(left.form, right.form, Some(&between))
        };
        forms().or_else(swizzled)
    }

    fn of_forms(left: Form, right: Form, between: Option<&LowBits>) -> Option<Agreement> {
        let low = match between {
            Some(between) => Some(between.added(&left)?),
            None => None,
        };
        let target = match &low {
            Some(low) => Target::of_residues(&low.values)?,
            None => Target::zero(),
        };
        let axes = left.axes.clone();
        let (digits, mut is_enumerated) = common_digits(&axes, &left.digits, &right.digits);
        let mut groups: Vec<usize> = (0..digits.len()).collect();
        for form in [&left, &right] {
            for pattern in form.shared_bits(&digits) {
                let Some(first) = pattern.first().and_then(|first| groups.get(*first)).copied() else { continue };
                for digit in pattern {
                    *is_enumerated.get_mut(digit)? = true;
                    let joined = *groups.get(digit)?;
                    groups.iter_mut().filter(|group| **group == joined).for_each(|group| *group = first);
                }
            }
        }
        let gap = Gap { weights: weights(&left, &right)?, left, right, low };
        let origin = gap.at(&vec![0; axes.len()])?;
        let mut parts = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            if is_enumerated.get(number) == Some(&false) {
                let ones: Vec<i64> = (0..digits.len()).map(|digit| i64::from(digit == number)).collect();
                let one = gap.at(&boxes::point(&axes, &digits, &ones))?;
                parts.push(Part::Linear(number, one.since(origin)));
            } else if *group == number {
                let members: Vec<usize> =
                    (0..digits.len()).filter(|digit| groups.get(*digit) == Some(&number)).collect();
                let radices = members.iter().filter_map(|digit| digits.get(*digit)).map(|digit| digit.radix);
                radices.into_iter().try_fold(1i64, i64::checked_mul).filter(|values| *values <= MAX_ENUMERATED)?;
                parts.push(Part::Enumerated(members));
            }
        }
        Some(Agreement { axes, digits, parts, gap, origin, target })
    }

    /// How many points between two corners, both included, lead to the same place; none when that takes more work than is left.
    pub(super) fn count(&self, corners: &[(i64, i64)], work: &mut Work) -> Option<i128> {
        let mut found = 0;
        for ranges in boxes(&self.axes, &self.digits, corners)? {
            let mut start = self.origin;
            let mut terms = Vec::new();
            for part in &self.parts {
                match part {
                    Part::Linear(digit, by) => {
                        let (low, count) = ranges.get(*digit).copied()?;
                        start = start.plus(by.times(low));
                        terms.push(Term::Steps { by: *by, count });
                    }
                    Part::Enumerated(members) => terms.push(Term::List(self.enumerated(members, &ranges, work)?)),
                }
            }
            found += self.target.count(start, terms, work)?;
        }
        Some(found)
    }

    /// The sums of some digits, each with its number of ways.
    fn enumerated(&self, members: &[usize], ranges: &Ranges, work: &mut Work) -> Option<Vec<(Amount, i128)>> {
        let own: Vec<(i64, i64)> = members.iter().filter_map(|digit| ranges.get(*digit)).copied().collect();
        let mut values: Vec<i64> = vec![0; self.digits.len()];
        let mut walk = super::walk::Walk::new(&own.iter().map(|(_, count)| *count).collect::<Vec<_>>());
        let mut ways: HashMap<Amount, i128> = HashMap::new();
        while let Some(chosen) = walk.next() {
            work.spend(1)?;
            for ((digit, (low, _)), step) in members.iter().zip(&own).zip(chosen) {
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
        let (left, right) = (self.left.at(point).ok()?, self.right.at(point).ok()?);
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
fn weights(left: &Form, right: &Form) -> Option<Vec<i128>> {
    let ranges = |form: &Form| {
        let symbolic = Symbolic::from_form(form);
        symbolic.row.iter().map(|sum| symbolic.range(sum)).collect::<Vec<_>>()
    };
    let mut weight = 1i128;
    let mut weights = Vec::new();
    for ((least, most), (from, to)) in ranges(left).into_iter().zip(ranges(right)) {
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
