//! The rows of banks as a subspace: which offsets may differ in their row alone.
//!
//! A map over F2 sends a subspace S of the offsets to bank 0, and lanes collide where they differ by a vector of S. So a
//! choice of memory is a choice of S, of a given dimension, that meets what the lanes of each access span in as little as
//! can be, and keeps out of what a guard forbids. Law: the cost of the answer is the sum over all accesses of its weight times
//! 2^dim(T ∩ S), and where the search is `complete`, no subspace of that dimension that the guards allow costs less.
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

/// A unit that the subspace must not hold, nor any sum of it with vectors of a span.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub(super) span: Span,
    pub(super) unit: u64,
}

impl Guard {
    /// Whether a vector may join the subspace.
    fn allows(&self, vector: u64) -> bool {
        self.span.rest(vector) != self.span.rest(self.unit)
    }
}

/// How many vectors are tried at most.
pub(super) const MOST_VECTORS: usize = 1 << 18;
/// The largest space whose vectors are walked through.
const MOST_BITS: usize = 14;

/// The subspace of dimension `size` of the space of `bits` bits that costs least.
pub(super) fn least(bits: u32, size: u32, demands: &[Demand], guards: &[Guard], work: &mut usize) -> Choice {
    let spans: Vec<(Span, i64)> =
        demands.iter().map(|demand| (demand.lanes.iter().copied().collect(), demand.weight)).collect();
    // Vectors outside of what all lanes span together cost nothing, and are as good as any others outside.
    let guarded = guards.iter().flat_map(|guard| guard.span.vectors().iter().chain([&guard.unit]));
    let inside: Span = demands.iter().flat_map(|demand| &demand.lanes).chain(guarded).copied().collect();
    let mut all = inside.clone();
    let outside = (0..bits).rev().map(|bit| 1 << bit).filter(|unit| all.insert(*unit));
    let size = usize::try_from(size).unwrap_or(0);
    let free: Vec<u64> = outside.take(size).collect();
    let missing = size - free.len();
    let mut search = SubspaceSearch {
        basis: reduced(inside.vectors()),
        start: Level { spans: spans.clone(), guards: guards.to_vec() },
        missing,
        best: None,
        least: sum(spans.iter().map(|(span, weight)| least_meeting(span, &inside, missing, *weight))),
        work,
        complete: true,
    };
    search.greedy();
    search.all();
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

/// What some vectors of the subspace make of the demands and guards.
#[derive(Clone)]
struct Level {
    spans: Vec<(Span, i64)>,
    guards: Vec<Guard>,
}

impl Level {
    fn cost(&self) -> i64 {
        sum(self.spans.iter().map(|(_, weight)| *weight))
    }

    /// The cost after a vector joins the subspace: an access whose lanes and subspace hold it pays twice. `None` where it may not.
    fn cost_with(&self, vector: u64) -> Option<i64> {
        let cost = |(span, weight): &(Span, i64)| if span.holds(vector) { weight.saturating_mul(2) } else { *weight };
        self.guards.iter().all(|guard| guard.allows(vector)).then(|| sum(self.spans.iter().map(cost)))
    }

    fn with(&self, vector: u64) -> Level {
        let mut next = self.clone();
        for (span, weight) in &mut next.spans {
            if !span.insert(vector) {
                *weight = weight.saturating_mul(2);
            }
        }
        for guard in &mut next.guards {
            guard.span.insert(vector);
        }
        next
    }
}

struct SubspaceSearch<'w> {
    /// A basis of what is searched.
    basis: Vec<u64>,
    start: Level,
    missing: usize,
    best: Option<(i64, Vec<u64>)>,
    least: i64,
    work: &'w mut usize,
    complete: bool,
}

impl SubspaceSearch<'_> {
    fn is_done(&self) -> bool {
        self.best.as_ref().is_some_and(|(cost, _)| *cost <= self.least)
    }

    /// One vector after the other, the cheapest, of those the one of the fewest bits.
    fn greedy(&mut self) {
        let mut level = self.start.clone();
        let (mut taken, mut held) = (Vec::new(), Span::default());
        let count = low(u32::try_from(self.basis.len().min(MOST_BITS)).unwrap_or(0));
        while taken.len() < self.missing {
            let now = level.cost();
            let mut best: Option<((i64, u32, u64), u64)> = None;
            let mut consider = |vector: u64| {
                if let Some(cost) = level.cost_with(vector).filter(|_| !held.holds(vector)) {
                    let rank = (cost, vector.count_ones(), vector);
                    if best.as_ref().is_none_or(|(known, _)| rank < *known) {
                        best = Some((rank, vector));
                    }
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
                    consider(sum_of(&self.basis, number));
                }
            }
            let Some((_, vector)) = best else { break };
            level = level.with(vector);
            held.insert(vector);
            taken.push(vector);
        }
        if taken.len() == self.missing {
            self.best = Some((level.cost(), taken));
        }
    }

    /// All subspaces.
    fn all(&mut self) {
        if self.is_done() {
            return;
        }
        if self.basis.len() > MOST_BITS {
            self.complete = false;
            return;
        }
        let basis = self.basis.clone();
        let mut levels = vec![self.start.clone()];
        subspaces(basis.len(), self.missing, &mut |taken| {
            *self.work += 1;
            self.complete &= *self.work <= MOST_VECTORS;
            if !self.complete {
                return Next::Stop;
            }
            levels.truncate(taken.len());
            let (Some(level), Some(number)) = (levels.last(), taken.last()) else { return Next::Stop };
            let vector = sum_of(&basis, *number);
            match level.cost_with(vector) {
                Some(cost) if self.best.as_ref().is_none_or(|(best, _)| cost < *best) => {
                    if taken.len() == self.missing {
                        self.best = Some((cost, taken.iter().map(|number| sum_of(&basis, *number)).collect()));
                        return if self.is_done() { Next::Stop } else { Next::Past };
                    }
                    let next = level.with(vector);
                    levels.push(next);
                    Next::Deeper
                }
                _ => Next::Past,
            }
        });
    }
}

/// What a walk over subspaces does next: to those that hold these vectors too, past them, or nothing more.
pub(super) enum Next {
    Deeper,
    Past,
    Stop,
}

/// Visits the subspaces of a dimension of a space of `bits` bits, each once in its reduced form: leading bits fall, and no vector has the
/// leading bit of a later one. The beginnings of their bases are visited before them.
pub(super) fn subspaces(bits: usize, size: usize, visit: &mut dyn FnMut(&[u64]) -> Next) {
    fn walk(taken: &mut Vec<u64>, below: usize, size: usize, visit: &mut dyn FnMut(&[u64]) -> Next) -> bool {
        let Some(left) = size.checked_sub(taken.len() + 1) else { return true };
        for lead in (left..below).rev() {
            if taken.iter().any(|number: &u64| number >> lead & 1 == 1) {
                continue;
            }
            for rest in 0..1_u64 << lead {
                taken.push(1 << lead | rest);
                let goes_on = match visit(taken) {
                    Next::Deeper => walk(taken, lead, size, visit),
                    Next::Past => true,
                    Next::Stop => false,
                };
                taken.pop();
                if !goes_on {
                    return false;
                }
            }
        }
        true
    }
    walk(&mut Vec::new(), bits, size, visit);
}

/// The sum of the vectors of a basis that a number names.
pub(super) fn sum_of(basis: &[u64], number: u64) -> u64 {
    (0..).zip(basis).filter(|(bit, _)| number >> bit & 1 == 1).fold(0, |sum, (_, vector)| sum ^ vector)
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
