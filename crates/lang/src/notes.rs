//! What an answer is said with, beside its value: where a layout goes on beyond its size, what is dropped, covered, reached
//! only in part or several times.

use super::numbers::tuple;
use bitstride::cute::{self, Coordinate, Function, Layout, Tiler};
use bitstride::map::{Injectivity, Map};
use bitstride::{Error, Int, Integer, Tuple};

/// Says so where tiles go beyond their modes, and where modes have no tile.
pub(super) fn tiles(layout: &Layout, tiler: &Tiler, notes: &mut Vec<String>) {
    match tiler {
        Tiler::Layout(tile) => extension(layout, tile, notes),
        Tiler::Extent(extent) => {
            if let Ok(tile) = cute::column_major(&Tuple::leaf(extent.clone())) {
                extension(layout, &tile, notes);
            }
        }
        Tiler::Keep => {}
        Tiler::Modes(entries) => {
            let modes = layout.modes();
            for (mode, tile) in modes.iter().zip(entries) {
                tiles(mode, tile, notes);
            }
            let left: Vec<String> = modes.iter().skip(entries.len()).map(ToString::to_string).collect();
            if !left.is_empty() {
                notes.push(format!("{tiler} has no entry for the last modes, which are dropped: {}", left.join(", ")));
            }
        }
    }
}

/// Says so where an answer evaluates a layout beyond its size.
fn extension(a: &Layout, b: &Layout, notes: &mut Vec<String>) {
    let reach = cute::cosize(b).ok().and_then(|n| n.value());
    let size = a.size().ok().and_then(|n| n.value());
    if let (Some(reach), Some(size)) = (reach, size)
        && reach > size
        && size > 0
    {
        notes.push(format!(
            "uses {a} beyond its size: {b} reaches index {} of {size}, where the last mode goes on",
            reach - 1
        ));
    }
}

/// Says so where an answer has more elements than what it was made of.
pub(super) fn cover(answer: &Function, of: &Function, notes: &mut Vec<String>) -> Result<(), Error> {
    // Sizes beyond 64 bits are not compared.
    let (Ok(covered), Ok(size)) = (answer.domain()?.size(), of.domain()?.size()) else { return Ok(()) };
    if !is_same(&covered, &size) {
        notes.push(format!("covers {covered} of {size}"));
    }
    Ok(())
}

/// Says so where the offsets of a function go beyond the size of the layout that takes them as indices.
pub(super) fn reach(outer: &Function, inner: &Function, notes: &mut Vec<String>) {
    let size = outer.domain().and_then(Layout::size).ok().and_then(|size| size.value());
    let reach = inner.cosize().ok().and_then(|reach| reach.value());
    if let (Some(size), Some(reach), Ok(layout)) = (size, reach, outer.domain())
        && reach > size
        && size > 0
    {
        notes.push(format!(
            "uses {layout} beyond its size: {inner} reaches index {} of {size}, where the last mode goes on",
            reach - 1
        ));
    }
}

/// Says so where modes of an answer are longer than those of the shape that was to be covered.
pub(super) fn cover_modes(answer: &Function, shape: &Tuple<Int>, notes: &mut Vec<String>) -> Result<(), Error> {
    for (at, (mode, wanted)) in answer.domain()?.modes().iter().zip(shape.entries()).enumerate() {
        let (Ok(covered), Ok(wanted)) = (mode.size(), wanted.size()) else { continue };
        if !is_same(&covered, &wanted) {
            notes.push(format!("covers {covered} of {wanted} along mode {at}"));
        }
    }
    Ok(())
}

/// Whether two sizes are known to be the same.
fn is_same(one: &Int, other: &Int) -> bool {
    match (one.value(), other.value()) {
        (Some(one), Some(other)) => one == other,
        _ => one.same(other),
    }
}

/// Says so where a right inverse ends before the places do.
pub(super) fn part(function: &Function, inverse: &Function, notes: &mut Vec<String>) {
    let reached = inverse.domain().and_then(Layout::size);
    let (Ok(reached), Ok(places)) = (reached, function.cosize()) else { return };
    let whole = match (reached.value(), places.value()) {
        (Some(reached), Some(places)) => reached >= places,
        _ => reached.same(&places),
    };
    if !whole {
        notes.push(format!("a part: it reaches {reached} of {places} places"));
    }
}

/// Says so where places are reached several times, which a left inverse cannot all undo.
pub(super) fn several(function: &Function, notes: &mut Vec<String>) {
    if function.domain().and_then(cute::is_injective) == Ok(false) {
        notes.push("places are reached several times: it comes back to one element of each".into());
    }
}

/// Says so where copies of an injective block overlap, as those along different modes may.
pub(super) fn overlap(block: &Function, answer: &Function, notes: &mut Vec<String>) {
    if block.domain().and_then(cute::is_injective) == Ok(true)
        && answer.domain().and_then(cute::is_injective) == Ok(false)
        && let Ok(Injectivity::No { points: [one, other], place, .. }) =
            answer.domain().and_then(Map::of_layout).and_then(|map| map.injectivity())
    {
        let place = place.first().copied().unwrap_or(0);
        notes.push(format!("copies overlap: {} and {} are both at {place}", tuple(&one), tuple(&other)));
    }
}

/// The same of the entries of a coordinate that are not `_`.
pub(super) fn beyond_fixed(coordinate: &Coordinate<Int>, shape: &Tuple<Int>, notes: &mut Vec<String>) {
    match coordinate.as_leaf() {
        Some(None) => {}
        Some(Some(index)) => beyond(&Tuple::leaf(index.clone()), shape, notes),
        None => {
            for (entry, mode) in coordinate.entries().iter().zip(shape.entries()) {
                beyond_fixed(entry, &mode, notes);
            }
        }
    }
}

/// Says so where a coordinate lies outside its shape, and its last mode goes on.
pub(super) fn beyond(coordinate: &Tuple<Int>, shape: &Tuple<Int>, notes: &mut Vec<String>) {
    if let Some(index) = coordinate.as_leaf() {
        let Some((index, size)) = index.value().zip(shape.size().ok().and_then(|size| size.value())) else { return };
        if index < 0 {
            notes.push(format!("{index} is below 0, where offsets mirror those above"));
        } else if index >= size {
            notes.push(format!("{index} is beyond the {size} elements of {shape}, whose last mode goes on"));
        }
        return;
    }
    for (entry, mode) in coordinate.entries().iter().zip(shape.entries()) {
        beyond(entry, &mode, notes);
    }
}
