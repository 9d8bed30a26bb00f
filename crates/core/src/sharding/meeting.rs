//! [`Meeting`]: which tiles of a dim before meet which tiles after, and in how many indices.
//!
//! A tile is what one coordinate along the digits that cut the dim holds. Where both sides are digits of the index, two tiles meet where
//! the digits that cut both sides are equal, and all that meet share as many indices, so that nothing is listed. Else the blocks of both
//! sides are walked once, side by side. Law: the tiles of one side that a tile meets share each of its indices once.

use std::collections::BTreeMap;

use super::digits::{Cut, cut_alike, index_digits};
use super::indices::Segment;
use super::tensor::Sharding;
use crate::cast::{index, length};
use crate::error::{Code, Error};

/// The tiles before, or those after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Tiling {
    Before,
    After,
}

/// A digit of the number of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TileDigit {
    radix: i64,
    /// How far it moves the number.
    weight: i64,
}

impl TileDigit {
    fn of(self, tile: i64) -> i64 {
        tile / self.weight % self.radix
    }
}

/// The digits of the numbers of tiles of one side, the slowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct TileDigits {
    /// Those that are digits of the other side too, in one order on both sides.
    shared: Vec<TileDigit>,
    /// Those that are local on the other side.
    free: Vec<TileDigit>,
}

/// A tile that another one meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Met {
    tile: i64,
    /// How many indices are in the tiles before it.
    before: i64,
    /// How many indices both have.
    size: i64,
}

/// Which tiles of a dim meet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Meeting {
    /// All tiles that meet share as many indices.
    Digits(Digits),
    /// The tiles that each tile meets, ascending.
    Cuts(Cuts),
}

/// Tiles on both sides by the digits of their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Digits {
    before: TileDigits,
    after: TileDigits,
    /// Those of the index, the fastest first, with the digit of the tile that each is on either side.
    index: Vec<(i64, Option<TileDigit>, Option<TileDigit>)>,
    /// How many indices two tiles that meet share.
    size: i64,
}

/// Tiles on both sides by what they meet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cuts {
    before: Vec<Vec<Met>>,
    after: Vec<Vec<Met>>,
    /// Where blocks begin or end on either side, ascending.
    ends: Vec<i64>,
}

impl Meeting {
    /// Of a dim of two shardings of one tensor; walking blocks takes steps from a budget.
    pub(super) fn of(source: &Sharding, target: &Sharding, dim: usize, budget: &mut i64) -> Result<Self, Error> {
        match by_digits(source, target, dim) {
            Some(digits) => Ok(Meeting::Digits(digits)),
            None => walked(source, target, dim, budget).map(Meeting::Cuts),
        }
    }

    /// How many tiles of the other side a tile meets.
    pub(super) fn count(&self, side: Tiling, tile: i64) -> i64 {
        match self {
            Meeting::Digits(digits) => digits.sides(side).1.free.iter().map(|digit| digit.radix).product(),
            Meeting::Cuts(cuts) => length(cuts.met(side, tile).len()),
        }
    }

    /// The tile of the other side that a tile meets, by its place among all of them.
    pub(super) fn tile(&self, side: Tiling, tile: i64, place: i64) -> Option<i64> {
        match self {
            Meeting::Digits(digits) => {
                let (own, other) = digits.sides(side);
                let shared = own.shared.iter().zip(&other.shared);
                let fixed: i64 = shared.map(|(own, other)| own.of(tile) * other.weight).sum();
                let mut rest = place;
                let free = other.free.iter().rev().map(|digit| {
                    let at = rest % digit.radix;
                    rest /= digit.radix;
                    at * digit.weight
                });
                Some(fixed + free.sum::<i64>())
            }
            Meeting::Cuts(cuts) => cuts.met(side, tile).get(index(place).ok()?).map(|met| met.tile),
        }
    }

    /// The place of a tile of the other side among those that a tile meets; `None` where they do not meet.
    pub(super) fn place(&self, side: Tiling, tile: i64, other_tile: i64) -> Option<i64> {
        match self {
            Meeting::Digits(digits) => {
                let (own, other) = digits.sides(side);
                let mut shared = own.shared.iter().zip(&other.shared);
                shared
                    .all(|(own, other)| own.of(tile) == other.of(other_tile))
                    .then(|| other.free.iter().fold(0, |place, digit| place * digit.radix + digit.of(other_tile)))
            }
            Meeting::Cuts(cuts) => {
                let found = cuts.met(side, tile).binary_search_by_key(&other_tile, |met| met.tile);
                found.ok().map(length)
            }
        }
    }

