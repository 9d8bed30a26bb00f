//! Lines as four NEON registers, on every 64-bit Arm. A round transposes pairs of elements.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::LINE;
use super::register::{Line, Permute, Rearrange, Register};

/// A line as its four quarters.
#[derive(Clone, Copy)]
pub(super) struct Quarters([uint8x16_t; 4]);

/// The exchange of a bit inside quarters.
#[inline(always)]
fn inside(bit: u32, a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
    // SAFETY: every 64-bit Arm has NEON.
    unsafe {
        match bit {
            1 => {
                let clear = vdupq_n_u8(0x33);
                [vbslq_u8(clear, a, vshlq_n_u8::<2>(b)), vbslq_u8(clear, vshrq_n_u8::<2>(a), b)]
            }
            2 => [vsliq_n_u8::<4>(a, b), vsriq_n_u8::<4>(b, a)],
            3 => [vtrn1q_u8(a, b), vtrn2q_u8(a, b)],
            4 => {
                let [a, b] = [vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)];
                [vreinterpretq_u8_u16(vtrn1q_u16(a, b)), vreinterpretq_u8_u16(vtrn2q_u16(a, b))]
            }
            5 => {
                let [a, b] = [vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)];
                [vreinterpretq_u8_u32(vtrn1q_u32(a, b)), vreinterpretq_u8_u32(vtrn2q_u32(a, b))]
            }
            _ => {
                let [a, b] = [vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)];
                [vreinterpretq_u8_u64(vtrn1q_u64(a, b)), vreinterpretq_u8_u64(vtrn2q_u64(a, b))]
            }
        }
    }
}

// SAFETY of all functions: every 64-bit Arm has NEON; the caller answers for the bytes of pointers.
impl Register for Quarters {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Quarters([unsafe { vdupq_n_u8(0) }; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: as above.
        Quarters([0, 16, 32, 48].map(|at| unsafe { vld1q_u8(from.add(at)) }))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        for (at, quarter) in [0, 16, 32, 48].into_iter().zip(self.0) {
            // SAFETY: as above.
            unsafe { vst1q_u8(to.add(at), quarter) };
        }
    }
}

impl Rearrange for Quarters {
    #[inline(always)]
    unsafe fn flip(self, positions: u8) -> Self {
        const OWN: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        let quarter = |n: usize| {
            // SAFETY: as above.
            unsafe {
                let table = veorq_u8(vld1q_u8(OWN.as_ptr()), vdupq_n_u8(positions & 15));
                vqtbl1q_u8(self.0[n ^ usize::from(positions >> 4 & 3)], table)
            }
        };
        Quarters([quarter(0), quarter(1), quarter(2), quarter(3)])
    }

    #[inline(always)]
    unsafe fn permuted(self, table: &[u8; LINE]) -> Self {
        // SAFETY: as above.
        let quarter = |n: usize| unsafe { vqtbl1q_u8(self.0[n], vld1q_u8(table.as_ptr().add(16 * n))) };
        Quarters([quarter(0), quarter(1), quarter(2), quarter(3)])
    }

    #[inline(always)]
    unsafe fn either(mask: &[u8; LINE], one: Self, other: Self) -> Self {
        // SAFETY: as above.
        let quarter = |n: usize| unsafe { vbslq_u8(vld1q_u8(mask.as_ptr().add(16 * n)), one.0[n], other.0[n]) };
        Quarters([quarter(0), quarter(1), quarter(2), quarter(3)])
    }

    #[inline(always)]
    unsafe fn up<const BITS: i32>(self) -> Self {
        // SAFETY: as above.
        Quarters(self.0.map(|quarter| unsafe { vshlq_n_u8::<BITS>(quarter) }))
    }

    #[inline(always)]
    unsafe fn down<const BITS: i32>(self) -> Self {
        // SAFETY: as above.
        Quarters(self.0.map(|quarter| unsafe { vshrq_n_u8::<BITS>(quarter) }))
    }
}

impl Line for Quarters {
    #[inline(always)]
    unsafe fn exchange(bit: u32, Quarters(a): Self, Quarters(b): Self) -> [Self; 2] {
        match bit {
            7 => [Quarters([a[0], b[0], a[2], b[2]]), Quarters([a[1], b[1], a[3], b[3]])],
            8 => [Quarters([a[0], a[1], b[0], b[1]]), Quarters([a[2], a[3], b[2], b[3]])],
            _ => {
                let both = [0, 1, 2, 3].map(|n| inside(bit, a[n], b[n]));
                [Quarters(both.map(|[a, _]| a)), Quarters(both.map(|[_, b]| b))]
            }
        }
    }
}

/// The bytes that NEON permutes freely, a quarter of a line.
#[derive(Clone, Copy)]
pub(super) struct Quarter(uint8x16_t);

impl Register for Quarter {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Quarter(unsafe { vdupq_n_u8(0) })
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: as above.
        Quarter(unsafe { vld1q_u8(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe { vst1q_u8(to, self.0) };
    }
}

impl Permute for Quarter {
    #[inline(always)]
    unsafe fn picked(self, from: Self, table: Self, _mask: u64) -> Self {
        // SAFETY: as above.
        Quarter(unsafe { vorrq_u8(self.0, vqtbl1q_u8(from.0, table.0)) })
    }
}
