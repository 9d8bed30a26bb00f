//! The network in words of 64 bytes: a round is a byte permutation of two words (`rounds.rs`).
#![allow(unsafe_code)]

mod block;
mod rounds;
mod walk;

use std::arch::x86_64::*;

use block::{CACHES, CARRIES, GATHERS, LINES, SCATTERS};
use rounds::{Rounds, word};
use walk::Walk;

use super::Shuffle;
use super::network::{Blocks, Network, Packing, Place};
use super::register::{Permute, Register};

/// As [`Network::run`]. Sixteen words are what registers hold; more rounds take two passes, with a buffer between.
///
/// # Safety
/// As [`Network::run`].
pub(super) unsafe fn run(network: &Network, blocks: Blocks) {
    // SAFETY: handed on to the caller, who has checked that the machine has these instructions.
    unsafe {
        let [from, to] = network.sides.each_ref().map(|side| matches!(side.piece, 4 | 5));
        match (blocks.stream, blocks.carried.is_some()) {
            (true, _) if from => chosen::<{ LINES | GATHERS }>(network, blocks),
            (true, _) => chosen::<LINES>(network, blocks),
            (_, true) if from => chosen::<{ CARRIES | GATHERS }>(network, blocks),
            (_, true) => chosen::<CARRIES>(network, blocks),
            _ if from && to => chosen::<{ SCATTERS | GATHERS }>(network, blocks),
            _ if to => chosen::<SCATTERS>(network, blocks),
            _ if from => chosen::<{ CACHES | GATHERS }>(network, blocks),
            _ => chosen::<CACHES>(network, blocks),
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

impl Permute for __m512i {
    #[inline(always)]
    unsafe fn picked(self, from: Self, table: Self, mask: u64) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_mask_permutexvar_epi8(self, mask, table, from) }
    }
}

/// # Safety
/// As [`Network::run`].
unsafe fn chosen<const WAY: u8>(network: &Network, blocks: Blocks) {
    // SAFETY: handed on to the caller.
    unsafe {
        if let Some(packing) = &network.parts {
            return match (packing.words[0].len(), network.rounds.len()) {
                (2, 0) if packing.is_paired() => pairs::<2, 0, WAY>(network, blocks),
                (2, 1) if packing.is_paired() => pairs::<2, 1, WAY>(network, blocks),
                (4, 2) if packing.is_paired() => pairs::<4, 2, WAY>(network, blocks),
                (8, 3) if packing.is_paired() => pairs::<8, 3, WAY>(network, blocks),
                (16, 4) if packing.is_paired() => pairs::<16, 4, WAY>(network, blocks),
                _ => parts::<WAY>(network, packing, blocks),
            };
        }
        match network.rounds.len() {
            0 if network.words == 4 => once::<4, 0, WAY>(network, blocks),
            0 if network.words == 2 => once::<2, 0, WAY>(network, blocks),
            0 => once::<1, 0, WAY>(network, blocks),
            1 => once::<2, 1, WAY>(network, blocks),
            2 => once::<4, 2, WAY>(network, blocks),
            3 => once::<8, 3, WAY>(network, blocks),
            4 => once::<16, 4, WAY>(network, blocks),
            5 => twice::<4, 2, WAY>(network, blocks),
            _ => twice::<8, 3, WAY>(network, blocks),
        }
    }
}

/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn once<const N: usize, const ROUNDS: usize, const WAY: u8>(network: &Network, blocks: Blocks) {
    let rounds = Rounds::<ROUNDS>::of(network, 0);
    let mut walk = Walk::new(network, blocks, N);
    for (at, place) in walk.blocks.places.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has N words.
        unsafe {
            let block = walk.enter::<WAY>(place, N);
            let mut words = [_mm512_setzero_si512(); N];
            for (n, word) in words.iter_mut().enumerate() {
                *word = block.read::<WAY>(n);
            }
            walk.fetch::<WAY>(at, 0..N);
            block.flip(0, &mut words, |n| n);
            rounds.exchange(&mut words);
            block.flip(1, &mut words, |n| n);
            for (n, word) in words.iter().enumerate() {
                block.write::<WAY>(n, *word);
            }
            walk.leave(place, N);
        }
    }
}

