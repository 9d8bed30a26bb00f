//! Chooses strips: the sequences of loops that make the lines of each side, of any counts.
//!
//! The strip of a side begins with its units, and each further loop continues it. No loop is in both strips. Tiles of
//! the strips are the bits of a network, and a tile list moves windows of tiles.
//!
//! This file also chooses how vectors are stored ([`Store`]). Long rows are realigned to lines and streamed. Where
//! short rows are contiguous, a window of them is one run, which the caches hold until it is complete; rows of a few
//! bytes are packed there. Runs of a few bytes that are no power of two are units that are padded as they are read.
//!
//! Law: strips and the loops around them visit what the nest visits.

use super::{Kernel, balanced_tile};
use crate::cast::{distance, length, number};
use crate::kernel::{BYTE, Bit, Isa, LINE, Network, PadUnits, REGISTERS, ROW_BYTES, Store, Strip, Strips};
use crate::machine::{
    BLOCK_COST, MAX_PADDED_ROW_UNITS, MAX_PADDED_UNIT_BYTES, MIN_PIECE_BITS, MIN_REALIGNED_ROW_BYTES,
    MIN_REALIGNED_ROW_UNITS, Machine, TILE_COST,
};
use crate::nest::{Loop, Nest};

/// The strips of both sides in units of the given size, their numbers of units, and the loops in neither.
fn chained(loops: &[Loop], unit: i64) -> ([Strip; 2], [i64; 2], Vec<Loop>) {
    let mut side_of = vec![None; loops.len()];
    let mut counts = [1i64; 2];
    let mut ends = [false; 2];
    let mut strips = [0, 1].map(|_| Strip { unit, digits: Vec::new(), tile: 0, window: 0 });
    // The shorter strip continues first, so that both become long.
    while let Some(side) = [1, 0].into_iter().filter(|side| !ends[*side]).min_by_key(|side| counts[*side]) {
        let continues = |level: &Loop| level.is_strided() && level.strides()[side] == unit * counts[side];
        let next = loops.iter().position(continues).filter(|at| side_of[*at].is_none());
        let Some((at, level)) = next.and_then(|at| Some((at, loops.get(at)?))) else {
            ends[side] = true;
            continue;
        };
        side_of[at] = Some(side);
        strips[side].digits.push([level.count, level.strides()[1 - side]]);
        counts[side] *= level.count;
    }
    let left = loops.iter().zip(&side_of).filter(|(_, side)| side.is_none());
    (strips, counts, left.map(|(level, _)| level.clone()).collect())
}

