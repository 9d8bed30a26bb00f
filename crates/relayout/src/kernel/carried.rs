//! [`Carry`]: rows of the destination whose words are carried to the lines of memory.
//!
//! Rows begin anyhow on lines, and a line that is written in two parts has to be read before. So each word waits for the next
//! one of its row, and both make a line that is written past the caches; two lines of a row at once, since memory takes a
//! line right after its neighbour faster than after those of other rows. What a row has on its first line and on its last one
//! is kept until it ends: a row that begins where the one before ends shares its line. Where a list goes on with the rows of the
//! list before, so do they. Law: when rows end, every byte of theirs has been written once.

use super::LINE;
use super::stage::WORDS;

/// A word of 64 bytes.
#[derive(Clone, Copy)]
#[repr(align(64))]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 reads what waits"))]
pub(crate) struct Word(pub(crate) [u8; LINE]);

impl Word {
    pub(crate) const ZERO: Word = Word([0; LINE]);
}

/// What is known of each row from its beginning to its end, and room for the words of a block.
#[derive(Default)]
pub(crate) struct Carry {
    lines: Vec<isize>,
    behind: Vec<u8>,
    waiting: Vec<Word>,
    heads: Vec<Word>,
    first: Vec<Word>,
    /// The bytes of each that earlier lists had.
    had: isize,
}

/// The rows of a list.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 carries words"))]
pub(crate) struct Carried<'a> {
    /// Where the line begins on which each row begins, from the pointer of the list.
    pub(crate) lines: &'a [isize],
    /// How far behind the beginning of a line each row begins.
    pub(crate) behind: &'a [u8],
    /// The word of each that waits.
    pub(crate) waiting: &'a mut [Word],
    /// The first word of each.
    pub(crate) heads: &'a mut [Word],
    /// The words of the first of two blocks.
    pub(crate) first: &'a mut [Word],
    /// The bytes of each that earlier lists had, and those that this one has.
    pub(crate) had: isize,
    pub(crate) run: isize,
    /// Whether they end with this list.
    pub(crate) ends: bool,
}

impl Carry {
    /// The rows of a list, which are so far from its pointer and have so many bytes there; and whether the next list goes on
    /// with them.
    pub(crate) fn list(&mut self, rows: &[isize], destination: *mut u8, run: isize, go_on: bool) -> Carried<'_> {
        if self.had == 0 {
            let behind = |row: &isize| (destination.wrapping_offset(*row).addr() % LINE).to_le_bytes()[0];
            self.behind.clear();
            self.behind.extend(rows.iter().map(behind));
            self.lines.clear();
            self.lines.extend(rows.iter().zip(&self.behind).map(|(row, behind)| row - isize::from(*behind)));
            self.waiting.resize(rows.len(), Word::ZERO);
            self.heads.resize(rows.len(), Word::ZERO);
            self.first.resize(WORDS, Word::ZERO);
        }
        // Blocks come in pairs, and a list ends with one.
        let ends = !go_on || !run.cast_unsigned().is_multiple_of(2 * LINE);
        let had = self.had;
        self.had = if ends { 0 } else { had + run };
        let Carry { lines, behind, waiting, heads, first, .. } = self;
        Carried { lines, behind, waiting, heads, first, had, run, ends }
    }
}
