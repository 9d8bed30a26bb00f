//! [`Schedule`]: how one box is moved on a GPU: which part of it is a tile, how wide threads load and store, and how the tile lies
//! in shared memory.
//!
//! A tile has some steps of each axis: those that are near each other in the source, and those that are near in the destination.
//! Threads load it in the order of the source and store it in the order of the destination. Where both orders are one for long
//! enough, nothing goes through shared memory. Otherwise the tile lies there in the order of the source, with gaps: of all gaps
//! and widths that are tried, those are taken that cost the fewest wavefronts by [`SharedMemory::passes`]. A gap adds to an
//! address what an XOR swizzle would mix into it, so that addresses of one thread stay one base with constant offsets.
//!
//! Units below a byte have a byte each in shared memory: a thread spreads the word that it loads, and joins the word that it stores,
//! of whole bytes of memory on both sides. All distances are then counted as if a unit had a byte in memory too ([`Schedule::packing`]).
//!
//! Law: every unit of the box is in one tile, is loaded by one thread and stored by one thread.

use bitstride::memory::{Access, SharedMemory, Transfer};
use bitstride::{Code, Error, error};
use bitstride_relayout::{Address, Problem};

use super::tile::{grow, tile};

/// Threads of a block.
pub(crate) const THREADS: i64 = 256;

/// The lanes of a warp.
const LANES: i64 = 32;

/// The widest access of a thread in bytes.
const MAX_ACCESS_BYTES: i64 = 16;

/// A line of memory in bytes.
const LINE_BYTES: i64 = 128;

/// The loads that a thread holds, at most: each is a register.
const MAX_LOADS: i64 = 32;

/// The shared memory of a block that needs no permission.
const MAX_SHARED_BYTES: i64 = 48 << 10;

/// Units of fewer bytes have larger tiles, so that rows of both sides are as long.
const SMALL_UNIT_BYTES: i64 = 4;

/// What memory writes at once, in bytes. A part of it costs a read.
pub(super) const SECTOR_BYTES: i64 = 32;

/// Tiles whose rows begin anywhere are shifted where they have rows of a given number of bytes.
const SHIFTED_RUN_BYTES: i64 = 128;

/// Runs of a given number of bytes on both sides need no shared memory: each is two sectors of memory.
const DIRECT_RUN_BYTES: i64 = 64;

/// An axis of the box: how many steps, and what they do to both addresses, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) count: i64,
    pub(crate) stride: [i64; 2],
    pub(crate) xor: [i64; 2],
    /// The steps that a tile has.
    pub(crate) tile: i64,
    /// How many steps before the tile are loaded too, where tiles are shifted.
    pub(crate) margin: i64,
}

impl Level {
    /// How many tiles it has. A shifted tile ends before its last step, by less than the margin.
    pub(crate) fn tiles(&self) -> i64 {
        let count = self.count + (self.margin - 1).max(0);
        count / self.tile + i64::from(count % self.tile != 0)
    }

    /// Whether a tile may have fewer steps.
    pub(crate) fn is_ragged(&self) -> bool {
        self.margin != 0 || self.count % self.tile != 0
    }

    /// The steps that a tile has on a side.
    pub(crate) fn steps(&self, side: usize) -> i64 {
        if side == 0 { self.tile + self.margin } else { self.tile }
    }

    /// How far a step leads on a side.
    pub(super) fn reach(&self, side: usize) -> u64 {
        let stride = self.stride[side].unsigned_abs();
        if stride == 0 { self.xor[side].unsigned_abs() } else { stride }
    }
}

/// Consecutive steps of an axis, with their place in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digit {
    pub(crate) level: usize,
    /// What one step is worth along the axis.
    pub(crate) weight: i64,
    pub(crate) radix: i64,
    /// How far one step leads in shared memory, in bytes.
    pub(crate) place: i64,
}

