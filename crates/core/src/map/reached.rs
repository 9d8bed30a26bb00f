//! [`Reached`]: the places that a map to one coordinate reaches, where it is a sum over digits, perhaps with swizzled
//! low bits.
//!
//! The sums are a set of [`Runs`], in units of the common divisor of all strides. A map of low bits after them is one
//! to one and moves no integer far. So the number of places stays, and ends and holes are found near those of the sums.
//! Where only the size is needed, strides that are multiples of more than the sum of the others are counted separately,
//! and two strides by a formula.
//!
//! Law: a place is reached exactly when some point leads to it.

use super::boxes::boxes;
use super::low_bits::LowBits;
use super::runs::Runs;
use super::solutions::Work;
use super::swizzled::Swizzled;
use super::symbolic::Symbolic;
use super::{Certificate, Form, Map};
use crate::cast::narrow;
use crate::modular::gcd;

/// The most steps that finding the places takes.
const MAX_STEPS: i64 = 1 << 24;

/// The most places that are looked at one by one at each end.
const MAX_ENDS: usize = 1 << 20;

/// The places that are reached.
pub(super) struct Reached {
    /// The sums: the number at the origin plus the unit times these.
    runs: Runs,
    origin: i128,
    unit: i128,
    /// What is done to the sums.
    outer: LowBits,
    back: LowBits,
    /// The least and the most that is added to a sum.
    moves: (i128, i128),
}

impl Map {
    /// The map to one coordinate as a plain sum, and the map of its low bits.
    fn as_sum(&self) -> Option<(Form, LowBits)> {
        if self.codomain().len() != 1 || self.domain().iter().any(|axis| axis.extent == 0) {
            return None;
        }
        match Form::of(self) {
            Ok(form) if form.sums.iter().all(|sum| sum.mask() == 0) => Some((form, LowBits::default())),
            _ => Swizzled::of(self).map(|Swizzled { form, outer }| (form, outer)),
        }
    }

    /// The places that the map reaches; none where it is no such sum, or they are too many runs.
    pub(super) fn reached(&self) -> Option<Reached> {
        let (form, outer) = self.as_sum()?;
        let sum = form.sums.first()?;
        let unit = sum.strides.iter().fold(0, |unit, stride| gcd(unit, i128::from(*stride))).max(1);
        let corners: Vec<(i64, i64)> = form.axes.iter().map(|axis| (0, axis.extent - 1)).collect();
        let mut work = Work::new(MAX_STEPS);
        let mut runs = Runs::default();
        for ranges in boxes(&form.axes, &form.digits, &corners)? {
            let (mut start, mut steps) = (0, Vec::new());
            for (stride, (low, count)) in sum.strides.iter().zip(&ranges) {
                let stride = i128::from(*stride) / unit;
                start += stride * i128::from(*low) + (stride * i128::from(count - 1)).min(0);
                if stride != 0 {
                    steps.push((stride.abs(), *count));
                }
            }
            runs = runs.union(&Runs::of_steps(start, &steps, &mut work)?, &mut work)?;
        }
        let moves = match outer.steps.is_empty() {
            true => (0, 0),
            false => {
                let values = outer.added(&form)?.values;
                (values.iter().min().copied()?, values.iter().max().copied()?)
            }
        };
        Some(Reached { runs, origin: i128::from(sum.offset), unit, back: outer.inverse()?, outer, moves })
    }

    /// The first place from 0 on that a sum of steps upward does not reach, where all digits are complete: the smaller steps
    /// reach all places up to their end, until a step leads beyond it.
    pub(super) fn first_gap(&self) -> Option<i64> {
        let (form, outer) = self.as_sum()?;
        let sum = form.sums.first()?;
        if !outer.steps.is_empty() || sum.offset < 0 || sum.strides.iter().any(|stride| *stride < 0) {
            return None;
        }
        let mut end = 0i128;
        for (by, count) in form.steps()?.into_iter().filter(|_| sum.offset == 0) {
            if by > end + 1 {
                break;
            }
            end = end.checked_add(by.checked_mul(i128::from(count - 1))?)?;
        }
        narrow(if sum.offset > 0 { 0 } else { end + 1 }).ok()
    }

    /// How many places a map to one coordinate reaches, and how many of these are in its codomain; none where it is no sum over
    /// digits, or that takes too many steps.
    pub(super) fn reached_of_sum(&self) -> Option<(i64, i64, Certificate)> {
        let (form, outer) = self.as_sum()?;
        let extent = self.codomain().first()?.extent;
        let reached = || self.reached();
        let size = form.distinct_sums().or_else(|| reached()?.size())?;
        let (least, most) = match outer.steps.is_empty() {
            true => {
                let symbolic = Symbolic::from_form(&form);
                let (least, most) = symbolic.range(symbolic.row.first()?);
                (narrow(least).ok()?, narrow(most).ok()?)
            }
            false => reached()?.ends()?,
        };
        let inside = if least >= 0 && most < extent { size } else { reached()?.inside(extent)? };
        Some((size, inside, Certificate::Digits(form.digits.len())))
    }
}

