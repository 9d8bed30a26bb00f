//! [`LinearAccess`]: an access in which every bit of a lane, a value and a warp flips bits of the offset, decided on those bits.
//!
//! Where all is linear over F2 the phases of an access are translates of one another, and a phase costs two to the power of
//! what its lanes span in words, less what they span in banks. So the cost follows from ranks, without a look at the elements.
//! Law: it is the cost that [`super::Accesses`] counts, instruction by instruction.

use super::access::{ROW_BYTES, Transfer};
use super::accesses::{Accesses, ThreadAxes};
use super::shared::{Passes, SharedMemory};
use crate::cast::length;
use crate::error::Error;
use crate::linear::bits::low;
use crate::map::{Map, Unit};

/// What an access costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cost {
    /// How many instructions there are.
    pub instructions: i64,
    /// The bytes that each lane transfers at once.
    pub bytes: i64,
    /// How many phases all instructions have: the wavefronts that there are without conflicts.
    pub phases: i64,
    /// How many wavefronts all instructions take.
    pub wavefronts: i64,
}

impl Cost {
    /// The cost of instructions whose passes are known.
    pub fn of(accesses: &Accesses, passes: &[Passes]) -> Self {
        Cost {
            instructions: length(accesses.count()),
            bytes: accesses.bytes(),
            phases: passes.iter().map(|passes| length(passes.0.len())).sum(),
            wavefronts: passes.iter().map(Passes::wavefronts).sum(),
        }
    }
}

/// An access of a block, all of whose addresses are sums over F2.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinearAccess {
    transfer: Transfer,
    /// The logarithm of the bits of an element.
    element: u32,
    /// What each bit of a lane flips in the offset, which counts elements.
    lanes: Vec<u64>,
    values: Vec<u64>,
    warps: Vec<u64>,
    /// The bits of the offset along which values do not move together, besides those that lanes flip.
    torn: u64,
}

/// The bits of an offset, so that an address in bits is one machine word.
const MOST_OFFSET_BITS: u32 = 48;

