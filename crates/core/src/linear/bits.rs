//! Elimination over F2 on machine words: a vector is a `u64`, addition is xor.
//!
//! An [`Echelon`] keeps one reduced vector a leading bit, and which of the inserted vectors it is the sum of. Law: for
//! every word `w` that is a sum of inserted vectors, [`Echelon::express`] names a set of independent inserted vectors
//! whose sum is `w`; the *earliest* inserted vectors are the independent ones, so that solutions have their free
//! variables 0.

use super::trace::Reduction;

/// The span of the vectors inserted so far, in echelon form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Echelon {
    /// By leading bit: the reduced vector and the inserted vectors it is the sum of.
    rows: [(u64, u64); 64],
    /// The leading bits in use.
    leads: u64,
}

impl Echelon {
    pub(crate) fn new() -> Self {
        Echelon { rows: [(0, 0); 64], leads: 0 }
    }

    /// The span of a list of vectors.
    pub(crate) fn of(vectors: &[u64]) -> Self {
        let mut echelon = Echelon::new();
        for (at, vector) in vectors.iter().enumerate() {
            echelon.insert(*vector, at);
        }
        echelon
    }

    /// Adds a vector under a number below 64; true when it was independent of those before.
    pub(crate) fn insert(&mut self, vector: u64, at: usize) -> bool {
        self.insert_reduced(vector, at).rest != 0
    }

    /// Adds a vector under a number below 64, with what was left of it by those before.
    #[inline]
    pub(super) fn insert_reduced(&mut self, vector: u64, at: usize) -> Reduction {
        let (rest, parts) = self.reduce(vector);
        if let Some(row) = lead(rest).and_then(|bit| self.rows.get_mut(bit)) {
            *row = (rest, parts ^ bit(at));
            self.leads |= top(rest);
        }
        Reduction { at, vector, parts, rest }
    }

    /// What is left of a vector, and the inserted vectors that were added to it.
    pub(crate) fn reduce(&self, vector: u64) -> (u64, u64) {
        let (mut rest, mut sum) = (vector, 0);
        let mut reducible = rest & self.leads;
        while let Some((row, parts)) = lead(reducible).and_then(|bit| self.rows.get(bit)) {
            let done = top(reducible);
            rest ^= row;
            sum ^= parts;
            // A row changes bits below its lead only.
            reducible = rest & self.leads & (done - 1);
        }
        (rest, sum)
    }

    /// The inserted vectors whose sum is this one, as a mask; none when it is outside of the span.
    pub(crate) fn express(&self, vector: u64) -> Option<u64> {
        match self.reduce(vector) {
            (0, sum) => Some(sum),
            _ => None,
        }
    }

    /// The leading bits in use.
    pub(crate) fn leads(&self) -> u64 {
        self.leads
    }

    /// The reduced vector of a leading bit; 0 when it is none.
    pub(crate) fn row(&self, lead: usize) -> u64 {
        self.rows.get(lead).map_or(0, |(row, _)| *row)
    }

    /// The dimension of the span.
    pub(crate) fn rank(&self) -> u32 {
        self.leads.count_ones()
    }
}

/// The span of some vectors, and a basis of what xors to 0: each dependent vector with the independent ones that make it up.
pub(crate) fn with_kernel(vectors: &[u64]) -> (Echelon, Vec<u64>) {
    let mut echelon = Echelon::new();
    let mut kernel = Vec::new();
    for (at, vector) in vectors.iter().enumerate() {
        let reduction = echelon.insert_reduced(*vector, at);
        if reduction.rest == 0 {
            kernel.push(reduction.parts | bit(at));
        }
    }
    (echelon, kernel)
}

/// The dimension of the span of some vectors.
pub(crate) fn rank(vectors: &[u64]) -> u32 {
    // Distinct single bits are independent; that is the usual layout and needs no elimination.
    let mut seen = 0;
    for vector in vectors {
        if vector & (vector.wrapping_sub(1)) != 0 || vector & seen != 0 {
            return Echelon::of(vectors).rank();
        }
        seen |= vector;
    }
    seen.count_ones()
}

/// The word with one bit set; zero beyond the word.
#[inline]
pub(crate) fn bit(at: usize) -> u64 {
    u32::try_from(at).ok().and_then(|at| 1u64.checked_shl(at)).unwrap_or(0)
}

/// The word with the lowest `count` bits set.
#[inline]
pub(crate) fn low(count: u32) -> u64 {
    1u64.checked_shl(count).map_or(u64::MAX, |top| top - 1)
}

/// The word with `count` bits set from bit `at` on.
#[inline]
pub(crate) fn span(at: u32, count: u32) -> u64 {
    low(count).checked_shl(at).unwrap_or(0)
}

/// The bits that are set, lowest first.
pub(crate) fn ones(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let at = usize::try_from(rest.trailing_zeros()).ok().filter(|_| rest != 0)?;
        rest &= rest - 1;
        Some(at)
    })
}

/// The number of the highest set bit.
#[inline]
fn lead(word: u64) -> Option<usize> {
    word.checked_ilog2().and_then(|bit| usize::try_from(bit).ok())
}

/// The highest set bit itself.
#[inline]
fn top(word: u64) -> u64 {
    word.checked_ilog2().map_or(0, |bit| 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::{Echelon, low, ones, rank};

    #[test]
    fn what_is_expressed_is_the_sum_and_the_earliest_are_chosen() {
        let vectors = [0b0110u64, 0, 0b0110, 0b1010, 0b1100, 0b0001];
        let echelon = Echelon::of(&vectors);
        assert_eq!((echelon.rank(), rank(&vectors)), (3, 3));
        for word in 0..16u64 {
            let sum = echelon.express(word);
            let inside = (0..64u64).any(|set| ones(set).fold(0, |sum, at| sum ^ vectors[at]) == word);
            assert_eq!(sum.is_some(), inside, "{word:b}");
            if let Some(set) = sum {
                assert_eq!(ones(set).fold(0, |sum, at| sum ^ vectors[at]), word);
                assert_eq!(set & 0b010110, 0, "vectors 1, 2 and 4 depend on earlier ones");
            }
        }
    }

    #[test]
    fn whole_words() {
        assert_eq!((low(0), low(3), low(64)), (0, 7, u64::MAX));
        let units: Vec<u64> = (0..64).map(|bit| 1 << bit).collect();
        assert_eq!(rank(&units), 64);
        let mixed: Vec<u64> = (0..64).map(|bit| u64::MAX << bit).collect();
        assert_eq!(rank(&mixed), 64);
        assert_eq!(Echelon::of(&mixed).express(u64::MAX >> 1).map(u64::count_ones), Some(2));
    }
}
