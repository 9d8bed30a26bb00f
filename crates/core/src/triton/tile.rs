//! [`Tile`]: what one block holds, bit by bit, until it is fitted to a shape.
//!
//! Every distributed encoding but the free ones gives each bit of a register, lane or warp number one bit of one dim of
//! the tensor, or none. So a tile is three lists of such bits. Law: the bits of a dim are used once each, and from the
//! lowest on without a gap, so that the tile is a box.

use super::fit::{self, Fit};
use super::{Cga, Sizes};
use crate::error::{Code, Error};
use crate::linear::LinearLayout;
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

    /// The tile repeated in registers, or cut, to fill the share of one block in a shape; the dims grow in `order`.
    pub(super) fn fit(self, shape: &[i64], order: &[usize], cga: &Cga, registers: Fit) -> Result<LinearLayout, Error> {
        for (dim, used) in self.used.iter().enumerate() {
            if used & used.wrapping_add(1) != 0 {
                return Err(error!(
                    Code::Parameter,
                    "the bases leave out values of dim {dim} below its largest, so no box is covered",
                    [dim]
                ));
            }
        }
        fit::tile(&self, shape, order, cga, registers)
    }
}

/// The dims from the last to the first: the last is the fastest.
pub(super) fn last_first(rank: usize) -> Small<usize, 4> {
    (0..rank).rev().collect()
}

/// The binary logarithms of sizes that have to be powers of two; `what` names them.
///
/// # Errors
/// [`Code::SizeNotPowerOfTwo`], [`Code::RankMismatch`].
pub(super) fn logs(what: &str, sizes: &[i64], rank: usize) -> Result<Small<u32, 4>, Error> {
    if sizes.len() != rank {
        return Err(error!(
            Code::RankMismatch,
            "{what} has {sizes} entries for a tensor of rank {rank}",
            [what, sizes = sizes.len(), rank]
        ));
    }
    let mut logs = Small::new();
    for size in sizes {
        logs.push(log(what, *size)?);
    }
    Ok(logs)
}

/// The binary logarithm of one size.
///
/// # Errors
/// [`Code::SizeNotPowerOfTwo`].
pub(super) fn log(what: &str, size: i64) -> Result<u32, Error> {
    match u64::try_from(size) {
        Ok(size) if size.is_power_of_two() => Ok(size.trailing_zeros()),
        _ => Err(error!(Code::SizeNotPowerOfTwo, "{what} is {size}; it has to be a power of two", [what, size])),
    }
}

/// The order of the dims as positions.
///
/// # Errors
/// [`Code::OrderNotPermutation`], [`Code::RankMismatch`].
pub(super) fn order(order: &Sizes, rank: usize) -> Result<Small<usize, 4>, Error> {
    let position = |dim: &i64| usize::try_from(*dim).ok().filter(|dim| *dim < rank);
    let positions: Small<usize, 4> = order.iter().filter_map(position).collect();
    if positions.len() == order.len() && crate::linear::permutation(&positions, rank).is_ok() {
        return Ok(positions);
    }
    // The numbers as they are written, which may be no positions of any machine.
    Err(crate::linear::not_permutation(order, rank))
}

/// The rank of a shape against that of an encoding.
///
/// # Errors
/// [`Code::RankMismatch`].
pub(super) fn same_rank(rank: usize, shape: &[i64]) -> Result<usize, Error> {
    if rank == shape.len() {
        return Ok(rank);
    }
    Err(Error::encoding_rank(rank, shape))
}
