//! [`Staged`]: a buffer with the vectors of a block side by side, for a side whose pieces are shorter than vectors.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use super::LINE;

/// The most vectors of a block that is staged, or that others than AVX-512 move.
pub(super) const MAX_VECTORS: usize = 64;

/// Room for the vectors of a block. It holds nothing at first.
#[repr(align(64))]
pub(super) struct Staged(MaybeUninit<[u8; MAX_VECTORS * LINE]>);

impl Staged {
    pub(super) fn new() -> Self {
        Staged(MaybeUninit::uninit())
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// Where staged vectors are.
pub(super) const STAGED: [isize; MAX_VECTORS] = {
    let mut at = [0; MAX_VECTORS];
    let mut n = 1;
    while n < MAX_VECTORS {
        at[n] = at[n - 1] + 64;
        n += 1;
    }
    at
};

/// Copies the pieces of a block, of `2^piece` bytes each, between pairs of pointers.
///
/// # Safety
/// The pointers are valid for a piece, and do not overlap.
#[inline(always)]
pub(super) unsafe fn pieces(piece: u32, bytes: usize, pointers: impl Fn(usize) -> (*const u8, *mut u8)) {
    // SAFETY: handed on to the caller.
    unsafe {
        match piece {
            0 => each::<1>(bytes, pointers),
            1 => each::<2>(bytes, pointers),
            2 => each::<4>(bytes, pointers),
            3 => each::<8>(bytes, pointers),
            4 => each::<16>(bytes, pointers),
            5 => each::<32>(bytes, pointers),
            _ => each::<64>(bytes, pointers),
        }
    }
}

/// # Safety
/// As [`pieces`].
#[inline(always)]
unsafe fn each<const BYTES: usize>(bytes: usize, pointers: impl Fn(usize) -> (*const u8, *mut u8)) {
    for n in 0..bytes / BYTES {
        let (from, to) = pointers(n);
        // SAFETY: handed on to the caller.
        unsafe { to.cast::<[u8; BYTES]>().write(from.cast::<[u8; BYTES]>().read()) };
    }
}