/// How a box is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// The bytes of a unit, and of everything below: of shared memory, where units are below a byte.
    pub(crate) unit: i64,
    /// How many bytes of shared memory are one byte of memory: 1 but for units below a byte.
    pub(crate) packing: i64,
    pub(crate) offset: [i64; 2],
    pub(crate) flip: [i64; 2],
    pub(crate) levels: Vec<Level>,
    /// The digits of the tile, the fastest first, in the order of the source and of the destination.
    pub(crate) order: [Vec<Digit>; 2],
    /// How wide a thread loads and stores, in bytes.
    pub(crate) width: [i64; 2],
    /// The axis along which tiles are shifted, where rows of the destination begin anywhere.
    pub(crate) shifted: Option<usize>,
    /// The bytes of shared memory; 0 where all moves directly.
    pub(crate) shared: i64,
    /// The wavefronts of one tile's stores to shared memory and loads from it, and the least for a given number of bytes.
    pub(crate) wavefronts: [i64; 3],
}

/// What may be chosen apart from the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The bytes of a tile of shared memory, at most; twice as many of small units.
    pub(crate) tile_bytes: i64,
    /// The bytes that a block moves directly, at most.
    pub(crate) direct_bytes: i64,
    /// How wide a thread may load and store, in bytes.
    pub(crate) max_width: i64,
}

impl Choice {
    pub(crate) const DEFAULT: Choice =
        Choice { tile_bytes: 16 << 10, direct_bytes: 8 << 10, max_width: MAX_ACCESS_BYTES };
}

impl Schedule {
    /// The schedule of a box.
    ///
    /// # Errors
    /// [`Code::Undecided`] for axes that go by tables, and for units below a byte that share a byte of memory with what a thread
    /// of another has.
    pub(crate) fn of(problem: &Problem, choice: Choice) -> Result<Self, Error> {
        let (bits, levels, offset, flip) = units_in_bits(problem, choice.max_width)?;
        let packing = (8 / bits).max(1);
        let choice = Choice { max_width: (choice.max_width * packing).min(MAX_ACCESS_BYTES), ..choice };
        let (unit, levels, offset, flip) = in_bytes((bits, levels, offset, flip), packing);
        // Steps that lie together on both sides: what is moved without shared memory.
        let run = |levels: &[Level]| {
            let together = levels.iter().find(|level| level.stride == [unit; 2] && level.xor == [0; 2]);
            together.map_or(unit, |level| level.count.saturating_mul(unit))
        };
        let is_direct = run(&levels) >= DIRECT_RUN_BYTES || levels.is_empty();
        let mut schedule = Schedule {
            unit,
            packing,
            offset,
            flip,
            levels,
            order: [Vec::new(), Vec::new()],
            width: [unit; 2],
            shifted: None,
            shared: 0,
            wavefronts: [0; 3],
        };
        if is_direct {
            // What lies together on both sides and is not in whole bytes begins or ends inside of one.
            if packing > 1 {
                return Err(below_a_byte(bits));
            }
            grow(&mut schedule.levels, 1, unit, i64::MAX, choice.direct_bytes);
            schedule.order = [schedule.sorted(1), schedule.sorted(1)];
            let both = schedule.widest(0).min(schedule.widest(1)).min(choice.max_width.max(unit));
            schedule.width = [both; 2];
            return Ok(schedule);
        }
        let bytes = if unit < SMALL_UNIT_BYTES { choice.tile_bytes * 2 } else { choice.tile_bytes };
        schedule.tile(bytes);
        let held = THREADS * MAX_LOADS * schedule.widest(0);
        if held < bytes {
            schedule.tile(held);
        }
        if schedule.widest(0).min(schedule.widest(1)) < packing {
            return Err(below_a_byte(bits));
        }
        if let Some(row) = schedule.unaligned() {
            let margin = SECTOR_BYTES / unit;
            let level = &mut schedule.levels[row];
            level.tile -= level.tile % margin;
            level.margin = margin;
            schedule.shifted = Some(row);
            schedule.order = [schedule.sorted(0), schedule.sorted(1)];
        }
        schedule.place(choice)?;
        Ok(schedule)
    }