/// Three rounds between neighbouring words, then the others between words that are eight apart.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn twice<const N: usize, const ROUNDS: usize, const WAY: u8>(network: &Network, blocks: Blocks) {
    let (low, high) = (Rounds::<3>::of(network, 0), Rounds::<ROUNDS>::of(network, 3));
    // Sixty-four lines at once are more than the processor waits for; carried words are worth no further branch.
    let spread = WAY != CARRIES;
    let mut between = [_mm512_setzero_si512(); 64];
    let mut walk = Walk::new(network, blocks, 8 * N);
    for (at, place) in walk.blocks.places.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has eight times N words.
        unsafe {
            if !spread {
                walk.fetch::<WAY>(at, 0..8 * N);
            }
            let block = walk.enter::<WAY>(place, 8 * N);
            for group in 0..N {
                let mut words = [_mm512_setzero_si512(); 8];
                for (n, word) in words.iter_mut().enumerate() {
                    *word = block.read::<WAY>(8 * group + n);
                }
                if spread {
                    walk.fetch::<WAY>(at, 4 * group..4 * group + 4);
                }
                block.flip(0, &mut words, |n| 8 * group + n);
                low.exchange(&mut words);
                for (n, word) in words.iter().enumerate() {
                    between[8 * group + n] = *word;
                }
            }
            for group in 0..8 {
                let mut words = [_mm512_setzero_si512(); N];
                for (n, word) in words.iter_mut().enumerate() {
                    *word = between[8 * n + group];
                }
                high.exchange(&mut words);
                block.flip(1, &mut words, |n| 8 * n + group);
                if spread {
                    walk.fetch::<WAY>(at, 4 * N + (N / 2) * group..4 * N + (N / 2) * (group + 1));
                }
                for (n, word) in words.iter().enumerate() {
                    block.write::<WAY>(8 * n + group, *word);
                }
            }
            walk.leave(place, 8 * N);
        }
    }
}

/// Halves of bytes whose words are few: spread to neighbouring words, exchanged, and packed again.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn pairs<const N: usize, const ROUNDS: usize, const WAY: u8>(network: &Network, blocks: Blocks) {
    let rounds = Rounds::<ROUNDS>::of(network, 0);
    let mask = _mm512_set1_epi8(15);
    let mut walk = Walk::new(network, blocks, N / 2);
    for (at, place) in walk.blocks.places.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has half as many words on each side.
        unsafe {
            walk.fetch::<WAY>(at, 0..N / 2);
            let block = walk.enter::<WAY>(place, N / 2);
            let mut words = [_mm512_setzero_si512(); N];
            for (n, [low, high]) in words.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let packed = block.read::<WAY>(n);
                *low = _mm512_and_si512(packed, mask);
                *high = _mm512_and_si512(_mm512_srli_epi16(packed, 4), mask);
            }
            rounds.exchange(&mut words);
            for (n, [low, high]) in words.as_chunks::<2>().0.iter().enumerate() {
                block.write::<WAY>(n, _mm512_or_si512(*low, _mm512_slli_epi16(*high, 4)));
            }
            walk.leave(place, N / 2);
        }
    }
}

/// Words of units below a byte: spread to a byte each, exchanged, and packed again.
///
/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn parts<const WAY: u8>(network: &Network, packing: &Packing, blocks: Blocks) {
    let mask = _mm512_set1_epi8((1 << packing.unit) - 1);
    let shifts = [0, 1, 2, 3].map(|n| _mm_cvtsi32_si128(n * packing.unit.cast_signed()));
    let (count, rounds) = (packing.words[0].len(), network.rounds.len());
    let packed = count / packing.per_byte;
    // The first rounds of eight words are done in registers; they have the order inside words if no more follow.
    let done = if count < 8 { 0 } else { rounds.min(3) };
    let (one, two, three) = (Rounds::<1>::of(network, 0), Rounds::<2>::of(network, 0), Rounds::<3>::of(network, 0));
    let all = Rounds::<6>::of(network, 0);
    let order = network.table.as_ref().filter(|_| done == 0 || done < rounds).map(|table| word(table));
    let mut words = [_mm512_setzero_si512(); 64];
    let mut walk = Walk::new(network, blocks, packed);
    for (at, place) in walk.blocks.places.iter().enumerate() {
        // SAFETY: handed on to the caller.
        unsafe {
            walk.fetch::<WAY>(at, 0..packed);
            let block = walk.enter::<WAY>(place, packed);
            for (n, own) in packing.words[0].chunks_exact(packing.per_byte).enumerate() {
                let packed = block.read::<WAY>(n);
                for (at, shift) in own.iter().zip(shifts) {
                    words[*at & 63] = _mm512_and_si512(_mm512_srl_epi16(packed, shift), mask);
                }
            }
            let (groups, _) = words[..count].as_chunks_mut::<8>();
            for group in groups {
                let mut held = *group;
                match done {
                    0 => {}
                    1 => one.exchange(&mut held),
                    2 => two.exchange(&mut held),
                    _ => three.exchange(&mut held),
                }
                *group = held;
            }
            for round in done..rounds {
                for low in 0..count / 2 {
                    let below = low & ((1 << round) - 1);
                    let one = ((low - below) << 1 | below) & 63;
                    let other = (one | 1 << round) & 63;
                    [words[one], words[other]] = all.cross(round, words[one], words[other]);
                }
            }
            if let Some(order) = order {
                for word in words.iter_mut().take(count) {
                    *word = _mm512_permutexvar_epi8(order, *word);
                }
            }
            for (n, own) in packing.words[1].chunks_exact(packing.per_byte).enumerate() {
                let mut packed = _mm512_setzero_si512();
                for (at, shift) in own.iter().zip(shifts) {
                    packed = _mm512_or_si512(packed, _mm512_sll_epi16(words[*at & 63], shift));
                }
                block.write::<WAY>(n, packed);
            }
            walk.leave(place, packed);
        }
    }
}
