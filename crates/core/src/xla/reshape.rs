//! What a reshape or a transpose does to dims, whatever the layouts.

use super::same::permutation;
use crate::cast::length;
use crate::error::Error;
use crate::trace::Trace;

/// The dims that a reshape leaves as they are, as pairs of numbers: equal extents with as many elements before them. A
/// dim of extent 1 that could stand at several places is left where both sides have one.
///
/// ```
/// use bitstride::xla::unmodified_dims;
/// assert_eq!(unmodified_dims(&[6, 1, 8, 1], &[6, 1, 1, 8]), [(0, 0), (1, 1), (2, 3)]);
/// assert_eq!(unmodified_dims(&[4, 6], &[6, 4]), []);
/// ```
pub fn unmodified_dims(from: &[i64], to: &[i64]) -> Vec<(i64, i64)> {
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    let (mut before_i, mut before_j) = (1i128, 1i128);
    while let (Some(a), Some(b)) = (from.get(i), to.get(j)) {
        let level = before_i == before_j;
        let (step_i, step_j) = match (*a, *b) {
            _ if !level => (before_i < before_j, before_j <= before_i),
            (a, b) if a == b => {
                pairs.push((length(i), length(j)));
                (true, true)
            }
            (1, _) => (true, false),
            (_, 1) => (false, true),
            _ => (true, true),
        };
        if step_i {
            before_i = before_i.saturating_mul(i128::from(*a));
            i += 1;
        }
        if step_j {
            before_j = before_j.saturating_mul(i128::from(*b));
            j += 1;
        }
    }
    pairs
}

/// The dims of extent 1 that a reshape deletes, and those that it inserts; `None` for one that does anything else.
///
/// ```
/// use bitstride::xla::unit_dims;
/// assert_eq!(unit_dims(&[2, 1, 3], &[2, 3, 1]), Some((vec![1], vec![2])));
/// assert_eq!(unit_dims(&[2, 3], &[6]), None);
/// ```
pub fn unit_dims(from: &[i64], to: &[i64]) -> Option<(Vec<i64>, Vec<i64>)> {
    let pairs = unmodified_dims(from, to);
    let rest = |dims: &[i64], kept: &dyn Fn(&(i64, i64)) -> i64| -> Option<Vec<i64>> {
        let rest = (0..length(dims.len())).zip(dims).filter(|(dim, _)| pairs.iter().all(|pair| kept(pair) != *dim));
        rest.map(|(dim, extent)| (*extent == 1).then_some(dim)).collect()
    };
    Some((rest(from, &|pair| pair.0)?, rest(to, &|pair| pair.1)?))
}

/// The same transpose with as few dims as say it: those of extent 1 left out, those that stay neighbours merged. The
/// answer is the extents of the result and which dim of the operand each is; of a single element, one dim stays.
///
/// # Errors
/// [`crate::Code::OrderNotPermutation`] when `dims` does not name each dim of `from` once.
///
/// ```
/// use bitstride::xla::normalized_transpose;
/// assert_eq!(normalized_transpose(&[5, 2, 3, 1, 4], &[3, 0, 4, 1, 2])?, (vec![5, 4, 6], vec![0, 2, 1]));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn normalized_transpose(from: &[i64], dims: &[i64]) -> Result<(Vec<i64>, Vec<i64>), Error> {
    normalized_transpose_traced(from, dims, &mut ())
}

/// What [`normalized_transpose`] does with a dim of the operand; the dims come in the order of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransposeStep {
    /// It has the extent 1 and is left out.
    Unit {
        /// The dim.
        dim: usize,
    },
    /// It begins a dim of the answer.
    Begins {
        /// The dim.
        dim: usize,
    },
    /// It stays behind its neighbour, and both are one dim.
    Joins {
        /// The dim.
        dim: usize,
    },
}

/// [`normalized_transpose`], with what becomes of each dim reported.
///
/// # Errors
/// As [`normalized_transpose`].
///
/// ```
/// use bitstride::xla::{TransposeStep, normalized_transpose_traced};
/// let mut events = Vec::new();
/// normalized_transpose_traced(&[5, 2, 1], &[2, 0, 1], &mut events)?;
/// let expected = [TransposeStep::Unit { dim: 2 }, TransposeStep::Begins { dim: 0 }, TransposeStep::Joins { dim: 1 }];
/// assert_eq!(events, expected);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn normalized_transpose_traced(
    from: &[i64],
    dims: &[i64],
    trace: &mut impl Trace<TransposeStep>,
) -> Result<(Vec<i64>, Vec<i64>), Error> {
    let order = permutation(dims, from.len())?;
    let mut kept: Vec<usize> = (0..from.len()).filter(|dim| from.get(*dim) != Some(&1)).collect();
    let mut runs: Vec<(usize, i64)> = Vec::new();
    let mut last = None;
    for dim in order {
        // The number among the dims that are left.
        let (Some(number), Some(extent)) = (kept.iter().position(|kept| *kept == dim), from.get(dim)) else {
            trace.record(|| TransposeStep::Unit { dim });
            continue;
        };
        match runs.last_mut() {
            Some(run) if last.is_some_and(|last| last + 1 == number) => {
                trace.record(|| TransposeStep::Joins { dim });
                run.1 = run.1.saturating_mul(*extent);
            }
            _ => {
                trace.record(|| TransposeStep::Begins { dim });
                runs.push((number, *extent));
            }
        }
        last = Some(number);
    }
    if runs.is_empty() && !from.is_empty() {
        // XLA keeps one dim of a single element.
        runs.push((0, 1));
    }
    kept = runs.iter().map(|(number, _)| *number).collect();
    kept.sort_unstable();
    let numbers = runs.iter().filter_map(|(number, _)| kept.iter().position(|kept| kept == number).map(length));
    Ok((runs.iter().map(|(_, extent)| *extent).collect(), numbers.collect()))
}
