//! [`LineBuffer`]: rows of the destination whose words are carried to the lines of memory.
//!
//! Rows begin anyhow on lines, and a line that is written in two parts has to be read before. So each word waits for the next
//! one of its row, and both make a line that is written past the caches; two lines of a row at once, since memory takes a
//! line right after its neighbour faster than after those of other rows. What a row has on its first line and on its last one
//! is kept until it ends: a row that begins where the one before ends shares its line. Where a list goes on with the rows of the
//! list before, so do they. Law: when rows end, every byte of theirs has been written once.

use super::LINE;
use super::stage::MAX_VECTORS;

/// A word of 64 bytes.
#[derive(Clone, Copy)]
#[repr(align(64))]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 reads pending lines"))]
pub(crate) struct CacheLine(pub(crate) [u8; LINE]);

impl CacheLine {
    pub(crate) const ZERO: CacheLine = CacheLine([0; LINE]);
}

/// What is known of each row from its beginning to its end, and room for the words of a block.
#[derive(Default)]
pub(crate) struct LineBuffer {
    lines: Vec<isize>,
    misalignment: Vec<u8>,
    pending: Vec<CacheLine>,
    heads: Vec<CacheLine>,
    first: Vec<CacheLine>,
    /// The bytes of each that earlier lists had.
    consumed: isize,
}

/// The rows of a list.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 realigns vectors in registers"))]
pub(crate) struct RealignedRows<'a> {
    /// Where the line begins on which each row begins, from the pointer of the list.
    pub(crate) lines: &'a [isize],
    /// How far behind the beginning of a line each row begins.
    pub(crate) misalignment: &'a [u8],
    /// The word of each that waits.
    pub(crate) pending: &'a mut [CacheLine],
    /// The first word of each.
    pub(crate) heads: &'a mut [CacheLine],
    /// The words of the first of two blocks.
    pub(crate) first: &'a mut [CacheLine],
    /// The bytes of each that earlier lists had, and those that this one has.
    pub(crate) consumed: isize,
    pub(crate) run: isize,
    /// Whether they end with this list.
    pub(crate) ends: bool,
}

impl LineBuffer {
    /// The rows of a list, which are so far from its pointer and have so many bytes there; and whether the next list goes on
    /// with them.
    pub(crate) fn list(
        &mut self,
        rows: &[isize],
        destination: *mut u8,
        run: isize,
        continues: bool,
    ) -> RealignedRows<'_> {
        if self.consumed == 0 {
            let misalignment = |row: &isize| (destination.wrapping_offset(*row).addr() % LINE).to_le_bytes()[0];
            self.misalignment.clear();
            self.misalignment.extend(rows.iter().map(misalignment));
            self.lines.clear();
            self.lines.extend(
                rows.iter().zip(&self.misalignment).map(|(row, misalignment)| row - isize::from(*misalignment)),
            );
            self.pending.resize(rows.len(), CacheLine::ZERO);
            self.heads.resize(rows.len(), CacheLine::ZERO);
            self.first.resize(MAX_VECTORS, CacheLine::ZERO);
        }
        // Blocks come in pairs, and a list ends with one.
        let ends = !continues || !run.cast_unsigned().is_multiple_of(2 * LINE);
        let consumed = self.consumed;
        self.consumed = if ends { 0 } else { consumed + run };
        let LineBuffer { lines, misalignment, pending, heads, first, .. } = self;
        RealignedRows { lines, misalignment, pending, heads, first, consumed, run, ends }
    }
}
