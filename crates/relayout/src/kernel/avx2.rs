//! Lines as two AVX2 registers. A round shifts and blends, or unpacks.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::network::{Blocks, Network, TileOrigin};
use super::register::{Line, Permute, Rearrange, Register};
use super::{Copy, LINE, Shuffle, passes};

/// As [`Network::run`].
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn run(network: &Network, blocks: &Blocks) {
    // SAFETY: handed on to the caller.
    unsafe { passes::run::<Halves>(network, blocks) };
}

/// As [`Copy::lines`].
///
/// # Safety
/// As [`Copy::run`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn copy(copy: &Copy, source: *const u8, destination: *mut u8, tiles: &[TileOrigin]) {
    // SAFETY: handed on to the caller.
    unsafe { copy.lines::<Halves>(source, destination, tiles) };
}

/// As [`Shuffle::run`].
///
/// # Safety
/// As [`Shuffle::run`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn shuffle(
    shuffle: &Shuffle,
    source: *const u8,
    destination: *mut u8,
    tiles: &[TileOrigin],
    stream: bool,
) {
    // SAFETY: handed on to the caller.
    unsafe { shuffle.permute::<Quarter>(source, destination, tiles, stream) };
}

/// A line as its two halves.
#[derive(Clone, Copy)]
pub(super) struct Halves([__m256i; 2]);

impl Halves {
    /// The exchange of a bit inside halves.
    ///
    /// # Safety
    /// The machine has AVX2.
    #[inline(always)]
    unsafe fn inside(bit: u32, a: __m256i, b: __m256i) -> [__m256i; 2] {
        // SAFETY: handed on to the caller.
        unsafe {
            match bit {
                1 => Halves::below::<2>(_mm256_set1_epi8(0x33), a, b),
                2 => Halves::below::<4>(_mm256_set1_epi8(0x0f), a, b),
                3 => {
                    let clear = _mm256_set1_epi16(0x00ff);
                    [
                        _mm256_blendv_epi8(_mm256_slli_epi16(b, 8), a, clear),
                        _mm256_blendv_epi8(b, _mm256_srli_epi16(a, 8), clear),
                    ]
                }
                4 => [
                    _mm256_blend_epi16(a, _mm256_slli_epi32(b, 16), 0b1010_1010),
                    _mm256_blend_epi16(_mm256_srli_epi32(a, 16), b, 0b1010_1010),
                ],
                5 => [
                    _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), 0b1010_1010),
                    _mm256_blend_epi32(_mm256_srli_epi64(a, 32), b, 0b1010_1010),
                ],
                6 => [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)],
                _ => [_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31)],
            }
        }
    }

    /// The exchange of a bit below a byte, of the given worth in bits. It is clear in the mask.
    ///
    /// # Safety
    /// The machine has AVX2.
    #[inline(always)]
    unsafe fn below<const BITS: i32>(clear: __m256i, a: __m256i, b: __m256i) -> [__m256i; 2] {
        // SAFETY: handed on to the caller.
        unsafe {
            let differ = _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi16(a, BITS), b), clear);
            [_mm256_xor_si256(a, _mm256_slli_epi16(differ, BITS)), _mm256_xor_si256(b, differ)]
        }
    }
}

// SAFETY of all functions: the caller answers for AVX2, and for the bytes of pointers.
impl Register for Halves {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Halves([unsafe { _mm256_setzero_si256() }; 2])
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: as above.
        unsafe { Halves([_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(32).cast())]) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe {
            _mm256_storeu_si256(to.cast(), self.0[0]);
            _mm256_storeu_si256(to.add(32).cast(), self.0[1]);
        }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe {
            _mm256_stream_si256(to.cast(), self.0[0]);
            _mm256_stream_si256(to.add(32).cast(), self.0[1]);
        }
    }

    #[inline(always)]
    fn prefetch(line: *const u8) {
        // SAFETY: every x86-64 has it; what is prefetched need not be memory.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.cast()) };
    }
}

impl Rearrange for Halves {
    #[inline(always)]
    unsafe fn flip(self, positions: u8) -> Self {
        // SAFETY: as above.
        unsafe {
            let own = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
            let table = _mm256_xor_si256(own, _mm256_set1_epi8((positions & 15).cast_signed()));
            let half = |half| {
                let half = _mm256_shuffle_epi8(half, table);
                if positions & 16 == 0 { half } else { _mm256_permute2x128_si256(half, half, 1) }
            };
            let [low, high] = self.0;
            Halves(if positions & 32 == 0 { [half(low), half(high)] } else { [half(high), half(low)] })
        }
    }

    #[inline(always)]
    unsafe fn permuted(self, table: &[u8; LINE]) -> Self {
        // SAFETY: as above.
        unsafe {
            let (table, Halves([low, high])) = (Halves::load(table.as_ptr()), self);
            Halves([_mm256_shuffle_epi8(low, table.0[0]), _mm256_shuffle_epi8(high, table.0[1])])
        }
    }

    #[inline(always)]
    unsafe fn either(mask: &[u8; LINE], one: Self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let mask = Halves::load(mask.as_ptr());
            let half =
                |mask, one, other| _mm256_or_si256(_mm256_and_si256(mask, one), _mm256_andnot_si256(mask, other));
            Halves([half(mask.0[0], one.0[0], other.0[0]), half(mask.0[1], one.0[1], other.0[1])])
        }
    }

    #[inline(always)]
    unsafe fn up<const BITS: i32>(self) -> Self {
        // SAFETY: as above.
        Halves(unsafe { [_mm256_slli_epi16::<BITS>(self.0[0]), _mm256_slli_epi16::<BITS>(self.0[1])] })
    }

    #[inline(always)]
    unsafe fn down<const BITS: i32>(self) -> Self {
        // SAFETY: as above.
        Halves(unsafe { [_mm256_srli_epi16::<BITS>(self.0[0]), _mm256_srli_epi16::<BITS>(self.0[1])] })
    }
}

impl Line for Halves {
    #[inline(always)]
    unsafe fn exchange(bit: u32, Halves(a): Self, Halves(b): Self) -> [Self; 2] {
        if bit > 7 {
            return [Halves([a[0], b[0]]), Halves([a[1], b[1]])];
        }
        // SAFETY: as above.
        let [[a, b], [c, d]] = unsafe { [Halves::inside(bit, a[0], b[0]), Halves::inside(bit, a[1], b[1])] };
        [Halves([a, c]), Halves([b, d])]
    }
}

/// The bytes that AVX2 permutes freely, a quarter of a line.
#[derive(Clone, Copy)]
pub(super) struct Quarter(__m128i);

impl Register for Quarter {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Quarter(unsafe { _mm_setzero_si128() })
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: as above.
        Quarter(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe { _mm_storeu_si128(to.cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe { _mm_stream_si128(to.cast(), self.0) };
    }

    #[inline(always)]
    fn prefetch(line: *const u8) {
        Halves::prefetch(line);
    }
}

impl Permute for Quarter {
    #[inline(always)]
    unsafe fn picked(self, from: Self, table: Self, _mask: u64) -> Self {
        // SAFETY: as above.
        Quarter(unsafe { _mm_or_si128(self.0, _mm_shuffle_epi8(from.0, table.0)) })
    }
}
