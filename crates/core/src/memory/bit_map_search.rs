//! [`BitMapSearch`]: which map over F2 of the bits of an offset lets accesses take the fewest wavefronts.
//!
//! The lowest bits of a place are the vector that a lane transfers at once and the word of a bank, the next name the bank, the highest the
//! row. So a map is three choices: the *units*, vectors whose span comes to the lowest bits, nested; which bits of the place the lanes leave
//! alone; and the subspace that comes to the rows. An access takes vectors of 2^t elements where its values span the first t units, and a
//! choice of the lowest bits is left that no lane flips. A phase then costs two to the power of what its lanes and its vector span in
//! common with the rows. The search goes over the widths of all accesses, those with the fewest phases first; for each over the units;
//! and for each over the rows (`subspace_search`).
//!
//! [`Vectors`] says what may become of a vector. A sum of bits within it turns its elements from one place of the tile to the next, which
//! code with the same registers everywhere cannot follow; in order, each bit within a vector is one bit of the offset, and only the rows
//! and banks are sums. Else the rows must not hold what would leave a lowest bit no choice.
//!
//! Law: no access is narrower than its narrowest width, the answer's cost is what [`LinearAccess::cost`] counts, and where the search is
//! complete, no map of these bits and vectors that allows these widths costs less.

use super::bit_map::BitMap;
use super::linear_access::{LinearAccess, Span};
use super::shared::SharedMemory;
use super::subspace_search::{Demand, Guard, MOST_VECTORS, Next, least, reduced, subspaces, sum, sum_of};
use crate::linear::bits::{Echelon, with_kernel};

/// What a map may do within the vectors that lanes transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vectors {
    /// Their elements follow one another alike wherever in the tile they lie.
    InOrder,
    /// Their elements may be turned from one place to the next.
    Turned,
}

/// An access, and the least logarithm of the elements that a lane transfers at once.
pub(super) type Need<'a> = (&'a LinearAccess, u32);

/// The search, and the best map until now.
pub(super) struct BitMapSearch<'a> {
    machine: &'a SharedMemory,
    /// How many bits an offset has, and how many of them a word of a bank and a row of banks hold.
    bits: u32,
    word: u32,
    row: u32,
    needs: &'a [Need<'a>],
    vectors: Vectors,
    best: Option<(i64, BitMap)>,
    work: usize,
    complete: bool,
}

/// The most choices of widths that are looked at.
const MOST_WIDTHS: usize = 1 << 10;
/// The largest space in which all choices of units are tried, in bits.
const MOST_UNIT_SPACE: usize = 8;
/// What one choice of units costs besides its rows, in vectors that are looked at.
const UNITS_WORK: usize = 1 << 5;

/// What comes to the lowest bits of a place, until now.
#[derive(Clone, Default)]
struct Units {
    /// The vector that comes to each bit.
    of: Vec<u64>,
    /// Where vectors are in order, the bit of the offset that each bit of a vector is, as a mask.
    bits: Vec<u64>,
}

/// How many elements each access transfers at once, in logarithms, and the phases of all.
struct Widths {
    together: Vec<u32>,
    phases: i64,
}

impl Widths {
    fn widest(&self) -> u32 {
        self.together.iter().copied().max().unwrap_or(0)
    }

    fn narrowest(&self) -> u32 {
        self.together.iter().copied().min().unwrap_or(0)
    }
}

