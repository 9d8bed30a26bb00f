//! [`Comparison`]: whether two maps of the same axes are the same function, or the first point at which they differ.
//!
//! The cheapest method that applies decides:
//!
//! - Both maps have a [`Form`]: the digits of both are cut alike and the numbers compared. The work does not depend on
//!   the extents.
//! - Swizzles follow sums that carry: all low bits that the sums can have are compared (`low_sums.rs`).
//! - Otherwise stages repeat. Along each axis every coordinate has a period after which all offsets have moved by a
//!   constant. The box of the common periods, and one step beyond it along each axis, are compared point by point.
//!
//! The box of periods depends on the stages, not on the extents. Where it has more than [`BUDGET`] points, agreeing
//! points are counted by digits (`agreement.rs`); where these do not decide, the answer is *undecided*. The first axis is
//! the fastest in the order of points.

use super::Map;
use super::form::{Digit, Form};
use super::periods::periods;
use super::swizzled::Swizzled;
use crate::error::{Code, Error};
use crate::refusal::Refusal;

/// How the answer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Certificate {
    /// The normal forms were compared: the number of digits.
    Digits(usize),
    /// Sums over the same digits were compared for all their low bits: the number of values of these bits.
    LowBits(i64),
    /// Both maps repeat after a box, whose points were compared one by one: the number of points.
    Periods(i64),
    /// All points were compared: the number of points.
    Enumerated(i64),
}

/// What comparing two maps gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Every point leads to the same.
    Same(Certificate),
    /// The first point that does not, and what it leads to in each; `None` is padding.
    Differ {
        /// The point.
        point: Vec<i64>,
        /// What it leads to.
        places: [Option<Vec<i64>>; 2],
        /// How the answer is known.
        by: Certificate,
    },
}

/// The most points that are compared one by one where digits do not decide.
pub(crate) const BUDGET: i64 = 1 << 20;

impl Map {
    /// Compares with a map of as many axes with the same extents, axis by axis.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when the axes on either side are not as many, [`Code::Range`] when they are not as long;
    /// [`Code::Undecided`] beyond the budget; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::{Comparison, Map};
    /// let rows = Map::of_layout(&"(4,8):(8,1)".parse()?)?;
    /// let padded = Map::of_layout(&"(4,8):(9,1)".parse()?)?;
    /// let Comparison::Differ { point, places, .. } = rows.compare(&padded)? else { panic!("they are not the same") };
    /// assert_eq!((point, places), (vec![1, 0], [Some(vec![8]), Some(vec![9])]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn compare(&self, other: &Map) -> Result<Comparison, Error> {
        let extents = |map: &Map| map.domain().iter().map(|axis| axis.extent).collect::<Vec<_>>();
        let widths = |map: &Map| [map.domain().len(), map.codomain().len()];
        if widths(self) != widths(other) {
            let message = format!("{self} and {other} do not have as many axes");
            return Err(Error::new(Code::RankMismatch, message));
        }
        if extents(self) != extents(other) {
            return Err(Error::new(Code::Range, format!("{self} and {other} do not have the same points")));
        }
        if let (Ok(one), Ok(two)) = (Form::of(self), Form::of(other))
            && let Some(comparison) = one.compare(&two)?
        {
            return Ok(comparison);
        }
        if let (Some(one), Some(two)) = (Swizzled::of(self), Swizzled::of(other))
            && let Some(comparison) = one.compare(&two)?
        {
            return Ok(comparison);
        }
        let extents = extents(self);
        let of = |map: &Map| periods(map).map(|periods| periods.iter().copied().map(Some).collect::<Vec<_>>());
        let none = || vec![None; extents.len()];
        let (left, right) = (of(self).unwrap_or_else(none), of(other).unwrap_or_else(none));
        let common = |one: Option<i64>, two: Option<i64>| {
            let (one, two) = (one?, two?);
            (one / crate::gcd(one, two).max(1)).checked_mul(two)
        };
        let paired = left.into_iter().zip(right).zip(&extents);
        let periods: Vec<i64> =
            paired.map(|((a, b), extent)| common(a, b).map_or(*extent, |period| period.min(*extent))).collect();
        // What is too much to be scanned may be counted.
        let scanned: i128 = periods.iter().map(|period| i128::from(*period)).fold(1, i128::saturating_mul);
        if scanned > i128::from(BUDGET)
            && !extents.contains(&0)
            && let Some(comparison) = self.compare_by_count(other)?
        {
            return Ok(comparison);
        }
        self.scan(other, &extents, &periods)
    }

    /// Compares the points of the box of periods, and one step beyond it along each axis.
    fn scan(&self, other: &Map, extents: &[i64], periods: &[i64]) -> Result<Comparison, Error> {
        let mut beyond: Vec<Vec<i64>> = Vec::new();
        for (axis, (period, extent)) in periods.iter().zip(extents).enumerate() {
            if period < extent {
                beyond.push((0..extents.len()).map(|at| if at == axis { *period } else { 0 }).collect());
            }
        }
        let box_size =
            if extents.contains(&0) { 0 } else { periods.iter().map(|period| i128::from(*period)).product() };
        let by =
            |points| if beyond.is_empty() { Certificate::Enumerated(points) } else { Certificate::Periods(points) };
        let mut first: Option<Vec<i64>> = None;
        let mut point = vec![0; extents.len()];
        let mut seen = 0;
        while i128::from(seen) < box_size.min(i128::from(BUDGET)) {
            if self.at(&point)? != other.at(&point)? {
                first = Some(point.clone());
                break;
            }
            seen += 1;
            for (x, period) in point.iter_mut().zip(periods) {
                *x += 1;
                if *x < *period {
                    break;
                }
                *x = 0;
            }
        }
        for point in &beyond {
            let earlier = first.as_ref().is_none_or(|first| point.iter().rev().lt(first.iter().rev()));
            if earlier && self.at(point)? != other.at(point)? {
                first = Some(point.clone());
            }
        }
        let Some(point) = first else {
            if box_size > i128::from(BUDGET) {
                let refusal = Refusal::Budget { compared: BUDGET, points: box_size };
                return Err(Error::refused(Code::Undecided, refusal));
            }
            return Ok(Comparison::Same(by(seen)));
        };
        let places = [self.at(&point)?, other.at(&point)?];
        Ok(Comparison::Differ { point, places, by: by(seen) })
    }
}

