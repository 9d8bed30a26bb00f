//! [`Block`]: which part of a nest a kernel moves at once, and the loops that are left around it.
//!
//! A run that both sides hold together widens the unit: two bytes of bf16 that stay neighbours are one unit of four. A run of
//! a line or more is copied. Else the bits that make a line of the destination and those that make a line of the source
//! are the block of a network. A loop gives as many bits as its count holds; what is left of a count is covered by a last
//! tile that overlaps the one before. What has no bits is copied unit by unit. The loops next to the kernel are told as a list
//! of places, in the order that suits the caches (`order.rs`). Law: block and loops visit what the nest visits.

use crate::cast::distance;
use crate::kernel::{Bit, Copy, Isa, Network, Parts};
use crate::nest::{Loop, Nest, Origin};
use crate::order::Ordered;

/// A run of so many bytes is copied; shorter ones are gathered into lines.
const LINE: i64 = 64;

/// Longer runs are copied in parts of so many bytes, so that threads share them.
const COPY: i64 = 1 << 15;

/// What is done with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    Copy(Copy),
    Network(Box<Network>),
    Parts(Parts),
}

/// A kernel, the places where it is used one after the other, and the loops around them, the outermost first; distances in
/// bytes, or in units below a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kernel: Kernel,
    pub(crate) places: Vec<[isize; 2]>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) origins: [Origin; 2],
}

impl Block {
    /// The block of a nest of elements of so many bits.
    pub(crate) fn of(nest: &Nest, element: i64, isa: Isa) -> Block {
        let whole = nest.size().saturating_mul(element) / 8;
        let unit = widest_unit(nest, element);
        let mut nest = nest.clone();
        if let Some(run) = nest.loops.iter_mut().find(|own| own.is_strided() && own.strides() == [element; 2]) {
            *run = Loop::strided(run.count * element / unit, [unit; 2]);
        }
        nest.loops.retain(|own| own.count > 1);
        let bits = unit.min(8);
        nest.scale(bits);
        let bytes = unit / 8;
        let (mut kernel, loops) = match bytes {
            0 => parted(&mut nest, unit, isa).unwrap_or_else(|| {
                (Kernel::Parts(Parts { bits: u32::try_from(unit).unwrap_or(4) }), nest.loops.clone())
            }),
            _ => copied(&nest, bytes)
                .or_else(|| networked(&nest, bytes, isa))
                .unwrap_or_else(|| (Kernel::Copy(Copy::of(bytes)), nest.loops.clone())),
        };
        let Ordered { places, loops, origins } = Ordered::of(loops, nest.origins, whole, &mut kernel);
        Block { kernel, places, loops, origins }
    }
}

/// The largest unit that all distances are multiples of: a power of two, up to 16 bytes.
fn widest_unit(nest: &Nest, element: i64) -> i64 {
    let run = nest.loops.iter().find(|own| own.is_strided() && own.strides() == [element; 2]);
    let Some(run) = run else { return element };
    let others = nest.loops.iter().filter(|own| *own != run).flat_map(|own| {
        let steps = own.steps.iter().flat_map(|step| [step.stride, step.xor]);
        steps.chain(own.places.iter().flatten().copied()).collect::<Vec<_>>()
    });
    let origins = nest.origins.iter().flat_map(|origin| [origin.offset, origin.flip]);
    let all = others.chain(origins).chain([run.count * element]).fold(128, |all, distance| all | distance);
    1 << all.trailing_zeros()
}

impl Nest {
    /// Distances in bytes, or in units below a byte, instead of bits.
    fn scale(&mut self, bits: i64) {
        for origin in &mut self.origins {
            (origin.offset, origin.flip) = (origin.offset / bits, origin.flip / bits);
        }
        for own in &mut self.loops {
            for step in &mut own.steps {
                (step.stride, step.xor) = (step.stride / bits, step.xor / bits);
            }
            for place in own.places.iter_mut().flatten().chain(&mut own.back) {
                *place /= bits;
            }
        }
    }
}

/// A copy of whole runs, and the loops around it.
fn copied(nest: &Nest, unit: i64) -> Option<(Kernel, Vec<Loop>)> {
    let run = nest.loops.iter().position(|own| own.is_strided() && own.strides() == [unit; 2]);
    let bytes = run.and_then(|at| nest.loops.get(at)).map_or(unit, |run| run.count * unit);
    let alone = nest.loops.len() == usize::from(run.is_some());
    if bytes < LINE && !alone {
        return None;
    }
    let mut loops = nest.loops.clone();
    if let Some(at) = run {
        loops.remove(at);
    }
    let part = bytes.min(COPY);
    loops.push(Loop::strided(bytes, [1, 1]).tiled(part));
    loops.retain(|own| own.count > 1);
    Some((Kernel::Copy(Copy::of(part)), loops))
}

/// The bits of loops that are chosen for a block: how many of each.
struct Chosen<'a> {
    loops: &'a [Loop],
    taken: Vec<u32>,
}

