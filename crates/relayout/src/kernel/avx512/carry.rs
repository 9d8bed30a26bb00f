//! [`Carry`]: the words of a block whose rows are carried, and the lines that they make.
//!
//! Blocks come in pairs along their rows. The words of the first are kept beside the block, and those of the second make two
//! lines of each row at once: what waits there and the first, then the first and the second, which waits for the next pair.
//! Law: as [`Carried`].

use std::arch::x86_64::*;

use super::super::LINE;
use super::super::carried::Carried;
use super::super::network::Place;
use super::rounds::{self, PLACES};

/// The rows of a block, from the first of them on: their lines, so far from a pointer, and what waits.
pub(super) struct Carry {
    destination: *mut u8,
    lines: *const isize,
    behind: *const u8,
    waiting: *mut __m512i,
    heads: *mut __m512i,
    /// The words of the first block of a pair.
    first: *mut __m512i,
    /// How many of the words have been taken from the block before.
    had: usize,
    turn: Turn,
}

/// What is done with the words of a block.
#[derive(Clone, Copy)]
enum Turn {
    /// The first of a pair: they are kept.
    Keep,
    /// The same where rows begin.
    Begin,
    /// The second of a pair: they make two lines.
    Pair,
    /// The same where rows begin: the first of both lines is not whole yet.
    Second,
    /// A block without a second one: its words make a line each.
    Alone,
    /// They overlap the words before, and end their rows; whether they are the second of a pair, and how many bytes of a word
    /// the ones before had.
    End(bool, u8),
}

impl Carry {
    /// That of the block at a place of a list, with room for the words of one.
    #[inline(always)]
    pub(super) fn of(
        carried: &mut Carried,
        place: &Place,
        (destination, lines): (*mut u8, *const isize),
        first: *mut u8,
    ) -> Self {
        let ([_, row], [_, along]) = (place.rows, place.at);
        let (line, had) = (along / LINE.cast_signed(), along % LINE.cast_signed());
        let begins = carried.had == 0 && line < 2;
        let turn = match line % 2 {
            last if had != 0 => Turn::End(last == 0, (LINE.cast_signed() - had).to_le_bytes()[0]),
            0 if begins => Turn::Begin,
            0 if along + LINE.cast_signed() == carried.run => Turn::Alone,
            0 => Turn::Keep,
            _ if begins => Turn::Second,
            _ => Turn::Pair,
        };
        Carry {
            destination,
            lines,
            behind: carried.behind.as_ptr().wrapping_add(row),
            waiting: carried.waiting.as_mut_ptr().wrapping_add(row).cast(),
            heads: carried.heads.as_mut_ptr().wrapping_add(row).cast(),
            first: first.cast(),
            had: place.had,
            turn,
        }
    }

