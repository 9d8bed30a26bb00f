//! [`Joined`]: several plans between the same two buffers as one pass, with constants that are xored into what is written.
//!
//! The loops that all boxes share with equal steps are walked once. What is left is a tile, and a program moves it: copies of
//! up to 8 bytes, and bytes that are put together from bits of others. So blocks with scales, codes and bits of codes beside
//! one another are read and written once.
//!
//! ```text
//! Q4_0 in eights: loops over 512 rows of blocks and 128 blocks; a tile of 8 copies of 2 bytes and 16 of 8 bytes, xor 0x88
//! ```
//!
//! Law: afterwards each bit is what the plans, one after the other, and the constants make of it; tiles share no bit.
#![allow(unsafe_code)]

mod periods;
mod tile;

use std::collections::BTreeMap;
use std::ops::Range;

use bitstride::Error;
use rayon::prelude::*;

pub(crate) use self::periods::Periods;
use self::tile::{At, Bits, Copies, TILES, Term, Tile};
use crate::block::Kernel;
use crate::cast::{distance, length, number};
use crate::kernel::Isa;
use crate::machine::MIN_TASK_BYTES;
use crate::plan::Plan;
use crate::problem::{Address, Problem};
use crate::run::{Sides, fits};

/// The most units of a tile.
const MAX_TILE_UNITS: i64 = 1 << 13;

/// The units of a tile that is only as large as to be worth a loop.
const SHORT_TILE_UNITS: i64 = 256;

/// The most operations for 2 bytes that are written: a kernel of a plan does better where it takes more.
const MAX_OPERATIONS: usize = 1;

/// The same where a plan would move units below a byte one by one.
const MAX_OPERATIONS_OF_PARTS: usize = 4;

/// The longest run that a kernel of a plan does not copy better.
const MAX_RUN_BYTES: i64 = 128;

/// The most bytes that are copied at once.
const COPY_BYTES: i64 = 8;

/// The most parts that threads share.
const MAX_TASKS: i64 = 1 << 12;

/// The most runs of bytes that are compared one by one.
const MAX_RUNS: usize = 1 << 16;

/// Moves several parts of a tensor in one pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    /// Loops around the tile, the outermost first: a count, and the bytes of a step on each side.
    loops: Vec<(i64, [i64; 2])>,
    tile: Tile,
    /// The operations of a tile, and the bytes that it writes.
    operations: usize,
    tile_bytes: usize,
    /// The longest run that is copied, in bytes.
    longest: i64,
    /// Where the tile begins on each side, and the end of all tiles.
    first: [i64; 2],
    reach: [usize; 2],
    /// The bytes that all tiles write.
    written: usize,
}

/// Boxes with the mask that is xored into them.
type Masked = Vec<(Problem, u8)>;

impl Joined {
    /// One pass for plans, each with the byte that is xored into what it writes; none where the plans have nothing in common
    /// that pays, or xor addresses.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Joined, Plan};
    /// // Pairs of a byte and a halfword, to all bytes and then all halfwords of four pairs.
    /// let plan = |from: &str, to: &str, bits| {
    ///     let map = |text: &str| bitstride_lang::evaluate(text)?.value.as_map();
    ///     Plan::new(&map(from)?, &map(to)?, Element::of_bits(bits)?)
    /// };
    /// let bytes = plan("(4,64):(4,16)", "(4,64):(1,16)", 8)?;
    /// let halves = plan("(4,64):(2,8) + 1", "(4,64):(1,8) + 2", 16)?;
    /// let joined = Joined::new(&[(&bytes, 0), (&halves, 0x80)]);
    /// let source: Vec<u8> = (0..=255).cycle().take(1024).collect();
    /// let mut moved = vec![0; 1024];
    /// if let Some(joined) = joined {
    ///     joined.run(&source, &mut moved)?;
    ///     assert_eq!(moved[..8], [0, 4, 8, 12, 2 ^ 0x80, 3 ^ 0x80, 6 ^ 0x80, 7 ^ 0x80]);
    /// }
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(plans: &[(&Plan, u8)]) -> Option<Self> {
        let mut boxes: Masked = Vec::new();
        for (plan, mask) in plans {
            boxes.extend(plan.problems()?.into_iter().map(|problem| (problem, *mask)));
        }
        let strided = |problem: &Problem| {
            let is_step = |address: &Address| matches!(address, Address::Step { xor: 0, .. });
            problem.flip == [0; 2] && problem.axes.iter().all(|axis| axis.address.iter().all(is_step))
        };
        if boxes.is_empty() || !boxes.iter().all(|(problem, _)| strided(problem)) {
            return None;
        }
        let loops = shared(&mut boxes);
        let first = [0, 1].map(|side| boxes.iter().map(|(problem, _)| least(problem, side)).min().unwrap_or(0));
        let first = first.map(|bits| bits.div_euclid(8));
        let tile = tile(&boxes, first)?;
        let reach = [Plan::source_bytes, Plan::destination_bytes]
            .map(|bytes: fn(&Plan) -> usize| plans.iter().map(|(plan, _)| bytes(plan)).max().unwrap_or(0));
        let is_wide = plans.iter().all(|(plan, _)| plan.isa() == Isa::Avx512);
        let isa = if is_wide { Isa::Avx512 } else { Isa::Scalar };
        covered(&tile, &loops)?;
        let program = Self::program(tile, loops, first, reach, isa)?;
        if program.longest > MAX_RUN_BYTES {
            return None;
        }
        let is_parts = |plan: &Plan| plan.blocks.iter().any(|block| matches!(block.kernel, Kernel::Parts(_)));
        let parts = plans.iter().any(|(plan, _)| is_parts(plan));
        let is_several = plans.len() > 1 || plans.iter().any(|(_, mask)| *mask != 0);
        let most = if parts { MAX_OPERATIONS_OF_PARTS } else { MAX_OPERATIONS };
        ((parts || is_several) && program.operations * 2 <= most * program.tile_bytes).then_some(program)
    }

