//! Undoes tiles: from the order of digits in memory back to whole dims.
//!
//! A tile takes the low digits of some of the last sides of a box and moves them behind all others, in the same order.
//! Undoing a tile moves some of the last sides back. Each one is merged with the side whose low digit it is, or becomes
//! a side of its own that the tile filled entirely. A padded side always becomes a side of its own.
//!
//! Example: from `d0/8, d1/128, d0/2%4, d1%128, d0%2` the last goes back to `d0/8, d1/128, d0%8, d1%128`, and the last
//! two of these to `d0, d1`. These are two tiles, `(8,128)` and then `(2,1)`.
//!
//! Law: the tiles of a [`Plan`], applied to its dims, give the sides that it began with.

use super::chain::Chain;

/// A side of a box in memory: a digit of a dim, or nothing but room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BoxSide {
    id: usize,
    /// The dim; `None` is nothing but room.
    dim: Option<usize>,
    weight: i64,
    used: i64,
    room: i64,
    top: bool,
}

/// What one extent of a tile does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pick {
    /// The side that is cut; `None` is any side of extent 1.
    side: Option<usize>,
    tile: i64,
    /// The side that moves behind all others.
    low: usize,
    /// The side that stays.
    high: Option<usize>,
}

/// Whole dims, major first, and the tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    sides: Vec<BoxSide>,
    /// The first tile last.
    rounds: Vec<Vec<Pick>>,
}

/// The search for plans.
pub(super) struct Untile<'a> {
    extents: &'a [i64],
    steps: u32,
    next: usize,
    found: Vec<Plan>,
}

/// How many steps the search for the fewest tiles may take.
const STEPS: u32 = 200_000;

/// The most sides that tiles may cut a box into.
const SIDES: usize = 128;

/// The most ways to fill the room of a chain that are tried.
const WAYS: usize = 32;

impl<'a> Untile<'a> {
    /// A search over dims of these extents.
    pub(super) fn new(extents: &'a [i64]) -> Self {
        Untile { extents, steps: STEPS, next: 0, found: Vec::new() }
    }

    /// The plans with the given number of tiles; all of them unless the budget of steps ends.
    pub(super) fn plans(&mut self, chain: &Chain, tiles: usize) -> Vec<Plan> {
        for sides in self.ways(chain) {
            self.undo(&sides, tiles, &mut Vec::new());
        }
        std::mem::take(&mut self.found)
    }

    /// A plan with any number of tiles: the last one pads all sides, each one before cuts one digit off.
    pub(super) fn any(&mut self, chain: &Chain) -> Option<Plan> {
        let mut sides = self.ways(chain).into_iter().next()?;
        let mut rounds = Vec::new();
        if sides.iter().any(|side| side.room > side.used) {
            let (before, picks) = self.all_own(&sides);
            rounds.push(picks);
            sides = before;
        }
        for _ in 0..4 * sides.len() {
            if Self::whole(&sides) {
                break;
            }
            let joined = (0..sides.len()).rev().find_map(|at| {
                let (high, low) = sides.split_at_checked(at)?;
                let low = low.first()?;
                high.iter().enumerate().find_map(|(place, high)| Some((at, place, self.joined(low, high)?)))
            });
            let at = match joined {
                Some((at, ..)) => at,
                None => sides.iter().rposition(|side| !is_whole(side))?,
            };
            let behind = sides.split_off(at + 1);
            let low = sides.pop()?;
            let (own, mut picks) = self.all_own(&behind);
            let pick = Pick { side: None, tile: low.room, low: low.id, high: None };
            match joined {
                Some((_, place, side)) => {
                    let place = sides.get_mut(place)?;
                    picks.insert(0, Pick { side: Some(side.id), high: Some(place.id), ..pick });
                    *place = side;
                }
                None => {
                    let own = self.own(&low);
                    picks.insert(0, Pick { side: Some(own.id), ..pick });
                    sides.insert(0, own);
                }
            }
            sides.extend(own);
            rounds.push(picks);
        }
        Self::whole(&sides).then_some(Plan { sides, rounds })
    }

    /// Sides as they were before one tile took all of each.
    fn all_own(&mut self, sides: &[BoxSide]) -> (Vec<BoxSide>, Vec<Pick>) {
        let mut before = Vec::new();
        let mut picks = Vec::new();
        for side in sides {
            let own = side.dim.map(|_| self.own(side));
            picks.push(Pick { side: own.map(|own| own.id), tile: side.room, low: side.id, high: None });
            before.extend(own);
        }
        (before, picks)
    }

