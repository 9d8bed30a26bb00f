//! Finds the [`Differences`] of two maps: at how many points, between which coordinates, and at which points first.
//!
//! Points are counted by their digits ([`Agreement`]), whatever the extents. Bisection over parts of the domain then
//! finds the span and the first points. Maps that are no sums of digits are compared at every point, up to a budget.
//!
//! Law: the answer is that of a comparison at every point, the first axis fastest.

use super::agreement::Agreement;
use super::compare::BUDGET;
use super::comparison::{Certificate, Comparison};
use super::mismatch::{Differences, Mismatch};
use super::solutions::Work;
use super::symbolic::Symbolic;
use super::verdict::{Aligned, align};
use super::walk::Walk;
use super::{Direction, Form, Map, Stage, Unit};
use crate::cast::narrow;
use crate::error::{Code, Error};

/// How many of the points that differ are listed.
const SHOWN: usize = 8;

/// The most steps of counting.
const MAX_STEPS: i64 = 1 << 24;

/// How many points after one that differs are looked at for the next before parts are counted.
const NEIGHBOURS: usize = 64;

/// What a point leads to in two maps, where that differs. With `true` it gives the places of a point that is shown.
type Differs<'a> = dyn Fn(&[i64], bool) -> Result<Option<[Option<Vec<i64>>; 2]>, Error> + 'a;

/// The first and the last coordinate of each axis of a part, both included.
type Corners = Vec<(i64, i64)>;

impl Map {
    /// How much two maps differ. For two maps in opposite directions, this counts the elements with different places or,
    /// where there are none, the places that hold different elements.
    ///
    /// # Errors
    /// As [`Map::same`]; [`Code::Kind`] for other extents; [`Code::Undecided`] when counting by digits does not decide it
    /// and there are more than a million points.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let rows = Map::of_layout(&"(4,8):(8,1)".parse()?)?;
    /// let padded = Map::of_layout(&"(4,8):(9,1)".parse()?)?;
    /// assert_eq!(rows.differences(&padded)?.differing, 24);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn differences(&self, other: &Map) -> Result<Differences, Error> {
        let Aligned { left, right, units, difference, .. } = align(self, other)?;
        if let Some(difference) = difference {
            return Err(error!(Code::Kind, "{difference}", [difference]));
        }
        if left.direction != right.direction {
            return differences_from_inverse(&left, &right, units);
        }
        found(&left, Agreement::of(&left, &right), &|point, _| {
            let places = [left.at(point)?, right.at(point)?];
            Ok((places[0] != places[1]).then_some(places))
        })
    }
}

impl Map {
    /// Compares with a map over the same axes by counting where both agree; none where digits do not decide it.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub(super) fn compare_by_count(&self, other: &Map) -> Result<Option<Comparison>, Error> {
        let Some(agreement) = Agreement::of(self, other) else { return Ok(None) };
        let by = Certificate::Digits(agreement.digits());
        let differs = |point: &[i64], _: bool| {
            let places = [self.at(point)?, other.at(point)?];
            Ok((places[0] != places[1]).then_some(places))
        };
        let points = self.size()?;
        let mut search =
            DifferenceSearch { map: self, agreement, differs: &differs, points, work: Work::new(MAX_STEPS) };
        let found = search.agreeing(&search.whole()).and_then(|agreeing| match agreeing == i128::from(points) {
            true => Ok(Comparison::Same(by)),
            false => {
                let point = search.first(search.whole())?;
                Ok(Comparison::Differ { places: [self.at(&point)?, other.at(&point)?], point, by })
            }
        });
        match found {
            Err(error) if error.code() == Code::Undecided => Ok(None),
            found => found.map(Some),
        }
    }
}

impl Differences {
    fn add(&mut self, map: &Map, point: &[i64], places: [Option<Vec<i64>>; 2], shown: usize) {
        if self.span.is_empty() {
            self.span = map.domain.iter().zip(point).map(|(axis, x)| (axis.name, *x, *x)).collect();
        }
        for ((_, least, most), x) in self.span.iter_mut().zip(point) {
            (*least, *most) = ((*least).min(*x), (*most).max(*x));
        }
        if self.first.len() < shown {
            self.first.push(Mismatch { point: point.to_vec(), places });
        }
        self.differing += 1;
    }
}

/// The points with different places in two maps, counted by digits where there is an agreement, else one by one.
fn found(map: &Map, agreement: Option<Agreement>, differs: &Differs<'_>) -> Result<Differences, Error> {
    let points = map.size()?;
    if let Some(agreement) = agreement {
        let mut search = DifferenceSearch { map, agreement, differs, points, work: Work::new(MAX_STEPS) };
        match search.run() {
            Err(error) if error.code() == Code::Undecided && points <= BUDGET => {}
            result => return result,
        }
    }
    visited(map, points, differs)
}

