//! Chooses the bits of loops that make a network.
//!
//! A loop gives bits as long as tiles of `2^bits` steps cover it with little overlap. Bits whose units are contiguous
//! on a side make its vectors. Where they are too few, bits that are contiguous on the other side fill them. The block
//! has the bits of both sides, and the loops around it step over its tiles. Where loops flip bits of each other, all
//! loops that share flipped bits are taken.
//!
//! Law: block and loops visit what the nest visits.

use crate::cast::distance;
use crate::kernel::{BYTE, Bit, Isa, LINE, Network};
use crate::machine::{MIN_PIECE_BITS, Machine};
use crate::nest::{Loop, Nest, Origin, Step, distances};

/// The most rounds of a network: those that make lines of bytes whole on both sides. AVX-512 has room for those of units below
/// a byte too.
const MAX_ROUNDS: usize = 6;

/// The most bits in the number of a vector: all blocks at one tile origin are 16 KiB a side then, which the first cache holds.
const MAX_NUMBER_BITS: usize = 8;

/// The bits in the number of a vector where vectors are only put in order.
const NEIGHBOUR_BITS: usize = 2;

/// The most vectors of such a block.
pub(super) const MAX_NEIGHBOURS: i64 = 1 << NEIGHBOUR_BITS;

/// The bits of loops that are chosen for a block: how many of each.
struct Chosen<'a> {
    loops: &'a [Loop],
    taken: Vec<u32>,
    /// Whether loops are taken that flip bits of each other.
    flips: bool,
}

impl<'a> Chosen<'a> {
    fn of(loops: &'a [Loop], flips: bool) -> Self {
        Chosen { loops, taken: vec![0; loops.len()], flips }
    }

    /// Bits that are contiguous on a side, starting at a stride of `unit` bytes: at most `most`, of which at most
    /// `most_new` are new.
    fn together(&mut self, side: usize, unit: i64, most: usize, most_new: usize) -> Vec<(usize, u32)> {
        let (mut bits, mut reach, mut new) = (Vec::with_capacity(most), unit, 0);
        while bits.len() < most {
            let continues = |level: &Loop| level.alone(side) == Some(reach) && (self.flips || level.is_strided());
            let next = self.loops.iter().position(continues);
            let Some((at, level)) = next.and_then(|at| Some((at, self.loops.get(at)?))) else { break };
            let Some(taken) = self.taken.get_mut(at) else { break };
            let mut power = 0;
            while bits.len() < most && level.holds(power + 1) {
                if power >= *taken {
                    if new == most_new {
                        return bits;
                    }
                    new += 1;
                    *taken = power + 1;
                }
                bits.push((at, power));
                power += 1;
            }
            if level.count != 1 << power {
                break;
            }
            reach <<= power;
        }
        bits
    }

    fn bit(&self, (at, power): (usize, u32)) -> Bit {
        let steps = self.loops.get(at).map_or([Step::default(); 2], |level| level.steps);
        Bit { strides: steps.map(|step| distance(step.stride << power)), flips: steps.map(|step| distance(step.xor)) }
    }

    /// Takes the loops that flip bits with those that are taken, so that no others do.
    fn flipping(&mut self) -> Vec<Bit> {
        let mut bits = Vec::new();
        loop {
            let masks = self.bits().fold([0; 2], |masks, level| [0, 1].map(|side| masks[side] | level.steps[side].xor));
            let shares = |level: &Loop| level.steps.iter().zip(masks).any(|(step, mask)| step.xor & mask != 0);
            let Some(at) = (0..self.loops.len()).find(|at| self.taken[*at] == 0 && shares(&self.loops[*at])) else {
                return bits;
            };
            self.taken[at] = 1;
            bits.push(self.bit((at, 0)));
        }
    }

    /// Takes bits of neighbours in the destination, at most `most`.
    fn neighbours(&mut self, most: usize) -> Vec<Bit> {
        let mut bits = Vec::new();
        while bits.len() < most {
            let apart = |at: &usize| self.loops[*at].strides()[1].unsigned_abs() << self.taken[*at];
            let continues =
                |at: &usize| self.loops[*at].is_strided() && self.loops[*at].count % (2 << self.taken[*at]) == 0;
            let Some(at) = (0..self.loops.len()).filter(continues).min_by_key(apart) else { break };
            bits.push(self.bit((at, self.taken[at])));
            self.taken[at] += 1;
        }
        bits
    }

    /// The loops that bits are taken of.
    fn bits(&self) -> impl Iterator<Item = &Loop> {
        self.loops.iter().zip(&self.taken).filter(|(_, taken)| **taken > 0).map(|(level, _)| level)
    }

    /// The loops that are left: tiles of what was taken.
    fn rest(&self) -> Vec<Loop> {
        let tiles = self.loops.iter().zip(&self.taken).map(|(level, taken)| level.tiled(1 << taken));
        tiles.filter(|level| level.count > 1).collect()
    }

