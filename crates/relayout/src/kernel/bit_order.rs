//! [`BitOrder`]: a permutation of the bits of positions inside a line, the same in every line.
//!
//! Any permutation is some swaps of two bits and a permutation of bytes. A swap keeps the units whose two bits are
//! equal, and takes the others from the position with both bits flipped: by a permutation of bytes, and by a shift for
//! units below a byte. Bits that select bytes which the machine permutes at once, those of a quarter or of a line, make
//! one permutation.
//!
//! Law: bit `n` of a position is bit `order[n]` of the position that its unit comes from.
#![allow(unsafe_code)]

use super::network::BYTE;
use super::register::Rearrange;
use super::{Isa, LINE};

/// A swap of two bits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Swap {
    /// Which bits of a byte's number are flipped.
    flip: u8,
    /// The shift of swapped units inside bytes, in bits.
    shift: u32,
    /// The units that stay: both bits are equal.
    stays: [u8; LINE],
    /// What moves up inside bytes.
    up: [u8; LINE],
}

impl Swap {
    /// The swap of two position bits, each given as the power of two of its worth in bits, the lower one first.
    fn of(low: u32, high: u32) -> Self {
        let flip = [low, high].into_iter().filter_map(|bit| bit.checked_sub(BYTE)).fold(0, |flip, bit| flip | 1 << bit);
        let inside = |bit: u32| if bit < BYTE { 1 << bit } else { 0 };
        let shift = u32::abs_diff(inside(low), inside(high));
        let (mut stays, mut up) = ([0; LINE], [0; LINE]);
        for position in 0..LINE << BYTE {
            let has = |bit: u32| position >> bit & 1 == 1;
            let bit_mask = 1 << (position % 8);
            // A unit that moves to the upper of two positions inside a byte is shifted up.
            let upper = if high < BYTE { high } else { low };
            if has(low) == has(high) {
                stays[position / 8] |= bit_mask;
            } else if has(upper) {
                up[position / 8] |= bit_mask;
            }
        }
        Swap { flip, shift, stays, up }
    }

    /// # Safety
    /// The machine has the instructions of the line.
    #[inline(always)]
    unsafe fn apply<L: Rearrange>(&self, line: L) -> L {
        // SAFETY: handed on to the caller; masks have the bytes of a line.
        unsafe {
            let other = if self.flip == 0 { line } else { line.flip(self.flip) };
            let moved = match self.shift {
                0 => other,
                2 => L::either(&self.up, other.up::<2>(), other.down::<2>()),
                _ => L::either(&self.up, other.up::<4>(), other.down::<4>()),
            };
            L::either(&self.stays, line, moved)
        }
    }
}

/// Swaps two bits of an order.
pub(super) fn swap(order: &mut [u32], one: u32, other: u32) {
    for entry in order {
        *entry = match *entry {
            bit if bit == one => other,
            bit if bit == other => one,
            bit => bit,
        };
    }
}

/// An order of bits, as swaps one after the other and then a permutation of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BitOrder {
    swaps: Vec<Swap>,
    /// For each byte, the index of its source byte in the quarter, or in the line where a machine permutes lines.
    table: Option<[u8; LINE]>,
}

impl BitOrder {
    /// The order that moves to each position bit the listed bit.
    pub(super) fn of(isa: Isa, order: &[u32]) -> Self {
        let mut left = order.to_vec();
        let mut swaps = Vec::new();
        // From here on, bits select bytes that one instruction does not permute.
        let end = if isa == Isa::Avx512 { BYTE + 6 } else { BYTE + 4 };
        for (n, at) in (0..left.len()).zip(0..) {
            let from = left[n];
            if from == at || (BYTE..end).contains(&at) && (BYTE..end).contains(&from) {
                continue;
            }
            swaps.push(Swap::of(at.min(from), at.max(from)));
            swap(&mut left, at, from);
        }
        let ordered = left.iter().zip(0..).all(|(from, at)| *from == at);
        let table = || {
            let mut table = [0; LINE];
            for (from, at) in left.iter().zip(0..end).filter(|(_, at)| *at >= BYTE) {
                let bit = 1 << (at - BYTE);
                for position in 0..bit {
                    table[bit | position] = table[position] | 1 << (from - BYTE);
                }
            }
            // What is permuted inside quarters is the same in each.
            let permuted = 1 << (end - BYTE);
            (permuted..LINE).for_each(|position| table[position] = table[position % permuted]);
            table
        };
        BitOrder { swaps, table: (!ordered).then(table) }
    }

    /// A line in the order.
    ///
    /// # Safety
    /// The machine has the instructions of the line.
    #[inline(always)]
    pub(super) unsafe fn apply<L: Rearrange>(&self, line: L) -> L {
        // SAFETY: handed on to the caller; tables have the bytes of a line.
        unsafe {
            let line = self.swapped(line);
            if let Some(table) = &self.table { line.permuted(table) } else { line }
        }
    }

    /// A line after all swaps.
    ///
    /// # Safety
    /// As [`BitOrder::apply`].
    #[inline(always)]
    pub(super) unsafe fn swapped<L: Rearrange>(&self, mut line: L) -> L {
        for swap in &self.swaps {
            // SAFETY: handed on to the caller.
            line = unsafe { swap.apply(line) };
        }
        line
    }

    /// What comes after the swaps.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn table(&self) -> Option<&[u8; LINE]> {
        self.table.as_ref()
    }
}