impl<'a> BitMapSearch<'a> {
    /// A search for accesses to a tile whose offsets have `bits` bits.
    pub(super) fn new(machine: &'a SharedMemory, bits: u32, needs: &'a [Need<'a>], vectors: Vectors) -> Self {
        let held = |bytes: i64| needs.first().map_or(0, |(access, _)| access.together(bytes));
        let row = held(machine.word_bytes.saturating_mul(machine.banks));
        BitMapSearch {
            machine,
            bits,
            word: held(machine.word_bytes).min(bits),
            row,
            needs,
            vectors,
            best: None,
            work: 0,
            complete: true,
        }
    }

    /// The map with the fewest wavefronts, and whether no other takes fewer; `None` where no map was found.
    pub(super) fn best(mut self) -> Option<(BitMap, bool)> {
        let plain: Vec<u32> = self.needs.iter().map(|(_, narrowest)| *narrowest).collect();
        let all = self.widths();
        self.units(&self.of(plain.clone()));
        for widths in all.iter().filter(|widths| widths.together != plain) {
            if self.is_reached(widths.phases) || !self.complete {
                break;
            }
            self.units(widths);
        }
        let least = all.first().map_or(i64::MAX, |widths| widths.phases);
        let complete = self.complete || self.is_reached(least);
        self.best.map(|(_, map)| (map, complete))
    }

    fn is_reached(&self, bound: i64) -> bool {
        self.best.as_ref().is_some_and(|(cost, _)| *cost <= bound)
    }

    fn of(&self, together: Vec<u32>) -> Widths {
        let phases =
            self.needs.iter().zip(&together).map(|((access, _), width)| access.all_phases(self.machine, *width));
        Widths { phases: sum(phases), together }
    }

    /// All choices of widths, the fewest phases first.
    fn widths(&mut self) -> Vec<Widths> {
        let mut all = vec![Vec::new()];
        for (access, narrowest) in self.needs {
            let choices: Vec<u32> = access.widths(*narrowest).collect();
            if all.len().saturating_mul(choices.len()) > MOST_WIDTHS {
                self.complete = false;
                return Vec::new();
            }
            all = all
                .iter()
                .flat_map(|before: &Vec<u32>| choices.iter().map(move |width| [before.as_slice(), &[*width]].concat()))
                .collect();
        }
        let mut all: Vec<Widths> = all.into_iter().map(|together| self.of(together)).collect();
        all.sort_by_key(|widths| widths.phases);
        all
    }

    /// Tries all units for some widths.
    fn units(&mut self, widths: &Widths) {
        let beyond = widths.widest().max(self.word).saturating_sub(self.row.min(self.bits));
        if beyond > 0 {
            // A vector that is longer than a row of banks takes as many wavefronts.
            self.complete &=
                self.is_reached(widths.phases.saturating_mul(1_i64.checked_shl(beyond).unwrap_or(i64::MAX)));
            return;
        }
        self.more_units(widths, &self.ends(widths), &Units::default());
    }

    /// Where the lowest bits divide: between two ends, accesses ask for all units alike, and only their span matters.
    fn ends(&self, widths: &Widths) -> Vec<u32> {
        let mut ends: Vec<u32> = widths.together.clone();
        ends.extend([self.shared(widths), widths.widest().max(self.word)]);
        ends.retain(|end| *end > 0);
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// How many of the lowest bits are in one vector or one word for every access.
    fn shared(&self, widths: &Widths) -> u32 {
        widths.narrowest().max(self.word)
    }

    /// The accesses that take a vector of more than `bit` bits.
    fn wider(&self, widths: &'a Widths, bit: usize) -> impl Iterator<Item = &'a LinearAccess> {
        let is_wider = move |width: &u32| usize::try_from(*width).is_ok_and(|width| width > bit);
        self.needs
            .iter()
            .zip(&widths.together)
            .filter(move |(_, width)| is_wider(width))
            .map(|((access, _), _)| *access)
    }

    fn more_units(&mut self, widths: &Widths, ends: &[u32], units: &Units) {
        let Some((end, later)) = ends.split_first() else {
            self.rows(widths, units);
            return;
        };
        let from = units.of.len();
        let count = usize::try_from(*end).unwrap_or(0).saturating_sub(from);
        let known: Span = units.of.iter().copied().collect();
        let mut space: Option<Vec<u64>> = None;
        for access in self.wider(widths, from) {
            let values = access.values();
            space = Some(space.map_or_else(|| reduced(values), |space| common(&space, values)));
        }
        let is_vector = space.is_some();
        let space = space.unwrap_or_else(|| (0..self.bits).map(|bit| 1 << bit).collect());
        let space: Vec<u64> = reduced(&space.iter().map(|vector| known.rest(*vector)).collect::<Vec<_>>());
        let try_each = |search: &mut Self, chosen: &[u64]| {
            for next in search.with(widths, units, chosen, is_vector) {
                if !search.spend(UNITS_WORK) || search.is_reached(widths.phases) {
                    return false;
                }
                search.more_units(widths, later, &next);
            }
            search.complete && !search.is_reached(widths.phases)
        };
        // The bits themselves first.
        let lowest: Vec<u64> = (from..from + count).map(|bit| 1 << bit).collect();
        let inside: Span = space.iter().copied().collect();
        let are_inside = lowest.iter().all(|unit| inside.holds(known.rest(*unit)));
        if are_inside && !try_each(self, &lowest) {
            return;
        }
        if space.len() > MOST_UNIT_SPACE {
            self.complete = false;
            return;
        }
        subspaces(space.len(), count, &mut |numbers| {
            if numbers.len() < count {
                return Next::Deeper;
            }
            // The lowest leading bit first.
            let chosen: Vec<u64> = numbers.iter().rev().map(|number| sum_of(&space, *number)).collect();
            let repeats = are_inside && reduced(&lowest) == reduced(&chosen);
            if repeats || try_each(self, &chosen) { Next::Past } else { Next::Stop }
        });
    }

    /// Counts some work; false where there has been too much, and the search is not complete.
    fn spend(&mut self, work: usize) -> bool {
        self.work = self.work.saturating_add(work);
        self.complete &= self.work <= MOST_VECTORS;
        self.complete
    }

    /// The units with some more, in each way in which there are bits of the place for them.
    fn with(&mut self, widths: &Widths, units: &Units, chosen: &[u64], is_vector: bool) -> Vec<Units> {
        let joined = |chosen: &[u64]| [units.of.as_slice(), chosen].concat();
        if !is_vector {
            return vec![Units { of: joined(chosen), bits: units.bits.clone() }];
        }
        if self.vectors == Vectors::Turned {
            let of = joined(chosen);
            self.spend(1);
            return if self.are_apart(widths, &of) { vec![Units { of, bits: Vec::new() }] } else { Vec::new() };
        }
        // Bits that neither lanes nor the units before flip, and that tell the new ones apart.
        let taken = self.wider(widths, units.of.len()).flat_map(LinearAccess::lanes).chain(&units.of);
        let taken = taken.fold(0, |all, vector| all | vector);
        let chosen: Vec<u64> = chosen
            .iter()
            .map(|vector| {
                let has = units.bits.iter().zip(&units.of).filter(|(bit, _)| vector & **bit != 0);
                has.fold(*vector, |rest, (_, unit)| rest ^ unit)
            })
            .collect();
        let free = chosen.iter().fold(0, |all, vector| all | vector) & !taken;
        let mut found = Vec::new();
        choose(free, chosen.len(), &mut Vec::new(), &mut |bits| {
            if let Some(own) = dual(&chosen, bits) {
                found.push(Units { of: joined(&own), bits: [units.bits.as_slice(), bits].concat() });
            }
            self.spend(1)
        });
        found
    }

    /// What must vanish in a bit of the place: the lanes of accesses whose vectors have the bit, and the other units up to the next end;
    /// those after it may have it, since lower units are added to them.
    fn others(&self, widths: &Widths, units: &[u64], bit: usize) -> Vec<u64> {
        let lanes = self.wider(widths, bit).flat_map(LinearAccess::lanes).copied();
        let ends = self.ends(widths).into_iter().filter_map(|end| usize::try_from(end).ok());
        let end = ends.into_iter().find(|end| *end > bit).unwrap_or(bit);
        let others = units.iter().take(end).enumerate().filter(|(at, _)| *at != bit).map(|(_, unit)| *unit);
        lanes.chain(others).collect()
    }

    /// Whether there are bits of the place for all units.
    fn are_apart(&self, widths: &Widths, units: &[u64]) -> bool {
        let widest = usize::try_from(widths.widest()).unwrap_or(0);
        units.iter().take(widest).enumerate().all(|(bit, unit)| {
            let others: Span = self.others(widths, units, bit).into_iter().collect();
            !others.holds(*unit)
        })
    }

    /// Tries the best rows for some units.
    fn rows(&mut self, widths: &Widths, units: &Units) {
        let widest = usize::try_from(widths.widest()).unwrap_or(0);
        let shared = usize::try_from(self.shared(widths)).unwrap_or(0);
        // Vectors in order leave nothing of a vector's bits to the rows.
        let held = if self.vectors == Vectors::InOrder { shared.max(widest) } else { shared };
        let (Some(within), bits) = (units.of.get(..held), units.bits.get(shared..).unwrap_or_default()) else { return };
        let quotient = Quotient::by(within, self.bits);
        let demand = |(access, width): (&LinearAccess, &u32)| {
            let vector = units.of.iter().take(usize::try_from(*width).unwrap_or(0)).skip(shared).copied();
            let asked: Vec<u64> = access.phase_lanes(self.machine, *width).into_iter().chain(vector).collect();
            Demand {
                lanes: without_bits(&asked, bits).into_iter().map(|vector| quotient.image(vector)).collect(),
                weight: access.all_phases(self.machine, *width),
            }
        };
        let needs = self.needs.iter().map(|(access, _)| *access).zip(&widths.together);
        let demands: Vec<Demand> = needs.map(demand).collect();
        let guards: Vec<Guard> = (held..widest)
            .filter_map(|bit| {
                let others = self.others(widths, &units.of, bit);
                let span: Span = others.into_iter().map(|vector| quotient.image(vector)).collect();
                Some(Guard { span, unit: quotient.image(*units.of.get(bit)?) })
            })
            .collect();
        let choice = least(quotient.bits(), self.bits.saturating_sub(self.row), &demands, &guards, &mut self.work);
        self.complete &= choice.complete;
        if self.is_reached(choice.cost) || choice.cost == i64::MAX {
            return;
        }
        let rows: Vec<u64> = choice.basis.iter().map(|vector| quotient.lift(*vector)).collect();
        let Some(map) = self.placed(widths, units, &rows) else { return };
        let costs = self.needs.iter().map(|(access, narrowest)| {
            let cost = access.cost(self.machine, |offset| map.apply(offset))?;
            (access.together(cost.bytes) >= *narrowest).then_some(cost.wavefronts)
        });
        let Some(costs) = costs.collect::<Option<Vec<i64>>>() else { return };
        let cost = sum(costs.into_iter());
        // An access may come out wider than it was to be, and ask otherwise.
        self.complete &= cost <= choice.cost;
        if !self.is_reached(cost) {
            self.best = Some((cost, map));
        }
    }

    /// The map that sends the units to the lowest bits and some vectors to the rows, and leaves as much as it can.
    fn placed(&self, widths: &Widths, units: &Units, rows: &[u64]) -> Option<BitMap> {
        let bits = usize::try_from(self.bits).ok()?;
        let first_row = usize::try_from(self.row.min(self.bits)).ok()?;
        let widest = usize::try_from(widths.widest()).ok()?;
        let shared = usize::try_from(self.shared(widths)).ok()?;
        // What each bit of a vector says of an offset: which units are in it.
        let says: Vec<u64> = match self.vectors {
            Vectors::InOrder => units.bits.clone(),
            Vectors::Turned => (0..widest)
                .map(|bit| {
                    let mut others = self.others(widths, &units.of, bit);
                    if bit >= shared {
                        others.extend(rows);
                    }
                    functional(&others, *units.of.get(bit)?, 1 << bit, self.bits)
                })
                .collect::<Option<_>>()?,
        };
        // The vectors that come to one bit alone, and what is left of others when they come to none of these bits.
        let mut own: Vec<u64> = Vec::new();
        let without = |own: &[u64], vector: u64| {
            let has = |says: &u64| (says & vector).count_ones() % 2 == 1;
            says.iter().zip(own).filter(|(says, _)| has(says)).fold(vector, |rest, (_, unit)| rest ^ unit)
        };
        for unit in &units.of {
            own.push(without(own.get(..own.len().min(widest)).unwrap_or_default(), *unit));
        }
        let units = own;
        let without = |vector: u64| without(units.get(..widest).unwrap_or_default(), vector);
        let mut position: Vec<Option<u64>> = vec![None; bits];
        // Each stays where its leading bit is, if it can.
        let mut put = |wanted: std::ops::Range<usize>, vectors: &[u64]| {
            let mut left = Vec::new();
            for vector in vectors {
                let lead = vector.checked_ilog2().and_then(|lead| usize::try_from(lead).ok());
                match lead.filter(|lead| wanted.contains(lead)).and_then(|lead| position.get_mut(lead)) {
                    Some(slot @ None) => *slot = Some(*vector),
                    _ => left.push(*vector),
                }
            }
            for vector in left {
                let free = wanted.clone().find(|at| position.get(*at) == Some(&None));
                if let Some(slot) = free.and_then(|at| position.get_mut(at)) {
                    *slot = Some(vector);
                }
            }
        };
        let rows: Vec<u64> = reduced(rows).into_iter().map(without).collect();
        let mut all = Echelon::of(&[units.as_slice(), &rows].concat());
        let banks: Vec<u64> = (0..self.bits).map(|bit| without(1 << bit)).filter(|unit| all.insert(*unit, 0)).collect();
        for (at, unit) in units.iter().enumerate() {
            put(at..at + 1, &[*unit]);
        }
        put(first_row..bits, &rows);
        put(units.len()..first_row, &banks);
        let basis: Vec<u64> = position.into_iter().collect::<Option<_>>()?;
        let inverse = Echelon::of(&basis);
        (0..self.bits).map(|bit| inverse.express(1 << bit)).collect::<Option<_>>().map(BitMap::of)
    }
}

/// What two spans have in common, as a basis.
fn common(one: &[u64], other: &[u64]) -> Vec<u64> {
    let one = reduced(one);
    let other: Span = other.iter().copied().collect();
    // A sum of vectors of the one that leaves nothing of the other.
    let rests: Vec<u64> = one.iter().map(|vector| other.rest(*vector)).collect();
    let (_, kernel) = with_kernel(&rests);
    reduced(&kernel.iter().map(|mask| sum_of(&one, *mask)).collect::<Vec<_>>())
}

/// The sums of some vectors that have none of some bits, as a basis.
fn without_bits(vectors: &[u64], bits: &[u64]) -> Vec<u64> {
    let mut left = vectors.to_vec();
    for bit in bits {
        let Some(at) = left.iter().position(|vector| vector & bit != 0) else { continue };
        let with = left.swap_remove(at);
        left.iter_mut().filter(|vector| **vector & bit != 0).for_each(|vector| *vector ^= with);
    }
    left
}

/// Visits the choices of some of the bits of a mask, the lowest first, as masks of one bit each, until a visit returns false.
fn choose(free: u64, count: usize, taken: &mut Vec<u64>, visit: &mut dyn FnMut(&[u64]) -> bool) -> bool {
    if taken.len() == count {
        return visit(taken);
    }
    let mut rest = free;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest &= !bit;
        taken.push(bit);
        let goes_on = choose(rest, count, taken, visit);
        taken.pop();
        if !goes_on {
            return false;
        }
    }
    true
}

/// The basis of the span of some vectors of which each has one of the bits and no other; `None` where there is none.
fn dual(vectors: &[u64], bits: &[u64]) -> Option<Vec<u64>> {
    let mut basis = vectors.to_vec();
    for (at, bit) in bits.iter().enumerate() {
        let with = (at..basis.len()).find(|own| basis.get(*own).is_some_and(|vector| vector & bit != 0))?;
        basis.swap(at, with);
        let vector = *basis.get(at)?;
        let others = basis.iter_mut().enumerate().filter(|(own, other)| *own != at && **other & bit != 0);
        others.for_each(|(_, other)| *other ^= vector);
    }
    Some(basis)
}

/// A linear function of an offset, as the bits whose sum it is: 0 on some vectors and 1 on another, which is not in their span. It is
/// `preferred` where that serves.
fn functional(zero: &[u64], one: u64, preferred: u64, bits: u32) -> Option<u64> {
    let is_one = |vector: u64| (preferred & vector).count_ones() % 2 == 1;
    if is_one(one) && !zero.iter().any(|vector| is_one(*vector)) {
        return Some(preferred);
    }
    // A leading bit of what the span leaves of a vector is such a function.
    let span: Span = zero.iter().copied().collect();
    let lead = span.rest(one).checked_ilog2()?;
    Some((0..bits).map(|bit| (span.rest(1 << bit) >> lead & 1) << bit).sum())
}

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
}
