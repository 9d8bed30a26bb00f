//! [`Swizzled`]: a sum over digits whose low bits are permuted afterwards, as swizzles over any strides and extents do.
//!
//! Where the parts of the sum carry into each other's bits, the whole has no [`Form`]. The sum before the steps on its
//! low bits has one.
//!
//! Law: `outer.apply(form.at(point))` is what the map gives.

use super::comparison::{Certificate, Comparison, alike};
use super::low_bits::LowBits;
use super::low_sums::LowSums;
use super::{Form, Map};
use crate::cast::{length, narrow};
use crate::error::Error;

/// A sum, and the permutation of its low bits.
#[derive(Clone, Debug)]
pub(super) struct Swizzled {
    /// One coordinate without patterns.
    pub(super) form: Form,
    /// The steps after it, in the order of the stages.
    pub(super) outer: LowBits,
}

impl Swizzled {
    /// The map as a sum below steps on its low bits, where it is one.
    pub(super) fn of(map: &Map) -> Option<Swizzled> {
        let (inner, outer) = LowBits::split_off(map);
        let form = Form::of(&inner).ok()?;
        let plain = matches!(form.sums.as_slice(), [sum] if sum.mask() == 0);
        plain.then_some(Swizzled { form, outer })
    }

    /// The image of a point.
    pub(super) fn at(&self, point: &[i64]) -> Result<i64, Error> {
        let below = self.form.at(point)?.first().copied().unwrap_or(0);
        narrow(self.outer.apply(i128::from(below)))
    }

    /// Compares with another over the same axes; none where their digits cannot be cut alike, or too many bits are permuted.
    ///
    /// # Errors
    /// `Overflow`.
    pub(super) fn compare(&self, other: &Swizzled) -> Result<Option<Comparison>, Error> {
        let Some(back) = other.outer.inverse() else { return Ok(None) };
        let between = self.outer.then(&back).merged();
        let Some((left, right)) = alike(&self.form, &other.form)? else { return Ok(None) };
        let Some(sums) = LowSums::of(&left, &right, &between) else { return Ok(None) };
        let by = match sums.count() {
            1 => Certificate::Digits(left.digits.len()),
            count => Certificate::LowBits(length(count)),
        };
        Ok(match sums.first_difference() {
            None => None,
            Some(None) => Some(Comparison::Same(by)),
            Some(Some(point)) => {
                let places = [Some(vec![self.at(&point)?]), Some(vec![other.at(&point)?])];
                Some(Comparison::Differ { point, places, by })
            }
        })
    }
}