    /// The sides of a chain, major first; unused room is part of a side or a side of its own.
    fn ways(&mut self, chain: &Chain) -> Vec<Vec<BoxSide>> {
        let side = |dim, weight, used, room, top| BoxSide { id: 0, dim, weight, used, room, top };
        let spare = |room: i64| side(None, 1, 1, room, true);
        let mut ways: Vec<Vec<BoxSide>> =
            if chain.first > 1 { vec![vec![spare(chain.first)]] } else { vec![Vec::new()] };
        for slot in &chain.slots {
            let mut rooms = vec![slot.room];
            for own in [slot.used, power_of_two(slot.used).unwrap_or(slot.room)] {
                if own < slot.room && slot.room % own == 0 && !rooms.contains(&own) {
                    rooms.push(own);
                }
            }
            if ways.len() * rooms.len() > WAYS {
                rooms.truncate(1);
            }
            let with = |way: &Vec<BoxSide>, own: i64| {
                let mut way = way.clone();
                way.push(side(Some(slot.axis), slot.weight, slot.used, own, slot.top));
                way.extend((own < slot.room).then(|| spare(slot.room / own)));
                way
            };
            ways = rooms.iter().flat_map(|own| ways.iter().map(|way| with(way, *own)).collect::<Vec<_>>()).collect();
        }
        for way in &mut ways {
            way.reverse();
            for side in way {
                side.id = self.id();
            }
        }
        ways
    }

    fn id(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// Whether all sides are whole dims.
    fn whole(sides: &[BoxSide]) -> bool {
        sides.iter().all(is_whole)
    }

    fn undo(&mut self, sides: &[BoxSide], tiles: usize, rounds: &mut Vec<Vec<Pick>>) {
        if tiles == 0 {
            if Self::whole(sides) {
                self.found.push(Plan { sides: sides.to_vec(), rounds: rounds.clone() });
            }
            return;
        }
        for kept in (0..sides.len()).rev() {
            let (high, low) = sides.split_at_checked(kept).unwrap_or((sides, &[]));
            // Each side of the last tile joins one at most.
            if tiles == 1 && high.iter().filter(|side| !is_whole(side)).count() > low.len() {
                continue;
            }
            self.back(high, 0, low, tiles, &mut Vec::new(), rounds);
        }
    }

    /// Sends sides back, in order, to places not before `from`.
    fn back(
        &mut self,
        sides: &[BoxSide],
        from: usize,
        low: &[BoxSide],
        tiles: usize,
        picks: &mut Vec<Pick>,
        rounds: &mut Vec<Vec<Pick>>,
    ) {
        let Some((own, low)) = low.split_first() else {
            rounds.push(picks.clone());
            self.undo(sides, tiles - 1, rounds);
            rounds.pop();
            return;
        };
        if self.steps == 0 {
            return;
        }
        self.steps -= 1;
        crate::cancel::checkpoint();
        let pick = Pick { side: None, tile: own.room, low: own.id, high: None };
        for (at, high) in sides.iter().enumerate().skip(from) {
            let Some(joined) = self.joined(own, high) else { continue };
            let mut after = sides.to_vec();
            after.splice(at..=at, [joined]);
            picks.push(Pick { side: Some(joined.id), high: Some(high.id), ..pick });
            self.back(&after, at + 1, low, tiles, picks, rounds);
            picks.pop();
        }
        if own.dim.is_none() {
            picks.push(pick);
            self.back(sides, from, low, tiles, picks, rounds);
            picks.pop();
            return;
        }
        let before = self.own(own);
        if tiles == 1 && !is_whole(&before) {
            return;
        }
        for at in (from..=sides.len()).rev() {
            let mut after = sides.to_vec();
            after.insert(at, before);
            picks.push(Pick { side: Some(before.id), ..pick });
            let found = self.found.len();
            self.back(&after, at + 1, low, tiles, picks, rounds);
            picks.pop();
            // Its position among the dims of the array is free, up to the side that the next one is merged with, unless a tile
            // behind fills a side of extent 1, which this one may leave where it stood.
            let free = !rounds.iter().flatten().any(|pick| pick.side.is_none());
            if tiles == 1 && free && (self.found.len() > found || !self.joins_before(low, sides, at)) {
                break;
            }
        }
    }

    /// Whether one of some digits could join a side before a place.
    fn joins_before(&mut self, low: &[BoxSide], sides: &[BoxSide], place: usize) -> bool {
        let before = sides.get(..place).unwrap_or(sides);
        low.iter().any(|low| before.iter().any(|high| self.joined(low, high).is_some()))
    }

    /// The side that a low and a high digit are cut from.
    fn joined(&mut self, low: &BoxSide, high: &BoxSide) -> Option<BoxSide> {
        let room = low.room.checked_mul(high.room)?;
        match (low.dim, high.dim) {
            (Some(dim), Some(other)) if dim == other => {
                let follows = !low.top && low.room == low.used && low.weight.checked_mul(low.used) == Some(high.weight);
                if !follows {
                    return None;
                }
                let extent = self.extents.get(dim)?;
                let used = match high.top {
                    true => extent / low.weight + i64::from(extent % low.weight != 0),
                    false => low.used * high.used,
                };
                let room = if high.room == high.used { used } else { room };
                Some(BoxSide { id: self.id(), dim: low.dim, weight: low.weight, used, room, top: high.top })
            }
            (_, None) if low.top => Some(BoxSide { id: self.id(), room, ..*low }),
            _ => None,
        }
    }

    /// What a side was before a tile took all of it.
    fn own(&mut self, low: &BoxSide) -> BoxSide {
        BoxSide { id: self.id(), room: low.used, ..*low }
    }
}

impl Plan {
    /// The dims, major first, and the tiles that they go through, the dims of extent 1 where `place` puts them among the
    /// others. `None` when a tile needs a side of extent 1 where there is none; wide tiles leave some behind them. `None`
    /// too when there were more than [`SIDES`] sides.
    pub(super) fn realise(&self, extents: &[i64], place: Place, wide: bool) -> Option<(Vec<usize>, Vec<Vec<i64>>)> {
        let mut order: Vec<(usize, Option<usize>)> =
            self.sides.iter().filter_map(|side| Some((side.dim?, Some(side.id)))).collect();
        let ones = extents.iter().enumerate().filter(|(_, extent)| **extent == 1).map(|(dim, _)| (dim, None));
        match place {
            Place::Major => order.splice(0..0, ones).for_each(drop),
            Place::Minor => order.extend(ones),
            Place::Room => {
                let mut ones: Vec<_> = ones.collect();
                let mut end = order.len();
                for pick in self.rounds.last().into_iter().flatten().rev() {
                    match pick.side {
                        None => ones.pop().into_iter().for_each(|one| order.insert(end, one)),
                        side => end = order.iter().position(|(_, id)| *id == side).unwrap_or(end),
                    }
                }
                order.splice(0..0, ones).for_each(drop);
            }
            Place::Between => {
                for one in ones {
                    let at = order.iter().position(|(dim, _)| *dim > one.0).unwrap_or(order.len());
                    order.insert(at, one);
                }
            }
        }
        let mut sides: Vec<(Option<usize>, i64)> =
            order.iter().map(|(dim, id)| (*id, extents.get(*dim).copied().unwrap_or(1))).collect();
        let mut tiles = Vec::new();
        for (left, picks) in (0..self.rounds.len()).rev().zip(self.rounds.iter().rev()) {
            tiles.push(apply(&mut sides, picks, wide && left > 0)?);
            if sides.len() > SIDES {
                return None;
            }
        }
        Some((order.into_iter().map(|(dim, _)| dim).collect(), tiles))
    }
}

/// The positions of dims of extent 1 among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// By their numbers.
    Between,
    /// Before all others.
    Major,
    /// Behind all others.
    Minor,
    /// Where the first tile needs room, the rest before all others.
    Room,
}