    /// How many indices a tile shares with the tiles that it meets before a place.
    pub(super) fn before(&self, side: Tiling, tile: i64, place: i64) -> i64 {
        match self {
            Meeting::Digits(digits) => place * digits.size,
            Meeting::Cuts(cuts) => {
                let met = cuts.met(side, tile);
                let at = index(place).ok().and_then(|place| met.get(place));
                at.map(|met| met.before).or_else(|| met.last().map(|met| met.before + met.size)).unwrap_or(0)
            }
        }
    }

    /// The positions of the indices that two tiles which meet share, in each; `None` where no digits say it.
    ///
    /// # Errors
    /// [`Code::TooLarge`] for more segments than steps that are left.
    pub(super) fn segments(&self, before: i64, after: i64, budget: &mut i64) -> Result<Option<Vec<Segment>>, Error> {
        match self {
            Meeting::Digits(digits) => digits.segments(before, after, budget).map(Some),
            Meeting::Cuts(_) => Ok(None),
        }
    }

    /// Where the blocks of either side begin and end; `None` where digits say it.
    pub(super) fn ends(&self) -> Option<&[i64]> {
        match self {
            Meeting::Digits(_) => None,
            Meeting::Cuts(cuts) => Some(&cuts.ends),
        }
    }
}

impl Digits {
    /// A digit that is local on both sides is a loop, and one of either side alone moves the position in the other.
    fn segments(&self, before: i64, after: i64, budget: &mut i64) -> Result<Vec<Segment>, Error> {
        let mut first = Segment { source: 0, target: 0, length: 1, count: 1, source_stride: 1, target_stride: 1 };
        // The loops, the fastest first: how many steps, and how far each moves both positions.
        let mut loops: Vec<(i64, [i64; 2])> = Vec::new();
        let mut strides = [1, 1];
        for (radix, own, other) in &self.index {
            match (own, other) {
                (None, None) => match loops.last_mut() {
                    Some((count, steps)) if steps.map(|step| step * *count) == strides => *count *= radix,
                    _ => loops.push((*radix, strides)),
                },
                (Some(own), None) => first.target += own.of(before) * strides[1],
                (None, Some(other)) => first.source += other.of(after) * strides[0],
                (Some(_), Some(_)) => {}
            }
            for (stride, digit) in strides.iter_mut().zip([own, other]) {
                *stride *= if digit.is_none() { *radix } else { 1 };
            }
        }
        let mut loops = loops.into_iter().peekable();
        if let Some((count, _)) = loops.next_if(|(_, steps)| *steps == [1, 1]) {
            first.length = count;
        }
        [first.source_stride, first.target_stride] = [first.length; 2];
        if let Some((count, [source, target])) = loops.next() {
            (first.count, first.source_stride, first.target_stride) = (count, source, target);
        }
        let mut all = vec![first];
        for (count, [source, target]) in loops {
            *budget = budget.saturating_sub(length(all.len()).saturating_mul(count));
            if *budget < 0 {
                return Err(Error::new(Code::TooLarge, "two shards share an index in too many blocks"));
            }
            let step = |at: i64| {
                move |own: &Segment| Segment {
                    source: own.source + at * source,
                    target: own.target + at * target,
                    ..*own
                }
            };
            all = (0..count).flat_map(|at| all.iter().map(step(at)).collect::<Vec<_>>()).collect();
        }
        Ok(all)
    }

    /// The tiles of a side, and those of the other.
    fn sides(&self, side: Tiling) -> (&TileDigits, &TileDigits) {
        match side {
            Tiling::Before => (&self.before, &self.after),
            Tiling::After => (&self.after, &self.before),
        }
    }
}

impl Cuts {
    fn met(&self, side: Tiling, tile: i64) -> &[Met] {
        let all = match side {
            Tiling::Before => &self.before,
            Tiling::After => &self.after,
        };
        index(tile).ok().and_then(|tile| all.get(tile)).map_or(&[], Vec::as_slice)
    }
}

