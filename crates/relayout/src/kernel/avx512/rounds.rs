//! [`Rounds`]: the rounds of a network between vectors in registers.
//!
//! In a round, each of two vectors keeps the half of its positions whose bit equals that bit of its number, and gives
//! away the other half. One permutation moves both halves across, and each is merged under a mask. On Intel processors
//! only one of two ports for wide registers permutes, and both merge. Units of 4 bytes and more use `vpermi2d`, which
//! is one operation there where `vpermi2b` is three. Bytes and pairs of bytes are merged first and permuted inside one
//! vector. Units below a byte are shifted. Other processors make most rounds with fewer instructions (`unpack.rs`).
//!
//! Law: as [`Network`].

use std::arch::x86_64::*;

use super::super::bit_order::BitOrder;
use super::super::network::{BYTE, Network};
use super::unpack::Unpack;

/// So many rounds of a network, one after the other; `SUB_BYTE` where units may be below a byte. Without, there are
/// fewer ways for vectors to cross, so that they stay in registers.
pub(super) struct Rounds<'a, const SUB_BYTE: bool> {
    rounds: [Round; MAX_REGISTER_ROUNDS],
    /// Whether there are any: then there is one for each bit of a vector's number.
    any: bool,
    /// How they are made by interleaving vectors, if they are; but for the last of four, where they are the second of
    /// two passes.
    unpack: Option<Unpack>,
    /// The order inside vectors, if the last round is one of these: swaps, which only units below a byte need, and a
    /// permutation.
    bit_order: Option<&'a BitOrder>,
    order: Option<__m512i>,
}

/// The most rounds between the vectors that registers hold.
pub(super) const MAX_REGISTER_ROUNDS: usize = 4;

/// The exchange of a bit inside vectors.
#[derive(Clone, Copy)]
struct Round {
    crosses: u8,
    /// Which bytes have the bit.
    mask: __mmask64,
    /// For each unit of 4 bytes, the unit of both vectors that crosses to its position; or for each byte, the byte of
    /// its own quarter.
    table: __m512i,
}

/// Units of 4 bytes and more cross.
const WIDE: u8 = 0;

/// Bytes and pairs of them cross.
const BYTES: u8 = 1;

/// Halves of bytes cross.
const HALVES: u8 = 2;

/// Quarters of bytes cross.
const QUARTERS: u8 = 3;

/// For each bit of a byte's number, the table of its round, in bytes.
const TABLES: [[u8; 64]; 6] = {
    let mut tables = [[0; 64]; 6];
    let mut bit = 0;
    while bit < 6 {
        let mut position = 0;
        while position < 64 {
            let other = position ^ 1 << bit;
            // A number of 4 bytes for each unit, where units cross: those of the second vector are 16 to 31.
            let unit = if position & 3 == 0 { other >> 2 | (position >> bit & 1) << 4 } else { 0 };
            let source: usize = if bit < 2 { other } else { unit };
            tables[bit][position] = source.to_le_bytes()[0];
            position += 1;
        }
        bit += 1;
    }
    tables
};

/// For each bit of a byte's number, which bytes have it.
const MASKS: [u64; 6] = [
    0xAAAA_AAAA_AAAA_AAAA,
    0xCCCC_CCCC_CCCC_CCCC,
    0xF0F0_F0F0_F0F0_F0F0,
    0xFF00_FF00_FF00_FF00,
    0xFFFF_0000_FFFF_0000,
    0xFFFF_FFFF_0000_0000,
];

impl Round {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn of(bit: u32) -> Self {
        let byte = usize::try_from(bit.saturating_sub(BYTE)).unwrap_or(0);
        let crosses = match bit {
            1 => QUARTERS,
            2 => HALVES,
            3 | 4 => BYTES,
            _ => WIDE,
        };
        Round { crosses, mask: MASKS[byte], table: vector(&TABLES[byte]) }
    }

    /// Two vectors after the round.
    ///
    /// # Safety
    /// The machine has AVX-512. The same holds for all functions here.
    #[inline(always)]
    unsafe fn cross<const CROSSES: u8>(&self, a: __m512i, b: __m512i) -> [__m512i; 2] {
        // SAFETY: the caller answers for the instructions.
        unsafe {
            match CROSSES {
                HALVES => {
                    let (up, down) = (_mm512_slli_epi16::<4>(b), _mm512_srli_epi16::<4>(a));
                    [either(lower(4), a, up), either(lower(4), down, b)]
                }
                QUARTERS => {
                    let (up, down) = (_mm512_slli_epi16::<2>(b), _mm512_srli_epi16::<2>(a));
                    [either(lower(2), a, up), either(lower(2), down, b)]
                }
                _ => {
                    let both = if CROSSES == WIDE {
                        _mm512_permutex2var_epi32(a, self.table, b)
                    } else {
                        _mm512_shuffle_epi8(_mm512_mask_blend_epi8(self.mask, b, a), self.table)
                    };
                    [_mm512_mask_blend_epi8(self.mask, a, both), _mm512_mask_blend_epi8(self.mask, both, b)]
                }
            }
        }
    }

    /// The round between all vectors whose numbers differ in a bit.
    ///
    /// # Safety
    /// As [`Round::cross`].
    #[inline(always)]
    unsafe fn all<const CROSSES: u8, const N: usize, const BIT: usize>(&self, vectors: &mut [__m512i; N]) {
        each!(pair in N / 2, {
            let [one, other] = partners(pair, BIT);
            // SAFETY: handed on to the caller.
            [vectors[one], vectors[other]] = unsafe { self.cross::<CROSSES>(vectors[one], vectors[other]) };
        });
    }
}

