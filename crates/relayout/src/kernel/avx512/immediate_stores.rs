//! [`run`]: the network whose source lines lie on different pages, with each line stored as soon as it is made.
//!
//! While streaming stores wait for memory, the processor loads ahead only as far as its reorder buffer reaches. So each
//! line must take few instructions. The address of a vector is a sum of one step for each bit of its number; the steps
//! stay in registers, and no table is read. Stores, prefetches and loads alternate: after each stored line, one line of
//! a later block is prefetched, and one of the next block is loaded into the free register.
//!
//! Law: as [`Network::run`].

use std::arch::x86_64::*;
use std::array::from_fn;
use std::ptr::read_volatile;

use super::super::network::{Blocks, Network, TileOrigin};
use super::block::Mode;
use super::prefetch::Prefetch;
use super::rounds::{MAX_REGISTER_ROUNDS, Rounds};
use crate::machine::MIN_SCATTERED_LINES;

impl Network {
    /// Whether stores are immediate, and sums of steps give the addresses of the vectors of all blocks.
    pub(super) fn stores_without_tables(&self, blocks: &Blocks) -> bool {
        let sums = || blocks.rows.iter().all(|rows| rows.len() == self.vectors && Steps::of(rows).matches(rows));
        let flips = self.sides.iter().any(|side| !side.flips.is_empty());
        blocks.stream && self.vectors >= MIN_SCATTERED_LINES && self.stores_immediately() && !flips && sums()
    }
}

/// What the bits of a vector's number are worth on a side.
struct Steps([isize; MAX_REGISTER_ROUNDS]);

impl Steps {
    /// The steps of vectors at the given distances from the tile origin.
    fn of(rows: &[isize]) -> Self {
        Steps(from_fn(|bit| rows.get(1 << bit).copied().unwrap_or(0)))
    }

    /// Whether their sums are how far the vectors are.
    fn matches(&self, rows: &[isize]) -> bool {
        rows.iter().enumerate().all(|(n, row)| self.distance(n) == *row)
    }

    /// The same, read again: sums that hold for all blocks would be kept in memory, and read from there for each line.
    #[inline(always)]
    fn again(&self) -> Self {
        // SAFETY: they are read where they are.
        Steps(unsafe { read_volatile(&raw const self.0) })
    }

    /// How far the vector of a number is.
    #[inline(always)]
    fn distance(&self, n: usize) -> isize {
        let [one, two, four, eight] = self.0;
        let step = |worth: usize, step: isize| if n & worth != 0 { step } else { 0 };
        step(1, one) + step(2, two) + step(4, four) + step(8, eight)
    }
}

/// As [`Network::run`], for blocks of `N` vectors with immediate stores.
///
/// # Safety
/// As [`Network::run`], where [`Network::stores_without_tables`] holds.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn run<const N: usize, const SUB_BYTE: bool>(network: &Network, blocks: &Blocks) {
    let (rounds, prefetch) = (Rounds::<SUB_BYTE>::of(network), Prefetch::of(network, blocks, N, Mode::STREAMED));
    let [reads, writes] = blocks.rows.map(Steps::of);
    let source = |tile: &TileOrigin| blocks.source.wrapping_offset(tile.at[0]);
    let Some(first) = blocks.tiles.first() else { return };
    let mut vectors = [_mm512_setzero_si512(); N];
    // SAFETY: the caller answers for every block and for its rows, which the steps give; what is prefetched need not be memory.
    unsafe {
        each!(n in N, { vectors[n] = _mm512_loadu_si512(source(first).offset(reads.distance(n)).cast()); });
        for (at, tile) in blocks.tiles.iter().enumerate() {
            // Where nothing follows, the block's own lines, which are there.
            let next = source(blocks.tiles.get(at + 1).unwrap_or(tile));
            let later = prefetch.later(blocks, at).unwrap_or(next);
            let destination = blocks.destination.offset(tile.at[1]);
            rounds.exchange(&mut vectors);
            let (reads, writes) = (reads.again(), writes.again());
            each!(n in N, {
                _mm512_stream_si512(destination.offset(writes.distance(n)).cast(), vectors[n]);
                _mm_prefetch::<_MM_HINT_T1>(later.wrapping_offset(reads.distance(n)).cast());
                vectors[n] = _mm512_loadu_si512(next.offset(reads.distance(n)).cast());
            });
        }
    }
}
