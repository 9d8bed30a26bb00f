//! The pieces of an [`Exchange`]: what one device gives to another, listed for a device or for all.
//!
//! Law: they are those of [`Moves`](super::Moves). What two tiles of a dim have in common is found once.

use std::collections::HashMap;

use super::coordinates::{coordinates, device};
use super::exchange::{Exchange, MAX_STEPS};
use super::indices::Segment;
use crate::cast::length;
use crate::error::{Code, Error};

/// The most pieces that are listed.
const MAX_PIECES: i64 = 1 << 20;

/// What a device gets from one device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The device that gives it.
    pub source: i64,
    /// The device that gets it, which may be the same.
    pub target: i64,
    /// Its positions along each dim, by number in the list of segments beside it.
    pub dims: Vec<usize>,
}

/// Pieces of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pieces {
    /// Positions along one dim that the pieces name: the product over the dims is the piece.
    pub segments: Vec<Vec<Segment>>,
    /// The pieces.
    pub pieces: Vec<Piece>,
}

impl Exchange {
    /// The pieces that a device gets, with those that it gives itself, and then those that it gives to others.
    ///
    /// # Errors
    /// [`Code::Range`] for a device that is not there; [`Code::TooLarge`] for too many pieces or runs.
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let before: Sharding = "shard(f32[8,8], P('a', None), mesh(a=2))".parse()?;
    /// let after: Sharding = "shard(f32[8,8], P(None, 'a'), mesh(a=2))".parse()?;
    /// let pieces = before.exchange(&after)?.pieces_of(1)?.pieces;
    /// let ends: Vec<_> = pieces.iter().map(|piece| (piece.source, piece.target)).collect();
    /// assert_eq!(ends, [(0, 1), (1, 1), (1, 0)]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn pieces_of(&self, device: i64) -> Result<Pieces, Error> {
        if !(0..self.devices).contains(&device) {
            return Err(error!(
                Code::Range,
                "device {device} of {devices}; they are numbered from 0",
                [device, devices = self.devices]
            ));
        }
        let mut list = List::new(self);
        list.received(device)?;
        list.sent(device)?;
        Ok(list.found)
    }

    /// All pieces, by receiver. Those that are combined at one place follow each other.
    ///
    /// # Errors
    /// [`Code::TooLarge`] for too many pieces or runs.
    pub fn pieces(&self) -> Result<Pieces, Error> {
        if self.count()? > MAX_PIECES {
            return Err(error!(Code::TooLarge, "more than {max_pieces} pieces move", [max_pieces = MAX_PIECES])
                .with_help("those of one device are found from the rule"));
        }
        let mut list = List::new(self);
        for device in 0..self.devices {
            crate::cancel::checkpoint();
            list.received(device)?;
        }
        Ok(list.found)
    }

    /// What one device gives to another one, along each dim; `None` where it gives nothing.
    ///
    /// # Errors
    /// [`Code::Range`] for a number below 0; [`Code::TooLarge`] for too many runs.
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let before: Sharding = "shard(f32[16], P('a'), mesh(a=4))".parse()?;
    /// let after: Sharding = "shard(f32[16], [_StridedShard(0, split_factor=2)], mesh(4))".parse()?;
    /// let piece = before.exchange(&after)?.piece(2, 1)?;
    /// let segment = piece.as_ref().and_then(|dims| dims[0].first());
    /// assert_eq!(segment.map(|segment| (segment.source, segment.target, segment.length)), Some((2, 2, 2)));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn piece(&self, source: i64, target: i64) -> Result<Option<Vec<Vec<Segment>>>, Error> {
        let (Some(before), Some(after)) = (coordinates(&self.source, source)?, coordinates(&self.target, target)?)
        else {
            return Ok(None);
        };
        let own = coordinates(&self.source, target)?;
        let is_own = self.reduction.is_some() || own.as_ref().is_none_or(|own| own.summand == before.summand);
        let Some((rank, _)) = self.rank(&before.tiles, &after).filter(|_| is_own) else { return Ok(None) };
        if self.giver(&before.tiles, before.summand, own.as_ref(), rank)? != source {
            return Ok(None);
        }
        let mut budget = MAX_STEPS;
        let tiles = before.tiles.iter().zip(&after.tiles).enumerate();
        tiles.map(|(dim, (one, two))| self.segments(dim, *one, *two, &mut budget)).collect::<Result<_, _>>().map(Some)
    }

    fn segments(&self, dim: usize, before: i64, after: i64, budget: &mut i64) -> Result<Vec<Segment>, Error> {
        let by_digits = self.meetings.get(dim).map(|meeting| meeting.segments(before, after, budget)).transpose()?;
        match by_digits.flatten() {
            Some(segments) => Ok(segments),
            None => self.source.tile(dim, before)?.meet(&self.target.tile(dim, after)?, budget),
        }
    }
}

