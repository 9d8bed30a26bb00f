//! [`DeferredStores`]: lines are stored after the blocks that made them, those of two blocks in turn.
//!
//! A block of a transpose has one line in each of its destination rows. Memory takes a line right after its neighbour
//! up to twice as fast as after lines of 63 other rows. A processor that only stores lines does not load meanwhile. So
//! the lines of two blocks, neighbours where the tile list allows it, stay in the first cache. A few of them are stored
//! at each step of the exchange of the next two blocks.
//!
//! Law: at the end every kept line has been stored once, at the place of its block.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use super::block::Block;

/// Room for the lines of a pair of blocks, those of both in turn.
type Lines<const VECTORS: usize> = [[MaybeUninit<__m512i>; 2]; VECTORS];

/// Room for two pairs.
pub(super) struct Room<const VECTORS: usize>([Lines<VECTORS>; 2]);

impl<const VECTORS: usize> Room<VECTORS> {
    /// Room that holds nothing.
    pub(super) fn new() -> Self {
        Room([[[MaybeUninit::uninit(); 2]; VECTORS]; 2])
    }
}

/// A pair of blocks: its lines, and where those of each block belong, from where on and how far from there.
struct Pair<'a, const VECTORS: usize> {
    lines: &'a mut Lines<VECTORS>,
    to: [(*mut u8, *const isize); 2],
}

/// The pair of blocks that is being made, and the one before, as far as its lines are not written yet.
pub(super) struct DeferredStores<'a, const VECTORS: usize> {
    current: Pair<'a, VECTORS>,
    pending: Pair<'a, VECTORS>,
    /// How many blocks the pair that is being made has.
    blocks: usize,
    /// How many steps a block takes.
    steps: usize,
    /// How many steps the pair that is being made has taken, and up to which vector the lines of the other one are written.
    step: usize,
    written: usize,
}

impl<'a, const VECTORS: usize> DeferredStores<'a, VECTORS> {
    /// No pairs yet; `steps` is the number of steps of a block.
    #[inline(always)]
    pub(super) fn new(room: &'a mut Room<VECTORS>, steps: usize) -> Self {
        let [current, pending] = room.0.each_mut().map(|lines| Pair { lines, to: [(null_mut(), null()); 2] });
        DeferredStores { current, pending, blocks: 0, steps, step: 0, written: VECTORS }
    }

    /// Begins a block: the second of a pair, or the first of the next one.
    #[inline(always)]
    pub(super) fn enter(&mut self, block: &Block) {
        let to = (block.destination, block.writes);
        if self.blocks == 1 {
            (self.blocks, self.current.to[1]) = (2, to);
            return;
        }
        if self.blocks == 2 {
            std::mem::swap(&mut self.current, &mut self.pending);
            (self.step, self.written) = (0, 0);
        }
        (self.blocks, self.current.to[0]) = (1, to);
    }

    /// Keeps a vector of the block.
    ///
    /// # Safety
    /// The block has a vector of that number.
    #[inline(always)]
    pub(super) unsafe fn keep(&mut self, n: usize, vector: __m512i) {
        // SAFETY: handed on to the caller; a pair has room for its vectors.
        unsafe { self.current.lines.get_unchecked_mut(n).get_unchecked_mut(self.blocks - 1).write(vector) };
    }

    /// Stores some of the pending lines: all of them in the steps of two blocks.
    ///
    /// # Safety
    /// All vectors of earlier blocks have been kept, and can be written as lines.
    #[inline(always)]
    pub(super) unsafe fn step(&mut self) {
        self.step += 1;
        let until = VECTORS * self.step / (2 * self.steps);
        while self.written < until {
            // SAFETY: handed on to the caller.
            unsafe { self.pending.write::<2>(self.written) };
            self.written += 1;
        }
    }

    /// Stores all pending lines.
    ///
    /// # Safety
    /// As [`DeferredStores::step`], and for the last block too.
    #[inline(always)]
    pub(super) unsafe fn finish(&mut self) {
        // SAFETY: handed on to the caller.
        unsafe {
            for n in self.written..VECTORS {
                self.pending.write::<2>(n);
            }
            for n in 0..VECTORS {
                match self.blocks {
                    1 => self.current.write::<1>(n),
                    2 => self.current.write::<2>(n),
                    _ => {}
                }
            }
        }
    }
}

impl<const VECTORS: usize> Pair<'_, VECTORS> {
    /// Stores the lines of a vector, those of one or both blocks.
    ///
    /// # Safety
    /// These were kept, and can be written.
    #[inline(always)]
    unsafe fn write<const BLOCKS: usize>(&self, n: usize) {
        for (block, (to, rows)) in self.to.iter().enumerate().take(BLOCKS) {
            // SAFETY: handed on to the caller.
            unsafe {
                let line = self.lines.get_unchecked(n).get_unchecked(block).assume_init();
                _mm512_stream_si512(to.offset(*rows.add(n)).cast(), line);
            }
        }
    }
}
