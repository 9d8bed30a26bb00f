//! [`Groups`]: the group of each channel, where one format stores it and the other takes it from the order of the channels.
//!
//! Law: channel `i` of each expert is in group `i / size`; a field that says otherwise is refused, since the order would be lost.

use bitstride::{Code, Error, error};

use crate::cells::{cell, get, put, room};
use crate::pair::{Pair, pairs};
use crate::places::Places;

/// The groups of channels: how many there are, in cells of how many bits, and what moves them there or from there.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    /// All channels, and those of one expert.
    channels: i64,
    each: i64,
    cell: i64,
    moves: Vec<Pair>,
}

impl Groups {
    /// Those of a field that are read, or that are written.
    pub(crate) fn new(places: &Places, is_read: bool) -> Result<Self, Error> {
        let (channels, bits) = (places.elements()?, places.element_bits());
        let cell = cell(bits);
        let dense = places.dense(bits, cell, 0)?;
        let order: Vec<usize> = (0..places.axes().len()).collect();
        let moves = if is_read { pairs(places, &dense, &order)? } else { pairs(&dense, places, &order)? };
        let each = places.shape()?.last().copied().unwrap_or(channels).max(1);
        Ok(Groups { channels, each, cell, moves: moves.ok_or_else(|| Error::overflow("the digits of a field"))? })
    }

    fn room(&self) -> Result<Vec<u8>, Error> {
        Ok(vec![0; room(self.channels, self.cell)?])
    }

    /// Checks that channel `i` is in group `i / size`: for the size of the format, or for some size where it says none.
    pub(crate) fn in_order(&self, mut size: Option<i64>, source: &[u8]) -> Result<(), Error> {
        let mut groups = self.room()?;
        self.moves.iter().try_for_each(|pair| pair.run(source, &mut groups))?;
        for number in 0..self.channels {
            let (channel, group) = (number % self.each, get(&groups, number, self.cell));
            if group == 1 && size.is_none() {
                size = Some(channel.max(1));
            }
            let wanted = size.map_or(0, |size| channel / size);
            if group != wanted {
                return Err(error!(
                    Code::NotALayout,
                    "channel {channel} is in group {group}, not {wanted}: the order of activations would be lost",
                    [channel, group, wanted]
                )
                .with_help("sort the channels by group first (act-order)"));
            }
        }
        Ok(())
    }

    pub(crate) fn counted(&self, size: i64, target: &mut [u8]) -> Result<(), Error> {
        let mut groups = self.room()?;
        (0..self.channels).for_each(|number| put(&mut groups, number, self.cell, number % self.each / size));
        self.moves.iter().try_for_each(|pair| pair.run(&groups, target))
    }
}
