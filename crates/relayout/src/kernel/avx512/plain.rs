//! [`run`]: the network where words are read and written where they belong, and none waits for others.
//!
//! Most blocks are such, and many have two or four words, for which it takes longer to find them than to exchange them. So
//! where the words of a block are is told once for all blocks, if all are alike, and a visit is loads, rounds and stores. Law:
//! as [`Network::run`].

use std::arch::x86_64::*;
use std::array::from_fn;
use std::ptr::null;

use super::super::network::{Blocks, Network};
use super::ahead::Ahead;
use super::block::{CACHES, Form, LINES};
use super::rounds::Rounds;

impl Network {
    /// Whether no word waits for others, or is put together or taken apart in memory.
    pub(super) fn is_plain(&self, blocks: &Blocks) -> bool {
        let in_registers = self.sides.iter().all(|side| side.piece >= 4);
        in_registers && blocks.carried.is_none() && !(blocks.stream && self.writes_behind())
    }
}

/// As [`Network::run`], for blocks of `N` words that are plain.
///
/// # Safety
/// As [`Network::run`].
pub(super) unsafe fn run<const N: usize, const WAY: u8, const BELOW: bool>(network: &Network, blocks: &Blocks) {
    let alike =
        blocks.rows.iter().all(|rows| rows.len() == N) && network.sides.iter().all(|side| side.flips.is_empty());
    // SAFETY: handed on to the caller, who has checked that the machine has these instructions.
    unsafe {
        match WAY {
            CACHES if alike => each::<N, CACHES, BELOW, true>(network, blocks),
            LINES if alike => each::<N, LINES, BELOW, true>(network, blocks),
            _ => each::<N, WAY, BELOW, false>(network, blocks),
        }
    }
}

/// The same; `ALIKE` where all blocks have their words, which are whole, at the same places, and none is flipped.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn each<const N: usize, const WAY: u8, const BELOW: bool, const ALIKE: bool>(
    network: &Network,
    blocks: &Blocks,
) {
    let rounds = Rounds::<BELOW>::of(network);
    let (form, ahead) = (Form::of(network), Ahead::of(network, blocks, N));
    // Those behind a pointer would be read again after each store.
    let rows: [[isize; N]; 2] = blocks.rows.map(|rows| from_fn(|n| rows.get(n).copied().unwrap_or(0)));
    for (at, place) in blocks.places.iter().enumerate() {
        // SAFETY: the caller answers for every block, for its rows and its flips; a block has N words.
        unsafe {
            let mut block = form.block(blocks, place, N);
            if ALIKE {
                [block.reads, block.writes] = rows.each_ref().map(|rows| rows.as_ptr());
                block.flips = [null(); 2];
            }
            let mut words = [_mm512_setzero_si512(); N];
            each!(n in N, { words[n] = block.read::<WAY>(n); });
            ahead.fetch::<WAY>(blocks, at, 0..N);
            block.flip(0, &mut words, |n| n);
            rounds.exchange(&mut words);
            block.flip(1, &mut words, |n| n);
            block.write::<N, WAY>(&words, |n| n, |_| ());
        }
    }
}
