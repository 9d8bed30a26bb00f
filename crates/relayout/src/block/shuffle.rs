//! Chooses shuffles: vectors of the destination from a few vectors of the source each.
//!
//! Loops that continue the units of the destination are taken, whatever their counts, until the contiguous bytes are
//! whole lines. The source position of each byte is known then. Runs longer than a line, but no whole lines, are joined
//! in the same way: copied one by one, they would leave partial lines.
//!
//! Law: vectors and the loops around them visit what the nest visits.

use super::Kernel;
use super::row::row;
use crate::cast::{length, number};
use crate::kernel::{LINE, Shuffle};
use crate::machine::{MAX_SHUFFLED_BYTES, MIN_ROW_VECTORS, MIN_SHUFFLED_RUN_BYTES, Machine};
use crate::nest::{Loop, Nest, distances};

/// Vectors of the destination from a few vectors of the source each, and the loops around them, for the given total of bytes.
pub(super) fn shuffled(nest: &Nest, unit: i64, machine: Machine, bytes: i64) -> Option<(Kernel, Vec<Loop>)> {
    let from_memory = bytes >= machine.sizes.stream_min_bytes;
    let longest = MAX_SHUFFLED_BYTES[usize::from(from_memory)];
    let (line, vector) = (number(LINE), Shuffle::vector(machine.isa)?);
    let mut loops = nest.loops.clone();
    let run = nest.run(unit).map_or(unit, |at| loops.remove(at).count * unit);
    // Runs of a line and more are copied, unless some of them make whole lines, where that spares lines in parts.
    let is_long = run >= line;
    if run > longest || is_long && (run % line == 0 || !from_memory || !machine.isa.streams()) {
        return None;
    }
    let (mut reach, mut from): (i64, Vec<i64>) = (run, (0..run).collect());
    while reach % line != 0 {
        let next = loops.iter().position(|level| level.is_strided() && level.strides()[1] == reach)?;
        let level = loops.remove(next);
        let steps = level.count.min(line >> reach.trailing_zeros());
        reach = reach.checked_mul(steps).filter(|reach| *reach <= longest)?;
        let stride = level.strides()[0];
        from = (0..steps).flat_map(|x| from.iter().map(move |at| at + x * stride)).collect();
        loops.push(level.tiled(steps));
        loops.retain(|level| level.count > 1);
    }
    // A vector of a line that is read for fewer than three units is no better than these, one by one; but runs that
    // make whole lines are streamed, and these not read before. Written with cached stores, vectors that are
    // lines gain by it for most lengths, and shorter vectors lose.
    let units = vector / length(unit);
    let are_on_lines = distances(&loops, &nest.origins, 1) % line == 0;
    if is_long && !are_on_lines {
        return None;
    }
    let gains = vector == LINE || machine.isa.streams() && are_on_lines;
    let runs = if gains && from_memory && run >= MIN_SHUFFLED_RUN_BYTES {
        1 + length((number(vector) + run - 1) / run)
    } else {
        0
    };
    let most = runs.max(if vector == LINE { units / 3 } else { units.saturating_sub(1) });
    let mut shuffle = Shuffle::of(machine.isa, &from, most)?;
    // The vectors of a row lie together, and so do those that they are read from: else the machine brings lines that no
    // one reads.
    let [read, written] = [shuffle.picks() * vector, vector].map(number);
    let may = |level: &Loop| {
        let [from, to] = level.strides().map(i64::abs);
        level.count >= MIN_ROW_VECTORS && from <= read && to == written
    };
    if shuffle.is_vector()
        && let Some(row) = row(&mut loops, may)
    {
        shuffle.row = row;
    }
    Some((Kernel::Shuffle(shuffle), loops))
}