    /// Tiles of a given number of bytes of shared memory, at most.
    fn tile(&mut self, bytes: i64) {
        self.levels.iter_mut().for_each(|level| level.tile = 1);
        tile(&mut self.levels, self.unit, bytes);
        self.order = [self.sorted(0), self.sorted(1)];
    }

    /// The axes of a tile in the order of a side.
    fn sorted(&self, side: usize) -> Vec<Digit> {
        let mut order: Vec<usize> = (0..self.levels.len()).filter(|at| self.levels[*at].steps(side) > 1).collect();
        order.sort_by_key(|at| self.levels[*at].reach(side));
        let digit = |at: usize| Digit { level: at, weight: 1, radix: self.levels[at].steps(side), place: 0 };
        order.into_iter().map(digit).collect()
    }

    /// The units of a tile on a side.
    pub(crate) fn tile_units(&self, side: usize) -> i64 {
        self.levels.iter().map(|level| level.steps(side)).product()
    }

    /// How many blocks there are.
    pub(crate) fn blocks(&self) -> i64 {
        self.levels.iter().map(Level::tiles).fold(1, i64::saturating_mul)
    }

    /// How many accesses a tile takes.
    pub(crate) fn accesses(&self, side: usize) -> i64 {
        self.tile_units(side) * self.unit / self.width[side]
    }

    /// How often each thread loads or stores.
    pub(crate) fn turns(&self, side: usize) -> i64 {
        let accesses = self.accesses(side);
        accesses / THREADS + i64::from(accesses % THREADS != 0)
    }

    /// The axis along which the destination has rows that begin anywhere, where tiles are shifted: a tile ends in each row where
    /// a sector does, so that no sector is stored in parts.
    fn unaligned(&self) -> Option<usize> {
        let row = self.order[1].first()?.level;
        let other = self.order[0].first()?.level;
        let level = &self.levels[row];
        let is_plain = self.flip[1] == 0 && self.levels.iter().all(|level| level.xor[1] == 0);
        let is_long = level.stride[1] == self.unit && level.tile * self.unit >= SHIFTED_RUN_BYTES;
        let has_tiles = level.tile < level.count;
        (row != other
            && is_plain
            && is_long
            && has_tiles
            && self.unit < MAX_ACCESS_BYTES
            && self.widest(1) == self.unit)
            .then_some(row)
    }

    /// The widest access that the layout of a side allows: neighbours in its order are neighbours in memory, all distances are
    /// multiples of it, and none is cut by the end of an axis.
    fn widest(&self, side: usize) -> i64 {
        let mut together = 1i64;
        let mut divides = 1i64;
        for digit in &self.order[side] {
            let level = &self.levels[digit.level];
            if level.stride[side] != together * self.unit || level.xor[side] != 0 || level.margin != 0 {
                break;
            }
            together *= digit.radix;
            // An access that begins inside an axis ends inside of it.
            divides = together;
            if level.is_ragged() {
                divides = together / digit.radix * bitstride::gcd(digit.radix, level.count);
            }
            if level.tile != level.count {
                break;
            }
        }
        let mut width = self.unit;
        while width < MAX_ACCESS_BYTES && divides * self.unit % (width * 2) == 0 && self.is_aligned(side, width * 2) {
            width *= 2;
        }
        width
    }

    /// Whether all distances of a side but those inside a run are multiples of a width.
    fn is_aligned(&self, side: usize, width: i64) -> bool {
        let mut together = self.unit;
        let mut goes_on = true;
        let inner: Vec<usize> = self.order[side]
            .iter()
            .take_while(|digit| {
                let level = &self.levels[digit.level];
                let is_inner = goes_on && level.stride[side] == together && level.xor[side] == 0 && level.margin == 0;
                together = together.saturating_mul(digit.radix);
                goes_on = level.tile == level.count;
                is_inner
            })
            .map(|digit| digit.level)
            .collect();
        let others = self.levels.iter().enumerate().filter(|(at, _)| !inner.contains(at));
        // The tiles of an axis inside the run are as far apart as a tile is long.
        let tiles = inner.iter().map(|at| &self.levels[*at]).filter(|level| level.tiles() > 1);
        let distances = others
            .map(|(_, level)| level.stride[side] | level.xor[side])
            .chain(tiles.map(|level| level.stride[side] * level.tile));
        distances.fold(self.offset[side] | self.flip[side], |all, distance| all | distance) % width == 0
    }

