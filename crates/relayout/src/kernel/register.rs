//! The operations on registers that kernels are written on: [`Register`], [`Rearrange`], [`Line`] and [`Permute`].
//!
//! All functions are inlined where the required instructions are enabled, so that one kernel serves all machines.
#![allow(unsafe_code)]

use super::LINE;

/// Bytes in registers, which come from memory and go there.
pub(super) trait Register: Copy {
    /// Zeros.
    ///
    /// # Safety
    /// The machine has the instructions of the register. The same holds for all functions of the trait.
    unsafe fn zero() -> Self;

    /// # Safety
    /// There are as many bytes.
    unsafe fn load(from: *const u8) -> Self;

    /// # Safety
    /// There are as many bytes.
    unsafe fn store(self, to: *mut u8);

    /// Writes with streaming stores, where the machine can.
    ///
    /// # Safety
    /// There are as many bytes, on cache lines.
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: handed on to the caller.
        unsafe { self.store(to) };
    }

    /// Asks for a cache line, if the machine can; it need not be there.
    fn prefetch(_line: *const u8) {}
}

/// The 64 bytes of a line, whose positions are permuted.
///
/// Laws: byte `n` of a flipped line is the byte at `n` with these bits flipped. Byte `n` of a permuted line is the byte
/// that the table gives, in its quarter or, where a machine permutes lines, in its line. Bytes are shifted up and down
/// as numbers do, but for bits that cross from one to the other.
pub(super) trait Rearrange: Register {
    /// # Safety
    /// As [`Register::zero`].
    unsafe fn flip(self, positions: u8) -> Self;

    /// # Safety
    /// As [`Register::zero`].
    unsafe fn permuted(self, table: &[u8; LINE]) -> Self;

    /// What a mask has of one line, and the rest of another.
    ///
    /// # Safety
    /// As [`Register::zero`].
    unsafe fn either(mask: &[u8; LINE], one: Self, other: Self) -> Self;

    /// # Safety
    /// As [`Register::zero`].
    unsafe fn up<const BITS: i32>(self) -> Self;

    /// # Safety
    /// As [`Register::zero`].
    unsafe fn down<const BITS: i32>(self) -> Self;
}

/// Lines between which position bits are exchanged.
///
/// Position bits are given by the power of two of their worth in bits: 1 and 2 select the units of a byte, the lowest
/// first, 3 to 8 the bytes. Law: two lines differ in a bit of their number, which is exchanged with a position bit. The
/// first keeps the units where that bit is clear; where it is set, it gets the units that the second has where it is
/// clear. The second gets the units that the first had there, and keeps the others.
pub(super) trait Line: Rearrange {
    /// Two lines after the exchange of a bit of their number with a bit inside.
    ///
    /// # Safety
    /// As [`Register::zero`].
    unsafe fn exchange(bit: u32, a: Self, b: Self) -> [Self; 2];
}

/// Bytes among which a machine permutes freely.
///
/// Law: starting from zero, picks by tables that name each position once give the bytes that the tables name.
pub(super) trait Permute: Register {
    /// The bytes, merged with those of another register that a table selects. The table has 128 where it selects none, and
    /// a mask has a bit for each where there are some.
    ///
    /// # Safety
    /// As [`Register::zero`].
    unsafe fn picked(self, from: Self, table: Self, mask: u64) -> Self;
}
