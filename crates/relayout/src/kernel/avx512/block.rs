//! [`Block`]: the vectors of a block, and how they are loaded and stored.
//!
//! Whole vectors are loaded and stored directly. Halves and quarters are joined and split in registers. Realigned
//! vectors are joined with the pending vectors of their rows. Vectors of swizzled tiles have positions flipped.
//!
//! Law: the loads give the vectors of the block. The stores, together with what is pending, put every byte at its
//! place.

use std::arch::x86_64::*;
use std::ptr::null;

use super::super::LINE;
use super::super::network::{Blocks, Network, TileOrigin};
use super::realigned::RealignedBlock;
use super::rounds::{self, POSITIONS};
use crate::machine::MAX_HALF_STORE_VECTORS;

/// How the vectors of a block are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stores {
    /// As they are, to the caches.
    Cached,
    /// Vectors are lines, and streamed.
    Streamed,
    /// Vectors wait for the next ones of their rows, with which they make lines.
    Realigned,
    /// In halves or quarters, to the caches.
    Scattered,
}

/// How the vectors of a block are read and stored.
#[derive(Clone, Copy)]
pub(super) struct Mode {
    /// Whether vectors are read in halves or quarters.
    pub(super) gathers: bool,
    pub(super) stores: Stores,
}

impl Mode {
    /// Whole vectors, to the caches.
    pub(super) const CACHED: Mode = Mode { gathers: false, stores: Stores::Cached };

    /// Whole vectors, which are streamed.
    pub(super) const STREAMED: Mode = Mode { gathers: false, stores: Stores::Streamed };

    /// What a kernel is compiled for.
    pub(super) fn kind(self) -> u8 {
        match self {
            Mode { gathers: false, stores: Stores::Cached } => CACHED,
            Mode { gathers: false, stores: Stores::Streamed } => STREAMED,
            Mode { gathers: false, stores: Stores::Realigned } => REALIGNED,
            _ => ANY,
        }
    }

    /// Whether the parts of a vector are joined or split in registers on a side.
    #[inline(always)]
    pub(super) fn in_registers(self, side: usize) -> bool {
        if side == 0 { self.gathers } else { self.stores == Stores::Scattered }
    }
}

/// Kernels are compiled for whole vectors that are stored in one way each, and once for all other modes: a mode that is only
/// known when they run costs them registers, and up to a quarter of their speed where vectors are realigned or deferred.
pub(super) const CACHED: u8 = 0;
pub(super) const STREAMED: u8 = 1;
pub(super) const REALIGNED: u8 = 2;
pub(super) const ANY: u8 = 3;

/// The vectors of a block: where they are read and written, each by a pointer and the distances from it.
pub(super) struct Block {
    pub(super) source: *const u8,
    pub(super) reads: *const isize,
    pub(super) destination: *mut u8,
    pub(super) writes: *const isize,
    /// The rows of the block, if vectors wait there.
    pub(super) realigned: Option<RealignedBlock>,
    /// Which positions inside vectors are flipped on each side, if any are.
    pub(super) flips: [*const [u8; 4]; 2],
    /// Whether lines are written in halves: memory takes them a tenth faster where a block has few.
    pub(super) halves: bool,
    /// The bytes of a piece that is read and of one that is written, as powers of two.
    pub(super) pieces: [u32; 2],
    mode: Mode,
}

/// What all blocks of a network have in common.
pub(super) struct BlockShape<'a> {
    /// The bytes of a piece of each side, as a power of two.
    pub(super) pieces: [u32; 2],
    flips: [&'a [[u8; 4]]; 2],
    mode: Mode,
}

impl<'a> BlockShape<'a> {
    pub(super) fn of(network: &'a Network, mode: Mode) -> Self {
        BlockShape {
            pieces: network.sides.each_ref().map(|side| side.piece),
            flips: network.sides.each_ref().map(|side| side.flips.as_slice()),
            mode,
        }
    }

