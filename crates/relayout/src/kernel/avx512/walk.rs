//! The walk over the blocks of a list: where the words of each are.
//!
//! Pieces that are shorter than a quarter of a word are staged: brought together before, and to their places afterwards.
//! Lines of later blocks are fetched meanwhile. Law: what is read is the words of the block, what is written lands where it
//! belongs.

use std::arch::x86_64::*;
use std::ops::Range;

use super::super::network::{Blocks, Network, Place};
use super::block::{Block, CARRIES, GATHERS};

/// The blocks of a list, with room to stage sides whose pieces are no whole words.
pub(super) struct Walk<'a> {
    pub(super) blocks: Blocks<'a>,
    /// The bytes of a piece of each side, as a power of two.
    pieces: [u32; 2],
    /// How many blocks ahead lines are fetched.
    ahead: usize,
    staged: [Staged; 2],
}

impl<'a> Walk<'a> {
    pub(super) fn new(network: &Network, blocks: Blocks<'a>, words: usize) -> Self {
        let pieces = network.sides.each_ref().map(|side| side.piece);
        // Rows that are carried take room in the first caches.
        let least = if blocks.carried.is_some() { 1 } else { BLOCKS };
        let ahead = (AHEAD / words).max(least);
        Walk { blocks, pieces, ahead, staged: [Staged([0; 4096]), Staged([0; 4096])] }
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
            let (along, waiting, behind, had) = (place.at[1], std::ptr::null_mut(), std::ptr::null(), place.had);
            let mut block =
                Block { source, reads, destination, writes, along, waiting, behind, had, pieces: self.pieces };
            if let (CARRIES, Some(carried)) = (WAY & !GATHERS, &mut self.blocks.carried) {
                block.waiting = carried.words.as_mut_ptr().wrapping_add(place.rows[1]);
                block.behind = carried.behind.as_ptr().wrapping_add(place.rows[1]);
            }
            if self.pieces[0] < 4 {
                stage(self.pieces[0], words, reads, source, &mut self.staged[0]);
                (block.source, block.reads) = (self.staged[0].0.as_ptr(), STAGED.as_ptr());
            }
            if self.pieces[1] < 4 {
                (block.destination, block.writes) = (self.staged[1].0.as_mut_ptr(), STAGED.as_ptr());
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
    pub(super) unsafe fn fetch<const WAY: u8>(&self, at: usize, words: Range<usize>) {
        if self.blocks.fetched == [false; 2] {
            return;
        }
        let Blocks { source, destination, places, rows, next, fetched, .. } = &self.blocks;
        let (pointers, rows, place) = match places.get(at + self.ahead) {
            Some(place) => ([*source, destination.cast_const()], rows, place),
            None => {
                let beyond = places.len().saturating_sub(self.ahead);
                let (Some((pointers, rows)), Some(place)) = (next, places.get(at - beyond)) else { return };
                (*pointers, rows, place)
            }
        };
        let lines = |side: usize, further: isize| {
            if self.pieces[side] == 6 {
                let first = pointers[side].wrapping_offset(place.at[side] + further);
                for n in words.clone() {
                    // SAFETY: the list has these rows; what is fetched need not be memory.
                    unsafe {
                        let row = *rows[side].as_ptr().add(place.rows[side] + n);
                        _mm_prefetch::<_MM_HINT_T1>(first.wrapping_offset(row).cast());
                    }
                }
            }
        };
        if fetched[0] {
            lines(0, 0);
        }
        if fetched[1] {
            lines(1, 0);
        }
        if let (CARRIES, Some(carried), 0) = (WAY & !GATHERS, &self.blocks.carried, place.at[1]) {
            // The ends of rows are written in parts.
            lines(1, 0);
            lines(1, carried.run);
        }
    }

    /// Brings the words of a block to their pieces.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has so many words.
    #[inline(always)]
    pub(super) unsafe fn leave(&self, place: &Place, words: usize) {
        if self.pieces[1] < 4 {
            // SAFETY: handed on to the caller.
            unsafe {
                let writes = self.blocks.rows[1].as_ptr().wrapping_add(place.rows[1]);
                unstage(self.pieces[1], words, writes, self.blocks.destination.offset(place.at[1]), &self.staged[1]);
            }
        }
    }
}

/// How many words ahead lines of the source are fetched to the second cache: what memory brings while one block is
/// exchanged. To the first cache they would go by the same few places when rows are a power of two apart.
const AHEAD: usize = 256;

/// How many blocks ahead at least.
const BLOCKS: usize = 8;

/// The words of a block side by side, for a side that has no whole words.
#[repr(align(64))]
struct Staged([u8; 4096]);

/// Where staged words are.
const STAGED: [isize; 64] = {
    let mut at = [0; 64];
    let mut n = 1;
    while n < 64 {
        at[n] = at[n - 1] + 64;
        n += 1;
    }
    at
};

/// Brings the pieces of words side by side.
///
/// # Safety
/// Every piece lies inside the source; a block has at most 4096 bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn stage(piece: u32, words: usize, rows: *const isize, source: *const u8, staged: &mut Staged) {
    let to = staged.0.as_mut_ptr();
    // SAFETY: handed on to the caller.
    unsafe {
        let at = |n: usize| source.offset(*rows.add(n));
        match piece {
            3 => {
                for n in 0..words {
                    let piece = |k: usize| at(8 * n + k).cast::<i64>().read_unaligned();
                    let word = _mm512_set_epi64(
                        piece(7),
                        piece(6),
                        piece(5),
                        piece(4),
                        piece(3),
                        piece(2),
                        piece(1),
                        piece(0),
                    );
                    _mm512_store_si512(to.add(64 * n).cast(), word);
                }
            }
            2 => pieces::<4>(words * 16, |n| (at(n), to.add(4 * n))),
            1 => pieces::<2>(words * 32, |n| (at(n), to.add(2 * n))),
            _ => pieces::<1>(words * 64, |n| (at(n), to.add(n))),
        }
    }
}

/// Brings staged words to their pieces.
///
/// # Safety
/// Every piece lies inside the destination; a block has at most 4096 bytes.
#[inline(always)]
unsafe fn unstage(piece: u32, words: usize, rows: *const isize, destination: *mut u8, staged: &Staged) {
    let from = staged.0.as_ptr();
    // SAFETY: handed on to the caller.
    unsafe {
        let at = |n: usize| destination.offset(*rows.add(n));
        match piece {
            3 => pieces::<8>(words * 8, |n| (from.add(8 * n), at(n))),
            2 => pieces::<4>(words * 16, |n| (from.add(4 * n), at(n))),
            1 => pieces::<2>(words * 32, |n| (from.add(2 * n), at(n))),
            _ => pieces::<1>(words * 64, |n| (from.add(n), at(n))),
        }
    }
}

/// Copies so many pieces, each between a pair of pointers.
///
/// # Safety
/// The pointers are valid for a piece, and do not overlap.
#[inline(always)]
unsafe fn pieces<const BYTES: usize>(count: usize, pointers: impl Fn(usize) -> (*const u8, *mut u8)) {
    for n in 0..count {
        let (from, to) = pointers(n);
        // SAFETY: handed on to the caller.
        unsafe { to.cast::<[u8; BYTES]>().write(from.cast::<[u8; BYTES]>().read()) };
    }
}
