//! [`RealignedBlock`]: stores the vectors of a block whose rows are realigned.
//!
//! Blocks come in pairs along their rows. The vectors of the first block stay in a buffer. The second block makes two
//! lines of each row at once: the pending vector joined with the first, and the first joined with the second. The
//! second is then pending for the next pair.
//!
//! Law: as [`RealignedRows`].

use std::arch::x86_64::*;

use super::super::LINE;
use super::super::network::TileOrigin;
use super::super::realigned::RealignedRows;
use super::rounds::{self, POSITIONS};

/// The rows of a block, from the first of them on: the lines where the block begins, as distances from a pointer, and
/// the pending vectors.
#[derive(Clone, Copy)]
pub(super) struct RealignedBlock {
    destination: *mut u8,
    lines: *const isize,
    misalignment: *const u8,
    pending: *mut __m512i,
    heads: *mut __m512i,
    /// The vectors of the first block of a pair.
    first: *mut __m512i,
    /// Of how many rows the block before, which this one overlaps, took the vectors.
    consumed: usize,
    turn: Turn,
}

/// What is done with the vectors of a block.
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
    /// A block without a second one: its vectors make a line each.
    Alone,
    /// They overlap the vectors before by `over` bytes and end their rows, perhaps as the second of a pair.
    End { second: bool, over: u8 },
}

impl RealignedBlock {
    /// Those of the block at a tile origin of a list, which begins at the pointer.
    #[inline(always)]
    pub(super) fn of(realigned: &mut RealignedRows, tile: &TileOrigin, destination: *mut u8) -> Self {
        const BYTES: isize = LINE.cast_signed();
        let (row, [_, along]) = (tile.rows(1), tile.at);
        let (vector, new) = (along / BYTES, along % BYTES);
        let begins = realigned.consumed == 0 && vector < 2;
        let turn = match vector % 2 {
            before if new != 0 => Turn::End { second: before == 0, over: (BYTES - new).to_le_bytes()[0] },
            0 if begins => Turn::Begin,
            0 if along + BYTES == realigned.run => Turn::Alone,
            0 => Turn::Keep,
            _ if begins => Turn::Second,
            _ => Turn::Pair,
        };
        RealignedBlock {
            destination,
            lines: realigned.lines.as_ptr().wrapping_add(row),
            misalignment: realigned.misalignment.as_ptr().wrapping_add(row),
            pending: realigned.pending.as_mut_ptr().wrapping_add(row).cast(),
            heads: realigned.heads.as_mut_ptr().wrapping_add(row).cast(),
            first: realigned.first.as_mut_ptr().cast(),
            consumed: tile.consumed(),
            turn,
        }
    }

