//! All points with a given place: none, one, or several for a broadcast.
//!
//! Law: exactly the points that the map sends to the place, in order, the first axis fastest.

use super::decoding_plan::{Decoded, DecodingPlan};
use super::injective::{BUDGET, undecided};
use super::walk::Walk;
use super::{Form, Map};
use crate::error::{Code, Error};

impl Map {
    /// All points that lead to a place.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when there is not one coordinate for each axis of the codomain; [`Code::Undecided`] beyond
    /// the budget of 2^20 steps; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let copies = Map::of_layout(&"(4,2):(1,0)".parse()?)?;
    /// assert_eq!(copies.preimages(&[3])?, [[3, 0], [3, 1]]);
    /// assert!(copies.preimages(&[4])?.is_empty());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn preimages(&self, place: &[i64]) -> Result<Vec<Vec<i64>>, Error> {
        if place.len() != self.codomain().len() {
            return Err(Error::lengths(["coordinates", "axes"], place.len(), self.codomain().len()));
        }
        if self.domain().iter().any(|axis| axis.extent == 0) {
            return Ok(Vec::new());
        }
        let Some(plan) = self.decoding_plan()? else {
            let Some((first, rest)) = self.halves()? else { return self.visit(place) };
            // The box between may have more points than the domain: where it has too many, those of the domain are visited.
            return first.preimages_through(&rest, place).or_else(|why| self.visit(place).map_err(|_| why));
        };
        self.search(&plan, place)
    }

    /// The points that this map and then the rest lead to a place.
    fn preimages_through(&self, rest: &Map, place: &[i64]) -> Result<Vec<Vec<i64>>, Error> {
        let mut points = Vec::new();
        for between in rest.preimages(place)? {
            points.extend(self.preimages(&between)?);
        }
        sort(&mut points);
        Ok(points)
    }

    /// The decoding plan of the map, padding included; `None` without a normal form.
    pub(super) fn decoding_plan(&self) -> Result<Option<DecodingPlan>, Error> {
        Form::of(&self.unguarded()).ok().map(|form| DecodingPlan::of(&form)).transpose()
    }

    /// The points that lead to a place, by the decoding plan of the map.
    pub(super) fn search(&self, plan: &DecodingPlan, place: &[i64]) -> Result<Vec<Vec<i64>>, Error> {
        let Some(Decoded { row, values }) = plan.decode(place)? else { return Ok(Vec::new()) };
        let mut order = plan.open.clone();
        let reach = |digit: &usize| {
            let strides = plan.levels.iter().filter_map(|level| level.sum.strides.get(*digit));
            std::cmp::Reverse(strides.map(|stride| stride.unsigned_abs()).max())
        };
        order.sort_by_key(reach);
        let mut search = PreimageSearch { map: self, plan, row, order, values, points: Vec::new(), steps: 0, place };
        search.go(0)?;
        sort(&mut search.points);
        Ok(search.points)
    }

    fn visit(&self, place: &[i64]) -> Result<Vec<Vec<i64>>, Error> {
        if self.size()? > BUDGET {
            return Err(undecided(self, BUDGET));
        }
        let extents: Vec<i64> = self.domain().iter().map(|axis| axis.extent).collect();
        let mut walk = Walk::new(&extents);
        let mut points = Vec::new();
        while let Some(point) = walk.next() {
            if self.at(point)?.is_some_and(|found| found == place) {
                points.push(point.to_vec());
            }
        }
        Ok(points)
    }
}

/// Puts points in order, the first axis the fastest.
fn sort(points: &mut [Vec<i64>]) {
    points.sort_by(|one, other| one.iter().rev().cmp(other.iter().rev()));
}

/// A search through the values of open digits, the largest strides first.
struct PreimageSearch<'m> {
    map: &'m Map,
    plan: &'m DecodingPlan,
    /// The value that each level must have.
    row: Vec<i64>,
    order: Vec<usize>,
    values: Vec<i64>,
    points: Vec<Vec<i64>>,
    steps: i64,
    place: &'m [i64],
}

impl PreimageSearch<'_> {
    fn go(&mut self, at: usize) -> Result<(), Error> {
        self.steps += 1;
        if self.steps > BUDGET {
            return Err(error!(
                Code::Undecided,
                "the points that lead to {place:?} were not found within {budget} steps",
                [place = self.place, budget = BUDGET]
            ));
        }
        if !self.can_reach(at) {
            return Ok(());
        }
        let Some(digit) = self.order.get(at).copied() else {
            if let Some(point) = self.plan.point(&self.values)
                && self.map.at(&point)?.is_some_and(|found| found == self.place)
            {
                self.points.push(point);
            }
            return Ok(());
        };
        let radix = self.plan.digits.get(digit).map_or(1, |digit| digit.radix);
        for value in 0..radix {
            self.set(digit, value);
            self.go(at + 1)?;
        }
        self.set(digit, 0);
        Ok(())
    }

    fn set(&mut self, digit: usize, value: i64) {
        if let Some(place) = self.values.get_mut(digit) {
            *place = value;
        }
    }

    /// Whether every level can still have its required value, with the digits from `at` on free; those are 0 now.
    fn can_reach(&self, at: usize) -> bool {
        let free = self.order.get(at..).unwrap_or(&[]);
        self.plan.levels.iter().zip(&self.row).all(|(level, wanted)| {
            let gap = i128::from(*wanted) - level.sum.total(&self.values);
            let (mut below, mut above) = (0, 0);
            for digit in free {
                let stride = i128::from(level.sum.strides.get(*digit).copied().unwrap_or(0));
                let last = self.plan.digits.get(*digit).map_or(0, |digit| i128::from(digit.radix) - 1);
                let pattern = i128::from(level.sum.xors.get(*digit).copied().unwrap_or(0));
                below += (stride * last).min(0) - pattern;
                above += (stride * last).max(0) + pattern;
            }
            below <= gap && gap <= above
        })
    }
}
