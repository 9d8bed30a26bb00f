//! Laws of tiled instructions: what each thread holds of a tile, by counting along rows and columns.
//!
//! A table has a row for each thread, and in it the element of each of its values.

use super::{CheckResult, hold};

/// Copies of an instruction on an operand of rows and columns.
#[derive(Clone, Copy, Debug)]
pub struct Copies<'t> {
    /// What one instruction holds: the element of each (thread, value), column-major.
    pub instruction: &'t [Vec<i64>],
    /// The rows and columns of one instruction.
    pub shape: [i64; 2],
    /// How many copies there are along rows and columns.
    pub copies: [i64; 2],
    /// The row, and the column, at each position of the tile.
    pub order: [&'t [i64]; 2],
}

/// Thread `t` of the copy (i,j) holds, as value v of instruction (p,q) of its own, the instruction's element of (t,v) in the block
/// `i + copies * p`, `j + copies * q` of the tile, whose rows and columns are permuted. Of each thread that takes part its place
/// is given: (thread of the instruction, copy).
pub fn tiled_operand(all: &Copies<'_>, places: &[(usize, usize, [i64; 2])], answer: &[Vec<i64>]) -> CheckResult {
    let [rows, columns] = all.order.map(|order| i64::try_from(order.len()).unwrap_or(0));
    let blocks = |at: usize, length: i64| length / (all.shape[at] * all.copies[at]);
    for (number, thread, copy) in places {
        let (held, own) = (&answer[*number], &all.instruction[*thread]);
        let mut value = 0;
        for q in 0..blocks(1, columns) {
            for p in 0..blocks(0, rows) {
                for element in own {
                    let [i, j] = [element % all.shape[0], element / all.shape[0]];
                    let row = i + all.shape[0] * (copy[0] + all.copies[0] * p);
                    let column = j + all.shape[1] * (copy[1] + all.copies[1] * q);
                    let index = |n: i64| usize::try_from(n).unwrap_or(0);
                    let wanted = all.order[0][index(row)] + rows * all.order[1][index(column)];
                    let found = held.get(value).copied();
                    hold("tiled operand", found == Some(wanted), || {
                        format!("thread {number} holds {found:?} as value {value}, but must hold {wanted}")
                    })?;
                    value += 1;
                }
            }
        }
        hold("tiled operand", held.len() == value, || format!("thread {number} holds {} values", held.len()))?;
    }
    Ok(())
}

/// All threads together have each of `size` elements equally often.
pub fn covers_evenly(size: usize, answer: &[Vec<i64>]) -> CheckResult {
    let mut counts = vec![0_usize; size];
    for element in answer.iter().flatten() {
        let count = usize::try_from(*element).ok().and_then(|element| counts.get_mut(element));
        match count {
            Some(count) => *count += 1,
            None => hold("covers evenly", false, || format!("{element} is none of {size} elements"))?,
        }
    }
    let first = counts.first().copied().unwrap_or(0);
    let other = counts.iter().position(|count| *count != first || *count == 0);
    hold("covers evenly", other.is_none(), || {
        let at = other.unwrap_or(0);
        format!("element {at} is held {} times, element 0 {first} times", counts[at])
    })
}

/// What one copy instruction reads as a bit, it writes as the same bit: where (thread, value) of the source is (thread, value) of
/// the target inside the instruction, both lead to one element of the tile, in each instruction.
pub fn tiled_copy(instruction: [&[Vec<i64>]; 2], sides: [&[Vec<i64>]; 2]) -> CheckResult {
    let threads = instruction[0].len();
    let values = instruction.map(|side| side.first().map_or(0, Vec::len));
    for copy in 0..sides[0].len() / threads {
        for rest in 0..sides[0].first().map_or(0, Vec::len) / values[0] {
            for (thread, read) in instruction[0].iter().enumerate() {
                for (value, bit) in read.iter().enumerate() {
                    let from = sides[0][thread + threads * copy][value + values[0] * rest];
                    for (other, written) in instruction[1].iter().enumerate() {
                        for at in written.iter().enumerate().filter(|(_, written)| *written == bit).map(|(at, _)| at) {
                            let to = sides[1][other + threads * copy][at + values[1] * rest];
                            hold("tiled copy", from == to, || {
                                format!("bit {bit} is read from element {from} and written to element {to}")
                            })?;
                        }
                    }
                }
            }
        }
    }
    Ok(())
}
