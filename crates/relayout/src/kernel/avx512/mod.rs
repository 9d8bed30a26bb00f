//! The network in words of 64 bytes: a round is a permutation of two words, or a shift where units are below a byte
//! (`rounds.rs`).
#![allow(unsafe_code)]

/// Does something for each number below one, which is at most 16, the words that registers hold. The compiler is told all of
/// them, so that words stay there.
macro_rules! each {
    ($n:ident in $count:expr, $does:block) => { each!($n in $count, $does, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
    ($n:ident in $count:expr, $does:block, $($number:literal)*) => {{
        const { assert!($count <= 16) };
        $(if $number < $count { let $n: usize = $number; $does })*
    }};
}

mod ahead;
mod at_once;
mod behind;
mod block;
mod carried;
mod interleaved;
mod paced;
mod passes;
mod plain;
mod quads;
mod rounds;
mod walk;
mod widened;

use std::arch::x86_64::*;

use behind::{Behind, Room};
use block::{CACHES, CARRIES, GATHERS, LINES, SCATTERS};
use passes::{InPasses, STEP};
use rounds::{PLACES, Rounds, word};
use walk::Walk;

use super::network::{BYTE, Blocks, Network, Place};
use super::register::{Permute, Rearrange, Register};
use super::{LINE, Shuffle, Widen};

/// As [`Network::run`]. Sixteen words are what registers hold; more rounds take two passes, with a buffer between.
///
/// # Safety
/// As [`Network::run`].
pub(super) unsafe fn run(network: &Network, blocks: Blocks) {
    // SAFETY: handed on to the caller, who has checked that the machine has these instructions.
    unsafe {
        let [from, to] = network.sides.each_ref().map(|side| matches!(side.piece, 4 | 5));
        if network.is_at_once(&blocks) {
            return by_unit::<AtOnce, LINES>(network, blocks);
        }
        if blocks.stream && network.is_paced() {
            return match network.words {
                32 if network.lines_collide() => paced::run::<32, 4, 2>(network, &blocks),
                32 => paced::run::<32, 4, 1>(network, &blocks),
                _ => paced::run::<64, 8, 1>(network, &blocks),
            };
        }
        if let Some(widen) = &network.widen {
            return widened(network, &blocks, widen);
        }
        if network.is_plain(&blocks) {
            // Words that are written past the caches are whole.
            return match (to, from, blocks.stream) {
                (true, true, _) => by_unit::<Plain, { SCATTERS | GATHERS }>(network, blocks),
                (true, false, _) => by_unit::<Plain, SCATTERS>(network, blocks),
                (false, true, true) => by_unit::<Plain, { LINES | GATHERS }>(network, blocks),
                (false, false, true) => by_unit::<Plain, LINES>(network, blocks),
                (false, true, false) => by_unit::<Plain, { CACHES | GATHERS }>(network, blocks),
                (false, false, false) => by_unit::<Plain, CACHES>(network, blocks),
            };
        }
        match (blocks.stream, blocks.carried.is_some(), from) {
            (true, _, true) => by_unit::<Waiting, { LINES | GATHERS }>(network, blocks),
            (true, _, false) => by_unit::<Waiting, LINES>(network, blocks),
            (false, true, true) => by_unit::<Waiting, { CARRIES | GATHERS }>(network, blocks),
            (false, true, false) => by_unit::<Waiting, CARRIES>(network, blocks),
            // Where one side is staged, so is the other, unless its words are whole.
            (false, false, _) => by_unit::<Waiting, CACHES>(network, blocks),
        }
    }
}

/// As [`Network::run`], where units are filled up: a word has two of them to sixteen.
///
/// # Safety
/// As [`Network::run`].
unsafe fn widened(network: &Network, blocks: &Blocks, widen: &Widen) {
    // SAFETY: handed on to the caller.
    unsafe {
        match network.words {
            2 => widened::run::<2>(network, blocks, widen),
            4 => widened::run::<4>(network, blocks, widen),
            8 => widened::run::<8>(network, blocks, widen),
            _ => widened::run::<16>(network, blocks, widen),
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
    places: &[Place],
    stream: bool,
) {
    // SAFETY: handed on to the caller.
    unsafe { shuffle.permute::<__m512i>(source, destination, places, stream) };
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
    fn fetch(line: *const u8) {
        // SAFETY: every x86-64 has it; what is fetched need not be memory.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.cast()) };
    }
}

impl Rearrange for __m512i {
    #[inline(always)]
    unsafe fn flip(self, places: u8) -> Self {
        // SAFETY: as above.
        unsafe {
            let table = _mm512_xor_si512(word(&PLACES), _mm512_set1_epi8(places.cast_signed()));
            _mm512_permutexvar_epi8(table, self)
        }
    }

    #[inline(always)]
    unsafe fn permuted(self, table: &[u8; LINE]) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_permutexvar_epi8(word(table), self) }
    }

    #[inline(always)]
    unsafe fn either(mask: &[u8; LINE], one: Self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_ternarylogic_epi32::<0xCA>(word(mask), one, other) }
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

/// Moves blocks: `WAY` tells how their words are read and written (`block.rs`), `BELOW` whether units may be below a byte. Not
/// every way is made for every kind of blocks, which would take twice as long to build.
trait Moves {
    /// # Safety
    /// As [`Network::run`], for blocks that are moved so.
    unsafe fn run<const WAY: u8, const BELOW: bool>(network: &Network, blocks: Blocks);
}

/// # Safety
/// As [`Moves::run`].
unsafe fn by_unit<M: Moves, const WAY: u8>(network: &Network, blocks: Blocks) {
    // SAFETY: handed on to the caller.
    unsafe {
        if network.unit < BYTE {
            M::run::<WAY, true>(network, blocks);
        } else {
            M::run::<WAY, false>(network, blocks);
        }
    }
}

/// Blocks that are plain, by how many words they have.
struct Plain;

impl Moves for Plain {
    unsafe fn run<const WAY: u8, const BELOW: bool>(network: &Network, blocks: Blocks) {
        // SAFETY: handed on to the caller.
        unsafe {
            match network.words {
                1 => plain::run::<1, WAY, BELOW>(network, &blocks),
                2 => plain::run::<2, WAY, BELOW>(network, &blocks),
                4 => plain::run::<4, WAY, BELOW>(network, &blocks),
                8 => plain::run::<8, WAY, BELOW>(network, &blocks),
                16 => plain::run::<16, WAY, BELOW>(network, &blocks),
                _ => by_passes::<WAY, BELOW>(network, blocks),
            }
        }
    }
}

/// Blocks whose lines are written at once: those of 8 words, or of 16.
struct AtOnce;

impl Moves for AtOnce {
    unsafe fn run<const WAY: u8, const BELOW: bool>(network: &Network, blocks: Blocks) {
        // SAFETY: handed on to the caller.
        unsafe {
            match network.words {
                8 => at_once::run::<8, BELOW>(network, &blocks),
                _ => at_once::run::<16, BELOW>(network, &blocks),
            }
        }
    }
}

/// Blocks whose words wait for others, or are staged.
struct Waiting;

impl Moves for Waiting {
    unsafe fn run<const WAY: u8, const BELOW: bool>(network: &Network, blocks: Blocks) {
        // SAFETY: handed on to the caller.
        unsafe {
            match network.words {
                1 => once::<1, WAY, BELOW>(network, blocks),
                2 => once::<2, WAY, BELOW>(network, blocks),
                4 => once::<4, WAY, BELOW>(network, blocks),
                8 => once::<8, WAY, BELOW>(network, blocks),
                16 => once::<16, WAY, BELOW>(network, blocks),
                _ => by_passes::<WAY, BELOW>(network, blocks),
            }
        }
    }
}

/// Blocks of more words than registers hold.
///
/// # Safety
/// As [`Network::run`].
unsafe fn by_passes<const WAY: u8, const BELOW: bool>(network: &Network, blocks: Blocks) {
    // SAFETY: handed on to the caller.
    unsafe {
        match network.words {
            32 if WAY == LINES && network.takes_quads() => quads::run::<4, BELOW>(network, blocks),
            64 if WAY == LINES && network.takes_quads() => quads::run::<8, BELOW>(network, blocks),
            32 => twice::<32, STEP, 4, WAY, BELOW>(network, blocks),
            // Only units below a byte have more words than 64.
            128 if BELOW => twice::<128, STEP, 16, WAY, BELOW>(network, blocks),
            256 if BELOW => twice::<256, 16, 16, WAY, BELOW>(network, blocks),
            _ => twice::<64, STEP, 8, WAY, BELOW>(network, blocks),
        }
    }
}

/// Blocks of `N` words, which registers hold, that wait for others or are staged.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn once<const N: usize, const WAY: u8, const BELOW: bool>(network: &Network, blocks: Blocks) {
    let rounds = Rounds::<BELOW>::of(network);
    let places = blocks.places;
    let mut walk = Walk::new(network, blocks, N);
    let mut room = Room::<N>::new();
    // Only lines that are written past the caches want short bursts.
    let step = if WAY & LINES != 0 { STEP } else { N };
    let mut behind = Behind::new(&mut room, N.div_ceil(step));
    let waits = WAY & LINES != 0 && network.writes_behind();
    // Lines that carried words make are written in step with those that are asked for, where a block has many, each read whole.
    let paces = WAY == CARRIES && N == 16;
    for (at, place) in places.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has N words.
        unsafe {
            let block = walk.enter::<WAY>(place, N);
            if waits {
                behind.enter(&block);
            }
            let mut words = [_mm512_setzero_si512(); N];
            each!(n in N, {
                words[n] = block.read::<WAY>(n);
                let read = n + 1;
                if read.is_multiple_of(step) || read == N {
                    if !paces {
                        walk.fetch::<WAY>(at, n / step * step..read);
                    }
                    if waits {
                        behind.step();
                    }
                }
            });
            block.flip(0, &mut words, |n| n);
            rounds.exchange(&mut words);
            block.flip(1, &mut words, |n| n);
            if waits {
                each!(n in N, { behind.keep(n, words[n]); });
            } else {
                let fetch = walk.by_word(at);
                block.write::<N, WAY>(
                    &words,
                    |n| n,
                    |n| {
                        if paces {
                            fetch(n);
                        }
                    },
                );
            }
            walk.leave::<WAY>(place, N);
        }
    }
    // SAFETY: handed on to the caller; all words of all blocks have been moved or kept.
    unsafe {
        if waits {
            behind.finish();
        }
        walk.finish();
    }
}

/// Blocks of more words, in a pass between `M` of them and one between `N`.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn twice<const WORDS: usize, const M: usize, const N: usize, const WAY: u8, const BELOW: bool>(
    network: &Network,
    blocks: Blocks,
) {
    const { assert!(WORDS == M * N) };
    let of = InPasses::<M, N>::number;
    let [low, high] = Rounds::<BELOW>::of_passes(network, InPasses::<M, N>::BITS);
    let mut between = [_mm512_setzero_si512(); WORDS];
    let places = blocks.places;
    let mut walk = Walk::new(network, blocks, WORDS);
    let mut room = Room::<WORDS>::new();
    let mut behind = Behind::new(&mut room, N + M);
    let waits = WAY & LINES != 0 && network.writes_behind();
    for (at, place) in places.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has `M * N` words.
        unsafe {
            let block = walk.enter::<WAY>(place, WORDS);
            if waits {
                behind.enter(&block);
            }
            for group in 0..N {
                let mut words = [_mm512_setzero_si512(); M];
                for (n, word) in words.iter_mut().enumerate() {
                    *word = block.read::<WAY>(of(n, group));
                }
                walk.fetch::<WAY>(at, M / 2 * group..M / 2 * (group + 1));
                if waits {
                    behind.step();
                }
                block.flip(0, &mut words, |n| of(n, group));
                low.exchange(&mut words);
                for (n, word) in words.iter().enumerate() {
                    between[M * group + n] = *word;
                }
            }
            for group in 0..M {
                let mut words = [_mm512_setzero_si512(); N];
                for (n, word) in words.iter_mut().enumerate() {
                    *word = between[M * n + group];
                }
                high.exchange(&mut words);
                block.flip(1, &mut words, |n| of(group, n));
                walk.fetch::<WAY>(at, M * N / 2 + N / 2 * group..M * N / 2 + N / 2 * (group + 1));
                if waits {
                    behind.step();
                }
                if waits {
                    each!(n in N, { behind.keep(of(group, n), words[n]); });
                } else {
                    block.write::<N, WAY>(&words, |n| of(group, n), |_| ());
                }
            }
            walk.leave::<WAY>(place, WORDS);
        }
    }
    // SAFETY: handed on to the caller; all words of all blocks have been moved or kept.
    unsafe {
        if waits {
            behind.finish();
        }
        walk.finish();
    }
}
