//! [`run`]: the network between units that are filled up to a power of two as they are read (`kernel/widen.rs`).
//!
//! A masked read takes the units of a word and no byte of what follows, and one permutation fills them up. Law: as
//! [`Network::run`], for units with what fills them up.

use std::arch::x86_64::*;

use super::super::Widen;
use super::super::network::{Blocks, Network};
use super::ahead::Ahead;
use super::block::CACHES;
use super::rounds::{Rounds, word};

/// As [`Network::run`], for blocks of `N` words that are written as they are.
///
/// # Safety
/// As [`Network::run`]; of a word of the source there are the bytes that are read.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn run<const N: usize>(network: &Network, blocks: &Blocks, widen: &Widen) {
    let (rounds, ahead) = (Rounds::<false>::of(network), Ahead::of(network, blocks, N));
    let (read, places) = (widen.read, word(&widen.places));
    for (at, place) in blocks.places.iter().enumerate() {
        // SAFETY: the caller answers for every block and for its rows; a block has N words.
        unsafe {
            let (source, destination) = (blocks.source.offset(place.at[0]), blocks.destination.offset(place.at[1]));
            let [reads, writes] = [0, 1].map(|side| blocks.rows[side].as_ptr().add(place.rows(side)));
            let mut words = [_mm512_setzero_si512(); N];
            each!(n in N, {
                let units = _mm512_maskz_loadu_epi8(read, source.offset(*reads.add(n)).cast());
                words[n] = _mm512_permutexvar_epi8(places, units);
            });
            ahead.fetch::<CACHES>(blocks, at, 0..N);
            rounds.exchange(&mut words);
            each!(n in N, { _mm512_storeu_si512(destination.offset(*writes.add(n)).cast(), words[n]); });
        }
    }
}