/// Two forms of the same axes with the digits of both cut alike; none where they cannot be.
pub(super) fn alike(left: &Form, right: &Form) -> Result<Option<(Form, Form)>, Error> {
    let (mut one, mut two) = (left.clone(), right.clone());
    if !one.cut_at(&two.digits)? || !two.cut_at(&one.digits)? || !one.cut_at(&two.digits)? {
        return Ok(None);
    }
    Ok((one.digits == two.digits).then_some((one, two)))
}

impl Form {
    /// Compares with a form of the same axes; `None` where the digits of both cannot be cut alike, or
    /// other bits are flipped.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::{Certificate, Comparison, Form, Map};
    /// let one = Form::of(&Map::of_layout(&"(2,8):(1,2)".parse()?)?)?;
    /// let two = Form::of(&Map::of_layout(&"(2,(2,4)):(1,(2,4))".parse()?)?)?;
    /// assert_eq!(one.compare(&two)?, Some(Comparison::Same(Certificate::Digits(2))));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn compare(&self, other: &Form) -> Result<Option<Comparison>, Error> {
        let Some((mut one, mut two)) = alike(self, other)? else { return Ok(None) };
        one.normalise_xor()?;
        two.normalise_xor()?;
        // A function determines its patterns only next to the same flips.
        let flips = one.sums.iter().zip(&two.sums).all(|(a, b)| a.flip == b.flip);
        if !flips {
            return Ok(None);
        }
        let by = Certificate::Digits(one.digits.len());
        let Some(point) = one.first_difference(&two) else {
            return Ok((one.sums == two.sums).then_some(Comparison::Same(by)));
        };
        let places = [Some(one.at(&point)?), Some(two.at(&point)?)];
        Ok(Some(Comparison::Differ { point, places, by }))
    }

    /// The first point at which forms over the same digits differ. With only the lower digits above 0 both are equal, so
    /// that it has the first digit that differs at 1, alone or with the first that it shares other bits with.
    fn first_difference(&self, other: &Form) -> Option<Vec<i64>> {
        let mut pairs = self.sums.iter().zip(&other.sums);
        if pairs.any(|(a, b)| i128::from(a.offset) + i128::from(a.flip) != i128::from(b.offset) + i128::from(b.flip)) {
            return Some(vec![0; self.axes.len()]);
        }
        let differs = |digits: &[&Digit]| {
            let mut point = vec![0; self.axes.len()];
            for digit in digits {
                if let Some(x) = point.get_mut(digit.axis) {
                    *x += digit.weight;
                }
            }
            let (a, b) = (self.at(&point), other.at(&point));
            (a.ok() != b.ok()).then_some(point)
        };
        for (at, digit) in self.digits.iter().enumerate() {
            let below = self.digits.iter().take(at).filter(|lower| self.meet(lower, digit));
            let found = differs(&[digit]).or_else(|| below.map(|lower| [lower, digit]).find_map(|pair| differs(&pair)));
            if found.is_some() {
                return found;
            }
        }
        None
    }
}
