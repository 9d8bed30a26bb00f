//! Chooses a loop as a row of blocks, which the kernel steps through itself instead of reading a tile origin for each
//! step (`kernel/row.rs`).
//!
//! It is the loop with the shortest steps in the destination, because partial lines cost more in the destination. Law:
//! rows and the loops around them cover what the loop covered, from the first step to the last, in steps of the same
//! strides.

use super::balanced_tile;
use crate::cast::{distance, length};
use crate::kernel::Row;
use crate::machine::MAX_ROW_STEPS;
use crate::nest::Loop;

/// Makes a row of the nearest loop that may be one. The rest of that loop stays among the loops.
pub(super) fn row(loops: &mut Vec<Loop>, may: impl Fn(&Loop) -> bool) -> Option<Row> {
    let strided = (0..loops.len()).filter(|at| loops[*at].is_strided() && may(&loops[*at]));
    let level = loops.remove(strided.min_by_key(|at| loops[*at].strides()[1].abs())?);
    // A row has equal steps: where the last one lies back, rows do.
    let most = if level.tail_overlap == [0; 2] { MAX_ROW_STEPS } else { MAX_ROW_STEPS.min((level.count + 1) / 2) };
    let count = balanced_tile(level.count, 0, most);
    let row = Row { count: length(count), strides: level.strides().map(distance) };
    loops.push(level.over(count));
    loops.retain(|level| level.count > 1);
    Some(row)
}
