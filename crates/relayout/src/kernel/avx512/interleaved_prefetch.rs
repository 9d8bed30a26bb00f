//! [`run`]: the network in two passes, where each streamed line is followed by the prefetch of one line.
//!
//! A processor has buffers for about twenty incoming lines and a few outgoing ones. A burst of either fills its
//! buffers: further prefetches are dropped, and stores block all that follow. So both alternate. While one block goes
//! through the first pass, the one before goes through the second. After each line that the second pass stores, the
//! next line of a later block is prefetched. Blocks of few vectors go in pairs, neighbours where the tile list allows
//! it, and neighbouring lines are stored one right after the other.
//!
//! Law: as [`Network::run`].

use std::arch::x86_64::*;
use std::mem::{MaybeUninit, swap};
use std::ptr::null;

use super::super::network::{Blocks, Later, Network, TileOrigin};
use super::block::flip;
use super::passes::{InPasses, STEP};
use super::rounds::Rounds;

/// The lines of a block on a side: a pointer, how far from it each is, and which positions inside them are flipped, if any are.
#[derive(Clone, Copy)]
struct Side {
    from: *const u8,
    rows: *const isize,
    flips: *const [u8; 4],
}

impl Side {
    const NONE: Side = Side { from: null(), rows: null(), flips: null() };

    /// Those of a side of the block at a tile origin, which is counted from the pointer.
    #[inline(always)]
    fn of(network: &Network, blocks: &Blocks, side: usize, tile: &TileOrigin) -> Self {
        let first = tile.rows(side);
        let from = [blocks.source, blocks.destination.cast_const()][side];
        let flips = match network.sides[side].flips.as_slice() {
            [] => null(),
            flips => flips.as_ptr().wrapping_add(first),
        };
        Side { from: from.wrapping_offset(tile.at[side]), rows: row(blocks.rows[side], first), flips }
    }

    /// Those of the source of a block that comes later, as far as they are there to be prefetched.
    #[inline(always)]
    fn later(blocks: &Blocks, at: usize, prefetch: usize) -> Option<Self> {
        let Later { pointers, rows, tile } = blocks.later(at, prefetch)?;
        let from = pointers[0].wrapping_offset(tile.at[0]);
        Some(Side { from, rows: row(rows[0], tile.rows(0)), flips: null() })
    }

    /// Where the line of a vector is.
    ///
    /// # Safety
    /// The block has a vector of that number.
    #[inline(always)]
    unsafe fn line(&self, n: usize) -> *const u8 {
        // SAFETY: handed on to the caller.
        self.from.wrapping_offset(unsafe { *self.rows.add(n) })
    }
}

/// The table entry of that row.
fn row(rows: &[isize], first: usize) -> *const isize {
    rows.as_ptr().wrapping_add(first)
}

/// As [`Network::run`], for lines that are streamed, of `8 * N` vectors a block, `BLOCKS` blocks at a time.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn run<const VECTORS: usize, const N: usize, const BLOCKS: usize>(
    network: &Network,
    blocks: &Blocks,
) {
    const { assert!(VECTORS == STEP * N && N <= STEP) };
    let of = InPasses::<STEP, N>::number;
    let [low, high] = Rounds::<false>::of_passes(network, InPasses::<STEP, N>::BITS);
    let prefetch = (network.machine.prefetch_distance / VECTORS).max(BLOCKS);
    let mut room = [[[const { MaybeUninit::<__m512i>::uninit() }; VECTORS]; BLOCKS]; 2];
    let [mut current, mut pending] = room.each_mut();
    let (mut reads, mut prefetched, mut writes) = ([Side::NONE; BLOCKS], [Side::NONE; BLOCKS], [Side::NONE; BLOCKS]);
    let list = blocks.tiles;
    for at in (0..list.len() + BLOCKS).step_by(BLOCKS) {
        let is_supported = at < list.len();
        if is_supported {
            each!(b in BLOCKS, {
                // A block without a neighbour is moved twice, to the same lines.
                if let Some(tile) = list.get(at + b).or(list.get(at)) {
                    reads[b] = Side::of(network, blocks, 0, tile);
                }
                prefetched[b] = Side::later(blocks, at + b, prefetch).unwrap_or(reads[b]);
            });
        }
        for step in 0..N {
            // SAFETY: the caller answers for every block and for its rows; a block has `8 * N` vectors, all of which the
            // first pass has made when the second takes them; what is prefetched need not be memory.
            unsafe {
                if is_supported {
                    each!(b in BLOCKS, {
                        let mut vectors = [_mm512_setzero_si512(); STEP];
                        each!(k in STEP, { vectors[k] = _mm512_loadu_si512(reads[b].line(of(k, step)).cast()); });
                        flip(reads[b].flips, &mut vectors, |k| of(k, step));
                        low.exchange(&mut vectors);
                        each!(k in STEP, { current[b].get_unchecked_mut(STEP * step + k).write(vectors[k]); });
                    });
                }
                if at == 0 {
                    continue;
                }
                for part in 0..STEP / N {
                    let group = step * (STEP / N) + part;
                    let mut vectors = [[_mm512_setzero_si512(); N]; BLOCKS];
                    each!(b in BLOCKS, {
                        each!(k in N, { vectors[b][k] = pending[b].get_unchecked(STEP * k + group).assume_init(); });
                        high.exchange(&mut vectors[b]);
                        flip(writes[b].flips, &mut vectors[b], |k| of(group, k));
                    });
                    each!(k in N, {
                        each!(b in BLOCKS, {
                            let line = writes[b].line(of(group, k)).cast_mut();
                            _mm512_stream_si512(line.cast(), vectors[b][k]);
                        });
                        // In the order in which they are read.
                        let read = of((group * N + k) % STEP, (group * N + k) / STEP);
                        each!(b in BLOCKS, { _mm_prefetch::<_MM_HINT_T1>(prefetched[b].line(read).cast()); });
                    });
                }
            }
        }
        if is_supported {
            each!(b in BLOCKS, {
                if let Some(tile) = list.get(at + b).or(list.get(at)) {
                    writes[b] = Side::of(network, blocks, 1, tile);
                }
            });
        }
        swap(&mut current, &mut pending);
    }
}
