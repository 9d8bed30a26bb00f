//! Layouts made of others: each point shown in what it was and in what it is now.

use crate::explain::digits::first_step;
use crate::explain::steps::Steps;
use crate::explain::tiled::numbers;
use crate::explain::words::{call, tuple};
use crate::{Value, evaluate};
use bitstride::Error;
use bitstride::map::{Form, Map, Order, Table};

/// More points are not shown.
const MOST_POINTS: usize = 8;

/// The first step of each digit of a map, and then all its last coordinates.
fn points(map: &Map) -> Vec<Vec<i64>> {
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    if extents.contains(&0) {
        return Vec::new();
    }
    let mut points: Vec<Vec<i64>> = match Form::of(map) {
        Ok(form) => form.digits.iter().take(MOST_POINTS).map(|digit| first_step(&form, digit)).collect(),
        Err(_) => (0..extents.len().min(MOST_POINTS))
            .map(|axis| extents.iter().enumerate().map(|(at, n)| i64::from(at == axis && *n > 1)).collect())
            .collect(),
    };
    points.push(extents.iter().map(|extent| extent - 1).collect());
    points.dedup();
    points
}

/// What a map leads to, as a value of the language says it.
fn led(map: &Map, point: &[i64]) -> Result<Option<String>, Error> {
    Ok(map.at(point)?.map(|places| match places.as_slice() {
        [only] => only.to_string(),
        _ => tuple(&places),
    }))
}

/// `chain(A, B)`: points through B, and what comes out through A.
pub(super) fn chain(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [outer, inner] = values else { return Ok(()) };
    let map = inner.as_map()?;
    for point in points(&map) {
        let Some(middle) = led(&map, &point)? else { continue };
        let place = tuple(&point);
        let rule = format!("{inner} sends {place} to {middle}, and {outer} sends that to:");
        // Beyond its domain a layout of CuTe goes on, a map does not. What A makes of several coordinates A says itself.
        if steps.add(rule.clone(), format!("at({outer}, {middle})")).is_err()
            && steps.add(rule, format!("crd2idx({middle}, {outer})")).is_err()
        {
            steps.add(format!("{inner} sends {place} to:"), format!("at({inner}, {place})"))?;
        }
    }
    Ok(())
}

/// `inverse(X)`: points to their places, and the places back.
pub(super) fn inverse(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let map = layout.as_map()?;
    let whole = call("inverse", values);
    let back = evaluate(&whole)?.value;
    for point in points(&map) {
        let Some(place) = led(&map, &point)? else { continue };
        let rule = format!("{layout} sends {} to {place}. Back from there:", tuple(&point));
        steps.add(rule, format!("at({back}, {place})"))?;
    }
    if let Value::Layout(_) = back {
        steps.add("The flat indices that these are come from a layout:", whole)?;
    }
    Ok(())
}

/// `tv(L, S)`: threads and values to the flat index, and that to the coordinate in the tile.
pub(super) fn tv(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, shape] = values else { return Ok(()) };
    let map = layout.as_map()?;
    for point in points(&map) {
        let (Some(index), [thread, value]) = (led(&map, &point)?, point.as_slice()) else { continue };
        let rule = format!(
            "Thread {thread} and value {value} have the flat index {index}, and in the tile {shape}, the first dim the fastest:"
        );
        steps.add(rule, format!("idx2crd({index}, {shape})"))?;
    }
    Ok(())
}

/// `bytes(X, n)` and `bits(X, n)`: places times the units of an element.
pub(super) fn units(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, bits] = values else { return Ok(()) };
    let bits = bits.as_number()?;
    if name == "bytes" && bits % 8 != 0 {
        steps.add(
            format!("Elements of {bits} bits are no whole bytes. What is left over:"),
            format!("mod({bits}, 8)"),
        )?;
        return Ok(());
    }
    let factor = if name == "bytes" {
        steps.add(format!("An element of {bits} bits has this many bytes:"), format!("div({bits}, 8)"))?.as_number()?
    } else {
        bits
    };
    let map = layout.as_map()?;
    for point in points(&map) {
        if let Some([place]) = map.at(&point)?.as_deref() {
            let rule = format!("{} is at element {place}, which begins at:", tuple(&point));
            steps.add(rule, format!("{place}*{factor}"))?;
        }
    }
    Ok(())
}

/// `reshape(X, S)`: points of the new shape, their numbers, and the points of the old one with these numbers.
pub(super) fn reshape(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, shape, ..] = values else { return Ok(()) };
    let map = layout.as_map()?;
    let named = values.get(2).and_then(|word| word.as_name().ok()).and_then(|name| Order::of_word(name.as_str()));
    let order = named.unwrap_or_else(|| map.order());
    let whole = call("reshape", values);
    let (new, old) = (numbers(shape)?, map.index_axes().iter().map(|axis| axis.extent).collect::<Vec<_>>());
    let reshaped = evaluate(&whole)?.value.as_map()?;
    if reshaped.domain().len() != new.len() || reshaped.direction() != bitstride::map::Direction::ToPlace {
        return super::super::digits::digits(&reshaped, &whole, steps);
    }
    for point in points(&reshaped) {
        let number = flat(&point, &new, order);
        let before = unflat(number, &old, order);
        let rule = format!(
            "{} is element number {number}, which is {} in the shape {}. It lies at:",
            tuple(&point),
            tuple(&before),
            tuple(&old)
        );
        steps.add(rule, format!("at({layout}, {})", tuple(&before)))?;
    }
    Ok(())
}

