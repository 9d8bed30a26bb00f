//! The network in vectors of 64 bytes. A round is a permutation of two vectors, or a shift for units below a byte
//! (`rounds.rs`).
#![allow(unsafe_code)]

/// Repeats a block for each number below a constant, at most 16, the vectors that registers hold. The compiler sees all of
/// them, so that vectors stay there.
macro_rules! each {
    ($n:ident in $count:expr, $does:block) => { each!($n in $count, $does, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
    ($n:ident in $count:expr, $does:block, $($number:literal)*) => {{
        const { assert!($count <= 16) };
        $(if $number < $count { let $n: usize = $number; $does })*
    }};
}

mod block;
mod deferred_stores;
mod immediate_stores;
mod interleaved_prefetch;
mod padded;
mod passes;
mod plain;
mod prefetch;
mod realigned;
mod rounds;
mod unpack;
mod unroll4;
mod walk;

use std::arch::x86_64::*;

use block::{CACHED, GATHERED, REALIGNED, SCATTERED, STREAMED};
use deferred_stores::{DeferredStores, Room};
use passes::{InPasses, STEP};
use rounds::{POSITIONS, Rounds, vector};
use walk::Walk;

use super::network::{BYTE, Blocks, Network, TileOrigin};
use super::register::{Permute, Rearrange, Register};
use super::{LINE, PadUnits, Shuffle};

/// As [`Network::run`]. Registers hold sixteen vectors; more rounds take two passes, with a buffer between.
///
/// # Safety
/// As [`Network::run`].
pub(super) unsafe fn run(network: &Network, blocks: Blocks) {
    // SAFETY: handed on to the caller, who has checked that the machine has these instructions.
    unsafe {
        let [from, to] = network.sides.each_ref().map(|side| matches!(side.piece, 4 | 5));
        if network.stores_without_tables(&blocks) {
            return by_unit::<ImmediateStores, STREAMED>(network, blocks);
        }
        if blocks.stream && network.interleaves_prefetch() {
            return match network.vectors {
                32 if network.stores_conflict() => interleaved_prefetch::run::<32, 4, 2>(network, &blocks),
                32 => interleaved_prefetch::run::<32, 4, 1>(network, &blocks),
                _ => interleaved_prefetch::run::<64, 8, 1>(network, &blocks),
            };
        }
        if let Some(pad) = &network.pad {
            return padded(network, &blocks, pad);
        }
        if network.is_plain(&blocks) {
            // Vectors that are streamed are whole.
            return match (to, from, blocks.stream) {
                (true, true, _) => by_unit::<Plain, { SCATTERED | GATHERED }>(network, blocks),
                (true, false, _) => by_unit::<Plain, SCATTERED>(network, blocks),
                (false, true, true) => by_unit::<Plain, { STREAMED | GATHERED }>(network, blocks),
                (false, false, true) => by_unit::<Plain, STREAMED>(network, blocks),
                (false, true, false) => by_unit::<Plain, { CACHED | GATHERED }>(network, blocks),
                (false, false, false) => by_unit::<Plain, CACHED>(network, blocks),
            };
        }
        match (blocks.stream, blocks.realigned.is_some(), from) {
            (true, _, true) => by_unit::<Buffered, { STREAMED | GATHERED }>(network, blocks),
            (true, _, false) => by_unit::<Buffered, STREAMED>(network, blocks),
            (false, true, true) => by_unit::<Buffered, { REALIGNED | GATHERED }>(network, blocks),
            (false, true, false) => by_unit::<Buffered, REALIGNED>(network, blocks),
            // Where one side is staged, so is the other, unless its vectors are whole.
            (false, false, _) => by_unit::<Buffered, CACHED>(network, blocks),
        }
    }
}

/// As [`Network::run`], where units are padded: a vector has two of them to sixteen.
///
/// # Safety
/// As [`Network::run`].
unsafe fn padded(network: &Network, blocks: &Blocks, pad: &PadUnits) {
    // SAFETY: handed on to the caller.
    unsafe {
        match network.vectors {
            2 => padded::run::<2>(network, blocks, pad),
            4 => padded::run::<4>(network, blocks, pad),
            8 => padded::run::<8>(network, blocks, pad),
            _ => padded::run::<16>(network, blocks, pad),
        }
    }
}

/// As [`Shuffle::run`].
///
/// # Safety
/// As [`Shuffle::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn shuffle(
    shuffle: &Shuffle,
    source: *const u8,
    destination: *mut u8,
    tiles: &[TileOrigin],
    stream: bool,
) {
    // SAFETY: handed on to the caller.
    unsafe { shuffle.permute::<__m512i>(source, destination, tiles, stream) };
}

// SAFETY of all functions: the caller answers for the instructions, and for the bytes of pointers.
impl Register for __m512i {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(to.cast(), self) };
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe { _mm512_stream_si512(to.cast(), self) };
    }

    #[inline(always)]
    fn prefetch(line: *const u8) {
        // SAFETY: every x86-64 has it; what is prefetched need not be memory.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.cast()) };
    }
}

