//! Copies of contiguous runs, and rows of short runs.
//!
//! A run of a line or more is copied, and long runs in equal parts. Two kinds are excluded: runs of a few lines
//! (`by_lines`) and runs of which several make whole lines (`joined`). Where no other kernel applies, the loop with the
//! shortest steps in the destination makes rows of runs, because partial lines cost more in the destination.
//!
//! Law: runs, rows and the loops around them visit what the nest visits.

use super::row::row;
use super::{Kernel, balanced_tile};
use crate::cast::number;
use crate::kernel::{Copy, LINE, Row};
use crate::machine::{MIN_ROW_RUNS, Machine};
use crate::nest::{Loop, Nest};

/// A copy of whole runs, and the loops around it.
pub(super) fn copied(nest: &Nest, unit: i64, machine: Machine) -> Option<(Kernel, Vec<Loop>)> {
    let run = nest.run(unit);
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
    let part = balanced_tile(bytes, LINE.trailing_zeros(), machine.sizes.copy_bytes);
    loops.push(Loop::strided(bytes, [1, 1]).tiled(part));
    loops.retain(|level| level.count > 1);
    Some((Kernel::Copy(Copy::of(part)), loops))
}

/// Rows of short runs, along the loop whose steps are the shortest in the destination, and the loops around them. A loop
/// of a few steps makes no row where there is a longer one: each row is a tile origin, which takes as long to compute as
/// some runs to copy.
pub(super) fn rows(nest: &Nest, unit: i64) -> (Kernel, Vec<Loop>) {
    let mut loops = nest.loops.clone();
    let bytes = nest.run(unit).map_or(unit, |at| loops.remove(at).count * unit);
    let row =
        row(&mut loops, |level| level.count >= MIN_ROW_RUNS).or_else(|| row(&mut loops, |_| true)).unwrap_or(Row::ONE);
    (Kernel::Copy(Copy { row, ..Copy::of(bytes) }), loops)
}
