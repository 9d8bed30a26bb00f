//! The walk over the blocks of a list: where the words of each are, and how they are read and written.
//!
//! Words that are whole lie where they belong; halves and quarters are put together and taken apart in registers, and those of
//! shorter pieces are gathered before, and scattered afterwards. Lines of later blocks are fetched meanwhile. Law: what is read
//! is the words of the block, what is written lands where it belongs.

use std::arch::x86_64::*;
use std::ops::Range;

use super::super::network::{Blocks, Network, Place};
use super::super::strips::Word;

/// Words are written as they are, to the caches.
pub(super) const CACHES: u8 = 0;

/// Words are lines, and written past the caches.
pub(super) const LINES: u8 = 1;

/// Words wait for the next ones of their rows, with which they make lines.
pub(super) const CARRIES: u8 = 2;

/// Words are written to the caches in halves or quarters.
pub(super) const SCATTERS: u8 = 4;

/// With any of these, words are read in halves or quarters.
pub(super) const GATHERS: u8 = 8;

/// The words of a block: where they are read and written, each by a pointer and the distances from it.
pub(super) struct Block {
    source: *const u8,
    reads: *const isize,
    destination: *mut u8,
    writes: *const isize,
    /// How far along the rows of the destination the block begins, the words that wait there, and how far behind lines rows
    /// begin.
    along: isize,
    waiting: *mut Word,
    behind: *const u8,
    /// How many of the words have been written already.
    had: usize,
    /// The bytes of a piece that is read and of one that is written, as powers of two.
    pieces: [u32; 2],
}

impl Block {
    /// # Safety
    /// The block has a word of that number.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn read<const WAY: u8>(&self, n: usize) -> __m512i {
        // SAFETY: handed on to the caller.
        unsafe {
            if WAY & GATHERS != 0 {
                return self.gather(n);
            }
            _mm512_loadu_si512(self.source.offset(*self.reads.add(n)).cast())
        }
    }

    /// # Safety
    /// The block has a word of that number; its place is aligned if words are lines; it has a carry if words wait.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) unsafe fn write<const WAY: u8>(&self, n: usize, word: __m512i) {
        // SAFETY: handed on to the caller.
        unsafe {
            if WAY & SCATTERS != 0 {
                return self.scatter(n, word);
            }
            let to = self.destination.offset(*self.writes.add(n));
            match WAY & !GATHERS {
                LINES => _mm512_stream_si512(to.cast(), word),
                CARRIES if n < self.had => {}
                CARRIES => self.carry(to, self.waiting.add(n), *self.behind.add(n), word),
                _ => _mm512_storeu_si512(to.cast(), word),
            }
        }
    }

    /// Reads the halves or quarters of a word into a register: what was just written in parts can't be read as a word before it
    /// is in the cache.
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

    /// Writes the halves or quarters of a word where each belongs. They come from the register: what was just written as a
    /// word can't be read in parts before it is in the cache.
    ///
    /// # Safety
    /// As [`Block::write`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn scatter(&self, n: usize, word: __m512i) {
        // SAFETY: handed on to the caller.
        unsafe {
            let at = |n: usize| self.destination.offset(*self.writes.add(n));
            let (low, high) = (_mm512_castsi512_si256(word), _mm512_extracti64x4_epi64(word, 1));
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

    /// # Safety
    /// As [`Block::write`]; the place is that of the row's line.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn carry(&self, to: *mut u8, waiting: *mut Word, behind: u8, word: __m512i) {
        const PLACES: [u8; 64] = {
            let mut places = [64; 64];
            let mut n = 1;
            while n < 64 {
                places[n] = places[n - 1] + 1;
                n += 1;
            }
            places
        };
        // SAFETY: handed on to the caller.
        unsafe {
            let places = _mm512_loadu_si512(PLACES.as_ptr().cast());
            let places = _mm512_sub_epi8(places, _mm512_set1_epi8(behind.cast_signed()));
            let over = (self.along & 63).to_le_bytes()[0];
            if over != 0 {
                return end(to, _mm512_load_si512(waiting.cast()), word, places, [behind, over]);
            }
            let line = _mm512_permutex2var_epi8(_mm512_load_si512(waiting.cast()), places, word);
            _mm512_store_si512(waiting.cast(), word);
            if self.along == 0 {
                _mm512_mask_storeu_epi8(to.cast(), u64::MAX << behind, line);
            } else {
                _mm512_stream_si512(to.cast(), line);
            }
        }
    }
}

