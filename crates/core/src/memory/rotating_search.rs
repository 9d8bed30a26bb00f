//! [`Rotating`]: rows in shared memory whose vectors are permuted as `#ttg.amd_rotating_shared` does it, and the search among them.
//!
//! The phase of a row is xored onto the number of each of its vectors: `(row / perPhase) mod maxPhase`, xor
//! `(row / perPhase / maxPhase) mod maxPhase`. All three parameters are powers of two, so that it is a map over F2 of the bits of an
//! offset. Law: it is the memory of that encoding; no parameters cost less than those that are found.

use super::bit_map::BitMap;
use super::swizzle_search::{Best, Found, SwizzleSearch, instructions, total};
use crate::error::{Code, Error};

/// The parameters of an encoding, by their logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rotating {
    /// How many elements move together.
    pub vector: u32,
    /// How many rows have the same phase.
    pub per_phase: u32,
    /// The number of phases.
    pub max_phase: u32,
}

impl Rotating {
    /// What it does to the bits of an offset into rows of a given number of bits, of which there are `bits` in all.
    ///
    /// ```
    /// use bitstride::memory::Rotating;
    /// // Row 1 has its vectors of one element in the order 1, 0, and row 2 too: phase 1 there is that of row 2 / 2.
    /// let rotating = Rotating { vector: 0, per_phase: 0, max_phase: 1 };
    /// assert_eq!(rotating.bit_map(1, 3).columns(), [0b001, 0b011, 0b101]);
    /// ```
    pub fn bit_map(&self, row: u32, bits: u32) -> BitMap {
        let place = |bit: u32| 1_u64.checked_shl(bit).unwrap_or(0);
        // The bit of the phase that a bit of the row's number flips.
        let phase = |at: u32| {
            let above = at.checked_sub(self.per_phase)?;
            let bit = if above < self.max_phase { above } else { above.checked_sub(self.max_phase)? };
            (bit < self.max_phase).then(|| bit.saturating_add(self.vector)).filter(|bit| *bit < row)
        };
        let column = |bit: u32| {
            let flipped = bit.checked_sub(row).and_then(phase).map_or(0, place);
            place(bit) | flipped
        };
        BitMap::of((0..bits).map(column).collect())
    }
}

impl SwizzleSearch {
    /// The rotating rows with the fewest wavefronts, then the fewest instructions, then the fewest phases. A row of the tile is
    /// `1 << row` elements side by side.
    ///
    /// # Errors
    /// [`Code::Range`] for rows longer than the tile; [`Code::NoLayout`] where all of them make an access narrower than allowed;
    /// [`Code::TooLarge`] where accesses that are not linear have too many lanes to look at.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride::memory::{SharedMemory, SwizzleSearch, Transfer};
    /// let map = |text: &str| Map::of_layout(&text.parse()?);
    /// let accesses = [(map("32:32")?, Transfer::Store), (map("32:1")?, Transfer::Load)];
    /// let search = SwizzleSearch::new(SharedMemory::NVIDIA, &map("(32,32):(32,1)")?, 32, &accesses, 16)?;
    /// assert_eq!(search.rotating(5)?.wavefronts(), 2);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn rotating(&self, row: u32) -> Result<Found<Rotating>, Error> {
        let bits = self.bits();
        let Some(rows) = bits.checked_sub(row) else {
            return Err(error!(Code::Range, "rows of {row} bits in a tile of {bits}", [row, bits]));
        };
        let mut all = vec![Rotating { vector: self.vector_bits(), per_phase: 0, max_phase: 0 }];
        for vector in self.vector_bits()..row {
            for max_phase in 1..=row - vector {
                all.extend((0..rows).map(|per_phase| Rotating { vector, per_phase, max_phase }));
            }
        }
        self.affordable(all.len())?;
        let mut best = Best(None);
        for rotating in &all {
            let map = rotating.bit_map(row, bits);
            let place = |offset: i64| {
                let placed = map.apply(u64::try_from(offset).ok()?);
                i64::try_from(placed).ok()
            };
            let Some(costs) = self.costs(&place)? else { continue };
            let rank = (total(&costs), instructions(&costs), rotating.max_phase, rotating.per_phase, rotating.vector);
            best.offer(rank, (*rotating, costs));
        }
        match best.0 {
            Some((_, (change, costs))) => Ok(Found { change, costs, tried: all.len(), complete: true }),
            None => Err(Error::new(Code::NoLayout, "no rotating rows keep the accesses as wide as they are")),
        }
    }
}
