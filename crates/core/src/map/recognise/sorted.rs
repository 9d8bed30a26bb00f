//! Sorts digits by tiles: any order of digits in memory, with any room, as an array of XLA.
//!
//! A tile moves the low parts of some of the last sides of a box behind all others, in the same order. Taking a whole side
//! makes that a stable partition. So tiles first cut sides in halves until each is one digit, then sort the digits as a
//! radix sort does, by the number of the run in which they already are in order. A last tile pads. With `r` runs these
//! are about `log2 r` tiles more than cuts. It is the way out where the search for fewer tiles ends.
//!
//! Law: the digits of the array lie in memory as those of the chain do.

use super::chain::Chain;

/// The most sides that tiles may cut a box into: each tile at most doubles them.
const MAX_SIDES: usize = 1 << 10;

/// A side of the box: digits by their place in memory, the slowest of the dim first; none where only its extent 1 is left.
struct SideDigits {
    digits: Vec<usize>,
    extent: i64,
}

/// The dims, major first, and the tiles by which the digits of a chain come into its order; none where sides are too many.
pub(super) fn sorted(chain: &Chain, extents: &[i64]) -> Option<(Vec<usize>, Vec<Vec<i64>>)> {
    let mut order: Vec<usize> = (0..extents.len()).filter(|dim| extents.get(*dim) == Some(&1)).collect();
    let mut sides = Vec::new();
    for slot in chain.slots.iter().rev().filter(|slot| slot.top) {
        order.push(slot.axis);
        let mut digits: Vec<usize> =
            (0..chain.slots.len()).filter(|at| chain.slots.get(*at).is_some_and(|own| own.axis == slot.axis)).collect();
        digits.sort_by_key(|at| chain.slots.get(*at).map(|own| std::cmp::Reverse(own.weight)));
        sides.push(SideDigits { digits, extent: *extents.get(slot.axis)? });
    }
    if order.len() != extents.len() {
        return None;
    }
    let mut tiles = Vec::new();
    while sides.iter().any(|side| side.digits.len() > 1) {
        // The lower half of each side moves.
        tiled(&mut sides, &mut tiles, |side| {
            let high = side.digits.len().div_ceil(2);
            let (Some(last), Some(next)) = (chain.slots.get(*side.digits.last()?), side.digits.get(high - 1)) else {
                return None;
            };
            let tile = chain.slots.get(*next)?.weight / last.weight;
            (side.digits.len() > 1).then(|| (side.digits.split_off(high), tile))
        })?;
    }
    let runs = runs(&sides, chain.slots.len());
    let most = runs.iter().max().copied().unwrap_or(0);
    for bit in (0..usize::BITS).take_while(|bit| most >> bit != 0) {
        let picked: Vec<bool> = runs.iter().map(|run| run >> bit & 1 == 1).collect();
        tiled(&mut sides, &mut tiles, |side| {
            let digit = side.digits.first()?;
            let tile = side.extent;
            picked.get(*digit)?.then(|| (std::mem::take(&mut side.digits), tile))
        })?;
    }
    let is_padded = |side: &SideDigits| {
        let slot = side.digits.first().and_then(|at| chain.slots.get(*at));
        slot.is_some_and(|slot| slot.room != slot.used)
    };
    if chain.first > 1 && sides.last().is_none_or(|side| !side.digits.is_empty()) {
        tiles.push(vec![1]);
        sides.push(SideDigits { digits: Vec::new(), extent: 1 });
    }
    let first = sides.iter().position(is_padded);
    if let Some(first) = first.or((chain.first > 1).then(|| sides.len() - 1)) {
        let mut tile: Vec<i64> = Vec::new();
        for side in sides.get(first..)? {
            tile.push(side.digits.first().and_then(|at| chain.slots.get(*at)).map_or(1, |slot| slot.room));
        }
        if chain.first > 1 {
            *tile.last_mut()? = chain.first;
        }
        tiles.push(tile);
    }
    Some((order, tiles))
}

