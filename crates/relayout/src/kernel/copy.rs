//! [`struct@Copy`]: contiguous runs.
//!
//! A tile origin has a row of runs in equal steps. Long runs are streamed in whole lines. The last partial line of a
//! run is kept for the next run, which often continues it. Otherwise the line is stored in part, after it was
//! prefetched: a processor that waits for this line cannot store others.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::network::TileOrigin;
use super::row::Row;
use super::{Isa, LINE};
#[cfg(target_arch = "x86_64")]
use super::{avx2, register::Register};
#[cfg(target_arch = "x86_64")]
use crate::machine::PREFETCH_DISTANCE_RUNS;
use crate::machine::{MIN_STREAMED_RUN_BYTES, PREFETCHED_RUN_BYTES};

/// A row of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    /// The bytes of a run.
    pub(crate) bytes: usize,
    /// The runs at a tile origin.
    pub(crate) row: Row,
}

impl Copy {
    /// Rows of a single run.
    pub(crate) fn of(bytes: i64) -> Self {
        Copy { bytes: usize::try_from(bytes).unwrap_or(0), row: Row::ONE }
    }

    /// Whether lines of later runs are prefetched where runs are streamed.
    pub(crate) fn is_prefetched(&self) -> bool {
        PREFETCHED_RUN_BYTES.contains(&self.bytes)
    }

    /// Whether runs are so long that they are streamed even if they begin or end inside lines: a register with a
    /// mask writes these at once.
    pub(crate) fn writes_parts(&self, isa: Isa) -> bool {
        self.bytes >= if isa == Isa::Avx512 { LINE } else { MIN_STREAMED_RUN_BYTES }
    }

    /// Moves the rows at some tile origins. `stream` streams, by these instructions.
    ///
    /// # Safety
    /// Every run lies inside the memory of both pointers, and these do not overlap; the machine has the instructions; runs
    /// that are streamed are whole lines of the destination, or [`writes_parts`](Copy::writes_parts) holds.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "only x86-64 streams lines"))]
    pub(crate) unsafe fn run(
        &self,
        source: *const u8,
        destination: *mut u8,
        tiles: &[TileOrigin],
        stream: Option<Isa>,
    ) {
        // SAFETY: handed on to the caller.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            match stream {
                Some(Isa::Avx512) => return stream_lines(self, source, destination, tiles),
                Some(Isa::Avx2) => return avx2::copy(self, source, destination, tiles),
                _ => {}
            }
            match self.bytes {
                1 => self.each(source, destination, tiles, units::<1>),
                2 => self.each(source, destination, tiles, units::<2>),
                4 => self.each(source, destination, tiles, units::<4>),
                8 => self.each(source, destination, tiles, units::<8>),
                16 => self.each(source, destination, tiles, units::<16>),
                32 => self.each(source, destination, tiles, units::<32>),
                3 => self.each(source, destination, tiles, ends::<2>),
                5..8 => self.each(source, destination, tiles, ends::<4>),
                9..16 => self.each(source, destination, tiles, ends::<8>),
                17..32 => self.each(source, destination, tiles, ends::<16>),
                33..64 => self.each(source, destination, tiles, ends::<32>),
                _ => self.each(source, destination, tiles, |source, destination, bytes| {
                    source.copy_to_nonoverlapping(destination, bytes);
                }),
            }
        }
    }

    /// Moves runs in lines that are streamed, and through them where a run begins and ends inside one.
    ///
    /// # Safety
    /// As [`Copy::run`].
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) unsafe fn lines<R: Register>(&self, source: *const u8, destination: *mut u8, tiles: &[TileOrigin]) {
        // Shorter ones are whole lines.
        let parts = self.writes_parts(Isa::Avx2);
        for (at, TileOrigin { at: [from, to], .. }) in tiles.iter().enumerate() {
            let later = tiles.get(at + PREFETCH_DISTANCE_RUNS).filter(|_| self.is_prefetched());
            let later = later.map(|later| source.wrapping_offset(later.at[0]));
            if parts {
                self.prefetch_parts(destination, tiles, at + PREFETCH_DISTANCE_RUNS);
            }
            for steps in self.row.steps() {
                // SAFETY: handed on to the caller.
                unsafe {
                    let from = source.offset(*from + steps[0]);
                    let to = destination.offset(*to + steps[1]);
                    let mut byte = 0;
                    if parts {
                        byte = to.addr().wrapping_neg() % LINE;
                        from.copy_to_nonoverlapping(to, byte);
                    }
                    while self.bytes - byte >= LINE {
                        if let Some(later) = later {
                            R::prefetch(later.wrapping_add(byte));
                        }
                        for at in (byte..byte + LINE).step_by(size_of::<R>()) {
                            R::load(from.add(at)).stream(to.add(at));
                        }
                        byte += LINE;
                    }
                    if parts {
                        from.add(byte).copy_to_nonoverlapping(to.add(byte), self.bytes - byte);
                    }
                }
            }
        }
    }

    /// Prefetches the lines of the destination that the run at a tile origin and the one before leave unfinished between them.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn prefetch_parts(&self, destination: *mut u8, tiles: &[TileOrigin], at: usize) {
        let Some([before, here]) = tiles.get(at - 1..=at) else { return };
        let ends = before.at[1] + (self.row.count - 1).cast_signed() * self.row.strides[1] + self.bytes.cast_signed();
        if ends == here.at[1] {
            return;
        }
        for byte in [ends, here.at[1]].map(|at| destination.wrapping_offset(at).cast_const()) {
            if !byte.addr().is_multiple_of(LINE) {
                // SAFETY: every x86-64 has it; what is prefetched need not be memory.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(byte.cast()) };
            }
        }
    }

    /// # Safety
    /// As [`Copy::run`].
    #[inline(always)]
    unsafe fn each(
        &self,
        source: *const u8,
        destination: *mut u8,
        tiles: &[TileOrigin],
        run: unsafe fn(*const u8, *mut u8, usize),
    ) {
        let Row { count, strides: [apart, target] } = self.row;
        for TileOrigin { at: [from, to], .. } in tiles {
            let (mut from, mut to) = (source.wrapping_offset(*from), destination.wrapping_offset(*to));
            for _ in 0..count {
                // SAFETY: the caller answers for every run.
                unsafe { run(from, to, self.bytes) };
                (from, to) = (from.wrapping_offset(apart), to.wrapping_offset(target));
            }
        }
    }
}