/// Visits the points of a map.
fn visited(map: &Map, points: i64, differs: &Differs<'_>) -> Result<Differences, Error> {
    if points > BUDGET {
        return Err(error!(
            Code::Undecided,
            "the digits of the maps do not decide it, and {points} points are more than the {budget} that are looked at one by one",
            [points, budget = BUDGET]
        ).with_help("`same` finds the first difference at any size"));
    }
    let mut found = Differences { differing: 0, points, span: Vec::new(), first: Vec::new() };
    let extents: Vec<i64> = map.domain.iter().map(|axis| axis.extent).collect();
    let mut walk = Walk::new(&extents);
    while let Some(point) = walk.next() {
        if let Some(places) = differs(point, found.first.len() < SHOWN)? {
            found.add(map, point, places, SHOWN);
        }
    }
    Ok(found)
}

/// Counts by digits, with what bisection asks.
struct DifferenceSearch<'a> {
    map: &'a Map,
    agreement: Agreement,
    differs: &'a Differs<'a>,
    points: i64,
    work: Work,
}

impl DifferenceSearch<'_> {
    fn whole(&self) -> Corners {
        self.map.domain.iter().map(|axis| (0, axis.extent - 1)).collect()
    }

    fn run(&mut self) -> Result<Differences, Error> {
        let whole = self.whole();
        let differing = narrow(i128::from(self.points) - self.agreeing(&whole)?)?;
        let mut found = Differences { differing, points: self.points, span: Vec::new(), first: Vec::new() };
        if differing == 0 {
            return Ok(found);
        }
        for (number, axis) in self.map.domain.iter().enumerate() {
            let (least, most) = (self.end(&whole, number, false)?, self.end(&whole, number, true)?);
            found.span.push((axis.name, least, most));
        }
        let mut next = Some(self.first(whole)?);
        while let Some(point) = next {
            let places = (self.differs)(&point, true)?.unwrap_or_default();
            found.first.push(Mismatch { point: point.clone(), places });
            next = if found.first.len() < SHOWN { self.after(&point)? } else { None };
        }
        Ok(found)
    }

    fn agreeing(&mut self, corners: &Corners) -> Result<i128, Error> {
        self.agreement.count(corners, &mut self.work).ok_or_else(|| {
            error!(
                Code::Undecided,
                "counting the {points} points by digits takes more than {max_steps} steps",
                [points = self.points, max_steps = MAX_STEPS]
            )
            .with_help("`same` finds the first difference at any size")
        })
    }

    /// Whether any point of a part differs: corners often do, else its points are counted.
    fn any(&mut self, corners: &Corners) -> Result<bool, Error> {
        let points: i128 = corners.iter().map(|(low, high)| i128::from((high - low + 1).max(0))).product();
        if points == 0 {
            return Ok(false);
        }
        let corner = |far: &dyn Fn(usize) -> bool| -> Vec<i64> {
            corners.iter().enumerate().map(|(axis, (low, high))| if far(axis) { *high } else { *low }).collect()
        };
        let mut probes = vec![corner(&|_| false), corner(&|_| true)];
        probes.extend((0..corners.len()).map(|own| corner(&|axis| axis == own)));
        for probe in probes {
            if (self.differs)(&probe, false)?.is_some() {
                return Ok(true);
            }
        }
        Ok(self.agreeing(corners)? < points)
    }

    /// The least or greatest coordinate along an axis of the points of a part that differ; some do.
    fn end(&mut self, corners: &Corners, axis: usize, greatest: bool) -> Result<i64, Error> {
        let Some((low, high)) = corners.get(axis).copied() else { return Ok(0) };
        let mut part = corners.clone();
        // Bisection: with the smaller number of coordinates at the end no point differs, with the larger number some do.
        let (mut none, mut some) = (0, high - low + 1);
        let mut count = 1;
        while some - none > 1 {
            if let Some(range) = part.get_mut(axis) {
                *range = if greatest { (high - count + 1, high) } else { (low, low + count - 1) };
            }
            if self.any(&part)? {
                some = count;
            } else {
                none = count;
            }
            // Twice as many as long as none differ, then in the middle.
            let middle = none + (some - none) / 2;
            count = if none == 0 { middle.max(1) } else { middle.min(none.saturating_mul(2)).max(none + 1) };
        }
        Ok(if greatest { high - some + 1 } else { low + some - 1 })
    }

    /// The first point of a part that differs; some do.
    fn first(&mut self, mut corners: Corners) -> Result<Vec<i64>, Error> {
        for axis in (0..corners.len()).rev() {
            let least = self.end(&corners, axis, false)?;
            if let Some(range) = corners.get_mut(axis) {
                *range = (least, least);
            }
        }
        Ok(corners.into_iter().map(|(low, _)| low).collect())
    }

    /// The first point after another that differs.
    fn after(&mut self, point: &[i64]) -> Result<Option<Vec<i64>>, Error> {
        let extents: Vec<i64> = self.map.domain.iter().map(|axis| axis.extent).collect();
        let mut at = point.to_vec();
        for _ in 0..NEIGHBOURS {
            if !step(&mut at, &extents) {
                return Ok(None);
            }
            if (self.differs)(&at, false)?.is_some() {
                return Ok(Some(at));
            }
        }
        // After the last of these: the faster axes are free, one is greater, the slower are equal.
        for axis in 0..extents.len() {
            let corner = |(other, (x, extent)): (usize, (&i64, &i64))| match other.cmp(&axis) {
                std::cmp::Ordering::Less => (0, extent - 1),
                std::cmp::Ordering::Equal => (x + 1, extent - 1),
                std::cmp::Ordering::Greater => (*x, *x),
            };
            let corners: Corners = at.iter().zip(&extents).enumerate().map(corner).collect();
            if self.any(&corners)? {
                return Ok(Some(self.first(corners)?));
            }
        }
        Ok(None)
    }
}

