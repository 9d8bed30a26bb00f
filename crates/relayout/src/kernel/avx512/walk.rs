//! The walk over the blocks of a list: where the words of each are.
//!
//! Pieces that are shorter than a quarter of a word are staged: brought together before, and to their places afterwards.
//! Lines of later blocks are fetched meanwhile. Law: what is read is the words of the block, what is written lands where it
//! belongs.

use std::arch::x86_64::*;
use std::ops::Range;

use super::super::LINE;
use super::super::network::{Blocks, Later, Network, Place};
use super::super::stage::{STAGED, Staged, pieces};
use super::block::{Block, CARRIES, GATHERS};
use super::carried::{CarriedBlock, finish};

/// The blocks of a list, with room to stage sides whose pieces are no whole words.
pub(super) struct Walk<'a> {
    pub(super) blocks: Blocks<'a>,
    /// The bytes of a piece of each side, as a power of two.
    pieces: [u32; 2],
    /// For each side, which places inside words are flipped.
    flips: [&'a [[u8; 4]]; 2],
    /// How many blocks ahead lines are fetched, and whether to the first cache.
    ahead: usize,
    near: bool,
    staged: [Staged; 2],
}

impl<'a> Walk<'a> {
    pub(super) fn new(network: &'a Network, blocks: Blocks<'a>, words: usize) -> Self {
        let pieces = network.sides.each_ref().map(|side| side.piece);
        let flips = network.sides.each_ref().map(|side| side.flips.as_slice());
        let near = blocks.carried.is_some() && words <= FEW;
        let ahead = if near { NEAR } else { AHEAD } / words;
        Walk { blocks, pieces, flips, ahead, near, staged: [Staged::new(), Staged::new()] }
    }

    /// Where the words of a block are.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has so many words.
    #[inline(always)]
    pub(super) unsafe fn enter<const WAY: u8>(&mut self, place: &Place, words: usize) -> Block {
        let Blocks { source, destination, rows, .. } = self.blocks;
        // SAFETY: the caller answers for every block and for its rows.
        unsafe {
            let [reads, writes] = [0, 1].map(|side| rows[side].as_ptr().wrapping_add(place.rows[side]));
            let (source, destination) = (source.offset(place.at[0]), destination.offset(place.at[1]));
            let mut block = Block {
                source,
                reads,
                destination,
                writes,
                carried: None,
                flips: [0, 1].map(|side| match self.flips[side] {
                    [] => std::ptr::null(),
                    flips => flips.as_ptr().wrapping_add(place.rows[side]),
                }),
                halves: words <= HALVES,
                pieces: self.pieces,
            };
            if let (CARRIES, Some(carried)) = (WAY & !GATHERS, &mut self.blocks.carried) {
                block.carried = Some(CarriedBlock::of(carried, place, destination));
            }
            if self.pieces[0] < 4 {
                stage(self.pieces[0], words, reads, source, &mut self.staged[0]);
                (block.source, block.reads) = (self.staged[0].as_mut_ptr().cast_const(), STAGED.as_ptr());
            }
            if self.pieces[1] < 4 {
                (block.destination, block.writes) = (self.staged[1].as_mut_ptr(), STAGED.as_ptr());
            }
            block
        }
    }

    /// Fetches lines of a block that comes later, in this list or in the next: those of some words. Kernels that take long
    /// for a block call it for a few words at a time, since no more lines than some twenty are fetched at once.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has these words.
    #[inline(always)]
    pub(super) unsafe fn fetch(&self, at: usize, words: Range<usize>) {
        if self.blocks.fetched == [false; 2] {
            return;
        }
        let fetched = self.blocks.fetched;
        let Some(Later { pointers, rows, place }) = self.blocks.later(at, self.ahead) else { return };
        let lines = |side: usize| {
            if self.pieces[side] == 6 {
                let first = pointers[side].wrapping_offset(place.at[side]);
                for n in words.clone() {
                    // SAFETY: the list has these rows; what is fetched need not be memory.
                    unsafe {
                        let row = *rows[side].as_ptr().add(place.rows[side] + n);
                        let line = first.wrapping_offset(row).cast();
                        if self.near {
                            _mm_prefetch::<_MM_HINT_T0>(line);
                        } else {
                            _mm_prefetch::<_MM_HINT_T1>(line);
                        }
                    }
                }
            }
        };
        if fetched[0] {
            lines(0);
        }
        if fetched[1] {
            lines(1);
        }
    }

    /// Writes what is left of rows that end with the list.
    ///
    /// # Safety
    /// As [`Network::run`]; all blocks have been moved.
    #[inline(always)]
    pub(super) unsafe fn finish(&self) {
        if let Some(carried) = self.blocks.carried.as_ref().filter(|carried| carried.ends) {
            // SAFETY: handed on to the caller.
            unsafe { finish(carried, self.blocks.destination) };
        }
    }

    /// Brings the words of a block to their pieces.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has so many words.
    #[inline(always)]
    pub(super) unsafe fn leave(&mut self, place: &Place, words: usize) {
        if self.pieces[1] < 4 {
            // SAFETY: handed on to the caller.
            unsafe {
                let (piece, from) = (self.pieces[1], self.staged[1].as_mut_ptr().cast_const());
                let writes = self.blocks.rows[1].as_ptr().wrapping_add(place.rows[1]);
                let destination = self.blocks.destination.offset(place.at[1]);
                pieces(piece, words * LINE, |n| (from.add(n << piece), destination.offset(*writes.add(n))));
            }
        }
    }
}

/// Blocks of so many words are written in halves of lines.
const HALVES: usize = 2;

/// How many words ahead lines of the source are fetched to the second cache: what memory brings while one block is
/// exchanged. To the first cache they would go by the same few places when rows are a power of two apart.
const AHEAD: usize = 192;

/// The most words of a block that fetches lines to the first cache, where words are carried: rows seldom are a power of two
/// apart there, and larger blocks lose by it where they are.
const FEW: usize = 16;

/// How many words ahead lines are fetched to the first cache.
const NEAR: usize = 64;

/// Brings the pieces of words side by side.
///
/// # Safety
/// Every piece lies inside the source; a block has at most 4096 bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn stage(piece: u32, words: usize, rows: *const isize, source: *const u8, staged: &mut Staged) {
    let to = staged.as_mut_ptr();
    // SAFETY: handed on to the caller.
    unsafe {
        let at = |n: usize| source.offset(*rows.add(n));
        if piece != 3 {
            return pieces(piece, words * LINE, |n| (at(n), to.add(n << piece)));
        }
        for n in 0..words {
            let piece = |k: usize| at(8 * n + k).cast::<i64>().read_unaligned();
            let [a, b, c, d] = [piece(0), piece(1), piece(2), piece(3)];
            let word = _mm512_set_epi64(piece(7), piece(6), piece(5), piece(4), d, c, b, a);
            _mm512_store_si512(to.add(LINE * n).cast(), word);
        }
    }
}
