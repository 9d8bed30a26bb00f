//! The places that a map reaches (its image), and the places that it does not (holes).
//!
//! Law: `size` places are reached. Of the places of the codomain, `holes` are not.

use std::collections::HashSet;

use super::bounds::Bounds;
use super::decoding_plan::DecodingPlan;
use super::injective::{BUDGET, Injectivity, undecided};
use super::layout::size;
use super::mismatch::listed;
use super::symbolic::Symbolic;
use super::walk::Walk;
use super::{Certificate, Direction, Form, Map};
use crate::cast::{length, narrow};
use crate::error::Error;

/// The most places that are looked at for a hole.
const LOOKED_AT: usize = 1 << 12;

/// The places that a map reaches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Image {
    /// How many places are reached.
    pub size: i64,
    /// How many places of the codomain are not.
    pub holes: i64,
    /// The first of these, the first axis the fastest, where it is soon found.
    pub first_hole: Option<Vec<i64>>,
    /// How the numbers are known.
    pub by: Certificate,
}

impl Map {
    /// The places that the map reaches.
    ///
    /// # Errors
    /// [`Code::Undecided`](crate::Code::Undecided) when digits do not decide and there are more points than the budget of 2^20;
    /// [`Code::Overflow`](crate::Code::Overflow).
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let image = Map::of_layout(&"(64,8):(1,72)".parse()?)?.image()?;
    /// assert_eq!((image.size, image.holes, image.first_hole), (512, 56, Some(vec![64])));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn image(&self) -> Result<Image, Error> {
        let all = size(self.codomain())?;
        let (reached, inside, by) = match self.decided()? {
            Some((reached, by)) => (reached, reached, by),
            None => match self.reached_of_sum() {
                Some(summed) => summed,
                None => {
                    if let Some(image) = self.image_of_rest()? {
                        return Ok(image);
                    }
                    let one_each = if self.size()? > BUDGET { self.one_place_each()? } else { None };
                    one_each.map_or_else(|| self.counted(), Ok)?
                }
            },
        };
        let holes = all - inside;
        if holes > 0 && !self.codomain_exact {
            return self.tightened()?.image();
        }
        let first_hole = match holes {
            0 => None,
            _ => self.first_hole().or_else(|| {
                let extent = self.codomain().first()?.extent;
                let gap = || self.first_gap().filter(|gap| *gap < extent);
                Some(vec![gap().or_else(|| self.reached()?.first_hole(extent))?])
            }),
        };
        Ok(Image { size: reached, holes, first_hole, by })
    }

    /// The same map into no more places than up to the last that is reached.
    pub fn tightened(&self) -> Result<Map, Error> {
        let mut map = Map { codomain_exact: true, ..self.clone() };
        for (axis, (_, most)) in map.codomain.iter_mut().zip(self.reaches()?) {
            axis.extent = most.max(-1).checked_add(1).ok_or_else(|| Error::overflow("the extent of an image"))?;
        }
        Ok(map)
    }

    /// The least and the greatest place of a map to one coordinate, or the first of several; 0 and -1 without points.
    ///
    /// # Errors
    /// As [`Map::image`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// assert_eq!(Map::of_layout(&"(4,8):(-1,16)".parse()?)?.reach()?, (-3, 112));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn reach(&self) -> Result<(i64, i64), Error> {
        Ok(self.reaches()?.first().copied().unwrap_or((0, -1)))
    }

    /// The least and the greatest that a map leads to on each axis; 0 and -1 without points.
    ///
    /// # Errors
    /// As [`Map::image`].
    pub(super) fn reaches(&self) -> Result<Vec<(i64, i64)>, Error> {
        let points = self.size()?;
        let none = vec![(0, -1); self.codomain().len()];
        if points == 0 {
            return Ok(none);
        }
        if let Ok(form) = Form::of(self)
            && form.sums.iter().all(|sum| sum.mask() == 0)
        {
            let symbolic = Symbolic::from_form(&form);
            let ranges = symbolic.row.iter().map(|sum| symbolic.range(sum));
            return ranges.map(|(least, most)| Ok((narrow(least)?, narrow(most)?))).collect();
        }
        if let Some(ends) = self.reached().and_then(|reached| reached.ends()) {
            return Ok(vec![ends]);
        }
        if points > BUDGET {
            return Err(undecided(self, BUDGET));
        }
        let extents: Vec<i64> = self.domain().iter().map(|axis| axis.extent).collect();
        let mut walk = Walk::new(&extents);
        let mut reaches: Option<Vec<(i64, i64)>> = None;
        while let Some(point) = walk.next() {
            let Some(place) = self.at(point)? else { continue };
            let reaches = reaches.get_or_insert_with(|| place.iter().map(|x| (*x, *x)).collect());
            for ((least, most), x) in reaches.iter_mut().zip(place) {
                (*least, *most) = ((*least).min(x), (*most).max(x));
            }
        }
        Ok(reaches.unwrap_or(none))
    }

    /// Whether every place of the codomain is reached.
    ///
    /// # Errors
    /// As [`Map::image`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// assert!(!Map::of_layout(&"4:2".parse()?)?.is_surjective()?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn is_surjective(&self) -> Result<bool, Error> {
        Ok(self.image()?.holes == 0)
    }

    /// Whether every place of the codomain is reached from one point only, and no other place.
    ///
    /// # Errors
    /// As [`Map::injectivity`] and [`Map::image`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// assert!(Map::of_layout(&"((2,2),3):((3,6),1)".parse()?)?.is_bijective()?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn is_bijective(&self) -> Result<bool, Error> {
        let one_each = matches!(self.injectivity()?, Injectivity::Yes(_)) && self.is_surjective()?;
        // Places below 0 are in no codomain.
        Ok(one_each
            && (self.size()? == 0 || self.stays_above()? || self.reaches()?.iter().all(|(least, _)| *least >= 0)))
    }

    /// What keeps a map from being bijective, in sentences: two points with one place, points that lead out of the
    /// places, and places that are never reached. A memory is taken to have as many places as the map has points. Facts
    /// that neither digits nor 2^20 points decide are left out.
    ///
    /// # Errors
    /// [`Code::Overflow`](crate::Code::Overflow).
    ///
    /// ```
    /// use bitstride::map::Map;
    /// assert_eq!(
    ///     Map::of_layout(&"4:2".parse()?)?.why_not_bijective()?,
    ///     ["2 of 4 points lead out of 0 to 3, first (2) to 4", "2 of the places 0 to 3 are never reached, first 1"]
    /// );
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn why_not_bijective(&self) -> Result<Vec<String>, Error> {
        let mut why = Vec::new();
        let undecided = |error: &Error| error.code() == crate::Code::Undecided;
        match self.injectivity() {
            Ok(Injectivity::No { points: [one, other], place, .. }) => {
                why.push(format!("{} and {} both lead to {}", tuple(&one), tuple(&other), listed(&place)));
            }
            Err(error) if !undecided(&error) => return Err(error),
            _ => {}
        }
        let places = match (self.codomain(), self.direction()) {
            ([_], Direction::ToPlace) => self.size()?,
            _ => {
                let image = match self.image() {
                    Err(error) if undecided(&error) => return Ok(why),
                    image => image?,
                };
                if image.holes > 0 {
                    let first = image.first_hole.map_or_else(String::new, |hole| format!(", first {}", listed(&hole)));
                    why.push(format!("{} of {} places are never reached{first}", image.holes, size(self.codomain())?));
                }
                return Ok(why);
            }
        };
        if places > BUDGET {
            return Ok(why);
        }
        let extents: Vec<i64> = self.domain().iter().map(|axis| axis.extent).collect();
        let mut walk = Walk::new(&extents);
        let mut reached = vec![false; crate::cast::index(places)?];
        let (mut outside, mut first) = (0i64, None);
        while let Some(point) = walk.next() {
            let Some(place) = self.at(point)?.and_then(|place| place.first().copied()) else { continue };
            match usize::try_from(place).ok().and_then(|place| reached.get_mut(place)) {
                Some(reached) => *reached = true,
                None => {
                    outside += 1;
                    first.get_or_insert_with(|| format!(", first {} to {place}", tuple(point)));
                }
            }
        }
        let last = places - 1;
        if let Some(first) = first {
            why.push(format!("{outside} of {places} points lead out of 0 to {last}{first}"));
        }
        if let Some(first) = reached.iter().position(|reached| !reached) {
            let missed = reached.iter().filter(|reached| !**reached).count();
            why.push(format!("{missed} of the places 0 to {last} are never reached, first {first}"));
        }
        Ok(why)
    }

    /// Whether digits show that no place is below 0.
    fn stays_above(&self) -> Result<bool, Error> {
        let Ok(form) = Form::of(self) else { return Ok(false) };
        let symbolic = Symbolic::from_form(&form);
        Ok(symbolic.row.iter().all(|sum| symbolic.range(sum).0 >= 0))
    }

    /// The first place that nothing leads to, where it is near and soon known.
    fn first_hole(&self) -> Option<Vec<i64>> {
        let extents: Vec<i64> = self.codomain().iter().map(|axis| axis.extent).collect();
        let plan = self.decoding_plan().ok()?;
        let mut walk = Walk::new(&extents);
        for _ in 0..LOOKED_AT {
            let place = walk.next()?;
            let points = match &plan {
                Some(plan) if self.size().is_ok_and(|size| size > 0) => self.search(plan, place),
                _ => self.preimages(place),
            };
            if points.ok()?.is_empty() {
                return Some(place.to_vec());
            }
        }
        None
    }

    /// How many places are reached, all in the codomain, where digits show it.
    fn decided(&self) -> Result<Option<(i64, Certificate)>, Error> {
        let Ok(form) = Form::of(self) else { return Ok(None) };
        let points = self.size()?;
        let symbolic = Symbolic::from_form(&form);
        let stays = |at: usize, extent: i64| {
            symbolic.row.get(at).is_none_or(|sum| {
                let (least, most) = symbolic.range(sum);
                let most = symbolic.bits(sum).map_or(most, |bits| most.min(bits));
                least >= 0 && most < i128::from(extent)
            })
        };
        if points == 0 || !self.codomain().iter().enumerate().all(|(at, axis)| stays(at, axis.extent)) {
            return Ok((points == 0).then_some((0, Certificate::Digits(0))));
        }
        let plan = DecodingPlan::of(&form)?;
        let by = Certificate::Digits(form.digits.len());
        if plan.open.is_empty() {
            return Ok(Some((points, by)));
        }
        let (Some(decoded), true) = (plan.decoded_places(), plan.open_digits_are_independent()) else {
            return Ok(None);
        };
        let (open, by) = match plan.open_rank() {
            Some(rank) => (1i64.checked_shl(rank), by),
            None => match plan.open_places(&form)? {
                Some((places, visited)) => (Some(places), Certificate::Enumerated(visited)),
                None => return Ok(None),
            },
        };
        let all = open.and_then(|open| decoded.checked_mul(open));
        all.map(|all| Some((all, by))).ok_or_else(|| Error::overflow("the number of places"))
    }

    /// The image of a map without a normal form, as that of its last stages, where the first lead to all points of the box in
    /// which these start.
    fn image_of_rest(&self) -> Result<Option<Image>, Error> {
        let Some((first, rest)) = self.halves()? else { return Ok(None) };
        if !matches!(first.is_surjective(), Ok(true)) {
            return Ok(None);
        }
        Map { codomain_exact: self.codomain_exact, ..rest }.image().map(Some)
    }

    /// How many places are reached where each point has one of its own in the codomain.
    fn one_place_each(&self) -> Result<Option<(i64, i64, Certificate)>, Error> {
        let points = self.size()?;
        let stays = |(ends, axis): ((i128, i128), &super::Axis)| ends.0 >= 0 && ends.1 < i128::from(axis.extent);
        if !self.is_total() || !Bounds::after(self).into_iter().zip(self.codomain()).all(stays) {
            return Ok(None);
        }
        Ok(match self.injectivity() {
            Ok(Injectivity::Yes(by)) => Some((points, points, by)),
            _ => None,
        })
    }

    /// How many places are reached, how many of them in the codomain, by visiting all points.
    fn counted(&self) -> Result<(i64, i64, Certificate), Error> {
        let points = self.size()?;
        if points > BUDGET {
            return Err(undecided(self, BUDGET));
        }
        let extents: Vec<i64> = self.domain().iter().map(|axis| axis.extent).collect();
        let mut walk = Walk::new(&extents);
        let mut places = HashSet::new();
        while let Some(point) = walk.next() {
            places.extend(self.at(point)?);
        }
        let own = |place: &&Vec<i64>| place.iter().zip(self.codomain()).all(|(x, axis)| *x >= 0 && *x < axis.extent);
        let inside = places.iter().filter(own).count();
        Ok((length(places.len()), length(inside), Certificate::Enumerated(points)))
    }
}