/// One tile, with the sides as it leaves them.
fn apply(sides: &mut Vec<(Option<usize>, i64)>, picks: &[Pick], wide: bool) -> Option<Vec<i64>> {
    // Places are found from the right, so that the tile is as short as it can be.
    let mut places = Vec::new();
    let mut end = sides.len();
    let mut more = 0;
    for pick in picks.iter().rev() {
        let fits = |(id, extent): &(Option<usize>, i64)| match pick.side {
            None => id.is_none() && *extent == 1,
            side => *id == side,
        };
        match sides.get(..end)?.iter().rposition(fits) {
            Some(at) => {
                places.push(Some(at));
                end = at;
            }
            // 1s come before the dims for a tile that is longer than these.
            None if pick.side.is_none() => {
                places.push(None);
                (end, more) = (0, more + 1);
            }
            None => return None,
        }
    }
    more += usize::from(wide);
    sides.splice(0..0, std::iter::repeat_n((None, 1), more));
    let mut placed = Vec::new();
    for (number, (pick, place)) in picks.iter().zip(places.iter().rev()).enumerate() {
        placed.push((place.map_or(number + usize::from(wide), |at| at + more), pick));
    }
    let start = if wide { 0 } else { placed.first().map_or(sides.len(), |(at, _)| *at) };
    let mut tile = Vec::new();
    let mut insides = Vec::new();
    for (at, side) in sides.iter_mut().enumerate().skip(start) {
        let pick = placed.iter().find(|(own, _)| *own == at).map(|(_, pick)| *pick);
        let Some(pick) = pick else {
            tile.push(1);
            insides.push((None, 1));
            continue;
        };
        tile.push(pick.tile);
        insides.push((Some(pick.low), pick.tile));
        *side = (pick.high, side.1 / pick.tile + i64::from(side.1 % pick.tile != 0));
    }
    sides.extend(insides);
    Some(tile)
}

/// Whether a side is all of a dim.
fn is_whole(side: &BoxSide) -> bool {
    side.dim.is_some() && side.weight == 1 && side.top && side.room == side.used
}

/// The next power of two.
fn power_of_two(n: i64) -> Option<i64> {
    i64::try_from(n.unsigned_abs().checked_next_power_of_two()?).ok()
}
