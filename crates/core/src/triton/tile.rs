//! [`Tile`]: what one block holds, bit by bit, until it is fitted to a shape.
//!
//! Every distributed encoding but the free ones gives each bit of a register, lane or warp number one bit of one dim of
//! the tensor, or none. So a tile is three lists of such bits. Law: the bits of a dim are used once each, and from the
//! lowest on without a gap, so that the tile is a box.

use crate::small::Small;

/// A bit of a dim of the tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bit {
    pub(super) dim: usize,
    pub(super) bit: u32,
}

/// For each bit of a place, the bit of the tensor it moves; none for a duplicate.
pub(super) type Bits = Small<Option<Bit>, 12>;

/// The three places of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Register,
    Lane,
    Warp,
}

/// A box of elements spread over the registers, lanes and warps of one block.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) register: Bits,
    pub(super) lane: Bits,
    pub(super) warp: Bits,
    /// For each dim, the bits in use.
    pub(super) used: Small<u64, 4>,
}

impl Tile {
    /// One element of a tensor of a rank.
    pub(super) fn new(rank: usize) -> Self {
        Tile { register: Bits::new(), lane: Bits::new(), warp: Bits::new(), used: (0..rank).map(|_| 0).collect() }
    }

    /// The next bits of a dim go to a place.
    pub(super) fn grow(&mut self, place: Place, dim: usize, bits: u32) {
        let start = self.reach(dim);
        (start..start.saturating_add(bits)).for_each(|bit| self.put(place, dim, bit));
    }

    /// One bit of a dim goes to a place.
    pub(super) fn put(&mut self, place: Place, dim: usize, bit: u32) {
        if let Some(used) = self.used.get_mut(dim) {
            // Bits beyond the word count as its last, so that a gap below them is still seen.
            *used |= 1 << bit.min(u64::BITS - 1);
        }
        self.at(place).push(Some(Bit { dim, bit }));
    }

    /// Bits of a place that move nothing.
    pub(super) fn zeros(&mut self, place: Place, bits: u32) {
        (0..bits).for_each(|_| self.at(place).push(None));
    }

    /// The number of bits of a dim that are in use.
    pub(super) fn reach(&self, dim: usize) -> u32 {
        self.used.get(dim).map_or(0, |used| u64::BITS - used.leading_zeros())
    }

    fn at(&mut self, place: Place) -> &mut Bits {
        match place {
            Place::Register => &mut self.register,
            Place::Lane => &mut self.lane,
            Place::Warp => &mut self.warp,
        }
    }
}
