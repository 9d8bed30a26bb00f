//! [`Carry`]: the words of a block whose rows are carried, and the lines that they make.
//!
//! Words wait in pairs: the first of a row is kept until the end, the second, fourth, … wait beside the one before, and each of
//! the others makes two lines at once. Law: as [`Carried`].

use std::arch::x86_64::*;

use super::super::LINE;
use super::super::carried::{Carried, Word};
use super::super::network::Place;
use super::rounds::{self, PLACES};

/// The rows of a block, from the first of them on: their lines, so far from a pointer, and what waits.
pub(super) struct Carry {
    destination: *mut u8,
    lines: *const isize,
    behind: *const u8,
    waiting: *mut [Word; 2],
    heads: *mut Word,
    /// How many of the words have been taken from the block before.
    had: usize,
    turn: Turn,
}

/// What is done with the words of a block.
#[derive(Clone, Copy)]
enum Turn {
    /// They begin their rows.
    Begin,
    /// They wait.
    Wait,
    /// They make two lines with those that wait.
    Write,
    /// They overlap the words before, and end their rows; whether two wait, and how many bytes of a word the ones before had.
    End(bool, u8),
}

impl Carry {
    /// That of the block at a place of a list, which begins so many bytes along rows.
    #[inline(always)]
    pub(super) fn of(carried: &mut Carried, place: &Place, destination: *mut u8, lines: *const isize) -> Self {
        let ([_, row], along) = (place.rows, place.at[1].cast_unsigned());
        let (line, had) = (along / LINE, along % LINE);
        let turn = match (had, line) {
            (0, 0) if carried.had == 0 => Turn::Begin,
            (0, _) if line % 2 == 1 => Turn::Wait,
            (0, _) => Turn::Write,
            _ => Turn::End(line % 2 == 1, (LINE - had).to_le_bytes()[0]),
        };
        Carry {
            destination,
            lines,
            behind: carried.behind.as_ptr().wrapping_add(row),
            waiting: carried.waiting.as_mut_ptr().wrapping_add(row),
            heads: carried.heads.as_mut_ptr().wrapping_add(row),
            had: place.had,
            turn,
        }
    }

    /// Takes words of some numbers.
    ///
    /// # Safety
    /// The block has words of these numbers, and its rows their lines.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) unsafe fn take<const N: usize>(&self, words: &[__m512i; N], number: impl Fn(usize) -> usize) {
        // SAFETY: handed on to the caller.
        unsafe {
            let line = |n: usize| self.destination.offset(*self.lines.add(n));
            let waiting = |n: usize| self.waiting.add(n).cast::<__m512i>();
            match self.turn {
                Turn::Begin => each!(k in N, {
                    let n = number(k);
                    if n >= self.had {
                        _mm512_store_si512(self.heads.add(n).cast(), words[k]);
                        _mm512_store_si512(waiting(n), words[k]);
                    }
                }),
                Turn::Wait => each!(k in N, {
                    let n = number(k);
                    if n >= self.had {
                        _mm512_store_si512(waiting(n).add(1), words[k]);
                    }
                }),
                Turn::Write => each!(k in N, {
                    let n = number(k);
                    if n >= self.had {
                        two(line(n), waiting(n), words[k], *self.behind.add(n));
                    }
                }),
                Turn::End(two, over) => each!(k in N, {
                    let n = number(k);
                    if n >= self.had {
                        end(line(n), waiting(n), words[k], two, [*self.behind.add(n), over]);
                    }
                }),
            }
        }
    }
}

/// Writes two lines: what waits of a row, and a word.
///
/// # Safety
/// As [`Carry::take`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn two(line: *mut u8, waiting: *mut __m512i, word: __m512i, behind: u8) {
    // SAFETY: handed on to the caller.
    unsafe {
        let places = places(behind);
        let [one, other] = [_mm512_load_si512(waiting), _mm512_load_si512(waiting.add(1))];
        _mm512_stream_si512(line.sub(LINE).cast(), _mm512_permutex2var_epi8(one, places, other));
        _mm512_stream_si512(line.cast(), _mm512_permutex2var_epi8(other, places, word));
        _mm512_store_si512(waiting, word);
    }
}

/// Takes the last word of a row, of which the ones before had so many bytes.
///
/// # Safety
/// As [`Carry::take`].
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn end(line: *mut u8, waiting: *mut __m512i, word: __m512i, two: bool, [behind, had]: [u8; 2]) {
    // SAFETY: handed on to the caller.
    unsafe {
        let line = line.add(usize::from(had));
        let mut last = _mm512_load_si512(waiting);
        if two {
            let other = _mm512_load_si512(waiting.add(1));
            _mm512_stream_si512(line.sub(LINE).cast(), joined(last, other, behind));
            last = other;
        }
        if usize::from(behind) + LINE - usize::from(had) >= LINE {
            let places = places(behind);
            let over = _mm512_set1_epi8(had.cast_signed());
            let places = _mm512_mask_add_epi8(places, u64::MAX << behind, places, over);
            _mm512_stream_si512(line.cast(), _mm512_permutex2var_epi8(last, places, word));
        }
        _mm512_store_si512(waiting, word);
    }
}

/// Writes what is left when rows end: of each its first line and its last ones.
///
/// # Safety
/// The rows have been taken, and their lines are so far from the pointer.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn finish(carried: &Carried, lines: &[isize], destination: *mut u8) {
    let bytes = carried.had + carried.run;
    let begins = |n: usize| Some(lines.get(n)? - carried.had + isize::from(*carried.behind.get(n)?));
    let head = |n: usize| carried.heads.get(n).map(|head| rounds::word(&head.0));
    let mut shared = false;
    for (n, ([one, other], behind)) in carried.waiting.iter().zip(carried.behind).enumerate() {
        let (Some(begin), Some(own)) = (begins(n), head(n)) else { return };
        let left = (isize::from(*behind) + bytes).to_le_bytes()[0] & 63;
        let [mut last, other] = [one, other].map(|word| rounds::word(&word.0));
        // SAFETY: the row has these bytes.
        unsafe {
            if !shared {
                let line = destination.offset(begin - isize::from(*behind));
                write(line, u64::MAX << behind, joined(own, own, *behind));
            }
            let line = destination.offset(begin + bytes - isize::from(left));
            if bytes.cast_unsigned().is_multiple_of(2 * LINE) {
                _mm512_stream_si512(line.sub(LINE).cast(), joined(last, other, *behind));
                last = other;
            }
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