/// The next point of a box, the first axis the fastest; false after the last.
fn step(point: &mut [i64], extents: &[i64]) -> bool {
    for (x, extent) in point.iter_mut().zip(extents) {
        *x += 1;
        if *x < *extent {
            return true;
        }
        *x = 0;
    }
    false
}

/// The elements with different places, where one map leads back; where there are none, the places that differ.
fn differences_from_inverse(left: &Map, right: &Map, units: i64) -> Result<Differences, Error> {
    let first = left.direction == Direction::ToPlace;
    let (to_place, back) = if first { (left, right) } else { (right, left) };
    let whole = to_place.whole_units(units);
    // What the map back takes, in the units of the other.
    let placed = |point: &[i64]| -> Option<Vec<i64>> {
        let scaled = point.iter().zip(&back.domain).map(|(x, axis)| match axis.unit {
            Unit::Part => Some(*x),
            _ => x.checked_mul(units),
        });
        scaled.collect()
    };
    let ordered = |own: Option<Vec<i64>>, other: Option<Vec<i64>>| if first { [own, other] } else { [other, own] };
    let elements = found(to_place, element_agreement(&whole, back)?, &|element, shown| {
        let held = match whole.at(element)? {
            Some(place) if back.takes(&place) => back.at(&place)?,
            _ => None,
        };
        if held.as_deref() == Some(element) {
            return Ok(None);
        }
        let elsewhere = || Ok::<_, Error>(back.preimages(element)?.first().and_then(|place| placed(place)));
        Ok(Some(ordered(to_place.at(element)?, if shown { elsewhere()? } else { None })))
    })?;
    if elements.differing > 0 {
        return Ok(elements);
    }
    found(back, place_agreement(to_place, back, units)?, &|place, shown| {
        let Some(element) = back.at(place)? else { return Ok(None) };
        if to_place.at(&element)? == placed(place) {
            return Ok(None);
        }
        let own = match placed(place) {
            Some(place) if shown => to_place.preimages(&place)?.first().cloned(),
            _ => None,
        };
        Ok(Some(ordered(own, Some(element))))
    })
}

/// Whether elements come back to themselves from their places; none where some places are not among those of the map back.
fn element_agreement(to_place: &Map, back: &Map) -> Result<Option<Agreement>, Error> {
    let Ok(form) = Form::of(to_place) else { return Ok(None) };
    let symbolic = Symbolic::from_form(&form);
    let is_inside = symbolic.row.iter().zip(&back.domain).all(|(sum, axis)| {
        let (least, most) = symbolic.range(sum);
        least >= 0 && most < i128::from(axis.extent)
    });
    if !is_inside {
        return Ok(None);
    }
    let identity = Map { stages: Vec::new(), codomain: to_place.domain.clone(), ..to_place.clone() };
    Ok(Agreement::of(&to_place.then(back)?, &identity))
}

