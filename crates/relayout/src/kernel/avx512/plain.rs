//! [`run`]: the network whose vectors are loaded and stored directly, without buffers.
//!
//! This is the commonest case. Many blocks have two or four vectors, and finding them takes longer than exchanging
//! them. So the addresses are computed once where all blocks are uniform, and a visit is loads, rounds and stores.
//!
//! Law: as [`Network::run`].

use std::array::from_fn;
use std::ptr::null;

use super::super::network::{Blocks, Network};
use super::block::{ANY, BlockShape, Mode};
use super::prefetch::Prefetch;
use super::rounds::Rounds;

impl Network {
    /// Whether no vector is deferred, realigned, or staged in memory.
    pub(super) fn is_plain(&self, blocks: &Blocks) -> bool {
        let in_registers = self.sides.iter().all(|side| side.piece >= 4);
        in_registers && blocks.realigned.is_none() && !(blocks.stream && self.defers_stores())
    }
}

/// As [`Network::run`], for blocks of `N` vectors that are plain.
///
/// # Safety
/// As [`Network::run`].
pub(super) unsafe fn run<const N: usize, const SUB_BYTE: bool, const KIND: u8>(
    network: &Network,
    blocks: &Blocks,
    mode: Mode,
) {
    let is_uniform = KIND != ANY
        && blocks.rows.iter().all(|rows| rows.len() == N)
        && network.sides.iter().all(|side| side.flips.is_empty());
    // SAFETY: handed on to the caller, who has checked that the machine has these instructions.
    unsafe {
        if is_uniform {
            each::<N, SUB_BYTE, KIND, true>(network, blocks, mode);
        } else {
            each::<N, SUB_BYTE, KIND, false>(network, blocks, mode);
        }
    }
}

/// The same. `UNIFORM` means that all blocks have vectors at the same distances, and none is flipped.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn each<const N: usize, const SUB_BYTE: bool, const KIND: u8, const UNIFORM: bool>(
    network: &Network,
    blocks: &Blocks,
    mode: Mode,
) {
    let rounds = Rounds::<SUB_BYTE>::of(network);
    let (shape, prefetch) = (BlockShape::of(network, mode), Prefetch::of(network, blocks, N, mode));
    // Values behind a pointer would be loaded again after each store.
    let rows: [[isize; N]; 2] = blocks.rows.map(|rows| from_fn(|n| rows.get(n).copied().unwrap_or(0)));
    for (at, tile) in blocks.tiles.iter().enumerate() {
        // SAFETY: the caller answers for every block, for its rows and its flips; a block has N vectors.
        unsafe {
            let mut block = shape.block(blocks, tile, N);
            if UNIFORM {
                [block.reads, block.writes] = rows.each_ref().map(|rows| rows.as_ptr());
                block.flips = [null(); 2];
            }
            let mut vectors = block.read_all::<N, KIND>(|n| n);
            prefetch.prefetch::<KIND>(blocks, at, 0..N);
            block.flip(0, &mut vectors, |n| n);
            rounds.exchange(&mut vectors);
            block.flip(1, &mut vectors, |n| n);
            block.write::<N, KIND>(&vectors, |n| n, |_| ());
        }
    }
}