    /// The widths and the gaps of the tile in shared memory that cost least.
    fn place(&mut self, choice: Choice) -> Result<(), Error> {
        let widths = |side: usize| {
            let is_shifted = side == 1 && self.shifted.is_some();
            let widest = if is_shifted { MAX_ACCESS_BYTES } else { self.widest(side) };
            let widest = widest.min(choice.max_width.max(self.unit));
            let mut widths = vec![widest];
            let least = self.unit.max(self.packing).max(4);
            while widths.last().is_some_and(|width| *width > least) {
                widths.push(widths.last().copied().unwrap_or(1) / 2);
            }
            widths
        };
        let mut best: Option<(i64, Schedule)> = None;
        let mut tried = |trial: Option<(i64, Schedule)>| {
            if let Some((cost, trial)) = trial
                && best.as_ref().is_none_or(|(least, _)| cost < *least)
            {
                best = Some((cost, trial));
            }
        };
        for load in widths(0) {
            for store in widths(1) {
                let split = self.split(store / self.unit);
                tried(self.trial([load, store], &split, &[])?);
                for after in 1..split.len() {
                    for gap in gaps(load) {
                        tried(self.trial([load, store], &split, &[(after, gap)])?);
                    }
                }
            }
        }
        // A second gap, where one leaves conflicts.
        if let Some((_, found)) = best.clone()
            && found.wavefronts[0] + found.wavefronts[1] > found.wavefronts[2] * 5 / 4
        {
            let split = self.split(found.width[1] / self.unit);
            for (first, second) in
                (1..split.len()).flat_map(|first| (first + 1..split.len()).map(move |second| (first, second)))
            {
                for gap in gaps(found.width[0]) {
                    for other in gaps(found.width[0]) {
                        let trial = self.trial(found.width, &split, &[(first, gap), (second, other)])?;
                        if let Some((cost, trial)) = trial
                            && best.as_ref().is_none_or(|(least, _)| cost < *least)
                        {
                            best = Some((cost, trial));
                        }
                    }
                }
            }
        }
        let (_, found) = best.ok_or_else(|| Error::new(Code::Undecided, "no tile of this pair fits shared memory"))?;
        *self = found;
        Ok(())
    }

    /// The schedule with some widths and gaps, and what it costs; nothing where loads would be torn or memory does not suffice.
    fn trial(&self, width: [i64; 2], split: &[Digit], gaps: &[(usize, i64)]) -> Result<Option<(i64, Schedule)>, Error> {
        let mut trial = Schedule { width, ..self.clone() };
        trial.lay(split, gaps);
        if trial.shared > MAX_SHARED_BYTES || !trial.is_whole() {
            return Ok(None);
        }
        trial.wavefronts = trial.count()?;
        Ok(Some((trial.cost(), trial)))
    }

    /// The digits of the source's order, where an axis that stores take together is cut at a given number of steps.
    fn split(&self, together: i64) -> Vec<Digit> {
        if self.shifted.is_some() {
            return self.order[0].clone();
        }
        let mut digits = Vec::new();
        let first = self.order[1].first().map(|digit| digit.level);
        for digit in &self.order[0] {
            if Some(digit.level) == first && together > 1 && digit.radix > together && digit.radix % together == 0 {
                digits.push(Digit { radix: together, ..*digit });
                digits.push(Digit { weight: together, radix: digit.radix / together, ..*digit });
            } else {
                digits.push(*digit);
            }
        }
        digits
    }