impl Chosen<'_> {
    /// Bits that lie together on a side, from so many bytes on, at most so many; among them at most so many new ones.
    fn together(&mut self, side: usize, unit: i64, most: usize, most_new: usize) -> Vec<(usize, u32)> {
        let (mut bits, mut reach, mut new) = (Vec::new(), unit, 0);
        let stride = |own: &Loop| own.strides().get(side).copied().unwrap_or(0);
        while bits.len() < most {
            let next = self.loops.iter().position(|own| own.is_strided() && stride(own) == reach);
            let Some((at, own)) = next.and_then(|at| Some((at, self.loops.get(at)?))) else { break };
            let Some(taken) = self.taken.get_mut(at) else { break };
            let mut power = 0;
            while bits.len() < most && own.holds(power + 1) {
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
            if own.count != 1 << power {
                break;
            }
            reach <<= power;
        }
        bits
    }

    fn bit(&self, (at, power): (usize, u32)) -> Bit {
        let strides = self.loops.get(at).map_or([0; 2], Loop::strides);
        Bit { strides: strides.map(|stride| distance(stride << power)) }
    }

    /// The loops that are left: tiles of what was taken.
    fn rest(&self) -> Vec<Loop> {
        let tiles = self.loops.iter().zip(&self.taken).map(|(own, taken)| own.tiled(1 << taken));
        tiles.filter(|own| own.count > 1).collect()
    }
}

/// A network of lines of both sides, and the loops around it.
fn networked(nest: &Nest, unit: i64, isa: Isa) -> Option<(Kernel, Vec<Loop>)> {
    // Shorter pieces cost more to bring together than their units to move.
    const LEAST_PIECE: usize = 2;
    let element = unit.trailing_zeros();
    let word = usize::try_from(isa.word_bits().checked_sub(element)?).ok()?;
    let mut chosen = Chosen { loops: &nest.loops, taken: vec![0; nest.loops.len()] };
    let mut destination = chosen.together(1, unit, word, word);
    let mut source = chosen.together(0, unit, word, isa.most_rounds());
    if destination.len().min(source.len()) < LEAST_PIECE.min(word) {
        return None;
    }
    // A line that is no whole word takes what the other side has together.
    fill(&mut source, &destination, word);
    fill(&mut destination, &source, word);
    if source.len() < word || destination.len() < word {
        return None;
    }
    let bits = |list: &[(usize, u32)]| list.iter().map(|bit| chosen.bit(*bit)).collect::<Vec<_>>();
    let network = Network::new(isa, element, [&bits(&source), &bits(&destination)]);
    Some((Kernel::Network(Box::new(network)), chosen.rest()))
}

/// A network of lines of units below a byte, and the loops around it, where all of these step by whole bytes: the distances of
/// the nest are then in bytes.
fn parted(nest: &mut Nest, unit: i64, isa: Isa) -> Option<(Kernel, Vec<Loop>)> {
    const LEAST_PIECE: usize = 2;
    const MOST_NEW: usize = 5;
    if isa != Isa::Avx512 {
        return None;
    }
    let per_byte = 8 / unit;
    let parts = usize::try_from(per_byte.trailing_zeros()).ok()?;
    let word = 6 + parts;
    let mut chosen = Chosen { loops: &nest.loops, taken: vec![0; nest.loops.len()] };
    let mut destination = chosen.together(1, 1, word, word);
    let mut source = chosen.together(0, 1, word, MOST_NEW);
    if destination.len().min(source.len()) < parts + LEAST_PIECE {
        return None;
    }
    fill(&mut source, &destination, word);
    fill(&mut destination, &source, word);
    if source.len() < word || destination.len() < word {
        return None;
    }
    let bits = |list: &[(usize, u32)]| list.iter().map(|bit| chosen.bit(*bit)).collect::<Vec<_>>();
    let (source, destination) = (bits(&source), bits(&destination));
    let whole = |side: usize, own: &[Bit], other: &[Bit]| {
        let above = own.iter().skip(parts).chain(other.iter().filter(|bit| !own.contains(bit)));
        above.fold(0, |all, bit| all | bit.strides[side]).trailing_zeros() >= per_byte.trailing_zeros()
    };
    let mut rest = Nest { origins: nest.origins, loops: chosen.rest() };
    let steps = rest.loops.iter().flat_map(|own| {
        let steps = own.steps.iter().flat_map(|step| [step.stride, step.xor]);
        steps.chain(own.back).chain(own.places.iter().flatten().copied()).collect::<Vec<_>>()
    });
    let all = steps.chain(rest.origins.iter().flat_map(|origin| [origin.offset, origin.flip]));
    let aligned = all.fold(0, |all, step| all | step).trailing_zeros() >= per_byte.trailing_zeros();
    if !aligned || !whole(0, &source, &destination) || !whole(1, &destination, &source) {
        return None;
    }
    let network = Network::of_parts(unit, parts, [&source, &destination]);
    rest.scale(per_byte);
    nest.origins = rest.origins;
    Some((Kernel::Network(Box::new(network)), rest.loops))
}

impl Loop {
    /// Whether tiles of `2^power` steps cover the loop without doing more than a quarter of it twice.
    fn holds(&self, power: u32) -> bool {
        let tile = 1i64 << power;
        let over = self.count.rem_euclid(tile);
        self.count >= tile && (over == 0 || (tile - over).saturating_mul(4) <= self.count)
    }
}

fn fill(bits: &mut Vec<(usize, u32)>, from: &[(usize, u32)], word: usize) {
    for bit in from {
        if bits.len() < word && !bits.contains(bit) {
            bits.push(*bit);
        }
    }
}
