//! [`PairBuffer`]: rows of the destination whose words are carried to the lines of memory, where registers cannot join two words.
//!
//! As [`RealignedRows`](super::carried::Carried), but words are joined in the first cache: blocks come in pairs along their rows, and
//! are written behind the word of each row that waits. What is read from there at the places of lines is written past the
//! caches, two lines of a row at once, and the last word waits for the next pair. Law: when rows end, every byte of theirs has
//! been written.
#![allow(unsafe_code)]

use super::LINE;
use super::network::TileOrigin;
use super::register::Register;
use super::write_combining::Part;

/// The bytes that each row has there: a word that waits, and a pair of them.
pub(super) const ROW_BYTES: usize = 3 * LINE;

/// As many rows at most are in a list: the second cache keeps what they have.
pub(crate) const MAX_BUFFERED_ROWS: usize = (1 << 18) / ROW_BYTES;

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

/// Where the pair begins to which a word belongs that is so far along its row. One that overlaps the words before, and ends its
/// row, lies across the words of a pair.
fn pair(along: isize) -> isize {
    (along + LINE_BYTES - 1) / (2 * LINE_BYTES) * (2 * LINE_BYTES)
}

impl PairBuffer<'_> {
    /// From where the words of a block are put together with those before.
    #[inline(always)]
    pub(super) fn enter(&self, tile: &TileOrigin) -> *mut u8 {
        let along = tile.at[1];
        self.first.wrapping_offset(along - pair(along))
    }

    /// Writes the lines of so many rows of a block, when it is the second of a pair or the last of its rows.
    ///
    /// # Safety
    /// As [`Part::lines`], for rows that the block before has not had.
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
            // SAFETY: handed on to the caller; each row has a word in front, and one at least.
            unsafe {
                part.lines::<R>(from, self.destination.wrapping_offset(row + pair));
                for at in (0..LINE).step_by(size_of::<R>()) {
                    R::load(from.offset(ready - LINE_BYTES).add(at)).store(from.offset(-LINE_BYTES).add(at));
                }
            }
        }
    }
}