    /// Lays the tile: digits one after the other, with gaps after a given number of them.
    fn lay(&mut self, split: &[Digit], gaps: &[(usize, i64)]) {
        let mut place = self.unit;
        let mut laid = Vec::with_capacity(split.len());
        for (at, digit) in split.iter().enumerate() {
            place += gaps.iter().filter(|(after, _)| *after == at).map(|(_, gap)| gap).sum::<i64>();
            laid.push(Digit { place, ..*digit });
            place *= digit.radix;
        }
        self.shared = self.unit + laid.iter().map(|digit| digit.place * (digit.radix - 1)).sum::<i64>();
        self.shared += (-self.shared).rem_euclid(MAX_ACCESS_BYTES);
        // The destination's order has the same digits.
        let mut stored = Vec::with_capacity(laid.len());
        for digit in &self.order[1] {
            stored.extend(laid.iter().copied().filter(|own| {
                own.level == digit.level && own.weight >= digit.weight && own.weight < digit.weight * digit.radix
            }));
        }
        stored.dedup();
        if self.shifted.is_some() {
            self.fold(&mut stored);
        }
        self.order = [laid, stored];
    }

    /// Gives a warp a line of each of several rows, whose units lie in other banks than those of one long row. Shifted tiles
    /// have more steps in the order of the source than in that of the destination.
    fn fold(&self, stored: &mut Vec<Digit>) {
        for digit in stored.iter_mut() {
            digit.radix = digit.radix.min(self.levels[digit.level].tile);
        }
        let line = LINE_BYTES / self.unit;
        let rows = LANES * self.width[1] / LINE_BYTES;
        if let [row, next, ..] = stored[..]
            && row.radix > line
            && row.radix % line == 0
            && rows > 1
            && next.radix > rows
            && next.radix % rows == 0
        {
            let part = |digit: Digit, from: i64, to: i64| Digit {
                weight: digit.weight * from,
                radix: to / from,
                place: digit.place * from,
                ..digit
            };
            let parts =
                [part(row, 1, line), part(next, 1, rows), part(row, line, row.radix), part(next, rows, next.radix)];
            stored.splice(..2, parts);
        }
    }

    /// Whether each load lies together in shared memory and on a multiple of its width.
    fn is_whole(&self) -> bool {
        let width = self.width[0];
        let (mut together, mut goes_on) = (self.unit, true);
        self.order[0].iter().all(|digit| {
            if goes_on && digit.place == together {
                together = together.saturating_mul(digit.radix);
                return true;
            }
            goes_on = false;
            together % width == 0 && digit.place % width == 0
        })
    }

    /// The wavefronts of two warps' stores and loads of the first block, and how many there would be without conflicts.
    fn count(&self) -> Result<[i64; 3], Error> {
        let mut sums = [0; 3];
        for (side, transfer) in [Transfer::Store, Transfer::Load].into_iter().enumerate() {
            let per = self.width[side] / self.unit;
            let (each, bytes) = if side == 0 { (1, self.width[0]) } else { (per, self.unit) };
            let mut pool = self.pool(side);
            let places =
                (0..each).map(|part| self.shared_place(&mut pool, side, part)).collect::<Result<Vec<_>, _>>()?;
            let code = crate::code::Code::of(&pool, &[], &places)?;
            let end = self.shared - bytes;
            let mut lanes = vec![Vec::new(); places.len()];
            for warp in [0, 5] {
                lanes.iter_mut().for_each(Vec::clear);
                for thread in warp * LANES..(warp + 1) * LANES {
                    let values = code.values(&[thread, 0, 0]);
                    for (at, result) in lanes.iter_mut().zip(&code.results) {
                        let place = values.get(result.0).copied().filter(|place| (0..=end).contains(place));
                        at.push(place.filter(|_| thread < self.accesses(side)));
                    }
                }
                for at in &lanes {
                    let counted = SharedMemory::NVIDIA.passes(&Access::new(transfer, bytes, at)?)?.wavefronts();
                    // As many as one unit costs, for sides of different widths.
                    sums[side] += counted * 16 / per.min(16);
                    sums[2] += (bytes * LANES / 128).max(1) * 16 / per.min(16);
                }
            }
        }
        Ok(sums)
    }

