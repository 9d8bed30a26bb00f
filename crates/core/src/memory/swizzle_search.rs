//! [`SwizzleSearch`]: for a tile in shared memory and a set of accesses, the swizzle with the fewest wavefronts, and why there is
//! none with fewer.
//!
//! Three classes are searched. A *swizzle* of CuTe: all `Sw<B,M,S>` that move whole vectors within the tile's memory are
//! tried. A *map over F2* of the offset's bits, of which a swizzle is one: only the subspace of offsets in bank 0 matters, and
//! those are searched (`subspace_search`); `rotating_search` has those of one of Triton's encodings. *Padding*: a gap after every row of one of the tile's strides. No access is allowed to fall
//! apart: each stays as wide as in the plain tile, or as a caller allows.
//!
//! Law: an answer's cost is that which [`Accesses`] counts; no memory at all costs less than `least`, since every phase takes a
//! wavefront, and a wavefront serves one word of each bank; no swizzle of the class costs less than the one that is found, nor, where `complete`, another map over F2.

use std::collections::BTreeSet;

use super::access::Transfer;
use super::accesses::{Accesses, Warps, addresses};
use super::linear_access::{Cost, LinearAccess};
use super::shared::SharedMemory;
use super::subspace_search::{Demand, least, reduced, sum};
use crate::cute::Swizzle;
use crate::error::{Code, Error};
use crate::linear::bits::{Echelon, low, ones};
use crate::map::{Axis, Direction, Map, Stage, Unit};

/// A tile in shared memory, and the accesses that it is to suit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SwizzleSearch {
    machine: SharedMemory,
    element_bits: i64,
    /// One more than the largest offset.
    cosize: i64,
    narrowest: i64,
    accesses: Vec<Reach>,
    plain: Vec<Cost>,
}

/// An access, by its bits or lane by lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Reach {
    Linear(LinearAccess),
    Listed { warps: Warps, transfer: Transfer },
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Found<T> {
    /// What is done to the offsets of the tile.
    pub change: T,
    /// The cost of each access.
    pub costs: Vec<Cost>,
    /// How many candidates the class has; of maps over F2 they are not counted.
    pub tried: usize,
    /// Whether no other of the class costs less.
    pub complete: bool,
}

impl<T> Found<T> {
    /// The wavefronts of all accesses.
    pub fn wavefronts(&self) -> i64 {
        total(&self.costs)
    }
}

/// A gap of `gap` elements after every `interval` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Padding {
    /// How many elements stay side by side.
    pub interval: i64,
    /// How many elements are left out after them.
    pub gap: i64,
}

/// A map over F2 of the bits of an offset: what each bit comes to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BitMap(Vec<u64>);

impl BitMap {
    /// The map that takes bit `i` to `columns[i]`.
    pub fn of(columns: Vec<u64>) -> Self {
        BitMap(columns)
    }

    /// Where an offset comes to.
    pub fn apply(&self, offset: u64) -> u64 {
        ones(offset).fold(0, |sum, bit| sum ^ self.0.get(bit).copied().unwrap_or(0))
    }

    /// What each bit comes to, the lowest first.
    pub fn columns(&self) -> &[u64] {
        &self.0
    }

    /// The memory of a tile after it: a map of the same elements.
    ///
    /// # Errors
    /// As [`Map::then`].
    pub fn after(&self, tile: &Map) -> Result<Map, Error> {
        let bits = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let xor = Stage::Xor { at: 0, ins: vec![bits], outs: vec![bits], columns: self.0.clone(), flip: 0 };
        let axis = Axis::offset(1_i64.checked_shl(bits).unwrap_or(i64::MAX));
        tile.from_elements()?.then(&Map::new(vec![axis], vec![xor], vec![axis], Direction::ToPlace)?)
    }
}

/// The most addresses of lanes that a search looks at where not all is linear.
const MOST_LOOKED_AT: usize = 1 << 24;

