//! What kernels do with bytes in the registers of a machine: [`Register`], [`Line`] and [`Permute`].
//!
//! All functions are inlined where the instructions that they need are enabled, so that one kernel serves all machines.
#![allow(unsafe_code)]

/// Bytes in registers, which come from memory and go there.
pub(super) trait Register: Copy {
    /// Zeros.
    ///
    /// # Safety
    /// The machine has the instructions of the register, here and below.
    unsafe fn zero() -> Self;

    /// # Safety
    /// There are as many bytes.
    unsafe fn load(from: *const u8) -> Self;

    /// # Safety
    /// There are as many bytes.
    unsafe fn store(self, to: *mut u8);

    /// Writes past the caches, where the machine can.
    ///
    /// # Safety
    /// There are as many bytes, on lines of memory.
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: handed on to the caller.
        unsafe { self.store(to) };
    }

    /// Asks for a line of memory, if the machine can; it need not be there.
    fn fetch(_line: *const u8) {}
}

/// The 64 bytes of a line.
///
/// Laws: of two lines whose number has a bit that is exchanged with the bit of a place inside, the first keeps its bytes
/// where that is clear, and gets those of the second that have it clear where it is set; the second gets what the first
/// had there, and keeps the others. A byte of a line whose places are flipped is the one at its place with these bits flipped.
/// The parts of a line at all shifts, joined again, are the line.
pub(super) trait Line: Register {
    /// Two lines after the exchange of a bit of their number with a bit inside.
    ///
    /// # Safety
    /// As [`Register::zero`].
    unsafe fn exchange(bit: u32, a: Self, b: Self) -> [Self; 2];

    /// The line with these bits of its places flipped.
    ///
    /// # Safety
    /// As [`Register::zero`].
    unsafe fn flip(self, places: u8) -> Self;

    /// So many bits of each byte, 2 or 4, from `shift` on, in its lowest bits.
    ///
    /// # Safety
    /// As [`Register::zero`].
    unsafe fn part(self, shift: u32, bits: u32) -> Self;

    /// The line with the lowest bits of the bytes of another from `shift` on, where it has none.
    ///
    /// # Safety
    /// As [`Register::zero`].
    unsafe fn join(self, part: Self, shift: u32) -> Self;
}

/// Bytes among which a machine permutes freely.
///
/// Law: of tables that tell each place once, all picks together, from zeros on, are the bytes that the tables tell.
pub(super) trait Permute: Register {
    /// The bytes, and where they are zero those of another register that a table tells. It tells 128 where there are none, and
    /// a mask has a bit for each where there are some.
    ///
    /// # Safety
    /// As [`Register::zero`].
    unsafe fn picked(self, from: Self, table: Self, mask: u64) -> Self;
}

#[cfg(test)]
mod tests {
    use super::{Line, Permute};
    #[cfg(target_arch = "aarch64")]
    use crate::kernel::neon;
    use crate::kernel::scalar;
    #[cfg(target_arch = "x86_64")]
    use crate::kernel::{Isa, avx2};

    type Bytes = [u8; 64];

    /// Both lines after an exchange, byte by byte: what is inside and what is the number change places.
    fn exchanged(bit: u32, lines: [Bytes; 2]) -> [Bytes; 2] {
        [0, 1].map(|number: usize| {
            std::array::from_fn(|place| lines[place >> bit & 1][place & !(1 << bit) | number << bit])
        })
    }

    /// Every function beside its law.
    ///
    /// # Safety
    /// The machine has the instructions of the line.
    unsafe fn laws<L: Line>() {
        let counted = |first: u8| {
            let mut last = first;
            std::array::from_fn(|_| {
                last = last.wrapping_add(37);
                last
            })
        };
        let lines: [Bytes; 2] = [counted(0), counted(77)];
        let mut out = lines;
        // SAFETY: the caller answers for the instructions; all lines have their bytes.
        unsafe {
            let [a, b] = [L::load(lines[0].as_ptr()), L::load(lines[1].as_ptr())];
            for bit in 0..6 {
                for (line, out) in L::exchange(bit, a, b).into_iter().zip(&mut out) {
                    line.store(out.as_mut_ptr());
                }
                assert_eq!(out, exchanged(bit, lines), "bit {bit}");
            }
            for places in 0..64 {
                a.flip(places).store(out[0].as_mut_ptr());
                let flipped: Bytes = std::array::from_fn(|place| lines[0][place ^ usize::from(places)]);
                assert_eq!(out[0], flipped, "{places}");
            }
            for bits in [2, 4] {
                let mut joined = L::zero();
                for shift in (0..8).filter(|shift| shift % bits == 0) {
                    let part = a.part(shift, bits);
                    joined = joined.join(part, shift);
                    part.store(out[0].as_mut_ptr());
                    assert_eq!(
                        out[0],
                        lines[0].map(|byte| byte >> shift & ((1 << bits) - 1)),
                        "{bits} bits from {shift}"
                    );
                }
                joined.store(out[0].as_mut_ptr());
                assert_eq!(out[0], lines[0]);
            }
        }
    }

    /// Picks beside their law: every other byte in the opposite order, then the rest.
    ///
    /// # Safety
    /// As `laws`, for a register of at most 64 bytes.
    unsafe fn picks<P: Permute>() {
        let bytes = size_of::<P>();
        let own: Bytes = std::array::from_fn(|n| 255 - u8::try_from(n).unwrap_or(0));
        let mut out = own;
        let pick = |odd: usize| {
            let (mut table, mut mask) = ([0x80u8; 64], 0u64);
            for (n, place) in (0..bytes).rev().zip(0..).filter(|(n, _)| n % 2 == odd) {
                (table[n], mask) = (place, mask | 1 << n);
            }
            (table, mask)
        };
        // SAFETY: the caller answers for the instructions; all registers have their bytes.
        unsafe {
            let from = P::load(own.as_ptr());
            let both = [pick(0), pick(1)];
            let word =
                both.iter().fold(P::zero(), |word, (table, mask)| word.picked(from, P::load(table.as_ptr()), *mask));
            word.store(out.as_mut_ptr());
        }
        assert!(out.iter().take(bytes).eq(own.iter().take(bytes).rev()));
    }

    #[test]
    fn registers_keep_their_laws() {
        // SAFETY: each where the machine has it.
        unsafe {
            laws::<scalar::Plain>();
            #[cfg(target_arch = "aarch64")]
            {
                laws::<neon::Quarters>();
                picks::<neon::Quarter>();
            }
            #[cfg(target_arch = "x86_64")]
            {
                if Isa::Avx2.is_here() {
                    laws::<avx2::Halves>();
                    picks::<avx2::Quarter>();
                }
                if Isa::Avx512.is_here() {
                    picks::<std::arch::x86_64::__m512i>();
                }
            }
        }
    }
}