    /// The position bits of each side: those that are contiguous there, and where they make no whole vector, those that
    /// the other side has together.
    fn vectors(&mut self, unit: i64, vector: usize, least: usize, most_new: usize) -> Option<[Vec<Bit>; 2]> {
        let mut destination = self.together(1, unit, vector, vector);
        let mut source = self.together(0, unit, vector, most_new);
        if destination.len().min(source.len()) < least {
            return None;
        }
        fill(&mut source, &destination, vector);
        fill(&mut destination, &source, vector);
        let bits = |list: &[(usize, u32)]| list.iter().map(|bit| self.bit(*bit)).collect::<Vec<_>>();
        (source.len() == vector && destination.len() == vector).then(|| [bits(&source), bits(&destination)])
    }
}

/// A network of units of the given size over bits of loops, and the loops around it. It has bits that flip each other among
/// them, if that makes one.
pub(super) fn networked(nest: &Nest, unit: i64, machine: Machine) -> Option<(Network, Vec<Loop>)> {
    let flips = nest.loops.iter().any(Loop::flips);
    let flipped = if flips { of_bits(nest, unit, machine, true) } else { None };
    flipped.or_else(|| of_bits(nest, unit, machine, false))
}

/// The same with bits that flip each other or without.
fn of_bits(nest: &Nest, unit: i64, machine: Machine, flips: bool) -> Option<(Network, Vec<Loop>)> {
    let line = LINE.trailing_zeros() + BYTE;
    let vector = usize::try_from(line.checked_sub(unit.trailing_zeros())?).ok()?;
    let fewest = vector.min(MAX_ROUNDS);
    let most = if machine.isa == Isa::Avx512 { vector } else { fewest };
    (fewest..=most).rev().find_map(|rounds| of_rounds(nest, unit, machine, flips, (vector, rounds)))
}

/// The same with a limit on rounds, and a number of position bits.
fn of_rounds(
    nest: &Nest,
    unit: i64,
    machine: Machine,
    flips: bool,
    (vector, rounds): (usize, usize),
) -> Option<(Network, Vec<Loop>)> {
    let below = usize::try_from(BYTE.saturating_sub(unit.trailing_zeros())).ok()?;
    let mut chosen = Chosen::of(&nest.loops, flips);
    let least = below + MIN_PIECE_BITS.min(vector - below);
    let [source, destination] = chosen.vectors((unit / 8).max(1), vector, least, rounds)?;
    let mut further = chosen.flipping();
    // A flip of the whole side would have to be applied to each vector.
    let first =
        |side: usize| chosen.bits().fold(0, |mask, level| mask | level.steps[side].xor) & nest.origins[side].flip;
    let exchanged = source.iter().filter(|bit| !destination.contains(bit)).count();
    if exchanged + further.len() > MAX_NUMBER_BITS || [0, 1].map(first) != [0; 2] {
        return None;
    }
    // Scalar code flips positions slowly: bytes that only move inside lines are better copied.
    if machine.isa == Isa::Scalar && below == 0 && exchanged == 0 && !further.is_empty() {
        return None;
    }
    // A vector alone is as much work to find as several.
    if exchanged == 0 && further.is_empty() {
        further = chosen.neighbours(NEIGHBOUR_BITS);
    }
    let network = Network::new(machine, unit.trailing_zeros(), [&source, &destination], &further, least)?;
    Some((network, chosen.rest()))
}

/// A network of units below a byte, the loops around it and where it begins, where all of these step by whole bytes: their
/// distances are in bytes.
pub(super) fn parted(nest: &Nest, unit: i64, machine: Machine) -> Option<(Network, Vec<Loop>, [Origin; 2])> {
    // Single bits are moved one by one: no exchange inside a byte goes down to them.
    let (network, loops) = if unit > 1 { networked(nest, unit, machine)? } else { return None };
    let (mut rest, per_byte) = (Nest { origins: nest.origins, loops }, 8 / unit);
    let all = [0, 1].map(|side| distances(&rest.loops, &rest.origins, side));
    if (all[0] | all[1]) % per_byte != 0 {
        return None;
    }
    rest.scale(per_byte);
    Some((network, rest.loops, rest.origins))
}

impl Loop {
    /// What a step does on a side, where that is to add or to flip alone.
    fn alone(&self, side: usize) -> Option<i64> {
        match self.steps[side] {
            _ if !self.offsets.is_empty() => None,
            Step { stride, xor: 0 } => Some(stride),
            Step { stride: 0, xor } => Some(xor),
            _ => None,
        }
    }

    /// Whether tiles of `2^power` steps cover the loop without doing more than a quarter of it twice.
    fn holds(&self, power: u32) -> bool {
        let tile = 1i64 << power;
        let over = self.count.rem_euclid(tile);
        self.count >= tile && (over == 0 || (tile - over).saturating_mul(4) <= self.count)
    }
}

fn fill(bits: &mut Vec<(usize, u32)>, from: &[(usize, u32)], vector: usize) {
    for bit in from {
        if bits.len() < vector && !bits.contains(bit) {
            bits.push(*bit);
        }
    }
}