/// Pieces as they are found.
struct List<'e> {
    exchange: &'e Exchange,
    found: Pieces,
    /// The number of the segments of two tiles of a dim.
    known: HashMap<(usize, i64, i64), usize>,
    budget: i64,
}

impl<'e> List<'e> {
    fn new(exchange: &'e Exchange) -> Self {
        List { exchange, found: Pieces::default(), known: HashMap::new(), budget: MAX_STEPS }
    }

    fn push(&mut self, source: i64, target: i64, before: &[i64], after: &[i64]) -> Result<(), Error> {
        let mut dims = Vec::new();
        for (dim, (one, two)) in before.iter().zip(after).enumerate() {
            let key = (dim, *one, *two);
            dims.push(match self.known.get(&key) {
                Some(number) => *number,
                None => {
                    let segments = self.exchange.segments(dim, *one, *two, &mut self.budget)?;
                    let number = self.found.segments.len();
                    self.found.segments.push(segments);
                    self.known.insert(key, number);
                    number
                }
            });
        }
        self.found.pieces.push(Piece { source, target, dims });
        self.budget -= 1;
        match self.budget >= 0 && length(self.found.pieces.len()) <= 2 * MAX_PIECES {
            true => Ok(()),
            false => Err(error!(
                Code::TooLarge,
                "finding what moves takes more than {max_steps} steps",
                [max_steps = MAX_STEPS]
            )),
        }
    }

    /// The pieces that a device gets.
    fn received(&mut self, device: i64) -> Result<(), Error> {
        let exchange = self.exchange;
        exchange.each_received(device, &mut |giver, tiles, after| self.push(giver, device, tiles, &after.tiles))
    }

    /// The pieces that a device gives to others, by receiver.
    fn sent(&mut self, own_device: i64) -> Result<(), Error> {
        let exchange = self.exchange;
        let Some(own) = coordinates(&exchange.source, own_device)? else { return Ok(()) };
        if exchange.keeps_summands() {
            for other in (0..exchange.devices).filter(|other| *other != own_device) {
                exchange.each_received(other, &mut |giver, tiles, after| match giver == own_device {
                    true => self.push(giver, other, tiles, &after.tiles),
                    false => Ok(()),
                })?;
            }
            return Ok(());
        }
        let cell = exchange.cell(&own);
        let mut all = Vec::new();
        for other in exchange.beside(&own)?.into_iter().filter(|other| *other != own_device) {
            let after = coordinates(&exchange.target, other)?;
            let after = after.filter(|after| exchange.rank(&own.tiles, after).is_some());
            all.extend(after.map(|after| (other, after.tiles)));
        }
        for place in exchange.served(&own) {
            let after = exchange.receiver(&own.tiles, exchange.rank_at(&cell, place))?;
            all.push((device(&exchange.target, &after)?, after.tiles));
        }
        all.sort_unstable();
        all.into_iter().try_for_each(|(other, tiles)| self.push(own_device, other, &own.tiles, &tiles))
    }
}
