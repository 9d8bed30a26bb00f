//! [`Walk`]: the blocks of a tile list, with the addresses of their vectors.
//!
//! Where pieces are shorter than a quarter of a vector, vectors are staged: gathered into a buffer before the exchange,
//! and scattered from one afterwards. Lines of later blocks are prefetched meanwhile.
//!
//! Law: the loads give the vectors of the block, and the stores put every piece at its place.

use std::arch::x86_64::*;

use super::super::LINE;
use super::super::network::{Blocks, Network, TileOrigin};
use super::super::stage::{STAGED, Staged, pieces};
use super::block::{Block, BlockShape, Mode};
use super::prefetch::Prefetch;
use super::realigned::{RealignedBlock, finish};

/// The blocks of a list, with room to stage the vectors of both sides.
pub(super) struct Walk<'a> {
    shape: BlockShape<'a>,
    pub(super) blocks: Blocks<'a>,
    pub(super) prefetch: Prefetch,
    staged: [Staged; 2],
}

impl<'a> Walk<'a> {
    /// The blocks of a list, each of the given number of vectors.
    pub(super) fn new(network: &'a Network, blocks: Blocks<'a>, vectors: usize, mode: Mode) -> Self {
        let prefetch = Prefetch::of(network, &blocks, vectors, mode);
        Walk { shape: BlockShape::of(network, mode), blocks, prefetch, staged: [Staged::new(), Staged::new()] }
    }

    /// Where the vectors of a block are.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has that many vectors.
    #[inline(always)]
    pub(super) unsafe fn enter<const KIND: u8>(&mut self, tile: &TileOrigin, vectors: usize) -> Block {
        // SAFETY: the caller answers for every block and for its rows.
        unsafe {
            let mut block = self.shape.block(&self.blocks, tile, vectors);
            if let (true, Some(realigned)) = (self.shape.realigns::<KIND>(), &mut self.blocks.realigned) {
                block.realigned = Some(RealignedBlock::of(realigned, tile, block.destination));
            }
            if self.shape.is_staged::<KIND>(0) {
                stage(block.pieces[0], vectors, block.reads, block.source, &mut self.staged[0]);
                (block.source, block.reads) = (self.staged[0].as_mut_ptr().cast_const(), STAGED.as_ptr());
            }
            if self.shape.is_staged::<KIND>(1) {
                (block.destination, block.writes) = (self.staged[1].as_mut_ptr(), STAGED.as_ptr());
            }
            block
        }
    }

    /// Stores the rest of rows that end with the list.
    ///
    /// # Safety
    /// As [`Network::run`]; all blocks have been moved.
    #[inline(always)]
    pub(super) unsafe fn finish(&self) {
        if let Some(realigned) = self.blocks.realigned.as_ref().filter(|realigned| realigned.ends) {
            // SAFETY: handed on to the caller.
            unsafe { finish(realigned, self.blocks.destination) };
        }
    }

    /// Brings the vectors of a block to their pieces.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has that many vectors.
    #[inline(always)]
    pub(super) unsafe fn leave<const KIND: u8>(&mut self, tile: &TileOrigin, vectors: usize) {
        if self.shape.is_staged::<KIND>(1) {
            let piece = self.shape.pieces[1];
            // SAFETY: handed on to the caller.
            unsafe {
                let from = self.staged[1].as_mut_ptr().cast_const();
                let writes = self.blocks.rows[1].as_ptr().wrapping_add(tile.rows(1));
                let destination = self.blocks.destination.offset(tile.at[1]);
                pieces(piece, vectors * LINE, |n| (from.add(n << piece), destination.offset(*writes.add(n))));
            }
        }
    }
}

/// Brings the pieces of vectors side by side.
///
/// # Safety
/// Every piece lies inside the source; a block has at most 4096 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn stage(piece: u32, vectors: usize, rows: *const isize, source: *const u8, staged: &mut Staged) {
    let to = staged.as_mut_ptr();
    // SAFETY: handed on to the caller.
    unsafe {
        let at = |n: usize| source.offset(*rows.add(n));
        if piece != 3 {
            return pieces(piece, vectors * LINE, |n| (at(n), to.add(n << piece)));
        }
        for n in 0..vectors {
            let piece = |k: usize| at(8 * n + k).cast::<i64>().read_unaligned();
            let [a, b, c, d] = [piece(0), piece(1), piece(2), piece(3)];
            let vector = _mm512_set_epi64(piece(7), piece(6), piece(5), piece(4), d, c, b, a);
            _mm512_store_si512(to.add(LINE * n).cast(), vector);
        }
    }
}
