//! [`Prefetch`]: software prefetch of the lines of later blocks during the exchange of others.
//!
//! The prefetch distance and the cache level depend on the processor (`machine.rs`). Law: no memory is read or written.

use std::arch::x86_64::*;
use std::ops::Range;

use super::super::LINE;
use super::super::network::{Blocks, Later, Network};
use super::block::{ANY, CACHED, Mode, REALIGNED, Stores};
use crate::machine::MAX_L1_VECTORS;

/// The lines that are prefetched, and the prefetch distance in blocks.
pub(super) struct Prefetch {
    blocks: usize,
    /// How many lines are prefetched for each vector of a side: one, or those of its pieces, or none.
    lines: [usize; 2],
    /// How many rows each vector of a side has.
    rows: [usize; 2],
    /// The sides whose lines may be prefetched.
    sides: usize,
    /// Where vectors are realigned, whether they are prefetched to the first cache, and both lines of a vector that lies
    /// across two.
    near: bool,
    both: bool,
}

impl Prefetch {
    /// The prefetch of blocks of the given number of vectors. If it is not inlined, its fields stay in memory, and
    /// realigned vectors run at two thirds of their speed.
    #[inline(always)]
    pub(super) fn of(network: &Network, blocks: &Blocks, vectors: usize, mode: Mode) -> Self {
        let machine = &network.machine;
        let near = machine.prefetch_distance_l1.filter(|_| blocks.realigned.is_some() && vectors <= MAX_L1_VECTORS);
        let (prefetched, pieces) = (network.prefetches(blocks.rows[0], blocks.prefetched), network.pieces());
        let lines = [0, 1].map(|side| if prefetched[side] { LINE / pieces[side] } else { 0 });
        Prefetch {
            // At least one: a block must not prefetch the lines that it is about to load.
            blocks: (near.unwrap_or(machine.prefetch_distance) / vectors).max(1),
            lines,
            rows: [0, 1].map(|side| if mode.in_registers(side) { lines[side] } else { 1 }),
            // What is streamed is not prefetched.
            sides: if matches!(mode.stores, Stores::Streamed | Stores::Realigned) { 1 } else { 2 },
            near: near.is_some(),
            both: machine.prefetches_both_lines
                && !mode.gathers
                && (blocks.realigned.is_some() || are_skewed(blocks.rows[0])),
        }
    }

    /// Where the block is in the source whose lines are to be prefetched when another is moved; none where no line is,
    /// and where no such block follows.
    #[inline(always)]
    pub(super) fn later(&self, blocks: &Blocks, at: usize) -> Option<*const u8> {
        let Later { pointers, tile, .. } = blocks.later(at, self.blocks).filter(|_| self.lines[0] > 0)?;
        Some(pointers[0].wrapping_offset(tile.at[0]))
    }

    /// Prefetches the lines of one vector of the later block, for whole realigned vectors. The addresses are computed
    /// once for all of them.
    #[inline(always)]
    pub(super) fn by_vector(&self, blocks: &Blocks, at: usize) -> impl Fn(usize) + use<> {
        let later =
            blocks.later(at, self.blocks).filter(|_| self.lines[0] > 0).map(|Later { pointers, rows, tile }| {
                (pointers[0].wrapping_offset(tile.at[0]), rows[0].as_ptr().wrapping_add(tile.rows(0)))
            });
        let (near, both) = (self.near, self.both);
        move |n| {
            let Some((first, rows)) = later else { return };
            // SAFETY: the list has the rows of a block; what is prefetched need not be memory.
            unsafe {
                let line = first.wrapping_offset(*rows.add(n));
                prefetch(line, near);
                if both {
                    prefetch(line.wrapping_add(LINE - 1), near);
                }
            }
        }
    }

    /// Prefetches lines of a block that comes later, in this list or in the next: those of some vectors. Kernels that take long
    /// for a block call it for a few vectors at a time, because a processor has only some twenty line fill buffers.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has these vectors.
    #[inline(always)]
    pub(super) unsafe fn prefetch<const KIND: u8>(&self, blocks: &Blocks, at: usize, vectors: Range<usize>) {
        if self.lines == [0; 2] {
            return;
        }
        let Some(Later { pointers, rows, tile }) = blocks.later(at, self.blocks) else { return };
        let lines = |side: usize, further: usize| {
            let first = pointers[side].wrapping_offset(tile.at[side]).wrapping_add(further);
            // A constant where all vectors are whole.
            let pieces = if KIND == ANY { self.rows[side] } else { 1 };
            for n in vectors.start * pieces..vectors.end * pieces {
                // SAFETY: the list has these rows; what is prefetched need not be memory.
                unsafe {
                    let line = first.wrapping_offset(*rows[side].as_ptr().add(tile.rows(side) + n));
                    prefetch(line, matches!(KIND, REALIGNED | ANY) && self.near);
                }
            }
        };
        let sides = match KIND {
            ANY => self.sides,
            CACHED => 2,
            _ => 1,
        };
        for side in 0..sides {
            if self.lines[side] > 0 {
                lines(side, 0);
                if self.both {
                    lines(side, LINE - 1);
                }
            }
        }
    }
}

/// Whether vectors have different misalignments, so that most span two lines.
fn are_skewed(rows: &[isize]) -> bool {
    matches!(rows, [one, other, ..] if one.abs_diff(*other) % LINE != 0)
}

/// Prefetches a line, to the first cache or the second.
///
/// # Safety
/// What is prefetched need not be memory.
#[inline(always)]
unsafe fn prefetch(line: *const u8, near: bool) {
    // SAFETY: as above.
    unsafe {
        if near {
            _mm_prefetch::<_MM_HINT_T0>(line.cast());
        } else {
            _mm_prefetch::<_MM_HINT_T1>(line.cast());
        }
    }
}
