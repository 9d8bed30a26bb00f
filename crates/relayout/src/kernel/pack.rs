//! [`Pack`]: packs short rows, padded to a power of two, one after the other into lines that are streamed.
//!
//! Padded rows are whole vectors of a network. A packed line has bytes of a few rows within two vectors, because a row
//! is more than half of its padded size. One permutation of both vectors makes the line, and depends only on the byte
//! of a row with which the line begins. The lines are those of the destination, whatever its alignment. The last
//! partial line stays pending for the data that continues it.
//!
//! Law: byte `n` of the packed data is byte `n % row` of row `n / row`, and no other byte is written.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::LINE;
use super::realigned::CacheLine;
use super::write_combining::Part;

/// How many vectors before the rows are read with the first of them, if it begins inside a line: a line has bytes of two
/// at most.
pub(super) const LEAD_LINES: usize = 2;

/// How lines are put together from rows.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 packs rows"))]
pub(super) struct Pack {
    /// The bytes of a row, and the stride between rows.
    row: isize,
    row_stride: isize,
    /// For each byte of a row, how far from there those of a line are that begins with it.
    lines: Vec<CacheLine>,
}

impl Pack {
    /// The pack of rows of the given length, less than a line, at the given stride.
    pub(super) fn of(row: usize, row_stride: usize) -> Self {
        let line = |first: usize| {
            let (mut position, mut left) = (0, row - first);
            CacheLine(std::array::from_fn(|_| {
                if left == 0 {
                    (position, left) = (position + row_stride - row, row);
                }
                (position, left) = (position + 1, left - 1);
                (position - 1).to_le_bytes()[0]
            }))
        };
        Pack { row: row.cast_signed(), row_stride: row_stride.cast_signed(), lines: (0..row).map(line).collect() }
    }

    /// Packs the ready bytes of some rows to the destination. The pending line is continued, unless the row begins
    /// here. Afterwards the last partial line is pending, unless the row ends.
    ///
    /// # Safety
    /// The machine has AVX-512. The rows are there, with a vector after them and [`LEAD_LINES`] before; what is ready
    /// can be written. Where it begins and does not end it has a line at least.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "only AVX-512 packs rows"))]
    pub(super) unsafe fn run(&self, rows: *const u8, to: *mut u8, part: &Part, pending: &mut CacheLine) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: handed on to the caller.
        unsafe {
            self.lines(rows, to, part, pending);
        }
    }

    /// # Safety
    /// As [`Pack::run`].
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn lines(&self, rows: *const u8, to: *mut u8, part: &Part, pending: &mut CacheLine) {
        const BYTES: isize = LINE.cast_signed();
        let misalignment = (to.addr() % LINE).cast_signed();
        let (whole, rest) = (BYTES / self.row * self.row_stride, BYTES % self.row);
        // From where the bytes of a line come: the row, and the byte in it.
        let mut from = (-misalignment).div_euclid(self.row) * self.row_stride;
        let mut byte = (-misalignment).rem_euclid(self.row);
        let mut next = || {
            // SAFETY: the caller answers for the rows, and there is a table line for each of their bytes.
            let line = unsafe {
                let first = rows.offset(from + byte);
                let two = [_mm512_loadu_si512(first.cast()), _mm512_loadu_si512(first.add(LINE).cast())];
                let positions = _mm512_load_si512(self.lines.as_ptr().offset(byte).cast());
                _mm512_permutex2var_epi8(two[0], positions, two[1])
            };
            (from, byte) = (from + whole, byte + rest);
            let over = if byte >= self.row { isize::MAX } else { 0 };
            (from, byte) = (from + (self.row_stride & over), byte - (self.row & over));
            line
        };
        let mut at = -misalignment;
        // SAFETY: the caller answers for what is ready, to which a mask keeps.
        unsafe {
            let first = u64::MAX << misalignment;
            if at < 0 && part.ready - at >= BYTES {
                let line = next();
                if part.begins {
                    _mm512_mask_storeu_epi8(to.offset(at).cast(), first, line);
                } else {
                    stream(to.offset(at), _mm512_mask_loadu_epi8(line, !first, pending.0.as_ptr().cast()));
                }
                at += BYTES;
            }
            while part.ready - at >= BYTES {
                stream(to.offset(at), next());
                at += BYTES;
            }
            if at < part.ready {
                let mut line = next();
                let mut mask = !(u64::MAX << (part.ready - at));
                if at < 0 && part.begins {
                    mask &= first;
                } else if at < 0 {
                    line = _mm512_mask_loadu_epi8(line, !first, pending.0.as_ptr().cast());
                }
                if part.ends {
                    _mm512_mask_storeu_epi8(to.offset(at).cast(), mask, line);
                } else {
                    _mm512_store_si512(pending.0.as_mut_ptr().cast(), line);
                }
            }
        }
    }
}

/// Writes a line with streaming stores in halves, which memory takes a tenth faster.
///
/// # Safety
/// There is a cache line, and the machine has AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn stream(to: *mut u8, line: __m512i) {
    // SAFETY: handed on to the caller.
    unsafe {
        _mm256_stream_si256(to.cast(), _mm512_castsi512_si256(line));
        _mm256_stream_si256(to.add(LINE / 2).cast(), _mm512_extracti64x4_epi64(line, 1));
    }
}
