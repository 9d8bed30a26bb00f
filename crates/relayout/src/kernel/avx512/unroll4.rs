//! [`run`]: the network unrolled by 4 blocks, for source rows on different pages.
//!
//! The four blocks are neighbours where the tile list allows it: two along the lines of the destination, and these
//! twice along the lines of the source. Memory reads and writes a line right after its neighbour up to twice as fast as
//! after lines of 63 other rows. A long burst of loads or of stores delays the other. So each step of the software
//! pipeline does three things for eight vectors:
//!
//! - prefetches eight lines of the next group, two of each row;
//! - makes the first rounds of the current group;
//! - makes the other rounds of the group before, from a buffer in the first cache, and stores neighbouring lines in
//!   turn.
//!
//! Law: every vector of every block is loaded once and stored once, at the place of its block.

use std::arch::x86_64::*;
use std::array::from_fn;
use std::mem::{MaybeUninit, replace, swap};

use super::super::network::{Blocks, Later, Network};
use super::block::{Block, Mode, STREAMED};
use super::passes::{InPasses, STEP};
use super::rounds::Rounds;
use super::walk::Walk;
use crate::machine::UNROLLED_PREFETCH_DISTANCE_STEPS;

/// The number of blocks in a group.
const UNROLL: usize = 4;

/// The vectors of the blocks of a group: no block has more than 64.
type Vectors = [[MaybeUninit<__m512i>; 64]; UNROLL];

/// As [`Network::run`], for lines that are streamed, of `8 * N` vectors a block: by three rounds between vectors
/// of one step, and then the others.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn run<const N: usize, const SUB_BYTE: bool>(network: &Network, blocks: Blocks) {
    const { assert!(N <= 8 && STEP.is_multiple_of(N) && UNROLLED_PREFETCH_DISTANCE_STEPS <= UNROLL * N) };
    let of = InPasses::<STEP, N>::number;
    let [low, high] = Rounds::<SUB_BYTE>::of_passes(network, InPasses::<STEP, N>::BITS);
    let mut room: [Vectors; 2] = [const { [const { [const { MaybeUninit::uninit() }; 64] }; UNROLL] }; 2];
    let [mut current, mut pending] = room.each_mut();
    let mut walk = Walk::new(network, blocks, STEP * N, Mode::STREAMED);
    let mut here: [Option<Block>; UNROLL] = [const { None }; UNROLL];
    let mut later = lines(&walk.blocks, 0);
    let list = walk.blocks.tiles;
    for first in (0..list.len() + UNROLL).step_by(UNROLL) {
        // SAFETY: handed on to the caller; a block has that many vectors, and pending ones have been made.
        unsafe {
            let entered = from_fn(|n| Some(walk.enter::<STREAMED>(list.get(first + n)?, STEP * N)));
            let before = replace(&mut here, entered);
            let now = replace(&mut later, lines(&walk.blocks, first + UNROLL));
            for step in 0..UNROLL * N {
                match (step + UNROLLED_PREFETCH_DISTANCE_STEPS).checked_sub(UNROLL * N) {
                    None => prefetch::<N>(&now, step + UNROLLED_PREFETCH_DISTANCE_STEPS),
                    Some(step) => prefetch::<N>(&later, step),
                }
                // Two neighbours take turns, and then the two others.
                let (half, group, turn) = (step / (2 * N), step / 2 % N, step % 2);
                let n = half + 2 * turn;
                if let Some(block) = here.get_unchecked(n) {
                    let current = current.get_unchecked_mut(n);
                    let mut vectors = block.read_all::<STEP, STREAMED>(|k| of(k, group));
                    block.flip(0, &mut vectors, |k| of(k, group));
                    low.exchange(&mut vectors);
                    for (k, vector) in vectors.iter().enumerate() {
                        current.get_unchecked_mut(STEP * group + k).write(*vector);
                    }
                }
                let n = 2 * half + turn;
                let Some(block) = before.get_unchecked(n) else { continue };
                let pending = pending.get_unchecked(n);
                for part in 0..STEP / N {
                    let group = group * (STEP / N) + part;
                    let mut vectors = [_mm512_setzero_si512(); N];
                    for (k, vector) in vectors.iter_mut().enumerate() {
                        *vector = pending.get_unchecked(STEP * k + group).assume_init();
                    }
                    high.exchange(&mut vectors);
                    block.flip(1, &mut vectors, |k| of(group, k));
                    block.write::<N, STREAMED>(&vectors, |k| of(group, k), |_| ());
                }
            }
        }
        swap(&mut current, &mut pending);
    }
}

/// The lines of a block: a pointer, and how far from it each is.
type Lines = (*const u8, *const isize);

/// The lines that a group reads, which begins at a tile of this list or of the next.
fn lines(blocks: &Blocks, first: usize) -> [Option<Lines>; UNROLL] {
    from_fn(|n| {
        let Later { pointers, rows, tile } = blocks.later(first + n, 0)?;
        Some((pointers[0].wrapping_offset(tile.at[0]), rows[0].as_ptr().wrapping_add(tile.rows(0))))
    })
}

/// Prefetches the lines of a step: those of four rows, two of each, in the order in which they will be read.
///
/// # Safety
/// The lines are those of blocks of `8 * N` vectors, and a group has the step.
#[inline(always)]
unsafe fn prefetch<const N: usize>(lines: &[Option<Lines>; UNROLL], step: usize) {
    let (half, group, part) = (step / (2 * N), step / 2 % N, step % 2);
    let (Some((one, rows)), Some((other, others))) = (lines[half], lines[half + 2]) else { return };
    for k in STEP / 2 * part..STEP / 2 * (part + 1) {
        let row = InPasses::<STEP, N>::number(k, group);
        // SAFETY: the caller answers for the rows; what is prefetched need not be memory.
        unsafe {
            _mm_prefetch::<_MM_HINT_T1>(one.wrapping_offset(*rows.add(row)).cast());
            _mm_prefetch::<_MM_HINT_T1>(other.wrapping_offset(*others.add(row)).cast());
        }
    }
}