    /// Takes words of some numbers.
    ///
    /// # Safety
    /// The block has words of these numbers, its rows have their lines, and a block that is the second of a pair follows the
    /// first.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) unsafe fn take<const N: usize>(&self, words: &[__m512i; N], number: impl Fn(usize) -> usize) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self.turn {
                Turn::Keep => each!(k in N, { _mm512_store_si512(self.first.add(number(k)), words[k]); }),
                Turn::Begin => each!(k in N, {
                    let n = number(k);
                    _mm512_store_si512(self.first.add(n), words[k]);
                    if n >= self.had {
                        _mm512_store_si512(self.heads.add(n), words[k]);
                    }
                }),
                Turn::Pair => each!(k in N, {
                    let n = number(k);
                    if n >= self.had {
                        let [waiting, first] = [self.waiting, self.first].map(|words| _mm512_load_si512(words.add(n)));
                        let (line, places) = (self.line(n), places(*self.behind.add(n)));
                        _mm512_stream_si512(line.sub(1), _mm512_permutex2var_epi8(waiting, places, first));
                        _mm512_stream_si512(line, _mm512_permutex2var_epi8(first, places, words[k]));
                        _mm512_store_si512(self.waiting.add(n), words[k]);
                    }
                }),
                Turn::Second => each!(k in N, { self.one(number(k), self.first, words[k]); }),
                Turn::Alone => each!(k in N, { self.one(number(k), self.waiting, words[k]); }),
                Turn::End(second, over) => each!(k in N, { self.end(number(k), words[k], second, over); }),
            }
        }
    }

    /// The line of a row where the block begins.
    ///
    /// # Safety
    /// The block has a word of that number.
    #[inline(always)]
    unsafe fn line(&self, n: usize) -> *mut __m512i {
        // SAFETY: handed on to the caller.
        unsafe { self.destination.offset(*self.lines.add(n)).cast() }
    }

    /// Writes one line: the word before, and a word, which waits then.
    ///
    /// # Safety
    /// As [`Carry::take`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn one(&self, n: usize, before: *const __m512i, word: __m512i) {
        if n < self.had {
            return;
        }
        // SAFETY: handed on to the caller.
        unsafe {
            let before = _mm512_load_si512(before.add(n));
            _mm512_stream_si512(self.line(n), joined(before, word, *self.behind.add(n)));
            _mm512_store_si512(self.waiting.add(n), word);
        }
    }

    /// Takes the last word of a row, of which the ones before had so many bytes.
    ///
    /// # Safety
    /// As [`Carry::take`].
    #[cold]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn end(&self, n: usize, word: __m512i, second: bool, had: u8) {
        if n < self.had {
            return;
        }
        // SAFETY: handed on to the caller.
        unsafe {
            let (behind, line) = (*self.behind.add(n), self.line(n).byte_add(usize::from(had)));
            let mut last = _mm512_load_si512(self.waiting.add(n));
            if second {
                let first = _mm512_load_si512(self.first.add(n));
                _mm512_stream_si512(line.sub(1), joined(last, first, behind));
                last = first;
            }
            if behind >= had {
                let (places, over) = (places(behind), _mm512_set1_epi8(had.cast_signed()));
                let places = _mm512_mask_add_epi8(places, u64::MAX << behind, places, over);
                _mm512_stream_si512(line, _mm512_permutex2var_epi8(last, places, word));
            }
            _mm512_store_si512(self.waiting.add(n), word);
        }
    }
}

/// Writes what is left when rows end: of each its first line and its last one.
///
/// # Safety
/// The rows have been taken, and their lines are so far from the pointer.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn finish(carried: &Carried, lines: &[isize], destination: *mut u8) {
    let bytes = carried.had + carried.run;
    let begins = |n: usize| Some(lines.get(n)? - carried.had + isize::from(*carried.behind.get(n)?));
    let head = |n: usize| carried.heads.get(n).map(|head| rounds::word(&head.0));
    let mut shared = false;
    for (n, (last, behind)) in carried.waiting.iter().zip(carried.behind).enumerate() {
        let (Some(begin), Some(own)) = (begins(n), head(n)) else { return };
        let left = (isize::from(*behind) + bytes).to_le_bytes()[0] & 63;
        let last = rounds::word(&last.0);
        // SAFETY: the row has these bytes.
        unsafe {
            if !shared {
                let line = destination.offset(begin - isize::from(*behind));
                write(line, u64::MAX << behind, joined(own, own, *behind));
            }
            let line = destination.offset(begin + bytes - isize::from(left));
            let next = head(n + 1).filter(|_| begins(n + 1) == Some(begin + bytes));
            shared = next.is_some();
            match next {
                Some(head) => _mm512_stream_si512(line.cast(), joined(last, head, left)),
                None => write(line, (1 << left) - 1, joined(last, last, left)),
            }
        }
    }
}

/// Writes some bytes of a line.
///
/// # Safety
/// They can be written.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn write(line: *mut u8, bytes: u64, word: __m512i) {
    // SAFETY: handed on to the caller.
    unsafe { _mm512_mask_storeu_epi8(line.cast(), bytes, word) };
}

/// The last bytes of one word, so many, and then the first of another.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn joined(one: __m512i, other: __m512i, behind: u8) -> __m512i {
    _mm512_permutex2var_epi8(one, places(behind), other)
}

/// Where those bytes are in both words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn places(behind: u8) -> __m512i {
    _mm512_sub_epi8(rounds::word(&PLACES), _mm512_set1_epi8(behind.cast_signed() - 64))
}
