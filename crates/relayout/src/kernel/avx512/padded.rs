//! [`run`]: the network between units that are padded to a power of two as they are read (`kernel/pad_units.rs`).
//!
//! A masked load reads the units of a vector and no byte after them, and one permutation pads them. Law: as
//! [`Network::run`], for padded units.

use std::arch::x86_64::*;

use super::super::PadUnits;
use super::super::network::{Blocks, Network};
use super::block::{CACHED, Mode};
use super::prefetch::Prefetch;
use super::rounds::{Rounds, vector};

/// As [`Network::run`], for blocks of `N` vectors that are written as they are.
///
/// # Safety
/// As [`Network::run`]; of a vector of the source there are the bytes that are read.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn run<const N: usize>(network: &Network, blocks: &Blocks, pad: &PadUnits) {
    let (rounds, prefetch) = (Rounds::<false>::of(network), Prefetch::of(network, blocks, N, Mode::CACHED));
    let (read, positions) = (pad.read, vector(&pad.positions));
    for (at, tile) in blocks.tiles.iter().enumerate() {
        // SAFETY: the caller answers for every block and for its rows; a block has N vectors.
        unsafe {
            let (source, destination) = (blocks.source.offset(tile.at[0]), blocks.destination.offset(tile.at[1]));
            let [reads, writes] = [0, 1].map(|side| blocks.rows[side].as_ptr().add(tile.rows(side)));
            let mut vectors = [_mm512_setzero_si512(); N];
            each!(n in N, {
                let units = _mm512_maskz_loadu_epi8(read, source.offset(*reads.add(n)).cast());
                vectors[n] = _mm512_permutexvar_epi8(positions, units);
            });
            prefetch.prefetch::<CACHED>(blocks, at, 0..N);
            rounds.exchange(&mut vectors);
            each!(n in N, { _mm512_storeu_si512(destination.offset(*writes.add(n)).cast(), vectors[n]); });
        }
    }
}
