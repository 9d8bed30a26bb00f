//! The rows of banks as a subspace: which offsets may differ in their row alone.
//!
//! A map over F2 sends a subspace S of the offsets to bank 0, and lanes collide where they differ by a vector of S. So a
//! choice of memory is a choice of S, of a given dimension, that meets what the lanes of each access span in as little as
//! can be. Law: the cost of the answer is the sum over all accesses of its weight times 2^dim(T ∩ S), and where the search
//! is `complete`, no subspace of that dimension costs less.
//!
//! Two accesses can always be avoided at once if each could be alone: two proper subspaces do not cover a space. Three may
//! cover it, since a plane over F2 has three lines; then all subspaces are tried, each once in its reduced form.

use super::linear_access::Span;
use crate::linear::bits::low;

/// What one access asks: the span of the lanes of one phase, and how many phases there are.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    pub(super) lanes: Vec<u64>,
    pub(super) weight: i64,
}

/// A subspace, and what it costs.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) basis: Vec<u64>,
    pub(super) cost: i64,
    /// Whether no subspace costs less.
    pub(super) complete: bool,
}

/// How many vectors are tried at most.
const MOST_VECTORS: usize = 1 << 18;
/// The largest space whose vectors are walked through.
const MOST_BITS: usize = 14;

/// The subspace of dimension `size` of the space of `bits` bits that costs least.
pub(super) fn least(bits: u32, size: u32, demands: &[Demand], work: &mut usize) -> Choice {
    let spans: Vec<(Span, i64)> =
        demands.iter().map(|demand| (demand.lanes.iter().copied().collect(), demand.weight)).collect();
    // Vectors outside of what all lanes span together cost nothing, and are as good as any others outside.
    let inside: Span = demands.iter().flat_map(|demand| &demand.lanes).copied().collect();
    let mut all = inside.clone();
    let outside = (0..bits).rev().map(|bit| 1 << bit).filter(|unit| all.insert(*unit));
    let size = usize::try_from(size).unwrap_or(0);
    let free: Vec<u64> = outside.take(size).collect();
    let missing = size - free.len();
    let mut search = Search {
        basis: reduced(inside.vectors()),
        spans: spans.clone(),
        missing,
        best: None,
        least: sum(spans.iter().map(|(span, weight)| least_meeting(span, &inside, missing, *weight))),
        work,
        complete: true,
    };
    search.greedy();
    search.all(&mut Vec::new(), &spans, search.basis.len());
    let complete = search.complete;
    let (cost, mut basis) = search.best.unwrap_or((i64::MAX, Vec::new()));
    basis.extend(free);
    Choice { basis, cost, complete }
}

/// What an access costs at least: two subspaces that are too large for their space meet.
fn least_meeting(span: &Span, inside: &Span, missing: usize, weight: i64) -> i64 {
    let excess = (usize::try_from(span.rank()).unwrap_or(0) + missing).saturating_sub(inside.vectors().len());
    weight.saturating_mul(1_i64.checked_shl(u32::try_from(excess).unwrap_or(u32::MAX)).unwrap_or(i64::MAX))
}

struct Search<'w> {
    /// A basis of what is searched.
    basis: Vec<u64>,
    spans: Vec<(Span, i64)>,
    missing: usize,
    best: Option<(i64, Vec<u64>)>,
    least: i64,
    work: &'w mut usize,
    complete: bool,
}

