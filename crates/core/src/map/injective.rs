//! Decides whether a map is injective, and finds two points with one place where it is not.
//!
//! Law: `No` gives two points of the domain with one place; after `Yes` there are none. Padding has no place.

use std::collections::HashMap;

use super::decoding_plan::DecodingPlan;
use super::symbolic::Symbolic;
use super::walk::Walk;
use super::{Axis, Certificate, Form, Map, Stage};
use crate::cast::narrow;
use crate::error::{Code, Error};
use crate::gcd;
use crate::linear::with_kernel;

/// The most points that a question about a map visits where its digits do not decide.
pub(super) const BUDGET: i64 = 1 << 20;

/// Whether different points have different places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Injectivity {
    /// They do.
    Yes(Certificate),
    /// Some do not.
    No {
        /// Two points with one place.
        points: [Vec<i64>; 2],
        /// The place.
        place: Vec<i64>,
        /// How they were found: by digits, or after visiting a number of points.
        by: Certificate,
    },
}

impl Map {
    /// Whether different points have different places.
    ///
    /// # Errors
    /// [`Code::Undecided`] when digits do not decide and there are more points than the budget of 2^20; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::{Injectivity, Map};
    /// let padded = Map::of_layout(&"(64,8):(1,72)".parse()?)?;
    /// assert!(matches!(padded.injectivity()?, Injectivity::Yes(_)));
    /// let overlaps = Map::of_layout(&"(8,8):(2,3)".parse()?)?;
    /// assert!(matches!(overlaps.injectivity()?, Injectivity::No { points, .. } if points[0] != points[1]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn injectivity(&self) -> Result<Injectivity, Error> {
        if self.domain().iter().any(|axis| axis.extent == 0) {
            return Ok(Injectivity::Yes(Certificate::Digits(0)));
        }
        let Ok(form) = Form::of(&self.unguarded()) else { return self.by_halves() };
        let plan = DecodingPlan::of(&form)?;
        let by = Certificate::Digits(form.digits.len());
        if plan.open.is_empty() {
            return Ok(Injectivity::Yes(by));
        }
        let candidates = plan.suspects().into_iter().chain(form.suspects());
        for points in candidates {
            let [one, other] = &points;
            if let (Ok(Some(place)), Ok(Some(same))) = (self.at(one), self.at(other))
                && place == same
                && one != other
            {
                return Ok(Injectivity::No { points, place, by });
            }
        }
        plan.open_points(self)?.map_or_else(|| self.all_points(), Ok)
    }

    /// For maps without a normal form: both parts of the chain, if each is injective, else all points.
    fn by_halves(&self) -> Result<Injectivity, Error> {
        if let Some((first, rest)) = self.halves()? {
            match first.injectivity() {
                Ok(Injectivity::Yes(by)) if matches!(rest.injectivity(), Ok(Injectivity::Yes(_))) => {
                    return Ok(Injectivity::Yes(by));
                }
                Ok(Injectivity::No { points, by, .. }) => {
                    let [one, _] = &points;
                    if let Some(place) = self.at(one)? {
                        return Ok(Injectivity::No { points, place, by });
                    }
                }
                _ => {}
            }
        }
        self.all_points()
    }

    /// The stages up to where the map has no normal form any more, and the others, from the box that they then start in.
    /// Cutting the others again, and so on, ends: each time there are fewer stages, or as many, when only the first was
    /// cut off and a join that lowers the box came in its place. When that join is all that is cut off, the others are
    /// this very map, and there are no halves.
    pub(super) fn halves(&self) -> Result<Option<(Map, Map)>, Error> {
        let mut symbolic = Symbolic::new(self.domain());
        let cut = match self.stages().iter().position(|stage| symbolic.stage(stage).is_err()) {
            Some(cut) if cut > 0 => cut,
            _ => return Ok(None),
        };
        let (first, rest) = self.parts(cut)?;
        Ok((rest != *self).then_some((first, rest)))
    }

    /// The first stages, which have a normal form, and the others, from the box that they then start in. Integers that
    /// go below 0 are moved up by a power of two, which the others take back.
    pub(super) fn parts(&self, cut: usize) -> Result<(Map, Map), Error> {
        let (before, after) = self.stages().split_at_checked(cut).unwrap_or_default();
        let mut symbolic = Symbolic::new(self.domain());
        before.iter().try_for_each(|stage| symbolic.stage(stage))?;
        let (mut axes, mut up, mut down) = (Vec::new(), Vec::new(), Vec::new());
        let count = symbolic.row.len();
        for (at, sum) in symbolic.row.iter().enumerate() {
            let (least, most) = symbolic.range(sum);
            let below = u64::try_from(least.min(0).unsigned_abs()).ok().and_then(u64::checked_next_power_of_two);
            let lift = if least < 0 { narrow(below.map_or(i128::MAX, i128::from))? } else { 0 };
            let only: Vec<i64> = (0..count).map(|other| i64::from(other == at)).collect();
            axes.push(Axis::dim(at, narrow(most.saturating_add(1).saturating_add(i128::from(lift)))?));
            up.push((lift, only.clone()));
            down.push((-lift, only));
        }
        let (mut before, mut after) = (before.to_vec(), after.to_vec());
        if up.iter().any(|(lift, _)| *lift != 0) {
            before.push(Stage::Linearise { at: 0, count, sums: up });
            after.insert(0, Stage::Linearise { at: 0, count, sums: down });
        }
        let first = Map::new(self.domain().to_vec(), before, axes.clone(), self.direction())?;
        let rest = Map::new(axes, after, self.codomain().to_vec(), self.direction())?;
        Ok((first, rest))
    }

    /// The map without its guards: it has places for padding too.
    pub(super) fn unguarded(&self) -> Map {
        let stages = self.stages().iter().filter(|stage| !matches!(stage, Stage::Guard { .. }));
        Map { stages: stages.cloned().collect(), ..self.clone() }
    }

    /// Visits all points.
    fn all_points(&self) -> Result<Injectivity, Error> {
        let extents: Vec<i64> = self.domain().iter().map(|axis| axis.extent).collect();
        let mut seen: HashMap<Vec<i64>, Vec<i64>> = HashMap::new();
        let mut walk = Walk::new(&extents);
        let mut count = 0;
        while let Some(point) = walk.next() {
            if count >= BUDGET {
                return Err(undecided(self, count));
            }
            count += 1;
            let Some(place) = self.at(point)? else { continue };
            if let Some(earlier) = seen.insert(place.clone(), point.to_vec()) {
                let points = [earlier, point.to_vec()];
                return Ok(Injectivity::No { points, place, by: Certificate::Enumerated(count) });
            }
        }
        Ok(Injectivity::Yes(Certificate::Enumerated(count)))
    }
}