/// Writes the end of a row whose last word overlaps the one that waits, and has so many bytes more: what is left of that one,
/// and these. `places` lead to the former, and then to the beginning of the word.
///
/// # Safety
/// As [`Block::carry`].
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn end(to: *mut u8, waiting: __m512i, word: __m512i, places: __m512i, [behind, over]: [u8; 2]) {
    let bits = |bytes: u8| if bytes < 64 { (1u64 << bytes) - 1 } else { u64::MAX };
    let rest = _mm512_permutexvar_epi8(_mm512_sub_epi8(places, _mm512_set1_epi8(over.cast_signed())), word);
    let skip = _mm512_set1_epi8(64 - over.cast_signed());
    let line = _mm512_permutex2var_epi8(waiting, _mm512_mask_add_epi8(places, !bits(behind), places, skip), word);
    let left = behind + over;
    // SAFETY: the row has these bytes.
    unsafe {
        let to = to.add(64 - usize::from(over));
        if left >= 64 {
            _mm512_stream_si512(to.cast(), line);
            _mm512_mask_storeu_epi8(to.add(64).cast(), bits(left - 64), rest);
        } else {
            _mm512_mask_storeu_epi8(to.cast(), bits(left), line);
        }
    }
}

/// The blocks of a list, with room to stage sides whose pieces are no whole words.
pub(super) struct Walk<'a> {
    pub(super) blocks: Blocks<'a>,
    /// The bytes of a piece of each side, as a power of two.
    pieces: [u32; 2],
    /// How many blocks ahead lines are fetched.
    ahead: usize,
    staged: [Staged; 2],
}

impl<'a> Walk<'a> {
    pub(super) fn new(network: &Network, blocks: Blocks<'a>, words: usize) -> Self {
        let pieces = network.sides.each_ref().map(|side| side.piece);
        // Rows that are carried take room in the first caches.
        let least = if blocks.carried.is_some() { 1 } else { BLOCKS };
        let ahead = (AHEAD / words).max(least);
        Walk { blocks, pieces, ahead, staged: [Staged([0; 4096]), Staged([0; 4096])] }
    }

    /// Where the words of a block are.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has so many words.
    #[inline(always)]
    pub(super) unsafe fn enter<const WAY: u8>(&mut self, place: &Place, words: usize) -> Block {
        let Blocks { source, destination, rows, .. } = self.blocks;
        // SAFETY: the caller answers for every block and for its rows.
        unsafe {
            let [reads, writes] = [0, 1].map(|side| rows[side].as_ptr().wrapping_add(place.rows[side]));
            let (source, destination) = (source.offset(place.at[0]), destination.offset(place.at[1]));
            let (along, waiting, behind, had) = (place.at[1], std::ptr::null_mut(), std::ptr::null(), place.had);
            let mut block =
                Block { source, reads, destination, writes, along, waiting, behind, had, pieces: self.pieces };
            if let (CARRIES, Some(carried)) = (WAY & !GATHERS, &mut self.blocks.carried) {
                block.waiting = carried.words.as_mut_ptr().wrapping_add(place.rows[1]);
                block.behind = carried.behind.as_ptr().wrapping_add(place.rows[1]);
            }
            if self.pieces[0] < 4 {
                gather(self.pieces[0], words, reads, source, &mut self.staged[0]);
                (block.source, block.reads) = (self.staged[0].0.as_ptr(), STAGED.as_ptr());
            }
            if self.pieces[1] < 4 {
                (block.destination, block.writes) = (self.staged[1].0.as_mut_ptr(), STAGED.as_ptr());
            }
            block
        }
    }

    /// Fetches lines of a block that comes later, in this list or in the next: those of some words. Kernels that take long
    /// for a block call it for a few words at a time, since no more lines than some twenty are fetched at once.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has these words.
    #[inline(always)]
    pub(super) unsafe fn fetch<const WAY: u8>(&self, at: usize, words: Range<usize>) {
        if self.blocks.fetched == [false; 2] {
            return;
        }
        let Blocks { source, destination, places, rows, next, fetched, .. } = &self.blocks;
        let (pointers, rows, place) = match places.get(at + self.ahead) {
            Some(place) => ([*source, destination.cast_const()], rows, place),
            None => {
                let beyond = places.len().saturating_sub(self.ahead);
                let (Some((pointers, rows)), Some(place)) = (next, places.get(at - beyond)) else { return };
                (*pointers, rows, place)
            }
        };
        let lines = |side: usize, further: isize| {
            if self.pieces[side] == 6 {
                let first = pointers[side].wrapping_offset(place.at[side] + further);
                for n in words.clone() {
                    // SAFETY: the list has these rows; what is fetched need not be memory.
                    unsafe {
                        let row = *rows[side].as_ptr().add(place.rows[side] + n);
                        _mm_prefetch::<_MM_HINT_T1>(first.wrapping_offset(row).cast());
                    }
                }
            }
        };
        if fetched[0] {
            lines(0, 0);
        }
        if fetched[1] {
            lines(1, 0);
        }
        if let (CARRIES, Some(carried), 0) = (WAY & !GATHERS, &self.blocks.carried, place.at[1]) {
            // The ends of rows are written in parts.
            lines(1, 0);
            lines(1, carried.run);
        }
    }