/// Copies a run of a constant size.
///
/// # Safety
/// Both pointers have that many bytes.
#[inline(always)]
unsafe fn units<const BYTES: usize>(source: *const u8, destination: *mut u8, _bytes: usize) {
    // SAFETY: handed on to the caller.
    unsafe { destination.cast::<[u8; BYTES]>().write(source.cast::<[u8; BYTES]>().read()) };
}

/// Copies a run as its first and its last bytes, which together are all.
///
/// # Safety
/// Both pointers have the bytes, of which there are `HALF` to twice as many.
#[inline(always)]
unsafe fn ends<const HALF: usize>(source: *const u8, destination: *mut u8, bytes: usize) {
    // SAFETY: handed on to the caller.
    unsafe {
        units::<HALF>(source, destination, bytes);
        units::<HALF>(source.add(bytes - HALF), destination.add(bytes - HALF), bytes);
    }
}

/// Copies in lines of 64 bytes that are streamed. A line that a run leaves unfinished is finished by the next
/// one, or written in part.
///
/// # Safety
/// As [`Copy::run`]; the machine has AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn stream_lines(copy: &Copy, source: *const u8, destination: *mut u8, tiles: &[TileOrigin]) {
    // The pending line, and the mask of the bytes that it has.
    let (mut line, mut mask, mut vector) = (std::ptr::null_mut::<u8>(), 0u64, _mm512_setzero_si512());
    let bits = |bytes: usize| if bytes < 64 { (1u64 << bytes) - 1 } else { u64::MAX };
    let prefetched = copy.is_prefetched();
    // Whether lines are written in part. Checking two runs is a good enough guess.
    let parts = !copy.bytes.is_multiple_of(LINE)
        || tiles.iter().take(2).any(|tile| !destination.wrapping_offset(tile.at[1]).addr().is_multiple_of(LINE));
    for (at, TileOrigin { at: [from, to], .. }) in tiles.iter().enumerate() {
        let later = tiles
            .get(at + PREFETCH_DISTANCE_RUNS)
            .filter(|_| prefetched)
            .map(|later| source.wrapping_offset(later.at[0]));
        if parts {
            copy.prefetch_parts(destination, tiles, at + PREFETCH_DISTANCE_RUNS);
        }
        for steps in copy.row.steps() {
            // SAFETY: the caller answers for every run; a mask keeps to the bytes of the run, and lines are aligned.
            unsafe {
                let mut from = source.offset(*from + steps[0]);
                let to = destination.offset(*to + steps[1]);
                let misalignment = to.addr() % LINE;
                let mut here = to.wrapping_sub(misalignment);
                let mut left = copy.bytes;
                if mask != 0 && (line != here || misalignment == 0) {
                    _mm512_mask_storeu_epi8(line.cast(), mask, vector);
                    mask = 0;
                }
                if misalignment > 0 {
                    let head = left.min(64 - misalignment);
                    let own = bits(head) << misalignment;
                    vector = _mm512_mask_loadu_epi8(vector, own, from.wrapping_sub(misalignment).cast());
                    (line, mask) = (here, mask | own);
                    if mask == u64::MAX {
                        _mm512_stream_si512(line.cast(), vector);
                        mask = 0;
                    } else if left > head {
                        // Between runs, bytes hold no element.
                        _mm512_mask_storeu_epi8(line.cast(), mask, vector);
                        mask = 0;
                    }
                    (from, here, left) = (from.add(head), here.wrapping_add(64), left - head);
                }
                while left >= 64 {
                    if let Some(later) = later {
                        // One prefetch for each stored line: a burst of prefetches would fill the line fill buffers.
                        _mm_prefetch::<_MM_HINT_T1>(later.wrapping_add(copy.bytes - left).cast());
                    }
                    // In halves, which memory takes a tenth faster.
                    _mm256_stream_si256(here.cast(), _mm256_loadu_si256(from.cast()));
                    _mm256_stream_si256(here.wrapping_add(32).cast(), _mm256_loadu_si256(from.add(32).cast()));
                    (from, here, left) = (from.add(64), here.wrapping_add(64), left - 64);
                }
                if left > 0 {
                    (line, mask) = (here, bits(left));
                    vector = _mm512_maskz_loadu_epi8(mask, from.cast());
                }
            }
        }
    }
    if mask != 0 {
        // SAFETY: the same.
        unsafe { _mm512_mask_storeu_epi8(line.cast(), mask, vector) };
    }
}
