//! [`Exchange`]: the rule by which one sharding becomes another, from which any device's pieces are computed.
//!
//! The source cuts the tensor into cells, and a piece is what a device gets of a cell. Which cells meet which shards is known dim by dim
//! ([`Meeting`]), so that an exchange between all pairs of devices is never listed. A device that holds a cell gives itself what it gets of it.
//! The others that get some of the cell, in the order of their shards and then of their copies, are shared out in equal blocks among
//! the holders, in their order. Laws: the pieces are those of [`Moves`](super::Moves); the holders of a cell give to numbers of devices that
//! differ by 1 at most, those that get it from themselves not counted.

use std::collections::{BTreeMap, HashMap};

use super::coordinates::{Coordinates, coordinates, copies, device};
use super::meeting::{Meeting, Tiling};
use super::placement::{Reduction, Role};
use super::reshard::checked;
use super::summands::{has_summands, summands_of};
use super::tensor::Sharding;
use crate::cast::{index, length, narrow};
use crate::error::{Code, Error};

/// How many steps finding the pieces may take.
pub(super) const MAX_STEPS: i64 = 1 << 24;

/// How one sharding becomes another. Local tensors have just the elements that a device holds, without padding, in the order of the indices.
///
/// ```
/// use bitstride::sharding::Sharding;
/// let before: Sharding = "shard(f32[16384,16384], P(('a','b'), None), mesh(a=32,b=32))".parse()?;
/// let after: Sharding = "shard(f32[16384,16384], P(None, ('a','b')), mesh(a=32,b=32))".parse()?;
/// let exchange = before.exchange(&after)?;
/// assert_eq!((exchange.count()?, exchange.pieces_of(7)?.pieces.len()), (1 << 20, 2 * 1024 - 1));
/// assert_eq!(exchange.sent()?[7], 16 * (16384 - 16));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exchange {
    pub(super) source: Sharding,
    pub(super) target: Sharding,
    /// Of each dim.
    pub(super) meetings: Vec<Meeting>,
    pub(super) devices: i64,
    pub(super) reduction: Option<&'static str>,
    /// How many pieces come to one place.
    pub(super) summands: i64,
    /// Of each cell, the devices that get some of it from themselves or from one that differs by the summand alone.
    kept: BTreeMap<Cell, Vec<Kept>>,
}

/// The part of the tensor that some devices hold, by its tile of each dim, and the summand that they hold where it stays one.
pub(super) type Cell = (Vec<i64>, i64);

/// What is called for each piece of a receiver: with who gives it, the tiles of its cell, and where the receiver stands.
pub(super) type Visit<'v> = dyn FnMut(i64, &[i64], &Coordinates) -> Result<(), Error> + 'v;

/// A device that needs no other holder of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Kept {
    /// Which of the receivers it is.
    rank: i64,
    /// How many receivers that do need one are before it.
    place: i64,
    /// How many elements it gets, and all those before it.
    size: i64,
    before: i128,
}

impl Sharding {
    /// The rule by which this sharding becomes another one of the same tensor.
    ///
    /// # Errors
    /// As [`Sharding::reshard`]; [`Code::NotALayout`] where values become summands, or two operations combine summands;
    /// [`Code::TooLarge`] where no digits say which tiles meet, and there are too many blocks.
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let before: Sharding = "shard(f32[9], [Shard(0)], mesh(2))".parse()?;
    /// let after: Sharding = "shard(f32[9], [Replicate()], mesh(2))".parse()?;
    /// let exchange = before.exchange(&after)?;
    /// assert_eq!((exchange.before(1)?, exchange.sent()?), (Some(vec![4]), vec![5, 4]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn exchange(&self, target: &Sharding) -> Result<Exchange, Error> {
        let ([source, target], _) = checked(self, target)?;
        if !has_summands(&source) && has_summands(&target) {
            let message = "values become summands: which device keeps the value, and which gets zeros, is not said";
            return Err(Error::new(Code::NotALayout, message).with_help("declare the values summands where they are"));
        }
        let reduction = match has_summands(&source) && !has_summands(&target) {
            true => Some(reduction(&source)?),
            false => None,
        };
        let summands = if reduction.is_some() { summands_of(&source) } else { 1 };
        let devices = source.listed_devices()?.max(target.listed_devices()?);
        let mut budget = MAX_STEPS;
        let dims = 0..source.shape().len();
        let meetings = dims.map(|dim| Meeting::of(&source, &target, dim, &mut budget)).collect::<Result<_, _>>()?;
        let kept = BTreeMap::new();
        let mut exchange = Exchange { source, target, meetings, devices, reduction, summands, kept };
        exchange.keep()?;
        Ok(exchange)
    }
}