    /// The copies and bytes of tiles that share no byte.
    fn program(
        tile: BTreeMap<i64, Byte>,
        mut loops: Vec<(i64, [i64; 2])>,
        first: [i64; 2],
        reach: [usize; 2],
        isa: Isa,
    ) -> Option<Self> {
        // The nearest tiles of the destination follow one another.
        loops.sort_by_key(|(_, strides)| std::cmp::Reverse(strides[1].abs()));
        let mut copies = Copies::new();
        let mut bits: Vec<Bits> = Vec::new();
        let mut run: Option<(i64, i64, i64, u8)> = None;
        let mut longest = 0;
        let place = |at: i64| u32::try_from(at).ok();
        for (to, byte) in &tile {
            let whole = match byte.terms.as_slice() {
                [Term { from, rotate: 0, mask: 0xff }] => Some(i64::from(*from)),
                _ => None,
            };
            match (whole, &mut run) {
                (Some(from), Some((source, target, count, flip)))
                    if *source + *count == from && *target + *count == *to && *flip == byte.flip =>
                {
                    *count += 1;
                    longest = longest.max(*count);
                }
                (Some(from), run) => {
                    run.take().map_or(Some(()), |run| cut(run, &mut copies))?;
                    *run = Some((from, *to, 1, byte.flip));
                }
                (None, run) => {
                    run.take().map_or(Some(()), |run| cut(run, &mut copies))?;
                    let written = byte.terms.iter().fold(0, |all, term| all | term.mask);
                    bits.push(Bits { to: place(*to)?, written, flip: byte.flip & written, terms: byte.terms.clone() });
                }
            }
        }
        run.map_or(Some(()), |run| cut(run, &mut copies))?;
        let operations =
            copies.values().map(Vec::len).sum::<usize>() + bits.iter().map(|own| own.terms.len()).sum::<usize>();
        let tiles = loops.iter().try_fold(1i64, |all, (count, _)| all.checked_mul(*count))?;
        let written = length(tiles.checked_mul(number(tile.len()))?);
        let isa = if isa.is_supported() { isa } else { Isa::Scalar };
        Some(Joined {
            loops,
            tile: Tile::new(copies, bits, isa),
            operations,
            tile_bytes: tile.len(),
            longest,
            first,
            reach,
            written,
        })
    }

    /// Moves everything, on the threads of the current pool of rayon. Bits of the destination that no plan writes are unchanged.
    ///
    /// # Errors
    /// As [`Plan::run`], where a buffer is too small.
    pub fn run(&self, source: &[u8], destination: &mut [u8]) -> Result<(), Error> {
        fits([source.len(), destination.len()], self.reach)?;
        let sides = Sides { source: source.as_ptr(), destination: destination.as_mut_ptr() };
        // SAFETY: every place of the boxes is inside both buffers, since their plans reach no further.
        unsafe { self.run_steps(0..self.steps(), sides) };
        Ok(())
    }

    /// The steps of the outermost loop.
    fn steps(&self) -> i64 {
        self.loops.first().map_or(1, |(count, _)| *count)
    }

