//! The network in words of 8 bytes: a round shifts and masks, so that every machine has it.
#![allow(unsafe_code)]

use super::network::{Blocks, Network};

/// Bytes whose place has bit 0, 1, 2 clear.
const CLEAR: [u64; 3] = [0x00ff_00ff_00ff_00ff, 0x0000_ffff_0000_ffff, 0x0000_0000_ffff_ffff];

/// As [`Network::run`].
///
/// # Safety
/// As [`Network::run`].
pub(super) unsafe fn run(network: &Network, blocks: &Blocks) {
    let count = 1usize << network.rounds.len();
    let ordered = network.is_ordered();
    let [from_pieces, to_pieces] = network.pieces();
    let mut words = [0u64; 8];
    for place in blocks.places {
        // SAFETY: the caller answers for every block; a side has 8 bytes a word in pieces.
        unsafe {
            let [reads, writes] = network.rows(blocks, place);
            let (source, destination) = (blocks.source.offset(place.at[0]), blocks.destination.offset(place.at[1]));
            for (word, at) in words.iter_mut().zip(reads.chunks(8 / from_pieces)) {
                let mut bytes = [0; 8];
                for (piece, at) in bytes.chunks_exact_mut(from_pieces).zip(at) {
                    source.offset(*at).copy_to_nonoverlapping(piece.as_mut_ptr(), from_pieces);
                }
                *word = u64::from_le_bytes(bytes);
            }
            for (round, bit) in network.rounds.iter().enumerate() {
                let (clear, shift) = (CLEAR[usize::from(*bit == 1) + 2 * usize::from(*bit == 2)], 8 << bit);
                for one in (0..count).filter(|n| n >> round & 1 == 0) {
                    let other = one | 1 << round;
                    let (a, b) = (words[one], words[other]);
                    words[one] = (a & clear) | (b & clear) << shift;
                    words[other] = (a >> shift & clear) | (b & !clear);
                }
            }
            for (word, at) in words.iter().zip(writes.chunks(8 / to_pieces)) {
                let mut bytes = word.to_le_bytes();
                if !ordered {
                    bytes = reordered(bytes, &network.order);
                }
                for (piece, at) in bytes.chunks_exact(to_pieces).zip(at) {
                    destination.offset(*at).copy_from_nonoverlapping(piece.as_ptr(), to_pieces);
                }
            }
        }
    }
}

fn reordered(bytes: [u8; 8], order: &[u32]) -> [u8; 8] {
    let mut moved = [0; 8];
    for (place, byte) in moved.iter_mut().enumerate() {
        let bits = order.iter().enumerate().filter(|(at, _)| place >> at & 1 == 1);
        let from = bits.fold(0, |sum, (_, from)| sum | 1usize << from);
        *byte = bytes[from & 7];
    }
    moved
}
