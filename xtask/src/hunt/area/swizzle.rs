//! The search for swizzles on small tiles: what it answers costs less than the plain tile or as much, no swizzle and no padding of its
//! classes costs less, nor does any of some maps over F2, and nothing lies below the bound.

use std::collections::{BTreeMap, BTreeSet};

use bitstride::map::Map;
use bitstride::memory::{SharedMemory, SwizzleSearch, Transfer};
use bitstride_lang::Value;
use bitstride_oracle::reference::Swizzle;

use super::super::Case;
use super::super::draw;
use super::super::known::{Known, cute, until};
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::accesses::{NVIDIA, Threads};
use super::said;

pub(super) fn draw(source: &mut Source) -> Case {
    let bits = source.of(&[32, 16, 8, 64]);
    let drawn = until(source, |source| {
        let extents: Vec<i64> = (0..2).map(|_| source.of(&[8, 16, 32, 4])).collect();
        let mut modes = draw::layout_of(source, &extents);
        modes.leaves().for_each(|leaf| leaf.1 = leaf.1.abs());
        let tile = cute(&modes.text())?;
        let leaves: Vec<(i64, i64)> = modes.leaves().map(|leaf| *leaf).collect();
        let size = i64::try_from(tile.places.len()).ok()?;
        let count = source.count(1, 2);
        let accesses: Vec<(Threads, bool)> =
            (0..count).map(|_| Some((Threads::draw(source, size)?, source.once_in(2)))).collect::<Option<_>>()?;
        Some((tile, leaves, accesses))
    });
    let Some((tile, leaves, accesses)) = drawn else { return Case::none() };
    let words: String = accesses
        .iter()
        .map(|(threads, is_load)| format!(", {}, {}", threads.text, if *is_load { "ld" } else { "st" }))
        .collect();
    let text = format!("swizzle({}, {bits}{words})", tile.text);
    let seed = source.below(1 << 20);
    Case::new(text.clone(), move || judged(&text, &tile, &leaves, &accesses, (bits, seed)))
}

/// The wavefronts of all accesses, and the bytes of a lane in each.
fn counted(accesses: &[(Threads, bool)], places: &[i64], bits: i64) -> Option<(i64, Vec<i64>)> {
    let costs: Vec<_> = accesses
        .iter()
        .map(|(threads, is_load)| threads.passes(NVIDIA, places, bits, *is_load))
        .collect::<Option<_>>()?;
    Some((costs.iter().map(|cost| cost.wavefronts).sum(), costs.iter().map(|cost| cost.bytes).collect()))
}

fn judged(
    text: &str,
    tile: &Known,
    leaves: &[(i64, i64)],
    accesses: &[(Threads, bool)],
    (bits, seed): (i64, u64),
) -> Outcome {
    let plain = counted(accesses, &tile.places, bits);
    let value = match (said(text), &plain) {
        (Ok(value), Some(_)) => value,
        (Ok(value), None) => {
            return Outcome::Wrong(format!("{value}, but no access of whole bytes reads the plain tile"));
        }
        (Err(error), plain) => {
            return Outcome::of_known(&error, plain.as_ref().map(|(cost, _)| format!("the plain tile takes {cost}")));
        }
    };
    let Some((plain, widths)) = plain else { return Outcome::Refused };
    let Some(places) = places(&value, tile.places.len()) else {
        return Outcome::Wrong(format!("{value} does not lead each element to an offset"));
    };
    // Elements that lie at one place in the tile do so in the answer, and no others.
    let mut moved: BTreeMap<i64, i64> = BTreeMap::new();
    let one = tile.places.iter().zip(&places).all(|(from, to)| *moved.entry(*from).or_insert(*to) == *to);
    if !one || moved.values().collect::<BTreeSet<_>>().len() != moved.len() {
        return Outcome::Wrong(format!("{value} has two elements at one place, or one at two"));
    }
    let Some((found, _)) = counted(accesses, &places, bits) else {
        return Outcome::Wrong(format!("no access of whole bytes reads {value}"));
    };
    if found > plain {
        return Outcome::Wrong(format!("{value} takes {found} wavefronts, the plain tile {plain}"));
    }
    let least = match bound(tile, accesses, bits) {
        Ok(least) => least,
        Err(error) => return Outcome::Wrong(format!("there is an answer, but no bound: {error}")),
    };
    if found < least {
        return Outcome::Wrong(format!("{value} takes {found} wavefronts, below the bound of {least}"));
    }
    // All swizzles that stay in the memory of the tile and move whole vectors.
    let end = tile.places.iter().max().map_or(0, |place| place + 1);
    let stays = |swizzle: &Swizzle| (0..end).all(|offset| swizzle.apply(offset).is_ok_and(|moved| moved < end));
    let vector = widths.iter().max().map_or(1, |bytes| bytes * 8 / bits);
    let top = tile.places.iter().max().map_or(0, |place| i64::from(i64::BITS - place.leading_zeros()));
    for (b, m, s) in (1..=top).flat_map(|b| (0..top).flat_map(move |m| (b..top).map(move |s| (b, m, s)))) {
        let Ok(swizzle) = Swizzle::new(b, m, s) else { continue };
        if m + s + b > top || 1 << m < vector || !stays(&swizzle) {
            continue;
        }
        let Some(moved) = tile.places.iter().map(|place| swizzle.apply(*place).ok()).collect::<Option<Vec<i64>>>()
        else {
            continue;
        };
        if let Some((cost, bytes)) = counted(accesses, &moved, bits) {
            if cost < least {
                return Outcome::Wrong(format!("{swizzle} takes {cost} wavefronts, below the bound of {least}"));
            }
            if cost < found && bytes.iter().zip(&widths).all(|(bytes, plain)| bytes >= plain) {
                return Outcome::Wrong(format!("{value} takes {found} wavefronts, {swizzle} {cost}"));
            }
        }
    }
    // Other classes are searched where conflicts are left.
    let better = |name: String, moved: Vec<i64>| {
        let (cost, bytes) = counted(accesses, &moved, bits)?;
        if cost < least {
            return Some(Outcome::Wrong(format!("{name} takes {cost} wavefronts, below the bound of {least}")));
        }
        // These classes leave each access as wide as it is.
        (bytes == widths && cost < found)
            .then(|| Outcome::Wrong(format!("{value} takes {found} wavefronts, {name} {cost}")))
    };
    if found == least {
        return Outcome::Right;
    }
    let row = 1024 / bits;
    for interval in intervals(leaves) {
        for gap in (1..=row / vector).map(|count| count * vector) {
            let moved = tile.places.iter().map(|place| place + place / interval * gap).collect();
            if let Some(outcome) = better(format!("{gap} elements after every {interval}"), moved) {
                return outcome;
            }
        }
    }
    if end.count_ones() == 1 && tile.is_linear() && accesses.iter().all(|(threads, _)| threads.is_linear()) {
        let (low, mut state) = (vector.ilog2(), seed);
        for _ in 0..MAPS {
            let map = map_over_f2(&mut state, low, end.ilog2());
            let moved = tile.places.iter().map(|place| applied(&map, *place)).collect();
            if let Some(outcome) = better(format!("the map of bits to {map:?}"), moved) {
                return outcome;
            }
        }
    }
    Outcome::Right
}