    /// Moves the tiles of some steps of the outermost loop.
    ///
    /// # Safety
    /// As [`Joined::walk`].
    unsafe fn run_steps(&self, steps: Range<i64>, sides: Sides) {
        let part = |steps: Range<i64>| {
            let (mut loops, mut at) = (self.loops.clone(), self.first);
            if let Some((count, strides)) = loops.first_mut() {
                *count = steps.end - steps.start;
                at = [0, 1].map(|side| at[side] + steps.start * strides[side]);
            }
            // SAFETY: handed on to the caller; no two tiles share a byte of the destination.
            unsafe { self.walk(&loops, at, sides) };
        };
        let count = steps.end - steps.start;
        let written = number(self.written) / self.steps() * count;
        let tasks = (written / MIN_TASK_BYTES).min(count).min(MAX_TASKS);
        // Asking for the number of threads starts them.
        if tasks > 1 && rayon::current_num_threads() > 1 {
            let at = |task: i64| steps.start + count * task / tasks;
            (0..tasks).into_par_iter().for_each(|task| part(at(task)..at(task + 1)));
        } else {
            part(steps);
        }
    }

    /// Moves the tiles of some loops.
    ///
    /// # Safety
    /// Every tile is inside both buffers, which do not overlap, and nobody else uses its bytes of the destination.
    unsafe fn walk(&self, loops: &[(i64, [i64; 2])], at: [i64; 2], sides: Sides) {
        if let [(count, strides), inner @ ..] = loops
            && !inner.is_empty()
        {
            // Sides one by one: `map` of an array is a call where a build optimises less.
            for step in 0..*count {
                let at = [at[0] + step * strides[0], at[1] + step * strides[1]];
                // SAFETY: handed on to the caller.
                unsafe { self.walk(inner, at, sides) };
            }
            return;
        }
        let (count, strides) = match loops.first() {
            Some((count, [from, to])) => (*count, [distance(*from), distance(*to)]),
            None => (1, [0; 2]),
        };
        let mut tiles = At {
            source: sides.source.wrapping_offset(distance(at[0])),
            destination: sides.destination.wrapping_offset(distance(at[1])),
            tiles: TILES,
            strides,
        };
        let mut left = length(count);
        while left > 0 {
            tiles.tiles = left.min(TILES);
            // SAFETY: the tiles are those of the loop.
            unsafe { self.tile.run(tiles) };
            let steps = isize::try_from(tiles.tiles).unwrap_or(1);
            tiles.source = tiles.source.wrapping_offset(steps * strides[0]);
            tiles.destination = tiles.destination.wrapping_offset(steps * strides[1]);
            left -= tiles.tiles;
        }
    }
}

/// Cuts a run (source, destination, bytes, mask) into copies of powers of two.
fn cut(run: (i64, i64, i64, u8), copies: &mut Copies) -> Option<()> {
    let (mut from, mut to, mut left, mask) = run;
    while left > 0 {
        let bytes = (1 << left.ilog2()).min(COPY_BYTES);
        let places = [u32::try_from(from).ok()?, u32::try_from(to).ok()?];
        copies.entry((length(bytes), mask)).or_default().push(places);
        (from, to, left) = (from + bytes, to + bytes, left - bytes);
    }
    Some(())
}

/// The strides of an axis in bits.
fn strides(axis: &crate::problem::Axis) -> [i64; 2] {
    [0, 1].map(|side| match axis.address[side] {
        Address::Step { stride, .. } => stride,
        Address::Table(_) => 0,
    })
}

/// Takes out of all boxes the axes that they share, of whole bytes; gives them in bytes. Those that lie nearest in the destination
/// stay, as far as they make a short tile.
fn shared(boxes: &mut Masked) -> Vec<(i64, [i64; 2])> {
    let Some((first, _)) = boxes.first().cloned() else { return Vec::new() };
    let mut common: Vec<_> = Vec::new();
    for axis in first.axes {
        let is_whole = strides(&axis).iter().all(|stride| stride % 8 == 0 && *stride != 0);
        if axis.count > 1 && is_whole && boxes.iter().all(|(problem, _)| problem.axes.contains(&axis)) {
            for (problem, _) in boxes.iter_mut() {
                let at = problem.axes.iter().position(|own| *own == axis);
                at.into_iter().for_each(|at| drop(problem.axes.remove(at)));
            }
            common.push(axis);
        }
    }
    common.sort_by_key(|axis| std::cmp::Reverse(strides(axis)[1].abs()));
    let units =
        |(problem, _): &(Problem, u8)| problem.axes.iter().fold(1i64, |all, axis| all.saturating_mul(axis.count));
    let mut units = boxes.iter().map(units).fold(0, i64::saturating_add);
    while let Some(axis) = common.pop_if(|axis| units.saturating_mul(axis.count) <= SHORT_TILE_UNITS) {
        units *= axis.count;
        boxes.iter_mut().for_each(|(problem, _)| problem.axes.push(axis.clone()));
    }
    common.iter().map(|axis| (axis.count, strides(axis).map(|stride| stride / 8))).collect()
}

