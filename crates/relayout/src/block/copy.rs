//! Copies of contiguous runs, and rows of short runs.
//!
//! A run of a line or more is copied, long runs in equal parts. Shorter ones are rows along the loop whose steps are the
//! shortest in the destination, because partial lines cost more in the destination.
//!
//! Law: runs, rows and the loops around them visit what the nest visits.

use super::row::row;
use super::{Kernel, balanced_tile};
use crate::cast::number;
use crate::kernel::{Copy, LINE, Row};
use crate::machine::{MIN_ROW_RUNS, Machine};
use crate::nest::{Loop, Nest};

/// Copies, and the loops around them. A loop of a few steps makes no row where there is a longer one: each row is a tile
/// origin, which takes as long to compute as some runs to copy.
pub(super) fn copied(nest: &Nest, unit: i64, machine: Machine) -> (Kernel, Vec<Loop>) {
    let mut loops = nest.loops.clone();
    let bytes = nest.run(unit).map_or(unit, |at| loops.remove(at).count * unit);
    if bytes >= number(LINE) {
        let part = balanced_tile(bytes, LINE.trailing_zeros(), machine.sizes.copy_bytes);
        loops.push(Loop::strided(bytes, [1, 1]).tiled(part));
        loops.retain(|level| level.count > 1);
        return (Kernel::Copy(Copy::of(part)), loops);
    }
    let row =
        row(&mut loops, |level| level.count >= MIN_ROW_RUNS).or_else(|| row(&mut loops, |_| true)).unwrap_or(Row::ONE);
    (Kernel::Copy(Copy { row, ..Copy::of(bytes) }), loops)
}
