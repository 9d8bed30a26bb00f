//! [`Block`]: the part of a nest that a kernel moves at once, and the loops around it.
//!
//! A run that is contiguous on both sides widens the unit: two neighbouring bf16 elements are one unit of four bytes.
//! Then the cheapest of these candidates is taken ([`Cost`]):
//!
//! - copies of runs, or rows of short ones;
//! - a network that exchanges the bits that make a line of the destination with those that make a line of the source; a last
//!   tile that overlaps the one before covers the rest of a count. Runs of a few lines are a network without rounds;
//! - strips, which take loops of any counts; runs of a few bytes may be padded to units of a power of two;
//! - a shuffle, which joins vectors from a few vectors of the source, where a dim is no power of two.
//!
//! The loops next to the kernel become a tile list, in a cache-friendly order (`order.rs`). Law: block and loops visit
//! what the nest visits.

mod copy;
mod network;
mod row;
mod shuffle;
mod strips;

use crate::cast::{number, signed};
use crate::cost::Cost;
use crate::kernel::{Copy, LINE, Network, Parts, Shuffle, Strips, TileOrigin};
use crate::machine::Machine;
use crate::nest::{Loop, Nest, Origin, distances};
use crate::order::{Ordered, outermost};
use copy::copied;
use network::{MAX_NEIGHBOURS, networked, parted};
use shuffle::shuffled;
use strips::{padded, stripped};

/// What is done with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    Copy(Copy),
    Network(Network),
    Strips(Strips),
    Shuffle(Shuffle),
    Parts(Parts),
}

/// A kernel, its tile list, and the loops around the list, the outermost first; distances in
/// bytes, or in units below a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kernel: Kernel,
    pub(crate) tiles: Vec<TileOrigin>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) origins: [Origin; 2],
}

/// A way to move a box: a kernel, the loops around it, and what both cost.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) kernel: Kernel,
    loops: Vec<Loop>,
    origins: [Origin; 2],
    pub(crate) cost: Cost,
}

/// A box whose distances are in bytes, or in units below a byte: what candidates are made of.
pub(crate) struct Scaled {
    nest: Nest,
    /// The unit, in bits.
    unit: i64,
    machine: Machine,
    /// The bytes of the box.
    bytes: i64,
}

/// The kinds of candidates that a box may have beside [`Scaled::copied`], in the order in which they are made.
const KINDS: [fn(&Scaled) -> Option<Candidate>; 4] =
    [Scaled::padded, Scaled::networked, Scaled::stripped, Scaled::shuffled];

impl Scaled {
    /// The box of a nest, for the given size of an element in bits.
    pub(crate) fn of(nest: &Nest, element: i64, machine: Machine) -> Self {
        let bytes = nest.size().saturating_mul(element) / 8;
        let unit = widest_unit(nest, element);
        let mut nest = nest.clone();
        if let Some(run) = nest.run(element).and_then(|at| nest.loops.get_mut(at)) {
            *run = Loop::strided(run.count * element / unit, [unit; 2]);
        }
        nest.loops.retain(|level| level.count > 1);
        nest.scale(unit.min(8));
        Scaled { nest, unit, machine, bytes }
    }

