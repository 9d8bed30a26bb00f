//! Whether two maps of the same axes are the same function, or the first point at which they differ.
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
use super::comparison::{Certificate, Comparison};
use super::form::Form;
use super::periods::periods;
use super::swizzled::Swizzled;
use crate::error::{Code, Error};

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
            return Err(error!(Code::RankMismatch, "{map} and {other} do not have as many axes", [map = self, other]));
        }
        if extents(self) != extents(other) {
            return Err(error!(Code::Range, "{map} and {other} do not have the same points", [map = self, other]));
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
                return Err(error!(
                    (Code::Undecided, "budget"),
                    "no difference among the first {compared} of {points} points after which both repeat",
                    [compared = BUDGET, points = box_size]
                ));
            }
            return Ok(Comparison::Same(by(seen)));
        };
        let places = [self.at(&point)?, other.at(&point)?];
        Ok(Comparison::Differ { point, places, by: by(seen) })
    }
}
