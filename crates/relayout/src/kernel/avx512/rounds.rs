//! [`Rounds`]: the rounds of a network between words in registers.
//!
//! In a round, each of two words keeps the half of its bytes whose bit is that of the word's number, and gives the other half
//! away. Both halves cross in one permutation, and each is merged under a mask: of the two ports that a processor of Intel has
//! for wide registers only one permutes, and both merge. Units of 4 bytes and more cross by `vpermi2d`, which is one operation
//! there where `vpermi2b` is three; bytes and pairs of them are merged first, and cross inside one word. Law: as [`Network`].

use std::arch::x86_64::*;

use super::super::network::Network;

/// So many rounds of a network, one after the other.
pub(super) struct Rounds<const ROUNDS: usize> {
    rounds: [Round; ROUNDS],
    /// The order inside words, if it changes and the last round is one of these.
    order: Option<__m512i>,
}

/// The exchange of a bit inside words.
#[derive(Clone, Copy)]
struct Round {
    /// Whether units have 4 bytes or more.
    wide: bool,
    /// Which places have the bit.
    mask: __mmask64,
    /// For each unit of 4 bytes, which one of both words crosses to its place; or for each byte, which one of its own quarter.
    table: __m512i,
}

/// For each bit, the table of its round, in bytes.
const TABLES: [[u8; 64]; 6] = {
    let mut tables = [[0; 64]; 6];
    let mut bit = 0;
    while bit < 6 {
        let mut place = 0;
        while place < 64 {
            let other = place ^ 1 << bit;
            // A number of 4 bytes for each unit, where units cross: those of the second word are 16 to 31.
            let unit = if place & 3 == 0 { other >> 2 | (place >> bit & 1) << 4 } else { 0 };
            let own: usize = if bit < WIDE { other } else { unit };
            tables[bit][place] = own.to_le_bytes()[0];
            place += 1;
        }
        bit += 1;
    }
    tables
};

/// From this bit on, units have 4 bytes.
const WIDE: usize = 2;

/// For each bit, which places have it.
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
        let bit = usize::try_from(bit).unwrap_or(0);
        Round { wide: bit >= WIDE, mask: MASKS[bit], table: word(&TABLES[bit]) }
    }

    /// Two words after the round.
    ///
    /// # Safety
    /// The machine has AVX-512, here and below.
    #[inline(always)]
    unsafe fn cross<const WIDE: bool>(&self, a: __m512i, b: __m512i) -> [__m512i; 2] {
        // SAFETY: the caller answers for the instructions.
        unsafe {
            let both = if WIDE {
                _mm512_permutex2var_epi32(a, self.table, b)
            } else {
                _mm512_shuffle_epi8(_mm512_mask_blend_epi8(self.mask, b, a), self.table)
            };
            [_mm512_mask_blend_epi8(self.mask, a, both), _mm512_mask_blend_epi8(self.mask, both, b)]
        }
    }

    /// The round between all words whose numbers differ in a bit: each pair by itself, so that the compiler knows all
    /// numbers, and words stay in registers.
    ///
    /// # Safety
    /// As [`Round::cross`].
    #[inline(always)]
    unsafe fn all<const WIDE: bool, const N: usize, const BIT: usize>(&self, words: &mut [__m512i; N]) {
        const { assert!(N <= 16) };
        // SAFETY: handed on to the caller.
        unsafe {
            self.pair::<WIDE, N, BIT, 0>(words);
            self.pair::<WIDE, N, BIT, 1>(words);
            self.pair::<WIDE, N, BIT, 2>(words);
            self.pair::<WIDE, N, BIT, 3>(words);
            self.pair::<WIDE, N, BIT, 4>(words);
            self.pair::<WIDE, N, BIT, 5>(words);
            self.pair::<WIDE, N, BIT, 6>(words);
            self.pair::<WIDE, N, BIT, 7>(words);
        }
    }

    /// The round between one pair of such words, if there are so many.
    ///
    /// # Safety
    /// As [`Round::cross`].
    #[inline(always)]
    unsafe fn pair<const WIDE: bool, const N: usize, const BIT: usize, const PAIR: usize>(
        &self,
        words: &mut [__m512i; N],
    ) {
        if PAIR < N / 2 {
            let below = PAIR & ((1 << BIT) - 1);
            let one = (PAIR - below) << 1 | below;
            let other = one | 1 << BIT;
            // SAFETY: handed on to the caller.
            [words[one], words[other]] = unsafe { self.cross::<WIDE>(words[one], words[other]) };
        }
    }
}

impl<const ROUNDS: usize> Rounds<ROUNDS> {
    /// The rounds from a number on. If they end with the last, the order inside words belongs to them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn of(network: &Network, first: usize) -> Self {
        let mut rounds = [Round::of(0); ROUNDS];
        for (own, bit) in rounds.iter_mut().zip(network.rounds.iter().skip(first)) {
            *own = Round::of(*bit);
        }
        let ends = first + ROUNDS == network.rounds.len();
        let order = network.table.as_ref().filter(|_| ends).map(|table| word(table));
        Rounds { rounds, order }
    }

    /// The rounds between words whose numbers differ in one bit, the lowest first.
    ///
    /// # Safety
    /// As [`Round::cross`].
    #[inline(always)]
    pub(super) unsafe fn exchange<const N: usize>(&self, words: &mut [__m512i; N]) {
        const { assert!(ROUNDS <= 4 && N >> ROUNDS != 0) };
        // SAFETY: handed on to the caller.
        unsafe {
            self.one::<N, 0>(words);
            self.one::<N, 1>(words);
            self.one::<N, 2>(words);
            self.one::<N, 3>(words);
            if let Some(order) = self.order {
                for word in words {
                    *word = _mm512_permutexvar_epi8(order, *word);
                }
            }
        }
    }

    /// The round of that number, if there is one.
    ///
    /// # Safety
    /// As [`Round::cross`].
    #[inline(always)]
    unsafe fn one<const N: usize, const NUMBER: usize>(&self, words: &mut [__m512i; N]) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self.rounds.get(NUMBER) {
                Some(round) if round.wide => round.all::<true, N, NUMBER>(words),
                Some(round) => round.all::<false, N, NUMBER>(words),
                None => {}
            }
        }
    }

    /// A round between two words, without the order inside them.
    ///
    /// # Safety
    /// As [`Round::cross`].
    #[inline(always)]
    pub(super) unsafe fn cross(&self, round: usize, a: __m512i, b: __m512i) -> [__m512i; 2] {
        let round = &self.rounds[round];
        // SAFETY: handed on to the caller.
        unsafe { if round.wide { round.cross::<true>(a, b) } else { round.cross::<false>(a, b) } }
    }
}

/// A word of a table.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn word(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: the table has 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}
