//! The search for swizzles on small tiles: what it answers costs what it says, no swizzle of its class costs less, and nothing lies
//! below the bound.

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
        let size = i64::try_from(tile.places.len()).ok()?;
        let count = source.count(1, 2);
        let accesses: Vec<(Threads, bool)> =
            (0..count).map(|_| Some((Threads::draw(source, size)?, source.once_in(2)))).collect::<Option<_>>()?;
        Some((tile, accesses))
    });
    let Some((tile, accesses)) = drawn else { return Case::none() };
    let words: String = accesses
        .iter()
        .map(|(threads, is_load)| format!(", {}, {}", threads.text, if *is_load { "ld" } else { "st" }))
        .collect();
    let text = format!("swizzle({}, {bits}{words})", tile.text);
    Case::new(text.clone(), move || judged(&text, &tile, &accesses, bits))
}

/// The wavefronts of all accesses, and the bytes of a lane in each.
fn counted(accesses: &[(Threads, bool)], places: &[i64], bits: i64) -> Option<(i64, Vec<i64>)> {
    let costs: Vec<_> = accesses
        .iter()
        .map(|(threads, is_load)| threads.passes(NVIDIA, places, bits, *is_load))
        .collect::<Option<_>>()?;
    Some((costs.iter().map(|cost| cost.wavefronts).sum(), costs.iter().map(|cost| cost.bytes).collect()))
}

fn judged(text: &str, tile: &Known, accesses: &[(Threads, bool)], bits: i64) -> Outcome {
    let mut distinct = tile.places.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let plain = counted(accesses, &tile.places, bits).filter(|_| distinct.len() == tile.places.len());
    let value = match (said(text), &plain) {
        (Ok(value), Some(_)) => value,
        (Ok(value), None) => return Outcome::Unjudged(format!("{value} for a tile with copies, or no plain access")),
        (Err(error), plain) => {
            return Outcome::of_known(&error, plain.as_ref().map(|(cost, _)| format!("the plain tile takes {cost}")));
        }
    };
    let Some((plain, widths)) = plain else { return Outcome::Refused };
    let Some(places) = places(&value, tile.places.len()) else {
        return Outcome::Wrong(format!("{value} does not lead each element to an offset"));
    };
    let mut apart = places.clone();
    apart.sort_unstable();
    if apart.windows(2).any(|pair| pair[0] == pair[1]) {
        return Outcome::Wrong(format!("{value} has two elements at one place"));
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
    Outcome::Right
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