impl<'a, const SUB_BYTE: bool> Rounds<'a, SUB_BYTE> {
    /// All rounds of a network, whose vectors registers hold.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn of(network: &'a Network) -> Self {
        Rounds::between(&network.rounds, Unpack::of(&network.rounds, network.machine.unpacks), Some(&network.bit_order))
    }

    /// Those of two passes, by the bits of a vector's number between which each exchanges.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn of_passes(network: &'a Network, [low, high]: [&[usize]; 2]) -> [Self; 2] {
        let mut bits = [[0; MAX_REGISTER_ROUNDS]; 2];
        for (pass_bits, numbers) in bits.iter_mut().zip([low, high]) {
            pass_bits.iter_mut().zip(numbers).for_each(|(bit, n)| *bit = network.rounds[*n]);
        }
        let [low, high] = [&bits[0][..low.len()], &bits[1][..high.len()]];
        let [first, second] = Unpack::of_passes([low, high], network.machine.unpacks);
        [Rounds::between(low, first, None), Rounds::between(high, second, Some(&network.bit_order))]
    }

    /// Rounds between vectors whose numbers have as many bits, by the bits inside that they exchange.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn between(bits: &[u32], unpack: Option<Unpack>, bit_order: Option<&'a BitOrder>) -> Self {
        let mut rounds = [Round::of(0); MAX_REGISTER_ROUNDS];
        rounds.iter_mut().zip(bits).for_each(|(round, bit)| *round = Round::of(*bit));
        let order = bit_order.and_then(BitOrder::table).map(|table| vector(table));
        Rounds { rounds, any: !bits.is_empty(), unpack, bit_order, order }
    }

    /// The rounds between vectors whose numbers differ in one bit, the lowest first.
    ///
    /// # Safety
    /// As [`Round::cross`].
    #[inline(always)]
    pub(super) unsafe fn exchange<const N: usize>(&self, vectors: &mut [__m512i; N]) {
        const { assert!(N <= 1 << MAX_REGISTER_ROUNDS) };
        // SAFETY: handed on to the caller.
        unsafe {
            match self.unpack {
                Some(unpack) if N >= 4 => {
                    unpack.exchange(vectors);
                    if SUB_BYTE && matches!(unpack, Unpack::Fourth) {
                        self.one::<N, 3>(vectors);
                    }
                }
                _ => return self.each(vectors),
            }
            self.apply_order(vectors);
        }
    }

    /// The same, each round by itself.
    ///
    /// # Safety
    /// As [`Round::cross`].
    #[inline(always)]
    unsafe fn each<const N: usize>(&self, vectors: &mut [__m512i; N]) {
        // SAFETY: handed on to the caller.
        unsafe {
            if self.any {
                self.one::<N, 0>(vectors);
                self.one::<N, 1>(vectors);
                self.one::<N, 2>(vectors);
                self.one::<N, 3>(vectors);
            }
            self.apply_order(vectors);
        }
    }

    /// The order inside vectors, which the last round leaves.
    ///
    /// # Safety
    /// As [`Round::cross`].
    #[inline(always)]
    unsafe fn apply_order<const N: usize>(&self, vectors: &mut [__m512i; N]) {
        // SAFETY: handed on to the caller.
        unsafe {
            if SUB_BYTE && let Some(bit_order) = self.bit_order {
                each!(n in N, { vectors[n] = bit_order.swapped(vectors[n]); });
            }
            if let Some(order) = self.order {
                each!(n in N, { vectors[n] = _mm512_permutexvar_epi8(order, vectors[n]); });
            }
        }
    }

    /// The round of that number, if there is one.
    ///
    /// # Safety
    /// As [`Round::cross`].
    #[inline(always)]
    unsafe fn one<const N: usize, const NUMBER: usize>(&self, vectors: &mut [__m512i; N]) {
        // SAFETY: handed on to the caller.
        unsafe {
            if const { N >> NUMBER < 2 } {
                return;
            }
            let round = &self.rounds[NUMBER];
            match round.crosses {
                HALVES if SUB_BYTE => round.all::<HALVES, N, NUMBER>(vectors),
                QUARTERS if SUB_BYTE => round.all::<QUARTERS, N, NUMBER>(vectors),
                WIDE => round.all::<WIDE, N, NUMBER>(vectors),
                _ => round.all::<BYTES, N, NUMBER>(vectors),
            }
        }
    }
}

/// The vectors of a pair, of all whose numbers differ in a bit alone.
#[inline(always)]
pub(super) fn partners(pair: usize, bit: usize) -> [usize; 2] {
    let below = pair & ((1 << bit) - 1);
    let one = (pair - below) << 1 | below;
    [one, one | 1 << bit]
}

/// The mask of the lower of two units below a byte, of the given worth in bits.
#[inline]
#[target_feature(enable = "avx512f")]
fn lower(worth: i32) -> __m512i {
    _mm512_set1_epi8(if worth == 4 { 0x0f } else { 0x33 })
}

/// What a mask has of one vector, and the rest of another.
///
/// # Safety
/// As [`Round::cross`].
#[inline(always)]
unsafe fn either(mask: __m512i, one: __m512i, other: __m512i) -> __m512i {
    // SAFETY: the caller answers for the instructions.
    unsafe { _mm512_ternarylogic_epi32::<0xCA>(mask, one, other) }
}

/// The positions inside a vector.
pub(super) const POSITIONS: [u8; 64] = {
    let mut positions = [0; 64];
    let mut n = 1;
    while n < 64 {
        positions[n] = positions[n - 1] + 1;
        n += 1;
    }
    positions
};

/// A vector of a table.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn vector(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: the table has 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}
