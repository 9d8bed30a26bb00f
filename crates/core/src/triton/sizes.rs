//! [`Sizes`]: a number for each dim of a tensor, and what encodings ask of such numbers.

use crate::error::{Code, Error};
use crate::small::Small;

/// A number for each dim of the tensor, `dim0` first.
pub type Sizes = Small<i64, 4>;

/// The bits that the bases need in one dim.
pub(super) fn extent(bases: &[Sizes], dim: usize) -> u32 {
    let largest = bases.iter().filter_map(|basis| basis.get(dim)).copied().max().unwrap_or(0);
    u64::try_from(largest).map_or(0, |largest| u64::BITS - largest.leading_zeros())
}

/// The dims from the last to the first: the last is the fastest.
pub(super) fn last_first(rank: usize) -> Small<usize, 4> {
    (0..rank).rev().collect()
}

/// The binary logarithms of sizes that have to be powers of two; `what` names them.
///
/// # Errors
/// [`Code::SizeNotPowerOfTwo`], [`Code::RankMismatch`].
pub(super) fn logs(what: &str, sizes: &[i64], rank: usize) -> Result<Small<u32, 4>, Error> {
    if sizes.len() != rank {
        return Err(error!(
            Code::RankMismatch,
            "{what} has {sizes} entries for a tensor of rank {rank}",
            [what, sizes = sizes.len(), rank]
        ));
    }
    let mut logs = Small::new();
    for size in sizes {
        logs.push(log(what, *size)?);
    }
    Ok(logs)
}

/// The binary logarithm of one size.
///
/// # Errors
/// [`Code::SizeNotPowerOfTwo`].
pub(super) fn log(what: &str, size: i64) -> Result<u32, Error> {
    match u64::try_from(size) {
        Ok(size) if size.is_power_of_two() => Ok(size.trailing_zeros()),
        _ => Err(error!(Code::SizeNotPowerOfTwo, "{what} is {size}; it has to be a power of two", [what, size])),
    }
}

/// The order of the dims as positions.
///
/// # Errors
/// [`Code::OrderNotPermutation`], [`Code::RankMismatch`].
pub(super) fn order(order: &Sizes, rank: usize) -> Result<Small<usize, 4>, Error> {
    let position = |dim: &i64| usize::try_from(*dim).ok().filter(|dim| *dim < rank);
    let positions: Small<usize, 4> = order.iter().filter_map(position).collect();
    if positions.len() == order.len() && crate::linear::permutation(&positions, rank).is_ok() {
        return Ok(positions);
    }
    // The numbers as they are written, which may be no positions of any machine.
    Err(crate::linear::not_permutation(order, rank))
}

/// The rank of a shape against that of an encoding.
///
/// # Errors
/// [`Code::RankMismatch`].
pub(super) fn same_rank(rank: usize, shape: &[i64]) -> Result<usize, Error> {
    if rank == shape.len() {
        return Ok(rank);
    }
    Err(Error::encoding_rank(rank, shape))
}
