//! [`Pack`]: short rows that lie a power of two apart, packed one after the other into lines.
//!
//! Rows of which each is filled up to a power of two are whole words of a network. A line of what is packed has bytes of a few
//! rows, which lie within two words, since a row is more than half of what it was filled up to: one permutation of both
//! makes it. Law: byte `n` of what is packed is byte `n % row` of row `n / row`.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::LINE;
use super::carried::Word;

/// How lines are put together from rows: as many as come of as many rows as a word has units.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 packs rows"))]
pub(super) struct Pack {
    /// For each line, where the first of its bytes is, and how far from there each is.
    lines: Vec<(usize, Word)>,
    /// How far apart the rows of such lines begin from those of the next.
    apart: usize,
}

impl Pack {
    /// The pack of rows of so many bytes, which lie so far apart, for so many lines.
    pub(super) fn of(row: usize, apart: usize, lines: usize) -> Self {
        let line = |n: usize| {
            let place = |byte: usize| byte / row * apart + byte % row;
            let first = place(n * LINE);
            let (mut word, mut own, mut left) = (Word::ZERO, 0, row - n * LINE % row);
            for byte in &mut word.0 {
                if left == 0 {
                    (own, left) = (own + u8::try_from(apart - row).unwrap_or(0), row);
                }
                *byte = own;
                (own, left) = (own + 1, left - 1);
            }
            (first, word)
        };
        Pack { lines: (0..lines).map(line).collect(), apart: lines * LINE / row * apart }
    }

    /// The room for so many bytes: as many lines as are put together at once.
    pub(super) fn room(&self, bytes: usize) -> usize {
        bytes.next_multiple_of(LINE * self.lines.len())
    }

    /// Packs rows into so many bytes of lines; `stream` writes them past the caches.
    ///
    /// # Safety
    /// The machine has AVX-512. The rows are there, and a word behind them; so is the room for lines, which begins on a line of
    /// memory if it is streamed.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "only AVX-512 packs rows"))]
    pub(super) unsafe fn run(&self, rows: *const u8, to: *mut u8, bytes: usize, stream: bool) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: handed on to the caller.
        unsafe {
            if stream {
                self.lines::<true>(rows, to, bytes);
            } else {
                self.lines::<false>(rows, to, bytes);
            }
        }
    }

    /// # Safety
    /// As [`Pack::run`].
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn lines<const STREAM: bool>(&self, rows: *const u8, to: *mut u8, bytes: usize) {
        for n in 0..bytes / (LINE * self.lines.len().max(1)) {
            for (k, (first, places)) in self.lines.iter().enumerate() {
                // SAFETY: the caller answers for rows and lines.
                unsafe {
                    let from = rows.add(n * self.apart + first);
                    let two = [_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(LINE).cast())];
                    let line = _mm512_permutex2var_epi8(two[0], _mm512_load_si512(places.0.as_ptr().cast()), two[1]);
                    let to = to.add((n * self.lines.len() + k) * LINE);
                    if STREAM {
                        // In halves, which memory takes a tenth faster.
                        _mm256_stream_si256(to.cast(), _mm512_castsi512_si256(line));
                        _mm256_stream_si256(to.add(LINE / 2).cast(), _mm512_extracti64x4_epi64(line, 1));
                    } else {
                        _mm512_storeu_si512(to.cast(), line);
                    }
                }
            }
        }
    }
}