    /// Wavefronts of shared memory and of memory, and instructions, per unit.
    fn cost(&self) -> i64 {
        let memory = |side: usize| {
            let per = (self.width[side] / self.unit).min(16);
            // An instruction, and what the data path takes for its bytes.
            2 * 16 * (3 + self.width[side] / 4) / per
        };
        // A vector that is put together from smaller units is as many instructions.
        let packed = 2 * 16 * if self.unit < 4 { 2 } else { 1 };
        4 * (self.wavefronts[0] + self.wavefronts[1]) + 4 * (memory(0) + memory(1)) + packed + self.shared / 512
    }
}

/// The gaps that are tried, all multiples of what a load puts at once.
fn gaps(load: i64) -> [i64; 4] {
    [load, load * 2, load * 4, load * 8]
}

/// A unit, the axes, and where both sides begin.
pub(super) type Units = (i64, Vec<Level>, [i64; 2], [i64; 2]);

/// The largest unit of at most a given number of bytes, and the axes in bytes.
///
/// # Errors
/// As [`units_in_bits`], and [`Code::Undecided`] for units below a byte.
pub(super) fn units(problem: &Problem, most: i64) -> Result<Units, Error> {
    let found = units_in_bits(problem, most)?;
    if found.0 < 8 {
        return Err(below_a_byte(found.0));
    }
    Ok(in_bytes(found, 1))
}

fn below_a_byte(bits: i64) -> Error {
    error!(Code::Undecided, "units of {bits} bits do not lie together in bytes on both sides", [bits])
}

/// Offsets in bits as offsets in the tile, which has a byte for each of the `packing` elements of a byte of memory.
fn in_bytes((unit, mut levels, offset, flip): Units, packing: i64) -> Units {
    let bytes = |bits: i64| bits * packing / 8;
    for level in &mut levels {
        level.stride = level.stride.map(bytes);
        level.xor = level.xor.map(bytes);
    }
    (bytes(unit), levels, offset.map(bytes), flip.map(bytes))
}

/// The largest unit of at most a given number of bytes, and the axes, all in bits.
fn units_in_bits(problem: &Problem, most: i64) -> Result<Units, Error> {
    let mut unit = problem.unit_bits;
    let (offset, flip) = (problem.offset, problem.flip);
    let mut levels = Vec::with_capacity(problem.axes.len());
    for axis in &problem.axes {
        let [Address::Step { stride: from, xor: from_xor }, Address::Step { stride: to, xor: to_xor }] = &axis.address
        else {
            let message = "an axis is cut differently by both layouts, and steps by a table of places";
            return Err(Error::new(Code::Undecided, message));
        };
        levels.push(Level { count: axis.count, stride: [*from, *to], xor: [*from_xor, *to_xor], tile: 1, margin: 0 });
    }
    // Elements that are wider than words are several words.
    if unit > most * 8 {
        let words = Level { count: unit / (most * 8), stride: [most * 8; 2], xor: [0; 2], tile: 1, margin: 0 };
        unit = most * 8;
        levels.insert(0, words);
    }
    loop {
        let together =
            levels.iter().position(|level| level.stride == [unit; 2] && level.xor == [0; 2] && level.count % 2 == 0);
        let Some(at) = together.filter(|_| unit < most * 8) else { break };
        let others = levels.iter().enumerate().filter(|(other, _)| *other != at);
        let distances = others.flat_map(|(_, level)| level.stride.into_iter().chain(level.xor));
        if distances.chain(offset).chain(flip).any(|distance| distance % (unit * 2) != 0) {
            break;
        }
        unit *= 2;
        if let Some(level) = levels.get_mut(at) {
            *level = Level { count: level.count / 2, stride: [unit; 2], ..*level };
        }
        levels.retain(|level| level.count > 1);
    }
    Ok((unit, levels, offset, flip))
}
