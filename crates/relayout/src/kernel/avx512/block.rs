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

/// Vectors are written as they are, to the caches.
pub(super) const CACHED: u8 = 0;

/// Vectors are lines, and streamed.
pub(super) const STREAMED: u8 = 1;

/// Vectors wait for the next ones of their rows, with which they make lines.
pub(super) const REALIGNED: u8 = 2;

/// Vectors are written to the caches in halves or quarters.
pub(super) const SCATTERED: u8 = 4;

/// With any of these, vectors are read in halves or quarters.
pub(super) const GATHERED: u8 = 8;

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
}

/// What all blocks of a network have in common.
pub(super) struct BlockShape<'a> {
    /// The bytes of a piece of each side, as a power of two.
    pub(super) pieces: [u32; 2],
    flips: [&'a [[u8; 4]]; 2],
}

impl<'a> BlockShape<'a> {
    pub(super) fn of(network: &'a Network) -> Self {
        BlockShape {
            pieces: network.sides.each_ref().map(|side| side.piece),
            flips: network.sides.each_ref().map(|side| side.flips.as_slice()),
        }
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
            }
        }
    }
}

impl Block {
    /// # Safety
    /// The block has a vector of that number.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn read<const STORE: u8>(&self, n: usize) -> __m512i {
        // SAFETY: handed on to the caller.
        unsafe {
            if STORE & GATHERED != 0 {
                return self.gather(n);
            }
            _mm512_loadu_si512(self.source.offset(*self.reads.add(n)).cast())
        }
    }

    /// Stores the vectors of the given numbers. Where they are realigned, `after_each` is called after each.
    ///
    /// # Safety
    /// The block has vectors of these numbers; their addresses are aligned if vectors are lines; its rows are realigned
    /// if vectors are.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) unsafe fn write<const N: usize, const STORE: u8>(
        &self,
        vectors: &[__m512i; N],
        number: impl Fn(usize) -> usize,
        after_each: impl Fn(usize),
    ) {
        // SAFETY: handed on to the caller.
        unsafe {
            if let (REALIGNED, Some(realigned)) = (STORE & !GATHERED, &self.realigned) {
                return realigned.write(vectors, number, after_each);
            }
            each!(n in N, { self.put::<STORE>(number(n), vectors[n]); });
        }
    }

    /// # Safety
    /// As [`Block::write`], for a vector that is not realigned.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn put<const STORE: u8>(&self, n: usize, vector: __m512i) {
        // SAFETY: handed on to the caller.
        unsafe {
            if STORE & SCATTERED != 0 {
                return self.scatter(n, vector);
            }
            let to = self.destination.offset(*self.writes.add(n));
            match STORE & !GATHERED {
                STREAMED if self.halves => {
                    _mm256_stream_si256(to.cast(), _mm512_castsi512_si256(vector));
                    _mm256_stream_si256(to.add(LINE / 2).cast(), _mm512_extracti64x4_epi64(vector, 1));
                }
                STREAMED => _mm512_stream_si512(to.cast(), vector),
                _ => _mm512_storeu_si512(to.cast(), vector),
            }
        }
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