impl Form {
    /// The steps to the first coordinate, none of them 0, in order; none where digits are not complete.
    fn steps(&self) -> Option<Vec<(i128, i64)>> {
        let whole = self.axes.iter().enumerate().all(|(axis, side)| {
            let own = self.digits.iter().filter(|digit| digit.axis == axis).map(|digit| i128::from(digit.radix));
            own.product::<i128>() == i128::from(side.extent)
        });
        if !whole {
            return None;
        }
        let strides = self.sums.first()?.strides.iter().zip(&self.digits).filter(|(stride, _)| **stride != 0);
        let mut steps: Vec<(i128, i64)> =
            strides.map(|(stride, digit)| (i128::from(*stride).abs(), digit.radix)).collect();
        steps.sort_unstable();
        Some(steps)
    }

    /// The number of values of the first coordinate, where all digits are complete and there are no patterns.
    fn distinct_sums(&self) -> Option<i64> {
        narrow(distinct(&merged(self.steps()?)?)?).ok()
    }
}

/// Steps that continue each other as one, of steps in order.
fn merged(steps: Vec<(i128, i64)>) -> Option<Vec<(i128, i64)>> {
    let mut merged: Vec<(i128, i64)> = Vec::new();
    for (by, count) in steps {
        match merged.iter_mut().find(|(below, times)| *below * i128::from(*times) == by) {
            Some((_, times)) => *times = times.checked_mul(count)?,
            None => merged.push((by, count)),
        }
    }
    Some(merged)
}

/// The number of different sums of multiples of the steps, which are in order.
fn distinct(steps: &[(i128, i64)]) -> Option<i128> {
    let mut end = 0i128;
    for (at, (by, count)) in steps.iter().enumerate() {
        let (below, above) = steps.split_at_checked(at)?;
        let common = above.iter().fold(0, |common, (by, _)| gcd(common, *by));
        if at > 0 && end < common {
            return distinct(below)?.checked_mul(distinct(above)?);
        }
        end = end.checked_add(by.checked_mul(i128::from(count - 1))?)?;
    }
    match steps {
        [] => Some(1),
        [(_, count)] => Some(i128::from(*count)),
        // In each residue class modulo the first step, runs of as many as it has values, a step of the second apart.
        [(one, length), (other, count)] => {
            let common = gcd(*one, *other);
            let (length, count) = (i128::from(*length), i128::from(*count));
            let classes = (one / common).min(count);
            Some(classes * length + (count - classes) * length.min(other / common))
        }
        steps => {
            let unit = steps.iter().fold(0, |unit, (by, _)| gcd(unit, *by)).max(1);
            let steps: Vec<(i128, i64)> = steps.iter().map(|(by, count)| (by / unit, *count)).collect();
            Some(Runs::of_steps(0, &steps, &mut Work::new(MAX_STEPS))?.size())
        }
    }
}

impl Reached {
    /// How many places are reached.
    pub(super) fn size(&self) -> Option<i64> {
        narrow(self.runs.size()).ok()
    }

    fn place(&self, number: i128) -> i128 {
        self.outer.apply(self.origin + self.unit * number)
    }

    /// The least and the greatest place; none where too many would be looked at.
    pub(super) fn ends(&self) -> Option<(i64, i64)> {
        let (first, last) = self.runs.ends()?;
        let (mut least, mut most) = (self.place(first), self.place(last));
        // Sums further on are larger than the least place so far, whatever the map of low bits adds.
        // Sums further inside have no more extreme places, whatever the map of low bits adds.
        let mut looked = 0;
        for number in self.runs.rising() {
            if self.origin + self.unit * number + self.moves.0 > least {
                break;
            }
            least = least.min(self.place(number));
            looked += 1;
            if looked > MAX_ENDS {
                return None;
            }
        }
        for number in self.runs.falling() {
            if self.origin + self.unit * number + self.moves.1 < most {
                break;
            }
            most = most.max(self.place(number));
            looked += 1;
            if looked > MAX_ENDS {
                return None;
            }
        }
        Some((narrow(least).ok()?, narrow(most).ok()?))
    }

