//! Questions about where the points of a layout lie: what each digit does, and then the points that decide.

use super::made::unflat;
use crate::Value;
use crate::explain::digits::{decoded, lowered, summed};
use crate::explain::steps::Steps;
use crate::explain::tiled::numbers;
use crate::explain::words::{call, list, tuple};
use bitstride::map::{Injectivity, Map, Order};
use bitstride::{Error, gcd};

/// More points are not shown.
const MOST_POINTS: usize = 6;
/// Cycles are listed by length up to this many points.
const MOST_LISTED: i64 = 1 << 12;

/// What a layout is, before a question about it.
fn introduced(layout: &Value, map: &Map, steps: &mut Steps) -> Result<(), Error> {
    steps.add(format!("{} {}", lowered("The layout", map), summed(map)), layout.to_string())?;
    Ok(())
}

/// `at(X, p)`: the point digit by digit.
pub(super) fn at(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, point] = values else { return Ok(()) };
    let map = layout.as_map()?;
    let mut at = numbers(point)?;
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    if let ([number], false) = (at.as_slice(), extents.len() == 1) {
        let order = map.domain_order();
        let rule = format!("The number {number} is this point, {order}:");
        at = unflat(*number, &extents, order);
        steps.add(rule, tuple(&at))?;
    }
    if at.len() != extents.len() || decoded(&map, &layout.to_string(), &at, steps).is_err() {
        introduced(layout, &map, steps)?;
    }
    Ok(())
}

/// `is_injective(X)`, `is_surjective(X)`, `is_bijective(X)`: two points with one place, a place without a point, or why there are none.
pub(super) fn one_each(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let own = layout.as_map()?;
    let map = crate::mapped::held(&own);
    introduced(layout, &map, steps)?;
    let shown = map == own;
    if name != "is_surjective" {
        match map.injectivity()? {
            Injectivity::Yes(by) => {
                steps.add(format!("No two points share a place, {by}."), format!("is_injective({layout})"))?;
            }
            Injectivity::No { points: [one, other], place, .. } => {
                let rule = format!("{} and {} are both at {}:", tuple(&one), tuple(&other), tuple(&place));
                match shown {
                    true => {
                        steps.add(rule, format!("at({layout}, {})", tuple(&one)))?;
                        steps.add("The other one:", format!("at({layout}, {})", tuple(&other)))?;
                    }
                    false => _ = steps.add(rule, format!("is_injective({layout})"))?,
                }
            }
        }
    }
    if name != "is_injective" {
        reached(layout, &map, shown, steps)?;
    }
    steps.add(
        match name {
            "is_injective" => "Whether each place has at most one point:",
            "is_surjective" => "Whether each place has at least one point:",
            _ => "Whether each place has exactly one point:",
        },
        call(name, values),
    )?;
    Ok(())
}

/// How many places are reached, and the first that is not.
fn reached(layout: &Value, map: &Map, shown: bool, steps: &mut Steps) -> Result<(), Error> {
    let image = map.image()?;
    if let (Some(hole), true) = (&image.first_hole, shown) {
        let rule = format!("No point leads to {}, the first place that is not reached:", tuple(hole));
        steps.add(rule, format!("preimages({layout}, {})", tuple(hole)))?;
    }
    let places = image.size.checked_add(image.holes).ok_or_else(|| Error::overflow("the number of places"))?;
    let rule = format!("Of {places} places {} are reached, {}. That leaves:", image.size, image.by);
    steps.add(rule, format!("add({places}, -{})", image.size))?;
    Ok(())
}

/// `holes(X)`, and `padding(X)` of what is no array.
pub(super) fn holes(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let own = layout.as_map()?;
    let map = crate::mapped::held(&own);
    introduced(layout, &map, steps)?;
    reached(layout, &map, map == own, steps)
}

/// `preimages(X, place)`: each point that leads there.
pub(super) fn preimages(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, place] = values else { return Ok(()) };
    let map = layout.as_map()?;
    introduced(layout, &map, steps)?;
    let points = map.preimages(&numbers(place)?)?;
    for point in points.iter().take(MOST_POINTS) {
        let at = tuple(point);
        steps.add(format!("{at} leads there:"), format!("at({layout}, {at})"))?;
    }
    let count = points.len();
    steps.add(format!("No other digits give {place}. Points: {count}."), call("preimages", values))?;
    Ok(())
}