impl LinearAccess {
    /// The access of [`super::Accesses::by`], where all of it is linear over F2 and elements have a power of two of bits.
    ///
    /// # Errors
    /// As [`Map::then`] and [`Map::from_elements`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride::memory::{LinearAccess, SharedMemory, Transfer};
    /// let map = |text: &str| Map::of_layout(&text.parse()?);
    /// let machine = SharedMemory::NVIDIA;
    /// let column = LinearAccess::of(&machine, &map("(64,64):(64,1)")?, &map("32:1")?, 16, Transfer::Load)?;
    /// assert_eq!(column.and_then(|column| column.cost(&machine, |offset| offset)).map(|cost| cost.wavefronts), Some(32));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(
        machine: &SharedMemory,
        memory: &Map,
        threads: &Map,
        element_bits: i64,
        transfer: Transfer,
    ) -> Result<Option<Self>, Error> {
        let map = threads.then(&memory.from_elements()?)?;
        let element = match element_bits.checked_ilog2() {
            Some(element) if element_bits.count_ones() == 1 && element_bits <= ROW_BYTES * 8 => element,
            _ => return Ok(None),
        };
        let lanes_of_warp = machine.lanes.checked_ilog2().unwrap_or(0);
        let is_offset = matches!(map.codomain(), [axis] if axis.unit == Unit::Element);
        let Some(linear) = Some(&map).filter(|_| is_offset).and_then(|map| map.to_linear().ok()) else {
            return Ok(None);
        };
        if linear.out_bits() > MOST_OFFSET_BITS || map.size()? == 0 {
            return Ok(None);
        }
        let axes = ThreadAxes::of(&map)?;
        let (mut lanes, mut values, mut warps) = (Vec::new(), Vec::new(), Vec::new());
        let mut columns = linear.columns().iter().copied();
        for (at, dim) in linear.ins().iter().enumerate() {
            for bit in 0..dim.bits {
                let Some(column) = columns.next() else { return Ok(None) };
                match at {
                    _ if at == axes.lane && bit < lanes_of_warp => lanes.push(column),
                    _ if at == axes.lane || Some(at) == axes.warp => warps.push(column),
                    _ if Some(at) == axes.block => {}
                    _ => values.push(column),
                }
            }
        }
        Ok(Some(LinearAccess { transfer, element, lanes, values, warps, torn: 0 }))
    }

    /// The access of one warp by plain loads or stores, from what each bit of a lane and a value flips in the offset; `outer` are bits
    /// of warps and blocks, which run the same instructions and so tear what lies side by side along them. `None` for elements of no
    /// power of two of bits, and for offsets beyond 48 bits.
    pub(super) fn of_warp(
        transfer: Transfer,
        element_bits: i64,
        lanes: Vec<u64>,
        values: Vec<u64>,
        outer: &[u64],
    ) -> Option<Self> {
        let element = element_bits.checked_ilog2().filter(|_| element_bits.count_ones() == 1)?;
        let torn = outer.iter().fold(0, |all, column| all | column);
        let all = lanes.iter().chain(&values).fold(torn, |all, column| all | column);
        (all <= low(MOST_OFFSET_BITS)).then_some(LinearAccess {
            transfer,
            element,
            lanes,
            values,
            warps: Vec::new(),
            torn,
        })
    }

    /// What it does.
    pub fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// The byte address of each lane in the first instruction of the first warp.
    pub fn first(&self) -> Vec<Option<i64>> {
        let of_lane = |lane: u64| {
            let offset =
                (0..).zip(&self.lanes).filter(|(bit, _)| lane >> bit & 1 == 1).fold(0, |sum, (_, to)| sum ^ to);
            i64::try_from(offset << self.element >> 3).ok()
        };
        (0..1_u64 << self.lanes.len()).map(of_lane).collect()
    }

    /// Its cost, where `place` says which bits of the offset an offset comes to: it has to be linear over F2 too. `None` where
    /// no instruction of whole bytes does it.
    pub fn cost(&self, machine: &SharedMemory, place: impl Fn(u64) -> u64) -> Option<Cost> {
        let values: Span = self.values.iter().map(|value| place(*value)).collect();
        let lanes: Vec<u64> = self.lanes.iter().map(|lane| place(*lane)).collect();
        let apart = lanes.iter().fold(place(self.torn), |all, lane| all | lane);
        let mut together = 0;
        while self.bits(together + 1) <= ROW_BYTES * 8 && apart >> together & 1 == 0 && values.holds(1 << together) {
            together += 1;
        }
        if self.transfer.is_matrix() {
            let is_row = self.bits(together) == ROW_BYTES * 8 && values.rank() == together;
            return (is_row && matches!(lanes.len(), 3..=5))
                .then(|| self.cost_of(machine, values.rank(), together, &lanes));
        }
        (self.bits(together) % 8 == 0).then(|| self.cost_of(machine, values.rank(), together, &lanes))
    }

    /// The least wavefronts in any memory that holds each element once, where a lane may transfer as few as `narrowest` bytes at
    /// once: those of phases without conflicts.
    pub(super) fn least(&self, machine: &SharedMemory, narrowest: i64) -> i64 {
        let rank = self.values.iter().copied().collect::<Span>().rank();
        let widths = (0..=rank).filter(|together| {
            let bits = self.bits(*together);
            bits % 8 == 0 && bits <= ROW_BYTES * 8 && (bits >= narrowest * 8 || *together == rank)
        });
        widths.map(|together| self.all_phases(machine, together)).min().unwrap_or(1)
    }

    /// The logarithms of the elements that a lane may transfer at once, from the narrowest on.
    pub(super) fn widths(&self, narrowest: u32) -> std::ops::RangeInclusive<u32> {
        let rank = self.values.iter().copied().collect::<Span>().rank();
        let widest = if self.transfer.is_matrix() { narrowest } else { rank.min(self.together(ROW_BYTES)) };
        narrowest..=widest.max(narrowest)
    }

    /// The logarithm of the elements that some bytes hold.
    pub(super) fn together(&self, bytes: i64) -> u32 {
        (bytes.checked_ilog2().unwrap_or(0) + 3).saturating_sub(self.element)
    }

    /// The phases of all instructions, where a lane transfers two to the power of `together` elements at once.
    pub(super) fn all_phases(&self, machine: &SharedMemory, together: u32) -> i64 {
        let rank = self.values.iter().copied().collect::<Span>().rank();
        let (phases, _) = self.phases(machine, self.bits(together) / 8, &self.lanes);
        let instructions = 1_i64.checked_shl(self.instructions(rank, together)).filter(|count| *count > 0);
        phases.saturating_mul(instructions.unwrap_or(i64::MAX))
    }

    pub(super) fn lanes(&self) -> &[u64] {
        &self.lanes
    }

    pub(super) fn values(&self) -> &[u64] {
        &self.values
    }

    /// The lanes that one phase serves, and what they may differ in besides: the bits of one vector of `together` elements, in
    /// logarithms.
    pub(super) fn phase_lanes(&self, machine: &SharedMemory, together: u32) -> Vec<u64> {
        let (_, served) = self.phases(machine, self.bits(together) / 8, &self.lanes);
        self.lanes.iter().take(served).copied().collect()
    }

    fn bits(&self, together: u32) -> i64 {
        1_i64.checked_shl(self.element + together).unwrap_or(i64::MAX)
    }

    /// The logarithm of how many instructions there are.
    fn instructions(&self, rank: u32, together: u32) -> u32 {
        u32::try_from(self.warps.len()).unwrap_or(0) + rank.saturating_sub(together)
    }

    /// How many phases an instruction has, and how many lane bits one serves.
    fn phases(&self, machine: &SharedMemory, bytes: i64, lanes: &[u64]) -> (i64, usize) {
        let served = machine.phase_bytes.checked_div(bytes.max(machine.word_bytes)).unwrap_or(1).max(1);
        let is_wide_load = self.transfer == Transfer::Load && bytes > machine.word_bytes;
        let alike = |bit: usize| lanes.get(bit).is_none_or(|lane| *lane == 0);
        let merged = machine.merges_pairs && is_wide_load && (alike(0) || alike(1));
        let bits = usize::try_from(served.ilog2()).unwrap_or(0) + usize::from(merged);
        let served = bits.min(lanes.len());
        (1 << (lanes.len() - served), served)
    }

    fn cost_of(&self, machine: &SharedMemory, rank: u32, together: u32, lanes: &[u64]) -> Cost {
        let bytes = self.bits(together) / 8;
        let (phases, served) = self.phases(machine, bytes, lanes);
        let word = machine.word_bytes.checked_ilog2().unwrap_or(0) + 3;
        let banks = low(machine.banks.checked_ilog2().unwrap_or(0));
        let (mut words, mut in_banks) = (Span::default(), Span::default());
        // A vector of several words asks for each of them.
        let within =
            (0..bytes.checked_div(machine.word_bytes).and_then(i64::checked_ilog2).unwrap_or(0)).map(|bit| 1 << bit);
        let of_lanes = lanes.iter().take(served).map(|lane| lane << self.element >> word);
        for asked in within.chain(of_lanes) {
            words.insert(asked);
            in_banks.insert(asked & banks);
        }
        let instructions = 1_i64.checked_shl(self.instructions(rank, together)).filter(|count| *count > 0);
        let instructions = instructions.unwrap_or(i64::MAX);
        let phases = instructions.saturating_mul(phases);
        let wavefronts = phases.saturating_mul(1 << (words.rank() - in_banks.rank()));
        Cost { instructions, bytes, phases, wavefronts }
    }
}

/// The span of a few vectors, which is cheaper to make than an [`Echelon`](crate::linear::bits::Echelon) of 64 rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Span(Vec<u64>);

impl FromIterator<u64> for Span {
    fn from_iter<T: IntoIterator<Item = u64>>(vectors: T) -> Self {
        let mut span = Span::default();
        for vector in vectors {
            span.insert(vector);
        }
        span
    }
}

impl Span {
    /// What the vectors before leave of one. A vector has no leading bit of an earlier one, so that one pass is enough.
    pub(super) fn rest(&self, vector: u64) -> u64 {
        self.0.iter().fold(vector, |rest, known| rest.min(rest ^ known))
    }

    pub(super) fn holds(&self, vector: u64) -> bool {
        self.rest(vector) == 0
    }

    /// Adds a vector; true where it was outside.
    pub(super) fn insert(&mut self, vector: u64) -> bool {
        let rest = self.rest(vector);
        if rest != 0 {
            self.0.push(rest);
        }
        rest != 0
    }

    pub(super) fn rank(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(0)
    }

    pub(super) fn vectors(&self) -> &[u64] {
        &self.0
    }
}
