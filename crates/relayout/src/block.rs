//! [`Block`]: which part of a nest a kernel moves at once, and the loops that are left around it.
//!
//! A run that both sides hold together widens the unit: two bytes of bf16 that stay neighbours are one unit of four. A run of
//! a line or more is copied. Else the bits that make a line of the destination and those that make a line of the source
//! are the block of a network, if loops have them; what is left of a count is covered by a last tile that overlaps the one
//! before. Where loops of odd counts make longer lines than bits do, or lines of the destination lie anyhow, the block is
//! between strips. Where a dim is no power of two, words are shuffled together from a few words of the source. What remains is
//! moved in rows of units. The loops next to the kernel are told as a list of places, in the order that suits the caches
//! (`order.rs`). Law: block and loops visit what the nest visits.

use crate::cast::{distance, length, number};
use crate::kernel::{BYTE, Bit, Copy, Isa, LINE, Lines, Network, Parts, Place, Shuffle, Strip, Strips};
use crate::nest::{Loop, Nest, Origin, Step, distances};
use crate::order::{FAR, Ordered, STREAM, outermost};

/// Longer runs are copied in parts of so many bytes, so that threads share them.
const COPY: i64 = 1 << 15;

/// How many tiles of the strips of the source and of the destination a list follows: enough that memory brings neighbouring
/// lines of the source, and that the ends of the destination's rows do not count, but no more rows than are carried in the
/// caches of a processor.
const WINDOW: i64 = 64;

/// The bytes of a run that is staged: they stay in the first cache beside what is read.
const STAGE: i64 = 1 << 14;

/// Shorter runs of the destination are not worth being carried to lines.
pub(crate) const LEAST_RUN: i64 = 512;

/// The most rounds of a network: those that make lines of bytes whole on both sides.
const MOST_ROUNDS: usize = 6;

/// The most bits in the number of a word: all blocks at one place are 16 KiB a side then, which the first cache holds.
const MOST_NUMBER: usize = 8;

/// The bits in the number of a word where words are only put in order.
const MOST_ALONE: usize = 2;

/// The least bits of a piece: shorter ones cost more to bring together than their units to move.
const LEAST_PIECE: usize = 2;

/// What is done with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    Copy(Copy),
    Network(Network),
    Strips(Strips),
    Shuffle(Shuffle),
    Parts(Parts),
}

/// A kernel, the places where it is used one after the other, and the loops around them, the outermost first; distances in
/// bytes, or in units below a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kernel: Kernel,
    pub(crate) places: Vec<Place>,
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
                .or_else(|| exchanged(&nest, bytes, isa, whole))
                .or_else(|| shuffled(&nest, bytes, isa))
                .unwrap_or_else(|| rows(&nest, bytes)),
        };
        if let Kernel::Strips(strips) = &mut kernel {
            strips.network.far = whole >= FAR;
            return Block { places: strips.places(), kernel, loops: outermost(loops), origins: nest.origins };
        }
        let Ordered { places, loops, origins } = Ordered::of(loops, nest.origins, whole, &mut kernel);
        Block { kernel, places, loops, origins }
    }
}

