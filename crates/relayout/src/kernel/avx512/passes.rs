//! [`InPasses`]: which words of a block each of two passes is between.
//!
//! The first pass reads some words whose numbers differ in a few bits, as many as registers hold, exchanges these bits, and
//! keeps the words; the second takes words that differ in the other bits, exchanges these, and writes. Where all bits that tell
//! bytes are exchanged, which takes 64 words, or 128 of units below a byte, the first pass exchanges the upper three of the four
//! inside quarters of words, which can be interleaved (`unpack.rs`). Besides, it reads every second row, or every fourth:
//! rows that are a power of two apart come faster so. Law: each word has one number in the first pass and one in the second.

/// Words of a step, as many as the first pass mostly exchanges: lines are fetched, read and written so many at a time, since a
/// longer burst of either keeps the others waiting.
pub(super) const STEP: usize = 8;

/// Passes between `M` words, and then between `N`.
pub(super) struct InPasses<const M: usize, const N: usize>;

impl<const M: usize, const N: usize> InPasses<M, N> {
    /// Which bits of a word's number each pass exchanges.
    pub(super) const BITS: [&[usize]; 2] = match M * N {
        32 => [&[0, 1, 2], &[3, 4]],
        64 => [&[1, 2, 3], &[0, 4, 5]],
        128 => [&[2, 3, 4], &[1, 5, 6, 0]],
        _ => [&[0, 1, 2, 3], &[4, 5, 6, 7]],
    };

    /// The number of the word that is one of `M` in the first pass, and one of `N` in the second.
    #[inline(always)]
    pub(super) fn number(low: usize, high: usize) -> usize {
        let bit = |from: usize, n: usize, to: usize| (from >> n & 1) << to;
        let sum = |from: usize, bits: &[usize]| bits.iter().enumerate().map(|(n, to)| bit(from, n, *to)).sum::<usize>();
        sum(low, Self::BITS[0]) + sum(high, Self::BITS[1])
    }
}

#[cfg(test)]
mod tests {
    use super::InPasses;

    fn numbers<const M: usize, const N: usize>() -> Vec<usize> {
        assert_eq!(InPasses::<M, N>::BITS.map(|bits| 1 << bits.len()), [M, N], "words of {M} and of {N}");
        let mut numbers: Vec<usize> =
            (0..M).flat_map(|low| (0..N).map(move |high| InPasses::<M, N>::number(low, high))).collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn every_word_is_in_both_passes_once() {
        for (numbers, vectors) in
            [(numbers::<8, 4>(), 32), (numbers::<8, 8>(), 64), (numbers::<8, 16>(), 128), (numbers::<16, 16>(), 256)]
        {
            assert!(numbers.into_iter().eq(0..vectors), "{vectors} words");
        }
    }
}