pub(super) fn undecided(map: &Map, count: i64) -> Error {
    error!(
        Code::Undecided,
        "the digits of {map} do not decide it, and neither do the first {count} points",
        [map, count]
    )
}

impl DecodingPlan {
    /// Pairs of points that the levels do not distinguish: an open digit that nothing reads, bits whose patterns cancel.
    fn suspects(&self) -> Vec<[Vec<i64>; 2]> {
        let mut pairs = Vec::new();
        let origin = vec![0; self.axes.len()];
        for digit in &self.open {
            if let Some(point) = self.at_ones(&[*digit]) {
                pairs.push([origin.clone(), point]);
            }
        }
        if let Some((levels, digits)) = self.open_xors() {
            let columns: Vec<u64> = digits.iter().map(|digit| self.column(&levels, *digit)).collect();
            for set in with_kernel(&columns).1 {
                pairs.extend(self.points_differing_in(&DecodingPlan::chosen(&digits, set)));
            }
        }
        pairs
    }

    fn at_ones(&self, digits: &[usize]) -> Option<Vec<i64>> {
        let values: Vec<i64> = (0..self.digits.len()).map(|digit| i64::from(digits.contains(&digit))).collect();
        self.point(&values)
    }

    /// Two points of the box that differ in just these bits.
    fn points_differing_in(&self, digits: &[usize]) -> Option<[Vec<i64>; 2]> {
        let mut points = [vec![0i64; self.axes.len()], vec![0; self.axes.len()]];
        for digit in digits.iter().rev() {
            let (axis, weight) = self.weight(*digit)?;
            let room = self.axes.get(axis)?.extent;
            let fits = |point: &Vec<i64>| point.get(axis).is_some_and(|x| room - x > weight);
            let place = points.iter().position(fits)?;
            *points.get_mut(place)?.get_mut(axis)? += weight;
        }
        Some(points)
    }