    /// How many of the places from 0 to below an extent are reached; none where too many would be looked at.
    pub(super) fn inside(&self, extent: i64) -> Option<i64> {
        // How many sums are below a number.
        let below = |number: i128| {
            let (first, _) = self.runs.ends().unwrap_or_default();
            self.runs.within(first, (number - self.origin - 1).div_euclid(self.unit))
        };
        // Sums around a bound are looked at: on one side of them all places are below it, on the other none.
        let places_below = |bound: i128| {
            let (certain, possible) = (bound - self.moves.1, bound - self.moves.0);
            let first = (certain - self.origin + self.unit - 1).div_euclid(self.unit);
            let last = (possible - self.origin).div_euclid(self.unit);
            if last - first > i128::try_from(MAX_ENDS).unwrap_or(0) {
                return None;
            }
            let near = (first..=last).filter(|number| self.runs.holding(*number).is_some());
            let near = near.filter(|number| self.place(*number) < bound).count();
            Some(below(certain) + i128::from(crate::cast::length(near)))
        };
        narrow(places_below(i128::from(extent))? - places_below(0)?).ok()
    }

    /// The first place from 0 to below an extent that is not reached; none where there is none, or it is too far.
    pub(super) fn first_hole(&self, extent: i64) -> Option<i64> {
        let mut work = Work::new(MAX_STEPS);
        let (mut place, extent) = (0i128, i128::from(extent));
        while place < extent {
            work.spend(1)?;
            let above = self.back.apply(place) - self.origin;
            let number = above.div_euclid(self.unit);
            let run = if above % self.unit == 0 { self.runs.holding(number) } else { None };
            let Some((first, last)) = run else { return narrow(place).ok() };
            // Places that come from within a run are all reached.
            let is_within = self.unit == 1 && self.origin + first <= place - self.moves.1;
            place = if is_within { place.max(self.origin + last + self.moves.0) } else { place } + 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::error::Error;
    use crate::map::random::{map_of, numbers};
    use crate::map::walk::Walk;

    fn all_places(map: &Map) -> Result<BTreeSet<i64>, Error> {
        let mut walk = Walk::new(&map.domain().iter().map(|axis| axis.extent).collect::<Vec<_>>());
        let mut places = BTreeSet::new();
        while let Some(point) = walk.next() {
            places.extend(map.at(point)?.unwrap_or_default());
        }
        Ok(places)
    }

    #[test]
    fn places_are_those_of_all_points() -> Result<(), Error> {
        let mut below = numbers(5);
        let mut sums = 0;
        for _ in 0..3000 {
            let extents: Vec<i64> = (0..3).map(|_| 1 + below(7)).collect();
            let strides: Vec<i64> = (0..3).map(|_| (below(14) - 2) * (1 + below(3))).collect();
            let list = |numbers: &[i64]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            let layout = format!("({}):({})", list(&extents), list(&strides));
            let text = match below(3) {
                0 => layout,
                _ => format!("Sw<{},{},{}> o {} o {layout}", 1 + below(2), below(3), 2 + below(2), below(30)),
            };
            let map = map_of(&text)?;
            let places = all_places(&map)?;
            let (Some(reached), Some((size, inside, _))) = (map.reached(), map.reached_of_sum()) else { continue };
            sums += 1;
            let count = |places: usize| Some(crate::cast::length(places));
            assert_eq!(count(places.len()), Some(size), "{text}");
            assert_eq!(reached.size(), Some(size), "{text}");
            let extent = map.codomain().first().map_or(0, |axis| axis.extent);
            assert_eq!(count(places.range(0..extent).count()), Some(inside), "{text} in {extent}");
            assert_eq!(reached.ends(), places.first().copied().zip(places.last().copied()), "{text}");
            for extent in [0, 1, 17, 60] {
                assert_eq!(reached.inside(extent), count(places.range(0..extent).count()), "{text} in {extent}");
                assert_eq!(reached.first_hole(extent), (0..extent).find(|place| !places.contains(place)), "{text}");
            }
        }
        assert!(sums > 2500, "{sums} of 3000 are sums");
        Ok(())
    }

    #[test]
    fn extents_do_not_matter() -> Result<(), Error> {
        let image = |text: &str| {
            let image = map_of(text)?.image()?;
            Ok::<_, Error>((image.size, image.holes, image.first_hole.map(|hole| hole[0])))
        };
        // 7 x + 11 y leaves (7 - 1)(11 - 1) / 2 numbers out at each end.
        let most = 7 * 1_000_002 + 11 * 999_982;
        assert_eq!(image("(1000003,999983):(7,11)")?, (most + 1 - 60, 60, Some(1)));
        // Rows of 4096, 8 apart.
        let rows = 4096 * 4096;
        assert_eq!(image("(4096,4096):(4104,1)")?, (rows, 4095 * 8, Some(4096)));
        // The swizzle moves the first 8 of the last 56 places to the end of their 64.
        assert_eq!(image("Sw<3,3,3> o (4096,4096):(4104,1)")?, (rows, 4095 * 8 + 8, Some(4096)));
        Ok(())
    }
}