/// How many maps over F2 are tried.
const MAPS: usize = 40;

/// The strides of a tile behind which a gap changes nothing but strides: no carry reaches them, and further ones are multiples.
fn intervals(leaves: &[(i64, i64)]) -> Vec<i64> {
    let leaves: Vec<(i64, i64)> =
        leaves.iter().copied().filter(|(extent, stride)| *extent > 1 && *stride > 0).collect();
    let mut intervals: Vec<i64> = leaves.iter().map(|(_, stride)| *stride).filter(|stride| *stride > 1).collect();
    intervals.sort_unstable();
    intervals.dedup();
    let suits = |interval: &i64| {
        let below = leaves.iter().filter(|(_, stride)| stride < interval);
        below.map(|(extent, stride)| (extent - 1) * stride).sum::<i64>() < *interval
            && leaves.iter().all(|(_, stride)| stride < interval || stride % interval == 0)
    };
    intervals.retain(suits);
    intervals
}

/// A map of the bits from `low` to `top` onto themselves: a few bits are xored onto others.
fn map_over_f2(state: &mut u64, low: u32, top: u32) -> Vec<i64> {
    let mut columns: Vec<i64> = (0..top).map(|bit| 1 << bit).collect();
    let room = u64::from(top.saturating_sub(low));
    let mut draw = |end: u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % end.max(1)
    };
    for _ in 0..1 + draw(6) {
        let [from, to] =
            [draw(room), draw(room)].map(|at| usize::try_from(at).unwrap_or(0) + usize::try_from(low).unwrap_or(0));
        if let (true, Some(added)) = (from != to, columns.get(from).copied())
            && let Some(column) = columns.get_mut(to)
        {
            *column ^= added;
        }
    }
    columns
}

fn applied(map: &[i64], place: i64) -> i64 {
    map.iter().zip(0..).filter(|(_, bit)| place >> bit & 1 == 1).fold(0, |sum, (column, _)| sum ^ column)
}

/// The place of each element, the first axis the fastest.
fn places(value: &Value, size: usize) -> Option<Vec<i64>> {
    let map = value.as_map().ok()?.from_elements().ok()?;
    let mut point = vec![0; map.domain().len()];
    let mut all = Vec::with_capacity(size);
    for _ in 0..size {
        all.push(map.at(&point).ok()??.first().copied()?);
        for (coordinate, axis) in point.iter_mut().zip(map.domain()) {
            *coordinate += 1;
            if *coordinate < axis.extent {
                break;
            }
            *coordinate = 0;
        }
    }
    Some(all)
}

fn bound(tile: &Known, accesses: &[(Threads, bool)], bits: i64) -> Result<i64, bitstride::Error> {
    let accesses: Vec<(Map, Transfer)> = accesses
        .iter()
        .map(|(threads, is_load)| {
            let transfer = if *is_load { Transfer::Load } else { Transfer::Store };
            Ok((said(&threads.text)?.as_map()?, transfer))
        })
        .collect::<Result<_, bitstride::Error>>()?;
    Ok(SwizzleSearch::new(SharedMemory::NVIDIA, &said(&tile.text)?.as_map()?, bits, &accesses, 16)?.least())
}
