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

#[cfg(test)]
mod tests {
    use super::{Line, Permute, Rearrange};
    #[cfg(target_arch = "x86_64")]
    use crate::kernel::avx2;
    use crate::kernel::bit_order::BitOrder;
    #[cfg(target_arch = "aarch64")]
    use crate::kernel::neon;
    use crate::kernel::{Isa, scalar};

    type Bytes = [u8; 64];

    /// Both lines after an exchange, bit by bit: position bit and number bit are swapped.
    fn exchanged(bit: u32, lines: [Bytes; 2]) -> [Bytes; 2] {
        [0, 1].map(|number: usize| {
            let mut line = [0; 64];
            for position in 0..512 {
                let from = position & !(1 << bit) | number << bit;
                line[position / 8] |= (lines[position >> bit & 1][from / 8] >> (from % 8) & 1) << (position % 8);
            }
            line
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
            for bit in 1..9 {
                for (line, out) in L::exchange(bit, a, b).into_iter().zip(&mut out) {
                    line.store(out.as_mut_ptr());
                }
                assert_eq!(out, exchanged(bit, lines), "bit {bit}");
            }
        }
    }

    /// Orders beside their law, bit by bit: all swaps of two bits, and orders that move many.
    ///
    /// # Safety
    /// As `laws`.
    unsafe fn orders<O: Rearrange>(isa: Isa) {
        let line: Bytes = std::array::from_fn(|n| u8::try_from(n * 37 % 251).unwrap_or(0));
        let mut out = line;
        for positions in 0..64 {
            // SAFETY: the caller answers for the instructions; all lines have their bytes.
            unsafe { O::load(line.as_ptr()).flip(positions).store(out.as_mut_ptr()) };
            let flipped: Bytes = std::array::from_fn(|position| line[position ^ usize::from(positions)]);
            assert_eq!(out, flipped, "{positions}");
        }
        let swapped = |one: u32, other: u32| {
            let mut order: Vec<u32> = (0..9).collect();
            order.swap(usize::try_from(one).unwrap_or(0), usize::try_from(other).unwrap_or(0));
            order
        };
        let swaps = (1..9).flat_map(|one| (1..one).map(move |other| swapped(one, other)));
        let turned = (1..8).flat_map(|by| {
            let turned = |bits: &[u32]| (0..).zip(bits).map(|(n, _)| bits[(n + by) % bits.len()]).collect::<Vec<u32>>();
            let all = turned(&[1, 2, 3, 4, 5, 6, 7, 8]);
            [all.clone(), turned(&[8, 7, 6, 5, 4, 3, 2, 1]), [&[1, 2][..], &turned(&[3, 4, 5, 6, 7, 8])].concat()]
        });
        for order in swaps.chain(turned.map(|bits| [&[0][..], &bits].concat())) {
            let mut wanted = [0; 64];
            for position in 0..512 {
                let bits = order.iter().zip(0..).filter(|(_, at)| position >> at & 1 == 1);
                let from = bits.fold(0, |sum, (from, _)| sum | 1 << from);
                wanted[position / 8] |= (line[from / 8] >> (from % 8) & 1) << (position % 8);
            }
            // SAFETY: the same.
            unsafe { BitOrder::of(isa, &order).apply(O::load(line.as_ptr())).store(out.as_mut_ptr()) };
            assert_eq!(out, wanted, "{order:?} on {isa:?}");
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
            for (n, position) in (0..bytes).rev().zip(0..).filter(|(n, _)| n % 2 == odd) {
                (table[n], mask) = (position, mask | 1 << n);
            }
            (table, mask)
        };
        // SAFETY: the caller answers for the instructions; all registers have their bytes.
        unsafe {
            let from = P::load(own.as_ptr());
            let both = [pick(0), pick(1)];
            let vector = both
                .iter()
                .fold(P::zero(), |vector, (table, mask)| vector.picked(from, P::load(table.as_ptr()), *mask));
            vector.store(out.as_mut_ptr());
        }
        assert!(out.iter().take(bytes).eq(own.iter().take(bytes).rev()));
    }

    #[test]
    fn registers_keep_their_laws() {
        // SAFETY: each where the machine has it.
        unsafe {
            laws::<scalar::Plain>();
            orders::<scalar::Plain>(Isa::Scalar);
            #[cfg(target_arch = "aarch64")]
            {
                laws::<neon::Quarters>();
                orders::<neon::Quarters>(Isa::Neon);
                picks::<neon::Quarter>();
            }
            #[cfg(target_arch = "x86_64")]
            {
                if Isa::Avx2.is_supported() {
                    laws::<avx2::Halves>();
                    orders::<avx2::Halves>(Isa::Avx2);
                    picks::<avx2::Quarter>();
                }
                if Isa::Avx512.is_supported() {
                    orders::<std::arch::x86_64::__m512i>(Isa::Avx512);
                    picks::<std::arch::x86_64::__m512i>();
                }
            }
        }
    }
}