impl SwizzleSearch {
    /// A search for the accesses `(threads, transfer)` to a tile of elements of `element_bits` bits. A lane may transfer as few as
    /// `narrowest` bytes at once where the plain tile lets it transfer more; 16 keeps every access as wide as it is.
    ///
    /// # Errors
    /// As [`Accesses::by`]; [`Code::Kind`] for a memory whose places are no offsets of elements; [`Code::Arity`] without accesses;
    /// [`Code::Range`] for threads that ask for elements beyond the tile.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride::memory::{SharedMemory, SwizzleSearch, Transfer};
    /// let map = |text: &str| Map::of_layout(&text.parse()?);
    /// // Rows and columns of 32 x 32 floats.
    /// let accesses = [(map("32:32")?, Transfer::Store), (map("32:1")?, Transfer::Load)];
    /// let search = SwizzleSearch::new(SharedMemory::NVIDIA, &map("(32,32):(32,1)")?, 32, &accesses, 16)?;
    /// let found = search.swizzle()?;
    /// assert_eq!((found.change.to_string(), found.wavefronts(), search.least()), ("Sw<5,0,5>".to_owned(), 2, 2));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(
        machine: SharedMemory,
        tile: &Map,
        element_bits: i64,
        accesses: &[(Map, Transfer)],
        narrowest: i64,
    ) -> Result<Self, Error> {
        if accesses.is_empty() {
            return Err(Error::new(Code::Arity, "a swizzle suits accesses, and there are none"));
        }
        let memory = tile.from_elements()?;
        if !matches!(memory.codomain(), [axis] if axis.unit == Unit::Element) {
            let message = format!("{memory} does not lead to one offset in elements");
            return Err(Error::new(Code::Kind, message));
        }
        let (first, last) = memory.reach()?;
        if first < 0 {
            return Err(Error::new(Code::Range, format!("the tile reaches back to offset {first}")));
        }
        let cosize = last.checked_add(1).ok_or_else(|| Error::overflow("the size of the tile's memory"))?;
        let mut search =
            SwizzleSearch { machine, element_bits, cosize, narrowest, accesses: Vec::new(), plain: Vec::new() };
        let size = memory.size()?;
        for (threads, transfer) in accesses {
            // A layout of CuTe goes on beyond its tile, into what the tile's memory has not.
            let last = if threads.codomain().len() == 1 { threads.reach()?.1 } else { 0 };
            if last >= size {
                let message = format!("threads ask for element {last} of a tile of {size}");
                return Err(Error::new(Code::Range, message).with_help("give the threads of one tile"));
            }
            let reach = match LinearAccess::of(&machine, &memory, threads, element_bits, *transfer)? {
                Some(access) if access.cost(&machine, |offset| offset).is_some() => Reach::Linear(access),
                _ => Reach::listed(&machine, &memory, threads, element_bits, *transfer)?,
            };
            let plain = search.cost_of(&reach, &|offset| Some(offset))?;
            search.plain.push(plain.ok_or_else(|| Error::new(Code::NotALayout, "an access of no whole bytes"))?);
            search.accesses.push(reach);
        }
        Ok(search)
    }

    /// The cost of each access to the tile as it is.
    pub fn plain(&self) -> &[Cost] {
        &self.plain
    }

    /// A lower bound of the wavefronts: in no memory that holds each element once do these accesses take fewer. Of accesses that
    /// are linear over F2 it is what they take without any conflict; of others, what the banks need to serve the bytes that are asked.
    pub fn least(&self) -> i64 {
        let least = |(reach, plain): (&Reach, &Cost)| match reach {
            Reach::Linear(access) => access.least(&self.machine, self.narrowest.min(plain.bytes)),
            Reach::Listed { warps, .. } => sum(warps.iter().map(|warp| self.least_of(warp))),
        };
        sum(self.accesses.iter().zip(&self.plain).map(least))
    }

    /// The wavefronts that one warp takes in any memory: each serves a word of every bank, and what is asked twice may be served once.
    fn least_of(&self, warp: &[Vec<Option<i64>>]) -> i64 {
        let asked: BTreeSet<i64> = warp.iter().flatten().copied().flatten().collect();
        let bits = i64::try_from(asked.len()).unwrap_or(i64::MAX).saturating_mul(self.element_bits);
        let served = self.machine.banks.saturating_mul(self.machine.word_bytes).saturating_mul(8);
        if served > 0 { bits.div_euclid(served) + i64::from(bits.rem_euclid(served) != 0) } else { bits.min(1) }
    }

    /// How many bits the offsets of the tile have.
    pub fn bits(&self) -> u32 {
        u64::try_from(self.cosize - 1).unwrap_or(0).checked_ilog2().map_or(0, |bit| bit + 1)
    }

    /// Whether every access is decided on bits.
    pub fn is_linear(&self) -> bool {
        self.accesses.iter().all(|reach| matches!(reach, Reach::Linear(_)))
    }

    /// How many of the lowest bits stay as they are: those of the widest vector that a lane transfers. A swizzle that moves them
    /// tears vectors apart, be it in other instructions of the tile than those that were asked about.
    pub(super) fn vector_bits(&self) -> u32 {
        let elements = |plain: &Cost| plain.bytes.min(self.narrowest).saturating_mul(8).checked_div(self.element_bits);
        let widest = self.plain.iter().filter_map(elements).max().unwrap_or(1);
        widest.checked_ilog2().unwrap_or(0)
    }

    /// All swizzles that move whole vectors within the tile's memory, none first.
    pub fn swizzles(&self) -> Vec<Swizzle> {
        let bits = i64::from(self.bits());
        let vector = i64::from(self.vector_bits());
        let mut all: Vec<Swizzle> = Swizzle::new(0, 0, 0).into_iter().collect();
        for moved in 1..=bits / 2 {
            for distance in moved..=bits - moved {
                for base in vector..=bits - moved - distance {
                    let both = [distance, -distance].map(|shift| Swizzle::new(moved, base, shift));
                    // Within a power of two nothing leaves it.
                    let stays = |swizzle: &Swizzle| self.cosize.count_ones() == 1 || swizzle.keeps(self.cosize);
                    all.extend(both.into_iter().flatten().filter(stays));
                }
            }
        }
        all
    }

    /// The swizzle with the fewest wavefronts, then the fewest instructions, then the fewest bits.
    ///
    /// # Errors
    /// As [`SwizzleSearch::among`].
    pub fn swizzle(&self) -> Result<Found<Swizzle>, Error> {
        self.among(&self.swizzles())
    }

    /// The best of these swizzles.
    ///
    /// # Errors
    /// [`Code::TooLarge`] where accesses that are not linear have too many lanes to look at; [`Code::NoLayout`] where
    /// each of them makes an access narrower than allowed.
    pub fn among(&self, swizzles: &[Swizzle]) -> Result<Found<Swizzle>, Error> {
        self.affordable(swizzles.len())?;
        let mut best = Best(None);
        for swizzle in swizzles {
            let Some(costs) = self.costs(&|offset| Some(swizzle.apply(offset)))? else { continue };
            let rank = (
                total(&costs),
                instructions(&costs),
                swizzle.bits(),
                swizzle.shift() < 0,
                swizzle.shift().unsigned_abs(),
                swizzle.base(),
            );
            best.offer(rank, (*swizzle, costs));
        }
        match best.0 {
            Some((_, (change, costs))) => Ok(Found { change, costs, tried: swizzles.len(), complete: true }),
            None => Err(Error::new(Code::NoLayout, "no swizzle of these keeps the accesses as wide as they are")),
        }
    }

    /// The map over F2 with the fewest wavefronts, of those that leave each access as wide as it is and its vectors as they are;
    /// `None` where not all is linear over F2, or the vector is wider than a row of banks.
    ///
    /// # Errors
    /// As [`SwizzleSearch::among`].
    pub fn bit_map(&self) -> Result<Option<Found<BitMap>>, Error> {
        let bits = self.bits();
        let mut accesses = Vec::new();
        for (reach, plain) in self.accesses.iter().zip(&self.plain) {
            let Reach::Linear(access) = reach else { return Ok(None) };
            accesses.push((access, plain));
        }
        let Some((first, _)) = accesses.first() else { return Ok(None) };
        let element = first.element();
        let log = |n: i64| n.checked_ilog2().unwrap_or(0);
        let together = |bytes: i64| (log(bytes) + 3).saturating_sub(element);
        let vector = self.plain.iter().map(|plain| together(plain.bytes)).max().unwrap_or(0).min(bits);
        let word = together(self.machine.word_bytes).clamp(vector, bits.max(vector));
        let row = together(self.machine.word_bytes.saturating_mul(self.machine.banks));
        if row < word {
            return Ok(None);
        }
        let rows = bits.saturating_sub(row);
        let mut work = 0;
        let mut best: Option<(i64, Vec<u64>, Vec<u64>)> = None;
        let mut complete = true;
        // Which elements share a word is a choice too, where no vector fills one.
        for shared in word_bits(bits - vector, word - vector) {
            let quotient = Quotient::by(&shared, bits - vector);
            let demands: Vec<Demand> = accesses
                .iter()
                .map(|(access, plain)| Demand {
                    lanes: quotient.lanes(
                        &access.phase_lanes(&self.machine, together(plain.bytes)),
                        vector,
                        together(self.machine.word_bytes),
                    ),
                    weight: plain.phases,
                })
                .collect();
            let choice = least(quotient.bits(), rows, &demands, &mut work);
            complete &= choice.complete;
            if best.as_ref().is_none_or(|(known, ..)| choice.cost < *known) {
                best = Some((choice.cost, shared, choice.basis.iter().map(|vector| quotient.lift(*vector)).collect()));
            }
            let phases = sum(self.plain.iter().map(|plain| plain.phases));
            if best.as_ref().is_some_and(|(cost, ..)| *cost <= phases) || !complete {
                break;
            }
        }
        let Some((_, shared, rows)) = best else { return Ok(None) };
        let change = placed(bits, vector, row, &shared, &rows);
        let costs = self.costs(&|offset| {
            let place = change.apply(u64::try_from(offset).unwrap_or(0));
            i64::try_from(place).ok()
        })?;
        Ok(costs.map(|costs| Found { change, costs, tried: 0, complete }))
    }

    /// The padding with the fewest wavefronts, then the smallest: after each of these intervals gaps of whole vectors up to a row
    /// of banks, beyond which all repeats. `None` where there is no such gap.
    ///
    /// # Errors
    /// As [`SwizzleSearch::among`], and as [`Accesses::by`] of `memory` by the threads, which are those of the search.
    pub fn padding(
        &self,
        tile: &Map,
        accesses: &[(Map, Transfer)],
        intervals: &[i64],
    ) -> Result<Option<Found<Padding>>, Error> {
        let memory = tile.from_elements()?;
        let mut listed = self.clone();
        for (reach, (threads, transfer)) in listed.accesses.iter_mut().zip(accesses) {
            *reach = Reach::listed(&self.machine, &memory, threads, self.element_bits, *transfer)?;
        }
        let row_bits = self.machine.banks.saturating_mul(self.machine.word_bytes).saturating_mul(8);
        let widest = self.plain.iter().map(|plain| plain.bytes).max().unwrap_or(1).min(self.narrowest.max(1));
        let step = (widest.saturating_mul(8) / self.element_bits).max(1);
        let gaps = row_bits / self.element_bits / step;
        listed.affordable(usize::try_from(gaps).unwrap_or(usize::MAX).saturating_mul(intervals.len()))?;
        let mut best = Best(None);
        let mut tried = 0;
        for interval in intervals.iter().copied().filter(|interval| *interval > 0) {
            for gap in (1..=gaps).map(|number| number * step) {
                tried += 1;
                let padding = Padding { interval, gap };
                let Some(costs) = listed.costs(&|offset| padding.apply(offset))? else { continue };
                let added = (self.cosize / interval).saturating_mul(gap);
                let rank = (total(&costs), instructions(&costs), added);
                best.offer(rank, (padding, costs));
            }
        }
        Ok(best.0.map(|(_, (change, costs))| Found { change, costs, tried, complete: true }))
    }

    /// The costs of all accesses where offsets come to other places; `None` where one becomes narrower than allowed.
    pub(super) fn costs(&self, place: &dyn Fn(i64) -> Option<i64>) -> Result<Option<Vec<Cost>>, Error> {
        let mut costs = Vec::with_capacity(self.accesses.len());
        for (reach, plain) in self.accesses.iter().zip(&self.plain) {
            match self.cost_of(reach, place)? {
                Some(cost) if cost.bytes >= plain.bytes.min(self.narrowest) => costs.push(cost),
                _ => return Ok(None),
            }
        }
        Ok(Some(costs))
    }

    fn cost_of(&self, reach: &Reach, place: &dyn Fn(i64) -> Option<i64>) -> Result<Option<Cost>, Error> {
        match reach {
            Reach::Linear(access) => Ok(access.cost(&self.machine, |offset| {
                let placed = i64::try_from(offset).ok().and_then(place).and_then(|place| u64::try_from(place).ok());
                placed.unwrap_or(offset)
            })),
            Reach::Listed { warps, transfer } => {
                let moved = |address: Option<i64>| {
                    address
                        .map(|address| place(address / self.element_bits)?.checked_mul(self.element_bits))
                        .map_or(Some(None), |address| address.map(Some))
                };
                let lane = |lane: &Vec<Option<i64>>| lane.iter().map(|address| moved(*address)).collect();
                let warp = |warp: &Vec<Vec<Option<i64>>>| warp.iter().map(lane).collect();
                let Some(warps) = warps.iter().map(warp).collect::<Option<Warps>>() else {
                    return Err(Error::overflow("an address"));
                };
                let Ok(accesses) = Accesses::of_warps(&warps, self.element_bits, *transfer) else { return Ok(None) };
                let passes = accesses.passes(&self.machine)?;
                Ok(Some(Cost::of(&accesses, &passes)))
            }
        }
    }

    pub(super) fn affordable(&self, candidates: usize) -> Result<(), Error> {
        let size = |reach: &Reach| match reach {
            Reach::Linear(_) => 1,
            Reach::Listed { warps, .. } => warps.iter().flatten().map(Vec::len).sum::<usize>(),
        };
        let looked_at = self.accesses.iter().map(size).sum::<usize>().saturating_mul(candidates);
        if looked_at > MOST_LOOKED_AT {
            let message = format!(
                "{candidates} candidates for accesses that are not linear over F2: {looked_at} addresses; at most {MOST_LOOKED_AT} \
                 are looked at"
            );
            return Err(
                Error::new(Code::TooLarge, message).with_help("give the elements of one instruction of each access")
            );
        }
        Ok(())
    }
}