    /// Whether vectors wait for the next ones of their rows.
    #[inline(always)]
    pub(super) fn realigns<const KIND: u8>(&self) -> bool {
        KIND == REALIGNED || KIND == ANY && self.mode.stores == Stores::Realigned
    }

    /// Whether the vectors of a side are staged: those that are not whole, unless they are joined or split in registers.
    #[inline(always)]
    pub(super) fn is_staged<const KIND: u8>(&self, side: usize) -> bool {
        !(KIND == ANY && self.mode.in_registers(side)) && self.pieces[side] < 6
    }

    /// The block of the given number of vectors at a tile origin.
    ///
    /// # Safety
    /// It lies inside the memory of both pointers.
    #[inline(always)]
    pub(super) unsafe fn block(&self, blocks: &Blocks, tile: &TileOrigin, vectors: usize) -> Block {
        let rows = |side: usize| blocks.rows[side].as_ptr().wrapping_add(tile.rows(side));
        let flips = |side: usize| match self.flips[side] {
            [] => null(),
            flips => flips.as_ptr().wrapping_add(tile.rows(side)),
        };
        // SAFETY: handed on to the caller.
        unsafe {
            Block {
                source: blocks.source.offset(tile.at[0]),
                reads: rows(0),
                destination: blocks.destination.offset(tile.at[1]),
                writes: rows(1),
                realigned: None,
                flips: [0, 1].map(flips),
                halves: vectors <= MAX_HALF_STORE_VECTORS,
                pieces: self.pieces,
                mode: self.mode,
            }
        }
    }
}

impl Block {
    /// # Safety
    /// The block has a vector of that number.
    #[inline(always)]
    pub(super) unsafe fn read<const KIND: u8>(&self, n: usize) -> __m512i {
        // SAFETY: handed on to the caller.
        unsafe { if const { KIND == ANY } && self.mode.gathers { self.gather(n) } else { self.load(n) } }
    }

    /// Reads the vectors of the given numbers.
    ///
    /// # Safety
    /// The block has vectors of these numbers.
    #[inline(always)]
    pub(super) unsafe fn read_all<const N: usize, const KIND: u8>(
        &self,
        number: impl Fn(usize) -> usize,
    ) -> [__m512i; N] {
        // SAFETY: handed on to the caller.
        unsafe {
            let mut vectors = [_mm512_setzero_si512(); N];
            if const { KIND == ANY } && self.mode.gathers {
                each!(n in N, { vectors[n] = self.gather(number(n)); });
            } else {
                each!(n in N, { vectors[n] = self.load(number(n)); });
            }
            vectors
        }
    }

    /// Reads a whole vector.
    ///
    /// # Safety
    /// As [`Block::read`].
    #[inline(always)]
    unsafe fn load(&self, n: usize) -> __m512i {
        // SAFETY: handed on to the caller.
        unsafe { _mm512_loadu_si512(self.source.offset(*self.reads.add(n)).cast()) }
    }

    /// Stores the vectors of the given numbers. Where they are realigned, `after_each` is called after each.
    ///
    /// # Safety
    /// The block has vectors of these numbers; their addresses are aligned if vectors are lines; its rows are realigned
    /// if vectors are.
    #[inline(always)]
    pub(super) unsafe fn write<const N: usize, const KIND: u8>(
        &self,
        vectors: &[__m512i; N],
        number: impl Fn(usize) -> usize,
        after_each: impl Fn(usize),
    ) {
        // SAFETY: handed on to the caller.
        unsafe {
            if const { KIND == REALIGNED || KIND == ANY }
                && let Some(realigned) = &self.realigned
            {
                return realigned.write(vectors, number, after_each);
            }
            if const { KIND == ANY } && self.mode.stores == Stores::Scattered {
                return each!(n in N, { self.scatter(number(n), vectors[n]); });
            }
            if !self.streams::<KIND>() {
                return each!(n in N, { _mm512_storeu_si512(self.line(number(n)).cast(), vectors[n]); });
            }
            if !self.halves {
                return each!(n in N, { _mm512_stream_si512(self.line(number(n)).cast(), vectors[n]); });
            }
            each!(n in N, {
                let to = self.line(number(n));
                _mm256_stream_si256(to.cast(), _mm512_castsi512_si256(vectors[n]));
                _mm256_stream_si256(to.add(LINE / 2).cast(), _mm512_extracti64x4_epi64(vectors[n], 1));
            });
        }
    }