/// A network between strips of both sides, and the loops around it.
pub(super) fn stripped(nest: &Nest, unit: i64, machine: Machine, bytes: i64) -> Option<(Kernel, Vec<Loop>)> {
    let element = unit.trailing_zeros();
    let vector = LINE.trailing_zeros().checked_sub(element).filter(|vector| *vector > 0)?;
    let (mut strips, counts, mut loops) = chained(&nest.loops, unit);
    let tiles = counts.map(|count| tile(count, vector));
    // Shorter pieces cost more to bring together than their units to move.
    if tiles.iter().any(|tile| length(i64::from(*tile)) < MIN_PIECE_BITS) || tiles[0] + tiles[1] < vector {
        return None;
    }
    let mut inside = [Vec::new(), Vec::new()];
    let (past, row) =
        (machine.isa.streams() && bytes >= machine.sizes.stream_min_bytes, counts[1].saturating_mul(unit));
    let part = |row: i64, tile: u32| {
        let even = balanced_tile(
            counts[0],
            tile,
            (machine.sizes.run_bytes / row).clamp(1 << tile, machine.sizes.window_tiles << tile),
        );
        let covered = (counts[0] + even - 1) / even * even;
        let is_poor = covered > counts[0] + counts[0] / 8 || even * unit < 2 * number(LINE);
        if is_poor && counts[0] <= (machine.sizes.max_run_bytes / row).min(machine.sizes.window_tiles << tile) {
            counts[0]
        } else {
            even
        }
    };
    let least = if machine.isa == Isa::Avx512 {
        MIN_REALIGNED_ROW_BYTES.min(MIN_REALIGNED_ROW_UNITS * unit)
    } else {
        MIN_REALIGNED_ROW_BYTES
    };
    let is_run = past && row < least && counts[0] == reached(&strips[0], row);
    // Rows of less than a line are padded to a power of two, where that makes no more vectors than registers hold, and a window
    // is whole vectors of the source.
    let filled = row.unsigned_abs().next_power_of_two().cast_signed();
    let fits = filled <= number(LINE).min(MAX_PADDED_ROW_UNITS * unit);
    let packed =
        machine.isa == Isa::Avx512 && is_run && filled != row && fits && part(filled, vector) % (1 << vector) == 0;
    let of_run = if packed { part(filled, vector) } else { part(row, tiles[0]) };
    let tiles = match () {
        () if packed => [vector, (filled / unit).trailing_zeros()],
        () if is_run && machine.isa == Isa::Avx512 => tiles_of_run(counts, vector, unit)?,
        () => tiles,
    };
    let most = |side: usize| machine.sizes.window_tiles << tiles[side];
    let of_source = match is_run {
        true => of_run,
        false if past && machine.isa != Isa::Avx512 => {
            balanced_tile(counts[0], tiles[0], most(0).min(machine.sizes.pair_buffer_bytes / number(ROW_BYTES)))
        }
        false => balanced_tile(counts[0], tiles[0], most(0)),
    };
    let of_destination = match past && !is_run {
        true => going_on(
            counts[1],
            tiles[1],
            (machine.sizes.strip_list_bytes / unit / of_source).max(least / unit).min(most(1)),
            machine,
        ),
        false => balanced_tile(counts[1], tiles[1], most(1)),
    };
    for ((side, strip), window) in strips.iter_mut().enumerate().zip([of_source, of_destination]) {
        strip.tile = tiles[side];
        strip.window = length(window);
        let strides = |power: u32| [0, 1].map(|other| if other == side { unit << power } else { 0 });
        loops.push(Loop { strip: Some(side), ..Loop::strided(counts[side], strides(0)) }.tiled(window));
        inside[side] = (0..strip.tile).map(|power| Bit::strided(strides(power).map(distance))).collect();
    }
    if packed {
        inside[0].iter_mut().zip(0..).for_each(|(bit, power)| bit.strides[1] = distance(filled << power));
    }
    let [own, other] = inside.clone();
    let room = |list: &[Bit]| usize::try_from(vector).unwrap_or(0).saturating_sub(list.len());
    inside[0].extend(other.iter().take(room(&own)));
    inside[1].extend(own.iter().take(room(&other)));
    let network = Network::of_strips(machine, element + BYTE, [&inside[0], &inside[1]])?;
    loops.retain(|level| level.count > 1);
    let run = number(strips[1].window) * unit;
    let store = match network.pieces()[1] {
        _ if packed => Store::Packed,
        // A window has whole rows.
        _ if is_run && run == row => Store::Contiguous,
        LINE if past && run >= least => Store::Realigned,
        _ => Store::Cached,
    };
    Some((Kernel::Strips(Strips { network, sides: strips, store }), loops))
}

/// A network between strips of runs of a few bytes that are no power of two, which are padded to one as they are read, and the
/// loops around it, for the given total of bytes.
pub(super) fn padded(nest: &Nest, unit: i64, machine: Machine, bytes: i64) -> Option<(Kernel, Vec<Loop>)> {
    let at = nest.run(unit)?;
    let run = nest.loops.get(at)?.count.checked_mul(unit)?;
    // In the caches it takes bytes to gain by it.
    let least = if unit == 1 { machine.sizes.memory_min_bytes } else { machine.sizes.stream_min_bytes };
    if machine.isa != Isa::Avx512 || bytes < least || run > MAX_PADDED_UNIT_BYTES || run.count_ones() == 1 {
        return None;
    }
    let filled = run.unsigned_abs().next_power_of_two().cast_signed();
    let tile = LINE.trailing_zeros() - filled.trailing_zeros();
    let mut around = nest.loops.clone();
    around.remove(at);
    let (mut strips, counts, mut loops) = chained(&around, run);
    if counts.iter().any(|count| *count < 1 << tile) {
        return None;
    }
    // As far along both sides.
    let units = (machine.sizes.padded_window_bytes / filled).unsigned_abs();
    let most = units.isqrt().cast_signed();
    let of_source = in_lines(counts[0], most).unwrap_or_else(|| balanced_tile(counts[0], tile, most));
    let of_destination = balanced_tile(counts[1], tile, units.cast_signed() / of_source);
    let mut inside = [Vec::new(), Vec::new()];
    for ((side, strip), window) in strips.iter_mut().enumerate().zip([of_source, of_destination]) {
        (strip.tile, strip.window) = (tile, length(window));
        let along = [0, 1].map(|other| if other == side { run } else { 0 });
        loops.push(Loop { strip: Some(side), ..Loop::strided(counts[side], along) }.tiled(window));
        let strides = [[filled, filled * of_destination], [0, filled]][side];
        inside[side] = (0..tile).map(|power| Bit::strided(strides.map(|stride| distance(stride << power)))).collect();
    }
    let pad = PadUnits::of(length(run), length(filled));
    let network = Network::of_strips(machine, filled.trailing_zeros() + BYTE, [&inside[0], &inside[1]])?.padded(pad);
    loops.retain(|level| level.count > 1);
    Some((Kernel::Strips(Strips { network, sides: strips, store: Store::PaddedPacked }), loops))
}

