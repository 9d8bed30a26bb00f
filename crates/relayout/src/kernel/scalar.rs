//! Lines as eight 64-bit words, on every machine. A round shifts and masks.
#![allow(unsafe_code)]

use super::LINE;
use super::register::{Line, Rearrange, Register};

/// A line in words of 8 bytes.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Plain([u64; LINE / 8]);

/// For each position bit inside a word, the mask where it is clear.
const CLEAR: [u64; 6] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0f0f_0f0f_0f0f_0f0f,
    0x00ff_00ff_00ff_00ff,
    0x0000_ffff_0000_ffff,
    0x0000_0000_ffff_ffff,
];

impl Plain {
    /// The exchange of a bit inside words.
    #[inline(always)]
    fn inside<const BIT: usize>([a, b]: [Self; 2]) -> [Self; 2] {
        let (clear, shift) = (CLEAR[BIT], 1 << BIT);
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

impl Rearrange for Plain {
    #[inline(always)]
    unsafe fn flip(self, positions: u8) -> Self {
        let flipped = |word: u64| {
            let swapped = |word: u64, bit: usize| {
                let (clear, shift) = (CLEAR[bit + 3], 8 << bit);
                if positions >> bit & 1 == 0 { word } else { (word & clear) << shift | word >> shift & clear }
            };
            swapped(swapped(swapped(word, 0), 1), 2)
        };
        Plain(std::array::from_fn(|n| flipped(self.0[n ^ usize::from(positions >> 3 & 7)])))
    }

    #[inline(always)]
    unsafe fn permuted(self, table: &[u8; LINE]) -> Self {
        let words = self.0.map(u64::to_le_bytes);
        let byte = |n: usize| words.as_flattened()[n & !15 | usize::from(table[n] & 15)];
        Plain(std::array::from_fn(|word| u64::from_le_bytes(std::array::from_fn(|n| byte(8 * word + n)))))
    }

    #[inline(always)]
    unsafe fn either(mask: &[u8; LINE], one: Self, other: Self) -> Self {
        let (mask, _) = mask.as_chunks::<8>();
        let word = |n: usize| {
            let mask = u64::from_le_bytes(mask[n]);
            one.0[n] & mask | other.0[n] & !mask
        };
        Plain(std::array::from_fn(word))
    }

    #[inline(always)]
    unsafe fn up<const BITS: i32>(self) -> Self {
        Plain(self.0.map(|word| word << BITS))
    }

    #[inline(always)]
    unsafe fn down<const BITS: i32>(self) -> Self {
        Plain(self.0.map(|word| word >> BITS))
    }
}

impl Line for Plain {
    #[inline(always)]
    unsafe fn exchange(bit: u32, a: Self, b: Self) -> [Self; 2] {
        match bit {
            1 => Plain::inside::<1>([a, b]),
            2 => Plain::inside::<2>([a, b]),
            3 => Plain::inside::<3>([a, b]),
            4 => Plain::inside::<4>([a, b]),
            5 => Plain::inside::<5>([a, b]),
            6 => Plain::among::<1>([a, b]),
            7 => Plain::among::<2>([a, b]),
            _ => Plain::among::<4>([a, b]),
        }
    }
}
