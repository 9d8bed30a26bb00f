//! The walk over the blocks of a list: where the words of each are.
//!
//! Where pieces are shorter than a quarter of a word, words are staged: brought together before, and to their places afterwards.
//! Lines of later blocks are fetched meanwhile. Law: what is read is the words of the block, what is written lands where it
//! belongs.

use std::arch::x86_64::*;
use std::ops::Range;

use super::super::LINE;
use super::super::network::{Blocks, Network, Place};
use super::super::stage::{STAGED, Staged, pieces};
use super::ahead::Ahead;
use super::block::{Block, CARRIES, Form, GATHERS, SCATTERS};
use super::carried::{CarriedBlock, finish};

/// The blocks of a list, with room to stage the words of both sides.
pub(super) struct Walk<'a> {
    form: Form<'a>,
    pub(super) blocks: Blocks<'a>,
    ahead: Ahead,
    staged: [Staged; 2],
}

impl<'a> Walk<'a> {
    /// Blocks of so many words.
    pub(super) fn new(network: &'a Network, blocks: Blocks<'a>, words: usize) -> Self {
        let ahead = Ahead::of(network, &blocks, words);
        Walk { form: Form::of(network), blocks, ahead, staged: [Staged::new(), Staged::new()] }
    }

    /// Where the words of a block are.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has so many words.
    #[inline(always)]
    pub(super) unsafe fn enter<const WAY: u8>(&mut self, place: &Place, words: usize) -> Block {
        // SAFETY: the caller answers for every block and for its rows.
        unsafe {
            let mut block = self.form.block(&self.blocks, place, words);
            if let (CARRIES, Some(carried)) = (WAY & !GATHERS, &mut self.blocks.carried) {
                block.carried = Some(CarriedBlock::of(carried, place, block.destination));
            }
            if self.is_staged::<WAY>(0) {
                stage(block.pieces[0], words, block.reads, block.source, &mut self.staged[0]);
                (block.source, block.reads) = (self.staged[0].as_mut_ptr().cast_const(), STAGED.as_ptr());
            }
            if self.is_staged::<WAY>(1) {
                (block.destination, block.writes) = (self.staged[1].as_mut_ptr(), STAGED.as_ptr());
            }
            block
        }
    }

    /// Whether the words of a side are brought together before, or to their places afterwards: those that are not whole, unless
    /// the way does so in registers.
    #[inline(always)]
    fn is_staged<const WAY: u8>(&self, side: usize) -> bool {
        let in_registers = WAY & [GATHERS, SCATTERS][side] != 0;
        !in_registers && self.form.pieces[side] < 6
    }

    /// As [`Ahead::by_word`].
    #[inline(always)]
    pub(super) fn by_word(&self, at: usize) -> impl Fn(usize) + use<> {
        self.ahead.by_word(&self.blocks, at)
    }

    /// As [`Ahead::fetch`].
    ///
    /// # Safety
    /// As [`Network::run`]; a block has these words.
    #[inline(always)]
    pub(super) unsafe fn fetch<const WAY: u8>(&self, at: usize, words: Range<usize>) {
        // SAFETY: handed on to the caller.
        unsafe { self.ahead.fetch::<WAY>(&self.blocks, at, words) };
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
    pub(super) unsafe fn leave<const WAY: u8>(&mut self, place: &Place, words: usize) {
        if self.is_staged::<WAY>(1) {
            let piece = self.form.pieces[1];
            // SAFETY: handed on to the caller.
            unsafe {
                let from = self.staged[1].as_mut_ptr().cast_const();
                let writes = self.blocks.rows[1].as_ptr().wrapping_add(place.rows(1));
                let destination = self.blocks.destination.offset(place.at[1]);
                pieces(piece, words * LINE, |n| (from.add(n << piece), destination.offset(*writes.add(n))));
            }
        }
    }
}

/// Brings the pieces of words side by side.
///
/// # Safety
/// Every piece lies inside the source; a block has at most 4096 bytes.
#[inline]
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