/// The first candidate of the least rank.
pub(super) struct Best<R, T>(pub(super) Option<(R, T)>);

impl<R: Ord, T> Best<R, T> {
    pub(super) fn offer(&mut self, rank: R, candidate: T) {
        if self.0.as_ref().is_none_or(|(known, _)| rank < *known) {
            self.0 = Some((rank, candidate));
        }
    }
}

impl Reach {
    fn listed(
        machine: &SharedMemory,
        memory: &Map,
        threads: &Map,
        element_bits: i64,
        transfer: Transfer,
    ) -> Result<Self, Error> {
        let warps = addresses(memory, threads, element_bits, machine.lanes)?;
        // What is wrong with the accesses to the plain tile is said here.
        Accesses::of_warps(&warps, element_bits, transfer)?;
        Ok(Reach::Listed { warps, transfer })
    }
}

impl Padding {
    /// Where an offset comes to; `None` beyond 64 bits.
    pub fn apply(&self, offset: i64) -> Option<i64> {
        offset.checked_div(self.interval)?.checked_mul(self.gap)?.checked_add(offset)
    }
}

pub(super) fn total(costs: &[Cost]) -> i64 {
    sum(costs.iter().map(|cost| cost.wavefronts))
}

pub(super) fn instructions(costs: &[Cost]) -> i64 {
    sum(costs.iter().map(|cost| cost.instructions))
}

