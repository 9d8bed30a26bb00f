//! The network in words of 16 bytes: a round shifts and blends, an order inside is a byte shuffle.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::network::{Blocks, Network};

/// As [`Network::run`].
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn run(network: &Network, blocks: &Blocks) {
    let count = 1usize << network.rounds.len();
    let order = (!network.is_ordered()).then(|| {
        let bits = |place: usize| {
            let on = network.order.iter().enumerate().filter(|(at, _)| place >> at & 1 == 1);
            on.fold(0u8, |sum, (_, from)| sum | 1 << from)
        };
        let bytes: [u8; 16] = std::array::from_fn(bits);
        // SAFETY: the array has 16 bytes.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    });
    let [from_pieces, to_pieces] = network.pieces();
    let mut words = [_mm_setzero_si128(); 16];
    for place in blocks.places {
        // SAFETY: the caller answers for every block; a side has 16 bytes a word in pieces.
        unsafe {
            let [reads, writes] = network.rows(blocks, place);
            let (source, destination) = (blocks.source.offset(place.at[0]), blocks.destination.offset(place.at[1]));
            for (word, at) in words.iter_mut().zip(reads.chunks(16 / from_pieces)) {
                let mut bytes = [0u8; 16];
                for (piece, at) in bytes.chunks_exact_mut(from_pieces).zip(at) {
                    source.offset(*at).copy_to_nonoverlapping(piece.as_mut_ptr(), from_pieces);
                }
                *word = _mm_loadu_si128(bytes.as_ptr().cast());
            }
            for (round, bit) in network.rounds.iter().enumerate() {
                for one in (0..count).filter(|n| n >> round & 1 == 0) {
                    let other = one | 1 << round;
                    (words[one], words[other]) = exchange(words[one], words[other], *bit);
                }
            }
            for (word, at) in words.iter().zip(writes.chunks(16 / to_pieces)) {
                let word = order.map_or(*word, |order| _mm_shuffle_epi8(*word, order));
                if let (16, [at]) = (to_pieces, at) {
                    let to = destination.offset(*at).cast();
                    if blocks.stream {
                        _mm_stream_si128(to, word)
                    } else {
                        _mm_storeu_si128(to, word)
                    }
                    continue;
                }
                let mut bytes = [0u8; 16];
                _mm_storeu_si128(bytes.as_mut_ptr().cast(), word);
                for (piece, at) in bytes.chunks_exact(to_pieces).zip(at) {
                    destination.offset(*at).copy_from_nonoverlapping(piece.as_ptr(), to_pieces);
                }
            }
        }
    }
}

/// The bit of the word's number and a bit inside, exchanged.
#[inline]
#[target_feature(enable = "avx2")]
fn exchange(a: __m128i, b: __m128i, bit: u32) -> (__m128i, __m128i) {
    match bit {
        0 => {
            let clear = _mm_set1_epi16(0x00ff);
            (_mm_blendv_epi8(_mm_slli_epi16(b, 8), a, clear), _mm_blendv_epi8(b, _mm_srli_epi16(a, 8), clear))
        }
        1 => (
            _mm_blend_epi16(a, _mm_slli_epi32(b, 16), 0b1010_1010),
            _mm_blend_epi16(_mm_srli_epi32(a, 16), b, 0b1010_1010),
        ),
        2 => (_mm_blend_epi32(a, _mm_slli_epi64(b, 32), 0b1010), _mm_blend_epi32(_mm_srli_epi64(a, 32), b, 0b1010)),
        _ => (_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)),
    }
}