    /// All candidates.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        [self.copied()].into_iter().chain(KINDS.iter().filter_map(|kind| kind(self))).collect()
    }

    /// The cheapest candidate, the first of several. Where one costs no more than any network does, no others are made.
    fn cheapest(&self) -> Candidate {
        let prices = &self.machine.prices;
        let total = |candidate: &Candidate| candidate.cost.total(prices);
        let streams = self.is_large() && self.machine.isa.streams();
        // Networks of this number of lines are the largest that only move lines; those that exchange bits cost more.
        let least = Cost::least(self.bytes / number(LINE), streams, MAX_NEIGHBOURS).total(prices);
        let mut best = self.copied();
        for kind in KINDS {
            if total(&best) <= least {
                break;
            }
            best = kind(self).filter(|candidate| total(candidate) < total(&best)).unwrap_or(best);
        }
        best
    }

    /// Whether what is written comes to memory.
    fn is_large(&self) -> bool {
        self.bytes >= self.machine.sizes.stream_min_bytes
    }

    /// The bytes of a unit; 0 below a byte.
    fn unit_bytes(&self) -> i64 {
        self.unit / 8
    }

    fn candidate(&self, mut kernel: Kernel, loops: Vec<Loop>, origins: [Origin; 2]) -> Candidate {
        let from_memory = self.bytes >= self.machine.sizes.memory_min_bytes;
        match &mut kernel {
            Kernel::Network(network) | Kernel::Strips(Strips { network, .. }) => network.from_memory = from_memory,
            Kernel::Shuffle(shuffle) => shuffle.from_memory = from_memory,
            Kernel::Copy(_) | Kernel::Parts(_) => {}
        }
        let row = match &kernel {
            Kernel::Copy(Copy { row, .. }) | Kernel::Shuffle(Shuffle { row, .. }) => signed(row.strides[1]),
            _ => 0,
        };
        let aligned = (row | distances(&loops, &origins, 1)) % number(LINE) == 0;
        let cost = Cost::of(&kernel, &loops, aligned, self.is_large(), &self.machine);
        Candidate { kernel, loops, origins, cost }
    }

    fn of_bytes(&self, made: impl FnOnce(i64) -> Option<(Kernel, Vec<Loop>)>) -> Option<Candidate> {
        let (kernel, loops) = Some(self.unit_bytes()).filter(|unit| *unit > 0).and_then(made)?;
        Some(self.candidate(kernel, loops, self.nest.origins))
    }

    /// Copies of runs, or of units, also of those below a byte. Every box can be moved so.
    fn copied(&self) -> Candidate {
        let (kernel, loops) = match self.unit_bytes() {
            0 => (Kernel::Parts(Parts { bits: u32::try_from(self.unit).unwrap_or(4) }), self.nest.loops.clone()),
            unit => copied(&self.nest, unit, self.machine),
        };
        self.candidate(kernel, loops, self.nest.origins)
    }

    fn padded(&self) -> Option<Candidate> {
        self.of_bytes(|unit| padded(&self.nest, unit, self.machine, self.bytes))
    }

    fn networked(&self) -> Option<Candidate> {
        if self.unit_bytes() == 0 {
            let (network, loops, origins) = parted(&self.nest, self.unit, self.machine)?;
            return Some(self.candidate(Kernel::Network(network), loops, origins));
        }
        self.of_bytes(|unit| {
            let (network, loops) = networked(&self.nest, unit * 8, self.machine)?;
            Some((Kernel::Network(network), loops))
        })
    }

    fn stripped(&self) -> Option<Candidate> {
        self.of_bytes(|unit| stripped(&self.nest, unit, self.machine, self.bytes))
    }

    fn shuffled(&self) -> Option<Candidate> {
        self.of_bytes(|unit| shuffled(&self.nest, unit, self.machine, self.bytes))
    }
}

impl Block {
    /// The block of a nest, for the given size of an element in bits.
    pub(crate) fn of(nest: &Nest, element: i64, machine: Machine) -> Block {
        let Candidate { kernel, loops, origins, .. } = Scaled::of(nest, element, machine).cheapest();
        if let Kernel::Strips(strips) = &kernel {
            let (tiles, loops) = (strips.tiles(), outermost(loops, strips.rows_continue()));
            return Block { kernel, tiles, loops, origins };
        }
        let Ordered { tiles, loops, origins } = Ordered::of(loops, origins, &kernel, &machine);
        Block { kernel, tiles, loops, origins }
    }
}

/// The balanced size of a tile of a loop: parts of about the same size, at most `most` steps, and multiples of a power
/// of two, but for a part that is all.
fn balanced_tile(count: i64, tile: u32, most: i64) -> i64 {
    let parts = (count + most - 1) / most;
    let even = (count + parts - 1) / parts;
    if parts == 1 { count } else { (even + (1 << tile) - 1) >> tile << tile }
}

/// The largest unit that all distances are multiples of: a power of two, up to 16 bytes.
pub(crate) fn widest_unit(nest: &Nest, element: i64) -> i64 {
    let Some(run) = nest.run(element).and_then(|at| nest.loops.get(at)) else { return element };
    let others = |side| distances(nest.loops.iter().filter(|level| *level != run), &nest.origins, side);
    let all = 128 | (run.count * element) | others(0) | others(1);
    1 << all.trailing_zeros()
}

impl Nest {
    /// Distances in bytes, or in units below a byte, instead of bits.
    fn scale(&mut self, bits: i64) {
        for origin in &mut self.origins {
            (origin.offset, origin.flip) = (origin.offset / bits, origin.flip / bits);
        }
        for level in &mut self.loops {
            for step in &mut level.steps {
                (step.stride, step.xor) = (step.stride / bits, step.xor / bits);
            }
            for place in level.offsets.iter_mut().flatten().chain(&mut level.tail_overlap) {
                *place /= bits;
            }
        }
    }
}
