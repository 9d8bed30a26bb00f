//! [`SwizzleSearch`]: for a tile in shared memory and a set of accesses, the swizzle with the fewest wavefronts, and why there is
//! none with fewer.
//!
//! Three classes are searched. A *swizzle* of CuTe: all `Sw<B,M,S>` that move whole vectors within the tile's memory are
//! tried. A *map over F2* of the offset's bits, of which a swizzle is one (`bit_map_search`); `rotating_search` has those of one of
//! Triton's encodings. *Padding*: a gap after every row of one of the tile's strides. No access is allowed to fall apart: each stays as
//! wide as in the plain tile, or as a caller allows.
//!
//! Law: an answer's cost is that which [`Accesses`] counts; no memory at all costs less than `least`, since every phase takes a
//! wavefront, and a wavefront serves one word of each bank; no swizzle of the class costs less than the one that is found, nor, where `complete`, another map over F2.

use std::collections::BTreeSet;

use super::access::Transfer;
use super::accesses::{Accesses, Warps, addresses};
use super::bit_map::BitMap;
use super::bit_map_search::{BitMapSearch, Vectors};
use super::linear_access::{Cost, LinearAccess};
use super::shared::SharedMemory;
use super::subspace_search::sum;
use crate::cute::Swizzle;
use crate::error::{Code, Error};
use crate::map::{Map, Unit};

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
            return Err(error!(Code::Kind, "{memory} does not lead to one offset in elements", [memory]));
        }
        let (first, last) = memory.reach()?;
        if first < 0 {
            return Err(error!(Code::Range, "the tile reaches back to offset {first}", [first]));
        }
        let cosize = last.checked_add(1).ok_or_else(|| Error::overflow("the size of the tile's memory"))?;
        let mut search =
            SwizzleSearch { machine, element_bits, cosize, narrowest, accesses: Vec::new(), plain: Vec::new() };
        let size = memory.size()?;
        for (threads, transfer) in accesses {
            // A layout of CuTe goes on beyond its tile, into what the tile's memory has not.
            let last = if threads.codomain().len() == 1 { threads.reach()?.1 } else { 0 };
            if last >= size {
                return Err(error!(Code::Range, "threads ask for element {last} of a tile of {size}", [last, size])
                    .with_help("give the threads of one tile"));
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

    /// The map over F2 with the fewest wavefronts, of those that leave each access as wide as it is or as a caller allows, and its vectors
    /// in order or turned; `None` where not all is linear over F2, or a vector is wider than a row of banks.
    ///
    /// # Errors
    /// As [`SwizzleSearch::among`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride::memory::{SharedMemory, SwizzleSearch, Transfer, Vectors};
    /// let map = |text: &str| Map::of_layout(&text.parse()?);
    /// // One thread writes a column of eight floats, four at once where columns lie side by side.
    /// let column = [(map("(1,8):(1,1)")?, Transfer::Store)];
    /// let search = SwizzleSearch::new(SharedMemory::NVIDIA, &map("(8,8):(8,1)")?, 32, &column, 16)?;
    /// let found = search.bit_map(Vectors::InOrder)?.ok_or("all is linear")?;
    /// assert_eq!((search.swizzle()?.wavefronts(), found.wavefronts(), found.complete), (8, 2, true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bit_map(&self, vectors: Vectors) -> Result<Option<Found<BitMap>>, Error> {
        let mut needs = Vec::new();
        for (reach, plain) in self.accesses.iter().zip(&self.plain) {
            let Reach::Linear(access) = reach else { return Ok(None) };
            needs.push((access, access.together(plain.bytes.min(self.narrowest))));
        }
        let Some((change, complete)) = BitMapSearch::new(&self.machine, self.bits(), &needs, vectors).best() else {
            return Ok(None);
        };
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
            return Err(
                error!(
                    Code::TooLarge,
                    "{candidates} candidates for accesses that are not linear over F2: {looked_at} addresses; at most {most_looked_at} are looked at",
                    [candidates, looked_at, most_looked_at = MOST_LOOKED_AT]
                ).with_help("give the elements of one instruction of each access")
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
