//! [`LineBuffer`]: realigns the rows of the destination to whole lines.
//!
//! Rows may begin anywhere in a line, and a line stored in two parts has to be read first. So each vector is pending
//! until the next one of its row arrives, and both make a line that is streamed. Two lines of a row are stored at once,
//! because memory takes a line right after its neighbour faster than after lines of other rows. The first and the last
//! line of a row are kept until the row ends, because a row that begins where another ends shares its line. Rows
//! continue from list to list where the next list continues them.
//!
//! Law: when rows end, every byte of them has been written once.

use super::LINE;
use super::stage::MAX_VECTORS;

/// A vector of 64 bytes.
#[derive(Clone, Copy)]
#[repr(align(64))]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 reads pending lines"))]
pub(crate) struct CacheLine(pub(crate) [u8; LINE]);

impl CacheLine {
    pub(crate) const ZERO: CacheLine = CacheLine([0; LINE]);
}

/// What is known of each row from its beginning to its end, and room for the vectors of a block.
#[derive(Default)]
pub(crate) struct LineBuffer {
    lines: Vec<isize>,
    misalignment: Vec<u8>,
    pending: Vec<CacheLine>,
    heads: Vec<CacheLine>,
    first: Vec<CacheLine>,
    /// The bytes of each row that earlier lists consumed.
    consumed: isize,
}

/// The rows of a list.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 realigns vectors in registers"))]
pub(crate) struct RealignedRows<'a> {
    /// Where the line begins on which each row begins, from the pointer of the list.
    pub(crate) lines: &'a [isize],
    /// The misalignment of each row: its distance from the beginning of its line.
    pub(crate) misalignment: &'a [u8],
    /// The pending vector of each row.
    pub(crate) pending: &'a mut [CacheLine],
    /// The first vector of each.
    pub(crate) heads: &'a mut [CacheLine],
    /// The vectors of the first of two blocks.
    pub(crate) first: &'a mut [CacheLine],
    /// The bytes of each row that earlier lists consumed, and those of this list.
    pub(crate) consumed: isize,
    pub(crate) run: isize,
    /// Whether they end with this list.
    pub(crate) ends: bool,
}

impl LineBuffer {
    /// The rows of a list, at distances from its pointer, with their bytes in this list, and whether the next list continues
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