/// A point in brackets.
fn tuple(point: &[i64]) -> String {
    format!("({})", point.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

impl DecodingPlan {
    /// How many places the open digits reach with all others at 0, and how many points were visited.
    fn open_places(&self, form: &Form) -> Result<Option<(i64, i64)>, Error> {
        let radices: Vec<i64> =
            self.open.iter().filter_map(|digit| self.digits.get(*digit)).map(|digit| digit.radix).collect();
        let visits = radices.iter().try_fold(1i64, |all, radix| all.checked_mul(*radix));
        let Some(visits) = visits.filter(|visits| *visits <= BUDGET) else { return Ok(None) };
        let mut places = HashSet::new();
        let mut walk = Walk::new(&radices);
        while let Some(chosen) = walk.next() {
            if let Some(point) = self.point(&self.with_open(&vec![0; self.digits.len()], chosen)) {
                places.insert(form.at(&point)?);
            }
        }
        Ok(Some((length(places.len()), visits)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::random::{map_of, numbers};

    /// The places of a map that are in its codomain, in order.
    fn places(map: &Map) -> Result<Vec<i64>, Error> {
        let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
        let mut walk = Walk::new(&extents);
        let mut places = Vec::new();
        while let Some(point) = walk.next() {
            places.extend(map.at(point)?.and_then(|place| place.first().copied()));
        }
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    #[test]
    fn merged_dims_that_carry() -> Result<(), Error> {
        let mut below = numbers(8);
        let (mut halves, mut counted) = (0, 0);
        for _ in 0..300 {
            let (rows, columns, tile) = (1 + below(12), 1 + below(12), 2 + below(9));
            let map = map_of(&format!("f32[{rows},{columns}]{{1,0:T(*,{tile})}}"))?;
            let places = places(&map)?;
            let extent = map.codomain()[0].extent;
            let first = (0..extent).find(|place| !places.contains(place));
            let image = map.image()?;
            let found = (image.size, image.holes, image.first_hole.map(|hole| hole[0]));
            assert_eq!(found, (length(places.len()), extent - length(places.len()), first), "{map}");
            halves += i64::from(map.image_of_rest()?.is_some());
            if let Some((size, inside, _)) = map.one_place_each()? {
                assert_eq!((size, inside), (length(places.len()), length(places.len())), "{map}");
                counted += 1;
            }
        }
        assert!(halves > 100 && counted > 200, "{halves} by their last stages, {counted} by points");
        let large = map_of("f32[1000003,1001]{1,0:T(*,128)}")?.image()?;
        assert_eq!((large.size, large.holes), (1_001_003_003, 5));
        Ok(())
    }

    #[test]
    fn the_first_gap_of_a_sum() -> Result<(), Error> {
        let mut below = numbers(9);
        for _ in 0..500 {
            let mut side = |most: i64| [1 + below(5), 1 + below(4), 1 + below(3)].map(|n| n * most);
            let ([a, b, c], [d, e, f]) = (side(1), side(2));
            let map = map_of(&format!("({a},{b},{c}):({d},{e},{f})"))?;
            let places = places(&map)?;
            let first = (0..).find(|place| !places.contains(place));
            assert_eq!(map.first_gap(), first, "{map}");
        }
        // More runs than are held, and a first hole beyond those that are looked at.
        let image = map_of("(8192,4000037):(1,8193)")?.image()?;
        assert_eq!(image.first_hole, Some(vec![8192]));
        Ok(())
    }
}
