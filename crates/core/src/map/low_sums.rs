//! [`LowSums`]: whether a sum over digits, followed by a map of its low bits, equals another sum over the same digits.
//!
//! The amount that the map of low bits adds to a sum depends on the low bits alone. So both sides are equal exactly
//! where the other sum is larger by this amount. Digits are processed one after the other. A set holds all low bits
//! that the sums can have so far, and each further step must add the difference that the map makes. The decision is
//! exact, and its work does not depend on the extents.

use super::boxes::{self, Ranges, boxes};
use super::low_bits::{Added, LowBits};
use super::{Axis, Digit, Form};
use crate::cast::index;

/// Two sums over the same digits, with a map of low bits after the first.
pub(super) struct LowSums {
    axes: Vec<Axis>,
    digits: Vec<Digit>,
    /// What a step of each digit adds to the first sum, in units of the common divisor, and how far it brings the second ahead.
    steps: Vec<(i64, i128)>,
    /// How far the second sum is ahead at the origin.
    ahead: i128,
    /// What the map of low bits adds, for all low bits that a sum can have: the first are those of the origin.
    added: Vec<i128>,
}

impl LowSums {
    /// Two forms of one coordinate over the same digits, without patterns; none where there are too many low bits.
    pub(super) fn of(left: &Form, right: &Form, after: &LowBits) -> Option<LowSums> {
        let ([one], [other]) = (left.sums.as_slice(), right.sums.as_slice()) else { return None };
        if other.mask() != 0 || left.digits != right.digits {
            return None;
        }
        let Added { unit, values: added, .. } = after.added(left)?;
        let steps = one.strides.iter().zip(&other.strides);
        let steps = steps.map(|(one, other)| (one >> unit, i128::from(*other) - i128::from(*one)));
        Some(LowSums {
            axes: left.axes.clone(),
            digits: left.digits.clone(),
            steps: steps.collect(),
            ahead: i128::from(other.offset) - i128::from(one.offset),
            added,
        })
    }

    /// How many different low bits there are.
    pub(super) fn count(&self) -> usize {
        self.added.len()
    }

    /// Whether the two sums differ anywhere in a box of digits.
    pub(super) fn differs(&self, ranges: &[(i64, i64)]) -> bool {
        let mask = crate::cast::length(self.added.len()) - 1;
        let at = |place: i64| index(place & mask).unwrap_or(0);
        let added = |place: usize| self.added.get(place).copied().unwrap_or(0);
        let (mut start, mut ahead) = (0i64, self.ahead);
        for ((step, more), (low, _)) in self.steps.iter().zip(ranges) {
            start = start.wrapping_add(step.wrapping_mul(*low));
            ahead += more * i128::from(*low);
        }
        let start = at(start);
        if added(start) != ahead {
            return true;
        }
        let mut seen = vec![false; self.added.len()];
        let mut reached = vec![start];
        if let Some(seen) = seen.get_mut(start) {
            *seen = true;
        }
        for ((step, more), (_, count)) in self.steps.iter().zip(ranges) {
            // All that is reached is one step from what was reached before; the first are those that need no step.
            let mut fresh = 0..reached.len();
            for _ in 1..*count {
                let before = reached.len();
                for number in fresh {
                    let Some(place) = reached.get(number).copied() else { continue };
                    let next = at(crate::cast::length(place).wrapping_add(*step));
                    if added(place) + more != added(next) {
                        return true;
                    }
                    if let Some(seen @ false) = seen.get_mut(next) {
                        *seen = true;
                        reached.push(next);
                    }
                }
                fresh = before..reached.len();
                if fresh.is_empty() {
                    break;
                }
            }
        }
        false
    }

    /// The first point at which the two sums differ, if any, the first axis the fastest; none where the axes fall into too many
    /// boxes of digits.
    pub(super) fn first_difference(&self) -> Option<Option<Vec<i64>>> {
        let corners: Vec<(i64, i64)> = self.axes.iter().map(|axis| (0, axis.extent - 1)).collect();
        let found = boxes(&self.axes, &self.digits, &corners)?;
        let points = found.into_iter().filter(|ranges| self.differs(ranges)).map(|ranges| self.first_in(ranges));
        Some(points.min_by(|one, other| one.iter().rev().cmp(other.iter().rev())))
    }

    /// The first point of a box in which the two sums differ.
    fn first_in(&self, mut ranges: Ranges) -> Vec<i64> {
        for at in (0..ranges.len()).rev() {
            let Some((low, count)) = ranges.get(at).copied() else { continue };
            // With the first `fewest` values there is none; with the first `enough` there is.
            let (mut fewest, mut enough) = (0, count);
            while fewest + 1 < enough {
                let middle = fewest + (enough - fewest) / 2;
                ranges.iter_mut().skip(at).take(1).for_each(|range| *range = (low, middle));
                if self.differs(&ranges) { enough = middle } else { fewest = middle }
            }
            ranges.iter_mut().skip(at).take(1).for_each(|range| *range = (low + enough - 1, 1));
        }
        let values: Vec<i64> = ranges.iter().map(|(low, _)| *low).collect();
        boxes::point(&self.axes, &self.digits, &values)
    }
}
