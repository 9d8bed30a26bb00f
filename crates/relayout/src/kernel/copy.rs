//! [`Copy`]: runs that lie together on both sides.
#![allow(unsafe_code)]

use super::Row;

/// A run of so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub(crate) bytes: usize,
}

impl Copy {
    /// Moves a row of runs. `stream` writes past the caches.
    ///
    /// # Safety
    /// Every run of the row lies inside the memory of both pointers, and these do not overlap; with `stream`, the machine has
    /// AVX-512.
    pub(crate) unsafe fn run(&self, source: *const u8, destination: *mut u8, row: &Row, stream: bool) {
        for x in 0..row.count {
            let [from, to] = row.at(x);
            // SAFETY: the caller answers for every run of the row.
            unsafe {
                let (source, destination) = (source.offset(from), destination.offset(to));
                #[cfg(target_arch = "x86_64")]
                if stream {
                    past_caches(source, destination, self.bytes);
                    continue;
                }
                source.copy_to_nonoverlapping(destination, self.bytes);
            }
        }
    }
}

/// Copies in lines of 64 bytes that are written past the caches, what is before the first and behind the last aside.
///
/// # Safety
/// Both runs have so many bytes and do not overlap; the machine has AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn past_caches(source: *const u8, destination: *mut u8, bytes: usize) {
    use std::arch::x86_64::*;
    let head = destination.align_offset(64).min(bytes);
    let lines = (bytes - head) / 64;
    let tail = head + lines * 64;
    // SAFETY: head, lines and tail are inside the runs; lines are aligned.
    unsafe {
        source.copy_to_nonoverlapping(destination, head);
        let (from, to) = (source.add(head), destination.add(head));
        for line in 0..lines {
            let word = _mm512_loadu_si512(from.add(line * 64).cast());
            _mm512_stream_si512(to.add(line * 64).cast(), word);
        }
        source.add(tail).copy_to_nonoverlapping(destination.add(tail), bytes - tail);
    }
}
