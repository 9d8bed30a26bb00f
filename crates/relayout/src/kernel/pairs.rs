//! [`Pairs`]: rows of the destination whose words are carried to the lines of memory, where registers cannot join two words.
//!
//! As [`Carried`](super::carried::Carried), but words are joined in the first cache: blocks come in pairs along their rows, and
//! are written behind the word of each row that waits. What is read from there at the places of lines is written past the
//! caches, two lines of a row at once, and the last word waits for the next pair. Law: when rows end, every byte of theirs has
//! been written.
#![allow(unsafe_code)]

use super::LINE;
use super::held::Part;
use super::network::Place;
use super::register::Register;

/// The bytes that each row has there: a word that waits, and a pair of them.
pub(super) const APART: usize = 3 * LINE;

/// As many rows at most are in a list: the second cache keeps what they have.
pub(crate) const KEPT: usize = (1 << 18) / APART;

/// The rows of a list.
pub(crate) struct Pairs<'a> {
    /// Where the pair of the first row is put together, [`APART`] from that of the next.
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

const WORD: isize = LINE.cast_signed();

/// Where the pair begins to which a word belongs that is so far along its row. One that overlaps the words before, and ends its
/// row, lies across the words of a pair.
fn pair(along: isize) -> isize {
    (along + WORD - 1) / (2 * WORD) * (2 * WORD)
}

impl Pairs<'_> {
    /// From where the words of a block are put together with those before.
    #[inline(always)]
    pub(super) fn enter(&self, place: &Place) -> *mut u8 {
        let along = place.at[1];
        self.first.wrapping_offset(along - pair(along))
    }

    /// Writes the lines of so many rows of a block, when it is the second of a pair or the last of its rows.
    ///
    /// # Safety
    /// As [`Part::lines`], for rows that the block before has not had.
    #[inline(always)]
    pub(super) unsafe fn leave<R: Register>(&self, place: &Place, rows: usize) {
        let (pair, end) = (pair(place.at[1]), place.at[1] + WORD);
        let ready = end - pair;
        if ready < 2 * WORD && end < self.run {
            return;
        }
        let part = Part { begins: self.begins && pair == 0, ends: self.ends && end == self.run, ready };
        let new = place.rows(1) + place.had();
        for (n, row) in self.rows.iter().enumerate().skip(new).take(rows - place.had()) {
            let from = self.first.wrapping_add(n * APART);
            // SAFETY: handed on to the caller; each row has a word in front, and one at least.
            unsafe {
                part.lines::<R>(from, self.destination.wrapping_offset(row + pair));
                for at in (0..LINE).step_by(size_of::<R>()) {
                    R::load(from.offset(ready - WORD).add(at)).store(from.offset(-WORD).add(at));
                }
            }
        }
    }
}