    /// Brings the words of a block to their pieces.
    ///
    /// # Safety
    /// As [`Network::run`]; a block has so many words.
    #[inline(always)]
    pub(super) unsafe fn leave(&self, place: &Place, words: usize) {
        if self.pieces[1] < 4 {
            // SAFETY: handed on to the caller.
            unsafe {
                let writes = self.blocks.rows[1].as_ptr().wrapping_add(place.rows[1]);
                scatter(self.pieces[1], words, writes, self.blocks.destination.offset(place.at[1]), &self.staged[1]);
            }
        }
    }
}

/// How many words ahead lines of the source are fetched to the second cache: what memory brings while one block is
/// exchanged. To the first cache they would go by the same few places when rows are a power of two apart.
const AHEAD: usize = 256;

/// How many blocks ahead at least.
const BLOCKS: usize = 8;

/// The words of a block side by side, for a side that has no whole words.
#[repr(align(64))]
struct Staged([u8; 4096]);

/// Where staged words are.
const STAGED: [isize; 64] = {
    let mut at = [0; 64];
    let mut n = 1;
    while n < 64 {
        at[n] = at[n - 1] + 64;
        n += 1;
    }
    at
};

/// Brings the pieces of words side by side.
///
/// # Safety
/// Every piece lies inside the source; a block has at most 4096 bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn gather(piece: u32, words: usize, rows: *const isize, source: *const u8, staged: &mut Staged) {
    let to = staged.0.as_mut_ptr();
    // SAFETY: handed on to the caller.
    unsafe {
        let at = |n: usize| source.offset(*rows.add(n));
        match piece {
            3 => {
                for n in 0..words {
                    let piece = |k: usize| at(8 * n + k).cast::<i64>().read_unaligned();
                    let word = _mm512_set_epi64(
                        piece(7),
                        piece(6),
                        piece(5),
                        piece(4),
                        piece(3),
                        piece(2),
                        piece(1),
                        piece(0),
                    );
                    _mm512_store_si512(to.add(64 * n).cast(), word);
                }
            }
            2 => pieces::<4>(words * 16, |n| (at(n), to.add(4 * n))),
            1 => pieces::<2>(words * 32, |n| (at(n), to.add(2 * n))),
            _ => pieces::<1>(words * 64, |n| (at(n), to.add(n))),
        }
    }
}

/// Brings staged words to their pieces.
///
/// # Safety
/// Every piece lies inside the destination; a block has at most 4096 bytes.
#[inline(always)]
unsafe fn scatter(piece: u32, words: usize, rows: *const isize, destination: *mut u8, staged: &Staged) {
    let from = staged.0.as_ptr();
    // SAFETY: handed on to the caller.
    unsafe {
        let at = |n: usize| destination.offset(*rows.add(n));
        match piece {
            3 => pieces::<8>(words * 8, |n| (from.add(8 * n), at(n))),
            2 => pieces::<4>(words * 16, |n| (from.add(4 * n), at(n))),
            1 => pieces::<2>(words * 32, |n| (from.add(2 * n), at(n))),
            _ => pieces::<1>(words * 64, |n| (from.add(n), at(n))),
        }
    }
}

/// Copies so many pieces, each between a pair of pointers.
///
/// # Safety
/// The pointers are valid for a piece, and do not overlap.
#[inline(always)]
unsafe fn pieces<const BYTES: usize>(count: usize, pointers: impl Fn(usize) -> (*const u8, *mut u8)) {
    for n in 0..count {
        let (from, to) = pointers(n);
        // SAFETY: handed on to the caller.
        unsafe { to.cast::<[u8; BYTES]>().write(from.cast::<[u8; BYTES]>().read()) };
    }
}
