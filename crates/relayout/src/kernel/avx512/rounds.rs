//! [`Rounds`]: the rounds of a network between words in registers.
//!
//! In a round, each of two words keeps the half of its bytes whose bit is that of the word's number, and gives the other half
//! away. Both halves cross in one permutation of the two words, `vpermi2b`, and each is merged under a mask, which more units
//! of the processor do than permute. Where bytes inside words also change their order, the last round is a permutation for
//! each word, with the order in it. Law: as [`Network`].

use std::arch::x86_64::*;

use super::super::network::Network;

/// So many rounds of a network, one after the other.
pub(super) struct Rounds<const ROUNDS: usize> {
    /// What two words give each other.
    crossings: [__m512i; ROUNDS],
    /// Which bytes the one with the lower number gets; the other gets the rest.
    masks: [__mmask64; ROUNDS],
    /// The last round and the order inside words, as a permutation for each of the two.
    last: Option<[__m512i; 2]>,
    /// The order inside words, where no round has it.
    order: Option<__m512i>,
}

impl<const ROUNDS: usize> Rounds<ROUNDS> {
    /// The rounds from a number on. If they end with the last, the order inside words belongs to them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn of(network: &Network, first: usize) -> Self {
        let (mut crossings, mut masks) = ([_mm512_setzero_si512(); ROUNDS], [0; ROUNDS]);
        for ((own, mask), crossing) in crossings.iter_mut().zip(&mut masks).zip(network.crossings.iter().skip(first)) {
            *own = word(&crossing.bytes);
            *mask = crossing.mask;
        }
        let ends = first + ROUNDS == network.rounds.len();
        let order = network.tables.as_ref().filter(|_| ends);
        let last = order.filter(|_| ROUNDS > 0).map(|tables| tables.last.each_ref().map(|table| word(table)));
        let order = order.filter(|_| ROUNDS == 0).map(|tables| word(&tables.order));
        Rounds { crossings, masks, last, order }
    }

    /// The rounds between words whose numbers differ in one bit, the lowest first.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn exchange<const N: usize>(&self, words: &mut [__m512i; N]) {
        let crossed = ROUNDS - usize::from(self.last.is_some());
        // A bound that the compiler knows, so that words stay in registers.
        for round in 0..ROUNDS {
            if round < crossed {
                for [one, other] in pairs::<N>(round) {
                    [words[one], words[other]] = self.cross(round, words[one], words[other]);
                }
            }
        }
        if let Some([low, high]) = self.last {
            for [one, other] in pairs::<N>(ROUNDS - 1) {
                let (a, b) = (words[one], words[other]);
                words[one] = _mm512_permutex2var_epi8(a, low, b);
                words[other] = _mm512_permutex2var_epi8(a, high, b);
            }
        }
        if let Some(order) = self.order {
            for word in words {
                *word = _mm512_permutexvar_epi8(order, *word);
            }
        }
    }

    /// A round between two words, without the order inside them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn cross(&self, round: usize, a: __m512i, b: __m512i) -> [__m512i; 2] {
        let both = _mm512_permutex2var_epi8(a, self.crossings[round], b);
        let mask = self.masks[round];
        [_mm512_mask_blend_epi8(mask, a, both), _mm512_mask_blend_epi8(mask, both, b)]
    }
}

/// The pairs of so many words whose numbers differ in one bit.
#[inline]
fn pairs<const N: usize>(bit: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..N / 2).map(move |low| {
        let below = low & ((1 << bit) - 1);
        let one = (low - below) << 1 | below;
        [one, one | 1 << bit]
    })
}

/// A word of a table.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn word(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: the table has 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}