/// The subspaces of a dimension that one word may hold, the lowest bits first; all of them in a space that is small.
fn word_bits(bits: u32, size: u32) -> Vec<Vec<u64>> {
    let lowest = (0..size).map(|bit| 1_u64 << bit).collect::<Vec<_>>();
    let mut all = vec![lowest.clone()];
    if size == 0 || bits > MOST_WORD_SPACE {
        return all;
    }
    let mut grow = vec![Vec::new()];
    for _ in 0..size {
        let next = |basis: &Vec<u64>| {
            let before = basis.last().map_or(low(bits) + 1, |vector: &u64| 1 << vector.ilog2());
            let grown = |vector: u64| {
                let lead = 1 << vector.checked_ilog2()?;
                basis.iter().all(|known| known & lead == 0).then(|| [basis.as_slice(), &[vector]].concat())
            };
            (1..before).filter_map(grown).collect::<Vec<_>>()
        };
        grow = grow.iter().flat_map(next).collect();
    }
    let lowest = reduced(&lowest);
    all.extend(grow.into_iter().filter(|basis| reduced(basis) != lowest));
    all
}

/// The largest space in which all choices of a word are tried, in bits.
const MOST_WORD_SPACE: u32 = 8;

/// A space without the vectors of a subspace: the bits that are no leading bit of it.
struct Quotient {
    basis: Vec<u64>,
    kept: Vec<u32>,
}

