//! [`WriteCombining`]: collects rows of the destination in the caches, and streams them in whole lines.
//!
//! Rows may begin anywhere in a line, and a line stored in two parts has to be read first. So a partial line stays in
//! the buffer for more of its row in the next list, or for the row that begins where this one ends. Of packed rows
//! (`pack.rs`) only the partial line is kept here.
//!
//! Law: when a row ends, every byte of it has been written, and no other.
#![allow(unsafe_code)]

use super::LINE;
use super::realigned::CacheLine;
use super::register::Register;

/// A buffer of rows, each after its pending partial line.
#[derive(Default)]
pub(super) struct WriteCombining {
    vectors: Vec<CacheLine>,
    /// The stride between rows in bytes.
    row_bytes: usize,
    /// Whether the list before has left pending lines.
    has_pending: bool,
}

/// What of a row is ready.
pub(super) struct Part {
    /// Whether the row begins here, so that nothing of it is pending.
    pub(super) begins: bool,
    /// Whether it ends where it is ready.
    pub(super) ends: bool,
    /// Its bytes that are ready.
    pub(super) ready: isize,
}

impl WriteCombining {
    /// Makes room for rows of the given size, which the next list continues or not. Returns whether they begin here.
    pub(super) fn room(&mut self, rows: usize, bytes: usize, continues: bool) -> bool {
        self.row_bytes = LINE + bytes.next_multiple_of(LINE);
        self.vectors.resize(rows * self.row_bytes / LINE, CacheLine::ZERO);
        !std::mem::replace(&mut self.has_pending, continues)
    }

    /// Where a row begins, on a line.
    pub(super) fn row(&mut self, n: usize) -> *mut u8 {
        self.vectors.as_mut_ptr().cast::<u8>().wrapping_add(n * self.row_bytes + LINE)
    }

    /// The line before a row, which holds its pending partial line.
    pub(super) fn line(&mut self, n: usize) -> &mut CacheLine {
        &mut self.vectors[n * self.row_bytes / LINE]
    }
}

impl Part {
    /// Streams the complete lines. Where the row begins or ends, its partial line is stored through the caches.
    ///
    /// # Safety
    /// The machine has the instructions of the register; the ready bytes of the row are there, after its pending line,
    /// and can be written.
    #[inline(always)]
    pub(super) unsafe fn lines<R: Register>(&self, from: *const u8, to: *mut u8) {
        const BYTES: isize = LINE.cast_signed();
        let misalignment = (to.addr() % LINE).cast_signed();
        // SAFETY: handed on to the caller.
        unsafe {
            let mut written = -misalignment;
            if misalignment > 0 && self.begins {
                written = self.ready.min(BYTES - misalignment);
                from.copy_to_nonoverlapping(to, written.cast_unsigned());
            }
            while self.ready - written >= BYTES {
                let (from, to) = (from.offset(written), to.offset(written));
                for at in (0..LINE).step_by(size_of::<R>()) {
                    R::load(from.add(at)).stream(to.add(at));
                }
                written += BYTES;
            }
            let left = self.ready - written;
            if self.ends && left > 0 {
                from.offset(written).copy_to_nonoverlapping(to.offset(written), left.cast_unsigned());
            }
        }
    }
}