/// `contiguity(X, axis)`: neighbours along an axis from 0 on, as long as they stay neighbours.
pub(super) fn contiguity(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, axis] = values else { return Ok(()) };
    let (map, axis) = (layout.as_map()?, axis.as_index()?);
    introduced(layout, &map, steps)?;
    let along = map.contiguity(axis, 0)?;
    let extent = map.domain().get(axis).map_or(0, |axis| axis.extent);
    let mut shown = vec![0, 1, along.run - 1, along.run];
    shown.sort_unstable();
    shown.dedup();
    for x in shown.into_iter().filter(|x| (0..extent).contains(x)) {
        let mut point = vec![0; map.domain().len()];
        if let Some(coordinate) = point.get_mut(axis) {
            *coordinate = x;
        }
        let rule = match x {
            0 => "The first point along the axis lies at:".to_owned(),
            _ if x < along.run => format!("The point {x} further stays {x} places further:"),
            _ => format!("After {} neighbours the next point lies elsewhere:", along.run),
        };
        steps.add(rule, format!("at({layout}, {})", tuple(&point)))?;
    }
    let rule = format!(
        "Runs of {} stay together everywhere, and vectors of {} of them always begin at a multiple of {}.",
        along.run, along.aligned, along.aligned
    );
    steps.add(rule, call("contiguity", values))?;
    Ok(())
}

/// `cycles(X)`: one cycle followed, and the lengths of all.
pub(super) fn cycles(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let map = layout.as_map()?;
    introduced(layout, &map, steps)?;
    let cycles = map.cycles()?;
    let size = map.size()?;
    // Numbered as the core numbers them: elements in the order of the tensor, else the first axis the fastest.
    let order = if map.place_axes().len() == 1 { map.order() } else { Order::ColumnMajor };
    let extents = |axes: &[bitstride::map::Axis]| axes.iter().map(|axis| axis.extent).collect::<Vec<_>>();
    let (from, to) = (extents(map.domain()), extents(map.codomain()));
    let next = |number: i64| -> Result<Option<i64>, Error> {
        let place = map.at(&unflat(number, &from, order))?;
        Ok(place.map(|place| super::made::flat(&place, &to, order)))
    };
    let start = (0..size.min(MOST_LISTED)).find(|number| next(*number).is_ok_and(|there| there != Some(*number)));
    let mut number = start.unwrap_or(0);
    for _ in 0..MOST_POINTS.min(usize::try_from(size).unwrap_or(0)) {
        let point = unflat(number, &from, order);
        let Some(there) = next(number)? else { break };
        let back = if Some(there) == start || start.is_none() { ", where the cycle began" } else { "" };
        let rule = format!("Point number {number}, {}, goes to number {there}{back}.", tuple(&point));
        steps.add(rule, format!("at({layout}, {})", tuple(&point)))?;
        if !back.is_empty() {
            break;
        }
        number = there;
    }
    let lengths = if size <= MOST_LISTED { lengths(size, &next)? } else { Vec::new() };
    let said: Vec<String> = lengths.iter().map(|(length, count)| format!("{count} of length {length}")).collect();
    let all = if said.is_empty() { String::new() } else { format!(" Cycles: {}.", list(&said)) };
    let order =
        lengths.iter().fold(1i64, |order, (length, _)| (order / gcd(order, *length).max(1)).saturating_mul(*length));
    let rule = match order == cycles.order {
        true => format!("The order is the least common multiple of all lengths.{all}"),
        false => format!("The order, the number of cycles and of fixed points, {}.", cycles.by),
    };
    steps.add(rule, call("cycles", values))?;
    Ok(())
}

/// How many cycles there are of each length.
fn lengths(size: i64, next: &dyn Fn(i64) -> Result<Option<i64>, Error>) -> Result<Vec<(i64, i64)>, Error> {
    let mut seen = std::collections::BTreeSet::new();
    let mut lengths = std::collections::BTreeMap::new();
    for start in 0..size {
        let (mut number, mut length) = (start, 0);
        while seen.insert(number) {
            length += 1;
            let Some(there) = next(number)? else { return Ok(Vec::new()) };
            number = there;
        }
        if length > 0 {
            *lengths.entry(length).or_insert(0) += 1;
        }
    }
    Ok(lengths.into_iter().collect())
}