impl Exchange {
    /// How many devices there are.
    pub fn devices(&self) -> i64 {
        self.devices
    }

    /// The operation by which the pieces that come to one place are combined, as PyTorch names it: `sum`.
    pub fn reduction(&self) -> Option<&'static str> {
        self.reduction
    }

    /// How many pieces are combined at each place: how many summands a value has; 1 where there are none.
    pub fn summands(&self) -> i64 {
        self.summands
    }

    /// The devices that hold the summands of the same values, each list in the order of the summands, the lists by their first device; none where
    /// nothing is combined.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let before: Sharding = "shard(f32[8], [Partial(), Shard(0)], mesh(2,2))".parse()?;
    /// let after: Sharding = "shard(f32[8], [Replicate(), Shard(0)], mesh(2,2))".parse()?;
    /// assert_eq!(before.exchange(&after)?.summand_groups()?, [[0, 2], [1, 3]]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn summand_groups(&self) -> Result<Vec<Vec<i64>>, Error> {
        let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
        if self.reduction.is_some() {
            for device in 0..self.devices {
                if let Some(own) = coordinates(&self.source, device)? {
                    groups.entry((own.tiles, own.copy)).or_default().push((own.summand, device));
                }
            }
        }
        let in_order = |mut group: Vec<(i64, i64)>| {
            group.sort_unstable();
            group.into_iter().map(|(_, device)| device).collect::<Vec<_>>()
        };
        let mut groups: Vec<Vec<i64>> = groups.into_values().map(in_order).collect();
        groups.sort_unstable();
        Ok(groups)
    }

    /// The extents of the local tensor of a device before; `None` where it holds nothing at all.
    ///
    /// # Errors
    /// [`Code::Range`] for a number below 0.
    pub fn before(&self, device: i64) -> Result<Option<Vec<i64>>, Error> {
        Ok(coordinates(&self.source, device)?.map(|own| self.extents(Tiling::Before, &own.tiles)))
    }

    /// The same afterwards.
    ///
    /// # Errors
    /// [`Code::Range`] for a number below 0.
    pub fn after(&self, device: i64) -> Result<Option<Vec<i64>>, Error> {
        Ok(coordinates(&self.target, device)?.map(|own| self.extents(Tiling::After, &own.tiles)))
    }

    /// How many pieces there are, those that stay on their device counted.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub fn count(&self) -> Result<i64, Error> {
        let mut all = 0;
        for device in 0..self.devices {
            if let Some(after) = coordinates(&self.target, device)? {
                all += self.cells(&after) * i128::from(self.summands);
            }
        }
        narrow(all)
    }

    /// How many elements each device gives to others.
    ///
    /// # Errors
    /// [`Code::Overflow`] above 2^63 - 1.
    pub fn sent(&self) -> Result<Vec<i64>, Error> {
        let mut all = vec![0i128; index(self.devices)?];
        if self.keeps_summands() {
            for device in 0..self.devices {
                self.each_received(device, &mut |giver, tiles, after| {
                    if giver != device
                        && let (Some(sent), Some((_, size))) = (all.get_mut(index(giver)?), self.rank(tiles, after))
                    {
                        *sent += i128::from(size);
                    }
                    Ok(())
                })?;
            }
            return all.into_iter().map(narrow).collect();
        }
        // What those that differ by the summand alone get of a cell is one number for all of them, and there may be many.
        let mut beside: HashMap<(Vec<i64>, i64), i128> = HashMap::new();
        for (device, sent) in (0..self.devices).zip(&mut all) {
            crate::cancel::checkpoint();
            let Some(own) = coordinates(&self.source, device)? else { continue };
            let size = |other: i64| -> Result<i128, Error> {
                let after = coordinates(&self.target, other)?;
                Ok(after.and_then(|after| self.rank(&own.tiles, &after)).map_or(0, |(_, size)| i128::from(size)))
            };
            let cell = self.cell(&own);
            let places = self.served(&own);
            *sent = self.sum(&cell, places.end) - self.sum(&cell, places.start);
            let key = (own.tiles.clone(), own.copy);
            let all_beside = match beside.get(&key) {
                Some(known) => *known,
                None => {
                    let all =
                        self.beside(&own)?.into_iter().try_fold(0, |all, other| Ok::<_, Error>(all + size(other)?))?;
                    beside.insert(key, all);
                    all
                }
            };
            *sent += all_beside - size(device)?;
        }
        all.into_iter().map(narrow).collect()
    }

    /// How many elements each device gets from others, each summand counted.
    ///
    /// # Errors
    /// [`Code::Overflow`] above 2^63 - 1.
    pub fn received(&self) -> Result<Vec<i64>, Error> {
        let of = |device| {
            let Some(after) = coordinates(&self.target, device)? else { return Ok(0) };
            let all: i128 = self.extents(Tiling::After, &after.tiles).into_iter().map(i128::from).product();
            let own = coordinates(&self.source, device)?.and_then(|own| self.rank(&own.tiles, &after));
            narrow(all * i128::from(self.summands) - own.map_or(0, |(_, size)| i128::from(size)))
        };
        (0..self.devices).map(of).collect()
    }

    /// Notes the devices that get a part of a cell from themselves.
    fn keep(&mut self) -> Result<(), Error> {
        let mut kept: BTreeMap<Cell, Vec<Kept>> = BTreeMap::new();
        for device in 0..self.devices {
            crate::cancel::checkpoint();
            let both = (coordinates(&self.source, device)?, coordinates(&self.target, device)?);
            let (Some(before), Some(after)) = both else { continue };
            if let Some((rank, size)) = self.rank(&before.tiles, &after) {
                kept.entry(self.cell(&before)).or_default().push(Kept { rank, place: 0, size, before: 0 });
            }
        }
        for list in kept.values_mut() {
            list.sort_unstable_by_key(|own| own.rank);
            let mut before = 0;
            for (number, own) in list.iter_mut().enumerate() {
                (own.place, own.before) = (own.rank - length(number), before);
                before += i128::from(own.size);
            }
        }
        self.kept = kept;
        Ok(())
    }

    /// Whether summands stay summands.
    pub(super) fn keeps_summands(&self) -> bool {
        self.reduction.is_none() && has_summands(&self.source)
    }

    pub(super) fn cell(&self, own: &Coordinates) -> Cell {
        (own.tiles.clone(), if self.reduction.is_some() { 0 } else { own.summand })
    }

    fn kept(&self, cell: &Cell) -> &[Kept] {
        self.kept.get(cell).map_or(&[], Vec::as_slice)
    }

    /// The extents of what tiles hold.
    fn extents(&self, side: Tiling, tiles: &[i64]) -> Vec<i64> {
        let of = |(meeting, tile): (&Meeting, &i64)| meeting.before(side, *tile, meeting.count(side, *tile));
        self.meetings.iter().zip(tiles).map(of).collect()
    }

    /// How many cells a shard of the target meets.
    fn cells(&self, after: &Coordinates) -> i128 {
        let of = |(meeting, tile): (&Meeting, &i64)| i128::from(meeting.count(Tiling::After, *tile));
        self.meetings.iter().zip(&after.tiles).map(of).product()
    }

    /// How many devices get some of a cell; of those that hold summands of one value, one.
    fn receivers(&self, tiles: &[i64]) -> i64 {
        let of = |(meeting, tile): (&Meeting, &i64)| meeting.count(Tiling::Before, *tile);
        self.meetings.iter().zip(tiles).map(of).product::<i64>() * copies(&self.target)
    }

    /// Which of the receivers of a cell a device is, and how many elements it gets; `None` where it gets none.
    pub(super) fn rank(&self, tiles: &[i64], after: &Coordinates) -> Option<(i64, i64)> {
        let (mut rank, mut size) = (0, 1);
        for ((meeting, tile), other) in self.meetings.iter().zip(tiles).zip(&after.tiles) {
            let place = meeting.place(Tiling::Before, *tile, *other)?;
            rank = rank * meeting.count(Tiling::Before, *tile) + place;
            size *= meeting.before(Tiling::Before, *tile, place + 1) - meeting.before(Tiling::Before, *tile, place);
        }
        Some((rank * copies(&self.target) + after.copy, size))
    }

    /// Who gives a summand of a cell to a receiver, whose coordinates in the source are known where it has any.
    pub(super) fn giver(
        &self,
        tiles: &[i64],
        summand: i64,
        own: Option<&Coordinates>,
        rank: i64,
    ) -> Result<i64, Error> {
        let holder = |copy| device(&self.source, &Coordinates { tiles: tiles.to_vec(), copy, summand });
        if let Some(own) = own.filter(|own| own.tiles == tiles) {
            return holder(own.copy);
        }
        let cell = (tiles.to_vec(), if self.reduction.is_some() { 0 } else { summand });
        let kept = self.kept(&cell);
        let place = rank - length(kept.partition_point(|own| own.rank < rank));
        let others = (self.receivers(tiles) - length(kept.len())).max(1);
        let holders = copies(&self.source);
        holder((place * holders / others).min(holders - 1))
    }

    /// The places, among the receivers that need another holder, of those that a device gives to.
    pub(super) fn served(&self, own: &Coordinates) -> std::ops::Range<i64> {
        let others = (self.receivers(&own.tiles) - length(self.kept(&self.cell(own)).len())).max(0);
        let holders = copies(&self.source);
        let first = |copy: i64| (copy * others + holders - 1) / holders;
        first(own.copy)..first(own.copy + 1)
    }

    /// The devices that a device gives some of its cell to as they hold the cell themselves: itself, and where summands are combined those
    /// that differ by the summand.
    pub(super) fn beside(&self, own: &Coordinates) -> Result<Vec<i64>, Error> {
        let summands = if self.reduction.is_some() { 0..self.summands } else { own.summand..own.summand + 1 };
        summands.map(|summand| device(&self.source, &Coordinates { summand, ..own.clone() })).collect()
    }

    /// Which of all receivers of a cell the one at a place is, among those that need another holder.
    pub(super) fn rank_at(&self, cell: &Cell, place: i64) -> i64 {
        place + length(self.kept(cell).partition_point(|own| own.place <= place))
    }

    /// How many elements the receivers that need another holder get before a place.
    fn sum(&self, cell: &Cell, place: i64) -> i128 {
        let (tiles, kept) = (&cell.0, self.kept(cell));
        let rank = self.rank_at(cell, place);
        let number = kept.partition_point(|own| own.rank < rank);
        let own = number.checked_sub(1).and_then(|last| kept.get(last));
        let own = own.map_or(0, |last| last.before + i128::from(last.size));
        // The receivers are numbered by a place along each dim, and then by their copy.
        let copies = copies(&self.target);
        let (mut rest, mut below) = (rank, self.receivers(tiles));
        let mut inner: i128 = self.extents(Tiling::Before, tiles).into_iter().map(i128::from).product();
        let (mut all, mut outer) = (0i128, 1i128);
        for (meeting, tile) in self.meetings.iter().zip(tiles) {
            let count = meeting.count(Tiling::Before, *tile);
            let before = |place| i128::from(meeting.before(Tiling::Before, *tile, place));
            if count == 0 {
                return 0;
            }
            below /= count;
            inner /= before(count).max(1);
            let place = rest / below.max(1);
            rest -= place * below;
            all += outer * before(place) * inner * i128::from(copies);
            outer *= if place < count { before(place + 1) - before(place) } else { 0 };
        }
        all + outer * i128::from(rest) - own
    }

    /// Visits the pieces of a receiver.
    pub(super) fn each_received(&self, device: i64, visit: &mut Visit<'_>) -> Result<(), Error> {
        let Some(after) = coordinates(&self.target, device)? else { return Ok(()) };
        let own = coordinates(&self.source, device)?;
        let summand = own.as_ref().map_or(0, |own| own.summand);
        let summands = if self.reduction.is_some() { 0..self.summands } else { summand..summand + 1 };
        for number in 0..narrow(self.cells(&after))? {
            let mut rest = number;
            let mut tiles = Vec::new();
            for (meeting, tile) in self.meetings.iter().zip(&after.tiles).rev() {
                let count = meeting.count(Tiling::After, *tile);
                tiles.extend(meeting.tile(Tiling::After, *tile, rest % count));
                rest /= count;
            }
            tiles.reverse();
            let Some((rank, _)) = self.rank(&tiles, &after) else { continue };
            for summand in summands.clone() {
                visit(self.giver(&tiles, summand, own.as_ref(), rank)?, &tiles, &after)?;
            }
        }
        Ok(())
    }

    /// The receiver of a cell by its rank.
    pub(super) fn receiver(&self, tiles: &[i64], rank: i64) -> Result<Coordinates, Error> {
        let copies = copies(&self.target);
        let mut rest = rank / copies;
        let mut found = Vec::new();
        for (meeting, tile) in self.meetings.iter().zip(tiles).rev() {
            let count = meeting.count(Tiling::Before, *tile).max(1);
            found.extend(meeting.tile(Tiling::Before, *tile, rest % count));
            rest /= count;
        }
        found.reverse();
        Ok(Coordinates { tiles: found, copy: rank % copies, summand: 0 })
    }
}

/// The operation by which summands become values.
fn reduction(source: &Sharding) -> Result<&'static str, Error> {
    let refused = |message: &str| {
        Err(Error::new(Code::NotALayout, message)
            .with_help("reduce the summands of one operation first, to values or shards"))
    };
    let mut operations =
        source.placement().pending().filter(|digit| digit.part.size > 1).map(|digit| digit.role.added());
    match (operations.next(), operations.next()) {
        (Some(first), Some(second)) if first != second => refused("two operations combine the summands"),
        (Some(Role::Sums(Reduction::Named(operation))), _) => Ok(operation),
        _ => refused("the operation that combines the summands is not known"),
    }
}
