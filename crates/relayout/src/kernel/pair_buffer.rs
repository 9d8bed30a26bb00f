//! [`PairBuffer`]: realigns rows through memory, where registers cannot join two vectors.
//!
//! As [`RealignedRows`](super::realigned::RealignedRows), but vectors are joined in the first cache. Blocks come in
//! pairs along their rows, and are written after the pending vector of each row. Aligned loads from there give whole
//! lines, two of a row at once, which are streamed. The last vector is pending for the next pair.
//!
//! Law: when rows end, every byte of them has been written.
#![allow(unsafe_code)]

use super::LINE;
use super::network::TileOrigin;
use super::register::Register;
use super::write_combining::Part;

/// The bytes of each row in the buffer: a pending vector and a pair of vectors.
pub(crate) const ROW_BYTES: usize = 3 * LINE;

/// The rows of a list.
pub(crate) struct PairBuffer<'a> {
    /// Where the pair of the first row is put together, [`ROW_BYTES`] from that of the next.
    pub(super) first: *mut u8,
    /// Where rows are, from the pointer of the list.
    pub(super) destination: *mut u8,
    pub(super) rows: &'a [isize],
    /// The bytes that the list has of each.
    pub(super) run: isize,
    /// Whether they begin with this list, and whether they end.
    pub(super) begins: bool,
    pub(super) ends: bool,
}

const LINE_BYTES: isize = LINE.cast_signed();

/// The start of the pair of a vector at a distance along its row. A vector that overlaps those before, and ends its
/// row, lies across the vectors of a pair.
fn pair(along: isize) -> isize {
    (along + LINE_BYTES - 1) / (2 * LINE_BYTES) * (2 * LINE_BYTES)
}

impl PairBuffer<'_> {
    /// From where the vectors of a block are put together with those before.
    #[inline(always)]
    pub(super) fn enter(&self, tile: &TileOrigin) -> *mut u8 {
        let along = tile.at[1];
        self.first.wrapping_offset(along - pair(along))
    }

    /// Writes the lines of the rows of a block, when it is the second of a pair or the last of its rows.
    ///
    /// # Safety
    /// As [`Part::lines`], for rows that the block before has not written.
    #[inline(always)]
    pub(super) unsafe fn leave<R: Register>(&self, tile: &TileOrigin, rows: usize) {
        let (pair, end) = (pair(tile.at[1]), tile.at[1] + LINE_BYTES);
        let ready = end - pair;
        if ready < 2 * LINE_BYTES && end < self.run {
            return;
        }
        let part = Part { begins: self.begins && pair == 0, ends: self.ends && end == self.run, ready };
        let new = tile.rows(1) + tile.consumed();
        for (n, row) in self.rows.iter().enumerate().skip(new).take(rows - tile.consumed()) {
            let from = self.first.wrapping_add(n * ROW_BYTES);
            // SAFETY: handed on to the caller; each row has a vector in front, and one at least.
            unsafe {
                part.lines::<R>(from, self.destination.wrapping_offset(row + pair));
                for at in (0..LINE).step_by(size_of::<R>()) {
                    R::load(from.offset(ready - LINE_BYTES).add(at)).store(from.offset(-LINE_BYTES).add(at));
                }
            }
        }
    }
}
