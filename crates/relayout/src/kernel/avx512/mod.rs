//! The network in words of 64 bytes: a round is a byte permutation of two words, `vpermt2b`.
#![allow(unsafe_code)]

mod walk;

use std::arch::x86_64::*;

use walk::{CACHES, CARRIES, LINES, Walk};

use super::network::{Blocks, Network, Packing};

/// As [`Network::run`]. Sixteen words are what registers hold; more rounds take two passes, with a buffer between.
///
/// # Safety
/// As [`Network::run`].
pub(super) unsafe fn run(network: &Network, blocks: Blocks) {
    // SAFETY: handed on to the caller, who has checked that the machine has these instructions.
    unsafe {
        match (blocks.stream, blocks.carried.is_none()) {
            (true, _) => chosen::<LINES>(network, blocks),
            (_, false) => chosen::<CARRIES>(network, blocks),
            _ => chosen::<CACHES>(network, blocks),
        }
    }
}

/// # Safety
/// As [`Network::run`].
unsafe fn chosen<const TO: u8>(network: &Network, blocks: Blocks) {
    // SAFETY: handed on to the caller.
    unsafe {
        if let Some(packing) = &network.parts {
            return match (packing.words[0].len(), network.rounds.len()) {
                (2, 0) if packing.is_paired() => pairs::<2, 0, TO>(network, blocks),
                (2, 1) if packing.is_paired() => pairs::<2, 1, TO>(network, blocks),
                (4, 2) if packing.is_paired() => pairs::<4, 2, TO>(network, blocks),
                (8, 3) if packing.is_paired() => pairs::<8, 3, TO>(network, blocks),
                (16, 4) if packing.is_paired() => pairs::<16, 4, TO>(network, blocks),
                _ => parts::<TO>(network, packing, blocks),
            };
        }
        match network.rounds.len() {
            0 => once::<1, 0, TO>(network, blocks),
            1 => once::<2, 1, TO>(network, blocks),
            2 => once::<4, 2, TO>(network, blocks),
            3 => once::<8, 3, TO>(network, blocks),
            4 => once::<16, 4, TO>(network, blocks),
            5 => twice::<4, 2, TO>(network, blocks),
            _ => twice::<8, 3, TO>(network, blocks),
        }
    }
}

/// The byte permutations of a round.
type Table = [__m512i; 2];

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn tables<const ROUNDS: usize>(network: &Network, first: usize) -> [Table; ROUNDS] {
    let mut tables = [[_mm512_setzero_si512(); 2]; ROUNDS];
    for (table, bytes) in tables.iter_mut().zip(network.tables.iter().skip(first)) {
        // SAFETY: a table has 64 bytes.
        *table = [0, 1].map(|half| unsafe { _mm512_loadu_si512(bytes[half].as_ptr().cast()) });
    }
    tables
}

/// The order inside words, which is a permutation of its own where there are no rounds.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn order(network: &Network) -> Option<__m512i> {
    (network.rounds.is_empty() && !network.is_ordered()).then(|| tables::<1>(network, 0)[0][0])
}

/// Rounds between words whose numbers differ in one bit, the lowest first.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn exchange<const N: usize, const ROUNDS: usize>(words: &mut [__m512i; N], tables: &[Table; ROUNDS]) {
    for (round, table) in tables.iter().enumerate() {
        for low in 0..N / 2 {
            let below = low & ((1 << round) - 1);
            let one = (low - below) << 1 | below;
            let other = one | 1 << round;
            let (a, b) = (words[one], words[other]);
            words[one] = _mm512_permutex2var_epi8(a, table[0], b);
            words[other] = _mm512_permutex2var_epi8(a, table[1], b);
        }
    }
}