/// The largest unit that all distances are multiples of: a power of two, up to 16 bytes.
pub(crate) fn widest_unit(nest: &Nest, element: i64) -> i64 {
    let run = nest.loops.iter().find(|own| own.is_strided() && own.strides() == [element; 2]);
    let Some(run) = run else { return element };
    let others = |side| distances(nest.loops.iter().filter(|own| *own != run), &nest.origins, side);
    let all = 128 | (run.count * element) | others(0) | others(1);
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
    // Shorter runs are gathered into lines.
    if bytes < number(LINE) && !alone {
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

/// Words of the destination from a few words of the source each, and the loops around them.
fn shuffled(nest: &Nest, unit: i64, isa: Isa) -> Option<(Kernel, Vec<Loop>)> {
    const MOST: i64 = 512;
    let (line, word) = (number(LINE), Shuffle::word(isa)?);
    let mut loops = nest.loops.clone();
    let (mut reach, mut from): (i64, Vec<i64>) = (unit, (0..unit).collect());
    while reach % line != 0 {
        let next = loops.iter().position(|own| own.is_strided() && own.strides()[1] == reach)?;
        let own = loops.remove(next);
        let steps = own.count.min(line >> reach.trailing_zeros());
        reach = reach.checked_mul(steps).filter(|reach| *reach <= MOST)?;
        let stride = own.strides()[0];
        from = (0..steps).flat_map(|x| from.iter().map(move |at| at + x * stride)).collect();
        loops.push(own.tiled(steps));
        loops.retain(|own| own.count > 1);
    }
    // A word of a line that is read for fewer than three units is no better than these, one by one.
    let units = word / length(unit);
    let most = if word == LINE { units / 3 } else { units.saturating_sub(1) };
    let shuffle = Shuffle::of(isa, &from, most)?;
    Some((Kernel::Shuffle(shuffle), loops))
}

/// Rows of short runs, along the loop whose steps are the shortest in the destination, and the loops around them.
fn rows(nest: &Nest, unit: i64) -> (Kernel, Vec<Loop>) {
    const MOST: i64 = 1024;
    let mut loops = nest.loops.clone();
    let run = loops.iter().position(|own| own.is_strided() && own.strides() == [unit; 2]);
    let bytes = run.map_or(unit, |at| loops.remove(at).count * unit);
    let mut copy = Copy::of(bytes);
    let nearest = (0..loops.len()).min_by_key(|at| loops[*at].strides()[1].abs());
    if let Some(at) = nearest.filter(|at| loops[*at].is_strided()) {
        let own = loops.remove(at);
        let count = window(own.count, 0, MOST);
        (copy.row, copy.strides) = (length(count), own.strides().map(distance));
        loops.push(own.tiled(count));
        loops.retain(|own| own.count > 1);
    }
    (Kernel::Copy(copy), loops)
}

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

    /// Bits that lie together on a side, from so many bytes on, at most so many; among them at most so many new ones.
    fn together(&mut self, side: usize, unit: i64, most: usize, most_new: usize) -> Vec<(usize, u32)> {
        let (mut bits, mut reach, mut new) = (Vec::new(), unit, 0);
        while bits.len() < most {
            let goes_on = |own: &Loop| own.alone(side) == Some(reach) && (self.flips || own.is_strided());
            let next = self.loops.iter().position(goes_on);
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
        let steps = self.loops.get(at).map_or([Step::default(); 2], |own| own.steps);
        Bit { strides: steps.map(|step| distance(step.stride << power)), flips: steps.map(|step| distance(step.xor)) }
    }

    /// Takes the loops that flip bits with those that are taken, so that no others do.
    fn flipping(&mut self) -> Vec<Bit> {
        let mut bits = Vec::new();
        loop {
            let masks = self.bits().fold([0; 2], |masks, own| [0, 1].map(|side| masks[side] | own.steps[side].xor));
            let shares = |own: &Loop| own.steps.iter().zip(masks).any(|(step, mask)| step.xor & mask != 0);
            let Some(at) = (0..self.loops.len()).find(|at| self.taken[*at] == 0 && shares(&self.loops[*at])) else {
                return bits;
            };
            self.taken[at] = 1;
            bits.push(self.bit((at, 0)));
        }
    }

    /// Takes the bits of neighbours in the destination, so many, where loops have as many.
    fn neighbours(&mut self, most: usize) -> Vec<Bit> {
        let mut bits = Vec::new();
        while bits.len() < most {
            let apart = |at: &usize| self.loops[*at].strides()[1].unsigned_abs() << self.taken[*at];
            let goes_on =
                |at: &usize| self.loops[*at].is_strided() && self.loops[*at].count % (2 << self.taken[*at]) == 0;
            let Some(at) = (0..self.loops.len()).filter(goes_on).min_by_key(apart) else { break };
            bits.push(self.bit((at, self.taken[at])));
            self.taken[at] += 1;
        }
        bits
    }

    /// The loops that bits are taken of.
    fn bits(&self) -> impl Iterator<Item = &Loop> {
        self.loops.iter().zip(&self.taken).filter(|(_, taken)| **taken > 0).map(|(own, _)| own)
    }

    /// The loops that are left: tiles of what was taken.
    fn rest(&self) -> Vec<Loop> {
        let tiles = self.loops.iter().zip(&self.taken).map(|(own, taken)| own.tiled(1 << taken));
        tiles.filter(|own| own.count > 1).collect()
    }

    /// The bits inside the words of each side: those that lie together there, and where they make no whole word, what
    /// the other side has together.
    fn words(&mut self, unit: i64, word: usize, least: usize, most_new: usize) -> Option<[Vec<Bit>; 2]> {
        let mut destination = self.together(1, unit, word, word);
        let mut source = self.together(0, unit, word, most_new);
        if destination.len().min(source.len()) < least {
            return None;
        }
        fill(&mut source, &destination, word);
        fill(&mut destination, &source, word);
        let bits = |list: &[(usize, u32)]| list.iter().map(|bit| self.bit(*bit)).collect::<Vec<_>>();
        (source.len() == word && destination.len() == word).then(|| [bits(&source), bits(&destination)])
    }
}

/// A network, and the loops around it: over bits that loops of both sides have, or between strips where these make longer
/// lines, cover no more than there is, or can be carried to the lines of memory.
fn exchanged(nest: &Nest, unit: i64, isa: Isa, bytes: i64) -> Option<(Kernel, Vec<Loop>)> {
    let bits = networked(nest, unit * 8, isa);
    if let Some((network, loops)) = &bits
        && network.pieces() == [LINE; 2]
        && (bytes < STREAM || network.is_aligned() && distances(loops, &nest.origins, 1) % number(LINE) == 0)
        && loops.iter().all(|own| own.back == [0; 2])
    {
        return bits.map(|(network, loops)| (Kernel::Network(network), loops));
    }
    let strips = stripped(nest, unit, isa, bytes);
    let least = |network: &Network| network.pieces().into_iter().min();
    match (bits, strips) {
        (Some((network, loops)), Some((strips, _))) if least(&network) > least(&strips.network) => {
            Some((Kernel::Network(network), loops))
        }
        (_, Some((strips, loops))) => Some((Kernel::Strips(strips), loops)),
        (bits, None) => bits.map(|(network, loops)| (Kernel::Network(network), loops)),
    }
}

/// A network of units of so many bits, told by bits that loops have, and the loops around it: bits that flip each other among
/// them, if that makes one.
fn networked(nest: &Nest, unit: i64, isa: Isa) -> Option<(Network, Vec<Loop>)> {
    let flips = nest.loops.iter().any(Loop::flips);
    let flipped = if flips { of_bits(nest, unit, isa, true) } else { None };
    flipped.or_else(|| of_bits(nest, unit, isa, false))
}

/// The same with bits that flip each other or without.
fn of_bits(nest: &Nest, unit: i64, isa: Isa, flips: bool) -> Option<(Network, Vec<Loop>)> {
    let line = LINE.trailing_zeros() + BYTE;
    let word = usize::try_from(line.checked_sub(unit.trailing_zeros())?).ok()?;
    let below = usize::try_from(BYTE.saturating_sub(unit.trailing_zeros())).ok()?;
    let mut chosen = Chosen::of(&nest.loops, flips);
    let least = below + LEAST_PIECE.min(word - below);
    let [source, destination] = chosen.words((unit / 8).max(1), word, least, MOST_ROUNDS)?;
    let mut further = chosen.flipping();
    // A pattern that all of a side begin with would have to be told to each word.
    let first = |side: usize| chosen.bits().fold(0, |mask, own| mask | own.steps[side].xor) & nest.origins[side].flip;
    let exchanged = source.iter().filter(|bit| !destination.contains(bit)).count();
    if exchanged + further.len() > MOST_NUMBER || [0, 1].map(first) != [0; 2] {
        return None;
    }
    // Plain words take long to flip places: bytes that only change places in lines are better copied.
    if isa == Isa::Scalar && below == 0 && exchanged == 0 && !further.is_empty() {
        return None;
    }
    // A word alone is as much work to find as several.
    if exchanged == 0 && further.is_empty() {
        further = chosen.neighbours(MOST_ALONE);
    }
    let network = Network::new(isa, unit.trailing_zeros(), [&source, &destination], &further, least)?;
    Some((network, chosen.rest()))
}

/// A network between strips of both sides, and the loops around it.
fn stripped(nest: &Nest, unit: i64, isa: Isa, bytes: i64) -> Option<(Strips, Vec<Loop>)> {
    let element = unit.trailing_zeros();
    let word = LINE.trailing_zeros().checked_sub(element).filter(|word| *word > 0)?;
    let mut side_of = vec![None; nest.loops.len()];
    let mut counts = [1i64; 2];
    let mut ends = [false; 2];
    let mut strips = [0, 1].map(|_| Strip { unit, digits: Vec::new(), tile: 0, window: 0 });
    // The shorter strip goes on first, so that both become long.
    while let Some(side) = [1, 0].into_iter().filter(|side| !ends[*side]).min_by_key(|side| counts[*side]) {
        let goes_on = |own: &Loop| own.is_strided() && own.strides()[side] == unit * counts[side];
        let next = nest.loops.iter().position(goes_on).filter(|at| side_of[*at].is_none());
        let Some((at, own)) = next.and_then(|at| Some((at, nest.loops.get(at)?))) else {
            ends[side] = true;
            continue;
        };
        side_of[at] = Some(side);
        strips[side].digits.push([own.count, own.strides()[1 - side]]);
        counts[side] *= own.count;
    }
    let mut loops: Vec<Loop> =
        nest.loops.iter().zip(&side_of).filter(|(_, side)| side.is_none()).map(|(own, _)| own.clone()).collect();
    let mut inside = [Vec::new(), Vec::new()];
    let (past, row) = (isa == Isa::Avx512 && bytes >= STREAM, counts[1].saturating_mul(unit));
    let staged = past && row < LEAST_RUN && counts[0] == reached(&strips[0], row);
    for (side, strip) in strips.iter_mut().enumerate() {
        strip.tile = tile(counts[side], word);
        let tiles = if staged && side == 0 { ((STAGE / row) >> strip.tile).clamp(1, WINDOW) } else { WINDOW };
        let window = window(counts[side], strip.tile, tiles << strip.tile);
        strip.window = length(window);
        let strides = |power: u32| [0, 1].map(|other| if other == side { unit << power } else { 0 });
        loops.push(Loop { strip: Some(side), ..Loop::strided(counts[side], strides(0)) }.tiled(window));
        inside[side] = (0..strip.tile).map(|power| Bit::strided(strides(power).map(distance))).collect();
    }
    // Shorter pieces cost more to bring together than their units to move.
    let least = inside.iter().map(Vec::len).min().unwrap_or(0);
    if least < LEAST_PIECE || number(inside.concat().len()) < i64::from(word) {
        return None;
    }
    let [own, other] = inside.clone();
    let room = |list: &[Bit]| usize::try_from(word).unwrap_or(0).saturating_sub(list.len());
    inside[0].extend(other.iter().take(room(&own)));
    inside[1].extend(own.iter().take(room(&other)));
    let network = Network::of_strips(isa, element + BYTE, [&inside[0], &inside[1]])?;
    loops.retain(|own| own.count > 1);
    let run = number(strips[1].window) * unit;
    let lines = match network.pieces()[1] {
        LINE if past && run >= LEAST_RUN => Lines::Carried,
        // A stage is one run: a window has whole rows.
        _ if staged && run == row => Lines::Staged,
        _ => Lines::Through,
    };
    Some((Strips { network, sides: strips, lines }, loops))
}

/// How many rows of so many bytes, one for each unit of the source's strip, lie one after the other in the destination.
fn reached(source: &Strip, row: i64) -> i64 {
    let together = source.digits.iter().try_fold(1, |reached: i64, [count, stride]| {
        if *stride == reached.saturating_mul(row) { Ok(reached * count) } else { Err(reached) }
    });
    together.unwrap_or_else(|reached| reached)
}

/// The tile of a strip, as a power of two: the one with the least work, where each tile costs as much as some units.
fn tile(count: i64, most: u32) -> u32 {
    const TILE: i64 = 8;
    let cost = |power: &u32| (count + (1 << power) - 1) / (1 << power) * ((1 << power) + TILE);
    (0..=most).rev().filter(|power| count >> power > 0).min_by_key(cost).unwrap_or(0)
}

/// The window of a strip: all of it, or as many tiles as make windows of about the same size.
fn window(count: i64, tile: u32, most: i64) -> i64 {
    let windows = (count + most - 1) / most;
    let even = (count + windows - 1) / windows;
    if windows == 1 { count } else { (even + (1 << tile) - 1) >> tile << tile }
}

/// A network of units below a byte, and the loops around it, where all of these step by whole bytes: the distances of the nest
/// are then in bytes.
fn parted(nest: &mut Nest, unit: i64, isa: Isa) -> Option<(Kernel, Vec<Loop>)> {
    let (network, loops) = networked(nest, unit, isa)?;
    let (mut rest, per_byte) = (Nest { origins: nest.origins, loops }, 8 / unit);
    let all = [0, 1].map(|side| distances(&rest.loops, &rest.origins, side));
    if (all[0] | all[1]) % per_byte != 0 {
        return None;
    }
    rest.scale(per_byte);
    nest.origins = rest.origins;
    Some((Kernel::Network(network), rest.loops))
}

impl Loop {
    /// What a step does on a side, where that is to add or to flip alone.
    fn alone(&self, side: usize) -> Option<i64> {
        match self.steps[side] {
            _ if !self.places.is_empty() => None,
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

fn fill(bits: &mut Vec<(usize, u32)>, from: &[(usize, u32)], word: usize) {
    for bit in from {
        if bits.len() < word && !bits.contains(bit) {
            bits.push(*bit);
        }
    }
}