/// The digits of the index of a dim, the fastest first, each with how far it moves the number of the tile; `None` for a local one.
fn tile_digits(sharding: &Sharding, dim: usize) -> Option<Vec<Cut<Option<i64>>>> {
    let placement = sharding.placement();
    let (rule, extent) = (placement.rules.get(dim)?, sharding.shape().get(dim)?);
    let order = rule.digits();
    let weight = |digit: usize| {
        let faster = order.iter().rev().take_while(|other| **other != digit);
        faster.map(|other| placement.radix(*other)).product::<i64>()
    };
    let mut all = Vec::new();
    let mut low = 1;
    for (radix, owner) in index_digits(placement, rule, *extent)?.into_iter().rev() {
        all.push((low, radix, owner.map(|(digit, below)| weight(digit) * below)));
        low *= radix;
    }
    Some(all)
}

fn by_digits(source: &Sharding, target: &Sharding, dim: usize) -> Option<Digits> {
    let (before, after) = (tile_digits(source, dim)?, tile_digits(target, dim)?);
    let above = |own: &Option<i64>, factor: i64| own.map(|weight| weight * factor);
    let mut digits = Digits { before: TileDigits::default(), after: TileDigits::default(), index: Vec::new(), size: 1 };
    for (_, radix, before, after) in cut_alike(&before, &after, &above, &None)? {
        let digit = |weight| TileDigit { radix, weight };
        let (before, after) = (before.map(digit), after.map(digit));
        digits.index.push((radix, before, after));
        match (before, after) {
            (Some(before), Some(after)) => {
                digits.before.shared.push(before);
                digits.after.shared.push(after);
            }
            (Some(before), None) => digits.before.free.push(before),
            (None, Some(after)) => digits.after.free.push(after),
            (None, None) => digits.size *= radix,
        }
    }
    // From the slowest on, so that places ascend as tiles do.
    for side in [&mut digits.before, &mut digits.after] {
        side.free.sort_unstable_by_key(|digit| std::cmp::Reverse(digit.weight));
    }
    Some(digits)
}

/// The blocks of all tiles of a dim, ascending, as `(start, end, tile)`. No two share an index.
fn blocks(sharding: &Sharding, dim: usize, budget: &mut i64) -> Result<Vec<(i64, i64, i64)>, Error> {
    let mut all = Vec::new();
    for tile in 0..sharding.placement().tiles(dim)? {
        let own = sharding.tile(dim, tile)?.blocks(*budget)?;
        *budget -= length(own.len()) + 1;
        all.extend(own.into_iter().map(|(start, end)| (start, end, tile)));
        if *budget < 0 {
            return Err(error!(Code::TooLarge, "dim {dim} falls into too many blocks", [dim]));
        }
    }
    all.sort_unstable();
    Ok(all)
}

fn walked(source: &Sharding, target: &Sharding, dim: usize, budget: &mut i64) -> Result<Cuts, Error> {
    let (before, after) = (blocks(source, dim, budget)?, blocks(target, dim, budget)?);
    let mut sizes: BTreeMap<(i64, i64), i64> = BTreeMap::new();
    let (mut left, mut right) = (before.iter().peekable(), after.iter().peekable());
    while let (Some((start, end, tile)), Some((other_start, other_end, other))) = (left.peek(), right.peek()) {
        let (first, last) = (*start.max(other_start), *end.min(other_end));
        if first < last {
            *sizes.entry((*tile, *other)).or_default() += last - first;
        }
        if end <= other_end {
            left.next()
        } else {
            right.next()
        };
    }
    let lists = |sharding: &Sharding| -> Result<Vec<Vec<Met>>, Error> {
        Ok(vec![Vec::new(); index(sharding.placement().tiles(dim)?)?])
    };
    let mut ends: Vec<i64> = before.iter().chain(&after).flat_map(|(start, end, _)| [*start, *end]).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut cuts = Cuts { before: lists(source)?, after: lists(target)?, ends };
    for ((tile, other), size) in sizes {
        for (own, met, lists) in [(tile, other, &mut cuts.before), (other, tile, &mut cuts.after)] {
            if let Some(list) = lists.get_mut(index(own)?) {
                let before = list.last().map_or(0, |last| last.before + last.size);
                list.push(Met { tile: met, before, size });
            }
        }
    }
    Ok(cuts)
}
