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
    use super::super::network::{Packing, Words};

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
        if let Some(packing) = &network.parts {
            // SAFETY: handed on to the caller, who has checked that the machine has these instructions.
            return unsafe {
                match (packing.words[0].len(), network.rounds.len()) {
                    (2, 0) if packing.is_paired() => pairs::<2, 0>(network, source, destination, places, stream),
                    (2, 1) if packing.is_paired() => pairs::<2, 1>(network, source, destination, places, stream),
                    (4, 2) if packing.is_paired() => pairs::<4, 2>(network, source, destination, places, stream),
                    (8, 3) if packing.is_paired() => pairs::<8, 3>(network, source, destination, places, stream),
                    (16, 4) if packing.is_paired() => pairs::<16, 4>(network, source, destination, places, stream),
                    _ => parts(network, packing, source, destination, places, stream),
                }
            };
        }
        // SAFETY: the same.
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
        let mut staged = [Staged([0; 4096]), Staged([0; 4096])];
        let ahead = AHEAD / N;
        for (at, [from, to]) in places.iter().enumerate() {
            if network.far
                && let Some([next, beyond]) = places.get(at + ahead)
            {
                fetch(&network.sides[0], source.wrapping_offset(*next));
                if !STREAM {
                    fetch(&network.sides[1], destination.wrapping_offset(*beyond));
                }
            }
            // SAFETY: the caller answers for every block.
            unsafe {
                let (source, reads) = gathered(&network.sides[0], source.offset(*from), &mut staged[0]);
                let (target, writes) = target(&network.sides[1], destination.offset(*to), &mut staged[1]);
                let mut words = [_mm512_setzero_si512(); N];
                for (n, word) in words.iter_mut().enumerate() {
                    *word = _mm512_loadu_si512(source.offset(*reads.add(n)).cast());
                }
                exchange(&mut words, &own);
                if let Some(order) = order {
                    words[0] = _mm512_permutexvar_epi8(order, words[0]);
                }
                for (n, word) in words.iter().enumerate() {
                    store::<STREAM>(target.offset(*writes.add(n)), *word);
                }
                scattered(&network.sides[1], destination.offset(*to), &staged[1]);
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
        let mut staged = [Staged([0; 4096]), Staged([0; 4096])];
        let mut between = [_mm512_setzero_si512(); 64];
        let ahead = AHEAD / (8 * N);
        for (at, [from, to]) in places.iter().enumerate() {
            if network.far
                && let Some([next, beyond]) = places.get(at + ahead)
            {
                fetch(&network.sides[0], source.wrapping_offset(*next));
                if !STREAM {
                    fetch(&network.sides[1], destination.wrapping_offset(*beyond));
                }
            }
            // SAFETY: the caller answers for every block, which has eight times N words.
            unsafe {
                let (source, reads) = gathered(&network.sides[0], source.offset(*from), &mut staged[0]);
                let (target, writes) = target(&network.sides[1], destination.offset(*to), &mut staged[1]);
                for group in 0..N {
                    let mut words = [_mm512_setzero_si512(); 8];
                    for (n, word) in words.iter_mut().enumerate() {
                        *word = _mm512_loadu_si512(source.offset(*reads.add(8 * group + n)).cast());
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
                    for (n, word) in words.iter().enumerate() {
                        store::<STREAM>(target.offset(*writes.add(8 * n + group)), *word);
                    }
                }
                scattered(&network.sides[1], destination.offset(*to), &staged[1]);
            }
        }
    }

    /// Halves of bytes whose words are few: spread to neighbouring words, exchanged, and packed again.
    ///
    /// # Safety
    /// As [`Network::run`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn pairs<const N: usize, const ROUNDS: usize>(
        network: &Network,
        source: *const u8,
        destination: *mut u8,
        places: &[[isize; 2]],
        stream: bool,
    ) {
        let own = tables::<ROUNDS>(network, 0);
        let order = if ROUNDS == 0 && !network.is_ordered() { Some(tables::<1>(network, 0)[0][0]) } else { None };
        let mask = _mm512_set1_epi8(15);
        let mut staged = [Staged([0; 4096]), Staged([0; 4096])];
        let ahead = 2 * AHEAD / N;
        for (at, [from, to]) in places.iter().enumerate() {
            if network.far
                && let Some([next, _]) = places.get(at + ahead)
            {
                fetch(&network.sides[0], source.wrapping_offset(*next));
            }
            // SAFETY: the caller answers for every block, which has half as many words on each side.
            unsafe {
                let (source, reads) = gathered(&network.sides[0], source.offset(*from), &mut staged[0]);
                let (target, writes) = target(&network.sides[1], destination.offset(*to), &mut staged[1]);
                let mut words = [_mm512_setzero_si512(); N];
                for (n, [low, high]) in words.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                    let packed = _mm512_loadu_si512(source.offset(*reads.add(n)).cast());
                    *low = _mm512_and_si512(packed, mask);
                    *high = _mm512_and_si512(_mm512_srli_epi16(packed, 4), mask);
                }
                exchange(&mut words, &own);
                if let Some(order) = order {
                    for word in &mut words {
                        *word = _mm512_permutexvar_epi8(order, *word);
                    }
                }
                for (n, [low, high]) in words.as_chunks::<2>().0.iter().enumerate() {
                    let packed = _mm512_or_si512(*low, _mm512_slli_epi16(*high, 4));
                    let to = target.offset(*writes.add(n));
                    if stream { store::<true>(to, packed) } else { store::<false>(to, packed) }
                }
                scattered(&network.sides[1], destination.offset(*to), &staged[1]);
            }
        }
    }

    /// Words of units below a byte: spread to a byte each, exchanged, and packed again.
    ///
    /// # Safety
    /// As [`Network::run`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn parts(
        network: &Network,
        packing: &Packing,
        source: *const u8,
        destination: *mut u8,
        places: &[[isize; 2]],
        stream: bool,
    ) {
        let own = tables::<6>(network, 0);
        let order = if network.rounds.is_empty() && !network.is_ordered() { Some(own[0][0]) } else { None };
        let mask = _mm512_set1_epi8((1 << packing.unit) - 1);
        let shifts = [0, 1, 2, 3].map(|n| _mm_cvtsi32_si128(n * packing.unit.cast_signed()));
        let mut staged = [Staged([0; 4096]), Staged([0; 4096])];
        let mut words = [_mm512_setzero_si512(); 64];
        let count = packing.words[0].len();
        for [from, to] in places {
            // SAFETY: the caller answers for every block.
            unsafe {
                let (source, reads) = gathered(&network.sides[0], source.offset(*from), &mut staged[0]);
                let (target, writes) = target(&network.sides[1], destination.offset(*to), &mut staged[1]);
                for (n, own) in packing.words[0].chunks_exact(packing.per_byte).enumerate() {
                    let packed = _mm512_loadu_si512(source.offset(*reads.add(n)).cast());
                    for (at, shift) in own.iter().zip(shifts) {
                        words[*at & 63] = _mm512_and_si512(_mm512_srl_epi16(packed, shift), mask);
                    }
                }
                for (round, table) in own.iter().take(network.rounds.len()).enumerate() {
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
                    let to = target.offset(*writes.add(n));
                    if stream { store::<true>(to, packed) } else { store::<false>(to, packed) }
                }
                scattered(&network.sides[1], destination.offset(*to), &staged[1]);
            }
        }
    }

    /// How many words ahead lines of the source are fetched to the second cache: what memory brings while one block is
    /// exchanged. To the first cache they would go by the same few places when rows are a power of two apart.
    const AHEAD: usize = 256;

    /// Fetches the words of a block that are a line each.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn fetch(side: &Words, source: *const u8) {
        if side.piece == 6 {
            for at in &side.at {
                _mm_prefetch::<_MM_HINT_T1>(source.wrapping_offset(*at).cast());
            }
        }
    }

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

    /// Where to read the words of a block: where they are, or staged from their pieces.
    ///
    /// # Safety
    /// Every piece lies inside the source.
    #[inline(always)]
    unsafe fn gathered(side: &Words, source: *const u8, staged: &mut Staged) -> (*const u8, *const isize) {
        if side.piece == 6 {
            return (source, side.at.as_ptr());
        }
        // SAFETY: handed on to the caller.
        unsafe { stage(side, source, staged) };
        (staged.0.as_ptr(), STAGED.as_ptr())
    }

    /// Brings the pieces of words side by side.
    ///
    /// # Safety
    /// Every piece lies inside the source.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn stage(side: &Words, source: *const u8, staged: &mut Staged) {
        let to = staged.0.as_mut_ptr();
        // SAFETY: handed on to the caller; a block has at most 4096 bytes.
        unsafe {
            match side.piece {
                // Words are put together in registers: a word that is read where pieces were just written would wait for them.
                5 => {
                    for (n, at) in side.at.as_chunks::<2>().0.iter().enumerate() {
                        let piece = |at: isize| _mm256_loadu_si256(source.offset(at).cast());
                        let word = _mm512_inserti64x4(_mm512_castsi256_si512(piece(at[0])), piece(at[1]), 1);
                        _mm512_store_si512(to.add(64 * n).cast(), word);
                    }
                }
                4 => {
                    for (n, at) in side.at.as_chunks::<4>().0.iter().enumerate() {
                        let piece = |at: isize| _mm_loadu_si128(source.offset(at).cast());
                        let low = _mm256_inserti128_si256(_mm256_castsi128_si256(piece(at[0])), piece(at[1]), 1);
                        let high = _mm256_inserti128_si256(_mm256_castsi128_si256(piece(at[2])), piece(at[3]), 1);
                        let word = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
                        _mm512_store_si512(to.add(64 * n).cast(), word);
                    }
                }
                3 => {
                    for (n, at) in side.at.as_chunks::<8>().0.iter().enumerate() {
                        let piece = |k: usize| source.offset(at[k]).cast::<i64>().read_unaligned();
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
                2 => pieces::<4>(side, |n, at| (source.offset(at), to.add(n))),
                1 => pieces::<2>(side, |n, at| (source.offset(at), to.add(n))),
                _ => pieces::<1>(side, |n, at| (source.offset(at), to.add(n))),
            }
        }
    }

    /// Where to write the words of a block: where they belong, or staged.
    #[inline(always)]
    fn target(side: &Words, destination: *mut u8, staged: &mut Staged) -> (*mut u8, *const isize) {
        if side.piece == 6 { (destination, side.at.as_ptr()) } else { (staged.0.as_mut_ptr(), STAGED.as_ptr()) }
    }

    /// Brings staged words to their pieces.
    ///
    /// # Safety
    /// Every piece lies inside the destination.
    #[inline(always)]
    unsafe fn scattered(side: &Words, destination: *mut u8, staged: &Staged) {
        let from = staged.0.as_ptr();
        // SAFETY: handed on to the caller; a block has at most 4096 bytes.
        unsafe {
            match side.piece {
                6 => {}
                5 => pieces::<32>(side, |n, at| (from.add(n), destination.offset(at))),
                4 => pieces::<16>(side, |n, at| (from.add(n), destination.offset(at))),
                3 => pieces::<8>(side, |n, at| (from.add(n), destination.offset(at))),
                2 => pieces::<4>(side, |n, at| (from.add(n), destination.offset(at))),
                1 => pieces::<2>(side, |n, at| (from.add(n), destination.offset(at))),
                _ => pieces::<1>(side, |n, at| (from.add(n), destination.offset(at))),
            }
        }
    }

    /// Copies the pieces of a side, each between the pointers that its staged place and its own place give.
    ///
    /// # Safety
    /// The pointers are valid for a piece, and do not overlap.
    #[inline(always)]
    unsafe fn pieces<const BYTES: usize>(side: &Words, pointers: impl Fn(usize, isize) -> (*const u8, *mut u8)) {
        for (n, at) in side.at.iter().enumerate() {
            let (from, to) = pointers(n * BYTES, *at);
            // SAFETY: handed on to the caller.
            unsafe { to.cast::<[u8; BYTES]>().write(from.cast::<[u8; BYTES]>().read()) };
        }
    }

    /// # Safety
    /// A word can be written there, and with `STREAM` the place is aligned.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn store<const STREAM: bool>(to: *mut u8, word: __m512i) {
        // SAFETY: handed on to the caller.
        unsafe { if STREAM { _mm512_stream_si512(to.cast(), word) } else { _mm512_storeu_si512(to.cast(), word) } }
    }
}