    /// Visits the points whose other digits are 0, where these decide.
    fn open_points(&self, map: &Map) -> Result<Option<Injectivity>, Error> {
        let radices: Vec<i64> =
            self.open.iter().filter_map(|digit| self.digits.get(*digit)).map(|digit| digit.radix).collect();
        let size = radices.iter().fold(1i128, |size, radix| size.saturating_mul(i128::from(*radix)));
        let mut seen: HashMap<Vec<i64>, Vec<i64>> = HashMap::new();
        let mut walk = Walk::new(&radices);
        let zeros = vec![0; self.digits.len()];
        let mut count = 0;
        // What is padding here may have a place where the other digits are not 0.
        let mut padding = false;
        while let Some(chosen) = walk.next() {
            if count >= BUDGET {
                break;
            }
            count += 1;
            let values = self.with_open(&zeros, chosen);
            let Some(point) = self.point(&values) else { continue };
            let Some(place) = map.at(&point)? else {
                padding = true;
                continue;
            };
            if let Some(earlier) = seen.insert(place.clone(), point.clone()) {
                let by = Certificate::Enumerated(count);
                return Ok(Some(Injectivity::No { points: [earlier, point], place, by }));
            }
        }
        let all = i128::from(count) == size && !padding && self.open_digits_are_independent();
        Ok(all.then_some(Injectivity::Yes(Certificate::Enumerated(count))))
    }
}

impl Form {
    /// Pairs of points that may share a place: some steps of one digit equal some steps of another.
    fn suspects(&self) -> Vec<[Vec<i64>; 2]> {
        let mut pairs = Vec::new();
        for (at, one) in self.digits.iter().enumerate() {
            for (above, other) in self.digits.iter().enumerate().skip(at + 1) {
                let strides = |sum: &super::AffineExpr| Some((*sum.strides.get(at)?, *sum.strides.get(above)?));
                let Some((a, b)) = self.sums.iter().filter_map(strides).find(|(a, b)| *a != 0 && *b != 0) else {
                    continue;
                };
                let divisor = gcd(a, b).max(1);
                let Some((steps, others)) = (b / divisor).checked_abs().zip((a / divisor).checked_abs()) else {
                    continue;
                };
                if steps >= one.radix || others >= other.radix {
                    continue;
                }
                let mut points = [vec![0i64; self.axes.len()], vec![0; self.axes.len()]];
                let second = usize::from((a > 0) == (b > 0));
                let mut inside = true;
                for (point, digit, steps) in [(0, one, steps), (second, other, others)] {
                    let x = points.get_mut(point).and_then(|point| point.get_mut(digit.axis));
                    let extent = self.axes.get(digit.axis).map_or(0, |axis| axis.extent);
                    let Some(x) = x else { continue };
                    *x = x.saturating_add(digit.weight.saturating_mul(steps));
                    inside &= *x < extent;
                }
                if inside {
                    pairs.push(points);
                }
            }
        }
        pairs
    }
}
