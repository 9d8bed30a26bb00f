//! [`Ahead`]: lines of blocks that come later, which are fetched while others are exchanged.
//!
//! How far ahead, and to which cache, depends on the processor (`processor.rs`). Law: nothing is read or written.

use std::arch::x86_64::*;
use std::ops::Range;

use super::super::LINE;
use super::super::network::{Blocks, Later, Network};
use super::super::processor::Processor;
use super::block::{CARRIES, GATHERS, LINES, SCATTERS};

/// Which lines are fetched, and how many blocks ahead.
pub(super) struct Ahead {
    blocks: usize,
    /// How many lines are fetched for each word of a side: one, or those of its pieces, or none.
    lines: [usize; 2],
    /// Where words are carried, whether they are fetched to the first cache, and both lines of a word that lies across two.
    near: bool,
    both: bool,
}

impl Ahead {
    /// Those of blocks of so many words. Called instead of inlined, it leaves them in memory, and carried words come at two thirds of
    /// their speed.
    #[inline(always)]
    pub(super) fn of(network: &Network, blocks: &Blocks, words: usize) -> Self {
        let processor = Processor::here();
        let near = processor.near.filter(|_| blocks.carried.is_some() && words <= FEW);
        let (fetched, pieces) = (network.fetches(blocks.rows[0], blocks.fetched), network.pieces());
        Ahead {
            // One at least: a block that fetched itself would fetch what it is about to read.
            blocks: (near.unwrap_or(processor.ahead) / words).max(1),
            lines: [0, 1].map(|side| if fetched[side] { LINE / pieces[side] } else { 0 }),
            near: near.is_some(),
            both: processor.fetches_both && (blocks.carried.is_some() || are_skewed(blocks.rows[0])),
        }
    }

    /// Where the block is in the source whose lines are to be fetched when another is moved; none where no line is, and where no
    /// such block follows.
    #[inline(always)]
    pub(super) fn later(&self, blocks: &Blocks, at: usize) -> Option<*const u8> {
        let Later { pointers, place, .. } = blocks.later(at, self.blocks).filter(|_| self.lines[0] > 0)?;
        Some(pointers[0].wrapping_offset(place.at[0]))
    }

    /// What fetches the lines of one word of the block that comes later, where words are whole and carried: it is told once for all of
    /// them.
    #[inline(always)]
    pub(super) fn by_word(&self, blocks: &Blocks, at: usize) -> impl Fn(usize) + use<> {
        let later =
            blocks.later(at, self.blocks).filter(|_| self.lines[0] > 0).map(|Later { pointers, rows, place }| {
                (pointers[0].wrapping_offset(place.at[0]), rows[0].as_ptr().wrapping_add(place.rows(0)))
            });
        let (near, both) = (self.near, self.both);
        move |n| {
            let Some((first, rows)) = later else { return };
            // SAFETY: the list has the rows of a block; what is fetched need not be memory.
            unsafe {
                let line = first.wrapping_offset(*rows.add(n));
                fetch(line, near);
                if both {
                    fetch(line.wrapping_add(LINE - 1), near);
                }
            }
        }
    }

    /// Fetches lines of a block that comes later, in this list or in the next: those of some words. Kernels that take long
    /// for a block call it for a few words at a time, since no more lines than some twenty are fetched at once.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has these words.
    #[inline(always)]
    pub(super) unsafe fn fetch<const WAY: u8>(&self, blocks: &Blocks, at: usize, words: Range<usize>) {
        if self.lines == [0; 2] {
            return;
        }
        let Some(Later { pointers, rows, place }) = blocks.later(at, self.blocks) else { return };
        let lines = |side: usize, further: usize| {
            let first = pointers[side].wrapping_offset(place.at[side]).wrapping_add(further);
            // Where all words are whole, the compiler is told so.
            let pieces = if WAY & [GATHERS, SCATTERS][side] != 0 { self.lines[side] } else { 1 };
            for n in words.start * pieces..words.end * pieces {
                // SAFETY: the list has these rows; what is fetched need not be memory.
                unsafe {
                    let line = first.wrapping_offset(*rows[side].as_ptr().add(place.rows(side) + n));
                    fetch(line, WAY & CARRIES != 0 && self.near);
                }
            }
        };
        // What is written past the caches is not fetched.
        for side in 0..if WAY & (LINES | CARRIES) != 0 { 1 } else { 2 } {
            if self.lines[side] > 0 {
                lines(side, 0);
                if WAY & GATHERS == 0 && self.both {
                    lines(side, LINE - 1);
                }
            }
        }
    }
}

/// Whether words lie at different places of lines, so that most lie across two.
fn are_skewed(rows: &[isize]) -> bool {
    matches!(rows, [one, other, ..] if one.abs_diff(*other) % LINE != 0)
}

/// Fetches a line, to the first cache or the second.
///
/// # Safety
/// What is fetched need not be memory.
#[inline(always)]
unsafe fn fetch(line: *const u8, near: bool) {
    // SAFETY: as above.
    unsafe {
        if near {
            _mm_prefetch::<_MM_HINT_T0>(line.cast());
        } else {
            _mm_prefetch::<_MM_HINT_T1>(line.cast());
        }
    }
}

/// The most words of a block that fetches lines to the first cache: larger blocks lose by it where rows are a power of two
/// apart.
const FEW: usize = 16;