    /// Keeps vectors of the given numbers, or stores the lines that they make; `after_each` is called after each vector.
    ///
    /// # Safety
    /// The block has vectors of these numbers, its rows have their lines, and a block that is the second of a pair follows the
    /// first.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) unsafe fn write<const N: usize>(
        &self,
        vectors: &[__m512i; N],
        number: impl Fn(usize) -> usize,
        after_each: impl Fn(usize),
    ) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self.turn {
                Turn::Keep => each!(k in N, {
                    _mm512_store_si512(self.first.add(number(k)), vectors[k]);
                    after_each(k);
                }),
                Turn::Begin => each!(k in N, {
                    let n = number(k);
                    _mm512_store_si512(self.first.add(n), vectors[k]);
                    if n >= self.consumed {
                        _mm512_store_si512(self.heads.add(n), vectors[k]);
                    }
                    after_each(k);
                }),
                Turn::Pair => each!(k in N, {
                    self.pair(number(k), vectors[k]);
                    after_each(k);
                }),
                Turn::Second => each!(k in N, {
                    self.one(number(k), self.first, vectors[k]);
                    after_each(k);
                }),
                Turn::Alone => each!(k in N, {
                    self.one(number(k), self.pending, vectors[k]);
                    after_each(k);
                }),
                Turn::End { second, over } => each!(k in N, {
                    self.end(number(k), vectors[k], second, over);
                    after_each(k);
                }),
            }
        }
    }

    /// The line of a row where the block begins.
    ///
    /// # Safety
    /// The block has a vector of that number.
    #[inline(always)]
    unsafe fn line(&self, n: usize) -> *mut __m512i {
        // SAFETY: handed on to the caller.
        unsafe { self.destination.offset(*self.lines.add(n)).cast() }
    }

    /// Stores both lines that the pending vector, the first of the pair and this one make. This one is then pending.
    ///
    /// # Safety
    /// As [`RealignedBlock::write`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn pair(&self, n: usize, vector: __m512i) {
        if n < self.consumed {
            return;
        }
        // SAFETY: handed on to the caller.
        unsafe {
            let (pending, first) = (_mm512_load_si512(self.pending.add(n)), _mm512_load_si512(self.first.add(n)));
            let (line, positions) = (self.line(n), positions(*self.misalignment.add(n)));
            _mm512_stream_si512(line.sub(1), _mm512_permutex2var_epi8(pending, positions, first));
            _mm512_stream_si512(line, _mm512_permutex2var_epi8(first, positions, vector));
            _mm512_store_si512(self.pending.add(n), vector);
        }
    }

    /// Stores one line from the vector before and this vector, which is then pending.
    ///
    /// # Safety
    /// As [`RealignedBlock::write`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn one(&self, n: usize, before: *const __m512i, vector: __m512i) {
        if n < self.consumed {
            return;
        }
        // SAFETY: handed on to the caller.
        unsafe {
            let before = _mm512_load_si512(before.add(n));
            _mm512_stream_si512(self.line(n), joined(before, vector, *self.misalignment.add(n)));
            _mm512_store_si512(self.pending.add(n), vector);
        }
    }

    /// Stores the lines that the last vector of a row makes. It overlaps the vector before by `over` bytes. A reference to the
    /// block would keep it in memory, read again after each store of all others.
    ///
    /// # Safety
    /// As [`RealignedBlock::write`].
    #[cold]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn end(self, n: usize, vector: __m512i, second: bool, over: u8) {
        if n < self.consumed {
            return;
        }
        // SAFETY: handed on to the caller.
        unsafe {
            let (misalignment, line) = (*self.misalignment.add(n), self.line(n).byte_add(usize::from(over)));
            let mut last = _mm512_load_si512(self.pending.add(n));
            if second {
                let first = _mm512_load_si512(self.first.add(n));
                _mm512_stream_si512(line.sub(1), joined(last, first, misalignment));
                last = first;
            }
            // The new bytes and the rest of the vector before fill a line.
            if misalignment >= over {
                let (positions, over) = (positions(misalignment), _mm512_set1_epi8(over.cast_signed()));
                let positions = _mm512_mask_add_epi8(positions, u64::MAX << misalignment, positions, over);
                _mm512_stream_si512(line, _mm512_permutex2var_epi8(last, positions, vector));
            }
            _mm512_store_si512(self.pending.add(n), vector);
        }
    }
}

/// Stores the rest when rows end: the first and the last line of each.
///
/// # Safety
/// All vectors of the rows have been kept or written; the pointer is that of the list.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn finish(realigned: &RealignedRows, destination: *mut u8) {
    let bytes = realigned.consumed + realigned.run;
    let begins =
        |n: usize| Some(realigned.lines.get(n)? - realigned.consumed + isize::from(*realigned.misalignment.get(n)?));
    let head = |n: usize| realigned.heads.get(n).map(|head| rounds::vector(&head.0));
    let mut shared = false;
    for (n, (last, misalignment)) in realigned.pending.iter().zip(realigned.misalignment).enumerate() {
        let (Some(begin), Some(first)) = (begins(n), head(n)) else { return };
        let left = (isize::from(*misalignment) + bytes).to_le_bytes()[0] & 63;
        let last = rounds::vector(&last.0);
        // SAFETY: the row has these bytes.
        unsafe {
            if !shared {
                let line = destination.wrapping_offset(begin - isize::from(*misalignment));
                write(line, u64::MAX << misalignment, joined(first, first, *misalignment));
            }
            let line = destination.wrapping_offset(begin + bytes - isize::from(left));
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
/// These can be written; the others need not be memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn write(line: *mut u8, bytes: u64, vector: __m512i) {
    // SAFETY: handed on to the caller.
    unsafe { _mm512_mask_storeu_epi8(line.cast(), bytes, vector) };
}

/// The last `misalignment` bytes of one vector, and then the first of another.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn joined(one: __m512i, other: __m512i, misalignment: u8) -> __m512i {
    _mm512_permutex2var_epi8(one, positions(misalignment), other)
}

/// Where those bytes are in both vectors.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn positions(misalignment: u8) -> __m512i {
    _mm512_sub_epi8(rounds::vector(&POSITIONS), _mm512_set1_epi8(misalignment.cast_signed() - 64))
}