/// # Safety
/// As [`Network::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn once<const N: usize, const ROUNDS: usize, const TO: u8>(network: &Network, blocks: Blocks) {
    let (own, order) = (tables::<ROUNDS>(network, 0), order(network));
    let mut walk = Walk::new(network, blocks, N);
    for (at, place) in walk.blocks.places.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has N words.
        unsafe {
            walk.fetch::<TO>(at, 0..N);
            let block = walk.enter::<TO>(place, N);
            let mut words = [_mm512_setzero_si512(); N];
            for (n, word) in words.iter_mut().enumerate() {
                *word = block.read(n);
            }
            exchange(&mut words, &own);
            if let Some(order) = order {
                words[0] = _mm512_permutexvar_epi8(order, words[0]);
            }
            for (n, word) in words.iter().enumerate() {
                block.write::<TO>(n, *word);
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
unsafe fn twice<const N: usize, const ROUNDS: usize, const TO: u8>(network: &Network, blocks: Blocks) {
    let (low, high) = (tables::<3>(network, 0), tables::<ROUNDS>(network, 3));
    // Sixty-four lines at once are more than the processor waits for; carried words are worth no further branch.
    let spread = N == 8 && TO != CARRIES;
    let mut between = [_mm512_setzero_si512(); 64];
    let mut walk = Walk::new(network, blocks, 8 * N);
    for (at, place) in walk.blocks.places.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has eight times N words.
        unsafe {
            if !spread {
                walk.fetch::<TO>(at, 0..8 * N);
            }
            let block = walk.enter::<TO>(place, 8 * N);
            for group in 0..N {
                let mut words = [_mm512_setzero_si512(); 8];
                for (n, word) in words.iter_mut().enumerate() {
                    *word = block.read(8 * group + n);
                }
                if spread {
                    walk.fetch::<TO>(at, 4 * group..4 * group + 4);
                }
                exchange(&mut words, &low);
                for (n, word) in words.iter().enumerate() {
                    between[8 * group + n] = *word;
                }
            }
            for group in 0..8 {
                let mut words = [_mm512_setzero_si512(); N];
                for (n, word) in words.iter_mut().enumerate() {
                    *word = between[8 * n + group];
                }
                exchange(&mut words, &high);
                if spread {
                    walk.fetch::<TO>(at, 32 + 4 * group..36 + 4 * group);
                }
                for (n, word) in words.iter().enumerate() {
                    block.write::<TO>(8 * n + group, *word);
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
unsafe fn pairs<const N: usize, const ROUNDS: usize, const TO: u8>(network: &Network, blocks: Blocks) {
    let (own, order) = (tables::<ROUNDS>(network, 0), order(network));
    let mask = _mm512_set1_epi8(15);
    let mut walk = Walk::new(network, blocks, N / 2);
    for (at, place) in walk.blocks.places.iter().enumerate() {
        // SAFETY: handed on to the caller; a block has half as many words on each side.
        unsafe {
            walk.fetch::<TO>(at, 0..N / 2);
            let block = walk.enter::<TO>(place, N / 2);
            let mut words = [_mm512_setzero_si512(); N];
            for (n, [low, high]) in words.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let packed = block.read(n);
                *low = _mm512_and_si512(packed, mask);
                *high = _mm512_and_si512(_mm512_srli_epi16(packed, 4), mask);
            }
            exchange(&mut words, &own);
            if let Some(order) = order {
                words = words.map(|word| _mm512_permutexvar_epi8(order, word));
            }
            for (n, [low, high]) in words.as_chunks::<2>().0.iter().enumerate() {
                block.write::<TO>(n, _mm512_or_si512(*low, _mm512_slli_epi16(*high, 4)));
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
unsafe fn parts<const TO: u8>(network: &Network, packing: &Packing, blocks: Blocks) {
    let (own, order) = (tables::<6>(network, 0), order(network));
    let mask = _mm512_set1_epi8((1 << packing.unit) - 1);
    let shifts = [0, 1, 2, 3].map(|n| _mm_cvtsi32_si128(n * packing.unit.cast_signed()));
    let count = packing.words[0].len();
    let packed = count / packing.per_byte;
    let rounds = network.rounds.len();
    let mut words = [_mm512_setzero_si512(); 64];
    let mut walk = Walk::new(network, blocks, packed);
    for (at, place) in walk.blocks.places.iter().enumerate() {
        // SAFETY: handed on to the caller.
        unsafe {
            walk.fetch::<TO>(at, 0..packed);
            let block = walk.enter::<TO>(place, packed);
            for (n, own) in packing.words[0].chunks_exact(packing.per_byte).enumerate() {
                let packed = block.read(n);
                for (at, shift) in own.iter().zip(shifts) {
                    words[*at & 63] = _mm512_and_si512(_mm512_srl_epi16(packed, shift), mask);
                }
            }
            let (groups, _) = words[..count].as_chunks_mut::<8>();
            // The first rounds of eight words are done in registers.
            let done = if groups.is_empty() { 0 } else { rounds.min(3) };
            for group in groups {
                let mut held = *group;
                match done {
                    0 => {}
                    1 => exchange::<8, 1>(&mut held, &[own[0]]),
                    2 => exchange::<8, 2>(&mut held, &[own[0], own[1]]),
                    _ => exchange::<8, 3>(&mut held, &[own[0], own[1], own[2]]),
                }
                *group = held;
            }
            for (round, table) in own.iter().enumerate().take(rounds).skip(done) {
                for low in 0..count / 2 {
                    let below = low & ((1 << round) - 1);
                    let one = ((low - below) << 1 | below) & 63;
                    let other = (one | 1 << round) & 63;
                    let (a, b) = (words[one], words[other]);
                    words[one] = _mm512_permutex2var_epi8(a, table[0], b);
                    words[other] = _mm512_permutex2var_epi8(a, table[1], b);
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
                block.write::<TO>(n, packed);
            }
            walk.leave(place, packed);
        }
    }
}
