//! [`Comparison`]: what comparing two maps gives, and the comparison of two forms, digit by digit.
//!
//! Law: forms over digits that are cut alike, with the same flips, are the same function exactly where their numbers are equal.

use super::form::{Digit, Form};
use crate::error::Error;

/// How the answer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Certificate {
    /// The normal forms were compared: the number of digits.
    Digits(usize),
    /// Sums over the same digits were compared for all their low bits: the number of values of these bits.
    LowBits(i64),
    /// Both maps repeat after a box, whose points were compared one by one: the number of points.
    Periods(i64),
    /// All points were compared: the number of points.
    Enumerated(i64),
}

/// What comparing two maps gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Every point leads to the same.
    Same(Certificate),
    /// The first point that does not, and what it leads to in each; `None` is padding.
    Differ {
        /// The point.
        point: Vec<i64>,
        /// What it leads to.
        places: [Option<Vec<i64>>; 2],
        /// How the answer is known.
        by: Certificate,
    },
}

/// Two forms of the same axes with the digits of both cut alike; none where they cannot be.
pub(super) fn alike(left: &Form, right: &Form) -> Result<Option<(Form, Form)>, Error> {
    let (mut one, mut two) = (left.clone(), right.clone());
    if !one.cut_at(&two.digits)? || !two.cut_at(&one.digits)? || !one.cut_at(&two.digits)? {
        return Ok(None);
    }
    Ok((one.digits == two.digits).then_some((one, two)))
}

impl Form {
    /// Compares with a form of the same axes; `None` where the digits of both cannot be cut alike, or
    /// other bits are flipped.
    ///
    /// # Errors
    /// [`Code::Overflow`](crate::Code::Overflow).
    ///
    /// ```
    /// use bitstride::map::{Certificate, Comparison, Form, Map};
    /// let one = Form::of(&Map::of_layout(&"(2,8):(1,2)".parse()?)?)?;
    /// let two = Form::of(&Map::of_layout(&"(2,(2,4)):(1,(2,4))".parse()?)?)?;
    /// assert_eq!(one.compare(&two)?, Some(Comparison::Same(Certificate::Digits(2))));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn compare(&self, other: &Form) -> Result<Option<Comparison>, Error> {
        let Some((mut one, mut two)) = alike(self, other)? else { return Ok(None) };
        one.normalise_xor()?;
        two.normalise_xor()?;
        // A function determines its patterns only next to the same flips.
        let flips = one.sums.iter().zip(&two.sums).all(|(a, b)| a.flip == b.flip);
        if !flips {
            return Ok(None);
        }
        let by = Certificate::Digits(one.digits.len());
        let Some(point) = one.first_difference(&two) else {
            return Ok((one.sums == two.sums).then_some(Comparison::Same(by)));
        };
        let places = [Some(one.at(&point)?), Some(two.at(&point)?)];
        Ok(Some(Comparison::Differ { point, places, by }))
    }

    /// The first point at which forms over the same digits differ. With only the lower digits above 0 both are equal, so
    /// that it has the first digit that differs at 1, alone or with the first that it shares other bits with.
    fn first_difference(&self, other: &Form) -> Option<Vec<i64>> {
        let mut pairs = self.sums.iter().zip(&other.sums);
        if pairs.any(|(a, b)| i128::from(a.offset) + i128::from(a.flip) != i128::from(b.offset) + i128::from(b.flip)) {
            return Some(vec![0; self.axes.len()]);
        }
        let differs = |digits: &[&Digit]| {
            let mut point = vec![0; self.axes.len()];
            for digit in digits {
                if let Some(x) = point.get_mut(digit.axis) {
                    *x += digit.weight;
                }
            }
            let (a, b) = (self.at(&point), other.at(&point));
            (a.ok() != b.ok()).then_some(point)
        };
        for (at, digit) in self.digits.iter().enumerate() {
            let below = self.digits.iter().take(at).filter(|lower| self.meet(lower, digit));
            let found = differs(&[digit]).or_else(|| below.map(|lower| [lower, digit]).find_map(|pair| differs(&pair)));
            if found.is_some() {
                return found;
            }
        }
        None
    }
}
