//! The network in words of 64 bytes: a round is a byte permutation of two words, `vpermt2b`.
#![allow(unsafe_code)]

#[cfg(not(target_arch = "x86_64"))]
pub(super) use super::scalar::elsewhere as run;

#[cfg(target_arch = "x86_64")]
pub(super) use x86::run;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::super::Network;
    use super::super::network::Words;

    /// As [`Network::run`]. Sixteen words are what registers hold; more rounds take two passes, with a buffer between.
    ///
    /// # Safety
    /// As [`Network::run`].
    pub(in super::super) unsafe fn run(
        network: &Network,
        source: *const u8,
        destination: *mut u8,
        places: &[[isize; 2]],
        stream: bool,
    ) {
        // SAFETY: handed on to the caller, who has checked that the machine has these instructions.
        unsafe {
            match (network.rounds.len(), stream) {
                (0, false) => once::<1, 0, false>(network, source, destination, places),
                (0, true) => once::<1, 0, true>(network, source, destination, places),
                (1, false) => once::<2, 1, false>(network, source, destination, places),
                (1, true) => once::<2, 1, true>(network, source, destination, places),
                (2, false) => once::<4, 2, false>(network, source, destination, places),
                (2, true) => once::<4, 2, true>(network, source, destination, places),
                (3, false) => once::<8, 3, false>(network, source, destination, places),
                (3, true) => once::<8, 3, true>(network, source, destination, places),
                (4, false) => once::<16, 4, false>(network, source, destination, places),
                (4, true) => once::<16, 4, true>(network, source, destination, places),
                (5, false) => twice::<4, 2, false>(network, source, destination, places),
                (5, true) => twice::<4, 2, true>(network, source, destination, places),
                (_, false) => twice::<8, 3, false>(network, source, destination, places),
                (_, true) => twice::<8, 3, true>(network, source, destination, places),
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
    unsafe fn once<const N: usize, const ROUNDS: usize, const STREAM: bool>(
        network: &Network,
        source: *const u8,
        destination: *mut u8,
        places: &[[isize; 2]],
    ) {
        let own = tables::<ROUNDS>(network, 0);
        // Without rounds, the order inside is a permutation of its own.
        let order = if ROUNDS == 0 && !network.is_ordered() { Some(tables::<1>(network, 0)[0][0]) } else { None };
        for [from, to] in places {
            // SAFETY: the caller answers for every block.
            unsafe {
                let mut words = load::<N>(&network.sides[0], source.offset(*from), 0, 1);
                exchange(&mut words, &own);
                if let Some(order) = order {
                    words[0] = _mm512_permutexvar_epi8(order, words[0]);
                }
                store::<N, STREAM>(&network.sides[1], destination.offset(*to), words, 0, 1);
            }
        }
    }

    /// Three rounds between neighbouring words, then the others between words that are eight apart.
    ///
    /// # Safety
    /// As [`Network::run`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn twice<const N: usize, const ROUNDS: usize, const STREAM: bool>(
        network: &Network,
        source: *const u8,
        destination: *mut u8,
        places: &[[isize; 2]],
    ) {
        let (low, high) = (tables::<3>(network, 0), tables::<ROUNDS>(network, 3));
        let mut buffer = [_mm512_setzero_si512(); 64];
        for [from, to] in places {
            // SAFETY: the caller answers for every block, which has eight times N words.
            unsafe {
                for (group, words) in buffer.as_chunks_mut::<8>().0.iter_mut().take(N).enumerate() {
                    *words = load::<8>(&network.sides[0], source.offset(*from), 8 * group, 1);
                    exchange(words, &low);
                }
                for group in 0..8 {
                    let mut words: [__m512i; N] = std::array::from_fn(|n| buffer[group + 8 * n]);
                    exchange(&mut words, &high);
                    store::<N, STREAM>(&network.sides[1], destination.offset(*to), words, group, 8);
                }
            }
        }
    }

    /// Words of a block from their pieces: the first one, and others so many apart.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn load<const N: usize>(side: &Words, source: *const u8, first: usize, step: usize) -> [__m512i; N] {
        let mut words = [_mm512_setzero_si512(); N];
        let at = side.at.as_ptr();
        // SAFETY: a side has 64 bytes a word in pieces, all inside the source.
        unsafe {
            match side.piece {
                6 => {
                    for (n, word) in words.iter_mut().enumerate() {
                        *word = _mm512_loadu_si512(source.offset(*at.add(first + step * n)).cast());
                    }
                }
                5 => {
                    for (n, word) in words.iter_mut().enumerate() {
                        let piece =
                            |k: usize| _mm256_loadu_si256(source.offset(*at.add(2 * (first + step * n) + k)).cast());
                        *word = _mm512_inserti64x4(_mm512_castsi256_si512(piece(0)), piece(1), 1);
                    }
                }
                4 => {
                    for (n, word) in words.iter_mut().enumerate() {
                        let piece =
                            |k: usize| _mm_loadu_si128(source.offset(*at.add(4 * (first + step * n) + k)).cast());
                        let low = _mm256_inserti128_si256(_mm256_castsi128_si256(piece(0)), piece(1), 1);
                        let high = _mm256_inserti128_si256(_mm256_castsi128_si256(piece(2)), piece(3), 1);
                        *word = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
                    }
                }
                3 => {
                    for (n, word) in words.iter_mut().enumerate() {
                        let piece = |k: usize| {
                            source.offset(*at.add(8 * (first + step * n) + k)).cast::<i64>().read_unaligned()
                        };
                        *word = _mm512_set_epi64(
                            piece(7),
                            piece(6),
                            piece(5),
                            piece(4),
                            piece(3),
                            piece(2),
                            piece(1),
                            piece(0),
                        );
                    }
                }
                piece => {
                    let bytes = 1usize << piece;
                    for (n, word) in words.iter_mut().enumerate() {
                        let mut whole = [0u8; 64];
                        for k in 0..64 / bytes {
                            let from = source.offset(*at.add((first + step * n) * (64 / bytes) + k));
                            from.copy_to_nonoverlapping(whole.as_mut_ptr().add(k * bytes), bytes);
                        }
                        *word = _mm512_loadu_si512(whole.as_ptr().cast());
                    }
                }
            }
        }
        words
    }

    /// Words of a block to their pieces, as [`load`] takes them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn store<const N: usize, const STREAM: bool>(
        side: &Words,
        destination: *mut u8,
        words: [__m512i; N],
        first: usize,
        step: usize,
    ) {
        let at = side.at.as_ptr();
        // SAFETY: a side has 64 bytes a word in pieces, all inside the destination; whole words are aligned with `STREAM`.
        unsafe {
            match side.piece {
                6 => {
                    for (n, word) in words.into_iter().enumerate() {
                        let to = destination.offset(*at.add(first + step * n)).cast();
                        if STREAM { _mm512_stream_si512(to, word) } else { _mm512_storeu_si512(to, word) }
                    }
                }
                5 => {
                    for (n, word) in words.into_iter().enumerate() {
                        let piece = |k: usize| destination.offset(*at.add(2 * (first + step * n) + k)).cast();
                        _mm256_storeu_si256(piece(0), _mm512_castsi512_si256(word));
                        _mm256_storeu_si256(piece(1), _mm512_extracti64x4_epi64(word, 1));
                    }
                }
                4 => {
                    for (n, word) in words.into_iter().enumerate() {
                        let piece = |k: usize| destination.offset(*at.add(4 * (first + step * n) + k)).cast();
                        _mm_storeu_si128(piece(0), _mm512_castsi512_si128(word));
                        _mm_storeu_si128(piece(1), _mm512_extracti32x4_epi32(word, 1));
                        _mm_storeu_si128(piece(2), _mm512_extracti32x4_epi32(word, 2));
                        _mm_storeu_si128(piece(3), _mm512_extracti32x4_epi32(word, 3));
                    }
                }
                piece => {
                    let bytes = 1usize << piece;
                    for (n, word) in words.into_iter().enumerate() {
                        let mut whole = [0u8; 64];
                        _mm512_storeu_si512(whole.as_mut_ptr().cast(), word);
                        for k in 0..64 / bytes {
                            let to = destination.offset(*at.add((first + step * n) * (64 / bytes) + k));
                            to.copy_from_nonoverlapping(whole.as_ptr().add(k * bytes), bytes);
                        }
                    }
                }
            }
        }
    }
}