impl Quotient {
    fn by(subspace: &[u64], bits: u32) -> Self {
        let basis = reduced(subspace);
        let leads: u64 = basis.iter().map(|vector| 1 << vector.ilog2()).sum();
        Quotient { basis, kept: (0..bits).filter(|bit| leads >> bit & 1 == 0).collect() }
    }

    fn bits(&self) -> u32 {
        u32::try_from(self.kept.len()).unwrap_or(0)
    }

    fn image(&self, vector: u64) -> u64 {
        let rest = self.basis.iter().rev().fold(vector, |rest, known| rest.min(rest ^ known));
        (0..).zip(&self.kept).fold(0, |image, (at, bit)| image | (rest >> bit & 1) << at)
    }

    fn lift(&self, image: u64) -> u64 {
        (0..).zip(&self.kept).fold(0, |vector, (at, bit)| vector | (image >> at & 1) << bit)
    }

    /// What the lanes of a phase span above the vector, of those sums that ask for the same banks within the vector.
    fn lanes(&self, lanes: &[u64], vector: u32, word: u32) -> Vec<u64> {
        let within = low(vector) & !low(word.min(vector));
        let mut known: Vec<(u64, u64)> = Vec::new();
        let mut above = Vec::new();
        for lane in lanes {
            let (mut low_part, mut rest) = (lane & within, *lane);
            for (part, whole) in &known {
                if low_part ^ part < low_part {
                    low_part ^= part;
                    rest ^= whole;
                }
            }
            match low_part {
                0 => above.push(self.image(rest >> vector)),
                _ => known.push((low_part, rest)),
            }
        }
        above
    }
}

