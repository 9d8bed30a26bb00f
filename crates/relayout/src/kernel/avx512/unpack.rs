//! [`Unpack`]: rounds made by unpack instructions, in two instructions for two vectors.
//!
//! Unpacking two vectors interleaves their units, quarter by quarter. This does more than a round: the bit of the
//! number becomes the lowest of the bits that select a unit of a quarter, the others move up by one, and the highest
//! becomes the bit of the number. As many unpacks as a quarter has such bits, the round of the highest first, have the
//! same result as the rounds. The same holds for two shuffles of quarters, the round of the lower bit first. A round by
//! itself takes three instructions, or four between bytes.
//!
//! Law: as [`super::rounds::Rounds`].

use std::arch::x86_64::*;

use super::super::network::BYTE;
use super::rounds::partners;

/// Which rounds they are, by the worth in bits of the position bits that they exchange: 3 to 6 select bytes of a quarter,
/// 7 and 8 the quarter.
#[derive(Clone, Copy)]
pub(super) enum Unpack {
    /// Those up to 6.
    Quarter,
    /// Those up to 8.
    CacheLine,
    /// The first three of the four between bytes of quarters, 6, 5 and 4, in the first of two passes.
    Three,
    /// The fourth, 3, and those of the quarters, in the second.
    Fourth,
}

impl Unpack {
    /// Those that exchange some bits inside, one for each bit of a vector's number, if they are such and the processor
    /// is one that benefits from unpacking.
    pub(super) fn of(bits: &[u32], unpacks: bool) -> Option<Self> {
        let are_neighbours = bits.is_sorted_by(|one, other| one + 1 == *other) && bits.iter().all(|bit| *bit >= BYTE);
        match bits.last().filter(|_| bits.len() > 1 && are_neighbours && unpacks) {
            Some(6) => Some(Unpack::Quarter),
            Some(8) => Some(Unpack::CacheLine),
            _ => None,
        }
    }

    /// The same of two passes.
    pub(super) fn of_passes([low, high]: [&[u32]; 2], unpacks: bool) -> [Option<Self>; 2] {
        if low == [4, 5, 6] && high.starts_with(&[3, 7, 8]) && unpacks {
            return [Some(Unpack::Three), Some(Unpack::Fourth)];
        }
        [low, high].map(|bits| Unpack::of(bits, unpacks))
    }

    /// The rounds, between vectors whose numbers have as many bits; after the fourth there may be one more, which is not made.
    ///
    /// # Safety
    /// The machine has AVX-512.
    #[inline(always)]
    pub(super) unsafe fn exchange<const N: usize>(self, vectors: &mut [__m512i; N]) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self {
                Unpack::Quarter => match N {
                    16 => {
                        all::<N, 3>(vectors, units::<3>);
                        all::<N, 2>(vectors, units::<3>);
                        all::<N, 1>(vectors, units::<3>);
                        all::<N, 0>(vectors, units::<3>);
                    }
                    8 => {
                        all::<N, 2>(vectors, units::<4>);
                        all::<N, 1>(vectors, units::<4>);
                        all::<N, 0>(vectors, units::<4>);
                    }
                    _ => {
                        all::<N, 1>(vectors, units::<5>);
                        all::<N, 0>(vectors, units::<5>);
                    }
                },
                Unpack::CacheLine => match N {
                    16 => {
                        all::<N, 1>(vectors, units::<5>);
                        all::<N, 0>(vectors, units::<5>);
                        all::<N, 2>(vectors, quarters);
                        all::<N, 3>(vectors, quarters);
                    }
                    8 => {
                        all::<N, 0>(vectors, units::<6>);
                        all::<N, 1>(vectors, quarters);
                        all::<N, 2>(vectors, quarters);
                    }
                    _ => {
                        all::<N, 0>(vectors, quarters);
                        all::<N, 1>(vectors, quarters);
                    }
                },
                Unpack::Three => {
                    all::<N, 2>(vectors, units::<3>);
                    all::<N, 1>(vectors, units::<3>);
                    all::<N, 0>(vectors, units::<3>);
                }
                Unpack::Fourth => {
                    all::<N, 0>(vectors, units::<3>);
                    all::<N, 1>(vectors, quarters);
                    all::<N, 2>(vectors, quarters);
                }
            }
        }
    }
}

/// Interleaves all vectors whose numbers differ in a bit, two by two.
///
/// # Safety
/// As [`Unpack::exchange`].
#[inline(always)]
unsafe fn all<const N: usize, const BIT: usize>(
    vectors: &mut [__m512i; N],
    interleave: unsafe fn(__m512i, __m512i) -> [__m512i; 2],
) {
    each!(pair in N / 2, {
        let [one, other] = partners(pair, BIT);
        // SAFETY: handed on to the caller.
        [vectors[one], vectors[other]] = unsafe { interleave(vectors[one], vectors[other]) };
    });
}

/// Units of both in turn, those of the lower halves of quarters and those of the upper ones: bytes, or units of 2, 4 or
/// 8, by the lowest bit that selects them.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
unsafe fn units<const BIT: u32>(a: __m512i, b: __m512i) -> [__m512i; 2] {
    match BIT {
        3 => [_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b)],
        4 => [_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b)],
        5 => [_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)],
        _ => [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)],
    }
}

/// The even quarters of one and then of the other, and the odd ones.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn quarters(a: __m512i, b: __m512i) -> [__m512i; 2] {
    [_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xDD>(a, b)]
}
