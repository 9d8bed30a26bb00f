//! The canonical normal form: the fewest digits, and only shared bits in masks.
//!
//! Two neighbouring digits without masks are merged when the upper one continues the lower one in every coordinate.
//! This is CuTe's coalesce, mode by mode, and its result is unique. Digits with masks stay bits.

use super::form::{Digit, Form};
use super::symbolic::refine;
use crate::error::Error;

impl Form {
    /// Makes the form canonical: functions over axes with the same cuts then have the same form.
    ///
    /// # Errors
    /// [`Code::Overflow`](crate::Code::Overflow).
    ///
    /// ```
    /// use bitstride::map::{Form, Map};
    /// let mut form = Form::of(&Map::of_layout(&"((2,4),8):((1,2),8)".parse()?)?)?;
    /// form.canonicalise()?;
    /// assert_eq!(form.digits.len(), 2);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn canonicalise(&mut self) -> Result<(), Error> {
        self.normalise_xor()?;
        let mut at = 0;
        while at + 1 < self.digits.len() {
            if self.goes_on(at) { self.merge(at) } else { at += 1 }
        }
        Ok(())
    }

    pub(super) fn normalise_xor(&mut self) -> Result<(), Error> {
        for sum in &mut self.sums {
            sum.normalise_xor(&self.axes, &self.digits)?;
        }
        Ok(())
    }

    /// Whether the digit above continues where this one ends.
    fn goes_on(&self, at: usize) -> bool {
        let (Some(low), Some(high)) = (self.digits.get(at), self.digits.get(at + 1)) else { return false };
        low.axis == high.axis
            && self.sums.iter().all(|sum| {
                let of = |list: &[i64], at: usize| list.get(at).copied().unwrap_or(0);
                let stride = of(&sum.strides, at).checked_mul(low.radix);
                of(&sum.xors, at) == 0 && of(&sum.xors, at + 1) == 0 && stride == Some(of(&sum.strides, at + 1))
            })
    }

    fn merge(&mut self, at: usize) {
        let high = self.digits.remove(at + 1);
        let top = high.is_top(&self.axes);
        if let Some(low) = self.digits.get_mut(at) {
            let extent = self.axes.get(low.axis).map_or(1, |axis| axis.extent);
            // The last digit has as many values as its axis lets it take.
            low.radix = if top {
                extent.div_euclid(low.weight) + i64::from(extent % low.weight != 0)
            } else {
                low.radix * high.radix
            };
        }
        for sum in &mut self.sums {
            sum.strides.remove(at + 1);
            sum.xors.remove(at + 1);
        }
    }

    /// Cuts the digits at all these weights too; false when a weight would cut a digit that it does not divide.
    pub(super) fn cut_at(&mut self, cuts: &[Digit]) -> Result<bool, Error> {
        for cut in cuts {
            let own = |digit: &Digit| {
                digit.axis == cut.axis
                    && digit.weight < cut.weight
                    && i128::from(cut.weight) < i128::from(digit.weight) * i128::from(digit.radix)
            };
            let Some(at) = self.digits.iter().position(own) else { continue };
            let Some(digit) = self.digits.get(at).copied() else { continue };
            let radix = cut.weight / digit.weight;
            if cut.weight % digit.weight != 0 || digit.radix % radix != 0 && !digit.is_top(&self.axes) {
                return Ok(false);
            }
            refine(&mut self.digits, &mut self.sums, at, radix)?;
        }
        Ok(true)
    }
}