/// `subslice(X, start, S)`: elements of the part, and the elements of the whole that they are.
pub(super) fn part(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [_, start, _] = values else { return Ok(()) };
    let whole = call("subslice", values);
    let (map, start) = (evaluate(&whole)?.value.as_map()?, numbers(start)?);
    let from: Vec<i64> = map.domain().iter().map(|_| 0).collect();
    for point in std::iter::once(from).chain(points(&map)) {
        let before: Vec<i64> = start.iter().zip(&point).map(|(start, x)| start.saturating_add(*x)).collect();
        let rule =
            format!("Element {} of the part is element {} of the whole. It lies at:", tuple(&point), tuple(&before));
        steps.add(rule, format!("at({whole}, {})", tuple(&point)))?;
    }
    Ok(())
}

/// The number of a point.
pub(super) fn flat(point: &[i64], extents: &[i64], order: Order) -> i64 {
    let mut pairs: Vec<(&i64, &i64)> = point.iter().zip(extents).collect();
    if order == Order::ColumnMajor {
        pairs.reverse();
    }
    pairs.iter().fold(0, |number: i64, (x, extent)| number.saturating_mul(**extent).saturating_add(**x))
}

/// The point with a number.
pub(super) fn unflat(mut number: i64, extents: &[i64], order: Order) -> Vec<i64> {
    let mut digit = |extent: &i64| {
        let digit = number.checked_rem(*extent).unwrap_or(0);
        number = number.checked_div(*extent).unwrap_or(0);
        digit
    };
    match order {
        Order::ColumnMajor => extents.iter().map(digit).collect(),
        Order::RowMajor => {
            let mut digits: Vec<i64> = extents.iter().rev().map(&mut digit).collect();
            digits.reverse();
            digits
        }
    }
}

/// `fit(T, S)`: the entries that give each digit, and the last one, which all digits together have to give.
pub(super) fn fit(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [table, shape] = values else { return Ok(()) };
    let (offsets, extents) = (numbers(table)?, numbers(shape)?);
    let entry = |point: &[i64]| {
        let number = usize::try_from(flat(point, &extents, Order::ColumnMajor)).ok()?;
        Some((number, offsets.get(number).copied()?))
    };
    let found = Table::new(&extents, offsets.clone())?.fit()?;
    let Some((_, map)) = &found.found else { return broken(&extents, &offsets, steps) };
    let first = offsets.first().copied().unwrap_or(0);
    let form = Form::of(map);
    for (at, digit) in form.iter().flat_map(|form| form.digits.iter().enumerate()) {
        let Ok(form) = &form else { break };
        let point = first_step(form, digit);
        let Some((number, offset)) = entry(&point) else { continue };
        let does = super::super::digits::moves(map, form, at, digit);
        let rule = format!("From entry 0, {first}, to entry {number}, {offset}, at {}: {does}.", tuple(&point));
        steps.add(rule, format!("add({offset}, {})", first.saturating_neg()))?;
    }
    let answer = evaluate(&call("fit", values))?.value;
    let last: Vec<i64> = extents.iter().map(|extent| extent - 1).collect();
    if let Some((number, offset)) = entry(&last) {
        let rule =
            format!("All digits together have to give the other entries too. The last, number {number}, is {offset}:");
        steps.add(rule, format!("at({answer}, {})", tuple(&last)))?;
    }
    let refused: Vec<String> = found.broken.iter().map(|(_, why)| why.to_string()).collect();
    let why = if refused.is_empty() {
        String::new()
    } else {
        format!(" The families before it break: {}.", refused.join("; "))
    };
    steps.add(format!("All {} entries are as this layout says.{why}", offsets.len()), call("fit", values))?;
    Ok(())
}

/// The differences along each dim of a table that no family holds.
fn broken(extents: &[i64], offsets: &[i64], steps: &mut Steps) -> Result<(), Error> {
    let mut below = 1usize;
    let first = offsets.first().copied().unwrap_or(0);
    for (dim, extent) in extents.iter().enumerate() {
        if let Some(offset) = offsets.get(below).filter(|_| *extent > 1) {
            let rule = format!("Along dim {dim}, from entry 0, {first}, to entry {below}, {offset}:");
            steps.add(rule, format!("add({offset}, {})", first.saturating_neg()))?;
        }
        below = below.saturating_mul(usize::try_from(*extent).unwrap_or(1));
    }
    Ok(())
}
