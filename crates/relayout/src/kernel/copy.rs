//! [`Copy`]: runs that lie together on both sides.
#![allow(unsafe_code)]

use super::network::Place;

/// A run of so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub(crate) bytes: usize,
}

impl Copy {
    pub(crate) fn of(bytes: i64) -> Self {
        Copy { bytes: usize::try_from(bytes).unwrap_or(0) }
    }

    /// Moves the runs at some places. `stream` writes past the caches.
    ///
    /// # Safety
    /// Every run lies inside the memory of both pointers, and these do not overlap; with `stream`, the machine has AVX-512.
    pub(crate) unsafe fn run(&self, source: *const u8, destination: *mut u8, places: &[Place], stream: bool) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self.bytes {
                1 => units::<1>(source, destination, places),
                2 => units::<2>(source, destination, places),
                4 => units::<4>(source, destination, places),
                8 => units::<8>(source, destination, places),
                16 => units::<16>(source, destination, places),
                32 => units::<32>(source, destination, places),
                bytes => {
                    for Place { at: [from, to], .. } in places {
                        let (source, destination) = (source.offset(*from), destination.offset(*to));
                        #[cfg(target_arch = "x86_64")]
                        if stream {
                            past_caches(source, destination, bytes);
                            continue;
                        }
                        source.copy_to_nonoverlapping(destination, bytes);
                    }
                }
            }
        }
    }
}

/// # Safety
/// As [`Copy::run`].
unsafe fn units<const BYTES: usize>(source: *const u8, destination: *mut u8, places: &[Place]) {
    for Place { at: [from, to], .. } in places {
        // SAFETY: the caller answers for every unit.
        unsafe {
            let unit = source.offset(*from).cast::<[u8; BYTES]>().read();
            destination.offset(*to).cast::<[u8; BYTES]>().write(unit);
        }
    }
}

/// Copies in lines of 64 bytes that are written past the caches, what is before the first and behind the last aside.
///
/// # Safety
/// Both runs have so many bytes and do not overlap; the machine has AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn past_caches(source: *const u8, destination: *mut u8, bytes: usize) {
    use std::arch::x86_64::*;
    let head = destination.align_offset(64).min(bytes);
    let lines = (bytes - head) / 64;
    let tail = head + lines * 64;
    let below = |bytes: usize| (1u64 << bytes) - 1;
    // SAFETY: head, lines and tail are inside the runs; lines are aligned.
    unsafe {
        let part = |first: usize, bytes: usize| {
            let mask = below(bytes);
            let word = _mm512_maskz_loadu_epi8(mask, source.add(first).cast());
            _mm512_mask_storeu_epi8(destination.add(first).cast(), mask, word);
        };
        if head > 0 {
            part(0, head);
        }
        let (from, to) = (source.add(head), destination.add(head));
        for line in 0..lines {
            let word = _mm512_loadu_si512(from.add(line * 64).cast());
            _mm512_stream_si512(to.add(line * 64).cast(), word);
        }
        if tail < bytes {
            part(tail, bytes - tail);
        }
    }
}
