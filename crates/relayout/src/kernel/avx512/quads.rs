//! [`run`]: the network in quads of blocks, where each row of the source is on a page of its own.
//!
//! A *quad* is four blocks that are neighbours where the list makes them so: two along the lines of the destination, and these
//! twice along the lines of the source. Memory takes a line right after its neighbour up to twice as fast as after those of 63
//! other rows, brings it faster too, and a long burst of reads or of writes keeps the others waiting. So in
//! one step eight lines of a quad are fetched, two of each row; eight words of the quad before are exchanged by the first
//! rounds; and eight words of the one before that, which waited in the first cache, by the others, and written, neighbours in
//! turn. Law: every word of every block is read once, and written once, where its block has it.

use std::arch::x86_64::*;
use std::array::from_fn;
use std::mem::{MaybeUninit, replace, swap};

use super::super::network::{Blocks, Later, Network};
use super::block::{Block, LINES};
use super::passes::{InPasses, STEP};
use super::rounds::Rounds;
use super::walk::Walk;

/// The blocks of a quad.
const QUAD: usize = 4;

/// How many steps ahead lines are fetched.
const AHEAD: usize = 8;

/// The words of the blocks of a quad: no block has more than 64.
type Words = [[MaybeUninit<__m512i>; 64]; QUAD];

/// As [`Network::run`], for lines that are written past the caches, of `8 * N` words a block: by three rounds between words
/// of one step, and then the others.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn run<const N: usize, const BELOW: bool>(network: &Network, blocks: Blocks) {
    const { assert!(N <= 8 && STEP.is_multiple_of(N) && AHEAD <= QUAD * N) };
    let of = InPasses::<STEP, N>::number;
    let [low, high] = Rounds::<BELOW>::of_passes(network, InPasses::<STEP, N>::BITS);
    let mut room: [Words; 2] = [const { [const { [const { MaybeUninit::uninit() }; 64] }; QUAD] }; 2];
    let [mut made, mut waits] = room.each_mut();
    let mut walk = Walk::new(network, blocks, STEP * N);
    let mut here: [Option<Block>; QUAD] = [const { None }; QUAD];
    let mut later = lines(&walk.blocks, 0);
    let list = walk.blocks.places;
    for first in (0..list.len() + QUAD).step_by(QUAD) {
        // SAFETY: handed on to the caller; a block has so many words, and what waits has been made.
        unsafe {
            let entered = from_fn(|n| Some(walk.enter::<LINES>(list.get(first + n)?, STEP * N)));
            let before = replace(&mut here, entered);
            let now = replace(&mut later, lines(&walk.blocks, first + QUAD));
            for step in 0..QUAD * N {
                match (step + AHEAD).checked_sub(QUAD * N) {
                    None => fetch::<N>(&now, step + AHEAD),
                    Some(step) => fetch::<N>(&later, step),
                }
                // Two neighbours take turns, and then the two others.
                let (half, group, turn) = (step / (2 * N), step / 2 % N, step % 2);
                let n = half + 2 * turn;
                if let Some(block) = here.get_unchecked(n) {
                    let made = made.get_unchecked_mut(n);
                    let mut words = [_mm512_setzero_si512(); STEP];
                    for (k, word) in words.iter_mut().enumerate() {
                        *word = block.read::<LINES>(of(k, group));
                    }
                    block.flip(0, &mut words, |k| of(k, group));
                    low.exchange(&mut words);
                    for (k, word) in words.iter().enumerate() {
                        made.get_unchecked_mut(STEP * group + k).write(*word);
                    }
                }
                let n = 2 * half + turn;
                let Some(block) = before.get_unchecked(n) else { continue };
                let waits = waits.get_unchecked(n);
                for part in 0..STEP / N {
                    let group = group * (STEP / N) + part;
                    let mut words = [_mm512_setzero_si512(); N];
                    for (k, word) in words.iter_mut().enumerate() {
                        *word = waits.get_unchecked(STEP * k + group).assume_init();
                    }
                    high.exchange(&mut words);
                    block.flip(1, &mut words, |k| of(group, k));
                    block.write::<N, LINES>(&words, |k| of(group, k), |_| ());
                }
            }
        }
        swap(&mut made, &mut waits);
    }
}

/// The lines of a block: a pointer, and how far from it each is.
type Lines = (*const u8, *const isize);

/// Those that a quad reads, which begins at a place of this list or of the next.
fn lines(blocks: &Blocks, first: usize) -> [Option<Lines>; QUAD] {
    from_fn(|n| {
        let Later { pointers, rows, place } = blocks.later(first + n, 0)?;
        Some((pointers[0].wrapping_offset(place.at[0]), rows[0].as_ptr().wrapping_add(place.rows(0))))
    })
}

/// Fetches the lines of a step: those of four rows, two of each, in the order in which they will be read.
///
/// # Safety
/// The lines are those of blocks of `8 * N` words, and a quad has the step.
#[inline(always)]
unsafe fn fetch<const N: usize>(lines: &[Option<Lines>; QUAD], step: usize) {
    let (half, group, part) = (step / (2 * N), step / 2 % N, step % 2);
    let (Some((one, rows)), Some((other, others))) = (lines[half], lines[half + 2]) else { return };
    for k in STEP / 2 * part..STEP / 2 * (part + 1) {
        let row = InPasses::<STEP, N>::number(k, group);
        // SAFETY: the caller answers for the rows; what is fetched need not be memory.
        unsafe {
            _mm_prefetch::<_MM_HINT_T1>(one.wrapping_offset(*rows.add(row)).cast());
            _mm_prefetch::<_MM_HINT_T1>(other.wrapping_offset(*others.add(row)).cast());
        }
    }
}
