//! Chooses a loop as a row of blocks, which the kernel steps through itself instead of reading a tile origin for each
//! step (`kernel/row.rs`).
//!
//! It is the loop with the shortest steps in the destination, because partial lines cost more in the destination. Law:
//! rows and the loops around them cover what the loop covered, from the first step to the last, in steps of the same
//! strides.

use super::balanced_tile;
use crate::cast::{distance, length};
use crate::kernel::Row;
use crate::nest::Loop;

/// Longer loops are cut, so that threads share them.
const MAX_ROW_STEPS: i64 = 1024;

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use std::collections::BTreeSet;

    use super::*;
    use crate::cast::signed;

    /// Blocks of 64 bytes, with and without a tail overlap: rows cover what the loop covers, from its first block to its last.
    #[test]
    fn rows_cover_what_the_loop_covers() {
        for (count, tail_overlap) in (2..140)
            .chain([1024, 1025, 2047, 3001])
            .flat_map(|count| [0, 1, 63].map(|tail_overlap| (count, tail_overlap)))
        {
            let mut loops =
                vec![Loop { tail_overlap: [3 * tail_overlap, tail_overlap], ..Loop::strided(count, [192, 64]) }];
            let row = row(&mut loops, |_| true).unwrap();
            let firsts: Vec<[i64; 2]> = match loops.as_slice() {
                [] => vec![[0; 2]],
                [around] => (0..around.count).map(|x| [0, 1].map(|side| around.offset(x, side))).collect(),
                _ => Vec::new(),
            };
            let mut visited = BTreeSet::new();
            for [from, to] in firsts {
                for step in row.steps() {
                    let [from, to] = [from + signed(step[0]), to + signed(step[1])];
                    assert_eq!(from, 3 * to, "{count} {tail_overlap}");
                    visited.insert(to);
                }
            }
            let last = 64 * (count - 1) - tail_overlap;
            let gaps = visited.iter().zip(visited.iter().skip(1)).filter(|(one, next)| *next - *one > 64).count();
            assert_eq!((visited.first(), visited.last(), gaps), (Some(&0), Some(&last), 0), "{count} {tail_overlap}");
        }
    }
}
