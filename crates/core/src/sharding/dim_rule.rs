//! [`DimRule`]: which indices of a dim go where in an [`Exchange`], by digits of the index or by the indices at which holders change.

use super::digits::{Cut, Digits, cut_alike};
use super::exchange::Exchange;
use super::meeting::Meeting;
use super::tensor::Sharding;

/// What says which indices of a dim go where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DimRule {
    /// The digits of the index, the slowest first.
    Digits(Vec<MovedDigit>),
    /// The indices at which the holder changes before or after, ascending: what lies between two of them goes together.
    Cuts(Vec<i64>),
}

/// A digit of an index, and the digit of the number of the device that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MovedDigit {
    /// How far it moves the index.
    pub weight: i64,
    /// How many values it has.
    pub radix: i64,
    /// How far it moves the number of the device before; `None` where it is local.
    pub before: Option<i64>,
    /// The same afterwards.
    pub after: Option<i64>,
}

impl Exchange {
    /// What says which indices of each dim go where; `None` for a dim whose digits meet, but whose devices stand in no regular order.
    ///
    /// ```
    /// use bitstride::sharding::{DimRule, MovedDigit, Sharding};
    /// let before: Sharding = "shard(f32[8], P('a'), mesh(a=2))".parse()?;
    /// let after: Sharding = "shard(f32[8], [_StridedShard(0, split_factor=2)], mesh(2))".parse()?;
    /// let digit = |weight, radix, before, after| MovedDigit { weight, radix, before, after };
    /// let digits = vec![digit(4, 2, Some(1), None), digit(2, 2, None, Some(1)), digit(1, 2, None, None)];
    /// assert_eq!(before.exchange(&after)?.rule(), [Some(DimRule::Digits(digits))]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn rule(&self) -> Vec<Option<DimRule>> {
        let of = |(dim, meeting): (usize, &Meeting)| {
            if let Some(ends) = meeting.ends() {
                return Some(DimRule::Cuts(ends.to_vec()));
            }
            let [before, after] = [&self.source, &self.target].map(|own| moved(own, dim));
            let above = |own: &Option<i64>, factor: i64| own.map(|weight| weight * factor);
            let mut all = cut_alike(&before?, &after?, &above, &None)?;
            all.reverse();
            let digit = |(weight, radix, before, after)| MovedDigit { weight, radix, before, after };
            Some(DimRule::Digits(all.into_iter().map(digit).collect()))
        };
        self.meetings.iter().enumerate().map(of).collect()
    }
}

/// The digits of a dim, the fastest first, with how far each moves the number of the device.
fn moved(sharding: &Sharding, dim: usize) -> Option<Vec<Cut<Option<i64>>>> {
    Some(Digits::of_dim(sharding, dim)?.iter().rev().map(|digit| (digit.weight, digit.radix, digit.device)).collect())
}
