//! [`Source`]: the numbers that decide what a case is.
//!
//! A case is drawn from a stream of small numbers. Drawn from a seed, the stream is random and records what it gave; replayed
//! from a list, it gives the numbers of the list and then zeros. Law: replaying a recorded list draws the same case, so that
//! a shorter list or smaller numbers draw a simpler case, and shrinking needs no knowledge of what is drawn.

/// A stream of numbers, random or replayed.
pub(crate) struct Source {
    given: Vec<u64>,
    at: usize,
    /// The state of the generator; none when the list is replayed.
    state: Option<u64>,
}

impl Source {
    /// A random stream.
    pub(crate) fn seeded(seed: u64) -> Source {
        Source { given: Vec::new(), at: 0, state: Some(seed) }
    }

    /// The stream of a list.
    pub(crate) fn replayed(given: Vec<u64>) -> Source {
        Source { given, at: 0, state: None }
    }

    /// What was given so far.
    pub(crate) fn given(&self) -> &[u64] {
        self.given.get(..self.at.min(self.given.len())).unwrap_or(&[])
    }

    /// A number from 0 to below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        let n = n.max(1);
        let number = match &mut self.state {
            Some(state) => {
                let number = mixed(state) % n;
                self.given.push(number);
                number
            }
            None => self.given.get(self.at).copied().unwrap_or(0) % n,
        };
        self.at += 1;
        number
    }

    /// A number from `least` to `most`.
    pub(crate) fn between(&mut self, least: i64, most: i64) -> i64 {
        let room = u64::try_from(most - least + 1).unwrap_or(1);
        least + i64::try_from(self.below(room)).unwrap_or(0)
    }

    /// A number of things.
    pub(crate) fn count(&mut self, least: usize, most: usize) -> usize {
        let room = u64::try_from(most - least + 1).unwrap_or(1);
        least + usize::try_from(self.below(room)).unwrap_or(0)
    }

    /// One of several; the first is the simplest.
    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.count(0, all.len() - 1)]
    }

    /// Whether something happens that happens once in `n` times.
    pub(crate) fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == n - 1
    }

    /// The numbers `0..n` in some order.
    pub(crate) fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order = Vec::new();
        for next in 0..n {
            let at = next - self.count(0, next);
            order.insert(at, next);
        }
        order
    }
}

/// The next number of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The seed of one case of a run.
pub(crate) fn seed_of(seed: u64, case: u64) -> u64 {
    let mut state = seed ^ case.wrapping_mul(0xa076_1d64_78bd_642f);
    mixed(&mut state)
}

/// A smaller list for which something still holds: numbers are left out, then made smaller, as long as that goes.
pub(crate) fn shrunk(list: Vec<u64>, holds: &dyn Fn(&[u64]) -> bool) -> Vec<u64> {
    const MAX_TRIES: usize = 2000;
    let mut best = list;
    let mut tries = 0;
    let mut better = |candidate: Vec<u64>, best: &mut Vec<u64>| {
        tries += 1;
        let keep = tries <= MAX_TRIES && holds(&candidate);
        if keep {
            *best = candidate;
        }
        keep
    };
    let mut improved = true;
    while improved {
        improved = false;
        let mut width = best.len().div_ceil(2).max(1);
        while width > 0 {
            let mut at = 0;
            while at + width <= best.len() {
                let mut shorter = best.clone();
                shorter.drain(at..at + width);
                if better(shorter, &mut best) {
                    improved = true;
                } else {
                    at += width;
                }
            }
            width /= 2;
        }
        for at in 0..best.len() {
            for smaller in [0, best[at] / 2, best[at].saturating_sub(1)] {
                if smaller < best[at] {
                    let mut candidate = best.clone();
                    candidate[at] = smaller;
                    improved |= better(candidate, &mut best);
                }
            }
        }
    }
    best
}
