//! The network in vectors of 64 bytes. A round is a permutation of two vectors, or a shift for units below a byte
//! (`rounds.rs`).
#![allow(unsafe_code)]

/// Repeats a block for each number below a constant, at most 16, the vectors that registers hold. The compiler sees all of
/// them, so that vectors stay there.
macro_rules! each {
    ($n:ident in STEP, $does:block) => { each!($n in STEP, $does, 0 1 2 3 4 5 6 7) };
    ($n:ident in $count:expr, $does:block) => { each!($n in $count, $does, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
    ($n:ident in $count:expr, $does:block, $($number:literal)*) => {{
        const { assert!($count <= 16) };
        $(if const { $number < $count } { let $n: usize = $number; $does })*
    }};
}

/// Calls the instance of a kernel for units of bytes, or for those below a byte, which have more ways to exchange.
macro_rules! by_unit {
    ($network:ident, $kernel:path [$($size:expr),*] $arguments:tt $(, $kind:expr)?) => {{
        use $kernel as kernel;
        if $network.unit < BYTE {
            kernel::<$($size,)* true $(, $kind)?> $arguments
        } else {
            kernel::<$($size,)* false $(, $kind)?> $arguments
        }
    }};
}

/// Calls the instance of a kernel for the number of vectors of a network, for its unit and for the kind of a mode. Modes that are
/// not known beforehand are compiled with all ways to exchange.
macro_rules! by_vectors {
    ($network:ident, $kernel:ident [$($count:literal)*] ANY $arguments:tt, $else:expr) => {
        match $network.vectors {
            $($count => $kernel::<$count, true, ANY> $arguments,)*
            _ => $else,
        }
    };
    ($network:ident, $kernel:ident [$($count:literal)*] $kind:ident $arguments:tt, $else:expr) => {
        match $network.vectors {
            $($count => by_unit!($network, $kernel [$count] $arguments, $kind),)*
            _ => $else,
        }
    };
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
mod walk;

use std::arch::x86_64::*;

use block::{ANY, CACHED, Mode, REALIGNED, STREAMED, Stores};
use deferred_stores::{DeferredStores, Room};
use passes::{InPasses, STEP};
use plain::run as plainly;
use rounds::{POSITIONS, Rounds, vector};
use walk::Walk;

use super::network::{BYTE, Blocks, Network, REGISTERS, TileOrigin};
use super::register::{Permute, Rearrange, Register};
use super::{LINE, PadUnits, Shuffle};

/// As [`Network::run`]. Registers hold sixteen vectors; more rounds take two passes, with a buffer between.
///
/// # Safety
/// As [`Network::run`].
pub(super) unsafe fn run(network: &Network, blocks: Blocks) {
    let [from, to] = network.sides.each_ref().map(|side| matches!(side.piece, 4 | 5));
    // SAFETY: handed on to the caller, who has checked that the machine has these instructions.
    unsafe {
        if network.stores_without_tables(&blocks) {
            return match network.vectors {
                8 => by_unit!(network, immediate_stores::run[8](network, &blocks)),
                _ => by_unit!(network, immediate_stores::run[16](network, &blocks)),
            };
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
        // Vectors that are streamed or realigned are whole in the destination. Where that side is staged, so is the other,
        // unless its vectors are whole.
        let is_plain = network.is_plain(&blocks);
        let mode = match (blocks.stream, blocks.realigned.is_some()) {
            _ if is_plain && to => Mode { gathers: from, stores: Stores::Scattered },
            (true, _) => Mode { gathers: from, stores: Stores::Streamed },
            (false, true) => Mode { gathers: from, stores: Stores::Realigned },
            (false, false) => Mode { gathers: from && is_plain, stores: Stores::Cached },
        };
        match (is_plain, mode.kind()) {
            _ if network.vectors > REGISTERS => by_passes(network, blocks, mode),
            (true, CACHED) => by_vectors!(network, plainly [1 2 4 8 16] CACHED (network, &blocks, mode), {}),
            (true, STREAMED) => by_vectors!(network, plainly [1 2 4 8 16] STREAMED (network, &blocks, mode), {}),
            (true, _) => by_vectors!(network, plainly [1 2 4 8 16] ANY (network, &blocks, mode), {}),
            (false, STREAMED) => by_vectors!(network, once [1 2 4 8 16] STREAMED (network, blocks, mode), {}),
            (false, REALIGNED) => by_vectors!(network, once [1 2 4 8 16] REALIGNED (network, blocks, mode), {}),
            (false, _) => by_vectors!(network, once [1 2 4 8 16] ANY (network, blocks, mode), {}),
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

/// Blocks of more vectors than registers hold.
///
/// # Safety
/// As [`Network::run`].
unsafe fn by_passes(network: &Network, blocks: Blocks, mode: Mode) {
    // SAFETY: handed on to the caller.
    unsafe {
        match (network.vectors, mode.kind()) {
            (32, CACHED) => by_unit!(network, twice [32, STEP, 4] (network, blocks, mode), CACHED),
            (32, STREAMED) => by_unit!(network, twice [32, STEP, 4] (network, blocks, mode), STREAMED),
            (32, REALIGNED) => by_unit!(network, twice [32, STEP, 4] (network, blocks, mode), REALIGNED),
            (32, _) => twice::<32, STEP, 4, true, ANY>(network, blocks, mode),
            (64, CACHED) => by_unit!(network, twice [64, STEP, 8] (network, blocks, mode), CACHED),
            (64, STREAMED) => by_unit!(network, twice [64, STEP, 8] (network, blocks, mode), STREAMED),
            (64, REALIGNED) => by_unit!(network, twice [64, STEP, 8] (network, blocks, mode), REALIGNED),
            (64, _) => twice::<64, STEP, 8, true, ANY>(network, blocks, mode),
            // Only units below a byte have more vectors than 64.
            (128, CACHED) => twice::<128, STEP, 16, true, CACHED>(network, blocks, mode),
            (128, STREAMED) => twice::<128, STEP, 16, true, STREAMED>(network, blocks, mode),
            (128, _) => twice::<128, STEP, 16, true, ANY>(network, blocks, mode),
            _ => twice::<256, 16, 16, true, ANY>(network, blocks, mode),
        }
    }
}

/// Blocks of `N` vectors, which registers hold, with deferred or realigned stores, or staged.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn once<const N: usize, const SUB_BYTE: bool, const KIND: u8>(network: &Network, blocks: Blocks, mode: Mode) {
    let rounds = Rounds::<SUB_BYTE>::of(network);
    let tiles = blocks.tiles;
    let mut walk = Walk::new(network, blocks, N, mode);
    let mut room = Room::<N>::new();
    // Only lines that are streamed want short bursts.
    let streams = KIND == STREAMED || KIND == ANY && mode.stores == Stores::Streamed;
    let mut deferred_stores = DeferredStores::new(&mut room, if streams { N.div_ceil(STEP) } else { 1 });
    let defers = streams && network.defers_stores();
    // Lines that realigned vectors make are written in step with those that are prefetched, where a block has many, each
    // read whole.
    let interleaves_prefetch = N == 16 && KIND == REALIGNED;
    for (at, tile) in tiles.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has N vectors.
        unsafe {
            let block = walk.enter::<KIND>(tile, N);
            if defers {
                deferred_stores.enter(&block);
            }
            let mut vectors = [_mm512_setzero_si512(); N];
            each!(n in N, {
                vectors[n] = block.read::<KIND>(n);
                let read = n + 1;
                if read == N || streams && read.is_multiple_of(STEP) {
                    if !interleaves_prefetch {
                        walk.prefetch.prefetch::<KIND>(&walk.blocks, at, if streams { n / STEP * STEP } else { 0 }..read);
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
                let prefetch = walk.prefetch.by_vector(&walk.blocks, at);
                block.write::<N, KIND>(
                    &vectors,
                    |n| n,
                    |n| {
                        if interleaves_prefetch {
                            prefetch(n);
                        }
                    },
                );
            }
            walk.leave::<KIND>(tile, N);
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
unsafe fn twice<const VECTORS: usize, const M: usize, const N: usize, const SUB_BYTE: bool, const KIND: u8>(
    network: &Network,
    blocks: Blocks,
    mode: Mode,
) {
    const { assert!(VECTORS == M * N) };
    let of = InPasses::<M, N>::number;
    let [low, high] = Rounds::<SUB_BYTE>::of_passes(network, InPasses::<M, N>::BITS);
    let mut between = [_mm512_setzero_si512(); VECTORS];
    let tiles = blocks.tiles;
    let mut walk = Walk::new(network, blocks, VECTORS, mode);
    let mut room = Room::<VECTORS>::new();
    let mut deferred_stores = DeferredStores::new(&mut room, N + M);
    let streams = KIND == STREAMED || KIND == ANY && mode.stores == Stores::Streamed;
    let defers = streams && network.defers_stores();
    for (at, tile) in tiles.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has `M * N` vectors.
        unsafe {
            let block = walk.enter::<KIND>(tile, VECTORS);
            if defers {
                deferred_stores.enter(&block);
            }
            for group in 0..N {
                let mut vectors = block.read_all::<M, KIND>(|n| of(n, group));
                walk.prefetch.prefetch::<KIND>(&walk.blocks, at, M / 2 * group..M / 2 * (group + 1));
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
                walk.prefetch.prefetch::<KIND>(
                    &walk.blocks,
                    at,
                    M * N / 2 + N / 2 * group..M * N / 2 + N / 2 * (group + 1),
                );
                if defers {
                    deferred_stores.step();
                }
                if defers {
                    each!(n in N, { deferred_stores.keep(of(group, n), vectors[n]); });
                } else {
                    block.write::<N, KIND>(&vectors, |n| of(group, n), |_| ());
                }
            }
            walk.leave::<KIND>(tile, VECTORS);
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