/// The longest window of whole lines, at most `most` units: partial lines at its ends would be read again.
/// None where windows would overlap by more than a sixteenth.
fn in_lines(count: i64, most: i64) -> Option<i64> {
    let covers = |window: &i64| (count + window - 1) / window * window <= count + count / 16;
    (most / 2..=most.min(count)).rev().filter(|window| window % number(LINE) == 0).find(covers)
}

/// The window of a strip where rows continue from list to list: the whole strip if it is short, else about `most`
/// units, in an even number of tiles, since blocks come in pairs along rows.
fn going_on(count: i64, tile: u32, most: i64, machine: Machine) -> i64 {
    let whole = machine.sizes.whole_strip_tiles << tile;
    balanced_tile(count, tile + 1, if count <= whole { whole } else { most })
}

/// The tiles of both strips, as powers of two, of a run of short rows, which stays in the caches: those with the least
/// work. Vectors take about as long whether they are lines or a few pieces, but for those of fewer bytes than 32 or
/// fewer units than 16; a block takes some time too, and a bit more where registers are full of lines, each of which is
/// read from two, or where its vectors take a second pass.
fn tiles_of_run(counts: [i64; 2], vector: u32, unit: i64) -> Option<[u32; 2]> {
    let piece = (16 * unit).min(32);
    let cost = |tiles: &[u32; 2]| {
        let (vectors, registers) = (1 << (tiles[0] + tiles[1] - vector), number(REGISTERS));
        let along = [0, 1].map(|side| (counts[side] + (1 << tiles[side]) - 1) >> tiles[side]);
        let pieces = tiles.iter().map(|tile| (piece / (unit << tile)).max(1)).product::<i64>();
        let slow = if vectors > registers { 2 } else { i64::from(vectors == registers && tiles[0] == vector) };
        let one = BLOCK_COST + pieces * vectors * (8 + slow);
        along[0].saturating_mul(along[1]).saturating_mul(one)
    };
    let most = counts.map(|count| count.ilog2().min(vector));
    let least = i64::try_from(MIN_PIECE_BITS).ok()?;
    let all = (0..=most[0]).flat_map(|own| (0..=most[1]).map(move |other| [own, other]));
    let fits = |tiles: &[u32; 2]| tiles[0] + tiles[1] >= vector && tiles.iter().all(|tile| i64::from(*tile) >= least);
    all.filter(fits).min_by_key(cost)
}

/// The number of rows, one for each unit of the source strip, that are contiguous in the destination.
fn reached(source: &Strip, row: i64) -> i64 {
    let together = source.digits.iter().try_fold(1, |reached: i64, [count, stride]| {
        if *stride == reached.saturating_mul(row) { Ok(reached * count) } else { Err(reached) }
    });
    together.unwrap_or_else(|reached| reached)
}

/// The tile of a strip of long rows, as a power of two: the one with the least work, where each tile costs as much as
/// some units.
fn tile(count: i64, most: u32) -> u32 {
    let cost = |power: &u32| (count + (1 << power) - 1) / (1 << power) * ((1 << power) + TILE_COST);
    (0..=most).rev().filter(|power| count >> power > 0).min_by_key(cost).unwrap_or(0)
}
