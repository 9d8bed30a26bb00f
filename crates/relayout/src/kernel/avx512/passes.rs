//! [`InPasses`]: which vectors of a block each of two passes exchanges.
//!
//! The first pass loads as many vectors as registers hold, whose numbers differ in a few bits, exchanges these bits,
//! and keeps the vectors in a buffer. The second pass takes vectors that differ in the other bits, exchanges these, and
//! stores. Where all bits that select bytes are exchanged, in 64 vectors or in 128 for units below a byte, the first
//! pass exchanges the upper three of the four bits inside quarters, which unpack instructions can do (`unpack.rs`). It
//! also reads every second or fourth row, which is faster for rows a power of two apart.
//!
//! Law: each vector has one number in the first pass and one in the second.

/// Vectors of a step, as many as the first pass mostly exchanges. Lines are prefetched, loaded and stored in such
/// groups, because a longer burst of either delays the others.
pub(super) const STEP: usize = 8;

/// Passes between `M` vectors, and then between `N`.
pub(super) struct InPasses<const M: usize, const N: usize>;

impl<const M: usize, const N: usize> InPasses<M, N> {
    /// Which bits of a vector's number each pass exchanges.
    pub(super) const BITS: [&[usize]; 2] = match M * N {
        32 => [&[0, 1, 2], &[3, 4]],
        64 => [&[1, 2, 3], &[0, 4, 5]],
        128 => [&[2, 3, 4], &[1, 5, 6, 0]],
        _ => [&[0, 1, 2, 3], &[4, 5, 6, 7]],
    };

    /// The number of the vector that is one of `M` in the first pass, and one of `N` in the second.
    #[inline(always)]
    pub(super) fn number(low: usize, high: usize) -> usize {
        let bit = |from: usize, n: usize, to: usize| (from >> n & 1) << to;
        let sum = |from: usize, bits: &[usize]| bits.iter().enumerate().map(|(n, to)| bit(from, n, *to)).sum::<usize>();
        sum(low, Self::BITS[0]) + sum(high, Self::BITS[1])
    }
}
