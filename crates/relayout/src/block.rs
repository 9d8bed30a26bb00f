//! [`Block`]: which part of a nest a kernel moves at once, and the loops that are left around it.
//!
//! A run that both sides hold together widens the unit: two bytes of bf16 that stay neighbours are one unit of four. A run of
//! a line or more is copied. Else the bits that make a line of the destination and those that make a line of the source
//! are the block of a network. A loop gives as many bits as its count holds; what is left of a count is covered by a last
//! tile that overlaps the one before. What has no bits is a table. Law: block and loops around it visit what the nest visits.

use crate::cast::distance;
use crate::kernel::{Bit, Copy, Isa, MOST_ROUNDS, Network, Table};
use crate::nest::{Loop, Nest, Origin};

/// A run of so many bytes is copied; shorter ones are gathered into lines.
const LINE: i64 = 64;

/// Longer runs are copied in parts of so many bytes, so that threads share them.
const COPY: i64 = 1 << 16;

/// How many units a table has.
const TABLE: i64 = 256;

/// What is done with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    Copy(Copy),
    Network(Network),
    Table(Table),
}

/// A kernel and the loops around it, the outermost first; distances in bytes, or in units below a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kernel: Kernel,
    pub(crate) origins: [Origin; 2],
    pub(crate) loops: Vec<Loop>,
    /// The bits of one of the distances: 8, or those of a unit below a byte.
    pub(crate) bits: i64,
}

impl Block {
    /// The block of a nest of elements of so many bits.
    pub(crate) fn of(nest: &Nest, element: i64, isa: Isa) -> Block {
        let unit = widest_unit(nest, element);
        let mut nest = nest.clone();
        if let Some(run) = nest.loops.iter_mut().find(|own| own.is_strided() && own.strides() == [element; 2]) {
            *run = Loop::strided(run.count * element / unit, [unit; 2]);
        }
        nest.loops.retain(|own| own.count > 1);
        let bits = unit.min(8);
        nest.scale(bits);
        let unit_bytes = unit / bits;
        if unit >= 8 {
            if let Some(block) = copied(&nest, unit_bytes).or_else(|| networked(&nest, unit_bytes, isa)) {
                return block;
            }
        }
        tabled(&nest, unit)
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
            for place in own.places.iter_mut().flatten() {
                *place /= bits;
            }
        }
    }

    fn block(&self, kernel: Kernel, loops: Vec<Loop>, bits: i64) -> Block {
        Block { kernel, origins: self.origins, loops, bits }
    }
}

fn copied(nest: &Nest, unit: i64) -> Option<Block> {
    let run = nest.loops.iter().position(|own| own.is_strided() && own.strides() == [unit; 2]);
    let bytes = run.and_then(|at| nest.loops.get(at)).map_or(unit, |run| run.count * unit);
    if bytes < LINE && !nest.loops.iter().all(|own| own.strides() == [unit; 2]) {
        return None;
    }
    let mut loops = nest.loops.clone();
    run.map(|at| loops.remove(at));
    let part = bytes.min(COPY);
    loops.push(Loop::strided(bytes, [1, 1]).tiled(part));
    loops.retain(|own| own.count > 1);
    outward(&mut loops);
    Some(nest.block(Kernel::Copy(Copy { bytes: usize::try_from(part).unwrap_or(0) }), loops, 8))
}

/// The bits of loops that are chosen for a block: how many of each.
struct Chosen<'a> {
    loops: &'a [Loop],
    taken: Vec<u32>,
}

