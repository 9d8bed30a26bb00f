//! [`Guarded`]: a map as sums over digits with conditions on sums, as guards make them.
//!
//! The integer of a guard is a sum over digits too. Where its strides nest, as the digits of a coordinate do, the values
//! below the extent are a few boxes of digits: all lower digits are free below the highest that is smaller.
//!
//! Law: where all guards hold, the form gives what the map gives; a point is in one of the boxes exactly when all hold.

use super::boxes::Ranges;
use super::form::AffineExpr;
use super::symbolic::Symbolic;
use super::{Digit, Form, Map, Stage};
use crate::error::Error;

/// The most boxes of points that are no padding.
const MAX_PARTS: usize = 1 << 10;

/// Sums over digits, and sums that are below extents where a point is no padding.
pub(super) struct Guarded {
    /// The map without its guards.
    pub(super) form: Form,
    guards: Vec<(AffineExpr, i64)>,
}

impl From<Form> for Guarded {
    fn from(form: Form) -> Self {
        Guarded { form, guards: Vec::new() }
    }
}

impl Guarded {
    /// The sums of a map with points.
    ///
    /// # Errors
    /// As [`Form::of`], guards aside.
    pub(super) fn of(map: &Map) -> Result<Guarded, Error> {
        let mut symbolic = Symbolic::new(map.domain());
        // What guards ask about stands behind the row, where no stage reads it.
        let mut extents = Vec::new();
        for stage in map.stages() {
            match stage {
                Stage::Guard { at, extent } => {
                    if symbolic.stage(stage).is_err()
                        && let Some(sum) = symbolic.row.get(*at).cloned()
                    {
                        symbolic.row.push(sum);
                        extents.push(*extent);
                    }
                }
                Stage::Permute(order) => {
                    let behind = order.len()..symbolic.row.len();
                    symbolic.stage(&Stage::Permute(order.iter().copied().chain(behind).collect()))?;
                }
                _ => symbolic.stage(stage)?,
            }
        }
        let mut form = symbolic.finish();
        form.canonicalise()?;
        let guards = form.sums.split_off(map.codomain().len().min(form.sums.len()));
        Ok(Guarded { form, guards: guards.into_iter().zip(extents).collect() })
    }

    /// The points that are no padding, as boxes over digits into which those of the form are cut; `Some(None)` where all are,
    /// none where they are no such boxes. Digits of the list may be cut at other numbers than those of the form.
    pub(super) fn kept(&self, digits: &[Digit], is_cut: &[bool]) -> Option<Option<Vec<Ranges>>> {
        if self.guards.is_empty() {
            return Some(None);
        }
        let mut parts: Vec<Ranges> = vec![digits.iter().map(|digit| (0, digit.radix)).collect()];
        for (sum, extent) in &self.guards {
            let own = self.below(sum, *extent, digits, is_cut)?;
            parts = parts.iter().flat_map(|part| own.iter().filter_map(|own| met(part, own))).collect();
            if parts.len() > MAX_PARTS {
                return None;
            }
        }
        Some(Some(parts))
    }

    /// The boxes in which a sum is at least 0 and below an extent.
    fn below(&self, sum: &AffineExpr, extent: i64, digits: &[Digit], is_cut: &[bool]) -> Option<Vec<Ranges>> {
        if sum.mask() != 0 || sum.offset < 0 {
            return None;
        }
        let mut terms = Vec::new();
        for (at, (digit, is_cut)) in digits.iter().zip(is_cut).enumerate() {
            let end = |digit: &Digit| i128::from(digit.weight) * i128::from(digit.radix);
            let meets = |own: &Digit| {
                own.axis == digit.axis && i128::from(own.weight) < end(digit) && i128::from(digit.weight) < end(own)
            };
            let read = self.form.digits.iter().zip(&sum.strides).filter(|(own, stride)| **stride != 0 && meets(own));
            let read: Vec<(&Digit, &i64)> = read.collect();
            let step = match read.as_slice() {
                [] => continue,
                // One step of the part is a number of steps of the digit that it is cut from.
                [(own, stride)] if !is_cut && digit.weight % own.weight == 0 => {
                    i128::from(digit.weight / own.weight) * i128::from(**stride)
                }
                _ => return None,
            };
            terms.push((step, at, digit.radix));
        }
        terms.sort_unstable();
        let mut reach = 0i128;
        for (step, _, radix) in &terms {
            if *step <= reach {
                return None;
            }
            reach = reach.checked_add(step.checked_mul(i128::from(radix - 1))?)?;
        }
        let mut parts = Vec::new();
        let mut part: Ranges = digits.iter().map(|digit| (0, digit.radix)).collect();
        let mut left = i128::from(extent) - i128::from(sum.offset);
        // From the highest digit down: below its last value that fits, all lower digits are free.
        while let Some((step, at, radix)) = terms.pop() {
            reach -= step * i128::from(radix - 1);
            if left <= 0 {
                return Some(parts);
            }
            let free = ((left - 1 - reach).div_euclid(step) + 1).clamp(0, i128::from(radix));
            let free = i64::try_from(free).ok()?;
            if free > 0 {
                let mut below = part.clone();
                *below.get_mut(at)? = (0, free);
                parts.push(below);
            }
            if free == radix {
                return Some(parts);
            }
            *part.get_mut(at)? = (free, 1);
            left -= step * i128::from(free);
        }
        if left > 0 {
            parts.push(part);
        }
        Some(parts)
    }
}

/// The common points of two boxes, if there are any.
pub(super) fn met(one: &Ranges, other: &Ranges) -> Option<Ranges> {
    let common = |((a, m), (b, n)): (&(i64, i64), &(i64, i64))| {
        let (low, end) = ((*a).max(*b), (a + m).min(b + n));
        (low < end).then_some((low, end - low))
    };
    one.iter().zip(other).map(common).collect()
}

/// The number of points of a box.
pub(super) fn volume(part: &Ranges) -> i128 {
    part.iter().map(|(_, count)| i128::from(*count)).product()
}