impl Rearrange for __m512i {
    #[inline(always)]
    unsafe fn flip(self, tiles: u8) -> Self {
        // SAFETY: as above.
        unsafe {
            let table = _mm512_xor_si512(vector(&POSITIONS), _mm512_set1_epi8(tiles.cast_signed()));
            _mm512_permutexvar_epi8(table, self)
        }
    }

    #[inline(always)]
    unsafe fn permuted(self, table: &[u8; LINE]) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_permutexvar_epi8(vector(table), self) }
    }

    #[inline(always)]
    unsafe fn either(mask: &[u8; LINE], one: Self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_ternarylogic_epi32::<0xCA>(vector(mask), one, other) }
    }

    #[inline(always)]
    unsafe fn up<const BITS: i32>(self) -> Self {
        // SAFETY: as above.
        unsafe {
            match BITS {
                2 => _mm512_slli_epi16::<2>(self),
                _ => _mm512_slli_epi16::<4>(self),
            }
        }
    }

    #[inline(always)]
    unsafe fn down<const BITS: i32>(self) -> Self {
        // SAFETY: as above.
        unsafe {
            match BITS {
                2 => _mm512_srli_epi16::<2>(self),
                _ => _mm512_srli_epi16::<4>(self),
            }
        }
    }
}

impl Permute for __m512i {
    #[inline(always)]
    unsafe fn picked(self, from: Self, table: Self, mask: u64) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_mask_permutexvar_epi8(self, mask, table, from) }
    }
}

/// Moves blocks. `STORE` is the store mode (`block.rs`), and `SUB_BYTE` says whether units may be below a byte. Not
/// every mode is instantiated for every kind of blocks, which would take twice as long to build.
trait Moves {
    /// # Safety
    /// As [`Network::run`], for blocks that are moved so.
    unsafe fn run<const STORE: u8, const SUB_BYTE: bool>(network: &Network, blocks: Blocks);
}

/// # Safety
/// As [`Moves::run`].
unsafe fn by_unit<M: Moves, const STORE: u8>(network: &Network, blocks: Blocks) {
    // SAFETY: handed on to the caller.
    unsafe {
        if network.unit < BYTE {
            M::run::<STORE, true>(network, blocks);
        } else {
            M::run::<STORE, false>(network, blocks);
        }
    }
}

/// Plain blocks, by their number of vectors.
struct Plain;

impl Moves for Plain {
    unsafe fn run<const STORE: u8, const SUB_BYTE: bool>(network: &Network, blocks: Blocks) {
        // SAFETY: handed on to the caller.
        unsafe {
            match network.vectors {
                1 => plain::run::<1, STORE, SUB_BYTE>(network, &blocks),
                2 => plain::run::<2, STORE, SUB_BYTE>(network, &blocks),
                4 => plain::run::<4, STORE, SUB_BYTE>(network, &blocks),
                8 => plain::run::<8, STORE, SUB_BYTE>(network, &blocks),
                16 => plain::run::<16, STORE, SUB_BYTE>(network, &blocks),
                _ => by_passes::<STORE, SUB_BYTE>(network, blocks),
            }
        }
    }
}

/// Blocks with immediate stores: those of 8 or of 16 vectors.
struct ImmediateStores;

impl Moves for ImmediateStores {
    unsafe fn run<const STORE: u8, const SUB_BYTE: bool>(network: &Network, blocks: Blocks) {
        // SAFETY: handed on to the caller.
        unsafe {
            match network.vectors {
                8 => immediate_stores::run::<8, SUB_BYTE>(network, &blocks),
                _ => immediate_stores::run::<16, SUB_BYTE>(network, &blocks),
            }
        }
    }
}

/// Blocks with deferred or realigned stores, or staged vectors.
struct Buffered;

impl Moves for Buffered {
    unsafe fn run<const STORE: u8, const SUB_BYTE: bool>(network: &Network, blocks: Blocks) {
        // SAFETY: handed on to the caller.
        unsafe {
            match network.vectors {
                1 => once::<1, STORE, SUB_BYTE>(network, blocks),
                2 => once::<2, STORE, SUB_BYTE>(network, blocks),
                4 => once::<4, STORE, SUB_BYTE>(network, blocks),
                8 => once::<8, STORE, SUB_BYTE>(network, blocks),
                16 => once::<16, STORE, SUB_BYTE>(network, blocks),
                _ => by_passes::<STORE, SUB_BYTE>(network, blocks),
            }
        }
    }
}

/// Blocks of more vectors than registers hold.
///
/// # Safety
/// As [`Network::run`].
unsafe fn by_passes<const STORE: u8, const SUB_BYTE: bool>(network: &Network, blocks: Blocks) {
    // SAFETY: handed on to the caller.
    unsafe {
        match network.vectors {
            32 if STORE == STREAMED && network.unrolls_by_4() => unroll4::run::<4, SUB_BYTE>(network, blocks),
            64 if STORE == STREAMED && network.unrolls_by_4() => unroll4::run::<8, SUB_BYTE>(network, blocks),
            32 => twice::<32, STEP, 4, STORE, SUB_BYTE>(network, blocks),
            // Only units below a byte have more vectors than 64.
            128 if SUB_BYTE => twice::<128, STEP, 16, STORE, SUB_BYTE>(network, blocks),
            256 if SUB_BYTE => twice::<256, 16, 16, STORE, SUB_BYTE>(network, blocks),
            _ => twice::<64, STEP, 8, STORE, SUB_BYTE>(network, blocks),
        }
    }
}

