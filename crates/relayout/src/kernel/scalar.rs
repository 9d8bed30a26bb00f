//! Lines in plain words, which every machine has: a round shifts and masks.
#![allow(unsafe_code)]

use super::LINE;
use super::network::{Blocks, Network};
use super::passes;
use super::register::{Line, Register};

/// As [`Network::run`].
///
/// # Safety
/// As [`Network::run`].
pub(super) unsafe fn run(network: &Network, blocks: &Blocks) {
    // SAFETY: handed on to the caller.
    unsafe { passes::run::<Plain>(network, blocks) };
}

/// A line in words of 8 bytes.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Plain([u64; LINE / 8]);

/// Bytes whose place has bit 0, 1, 2 clear.
const CLEAR: [u64; 3] = [0x00ff_00ff_00ff_00ff, 0x0000_ffff_0000_ffff, 0x0000_0000_ffff_ffff];

impl Plain {
    /// The exchange of a bit inside words.
    #[inline(always)]
    fn inside<const BIT: usize>([a, b]: [Self; 2]) -> [Self; 2] {
        let (clear, shift) = (CLEAR[BIT], 8 << BIT);
        let each = |word: &dyn Fn(u64, u64) -> u64| Plain(std::array::from_fn(|n| word(a.0[n], b.0[n])));
        [each(&|a, b| a & clear | (b & clear) << shift), each(&|a, b| a >> shift & clear | b & !clear)]
    }

    /// The exchange of a bit of a word's number.
    #[inline(always)]
    fn among<const APART: usize>([a, b]: [Self; 2]) -> [Self; 2] {
        let first = |n: usize| if n & APART == 0 { a.0[n] } else { b.0[n & !APART] };
        let second = |n: usize| if n & APART == 0 { a.0[n | APART] } else { b.0[n] };
        [Plain(std::array::from_fn(first)), Plain(std::array::from_fn(second))]
    }
}

impl Register for Plain {
    #[inline(always)]
    unsafe fn zero() -> Self {
        Plain([0; LINE / 8])
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: handed on to the caller.
        Plain(unsafe { from.cast::<[u64; LINE / 8]>().read_unaligned() }.map(u64::from_le))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: handed on to the caller.
        unsafe { to.cast::<[u64; LINE / 8]>().write_unaligned(self.0.map(u64::to_le)) };
    }
}

impl Line for Plain {
    #[inline(always)]
    unsafe fn flip(self, places: u8) -> Self {
        let flipped = |word: u64| {
            let swapped = |word: u64, bit: usize| {
                let (clear, shift) = (CLEAR[bit], 8 << bit);
                if places >> bit & 1 == 0 { word } else { (word & clear) << shift | word >> shift & clear }
            };
            swapped(swapped(swapped(word, 0), 1), 2)
        };
        Plain(std::array::from_fn(|n| flipped(self.0[n ^ usize::from(places >> 3 & 7)])))
    }

    #[inline(always)]
    unsafe fn exchange(bit: u32, a: Self, b: Self) -> [Self; 2] {
        match bit {
            0 => Plain::inside::<0>([a, b]),
            1 => Plain::inside::<1>([a, b]),
            2 => Plain::inside::<2>([a, b]),
            3 => Plain::among::<1>([a, b]),
            4 => Plain::among::<2>([a, b]),
            _ => Plain::among::<4>([a, b]),
        }
    }

    #[inline(always)]
    unsafe fn part(self, shift: u32, bits: u32) -> Self {
        let mask = u64::from_le_bytes([(1 << bits) - 1; 8]);
        Plain(self.0.map(|word| word >> shift & mask))
    }

    #[inline(always)]
    unsafe fn join(self, part: Self, shift: u32) -> Self {
        Plain(std::array::from_fn(|n| self.0[n] | part.0[n] << shift))
    }
}
