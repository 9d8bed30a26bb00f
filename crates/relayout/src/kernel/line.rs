//! [`Line`]: the 64 bytes of a line of memory in the registers of a machine.
#![allow(unsafe_code)]

/// A line of 64 bytes that is held in registers. All functions are inlined where the instructions that they need are enabled.
///
/// Laws: of two lines whose number has a bit that is exchanged with the bit of a place inside, the first keeps its bytes
/// where that is clear, and gets those of the second that have it clear where it is set; the second gets what the first
/// had there, and keeps the others. The parts of a line at all shifts, joined again, are the line.
pub(super) trait Line: Copy {
    /// A line of zeros.
    ///
    /// # Safety
    /// The machine has the instructions of the line, here and below.
    unsafe fn zero() -> Self;

    /// # Safety
    /// There are 64 bytes.
    unsafe fn load(from: *const u8) -> Self;

    /// # Safety
    /// There are 64 bytes.
    unsafe fn store(self, to: *mut u8);

    /// Writes past the caches, where the machine can.
    ///
    /// # Safety
    /// There are 64 bytes, a line of memory.
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: handed on to the caller.
        unsafe { self.store(to) };
    }

    /// Asks for a line of memory, if the machine can; it need not be there.
    fn fetch(_line: *const u8) {}

    /// Two lines after the exchange of a bit of their number with a bit inside.
    ///
    /// # Safety
    /// As [`Line::zero`].
    unsafe fn exchange(bit: u32, a: Self, b: Self) -> [Self; 2];

    /// So many bits of each byte, from `shift` on, in its lowest bits.
    ///
    /// # Safety
    /// As [`Line::zero`].
    unsafe fn part(self, shift: u32, bits: u32) -> Self;

    /// The line with the lowest bits of the bytes of another from `shift` on, where it has none.
    ///
    /// # Safety
    /// As [`Line::zero`].
    unsafe fn join(self, part: Self, shift: u32) -> Self;
}