/// Blocks of `N` vectors, which registers hold, with deferred or realigned stores, or staged.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn once<const N: usize, const STORE: u8, const SUB_BYTE: bool>(network: &Network, blocks: Blocks) {
    let rounds = Rounds::<SUB_BYTE>::of(network);
    let tiles = blocks.tiles;
    let mut walk = Walk::new(network, blocks, N);
    let mut room = Room::<N>::new();
    // Only lines that are streamed want short bursts.
    let step = if STORE & STREAMED != 0 { STEP } else { N };
    let mut deferred_stores = DeferredStores::new(&mut room, N.div_ceil(step));
    let defers = STORE & STREAMED != 0 && network.defers_stores();
    // Lines that realigned vectors make are written in step with those that are prefetched, where a block has many, each
    // read whole.
    let interleaves_prefetch = STORE == REALIGNED && N == 16;
    for (at, tile) in tiles.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has N vectors.
        unsafe {
            let block = walk.enter::<STORE>(tile, N);
            if defers {
                deferred_stores.enter(&block);
            }
            let mut vectors = [_mm512_setzero_si512(); N];
            each!(n in N, {
                vectors[n] = block.read::<STORE>(n);
                let read = n + 1;
                if read.is_multiple_of(step) || read == N {
                    if !interleaves_prefetch {
                        walk.prefetch::<STORE>(at, n / step * step..read);
                    }
                    if defers {
                        deferred_stores.step();
                    }
                }
            });
            block.flip(0, &mut vectors, |n| n);
            rounds.exchange(&mut vectors);
            block.flip(1, &mut vectors, |n| n);
            if defers {
                each!(n in N, { deferred_stores.keep(n, vectors[n]); });
            } else {
                let prefetch = walk.by_vector(at);
                block.write::<N, STORE>(
                    &vectors,
                    |n| n,
                    |n| {
                        if interleaves_prefetch {
                            prefetch(n);
                        }
                    },
                );
            }
            walk.leave::<STORE>(tile, N);
        }
    }
    // SAFETY: handed on to the caller; all vectors of all blocks have been moved or kept.
    unsafe {
        if defers {
            deferred_stores.finish();
        }
        walk.finish();
    }
}

/// Blocks of more vectors, in a pass between `M` of them and one between `N`.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn twice<const VECTORS: usize, const M: usize, const N: usize, const STORE: u8, const SUB_BYTE: bool>(
    network: &Network,
    blocks: Blocks,
) {
    const { assert!(VECTORS == M * N) };
    let of = InPasses::<M, N>::number;
    let [low, high] = Rounds::<SUB_BYTE>::of_passes(network, InPasses::<M, N>::BITS);
    let mut between = [_mm512_setzero_si512(); VECTORS];
    let tiles = blocks.tiles;
    let mut walk = Walk::new(network, blocks, VECTORS);
    let mut room = Room::<VECTORS>::new();
    let mut deferred_stores = DeferredStores::new(&mut room, N + M);
    let defers = STORE & STREAMED != 0 && network.defers_stores();
    for (at, tile) in tiles.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has `M * N` vectors.
        unsafe {
            let block = walk.enter::<STORE>(tile, VECTORS);
            if defers {
                deferred_stores.enter(&block);
            }
            for group in 0..N {
                let mut vectors = [_mm512_setzero_si512(); M];
                for (n, vector) in vectors.iter_mut().enumerate() {
                    *vector = block.read::<STORE>(of(n, group));
                }
                walk.prefetch::<STORE>(at, M / 2 * group..M / 2 * (group + 1));
                if defers {
                    deferred_stores.step();
                }
                block.flip(0, &mut vectors, |n| of(n, group));
                low.exchange(&mut vectors);
                for (n, vector) in vectors.iter().enumerate() {
                    between[M * group + n] = *vector;
                }
            }
            for group in 0..M {
                let mut vectors = [_mm512_setzero_si512(); N];
                for (n, vector) in vectors.iter_mut().enumerate() {
                    *vector = between[M * n + group];
                }
                high.exchange(&mut vectors);
                block.flip(1, &mut vectors, |n| of(group, n));
                walk.prefetch::<STORE>(at, M * N / 2 + N / 2 * group..M * N / 2 + N / 2 * (group + 1));
                if defers {
                    deferred_stores.step();
                }
                if defers {
                    each!(n in N, { deferred_stores.keep(of(group, n), vectors[n]); });
                } else {
                    block.write::<N, STORE>(&vectors, |n| of(group, n), |_| ());
                }
            }
            walk.leave::<STORE>(tile, VECTORS);
        }
    }
    // SAFETY: handed on to the caller; all vectors of all blocks have been moved or kept.
    unsafe {
        if defers {
            deferred_stores.finish();
        }
        walk.finish();
    }
}