/// The map that sends the vectors of `shared` into a word and those of `rows` to the rows of banks, and leaves as much as it can.
fn placed(bits: u32, vector: u32, row: u32, shared: &[u64], rows: &[u64]) -> BitMap {
    let rows = reduced(rows);
    let above = bits - vector;
    // The position of each vector of a basis: words lowest, then banks, then rows, which stay where their leading bit is if they can.
    let mut position: Vec<Option<u64>> = vec![None; usize::try_from(above).unwrap_or(0)];
    let mut put = |wanted: std::ops::Range<u32>, vectors: &[u64]| {
        let mut left = Vec::new();
        for vector in vectors {
            let lead = vector.checked_ilog2().filter(|lead| wanted.contains(lead));
            let slot = lead.and_then(|lead| position.get_mut(usize::try_from(lead).ok()?));
            match slot {
                Some(slot @ None) => *slot = Some(*vector),
                _ => left.push(*vector),
            }
        }
        for vector in left {
            let free =
                wanted.clone().filter_map(|at| usize::try_from(at).ok()).find(|at| position.get(*at) == Some(&None));
            if let Some(slot) = free.and_then(|at| position.get_mut(at)) {
                *slot = Some(vector);
            }
        }
    };
    let words = u32::try_from(shared.len()).unwrap_or(0);
    let first_row = row.saturating_sub(vector).min(above);
    put(0..words, shared);
    put(first_row..above, &rows);
    let mut all = Echelon::of(&[shared, rows.as_slice()].concat());
    let banks: Vec<u64> = (0..above).map(|bit| 1 << bit).filter(|unit| all.insert(*unit, 0)).collect();
    put(words..first_row, &banks);
    let basis: Vec<u64> = position.into_iter().flatten().collect();
    let inverse = Echelon::of(&basis);
    let columns = (0..bits).map(|bit| match bit.checked_sub(vector) {
        None => 1 << bit,
        Some(above) => inverse.express(1 << above).map_or(1 << bit, |place| place << vector),
    });
    BitMap(columns.collect())
}