impl Chosen<'_> {
    /// Bits that lie together on a side, from so many bytes on, at most so many; all known ones are given again.
    fn together(&mut self, side: usize, unit: i64, most: usize, most_new: usize) -> Vec<(usize, u32)> {
        let (mut bits, mut reach, mut new) = (Vec::new(), unit, 0);
        let stride = |own: &Loop| own.strides().get(side).copied().unwrap_or(0);
        while bits.len() < most {
            let next = self.loops.iter().position(|own| own.is_strided() && stride(own) == reach);
            let Some((at, own)) = next.and_then(|at| Some((at, self.loops.get(at)?))) else { break };
            let Some(taken) = self.taken.get_mut(at) else { break };
            let mut power = 0;
            while bits.len() < most && own.count >> (power + 1) > 0 {
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
        let mut rest = Vec::new();
        for (own, taken) in self.loops.iter().zip(&self.taken) {
            rest.push(own.tiled(1 << taken));
        }
        rest.retain(|own| own.count > 1);
        rest
    }
}

impl Loop {
    /// The loop over tiles of so many steps, the last of which may overlap the one before.
    fn tiled(&self, steps: i64) -> Loop {
        if steps == 1 {
            return self.clone();
        }
        let tiles = self.count / steps + i64::from(self.count % steps != 0);
        let back = self.strides().map(|stride| stride * (tiles * steps - self.count));
        Loop { back, ..Loop::strided(tiles, self.strides().map(|stride| stride * steps)) }
    }
}

fn networked(nest: &Nest, unit: i64, isa: Isa) -> Option<Block> {
    const LEAST_PIECE: usize = 2;
    let element = unit.trailing_zeros();
    let word = usize::try_from(isa.word_bits().checked_sub(element)?).ok()?;
    let mut chosen = Chosen { loops: &nest.loops, taken: vec![0; nest.loops.len()] };
    let mut destination = chosen.together(1, unit, word, word);
    let mut source = chosen.together(0, unit, word, MOST_ROUNDS);
    let short = |bits: &[(usize, u32)]| bits.len() + usize::try_from(element).unwrap_or(0) < LEAST_PIECE;
    if short(&destination) || short(&source) {
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
    let mut loops = chosen.rest();
    outward(&mut loops);
    Some(nest.block(Kernel::Network(network), loops, 8))
}

fn fill(bits: &mut Vec<(usize, u32)>, from: &[(usize, u32)], word: usize) {
    for bit in from {
        if bits.len() < word && !bits.contains(bit) {
            bits.push(*bit);
        }
    }
}

fn tabled(nest: &Nest, unit: i64) -> Block {
    let mut loops: Vec<Loop> = nest.loops.clone();
    // The fastest loops of the destination first, those that flip bits of each other together.
    loops.sort_by_key(|own| (own.steps.iter().all(|step| step.xor == 0), own.strides()[1].abs()));
    let (mut inner, mut outer): (Vec<Loop>, Vec<Loop>) = (Vec::new(), Vec::new());
    let mut units = 1;
    let patterns = loops.iter().filter(|own| own.steps.iter().any(|step| step.xor != 0)).count();
    for (at, own) in loops.into_iter().enumerate() {
        let tile = own.count.min(TABLE / units);
        let flips = own.steps.iter().any(|step| step.xor != 0);
        if flips && patterns <= 8 && at < patterns {
            units *= own.count;
            inner.push(own);
        } else if !flips && own.places.is_empty() && tile > 1 {
            units *= tile;
            inner.push(Loop { count: tile, ..own.clone() });
            outer.push(own.tiled(tile));
        } else {
            outer.push(own);
        }
    }
    outer.retain(|own| own.count > 1);
    let mut origins = nest.origins;
    let mut places = vec![[(0, 0); 2]];
    for own in &inner {
        places = (0..own.count)
            .flat_map(|x| {
                places.iter().map(move |place| {
                    [0, 1].map(|side| {
                        let (step, (sum, flip)) = (own.at(x, side), place[side]);
                        (sum + step.stride, flip ^ step.xor)
                    })
                })
            })
            .collect();
    }
    // Patterns that no loop outside shares are settled in the table.
    let settled = outer.iter().all(|own| own.steps.iter().all(|step| step.xor == 0));
    let flips = origins.map(|origin| if settled { origin.flip } else { 0 });
    if settled {
        for origin in &mut origins {
            origin.flip = 0;
        }
    }
    let mut places: Vec<[isize; 2]> =
        places.iter().map(|place| [0, 1].map(|side| distance(place[side].0 + (place[side].1 ^ flips[side])))).collect();
    places.sort_unstable_by_key(|place| place[1]);
    outward(&mut outer);
    let table = Table { unit: u32::try_from(unit).unwrap_or(8), places };
    nest.block(Kernel::Table(table), outer, unit.min(8))
}

/// Sorts loops for the walk: the longest steps outside.
fn outward(loops: &mut [Loop]) {
    let key = |own: &Loop| own.strides()[1].abs().max(own.strides()[0].abs());
    loops.sort_by_key(|own| std::cmp::Reverse(key(own)));
}