/// For each digit, how many runs of digits that are in order already, in memory from the slowest, come before its own.
fn runs(sides: &[SideDigits], count: usize) -> Vec<usize> {
    let mut places = vec![0; count];
    for (place, side) in sides.iter().enumerate() {
        if let Some(own) = side.digits.first().and_then(|digit| places.get_mut(*digit)) {
            *own = place;
        }
    }
    let (mut runs, mut run, mut last) = (vec![0; count], 0, None);
    for digit in (0..count).rev() {
        let place = places.get(digit).copied();
        run += usize::from(last.is_some_and(|last| place < Some(last)));
        last = place;
        if let Some(own) = runs.get_mut(digit) {
            *own = run;
        }
    }
    runs
}

/// One tile, from the first side of which a part is taken.
fn tiled(
    sides: &mut Vec<SideDigits>,
    tiles: &mut Vec<Vec<i64>>,
    mut taken: impl FnMut(&mut SideDigits) -> Option<(Vec<usize>, i64)>,
) -> Option<()> {
    let mut inside: Vec<SideDigits> = Vec::new();
    for side in sides.iter_mut() {
        match taken(side) {
            Some((digits, tile)) => {
                side.extent = side.extent / tile + i64::from(side.extent % tile != 0);
                inside.push(SideDigits { digits, extent: tile });
            }
            None if inside.is_empty() => {}
            None => inside.push(SideDigits { digits: Vec::new(), extent: 1 }),
        }
    }
    tiles.push(inside.iter().map(|side| side.extent).collect());
    sides.extend(inside);
    (sides.len() <= MAX_SIDES).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::map::random::numbers;
    use crate::map::{Form, Map};
    use crate::xla::{Array, Image};

    /// Digits of three dims in any order with any room, as text of a layout, and the extents.
    fn drawn(below: &mut impl FnMut(i64) -> i64) -> Result<(String, Vec<i64>), Error> {
        let mut digits: Vec<(usize, i64)> = Vec::new();
        for dim in 0..3 {
            digits.extend((0..1 + below(4)).map(|_| (dim, 2 + below(2))));
        }
        let mut places: Vec<usize> = (0..digits.len()).collect();
        for at in (1..places.len()).rev() {
            places.swap(at, usize::try_from(below(i64::try_from(at).unwrap_or(0) + 1)).unwrap_or(0));
        }
        let mut stride = 1 + below(2);
        let mut strides = vec![0; digits.len()];
        for place in places {
            strides[place] = stride;
            stride *= digits[place].1 + i64::from(below(6) == 0);
        }
        let (mut shape, mut steps, mut extents) = (Vec::new(), Vec::new(), Vec::new());
        for dim in 0..3 {
            let own = |numbers: &mut dyn Iterator<Item = i64>| {
                format!("({})", numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(","))
            };
            let of = || digits.iter().zip(&strides).filter(|((axis, _), _)| *axis == dim);
            shape.push(own(&mut of().map(|((_, radix), _)| *radix)));
            steps.push(own(&mut of().map(|(_, stride)| *stride)));
            extents.push(of().map(|((_, radix), _)| *radix).product());
        }
        Ok((format!("({}):({})", shape.join(","), steps.join(",")), extents))
    }

    #[test]
    fn any_order_and_room() -> Result<(), Error> {
        let mut below = numbers(7);
        for _ in 0..150 {
            let (text, extents) = drawn(&mut below)?;
            let map = Map::of_layout(&text.parse()?)?;
            let chain = Chain::of(&map, &Form::of(&map)?, 1)?;
            let (order, tiles) = sorted(&chain, &extents).expect("few digits");
            let text = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(",");
            let tile = |tile: &Vec<i64>| format!("({})", text(&mut tile.iter().map(ToString::to_string)));
            let array = format!(
                "f32[{}]{{{}{}{}}}",
                text(&mut extents.iter().map(ToString::to_string)),
                text(&mut order.iter().rev().map(ToString::to_string)),
                if tiles.is_empty() { "" } else { ":T" },
                tiles.iter().map(tile).collect::<String>()
            );
            let image = Image::of(&array.parse::<Array>()?)?;
            let mut walk = crate::map::walk::Walk::new(&extents);
            while let Some(point) = walk.next() {
                assert_eq!(map.at(point)?, Some(vec![image.offset(point)?]), "{array} at {point:?}");
            }
        }
        Ok(())
    }
}