/// Whether places lead back to themselves through their elements.
fn place_agreement(to_place: &Map, back: &Map, units: i64) -> Result<Option<Agreement>, Error> {
    let count = back.domain.len();
    let scaled = back.domain.iter().enumerate().map(|(own, axis)| {
        let factor = if axis.unit == Unit::Part { 1 } else { units };
        (0, (0..count).map(|other| if other == own { factor } else { 0 }).collect())
    });
    let stages = vec![Stage::Linearise { at: 0, count, sums: scaled.collect() }];
    let identity = Map { stages, codomain: back.domain.clone(), ..back.clone() };
    Ok(Agreement::of(&back.then(to_place)?, &identity).map(Agreement::ignoring_padding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Name;
    use crate::map::Axis;
    use crate::map::random::{map_of, numbers};

    /// The answer by digits and the answer by all points; whether digits decide.
    fn check(left: &Map, right: &Map) -> Result<bool, Error> {
        let differs = |point: &[i64], _: bool| {
            let places = [left.at(point)?, right.at(point)?];
            Ok((places[0] != places[1]).then_some(places))
        };
        let points = left.size()?;
        let Some(agreement) = Agreement::of(left, right) else { return Ok(false) };
        let mut search =
            DifferenceSearch { map: left, agreement, differs: &differs, points, work: Work::new(MAX_STEPS) };
        let found = search.run()?;
        assert_eq!(found, visited(left, points, &differs)?, "{left:?}\n{right:?}");
        let first = match left.compare_by_count(right)?.expect("it was counted") {
            Comparison::Same(_) => None,
            Comparison::Differ { point, places, .. } => Some(Mismatch { point, places }),
        };
        assert_eq!(first.as_ref(), found.first.first(), "{left:?}\n{right:?}");
        Ok(true)
    }

    /// Axes cut at any numbers, with any strides, to one or two coordinates.
    fn cut(below: &mut impl FnMut(i64) -> i64, extents: &[i64], coordinates: usize) -> Result<Map, Error> {
        let (mut stages, mut width) = (Vec::new(), 0);
        for _ in extents {
            let radices: Vec<i64> = (0..below(3)).map(|_| 1 + below(4)).collect();
            let more = radices.len() + 1;
            stages.push(Stage::Delinearise { at: width, radices });
            width += more;
        }
        let sums = (0..coordinates).map(|_| (below(3) - 1, (0..width).map(|_| below(7) - 2).collect())).collect();
        stages.push(Stage::Linearise { at: 0, count: width, sums });
        let domain = extents.iter().enumerate().map(|(axis, extent)| Axis::dim(axis, *extent)).collect();
        let codomain = (0..coordinates).map(|axis| Axis::dim(axis, 100)).collect();
        Map::new(domain, stages, codomain, Direction::ToPlace)
    }

    #[test]
    fn any_cuts_and_strides() -> Result<(), Error> {
        let mut below = numbers(1);
        let (mut decided, cases) = (0, 1500);
        for case in 0..cases {
            let extents: Vec<i64> = (0..1 + case % 3).map(|_| 1 + below(14)).collect();
            let coordinates = 1 + usize::from(below(3) == 0);
            let [left, right] = [cut(&mut below, &extents, coordinates)?, cut(&mut below, &extents, coordinates)?];
            decided += i64::from(check(&left, &right)?);
        }
        assert_eq!(decided, cases, "digits decide all of these");
        Ok(())
    }

    #[test]
    fn swizzles_with_and_without_carries() -> Result<(), Error> {
        let mut below = numbers(2);
        let mut decided = 0;
        for _ in 0..1500 {
            let extents = [1 + below(20), 1 + below(12)];
            let mut text = || {
                let (bits, base, shift) = (1 + below(2), below(3), 2 + below(2));
                let strides = match below(4) {
                    0 => (1, extents[0]),
                    1 => (extents[1], 1),
                    2 => (1 << below(4), 1 << below(4)),
                    _ => (below(40), below(40)),
                };
                let (a, b) = strides;
                let layout = format!("({},{}):({a},{b})", extents[0], extents[1]);
                match below(4) {
                    0 => layout,
                    _ => format!("Sw<{bits},{base},{shift}> o {} o {layout}", below(9)),
                }
            };
            let (left, right) = (text(), text());
            let [left, right] = [map_of(&left)?, map_of(&right)?];
            decided += i64::from(check(&left, &right)?);
        }
        assert!(decided > 1400, "{decided} of 1500 are decided by digits");
        Ok(())
    }

    #[test]
    fn tiles_of_xla() -> Result<(), Error> {
        let mut below = numbers(3);
        let mut decided = 0;
        for _ in 0..600 {
            let (rows, columns) = (1 + below(24), 1 + below(24));
            let mut text = || {
                let order = ["1,0", "0,1"][usize::from(below(2) == 0)];
                let tile = match below(4) {
                    0 => String::new(),
                    1 => format!(":T({},{})", 1 + below(9), 1 + below(9)),
                    2 => format!(":T({},{})({},1)", 2 << below(3), 1 << below(4), 1 << below(2)),
                    _ => format!(":T({})", 1 + below(9)),
                };
                format!("f32[{rows},{columns}]{{{order}{tile}}}")
            };
            let (left, right) = (text(), text());
            let [left, right] = [map_of(&left)?, map_of(&right)?];
            decided += i64::from(check(&left, &right)?);
        }
        assert!(decided > 500, "{decided} of 600 are decided by digits");
        Ok(())
    }

    #[test]
    fn padded_tiles_against_the_way_back() -> Result<(), Error> {
        let mut below = numbers(10);
        for case in 0..200 {
            let (rows, columns) = (1 + below(9), 1 + below(9));
            let mut text = || {
                let tile = if below(3) == 0 { String::new() } else { format!(":T({},{})", 1 + below(4), 1 + below(4)) };
                format!("f32[{rows},{columns}]{{1,0{tile}}}")
            };
            let first = text();
            let (there, back) = (map_of(&first)?, map_of(&if case % 4 == 0 { first } else { text() })?.inverse()?);
            let held = |place: &[i64]| if back.takes(place) { back.at(place) } else { Ok(None) };
            let mut points = [Vec::new(), Vec::new()];
            let mut walk = Walk::new(&[rows, columns]);
            while let Some(element) = walk.next() {
                let place = there.at(element)?.unwrap_or_default();
                if held(&place)?.as_deref() != Some(element) {
                    points[0].push(element.to_vec());
                }
            }
            for place in 0..back.domain()[0].extent {
                if let Some(element) = back.at(&[place])?
                    && there.at(&element)? != Some(vec![place])
                {
                    points[1].push(vec![place]);
                }
            }
            let wanted = if points[0].is_empty() { &points[1] } else { &points[0] };
            let found = there.differences(&back)?;
            let first: Vec<Vec<i64>> = found.first.iter().map(|first| first.point.clone()).collect();
            let shown = wanted.iter().take(SHOWN).cloned().collect::<Vec<_>>();
            assert_eq!((found.differing, first), (crate::cast::length(wanted.len()), shown), "{there} {back}");
        }
        Ok(())
    }

    #[test]
    fn extents_do_not_matter() -> Result<(), Error> {
        let count = |left: &str, right: &str| {
            let [left, right] = [map_of(left)?, map_of(right)?];
            left.differences(&right)
        };
        // A square matrix and its transpose agree on the diagonal.
        let found = count("(2048,2048):(1,2048)", "(2048,2048):(2048,1)")?;
        assert_eq!((found.differing, found.points), (2048 * 2047, 2048 * 2048));
        assert_eq!(found.span, [(Name::dim(0), 0, 2047), (Name::dim(1), 0, 2047)]);
        assert_eq!(
            found.first.iter().map(|first| first.point.clone()).collect::<Vec<_>>(),
            (1..9).map(|x| vec![x, 0]).collect::<Vec<_>>()
        );
        let side = 2_000_000_011i64;
        let found = count(&format!("({side},{side}):(1,{side})"), &format!("({side},{side}):({side},1)"))?;
        assert_eq!(found.differing, side * (side - 1));
        // A swizzle of three bits by three moves all but the rows in which these are 0.
        let found = count("Sw<3,4,3> o (8192,8192):(1,8192)", "(8192,8192):(1,8192)")?;
        assert_eq!(found.differing, 8192 * 8192 / 8 * 7);
        // Sums that carry into the swizzled bits: 8 bits, 64 numbers each, of which 8 stay.
        let found = count("Sw<3,3,3> o (4096,4096):(4104,1)", "(4096,4096):(4104,1)")?;
        assert_eq!(found.differing, 4096 * 4096 / 8 * 7);
        // Tiles against rows: row 8a + b, column 128c + d agree where c = 9b.
        let found = count("f32[8192,8192]{1,0:T(8,128)}", "f32[8192,8192]{1,0}")?;
        assert_eq!(found.points - found.differing, 1024 * 128 * 8);
        // Merged dims that carry: the tiles of 128 do not divide rows of 1000.
        let found = count("f32[3000,1000]{1,0:T(*,128)}", "f32[3000,1000]{1,0}")?;
        assert_eq!(found.differing, 0);
        Ok(())
    }
}