impl Search<'_> {
    fn is_done(&self) -> bool {
        self.best.as_ref().is_some_and(|(cost, _)| *cost <= self.least)
    }

    /// The sum of basis vectors that a number names.
    fn vector(&self, number: u64) -> u64 {
        (0..).zip(&self.basis).filter(|(bit, _)| number >> bit & 1 == 1).fold(0, |sum, (_, vector)| sum ^ vector)
    }

    /// The costs after a vector joins the subspace: an access whose lanes and subspace hold it pays twice.
    fn costs(spans: &[(Span, i64)], vector: u64) -> i64 {
        sum(spans.iter().map(|(span, weight)| if span.holds(vector) { weight.saturating_mul(2) } else { *weight }))
    }

    fn joined(spans: &[(Span, i64)], vector: u64) -> Vec<(Span, i64)> {
        let join = |(span, weight): &(Span, i64)| {
            let mut span = span.clone();
            let weight = if span.insert(vector) { *weight } else { weight.saturating_mul(2) };
            (span, weight)
        };
        spans.iter().map(join).collect()
    }

    /// One vector after the other, the cheapest, of those the one of the fewest bits.
    fn greedy(&mut self) {
        let mut spans = self.spans.clone();
        let (mut taken, mut held) = (Vec::new(), Span::default());
        let count = low(u32::try_from(self.basis.len().min(MOST_BITS)).unwrap_or(0));
        while taken.len() < self.missing {
            let now: i64 = sum(spans.iter().map(|(_, weight)| *weight));
            let mut best: Option<((i64, u32, u64), u64)> = None;
            let mut consider = |vector: u64| {
                let rank = (Search::costs(&spans, vector), vector.count_ones(), vector);
                if !held.holds(vector) && best.as_ref().is_none_or(|(known, _)| rank < *known) {
                    best = Some((rank, vector));
                }
                best.as_ref().is_some_and(|((cost, ..), _)| *cost == now)
            };
            *self.work += self.basis.len() * (self.basis.len() + 1) / 2;
            // Few of the basis together are the simplest swizzle.
            let mut is_free = false;
            for (at, one) in self.basis.iter().enumerate() {
                is_free |= consider(*one);
                for other in self.basis.iter().take(at) {
                    is_free |= consider(one ^ other);
                }
            }
            if !is_free {
                for number in 1..=count {
                    *self.work += 1;
                    consider(self.vector(number));
                }
            }
            let Some((_, vector)) = best else { break };
            spans = Search::joined(&spans, vector);
            held.insert(vector);
            taken.push(vector);
        }
        // A space that is too large to walk through has more of its own basis.
        for vector in self.basis.clone() {
            if taken.len() < self.missing && held.insert(vector) {
                spans = Search::joined(&spans, vector);
                taken.push(vector);
            }
        }
        self.best = Some((sum(spans.iter().map(|(_, weight)| *weight)), taken));
    }

    /// All subspaces, in reduced form: leading bits fall, and no vector has the leading bit of a later one.
    fn all(&mut self, taken: &mut Vec<u64>, spans: &[(Span, i64)], below: usize) {
        let best = self.best.as_ref().map_or(i64::MAX, |(cost, _)| *cost);
        let cost: i64 = sum(spans.iter().map(|(_, weight)| *weight));
        if self.is_done() || !self.complete || cost >= best {
            return;
        }
        if taken.len() == self.missing {
            let basis = taken.iter().map(|number| self.vector(*number)).collect();
            self.best = Some((cost, basis));
            return;
        }
        if self.basis.len() > MOST_BITS {
            self.complete = false;
            return;
        }
        let left = self.missing - taken.len() - 1;
        for lead in (left..below).rev() {
            if taken.iter().any(|number: &u64| number >> lead & 1 == 1) {
                continue;
            }
            for rest in 0..1_u64 << lead {
                *self.work += 1;
                if *self.work > MOST_VECTORS {
                    self.complete = false;
                    return;
                }
                let number = 1 << lead | rest;
                let vector = self.vector(number);
                let spans = Search::joined(spans, vector);
                taken.push(number);
                self.all(taken, &spans, lead);
                taken.pop();
                if self.is_done() || !self.complete {
                    return;
                }
            }
        }
    }
}

/// A sum of costs, which stays at the largest number.
pub(super) fn sum(costs: impl Iterator<Item = i64>) -> i64 {
    costs.fold(0, i64::saturating_add)
}

/// The same span, where no vector has the leading bit of another; unit vectors where they are in it.
pub(super) fn reduced(vectors: &[u64]) -> Vec<u64> {
    let mut basis: Vec<u64> = Vec::new();
    for vector in vectors {
        let mut rest = *vector;
        for known in &basis {
            rest = rest.min(rest ^ known);
        }
        let Some(lead) = rest.checked_ilog2() else { continue };
        for known in basis.iter_mut().filter(|known| **known >> lead & 1 == 1) {
            *known ^= rest;
        }
        basis.push(rest);
    }
    basis.sort_unstable();
    basis
}
