//! [`Tile`]: what one block holds, bit by bit, until it is fitted to a shape.
//!
//! Every distributed encoding but the free ones gives each bit of a register, lane or warp number one bit of one dim of
//! the tensor, or none. So a tile is three lists of such bits. Law: the bits of a dim are used once each, and from the
//! lowest on without a gap, so that the tile is a box.

use super::trace::EncodingStep;
use crate::linear::{Columns, Dim, Dims, LinearLayout, Name};
use crate::small::Small;
use crate::trace::Trace;

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

impl Place {
    pub(super) fn name(self) -> Name {
        match self {
            Place::Register => Name::REGISTER,
            Place::Lane => Name::LANE,
            Place::Warp => Name::WARP,
        }
    }
}

/// Which bits of a tensor the registers, lanes and warps of one block move.
#[derive(Debug)]
pub(super) struct Bases {
    pub(super) register: Bits,
    pub(super) lane: Bits,
    pub(super) warp: Bits,
    /// For each dim, the bits in use.
    pub(super) used: Small<u64, 4>,
}

/// A box of elements spread over the registers, lanes and warps of one block; what it takes is reported.
#[derive(Debug)]
pub(super) struct Tile<'t, T> {
    pub(super) bases: Bases,
    pub(super) trace: &'t mut T,
}

impl<'t, T: Trace<EncodingStep>> Tile<'t, T> {
    /// One element of a tensor of a rank.
    pub(super) fn new(rank: usize, trace: &'t mut T) -> Self {
        let used = (0..rank).map(|_| 0).collect();
        Tile { bases: Bases { register: Bits::new(), lane: Bits::new(), warp: Bits::new(), used }, trace }
    }

    /// The next bits of a dim go to a place.
    pub(super) fn grow(&mut self, place: Place, dim: usize, bits: u32) {
        let start = self.reach(dim);
        self.trace.record(|| EncodingStep::Takes { place: place.name(), dim, start, bits });
        (start..start.saturating_add(bits)).for_each(|bit| self.bases.take(place, dim, bit));
    }

    /// One bit of a dim goes to a place.
    pub(super) fn put(&mut self, place: Place, dim: usize, bit: u32) {
        self.trace.record(|| EncodingStep::Takes { place: place.name(), dim, start: bit, bits: 1 });
        self.bases.take(place, dim, bit);
    }

    /// Bits of a place that move nothing.
    pub(super) fn zeros(&mut self, place: Place, bits: u32) {
        self.trace.record(|| EncodingStep::Repeats { place: place.name(), bits });
        (0..bits).for_each(|_| self.bases.at(place).push(None));
    }

    /// The number of bits of a dim that are in use.
    pub(super) fn reach(&self, dim: usize) -> u32 {
        self.bases.reach(dim)
    }
}

impl Bases {
    fn take(&mut self, place: Place, dim: usize, bit: u32) {
        if let Some(used) = self.used.get_mut(dim) {
            // Bits beyond the word count as its last, so that a gap below them is still seen.
            *used |= 1 << bit.min(u64::BITS - 1);
        }
        self.at(place).push(Some(Bit { dim, bit }));
    }

    fn at(&mut self, place: Place) -> &mut Bits {
        match place {
            Place::Register => &mut self.register,
            Place::Lane => &mut self.lane,
            Place::Warp => &mut self.warp,
        }
    }

    /// The number of bits of a dim that are in use.
    pub(super) fn reach(&self, dim: usize) -> u32 {
        self.used.get(dim).map_or(0, |used| u64::BITS - used.leading_zeros())
    }

    /// A layout of these bases, the dims in an order; none beyond the bits of a layout.
    pub(super) fn layout(&self, order: &[usize]) -> Option<LinearLayout> {
        let outs: Dims = order.iter().map(|dim| Dim { name: Name::dim(*dim), bits: self.reach(*dim) }).collect();
        let column = |bit: &Bit| {
            let below = order.iter().take_while(|dim| **dim != bit.dim).map(|dim| self.reach(*dim));
            1u64.checked_shl(below.fold(bit.bit, u32::saturating_add))
        };
        let (mut ins, mut columns) = (Dims::new(), Columns::new());
        for (name, bits) in [(Name::REGISTER, &self.register), (Name::LANE, &self.lane), (Name::WARP, &self.warp)] {
            ins.push(Dim { name, bits: u32::try_from(bits.len()).ok()? });
            for bit in bits {
                columns.push(bit.as_ref().map_or(Some(0), column)?);
            }
        }
        LinearLayout::from_columns(ins, outs, columns).ok()
    }
}