/// The least bit of a box on a side.
fn least(problem: &Problem, side: usize) -> i64 {
    let below = problem.axes.iter().map(|axis| (strides(axis)[side] * (axis.count - 1)).min(0));
    below.fold(problem.offset[side], i64::saturating_add)
}

/// A byte of the destination.
#[derive(Clone, Debug, Default)]
struct Byte {
    terms: Vec<Term>,
    flip: u8,
}

/// The bytes that a tile writes, counted from where it begins; none where it is too large, or a bit is written twice.
fn tile(boxes: &Masked, first: [i64; 2]) -> Option<BTreeMap<i64, Byte>> {
    let units = boxes.iter().try_fold(0i64, |all, (problem, _)| {
        let own = problem.axes.iter().try_fold(1i64, |own, axis| own.checked_mul(axis.count))?;
        all.checked_add(own.checked_mul((problem.unit_bits / 8).max(1))?)
    })?;
    if units > MAX_TILE_UNITS {
        return None;
    }
    let mut bytes: BTreeMap<i64, Byte> = BTreeMap::new();
    for (problem, flip) in boxes {
        let mut places = vec![problem.offset];
        for axis in &problem.axes {
            let by = strides(axis);
            let step = |place: &[i64; 2], at: i64| [place[0] + at * by[0], place[1] + at * by[1]];
            places = places.iter().flat_map(|place| (0..axis.count).map(move |at| step(place, at))).collect();
        }
        for place in places {
            add_unit(&mut bytes, place, problem.unit_bits, first, *flip)?;
        }
    }
    Some(bytes)
}

/// Adds a unit at places in bits to the bytes of a tile; none where one of its bits is there.
fn add_unit(bytes: &mut BTreeMap<i64, Byte>, place: [i64; 2], bits: i64, first: [i64; 2], flip: u8) -> Option<()> {
    for at in (0..bits).step_by(8) {
        let [from, to] = [place[0] + at - 8 * first[0], place[1] + at - 8 * first[1]];
        let mask = u8::try_from(((1i64 << bits.min(8)) - 1) << to.rem_euclid(8)).ok()?;
        let rotate = u8::try_from((to - from).rem_euclid(8)).ok()?;
        let term = Term { from: u32::try_from(from.div_euclid(8)).ok()?, rotate, mask };
        bytes.entry(to.div_euclid(8)).or_default().add(term, flip & mask)?;
    }
    Some(())
}

/// The bytes that all tiles write, as runs in order, the first and the end of each; none where two tiles share one, or that takes
/// too many runs to see. Of many runs with gaps the gaps count too.
fn covered(tile: &BTreeMap<i64, Byte>, loops: &[(i64, [i64; 2])]) -> Option<Vec<(i64, i64)>> {
    let merged = |mut runs: Vec<(i64, i64)>| {
        runs.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::new();
        for (start, end) in runs {
            match merged.last_mut() {
                Some(last) if start < last.1 => return None,
                Some(last) if start == last.1 => last.1 = end,
                _ => merged.push((start, end)),
            }
        }
        Some(merged)
    };
    let mut runs = merged(tile.keys().map(|at| (*at, at + 1)).collect())?;
    let mut steps: Vec<(i64, i64)> = loops.iter().map(|(count, strides)| (strides[1], *count)).collect();
    steps.sort_unstable_by_key(|(stride, _)| stride.abs());
    for (stride, count) in steps {
        let last = stride.checked_mul(count - 1)?;
        let (first, end) = (runs.first()?.0, runs.last()?.1);
        let all = (first.checked_add(last.min(0))?, end.checked_add(last.max(0))?);
        // Those of a run that follow one another are one run.
        let is_joined = |run: &(i64, i64)| run.1 - run.0 == stride.abs();
        let joined = runs.iter().filter(|run| is_joined(run)).count();
        let apart = length(count).saturating_mul(runs.len() - joined);
        if apart.saturating_add(joined) <= MAX_RUNS {
            let mut each = Vec::new();
            for (start, end) in &runs {
                match is_joined(&(*start, *end)) {
                    true => each.push((start + last.min(0), end + last.max(0))),
                    false => each.extend((0..count).map(|step| (start + step * stride, end + step * stride))),
                }
            }
            runs = merged(each)?;
        } else if stride.abs() >= end - first {
            runs = vec![all];
        } else {
            return None;
        }
    }
    Some(runs)
}

impl Byte {
    /// Adds bits that are not there yet.
    fn add(&mut self, term: Term, flip: u8) -> Option<()> {
        if self.terms.iter().any(|own| own.mask & term.mask != 0) {
            return None;
        }
        let same = self.terms.iter_mut().find(|own| own.from == term.from && own.rotate == term.rotate);
        match same {
            Some(own) => own.mask |= term.mask,
            None => self.terms.push(term),
        }
        self.flip |= flip;
        Some(())
    }
}
