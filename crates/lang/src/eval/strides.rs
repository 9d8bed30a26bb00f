//! Sizes, strides and dims of tensors, as PyTorch and NumPy count them.
//!
//! Law: the strides that [`dense`] gives lead the elements, row by row, to 0, 1, 2 and so on.

use crate::numbers::tuple;
use bitstride::{Code, Error, error};

/// The strides of a tensor that fills its memory row by row.
pub(super) fn dense(sizes: &[i64]) -> Result<Vec<i64>, Error> {
    let mut strides = Vec::new();
    let mut stride = 1_i64;
    for size in sizes.iter().rev() {
        strides.push(stride);
        stride = stride.checked_mul((*size).max(1)).ok_or_else(|| Error::overflow("the size of a tensor"))?;
    }
    strides.reverse();
    Ok(strides)
}

/// Strides of the dims that have more than one element.
pub(super) fn count_strides(sizes: &[i64], strides: &[i64]) -> Vec<i64> {
    sizes.iter().zip(strides).filter(|(size, _)| **size > 1).map(|(_, stride)| *stride).collect()
}

pub(super) fn product(sizes: &[i64]) -> Result<i64, Error> {
    if sizes.contains(&0) {
        return Ok(0);
    }
    sizes
        .iter()
        .try_fold(1_i64, |product, size| product.checked_mul(*size))
        .ok_or_else(|| Error::overflow("the size of a tensor"))
}

/// Sizes of which one may be -1, for what the others leave.
pub(super) fn inferred(sizes: &[i64], all: i64) -> Result<Vec<i64>, Error> {
    let known: Vec<i64> = sizes.iter().copied().filter(|size| *size != -1).collect();
    let rest = product(&known)?;
    let wrong = || Err(error!(Code::NotDivisible, "{all} elements cannot be {sizes}", [all, sizes = written(sizes)]));
    if known.iter().any(|size| *size < 0) || sizes.len() > known.len() + 1 {
        return Err(error!(
            Code::Range,
            "sizes are numbers from 0 on, and one of them may be -1: {sizes}",
            [sizes = written(sizes)]
        ));
    }
    let left = match sizes.len() == known.len() {
        true if rest == all => 1,
        true => return wrong(),
        false if rest != 0 && all % rest == 0 => all / rest,
        false => return wrong(),
    };
    Ok(sizes.iter().map(|size| if *size == -1 { left } else { *size }).collect())
}

/// A dim, from the back where it is negative.
pub(super) fn dim(at: i64, rank: usize) -> Result<usize, Error> {
    let from_front = if at < 0 { at.checked_add(length(rank)) } else { Some(at) };
    let place = from_front.and_then(|at| usize::try_from(at).ok()).filter(|at| *at < rank);
    place.ok_or_else(|| error!(Code::NoMode, "there is no dim {at}: the tensor has {rank}", [at, rank]))
}

pub(super) fn length(rank: usize) -> i64 {
    bitstride::cast::length(rank)
}

pub(super) fn written(numbers: &[i64]) -> String {
    tuple(numbers).to_string()
}