    /// Whether vectors are lines that are streamed.
    #[inline(always)]
    fn streams<const KIND: u8>(&self) -> bool {
        KIND == STREAMED || KIND == ANY && self.mode.stores == Stores::Streamed
    }

    /// Where a whole vector is written.
    ///
    /// # Safety
    /// As [`Block::write`].
    #[inline(always)]
    unsafe fn line(&self, n: usize) -> *mut u8 {
        // SAFETY: handed on to the caller.
        unsafe { self.destination.offset(*self.writes.add(n)) }
    }

    /// Flips the positions inside vectors of some numbers that are read or written, where a side does.
    ///
    /// # Safety
    /// The block has vectors of these numbers.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) unsafe fn flip<const N: usize>(
        &self,
        side: usize,
        vectors: &mut [__m512i; N],
        number: impl Fn(usize) -> usize,
    ) {
        // SAFETY: handed on to the caller.
        unsafe { flip(self.flips[side], vectors, number) };
    }

    /// Reads the halves or quarters of a vector into a register: what was just written in parts can't be read as a
    /// vector before it is in the cache.
    ///
    /// # Safety
    /// As [`Block::read`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn gather(&self, n: usize) -> __m512i {
        // SAFETY: handed on to the caller.
        unsafe {
            let at = |n: usize| self.source.offset(*self.reads.add(n));
            let (low, high) = if self.pieces[0] == 5 {
                (_mm256_loadu_si256(at(2 * n).cast()), _mm256_loadu_si256(at(2 * n + 1).cast()))
            } else {
                let quarter = |k: usize| _mm_loadu_si128(at(4 * n + k).cast());
                let half = |k: usize| _mm256_inserti128_si256(_mm256_castsi128_si256(quarter(k)), quarter(k + 1), 1);
                (half(0), half(2))
            };
            _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1)
        }
    }

    /// Writes the halves or quarters of a vector where each belongs. They come from the register: what was just written as a
    /// vector can't be read in parts before it is in the cache.
    ///
    /// # Safety
    /// As [`Block::write`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn scatter(&self, n: usize, vector: __m512i) {
        // SAFETY: handed on to the caller.
        unsafe {
            let at = |n: usize| self.destination.offset(*self.writes.add(n));
            let (low, high) = (_mm512_castsi512_si256(vector), _mm512_extracti64x4_epi64(vector, 1));
            if self.pieces[1] == 5 {
                _mm256_storeu_si256(at(2 * n).cast(), low);
                _mm256_storeu_si256(at(2 * n + 1).cast(), high);
            } else {
                _mm_storeu_si128(at(4 * n).cast(), _mm256_castsi256_si128(low));
                _mm_storeu_si128(at(4 * n + 1).cast(), _mm256_extracti128_si256(low, 1));
                _mm_storeu_si128(at(4 * n + 2).cast(), _mm256_castsi256_si128(high));
                _mm_storeu_si128(at(4 * n + 3).cast(), _mm256_extracti128_si256(high, 1));
            }
        }
    }
}

/// Flips the positions inside vectors of some numbers, if there are any.
///
/// # Safety
/// There are flips for vectors of these numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn flip<const N: usize>(
    flips: *const [u8; 4],
    vectors: &mut [__m512i; N],
    number: impl Fn(usize) -> usize,
) {
    if flips.is_null() {
        return;
    }
    let positions = rounds::vector(&POSITIONS);
    each!(n in N, {
        // SAFETY: handed on to the caller.
        let flip = unsafe { *flips.add(number(n)) };
        let positions = _mm512_xor_si512(positions, _mm512_set1_epi32(i32::from_le_bytes(flip)));
        vectors[n] = _mm512_permutexvar_epi8(positions, vectors[n]);
    });
}
